//! Race detection of a launch: the events that each pass of the detector sees.
//!
//! Blocks tell a pass at once what they do ([`RaceHooks`]), or keep it until it is known that they have done it (`race_log`).
//!
//! Neither pass sees loads and stores that provably touch memory of one thread alone (`footprint`). They race with nothing,
//! and since only a value that another thread reads can order threads, nothing else depends on them.

use crate::block::{Block, ClusterPlace};
use crate::checks::alike::KnownRaces;
use crate::checks::halves::Halves;
use crate::checks::watched::{Watched, Watching};
use crate::schedule::BlockEvents;
use ir::{Access, FuncId, InlineId};
use mem::address::SHARED_BASE;
use mem::{LaneAddresses, Strided};
use race::{
    CtaSlot, Details, Detector, EndedGrids, Exact, Kind, Knowledge, RacePair, Scope, Space, UsedBytes, WarpAccess,
};
use source::Span;
use std::collections::BTreeMap;
use vm::{AccessEvent, AccessKind, Hooks, Program, QuietZone, SilentSites, Site, Warp};

/// The pass of the race detector that a launch runs under.
#[derive(Clone, Debug)]
pub(crate) enum RacePass {
    /// The launch is not checked.
    Off,
    /// The first pass: which bytes may be racy.
    Detect(Box<Detector>),
    /// The second pass: which of them are, and by which accesses.
    Decide(Box<ExactPass>),
}

impl RacePass {
    /// The second pass, if this is it.
    pub(crate) fn exact(&self) -> Option<&Exact> {
        if let RacePass::Decide(pass) = self { Some(&pass.exact) } else { None }
    }

    /// A block of a grid that device code has launched is about to begin; `known` is what came before the grid.
    pub(crate) fn on_begin_nested(&mut self, block: &mut Block, known: &Knowledge) {
        let (number, threads) = (block.number, block.geometry.threads());
        block.slot = match self {
            RacePass::Off => None,
            RacePass::Detect(d) => Some(d.begin_nested_block(number, threads, known)),
            RacePass::Decide(d) => Some(d.exact.begin_nested_block(number, threads, known)),
        };
    }

    /// What a lane of a block has done and knows.
    pub(crate) fn known_to(&mut self, block: &Block, warp: u32, lane: usize) -> Knowledge {
        match (self, block.slot) {
            (RacePass::Detect(d), Some(slot)) => d.known_to(slot, warp, lane),
            (RacePass::Decide(d), Some(slot)) => d.exact.known_to(slot, warp, lane),
            _ => Knowledge::default(),
        }
    }

    /// What all threads of a block have done and know.
    pub(crate) fn known_to_all(&mut self, block: &Block) -> Knowledge {
        match (self, block.slot) {
            (RacePass::Detect(d), Some(slot)) => d.known_to_all(slot),
            (RacePass::Decide(d), Some(slot)) => d.exact.known_to_all(slot),
            _ => Knowledge::default(),
        }
    }

    /// Lanes of a warp of a block have waited for the grids that the block has launched.
    pub(crate) fn on_wait(&mut self, block: &Block, (warp, mask): (u32, u32), ended: &mut EndedGrids) {
        match (self, block.slot) {
            (RacePass::Detect(d), Some(slot)) => d.on_wait(slot, warp, mask, ended),
            (RacePass::Decide(d), Some(slot)) => d.exact.on_wait(slot, warp, mask, ended),
            _ => {}
        }
    }

