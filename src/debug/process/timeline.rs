//! The timeline: what the host has asked of the CUDA runtime, and when.
//!
//! Entries are kept by the statement that makes the call and by the number of the call within it, so that an execution that is
//! repeated makes no second entry. Going back keeps the entries of the future; a change by the debugger drops them.
//!
//! Not here: how entries are shown (`session::timeline`).

use device::{Api, Call, GraphCall, KernelLaunch, Strided};
use mem::{Memory, Region};
use source::Span;
use std::collections::BTreeMap;
use vm::Program;

/// Most entries; what comes later is not kept.
const MOST: usize = 1 << 16;

/// A call of the CUDA runtime.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Activity {
    /// What it does.
    pub(crate) what: String,
    /// The stream, where it is one of the call's own.
    pub(crate) stream: Option<u64>,
    /// The statement.
    pub(crate) span: Span,
}

/// A call that the watcher has seen: the time of its statement, its number there, and itself.
pub(crate) type Seen = (u64, u32, Call);

/// The calls so far.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    entries: BTreeMap<(u64, u32), Activity>,
}

impl Timeline {
    /// Adds calls that were seen.
    pub(crate) fn add(&mut self, seen: &mut Vec<Seen>, program: &Program, memory: &Memory) {
        for (time, number, call) in seen.drain(..) {
            let is_known = self.entries.contains_key(&(time, number)) || self.entries.len() >= MOST;
            if !is_known && let Some(activity) = activity(&call, program, memory) {
                self.entries.insert((time, number), activity);
            }
        }
    }

    /// Drops what is after `time`.
    pub(crate) fn forget_after(&mut self, time: u64) {
        self.entries.retain(|at, _| at.0 <= time);
    }

    /// How many entries there are, and how many of them are before `time`.
    pub(crate) fn counts(&self, time: u64) -> (usize, usize) {
        (self.entries.len(), self.entries.range(..(time, 0)).count())
    }

    /// The entries in order, with their times.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u64, &Activity)> {
        self.entries.iter().map(|(at, activity)| (at.0, activity))
    }
}

fn activity(call: &Call, program: &Program, memory: &Memory) -> Option<Activity> {
    let name = call.api.name();
    let event = |event: u64| format!("event {event}");
    let api = if let Api::MemcpyPeer { copy, .. } = &call.api { copy } else { &call.api };
    let (what, stream) = match api {
        Api::Launch(launch) => (launch_text(launch, program), Some(launch.stream)),
        Api::Copy { destination, source, bytes } => (copy(memory, *destination, *source, *bytes), None),
        Api::CopyStrided { destination, source, element_bytes } => {
            (copy(memory, destination.base, source.base, elements(source).saturating_mul(*element_bytes)), None)
        }
        Api::Fill(fill) => {
            let bytes = elements(&fill.target).saturating_mul(fill.element.len() as u64);
            (format!("fill {}, {}", object(memory, fill.target.base), size(bytes)), None)
        }
        Api::Memcpy { destination, source, bytes, stream, .. } => {
            (format!("{name}: {}", copy(memory, *destination, *source, *bytes)), *stream)
        }
        Api::Memcpy2D { destination, source, stream, .. } => {
            (format!("{name}: {} <- {}", object(memory, *destination), object(memory, *source)), *stream)
        }
        Api::Memcpy3D { sides, stream, .. } => {
            let [destination, source] = &**sides;
            (format!("{name}: {} <- {}", object(memory, destination.base), object(memory, source.base)), *stream)
        }
        Api::Memset3D { fill } => (format!("{name}: {}", object(memory, fill.target.base)), None),
        Api::Memset { destination, stream, .. } => (format!("{name}: {}", object(memory, *destination)), *stream),
        Api::Memset2D { destination, .. } => (format!("{name}: {}", object(memory, *destination)), None),
        Api::Alloc { bytes, name: variable, .. } => (format!("{name} {variable}, {}", size(*bytes)), None),
        Api::Free { name: variable, .. } => (format!("{name} {variable}"), None),
        Api::Malloc { bytes, .. } => (format!("{name}: {}", size(*bytes)), None),
        Api::CudaFree { address, .. } => (format!("{name}: {}", object(memory, *address)), None),
        Api::MallocAsync { bytes, stream, .. } => (format!("{name}: {}", size(*bytes)), Some(*stream)),
        Api::FreeAsync { address, stream } => (format!("{name}: {}", object(memory, *address)), Some(*stream)),
        Api::EventRecord { event: number, stream } => (format!("{name}: {}", event(*number)), Some(*stream)),
        Api::EventSynchronize { event: number } => (format!("{name}: the host waits for {}", event(*number)), None),
        Api::EventDestroy { event: number } => (format!("{name}: {}", event(*number)), None),
        Api::StreamWaitEvent { stream, event: number } => {
            (format!("{name}: waits for {}", event(*number)), Some(*stream))
        }
        Api::Graph(GraphCall::Launch { stream, .. }) => (name.to_owned(), Some(*stream)),
        Api::StreamSynchronize { stream } => (format!("{name}: the host waits"), Some(*stream)),
        Api::StreamDestroy { stream } | Api::SetDefaultStream { stream } => (name.to_owned(), Some(*stream)),
        Api::DeviceSynchronize => (format!("{name}: the host waits"), None),
        Api::SetDevice { device } => (format!("{name}: device {device}"), None),
        Api::Library(routine) => (routine.name.to_string(), None),
        Api::MallocPitch { .. }
        | Api::MemHint { .. }
        | Api::EventCreate { .. }
        | Api::StreamCreate { .. }
        | Api::DeviceReset => (name.to_owned(), None),
        // What only asks for something.
        _ => return None,
    };
    Some(Activity { what, stream, span: call.span })
}

/// `k<<<4, (16,16,1)>>>`.
fn launch_text(launch: &KernelLaunch, program: &Program) -> String {
    let extents = |[x, y, z]: [u32; 3]| match (x, y, z) {
        (0, 0, 0) => "*".to_owned(),
        (x, 1, 1) => x.to_string(),
        (x, y, z) => format!("({x},{y},{z})"),
    };
    let name = program.module().func(launch.func).short_name();
    format!("launch {name}<<<{}, {}>>>", extents(launch.grid), extents(launch.block))
}

fn copy(memory: &Memory, destination: u64, source: u64, bytes: u64) -> String {
    format!("{} <- {}, {}", object(memory, destination), object(memory, source), size(bytes))
}

/// What is at an address: the name of the array, or the kind of its memory.
fn object(memory: &Memory, address: u64) -> String {
    let id = memory.find(address).or_else(|| memory.dead_at(address));
    let name = id.map(|id| memory.info(id).name.to_string()).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| {
        match Region::of(address) {
            Some(Region::Device(_)) => "device memory",
            Some(Region::Managed) => "managed memory",
            _ => "host memory",
        }
        .to_owned()
    })
}

fn elements(array: &Strided) -> u64 {
    array.dims.iter().fold(1u64, |n, (extent, _)| n.saturating_mul(u64::try_from(*extent).unwrap_or(0)))
}

fn size(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        n if n >= 10 << 20 => format!("{} MiB", n >> 20),
        n if n >= 10 << 10 => format!("{} KiB", n >> 10),
        n => format!("{n} bytes"),
    }
}
