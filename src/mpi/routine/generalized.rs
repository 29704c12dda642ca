//! Generalised requests: operations that the program does itself, and of which it tells MPI that they are done.
//!
//! The procedure that says the status is called when the request is complete, not when it is waited for; that which frees what
//! belongs to it when the request ends.

use super::{Routine, row};
use crate::errand::{Errand, Own};
use crate::error::{self, Fault};
use crate::handle::Kind;
use crate::request::Work;
use crate::world::call::{Caller, Next};

pub(super) static ROUTINES: &[Routine] = &[row("MPI_Grequest_start", start), row("MPI_Grequest_complete", complete)];

fn start(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (query, free, cancel) = (call.procedure()?, call.procedure()?, call.procedure()?);
    let (extra, at) = (call.word(), call.word());
    let request = call.new_request(Work::Own(Own { query, free, cancel, extra }), false);
    if let Some(request) = call.own().requests.get_mut(&request) {
        request.is_active = true;
    }
    call.set_int(at, Kind::Request.handle(request))?;
    Ok(Next::Done)
}

fn complete(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let number = call.number(Kind::Request, error::REQUEST)?;
    let request = call.own().requests.get(&number).map(|r| (r.work.clone(), r.is_active, r.done.is_some()));
    match request.as_ref().map(|(work, is_active, is_done)| (&**work, *is_active, *is_done)) {
        Some((Work::Own(own), true, false)) => {
            call.own().errands.push_back(Errand::Query { procedure: own.query, extra: own.extra, request: number });
        }
        // The program has freed it before.
        Some((Work::Own(own), false, false)) => {
            call.own().requests.remove(&number);
            call.own().errands.push_back(Errand::Release { procedure: own.free, extra: own.extra });
        }
        Some(_) => return call.wrong(error::REQUEST, "the request is none of the program's own, or is complete"),
        None => return call.wrong(error::REQUEST, "the request was completed or freed before"),
    }
    Ok(Next::Done)
}
