//! Packing values into a buffer one after another, as they are in memory or in the representation `external32`.
//!
//! In `external32` values have the higher byte first, and the sizes that the standard says, which are those of the types but for
//! the long integers and wide characters of C.

use super::{Routine, row};
use crate::basic::{Basic, Class};
use crate::buffer::Buffer;
use crate::error::{self, Fault};
use crate::layout::Layout;
use crate::world::call::{Caller, Next};

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Pack_size", pack_size),
    row("MPI_Pack", pack),
    row("MPI_Unpack", unpack),
    row("MPI_Pack_external_size", external_size),
    row("MPI_Pack_external", pack_external),
    row("MPI_Unpack_external", unpack_external),
];

fn pack_size(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (count, layout) = (call.count()?, call.datatype()?.layout);
    call.comm()?;
    let at = call.word();
    call.set_int(at, (layout.size * count) as i32)?;
    Ok(Next::Done)
}

/// Bytes from a place of a buffer on, if they are inside of its size.
fn place(call: &Caller<'_>, buffer: &Buffer, position: i64, bytes: u64, room: i64) -> Result<Buffer, Fault> {
    let is_inside = position >= 0 && position.checked_add_unsigned(bytes).is_some_and(|end| end <= room);
    if is_inside {
        return Ok(buffer.shifted(position));
    }
    let reason = format!("{bytes} bytes from {position} on are not inside of a buffer of {room} bytes");
    call.wrong(error::TRUNCATE, reason)
}

fn put(call: &mut Caller<'_>, place: &Buffer, bytes: &[u8]) -> Result<(), Fault> {
    let raw = Layout::basic(Basic::BYTE);
    place.scatter(&raw, bytes.len() as u64, bytes, call.memory).map_err(|at| call.outside(at))
}

fn take(call: &mut Caller<'_>, place: &Buffer, bytes: u64) -> Result<Vec<u8>, Fault> {
    let raw = Layout::basic(Basic::BYTE);
    place.gather(&raw, bytes, call.memory).map_err(|at| call.outside(at))
}

fn pack(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let data = call.data()?;
    let (out, room, position_at) = (call.plain_buffer()?, call.count()?, call.word());
    let position = call.int_at(position_at)?;
    let bytes = data.buffer.gather(&data.layout, data.count, call.memory).map_err(|at| call.outside(at))?;
    let place = place(call, &out, position.into(), bytes.len() as u64, room as i64)?;
    put(call, &place, &bytes)?;
    call.set_int(position_at, position + bytes.len() as i32)?;
    Ok(Next::Done)
}

fn unpack(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (from, room, position_at) = (call.plain_buffer()?, call.count()?, call.word());
    let position = call.int_at(position_at)?;
    let data = call.data()?;
    let place = place(call, &from, position.into(), data.bytes(), room as i64)?;
    let bytes = take(call, &place, data.bytes())?;
    data.buffer.scatter(&data.layout, data.count, &bytes, call.memory).map_err(|at| call.outside(at))?;
    call.set_int(position_at, position + data.bytes() as i32)?;
    Ok(Next::Done)
}

/// Bytes of a part of a value whose bytes are in order in `external32`: in memory and there.
fn sizes(basic: Basic) -> (u64, u64) {
    let parts = match basic.class() {
        Class::Complex | Class::IntegerPair | Class::RealPair => 2,
        _ => 1,
    };
    let here = basic.bytes() / parts;
    match basic.name() {
        "MPI_LONG" | "MPI_UNSIGNED_LONG" => (here, 4),
        "MPI_WCHAR" => (here, 2),
        _ => (here, here),
    }
}

/// Bytes of elements in `external32`.
fn external_bytes(layout: &Layout, count: u64) -> u64 {
    let of_run = |basic: Basic, count: u64| {
        let (here, there) = sizes(basic);
        basic.bytes() / here * there * count
    };
    count * layout.runs.iter().map(|run| of_run(run.basic, run.count)).sum::<u64>()
}

