//! Looking for messages before they are received; matched probes, which take a message that only its handle receives.
//!
//! A message of a matched probe leaves the mailbox. Its sender waits on until it is received.

use super::messages::{checked_origin, origin};
use super::{Routine, row};
use crate::error::{self, Fault};
use crate::handle::{ANY_TAG, Kind, PROC_NULL};
use crate::message::{Message, Pattern};
use crate::request::{Receiving, Status, Work};
use crate::world::call::{Caller, Next, wait};
use crate::world::rank::Until;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Probe", |call| probe(call, Taking::Nothing)),
    row("MPI_Iprobe", |call| look(call, Taking::Nothing)),
    row("MPI_Mprobe", |call| probe(call, Taking::Message)),
    row("MPI_Improbe", |call| look(call, Taking::Message)),
    row("MPI_Mrecv", receive),
    row("MPI_Imrecv", start_receive),
];

/// The number of `MPI_MESSAGE_NO_PROC`.
const OF_NOBODY: u32 = 1;

/// Whether a probe takes what it finds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taking {
    Nothing,
    Message,
}

/// What a probe has found.
struct Found {
    status: Status,
    /// The number of the handle of a message that was taken.
    taken: u32,
}

/// The message that a receive would take.
fn found(call: &mut Caller<'_>, communicator: u32, pattern: Pattern, taking: Taking) -> Option<Found> {
    if pattern.source == PROC_NULL {
        return Some(Found { status: Status::OF_NOBODY, taken: OF_NOBODY });
    }
    let rank = call.rank;
    let mailbox = call.world.mailboxes.get_mut(&(communicator, rank))?;
    let at = mailbox.find(pattern, |_| 0)?;
    if taking == Taking::Nothing {
        return mailbox.arrived.get(at).map(|message| Found { status: Status::of(message), taken: 0 });
    }
    let message = mailbox.arrived.remove(at)?;
    let status = Status::of(&message);
    let taken = call.own().messages.add((communicator, message));
    Some(Found { status, taken })
}

fn probe(call: &mut Caller<'_>, taking: Taking) -> Result<Next, Fault> {
    let pattern = origin(call)?;
    let communicator = call.comm()?;
    let message_at = if taking == Taking::Message { call.word() } else { 0 };
    let status_at = call.word();
    let pattern = checked_origin(call, pattern, communicator)?;
    let until = match pattern.source {
        PROC_NULL => Until::All(Vec::new()),
        _ => Until::Probe { communicator, pattern },
    };
    wait(until, move |call| {
        let nothing = Found { status: Status::EMPTY, taken: 0 };
        let found = found(call, communicator, pattern, taking).unwrap_or(nothing);
        call.set_int(message_at, Kind::Message.handle(found.taken))?;
        call.set_status(status_at, found.status)
    })
}

fn look(call: &mut Caller<'_>, taking: Taking) -> Result<Next, Fault> {
    let pattern = origin(call)?;
    let (communicator, flag_at) = (call.comm()?, call.word());
    let message_at = if taking == Taking::Message { call.word() } else { 0 };
    let status_at = call.word();
    let pattern = checked_origin(call, pattern, communicator)?;
    let found = found(call, communicator, pattern, taking);
    call.set_logical(flag_at, found.is_some())?;
    let Some(found) = found else { return Ok(Next::Polled) };
    call.set_int(message_at, Kind::Message.handle(found.taken))?;
    call.set_status(status_at, found.status)?;
    Ok(Next::Done)
}

/// Begins to receive the message of a handle, which becomes the null handle; gives the request.
fn begin(call: &mut Caller<'_>) -> Result<u32, Fault> {
    let into = call.data()?;
    let at = call.word();
    let handle = call.int_at(at)?;
    let number = call.number_of(Kind::Message, handle, error::REQUEST)?;
    let taken: Option<(u32, Message)> = match number {
        OF_NOBODY => None,
        number => match call.own().messages.remove(number) {
            Some(taken) => Some(taken),
            None => return call.wrong(error::REQUEST, "the message was received before, or never found"),
        },
    };
    call.set_int(at, Kind::Message.handle(0))?;
    let (communicator, pattern) = match &taken {
        Some((communicator, message)) => (*communicator, Pattern { source: message.source as i32, tag: message.tag }),
        None => (call.communicator, Pattern { source: PROC_NULL, tag: ANY_TAG }),
    };
    let work = Receiving { into, pattern, communicator };
    let Some((_, message)) = taken else { return call.receive(work) };
    let landing = work.into.clone();
    let request = call.new_request(Work::Receive(work), false);
    if let Some(request) = call.own().requests.get_mut(&request) {
        request.is_active = true;
    }
    call.begin_use(request, &[], &[landing]);
    let rank = call.rank;
    call.world.matched(rank, request, message);
    Ok(request)
}

fn receive(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let request = begin(call)?;
    let status_at = call.word();
    wait(Until::All(vec![request]), move |call| {
        let (status, _) = call.complete(request)?;
        call.set_status(status_at, status)
    })
}

fn start_receive(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let request = begin(call)?;
    let at = call.word();
    call.set_int(at, Kind::Request.handle(request))?;
    Ok(Next::Done)
}
