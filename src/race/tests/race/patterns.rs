//! Patterns that programmers write, right and wrong, each with the verdict it must get.

use cufemu_race::{Detector, Exact, Kind, Options, RaceKind, Relation, Rules, Scope, Space, Verdict};

use crate::event::{Access, Event, decide_by, judge, launch, strided, suspect};
use mem::LaneAddresses;

const THREADS: u32 = 64;
/// Some addresses in global memory, far apart.
const DATA: u64 = 0x10_0000;
const FLAG: u64 = 0x20_0000;

fn access(block: u32, warp: u32, space: Space, kind: Kind, places: &LaneAddresses<32>, site: u32) -> Event {
    Event::Access(Access {
        block,
        space,
        warp,
        active: u32::MAX,
        failed: 0,
        kind,
        scope: Scope::Gpu,
        width: 4,
        places: *places,
        site,
        values: std::array::from_fn(|lane| lane as u64),
        order: None,
    })
}

/// All lanes of a warp at consecutive 4-byte places.
fn row(block: u32, warp: u32, space: Space, kind: Kind, first: u64, site: u32) -> Event {
    access(block, warp, space, kind, &strided(first, 4), site)
}

/// One lane of warp 0.
fn one(block: u32, lane: u32, kind: Kind, address: u64, site: u32) -> Event {
    match access(block, 0, Space::Global, kind, &LaneAddresses::uniform(address), site) {
        Event::Access(a) => Event::Access(Access { active: 1 << lane, ..a }),
        other => other,
    }
}

fn with(event: Event, change: impl FnOnce(&mut Access)) -> Event {
    match event {
        Event::Access(mut a) => {
            change(&mut a);
            Event::Access(a)
        }
        other => other,
    }
}

fn fence(block: u32, lane: u32, scope: Scope) -> Event {
    Event::Fence { block, warp: 0, mask: 1 << lane, scope }
}

fn verdict_of(events: &[Event]) -> Verdict {
    judge(Options::default(), THREADS, events)
}

fn strict() -> Options {
    Options { rules: Rules { is_strict: true, ..Rules::default() }, ..Options::default() }
}

/// Two warps fill a tile, each reads what the other wrote, and they fill it again.
fn tile(first_barrier: bool, second_barrier: bool) -> Vec<Event> {
    let mut events = vec![Event::Begin(0)];
    for _ in 0..2 {
        events.extend((0..2).map(|w| row(0, w, Space::Shared, Kind::Write, u64::from(w) * 128, 1)));
        events.extend(first_barrier.then_some(Event::Barrier(0)));
        events.extend((0..2).map(|w| row(0, w, Space::Shared, Kind::Read, u64::from(1 - w) * 128, 2)));
        events.extend(second_barrier.then_some(Event::Barrier(0)));
    }
    events.push(Event::End(0));
    events
}

#[test]
fn tile_with_both_barriers_is_clean_without_a_second_pass() {
    let found = suspect(&mut Detector::new(Options::default()), THREADS, &tile(true, true));
    assert!(found.watch.is_empty());
}

#[test]
fn tile_without_a_barrier_names_both_places() {
    for events in [tile(false, true), tile(true, false)] {
        let verdict = verdict_of(&events);
        assert_eq!(verdict.pairs.len(), 1, "{:?}", verdict.pairs);
        let pair = &verdict.pairs[0];
        assert_eq!((pair.kind, pair.relation()), (RaceKind::ReadWrite, Relation::WithinBlock));
        assert!(pair.count >= 32 && !pair.is_mixed && !pair.is_same_value);
        assert_eq!(verdict.bytes.shared.len() % 128, 0);
    }
}

#[test]
fn next_block_does_not_inherit_the_shared_memory_of_the_last() {
    let mut events = tile(true, false);
    events.truncate(5);
    events.push(Event::End(0));
    events.push(Event::Begin(1));
    events.extend((0..2).map(|w| row(1, w, Space::Shared, Kind::Write, u64::from(1 - w) * 128, 1)));
    events.push(Event::End(1));
    let found = suspect(&mut Detector::new(Options::default()), THREADS, &events);
    assert!(found.watch.is_empty());
}