    /// A lane of a warp of a block frees memory: a write of all its bytes. `stack` is the call stack, innermost first.
    pub(crate) fn on_free(&mut self, block: &Block, (warp, lane): (u32, usize), stack: &[Site], memory: (u64, u64)) {
        let Some(slot) = block.slot else { return };
        let (base, bytes) = memory;
        let freed = |address: u64, width: u32, tell: &mut dyn FnMut(&WarpAccess<'_>)| {
            let (active, addresses) = (1 << lane, LaneAddresses::uniform(address));
            let (kind, scope) = (Kind::Free, Scope::Sys);
            tell(&WarpAccess { warp, active, failed: 0, kind, scope, width, addresses: &addresses, order: None });
        };
        match self {
            RacePass::Off => {}
            RacePass::Detect(d) => {
                // In the words of most accesses, so that the shadow stays as it is.
                let ends = (0..bytes & !7).step_by(8).map(|at| (at, 8)).chain((bytes & !7..bytes).map(|at| (at, 1)));
                ends.for_each(|(at, width)| {
                    freed(base + at, width, &mut |access| _ = d.on_access(slot, Space::Global, access));
                });
            }
            RacePass::Decide(d) => freed(base, u32::try_from(bytes).unwrap_or(u32::MAX), &mut |access| {
                let (mut site, mut place) = (0, 0);
                if d.exact.is_watching(Space::Global, access) {
                    (site, place) = d.number(stack);
                }
                let details = Details { site, stack: place, values: &[0; 32] };
                d.exact.on_access(slot, Space::Global, access, &details);
            }),
        }
    }

    /// Whether the effects of the pass are undone, so that another one shows output and launches; the first pass's are if it
    /// `rehearses`.
    pub(crate) fn is_undone(&self, rehearses: bool) -> bool {
        match self {
            RacePass::Off => false,
            RacePass::Detect(_) => rehearses,
            RacePass::Decide(_) => true,
        }
    }

    /// Whether it is the second pass of a launch whose races the first one knows.
    pub(crate) fn is_known(&self) -> bool {
        if let RacePass::Decide(pass) = self { pass.known.is_some() } else { false }
    }

    /// Whether it is the second pass and can find nothing any more.
    pub(crate) fn is_settled(&self) -> bool {
        if let RacePass::Decide(pass) = self { pass.is_settled() } else { false }
    }

    /// Whether it judges by the letter.
    pub(crate) fn is_strict(&self) -> bool {
        match self {
            RacePass::Off => false,
            RacePass::Detect(d) => d.rules().is_strict,
            RacePass::Decide(d) => d.exact.rules().is_strict,
        }
    }
}

/// A place of the source from which memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum SourceSite {
    /// In code of its own function.
    Own(Site),
    /// In an inlined function: where, and which of the accesses that have one place there, such as the parts of a complex number.
    Inlined(FuncId, Span, u32),
}

/// The second pass, with the sites and call stacks to which its reports refer by number.
#[derive(Clone, Debug)]
pub(crate) struct ExactPass {
    pub(crate) exact: Exact,
    /// What the accesses are that stand in the place of a call.
    inlined: BTreeMap<Site, SourceSite>,
    sites: BTreeMap<SourceSite, u32>,
    stacks: BTreeMap<Vec<Site>, u32>,
    site_list: Vec<Site>,
    stack_list: Vec<Vec<Site>>,
    /// The call stack that was asked about last, and its numbers.
    last: (Vec<Site>, (u32, u32)),
    /// The races, if the first pass knows them but for the threads to be named.
    known: Option<Box<KnownRaces>>,
}

impl ExactPass {
    pub(crate) fn new(exact: Exact, program: &Program) -> ExactPass {
        let funcs = (0..program.module().funcs.len() as u32).map(FuncId);
        let sites = funcs.flat_map(|func| program.access_sites(func));
        let mut counts: BTreeMap<(FuncId, InlineId, Span), u32> = BTreeMap::new();
        let of = |site: Site| {
            let (func, _) = program.inlined(site).next()?;
            let (call, span) = (program.inlined_at(site), program.span(site));
            let count = counts.entry((site.func, call, span)).or_default();
            *count += 1;
            Some((site, SourceSite::Inlined(func, span, *count)))
        };
        ExactPass {
            exact,
            inlined: sites.filter_map(of).collect(),
            sites: BTreeMap::new(),
            stacks: BTreeMap::new(),
            site_list: Vec::new(),
            stack_list: Vec::new(),
            last: (Vec::new(), (0, 0)),
            known: None,
        }
    }

    /// The same where the first pass knows the races, but for the threads to be named.
    pub(crate) fn with_known(self, known: KnownRaces) -> ExactPass {
        ExactPass { known: Some(Box::new(known)), ..self }
    }

