//! Calls of MPI by the program of a machine: its memory as they reach it, and what becomes of them.
//!
//! Here a machine that is alone is the one rank that there is, or the others are in processes of their own; `ranks` runs
//! several in this one.

use crate::checks::command_order::CommandOrder;
use crate::devices::DeviceBox;
use crate::machine::{Machine, MachineStop, Turn};
use crate::solo::{Change, Followed, Records, Solo};
use crate::world::World;
use finding::{Finding, FindingKind};
use host::{Answer, Ask, FileKind, MpiCall, Stream};
use mem::{Memory, Region};
use mpi::{Outcome, Outside, RankMemory, Transport, Use};
use source::Span;
use std::sync::Arc;

/// How many milliseconds the machine waits for other processes before it returns.
const PATIENCE: u64 = 20;
/// How many milliseconds a rank waits before it tells the others for what, who may wait for it.
const LONG: u64 = 200;
/// Where there are windows, so many calls of MPI end the turn of a rank.
const MOST_CALLS: u32 = 32;

/// What is said where a rank that follows a record does something else.
const DIFFERS: &str = "cufemu: the record of this rank has no such call of MPI here, so the program ends\n";

/// What is said where the world has no files.
const NO_FILES: &str = "files cannot be reached";

/// The memory of a machine, of its host and of its devices.
struct Reach<'a> {
    memory: &'a mut Memory,
    devices: &'a mut [DeviceBox],
    /// The order of commands and host, if races are checked.
    order: Option<&'a mut CommandOrder>,
    /// Files.
    world: &'a mut dyn World,
    /// Where changes of memory are written down, if they are.
    changes: Option<&'a mut Vec<Change>>,
    check_leaks: bool,
}

impl Reach<'_> {
    /// The device whose memory an address is in.
    fn device(&self, address: u64) -> Option<usize> {
        match Region::of(address) {
            Some(Region::Device(number)) => Some(usize::from(number)).filter(|n| *n < self.devices.len()),
            _ => None,
        }
    }

    fn note(&mut self, change: impl FnOnce() -> Change) {
        if let Some(changes) = &mut self.changes {
            changes.push(change());
        }
    }
}