#[test]
fn lanes_of_a_warp_need_syncwarp_unless_legacy() {
    let events = |sync: Option<Event>| {
        let mut events = vec![Event::Begin(0), row(0, 0, Space::Shared, Kind::Write, 0, 1)];
        events.extend(sync);
        events.push(with(row(0, 0, Space::Shared, Kind::Read, 64, 2), |a| a.active = 0xffff));
        events
    };
    let verdict = verdict_of(&events(None));
    assert_eq!(verdict.pairs[0].relation(), Relation::WithinWarp);
    assert_eq!(verdict.pairs[0].counts, [16, 0, 0]);
    let full = Event::Syncwarp { block: 0, warp: 0, mask: u32::MAX };
    assert!(verdict_of(&events(Some(full))).pairs.is_empty());
    let half = Event::Syncwarp { block: 0, warp: 0, mask: 0xff };
    assert_eq!(verdict_of(&events(Some(half))).pairs[0].count, 16);
    let legacy = Options { rules: Rules { is_legacy_warp_sync: true, ..Rules::default() }, ..Options::default() };
    assert!(judge(legacy, THREADS, &events(None)).pairs.is_empty());
}

#[test]
fn lanes_that_store_to_one_place_race_and_the_same_value_is_noted() {
    let store = access(0, 0, Space::Global, Kind::Write, &LaneAddresses::uniform(DATA), 1);
    let verdict = verdict_of(&[Event::Begin(0), store.clone()]);
    assert_eq!((verdict.pairs[0].kind, verdict.pairs[0].is_same_value), (RaceKind::WriteWrite, false));
    assert_eq!(verdict.pairs[0].bytes, (DATA, 4));
    let verdict = verdict_of(&[Event::Begin(0), with(store, |a| a.values = [7; 32])]);
    assert!(verdict.pairs[0].is_same_value);
}

#[test]
fn neighbouring_bytes_are_told_apart_or_dismissed() {
    let store = with(row(0, 0, Space::Global, Kind::Write, DATA, 1), |a| {
        a.width = 1;
        a.places = strided(DATA, 1);
    });
    // Cells of four bytes, which the narrower store splits.
    let events = [Event::Begin(0), row(0, 0, Space::Global, Kind::Read, DATA + 64, 2), store];
    assert!(suspect(&mut Detector::new(Options::default()), THREADS, &events).watch.is_empty());
    let coarse = Options { finest_cell_bytes: 4, ..Options::default() };
    assert!(!suspect(&mut Detector::new(coarse), THREADS, &events).watch.is_empty());
    assert!(judge(coarse, THREADS, &events).pairs.is_empty());
}

#[test]
fn more_stretches_than_are_followed_leave_the_launch_undecided() {
    let write = |warp, site| row(0, warp, Space::Global, Kind::Write, DATA, site);
    let events = [Event::Begin(0), write(0, 1), write(1, 2)];
    let suspicion = suspect(&mut Detector::new(Options::default()), THREADS, &events);
    let exact = |limit| {
        let exact = Exact::new(Rules::default(), launch(THREADS), suspicion.clone());
        decide_by(exact.with_limit(limit), THREADS, &events)
    };
    let all = exact(32);
    assert!(!all.undecided.is_any());
    assert_eq!((all.bytes.global.len(), all.pairs[0].count), (128, 32));
    // Stretches that are followed already are decided; the others are not lost silently.
    let some = exact(8);
    assert!(some.undecided.is_out_of_memory);
    assert_eq!((some.bytes.global.len(), some.pairs[0].count), (32, 8));
}

#[test]
fn eight_bytes_overlap_four() {
    let wide = with(one(0, 0, Kind::Write, DATA, 1), |a| a.width = 8);
    let verdict = verdict_of(&[Event::Begin(0), wide, one(0, 1, Kind::Read, DATA + 4, 2)]);
    assert_eq!(verdict.pairs[0].bytes, (DATA + 4, 4));
    assert_eq!(verdict.bytes.global.ranges(), [(DATA + 4, 4)]);
}

#[test]
fn plain_reset_before_own_atomic_races_with_the_atomics_of_others() {
    let mut events = vec![Event::Begin(0), one(0, 0, Kind::Write, DATA, 1)];
    events.push(one(0, 0, Kind::Atomic, DATA, 2));
    events.push(one(0, 1, Kind::Atomic, DATA, 2));
    let verdict = verdict_of(&events);
    assert_eq!(verdict.pairs.len(), 1);
    assert!(verdict.pairs[0].is_mixed);
}

