//! Hooks: what an observer of execution is told, such as the race detector and the debugger.

use super::zone::{QuietZone, is_within};
use crate::code::Site;
use crate::warp::Warp;
use ir::op::AtomOp;
use ir::{Access, FuncId, Scope, Space, Ty};
use mem::{LaneAddresses, Strided};
use std::sync::Arc;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    /// A load.
    Read(Access),
    /// A store.
    Write(Access),
    /// A read-modify-write.
    Atomic {
        /// What it does.
        op: AtomOp,
        /// Of what.
        ty: Ty,
        /// For whom it is atomic.
        scope: Scope,
        /// Lanes whose compare-and-swap did not swap.
        failed: u32,
        /// Lanes that left what they found.
        unchanged: u32,
        /// Whether the old value is used.
        used: bool,
    },
}

/// The values of an access: of a load what was read, of a store what is written, of an atomic what it leaves.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a, const W: usize> {
    /// Words of up to four bytes.
    Words(&'a [u32; W]),
    /// Words of eight bytes.
    Longs(&'a [u64; W]),
    /// The same word in all lanes.
    Same(u64),
    /// They are not told, since the observer does not want them ([`Hooks::wants_values`]).
    Untold,
}

impl<const W: usize> Values<'_, W> {
    /// The bits of one lane.
    pub fn get(&self, lane: usize) -> u64 {
        match self {
            Values::Words(v) => u64::from(v[lane]),
            Values::Longs(v) => v[lane],
            Values::Same(v) => *v,
            Values::Untold => 0,
        }
    }
}

/// One memory instruction of a warp. A load and an atomic are reported after they happened, a store before.
#[derive(Clone, Copy, Debug)]
pub struct AccessEvent<'a, const W: usize> {
    /// Where it stands.
    pub site: Site,
    /// The frame it happens in.
    pub frame: u32,
    /// The lanes that take part.
    pub mask: u32,
    /// What it does.
    pub kind: AccessKind,
    /// Global (anything in `mem::Memory`), shared or local, by address.
    pub space: Space,
    /// Bytes of a word.
    pub bytes: usize,
    /// Addresses: numbers of the memory, or in the windows of shared and local memory.
    pub lanes: &'a LaneAddresses<W>,
    /// Values.
    pub values: Values<'a, W>,
    /// Of an atomic: all lanes in the order in which they came, unless by number.
    pub order: Option<&'a [u8; W]>,
}

/// An observer. Without one, execution pays next to nothing; each part that it does not write it does not want.
pub trait Hooks<const W: usize> {
    /// Whether it wants `on_access`; the same all through a run.
    fn wants_accesses(&self) -> bool {
        false
    }

    /// Whether it wants the values of accesses; the same all through a run. If it wants neither them nor statements, machine code
    /// runs under it, which tells of a load before it happens, too. See also [`Hooks::lets_code_run`].
    fn wants_values(&self) -> bool {
        true
    }

    /// Whether machine code may run under it although it wants the values of accesses. The code leaves each load and store that it
    /// wants to the interpreter, which tells of it when it has happened.
    fn lets_code_run(&self) -> bool {
        false
    }

    /// Loads and stores that it does not want, by function and operation. Constant during a run.
    fn silent_sites(&self) -> Option<SilentSites> {
        None
    }

    /// Between which addresses it need not be told of a load or store at a site, if all its words lie there. None at first; where it
    /// says so, it stays so for the run.
    fn quiet(&self, _site: Site) -> QuietZone {
        QuietZone::default()
    }

    /// Whether it need not be told of a load or store of those lanes at a site, since it was told of the like before and would learn nothing.
    fn has_seen(&self, _site: Site, _lanes: &Strided<W>, _mask: u32) -> bool {
        false
    }

    /// A warp is about to load or store words of so many bytes in the quiet zone of a site, which takes lanes. `false` where it must be
    /// told of the access nevertheless.
    fn on_lanes(&mut self, _warp: &Warp<W>, _site: Site, _lanes: (&LaneAddresses<W>, u32), _bytes: usize) -> bool {
        false
    }

