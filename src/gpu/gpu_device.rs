//! A GPU as the runtime's [`Device`].
//!
//! Addresses are those of the program: the GPU maps memory at them ([`Gpu::map`]), also for module variables, so a pointer in
//! device memory means the same to host, emulator and GPU. The contents of device memory are on the GPU alone. Managed and
//! pinned memory are in [`mem::Memory`], which the host accesses; they are copied to the GPU before a launch and back after it.
//!
//! Commands are put on streams of the GPU, and overlap there as the program's streams and events allow; the host goes on. It waits
//! where the program does ([`Order`]), and before a command that
//!
//! - copies to or from memory that is not page-locked, or calls a routine of a library that NVIDIA's library has not: that is done
//!   when the host goes on;
//! - launches a kernel or calls a routine that can reach managed or page-locked memory, which is copied to the GPU before and back after it;
//! - launches a kernel that may write records, while another one does: records do not say whose they are.
//!
//! A thread of its own hands launches and events to the driver ([`crate::submission`]).
//!
//! [`GpuDevice::advance`] never waits long: it polls. Times between events are the GPU's own.
//!
//! Not here: observers and schedules (a GPU cannot be stopped between statements), findings other than those that compiled code
//! reports itself.

mod apart;
mod commands;
mod libraries;

use crate::attribute::Attribute;
use crate::driver::{Event, Stream};
use crate::error::DriverError;
use crate::flight::Flight;
use crate::gpu::{Gpu, LaunchShape, LoadError, LoadOptions, Loaded, Refused};
use crate::output;
use crate::params::{self, ParamValue};
use crate::ptx;
use crate::transfer::{Memories, cuda_error};
use crate::vendor::Vendors;
use crate::way::Way;
use device::{Arg, Command, CudaError, Device, KernelLaunch, NoObserver, Order, Progress, Properties};
use finding::{Access, Actor, Finding, FindingKind};
use ir::Module;
use mem::{Memory, Region};
use source::SourceMap;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How a program is loaded.
#[derive(Clone, Copy, Debug, Default)]
pub struct GpuOptions<'a> {
    /// The target, if it is not to be the device's own.
    pub sm: Option<u32>,
    /// Whether variables are kept where a debugger finds them.
    pub debug: bool,
    /// The sources, for line numbers.
    pub sources: Option<&'a SourceMap>,
    /// Whether kernels are left as the emulator runs them; otherwise they are optimised for a GPU ([`crate::ptx::optimised`]).
    pub unoptimised: bool,
    /// Whether approximate operations take subnormal numbers as zero, as with `-use_fast_math` of nvcc.
    pub flushes: bool,
}

/// Queries of what the host waits for in one call of `advance` at most.
const POLLS: u64 = 1000;
/// Bytes that are copied at a time.
const PIECE: u64 = 16 << 20;
/// Blocks of a multiprocessor at most.
const MAX_RESIDENT_BLOCKS: u32 = 32;

/// The code of a program, and how it was loaded.
#[derive(Debug)]
struct Code {
    module: Arc<Module>,
    loaded: Loaded,
    globals: Vec<u64>,
    sm: Option<u32>,
    debug: bool,
    unoptimised: bool,
    flushes: bool,
    sources: Option<SourceMap>,
    target: opt::Target,
    /// Whether the program asks for the address that page-locked memory has on a device: it may be in device memory then, where
    /// any kernel finds it.
    is_pinned_exposed: bool,
}

/// What is put on streams.
#[derive(Debug)]
enum Item {
    Command(Command),
    Order(Order),
}

/// What a wait is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wait {
    Everything,
    Stream(u64),
    Event(u64),
}

/// A wait that has begun: the events that have to happen.
#[derive(Debug)]
struct Waiting {
    what: Wait,
    markers: Vec<Event>,
}

