//! The place in a file that its ranks share. Its first rank keeps it in a window of eight bytes, which the others read and change
//! as one-sided calls do, so that nobody has to take part in that.

use super::accesses::change_number;
use super::files::sought;
use super::{Routine, row};
use crate::error::Fault;
use crate::reduce::Operator;
use crate::world::call::{Caller, Next};

pub(super) static ROUTINES: &[Routine] =
    &[row("MPI_File_seek_shared", seek), row("MPI_File_get_position_shared", position)];

/// What is done with the shared place of a file.
pub(super) fn look(
    call: &mut Caller<'_>,
    number: u32,
    then: impl Fn(&mut Caller<'_>, i64) -> Result<Next, Fault> + Send + Sync + 'static,
) -> Result<Next, Fault> {
    let keeper = call.opened(number).keeper;
    change_number(call, (number, keeper), (Operator::Nothing, 0), then)
}

/// Moves the shared place on by that many elementary types; what is done with where it was.
pub(super) fn advance(
    call: &mut Caller<'_>,
    number: u32,
    units: i64,
    then: impl Fn(&mut Caller<'_>, i64) -> Result<Next, Fault> + Send + Sync + 'static,
) -> Result<Next, Fault> {
    let keeper = call.opened(number).keeper;
    change_number(call, (number, keeper), (Operator::Sum, units), then)
}

/// Changes the shared place while all ranks wait.
pub(super) fn change(
    call: &mut Caller<'_>,
    number: u32,
    to: impl Fn(&mut Caller<'_>, u64) -> Result<u64, Fault> + Send + Sync + Clone + 'static,
) -> Result<Next, Fault> {
    call.meet_at_file(number, move |call| {
        let keeper = call.opened(number).keeper;
        if call.rank != keeper {
            return call.meet_at_file(number, |_| Ok(Next::Done));
        }
        let to = to.clone();
        look(call, number, move |call, place| {
            let place = to(call, place as u64)?;
            change_number(call, (number, keeper), (Operator::Replace, place as i64), move |call, _| {
                call.meet_at_file(number, |_| Ok(Next::Done))
            })
        })
    })
}

fn seek(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, offset, whence) = (call.file()?, call.long()?, call.int()?);
    change(call, number, move |call, here| sought(call, number, here, offset, whence))
}

fn position(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, at) = (call.file()?, call.word());
    look(call, number, move |call, place| {
        call.set_long(at, place)?;
        Ok(Next::Done)
    })
}
