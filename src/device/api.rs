//! The calls of the CUDA runtime that a program makes, as data.
//!
//! An explicit call (`cudaMemcpy`) returns an error code to the program. An implicit one (assignment of device data,
//! `allocate`, automatic deallocation) returns it to the host's run time, which ends the program with a finding.

use crate::{Fill, KernelLaunch, Section, Strided};
use finding::What;
use ir::FuncId;
use mem::Region;
use source::Span;
use std::sync::Arc;

/// A call with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// What is asked for.
    pub api: Api,
    /// The statement.
    pub span: Span,
}

/// Direction of a copy as the program states it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyKind {
    /// `cudaMemcpyHostToHost`
    HostToHost,
    /// `cudaMemcpyHostToDevice`
    HostToDevice,
    /// `cudaMemcpyDeviceToHost`
    DeviceToHost,
    /// `cudaMemcpyDeviceToDevice`
    DeviceToDevice,
    /// `cudaMemcpyDefault`: by the addresses.
    Default,
}

impl CopyKind {
    /// The kind of that number.
    pub fn from_code(code: i32) -> Option<CopyKind> {
        Some(match code {
            0 => CopyKind::HostToHost,
            1 => CopyKind::HostToDevice,
            2 => CopyKind::DeviceToHost,
            3 => CopyKind::DeviceToDevice,
            4 => CopyKind::Default,
            _ => return None,
        })
    }
}

/// Two-dimensional extents of a copy or fill, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pitched {
    /// Bytes of a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
}

/// What a program may ask of the CUDA runtime. Addresses named `at` are where results go, in host memory.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the fields have the names that NVIDIA's manual gives them")]
pub enum Api {
    /// A launch; its number and place are filled in here.
    Launch(KernelLaunch),
    /// Assignment between arrays of which at least one is not in plain host memory.
    Copy {
        destination: u64,
        source: u64,
        bytes: u64,
    },
    /// The same for arrays that are not contiguous.
    CopyStrided {
        destination: Strided,
        source: Strided,
        element_bytes: u64,
    },
    /// Assignment of a scalar to an array.
    Fill(Fill),
    /// ALLOCATE; the reply's value is the address.
    Alloc {
        region: Region,
        bytes: u64,
        /// What the address is a multiple of: a power of two.
        align: u32,
        name: String,
    },
    /// DEALLOCATE.
    Free {
        address: u64,
        name: String,
    },

    DeviceSynchronize,
    GetLastError,
    PeekAtLastError,
    /// The error with which the last launch failed, for code that the program has not written.
    LaunchError,
    SetDevice {
        device: i32,
    },
    GetDevice {
        at: u64,
    },
    GetDeviceCount {
        at: u64,
    },
    DeviceReset,
    /// `cudaGetDeviceProperties`: the members of `type(cudaDeviceProp)` at `at`, or of C's structure.
    GetDeviceProperties {
        at: u64,
        device: i32,
        of_c: bool,
    },
    DeviceGetAttribute {
        at: u64,
        attribute: i32,
        device: i32,
    },
    DeviceSetLimit {
        limit: i32,
        value: u64,
    },
    DeviceGetLimit {
        at: u64,
        limit: i32,
    },
    /// Whether device `from` can reach the memory of device `to`.
    DeviceCanAccessPeer {
        at: u64,
        from: i32,
        to: i32,
    },
    EnablePeerAccess {
        device: i32,
    },
    DisablePeerAccess {
        device: i32,
    },
    /// Version numbers: 1000 × major + 10 × minor.
    GetVersion {
        at: u64,
    },

    EventCreate {
        at: u64,
        flags: i32,
    },
    EventDestroy {
        event: u64,
    },
    EventRecord {
        event: u64,
        stream: u64,
    },
    EventSynchronize {
        event: u64,
    },
    EventQuery {
        event: u64,
    },
    /// Milliseconds as a real(4) at `at`.
    EventElapsedTime {
        at: u64,
        start: u64,
        end: u64,
    },

    StreamCreate {
        at: u64,
        flags: i32,
        priority: i32,
    },
    /// The priority as an integer(4) at `at`.
    StreamGetPriority {
        stream: u64,
        at: u64,
    },
    /// `cudaStreamAttachMemAsync`: who may use managed memory. A hint: every device lets host and kernels use all of it.
    StreamAttachMem {
        stream: u64,
        address: u64,
        bytes: u64,
        flags: i32,
    },
    StreamDestroy {
        stream: u64,
    },
    /// A call that concerns graphs.
    Graph(GraphCall),
    StreamSynchronize {
        stream: u64,
    },
    StreamQuery {
        stream: u64,
    },
    StreamWaitEvent {
        stream: u64,
        event: u64,
    },
    /// The stream of assignments, allocations and launches that name none.
    SetDefaultStream {
        stream: u64,
    },
    /// The stream of assignments to and from the array at `address`.
    SetArrayStream {
        address: u64,
        stream: u64,
    },
    /// The stream of an array, or that of everything else for address 0. The reply's value is the stream.
    GetDefaultStream {
        address: u64,
    },