/// A GPU with the code of a program.
#[derive(Debug)]
pub struct GpuDevice {
    number: u8,
    properties: Properties,
    code: Option<Code>,
    /// What allocations and launches so far are not above.
    largest: opt::Target,
    /// Bytes of a thread's stack, if the program has set them.
    stack_bytes: Option<u64>,
    queue: VecDeque<Item>,
    flight: Arc<Mutex<Flight>>,
    /// Whether anything was put on a stream since the host waited for everything.
    is_busy: bool,
    /// The launch that may have written records, and the event after it.
    recorder: Option<(KernelLaunch, Event)>,
    /// Whether a launch may have changed memory of the program that the GPU has a copy of.
    is_shared: bool,
    /// Whether what the next command needs has come.
    is_next_ready: bool,
    /// What the host waits for once everything is on its stream.
    host_waits: Option<Wait>,
    waiting: Option<Waiting>,
    /// Events that have happened.
    markers: Vec<Event>,
    output: Vec<u8>,
    findings: Vec<Finding>,
    error: Option<CudaError>,
    sticky: Option<CudaError>,
    /// NVIDIA's libraries.
    vendors: Vendors,
    gpu: Gpu,
}

impl GpuDevice {
    /// GPU `ordinal` of the machine as the program's device `number`.
    ///
    /// # Errors
    /// Without a driver or such a GPU, and what the driver reports.
    pub fn open(ordinal: u32, number: u8) -> Result<GpuDevice, DriverError> {
        GpuDevice::with(Gpu::open(ordinal)?, number, Arc::default())
    }

    /// The first `count` GPUs of the machine as the devices of a program, which may access each other's memory.
    ///
    /// # Errors
    /// Without a driver or so many GPUs, and what the driver reports.
    pub fn open_several(count: u8) -> Result<Vec<GpuDevice>, DriverError> {
        let gpus = Gpu::open_several(u32::from(count))?;
        let flight: Arc<Mutex<Flight>> = Arc::default();
        gpus.into_iter().zip(0..).map(|(gpu, number)| GpuDevice::with(gpu, number, flight.clone())).collect()
    }

    fn with(gpu: Gpu, number: u8, flight: Arc<Mutex<Flight>>) -> Result<GpuDevice, DriverError> {
        Ok(GpuDevice {
            number,
            properties: properties_of(&gpu)?,
            code: None,
            largest: opt::Target { largest_allocation: 0, threads: 0, aligned: true },
            stack_bytes: None,
            queue: VecDeque::new(),
            flight,
            is_busy: false,
            recorder: None,
            is_shared: false,
            is_next_ready: false,
            host_waits: None,
            waiting: None,
            markers: Vec::new(),
            output: Vec::new(),
            findings: Vec::new(),
            error: None,
            sticky: None,
            vendors: Vendors::default(),
            gpu,
        })
    }

    /// Gives the device its code; the module's variables lie at `globals`, by number, in memory that [`Device::alloc`] gave.
    ///
    /// # Errors
    /// What the driver reports, with the log of its compiler. Kernels that cannot run on a GPU are no error: see
    /// [`GpuDevice::refused`].
    pub fn load(&mut self, module: Arc<Module>, globals: &[u64], options: &GpuOptions<'_>) -> Result<(), LoadError> {
        let GpuOptions { sm, debug, sources, unoptimised, flushes } = *options;
        // Nobody holds launches from device code against what code relies on.
        let target = match self.target() {
            target if ptx::has_launches(&module) => opt::Target { threads: u64::MAX, aligned: false, ..target },
            target => target,
        };
        let runtime = self.vendors.device_runtime();
        let load = LoadOptions {
            sm,
            debug,
            sources,
            unoptimised,
            flushes,
            target,
            runtime: runtime.as_deref(),
            globals: Some(globals),
            ..LoadOptions::default()
        };
        let loaded = self.gpu.load(&module, &load)?;
        if let Some(bytes) = self.stack_bytes {
            self.gpu.set_stack_bytes(bytes)?;
        }
        let (globals, sources) = (globals.to_vec(), sources.cloned());
        let is_pinned_exposed = module.funcs.iter().any(|f| f.short_name() == "cudahostgetdevicepointer");
        self.code =
            Some(Code { module, loaded, globals, sm, debug, unoptimised, flushes, sources, target, is_pinned_exposed });
        Ok(())
    }

