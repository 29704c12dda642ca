//! Making and freeing datatypes.
//!
//! Not here: what can be asked of a datatype (`typeinfo`), packing (`packing`).

use super::attributes::{copy_all, delete_all};
use super::{Routine, row};
use crate::basic::{Basic, Class, LOWER_MARKER, UPPER_MARKER, name_of};
use crate::error::{self, Fault};
use crate::handle::{Kind, UNDEFINED};
use crate::layout::Layout;
use crate::types::{Datatype, Recipe};
use crate::world::call::{Caller, Next};
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Type_contiguous", contiguous),
    row("MPI_Type_vector", |call| vector(call, Unit::Elements)),
    row("MPI_Type_create_hvector", |call| vector(call, Unit::Bytes)),
    row("MPI_Type_hvector", |call| vector(call, Unit::ShortBytes)),
    row("MPI_Type_indexed", |call| indexed(call, Unit::Elements)),
    row("MPI_Type_create_hindexed", |call| indexed(call, Unit::Bytes)),
    row("MPI_Type_hindexed", |call| indexed(call, Unit::ShortBytes)),
    row("MPI_Type_create_indexed_block", |call| indexed_block(call, Unit::Elements)),
    row("MPI_Type_create_hindexed_block", |call| indexed_block(call, Unit::Bytes)),
    row("MPI_Type_create_struct", |call| structure(call, Unit::Bytes)),
    row("MPI_Type_struct", |call| structure(call, Unit::ShortBytes)),
    row("MPI_Type_create_subarray", subarray),
    row("MPI_Type_create_darray", distributed),
    row("MPI_Type_create_resized", resized),
    row("MPI_Type_create_f90_integer", f90_integer),
    row("MPI_Type_create_f90_real", |call| f90_real(call, Class::Real)),
    row("MPI_Type_create_f90_complex", |call| f90_real(call, Class::Complex)),
    row("MPI_Type_dup", duplicate),
    row("MPI_Type_commit", commit),
    row("MPI_Type_free", free),
];

/// `MPI_COMBINER_…`.
const DUP: i32 = 2;
const CONTIGUOUS: i32 = 3;
const VECTOR: i32 = 4;
const HVECTOR: i32 = 6;
const INDEXED: i32 = 7;
const HINDEXED: i32 = 9;
const INDEXED_BLOCK: i32 = 10;
const HINDEXED_BLOCK: i32 = 11;
const STRUCT: i32 = 13;
const SUBARRAY: i32 = 14;
const DARRAY: i32 = 15;
const F90_REAL: i32 = 16;
const F90_COMPLEX: i32 = 17;
const F90_INTEGER: i32 = 18;
const RESIZED: i32 = 19;

/// `MPI_ORDER_C`: the last dimension is the fastest.
const ORDER_C: i32 = 56;
/// `MPI_DISTRIBUTE_…`.
const BLOCK: i32 = 121;
const CYCLIC: i32 = 122;
const NONE: i32 = 123;
const DEFAULT_ARGUMENT: i32 = -49767;

/// What displacements count, and of which kind they are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Elements,
    Bytes,
    /// Bytes in default integers, as those of the deprecated routines.
    ShortBytes,
}

impl Unit {
    /// Bytes of one.
    fn step(self, old: &Layout) -> i64 {
        if self == Unit::Elements { old.extent } else { 1 }
    }
}

impl Caller<'_> {
    /// Displacements, of the kind of a unit.
    fn displacements(&mut self, count: usize, unit: Unit) -> Result<Vec<i64>, Fault> {
        match unit {
            Unit::Bytes => self.longs(count),
            Unit::Elements | Unit::ShortBytes => Ok(self.ints(count)?.into_iter().map(i64::from).collect()),
        }
    }
}

