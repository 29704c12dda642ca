//! Services that allocate, free and copy memory, of the host itself or by a call of the CUDA runtime.

use crate::protocol::{Args, Halt, Results};
use crate::runtime::Runtime;
use crate::storage::{self, is_plain_host};
use device::{Api, Call};
use finding::{Access, Actor, Finding, FindingKind, HostFault, Place};
use mem::{FreeError, Memory, Region};
use source::Span;

/// `stat=` of an allocation that failed.
const STAT_FAILED: u64 = 1;

impl Runtime {
    /// `align` is what the address is a multiple of.
    pub(super) fn alloc(&mut self, memory: &mut Memory, a: Args<'_>, align: u32, span: Span) -> Result<Results, Halt> {
        let (bytes, has_stat) = (a.long(1), a.flag(4));
        let region = region_of(a.int(0));
        let name = storage::read_name(memory, a.bits(2), a.size(3));
        let wanted = u64::try_from(bytes).unwrap_or(u64::MAX);
        if region == Region::Host {
            return match memory.alloc_aligned(Region::Host, wanted, align, &name, span) {
                Ok(address) => Ok([address, 0]),
                Err(_) if has_stat => Ok([0, STAT_FAILED]),
                Err(e) => Err(Halt::Fault(HostFault::AllocationTooLarge { name: shown(&name), bytes: e.bytes })),
            };
        }
        let variable = name.clone();
        let api = || Api::Alloc { region, bytes: wanted, align, name: variable };
        let reply = self.answers.call(|| Call { api: api(), span })?;
        match reply.code {
            0 => Ok([reply.value, 0]),
            code if has_stat => Ok([0, code as u64]),
            // The device has room, but the computer has not.
            2 if wanted <= memory.free_bytes(region) => {
                Err(Halt::Fault(HostFault::AllocationTooLarge { name: shown(&name), bytes: wanted }))
            }
            2 => {
                let fault = finding::ApiFault::OutOfMemory {
                    requested: wanted,
                    used: memory.limit(region) - memory.free_bytes(region),
                    total: memory.limit(region),
                };
                let kind = FindingKind::Api { call: "allocate".to_owned(), fault };
                let access = Access::step(Actor::Host, span).at(Place::variable(shown(&name)));
                Err(Halt::Finding(Box::new(Finding::new(kind, vec![access]))))
            }
            code => Err(failed("allocate", code, span)),
        }
    }

    pub(super) fn free(&mut self, memory: &mut Memory, a: Args<'_>, span: Span) -> Result<Results, Halt> {
        let (address, has_stat) = (a.bits(1), a.flag(4));
        let name = storage::read_name(memory, a.bits(2), a.size(3));
        if address == 0 {
            return if has_stat {
                Ok([STAT_FAILED, 0])
            } else {
                Err(Halt::Fault(HostFault::NotAllocated { name: shown(&name) }))
            };
        }
        if !is_plain_host(address) {
            let variable = name.clone();
            let reply = self.answers.call(|| Call { api: Api::Free { address, name: variable }, span })?;
            return match reply.code {
                0 => Ok([0, 0]),
                code if has_stat => Ok([code as u64, 0]),
                code => Err(failed("deallocate", code, span)),
            };
        }
        match memory.free(address, span) {
            Ok(_) => Ok([0, 0]),
            // C has allocated it by a descriptor.
            Err(FreeError::Unknown) if memory.release(address) => Ok([0, 0]),
            Err(_) if has_stat => Ok([STAT_FAILED, 0]),
            Err(FreeError::Unknown | FreeError::Inside(_)) => {
                Err(Halt::Fault(HostFault::NotFromAllocate { name: shown(&name) }))
            }
            Err(error @ FreeError::Freed(_)) => {
                let access = Access::new(Actor::Host, finding::What::Free, finding::Space::Host, span)
                    .address(address, 0)
                    .at(Place::variable(shown(&name)));
                let kind = device::free_fault(memory, error);
                Err(Halt::Finding(Box::new(Finding::new(kind, vec![access]))))
            }
        }
    }

    pub(super) fn copy(&mut self, memory: &mut Memory, a: Args<'_>, span: Span) -> Result<(), Halt> {
        let (destination, source, bytes) = (a.bits(0), a.bits(1), a.size(2));
        if !(is_plain_host(destination) && is_plain_host(source)) && bytes > 0 {
            return self.transfer(|| Api::Copy { destination, source, bytes }, span);
        }
        if memory.copy(destination, source, bytes).is_some() {
            return Ok(());
        }
        let good = storage::read(memory, source, bytes).is_ok();
        Err(outside(if good { destination } else { source }, bytes, good))
    }

    /// A transfer that the program did not ask a code of: a failure ends the program.
    pub(super) fn transfer(&mut self, api: impl FnOnce() -> Api, span: Span) -> Result<(), Halt> {
        let reply = self.answers.call(|| Call { api: api(), span })?;
        match device::CudaError::from_code(reply.code) {
            None if reply.code == 0 => Ok(()),
            // A device that has failed for good does nothing any more; why was told, and the program goes on as under CUDA.
            Some(error) if error.is_sticky() => Ok(()),
            _ => Err(failed("assignment", reply.code, span)),
        }
    }
}

/// The region that a service names by a number; which device it is, the CUDA runtime knows.
fn region_of(location: i32) -> Region {
    match location {
        0 => Region::Host,
        2 => Region::Managed,
        3 => Region::Pinned,
        _ => Region::Device(0),
    }
}

/// A name for a message.
fn shown(name: &str) -> String {
    if name.is_empty() { "the array".to_owned() } else { name.to_owned() }
}

/// An access of the run time to memory that the host may not touch.
pub(super) fn outside(address: u64, bytes: u64, write: bool) -> Halt {
    Halt::Outside(storage::Outside { address, bytes, write })
}

/// An implicit call failed with an error code.
fn failed(call: &str, code: i32, span: Span) -> Halt {
    let error = device::CudaError::from_code(code);
    let name = error.map_or_else(|| code.to_string(), |e| e.name().to_owned());
    let reason = format!("it failed with `{name}` ({})", device::error_string(code));
    let kind = FindingKind::Api { call: call.to_owned(), fault: finding::ApiFault::InvalidArgument { reason } };
    let found = Finding::new(kind, vec![Access::step(Actor::Host, span)]);
    let is_consequence = error.is_some_and(device::CudaError::is_sticky);
    let found = if is_consequence { found.note("this follows from the error of a kernel before it") } else { found };
    Halt::Finding(Box::new(found))
}
