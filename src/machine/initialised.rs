//! `--check init` in host code: reads of memory that nothing has written.
//!
//! The rule is that of device code (`emu`, module `init`): a value that is only carried from memory to memory hands its missing
//! bytes on; every other load, and every read of the run time such as that of an output list, uses them. So an array that
//! was fetched from a device where nothing had written it is found where the host looks at it. Scalars in registers are not
//! followed; a variable on the host's stack keeps its bits from an earlier call that was as deep.

use device::space_of;
use finding::{Access, Actor, Finding, FindingKind, Place, What};
use ir::FuncId;
use mem::{Memory, SharedInitBits};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use vm::{AccessEvent, AccessKind, Carrier, Hooks, Program, Site, Warp};

/// What is known of the host.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostInit {
    /// Slots of each function whose values only go from loads to stores.
    carriers: BTreeMap<FuncId, BTreeSet<Carrier>>,
    /// Bytes of carried values that are missing, by frame and slot.
    carried: BTreeMap<(u32, Carrier), u8>,
    seen: Vec<Use>,
}

/// A use of missing bytes; one entry for each place of the source.
#[derive(Clone, Debug)]
struct Use {
    site: Site,
    span: Span,
    address: u64,
    bytes: u64,
    count: u64,
}

impl HostInit {
    /// What was found since the last call.
    pub(crate) fn take_findings(&mut self, program: &Program, memory: &Memory) -> Vec<Finding> {
        let found = |used: Use| {
            let access = Access::new(Actor::Host, What::Read, space_of(used.address), used.span);
            let mut access = access.address(used.address, used.bytes);
            let held =
                || memory.find(used.address).map(|id| memory.info(id).name.to_string()).filter(|n| !n.is_empty());
            access.place = host::variable_at(program, used.site).or_else(held).map(Place::variable);
            let mut finding = Finding::new(FindingKind::Uninitialised, vec![access]);
            finding.count = used.count;
            finding
        };
        std::mem::take(&mut self.seen).into_iter().map(found).collect()
    }
}

/// Hooks of the executor that keep the bits of what the host writes and look at what it reads, and pass all on to another
/// observer's.
pub(crate) struct InitHooks<'a> {
    pub(crate) state: &'a mut HostInit,
    pub(crate) bits: SharedInitBits,
    pub(crate) program: &'a Program,
    pub(crate) inner: Option<&'a mut dyn Hooks<1>>,
}

impl InitHooks<'_> {
    fn carrier(&mut self, site: Site) -> Option<Carrier> {
        let moved = self.program.code[site.func.index()].moved(site.pc)?;
        let program = self.program;
        let all = self.state.carriers.entry(site.func).or_insert_with(|| vm::carriers(program, site.func));
        Some(moved).filter(|carrier| all.contains(carrier))
    }

    fn used(&mut self, site: Site, address: u64, bytes: u64) {
        let span = self.program.span(site);
        match self.state.seen.iter_mut().find(|u| u.span == span) {
            Some(known) => known.count += 1,
            None => self.state.seen.push(Use { site, span, address, bytes, count: 1 }),
        }
    }

    /// The mask of bytes that are missing.
    fn missing(&self, address: u64, bytes: u64) -> u8 {
        self.bits.with(|bits| {
            if bits.is_set(address, bytes) {
                return 0;
            }
            (0..bytes.min(8)).filter(|&i| !bits.is_set(address + i, 1)).fold(0, |mask, i| mask | 1 << i)
        })
    }
}

impl Hooks<1> for InitHooks<'_> {
    fn wants_accesses(&self) -> bool {
        true
    }

    fn wants_statements(&self) -> bool {
        self.inner.as_ref().is_some_and(|h| h.wants_statements())
    }

    fn on_access(&mut self, warp: &Warp<1>, event: &AccessEvent<'_, 1>) {
        let (address, bytes) = (event.lanes.address(0, event.bytes), event.bytes as u64);
        let carrier = self.carrier(event.site).map(|c| (event.frame, c));
        if event.kind == AccessKind::Read(ir::Access::Plain) || event.kind == AccessKind::Read(ir::Access::Volatile) {
            let missing = self.missing(address, bytes);
            match carrier {
                Some(carrier) if missing != 0 => {
                    self.state.carried.insert(carrier, missing);
                }
                Some(carrier) => {
                    self.state.carried.remove(&carrier);
                }
                None if missing != 0 => self.used(event.site, address, bytes),
                None => {}
            }
        } else {
            let missing = carrier.and_then(|c| self.state.carried.get(&c).copied()).unwrap_or(0);
            self.bits.with(|bits| {
                bits.set(address, bytes);
                (0..bytes.min(8)).filter(|i| missing >> i & 1 != 0).for_each(|i| bits.unset(address + i, 1));
            });
        }
        if let Some(inner) = &mut self.inner
            && inner.wants_accesses()
        {
            inner.on_access(warp, event);
        }
    }

    fn on_bulk(&mut self, site: Site, address: u64, bytes: u64, is_write: bool) {
        if !is_write && let Some(&(offset, hole)) = self.bits.with(|bits| bits.holes(address, bytes)).first() {
            self.used(site, address + offset, hole);
        }
        if let Some(inner) = &mut self.inner {
            inner.on_bulk(site, address, bytes, is_write);
        }
    }

    fn on_stmt(&mut self, warp: &Warp<1>, frame: u32, site: Site, mask: u32) -> bool {
        self.inner.as_mut().is_some_and(|h| h.on_stmt(warp, frame, site, mask))
    }

    fn on_syncwarp(&mut self, _: &Warp<1>, _: u32) {}

    fn on_fence(&mut self, _: &Warp<1>, _: u32, _: ir::Scope) {}
}
