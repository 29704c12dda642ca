//! One GPU with its memory, its loaded code and a clock, behind safe calls.
//!
//! Copies, fills and launches run in the order in which they are submitted to a stream. Addresses are those of the device; a wrong
//! one gives an error value.
//!
//! Not here: what a CUDA call and its errors mean to the program (`device`), host memory.

use crate::attribute::Attribute;
use crate::driver::{self, Context, Stream};
use crate::error::DriverError;
use crate::mapping::AddressMap;
use crate::params;
use crate::ptx::{self, EmitError, PtxOptions, record};
use crate::record_buffer::{self, Drained};
use crate::submission::{Shape, Work};
use ir::{FuncId, FuncKind, GlobalId, Module};
use source::SourceMap;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How to load a module.
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions<'a> {
    /// The target, if it is not to be the device's own.
    pub sm: Option<u32>,
    /// Whether variables are kept where a debugger finds them, and with `sources` described as DWARF.
    pub debug: bool,
    /// Addresses of the module variables, by number, if the caller has placed them ([`Gpu::map`]).
    pub globals: Option<&'a [u64]>,
    /// The sources, for line numbers.
    pub sources: Option<&'a SourceMap>,
    /// Whether device code is printed as it is, and not optimised for a GPU before ([`ptx::optimised`]). For a debugger it always
    /// is.
    pub unoptimised: bool,
    /// Whether approximate operations take subnormal numbers as zero ([`PtxOptions::flushes`]).
    pub flushes: bool,
    /// What the code may rely on.
    pub target: opt::Target,
    /// The library of CUDA's device runtime (`libcudadevrt.a`). Without it kernels that launch kernels are left out.
    pub runtime: Option<&'a Path>,
    /// How many records kernels may write between two calls of [`Gpu::drain_records`].
    pub record_capacity: u32,
    /// Bytes of stack of each thread if a procedure of the module calls itself; the frames of all others are counted by
    /// the compiler.
    pub recursion_stack_bytes: u64,
}

impl Default for LoadOptions<'_> {
    fn default() -> Self {
        LoadOptions {
            sm: None,
            debug: false,
            globals: None,
            sources: None,
            unoptimised: false,
            flushes: false,
            target: opt::Target::default(),
            runtime: None,
            record_capacity: 1 << 18,
            recursion_stack_bytes: 16 << 10,
        }
    }
}

/// Launches from device code that may wait to begin. CUDA's default is 2048; those beyond fail.
const PENDING_LAUNCHES: u64 = 1 << 16;

/// Why a module could not be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// The driver's error.
    pub error: DriverError,
    /// What the driver's compiler said.
    pub log: String,
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.error)?;
        if self.log.is_empty() { Ok(()) } else { write!(f, "\n{}", self.log) }
    }
}

impl std::error::Error for LoadError {}

impl From<DriverError> for LoadError {
    fn from(error: DriverError) -> LoadError {
        LoadError { error, log: String::new() }
    }
}

/// A kernel that is not in the loaded code, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The kernel.
    pub kernel: FuncId,
    /// What in it, or in what it calls, cannot run on a GPU.
    pub error: EmitError,
}

/// A kernel on the GPU.
#[derive(Debug)]
struct Kernel {
    code: Arc<driver::Kernel>,
    cooperative: bool,
    /// Whether it may write records: what it prints, and faults that it reports itself.
    writes_records: bool,
    /// The parameters whose addresses must be multiples of [`ptx::ALIGNED`].
    aligned: Vec<usize>,
}

/// Code on the GPU.
#[derive(Debug)]
pub struct Loaded {
    kernels: BTreeMap<FuncId, Kernel>,
    globals: BTreeMap<GlobalId, (u64, u64)>,
    /// Kernels that cannot run on a GPU; launching one is an error.
    pub refused: Vec<Refused>,
    /// What the driver's compiler said.
    pub log: String,
    /// The text that was loaded.
    pub ptx: String,
}

