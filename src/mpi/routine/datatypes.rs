//! Making and freeing datatypes.
//!
//! Not here: what can be asked of a datatype (`typeinfo`), packing (`packing`).

use super::attributes::{copy_all, delete_all};
use super::{Routine, row};
use crate::basic::{Basic, Class};
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
            Unit::Elements | Unit::ShortBytes => self.amounts(count),
        }
    }
}

/// The recipe of a call with these counts and displacements. Displacements of a unit are among its integers, or among its addresses;
/// where counts are of kind `MPI_COUNT_KIND`, both are counts.
fn recipe(
    call: &Caller<'_>,
    combiner: i32,
    counts: &[i64],
    places: &[i64],
    unit: Unit,
    types: Vec<Datatype>,
) -> Recipe {
    if call.is_large {
        return Recipe { combiner, ints: Vec::new(), longs: Vec::new(), larges: [counts, places].concat(), types };
    }
    let short = |long: &i64| *long as i32;
    let mut ints: Vec<i32> = counts.iter().map(short).collect();
    let mut longs = Vec::new();
    match unit {
        Unit::Elements => ints.extend(places.iter().map(short)),
        Unit::Bytes | Unit::ShortBytes => longs.extend(places),
    }
    Recipe { combiner, ints, longs, larges: Vec::new(), types }
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
    let recipe = recipe(call, CONTIGUOUS, &[count as i64], &[], Unit::Elements, vec![old]);
    give(call, layout, recipe, at)
}

fn vector(call: &mut Caller<'_>, unit: Unit) -> Result<Next, Fault> {
    let (count, length) = (call.count()?, call.count()?);
    let stride = if unit == Unit::Bytes { call.long()? } else { call.amount()? };
    let (old, at) = (call.datatype()?, call.word());
    let step = stride.checked_mul(unit.step(&old.layout));
    let last = step.and_then(|step| step.checked_mul(count as i64));
    let blocks = |step| Layout::of_blocks((0..count as i64).map(|i| (i * step, length, &old.layout)));
    let layout = step.filter(|_| last.is_some()).and_then(blocks);
    let combiner = if unit == Unit::Elements { VECTOR } else { HVECTOR };
    let recipe = recipe(call, combiner, &[count as i64, length as i64], &[stride], unit, vec![old]);
    give(call, layout, recipe, at)
}

/// Blocks of that many elements at places of a unit.
fn at_places(places: &[i64], counts: impl IntoIterator<Item = u64>, unit: Unit, old: &Layout) -> Option<Layout> {
    let step = unit.step(old);
    let starts: Option<Vec<i64>> = places.iter().map(|place| place.checked_mul(step)).collect();
    Layout::of_blocks(starts?.into_iter().zip(counts).map(|(start, count)| (start, count, old)))
}

fn indexed(call: &mut Caller<'_>, unit: Unit) -> Result<Next, Fault> {
    let count = call.count()? as usize;
    let (lengths, places) = (call.amounts(count)?, call.displacements(count, unit)?);
    let (old, at) = (call.datatype()?, call.word());
    let mut counts = Vec::with_capacity(count);
    for &length in &lengths {
        counts.push(call.checked_count(length)?);
    }
    let layout = at_places(&places, counts, unit, &old.layout);
    let (combiner, layout) = match unit {
        Unit::Elements => (INDEXED, layout),
        Unit::Bytes | Unit::ShortBytes => (HINDEXED, layout.map(Layout::by_address)),
    };
    let counts: Vec<i64> = [count as i64].into_iter().chain(lengths).collect();
    let recipe = recipe(call, combiner, &counts, &places, unit, vec![old]);
    give(call, layout, recipe, at)
}

fn indexed_block(call: &mut Caller<'_>, unit: Unit) -> Result<Next, Fault> {
    let (count, length) = (call.count()? as usize, call.count()?);
    let places = call.displacements(count, unit)?;
    let (old, at) = (call.datatype()?, call.word());
    let layout = at_places(&places, std::iter::repeat(length), unit, &old.layout);
    let (combiner, layout) = match unit {
        Unit::Elements => (INDEXED_BLOCK, layout),
        Unit::Bytes | Unit::ShortBytes => (HINDEXED_BLOCK, layout.map(Layout::by_address)),
    };
    let recipe = recipe(call, combiner, &[count as i64, length as i64], &places, unit, vec![old]);
    give(call, layout, recipe, at)
}

fn structure(call: &mut Caller<'_>, unit: Unit) -> Result<Next, Fault> {
    let count = call.count()? as usize;
    let (lengths, places, handles) = (call.amounts(count)?, call.displacements(count, unit)?, call.ints(count)?);
    let at = call.word();
    let mut types = Vec::with_capacity(count);
    for handle in handles {
        types.push(call.datatype_of(handle)?);
    }
    let mut blocks = Vec::with_capacity(count);
    for ((&length, &place), datatype) in lengths.iter().zip(&places).zip(&types) {
        blocks.push((place, call.checked_count(length)?, &datatype.layout));
    }
    let layout = Layout::of_blocks(blocks).and_then(Layout::padded).map(Layout::by_address);
    let counts: Vec<i64> = [count as i64].into_iter().chain(lengths).collect();
    let recipe = recipe(call, STRUCT, &counts, &places, unit, types);
    give(call, layout, recipe, at)
}

