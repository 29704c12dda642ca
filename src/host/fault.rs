//! From what went wrong in host code to a finding.

use crate::names;
use crate::protocol::Halt;
use crate::storage::Outside;
use device::{allocation_of, space_of};
use finding::{Access, Actor, Call, Finding, FindingKind, HostFault, Place, What};
use ir::Trap;
use ir::foreign::ANSWER;
use mem::{Memory, Region};
use source::Span;
use vm::{Fault, FaultKind, Program, Site, Warp};

/// Addresses below this are taken for a null address with an offset.
const NULL_LIMIT: u64 = 1 << 32;
/// How far from an allocation an address may be to be called outside of it.
const REACH: u64 = 1 << 32;

/// Where the host is: the place and the calls that led there.
#[derive(Clone, Copy)]
pub(crate) struct Where<'a> {
    pub(crate) program: &'a Program,
    pub(crate) warp: &'a Warp<1>,
    pub(crate) site: Site,
    /// Whether procedures of C were called.
    pub(crate) has_foreign: bool,
}

impl Where<'_> {
    /// The place: the program's own, where code of an embedded module is to blame.
    pub(crate) fn span(&self) -> Span {
        let site = if is_embedded(self.program, self.site) { self.sites().first().copied() } else { None };
        self.program.span(site.unwrap_or(self.site))
    }

    /// The places of the calls, the innermost first, without those in embedded modules.
    fn sites(&self) -> Vec<Site> {
        let sites = self.warp.splits().next().map(|split| split.call_stack()).unwrap_or_default();
        let own = sites.iter().position(|&site| !is_embedded(self.program, site)).unwrap_or(0);
        sites[own..].to_vec()
    }

    /// The calls, the innermost first.
    pub(crate) fn stack(&self) -> Vec<Call> {
        // What calls procedures of the program for C code has no source.
        let is_shown = |site: &Site| &*self.program.module().func(site.func).name != ANSWER;
        let sites: Vec<Site> = self.sites().into_iter().filter(is_shown).collect();
        let call = |pair: &[Site]| Call {
            procedure: self.program.module().func(pair[0].func).name.to_string(),
            called_at: self.program.span(pair[1]),
        };
        sites.windows(2).map(call).collect()
    }

    fn access(&self, what: What, address: u64, bytes: u64) -> Access {
        Access::new(Actor::Host, what, space_of(address), self.span()).address(address, bytes).stack(self.stack())
    }
}

/// Whether an operation lies in the source of an embedded module, which the user does not have.
pub(crate) fn is_embedded(program: &Program, site: Site) -> bool {
    program.module().embedded_files.contains(&program.span(site).file)
}

/// The place of an operation as the user knows it: code of an embedded module stands for the call that led there, which the call
/// stack says.
pub fn own_site(program: &Program, site: Site, stack: impl FnOnce() -> Vec<Site>) -> Site {
    if !is_embedded(program, site) {
        return site;
    }
    stack().into_iter().find(|&site| !is_embedded(program, site)).unwrap_or(site)
}

/// The finding for a fault of the executor.
pub(crate) fn of_fault(at: Where<'_>, memory: &Memory, fault: &Fault) -> Finding {
    let address = fault.addresses.first().map_or(0, |&(_, a)| a);
    let step = || vec![Access::step(Actor::Host, at.span()).stack(at.stack())];
    match fault.kind {
        FaultKind::Access { bytes, write, .. } | FaultKind::Misaligned { bytes, write } => {
            memory_fault(at, memory, Outside { address, bytes: u64::from(bytes), write })
        }
        FaultKind::StackOverflow => {
            let depth = at.warp.frame_count() as u64;
            Finding::new(FindingKind::Host(HostFault::StackOverflow { depth }), step())
        }
        FaultKind::Trap(Trap::ZeroStep) => Finding::new(FindingKind::Host(HostFault::ZeroStep), step()),
        FaultKind::Trap(Trap::ZeroDivisor) => Finding::new(FindingKind::Host(HostFault::DivisionByZero), step()),
        FaultKind::Trap(Trap::Unsupported) => {
            let refused = at.program.module().refusals.get(&at.span());
            let feature = refused.map_or_else(|| "what this statement needs".to_owned(), ToString::to_string);
            Finding::new(FindingKind::Unsupported { feature }, step())
        }
        FaultKind::Trap(Trap::Unreachable) | FaultKind::WarpMask { .. } => {
            Finding::new(FindingKind::Unsupported { feature: "code that cannot be reached".to_owned() }, step())
        }
    }
}