impl RankMemory for Reach<'_> {
    fn read(&mut self, address: u64, out: &mut [u8]) -> Result<(), Outside> {
        let outside = Outside { address, bytes: out.len() as u64 };
        match self.device(address) {
            Some(device) => self.devices[device].as_device().read(self.memory, address, out).map_err(|_| outside),
            None => self.memory.read(address, out).ok_or(outside),
        }
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Outside> {
        self.note(|| Change::Write(address, bytes.to_vec()));
        let outside = Outside { address, bytes: bytes.len() as u64 };
        match self.device(address) {
            Some(device) => self.devices[device].as_device().write(self.memory, address, bytes).map_err(|_| outside),
            None => self.memory.write(address, bytes).ok_or(outside),
        }
    }

    fn room(&self, address: u64) -> Option<(u64, String)> {
        let info = self.memory.info(self.memory.find(address)?);
        Some((info.base + info.bytes - address, info.name.to_string()))
    }

    fn has_room(&self, address: u64, bytes: u64) -> bool {
        match self.room(address) {
            Some((room, _)) => bytes <= room,
            None => self.memory.contains(address, address.saturating_add(bytes)),
        }
    }

    fn is_named(&self, address: u64, name: &str) -> bool {
        // `mpif.h` has each in a common block of its own.
        self.memory.find(address).is_some_and(|id| self.memory.info(id).name.trim_matches('/') == name)
    }

    fn allocate(&mut self, bytes: u64, span: Span) -> Option<u64> {
        self.note(|| Change::Allocate(bytes, span));
        self.memory.alloc(Region::Host, bytes.max(1), "", span).ok()
    }

    fn deallocate(&mut self, address: u64, span: Span) -> bool {
        self.note(|| Change::Free(address, span));
        self.memory.free(address, span).is_ok()
    }

    fn file_length(&mut self, path: &str) -> Result<Option<u64>, String> {
        match self.world.ask(&Ask::FileStatus { path: path.to_owned() }) {
            Answer::Status(status) => match status.kind {
                None => Ok(None),
                Some(FileKind::Regular) => Ok(Some(status.bytes)),
                Some(FileKind::Directory | FileKind::Stream) => Err("it is no file with contents".to_owned()),
            },
            _ => Err(NO_FILES.to_owned()),
        }
    }

    fn read_file(&mut self, path: &str, pieces: &[(u64, u64)]) -> Result<Vec<u8>, String> {
        match self.world.ask(&Ask::ReadPieces { path: path.to_owned(), pieces: pieces.into() }) {
            Answer::File(result) => Ok(result?.unwrap_or_default()),
            _ => Err(NO_FILES.to_owned()),
        }
    }

    fn write_file(
        &mut self,
        path: &str,
        pieces: &[(u64, u64)],
        bytes: &[u8],
        length: Option<u64>,
    ) -> Result<(), String> {
        let ask = Ask::WritePieces { path: path.to_owned(), pieces: pieces.into(), bytes: bytes.into(), length };
        match self.world.ask(&ask) {
            Answer::Done(result) => result,
            _ => Err(NO_FILES.to_owned()),
        }
    }

    fn delete_file(&mut self, path: &str) -> Result<(), String> {
        match self.world.ask(&Ask::DeleteFile { path: path.to_owned() }) {
            Answer::Done(result) => result,
            _ => Err(NO_FILES.to_owned()),
        }
    }

    fn reports_leaks(&self) -> bool {
        self.check_leaks
    }

    fn is_watching(&self) -> bool {
        self.order.is_some()
    }

    fn begin_use(&mut self, used: Use) {
        self.note(|| Change::Begin(used.clone()));
        if let Some(order) = &mut self.order {
            order.begin_message(used, self.memory);
        }
    }

    fn end_use(&mut self, request: u32) {
        self.note(|| Change::End(request));
        if let Some(order) = &mut self.order {
            order.end_message(request);
        }
    }
}

impl Machine {
    /// The program is one of several ranks, each in a process of its own.
    pub fn connect(&mut self, transport: Box<dyn Transport>) {
        let (place, count) = transport.place();
        self.rank = place.rank;
        self.findings.set_rank(place.rank);
        if count > 1 {
            self.mpi = mpi::World::connected(place, count);
        }
        self.transport = Some(transport);
    }

    /// The program is over, with this exit code of the whole run: leaves the other processes, or ends them if it has failed and
    /// they may wait for it.
    pub fn leave(&mut self, code: i32) {
        // Those that wait for a rank that only has no `MPI_Finalize` are told, and say so.
        let has_failed = !self.mpi.has_finalized(self.rank) && !matches!(self.turn, Turn::Over(0));
        let Some(transport) = &mut self.transport else { return };
        if code != 0 && (has_failed || self.mpi.end_code().is_some()) {
            transport.abort(code);
        }
        transport.finish();
    }

    /// Sends the notes for other processes.
    pub(crate) fn send_notes(&mut self) {
        let Some(transport) = &mut self.transport else { return };
        for packet in self.mpi.take_outgoing() {
            transport.send(packet);
        }
    }

    /// Takes the notes that have come.
    fn take_notes(&mut self, world: &mut dyn World) {
        let Some(transport) = &mut self.transport else { return };
        while let Some((from, bytes)) = transport.receive(0) {
            if self.mpi.deliver(from, bytes) {
                self.waited = 0;
            }
        }
        self.serve_others(world);
        self.send_notes();
    }

    /// Ranks in other processes may access the memory of this one while its program computes.
    pub(crate) fn take_accesses(&mut self, world: &mut dyn World) {
        if self.transport.is_some() && self.mpi.has_windows() {
            self.take_notes(world);
        }
    }