fn subarray(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let rank = dimensions(call)?;
    let (sizes, parts, starts) = (call.amounts(rank)?, call.amounts(rank)?, call.amounts(rank)?);
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
    let layout = of_array(&old.layout, &sizes, order, |i| [(starts[i], parts[i] as u64)]);
    let lists = [sizes, parts, starts].concat();
    let recipe = array_recipe(call, SUBARRAY, [vec![rank as i32], vec![order]], lists, old);
    give(call, layout, recipe, at)
}

/// How many dimensions an array has: always a default integer.
fn dimensions(call: &mut Caller<'_>) -> Result<usize, Fault> {
    let count = call.int()?;
    Ok(call.checked_count(count.into())? as usize)
}

/// The recipe of a part of an array: integers before and after its extents.
fn array_recipe(
    call: &Caller<'_>,
    combiner: i32,
    [before, after]: [Vec<i32>; 2],
    extents: Vec<i64>,
    old: Datatype,
) -> Recipe {
    let types = vec![old];
    if call.is_large {
        return Recipe { combiner, ints: [before, after].concat(), longs: Vec::new(), larges: extents, types };
    }
    let extents = extents.iter().map(|extent| *extent as i32).collect();
    Recipe { combiner, ints: [before, extents, after].concat(), longs: Vec::new(), larges: Vec::new(), types }
}

/// The elements of an array that are in one of these blocks of places in each dimension; the bounds are those of the whole array.
fn of_array<B>(old: &Layout, sizes: &[i64], order: i32, blocks: impl Fn(usize) -> B) -> Option<Layout>
where
    B: IntoIterator<Item = (i64, u64)>,
{
    let mut dims: Vec<usize> = (0..sizes.len()).collect();
    if order == ORDER_C {
        dims.reverse();
    }
    let mut layout = old.clone();
    for i in dims {
        let step = layout.extent;
        let whole = step.checked_mul(sizes[i])?;
        let blocks = blocks(i).into_iter().map(|(start, length)| (start.saturating_mul(step), length, &layout));
        layout = Layout::of_blocks(blocks)?.resized(0, whole)?;
    }
    layout.resized(0, layout.extent)
}

/// The part of an array that a rank of a grid of ranks has.
fn distributed(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (size, rank, count) = (call.int()?, call.int()?, dimensions(call)?);
    let (sizes, kinds) = (call.amounts(count)?, call.ints(count)?);
    let (arguments, grid) = (call.ints(count)?, call.ints(count)?);
    let (order, old, at) = (call.int()?, call.datatype()?, call.word());
    let ranks = grid.iter().try_fold(1i64, |ranks, extent| ranks.checked_mul(i64::from(*extent)));
    if grid.iter().any(|extent| *extent < 1) || ranks != Some(size.into()) || !(0..size).contains(&rank) {
        let reason = format!("rank {rank} of {size} is not one of the grid, which has the extents {grid:?}");
        return call.wrong(error::ARGUMENT, reason);
    }
    if let Some(extent) = sizes.iter().find(|extent| **extent < 1) {
        return call.wrong(error::ARGUMENT, format!("an extent of the array is {extent}, which is less than 1"));
    }
    // The ranks of a grid are in the order of C, whatever the order of the array.
    let (mut parts, mut rest) = (vec![(0, 1, 1); count], i64::from(rank));
    for i in (0..count).rev() {
        let ranks = i64::from(grid[i]);
        let (extent, here) = (sizes[i], rest % ranks);
        rest /= ranks;
        let fewest = (extent - 1) / ranks + 1;
        let length = match (kinds[i], arguments[i]) {
            (NONE, _) if ranks == 1 => extent,
            (BLOCK, DEFAULT_ARGUMENT) => fewest,
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
        parts[i] = (here.saturating_mul(length), length, length.saturating_mul(ranks));
    }
    let blocks = |i: usize| {
        let ((first, length, step), extent) = (parts[i], sizes[i]);
        (first..extent)
            .step_by(usize::try_from(step).unwrap_or(usize::MAX))
            .map(move |start| (start, length.min(extent - start) as u64))
    };
    let layout = of_array(&old.layout, &sizes, order, blocks);
    let after = [kinds, arguments, grid, vec![order]].concat();
    let recipe = array_recipe(call, DARRAY, [vec![size, rank, count as i32], after], sizes, old);
    give(call, layout, recipe, at)
}

fn resized(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (old, lower, extent, at) = (call.datatype()?, call.long()?, call.long()?, call.word());
    let layout = old.layout.resized(lower, extent);
    let recipe = recipe(call, RESIZED, &[], &[lower, extent], Unit::Bytes, vec![old]);
    give(call, layout, recipe, at)
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
        _ if precision == UNDEFINED && range == UNDEFINED => {
            return call.wrong(error::ARGUMENT, "neither a precision nor a range is given");
        }
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
    let recipe = Recipe { combiner, ints, longs: Vec::new(), larges: Vec::new(), types: Vec::new() };
    let number = call.own().types.fixed(recipe, layout);
    call.set_int(at, Kind::Datatype.handle(number))?;
    Ok(Next::Done)
}

fn duplicate(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let handle = call.int()?;
    let (old, at) = (call.datatype_of(handle)?, call.word());
    let (layout, is_committed) = (old.layout.clone(), old.is_committed);
    let recipe = Some(Arc::new(recipe(call, DUP, &[], &[], Unit::Elements, vec![old])));
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