/// The recipe of a call whose displacements are of a unit: among its integers, or among its addresses.
fn recipe(combiner: i32, mut ints: Vec<i32>, places: &[i64], unit: Unit, types: Vec<Datatype>) -> Recipe {
    let mut longs = Vec::new();
    match unit {
        Unit::Elements => ints.extend(places.iter().map(|place| *place as i32)),
        Unit::Bytes | Unit::ShortBytes => longs.extend(places),
    }
    Recipe { combiner, ints, longs, types }
}

fn give(call: &mut Caller<'_>, layout: Option<Layout>, recipe: Recipe, at: u64) -> Result<Next, Fault> {
    let Some(layout) = layout else {
        return call.wrong(error::TYPE, "the datatype is too large");
    };
    let made = Datatype { layout, is_committed: false, fixed: None, recipe: Some(Arc::new(recipe)) };
    let number = call.own().types.add(made);
    call.give_made(Kind::Datatype, number, at)?;
    Ok(Next::Done)
}

fn contiguous(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (count, old, at) = (call.count()?, call.datatype()?, call.word());
    let layout = Layout::of_blocks([(0, count, &old.layout)]);
    give(call, layout, recipe(CONTIGUOUS, vec![count as i32], &[], Unit::Elements, vec![old]), at)
}

fn vector(call: &mut Caller<'_>, unit: Unit) -> Result<Next, Fault> {
    let (count, length) = (call.count()?, call.count()?);
    let stride = if unit == Unit::Bytes { call.long()? } else { i64::from(call.int()?) };
    let (old, at) = (call.datatype()?, call.word());
    let step = stride.wrapping_mul(unit.step(&old.layout));
    let blocks = (0..count as i64).map(|i| (i.wrapping_mul(step), length, &old.layout));
    let layout = Layout::of_blocks(blocks);
    let combiner = if unit == Unit::Elements { VECTOR } else { HVECTOR };
    give(call, layout, recipe(combiner, vec![count as i32, length as i32], &[stride], unit, vec![old]), at)
}

fn indexed(call: &mut Caller<'_>, unit: Unit) -> Result<Next, Fault> {
    let count = call.count()? as usize;
    let (lengths, places) = (call.ints(count)?, call.displacements(count, unit)?);
    let (old, at) = (call.datatype()?, call.word());
    let step = unit.step(&old.layout);
    let mut blocks = Vec::with_capacity(count);
    for (&length, &place) in lengths.iter().zip(&places) {
        blocks.push((place.wrapping_mul(step), call.checked_count(length)?, &old.layout));
    }
    let layout = Layout::of_blocks(blocks);
    let (combiner, layout) = match unit {
        Unit::Elements => (INDEXED, layout),
        Unit::Bytes | Unit::ShortBytes => (HINDEXED, layout.map(Layout::by_address)),
    };
    let ints = [count as i32].into_iter().chain(lengths).collect();
    give(call, layout, recipe(combiner, ints, &places, unit, vec![old]), at)
}

fn indexed_block(call: &mut Caller<'_>, unit: Unit) -> Result<Next, Fault> {
    let (count, length) = (call.count()? as usize, call.count()?);
    let places = call.displacements(count, unit)?;
    let (old, at) = (call.datatype()?, call.word());
    let step = unit.step(&old.layout);
    let layout = Layout::of_blocks(places.iter().map(|place| (place.wrapping_mul(step), length, &old.layout)));
    let (combiner, layout) = match unit {
        Unit::Elements => (INDEXED_BLOCK, layout),
        Unit::Bytes | Unit::ShortBytes => (HINDEXED_BLOCK, layout.map(Layout::by_address)),
    };
    give(call, layout, recipe(combiner, vec![count as i32, length as i32], &places, unit, vec![old]), at)
}

