//! Walking over strided arrays, and the copies and fills that every device does the same way in `mem::Memory`.
//!
//! Elements are visited in array element order, the first dimension fastest. Neighbouring elements are joined into runs,
//! so that a contiguous array is one run whatever its rank.

use crate::{Fill, SourceHole, Strided};
use mem::Memory;

/// The runs of contiguous bytes of a strided array, in array element order: address and bytes.
#[derive(Clone, Debug)]
pub struct Runs {
    base: u64,
    run: u64,
    dims: Vec<(i64, i64)>,
    index: Vec<i64>,
    done: bool,
}

impl Strided {
    /// How many elements it has.
    pub fn count(&self) -> u64 {
        self.dims.iter().map(|&(extent, _)| extent.max(0) as u64).fold(1, u64::saturating_mul)
    }

    /// Its runs, elements being `element_bytes` long.
    pub fn runs(&self, element_bytes: u64) -> Runs {
        let mut run = element_bytes;
        let mut dims = self.dims.as_slice();
        while let [(extent, stride), rest @ ..] = dims {
            if *extent != 1 && *stride != run as i64 {
                break;
            }
            run = run.saturating_mul((*extent).max(0) as u64);
            dims = rest;
        }
        let done = self.count() == 0 || element_bytes == 0;
        Runs { base: self.base, run, dims: dims.to_vec(), index: vec![0; dims.len()], done }
    }

    /// The bytes from its lowest to its highest element: first address and one past the last; `None` when it is empty.
    pub fn hull(&self, element_bytes: u64) -> Option<(u64, u64)> {
        if self.count() == 0 {
            return None;
        }
        let (mut low, mut high) = (self.base, self.base);
        for &(extent, stride) in &self.dims {
            let reach = stride.wrapping_mul(extent - 1);
            if reach < 0 {
                low = low.wrapping_add_signed(reach);
            } else {
                high = high.wrapping_add_signed(reach);
            }
        }
        Some((low, high.wrapping_add(element_bytes)))
    }
}

impl Iterator for Runs {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        if self.done {
            return None;
        }
        let offset = self
            .index
            .iter()
            .zip(&self.dims)
            .fold(0i64, |at, (&i, &(_, stride))| at.wrapping_add(i.wrapping_mul(stride)));
        let item = (self.base.wrapping_add_signed(offset), self.run);
        self.done = true;
        for (i, &(extent, _)) in self.index.iter_mut().zip(&self.dims) {
            *i += 1;
            if *i < extent {
                self.done = false;
                break;
            }
            *i = 0;
        }
        Some(item)
    }
}

/// Copies the elements of one array to another of the same shape, as if through a temporary. Gives the first address that
/// is outside every live allocation; then at most the elements before it were written.
pub fn copy_strided(
    memory: &mut Memory,
    destination: &Strided,
    source: &Strided,
    element_bytes: u64,
) -> Result<(), u64> {
    let bytes = source.count().saturating_mul(element_bytes);
    let mut to = destination.runs(element_bytes);
    let mut from = source.runs(element_bytes);
    let apart = match (destination.hull(element_bytes), source.hull(element_bytes)) {
        (Some(a), Some(b)) => a.1 <= b.0 || b.1 <= a.0,
        _ => true,
    };
    let holes = holes(memory, source.runs(element_bytes));
    // Overlapping arrays are gathered whole first; others go piece by piece.
    let piece = if apart { bytes.min(1 << 20) } else { bytes };
    let mut buffer: Vec<u8> = Vec::with_capacity(piece as usize);
    let mut read = from.next();
    let mut write = to.next();
    while read.is_some() {
        buffer.clear();
        while let Some((address, len)) = read {
            let n = len.min(piece.max(element_bytes) - buffer.len() as u64);
            let start = buffer.len();
            buffer.resize(start + n as usize, 0);
            memory.read_copied(address, &mut buffer[start..]).ok_or(address)?;
            read = if n < len { Some((address + n, len - n)) } else { from.next() };
            if buffer.len() as u64 >= piece {
                break;
            }
        }
        let mut rest = buffer.as_slice();
        while let (Some((address, len)), false) = (write, rest.is_empty()) {
            let n = len.min(rest.len() as u64);
            let (head, tail) = rest.split_at(n as usize);
            memory.write(address, head).ok_or(address)?;
            rest = tail;
            write = if n < len { Some((address + n, len - n)) } else { to.next() };
        }
        if write.is_none() {
            break;
        }
    }
    put_holes(memory, destination.runs(element_bytes), &holes);
    Ok(())
}