#[test]
fn whole_warps_of_atomics_do_not_hide_each_other_from_a_plain_read() {
    let add = |warp| access(0, warp, Space::Global, Kind::Atomic, &LaneAddresses::uniform(DATA), 1);
    // Warp 1 takes over the stamp of one thread, but warp 0's other lanes stay.
    let events = [Event::Begin(0), add(0), add(1), with(one(0, 5, Kind::Read, DATA, 2), |a| a.warp = 1)];
    let verdict = verdict_of(&events);
    assert_eq!(verdict.pairs.len(), 1);
    assert!(verdict.pairs[0].is_mixed);
    let atomics = [Event::Begin(0), add(0), add(1)];
    assert!(suspect(&mut Detector::new(Options::default()), THREADS, &atomics).watch.is_empty());
}

#[test]
fn warp_of_atomics_does_not_hide_volatile_stores_that_it_never_read() {
    let mut events = vec![Event::Begin(0)];
    events.push(one(0, 0, Kind::VolatileWrite, DATA, 1));
    events.push(one(0, 1, Kind::VolatileWrite, DATA, 2));
    events.push(access(0, 1, Space::Global, Kind::Atomic, &LaneAddresses::uniform(DATA), 3));
    events.push(Event::Syncwarp { block: 0, warp: 1, mask: u32::MAX });
    events.push(with(one(0, 5, Kind::Read, DATA, 4), |a| a.warp = 1));
    let verdict = verdict_of(&events);
    let sites: Vec<_> = verdict.pairs.iter().map(|p| (p.first.site, p.second.site)).collect();
    assert_eq!(sites, [(1, 4)]);
}

#[test]
fn one_thread_and_a_warp_on_the_same_cells_are_told_apart() {
    let wide = |kind, site| with(one(0, 0, kind, DATA, site), |a| a.width = 16);
    let narrow = |kind, site| with(row(0, 0, Space::Global, kind, DATA, site), |a| a.active = 0b1111);
    let prepare = row(0, 1, Space::Global, Kind::Read, DATA + 512, 9);
    let sites = |events: [Event; 4]| {
        let verdict = verdict_of(&events);
        verdict.pairs.iter().map(|p| (p.first.site, p.second.site, p.count)).collect::<Vec<_>>()
    };
    let begin = || Event::Begin(0);
    assert_eq!(sites([begin(), prepare.clone(), wide(Kind::Write, 1), narrow(Kind::Read, 2)]), [(1, 2, 3)]);
    assert_eq!(sites([begin(), wide(Kind::Read, 1), narrow(Kind::Read, 2), wide(Kind::Write, 3)]), [(2, 3, 1)]);
    assert_eq!(sites([begin(), narrow(Kind::Write, 1), prepare, wide(Kind::Read, 2)]), [(1, 2, 1)]);
}

/// The last block to add to a counter reads what all blocks wrote.
fn last_block(fence_scope: Option<Scope>, is_fence_by_all: bool, has_consumer_fence: bool) -> Vec<Event> {
    let mut events: Vec<Event> = (0..3).map(Event::Begin).collect();
    for block in 0..3 {
        let at = DATA + u64::from(block) * 256;
        for warp in 0..2 {
            events.push(row(block, warp, Space::Global, Kind::Write, at + u64::from(warp) * 128, 1));
            if is_fence_by_all && let Some(scope) = fence_scope {
                events.push(Event::Fence { block, warp, mask: u32::MAX, scope });
            }
        }
        events.push(Event::Barrier(block));
        if !is_fence_by_all && let Some(scope) = fence_scope {
            events.push(fence(block, 0, scope));
        }
        events.push(one(block, 0, Kind::Atomic, FLAG, 2));
    }
    if has_consumer_fence {
        events.push(fence(2, 0, Scope::Gpu));
    }
    events.push(Event::Barrier(2));
    events.push(row(2, 1, Space::Global, Kind::Read, DATA, 3));
    events.push(row(2, 0, Space::Global, Kind::Read, DATA + 256 + 64, 3));
    events
}

#[test]
fn last_block_done_is_clean_with_fences_only() {
    for by_all in [false, true] {
        let clean = last_block(Some(Scope::Gpu), by_all, false);
        assert!(suspect(&mut Detector::new(Options::default()), THREADS, &clean).watch.is_empty());
        let verdict = verdict_of(&last_block(None, by_all, true));
        assert_eq!(verdict.pairs[0].relation(), Relation::AcrossBlocks);
        assert!(!verdict.pairs[0].is_insufficient_scope);
        let verdict = verdict_of(&last_block(Some(Scope::Cta), by_all, true));
        assert!(verdict.pairs[0].is_insufficient_scope);
    }
}