/// The finding for an access to memory that the host may not touch.
fn memory_fault(at: Where<'_>, memory: &Memory, outside: Outside) -> Finding {
    let Outside { address, bytes, write } = outside;
    if write && let Some(limit) = memory.take_exhaustion() {
        let step = Access::step(Actor::Host, at.span()).stack(at.stack());
        return Finding::new(FindingKind::Host(HostFault::MemoryLimit { limit }), vec![step]);
    }
    let what = if write { What::Write } else { What::Read };
    let mut access = at.access(what, address, bytes);
    let name = names::variable_at(at.program, at.site);
    let alloc_name = |info: &mem::Alloc| (!info.name.is_empty()).then(|| info.name.to_string());
    let holder = memory.find(address).map(|id| memory.info(id));
    if (address as i64).unsigned_abs() < NULL_LIMIT {
        access.place = name.clone().map(Place::variable);
        return match name {
            Some(name) if names::is_passed(at.program, at.site, &name) => {
                Finding::new(FindingKind::Host(HostFault::AbsentArgument { name }), vec![access])
            }
            Some(name) => Finding::new(FindingKind::Host(HostFault::NotAllocatedUse { name }), vec![access]),
            None => Finding::new(FindingKind::Null, vec![access]),
        };
    }
    // What lies in no region that the program has data in may be an address that C code gave.
    let region = Region::of(address);
    let has_data = region.is_some_and(|region| region.is_host_accessible() && region != Region::OfC)
        || memory.nearest(address, REACH).is_some_and(|id| Some(memory.info(id).region) == region);
    let is_closed = at.has_foreign && !memory.reaches_c();
    if is_closed && holder.is_none() && memory.dead_at(address).is_none() && !has_data {
        return Finding::new(FindingKind::Unsupported { feature: device::MEMORY_OF_C.to_owned() }, vec![access]);
    }
    if matches!(region, Some(Region::Device(_))) {
        access.place = name.or_else(|| holder.and_then(alloc_name)).map(Place::variable);
        return Finding::new(FindingKind::DeviceMemoryOnHost, vec![access]);
    }
    if let Some(id) = memory.dead_at(address).filter(|_| holder.is_none()) {
        let info = memory.info(id);
        access.place = name.or_else(|| alloc_name(info)).map(Place::variable);
        let kind =
            FindingKind::UseAfterFree { allocation: allocation_of(info), freed_at: info.freed.unwrap_or_default() };
        return Finding::new(kind, vec![access]);
    }
    // An access that begins inside and ends outside belongs to the allocation that holds its first byte; another one to that of the
    // actual argument, or of the variable that was meant, if it is near, for two arrays may lie at both sides.
    let passed = name.as_deref().and_then(|name| names::passed_address(at.program, at.warp, at.site, name));
    let passed = passed.and_then(|address| memory.find(address)).map(|id| memory.info(id));
    let meant = name.as_deref().and_then(|name| nearest_named(memory, address, |own| own == name));
    let named = meant.or_else(|| nearest_named(memory, address, |own| !own.is_empty()));
    let near = || holder.or(named).or_else(|| memory.nearest(address, REACH).map(|id| memory.info(id)));
    let is_here = |info: &&mem::Alloc| Some(info.region) == Region::of(address);
    match passed.filter(|_| holder.is_none()).filter(is_here).or_else(|| near().filter(is_here)) {
        Some(info) => {
            // What lies near it may be another variable.
            access.place = name.or_else(|| holder.and_then(alloc_name)).map(Place::variable);
            Finding::new(FindingKind::OutOfBounds { nearest: Some(allocation_of(info)) }, vec![access])
        }
        None => Finding::new(FindingKind::Host(HostFault::InvalidAccess), vec![access]),
    }
}

/// The nearest allocation that ends or begins near an address and has such a name.
fn nearest_named(memory: &Memory, address: u64, fits: impl Fn(&str) -> bool) -> Option<&mem::Alloc> {
    let distance = |info: &mem::Alloc| match info.base.checked_sub(address) {
        Some(below) => below,
        None => address - (info.base + info.bytes).min(address),
    };
    let fitting = memory.live().map(|(_, info)| info).filter(|info| fits(&info.name) && distance(info) <= REACH);
    fitting.min_by_key(|info| distance(info))
}

/// The finding for a service that cannot go on; `None` if it only waits or the program stops without error.
pub(crate) fn of_halt(at: Where<'_>, memory: &Memory, halt: Halt) -> Option<Finding> {
    let step = || vec![Access::step(Actor::Host, at.span()).stack(at.stack())];
    match halt {
        Halt::Ask(_) | Halt::Api(_) | Halt::Mpi(_) | Halt::Stop(_) => None,
        Halt::ErrorStop(_, message) => Some(Finding::new(FindingKind::Host(HostFault::ErrorStop { message }), step())),
        Halt::Condition(condition) => Some(Finding::new(FindingKind::Host(condition.fault(None)), step())),
        Halt::Fault(fault) => Some(Finding::new(FindingKind::Host(fault), step())),
        Halt::Outside(outside) => Some(memory_fault(at, memory, outside)),
        Halt::Finding(finding) => {
            let mut finding = *finding;
            if let Some(access) = finding.accesses.last_mut()
                && access.stack.is_empty()
            {
                access.stack = at.stack();
            }
            Some(finding)
        }
    }
}