    /// What code may rely on from now on; allocations and grids may double before it has to be made anew.
    fn target(&self) -> opt::Target {
        let most = |so_far: u64, least: u64| so_far.checked_next_power_of_two().unwrap_or(u64::MAX).max(least);
        let least = opt::Target::default();
        opt::Target {
            largest_allocation: most(self.largest.largest_allocation, least.largest_allocation),
            threads: most(self.largest.threads, least.threads),
            aligned: self.largest.aligned,
        }
    }

    /// Makes the code anew if it relies on what is no longer true, or would not be with this launch; what runs ends before.
    ///
    /// # Errors
    /// What the driver reports. The code of before stays.
    pub fn renew_code(&mut self, memory: &mut Memory, launch: &KernelLaunch) -> Result<(), CudaError> {
        let threads = launch.grid.iter().zip(&launch.block).map(|(&g, &b)| u64::from(g) * u64::from(b));
        self.largest.threads = threads.fold(self.largest.threads, u64::max);
        let relied = self.code.as_ref().map_or(&[][..], |c| c.loaded.relies_on_alignment(launch.func));
        let is_aligned = |&param: &usize| match launch.args.get(param) {
            Some(Arg::Bits(address)) => address % ptx::ALIGNED == 0,
            _ => true,
        };
        self.largest.aligned &= relied.iter().all(is_aligned);
        if self.code.as_ref().is_none_or(|c| c.target.holds(self.largest)) {
            return Ok(());
        }
        self.settle(memory);
        let Some(Code { module, globals, sm, debug, unoptimised, flushes, sources, .. }) = &self.code else {
            return Ok(());
        };
        let (module, globals, sources) = (module.clone(), globals.clone(), sources.clone());
        let options = GpuOptions {
            sm: *sm,
            debug: *debug,
            sources: sources.as_ref(),
            unoptimised: *unoptimised,
            flushes: *flushes,
        };
        self.load(module, &globals, &options).map_err(|e| cuda_error(&e.error))
    }

    /// The kernels that cannot run on a GPU, and why.
    pub fn refused(&self) -> &[Refused] {
        self.code.as_ref().map_or(&[], |code| &code.loaded.refused)
    }

    /// The GPU itself.
    pub fn gpu(&mut self) -> &mut Gpu {
        &mut self.gpu
    }

    fn region(&self) -> Region {
        Region::Device(self.number)
    }

    fn flight(&self) -> MutexGuard<'_, Flight> {
        // A panic elsewhere leaves it as it was between two calls.
        self.flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memories<'a>(&'a mut self, memory: &'a mut Memory, stream: u64) -> Memories<'a> {
        let stream = self.flight().stream(stream);
        Memories { gpu: &mut self.gpu, memory, stream }
    }

    /// Whether the kernel can run here; the limits of its launch have been checked by `device::Runtime`.
    fn check(&mut self, launch: &KernelLaunch) -> Result<(), CudaError> {
        let Some(Code { module, loaded, .. }) = &self.code else { return Err(CudaError::InvalidDeviceFunction) };
        let blocks: u64 = launch.grid.iter().map(|&g| u64::from(g)).product();
        if module.func(launch.func).cooperative && blocks > u64::from(self.resident_grid(launch)[0]) {
            return Err(CudaError::CooperativeLaunchTooLarge);
        }
        if !loaded.has(launch.func) {
            if let Some(refused) = loaded.refused.iter().find(|r| r.kernel == launch.func) {
                let feature = refused.error.to_string();
                let access = Access::step(Actor::Host, refused.error.span);
                self.findings.push(Finding::new(FindingKind::Unsupported { feature }, vec![access]));
            }
            return Err(CudaError::InvalidDeviceFunction);
        }
        Ok(())
    }