#[test]
fn strict_wants_the_fence_of_the_consumer_and_of_the_releasing_thread() {
    let pairs = |events: &[Event]| judge(strict(), THREADS, events).pairs.len();
    assert_eq!(pairs(&last_block(Some(Scope::Gpu), false, true)), 0);
    assert_eq!(pairs(&last_block(Some(Scope::Gpu), false, false)), 1);
    assert_eq!(pairs(&last_block(Some(Scope::Gpu), true, true)), 1);
}

#[test]
fn fences_of_one_warp_release_nothing_of_another() {
    let mut events = vec![Event::Begin(0), Event::Begin(1)];
    events.push(row(0, 1, Space::Global, Kind::Write, DATA, 1));
    events.push(Event::Fence { block: 0, warp: 0, mask: u32::MAX, scope: Scope::Gpu });
    events.push(Event::Barrier(0));
    events.push(one(0, 0, Kind::Atomic, FLAG, 2));
    events.push(one(1, 0, Kind::Atomic, FLAG, 2));
    events.push(one(1, 0, Kind::Read, DATA, 3));
    let verdict = verdict_of(&events);
    assert_eq!(verdict.pairs.len(), 1);
    assert_eq!(verdict.pairs[0].count, 1);
}

/// Two threads of different blocks add to a plain variable under a lock.
fn lock(release: &[Event]) -> Vec<Event> {
    let mut events = vec![Event::Begin(0), Event::Begin(1)];
    for block in 0..2 {
        // Lanes spin before they win.
        events.push(with(one(block, 0, Kind::Atomic, FLAG, 1), |a| a.failed = u32::from(block == 1)));
        events.push(one(block, 0, Kind::Atomic, FLAG, 1));
        events.push(one(block, 0, Kind::Read, DATA, 2));
        events.push(one(block, 0, Kind::Write, DATA, 3));
        events.extend(release.iter().cloned().map(|e| match e {
            Event::Fence { warp, mask, scope, .. } => Event::Fence { block, warp, mask, scope },
            other => with(other, |a| a.block = block),
        }));
    }
    events
}

#[test]
fn lock_protects_when_released_after_a_fence() {
    let atomic = [fence(0, 0, Scope::Gpu), one(0, 0, Kind::Atomic, FLAG, 4)];
    assert!(verdict_of(&lock(&atomic)).pairs.is_empty());
    let plain = [fence(0, 0, Scope::Gpu), one(0, 0, Kind::Write, FLAG, 4)];
    let verdict = verdict_of(&lock(&plain));
    // Only the plain release itself, against the atomics of the other block.
    assert_eq!(verdict.pairs.len(), 1);
    assert!(verdict.pairs[0].is_mixed);
    assert_eq!(verdict.bytes.global.ranges(), [(FLAG, 4)]);
    let unfenced = [one(0, 0, Kind::Atomic, FLAG, 4)];
    assert!(verdict_of(&lock(&unfenced)).bytes.global.is_touching(DATA, 4));
}

#[test]
fn plain_release_before_the_first_atomic_still_releases() {
    let mut events = vec![Event::Begin(0), one(0, 0, Kind::Write, DATA, 1), fence(0, 0, Scope::Gpu)];
    events.push(one(0, 0, Kind::Write, FLAG, 2));
    events.push(Event::End(0));
    events.push(Event::Begin(1));
    events.push(one(1, 0, Kind::Atomic, FLAG, 3));
    events.push(one(1, 0, Kind::Read, DATA, 4));
    let verdict = verdict_of(&events);
    assert_eq!(verdict.bytes.global.ranges(), [(FLAG, 4)]);
    assert!(verdict.pairs[0].is_mixed);
}

#[test]
fn plain_read_of_a_lock_is_not_excused_by_its_plain_release() {
    let mut events = vec![Event::Begin(0), Event::Begin(1), fence(0, 0, Scope::Gpu)];
    events.push(one(0, 0, Kind::Read, FLAG, 1));
    events.push(one(0, 0, Kind::Write, FLAG, 2));
    events.push(one(1, 0, Kind::Atomic, FLAG, 3));
    events.push(one(1, 0, Kind::Write, FLAG, 4));
    let verdict = verdict_of(&events);
    let sites: Vec<_> = verdict.pairs.iter().map(|p| (p.first.site, p.second.site)).collect();
    assert!(sites.contains(&(1, 4)) && sites.contains(&(2, 3)) && !sites.contains(&(2, 4)), "{sites:?}");
}