impl Loaded {
    /// Address and bytes of a device variable.
    pub fn global(&self, id: GlobalId) -> Option<(u64, u64)> {
        self.globals.get(&id).copied()
    }

    /// Whether the kernel can be launched.
    pub fn has(&self, kernel: FuncId) -> bool {
        self.kernels.contains_key(&kernel)
    }

    /// Whether the kernel may write records.
    pub fn writes_records(&self, kernel: FuncId) -> bool {
        self.kernels.get(&kernel).is_some_and(|k| k.writes_records)
    }

    /// The parameters of the kernel whose addresses must be multiples of [`ptx::ALIGNED`], by number.
    pub fn relies_on_alignment(&self, kernel: FuncId) -> &[usize] {
        self.kernels.get(&kernel).map_or(&[], |k| &k.aligned)
    }

    /// How many blocks of that many threads a multiprocessor holds at once.
    ///
    /// # Errors
    /// For a kernel that is not loaded, and what the driver reports.
    pub fn resident_blocks(&self, kernel: FuncId, threads: u32, shared_bytes: u32) -> Result<u32, DriverError> {
        self.kernels.get(&kernel).ok_or(DriverError::Invalid("kernel"))?.code.resident_blocks(threads, shared_bytes)
    }

    /// Registers a thread of the kernel uses.
    ///
    /// # Errors
    /// For a kernel that is not loaded, and what the driver reports.
    pub fn registers(&self, kernel: FuncId) -> Result<i32, DriverError> {
        self.kernels.get(&kernel).ok_or(DriverError::Invalid("kernel"))?.code.registers()
    }
}

/// The shape of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaunchShape {
    /// Grid extents.
    pub grid: [u32; 3],
    /// Block extents.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
}

/// A GPU.
#[derive(Debug)]
pub struct Gpu {
    /// Address of the record buffer and its capacity.
    records: Option<(u64, u32)>,
    map: Arc<Mutex<AddressMap>>,
    context: Arc<Context>,
}

impl Gpu {
    /// How many GPUs there are.
    ///
    /// # Errors
    /// Without a driver, and what the driver reports.
    pub fn count() -> Result<u32, DriverError> {
        driver::device_count()
    }

    /// The version of CUDA that the driver supports: 13000 is 13.0.
    ///
    /// # Errors
    /// Without a driver, and what the driver reports.
    pub fn driver_version() -> Result<i32, DriverError> {
        driver::driver_version()
    }

    /// Opens GPU `ordinal`, from 0.
    ///
    /// # Errors
    /// Without a driver or such a device, and what the driver reports.
    pub fn open(ordinal: u32) -> Result<Gpu, DriverError> {
        let context = Context::open(ordinal)?;
        let map = AddressMap::new(vec![context.clone()]);
        Ok(Gpu { records: None, map: Arc::new(Mutex::new(map)), context })
    }

