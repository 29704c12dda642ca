//! The CUDA driver: every call into `libcuda`, and every `unsafe` block of this crate.
//!
//! These invariants make the safe functions here sound:
//! - The library is looked up before its first call; `cudarc` would end the process if it is missing.
//! - Handles are private. They belong to values that keep their context alive (and a kernel its module). Each method makes that
//!   context current first, so values may move between threads.
//! - A copy between host memory of Rust and the device is complete when its call returns. One that goes on after its call uses a
//!   [`PageLocked`] buffer, which waits for everything before it is freed.
//! - The driver checks device addresses: a wrong one is an error value, not an access of the host.
//! - A kernel knows the size of its parameter memory, so the driver never reads beyond the buffer of a launch.
//!
//! Not here: which kernels there are. Reference: CUDA Driver API, 6.

// The driver is a C library: its functions take raw pointers and handles, and nothing else in the project calls it.
#![allow(unsafe_code)]

use crate::attribute::Attribute;
use crate::error::DriverError;
use crate::params::ParamLayout;
use cudarc::driver::result::DriverError as Code;
use cudarc::driver::sys;
use std::cell::Cell;
use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

type Result<T> = std::result::Result<T, DriverError>;

/// Turns the code of a call into an error with its name.
fn check(call: &'static str, result: sys::CUresult) -> Result<()> {
    let code = Code(result);
    match result {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        _ => Err(DriverError::Call {
            call,
            code: result as u32,
            name: code.error_name().map_or("unknown".into(), |s| s.to_string_lossy().into_owned()),
            text: code.error_string().map_or("unknown error".into(), |s| s.to_string_lossy().into_owned()),
        }),
    }
}

/// Calls a function of the driver and checks its code; the arguments must satisfy the function's contract.
macro_rules! cu {
    ($name:ident($($arg:expr),* $(,)?)) => {
        // SAFETY: each use passes handles that live (see the head of the file) and pointers to locals of the right type
        // and extent, which outlive the call.
        check(stringify!($name), unsafe { sys::$name($($arg),*) })
    };
}

// Behind the macro, which it uses.
mod event;
mod jit;

pub(crate) use event::Event;

/// A stream. The default one is the driver's legacy stream: it waits for all blocking streams, and they for it.
#[derive(Clone, Default, Debug)]
pub(crate) enum Stream {
    /// The legacy default stream.
    #[default]
    Default,
    /// The stream of this thread (`cudaStreamPerThread`).
    PerThread,
    /// One that was made.
    Made(Arc<MadeStream>),
}

impl Stream {
    /// A new stream; one that is not blocking does not wait for the default stream. Priorities are CUDA's: a smaller number is more
    /// urgent, and others than the device has are clamped.
    pub(crate) fn new(context: &Arc<Context>, blocking: bool, priority: i32) -> Result<Stream> {
        context.enter()?;
        let flags =
            if blocking { sys::CUstream_flags::CU_STREAM_DEFAULT } else { sys::CUstream_flags::CU_STREAM_NON_BLOCKING };
        let mut stream = std::ptr::null_mut();
        cu!(cuStreamCreateWithPriority(&raw mut stream, flags as u32, priority))?;
        Ok(Stream::Made(Arc::new(MadeStream { context: context.clone(), handle: stream as usize })))
    }

    /// The context that it was made in; the others are in each.
    pub(crate) fn context(&self) -> Option<&Arc<Context>> {
        if let Stream::Made(made) = self { Some(&made.context) } else { None }
    }

    /// Its handle in CUDA.
    pub(crate) fn as_handle(&self) -> u64 {
        self.raw().expose_provenance() as u64
    }

    fn raw(&self) -> sys::CUstream {
        match self {
            Stream::Default => std::ptr::null_mut(),
            // CU_STREAM_PER_THREAD.
            Stream::PerThread => std::ptr::without_provenance_mut(2),
            Stream::Made(made) => made.handle as sys::CUstream,
        }
    }
}

/// A stream that was made; destroyed with the last handle, after its work.
#[derive(Debug)]
pub(crate) struct MadeStream {
    context: Arc<Context>,
    handle: usize,
}

impl Drop for MadeStream {
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            let _ = cu!(cuStreamDestroy_v2(self.handle as sys::CUstream));
        }
    }
}

/// Host memory that the GPU reads and writes by itself, while the host goes on.
#[derive(Debug)]
pub(crate) struct PageLocked {
    context: Arc<Context>,
    address: usize,
    bytes: usize,
}

