//! Where emulator and GPU part: the first value that a thread computes otherwise on the two.
//!
//! It begins with the thread that was the last to write the first word that differs, on the emulator. Both engines run the launch again,
//! in the memory of before, with code that writes the values of this thread down (`values`): once with a digest for each piece of what
//! it computes, and once with all values of the piece in which the digests first differ. Where the value comes from memory that another
//! thread has written in this launch, or by a shuffle or vote from another lane, the search goes on with that thread. So the last step
//! names the statement where the two part.
//!
//! Not here: launches that race, which differ from run to run, and what a barrier counts: the search ends there.

use super::run_to_end;
use super::values::{self, ENTRY, LOG_ENTRIES, Origin, Recording, Value};
use device::{Arg, Device, DeviceAccess, KernelLaunch, NoObserver, Observer};
use emu::Emulator;
use finding::ThreadId;
use gpu::GpuDevice;
use ir::Space;
use mem::{Memory, Region};
use source::Span;
use std::sync::Arc;

/// Threads that are looked at, at most.
const MOST_STEPS: usize = 16;

/// The first value of a thread that differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Parting {
    pub(super) who: ThreadId,
    /// The expression.
    pub(super) span: Span,
    /// Its bits on the emulator and on the other engine. `None` if no such value could be found: it is where the word is written.
    pub(super) bits: Option<[u64; 2]>,
}

/// Runs a launch of the code in that memory elsewhere, and gives the bytes of the buffer at that address; `None` if that fails.
type Other<'a> = dyn FnMut(&Recording, &Memory, &KernelLaunch, u64) -> Option<Vec<u8>> + 'a;

/// The same on a GPU, whose memory is another one then. The buffer must be mapped there.
pub(super) fn on_gpu(
    gpu: &mut GpuDevice,
) -> impl FnMut(&Recording, &Memory, &KernelLaunch, u64) -> Option<Vec<u8>> + use<'_> {
    |recording, memory, launch, buffer| {
        let mut bytes = vec![0; values::BYTES as usize];
        gpu.gpu().map(buffer, values::BYTES).ok()?;
        let ran = gpu.run_apart(memory, &recording.module, launch, (buffer, &mut bytes));
        let _ = gpu.gpu().unmap(buffer);
        ran.is_ok().then_some(bytes)
    }
}

/// Runs the launch again on the emulator and on the `other` engine, and follows the word at `address` back: its last writer comes
/// first, the thread where the two part last. It is empty if no thread of the emulator writes the word.
pub(super) fn find(
    emulator: &Emulator,
    other: &mut Other<'_>,
    before: &Memory,
    launch: &KernelLaunch,
    address: u64,
) -> Vec<Parting> {
    let word = Word { space: Space::Global, block: 0, address, bytes: 4 };
    let Some((who, span)) = last_writer(&mut emulator.unwatched(), before, launch, word, None) else {
        return Vec::new();
    };
    let mut found: Vec<Parting> = Vec::new();
    let mut next = Some(who);
    while let Some(who) = next
        && found.len() < MOST_STEPS
        && found.iter().all(|step| step.who != who)
    {
        let Some((parting, source)) = Search::new(emulator, before, launch, who).and_then(|mut s| s.run(other)) else {
            break;
        };
        found.push(parting);
        next = source;
    }
    if found.is_empty() {
        found.push(Parting { who, span, bits: None });
    }
    found
}

/// The search for the first value of one thread that differs.
struct Search<'a> {
    emulator: Emulator,
    memory: Memory,
    launch: &'a KernelLaunch,
    recording: Recording,
    buffer: u64,
}

