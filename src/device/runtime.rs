//! The CUDA runtime API on top of any device: errors, streams, events, and the order of calls.
//!
//! Nothing here waits (invariant I8), so a call has two halves. [`Runtime::begin`] checks it and submits commands. Then the
//! owner of the device advances it until it is idle, and [`Runtime::finish`] gives the reply. A call that needs nothing from
//! the device is answered by `begin`.
//!
//! Errors follow the CUDA Runtime API manual, "Error Handling". An error in the call itself is its result and becomes the last
//! error. An error of an asynchronous command is held until a call that waits reports it. A sticky error is the result of every
//! later call.
//!
//! Parts: launches (`launch`), streams and events (`streams`), memory (`memory`), inquiries (`inquire`).
//!
//! Not here: running anything (`emu`, `gpu`).

mod graphs;
mod inquire;
mod launch;
mod memory;
mod streams;

pub use inquire::{DEFAULT_LIMITS, RUNTIME_VERSION, attribute, property_type};
pub use launch::{launch_error, launch_fault};
pub use memory::{MEMORY_OF_C, allocation_of, free_fault, origin_of, space_of};

use self::graphs::Graphs;
use crate::{
    Api, Call, Command, CudaError, Device, Kernels, Order, OrderStep, Reply, Routine, Strided, VendorLibraries, Work,
};
use finding::{Access, Actor, Allocation, ApiFault, Finding, FindingKind, LaunchFault, LeakKind};
use mem::{Memory, Region};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Handles of streams and events are greater than this number, so they differ from CUDA's own constants.
const FIRST_STREAM: u64 = 0x100;
const FIRST_EVENT: u64 = 0x10_000;

/// State of the CUDA runtime of one process.
#[derive(Clone, Debug)]
pub struct Runtime {
    pub(crate) device_count: u32,
    pub(crate) current: u32,
    pub(crate) limits: BTreeMap<(u32, i32), u64>,
    /// Pairs of devices whose peer access is enabled.
    pub(crate) peers: BTreeSet<(u32, u32)>,
    pub(crate) made: BTreeMap<u64, AllocatedBy>,
    /// Bytes of dynamic shared memory that kernels were allowed beyond the ordinary limit.
    pub(crate) shared_limits: BTreeMap<ir::FuncId, u64>,
    last_error: i32,
    sticky: Option<CudaError>,
    held: Option<CudaError>,
    unseen: Vec<UncheckedError>,
    launch_fault: Option<LaunchFault>,
    /// The code with which the last launch failed, 0 if it has begun.
    launch_error: i32,
    last_launch: Option<(String, Span)>,
    streams: BTreeMap<u64, Handle>,
    events: BTreeMap<u64, Event>,
    next_stream: u64,
    next_event: u64,
    default_stream: u64,
    /// Streams of single arrays, by their first address.
    array_streams: BTreeMap<u64, u64>,
    launches: u64,
    graphs: Graphs,
    findings: Vec<Finding>,
    steps: Vec<OrderStep>,
}

/// Which call made an allocation; a wrong way to free it is an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AllocatedBy {
    Allocate,
    CudaMalloc,
    CudaMallocHost,
}

/// An error of a launch that the program has not checked.
#[derive(Clone, Debug)]
struct UncheckedError {
    error: CudaError,
    call: String,
    span: Span,
    fault: Option<LaunchFault>,
}

#[derive(Clone, Copy, Debug)]
struct Handle {
    made_at: Span,
    device: u32,
    priority: i32,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    made_at: Span,
    device: u32,
    recorded_ms: Option<f64>,
    /// Made without `cudaEventDisableTiming`.
    timed: bool,
}

/// What `begin` did.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// The call is answered.
    Done(Reply),
    /// The device has work to do; when it is idle, ask [`Runtime::finish`].
    Wait(Waiting),
}

/// A call whose second half is due.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiting {
    call: &'static str,
    span: Span,
    half: Half,
}

