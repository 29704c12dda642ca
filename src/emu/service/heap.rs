//! ALLOCATE and DEALLOCATE in device code: the heap of a launch (CUDA C++ Programming Guide, 10.34, dynamic global memory).
//!
//! Each lane allocates for itself, in the order of lanes; what a launch has allocated may not exceed the heap that CUDA gives
//! a context, or what `cudaDeviceSetLimit` has set. A lane without `stat=` that finds no room ends the launch with a finding.

use crate::service::Served;
use crate::symbolize::Memories;
use finding::FindingKind;
use ir::rt::Rt;
use mem::{Memory, Region};
use scalar::lanes;
use source::Span;
use std::collections::BTreeSet;
use vm::{Program, RtRequest, Warp};

/// The code of a failed allocation, and of freeing what is not allocated.
const FAILED: u64 = 1;

/// The heap of a launch.
pub(crate) struct Heap<'a> {
    /// Where it lies.
    pub(crate) region: Region,
    /// The bytes that the launch holds.
    pub(crate) used: &'a mut u64,
    /// The bytes that it may hold.
    pub(crate) limit: u64,
    /// Where device code has allocated memory; what was freed again may be among them.
    pub(crate) made: &'a mut BTreeSet<u64>,
}

/// Serves ALLOCATE and DEALLOCATE of all lanes; `span` is the statement.
pub(crate) fn allocate(
    program: &Program,
    warp: &mut Warp<32>,
    request: &RtRequest,
    memory: &mut Memory,
    shared: &[u8],
    (heap, span): (Heap<'_>, Span),
) -> Served {
    let Heap { region, used, limit, made } = heap;
    let mut results = [[0u64; 2]; 32];
    for lane in lanes(request.mask) {
        let arg = |i| warp.arg(request, i, lane);
        if request.rt == Rt::Free {
            let freed = match memory.find(arg(1)).map(|id| memory.info(id).bytes) {
                Some(bytes) => memory.free(arg(1), span).is_ok().then_some(bytes),
                None => None,
            };
            *used = used.saturating_sub(freed.unwrap_or(0));
            made.remove(&arg(1));
            results[lane][0] = if freed.is_some() { 0 } else { FAILED };
            continue;
        }
        let (bytes, has_stat) = (arg(1), arg(4) & 1 != 0);
        let mut name = vec![0; (arg(3) as usize).min(256)];
        let name = match (Memories { memory: &*memory, shared, warp: &*warp }).read(lane, arg(2), &mut name) {
            Some(()) => String::from_utf8_lossy(&name).into_owned(),
            None => String::new(),
        };
        let align = if request.rt == Rt::AllocAligned { arg(5).max(1) as u32 } else { 1 };
        let room = bytes <= limit.saturating_sub(*used);
        match room.then(|| memory.alloc_aligned(region, bytes, align, &name, span).ok()).flatten() {
            Some(address) => {
                *used += bytes;
                made.insert(address);
                results[lane] = [address, 0];
            }
            None if has_stat => results[lane] = [0, FAILED],
            None => {
                let kind = FindingKind::DeviceHeapExhausted { requested: bytes, limit };
                return Served::Error(kind, name);
            }
        }
    }
    warp.answer(program, |result, lane| results[lane][result]);
    Served::Done
}
