//! A GPU as the runtime's [`Device`].
//!
//! Addresses are those of the program: the GPU maps memory at them ([`Gpu::map`]), also for module variables, so a pointer in
//! device memory means the same to host, emulator and GPU. The contents of device memory are on the GPU alone. Managed and
//! pinned memory are in [`mem::Memory`], which the host accesses; they are copied to the GPU before a launch and back after it.
//!
//! Commands run one after another in the order in which they were submitted, and none overlaps another. Whatever order streams
//! allow, this is one of them. [`GpuDevice::advance`] never waits long: it polls a running kernel. Events count the time that
//! the GPU took for the commands.
//!
//! Not here: observers and schedules (a GPU cannot be stopped between statements), findings other than those that compiled code
//! reports itself.

use crate::attribute::Attribute;
use crate::error::DriverError;
use crate::gpu::{Gpu, LaunchShape, LoadError, LoadOptions, Loaded, Refused};
use crate::output;
use crate::params::{self, ParamValue};
use crate::transfer::{Memories, cuda_error};
use device::{Arg, Command, CudaError, Device, KernelLaunch, NoObserver, Observer, Progress, Properties};
use finding::{Access, Actor, Finding, FindingKind};
use ir::Module;
use mem::{Memory, Region};
use source::{SourceMap, Span};
use std::collections::VecDeque;
use std::sync::Arc;

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
}

/// Queries of a running kernel in one call of `advance` at most.
const POLLS: u64 = 1000;
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
    sources: Option<SourceMap>,
    target: opt::Target,
}

/// A GPU with the code of a program.
#[derive(Debug)]
pub struct GpuDevice {
    number: u8,
    properties: Properties,
    code: Option<Code>,
    /// Bytes of the largest allocation so far.
    largest_allocation: u64,
    /// Bytes of a thread's stack, if the program has set them.
    stack_bytes: Option<u64>,
    queue: VecDeque<Command>,
    running: Option<KernelLaunch>,
    elapsed_ms: f64,
    output: Vec<u8>,
    findings: Vec<Finding>,
    error: Option<CudaError>,
    sticky: Option<CudaError>,
    gpu: Gpu,
}

impl GpuDevice {
    /// GPU `ordinal` of the machine as the program's device `number`.
    ///
    /// # Errors
    /// Without a driver or such a GPU, and what the driver reports.
    pub fn open(ordinal: u32, number: u8) -> Result<GpuDevice, DriverError> {
        let gpu = Gpu::open(ordinal)?;
        Ok(GpuDevice {
            number,
            properties: properties_of(&gpu)?,
            code: None,
            largest_allocation: 0,
            stack_bytes: None,
            queue: VecDeque::new(),
            running: None,
            elapsed_ms: 0.0,
            output: Vec::new(),
            findings: Vec::new(),
            error: None,
            sticky: None,
            gpu,
        })
    }

    /// Gives the device its code; the module's variables lie at `globals`, by number, in memory that [`Device::alloc`] gave.
    ///
    /// # Errors
    /// What the driver reports, with the log of its compiler. Kernels that cannot run on a GPU are no error: see
    /// [`GpuDevice::refused`].
    pub fn load(&mut self, module: Arc<Module>, globals: &[u64], options: &GpuOptions<'_>) -> Result<(), LoadError> {
        let GpuOptions { sm, debug, sources, unoptimised } = *options;
        let target = self.target();
        let load =
            LoadOptions { sm, debug, sources, unoptimised, target, globals: Some(globals), ..LoadOptions::default() };
        let loaded = self.gpu.load(&module, &load)?;
        if let Some(bytes) = self.stack_bytes {
            self.gpu.set_stack_bytes(bytes)?;
        }
        let (globals, sources) = (globals.to_vec(), sources.cloned());
        self.code = Some(Code { module, loaded, globals, sm, debug, unoptimised, sources, target });
        Ok(())
    }

    /// What code may rely on from now on; allocations may double before it has to be made anew.
    fn target(&self) -> opt::Target {
        let most = self.largest_allocation.checked_next_power_of_two().unwrap_or(u64::MAX);
        opt::Target { largest_allocation: most.max(opt::Target::default().largest_allocation) }
    }