    /// Whether nothing can be found any more.
    pub(crate) fn is_settled(&self) -> bool {
        let Some(known) = &self.known else { return false };
        known.sites.iter().all(|(site, _, relation)| {
            let number = self.sites.get(&self.source_site(*site));
            number.is_some_and(|&number| {
                let is_it = |pair: &&RacePair| (pair.first.site, pair.second.site) == (number, number);
                self.exact.pairs().iter().find(is_it).is_some_and(|pair| pair.relation() >= *relation)
            })
        })
    }

    /// How often a race was found, which the first pass may know better.
    pub(crate) fn count(&self, pair: &RacePair) -> u64 {
        let Some(known) = &self.known else { return pair.count };
        let of_site = |(site, count, _): &(Site, u64, _)| {
            let is_it = self.sites.get(&self.source_site(*site)) == Some(&pair.first.site);
            is_it.then_some(*count)
        };
        known.sites.iter().filter_map(of_site).sum()
    }

    fn source_site(&self, site: Site) -> SourceSite {
        self.inlined.get(&site).copied().unwrap_or(SourceSite::Own(site))
    }

    /// The site of that number.
    pub(crate) fn site(&self, number: u32) -> Site {
        self.site_list.get(number as usize).copied().unwrap_or_default()
    }

    /// The call stack of that number: the site of the access and those of its callers, innermost first.
    pub(crate) fn stack(&self, number: u32) -> &[Site] {
        self.stack_list.get(number as usize).map_or(&[], Vec::as_slice)
    }

    /// The numbers of a site, the first of the call stack, and of the stack. A place of the source has one number wherever it is inlined.
    pub(crate) fn number(&mut self, stack: &[Site]) -> (u32, u32) {
        if self.last.0 == stack && !stack.is_empty() {
            return self.last.1;
        }
        let site = stack.first().copied().unwrap_or_default();
        let key = self.source_site(site);
        let site_number = *self.sites.entry(key).or_insert_with(|| {
            self.site_list.push(site);
            self.site_list.len() as u32 - 1
        });
        let stack_number = match self.stacks.get(stack) {
            Some(&n) => n,
            None => {
                let n = self.stack_list.len() as u32;
                self.stack_list.push(stack.to_vec());
                self.stacks.insert(stack.to_vec(), n);
                n
            }
        };
        self.last = (stack.to_vec(), (site_number, stack_number));
        (site_number, stack_number)
    }
}

impl BlockEvents for RacePass {
    fn on_begin(&mut self, block: &mut Block) {
        block.slot = match self {
            RacePass::Off => None,
            RacePass::Detect(d) => Some(d.begin_block(block.number)),
            RacePass::Decide(d) => Some(d.exact.begin_block(block.number)),
        };
    }

    fn on_end(&mut self, block: &mut Block) {
        let Some(slot) = block.slot.take() else { return };
        match self {
            RacePass::Off => {}
            RacePass::Detect(d) => d.end_block(slot),
            RacePass::Decide(d) => d.exact.end_block(slot),
        }
    }

    fn on_cluster_sync(&mut self, _: &[u64], slots: &[CtaSlot]) {
        match self {
            RacePass::Off => {}
            RacePass::Detect(d) => d.on_cluster_sync(slots),
            RacePass::Decide(d) => d.exact.on_cluster_sync(slots),
        }
    }

    fn on_grid_sync(&mut self) {
        match self {
            RacePass::Off => {}
            RacePass::Detect(d) => d.on_grid_sync(),
            RacePass::Decide(d) => d.exact.on_grid_sync(),
        }
    }
}

/// Reports the events of a block to the race detector, and holds its accesses against the guard of the launch.
pub(crate) struct RaceHooks<'a> {
    pass: &'a mut RacePass,
    slot: Option<CtaSlot>,
    watching: Watching<'a>,
    /// Where the block is, if others of its cluster may reach its shared memory.
    cluster: Option<ClusterPlace>,
}

