//! The routines: tables of them, by subject.

mod accesses;
mod attributes;
mod callbacks;
mod collectives;
mod communicators;
mod completion;
mod datatypes;
mod environment;
mod errors;
mod files;
mod generalized;
mod graphs;
mod grids;
mod groups;
mod infos;
mod messages;
mod names;
mod neighbours;
mod operations;
mod packing;
mod probes;
mod shared;
mod statuses;
mod transfers;
mod typeinfo;
mod windows;

use crate::error::Fault;
use crate::world::call::{Caller, Next};

/// The routine by which a call goes on that was interrupted.
pub(crate) const GO_ON: &str = "cufemu_go_on";

/// A routine.
pub(crate) struct Routine {
    /// Its name as the standard writes it.
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Caller<'_>) -> Result<Next, Fault>,
    /// Whether it can be called before `MPI_Init` and after `MPI_Finalize`.
    pub(crate) is_anywhere: bool,
}

/// A row of a table.
const fn row(name: &'static str, run: fn(&mut Caller<'_>) -> Result<Next, Fault>) -> Routine {
    Routine { name, run, is_anywhere: false }
}

/// A row of a table: a routine that can be called at any time.
const fn anywhere(name: &'static str, run: fn(&mut Caller<'_>) -> Result<Next, Fault>) -> Routine {
    Routine { name, run, is_anywhere: true }
}

/// A routine with an older name whose counts are of kind `MPI_COUNT_KIND`.
fn large(call: &mut Caller<'_>, run: fn(&mut Caller<'_>) -> Result<Next, Fault>) -> Result<Next, Fault> {
    call.is_large = true;
    run(call)
}

static TABLES: &[&[Routine]] = &[
    environment::ROUTINES,
    messages::ROUTINES,
    completion::ROUTINES,
    collectives::ROUTINES,
    communicators::ROUTINES,
    groups::ROUTINES,
    grids::ROUTINES,
    datatypes::ROUTINES,
    names::ROUTINES,
    files::ROUTINES,
    operations::ROUTINES,
    attributes::ROUTINES,
    infos::ROUTINES,
    graphs::ROUTINES,
    windows::ROUTINES,
    accesses::ROUTINES,
    neighbours::ROUTINES,
    callbacks::ROUTINES,
    errors::ROUTINES,
    generalized::ROUTINES,
    packing::ROUTINES,
    probes::ROUTINES,
    shared::ROUTINES,
    statuses::ROUTINES,
    transfers::ROUTINES,
    typeinfo::ROUTINES,
];

fn all() -> impl Iterator<Item = &'static Routine> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// How the names end of routines whose counts are of kind `MPI_COUNT_KIND`.
const LARGE: &str = "_c";
/// What is added to the number of a routine for the same with such counts.
const LARGE_NUMBER: u32 = 1 << 16;

/// The number of the routine of that name, in any letters.
pub fn number(name: &str) -> Option<u32> {
    let known = |name: &str| all().position(|routine| routine.name.eq_ignore_ascii_case(name)).map(|at| at as u32);
    known(name).or_else(|| Some(known(name.strip_suffix(LARGE)?)? + LARGE_NUMBER))
}

/// The name of the routine of that number.
pub fn name(number: u32) -> &'static str {
    get(number).0.name
}

/// The routine with that number, and whether its counts are of kind `MPI_COUNT_KIND`.
pub(crate) fn get(number: u32) -> (&'static Routine, bool) {
    let mut rest = (number % LARGE_NUMBER) as usize;
    for table in TABLES {
        match table.get(rest) {
            Some(routine) => return (routine, number >= LARGE_NUMBER),
            None => rest -= table.len(),
        }
    }
    (&environment::ROUTINES[0], false)
}
