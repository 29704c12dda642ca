//! The first pass: follows a whole launch and says which bytes may be racy.
//!
//! It may name too many bytes, never too few (unless it says that it is incomplete). If it names any, the launch is run
//! again from the same state in the same order and [`Exact`](crate::Exact) decides. Its caller tells it every event in
//! the order in which the launch *is defined* to run. As long as nobody has executed a fence, blocks know nothing of each other;
//! then each block may be told to any detector of the launch ([`Detector::fork`], [`Detector::absorb`]). The blocks of one
//! detector are told in that order all the same: a strong read comes after the strong write that it observes.

use crate::access::{Scope, Space, WarpAccess};
use crate::byteset::ByteSet;
use crate::clock::order::{CtaSlot, Order, Rules};
use crate::shadow::global::{ByteUse, GlobalShadow, page_number};
use crate::shadow::shared::SharedShadow;
use crate::shadow::uses::{SeenBits, UseShadow};
use crate::stamp::MAX_TAG;
use crate::used::UsedBytes;
use mem::Strided;
use scalar::lanes;

/// The most bytes that a pass may take, unless its caller says otherwise.
pub(crate) const LIMIT_BYTES: u64 = 8 << 30;

/// How the first pass works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What orders threads.
    pub rules: Rules,
    /// The finest cell into which those of larger elements are split: 1, 2, 4 or 8 bytes. Where accesses are narrower,
    /// neighbouring ones need a second pass. Below 4 the shadow takes up to 16 bytes for each byte where narrow accesses are
    /// irregular; a large shadow makes no finer cells than 4 bytes.
    pub finest_cell_bytes: u32,
    /// The most bytes that the shadow of global memory and what threads know of each other may take.
    pub limit_bytes: u64,
    /// Whether to collect which bytes a launch read and wrote, for the order between launches.
    pub is_use_wanted: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { rules: Rules::default(), finest_cell_bytes: 1, limit_bytes: LIMIT_BYTES, is_use_wanted: false }
    }
}

/// The shape of a launch, as far as races are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Threads of a block, 1 to 1024.
    pub threads_per_block: u32,
    /// Bytes of shared memory of a block.
    pub shared_bytes: u32,
}

/// Why a verdict does not cover the whole launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Incomplete {
    /// A block executed more instructions than its clock can count.
    pub is_out_of_time: bool,
    /// The launch has blocks with larger numbers than a stamp can hold.
    pub is_out_of_blocks: bool,
    /// The shadow reached its limit.
    pub is_out_of_memory: bool,
}

impl Incomplete {
    /// Whether something is missing.
    pub fn is_any(self) -> bool {
        self != Self::default()
    }

    /// What is missing, one sentence each.
    pub fn reasons(self) -> Vec<&'static str> {
        [
            (self.is_out_of_time, "a block executed more instructions than the race clock can count"),
            (self.is_out_of_blocks, "the launch has more blocks than the race stamps can number"),
            (self.is_out_of_memory, "the race shadow reached its memory limit"),
        ]
        .into_iter()
        .filter_map(|(is_so, text)| is_so.then_some(text))
        .collect()
    }
}

/// Bytes of both address spaces; those of shared memory are offsets, whichever block they are of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuspectSet {
    /// Bytes of global memory.
    pub global: ByteSet,
    /// Bytes of shared memory, of any block.
    pub shared: ByteSet,
}

impl SuspectSet {
    /// Whether there is nothing to watch.
    pub fn is_empty(&self) -> bool {
        self.global.is_empty() && self.shared.is_empty()
    }

    /// The bytes of a space.
    pub fn of(&self, space: Space) -> &ByteSet {
        match space {
            Space::Global => &self.global,
            Space::Shared => &self.shared,
        }
    }
}

/// One of several parts of memory, which detectors follow side by side: each has pages of its own, the first all shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its number, from 0.
    pub number: u32,
    /// How many parts there are.
    pub count: u32,
}

impl Part {
    /// All of memory.
    pub const WHOLE: Part = Part { number: 0, count: 1 };

