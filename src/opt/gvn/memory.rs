//! What is known of memory where the walk is: loads that give what an earlier load or store of the same thread had there.
//!
//! Memory has *versions*, as mutable registers have. Two loads of one address in the same version of its memory give the same
//! value, because nothing in between could change it: no store of this thread, and no point at which stores of other threads
//! become visible (a barrier, a fence, an atomic, a vote, a call). A block that several blocks lead to begins with new versions,
//! so that a loop that stays a loop reads anew in each iteration.
//!
//! Memory is told apart by the *root* of an address: the variable or the dummy argument that the address was computed from.
//! A shared or local array overlaps no other one, but for shared arrays without a size, which all begin at one place. A dummy
//! argument that nothing else may name ([`ir::Param::unaliased`]) overlaps nothing: Fortran forbids that something is changed
//! through one name and used through another (Fortran 2018, 15.5.2.13).
//!
//! Only code for a GPU loses loads: in the emulator each is a schedule point, and the race detector counts it.

use ir::{Access, AddrBase, InstKind, Reg, Space, Ty, Val};
use std::collections::BTreeMap;

/// What an address was computed from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Root {
    /// A variable in shared or local memory.
    Variable(Space, u32),
    /// A dummy argument that overlaps nothing else, by its register.
    Dummy(Reg),
}

/// The numbers of versions. A number is never used twice.
#[derive(Clone, Default)]
struct Numbers {
    /// Of all that an address without a known root may reach, by space.
    any: BTreeMap<Space, u32>,
    /// What every address of the space had to forget.
    all: BTreeMap<Space, u32>,
    roots: BTreeMap<Root, u32>,
}

/// The versions of memory where the walk is.
#[derive(Default)]
pub(super) struct Memory {
    now: Numbers,
    marks: Vec<Numbers>,
    last: u32,
}

/// The spaces whose contents change.
const SPACES: [Space; 3] = [Space::Global, Space::Shared, Space::Local];

impl Memory {
    /// The walk enters a block; `follows` says that the only way there is from the end of the block around it.
    pub(super) fn enter(&mut self, follows: bool) {
        self.marks.push(self.now.clone());
        if !follows {
            self.forget(&SPACES);
        }
    }

    /// The walk leaves a block and all that it dominates.
    pub(super) fn leave(&mut self) {
        self.now = self.marks.pop().unwrap_or_default();
    }

    /// Goes past an instruction other than a plain store.
    pub(super) fn pass(&mut self, kind: &InstKind) {
        match kind {
            InstKind::Store { .. } | InstKind::Atomic { .. } | InstKind::Fence { .. } | InstKind::Barrier { .. } => {
                self.forget(&SPACES);
            }
            InstKind::SyncWarp { .. } | InstKind::Vote { .. } | InstKind::Shuffle { .. } => self.forget(&SPACES),
            InstKind::Call { .. } | InstKind::Rt { .. } | InstKind::Launch { .. } | InstKind::Clear { .. } => {
                self.forget(&SPACES);
            }
            InstKind::Load { access: Access::Volatile, .. } => self.forget(&SPACES),
            InstKind::Load { access: Access::Plain, .. }
            | InstKind::Un { .. }
            | InstKind::Bin { .. }
            | InstKind::Tri { .. }
            | InstKind::Cmp { .. }
            | InstKind::Select { .. }
            | InstKind::Cvt { .. }
            | InstKind::Addr { .. }
            | InstKind::Special { .. }
            | InstKind::Stmt
            | InstKind::BackEdge => {}
        }
    }

    /// Goes past a plain store.
    pub(super) fn store(&mut self, space: Space, root: Option<Root>) {
        let number = self.fresh();
        match (space, root) {
            (Space::Generic | Space::Host | Space::Const, _) => self.forget(&SPACES),
            (_, None) => self.forget(&[space]),
            (_, Some(root)) => {
                self.now.any.insert(space, number);
                self.now.roots.insert(root, number);
            }
        }
    }

    /// The version of what an address of that space and root names.
    pub(super) fn version(&self, space: Space, root: Option<Root>) -> u32 {
        let get = |map: &BTreeMap<Space, u32>, space: &Space| map.get(space).copied().unwrap_or(0);
        let any = |space: &Space| get(&self.now.any, space).max(get(&self.now.all, space));
        match (space, root) {
            // Kernels do not write constant memory.
            (Space::Const, _) => 0,
            (Space::Generic | Space::Host, _) => SPACES.iter().map(any).max().unwrap_or(0),
            (_, None) => any(&space),
            (_, Some(root)) => get(&self.now.all, &space).max(self.now.roots.get(&root).copied().unwrap_or(0)),
        }
    }

    fn forget(&mut self, spaces: &[Space]) {
        let number = self.fresh();
        for &space in spaces {
            self.now.all.insert(space, number);
        }
    }

    fn fresh(&mut self) -> u32 {
        self.last += 1;
        self.last
    }
}

/// A plain load or store as its parts.
#[derive(Clone, Copy)]
pub(super) struct PlainAccess {
    pub(super) ty: Ty,
    pub(super) space: Space,
    pub(super) addr: Val,
    pub(super) offset: i64,
}

/// The access of a plain load or store.
pub(super) fn plain(kind: &InstKind) -> Option<PlainAccess> {
    match *kind {
        InstKind::Load { ty, space, access: Access::Plain, addr, offset, .. }
        | InstKind::Store { ty, space, access: Access::Plain, addr, offset, .. } => {
            Some(PlainAccess { ty, space, addr, offset })
        }
        _ => None,
    }
}

/// The root that a variable is.
pub(super) fn variable(base: AddrBase) -> Option<Root> {
    match base {
        AddrBase::Local(id) => Some(Root::Variable(Space::Local, id.0)),
        AddrBase::Shared(id) => Some(Root::Variable(Space::Shared, id.0)),
        AddrBase::Global(_) => None,
    }
}
