//! The services that are calls of the CUDA runtime: from their words to [`Api`].
//!
//! Counts of the Fortran interfaces are in elements; here they become bytes.

use crate::condition::{Condition, OTHER};
use crate::protocol::{Args, Halt};
use crate::storage;
use device::{Api, CopyKind, CudaError, GraphCall, Pitched};
use ir::rt::Rt;
use mem::{Memory, Region};

/// The word at an address of host memory, such as a handle; 0 where nothing was passed.
fn word(memory: &Memory, address: u64) -> Result<u64, Halt> {
    if address == 0 {
        return Ok(0);
    }
    Ok(u64::from_le_bytes(storage::read_array(memory, address)?))
}

/// The kind of a copy: an optional `integer(4)` by address.
pub(crate) fn kind(memory: &Memory, address: u64) -> Result<Option<CopyKind>, Halt> {
    if address == 0 {
        return Ok(Some(CopyKind::Default));
    }
    Ok(CopyKind::from_code(i32::from_le_bytes(storage::read_array(memory, address)?)))
}

/// Which arguments of a copy or of a `cudaMemset` are counts of elements, widths and heights.
fn counts(rt: Rt) -> &'static [usize] {
    match rt {
        Rt::CudaMemcpyBetween | Rt::CudaMemcpyAsyncBetween | Rt::CudaMemsetPointer | Rt::CudaMemsetPointerAsync => &[2],
        Rt::CudaMemcpyTo | Rt::CudaMemcpyFrom | Rt::CudaMemcpyAsyncTo | Rt::CudaMemcpyAsyncFrom => &[3],
        Rt::CudaMemset | Rt::CudaMemsetReal | Rt::CudaMemsetAsync | Rt::CudaMemsetAsyncReal => &[3],
        Rt::CudaMemcpy | Rt::CudaMemcpyAsync | Rt::CudaMemcpyStream => &[4],
        Rt::CudaMemsetComplex | Rt::CudaMemsetAsyncComplex => &[4],
        Rt::CudaMemset2D | Rt::CudaMemset2DReal | Rt::CudaMemset2DAsync | Rt::CudaMemset2DAsyncReal => &[4, 5],
        Rt::CudaMemset2DComplex | Rt::CudaMemset2DAsyncComplex => &[5, 6],
        Rt::CudaMemcpyPeer | Rt::CudaMemcpyPeerAsync => &[6],
        Rt::CudaMemcpy2D | Rt::CudaMemcpy2DAsync => &[6, 7],
        _ => &[],
    }
}