    /// The grid of a launch with `*`: as many blocks as the device holds at once.
    pub fn resident_grid(&self, launch: &KernelLaunch) -> [u32; 3] {
        let threads = launch.block.iter().fold(1u32, |n, &b| n.saturating_mul(b)).max(1);
        let p = &self.properties;
        let each = (p.max_threads_per_multiprocessor / threads).clamp(1, MAX_RESIDENT_BLOCKS);
        let shared = u32::try_from(launch.dynamic_shared).unwrap_or(u32::MAX);
        let fits = self.code.as_ref().and_then(|c| c.loaded.resident_blocks(launch.func, threads, shared).ok());
        [each.min(fits.unwrap_or(each)).max(1) * p.multiprocessors, 1, 1]
    }

    /// Puts a launch on its stream.
    fn launch(&mut self, memory: &mut Memory, launch: KernelLaunch) -> Result<(), CudaError> {
        if self.reaches_host(memory, &launch) {
            self.flush();
            self.share(memory, true)?;
            self.is_shared = true;
            self.finish();
        }
        let Some(Code { module, loaded, .. }) = &self.code else { return Err(CudaError::InvalidDeviceFunction) };
        let (shape, params) = packed(module, &launch)?;
        let stream = self.flight().stream(launch.stream);
        let work = Gpu::launch_on(stream.clone(), loaded, launch.func, shape, params);
        work.and_then(|work| self.flight().put(work)).map_err(|e| cuda_error(&e))?;
        if loaded.writes_records(launch.func) {
            self.flush();
            let done = self.marker(&stream).map_err(|e| cuda_error(&e))?;
            self.recorder = Some((launch, done));
        }
        Ok(())
    }

    /// Whether a kernel can reach memory of the program that the GPU has only a copy of.
    fn reaches_host(&self, memory: &Memory, launch: &KernelLaunch) -> bool {
        let in_pinned = |word: u64| Region::of(word) == Some(Region::Pinned) || memory.is_locked(word, 1);
        let word_of = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        let named = || {
            launch.args.iter().any(|arg| match arg {
                Arg::Bits(word) => in_pinned(*word),
                Arg::Bytes(bytes, _) => bytes.chunks(8).any(|word| in_pinned(word_of(word))),
            })
        };
        let (mut managed, mut pinned) = (false, memory.locked().next().is_some());
        for (_, a) in memory.live() {
            managed |= a.region == Region::Managed && a.bytes > 0;
            pinned |= a.region == Region::Pinned && a.bytes > 0;
        }
        let is_exposed = self.code.as_ref().is_some_and(|c| c.is_pinned_exposed);
        managed || pinned && (is_exposed || named())
    }

    /// What must have come before a command can be put on its stream, if that is not so now.
    fn needs(&self, memory: &Memory, command: &Command) -> Option<Wait> {
        if !self.is_busy {
            return None;
        }
        let everything = |is_needed: bool| is_needed.then_some(Wait::Everything);
        if self.is_shared {
            return Some(Wait::Everything);
        }
        if let Command::Launch(launch) = command {
            let writes = self.code.as_ref().is_some_and(|c| c.loaded.writes_records(launch.func));
            return everything(writes && self.recorder.is_some() || self.reaches_host(memory, launch));
        }
        if let Command::Routine(routine) = command
            && routine.vendor.is_some()
        {
            return everything(GpuDevice::routine_reaches_host(routine));
        }
        match Way::of(command) {
            Way::OnStream | Way::Out(_) => None,
            Way::In((_, from, bytes)) => everything(self.flight().is_landing_in(from, bytes)),
            Way::ByHost if self.flight().is_landing() => Some(Wait::Everything),
            Way::ByHost => Some(Wait::Stream(command.stream())),
        }
    }