    /// The lanes of an access that touch the part.
    fn lanes(self, space: Space, access: &WarpAccess<'_>) -> u32 {
        if self == Part::WHOLE {
            return access.active;
        }
        if space == Space::Shared {
            return if self.number == 0 { access.active } else { 0 };
        }
        let is_in = |address: u64| page_number(address) % u64::from(self.count) == u64::from(self.number);
        let behind = u64::from(access.width.saturating_sub(1));
        let touches = |lane: usize| {
            let address = access.addresses.address(lane);
            is_in(address) || is_in(address.saturating_add(behind))
        };
        lanes(access.active).fold(0, |mask, lane| mask | u32::from(touches(lane)) << lane)
    }
}

/// What the first pass says of a launch.
#[derive(Clone, Debug, Default)]
pub struct Suspicion {
    /// The bytes that may be racy. If empty and the verdict is complete, the launch has no race.
    pub watch: SuspectSet,
    /// The places that strong accesses touched; the second pass needs them from its start.
    pub strong: SuspectSet,
    /// Whether strong accesses of block scope to global memory were made.
    pub is_narrow: bool,
    /// Whether a fence was executed; without one nothing but barriers orders threads.
    pub has_fences: bool,
    /// What the verdict does not cover.
    pub incomplete: Incomplete,
    /// Global memory that the launch used, if wanted.
    pub used: UsedBytes,
}

/// The first pass; see the module's head.
#[derive(Clone, Debug)]
pub struct Detector {
    options: Options,
    launch: Launch,
    order: Order,
    global: GlobalShadow,
    /// By slot.
    shared: Vec<SharedShadow>,
    /// What a launch uses that is known to be free of races.
    uses: Option<UseShadow>,
    /// What any other launch reads, if wanted: the stamps do not keep a read that is before a write.
    seen: SeenBits,
    found: Suspicion,
}

impl Detector {
    /// A detector with empty shadow.
    pub fn new(options: Options) -> Self {
        let launch = Launch { threads_per_block: 1, shared_bytes: 0 };
        Self {
            options,
            launch,
            order: Order::new(options.rules, 1, false),
            global: GlobalShadow::new(finest(options), options.limit_bytes),
            shared: Vec::new(),
            uses: None,
            seen: SeenBits::default(),
            found: Suspicion::default(),
        }
    }

    pub(crate) fn order_mut(&mut self) -> &mut Order {
        &mut self.order
    }

    /// What orders threads.
    pub fn rules(&self) -> Rules {
        self.options.rules
    }

    /// Says whether to collect what later launches read and write ([`Options::is_use_wanted`]).
    pub fn want_use(&mut self, is_wanted: bool) {
        self.options.is_use_wanted = is_wanted;
    }

    /// Whether what a launch reads and writes is collected; then it must be told every access.
    pub fn is_use_wanted(&self) -> bool {
        self.options.is_use_wanted
    }

    /// Starts a launch; everything before is ordered before it (see [`Timeline`](crate::Timeline) for what is not).
    pub fn begin_launch(&mut self, launch: Launch) {
        self.launch = launch;
        self.order = Order::new(self.options.rules, launch.threads_per_block, false);
        self.global.start(true);
        self.global.set_limit(self.options.limit_bytes);
        self.shared.clear();
        self.uses = None;
        self.seen = SeenBits::default();
        self.found = Suspicion::default();
    }

    /// Starts a launch that is known to be free of races: only what it uses is collected, of all accesses to global memory.
    pub fn begin_free_launch(&mut self, launch: Launch) {
        self.begin_launch(launch);
        self.uses = Some(UseShadow::default());
    }

    /// A block of the launch starts.
    pub fn begin_block(&mut self, block: u64) -> CtaSlot {
        self.begin(block, Order::begin_block)
    }

    pub(crate) fn begin(&mut self, block: u64, begin: impl FnOnce(&mut Order, u32) -> CtaSlot) -> CtaSlot {
        if block >= MAX_TAG {
            self.found.incomplete.is_out_of_blocks = true;
            return CtaSlot(u32::MAX);
        }
        let slot = begin(&mut self.order, block as u32);
        let at = slot.0 as usize;
        if at >= self.shared.len() {
            self.shared.resize_with(at + 1, || SharedShadow::new(self.launch.shared_bytes, finest(self.options)));
        }
        self.shared[at].start();
        slot
    }