impl PageLocked {
    /// Allocates.
    pub(crate) fn new(context: &Arc<Context>, bytes: usize) -> Result<PageLocked> {
        context.enter()?;
        let mut at: *mut c_void = std::ptr::null_mut();
        cu!(cuMemHostAlloc(&raw mut at, bytes.max(1), 0))?;
        let this = PageLocked { context: context.clone(), address: at.expose_provenance(), bytes: bytes.max(1) };
        // The driver gives memory of any contents, and Rust wants bytes that were written.
        // SAFETY: the driver gave so many bytes there.
        unsafe { at.cast::<u8>().write_bytes(0, this.bytes) };
        Ok(this)
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// The bytes. No copy that writes here may be in flight; what is read too early may be torn, and the caller does not.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: it lives as long as `self`; a caller reads only after the event of the copy that writes here.
        unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(self.address), self.bytes) }
    }

    /// The bytes, to be written. No copy from here or to here may be in flight.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(std::ptr::with_exposed_provenance_mut(self.address), self.bytes) }
    }

    /// Copies its first bytes to the device, in the order of the stream.
    pub(crate) fn copy_to(&self, stream: &Stream, to: u64, bytes: usize) -> Result<()> {
        self.context.enter()?;
        let from: *const c_void = std::ptr::with_exposed_provenance(self.address);
        cu!(cuMemcpyHtoDAsync_v2(to, from, bytes.min(self.bytes), stream.raw()))
    }

    /// Copies to its first bytes from the device, in the order of the stream.
    pub(crate) fn copy_from(&self, stream: &Stream, from: u64, bytes: usize) -> Result<()> {
        self.context.enter()?;
        let to: *mut c_void = std::ptr::with_exposed_provenance_mut(self.address);
        cu!(cuMemcpyDtoHAsync_v2(to, from, bytes.min(self.bytes), stream.raw()))
    }
}

impl Drop for PageLocked {
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            // A copy may still use it.
            let _ = cu!(cuCtxSynchronize());
            let _ = cu!(cuMemFreeHost(std::ptr::with_exposed_provenance_mut(self.address)));
        }
    }
}

/// Whether the driver library can be found.
pub fn driver_is_present() -> bool {
    load_by_name();
    // SAFETY: opens and closes the library; its initialisers are the driver's own.
    unsafe { sys::is_culib_present() }
}

/// Loads the driver as `libcuda.so.1`, and keeps it. By that name cuda-gdb knows it; `cudarc` tries `libcuda.so` first, which is the
/// same file where both exist, and what is loaded already keeps its name.
fn load_by_name() {
    static DRIVER: OnceLock<Option<libloading::Library>> = OnceLock::new();
    // SAFETY: the initialisers are the driver's own; the library stays loaded.
    DRIVER.get_or_init(|| unsafe { libloading::Library::new("libcuda.so.1") }.ok());
}

/// Makes the driver ready. Calling it again does nothing.
fn init() -> Result<()> {
    if !driver_is_present() {
        return Err(DriverError::NoDriver);
    }
    cu!(cuInit(0))
}

/// How many devices there are.
pub(crate) fn device_count() -> Result<u32> {
    init()?;
    let mut count = 0;
    cu!(cuDeviceGetCount(&raw mut count))?;
    Ok(count.max(0) as u32)
}

/// The version of CUDA that the driver supports: 13000 is 13.0.
pub(crate) fn driver_version() -> Result<i32> {
    init()?;
    let mut version = 0;
    cu!(cuDriverGetVersion(&raw mut version))?;
    Ok(version)
}

thread_local! {
    /// The number of the context that is current in this thread; 0 if that is not known.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
}

/// A device, its primary context retained.
#[derive(Debug)]
pub(crate) struct Context {
    device: sys::CUdevice,
    handle: usize,
    /// How many were opened in the process up to this one; handles come again.
    number: u64,
}

impl Context {
    /// Opens device `ordinal`.
    pub(crate) fn open(ordinal: u32) -> Result<Arc<Context>> {
        init()?;
        let mut device = 0;
        cu!(cuDeviceGet(&raw mut device, i32::try_from(ordinal).unwrap_or(i32::MAX)))?;
        let mut context = std::ptr::null_mut();
        cu!(cuDevicePrimaryCtxRetain(&raw mut context, device))?;
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let number = OPENED.fetch_add(1, Ordering::Relaxed) + 1;
        let this = Arc::new(Context { device, handle: context as usize, number });
        this.enter()?;
        Ok(this)
    }