    /// Opens the first `count` GPUs for one program: they share addresses, and access each other's memory where the hardware lets
    /// them.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn open_several(count: u32) -> Result<Vec<Gpu>, DriverError> {
        let contexts: Vec<Arc<Context>> = (0..count).map(Context::open).collect::<Result<_, _>>()?;
        let map = Arc::new(Mutex::new(AddressMap::new(contexts.clone())));
        Ok(contexts.into_iter().map(|context| Gpu { records: None, map: map.clone(), context }).collect())
    }

    /// The name of the device.
    pub fn name(&self) -> Result<String, DriverError> {
        self.context.name()
    }

    /// A property of the device.
    pub fn attribute(&self, attribute: Attribute) -> Result<i32, DriverError> {
        self.context.attribute(attribute)
    }

    /// Compute capability as one number: 90 is 9.0.
    pub fn compute_capability(&self) -> Result<u32, DriverError> {
        let major = self.attribute(Attribute::ComputeMajor)?;
        let minor = self.attribute(Attribute::ComputeMinor)?;
        Ok((major * 10 + minor).max(0) as u32)
    }

    /// Bytes of memory, free and in all.
    pub fn memory_info(&self) -> Result<(u64, u64), DriverError> {
        self.context.memory_info()
    }

    /// Prints and loads all kernels of a module. Kernels that cannot run on a GPU are left out and named.
    ///
    /// # Errors
    /// What the driver reports, with the log of its compiler.
    pub fn load(&mut self, module: &Module, options: &LoadOptions<'_>) -> Result<Loaded, LoadError> {
        let sm = match options.sm {
            Some(sm) => sm,
            None => self.compute_capability()?,
        };
        let text_options = PtxOptions {
            sm: ptx::target_for(sm),
            debug: options.debug,
            globals: options.globals,
            target: options.target,
            flushes: options.flushes,
            launches: options.runtime.is_some(),
            sources: options.sources,
        };
        let optimised = (!options.unoptimised && !options.debug).then(|| ptx::optimised(module, options.target));
        let module = optimised.as_ref().unwrap_or(module);
        let Printed { text, kernels, refused } = print_what_can_run(module, &text_options);
        let debug = text_options.dwarf().is_some();
        let runtime = options.runtime.filter(|_| ptx::needs_device_runtime(&text));
        let (code, log) = driver::Module::load(&self.context, &text, debug, runtime)
            .map_err(|(error, log)| LoadError { error, log })?;
        if runtime.is_some() {
            self.context.set_pending_launches(PENDING_LAUNCHES)?;
        }
        if ptx::is_recursive(module) {
            self.context.set_stack_bytes(options.recursion_stack_bytes)?;
        }
        let mut loaded = Loaded { kernels: BTreeMap::new(), globals: BTreeMap::new(), refused, log, ptx: text };
        for (id, writes_records) in kernels {
            let func = module.func(id);
            let code = code.kernel(&ptx::func_symbol(module, id), params::layout(func))?;
            let is_aligned = options.target.aligned && !options.debug;
            let aligned = if is_aligned { ptx::relies_on_alignment(func) } else { Vec::new() };
            let kernel = Kernel { code: Arc::new(code), cooperative: func.cooperative, writes_records, aligned };
            loaded.kernels.insert(id, kernel);
        }
        for (i, global) in module.globals.iter().enumerate() {
            if matches!(global.space, ir::Space::Global | ir::Space::Const) {
                let id = GlobalId(i as u32);
                let address = match options.globals {
                    Some(addresses) => addresses.get(i).copied().unwrap_or(0),
                    None => code.variable(&ptx::global_symbol(module, id))?.0,
                };
                loaded.globals.insert(id, (address, global.bytes));
            }
        }
        if ptx::writes_records(&loaded.ptx) {
            let address = self.record_buffer(options.record_capacity)?;
            let (variable, _) = code.variable(ptx::RECORDS_SYMBOL)?;
            self.context.write(variable, &address.to_le_bytes())?;
        }
        Ok(loaded)
    }

    /// The record buffer, made when first needed.
    fn record_buffer(&mut self, capacity: u32) -> Result<u64, DriverError> {
        if let Some((address, _)) = self.records {
            return Ok(address);
        }
        let capacity = capacity.max(1);
        let bytes = record::HEADER_BYTES as u64 + u64::from(capacity) * record::RECORD_BYTES as u64;
        let address = self.context.alloc(bytes)?;
        self.records = Some((address, capacity));
        self.reset_records()?;
        Ok(address)
    }

    fn reset_records(&self) -> Result<(), DriverError> {
        let Some((address, capacity)) = self.records else { return Ok(()) };
        let mut header = [0; record::HEADER_BYTES];
        header[record::CAPACITY..record::CAPACITY + 8].copy_from_slice(&u64::from(capacity).to_le_bytes());
        self.context.write(address, &header)
    }

    /// Takes what kernels have recorded since the last call. Call it when no kernel runs, after synchronising.
    pub fn drain_records(&mut self) -> Result<Drained, DriverError> {
        let Some((address, _)) = self.records else { return Ok(Drained::default()) };
        let mut header = [0; record::HEADER_BYTES];
        self.context.read(address, &mut header)?;
        if record_buffer::header_word(&header, record::NEXT) == 0 {
            return Ok(Drained::default());
        }
        let mut records = vec![0; record_buffer::held(&header) as usize * record::RECORD_BYTES];
        self.context.read(address + record::HEADER_BYTES as u64, &mut records)?;
        self.reset_records()?;
        Ok(record_buffer::decode(&header, &records))
    }

    /// Allocates device memory; the address is a multiple of 256.
    pub fn alloc(&mut self, bytes: u64) -> Result<u64, DriverError> {
        self.context.alloc(bytes)
    }

    /// Frees device memory.
    pub fn free(&mut self, address: u64) -> Result<(), DriverError> {
        self.context.free(address)
    }

    /// Has device memory at an address that the caller chose; it reads as zeros at first. The range must not overlap
    /// another one that is mapped, but may be its neighbour.
    ///
    /// # Errors
    /// When the driver does not place memory there, or has none.
    pub fn map(&mut self, address: u64, bytes: u64) -> Result<(), DriverError> {
        self.addresses().cover(&self.context, address, bytes)
    }

    /// Gives back what [`Gpu::map`] made at that address.
    pub fn unmap(&mut self, address: u64) -> Result<(), DriverError> {
        self.addresses().release(address)
    }

    fn addresses(&self) -> MutexGuard<'_, AddressMap> {
        // A panic elsewhere leaves the map as it was between two calls.
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets how many bytes of stack each thread has.
    pub fn set_stack_bytes(&mut self, bytes: u64) -> Result<(), DriverError> {
        self.context.set_stack_bytes(bytes)
    }

    /// Sets how many bytes device code may allocate.
    pub fn set_heap_bytes(&mut self, bytes: u64) -> Result<(), DriverError> {
        self.context.set_heap_bytes(bytes)
    }

    /// Copies to the device and waits.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), DriverError> {
        self.context.write(address, bytes)
    }

    /// Copies from the device and waits.
    pub fn read(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), DriverError> {
        self.context.read(address, bytes)
    }

    /// Copies on the device, on the default stream.
    pub fn copy(&mut self, to: u64, from: u64, bytes: u64) -> Result<(), DriverError> {
        self.copy_on(&Stream::Default, to, from, bytes)
    }

    /// Sets `count` elements of 1, 2 or 4 bytes, on the default stream.
    pub fn fill(&mut self, address: u64, element_bytes: u32, value: u32, count: u64) -> Result<(), DriverError> {
        self.fill_on(&Stream::Default, address, (element_bytes, value), count)
    }

    /// Copies on the device, in the order of the stream.
    pub(crate) fn copy_on(&mut self, stream: &Stream, to: u64, from: u64, bytes: u64) -> Result<(), DriverError> {
        self.context.copy(stream, to, from, bytes)
    }

    /// Sets `count` elements of 1, 2 or 4 bytes, in the order of the stream.
    pub(crate) fn fill_on(
        &mut self,
        stream: &Stream,
        address: u64,
        (element_bytes, value): (u32, u32),
        count: u64,
    ) -> Result<(), DriverError> {
        self.context.fill(stream, address, element_bytes, value, count)
    }

    /// Launches a kernel on the default stream; `params` is its parameter memory ([`params::pack`]).
    pub fn launch(
        &mut self,
        loaded: &Loaded,
        kernel: FuncId,
        shape: LaunchShape,
        params: &[u8],
    ) -> Result<(), DriverError> {
        Gpu::launch_on(Stream::Default, loaded, kernel, shape, params.to_vec())?.run()
    }

    /// The launch of a kernel on a stream.
    pub(crate) fn launch_on(
        stream: Stream,
        loaded: &Loaded,
        kernel: FuncId,
        shape: LaunchShape,
        params: Vec<u8>,
    ) -> Result<Work, DriverError> {
        let Kernel { code, cooperative, .. } = loaded.kernels.get(&kernel).ok_or(DriverError::Invalid("kernel"))?;
        let LaunchShape { grid, block, shared_bytes } = shape;
        let shape = Shape { grid, block, shared_bytes, cooperative: *cooperative };
        Ok(Work::Launch { kernel: code.clone(), stream, shape, params })
    }

    /// Its context, for streams, events and buffers.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Waits for everything on all GPUs of the program.
    pub(crate) fn synchronize_all(&self) -> Result<(), DriverError> {
        self.addresses().contexts().iter().try_for_each(|context| context.synchronize())
    }

    /// Waits for everything.
    pub fn synchronize(&mut self) -> Result<(), DriverError> {
        self.context.synchronize()
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if let Some((address, _)) = self.records {
            let _ = self.context.free(address);
        }
    }
}