#[test]
fn plain_store_before_a_narrow_fence_is_not_excused_by_a_later_release() {
    let mut events = vec![Event::Begin(0), Event::Begin(1), one(0, 0, Kind::Write, FLAG, 1), fence(0, 0, Scope::Cta)];
    events.push(one(0, 0, Kind::Write, FLAG, 2));
    events.push(one(1, 0, Kind::Atomic, FLAG, 3));
    events.push(one(1, 0, Kind::Write, FLAG, 4));
    let verdict = verdict_of(&events);
    let sites: Vec<_> = verdict.pairs.iter().map(|p| (p.first.site, p.second.site)).collect();
    assert!(sites.contains(&(1, 4)) && !sites.contains(&(2, 4)), "{sites:?}");
}

#[test]
fn failed_compare_and_swap_releases_nothing() {
    let mut events = vec![Event::Begin(0), Event::Begin(1), one(0, 0, Kind::Write, DATA, 1), fence(0, 0, Scope::Gpu)];
    events.push(with(one(0, 0, Kind::Atomic, FLAG, 2), |a| a.failed = 1));
    events.push(one(1, 0, Kind::Atomic, FLAG, 2));
    events.push(one(1, 0, Kind::Read, DATA, 3));
    assert_eq!(verdict_of(&events).pairs.len(), 1);
}

#[test]
fn lanes_of_an_atomic_acquire_from_those_before_them() {
    // Each lane writes its place, fences and counts; then one lane reads the places of all.
    let events = |count: Event| {
        let places = row(0, 0, Space::Global, Kind::Write, DATA, 1);
        let mut events = vec![Event::Begin(0), places];
        events.push(Event::Fence { block: 0, warp: 0, mask: u32::MAX, scope: Scope::Gpu });
        events.push(count);
        events
    };
    let count = access(0, 0, Space::Global, Kind::Atomic, &LaneAddresses::uniform(FLAG), 2);
    let reads = |lane: u32, count: Event| {
        let mut events = events(count);
        events.extend((0..32).map(|place| one(0, lane, Kind::Read, DATA + 4 * place, 3)));
        verdict_of(&events).bytes.global.ranges()
    };
    // By number, lane 31 comes last: it knows what all wrote, and lane 0 only its own place.
    assert_eq!(reads(31, count.clone()), []);
    assert_eq!(reads(0, count.clone()), [(DATA + 4, 124)]);
    assert_eq!(reads(5, count.clone()), [(DATA + 24, 104)]);
    let turned: [u8; 32] = std::array::from_fn(|at| 31 - at as u8);
    let turned = with(count.clone(), |a| a.order = Some(turned));
    assert_eq!((reads(0, turned.clone()), reads(31, turned)), (vec![], vec![(DATA, 124)]));
    // A swap that fails reads, but hands nothing on; a reduction reads nothing.
    assert_eq!(reads(5, with(count.clone(), |a| a.failed = 1 << 5 | 1 << 2)), [(DATA + 8, 4), (DATA + 24, 104)]);
    assert_eq!(reads(31, with(count, |a| a.kind = Kind::Reduce)), [(DATA, 124)]);
}

#[test]
fn last_lane_of_an_atomic_may_read_its_result_plainly() {
    let events = |lane| {
        let count = access(0, 0, Space::Global, Kind::Atomic, &LaneAddresses::uniform(FLAG), 1);
        [Event::Begin(0), count, one(0, lane, Kind::Read, FLAG, 2)]
    };
    assert!(verdict_of(&events(31)).pairs.is_empty());
    assert!(verdict_of(&events(30)).pairs[0].is_mixed);
}

#[test]
fn reduction_without_result_acquires_nothing() {
    let events = |kind| {
        let mut events = vec![Event::Begin(0), Event::Begin(1), one(0, 0, Kind::Write, DATA, 1)];
        events.push(fence(0, 0, Scope::Gpu));
        events.push(one(0, 0, Kind::Reduce, FLAG, 2));
        events.push(one(1, 0, kind, FLAG, 2));
        events.push(one(1, 0, Kind::Read, DATA, 3));
        events
    };
    assert_eq!(verdict_of(&events(Kind::Reduce)).pairs.len(), 1);
    assert!(verdict_of(&events(Kind::Atomic)).pairs.is_empty());
}

#[test]
fn atomics_of_block_scope_race_across_blocks() {
    let add = |block| with(one(block, 0, Kind::Atomic, DATA, 1), |a| a.scope = Scope::Cta);
    let verdict = verdict_of(&[Event::Begin(0), Event::Begin(1), add(0), add(1)]);
    assert!(verdict.pairs[0].is_insufficient_scope && !verdict.pairs[0].is_mixed);
    let warp1 = with(add(0), |a| a.warp = 1);
    assert!(verdict_of(&[Event::Begin(0), add(0), warp1]).pairs.is_empty());
}

