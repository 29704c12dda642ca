//! The services that are calls of the CUDA runtime: from their words to [`Api`].
//!
//! Counts of the Fortran interfaces are in elements; here they become bytes.

use crate::errors::{Condition, OTHER};
use crate::runtime::Halt;
use crate::service::{Args, region_of};
use crate::storage;
use device::{Api, CopyKind, Pitched};
use ir::rt::Rt;
use mem::Memory;

/// The word at an address of host memory, such as a handle; 0 where nothing was passed.
fn word(memory: &Memory, address: u64) -> Result<u64, Halt> {
    if address == 0 {
        return Ok(0);
    }
    let bytes = storage::read(memory, address, 8)?;
    Ok(bytes.try_into().map_or(0, u64::from_le_bytes))
}

/// The kind of a copy: an optional `integer(4)` by address.
fn kind(memory: &Memory, address: u64) -> Result<Option<CopyKind>, Halt> {
    if address == 0 {
        return Ok(Some(CopyKind::Default));
    }
    let bytes = storage::read(memory, address, 4)?;
    Ok(CopyKind::from_code(bytes.try_into().map_or(-1, i32::from_le_bytes)))
}

/// The call of the CUDA runtime that a service stands for.
pub(crate) fn cuda_call(memory: &Memory, rt: Rt, a: Args<'_>) -> Result<Api, Halt> {
    const BAD: i32 = 1;
    let copy = |direction: Option<CopyKind>, stream: Option<u64>, name: &'static str| match direction {
        // Counts are in elements of the destination.
        Some(kind) => Api::Memcpy {
            destination: a.bits(0),
            source: a.bits(2),
            bytes: a.size(4).saturating_mul(a.size(1)),
            kind,
            stream,
        },
        None => Api::Answer { name, code: BAD },
    };
    let element = |bits: usize, bytes: usize| a.bits(bits).to_le_bytes()[..a.size(bytes).min(8) as usize].to_vec();
    Ok(match rt {
        Rt::CudaDeviceSynchronize => Api::DeviceSynchronize,
        Rt::CudaGetLastError => Api::GetLastError,
        Rt::CudaPeekAtLastError => Api::PeekAtLastError,
        Rt::CudaSetDevice => Api::SetDevice { device: a.int(0) },
        Rt::CudaGetDevice => Api::GetDevice { at: a.bits(0) },
        Rt::CudaGetDeviceCount => Api::GetDeviceCount { at: a.bits(0) },
        Rt::CudaDeviceReset => Api::DeviceReset,
        Rt::CudaGetDeviceProperties => Api::GetDeviceProperties { at: a.bits(0), device: a.int(1) },
        Rt::CudaDeviceGetAttribute => {
            Api::DeviceGetAttribute { at: a.bits(0), attribute: a.int(1), device: a.int(2) }
        }
        Rt::CudaDeviceSetLimit => Api::DeviceSetLimit { limit: a.int(0), value: a.size(1) },
        Rt::CudaDeviceGetLimit => Api::DeviceGetLimit { at: a.bits(0), limit: a.int(1) },
        Rt::CudaDeviceCanAccessPeer => Api::DeviceCanAccessPeer { at: a.bits(0), from: a.int(1), to: a.int(2) },
        Rt::CudaDeviceEnablePeerAccess => Api::EnablePeerAccess { device: a.int(0) },
        Rt::CudaDeviceDisablePeerAccess => Api::DisablePeerAccess { device: a.int(0) },
        Rt::CudaGetVersion => Api::GetVersion { at: a.bits(0) },
        Rt::CudaSetting => Api::Answer { name: "cudaDeviceSetCacheConfig", code: 0 },
        Rt::CudaEventCreate => Api::EventCreate { at: a.bits(0) },
        Rt::CudaEventDestroy => Api::EventDestroy { event: word(memory, a.bits(0))? },
        Rt::CudaEventRecord => Api::EventRecord { event: word(memory, a.bits(0))?, stream: a.bits(1) },
        Rt::CudaEventSynchronize => Api::EventSynchronize { event: word(memory, a.bits(0))? },
        Rt::CudaEventQuery => Api::EventQuery { event: word(memory, a.bits(0))? },
        Rt::CudaEventElapsedTime => {
            let (start, end) = (word(memory, a.bits(1))?, word(memory, a.bits(2))?);
            Api::EventElapsedTime { at: a.bits(0), start, end }
        }
        Rt::CudaStreamCreate => Api::StreamCreate { at: a.bits(0), flags: a.int(1) },
        Rt::CudaStreamDestroy => Api::StreamDestroy { stream: a.bits(0) },
        Rt::CudaStreamSynchronize => Api::StreamSynchronize { stream: a.bits(0) },
        Rt::CudaStreamQuery => Api::StreamQuery { stream: a.bits(0) },
        Rt::CudaStreamWaitEvent => Api::StreamWaitEvent { stream: a.bits(0), event: word(memory, a.bits(1))? },
        Rt::CudaSetDefaultStream => Api::SetDefaultStream { stream: a.bits(0) },
        Rt::CudaGetDefaultStream => Api::GetDefaultStream,
        Rt::CudaMalloc => {
            Api::Malloc { region: region_of(a.int(0)), at: a.bits(1), bytes: a.size(2) }
        }
        Rt::CudaMallocPitch => Api::MallocPitch {
            at: a.bits(0),
            pitch_at: a.bits(1),
            element_bytes: a.size(2),
            width: a.size(3),
            height: a.size(4),
        },
        Rt::CudaFree => Api::CudaFree { address: a.bits(0), host: false },
        Rt::CudaFreeHost => Api::CudaFree { address: a.bits(0), host: true },
        Rt::CudaMemcpy => copy(kind(memory, a.bits(5))?, None, "cudaMemcpy"),
        Rt::CudaMemcpyAsync => copy(kind(memory, a.bits(5))?, Some(a.bits(6)), "cudaMemcpyAsync"),
        Rt::CudaMemcpy2D => {
            let width = a.size(1);
            match kind(memory, a.bits(8))? {
                Some(kind) => Api::Memcpy2D {
                    destination: a.bits(0),
                    destination_pitch: a.size(2).saturating_mul(width),
                    source: a.bits(3),
                    source_pitch: a.size(5).saturating_mul(width),
                    extent: Pitched { width: a.size(6).saturating_mul(width), height: a.size(7) },
                    kind,
                    stream: u64::try_from(a.long(9)).ok(),
                },
                None => Api::Answer { name: "cudaMemcpy2D", code: BAD },
            }
        }
        Rt::CudaMemset => {
            Api::Memset { destination: a.bits(0), count: a.size(2), element: element(3, 1), stream: None }
        }
        Rt::CudaMemsetAsync => {
            let element = element(3, 1);
            Api::Memset { destination: a.bits(0), count: a.size(2), element, stream: Some(a.bits(4)) }
        }
        Rt::CudaMemset2D => Api::Memset2D {
            destination: a.bits(0),
            pitch: a.size(2).saturating_mul(a.size(1)),
            element: element(3, 1),
            extent: Pitched { width: a.size(4), height: a.size(5) },
        },
        Rt::CudaMemGetInfo => Api::MemGetInfo { free_at: a.bits(0), total_at: a.bits(1) },
        Rt::CudaMemHint => Api::MemHint {
            address: a.bits(0),
            bytes: a.size(2).saturating_mul(a.size(1)),
            prefetch: a.flag(3),
        },
        Rt::CudaPointerGetAttributes => Api::PointerGetAttributes { at: a.bits(0), address: a.bits(1) },
        other => {
            let reason = format!("`{other}` is not a service of the host");
            return Err(Condition::Error(OTHER, reason).into());
        }
    })
}
