//! The C interface of CUDA's runtime, which a program may declare itself, by `bind(c)`: handles and kinds of copies are passed by
//! value, and counts are bytes (CUDA Runtime API).

use crate::protocol::Args;
use device::{Api, CopyKind, CudaError, GraphCall, Pitched};
use mem::Region;

/// Whether the C interface of CUDA's runtime has a routine of that name, which this version knows.
pub fn has_runtime_routine(name: &str) -> bool {
    c_call(name, Args(&[])).is_some() || c_text(name, 0).is_some() || super::c_arrays::NAMES.contains(&name)
}

/// The text whose address a routine gives, for an error code.
pub(crate) fn c_text(name: &str, code: i32) -> Option<&'static str> {
    match name {
        "cudaGetErrorString" => Some(device::error_string(code)),
        "cudaGetErrorName" => Some(device::error_name(code)),
        _ => None,
    }
}

/// The call of the runtime that a routine of its C interface is.
pub(crate) fn c_call(name: &str, a: Args<'_>) -> Option<Api> {
    let malloc = |region: Region| Api::Malloc { region, at: a.bits(0), bytes: a.size(1) };
    let copy = |stream: Option<u64>| match CopyKind::from_code(a.int(3)) {
        Some(kind) => Api::Memcpy { destination: a.bits(0), source: a.bits(1), bytes: a.size(2), kind, stream },
        None => Api::Answer { name: "cudaMemcpy", code: CudaError::InvalidMemcpyDirection.code() },
    };
    let copy_2d = |stream: Option<u64>| match CopyKind::from_code(a.int(6)) {
        Some(kind) => Api::Memcpy2D {
            destination: a.bits(0),
            destination_pitch: a.size(1),
            source: a.bits(2),
            source_pitch: a.size(3),
            extent: Pitched { width: a.size(4), height: a.size(5) },
            kind,
            stream,
        },
        None => Api::Answer { name: "cudaMemcpy2D", code: CudaError::InvalidMemcpyDirection.code() },
    };
    let fill = |stream: Option<u64>| Api::Memset {
        destination: a.bits(0),
        count: a.size(2),
        element: vec![a.bits(1) as u8],
        stream,
    };
    Some(match name {
        "cudaDeviceSynchronize" | "cudaThreadSynchronize" => Api::DeviceSynchronize,
        "cudaDeviceReset" | "cudaThreadExit" => Api::DeviceReset,
        "cudaGetLastError" => Api::GetLastError,
        "cudaPeekAtLastError" => Api::PeekAtLastError,
        "cudaSetDevice" => Api::SetDevice { device: a.int(0) },
        "cudaGetDevice" => Api::GetDevice { at: a.bits(0) },
        "cudaGetDeviceCount" => Api::GetDeviceCount { at: a.bits(0) },
        "cudaGetDeviceProperties" => Api::GetDeviceProperties { at: a.bits(0), device: a.int(1), of_c: true },
        "cudaDeviceGetAttribute" => Api::DeviceGetAttribute { at: a.bits(0), attribute: a.int(1), device: a.int(2) },
        "cudaDeviceSetLimit" => Api::DeviceSetLimit { limit: a.int(0), value: a.size(1) },
        "cudaDeviceGetLimit" => Api::DeviceGetLimit { at: a.bits(0), limit: a.int(1) },
        "cudaDeviceCanAccessPeer" => Api::DeviceCanAccessPeer { at: a.bits(0), from: a.int(1), to: a.int(2) },
        "cudaDeviceEnablePeerAccess" => Api::EnablePeerAccess { device: a.int(0) },
        "cudaDeviceDisablePeerAccess" => Api::DisablePeerAccess { device: a.int(0) },
        "cudaDeviceSetCacheConfig" => Api::Answer { name: "cudaDeviceSetCacheConfig", code: 0 },
        "cudaDeviceSetSharedMemConfig" => Api::Answer { name: "cudaDeviceSetSharedMemConfig", code: 0 },
        "cudaProfilerStart" => Api::Answer { name: "cudaProfilerStart", code: 0 },
        "cudaProfilerStop" => Api::Answer { name: "cudaProfilerStop", code: 0 },
        "cudaDriverGetVersion" | "cudaRuntimeGetVersion" => Api::GetVersion { at: a.bits(0) },
        "cudaMalloc" => malloc(Region::Device(0)),
        "cudaMallocManaged" => malloc(Region::Managed),
        "cudaMallocHost" | "cudaHostAlloc" => malloc(Region::Pinned),
        "cudaMallocPitch" => Api::MallocPitch {
            at: a.bits(0),
            pitch_at: a.bits(1),
            element_bytes: 1,
            width: a.size(2),
            height: a.size(3),
        },
        "cudaMallocAsync" => Api::MallocAsync { at: a.bits(0), bytes: a.size(1), stream: a.bits(2) },
        "cudaFreeAsync" => Api::FreeAsync { address: a.bits(0), stream: a.bits(1) },
        "cudaFree" => Api::CudaFree { address: a.bits(0), host: false },
        "cudaFreeHost" => Api::CudaFree { address: a.bits(0), host: true },
        "cudaMemcpy" => copy(None),
        "cudaMemcpyAsync" => copy(Some(a.bits(4))),
        "cudaMemcpy2D" => copy_2d(None),
        "cudaMemcpy2DAsync" => copy_2d(Some(a.bits(7))),
        "cudaMemset" => fill(None),
        "cudaMemsetAsync" => fill(Some(a.bits(3))),
        "cudaMemset2D" | "cudaMemset2DAsync" => Api::Memset2D {
            destination: a.bits(0),
            pitch: a.size(1),
            element: vec![a.bits(2) as u8],
            extent: Pitched { width: a.size(3), height: a.size(4) },
            stream: (name == "cudaMemset2DAsync").then(|| a.bits(5)),
        },
        "cudaHostGetFlags" => Api::HostGetFlags { at: a.bits(0), address: a.bits(1) },
        "cudaMemGetInfo" => Api::MemGetInfo { free_at: a.bits(0), total_at: a.bits(1) },
        "cudaMemPrefetchAsync" => Api::MemHint { address: a.bits(0), bytes: a.size(1), prefetch: true },
        "cudaMemAdvise" => Api::MemHint { address: a.bits(0), bytes: a.size(1), prefetch: false },
        "cudaHostRegister" => Api::HostRegister { address: a.bits(0), bytes: a.size(1) },
        "cudaHostGetDevicePointer" => Api::HostGetDevicePointer { at: a.bits(0), address: a.bits(1) },
        "cudaHostUnregister" => Api::HostUnregister { address: a.bits(0) },
        "cudaStreamCreate" => Api::StreamCreate { at: a.bits(0), flags: 0, priority: 0 },
        "cudaStreamCreateWithFlags" => Api::StreamCreate { at: a.bits(0), flags: a.int(1), priority: 0 },
        "cudaStreamCreateWithPriority" => Api::StreamCreate { at: a.bits(0), flags: a.int(1), priority: a.int(2) },
        "cudaStreamGetPriority" => Api::StreamGetPriority { stream: a.bits(0), at: a.bits(1) },
        "cudaStreamAttachMemAsync" => {
            Api::StreamAttachMem { stream: a.bits(0), address: a.bits(1), bytes: a.size(2), flags: a.int(3) }
        }
        "cudaStreamDestroy" => Api::StreamDestroy { stream: a.bits(0) },
        "cudaStreamSynchronize" => Api::StreamSynchronize { stream: a.bits(0) },
        "cudaStreamQuery" => Api::StreamQuery { stream: a.bits(0) },
        "cudaStreamWaitEvent" => Api::StreamWaitEvent { stream: a.bits(0), event: a.bits(1) },
        "cudaEventCreate" => Api::EventCreate { at: a.bits(0), flags: 0 },
        "cudaEventCreateWithFlags" => Api::EventCreate { at: a.bits(0), flags: a.int(1) },
        "cudaEventDestroy" => Api::EventDestroy { event: a.bits(0) },
        "cudaEventRecord" => Api::EventRecord { event: a.bits(0), stream: a.bits(1) },
        "cudaEventRecordWithFlags" => Api::EventRecord { event: a.bits(0), stream: a.bits(1) },
        "cudaEventSynchronize" => Api::EventSynchronize { event: a.bits(0) },
        "cudaEventQuery" => Api::EventQuery { event: a.bits(0) },
        "cudaEventElapsedTime" => Api::EventElapsedTime { at: a.bits(0), start: a.bits(1), end: a.bits(2) },
        _ => Api::Graph(graph_call(name, a)?),
    })
}

/// The call that concerns graphs.
fn graph_call(name: &str, a: Args<'_>) -> Option<GraphCall> {
    Some(match name {
        "cudaStreamBeginCapture" => GraphCall::BeginCapture { stream: a.bits(0), mode: a.int(1) },
        "cudaStreamEndCapture" => GraphCall::EndCapture { stream: a.bits(0), at: a.bits(1) },
        "cudaStreamIsCapturing" => GraphCall::IsCapturing { stream: a.bits(0), at: a.bits(1) },
        "cudaGraphInstantiate" | "cudaGraphInstantiateWithFlags" => {
            GraphCall::Instantiate { at: a.bits(0), graph: a.bits(1) }
        }
        "cudaGraphLaunch" => GraphCall::Launch { executable: a.bits(0), stream: a.bits(1) },
        "cudaGraphExecDestroy" => GraphCall::DestroyExecutable { executable: a.bits(0) },
        "cudaGraphDestroy" => GraphCall::Destroy { graph: a.bits(0) },
        _ => return None,
    })
}