    /// Puts a command on its stream, or does it.
    fn put(&mut self, memory: &mut Memory, command: Command) -> Result<(), CudaError> {
        let way = Way::of(&command);
        self.is_busy |= way != Way::ByHost;
        let stream = command.stream();
        let failed = |e: DriverError| cuda_error(&e);
        if !matches!(command, Command::Launch(_)) {
            self.flush();
            if let Some(error) = self.sticky {
                return Err(error);
            }
        }
        match way {
            Way::In(moved) => {
                let context = self.gpu.context().clone();
                let done = self.flight().copy_in(&context, stream, memory, moved).map_err(failed)?;
                return done.ok_or(CudaError::InvalidValue);
            }
            Way::Out(moved) => {
                let context = self.gpu.context().clone();
                return self.flight().copy_out(&context, stream, memory, moved).map_err(failed);
            }
            Way::OnStream | Way::ByHost => {}
        }
        if let Command::Routine(routine) = &command
            && let Some(call) = routine.vendor.clone()
        {
            return self.put_routine(memory, routine, &call);
        }
        // On a default stream, a copy between two GPUs comes after everything on both, and before all that follows.
        let is_between = way == Way::OnStream && stream <= 1 && self.is_between(&command);
        if is_between {
            self.gpu.synchronize_all().map_err(failed)?;
        }
        let mut memories = self.memories(memory, stream);
        match &command {
            Command::Launch(launch) => self.launch(memory, launch.clone()),
            Command::Copy { destination, source, bytes, .. } => memories.copy(*destination, *source, *bytes),
            Command::CopyStrided { destination, source, element_bytes, .. } => {
                memories.copy_strided(destination, source, *element_bytes)
            }
            Command::Fill { fill, .. } => memories.fill(fill),
            Command::Routine(routine) => {
                let mut found = Vec::new();
                let done = routine.run(&mut memories, &mut found);
                self.findings.extend(found);
                done
            }
        }?;
        if is_between { self.gpu.synchronize().map_err(failed) } else { Ok(()) }
    }

    /// Whether a command copies from or to another GPU.
    fn is_between(&self, command: &Command) -> bool {
        let is_other = |address: u64| Region::of(address) != Some(self.region());
        match command {
            Command::Copy { destination, source, .. } => is_other(*destination) || is_other(*source),
            Command::CopyStrided { destination, source, .. } => is_other(destination.base) || is_other(source.base),
            Command::Launch(_) | Command::Fill { .. } | Command::Routine(_) => false,
        }
    }

    /// Waits until all work is on its streams. An error of an earlier launch is kept; what comes after it goes on, unless the error stays.
    fn flush(&mut self) {
        let context = self.gpu.context().clone();
        let flushed = self.flight().flush(&context);
        if let Err(error) = flushed {
            self.fail(cuda_error(&error));
        }
    }

    /// Does to the GPU's streams and events what the program did to its own.
    fn put_order(&mut self, order: Order) -> Result<(), DriverError> {
        let context = self.gpu.context().clone();
        match order {
            Order::StreamMade { stream, blocking, priority } => {
                self.flight().make_stream(&context, stream, blocking, priority)?;
            }
            Order::StreamGone(stream) => self.flight().drop_stream(stream),
            Order::EventGone(event) => self.flight().drop_event(event),
            Order::Recorded { event, stream } => self.flight().record(&context, event, stream)?,
            Order::StreamWaits { stream, event } => self.flight().wait_for_event(&context, stream, event)?,
            Order::HostWaitsForDevice | Order::HostWaitsForStream(_) | Order::HostWaitsForEvent(_) => {}
        }
        Ok(())
    }

    /// An event after what is on the stream.
    fn marker(&mut self, stream: &Stream) -> Result<Event, DriverError> {
        let context = stream.context().unwrap_or(self.gpu.context());
        let at = self.markers.iter().rposition(|marker| marker.is_of(context));
        let marker = match at {
            Some(at) => self.markers.swap_remove(at),
            None => Event::new(context)?,
        };
        marker.record(stream)?;
        Ok(marker)
    }