    /// Makes the code anew if it relies on what is no longer true; what runs ends before.
    ///
    /// # Errors
    /// What the driver reports. The code of before stays.
    pub fn renew_code(&mut self, memory: &mut Memory) -> Result<(), CudaError> {
        if self.code.as_ref().is_none_or(|c| c.target.largest_allocation >= self.largest_allocation) {
            return Ok(());
        }
        while self.advance(memory, u64::MAX, &mut NoObserver) == Progress::Busy {}
        let Some(Code { module, globals, sm, debug, unoptimised, sources, .. }) = &self.code else { return Ok(()) };
        let (module, globals, sources) = (module.clone(), globals.clone(), sources.clone());
        let options = GpuOptions { sm: *sm, debug: *debug, sources: sources.as_ref(), unoptimised: *unoptimised };
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

    fn memories<'a>(&'a mut self, memory: &'a mut Memory) -> Memories<'a> {
        let device = self.region();
        Memories { gpu: &mut self.gpu, memory, device }
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

    /// Starts a launch on the GPU.
    fn begin(&mut self, memory: &mut Memory, launch: KernelLaunch) -> Result<(), CudaError> {
        self.share(memory, true)?;
        let Some(Code { module, loaded, .. }) = &self.code else { return Err(CudaError::InvalidDeviceFunction) };
        let values: Vec<ParamValue<'_>> = launch.args.iter().map(value_of).collect();
        let params = params::pack(module.func(launch.func), &values).map_err(|_| CudaError::InvalidValue)?;
        let shape = LaunchShape {
            grid: launch.grid,
            block: launch.block,
            shared_bytes: u32::try_from(launch.dynamic_shared).map_err(|_| CudaError::InvalidValue)?,
        };
        let started = self
            .gpu
            .start_clock()
            .and_then(|()| self.gpu.launch(loaded, launch.func, shape, &params))
            .and_then(|()| self.gpu.stop_clock());
        started.map_err(|e| cuda_error(&e))?;
        self.running = Some(launch);
        Ok(())
    }

    /// Takes the results of the launch that has ended.
    fn end(&mut self, memory: &mut Memory, launch: &KernelLaunch) -> Result<(), CudaError> {
        self.gpu.synchronize().map_err(|e| cuda_error(&e))?;
        self.count_time();
        let drained = self.gpu.drain_records().map_err(|e| cuda_error(&e))?;
        if let Some(Code { module, .. }) = &self.code {
            let (output, findings) = output::output_of(&drained, launch, &module.func(launch.func).name);
            self.output.extend(output);
            self.findings.extend(findings);
        }
        self.share(memory, false)?;
        if drained.faults > 0
            && self.findings.iter().any(|f| f.launch.as_ref().is_some_and(|l| l.number == launch.number))
        {
            return Err(CudaError::LaunchFailure);
        }
        Ok(())
    }

    fn count_time(&mut self) {
        if let Ok(milliseconds) = self.gpu.clock_milliseconds() {
            self.elapsed_ms += f64::from(milliseconds);
        }
    }

    /// Copies managed and pinned memory to the GPU, or back.
    fn share(&mut self, memory: &mut Memory, to_gpu: bool) -> Result<(), CudaError> {
        const PIECE: u64 = 16 << 20;
        let is_shared = |region| matches!(region, Region::Managed | Region::Pinned);
        let shared: Vec<(u64, u64)> =
            memory.live().filter(|(_, a)| is_shared(a.region)).map(|(_, a)| (a.base, a.bytes)).collect();
        for (base, bytes) in shared {
            let mut buffer = vec![0; bytes.min(PIECE) as usize];
            let mut at = 0;
            while at < bytes {
                let piece = &mut buffer[..(bytes - at).min(PIECE) as usize];
                let address = base + at;
                if to_gpu {
                    memory.read(address, piece).ok_or(CudaError::InvalidValue)?;
                    self.gpu.write(address, piece).map_err(|e| cuda_error(&e))?;
                } else {
                    self.gpu.read(address, piece).map_err(|e| cuda_error(&e))?;
                    memory.write(address, piece).ok_or(CudaError::InvalidValue)?;
                }
                at += piece.len() as u64;
            }
        }
        Ok(())
    }

    /// Does a command that is no launch.
    fn transfer(&mut self, memory: &mut Memory, command: &Command) -> Result<(), CudaError> {
        self.gpu.start_clock().map_err(|e| cuda_error(&e))?;
        let mut memories = self.memories(memory);
        match command {
            Command::Launch(_) => {}
            Command::Copy { destination, source, bytes, .. } => memories.copy(*destination, *source, *bytes)?,
            Command::CopyStrided { destination, source, element_bytes, .. } => {
                memories.copy_strided(destination, source, *element_bytes)?;
            }
            Command::Fill { fill, .. } => memories.fill(fill)?,
            Command::Routine(routine) => (routine.work)(&mut memories)?,
        }
        self.gpu.stop_clock().map_err(|e| cuda_error(&e))?;
        self.gpu.synchronize().map_err(|e| cuda_error(&e))?;
        self.count_time();
        Ok(())
    }

    fn fail(&mut self, error: CudaError) {
        self.error = Some(error);
        if error.is_sticky() {
            self.sticky = Some(error);
        }
    }
}

fn value_of(arg: &Arg) -> ParamValue<'_> {
    match arg {
        Arg::Bits(word) => ParamValue::Word(*word),
        Arg::Bytes(bytes) => ParamValue::Bytes(bytes),
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

impl Device for GpuDevice {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn alloc(
        &mut self,
        memory: &mut Memory,
        region: Region,
        bytes: u64,
        name: &str,
        span: Span,
    ) -> Result<u64, CudaError> {
        let region = if matches!(region, Region::Device(_)) { self.region() } else { region };
        memory.set_limit(region, self.properties.total_global_mem);
        let address = memory.alloc(region, bytes, name, span).map_err(|_| CudaError::MemoryAllocation)?;
        if region.is_device_accessible()
            && let Err(error) = self.gpu.map(address, bytes)
        {
            // What cannot be backed is as if it had never been.
            let _ = memory.free(address, span);
            return Err(cuda_error(&error));
        }
        self.largest_allocation = self.largest_allocation.max(bytes);
        Ok(address)
    }

    fn free(&mut self, memory: &mut Memory, address: u64, span: Span) -> Result<(), CudaError> {
        memory.free(address, span).map_err(|_| CudaError::InvalidValue)?;
        if Region::of(address).is_some_and(Region::is_device_accessible) {
            self.gpu.unmap(address).map_err(|e| cuda_error(&e))?;
        }
        Ok(())
    }

    fn submit(&mut self, memory: &mut Memory, mut command: Command) -> Result<(), CudaError> {
        if let Some(error) = self.sticky {
            return Err(error);
        }
        if let Command::Launch(launch) = &mut command {
            // An allocation of later does not concern this launch, so code that is made here stays good for it.
            self.renew_code(memory)?;
            if launch.grid == [0; 3] {
                launch.grid = self.resident_grid(launch);
            }
            self.check(launch)?;
        }
        self.queue.push_back(command);
        Ok(())
    }

    fn advance(&mut self, memory: &mut Memory, budget: u64, _: &mut dyn Observer) -> Progress {
        let mut polls = budget.clamp(1, POLLS);
        loop {
            if let Some(launch) = self.running.take() {
                match self.gpu.has_clock_stopped() {
                    Ok(false) if polls > 0 => {
                        self.running = Some(launch);
                        polls -= 1;
                        std::thread::yield_now();
                    }
                    Ok(false) => {
                        self.running = Some(launch);
                        return Progress::Busy;
                    }
                    Ok(true) => {
                        if let Err(error) = self.end(memory, &launch) {
                            self.fail(error);
                        }
                    }
                    Err(error) => self.fail(cuda_error(&error)),
                }
                continue;
            }
            let done = match self.queue.pop_front() {
                None => return Progress::Idle,
                Some(_) if self.sticky.is_some() => Ok(()),
                Some(Command::Launch(launch)) => self.begin(memory, launch),
                Some(command) => self.transfer(memory, &command),
            };
            if let Err(error) = done {
                self.fail(error);
            }
        }
    }

    fn read(&mut self, memory: &Memory, address: u64, out: &mut [u8]) -> Result<(), CudaError> {
        if Region::of(address) != Some(self.region()) {
            return memory.read(address, out).ok_or(CudaError::InvalidValue);
        }
        self.gpu.read(address, out).map_err(|e| cuda_error(&e))
    }

    fn write(&mut self, memory: &mut Memory, address: u64, data: &[u8]) -> Result<(), CudaError> {
        self.memories(memory).write(address, data)
    }

    fn reset(&mut self) -> Result<(), CudaError> {
        // A sticky error has corrupted the driver's context, and all memory and code of the program is in that.
        match self.sticky {
            Some(error) => Err(error),
            None => {
                self.error = None;
                Ok(())
            }
        }
    }

    fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    fn take_error(&mut self) -> Option<CudaError> {
        self.sticky.or_else(|| self.error.take())
    }

    fn elapsed_ms(&self) -> Option<f64> {
        Some(self.elapsed_ms)
    }

    fn set_limit(&mut self, limit: i32, value: u64) {
        // Only the stack is the driver's to know before a launch; a wrong value shows at the launch that needs it.
        if limit == 0 {
            self.stack_bytes = Some(value);
            let _ = self.gpu.set_stack_bytes(value);
        }
    }
}
