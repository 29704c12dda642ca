//! Datatypes: making, asking, freeing; packing.

use super::attributes::{copy_all, delete_all};
use super::{Routine, anywhere, row};
use crate::basic::{Basic, Class};
use crate::error::{self, Fault};
use crate::handle::Kind;
use crate::layout::Layout;
use crate::world::call::{Caller, Next};
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Type_contiguous", contiguous),
    row("MPI_Type_vector", |call| vector(call, Unit::Elements)),
    row("MPI_Type_create_hvector", |call| vector(call, Unit::Bytes)),
    row("MPI_Type_indexed", |call| indexed(call, Unit::Elements)),
    row("MPI_Type_create_hindexed", |call| indexed(call, Unit::Bytes)),
    row("MPI_Type_create_indexed_block", indexed_block),
    row("MPI_Type_create_struct", structure),
    row("MPI_Type_create_subarray", subarray),
    row("MPI_Type_create_resized", resized),
    row("MPI_Type_dup", duplicate),
    row("MPI_Type_commit", commit),
    row("MPI_Type_free", free),
    row("MPI_Type_size", size),
    row("MPI_Type_get_extent", extent),
    row("MPI_Type_get_true_extent", true_extent),
    row("MPI_Type_match_size", match_size),
    row("MPI_Pack_size", pack_size),
    row("MPI_Pack", pack),
    row("MPI_Unpack", unpack),
    anywhere("MPI_Sizeof", size_of),
];

/// What displacements count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Elements,
    Bytes,
}

fn give(call: &mut Caller<'_>, layout: Option<Layout>, at: u64) -> Result<Next, Fault> {
    let Some(layout) = layout else {
        return call.wrong(error::TYPE, "the datatype is too large");
    };
    let number = call.own().types.add(layout);
    call.give_made(Kind::Datatype, number, at)?;
    Ok(Next::Done)
}

fn contiguous(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (count, old, at) = (call.count()?, call.datatype()?.layout, call.word());
    give(call, Layout::of_blocks([(0, count, &old)]), at)
}

fn vector(call: &mut Caller<'_>, unit: Unit) -> Result<Next, Fault> {
    let (count, length) = (call.count()?, call.count()?);
    let stride = if unit == Unit::Bytes { call.long()? } else { i64::from(call.int()?) };
    let (old, at) = (call.datatype()?.layout, call.word());
    let stride = if unit == Unit::Bytes { stride } else { stride.wrapping_mul(old.extent) };
    give(call, Layout::of_blocks((0..count as i64).map(|i| (i.wrapping_mul(stride), length, &old))), at)
}

fn indexed(call: &mut Caller<'_>, unit: Unit) -> Result<Next, Fault> {
    let count = call.count()? as usize;
    let lengths = call.ints(count)?;
    let displacements = match unit {
        Unit::Bytes => call.longs(count)?,
        Unit::Elements => call.ints(count)?.into_iter().map(i64::from).collect(),
    };
    let (old, at) = (call.datatype()?.layout, call.word());
    let step = if unit == Unit::Bytes { 1 } else { old.extent };
    let mut blocks = Vec::with_capacity(count);
    for (length, displacement) in lengths.into_iter().zip(displacements) {
        blocks.push((displacement.wrapping_mul(step), call.checked_count(length)?, &old));
    }
    give(call, Layout::of_blocks(blocks), at)
}

fn indexed_block(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (count, length) = (call.count()? as usize, call.count()?);
    let displacements = call.ints(count)?;
    let (old, at) = (call.datatype()?.layout, call.word());
    let blocks = displacements.into_iter().map(|d| (i64::from(d).wrapping_mul(old.extent), length, &old));
    give(call, Layout::of_blocks(blocks), at)
}

fn structure(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let count = call.count()? as usize;
    let (lengths, displacements, types) = (call.ints(count)?, call.longs(count)?, call.ints(count)?);
    let at = call.word();
    let mut layouts = Vec::with_capacity(count);
    for handle in types {
        layouts.push(call.datatype_of(handle)?.layout);
    }
    let mut blocks = Vec::with_capacity(count);
    for ((length, displacement), layout) in lengths.into_iter().zip(displacements).zip(&layouts) {
        blocks.push((displacement, call.checked_count(length)?, layout));
    }
    // The next element begins where the compiler would put it.
    let align =
        layouts.iter().flat_map(|l| l.runs.iter()).map(|run| run.basic.bytes().min(8)).max().unwrap_or(1) as i64;
    let layout = Layout::of_blocks(blocks).map(|layout| {
        let high = layout.lower + layout.extent;
        let extent = high + (-high).rem_euclid(align) - layout.lower;
        layout.resized(layout.lower, extent)
    });
    give(call, layout, at)
}

fn subarray(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let rank = call.count()? as usize;
    let (sizes, parts, starts) = (call.ints(rank)?, call.ints(rank)?, call.ints(rank)?);
    let (order, old, at) = (call.int()?, call.datatype()?.layout, call.word());
    for i in 0..rank {
        let is_inside =
            parts[i] >= 1 && starts[i] >= 0 && parts[i].checked_add(starts[i]).is_some_and(|end| end <= sizes[i]);
        if !is_inside {
            let reason = format!(
                "in dimension {}, {} elements from {} on are not inside of {}",
                i + 1,
                parts[i],
                starts[i],
                sizes[i]
            );
            return call.wrong(error::ARGUMENT, reason);
        }
    }
    // `MPI_ORDER_C` is 56 and has the last dimension as the fastest.
    let dims: Vec<usize> = if order == 56 { (0..rank).rev().collect() } else { (0..rank).collect() };
    let (mut layout, mut step) = (Some(old.clone()), old.extent);
    for i in dims {
        layout = layout.and_then(|inner| {
            let start = i64::from(starts[i]).checked_mul(step)?;
            let rows = (0..i64::from(parts[i])).map(|row| (start.wrapping_add(row.wrapping_mul(step)), 1, &inner));
            Layout::of_blocks(rows)
        });
        step = step.wrapping_mul(i64::from(sizes[i]));
        // The bounds of the whole array are set at the end; inside, rows are placed one by one.
    }
    give(call, layout.map(|layout| layout.resized(0, step)), at)
}