    /// Puts the address at `at`.
    Malloc {
        region: Region,
        at: u64,
        bytes: u64,
    },
    /// Memory that is there for what comes after the call on the stream.
    MallocAsync {
        at: u64,
        bytes: u64,
        stream: u64,
    },
    MallocPitch {
        at: u64,
        pitch_at: u64,
        element_bytes: u64,
        width: u64,
        height: u64,
    },
    CudaFree {
        address: u64,
        host: bool,
    },
    /// Frees memory behind what is before the call on the stream.
    FreeAsync {
        address: u64,
        stream: u64,
    },
    Memcpy {
        destination: u64,
        source: u64,
        bytes: u64,
        kind: CopyKind,
        stream: Option<u64>,
    },
    /// A copy between the memory of two devices, whose numbers are checked: destination, source.
    MemcpyPeer {
        devices: [i32; 2],
        /// [`Api::Memcpy`].
        copy: Box<Api>,
    },
    Memcpy2D {
        destination: u64,
        destination_pitch: u64,
        source: u64,
        source_pitch: u64,
        extent: Pitched,
        kind: CopyKind,
        stream: Option<u64>,
    },
    Memset {
        destination: u64,
        count: u64,
        element: Vec<u8>,
        stream: Option<u64>,
    },
    Memset2D {
        destination: u64,
        pitch: u64,
        element: Vec<u8>,
        extent: Pitched,
        stream: Option<u64>,
    },
    /// Bytes in rows and planes: the destination and the source.
    Memcpy3D {
        sides: Box<[Strided; 2]>,
        kind: CopyKind,
        stream: Option<u64>,
    },
    /// The same for a byte.
    Memset3D {
        fill: Fill,
    },
    /// `cudaHostRegister`: from now on the memory counts as page-locked.
    HostRegister {
        address: u64,
        bytes: u64,
    },
    HostUnregister {
        address: u64,
    },
    /// The flags of page-locked memory as an integer(4) at `at`.
    HostGetFlags {
        at: u64,
        address: u64,
    },
    /// The address for device code of page-locked memory, at `at`.
    HostGetDevicePointer {
        at: u64,
        address: u64,
    },
    MemGetInfo {
        free_at: u64,
        total_at: u64,
    },
    /// `cudaMemAdvise`, `cudaMemPrefetchAsync`: a hint about managed memory, without effect.
    MemHint {
        address: u64,
        bytes: u64,
        prefetch: bool,
    },
    PointerGetAttributes {
        at: u64,
        address: u64,
    },
    /// The members of `type(cudaFuncAttributes)` at `at`.
    FuncGetAttributes {
        at: u64,
        func: FuncId,
    },
    FuncSetAttribute {
        func: FuncId,
        attribute: i32,
        value: u64,
    },
    /// Blocks of a kernel that a multiprocessor holds at once, an integer(4) at `at`.
    OccupancyMaxActiveBlocks {
        at: u64,
        func: FuncId,
        threads: i32,
        dynamic_shared: u64,
    },
    /// A routine of a library. The reply's code is the status; the runtime does not take such calls itself.
    Library(LibraryCall),
    /// A call whose code the caller has worked out itself, such as a bad argument or a setting without effect.
    Answer {
        name: &'static str,
        code: i32,
    },
}