    /// Whether it wants `on_stmt`; the same all through a run.
    fn wants_statements(&self) -> bool {
        false
    }

    /// A warp touched memory.
    fn on_access(&mut self, _warp: &Warp<W>, _event: &AccessEvent<'_, W>) {}

    /// An access is under way that is told of by `on_access` at its other end: a copy that goes on beside the warp may read and write
    /// from its beginning until it is waited for.
    fn on_access_under_way(&mut self, _warp: &Warp<W>, _event: &AccessEvent<'_, W>) {}

    /// A split of `warp` is about to begin a statement; `true` stops before it.
    fn on_stmt(&mut self, _warp: &Warp<W>, _frame: u32, _site: Site, _mask: u32) -> bool {
        false
    }

    /// SYNCWARP was passed by these lanes.
    fn on_syncwarp(&mut self, _warp: &Warp<W>, _mask: u32) {}

    /// A fence was passed by these lanes.
    fn on_fence(&mut self, _warp: &Warp<W>, _mask: u32, _scope: Scope) {}

    /// A service of the host's run time read or wrote memory at `site`. The executor does not call this: the host does.
    fn on_bulk(&mut self, _site: Site, _address: u64, _bytes: u64, _is_write: bool) {}

    /// The host read an object at `site` to pass a copy of it to a kernel. The host calls this.
    fn on_passed(&mut self, _site: Site, _address: u64, _bytes: u64) {}

    /// The block's threads met at a barrier. `emu`, which completes barriers, calls this; the executor does not.
    fn on_barrier(&mut self) {}
}

/// Loads and stores by function and operation. Atomics are told even if their sites are among them: they may synchronise.
pub type SilentSites = Arc<Vec<Vec<bool>>>;

/// Whether a site is among them.
#[inline(always)]
pub(crate) fn is_silent(sites: Option<&SilentSites>, func: FuncId, pc: u32) -> bool {
    let of = |all: &SilentSites| all.get(func.index()).and_then(|of_func| of_func.get(pc as usize)).copied();
    sites.and_then(of).unwrap_or(false)
}

/// An observer of accesses before another observer: each gets what it wants, the first one first.
pub struct Before<'a, H, const W: usize> {
    /// The first.
    pub first: H,
    second: Option<&'a mut dyn Hooks<W>>,
    second_wants_accesses: bool,
    second_silent: Option<SilentSites>,
}

/// An observer with what it said that it wants.
pub(crate) struct Observer<'h, const W: usize> {
    pub(crate) hooks: &'h mut dyn Hooks<W>,
    /// Loads and stores that it does not want.
    pub(crate) silent: Option<SilentSites>,
    wants_accesses: bool,
    /// Whether machine code may run under it.
    pub(crate) follows_code: bool,
    /// Whether it wants values, so that machine code cannot tell it of an access.
    pub(crate) takes_values: bool,
}