fn resized(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (old, lower, extent, at) = (call.datatype()?.layout, call.long()?, call.long()?, call.word());
    give(call, Some(old.resized(lower, extent)), at)
}

fn duplicate(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let handle = call.int()?;
    let (old, at) = (call.datatype_of(handle)?, call.word());
    let number = call.own().types.add(old.layout);
    if let Some(new) = call.own().types.own_mut(number) {
        new.is_committed = old.is_committed;
    }
    let (from, copy) = (handle, Kind::Datatype.handle(number));
    let give = move |call: &mut Caller<'_>| {
        call.give_made(Kind::Datatype, number, at)?;
        Ok(Next::Done)
    };
    copy_all(call, (from, copy), 0, Arc::new(give))
}

fn commit(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.word();
    let handle = call.int_at(at)?;
    call.datatype_of(handle)?;
    let number = call.number_of(Kind::Datatype, handle, error::TYPE)?;
    if let Some(datatype) = call.own().types.own_mut(number) {
        datatype.is_committed = true;
    }
    Ok(Next::Done)
}

fn free(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.word();
    let handle = call.int_at(at)?;
    let number = call.number_of(Kind::Datatype, handle, error::TYPE)?;
    if call.own().types.own_mut(number).is_none() {
        return call.wrong(error::TYPE, "the datatype is a basic one, or was freed before");
    }
    let give_up = move |call: &mut Caller<'_>| {
        call.own().types.free(number);
        call.give_up(Kind::Datatype, at)?;
        Ok(Next::Done)
    };
    delete_all(call, handle, Arc::new(give_up))
}

fn size(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (layout, at) = (call.datatype()?.layout, call.word());
    call.set_int(at, layout.size as i32)?;
    Ok(Next::Done)
}

fn extent(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (layout, lower_at, extent_at) = (call.datatype()?.layout, call.word(), call.word());
    call.set_long(lower_at, layout.lower)?;
    call.set_long(extent_at, layout.extent)?;
    Ok(Next::Done)
}

fn true_extent(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (layout, lower_at, extent_at) = (call.datatype()?.layout, call.word(), call.word());
    let (low, high) = layout.hull(1).unwrap_or_default();
    call.set_long(lower_at, low)?;
    call.set_long(extent_at, high - low)?;
    Ok(Next::Done)
}

/// `MPI_TYPECLASS_REAL` 1, `…_INTEGER` 2, `…_COMPLEX` 3.
fn match_size(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (class, bytes, at) = (call.int()?, call.int()?, call.word());
    let class = match class {
        1 => Class::Real,
        2 => Class::Integer,
        _ => Class::Complex,
    };
    let Some(basic) = Basic::of(class, bytes.max(0) as u64) else {
        return call.wrong(error::ARGUMENT, format!("there is no such datatype of {bytes} bytes"));
    };
    call.set_int(at, Kind::Datatype.handle(basic.number()))?;
    Ok(Next::Done)
}

fn pack_size(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (count, layout) = (call.count()?, call.datatype()?.layout);
    call.comm()?;
    let at = call.word();
    call.set_int(at, (layout.size * count) as i32)?;
    Ok(Next::Done)
}

fn pack(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let data = call.data()?;
    let (out, room, position_at) = (call.plain_buffer()?, call.count()?, call.word());
    let position = call.int_at(position_at)?;
    let bytes = data.buffer.gather(&data.layout, data.count, call.memory).map_err(|at| call.outside(at))?;
    let start = call.checked_count(position)?;
    if start + bytes.len() as u64 > room {
        let reason = format!("{} bytes from {start} on do not fit a buffer of {room} bytes", bytes.len());
        return call.wrong(error::TRUNCATE, reason);
    }
    let raw = Layout::basic(crate::basic::Basic::BYTE);
    let place = out.shifted(start as i64);
    place.scatter(&raw, bytes.len() as u64, &bytes, call.memory).map_err(|at| call.outside(at))?;
    call.set_int(position_at, position + bytes.len() as i32)?;
    Ok(Next::Done)
}

fn unpack(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (from, room, position_at) = (call.plain_buffer()?, call.count()?, call.word());
    let position = call.int_at(position_at)?;
    let data = call.data()?;
    let (start, wanted) = (call.checked_count(position)?, data.bytes());
    if start + wanted > room {
        let reason = format!("{wanted} bytes from {start} on are not in a buffer of {room} bytes");
        return call.wrong(error::TRUNCATE, reason);
    }
    let raw = Layout::basic(crate::basic::Basic::BYTE);
    let bytes = from.shifted(start as i64).gather(&raw, wanted, call.memory).map_err(|at| call.outside(at))?;
    data.buffer.scatter(&data.layout, data.count, &bytes, call.memory).map_err(|at| call.outside(at))?;
    call.set_int(position_at, position + wanted as i32)?;
    Ok(Next::Done)
}

fn size_of(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (buffer, at) = (call.plain_buffer()?, call.word());
    call.set_int(at, buffer.element_bytes() as i32)?;
    Ok(Next::Done)
}