/// The call of the CUDA runtime that a service stands for.
pub(crate) fn cuda_call(memory: &Memory, rt: Rt, a: Args<'_>) -> Result<Api, Halt> {
    if counts(rt).iter().any(|&i| a.long(i) < 0) {
        // C has no negative sizes: what the interface passes on is greater than any memory.
        let name = if rt.mnemonic().starts_with("cuda.memset") { "cudaMemset" } else { "cudaMemcpy" };
        return Ok(Api::Answer { name, code: CudaError::InvalidValue.code() });
    }
    let copy = |to: u64, from: u64, bytes: u64, direction: Option<CopyKind>, stream: Option<u64>| match direction {
        Some(kind) => Api::Memcpy { destination: to, source: from, bytes, kind, stream },
        None => Api::Answer { name: "cudaMemcpy", code: CudaError::InvalidMemcpyDirection.code() },
    };
    let elements = |count: usize, bytes: usize| a.size(count).saturating_mul(a.size(bytes));
    // Counts of a copy are in elements, or in bytes if one side is a C pointer, which has elements of one byte.
    let smaller = |count: usize, to: usize, from: usize| a.size(count).saturating_mul(a.size(to).min(a.size(from)));
    let integer = |value: usize, bytes: usize| a.bits(value).to_le_bytes()[..a.size(bytes).min(8) as usize].to_vec();
    let real = |value: usize, bytes: usize| match a.size(bytes) {
        4 => (f64::from_bits(a.bits(value)) as f32).to_le_bytes().to_vec(),
        _ => a.bits(value).to_le_bytes().to_vec(),
    };
    let complex = |value: usize, bytes: usize| match a.size(bytes) {
        8 => [value, value + 1].map(|v| (f64::from_bits(a.bits(v)) as f32).to_le_bytes()).concat(),
        _ => [value, value + 1].map(|v| a.bits(v).to_le_bytes()).concat(),
    };
    let memset = |element: Vec<u8>, count: usize, stream: Option<usize>| Api::Memset {
        destination: a.bits(0),
        count: a.size(count),
        element,
        stream: stream.map(|s| a.bits(s)),
    };
    let kernel = |i: usize| ir::FuncId(a.bits(i) as u32);
    let memset_2d = |element: Vec<u8>, width: usize, stream: Option<usize>| Api::Memset2D {
        destination: a.bits(0),
        pitch: elements(2, 1),
        element,
        extent: Pitched { width: a.size(width), height: a.size(width + 1) },
        stream: stream.map(|s| a.bits(s)),
    };
    Ok(match rt {
        Rt::CudaDeviceSynchronize => Api::DeviceSynchronize,
        Rt::CudaGetLastError => Api::GetLastError,
        Rt::CudaPeekAtLastError => Api::PeekAtLastError,
        Rt::CudaLaunchError => Api::LaunchError,
        Rt::CudaSetDevice => Api::SetDevice { device: a.int(0) },
        Rt::CudaGetDevice => Api::GetDevice { at: a.bits(0) },
        Rt::CudaGetDeviceCount => Api::GetDeviceCount { at: a.bits(0) },
        Rt::CudaDeviceReset => Api::DeviceReset,
        Rt::CudaGetDeviceProperties => Api::GetDeviceProperties { at: a.bits(0), device: a.int(1), of_c: false },
        Rt::CudaDeviceGetAttribute => Api::DeviceGetAttribute { at: a.bits(0), attribute: a.int(1), device: a.int(2) },
        Rt::CudaDeviceSetLimit => Api::DeviceSetLimit { limit: a.int(0), value: a.size(1) },
        Rt::CudaDeviceGetLimit => Api::DeviceGetLimit { at: a.bits(0), limit: a.int(1) },
        Rt::CudaDeviceCanAccessPeer => Api::DeviceCanAccessPeer { at: a.bits(0), from: a.int(1), to: a.int(2) },
        Rt::CudaDeviceEnablePeerAccess => Api::EnablePeerAccess { device: a.int(0) },
        Rt::CudaDeviceDisablePeerAccess => Api::DisablePeerAccess { device: a.int(0) },
        Rt::CudaGetVersion => Api::GetVersion { at: a.bits(0) },
        Rt::CudaSetting => Api::Answer { name: "cudaDeviceSetCacheConfig", code: 0 },
        Rt::CudaEventCreate => Api::EventCreate { at: a.bits(0), flags: a.int(1) },
        Rt::CudaEventDestroy => Api::EventDestroy { event: word(memory, a.bits(0))? },
        Rt::CudaEventRecord => Api::EventRecord { event: word(memory, a.bits(0))?, stream: a.bits(1) },
        Rt::CudaEventSynchronize => Api::EventSynchronize { event: word(memory, a.bits(0))? },
        Rt::CudaEventQuery => Api::EventQuery { event: word(memory, a.bits(0))? },
        Rt::CudaEventElapsedTime => {
            let (start, end) = (word(memory, a.bits(1))?, word(memory, a.bits(2))?);
            Api::EventElapsedTime { at: a.bits(0), start, end }
        }
        Rt::CudaStreamCreate => Api::StreamCreate { at: a.bits(0), flags: a.int(1), priority: a.int(2) },
        Rt::CudaStreamGetPriority => Api::StreamGetPriority { stream: a.bits(0), at: a.bits(1) },
        Rt::CudaStreamAttachMem => {
            Api::StreamAttachMem { stream: a.bits(0), address: a.bits(1), bytes: elements(3, 2), flags: a.int(4) }
        }
        Rt::CudaStreamDestroy => Api::StreamDestroy { stream: a.bits(0) },
        Rt::CudaStreamSynchronize => Api::StreamSynchronize { stream: a.bits(0) },
        Rt::CudaStreamQuery => Api::StreamQuery { stream: a.bits(0) },
        Rt::CudaStreamWaitEvent => Api::StreamWaitEvent { stream: a.bits(0), event: word(memory, a.bits(1))? },
        Rt::CudaStreamBeginCapture => Api::Graph(GraphCall::BeginCapture { stream: a.bits(0), mode: a.int(1) }),
        Rt::CudaStreamEndCapture => Api::Graph(GraphCall::EndCapture { stream: a.bits(0), at: a.bits(1) }),
        Rt::CudaStreamIsCapturing => Api::Graph(GraphCall::IsCapturing { stream: a.bits(0), at: a.bits(1) }),
        Rt::CudaGraphInstantiate => {
            Api::Graph(GraphCall::Instantiate { at: a.bits(0), graph: word(memory, a.bits(1))? })
        }
        Rt::CudaGraphLaunch => {
            Api::Graph(GraphCall::Launch { executable: word(memory, a.bits(0))?, stream: a.bits(1) })
        }
        Rt::CudaGraphExecUpdate => Api::Graph(GraphCall::Update {
            executable: word(memory, a.bits(0))?,
            graph: word(memory, a.bits(1))?,
            at: a.bits(2),
        }),
        Rt::CudaGraphExecDestroy => Api::Graph(GraphCall::DestroyExecutable { executable: word(memory, a.bits(0))? }),
        Rt::CudaGraphDestroy => Api::Graph(GraphCall::Destroy { graph: word(memory, a.bits(0))? }),
        Rt::CudaSetDefaultStream => Api::SetDefaultStream { stream: a.bits(0) },
        Rt::CudaGetDefaultStream => Api::GetDefaultStream { address: a.bits(0) },
        Rt::CudaSetArrayStream => Api::SetArrayStream { address: a.bits(0), stream: a.bits(2) },
        Rt::CudaFuncGetAttributes => Api::FuncGetAttributes { at: a.bits(0), func: kernel(1) },
        Rt::CudaFuncSetAttribute => Api::FuncSetAttribute { func: kernel(0), attribute: a.int(1), value: a.size(2) },
        Rt::CudaFuncSetting => Api::Answer { name: "cudaFuncSetCacheConfig", code: 0 },
        Rt::CudaOccupancy | Rt::CudaOccupancyFlags => Api::OccupancyMaxActiveBlocks {
            at: a.bits(0),
            func: kernel(1),
            threads: a.int(2),
            dynamic_shared: a.size(3),
        },
        Rt::CudaMallocHost => Api::Malloc { region: Region::Pinned, at: a.bits(0), bytes: a.size(1) },
        Rt::CudaMallocManaged => Api::Malloc { region: Region::Managed, at: a.bits(0), bytes: a.size(1) },
        Rt::CudaMalloc => Api::Malloc { region: Region::Device(0), at: a.bits(0), bytes: a.size(1) },
        Rt::CudaMallocAsync => Api::MallocAsync { at: a.bits(0), bytes: a.size(1), stream: a.bits(2) },
        Rt::CudaMallocPitch => Api::MallocPitch {
            at: a.bits(0),
            pitch_at: a.bits(1),
            element_bytes: 1,
            width: a.size(2),
            height: a.size(3),
        },
        Rt::CudaFree => Api::CudaFree { address: a.bits(0), host: false },
        Rt::CudaFreeAsync => Api::FreeAsync { address: a.bits(0), stream: a.bits(1) },
        Rt::CudaFreeHost => Api::CudaFree { address: a.bits(0), host: true },
        Rt::CudaMemcpy => copy(a.bits(0), a.bits(2), smaller(4, 1, 3), kind(memory, a.bits(5))?, None),
        Rt::CudaMemcpyTo => copy(a.bits(0), a.bits(1), a.size(3), kind(memory, a.bits(4))?, None),
        Rt::CudaMemcpyFrom => copy(a.bits(0), a.bits(2), a.size(3), kind(memory, a.bits(4))?, None),
        Rt::CudaMemcpyBetween => copy(a.bits(0), a.bits(1), a.size(2), kind(memory, a.bits(3))?, None),
        Rt::CudaMemcpyAsync => copy(a.bits(0), a.bits(2), smaller(4, 1, 3), kind(memory, a.bits(5))?, Some(a.bits(6))),
        Rt::CudaMemcpyAsyncTo => copy(a.bits(0), a.bits(1), a.size(3), kind(memory, a.bits(4))?, Some(a.bits(5))),
        Rt::CudaMemcpyAsyncFrom => copy(a.bits(0), a.bits(2), a.size(3), kind(memory, a.bits(4))?, Some(a.bits(5))),
        Rt::CudaMemcpyAsyncBetween => copy(a.bits(0), a.bits(1), a.size(2), kind(memory, a.bits(3))?, Some(a.bits(4))),
        Rt::CudaMemcpyStream => copy(a.bits(0), a.bits(2), smaller(4, 1, 3), Some(CopyKind::Default), Some(a.bits(5))),
        Rt::CudaMemcpyPeer | Rt::CudaMemcpyPeerAsync => {
            let stream = (rt == Rt::CudaMemcpyPeerAsync).then(|| a.bits(7));
            let one = copy(a.bits(0), a.bits(3), smaller(6, 1, 4), Some(CopyKind::DeviceToDevice), stream);
            Api::MemcpyPeer { devices: [a.int(2), a.int(5)], copy: Box::new(one) }
        }
        Rt::CudaMemcpy2D | Rt::CudaMemcpy2DAsync => match kind(memory, a.bits(8))? {
            Some(kind) => Api::Memcpy2D {
                destination: a.bits(0),
                destination_pitch: smaller(2, 1, 4),
                source: a.bits(3),
                source_pitch: smaller(5, 1, 4),
                extent: Pitched { width: smaller(6, 1, 4), height: a.size(7) },
                kind,
                stream: (rt == Rt::CudaMemcpy2DAsync).then(|| a.bits(9)),
            },
            None => Api::Answer { name: "cudaMemcpy2D", code: CudaError::InvalidMemcpyDirection.code() },
        },
        Rt::CudaMemset => memset(integer(2, 1), 3, None),
        Rt::CudaMemsetReal => memset(real(2, 1), 3, None),
        Rt::CudaMemsetComplex => memset(complex(2, 1), 4, None),
        Rt::CudaMemsetPointer => memset(vec![a.bits(1) as u8], 2, None),
        Rt::CudaMemsetAsync => memset(integer(2, 1), 3, Some(4)),
        Rt::CudaMemsetAsyncReal => memset(real(2, 1), 3, Some(4)),
        Rt::CudaMemsetAsyncComplex => memset(complex(2, 1), 4, Some(5)),
        Rt::CudaMemset2D => memset_2d(integer(3, 1), 4, None),
        Rt::CudaMemset2DReal => memset_2d(real(3, 1), 4, None),
        Rt::CudaMemset2DComplex => memset_2d(complex(3, 1), 5, None),
        Rt::CudaMemset2DAsync => memset_2d(integer(3, 1), 4, Some(6)),
        Rt::CudaMemset2DAsyncReal => memset_2d(real(3, 1), 4, Some(6)),
        Rt::CudaMemset2DAsyncComplex => memset_2d(complex(3, 1), 5, Some(7)),
        Rt::CudaMemsetPointerAsync => memset(vec![a.bits(1) as u8], 2, Some(3)),
        Rt::CudaHostRegister => Api::HostRegister { address: a.bits(0), bytes: a.size(1) },
        Rt::CudaHostUnregister => Api::HostUnregister { address: a.bits(0) },
        Rt::CudaHostGetFlags => Api::HostGetFlags { at: a.bits(0), address: a.bits(1) },
        Rt::CudaMemGetInfo => Api::MemGetInfo { free_at: a.bits(0), total_at: a.bits(1) },
        Rt::CudaMemAdvise | Rt::CudaMemPrefetch => {
            Api::MemHint { address: a.bits(0), bytes: elements(2, 1), prefetch: rt == Rt::CudaMemPrefetch }
        }
        Rt::CudaPointerGetAttributes => Api::PointerGetAttributes { at: a.bits(0), address: a.bits(1) },
        other => {
            let reason = format!("`{other}` is not a service of the host");
            return Err(Condition::Error(OTHER, reason).into());
        }
    })
}