    /// What the machine has between ranks, and how that reaches memory.
    fn reach<'a>(&'a mut self, world: &'a mut dyn World) -> (&'a mut mpi::World, Reach<'a>) {
        let (memory, devices, order) = (&mut self.memory, &mut self.devices, self.order.as_mut());
        let changes = self.solo.changes();
        (&mut self.mpi, Reach { memory, devices, order, world, changes, check_leaks: self.check_leaks })
    }

    /// Does what ranks in other processes want of the memory of this one.
    fn serve_others(&mut self, world: &mut dyn World) {
        if self.mpi.accessed().is_empty() {
            return;
        }
        let rank = self.rank;
        let (mpi, mut reach) = self.reach(world);
        mpi.serve(rank, &mut reach);
    }

    /// Waits for a note if the host cannot go on without one; whether there is something to do.
    pub(crate) fn await_note(&mut self, world: &mut dyn World) -> bool {
        self.take_notes(world);
        if self.mpi.is_ready(self.rank) || self.mpi.end_code().is_some() || self.mpi.is_lost() {
            return true;
        }
        let Some(transport) = &mut self.transport else { return true };
        if transport.receive(PATIENCE).is_some_and(|(from, bytes)| self.mpi.deliver(from, bytes)) {
            self.waited = 0;
            self.take_notes(world);
            return self.mpi.is_ready(self.rank);
        }
        self.waited += PATIENCE;
        if self.waited >= LONG {
            self.waited = 0;
            self.mpi.waits_long();
            self.send_notes();
        }
        false
    }

    /// The host calls a routine.
    pub(crate) fn call_mpi(&mut self, call: MpiCall, world: &mut dyn World) -> Option<MachineStop> {
        if let Some(followed) = self.solo.follow(&call) {
            self.follow(followed, world);
            return None;
        }
        self.take_notes(world);
        self.note_time(world);
        self.solo.begin_call(&call);
        let MpiCall { routine, words, span } = call;
        let call = mpi::Call { routine, words, span };
        let rank = self.rank;
        let (mpi, mut reach) = self.reach(world);
        let outcome = mpi.call(rank, &call, &mut reach);
        self.called_mpi(outcome)
    }

    /// The host calls a routine, and what comes of it is in the record.
    fn follow(&mut self, followed: Followed, world: &mut dyn World) {
        match followed {
            Followed::Made(made) => {
                let (_, mut reach) = self.reach(world);
                made.changes.iter().for_each(|change| change.apply(&mut reach));
                self.add_findings(made.findings);
                self.called_mpi(made.outcome);
                if let Some(code) = self.solo.ended() {
                    self.end(code);
                }
            }
            Followed::Ended(code) => {
                let findings = self.solo.last_findings().unwrap_or_default();
                self.add_findings(findings);
                self.end(code);
            }
            Followed::Differs => {
                world.write(Stream::Stderr, DIFFERS.as_bytes());
                self.end(1);
            }
        }
    }

    fn add_findings(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            self.findings.add(finding);
        }
    }

    /// The program is this rank and runs alone, by the records of a run of all. Nothing that is outside is asked or changed.
    pub fn follow_records(&mut self, records: Arc<Records>, rank: u32) {
        self.rank = rank;
        self.findings.set_rank(rank);
        self.solo = Solo::follow_records(records, rank);
    }

    /// Keeps a record of what the program gets from other ranks and from outside. `epoch` is when the clock of the world began, in
    /// nanoseconds of a clock that all ranks have.
    pub fn keep_record(&mut self, epoch: u64) {
        self.solo = Solo::keep();
        self.epoch = epoch;
    }

    /// The entries that the record has by now, as bytes; it gives them away.
    pub fn take_record(&mut self) -> Vec<u8> {
        self.solo.take_bytes()
    }

    /// The end of the record; `code` is the exit code of the whole run.
    pub fn end_record(&mut self, code: i32) -> Vec<u8> {
        if let Turn::Over(code) = self.turn {
            self.solo.over(code);
        }
        let mut out = self.solo.take_bytes();
        if let Some(record) = self.solo.take_record() {
            out.extend(record.ended_with(code).end_bytes());
        }
        out
    }

    /// A call of MPI begins or ends in a process of its own: for ranks that do not take turns, times are what turns are.
    fn note_time(&mut self, world: &mut dyn World) {
        if self.solo.changes().is_some()
            && self.epoch > 0
            && let Answer::Nanoseconds(now) = world.ask(&Ask::Clock)
        {
            self.solo.begin_turn(self.epoch + now);
        }
    }

    /// Other ranks access the memory of this one.
    pub(crate) fn serve(&mut self, between: &mut mpi::World, world: &mut dyn World) {
        between.serve(self.rank, &mut self.reach(world).1);
    }

    /// The host waits in a call.
    pub(crate) fn resume_mpi(&mut self, world: &mut dyn World) -> Option<MachineStop> {
        self.note_time(world);
        let rank = self.rank;
        let (mpi, mut reach) = self.reach(world);
        let outcome = mpi.resume(rank, &mut reach);
        self.called_mpi(outcome)
    }

    /// The program is over.
    pub(crate) fn end_mpi(&mut self, code: i32, span: Span) {
        if let Some(findings) = self.solo.last_findings() {
            return self.add_findings(findings);
        }
        self.mpi.ended(self.rank, code, span);
        self.send_notes();
        if self.solo.changes().is_some() {
            self.gather_mpi();
        }
    }

    /// Collects findings, and writes down those of MPI if a record is kept.
    pub(crate) fn gather_mpi(&mut self) {
        let known = self.findings.len();
        self.gather();
        let is_mpi = |finding: &&Finding| matches!(finding.kind, FindingKind::Mpi(_));
        self.solo.found(self.findings.iter().skip(known).filter(is_mpi));
    }

    /// Whether the rank may wait for what another one writes to its memory: it has made many calls since its turn began.
    pub(crate) fn has_held_long(&self) -> bool {
        self.calls_in_turn >= MOST_CALLS
    }

    fn called_mpi(&mut self, outcome: Outcome) -> Option<MachineStop> {
        let is_alone = self.mpi.size() == 1;
        match outcome {
            Outcome::Done | Outcome::Polled => {
                self.turn = Turn::Host;
                self.host.answer(Answer::Done(Ok(())));
            }
            Outcome::CallsBack => {
                self.turn = Turn::Host;
                self.host.answer(Answer::CallBack);
            }
            Outcome::Waits => {
                self.turn = Turn::Messages;
                self.waited = 0;
                if self.transport.is_some() && self.solo.changes().is_some() {
                    self.solo.waits(self.mpi.waits_for(self.rank));
                }
                // Nobody else can help a rank that is alone.
                if is_alone {
                    self.mpi.settle(&[]);
                }
            }
            Outcome::Ended(code) => self.end(code),
        }
        self.send_notes();
        self.gather_mpi();
        if outcome != Outcome::Waits {
            self.solo.end_call(outcome);
        }
        if let Some(code) = self.mpi.end_code().filter(|_| self.transport.is_some() && !self.is_ending()) {
            self.solo.end_all(code);
            self.end(code);
        }
        if self.transport.is_some() {
            return None;
        }
        let is_others = matches!(outcome, Outcome::Waits | Outcome::Polled);
        // After each call others may go on, if they do not reach into each other's memory.
        let has_windows = self.mpi.has_windows();
        self.calls_in_turn += u32::from(has_windows);
        let is_end = is_others || !has_windows || self.has_held_long();
        (!is_alone && is_end).then_some(if is_others { MachineStop::OthersTurn } else { MachineStop::Budget })
    }
}
