//! Beginning and end, names and versions, attached buffers.
//!
//! Not here: errors and their handlers (`errors`).

use super::attributes::delete_all;
use super::{Routine, anywhere, row};
use crate::error::{self, Fault, Step};
use crate::handle::{Kind, SELF, WORLD};
use crate::window::Epochs;
use crate::world::call::{Caller, Next, wait};
use crate::world::rank::{Phase, Until};
use finding::MpiFault;
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    anywhere("MPI_Init", init),
    anywhere("MPI_Init_thread", init_thread),
    anywhere("MPI_Initialized", initialized),
    anywhere("MPI_Finalized", finalized),
    row("MPI_Finalize", finalize),
    anywhere("MPI_Abort", abort),
    row("MPI_Query_thread", query_thread),
    row("MPI_Is_thread_main", is_thread_main),
    anywhere("MPI_Get_version", version),
    anywhere("MPI_Get_library_version", library_version),
    row("MPI_Get_processor_name", processor_name),
    row("MPI_Buffer_attach", attach),
    row("MPI_Buffer_detach", detach),
    row("MPI_Get_address", get_address),
];

/// The version of the standard.
const VERSION: [i32; 2] = [4, 0];
/// The level of threads: `MPI_THREAD_MULTIPLE`, which a program without threads cannot exceed.
const MOST_THREADS: i32 = 3;

fn begin(call: &mut Caller<'_>) -> Result<(), Fault> {
    match std::mem::replace(&mut call.own().phase, Phase::Running) {
        Phase::Before => Ok(()),
        Phase::Running => call.wrong(error::OTHER, "it was called before"),
        Phase::Over => call.wrong(error::OTHER, "`MPI_Finalize` was called before"),
    }
}

fn init(call: &mut Caller<'_>) -> Result<Next, Fault> {
    begin(call)?;
    Ok(Next::Done)
}

fn init_thread(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (required, provided) = (call.int()?, call.word());
    begin(call)?;
    let level = required.clamp(0, MOST_THREADS);
    call.own().thread_level = level;
    call.set_int(provided, level)?;
    Ok(Next::Done)
}

fn initialized(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (at, phase) = (call.word(), call.own().phase);
    call.set_logical(at, phase != Phase::Before)?;
    Ok(Next::Done)
}

fn finalized(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (at, phase) = (call.word(), call.own().phase);
    call.set_logical(at, phase == Phase::Over)?;
    Ok(Next::Done)
}

fn finalize(call: &mut Caller<'_>) -> Result<Next, Fault> {
    // As if `MPI_COMM_SELF` were freed.
    delete_all(call, Kind::Communicator.handle(SELF), Arc::new(leave))
}

fn leave(call: &mut Caller<'_>) -> Result<Next, Fault> {
    if let Some(begun) = call.own().epochs.values().find_map(Epochs::open) {
        return call.wrong_epoch("an epoch of a window has not ended", Some(begun));
    }
    let open: Vec<_> = call.own().requests.values().filter(|r| r.is_active).map(|r| r.step).collect();
    for step in open {
        call.report_at(step, MpiFault::NotCompleted { start: step.about("") });
    }
    if call.memory.reports_leaks() {
        report_leaks(call);
    }
    let request = call.meet(WORLD)?;
    wait(Until::All(vec![request]), move |call| {
        call.complete(request)?;
        call.own().phase = Phase::Over;
        let rank = call.rank;
        let mine = call.world.mailboxes.iter().filter(|((_, receiver), _)| *receiver == rank);
        let taken = call.world.ranks[rank as usize].messages.all().map(|(_, message)| message);
        let left: Vec<(Step, MpiFault)> = mine
            .flat_map(|(_, mailbox)| &mailbox.arrived)
            .chain(taken)
            .map(|message| {
                let (sender, tag, bytes) = (message.piece.step, message.tag, message.bytes);
                (sender, MpiFault::NotReceived { sender: sender.about(""), to: rank, tag, bytes })
            })
            .collect();
        for (sender, fault) in left {
            call.report_at(sender, fault);
        }
        Ok(())
    })
}

/// Reports the objects that the rank has not freed: those that one call made as one.
fn report_leaks(call: &mut Caller<'_>) {
    let mut left: Vec<(Kind, Step, u64)> = Vec::new();
    for (handle, step) in &call.own().made {
        let Some(kind) = Kind::of(*handle) else { continue };
        match left.iter_mut().find(|(k, known, _)| (*k, known.span) == (kind, step.span)) {
            Some((_, _, count)) => *count += 1,
            None => left.push((kind, *step, 1)),
        }
    }
    for (kind, made, count) in left {
        let fault = MpiFault::NotFreed { made: made.about(""), kind: kind.name().to_owned(), count };
        call.report_at(made, fault);
    }
}

impl Caller<'_> {
    /// Reports something that is left over, at the call that began it.
    fn report_at(&mut self, step: Step, fault: MpiFault) {
        let own = std::mem::replace(&mut self.step.span, step.span);
        self.report(fault);
        self.step.span = own;
    }
}

fn abort(call: &mut Caller<'_>) -> Result<Next, Fault> {
    call.comm()?;
    let code = call.int()?;
    let fault = MpiFault::Aborted { call: call.step.about(""), code };
    call.report(fault);
    // An exit code is one byte, and 0 would say that nothing was wrong.
    let byte = i32::from(code as u8);
    Ok(Next::End(if byte == 0 { 1 } else { byte }))
}

fn query_thread(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (at, level) = (call.word(), call.own().thread_level);
    call.set_int(at, level)?;
    Ok(Next::Done)
}

fn is_thread_main(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.word();
    call.set_logical(at, true)?;
    Ok(Next::Done)
}

fn version(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (major, minor) = (call.word(), call.word());
    call.set_int(major, VERSION[0])?;
    call.set_int(minor, VERSION[1])?;
    Ok(Next::Done)
}

fn library_version(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let text = match &call.world.remote {
        Some(remote) => format!("cufemu over {}", remote.place.carrier),
        None => "cufemu, ranks of one process".to_owned(),
    };
    call.set_text(&text)?;
    Ok(Next::Done)
}

fn processor_name(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let name = call.world.remote.as_ref().map_or("cufemu", |remote| &remote.place.computer).to_owned();
    call.set_text(&name)?;
    Ok(Next::Done)
}

fn attach(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let buffer = call.plain_buffer()?;
    let bytes = call.count()?;
    if call.own().attached.is_some() {
        return call.wrong(error::BUFFER, "another buffer is attached");
    }
    call.own().attached = Some((buffer.address(), bytes));
    call.own().attached_used = 0;
    Ok(Next::Done)
}

fn detach(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let buffer = call.plain_buffer()?;
    let at = call.word();
    let Some((address, bytes)) = call.own().attached.take() else {
        return call.wrong(error::BUFFER, "no buffer is attached");
    };
    // The interface of `mpi_f08` gives the address; in the others the argument is the buffer, and means nothing.
    if buffer.is_address() {
        call.set_long(buffer.address(), address as i64)?;
    }
    call.set_amount(at, Some(bytes))?;
    Ok(Next::Done)
}

fn get_address(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let address = call.plain_buffer()?.address();
    let at = call.word();
    call.set_long(at, address as i64)?;
    Ok(Next::Done)
}