    /// All threads of a block have exited.
    pub fn end_block(&mut self, slot: CtaSlot) {
        self.order.end_block(slot);
    }

    /// A detector for other blocks of the present launch. None of those, and none of the blocks that other detectors of the
    /// launch follow, may acquire anything: nobody has executed a fence before the last of their events.
    #[must_use]
    pub fn fork(&self) -> Self {
        let mut other = Self::new(self.options);
        other.begin_launch(self.launch);
        other.uses = self.uses.is_some().then(UseShadow::default);
        other
    }

    /// Takes in what a detector of other blocks of the launch has found. Forks may be taken in in any order, also by each other.
    pub fn absorb(&mut self, mut fork: Self) {
        if let Some(uses) = fork.uses.take() {
            self.found.used.merge(&fork.found.used);
            self.found.used.merge(&uses.into_used());
            return;
        }
        let theirs = fork.found;
        let found = &mut self.found;
        found.watch.global.extend(&theirs.watch.global);
        found.watch.shared.extend(&theirs.watch.shared);
        found.is_narrow |= theirs.is_narrow;
        found.has_fences |= theirs.has_fences;
        found.incomplete.is_out_of_blocks |= theirs.incomplete.is_out_of_blocks;
        found.incomplete.is_out_of_memory |= theirs.incomplete.is_out_of_memory;
        self.order.is_out_of_time |= fork.order.is_out_of_time;
        self.order.is_out_of_memory |= fork.order.is_out_of_memory;
        found.strong.shared.extend(&theirs.strong.shared);
        fork.shared.iter().for_each(|shared| shared.add_strong_places(&mut found.strong.shared));
        found.used.merge(&theirs.used);
        found.used.seen.extend(&fork.seen.into_set());
        let used = self.options.is_use_wanted.then_some(&mut found.used);
        self.global.merge(fork.global, &mut found.watch.global, &mut ByteUse { used });
    }

    /// Whether a block of the launch has executed a fence; then no other detector may follow blocks of it.
    pub fn has_fences(&self) -> bool {
        self.found.has_fences
    }

    /// Ends the launch: what may be racy in it.
    pub fn end_launch(&mut self) -> Suspicion {
        let mut found = std::mem::take(&mut self.found);
        found.incomplete.is_out_of_time = self.order.is_out_of_time;
        found.incomplete.is_out_of_memory |= self.global.is_full() || self.order.is_out_of_memory;
        if !found.watch.is_empty() {
            found.strong.global.extend(&self.global.strong_places());
            for shared in &self.shared {
                shared.add_strong_places(&mut found.strong.shared);
            }
        }
        if let Some(uses) = self.uses.take() {
            found.used.merge(&uses.into_used());
        } else if self.options.is_use_wanted {
            self.global.collect_used(&mut ByteUse { used: Some(&mut found.used) });
            found.used.seen.extend(&std::mem::take(&mut self.seen).into_set());
        }
        found.used.drop_overwritten();
        self.shared.clear();
        found
    }

    /// A `syncthreads` of the block is complete.
    pub fn on_barrier(&mut self, slot: CtaSlot) {
        self.order.barrier(slot);
    }

    /// A `syncwarp` is complete; `mask` names the lanes that took part.
    pub fn on_syncwarp(&mut self, slot: CtaSlot, warp: u32, mask: u32) {
        self.order.syncwarp(slot, warp, mask);
    }

    /// Lanes of a warp execute a fence.
    pub fn on_fence(&mut self, slot: CtaSlot, warp: u32, mask: u32, scope: Scope) {
        self.found.has_fences = true;
        self.order.fence(slot, warp, mask, scope.is_wide());
    }

    /// A synchronisation of the whole grid is complete.
    pub fn on_grid_sync(&mut self) {
        self.order.grid_sync();
        self.global.start(false);
    }

    /// A synchronisation of the blocks of a cluster is complete.
    pub fn on_cluster_sync(&mut self, slots: &[CtaSlot]) {
        self.order.cluster_sync(slots);
    }