/// What nothing has written of an array.
fn holes(memory: &Memory, runs: Runs) -> Vec<SourceHole> {
    let mut out = Vec::new();
    let mut at = 0;
    for (address, len) in runs {
        let found = memory.holes(address, len).into_iter();
        out.extend(found.map(|(offset, len)| SourceHole { start: at + offset, len, address: address + offset }));
        at += len;
    }
    out
}

/// Hands holes on to an array to which the bytes were copied.
fn put_holes(memory: &Memory, runs: Runs, holes: &[SourceHole]) {
    let mut rest = holes;
    let mut at = 0;
    for (address, len) in runs {
        while let Some(hole) = rest.first() {
            let (from, to) = (hole.start.max(at), (hole.start + hole.len).min(at + len));
            if from < to {
                memory.mark_copied_hole(address + (from - at), hole.address + (from - hole.start), to - from);
            }
            if hole.start + hole.len > at + len {
                break;
            }
            rest = &rest[1..];
        }
        if rest.is_empty() {
            return;
        }
        at += len;
    }
}

/// Sets every element of an array. Gives the first address that is outside every live allocation.
pub fn fill(memory: &mut Memory, fill: &Fill) -> Result<(), u64> {
    let element = &fill.element;
    let zero = element.iter().all(|&b| b == 0);
    let mut pattern: Vec<u8> = Vec::new();
    for (address, len) in fill.target.runs(element.len() as u64) {
        if zero {
            memory.clear(address, len).ok_or(address)?;
            continue;
        }
        let size = len.min((1 << 16) / element.len().max(1) as u64 * element.len() as u64).max(element.len() as u64);
        if (pattern.len() as u64) < size {
            pattern = element.iter().copied().cycle().take(size as usize).collect();
        }
        let mut at = 0;
        while at < len {
            let n = (len - at).min(pattern.len() as u64);
            memory.write(address + at, &pattern[..n as usize]).ok_or(address + at)?;
            at += n;
        }
    }
    if !fill.holes.is_empty() {
        for (address, len) in fill.target.runs(element.len() as u64) {
            for at in (address..address + len).step_by(element.len().max(1)) {
                fill.holes.iter().for_each(|hole| memory.mark_copied_hole(at + hole.start, hole.address, hole.len));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem::Region;
    use source::Span;

    fn memory(bytes: u64) -> (Memory, u64) {
        let mut m = Memory::new();
        let a = m.alloc(Region::Host, bytes, "a", Span::NONE).expect("room");
        (m, a)
    }

    #[test]
    fn a_contiguous_matrix_is_one_run() {
        let s = Strided { base: 1000, dims: vec![(3, 4), (5, 12)] };
        assert_eq!(s.runs(4).collect::<Vec<_>>(), [(1000, 60)]);
        let rows = Strided { base: 1000, dims: vec![(2, 4), (3, 12)] };
        assert_eq!(rows.runs(4).collect::<Vec<_>>(), [(1000, 8), (1012, 8), (1024, 8)]);
        assert_eq!(Strided { base: 0, dims: vec![(0, 4)] }.runs(4).count(), 0);
        assert_eq!(Strided { base: 16, dims: vec![] }.runs(8).collect::<Vec<_>>(), [(16, 8)]);
    }

    #[test]
    fn overlapping_sections_are_copied_as_if_through_a_temporary() {
        let (mut m, a) = memory(40);
        for i in 0..10u32 {
            m.write(a + 4 * u64::from(i), &i.to_le_bytes()).expect("inside");
        }
        let to = Strided { base: a + 4, dims: vec![(9, 4)] };
        let from = Strided { base: a + 32, dims: vec![(9, -4)] };
        copy_strided(&mut m, &to, &from, 4).expect("inside");
        let read = |i: u64| m.load::<u32>(a + 4 * i, &mut 0).expect("inside");
        assert_eq!((0..10).map(read).collect::<Vec<_>>(), [0, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn fill_sets_sections_and_reports_addresses_outside() {
        let (mut m, a) = memory(200_000);
        let all = Fill::with_value(Strided { base: a, dims: vec![(25_000, 8)] }, 7u64.to_le_bytes().into());
        fill(&mut m, &all).expect("inside");
        assert_eq!(m.load::<u64>(a + 199_992, &mut 0), Some(7));
        let far = Fill::with_value(Strided { base: a, dims: vec![(25_001, 8)] }, 7u64.to_le_bytes().into());
        assert!(fill(&mut m, &far).is_err());
    }
}