/// Values as they are in memory, in `external32`.
fn to_external(layout: &Layout, bytes: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
    while !rest.is_empty() {
        for run in layout.runs.iter() {
            let (now, later) = rest.split_at((run.bytes() as usize).min(rest.len()));
            let (here, there) = sizes(run.basic);
            for part in now.chunks(here as usize) {
                out.extend(part.iter().take(there as usize).rev());
            }
            rest = later;
        }
    }
    out
}

/// Values in `external32` as they are in memory.
fn from_external(layout: &Layout, bytes: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
    while !rest.is_empty() {
        for run in layout.runs.iter() {
            let (here, there) = sizes(run.basic);
            let (now, later) = rest.split_at(((run.bytes() / here * there) as usize).min(rest.len()));
            for part in now.chunks(there as usize) {
                out.extend(part.iter().rev());
                let is_negative = run.basic.class() == Class::Integer && part.first().is_some_and(|b| b & 0x80 != 0);
                out.extend((there..here).map(|_| if is_negative { 0xff } else { 0 }));
            }
            rest = later;
        }
    }
    out
}

fn representation(call: &mut Caller<'_>) -> Result<(), Fault> {
    let name = call.text()?;
    if name.trim_start().eq_ignore_ascii_case("external32") {
        return Ok(());
    }
    call.wrong(error::ARGUMENT, format!("there is no representation `{name}`; values are packed in `external32`"))
}

fn external_size(call: &mut Caller<'_>) -> Result<Next, Fault> {
    representation(call)?;
    let (count, layout, at) = (call.count()?, call.datatype()?.layout, call.word());
    call.set_long(at, external_bytes(&layout, count) as i64)?;
    Ok(Next::Done)
}

fn pack_external(call: &mut Caller<'_>) -> Result<Next, Fault> {
    representation(call)?;
    let data = call.data()?;
    let (out, room, position_at) = (call.plain_buffer()?, call.long()?, call.word());
    let position = i64::from_le_bytes(call.bytes_at(position_at)?);
    let bytes = data.buffer.gather(&data.layout, data.count, call.memory).map_err(|at| call.outside(at))?;
    let bytes = to_external(&data.layout, &bytes);
    let place = place(call, &out, position, bytes.len() as u64, room)?;
    put(call, &place, &bytes)?;
    call.set_long(position_at, position + bytes.len() as i64)?;
    Ok(Next::Done)
}

fn unpack_external(call: &mut Caller<'_>) -> Result<Next, Fault> {
    representation(call)?;
    let (from, room, position_at) = (call.plain_buffer()?, call.long()?, call.word());
    let position = i64::from_le_bytes(call.bytes_at(position_at)?);
    let data = call.data()?;
    let wanted = external_bytes(&data.layout, data.count);
    let place = place(call, &from, position, wanted, room)?;
    let bytes = take(call, &place, wanted)?;
    let bytes = from_external(&data.layout, &bytes);
    data.buffer.scatter(&data.layout, data.count, &bytes, call.memory).map_err(|at| call.outside(at))?;
    call.set_long(position_at, position + wanted as i64)?;
    Ok(Next::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn external_values_have_the_higher_byte_first() {
        let named = |name| Layout::basic(Basic::named(name).expect("a type"));
        let (long, complex) = (named("MPI_LONG"), named("MPI_COMPLEX"));
        let pair = Layout::of_blocks([(0, 1, &long), (8, 1, &complex)]).expect("a layout");
        assert_eq!(external_bytes(&pair, 2), 24);
        let bytes: Vec<u8> = [&(-2i64).to_le_bytes()[..], &1f32.to_le_bytes(), &2f32.to_le_bytes()].concat();
        let there = to_external(&pair, &bytes);
        assert_eq!(there, [&(-2i32).to_be_bytes()[..], &1f32.to_be_bytes(), &2f32.to_be_bytes()].concat());
        assert_eq!(from_external(&pair, &there), bytes);
    }
}