    /// Keeps in mind that it was told of a plain load or store of global memory by those lanes at the site of that number, if it need
    /// not be told of the like again: where it only collects what a launch uses.
    pub fn keep(&mut self, site: u64, lanes: &Strided<32>, active: u32) {
        if let Some(uses) = &mut self.uses {
            uses.keep(site, lanes, active);
        }
    }

    /// Whether it need not be told of such a load or store, since it has kept one in mind.
    #[inline]
    pub fn has_kept(&self, site: u64, lanes: &Strided<32>, active: u32) -> bool {
        self.uses.as_ref().is_some_and(|uses| uses.has(site, lanes, active))
    }

    /// A warp accesses memory. True if a byte has come under suspicion that was not before.
    pub fn on_access(&mut self, slot: CtaSlot, space: Space, access: &WarpAccess<'_>) -> bool {
        if access.active == 0 || access.width == 0 {
            return false;
        }
        if let Some(uses) = &mut self.uses {
            if space == Space::Global {
                uses.access(access);
            }
            return false;
        }
        // Lanes that run in step are ordered from instruction to instruction, so then each has a time of its own.
        let is_between = !access.kind.is_strong() && !self.options.rules.is_legacy_warp_sync;
        if !is_between {
            if !self.order.before(slot, space, access) {
                return false;
            }
            self.keep_limit();
        }
        let Some((block_clock, is_telling)) = self.order.between(slot, space, access.warp) else { return false };
        let view = |tag: u64| {
            if is_between { block_clock.view_between(access.warp, tag) } else { block_clock.view(access.warp, tag) }
        };
        let is_telling = is_telling && access.kind.is_write();
        match space {
            Space::Global => {
                self.found.is_narrow |= access.kind.is_strong() && !access.scope.is_wide();
                let view = view(u64::from(block_clock.block()) + 1);
                if self.options.is_use_wanted {
                    self.seen.access(access);
                }
                let found = &mut self.found;
                let used = self.options.is_use_wanted.then_some(&mut found.used);
                let is_new = self.global.access(&view, access, &mut found.watch.global, &mut ByteUse { used });
                if is_telling {
                    let global = &self.global;
                    self.order.after(slot, space, access, |address, width| {
                        global.has_strong() && global.is_strong_at(address, width)
                    });
                }
                is_new
            }
            Space::Shared => {
                let Some(shared) = self.shared.get_mut(slot.0 as usize) else { return false };
                let view = view(shared.tag());
                let is_new = shared.access(&view, access, &mut self.found.watch.shared);
                self.found.incomplete.is_out_of_memory |= shared.is_full();
                if is_telling {
                    self.order.after(slot, space, access, |address, width| {
                        shared.has_strong() && shared.is_strong_at(address, width)
                    });
                }
                is_new
            }
        }
    }

    /// The same for a detector that follows a part of memory only. A fork for each of the others is told of the same events; they are
    /// taken in as forks that followed other blocks are.
    pub fn on_access_in(&mut self, part: Part, slot: CtaSlot, space: Space, access: &WarpAccess<'_>) {
        let active = part.lanes(space, access);
        if active != 0 || access.active == 0 {
            self.on_access(slot, space, &WarpAccess { active, ..*access });
        } else if access.kind.is_strong() || self.options.rules.is_legacy_warp_sync {
            // Time passes all the same.
            self.order.before(slot, space, access);
        }
    }

    /// Keeps stamps and clocks together below the limit of memory.
    fn keep_limit(&mut self) {
        let limit = self.options.limit_bytes;
        self.order.limit(limit.saturating_sub(self.global.footprint_bytes()));
        self.global.set_limit(limit.saturating_sub(self.order.counted_bytes()));
    }

    /// The bytes that the shadow of global memory takes.
    pub fn footprint_bytes(&self) -> u64 {
        self.global.footprint_bytes()
    }

    /// Memory was freed: gives back its shadow.
    pub fn forget(&mut self, start: u64, bytes: u64) {
        self.global.forget(start, bytes);
    }

    /// Gives back the shadow of memory that the last launch did not touch.
    pub fn trim(&mut self) {
        self.global.trim();
    }
}

fn finest(options: Options) -> u32 {
    options.finest_cell_bytes.clamp(1, 8).ilog2()
}