    /// Its number in the process.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether kernels of `other` may access memory of this device.
    pub(crate) fn lets_in(&self, other: &Context) -> bool {
        let mut can = 0;
        let asked = cu!(cuDeviceCanAccessPeer(&raw mut can, other.device, self.device));
        asked.is_ok() && can != 0 && self.device != other.device
    }

    /// Makes the context current for code that may change that.
    pub(crate) fn lend(&self) -> Result<()> {
        CURRENT.set(0);
        cu!(cuCtxSetCurrent(self.handle as sys::CUcontext))
    }

    /// Makes the context current in this thread, if it is not: nothing else of the process changes it ([`Context::lend`]).
    fn enter(&self) -> Result<()> {
        if CURRENT.get() == self.number {
            return Ok(());
        }
        cu!(cuCtxSetCurrent(self.handle as sys::CUcontext))?;
        CURRENT.set(self.number);
        Ok(())
    }

    /// The name of the device.
    pub(crate) fn name(&self) -> Result<String> {
        let mut buffer = [0u8; 256];
        cu!(cuDeviceGetName(buffer.as_mut_ptr().cast(), 255, self.device))?;
        let end = buffer.iter().position(|&b| b == 0).unwrap_or(buffer.len());
        Ok(String::from_utf8_lossy(&buffer[..end]).into_owned())
    }

    /// A property.
    pub(crate) fn attribute(&self, attribute: Attribute) -> Result<i32> {
        let mut value = 0;
        cu!(cuDeviceGetAttribute(&raw mut value, attribute.sys(), self.device))?;
        Ok(value)
    }

    /// Bytes of memory, free and in all.
    pub(crate) fn memory_info(&self) -> Result<(u64, u64)> {
        self.enter()?;
        let (mut free, mut total) = (0, 0);
        cu!(cuMemGetInfo_v2(&raw mut free, &raw mut total))?;
        Ok((free as u64, total as u64))
    }

    /// Allocates; the address is a multiple of 256.
    pub(crate) fn alloc(&self, bytes: u64) -> Result<u64> {
        self.enter()?;
        let mut address = 0;
        cu!(cuMemAlloc_v2(&raw mut address, size(bytes.max(1))?))?;
        Ok(address)
    }

    /// Frees what `alloc` gave.
    pub(crate) fn free(&self, address: u64) -> Result<()> {
        self.enter()?;
        cu!(cuMemFree_v2(address))
    }

    /// Copies to the device and waits.
    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.enter()?;
        cu!(cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len()))?;
        // The call may return before the last bytes are there.
        cu!(cuStreamSynchronize(std::ptr::null_mut()))
    }

    /// Copies from the device and waits.
    pub(crate) fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.enter()?;
        cu!(cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, bytes.len()))
    }

    /// Copies on the device, in the order of the stream.
    pub(crate) fn copy(&self, stream: &Stream, to: u64, from: u64, bytes: u64) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.enter()?;
        cu!(cuMemcpyDtoDAsync_v2(to, from, size(bytes)?, stream.raw()))
    }

    /// Sets `count` elements of 1, 2 or 4 bytes, in the order of the stream.
    pub(crate) fn fill(&self, stream: &Stream, address: u64, element_bytes: u32, value: u32, count: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        self.enter()?;
        let count = size(count)?;
        match element_bytes {
            1 => cu!(cuMemsetD8Async(address, value as u8, count, stream.raw())),
            2 => cu!(cuMemsetD16Async(address, value as u16, count, stream.raw())),
            4 => cu!(cuMemsetD32Async(address, value, count, stream.raw())),
            _ => Err(DriverError::Invalid("element size")),
        }
    }

    /// Sets how many bytes of stack each thread has; what local memory needs beyond a kernel's own frame.
    pub(crate) fn set_stack_bytes(&self, bytes: u64) -> Result<()> {
        self.enter()?;
        cu!(cuCtxSetLimit(sys::CUlimit::CU_LIMIT_STACK_SIZE, size(bytes)?))
    }

    /// Sets how many bytes device code may allocate. The driver takes no other value once a kernel that allocates has run.
    pub(crate) fn set_heap_bytes(&self, bytes: u64) -> Result<()> {
        self.enter()?;
        cu!(cuCtxSetLimit(sys::CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE, size(bytes)?))
    }

    /// Sets how many launches from device code may wait to begin.
    pub(crate) fn set_pending_launches(&self, count: u64) -> Result<()> {
        self.enter()?;
        cu!(cuCtxSetLimit(sys::CUlimit::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, size(count)?))
    }

    /// Waits for everything.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.enter()?;
        cu!(cuCtxSynchronize())
    }

    /// What is put on the stream from now on comes after the event.
    pub(crate) fn wait_for_event(&self, stream: &Stream, event: &Event) -> Result<()> {
        self.enter()?;
        cu!(cuStreamWaitEvent(stream.raw(), event.raw(), 0))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // The process and the driver may be ending; an error cannot be reported any more.
        let _ = cu!(cuDevicePrimaryCtxRelease_v2(self.device));
    }
}