impl<'a> RaceHooks<'a> {
    /// The hooks of a block.
    pub(crate) fn new(
        block: &Block,
        pass: &'a mut RacePass,
        watched: &'a Watched,
        cluster: Option<ClusterPlace>,
    ) -> RaceHooks<'a> {
        RaceHooks { pass, slot: block.slot, watching: watched.watching(block.number), cluster }
    }

    /// The hooks of a block that nobody but a guard follows.
    pub(crate) fn of_guard(pass: &'a mut RacePass, watching: Watching<'a>) -> RaceHooks<'a> {
        RaceHooks { pass, slot: None, watching, cluster: None }
    }

    /// Tells the detector of an access, if it follows it.
    fn follow(&mut self, warp: &Warp<32>, event: &AccessEvent<'_, 32>) {
        let is_seen = self.watching.admits(warp.number(), event);
        let Some(slot) = self.slot.filter(|_| is_seen) else { return };
        let mut offsets = LaneAddresses::uniform(0);
        let Some((space, access)) = described(warp, event, self.cluster.as_ref(), &mut offsets) else { return };
        match self.pass {
            RacePass::Off => {}
            RacePass::Detect(d) => {
                d.on_access(slot, space, &access);
            }
            RacePass::Decide(d) => {
                let (mut site, mut stack, mut values) = (0, 0, [0; 32]);
                if d.exact.is_watching(space, &access) {
                    (site, stack) = d.number(&warp.call_stack(event.frame, event.site.pc));
                    values = std::array::from_fn(|lane| event.values.get(lane));
                }
                d.exact.on_access(slot, space, &access, &Details { site, stack, values: &values });
            }
        }
    }

    /// Keeps an access in mind, if nobody need be told of the like again.
    fn keep(&mut self, event: &AccessEvent<'_, 32>) {
        if let RacePass::Detect(d) = self.pass
            && let AccessKind::Read(Access::Plain) | AccessKind::Write(Access::Plain) = event.kind
            && let (ir::Space::Global, LaneAddresses::Strided(lanes)) = (event.space, event.lanes)
            && self.slot.is_some()
            && self.watching.sees_once(event.site)
        {
            d.keep(number_of(event.site), lanes, event.mask);
        }
    }
}

/// A site as a number.
fn number_of(site: Site) -> u64 {
    u64::from(site.func.0) << 32 | u64::from(site.pc)
}

pub(crate) fn scope(scope: ir::Scope) -> Scope {
    match scope {
        ir::Scope::Block => Scope::Cta,
        ir::Scope::Device => Scope::Gpu,
        ir::Scope::System => Scope::Sys,
    }
}

/// Where the detector has shared memory that other blocks reach: all of it, block by block, where no allocation is.
const CLUSTER_CELLS: u64 = 5 << mem::address::REGION_BITS;
/// Bits of an offset in shared memory of a block there.
const CELL_BITS: u32 = 18;

/// What the detector has for an address of shared memory that a block of a cluster uses.
fn cluster_cell(block: &ClusterPlace, address: u64) -> u64 {
    let own = || (block.geometry.cluster_rank(), address.wrapping_sub(SHARED_BASE));
    let (rank, offset) = mem::address::cluster_place(address).unwrap_or_else(own);
    CLUSTER_CELLS + (block.member(rank) << CELL_BITS) + offset
}

/// The address of shared memory that the detector has so; `None` if it is another address.
pub(crate) fn of_cluster_cell(cell: u64) -> Option<u64> {
    let is_shared = (CLUSTER_CELLS..8 << mem::address::REGION_BITS).contains(&cell);
    is_shared.then_some(SHARED_BASE + (cell & ((1 << CELL_BITS) - 1)))
}

/// Takes shared memory out of what a launch is said to have used of other memory.
pub(crate) fn forget_clusters(used: &mut UsedBytes) {
    used.forget(CLUSTER_CELLS, 8 << mem::address::REGION_BITS);
}