#[test]
fn forks_suspect_together_what_one_detector_does() {
    let feed = |d: &mut Detector, block: u32| {
        let own = DATA + u64::from(block) * 0x1_0000;
        let accesses = [
            row(block, 0, Space::Shared, Kind::Write, 0, 1),
            row(block, u32::from(block == 2), Space::Shared, Kind::Write, 0, 2),
            row(block, 0, Space::Global, Kind::Write, own, 3),
            row(block, u32::from(block == 3), Space::Global, Kind::Read, own, 4),
            one(block, 5, Kind::Atomic, own + 0x1000, 5),
            one(block, 5 + u32::from(block == 1), Kind::Write, own + 0x1000, 6),
            row(block, 1, Space::Global, Kind::Read, FLAG, 7),
        ];
        let slot = d.begin_block(u64::from(block));
        for event in accesses {
            if let Event::Access(a) = event {
                d.on_access(slot, a.space, &a.warp_access());
            }
        }
        d.end_block(slot);
    };
    let mut one = Detector::new(Options { is_use_wanted: true, ..Options::default() });
    let mut first = one.clone();
    one.begin_launch(launch(THREADS));
    (0..6).for_each(|block| feed(&mut one, block));
    let whole = one.end_launch();
    first.begin_launch(launch(THREADS));
    let mut forks = [first.fork(), first.fork()];
    feed(&mut first, 0);
    (1..6).for_each(|block| feed(&mut forks[block as usize % 2], block));
    forks.into_iter().for_each(|fork| first.absorb(fork));
    let parts = first.end_launch();
    assert_eq!(parts.watch, whole.watch);
    assert_eq!(parts.strong, whole.strong);
    assert_eq!((parts.used.written, parts.used.read), (whole.used.written, whole.used.read));
    assert_eq!(whole.watch.global.ranges(), [(DATA + 0x1_1000, 4), (DATA + 0x3_0000, 128)]);
    assert!(!whole.watch.shared.is_empty() && !parts.incomplete.is_any());
}

#[test]
fn grid_and_cluster_synchronisation_order_blocks() {
    let events = |sync: Event| {
        let mut events: Vec<Event> = (0..3).map(Event::Begin).collect();
        events.extend((0..3).map(|b| row(b, 0, Space::Global, Kind::Write, DATA + u64::from(b) * 128, 1)));
        events.push(sync);
        events.push(row(1, 1, Space::Global, Kind::Read, DATA, 2));
        events
    };
    let mut d = Detector::new(Options::default());
    assert!(suspect(&mut d, THREADS, &events(Event::GridSync)).watch.is_empty());
    assert!(suspect(&mut d, THREADS, &events(Event::ClusterSync(vec![0, 1]))).watch.is_empty());
    assert_eq!(verdict_of(&events(Event::ClusterSync(vec![1, 2]))).pairs[0].count, 32);
}

#[test]
fn launches_do_not_see_each_other() {
    let mut d = Detector::new(Options { is_use_wanted: true, ..Options::default() });
    let first = [Event::Begin(0), row(0, 0, Space::Global, Kind::Write, DATA, 1)];
    let second = [Event::Begin(0), row(0, 1, Space::Global, Kind::Read, DATA, 1)];
    let found = suspect(&mut d, THREADS, &first);
    assert!(found.watch.is_empty() && found.used.read.is_empty());
    assert_eq!(found.used.written.ranges(), [(DATA, 128)]);
    let found = suspect(&mut d, THREADS, &second);
    assert!(found.watch.is_empty() && found.used.written.is_empty());
    assert_eq!(found.used.read.ranges(), [(DATA, 128)]);
}

#[test]
fn limits_make_the_verdict_incomplete() {
    let mut d = Detector::new(Options { limit_bytes: 1, ..Options::default() });
    let write = |first| row(0, 0, Space::Global, Kind::Write, first, 1);
    let found = suspect(&mut d, THREADS, &[Event::Begin(0), write(DATA), write(DATA + (1 << 20))]);
    assert!(found.incomplete.is_out_of_memory);
    assert_eq!(found.incomplete.reasons().len(), 1);
    d.begin_launch(crate::event::launch(THREADS));
    d.begin_block(1 << 26);
    assert!(d.end_launch().incomplete.is_out_of_blocks);
}