impl Api {
    /// What the routine is called in Fortran; `assignment`, `allocate` … of implicit calls.
    pub fn name(&self) -> &'static str {
        match self {
            Api::Launch(_) => "launch",
            Api::Copy { .. } | Api::CopyStrided { .. } | Api::Fill(_) => "assignment",
            Api::Alloc { .. } => "allocate",
            Api::Free { .. } => "deallocate",
            Api::DeviceSynchronize => "cudaDeviceSynchronize",
            Api::GetLastError => "cudaGetLastError",
            Api::PeekAtLastError => "cudaPeekAtLastError",
            Api::LaunchError => "launch",
            Api::SetDevice { .. } => "cudaSetDevice",
            Api::GetDevice { .. } => "cudaGetDevice",
            Api::GetDeviceCount { .. } => "cudaGetDeviceCount",
            Api::DeviceReset => "cudaDeviceReset",
            Api::GetDeviceProperties { .. } => "cudaGetDeviceProperties",
            Api::DeviceGetAttribute { .. } => "cudaDeviceGetAttribute",
            Api::DeviceSetLimit { .. } => "cudaDeviceSetLimit",
            Api::DeviceGetLimit { .. } => "cudaDeviceGetLimit",
            Api::DeviceCanAccessPeer { .. } => "cudaDeviceCanAccessPeer",
            Api::EnablePeerAccess { .. } => "cudaDeviceEnablePeerAccess",
            Api::DisablePeerAccess { .. } => "cudaDeviceDisablePeerAccess",
            Api::GetVersion { .. } => "cudaRuntimeGetVersion",
            Api::EventCreate { .. } => "cudaEventCreate",
            Api::EventDestroy { .. } => "cudaEventDestroy",
            Api::EventRecord { .. } => "cudaEventRecord",
            Api::EventSynchronize { .. } => "cudaEventSynchronize",
            Api::EventQuery { .. } => "cudaEventQuery",
            Api::EventElapsedTime { .. } => "cudaEventElapsedTime",
            Api::StreamCreate { .. } => "cudaStreamCreate",
            Api::StreamGetPriority { .. } => "cudaStreamGetPriority",
            Api::StreamAttachMem { .. } => "cudaStreamAttachMemAsync",
            Api::StreamDestroy { .. } => "cudaStreamDestroy",
            Api::StreamSynchronize { .. } => "cudaStreamSynchronize",
            Api::StreamQuery { .. } => "cudaStreamQuery",
            Api::StreamWaitEvent { .. } => "cudaStreamWaitEvent",
            Api::SetDefaultStream { .. } | Api::SetArrayStream { .. } => "cudaforSetDefaultStream",
            Api::GetDefaultStream { .. } => "cudaforGetDefaultStream",
            Api::Malloc { region: Region::Managed, .. } => "cudaMallocManaged",
            Api::Malloc { region: Region::Pinned, .. } => "cudaMallocHost",
            Api::Malloc { .. } => "cudaMalloc",
            Api::MallocAsync { .. } => "cudaMallocAsync",
            Api::FreeAsync { .. } => "cudaFreeAsync",
            Api::MallocPitch { .. } => "cudaMallocPitch",
            Api::CudaFree { host: true, .. } => "cudaFreeHost",
            Api::CudaFree { .. } => "cudaFree",
            Api::MemcpyPeer { copy, .. } => match **copy {
                Api::Memcpy { stream: None, .. } => "cudaMemcpyPeer",
                _ => "cudaMemcpyPeerAsync",
            },
            Api::Memcpy { stream: None, .. } => "cudaMemcpy",
            Api::Memcpy { .. } => "cudaMemcpyAsync",
            Api::Memcpy2D { stream: None, .. } => "cudaMemcpy2D",
            Api::Memcpy2D { .. } => "cudaMemcpy2DAsync",
            Api::Memcpy3D { stream: None, .. } => "cudaMemcpy3D",
            Api::Memcpy3D { .. } => "cudaMemcpy3DAsync",
            Api::Memset3D { .. } => "cudaMemset3D",
            Api::Memset { stream: None, .. } => "cudaMemset",
            Api::Memset { .. } => "cudaMemsetAsync",
            Api::Memset2D { stream: None, .. } => "cudaMemset2D",
            Api::Memset2D { .. } => "cudaMemset2DAsync",
            Api::HostRegister { .. } => "cudaHostRegister",
            Api::HostUnregister { .. } => "cudaHostUnregister",
            Api::HostGetFlags { .. } => "cudaHostGetFlags",
            Api::HostGetDevicePointer { .. } => "cudaHostGetDevicePointer",
            Api::MemGetInfo { .. } => "cudaMemGetInfo",
            Api::MemHint { prefetch: true, .. } => "cudaMemPrefetchAsync",
            Api::MemHint { .. } => "cudaMemAdvise",
            Api::PointerGetAttributes { .. } => "cudaPointerGetAttributes",
            Api::FuncGetAttributes { .. } => "cudaFuncGetAttributes",
            Api::FuncSetAttribute { .. } => "cudaFuncSetAttribute",
            Api::OccupancyMaxActiveBlocks { .. } => "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
            Api::Graph(call) => call.name(),
            Api::Library(_) => "library",
            Api::Answer { name, .. } => name,
        }
    }
}

/// A call that concerns graphs and captured streams. Handles of new graphs go to `at`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields have the names that NVIDIA's manual gives them")]
pub enum GraphCall {
    BeginCapture {
        stream: u64,
        mode: i32,
    },
    EndCapture {
        stream: u64,
        at: u64,
    },
    /// The status as an integer(4) at `at`.
    IsCapturing {
        stream: u64,
        at: u64,
    },
    Instantiate {
        at: u64,
        graph: u64,
    },
    Launch {
        executable: u64,
        stream: u64,
    },
    /// The result as an integer(4) at `at`.
    Update {
        executable: u64,
        graph: u64,
        at: u64,
    },
    DestroyExecutable {
        executable: u64,
    },
    Destroy {
        graph: u64,
    },
}