/// The text of a module.
struct Printed {
    text: String,
    /// The kernels that can run, and whether each may write records.
    kernels: Vec<(FuncId, bool)>,
    refused: Vec<Refused>,
}

/// The text of all kernels that can run.
fn print_what_can_run(module: &Module, options: &PtxOptions<'_>) -> Printed {
    let ids = (0..module.funcs.len() as u32).map(FuncId);
    let mut kernels = Vec::new();
    let mut refused = Vec::new();
    for kernel in ids.filter(|&id| module.func(id).kind == FuncKind::Kernel) {
        match ptx::emit(module, &[kernel], options) {
            Ok(text) => kernels.push((kernel, ptx::writes_records(&text))),
            Err(error) => refused.push(Refused { kernel, error }),
        }
    }
    let ids: Vec<FuncId> = kernels.iter().map(|&(id, _)| id).collect();
    match ptx::emit(module, &ids, options) {
        Ok(text) => Printed { text, kernels, refused },
        // Each kernel printed alone, so this does not come; without kernels there is still the text of the variables.
        Err(error) => {
            refused.extend(ids.iter().map(|&kernel| Refused { kernel, error: error.clone() }));
            Printed { text: ptx::emit(module, &[], options).unwrap_or_default(), kernels: Vec::new(), refused }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::FunctionBuilder;
    use ir::rt::Rt;
    use source::Span;

    #[test]
    fn without_a_driver_opening_says_so() {
        if driver::driver_is_present() {
            return;
        }
        let error = Gpu::open(0).map(drop);
        assert_eq!(error, Err(DriverError::NoDriver));
        assert_eq!(
            DriverError::NoDriver.to_string(),
            "no CUDA driver: libcuda.so.1 was not found; run without `--device gpu`, or on a machine with an NVIDIA GPU"
        );
        assert_eq!(Gpu::count(), Err(DriverError::NoDriver));
    }

    #[test]
    fn kernel_that_cannot_run_is_left_out_by_name() {
        let mut module = Module::default();
        let mut good = FunctionBuilder::new("m.good", FuncKind::Kernel, Span::NONE);
        good.ret(Vec::new());
        let mut bad = FunctionBuilder::new("m.bad", FuncKind::Kernel, Span::NONE);
        bad.rt(Rt::CpuTime, Vec::new());
        bad.ret(Vec::new());
        module.funcs = vec![good.finish(), bad.finish()];
        let Printed { text, kernels, refused } = print_what_can_run(&module, &PtxOptions::default());
        assert_eq!(kernels, [(FuncId(0), false)]);
        assert!(text.contains(".entry m$good") && !text.contains("bad"));
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0].error.to_string(), "the service `clock.cpu` in `m.bad` cannot run on a GPU");
    }
}