impl Search<'_> {
    fn new<'a>(emulator: &Emulator, before: &Memory, launch: &'a KernelLaunch, who: ThreadId) -> Option<Search<'a>> {
        let program = emulator.program()?.clone();
        let recording = Recording::new(program.module(), launch.func, who)?;
        let mut memory = before.clone();
        let mut emulator = emulator.unwatched();
        let buffer = emulator.alloc(&mut memory, Region::Device(0), values::BYTES, 1, "", Span::NONE).ok()?;
        emulator.load(Arc::new(vm::compile(Arc::new(recording.module.clone()), program.globals().to_vec()).ok()?));
        Some(Search { emulator, memory, launch, recording, buffer })
    }

    /// The first value that differs, and the thread that it comes from, if another one has written it to memory.
    fn run(&mut self, other: &mut Other<'_>) -> Option<(Parting, Option<ThreadId>)> {
        let (piece, _) = self.first_difference(other, 0, LOG_ENTRIES, |a, b| a.digest != b.digest)?;
        let first = piece << LOG_ENTRIES;
        let (index, values) = self.first_difference(other, first, 0, |a, b| a.bits != b.bits)?;
        // Where the instructions differ, what decides which comes next is not known.
        let (Some(a), Some(b)) = values else { return None };
        if !a.is_same_place(b) {
            return None;
        }
        let parting = Parting { who: self.recording.who, span: self.recording.span(a), bits: Some([a.bits, b.bits]) };
        let source = match self.recording.origin(a) {
            Origin::Computed => None,
            Origin::Memory => self.source(first + index),
            Origin::Lane => self.value(first + index - 1).and_then(|value| self.lane(value.bits)),
            Origin::Lanes => self.lane((a.bits ^ b.bits).trailing_zeros().into()),
        };
        Some((parting, source))
    }

    /// A value of the thread on the emulator.
    fn value(&mut self, number: u64) -> Option<Value> {
        let launch = self.launch_from(number, 0);
        let bytes = on_emulator(&mut self.emulator, self.memory.clone(), &launch, self.buffer)?;
        values::values(&bytes).first().copied()
    }

    /// The thread in a lane of the warp, if it is another one.
    fn lane(&self, lane: u64) -> Option<ThreadId> {
        let who = self.recording.who;
        let [x, y, z] = who.block.map(|index| u64::from(index) - 1);
        let [gx, gy, _] = self.launch.grid.map(|extent| u64::from(extent.max(1)));
        let found = self.launch.thread(x + gx * (y + gy * z), who.warp * 32 + u32::try_from(lane).ok()?);
        (lane < 32 && found != who).then_some(found)
    }

    /// The number of the first entry that differs, and what the two have there.
    fn first_difference(
        &mut self,
        other: &mut Other<'_>,
        first: u64,
        shift: u64,
        differ: impl Fn(Value, Value) -> bool,
    ) -> Option<(u64, (Option<Value>, Option<Value>))> {
        let launch = self.launch_from(first, shift);
        let ours = on_emulator(&mut self.emulator, self.memory.clone(), &launch, self.buffer)?;
        let theirs = other(&self.recording, &self.memory, &launch, self.buffer)?;
        let [ours, theirs] = [ours, theirs].map(|bytes| values::values(&bytes));
        let pairs = (0..ours.len().max(theirs.len())).map(|i| (ours.get(i).copied(), theirs.get(i).copied()));
        let is_other = |pair: &(Option<Value>, Option<Value>)| match pair {
            (Some(a), Some(b)) => !a.is_same_place(*b) || differ(*a, *b),
            _ => true,
        };
        (0..).zip(pairs).find(|(_, pair)| is_other(pair))
    }

    fn launch_from(&self, first: u64, shift: u64) -> KernelLaunch {
        let mut launch = self.launch.clone();
        launch.args.extend([self.buffer, first, shift].map(Arg::Bits));
        launch
    }

    /// Who wrote what the thread loads as value number `number`; `None` if it was not another thread in this launch.
    fn source(&mut self, number: u64) -> Option<ThreadId> {
        let launch = self.launch_from(number, 0);
        let until = Until { who: self.recording.who, entry: self.buffer };
        let mut read = LastRead { until, launch: &launch, last: None, found: None };
        run_to_end(&mut self.emulator, &mut self.memory.clone(), &launch, &mut read)?;
        let (writer, _) = last_writer(&mut self.emulator, &self.memory, &launch, read.found?, Some(until))?;
        (writer != self.recording.who).then_some(writer)
    }
}