fn structure(call: &mut Caller<'_>, unit: Unit) -> Result<Next, Fault> {
    let count = call.count()? as usize;
    let (lengths, places, handles) = (call.ints(count)?, call.displacements(count, unit)?, call.ints(count)?);
    let at = call.word();
    let mut types = Vec::with_capacity(count);
    for handle in handles {
        types.push(call.datatype_of(handle)?);
    }
    let mut blocks = Vec::with_capacity(count);
    let (mut lower, mut upper) = (None, None);
    for ((&length, &place), datatype) in lengths.iter().zip(&places).zip(&types) {
        match datatype.fixed.and_then(name_of) {
            Some(LOWER_MARKER) => lower = Some(place),
            Some(UPPER_MARKER) => upper = Some(place),
            _ => blocks.push((place, call.checked_count(length)?, &datatype.layout)),
        }
    }
    let layout = Layout::of_blocks(blocks).map(|layout| {
        let layout = layout.padded().by_address();
        let (low, high) = (lower.unwrap_or(layout.lower), upper.unwrap_or(layout.lower + layout.extent));
        layout.resized(low, high - low)
    });
    let ints = [count as i32].into_iter().chain(lengths).collect();
    give(call, layout, recipe(STRUCT, ints, &places, unit, types), at)
}

fn subarray(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let rank = call.count()? as usize;
    let (sizes, parts, starts) = (call.ints(rank)?, call.ints(rank)?, call.ints(rank)?);
    let (order, old, at) = (call.int()?, call.datatype()?, call.word());
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
    let places = |i: usize| (0..i64::from(parts[i])).map(|row| i64::from(starts[i]) + row).collect();
    let layout = of_array(&old.layout, &sizes, order, places);
    let ints = [rank as i32].into_iter().chain(sizes).chain(parts).chain(starts).chain([order]).collect();
    give(call, layout, recipe(SUBARRAY, ints, &[], Unit::Elements, vec![old]), at)
}

/// The elements of an array that have one of these places in each dimension; the bounds are those of the whole array.
fn of_array(old: &Layout, sizes: &[i32], order: i32, places: impl Fn(usize) -> Vec<i64>) -> Option<Layout> {
    let rank = sizes.len();
    let dims: Vec<usize> = if order == ORDER_C { (0..rank).rev().collect() } else { (0..rank).collect() };
    let (mut layout, mut step) = (Some(old.clone()), old.extent);
    for i in dims {
        layout = layout.and_then(|inner| {
            let places = places(i);
            places.last()?.checked_mul(step)?;
            Layout::of_blocks(places.iter().map(|place| (place.wrapping_mul(step), 1, &inner)))
        });
        step = step.wrapping_mul(i64::from(sizes[i]));
        // The bounds of the whole array are set at the end; inside, rows are placed one by one.
    }
    layout.map(|layout| layout.resized(0, step))
}

/// The part of an array that a rank of a grid of ranks has.
fn distributed(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (size, rank, count) = (call.int()?, call.int()?, call.count()? as usize);
    let (sizes, kinds, arguments, grid) = (call.ints(count)?, call.ints(count)?, call.ints(count)?, call.ints(count)?);
    let (order, old, at) = (call.int()?, call.datatype()?, call.word());
    let ranks: i64 = grid.iter().map(|extent| i64::from(*extent)).product();
    if ranks != i64::from(size) || !(0..size).contains(&rank) {
        let reason = format!("rank {rank} of {size} is not one of the grid, which has {ranks} ranks");
        return call.wrong(error::ARGUMENT, reason);
    }
    // The ranks of a grid are in the order of C, whatever the order of the array.
    let (mut places, mut rest) = (vec![Vec::new(); count], i64::from(rank));
    for i in (0..count).rev() {
        let ranks = i64::from(grid[i].max(1));
        let (extent, here) = (i64::from(sizes[i]), rest % ranks);
        rest /= ranks;
        let fewest = (extent + ranks - 1) / ranks;
        let length = match (kinds[i], arguments[i]) {
            (NONE, _) if ranks == 1 => extent.max(1),
            (BLOCK, DEFAULT_ARGUMENT) => fewest.max(1),
            (CYCLIC, DEFAULT_ARGUMENT) => 1,
            (BLOCK, length) if i64::from(length) >= fewest => length.into(),
            (CYCLIC, length @ 1..) => length.into(),
            (kind, argument) => {
                let reason = format!(
                    "in dimension {}, distribution {kind} with argument {argument} does not put {extent} elements on {ranks} ranks",
                    i + 1
                );
                return call.wrong(error::ARGUMENT, reason);
            }
        };
        places[i] = (0..extent).filter(|place| place / length % ranks == here).collect();
    }
    let layout = if places.iter().any(Vec::is_empty) {
        let whole = sizes.iter().fold(old.layout.extent, |step, extent| step.wrapping_mul(i64::from(*extent)));
        Layout::of_blocks([]).map(|layout| layout.resized(0, whole))
    } else {
        of_array(&old.layout, &sizes, order, |i| places[i].clone())
    };
    let lists = sizes.into_iter().chain(kinds).chain(arguments).chain(grid);
    let ints = [size, rank, count as i32].into_iter().chain(lists).chain([order]).collect();
    give(call, layout, recipe(DARRAY, ints, &[], Unit::Elements, vec![old]), at)
}