impl<'h, const W: usize> Observer<'h, W> {
    pub(crate) fn new(hooks: &'h mut dyn Hooks<W>) -> Observer<'h, W> {
        let (wants_accesses, silent) = (hooks.wants_accesses(), hooks.silent_sites());
        let takes_values = wants_accesses && hooks.wants_values();
        let follows_code = !hooks.wants_statements() && (!takes_values || hooks.lets_code_run());
        Observer { hooks, silent, wants_accesses, follows_code, takes_values }
    }

    /// Whether it wants to know of a load or store.
    #[inline(always)]
    pub(crate) fn wants(&self, func: FuncId, pc: u32) -> bool {
        self.wants_accesses && !is_silent(self.silent.as_ref(), func, pc)
    }

    /// Whether it need not be told of a load or store that it wants to know of, since all words lie where nothing happens.
    pub(crate) fn is_quiet(&self, site: Site, mask: u32, bytes: usize, at: &LaneAddresses<W>) -> bool {
        let zone = self.hooks.quiet(site);
        !zone.takes_lanes && is_within(at, mask, bytes as u64, (zone.low, zone.high))
            || matches!(at, LaneAddresses::Strided(lanes) if self.hooks.has_seen(site, lanes, mask))
    }

    /// Whether it wants to know of atomics.
    pub(crate) fn wants_atomics(&self) -> bool {
        self.wants_accesses
    }
}

impl<'a, H: Hooks<W>, const W: usize> Before<'a, H, W> {
    /// Puts `first` before `second`.
    pub fn new(first: H, second: Option<&'a mut dyn Hooks<W>>) -> Before<'a, H, W> {
        let second_wants_accesses = second.as_ref().is_some_and(|h| h.wants_accesses());
        let second_silent = second.as_ref().and_then(|h| h.silent_sites());
        Before { first, second, second_wants_accesses, second_silent }
    }
}

impl<H: Hooks<W>, const W: usize> Hooks<W> for Before<'_, H, W> {
    fn wants_accesses(&self) -> bool {
        self.first.wants_accesses() || self.second_wants_accesses
    }

    fn silent_sites(&self) -> Option<SilentSites> {
        // Where both look at accesses each leaves out its own.
        if self.second_wants_accesses { None } else { self.first.silent_sites() }
    }

    fn wants_values(&self) -> bool {
        self.first.wants_values() || self.second.as_ref().is_some_and(|h| h.wants_values())
    }

    fn wants_statements(&self) -> bool {
        self.first.wants_statements() || self.second.as_ref().is_some_and(|h| h.wants_statements())
    }

    fn on_access_under_way(&mut self, warp: &Warp<W>, event: &AccessEvent<'_, W>) {
        self.first.on_access_under_way(warp, event);
        if self.second_wants_accesses
            && let Some(second) = &mut self.second
        {
            second.on_access_under_way(warp, event);
        }
    }

    fn on_access(&mut self, warp: &Warp<W>, event: &AccessEvent<'_, W>) {
        self.first.on_access(warp, event);
        let is_atomic = matches!(event.kind, AccessKind::Atomic { .. });
        if self.second_wants_accesses
            && let Some(second) = &mut self.second
            && (is_atomic || !is_silent(self.second_silent.as_ref(), event.site.func, event.site.pc))
        {
            second.on_access(warp, event);
        }
    }

    fn on_stmt(&mut self, warp: &Warp<W>, frame: u32, site: Site, mask: u32) -> bool {
        let stops = self.first.on_stmt(warp, frame, site, mask);
        self.second.as_mut().is_some_and(|h| h.on_stmt(warp, frame, site, mask)) || stops
    }

    fn on_syncwarp(&mut self, warp: &Warp<W>, mask: u32) {
        self.first.on_syncwarp(warp, mask);
        if let Some(second) = &mut self.second {
            second.on_syncwarp(warp, mask);
        }
    }

    fn on_fence(&mut self, warp: &Warp<W>, mask: u32, scope: Scope) {
        self.first.on_fence(warp, mask, scope);
        if let Some(second) = &mut self.second {
            second.on_fence(warp, mask, scope);
        }
    }

    fn on_bulk(&mut self, site: Site, address: u64, bytes: u64, is_write: bool) {
        self.first.on_bulk(site, address, bytes, is_write);
        if let Some(second) = &mut self.second {
            second.on_bulk(site, address, bytes, is_write);
        }
    }

    fn on_passed(&mut self, site: Site, address: u64, bytes: u64) {
        self.first.on_passed(site, address, bytes);
        if let Some(second) = &mut self.second {
            second.on_passed(site, address, bytes);
        }
    }

    fn on_barrier(&mut self) {
        self.first.on_barrier();
        if let Some(second) = &mut self.second {
            second.on_barrier();
        }
    }
}