/// What the launch writes into the buffer on the emulator.
fn on_emulator(emulator: &mut Emulator, mut memory: Memory, launch: &KernelLaunch, buffer: u64) -> Option<Vec<u8>> {
    run_to_end(emulator, &mut memory, launch, &mut NoObserver)?;
    let mut bytes = vec![0; values::BYTES as usize];
    memory.read(buffer, &mut bytes)?;
    Some(bytes)
}

/// Bytes in memory.
#[derive(Clone, Copy)]
struct Word {
    space: Space,
    /// Of shared memory, whose it is.
    block: u64,
    address: u64,
    bytes: u32,
}

impl Word {
    fn is_touched_by(&self, access: &DeviceAccess) -> bool {
        access.space == self.space
            && (self.space != Space::Shared || access.block == self.block)
            && access.address < self.address + u64::from(self.bytes)
            && self.address < access.address + u64::from(access.bytes)
    }
}

/// The moment when a thread writes a value down.
#[derive(Clone, Copy)]
struct Until {
    who: ThreadId,
    /// Where.
    entry: u64,
}

impl Until {
    fn is_now(&self, launch: &KernelLaunch, access: &DeviceAccess) -> bool {
        access.write
            && (self.entry..self.entry + ENTRY).contains(&access.address)
            && thread_of(launch, access) == self.who
    }
}

fn thread_of(launch: &KernelLaunch, access: &DeviceAccess) -> ThreadId {
    launch.thread(access.block, access.warp * 32 + access.lane)
}

/// What a thread has read last before it writes a value down.
struct LastRead<'a> {
    until: Until,
    launch: &'a KernelLaunch,
    last: Option<Word>,
    found: Option<Word>,
}

impl Observer for LastRead<'_> {
    fn wants_accesses(&self) -> bool {
        true
    }

    fn on_access(&mut self, access: &DeviceAccess) -> bool {
        if self.found.is_some() {
            return false;
        }
        if self.until.is_now(self.launch, access) {
            self.found = self.last;
        } else if !access.write && thread_of(self.launch, access) == self.until.who {
            let DeviceAccess { space, block, address, bytes, .. } = *access;
            self.last = Some(Word { space, block, address, bytes });
        }
        false
    }
}

/// The thread that wrote a word last.
struct LastWriter<'a> {
    word: Word,
    until: Option<Until>,
    launch: &'a KernelLaunch,
    is_over: bool,
    found: Option<(ThreadId, Span)>,
}

impl Observer for LastWriter<'_> {
    fn wants_accesses(&self) -> bool {
        true
    }

    fn on_access(&mut self, access: &DeviceAccess) -> bool {
        if self.is_over {
            return false;
        }
        if access.write && self.word.is_touched_by(access) {
            self.found = Some((thread_of(self.launch, access), access.span));
        }
        self.is_over = self.until.is_some_and(|until| until.is_now(self.launch, access));
        false
    }
}

/// The thread that wrote a word last, until that moment, and where, if the launch runs on the emulator again.
fn last_writer(
    emulator: &mut Emulator,
    before: &Memory,
    launch: &KernelLaunch,
    word: Word,
    until: Option<Until>,
) -> Option<(ThreadId, Span)> {
    if !matches!(word.space, Space::Global | Space::Shared) {
        return None;
    }
    let mut writer = LastWriter { word, until, launch, is_over: false, found: None };
    run_to_end(emulator, &mut before.clone(), launch, &mut writer)?;
    writer.found
}

#[cfg(test)]
mod tests;