fn resized(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (old, lower, extent, at) = (call.datatype()?, call.long()?, call.long()?, call.word());
    let layout = old.layout.resized(lower, extent);
    give(call, Some(layout), recipe(RESIZED, Vec::new(), &[lower, extent], Unit::Bytes, vec![old]), at)
}

/// The datatype of the integers that `selected_int_kind` names.
fn f90_integer(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (range, at) = (call.int()?, call.word());
    let bytes = match range {
        ..=2 => 1,
        3..=4 => 2,
        5..=9 => 4,
        10..=18 => 8,
        _ => return call.wrong(error::ARGUMENT, format!("there is no integer with a range of {range} digits")),
    };
    give_fixed(call, F90_INTEGER, vec![range], (Class::Integer, bytes), at)
}

/// That of the reals that `selected_real_kind` names, or of complex numbers of them.
fn f90_real(call: &mut Caller<'_>, class: Class) -> Result<Next, Fault> {
    let (precision, range, at) = (call.int()?, call.int()?, call.word());
    let needs = |number: i32| if number == UNDEFINED { 0 } else { number };
    let bytes = match (needs(precision), needs(range)) {
        (..=6, ..=37) => 4,
        (..=15, ..=307) => 8,
        (precision, range) => {
            let reason = format!("there is no real with a precision of {precision} digits and a range of {range}");
            return call.wrong(error::ARGUMENT, reason);
        }
    };
    let (combiner, bytes) = if class == Class::Real { (F90_REAL, bytes) } else { (F90_COMPLEX, 2 * bytes) };
    give_fixed(call, combiner, vec![precision, range], (class, bytes), at)
}

/// Gives a datatype that stands for a basic one and cannot be freed: the same for the same numbers.
fn give_fixed(
    call: &mut Caller<'_>,
    combiner: i32,
    ints: Vec<i32>,
    (class, bytes): (Class, u64),
    at: u64,
) -> Result<Next, Fault> {
    let layout = Layout::basic(Basic::of(class, bytes).unwrap_or(Basic::BYTE));
    let number = call.own().types.fixed(Recipe { combiner, ints, longs: Vec::new(), types: Vec::new() }, layout);
    call.set_int(at, Kind::Datatype.handle(number))?;
    Ok(Next::Done)
}

fn duplicate(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let handle = call.int()?;
    let (old, at) = (call.datatype_of(handle)?, call.word());
    let (layout, is_committed) = (old.layout.clone(), old.is_committed);
    let recipe = Some(Arc::new(recipe(DUP, Vec::new(), &[], Unit::Elements, vec![old])));
    let number = call.own().types.add(Datatype { layout, is_committed, fixed: None, recipe });
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
        return call.wrong(error::TYPE, "the datatype is one that cannot be freed, or was freed before");
    }
    let give_up = move |call: &mut Caller<'_>| {
        call.own().types.free(number);
        call.give_up(Kind::Datatype, at)?;
        Ok(Next::Done)
    };
    delete_all(call, handle, Arc::new(give_up))
}