    /// Begins a wait.
    fn wait(&mut self, what: Wait) -> Result<(), DriverError> {
        self.flush();
        let streams = match what {
            Wait::Everything if self.is_busy => self.flight().all_streams(self.gpu.context()),
            Wait::Stream(stream) => {
                let stream = self.flight().stream(stream);
                let is_own = stream.context().is_none_or(|context| Arc::ptr_eq(context, self.gpu.context()));
                if is_own && !self.is_busy { Vec::new() } else { vec![stream] }
            }
            Wait::Everything | Wait::Event(_) => Vec::new(),
        };
        let mut markers = Vec::new();
        for stream in &streams {
            markers.push(self.marker(stream)?);
        }
        self.waiting = Some(Waiting { what, markers });
        Ok(())
    }

    /// Whether what is waited for has come.
    fn has_come(&mut self) -> Result<bool, DriverError> {
        let Some(waiting) = &mut self.waiting else { return Ok(true) };
        while let Some(marker) = waiting.markers.last() {
            if !marker.is_done()? {
                return Ok(false);
            }
            self.markers.extend(waiting.markers.pop());
        }
        match waiting.what {
            Wait::Event(event) => self.flight().is_event_done(event),
            Wait::Everything | Wait::Stream(_) => Ok(true),
        }
    }

    /// What was waited for has come: takes the results.
    fn arrive(&mut self, memory: &mut Memory, what: Wait) -> Result<(), CudaError> {
        if !self.is_busy && !self.flight().is_landing() {
            return Ok(());
        }
        let failed = |e: DriverError| cuda_error(&e);
        let everything = what == Wait::Everything;
        if everything {
            self.is_busy = false;
            self.flight().all_is_done(self.gpu.context());
        }
        let landed = self.flight().land(memory).map_err(failed)?;
        let mut drained = Ok(());
        if let Some((launch, done)) = self.recorder.take_if(|(_, done)| !matches!(done.is_done(), Ok(false))) {
            drained = self.drain(&launch).map_err(failed)?;
            self.markers.push(done);
        }
        if everything && std::mem::take(&mut self.is_shared) {
            self.share(memory, false)?;
        }
        landed.ok_or(CudaError::InvalidValue)?;
        drained
    }

    /// Takes the records of a launch that is over; the second error is that of a fault which they report.
    fn drain(&mut self, launch: &KernelLaunch) -> Result<Result<(), CudaError>, DriverError> {
        let drained = self.gpu.drain_records()?;
        if let Some(Code { module, .. }) = &self.code {
            let (output, findings) = output::output_of(&drained, launch, module);
            self.output.extend(output);
            self.findings.extend(findings);
        }
        let of_this = |f: &Finding| f.launch.as_ref().is_some_and(|l| l.number == launch.number);
        let is_fault = drained.faults > 0 && self.findings.iter().any(of_this);
        Ok(if is_fault { Err(CudaError::LaunchFailure) } else { Ok(()) })
    }

    /// Waits until everything is done.
    fn settle(&mut self, memory: &mut Memory) {
        self.finish();
        while self.advance(memory, u64::MAX, &mut NoObserver) == Progress::Busy {}
    }

    /// Copies managed, pinned and locked memory to the GPU, or back.
    fn share(&mut self, memory: &mut Memory, to_gpu: bool) -> Result<(), CudaError> {
        let is_shared = |region| matches!(region, Region::Managed | Region::Pinned);
        if to_gpu {
            return self.give(memory, is_shared);
        }
        each_piece(memory, is_shared).into_iter().try_for_each(|(address, bytes)| {
            let mut piece = vec![0; bytes];
            self.gpu.read(address, &mut piece).map_err(|e| cuda_error(&e))?;
            memory.write(address, &piece).ok_or(CudaError::InvalidValue)
        })
    }

