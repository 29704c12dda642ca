//! `--check init` in host code: reads of memory that nothing has written.
//!
//! The rule is that of device code (`emu::checks::init`). A value that is only copied from memory to memory passes its missing
//! bytes on. Every other load uses them, and so does every read of the run time, such as that of an output list. So an array
//! that was copied from uninitialised device memory is reported where the host uses it. Scalars in registers are not followed;
//! a variable on the host's stack keeps its bits from an earlier call of the same depth.

use device::{origin_of, space_of};
use finding::{Access, Actor, Finding, FindingKind, Place, What};
use ir::Reg;
use mem::{Memory, Origin, SharedInitBits};
use source::Span;
use std::collections::BTreeMap;
use vm::{AccessEvent, AccessKind, CopyOnlyRegs, Hooks, Program, Site, Warp};

/// The state of the check.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostInit {
    copy_only: CopyOnlyRegs,
    /// Bytes of copied values that are missing, by frame and register, and where they come from.
    carried: BTreeMap<(u32, Reg), (u8, Origin)>,
    seen: Vec<Use>,
}

/// A use of missing bytes; one entry for each place of the source.
#[derive(Clone, Debug)]
struct Use {
    site: Site,
    span: Span,
    address: u64,
    bytes: u64,
    origin: Option<Origin>,
    count: u64,
}

impl HostInit {
    /// The findings since the last call.
    pub(crate) fn take_findings(&mut self, program: &Program, memory: &Memory) -> Vec<Finding> {
        let found = |used: Use| {
            let access = Access::new(Actor::Host, What::Read, space_of(used.address), used.span);
            let mut access = access.address(used.address, used.bytes);
            let held =
                || memory.find(used.address).map(|id| memory.info(id).name.to_string()).filter(|n| !n.is_empty());
            access.place = host::variable_at(program, used.site).or_else(held).map(Place::variable);
            let origin = used.origin.map(|origin| origin_of(memory, origin));
            let mut finding = Finding::new(FindingKind::Uninitialised { origin }, vec![access]);
            finding.count = used.count;
            finding
        };
        std::mem::take(&mut self.seen).into_iter().map(found).collect()
    }
}

/// Hooks of the executor that mark what the host writes and check what it reads.
pub(crate) struct InitHooks<'a> {
    pub(crate) state: &'a mut HostInit,
    pub(crate) bits: SharedInitBits,
    pub(crate) program: &'a Program,
}

impl InitHooks<'_> {
    fn used(&mut self, site: Site, address: u64, bytes: u64, origin: Option<Origin>) {
        let span = self.program.span(site);
        match self.state.seen.iter_mut().find(|u| u.span == span) {
            Some(known) => known.count += 1,
            None => self.state.seen.push(Use { site, span, address, bytes, origin, count: 1 }),
        }
    }
}

impl Hooks<1> for InitHooks<'_> {
    fn wants_accesses(&self) -> bool {
        true
    }

    fn on_access(&mut self, warp: &Warp<1>, event: &AccessEvent<'_, 1>) {
        let (address, bytes) = (event.lanes.address(0), event.bytes as u64);
        // Mostly nothing is missing, and nothing that was is on its way.
        if self.state.carried.is_empty() {
            let is_read = matches!(event.kind, AccessKind::Read(_));
            let is_done = self.bits.with(|bits| {
                if !is_read {
                    bits.set(address, bytes);
                }
                !is_read || bits.is_set(address, bytes)
            });
            if is_done {
                return;
            }
        }
        let copied = self.state.copy_only.at(self.program, event.site).map(|c| (event.frame, c));
        if matches!(event.kind, AccessKind::Read(_)) {
            let (missing, origin) = self.bits.with(|bits| {
                let missing = bits.missing(address, bytes);
                (missing, if missing == 0 { None } else { bits.origin(address + u64::from(missing.trailing_zeros())) })
            });
            match copied {
                Some(copied) if missing != 0 => {
                    let here = Origin { span: self.program.span(event.site), address };
                    self.state.carried.insert(copied, (missing, origin.unwrap_or(here)));
                }
                Some(copied) => {
                    self.state.carried.remove(&copied);
                }
                None if missing != 0 => {
                    let stack = || warp.call_stack(event.frame, event.site.pc);
                    self.used(host::own_site(self.program, event.site, stack), address, bytes, origin);
                }
                None => {}
            }
        } else {
            let missing = copied.and_then(|c| self.state.carried.get(&c).copied());
            self.bits.with(|bits| bits.store(address, bytes, missing));
        }
    }

    fn on_bulk(&mut self, site: Site, address: u64, bytes: u64, is_write: bool) {
        let hole = |bits: &mut mem::InitBits| {
            let (offset, hole) = *bits.holes(address, bytes).first()?;
            Some((address + offset, hole, bits.origin(address + offset)))
        };
        if !is_write && let Some((address, hole, origin)) = self.bits.with(hole) {
            self.used(site, address, hole, origin);
        }
    }
}
