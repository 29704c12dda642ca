//! What a status says of a message, and setting it for requests of the program's own.

use super::{Routine, row};
use crate::error::Fault;
use crate::handle::UNDEFINED;
use crate::world::call::{Caller, Next, STATUS_BYTES_AT, STATUS_CANCELLED_AT};

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Get_count", get_count),
    row("MPI_Get_elements", |call| get_elements(call, false)),
    row("MPI_Get_elements_x", |call| get_elements(call, true)),
    row("MPI_Status_set_elements", |call| set_elements(call, false)),
    row("MPI_Status_set_elements_x", |call| set_elements(call, true)),
    row("MPI_Status_set_cancelled", set_cancelled),
    row("MPI_Test_cancelled", test_cancelled),
];

/// Bytes of a message, of a status.
fn message_bytes(call: &mut Caller<'_>) -> Result<u64, Fault> {
    let at = call.word();
    let words = call.ints_at(at + STATUS_BYTES_AT, 2)?;
    Ok(u64::from(words[0] as u32) | (u64::from(words[1] as u32) << 32))
}

fn get_count(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let bytes = message_bytes(call)?;
    let (layout, at) = (call.datatype()?.layout, call.word());
    let count = match layout.size {
        0 => Some(0),
        size if bytes.is_multiple_of(size) => i32::try_from(bytes / size).ok(),
        _ => None,
    };
    call.set_int(at, count.unwrap_or(UNDEFINED))?;
    Ok(Next::Done)
}

fn get_elements(call: &mut Caller<'_>, is_long: bool) -> Result<Next, Fault> {
    let bytes = message_bytes(call)?;
    let (layout, at) = (call.datatype()?.layout, call.word());
    let per_element: u64 = layout.runs.iter().map(|run| run.count).sum();
    let mut rest = bytes.checked_rem(layout.size).unwrap_or(bytes);
    let mut count = bytes.checked_div(layout.size).unwrap_or(0) * per_element;
    for run in layout.runs.iter() {
        let values = (rest / run.basic.bytes()).min(run.count);
        (count, rest) = (count + values, rest - values * run.basic.bytes());
    }
    if is_long {
        call.set_long(at, if rest == 0 { count as i64 } else { UNDEFINED.into() })?;
    } else {
        let count = i32::try_from(count).ok().filter(|_| rest == 0);
        call.set_int(at, count.unwrap_or(UNDEFINED))?;
    }
    Ok(Next::Done)
}

/// As many values, in the order of the elements of a datatype, as a message would have had.
fn set_elements(call: &mut Caller<'_>, is_long: bool) -> Result<Next, Fault> {
    let (at, layout) = (call.word(), call.datatype()?.layout);
    let count = if is_long { call.long()? } else { i64::from(call.int()?) };
    let Ok(count) = u64::try_from(count) else {
        return call.wrong(crate::error::COUNT, format!("the count is {count}, which is less than 0"));
    };
    let per_element: u64 = layout.runs.iter().map(|run| run.count).sum();
    let mut rest = count.checked_rem(per_element).unwrap_or(0);
    let mut bytes = count.checked_div(per_element).unwrap_or(0) * layout.size;
    for run in layout.runs.iter() {
        let values = rest.min(run.count);
        (bytes, rest) = (bytes + values * run.basic.bytes(), rest - values);
    }
    if !call.ignores_status(at) {
        call.set_ints(at + STATUS_BYTES_AT, &[bytes as u32 as i32, (bytes >> 32) as i32])?;
    }
    Ok(Next::Done)
}

fn set_cancelled(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (at, is_cancelled) = (call.word(), call.int()? & 1 == 1);
    if !call.ignores_status(at) {
        call.set_int(at + STATUS_CANCELLED_AT, is_cancelled.into())?;
    }
    Ok(Next::Done)
}

fn test_cancelled(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (status_at, flag_at) = (call.word(), call.word());
    let is_cancelled = call.int_at(status_at + STATUS_CANCELLED_AT)? != 0;
    call.set_logical(flag_at, is_cancelled)?;
    Ok(Next::Done)
}