/// What the second half of a call does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Half {
    /// A launch: nothing to report.
    Launch,
    /// Errors of asynchronous commands are reported, and output of kernels is due.
    Report,
    /// A routine of a library, whose status counts; errors are reported if the host waits for it, else held.
    Routine { waits: bool },
    /// Errors are held for a later call.
    Hold,
    /// The device forgets its errors.
    Reset,
    /// The event gets its time.
    Record(u64),
}

impl Waiting {
    /// Whether the program has waited for the device, so that the output of kernels must be shown.
    pub fn shows_output(&self) -> bool {
        matches!(self.half, Half::Report | Half::Routine { waits: true })
    }

    /// Whether [`Runtime::finish`] wants to know the time.
    pub fn needs_time(&self) -> bool {
        matches!(self.half, Half::Record(_))
    }
}

/// The result of a half that may fail.
pub(crate) type Outcome<T> = Result<T, CudaError>;

impl Runtime {
    /// A runtime that offers `device_count` devices of one kind.
    pub fn new(device_count: u32) -> Runtime {
        Runtime {
            device_count,
            current: 0,
            limits: BTreeMap::new(),
            peers: BTreeSet::new(),
            made: BTreeMap::new(),
            shared_limits: BTreeMap::new(),
            last_error: 0,
            sticky: None,
            held: None,
            unseen: Vec::new(),
            launch_fault: None,
            launch_error: 0,
            last_launch: None,
            streams: BTreeMap::new(),
            events: BTreeMap::new(),
            next_stream: FIRST_STREAM,
            next_event: FIRST_EVENT,
            default_stream: 0,
            array_streams: BTreeMap::new(),
            launches: 0,
            graphs: Graphs::default(),
            findings: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// How many launches there were.
    pub fn launches(&self) -> u64 {
        self.launches
    }

    /// The region of the device that is selected.
    pub fn region(&self) -> Region {
        Region::Device(self.current as u8)
    }

    /// Number of the device that is selected.
    pub fn current_device(&self) -> u32 {
        self.current
    }

    /// What was found since the last call.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    /// How host and commands were ordered since the last call.
    pub fn take_order_steps(&mut self) -> Vec<OrderStep> {
        std::mem::take(&mut self.steps)
    }

    /// Orders host and streams, and reports the order to the observer.
    pub(crate) fn order(&mut self, device: &mut dyn Device, order: Order) {
        if matches!(order, Order::HostWaitsForStream(stream) if self.graphs.has(stream)) {
            // A copy that is captured; nothing has been done that the host could wait for.
            return;
        }
        device.order(order);
        let on = match order {
            Order::Recorded { stream, .. }
            | Order::StreamWaits { stream, .. }
            | Order::HostWaitsForStream(stream)
            | Order::StreamGone(stream) => self.device_of(stream),
            _ => self.current,
        };
        self.steps.push(OrderStep::Ordered { device: on, order });
    }

    /// The device of a stream.
    pub(crate) fn device_of(&self, stream: u64) -> u32 {
        self.streams.get(&stream).map_or(self.current, |made| made.device)
    }

    /// A copy for which the host waits cannot be captured.
    pub(crate) fn forbid_waiting_copy(&mut self, waits: bool, stream: u64) -> Outcome<()> {
        if waits { self.graphs.forbid_waiting(Some(stream)) } else { Ok(()) }
    }

    /// How many devices there are.
    pub fn device_count(&self) -> u32 {
        self.device_count
    }

    /// Puts a command on its stream, and reports it to the observer.
    pub(crate) fn submit(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        command: Command,
        call: &'static str,
    ) -> Outcome<()> {
        let flat = |base, bytes| vec![(Strided { base, dims: vec![(bytes as i64, 1)] }, 1)];
        let (written, read) = match &command {
            // A launch is reported by its name, which its caller knows.
            Command::Launch(_) => return device.submit(memory, command),
            Command::Copy { destination, source, bytes, .. } => (flat(*destination, *bytes), flat(*source, *bytes)),
            Command::CopyStrided { destination, source, element_bytes, .. } => {
                (vec![(destination.clone(), *element_bytes)], vec![(source.clone(), *element_bytes)])
            }
            Command::Fill { fill, .. } => (vec![(fill.target.clone(), fill.element.len() as u64)], Vec::new()),
            Command::Routine(routine) => (routine.writes.clone(), routine.reads.clone()),
        };
        if self.graphs.take_command(&command, call)? {
            return Ok(());
        }
        let (stream, span) = (command.stream(), command.span());
        device.submit(memory, command)?;
        let work = Work::Transfer { call, written, read };
        let device = self.device_of(stream);
        self.steps.push(OrderStep::Submitted { work, device, stream, span });
        Ok(())
    }

    /// Takes a call: checks it, submits commands.
    pub fn begin(&mut self, device: &mut dyn Device, memory: &mut Memory, call: Call, kernels: &dyn Kernels) -> Step {
        let is_launch = matches!(call.api, Api::Launch(_));
        let step = self.take(device, memory, call, kernels);
        if is_launch {
            self.launch_error = if let Step::Done(reply) = &step { reply.code } else { 0 };
        }
        step
    }

    fn take(&mut self, device: &mut dyn Device, memory: &mut Memory, call: Call, kernels: &dyn Kernels) -> Step {
        let (name, span) = (call.api.name(), call.span);
        match call.api {
            Api::GetLastError => {
                let code = self.sticky.map_or(std::mem::take(&mut self.last_error), CudaError::code);
                self.saw(code);
                return Step::Done(Reply { code, value: 0 });
            }
            Api::PeekAtLastError => {
                let code = self.sticky.map_or(self.last_error, CudaError::code);
                self.saw(code);
                return Step::Done(Reply { code, value: 0 });
            }
            Api::LaunchError => return Step::Done(Reply { code: self.launch_error, value: 0 }),
            Api::GetDefaultStream { address } => {
                let value = self.implicit_stream(memory, [address]);
                return Step::Done(Reply { code: 0, value });
            }
            _ => {}
        }
        if let Some(error) = self.sticky
            && !matches!(call.api, Api::DeviceReset)
        {
            return Step::Done(self.fail(name, span, error));
        }
        let half = match call.api {
            Api::Launch(launch) => return self.launch(device, memory, launch, span, kernels),
            Api::DeviceSynchronize if let Err(error) = self.graphs.forbid_waiting(None) => Err(error),
            Api::Alloc { .. } if let Some(Err(error)) = self.graphs.captured_call(&call.api) => Err(error),
            Api::Graph(call) => self.graph_call(device, memory, &call, span),
            Api::DeviceSynchronize => {
                self.order(device, Order::HostWaitsForDevice);
                Ok(Some(Half::Report))
            }
            Api::DeviceReset => {
                self.order(device, Order::HostWaitsForDevice);
                let locked: Vec<u64> = memory.locked().map(|(address, _)| address).collect();
                let unlocked = locked.iter().try_for_each(|&address| device.unlock(memory, address));
                locked.iter().for_each(|&address| _ = memory.unlock(address));
                unlocked.map(|()| Some(Half::Reset))
            }
            // The library takes these.
            Api::Library(_) => Err(CudaError::InvalidValue),
            Api::Answer { code: 0, .. } => Ok(None),
            Api::Answer { code, .. } => Err(CudaError::from_code(code).unwrap_or(CudaError::Unknown)),
            Api::Alloc { region, bytes, align, name: variable } => {
                return match self.allocate(device, memory, region, bytes, align, &variable, AllocatedBy::Allocate, span)
                {
                    Ok(value) => Step::Done(Reply { code: 0, value }),
                    Err(error) => Step::Done(Reply { code: error.code(), value: 0 }),
                };
            }
            Api::FuncGetAttributes { .. } | Api::FuncSetAttribute { .. } | Api::OccupancyMaxActiveBlocks { .. } => {
                self.kernel_call(device, memory, &call.api, kernels).map(|()| None)
            }
            other => self.stream_call(device, memory, other, name, span),
        };
        match half {
            Ok(None) => Step::Done(Reply::default()),
            Ok(Some(half)) => Step::Wait(Waiting { call: name, span, half }),
            Err(error) => Step::Done(self.fail(name, span, error)),
        }
    }

    /// Puts a routine of a library on its stream; its sections are checked. The host waits for it, or not.
    pub fn routine(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        routine: Routine,
        waits: bool,
    ) -> Result<Step, CudaError> {
        if let Some(error) = self.sticky {
            return Err(error);
        }
        let (call, stream, span) = (routine.name, routine.stream, routine.span);
        self.forbid_waiting_copy(waits, stream)?;
        self.submit(device, memory, Command::Routine(routine), call)?;
        if waits {
            self.order(device, Order::HostWaitsForStream(stream));
        }
        Ok(Step::Wait(Waiting { call, span, half: Half::Routine { waits } }))
    }

    /// The second half of a call, once the device is idle. `now_ms` is the time of an event, in milliseconds since any
    /// moment; it matters where [`Waiting::needs_time`].
    pub fn finish(&mut self, device: &mut dyn Device, waiting: &Waiting, now_ms: f64) -> Reply {
        self.absorb(device);
        if let Half::Routine { .. } = waiting.half
            && let Some(status) = device.vendor().and_then(VendorLibraries::take_status)
        {
            let reason = format!("NVIDIA's library gives status {status}");
            self.report(waiting.call, ApiFault::InvalidArgument { reason }, waiting.span);
            return Reply { code: status, value: 0 };
        }
        match waiting.half {
            Half::Launch | Half::Hold | Half::Routine { waits: false } => Reply::default(),
            Half::Reset => match device.reset() {
                Ok(()) => {
                    (self.sticky, self.held, self.last_error) = (None, None, 0);
                    self.graphs = Graphs::default();
                    self.reset_limits(device);
                    Reply::default()
                }
                Err(error) => {
                    let feature = "`cudaDeviceReset` after an error that has corrupted the context of a GPU".to_owned();
                    let step = Access::step(Actor::Host, waiting.span);
                    self.findings.push(Finding::new(FindingKind::Unsupported { feature }, vec![step]));
                    self.fail(waiting.call, waiting.span, error)
                }
            },
            Half::Record(event) => {
                if let Some(event) = self.events.get_mut(&event) {
                    event.recorded_ms = Some(now_ms);
                }
                Reply::default()
            }
            Half::Report | Half::Routine { waits: true } => match self.held.take() {
                None => Reply::default(),
                Some(error) => {
                    if error.is_sticky() {
                        self.sticky = Some(error);
                    }
                    self.fail(waiting.call, waiting.span, error)
                }
            },
        }
    }

    /// Whether the device has failed permanently and does nothing any more.
    pub fn has_failed(&self) -> bool {
        self.sticky.is_some()
    }

    /// Reports at the end of the program which errors it never checked and what it never freed. The devices are idle and their
    /// errors absorbed;
    /// `is_explained` says that one has reported itself why a launch failed.
    pub fn end(&mut self, memory: &Memory, is_explained: bool, heap: Option<&[u64]>) {
        if let Some(error) = self.held.take().filter(|_| self.sticky.is_none())
            && let Some((kernel, span)) = self.last_launch.clone()
        {
            self.leave_unseen(UncheckedError { error, call: format!("launch of {kernel}"), span, fault: None });
        }
        let told = |u: &UncheckedError| is_explained && u.error.is_sticky();
        for UncheckedError { error, call, span, fault } in
            std::mem::take(&mut self.unseen).into_iter().filter(|u| !told(u))
        {
            let kind = if let Some(fault) = fault {
                FindingKind::Launch { fault }
            } else {
                let (name, meaning) = (error.name().to_owned(), error.text().to_owned());
                FindingKind::Api { call, fault: ApiFault::Unchecked { error: name, meaning } }
            };
            self.findings.push(Finding::new(kind, vec![Access::step(Actor::Host, span)]));
        }
        if let Some(heap) = heap {
            self.leaks(memory, heap);
        }
    }

    fn leaks(&mut self, memory: &Memory, heap: &[u64]) {
        let leak = |what, allocation| Finding::new(FindingKind::Leak { what, allocation }, Vec::new());
        for (_, alloc) in memory.live() {
            let what = match Region::of(alloc.base) {
                _ if !self.made.contains_key(&alloc.base) => LeakKind::Heap,
                Some(Region::Pinned) => LeakKind::Pinned,
                _ => LeakKind::Device,
            };
            if what != LeakKind::Heap || heap.binary_search(&alloc.base).is_ok() {
                let name = (!alloc.name.is_empty()).then(|| alloc.name.to_string());
                let allocation = Allocation { name, base: alloc.base, bytes: alloc.bytes, span: alloc.span };
                self.findings.push(leak(what, allocation));
            }
        }
        let handle = |span| Allocation { name: None, base: 0, bytes: 0, span };
        for stream in self.streams.values() {
            self.findings.push(leak(LeakKind::Stream, handle(stream.made_at)));
        }
        let (graphs, executables) = self.graphs.leaks();
        for (leaks, what) in
            [(graphs.collect::<Vec<_>>(), LeakKind::Graph), (executables.collect(), LeakKind::ExecutableGraph)]
        {
            self.findings.extend(leaks.into_iter().map(|made_at| leak(what, handle(made_at))));
        }
        for event in self.events.values() {
            self.findings.push(leak(LeakKind::Event, handle(event.made_at)));
        }
    }

    /// Takes the error of an asynchronous command from a device.
    pub fn absorb(&mut self, device: &mut dyn Device) {
        if let Some(error) = device.take_error() {
            self.held.get_or_insert(error);
        }
    }

    /// A call fails with an error that it reports itself.
    fn fail(&mut self, call: &str, span: Span, error: CudaError) -> Reply {
        self.last_error = error.code();
        self.graphs.note_broken(call, span);
        if error.is_sticky() {
            self.sticky = Some(error);
        }
        if call == "launch" {
            let call = self.last_launch.as_ref().map_or_else(|| "launch".to_owned(), |(k, _)| format!("launch of {k}"));
            let fault = self.launch_fault.take();
            self.leave_unseen(UncheckedError { error, call, span, fault });
        } else {
            self.saw(error.code());
        }
        Reply { code: error.code(), value: 0 }
    }

    /// The limits of the device that is selected are those of a device that nobody has used.
    fn reset_limits(&mut self, device: &mut dyn Device) {
        for (limit, value) in (0..).zip(DEFAULT_LIMITS) {
            if self.limits.remove(&(self.current, limit)).is_some() {
                device.set_limit(limit, value);
            }
        }
    }

    /// Keeps an error that the program has not looked at. Each launch that cannot start is a mistake of its own; of other errors
    /// the first is the cause.
    fn leave_unseen(&mut self, error: UncheckedError) {
        let is_known = self.unseen.iter().any(|u| u.span == error.span && u.fault == error.fault);
        if !is_known && (error.fault.is_some() || self.unseen.iter().all(|u| u.fault.is_some())) {
            self.unseen.push(error);
        }
    }

    /// The program got an error code; handling it is the program's task.
    fn saw(&mut self, code: i32) {
        if code != 0 {
            self.unseen.clear();
        }
    }

    /// Reports a call that went wrong in a way that deserves more than its code.
    pub fn report(&mut self, call: &str, fault: ApiFault, span: Span) {
        let kind = FindingKind::Api { call: call.to_owned(), fault };
        self.findings.push(Finding::new(kind, vec![Access::step(Actor::Host, span)]));
    }

    /// Keeps a finding that a call has made.
    pub(crate) fn found(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

/// Writes a result to an address that the program gave.
pub(crate) fn put(memory: &mut Memory, at: u64, bytes: &[u8]) -> Outcome<()> {
    let on_host = Region::of(at).is_some_and(Region::is_host_accessible);
    if !on_host {
        return Err(CudaError::InvalidValue);
    }
    memory.write(at, bytes).ok_or(CudaError::InvalidValue)
}