/// An access as the detector takes it, if it follows it; `offsets` is room for addresses.
pub(crate) fn described<'a>(
    warp: &Warp<32>,
    event: &AccessEvent<'a, 32>,
    cluster: Option<&ClusterPlace>,
    offsets: &'a mut LaneAddresses<32>,
) -> Option<(Space, WarpAccess<'a>)> {
    let (space, base) = match event.space {
        ir::Space::Shared if cluster.is_some() => (Space::Global, SHARED_BASE),
        ir::Space::Shared => (Space::Shared, SHARED_BASE),
        ir::Space::Local => return None,
        _ => (Space::Global, 0),
    };
    let (kind, reach, failed) = match event.kind {
        AccessKind::Read(Access::Plain) => (Kind::Read, Scope::Sys, 0),
        AccessKind::Read(Access::Volatile) => (Kind::VolatileRead, Scope::Sys, 0),
        AccessKind::Write(Access::Plain) => (Kind::Write, Scope::Sys, 0),
        AccessKind::Write(Access::Volatile) => (Kind::VolatileWrite, Scope::Sys, 0),
        AccessKind::Atomic { scope: s, failed, used, .. } => {
            (if used { Kind::Atomic } else { Kind::Reduce }, scope(s), failed)
        }
    };
    let addresses = if base == 0 {
        event.lanes
    } else if let Some(block) = cluster {
        let mut places = [0; 32];
        // The addresses of other lanes may be anything.
        scalar::lanes(event.mask).for_each(|lane| places[lane] = cluster_cell(block, event.lanes.address(lane)));
        *offsets = LaneAddresses::of(&places, event.mask);
        offsets
    } else {
        *offsets = event.lanes.moved((base as i64).wrapping_neg());
        offsets
    };
    let (warp, active, width) = (warp.number(), event.mask, event.bytes as u32);
    Some((space, WarpAccess { warp, active, failed, kind, scope: reach, width, addresses, order: event.order }))
}

/// The lanes that have arrived at a `syncwarp` that those of `mask` execute.
pub(crate) fn arrived(warp: &Warp<32>, mask: u32, is_strict: bool) -> u32 {
    // Exited lanes count, as they do at barriers of the block.
    if mask == warp.live() && !is_strict { u32::MAX } else { mask }
}

impl Hooks<32> for RaceHooks<'_> {
    fn wants_accesses(&self) -> bool {
        true
    }

    fn wants_values(&self) -> bool {
        matches!(self.pass, RacePass::Decide(_))
    }

    fn lets_code_run(&self) -> bool {
        true
    }

    fn silent_sites(&self) -> Option<SilentSites> {
        self.watching.silent()
    }

    fn quiet(&self, site: Site) -> QuietZone {
        self.watching.quiet(site, self.slot.is_some() && !matches!(self.pass, RacePass::Off))
    }

    fn has_seen(&self, site: Site, lanes: &Strided<32>, mask: u32) -> bool {
        matches!(&self.pass, RacePass::Detect(d) if d.has_kept(number_of(site), lanes, mask))
    }

    fn on_lanes(&mut self, warp: &Warp<32>, site: Site, lanes: (&LaneAddresses<32>, u32), bytes: usize) -> bool {
        self.watching.on_lanes(warp.number(), site, lanes, bytes)
    }

    fn on_barrier(&mut self) {
        let Some(slot) = self.slot else { return };
        match self.pass {
            RacePass::Off => {}
            RacePass::Detect(d) => d.on_barrier(slot),
            RacePass::Decide(d) => d.exact.on_barrier(slot),
        }
    }

    fn on_access_under_way(&mut self, warp: &Warp<32>, event: &AccessEvent<'_, 32>) {
        self.on_access(warp, event);
    }

    fn on_access(&mut self, warp: &Warp<32>, event: &AccessEvent<'_, 32>) {
        match Halves::of(event) {
            Some(halves) => halves.events(event).iter().for_each(|half| self.follow(warp, half)),
            None => {
                self.follow(warp, event);
                self.keep(event);
            }
        }
    }

    fn on_syncwarp(&mut self, warp: &Warp<32>, mask: u32) {
        let Some(slot) = self.slot else { return };
        let mask = arrived(warp, mask, self.pass.is_strict());
        match self.pass {
            RacePass::Off => {}
            RacePass::Detect(d) => d.on_syncwarp(slot, warp.number(), mask),
            RacePass::Decide(d) => d.exact.on_syncwarp(slot, warp.number(), mask),
        }
    }

    fn on_fence(&mut self, warp: &Warp<32>, mask: u32, reach: ir::Scope) {
        let Some(slot) = self.slot else { return };
        match self.pass {
            RacePass::Off => {}
            RacePass::Detect(d) => d.on_fence(slot, warp.number(), mask, scope(reach)),
            RacePass::Decide(d) => d.exact.on_fence(slot, warp.number(), mask, scope(reach)),
        }
    }
}