/// A range of addresses that nothing else of the process gets (CUDA Driver API, "Virtual Memory Management").
///
/// The driver takes small ranges from its own pool, at any address. It respects the requested address from 32 MiB on
/// (measured on an H200 with driver 580). So whole regions are reserved, which costs addresses only.
#[derive(Debug)]
pub(crate) struct Reservation {
    context: Arc<Context>,
    address: u64,
    bytes: usize,
}

impl Reservation {
    /// Reserves a range.
    pub(crate) fn at(context: &Arc<Context>, address: u64, bytes: u64) -> Result<Reservation> {
        context.enter()?;
        let bytes = size(bytes)?;
        let mut got = 0;
        cu!(cuMemAddressReserve(&raw mut got, bytes, 0, address, 0))?;
        let this = Reservation { context: context.clone(), address: got, bytes };
        if got == address { Ok(this) } else { Err(DriverError::Address(address)) }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            let _ = cu!(cuMemAddressFree(self.address, self.bytes));
        }
    }
}

/// Device memory at an address that the caller chose, inside a reservation. Its contents are zero at first.
#[derive(Debug)]
pub(crate) struct Mapping {
    context: Arc<Context>,
    /// Outlives what is mapped in it.
    _reservation: Arc<Reservation>,
    address: u64,
    bytes: usize,
    handle: sys::CUmemGenericAllocationHandle,
    mapped: bool,
}

impl Mapping {
    /// Maps memory of a device, which kernels of `guests` may access too; address and size are multiples of 2 MiB, and the range is
    /// in the reservation.
    pub(crate) fn at(
        context: &Arc<Context>,
        guests: &[Arc<Context>],
        reservation: &Arc<Reservation>,
        address: u64,
        bytes: u64,
    ) -> Result<Mapping> {
        context.enter()?;
        let bytes = size(bytes)?;
        let kind = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        let location = sys::CUmemLocation { type_: kind, id: context.device };
        let property = sys::CUmemAllocationProp {
            type_: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location,
            win32HandleMetaData: std::ptr::null_mut(),
            allocFlags: sys::CUmemAllocationProp_st__bindgen_ty_1 {
                compressionType: 0,
                gpuDirectRDMACapable: 0,
                usage: 0,
                reserved: [0; 4],
            },
        };
        let mut handle = 0;
        cu!(cuMemCreate(&raw mut handle, bytes, &raw const property, 0))?;
        // From here on what was made is undone when the value is dropped.
        let (context, reservation) = (context.clone(), reservation.clone());
        let mut this = Mapping { context, _reservation: reservation, address, bytes, handle, mapped: false };
        cu!(cuMemMap(address, bytes, 0, handle, 0))?;
        this.mapped = true;
        let flags = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let from = |id| sys::CUmemAccessDesc { location: sys::CUmemLocation { type_: kind, id }, flags };
        let guests = guests.iter().map(|guest| from(guest.device));
        let access: Vec<sys::CUmemAccessDesc> = std::iter::once(from(this.context.device)).chain(guests).collect();
        cu!(cuMemSetAccess(address, bytes, access.as_ptr(), access.len()))?;
        cu!(cuMemsetD8_v2(address, 0, bytes))?;
        // Streams that do not wait for the default one may use it next.
        cu!(cuStreamSynchronize(std::ptr::null_mut()))?;
        Ok(this)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.context.enter().is_err() {
            return;
        }
        if self.mapped {
            // Kernels may still use it.
            let _ = cu!(cuCtxSynchronize());
            let _ = cu!(cuMemUnmap(self.address, self.bytes));
        }
        let _ = cu!(cuMemRelease(self.handle));
    }
}

/// A length as the driver takes it.
fn size(bytes: u64) -> Result<usize> {
    usize::try_from(bytes).map_err(|_| DriverError::Invalid("size"))
}

/// A loaded module.
#[derive(Debug)]
pub(crate) struct Module {
    context: Arc<Context>,
    handle: usize,
}

impl Module {
    fn raw(&self) -> sys::CUmodule {
        self.handle as sys::CUmodule
    }

