//! Copies from global to shared memory that a thread begins and waits for (PTX ISA, `cp.async`, `cp.async.commit_group`,
//! `cp.async.wait_group`).
//!
//! A GPU may write what was copied at any time from the beginning of the copy to the end of the wait. Here it is read at the one and written
//! at the other, so that a thread that does not wait long enough finds what was there before. Who looks for races is told of both at both
//! ends. What other threads do between them behind a barrier is not seen as a race.
//!
//! Not here: what makes the copy visible to other threads, which is a barrier as for any store.

use super::print::{End, tell};
use crate::service::Served;
use crate::symbolize::Memories;
use ir::rt::Rt;
use ir::{Access, Space};
use mem::address::SHARED_BASE;
use scalar::lanes;
use std::collections::VecDeque;
use vm::{AccessKind, Fault, FaultKind, Hooks, Program, RtRequest, Site, Warp};

const READ: AccessKind = AccessKind::Read(Access::Plain);
const WRITE: AccessKind = AccessKind::Write(Access::Plain);

/// A copy that has begun.
#[derive(Clone, Debug)]
struct Copy {
    site: Site,
    from: u64,
    to: u64,
    bytes: Vec<u8>,
}

/// The copies that a thread has begun and not waited for.
#[derive(Clone, Debug, Default)]
struct Pipeline {
    /// Those of no group yet.
    open: Vec<Copy>,
    groups: VecDeque<Vec<Copy>>,
}

/// The copies of the lanes of a warp.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipelines {
    lanes: Vec<Pipeline>,
}

/// Serves a request of the warp, and tells the hooks of what is read and written.
pub(crate) fn copy_later(
    program: &Program,
    warp: &mut Warp<32>,
    request: &RtRequest,
    pipelines: &mut Pipelines,
    (memory, shared): (&dyn mem::ReadBytes, &mut [u8]),
    mut hooks: Option<&mut dyn Hooks<32>>,
) -> Served {
    pipelines.lanes.resize_with(32, Pipeline::default);
    for lane in lanes(request.mask) {
        let pipeline = &mut pipelines.lanes[lane];
        let mut told = hooks.as_deref_mut().filter(|hooks| hooks.wants_accesses());
        match request.rt {
            Rt::PipelineCopy => {
                let (to, from, bytes) =
                    (warp.arg(request, 0, lane), warp.arg(request, 1, lane), warp.arg(request, 2, lane));
                let mut data = vec![0; (bytes as usize).min(16)];
                let is_aligned = |address: u64| address.is_multiple_of(bytes.max(1));
                let fault = |write: bool, address: u64| {
                    let bytes = bytes as u32;
                    let kind = if is_aligned(address) {
                        FaultKind::Access { space: if write { Space::Shared } else { Space::Global }, bytes, write }
                    } else {
                        FaultKind::Misaligned { bytes, write }
                    };
                    let (site, addresses) = (request.site, vec![(lane as u32, address)]);
                    Served::Fault(Fault { kind, site, mask: 1 << lane, addresses })
                };
                let reach = Memories { memory, shared, warp };
                if !is_aligned(from) || reach.read(lane, from, &mut data).is_none() {
                    return fault(false, from);
                }
                let end = to.checked_sub(SHARED_BASE).and_then(|offset| offset.checked_add(bytes));
                if !is_aligned(to) || end.is_none_or(|end| end > shared.len() as u64) {
                    return fault(true, to);
                }
                if let Some(hooks) = &mut told {
                    tell(*hooks, warp, request.site, (lane, from), &data, (READ, End::Done));
                    tell(*hooks, warp, request.site, (lane, to), &data, (WRITE, End::UnderWay));
                }
                pipeline.open.push(Copy { site: request.site, from, to, bytes: data });
            }
            Rt::PipelineCommit => {
                let group = std::mem::take(&mut pipeline.open);
                pipeline.groups.push_back(group);
            }
            _ => {
                let left = (warp.arg(request, 0, lane) as i32).max(0) as usize;
                while pipeline.groups.len() > left {
                    for Copy { site, from, to, bytes } in pipeline.groups.pop_front().unwrap_or_default() {
                        if let Some(hooks) = &mut told {
                            tell(*hooks, warp, site, (lane, from), &bytes, (READ, End::UnderWay));
                            tell(*hooks, warp, site, (lane, to), &bytes, (WRITE, End::Done));
                        }
                        let offset = (to - SHARED_BASE) as usize;
                        shared[offset..offset + bytes.len()].copy_from_slice(&bytes);
                    }
                }
            }
        }
    }
    warp.answer(program, |_, _| 0);
    Served::Done
}
