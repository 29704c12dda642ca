//! What an observer may see of execution: the race detector and the debugger.

use crate::code::Site;
use crate::warp::Warp;
use ir::op::AtomOp;
use ir::{Access, Scope, Space, Ty};
use mem::Lanes;
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
        /// For whom it is atomic.
        scope: Scope,
        /// Lanes whose compare-and-swap did not swap.
        failed: u32,
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
}

impl<const W: usize> Values<'_, W> {
    /// The bits of one lane.
    pub fn get(&self, lane: usize) -> u64 {
        match self {
            Values::Words(v) => u64::from(v[lane]),
            Values::Longs(v) => v[lane],
            Values::Same(v) => *v,
        }
    }
}

/// One memory instruction of a warp. A load and an atomic are told after they happened, a store before.
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
    pub lanes: &'a Lanes<W>,
    /// Values.
    pub values: Values<'a, W>,
}

/// An observer. Without one, execution pays next to nothing.
pub trait Hooks<const W: usize> {
    /// Whether it wants `on_access`; the same all through a run.
    fn wants_accesses(&self) -> bool;

    /// Loads and stores that it is not told of all the same: by function and operation; the same all through a run.
    fn silent_sites(&self) -> Option<Arc<Vec<Vec<bool>>>> {
        None
    }

    /// Whether it wants `on_stmt`; the same all through a run.
    fn wants_statements(&self) -> bool;

    /// A warp touched memory.
    fn on_access(&mut self, warp: &Warp<W>, event: &AccessEvent<'_, W>);

    /// A fragment of `warp` is about to begin a statement; `true` stops before it.
    fn on_stmt(&mut self, warp: &Warp<W>, frame: u32, site: Site, mask: u32) -> bool;

    /// SYNCWARP was passed by these lanes.
    fn on_syncwarp(&mut self, warp: &Warp<W>, mask: u32);

    /// A fence was passed by these lanes.
    fn on_fence(&mut self, warp: &Warp<W>, mask: u32, scope: Scope);

    /// A service of the host's run time read or wrote memory at `site`. The executor does not call this: the host does.
    fn on_bulk(&mut self, _site: Site, _address: u64, _bytes: u64, _is_write: bool) {}

    /// The block's threads met at a barrier. The executor does not call this: whoever completes barriers does.
    fn on_barrier(&mut self) {}
}

/// Takes atomics on memory whose result nobody uses, to do them later, in an order of its own.
pub trait Atomics: std::fmt::Debug {
    /// Whether it takes the atomics at this site.
    fn takes(&self, site: Site) -> bool;

    /// Takes the atomic of one lane; the word lies inside an allocation and is aligned. `b` is a compare-and-swap's new value.
    fn take(&mut self, site: Site, op: AtomOp, ty: Ty, address: u64, a: u64, b: u64);
}