    /// Gives the GPU the contents of the program's memory in some regions.
    fn give(&mut self, memory: &Memory, is_wanted: impl Fn(Region) -> bool) -> Result<(), CudaError> {
        each_piece(memory, is_wanted).into_iter().try_for_each(|(address, bytes)| {
            let mut piece = vec![0; bytes];
            memory.read(address, &mut piece).ok_or(CudaError::InvalidValue)?;
            self.gpu.write(address, &piece).map_err(|e| cuda_error(&e))
        })
    }

    fn fail(&mut self, error: CudaError) {
        self.error = Some(error);
        if error.is_sticky() {
            self.sticky = Some(error);
            // Nothing comes any more.
            (self.is_busy, self.is_shared, self.recorder) = (false, false, None);
        }
    }
}

/// Addresses and sizes of the allocations in some regions and of locked memory, in pieces that are copied at a time.
fn each_piece(memory: &Memory, is_wanted: impl Fn(Region) -> bool) -> Vec<(u64, usize)> {
    let wanted = memory.live().filter(|(_, a)| is_wanted(a.region)).map(|(_, a)| (a.base, a.bytes));
    let pieces = |(base, bytes): (u64, u64)| {
        (0..bytes).step_by(PIECE as usize).map(move |at| (base + at, (bytes - at).min(PIECE) as usize))
    };
    wanted.chain(memory.locked()).flat_map(pieces).collect()
}

/// The shape and the parameter memory of a launch.
fn packed(module: &Module, launch: &KernelLaunch) -> Result<(LaunchShape, Vec<u8>), CudaError> {
    let values: Vec<ParamValue<'_>> = launch.args.iter().map(value_of).collect();
    let params = params::pack(module.func(launch.func), &values).map_err(|_| CudaError::InvalidValue)?;
    let shared_bytes = u32::try_from(launch.dynamic_shared).map_err(|_| CudaError::InvalidValue)?;
    Ok((LaunchShape { grid: launch.grid, block: launch.block, shared_bytes }, params))
}

fn value_of(arg: &Arg) -> ParamValue<'_> {
    match arg {
        Arg::Bits(word) => ParamValue::Word(*word),
        Arg::Bytes(bytes, _) => ParamValue::Bytes(bytes),
    }
}

fn properties_of(gpu: &Gpu) -> Result<Properties, DriverError> {
    let small = |attribute| gpu.attribute(attribute).map(|v| v.max(0) as u32);
    let bytes = |attribute| small(attribute).map(u64::from);
    Ok(Properties {
        name: gpu.name()?,
        sm: gpu.compute_capability()?,
        total_global_mem: gpu.memory_info()?.1,
        shared_mem_per_block: bytes(Attribute::SharedBytesPerBlock)?,
        shared_mem_per_block_optin: bytes(Attribute::SharedBytesPerBlockOptin)?,
        shared_mem_per_multiprocessor: bytes(Attribute::SharedBytesPerMultiprocessor)?,
        total_const_mem: bytes(Attribute::ConstantBytes)?,
        regs_per_block: small(Attribute::RegistersPerBlock)?,
        max_threads_per_block: small(Attribute::MaxThreadsPerBlock)?,
        max_threads_per_multiprocessor: small(Attribute::MaxThreadsPerMultiprocessor)?,
        max_threads_dim: [
            small(Attribute::MaxBlockDimX)?,
            small(Attribute::MaxBlockDimY)?,
            small(Attribute::MaxBlockDimZ)?,
        ],
        max_grid_size: [small(Attribute::MaxGridDimX)?, small(Attribute::MaxGridDimY)?, small(Attribute::MaxGridDimZ)?],
        multiprocessors: small(Attribute::MultiprocessorCount)?,
        clock_rate: small(Attribute::ClockKilohertz)?,
        memory_clock_rate: small(Attribute::MemoryClockKilohertz)?,
        memory_bus_width: small(Attribute::MemoryBusBits)?,
    })
}
