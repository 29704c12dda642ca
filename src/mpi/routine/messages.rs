//! Messages between two ranks: sending and receiving.
//!
//! Not here: looking for messages, and receiving those that were found (`probes`); statuses (`statuses`).

use super::{Routine, row};
use crate::error::{self, Fault};
use crate::handle::{ANY_SOURCE, ANY_TAG, Kind};
use crate::message::Pattern;
use crate::request::{Mode, Receiving, Sending, Work};
use crate::world::call::{Caller, Next, wait};
use crate::world::rank::Until;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Send", |call| send(call, Mode::Standard)),
    row("MPI_Bsend", |call| send(call, Mode::Buffered)),
    row("MPI_Ssend", |call| send(call, Mode::Synchronous)),
    row("MPI_Rsend", |call| send(call, Mode::Ready)),
    row("MPI_Isend", |call| start_send(call, Mode::Standard, false)),
    row("MPI_Ibsend", |call| start_send(call, Mode::Buffered, false)),
    row("MPI_Issend", |call| start_send(call, Mode::Synchronous, false)),
    row("MPI_Irsend", |call| start_send(call, Mode::Ready, false)),
    row("MPI_Send_init", |call| start_send(call, Mode::Standard, true)),
    row("MPI_Bsend_init", |call| start_send(call, Mode::Buffered, true)),
    row("MPI_Ssend_init", |call| start_send(call, Mode::Synchronous, true)),
    row("MPI_Rsend_init", |call| start_send(call, Mode::Ready, true)),
    row("MPI_Recv", receive),
    row("MPI_Irecv", |call| start_receive(call, false)),
    row("MPI_Recv_init", |call| start_receive(call, true)),
    row("MPI_Start", |call| {
        let at = call.word();
        start(call, at)?;
        Ok(Next::Done)
    }),
    row("MPI_Startall", start_all),
    row("MPI_Sendrecv", send_receive),
    row("MPI_Sendrecv_replace", replace),
];

/// Rank and tag of a message to send.
fn destination(call: &mut Caller<'_>) -> Result<[i32; 2], Fault> {
    let (to, tag) = (call.int()?, call.int()?);
    if tag < 0 {
        return call.wrong(error::TAG, format!("the tag is {tag}, which is less than 0"));
    }
    Ok([to, tag])
}

/// Rank and tag of a message to receive.
pub(super) fn origin(call: &mut Caller<'_>) -> Result<Pattern, Fault> {
    let (source, tag) = (call.int()?, call.int()?);
    if tag < 0 && tag != ANY_TAG {
        return call.wrong(error::TAG, format!("the tag is {tag}, which is less than 0"));
    }
    Ok(Pattern { source, tag })
}

pub(super) fn checked_origin(call: &Caller<'_>, pattern: Pattern, communicator: u32) -> Result<Pattern, Fault> {
    if pattern.source != ANY_SOURCE {
        call.checked_rank(pattern.source, communicator, "the source")?;
    }
    Ok(pattern)
}

fn sending(call: &mut Caller<'_>, mode: Mode) -> Result<Sending, Fault> {
    let from = call.data()?;
    let [to, tag] = destination(call)?;
    let communicator = call.comm()?;
    let to = call.checked_rank(to, communicator, "the destination")?;
    Ok(Sending { mode, from, to, tag, communicator })
}

fn receiving(call: &mut Caller<'_>) -> Result<Receiving, Fault> {
    let into = call.data()?;
    let pattern = origin(call)?;
    let communicator = call.comm()?;
    let pattern = checked_origin(call, pattern, communicator)?;
    Ok(Receiving { into, pattern, communicator })
}

fn send(call: &mut Caller<'_>, mode: Mode) -> Result<Next, Fault> {
    let sending = sending(call, mode)?;
    let request = call.send(sending)?;
    wait(Until::All(vec![request]), move |call| call.complete(request).map(drop))
}

fn receive(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let receiving = receiving(call)?;
    let status_at = call.word();
    let request = call.receive(receiving)?;
    wait(Until::All(vec![request]), move |call| {
        let (status, _) = call.complete(request)?;
        call.set_status(status_at, status)
    })
}

fn start_send(call: &mut Caller<'_>, mode: Mode, is_persistent: bool) -> Result<Next, Fault> {
    let sending = sending(call, mode)?;
    begin(call, Work::Send(sending), is_persistent)
}

fn start_receive(call: &mut Caller<'_>, is_persistent: bool) -> Result<Next, Fault> {
    let receiving = receiving(call)?;
    begin(call, Work::Receive(receiving), is_persistent)
}

/// A request for the program; a persistent one is started by `MPI_Start`.
fn begin(call: &mut Caller<'_>, work: Work, is_persistent: bool) -> Result<Next, Fault> {
    let at = call.word();
    let request = call.new_request(work, is_persistent);
    if !is_persistent {
        call.start(request)?;
    }
    call.set_int(at, Kind::Request.handle(request))?;
    Ok(Next::Done)
}

fn start(call: &mut Caller<'_>, at: u64) -> Result<(), Fault> {
    let handle = call.int_at(at)?;
    let number = call.number_of(Kind::Request, handle, error::REQUEST)?;
    match call.own().requests.get(&number).map(|r| (r.is_persistent, r.is_active)) {
        Some((true, false)) => call.start(number),
        Some((true, true)) => call.wrong(error::REQUEST, "the request was started before and is not completed"),
        _ => call.wrong(error::REQUEST, "the request is not one that can be started"),
    }
}

fn start_all(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (count, at) = (call.count()?, call.word());
    for i in 0..count {
        start(call, at + 4 * i)?;
    }
    Ok(Next::Done)
}

fn send_receive(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let from = call.data()?;
    let [to, tag] = destination(call)?;
    let into = call.data()?;
    let pattern = origin(call)?;
    let (communicator, status_at) = (call.comm()?, call.word());
    let pattern = checked_origin(call, pattern, communicator)?;
    let to = call.checked_rank(to, communicator, "the destination")?;
    let sent = call.send(Sending { mode: Mode::Standard, from, to, tag, communicator })?;
    exchange(call, sent, Receiving { into, pattern, communicator }, status_at)
}

fn replace(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let data = call.data()?;
    let [to, tag] = destination(call)?;
    let pattern = origin(call)?;
    let (communicator, status_at) = (call.comm()?, call.word());
    let pattern = checked_origin(call, pattern, communicator)?;
    let to = call.checked_rank(to, communicator, "the destination")?;
    let sent = call.send(Sending { mode: Mode::Standard, from: data.clone(), to, tag, communicator })?;
    // The data is copied out before any comes in.
    call.memory.end_use(sent);
    exchange(call, sent, Receiving { into: data, pattern, communicator }, status_at)
}

/// Receives, and waits for both.
fn exchange(call: &mut Caller<'_>, sent: u32, receiving: Receiving, status_at: u64) -> Result<Next, Fault> {
    let received = call.receive(receiving)?;
    wait(Until::All(vec![received, sent]), move |call| {
        call.complete(sent)?;
        let (status, _) = call.complete(received)?;
        call.set_status(status_at, status)
    })
}