impl GraphCall {
    /// The routine.
    pub fn name(self) -> &'static str {
        match self {
            GraphCall::BeginCapture { .. } => "cudaStreamBeginCapture",
            GraphCall::EndCapture { .. } => "cudaStreamEndCapture",
            GraphCall::IsCapturing { .. } => "cudaStreamIsCapturing",
            GraphCall::Instantiate { .. } => "cudaGraphInstantiate",
            GraphCall::Launch { .. } => "cudaGraphLaunch",
            GraphCall::Update { .. } => "cudaGraphExecUpdate",
            GraphCall::DestroyExecutable { .. } => "cudaGraphExecDestroy",
            GraphCall::Destroy { .. } => "cudaGraphDestroy",
        }
    }
}

/// A call of a routine of a library.
#[derive(Clone, PartialEq, Debug)]
pub struct LibraryCall {
    /// Its C name.
    pub name: Arc<str>,
    /// The words of its arguments, as C passes them.
    pub args: Vec<u64>,
}

/// What is known of a kernel without running it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelInfo {
    /// Its name.
    pub name: String,
    /// Bytes of static shared memory.
    pub shared_bytes: u64,
    /// Bytes of local memory of a thread.
    pub local_bytes: u64,
    /// Bytes of constant memory of the program.
    pub constant_bytes: u64,
    /// 32-bit registers of a thread, an estimate.
    pub registers: u32,
    /// Most threads of a block by `launch_bounds`.
    pub max_threads: Option<u32>,
    /// Blocks of a cluster by `cluster_dims`.
    pub cluster: Option<[u32; 3]>,
    /// Whether all its blocks can wait for each other (`grid_global`).
    pub is_cooperative: bool,
}

/// Whoever knows the kernels of the program.
pub trait Kernels {
    /// What is known of a function; `None` if it is no kernel.
    fn kernel(&self, func: FuncId) -> Option<KernelInfo>;
}

/// What a call gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reply {
    /// The error code, 0 for success.
    pub code: i32,
    /// What else it gives, as the call says.
    pub value: u64,
}

/// How the host orders itself and the streams; for the race detector and for schedules that delay commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// A stream exists from now on; one that is not blocking does not wait for the default stream.
    StreamMade {
        /// The stream.
        stream: u64,
        /// Whether it waits for the default stream, and that for it.
        blocking: bool,
        /// Its priority: a smaller number is more urgent.
        priority: i32,
    },
    /// The stream's handle is no longer valid; what was submitted goes on.
    StreamGone(u64),
    /// The event's handle is no longer valid.
    EventGone(u64),
    /// The event comes after everything that was submitted to the stream.
    Recorded {
        /// The event.
        event: u64,
        /// The stream.
        stream: u64,
    },
    /// What is submitted to the stream from now on comes after the event.
    StreamWaits {
        /// The stream.
        stream: u64,
        /// The event.
        event: u64,
    },
    /// The host continues only after everything that was submitted.
    HostWaitsForDevice,
    /// The host continues only after everything that was submitted to the stream.
    HostWaitsForStream(u64),
    /// The host continues only after the event.
    HostWaitsForEvent(u64),
}

/// The accesses of a command, for the order of accesses.
#[derive(Clone, PartialEq, Debug)]
pub enum Work {
    /// A launch, by its number; the device knows what it touched.
    Launch {
        /// Number of the launch in the run, from 1.
        number: u64,
        /// The kernel.
        kernel: String,
    },
    /// A copy, a fill or a routine of a library.
    Transfer {
        /// The routine, or `assignment`.
        call: &'static str,
        /// What it writes.
        written: Vec<Section>,
        /// What it reads.
        read: Vec<Section>,
    },
    /// Memory that begins or ends with its place on the stream.
    Lifetime {
        /// The routine.
        call: &'static str,
        /// [`What::Allocate`] or [`What::Free`].
        what: What,
        /// The address and the bytes.
        memory: (u64, u64),
    },
}

/// One step in the order of commands and host, for the observer that decides which of them race.
#[derive(Clone, PartialEq, Debug)]
pub enum OrderStep {
    /// A command was put on a stream.
    Submitted {
        /// What it does.
        work: Work,
        /// The device.
        device: u32,
        /// The stream.
        stream: u64,
        /// The statement.
        span: Span,
    },
    /// Streams, events and the host were ordered.
    Ordered {
        /// The device that was selected.
        device: u32,
        /// How.
        order: Order,
    },
}
