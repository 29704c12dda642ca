//! What a status says of a message, and setting it for generalized requests.

use super::{Routine, large, row};
use crate::error::{self, Fault};
use crate::layout::Layout;
use crate::world::call::{Caller, Next, STATUS_BYTES_AT, STATUS_CANCELLED_AT};

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Get_count", get_count),
    row("MPI_Get_elements", get_elements),
    row("MPI_Get_elements_x", |call| large(call, get_elements)),
    row("MPI_Status_set_elements", set_elements),
    row("MPI_Status_set_elements_x", |call| large(call, set_elements)),
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
        size => Some(bytes / size).filter(|_| bytes.is_multiple_of(size)),
    };
    call.set_amount(at, count)?;
    Ok(Next::Done)
}

fn get_elements(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let bytes = message_bytes(call)?;
    let (layout, at) = (call.datatype()?.layout, call.word());
    let mut rest = bytes.checked_rem(layout.size).unwrap_or(bytes);
    let mut count = bytes.checked_div(layout.size).unwrap_or(0) * elements_of(&layout);
    for run in layout.runs.iter() {
        let (element, each) = run.basic.elements();
        let values = (rest / element.bytes()).min(run.count.saturating_mul(each));
        (count, rest) = (count + values, rest - values * element.bytes());
    }
    call.set_amount(at, Some(count).filter(|_| rest == 0))?;
    Ok(Next::Done)
}

/// The basic elements of one element of a datatype.
fn elements_of(layout: &Layout) -> u64 {
    layout.runs.iter().map(|run| run.count * run.basic.elements().1).sum()
}

/// As many values, in the order of the elements of a datatype, as a message would have had.
fn set_elements(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (at, layout) = (call.word(), call.datatype()?.layout);
    let count = call.count()?;
    let per_element = elements_of(&layout);
    let mut rest = count.checked_rem(per_element).unwrap_or(0);
    let Some(mut bytes) = count.checked_div(per_element).unwrap_or(0).checked_mul(layout.size) else {
        return call.wrong(error::COUNT, format!("{count} values are more bytes than there can be"));
    };
    for run in layout.runs.iter() {
        let (element, each) = run.basic.elements();
        let values = rest.min(run.count.saturating_mul(each));
        (bytes, rest) = (bytes + values * element.bytes(), rest - values);
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