    /// Address and bytes of a variable.
    pub(crate) fn variable(&self, name: &str) -> Result<(u64, u64)> {
        self.context.enter()?;
        let name = CString::new(name).map_err(|_| DriverError::Invalid("name"))?;
        let (mut address, mut bytes) = (0, 0);
        cu!(cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, self.raw(), name.as_ptr()))?;
        Ok((address, bytes as u64))
    }

    /// A kernel, whose parameter memory has that layout.
    pub(crate) fn kernel(self: &Arc<Module>, name: &str, layout: ParamLayout) -> Result<Kernel> {
        self.context.enter()?;
        let name = CString::new(name).map_err(|_| DriverError::Invalid("name"))?;
        let mut function = std::ptr::null_mut();
        cu!(cuModuleGetFunction(&raw mut function, self.raw(), name.as_ptr()))?;
        Ok(Kernel { module: self.clone(), handle: function as usize, layout })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            let _ = cu!(cuModuleUnload(self.raw()));
        }
    }
}

/// A kernel of a loaded module.
#[derive(Debug)]
pub(crate) struct Kernel {
    module: Arc<Module>,
    handle: usize,
    layout: ParamLayout,
}

/// Dynamic shared memory that a launch may have without asking.
const UNASKED_SHARED_BYTES: u32 = 48 << 10;

impl Kernel {
    /// The context that it was loaded in.
    pub(crate) fn context(&self) -> &Context {
        &self.module.context
    }

    fn raw(&self) -> sys::CUfunction {
        self.handle as sys::CUfunction
    }

    /// An attribute of the compiled kernel: registers a thread.
    pub(crate) fn registers(&self) -> Result<i32> {
        self.module.context.enter()?;
        let mut value = 0;
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS;
        cu!(cuFuncGetAttribute(&raw mut value, attribute, self.raw()))?;
        Ok(value)
    }

    /// How many blocks of that many threads a multiprocessor holds at once.
    pub(crate) fn resident_blocks(&self, threads: u32, shared_bytes: u32) -> Result<u32> {
        self.module.context.enter()?;
        let mut blocks = 0;
        let threads = i32::try_from(threads).unwrap_or(i32::MAX);
        let shared_bytes = shared_bytes as usize;
        cu!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, self.raw(), threads, shared_bytes))?;
        Ok(blocks.max(0) as u32)
    }

    /// Readies a launch with so much dynamic shared memory. `params` is the whole parameter memory, as [`crate::params::pack`] makes it.
    pub(crate) fn prepare(&self, params: &[u8], shared_bytes: u32) -> Result<Prepared<'_>> {
        if params.len() as u64 != self.layout.bytes {
            return Err(DriverError::Invalid("argument list"));
        }
        if shared_bytes > UNASKED_SHARED_BYTES {
            self.module.context.enter()?;
            let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let wanted = i32::try_from(shared_bytes).unwrap_or(i32::MAX);
            cu!(cuFuncSetAttribute(self.raw(), attribute, wanted))?;
        }
        let params = params.to_vec();
        let mut pointers: Vec<*mut c_void> = Vec::with_capacity(self.layout.slots.len());
        for slot in &self.layout.slots {
            let at = params.get(slot.offset as usize..).ok_or(DriverError::Invalid("argument list"))?;
            pointers.push(at.as_ptr().cast_mut().cast());
        }
        Ok(Prepared { kernel: self, shared_bytes, pointers, _params: params })
    }
}

/// A launch that only has to be given to the driver.
pub(crate) struct Prepared<'k> {
    kernel: &'k Kernel,
    shared_bytes: u32,
    /// Where each parameter is.
    pointers: Vec<*mut c_void>,
    _params: Vec<u8>,
}

impl Prepared<'_> {
    /// Launches on a stream.
    pub(crate) fn launch(mut self, stream: &Stream, grid: [u32; 3], block: [u32; 3], cooperative: bool) -> Result<()> {
        self.kernel.module.context.enter()?;
        let [gx, gy, gz] = grid;
        let [bx, by, bz] = block;
        let (function, stream, shared_bytes) = (self.kernel.raw(), stream.raw(), self.shared_bytes);
        // The driver copies each parameter before the call returns; the layout is that of the text that was loaded, and the
        // buffer is as long as the layout says.
        let list = self.pointers.as_mut_ptr();
        if cooperative {
            cu!(cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, stream, list))
        } else {
            let extra = std::ptr::null_mut();
            cu!(cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, stream, list, extra))
        }
    }
}
