//! What can be asked of a datatype: sizes, bounds, and how it was made.
//!
//! Not here: making datatypes (`datatypes`), their names (`names`) and attributes (`attributes`).

use super::{Routine, anywhere, large, row};
use crate::basic::{Basic, Class};
use crate::error::{self, Fault};
use crate::handle::Kind;
use crate::types::{Datatype, Recipe};
use crate::world::call::{Caller, Next};

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Type_size", size),
    row("MPI_Type_size_x", |call| large(call, size)),
    row("MPI_Type_get_extent", extent),
    row("MPI_Type_get_extent_x", extent),
    row("MPI_Type_get_true_extent", true_extent),
    row("MPI_Type_get_true_extent_x", true_extent),
    row("MPI_Type_extent", |call| bound(call, |datatype| datatype.layout.extent)),
    row("MPI_Type_lb", |call| bound(call, |datatype| datatype.layout.lower)),
    row("MPI_Type_ub", |call| bound(call, |datatype| datatype.layout.lower + datatype.layout.extent)),
    row("MPI_Type_get_envelope", envelope),
    row("MPI_Type_get_contents", contents),
    row("MPI_Type_get_envelope_c", |call| large(call, envelope)),
    row("MPI_Type_get_contents_c", |call| large(call, contents)),
    row("MPI_Type_match_size", match_size),
    anywhere("MPI_Sizeof", size_of),
];

/// `MPI_COMBINER_NAMED`: the datatype has a name in the standard.
const NAMED: i32 = 1;

fn size(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (layout, at) = (call.datatype()?.layout, call.word());
    call.set_amount(at, Some(layout.size))?;
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

/// A bound as the deprecated routines give it, a default integer.
fn bound(call: &mut Caller<'_>, of: impl Fn(&Datatype) -> i64) -> Result<Next, Fault> {
    let (datatype, at) = (call.datatype()?, call.word());
    match i32::try_from(of(&datatype)) {
        Ok(bound) => call.set_int(at, bound)?,
        Err(_) => return call.wrong(error::TYPE, "the bound is no default integer; call `MPI_Type_get_extent`"),
    }
    Ok(Next::Done)
}

fn envelope(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let datatype = call.datatype()?;
    let made = datatype.recipe.as_deref();
    refuse_larges(call, made)?;
    let lengths = made.map_or([0; 4], parts);
    for i in shown(call) {
        let at = call.word();
        call.set_amount(at, Some(lengths[i] as u64))?;
    }
    let at = call.word();
    call.set_int(at, made.map_or(NAMED, |made| made.combiner))?;
    Ok(Next::Done)
}

/// The place of the large counts among the parts of a recipe, which only calls with arguments of kind `MPI_COUNT_KIND` give.
const LARGES: usize = 2;

/// The parts that a call has arguments for.
fn shown(call: &Caller<'_>) -> Vec<usize> {
    (0..4).filter(|i| call.is_large || *i != LARGES).collect()
}

/// How many integers, addresses, large counts and datatypes there are.
fn parts(made: &Recipe) -> [usize; 4] {
    [made.ints.len(), made.longs.len(), made.larges.len(), made.types.len()]
}

/// Large counts have no place in the arguments of a call without them.
fn refuse_larges(call: &Caller<'_>, made: Option<&Recipe>) -> Result<(), Fault> {
    if call.is_large || made.is_none_or(|made| made.larges.is_empty()) {
        return Ok(());
    }
    call.wrong(
        error::TYPE,
        "the datatype was made with counts of kind MPI_COUNT_KIND; give the call arguments of that kind, and one for \
         such counts",
    )
}

/// Datatypes that the program has made are given as new ones.
fn contents(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let datatype = call.datatype()?;
    let mut room = [u64::MAX; 4];
    for i in shown(call) {
        room[i] = call.count()?;
    }
    let (ints_at, longs_at) = (call.word(), call.word());
    let larges_at = if call.is_large { call.word() } else { 0 };
    let types_at = call.word();
    let Some(made) = datatype.recipe else {
        return call.wrong(error::TYPE, "the datatype is one that has a name, and was not made by a call");
    };
    refuse_larges(call, Some(&made))?;
    let there = parts(&made);
    if let Some(i) = (0..4).find(|&i| room[i] < there[i] as u64) {
        let what = ["integers", "addresses", "large counts", "datatypes"][i];
        return call
            .wrong(error::ARGUMENT, format!("there is room for {} {what}, and there are {}", room[i], there[i]));
    }
    call.set_ints(ints_at, &made.ints)?;
    for (i, &long) in made.larges.iter().enumerate() {
        call.set_long(larges_at + 8 * i as u64, long)?;
    }
    for (i, &long) in made.longs.iter().enumerate() {
        call.set_long(longs_at + 8 * i as u64, long)?;
    }
    for (i, inner) in made.types.iter().enumerate() {
        call.give_datatype(inner, types_at + 4 * i as u64)?;
    }
    Ok(Next::Done)
}

impl Caller<'_> {
    /// Sets a handle of a datatype: a new one, unless it is one that cannot be freed.
    pub(super) fn give_datatype(&mut self, datatype: &Datatype, at: u64) -> Result<(), Fault> {
        match datatype.fixed {
            Some(number) => self.set_int(at, Kind::Datatype.handle(number)),
            None => {
                let number = self.own().types.add(datatype.clone());
                self.give_made(Kind::Datatype, number, at)
            }
        }
    }
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

fn size_of(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (buffer, at) = (call.plain_buffer()?, call.word());
    call.set_int(at, buffer.element_bytes() as i32)?;
    Ok(Next::Done)
}
