//! The program's memory as the run time sees it: checked reads and writes of bytes, words and descriptors.

use device::{Fill, Strided};
use ir::descriptor;
use mem::{Memory, MemoryView, Region, WriteBytes};

/// Bytes of host memory that the run time may not touch: the first of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Outside {
    /// The address.
    pub(crate) address: u64,
    /// How many bytes were wanted.
    pub(crate) bytes: u64,
    /// Whether to write them.
    pub(crate) write: bool,
}

/// Whether host code may touch memory at that address, as far as its number says.
pub(crate) fn is_host(address: u64) -> bool {
    Region::of(address).is_some_and(Region::is_host_accessible)
}

/// Whether it is memory of the host alone: no device sees it.
pub(crate) fn is_plain_host(address: u64) -> bool {
    matches!(Region::of(address), Some(Region::Host | Region::HostStack | Region::OfC))
}

/// Reads bytes.
pub(crate) fn read(memory: &Memory, address: u64, bytes: u64) -> Result<Vec<u8>, Outside> {
    let outside = Outside { address, bytes, write: false };
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let mut out = room(memory, address, bytes).ok_or(outside)?;
    memory.read(address, &mut out).ok_or(outside)?;
    Ok(out)
}

/// Room for bytes that the run time may read.
fn room(memory: &Memory, address: u64, bytes: u64) -> Option<Vec<u8>> {
    let inside = is_host(address) && memory.contains(address, address.saturating_add(bytes));
    inside.then(|| vec![0; bytes as usize])
}

/// Reads bytes that are copied elsewhere, and which runs of them nothing has written: first byte and length.
pub(crate) fn read_copied(memory: &Memory, address: u64, bytes: u64) -> Result<(Vec<u8>, Vec<(u64, u64)>), Outside> {
    let outside = Outside { address, bytes, write: false };
    if bytes == 0 {
        return Ok(Default::default());
    }
    let mut out = room(memory, address, bytes).ok_or(outside)?;
    memory.read_copied(address, &mut out).ok_or(outside)?;
    Ok((out, memory.holes(address, bytes)))
}

/// An array of which every element becomes an object of so many bytes.
pub(crate) fn filled_with(memory: &Memory, target: Strided, address: u64, bytes: u64) -> Result<Fill, Outside> {
    let outside = Outside { address, bytes, write: false };
    let inside = bytes == 0 || is_host(address);
    inside.then(|| Fill::with_object(memory, target, address, bytes)).flatten().ok_or(outside)
}

/// Reads as many bytes as an array has.
pub(crate) fn read_array<const N: usize>(memory: &Memory, address: u64) -> Result<[u8; N], Outside> {
    let outside = Outside { address, bytes: N as u64, write: false };
    let mut out = [0; N];
    if !is_host(address) {
        return Err(outside);
    }
    memory.read(address, &mut out).ok_or(outside)?;
    Ok(out)
}

/// Writes bytes.
pub(crate) fn write(memory: &mut impl WriteBytes, address: u64, bytes: &[u8]) -> Result<(), Outside> {
    let outside = Outside { address, bytes: bytes.len() as u64, write: true };
    if bytes.is_empty() {
        return Ok(());
    }
    if !is_host(address) {
        return Err(outside);
    }
    memory.write(address, bytes).ok_or(outside)
}

/// Writes a character value into a variable: cut, or filled with blanks.
pub(crate) fn write_text(memory: &mut impl WriteBytes, address: u64, length: u64, text: &[u8]) -> Result<(), Outside> {
    const BLANKS: [u8; 128] = [b' '; 128];
    let kept = &text[..text.len().min(length as usize)];
    write(memory, address, kept)?;
    let (at, count) = (address + kept.len() as u64, length as usize - kept.len());
    match BLANKS.get(..count) {
        Some(blanks) => write(memory, at, blanks),
        None => write(memory, at, &vec![b' '; count]),
    }
}

/// Reads bytes into a room that is there; `None` if it is too small for them, or if the run time may not touch them.
pub(crate) fn read_into<'r>(
    memory: &MemoryView<'_>,
    (address, bytes): (u64, u64),
    room: &'r mut [u8],
) -> Option<&'r [u8]> {
    let room = room.get_mut(..usize::try_from(bytes).ok()?)?;
    if !room.is_empty() {
        is_host(address).then_some(())?;
        memory.read(address, room)?;
    }
    Some(room)
}

/// Reads a name or another text that is only shown.
pub(crate) fn read_name(memory: &Memory, address: u64, length: u64) -> String {
    read(memory, address, length.min(4096)).map_or_else(|_| String::new(), |b| String::from_utf8_lossy(&b).into_owned())
}

fn long(memory: &Memory, address: u64) -> Result<i64, Outside> {
    Ok(i64::from_le_bytes(read_array(memory, address)?))
}

/// Writes into a descriptor, after the base, that the array is contiguous with such extents and lower bounds of 1.
pub(crate) fn write_shape(
    memory: &mut Memory,
    address: u64,
    element_bytes: u64,
    extents: &[u64],
) -> Result<(), Outside> {
    let mut fields = vec![element_bytes, extents.len() as u64];
    let mut stride = element_bytes;
    for &extent in extents {
        fields.extend([1, extent, stride]);
        stride = stride.wrapping_mul(extent);
    }
    let words: Vec<u8> = fields.iter().flat_map(|w| w.to_le_bytes()).collect();
    write(memory, address.wrapping_add_signed(descriptor::ELEMENT_BYTES), &words)
}

/// Reads a descriptor: the array, and the bytes of one element.
pub(crate) fn read_descriptor(memory: &Memory, address: u64) -> Result<(Strided, u64), Outside> {
    let base = long(memory, address.wrapping_add_signed(descriptor::BASE))? as u64;
    let element = long(memory, address.wrapping_add_signed(descriptor::ELEMENT_BYTES))?.max(0) as u64;
    let rank = long(memory, address.wrapping_add_signed(descriptor::RANK))?.clamp(0, 15) as u32;
    let mut dims = Vec::with_capacity(rank as usize);
    for dim in 0..rank {
        let extent = long(memory, address.wrapping_add_signed(descriptor::extent(dim)))?;
        let stride = long(memory, address.wrapping_add_signed(descriptor::stride(dim)))?;
        dims.push((extent.max(0), stride));
    }
    Ok((Strided { base, dims }, element))
}
