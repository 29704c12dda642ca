//! Waiting for requests, and looking whether they are done.

use super::{Routine, row};
use crate::errand::Errand;
use crate::error::{self, Fault};
use crate::handle::{Kind, UNDEFINED};
use crate::request::{Done, Status, Work};
use crate::world::call::{Caller, Next, STATUS_BYTES, wait};
use crate::world::rank::Until;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Wait", wait_for),
    row("MPI_Waitall", wait_for_all),
    row("MPI_Waitany", wait_for_any),
    row("MPI_Waitsome", wait_for_some),
    row("MPI_Test", test),
    row("MPI_Testall", test_all),
    row("MPI_Testany", test_any),
    row("MPI_Testsome", test_some),
    row("MPI_Request_get_status", get_status),
    row("MPI_Request_free", free),
    row("MPI_Cancel", cancel),
];

/// The number of the request at an address; `None` for the null handle and one that is not active.
fn request_at(call: &mut Caller<'_>, at: u64) -> Result<Option<u32>, Fault> {
    let handle = call.int_at(at)?;
    if Kind::Request.number(handle) == Some(0) {
        return Ok(None);
    }
    let number = call.number_of(Kind::Request, handle, error::REQUEST)?;
    match call.own().requests.get(&number).map(|r| r.is_active) {
        Some(is_active) => Ok(is_active.then_some(number)),
        None => call.wrong(error::REQUEST, "the request was completed or freed before"),
    }
}

/// The requests of an array: of each its address and, if it is active, its number.
fn requests(call: &mut Caller<'_>, count: u64, at: u64) -> Result<Vec<(u64, Option<u32>)>, Fault> {
    (0..count).map(|i| Ok((at + 4 * i, request_at(call, at + 4 * i)?))).collect()
}

fn active(requests: &[(u64, Option<u32>)]) -> Vec<u32> {
    requests.iter().filter_map(|r| r.1).collect()
}

/// Ends a request that is done; its handle becomes the null handle unless it is persistent.
fn end(call: &mut Caller<'_>, at: u64, number: u32) -> Result<Status, Fault> {
    let (status, _) = call.complete(number)?;
    if !call.own().requests.contains_key(&number) {
        call.set_int(at, Kind::Request.handle(0))?;
    }
    Ok(status)
}

fn end_all(call: &mut Caller<'_>, requests: &[(u64, Option<u32>)], statuses_at: u64) -> Result<(), Fault> {
    let ignores = statuses_at == 0 || call.ignores_status(statuses_at);
    for (i, &(at, number)) in requests.iter().enumerate() {
        let status = match number {
            Some(number) => end(call, at, number)?,
            None => Status::EMPTY,
        };
        if !ignores {
            call.set_status(statuses_at + STATUS_BYTES * i as u64, status)?;
        }
    }
    Ok(())
}

fn wait_for(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (at, status_at) = (call.word(), call.word());
    let requests = vec![(at, request_at(call, at)?)];
    wait(Until::All(active(&requests)), move |call| end_all(call, &requests, status_at))
}

fn wait_for_all(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (count, at, statuses_at) = (call.count()?, call.word(), call.word());
    let requests = requests(call, count, at)?;
    wait(Until::All(active(&requests)), move |call| end_all(call, &requests, statuses_at))
}

/// Ends the first request that is done; sets its number, counted from 1.
fn end_any(
    call: &mut Caller<'_>,
    requests: &[(u64, Option<u32>)],
    index_at: u64,
    status_at: u64,
) -> Result<bool, Fault> {
    let own = call.own();
    let done = requests.iter().enumerate().find_map(|(i, r)| Some((i, r.0, r.1.filter(|n| own.is_done(*n))?)));
    let Some((i, at, number)) = done else {
        call.set_int(index_at, UNDEFINED)?;
        call.set_status(status_at, Status::EMPTY)?;
        return Ok(false);
    };
    let status = end(call, at, number)?;
    call.set_int(index_at, i as i32 + 1)?;
    call.set_status(status_at, status)?;
    Ok(true)
}

fn wait_for_any(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (count, at, index_at, status_at) = (call.count()?, call.word(), call.word(), call.word());
    let requests = requests(call, count, at)?;
    let open = active(&requests);
    let until = if open.is_empty() { Until::All(open) } else { Until::Any(open) };
    wait(until, move |call| end_any(call, &requests, index_at, status_at).map(drop))
}

/// Ends all requests that are done; sets their number and their places.
fn end_some(
    call: &mut Caller<'_>,
    requests: &[(u64, Option<u32>)],
    [count_at, indices_at, statuses_at]: [u64; 3],
) -> Result<bool, Fault> {
    if active(requests).is_empty() {
        call.set_int(count_at, UNDEFINED)?;
        return Ok(true);
    }
    let ignores = statuses_at == 0 || call.ignores_status(statuses_at);
    let mut ended = 0;
    for (i, &(at, number)) in requests.iter().enumerate() {
        let Some(number) = number else { continue };
        if !call.own().is_done(number) {
            continue;
        }
        let status = end(call, at, number)?;
        call.set_int(indices_at + 4 * ended, i as i32 + 1)?;
        if !ignores {
            call.set_status(statuses_at + STATUS_BYTES * ended, status)?;
        }
        ended += 1;
    }
    call.set_int(count_at, ended as i32)?;
    Ok(ended > 0)
}

fn wait_for_some(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (count, at) = (call.count()?, call.word());
    let places = [call.word(), call.word(), call.word()];
    let requests = requests(call, count, at)?;
    let open = active(&requests);
    let until = if open.is_empty() { Until::All(open) } else { Until::Any(open) };
    wait(until, move |call| end_some(call, &requests, places).map(drop))
}

fn test_some(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (count, at) = (call.count()?, call.word());
    let places = [call.word(), call.word(), call.word()];
    let requests = requests(call, count, at)?;
    let found = end_some(call, &requests, places)?;
    Ok(if found { Next::Done } else { Next::Polled })
}

/// Sets the flag; if all are done, ends them.
fn test_these(
    call: &mut Caller<'_>,
    requests: &[(u64, Option<u32>)],
    flag_at: u64,
    statuses_at: u64,
) -> Result<Next, Fault> {
    let own = call.own();
    let is_done = requests.iter().all(|r| r.1.is_none_or(|number| own.is_done(number)));
    call.set_logical(flag_at, is_done)?;
    if !is_done {
        return Ok(Next::Polled);
    }
    end_all(call, requests, statuses_at)?;
    Ok(Next::Done)
}

fn test(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (at, flag_at, status_at) = (call.word(), call.word(), call.word());
    let requests = [(at, request_at(call, at)?)];
    test_these(call, &requests, flag_at, status_at)
}

fn test_all(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (count, at, flag_at, statuses_at) = (call.count()?, call.word(), call.word(), call.word());
    let requests = requests(call, count, at)?;
    test_these(call, &requests, flag_at, statuses_at)
}

fn test_any(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (count, at, index_at) = (call.count()?, call.word(), call.word());
    let (flag_at, status_at) = (call.word(), call.word());
    let requests = requests(call, count, at)?;
    let is_idle = active(&requests).is_empty();
    let found = end_any(call, &requests, index_at, status_at)?;
    call.set_logical(flag_at, found || is_idle)?;
    Ok(if found || is_idle { Next::Done } else { Next::Polled })
}

fn get_status(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (at, flag_at, status_at) = (call.word(), call.word(), call.word());
    let number = request_at(call, at)?;
    let request = number.and_then(|number| call.own().requests.get(&number));
    let (is_done, status) = match request.map(|r| &r.done) {
        Some(None | Some(Done::Parts(_))) => (false, Status::EMPTY),
        Some(Some(Done::Message(message))) => (true, Status::of(message)),
        Some(Some(Done::Alone(status))) => (true, *status),
        Some(Some(Done::Results { .. })) | None => (true, Status::EMPTY),
    };
    call.set_logical(flag_at, is_done)?;
    if is_done {
        call.set_status(status_at, status)?;
    }
    Ok(if is_done { Next::Done } else { Next::Polled })
}

fn free(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.word();
    let handle = call.int_at(at)?;
    let number = call.number_of(Kind::Request, handle, error::REQUEST)?;
    let Some(request) = call.own().requests.get_mut(&number) else {
        return call.wrong(error::REQUEST, "the request was completed or freed before");
    };
    match (&*request.work.clone(), request.done.is_some()) {
        // It is gone when the program has said that it is done.
        (Work::Own(_), false) => request.is_active = false,
        (Work::Own(own), true) => {
            let release = Errand::Release { procedure: own.free, extra: own.extra };
            call.own().requests.remove(&number);
            call.own().errands.push_back(release);
        }
        _ => drop(call.own().requests.remove(&number)),
    }
    call.set_int(at, Kind::Request.handle(0))?;
    Ok(Next::Done)
}

/// A receive without a message is cancelled; anything else goes on.
fn cancel(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.word();
    let Some(number) = request_at(call, at)? else { return Ok(Next::Done) };
    let rank = call.rank;
    let request = call.own().requests.get(&number).map(|r| (r.work.clone(), r.done.is_some()));
    if let Some((Work::Own(own), is_complete)) = request.as_ref().map(|(work, is_done)| (&**work, *is_done)) {
        call.own().errands.push_back(Errand::Cancel { procedure: own.cancel, extra: own.extra, is_complete });
    }
    let open = call.own().requests.get(&number).filter(|r| r.done.is_none());
    let Some(work) = open.map(|request| request.work.clone()) else { return Ok(Next::Done) };
    if let Work::Receive(receiving) = &*work {
        let mailbox = call.world.mailboxes.entry((receiving.communicator, rank)).or_default();
        let before = mailbox.posted.len();
        mailbox.posted.retain(|(posted, _)| *posted != number);
        // The data of a message that the receive has taken may be on its way.
        if mailbox.posted.len() < before {
            call.world.set_done(rank, number, Done::Alone(Status { is_cancelled: true, ..Status::EMPTY }));
        }
    }
    Ok(Next::Done)
}
