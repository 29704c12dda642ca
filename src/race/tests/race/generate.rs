//! Random event streams: few threads, few places, much that can go wrong.

use cufemu_race::{Kind, Scope, Space};
use fastrand::Rng;

use crate::event::{Access, Event, strided};
use mem::LaneAddresses;

/// Threads of a block: warp 0 is whole, warp 1 has three lanes.
pub const THREADS: u32 = 35;
/// Lanes that take part.
const LANES: [u32; 3] = [0, 1, 2];
/// The first byte of global memory in use: the bytes straddle two shadow pages.
pub const BASE: u64 = 0x7_0000 - 8;
/// Bytes in use in each space.
pub const BYTES: u64 = 24;

/// What a stream is made of.
pub struct Mix {
    kinds: Vec<Kind>,
    widths: Vec<u32>,
    places: u64,
    narrow_percent: u64,
    shared_percent: u64,
    sync_percent: u64,
    blocks: u32,
    is_misaligned: bool,
    grid_percent: u64,
    nested_percent: u64,
}

impl Mix {
    fn new(r: &mut Rng) -> Self {
        use Kind::{Atomic, Read, Reduce, VolatileRead, VolatileWrite, Write};
        let kinds = match r.u64(..5) {
            0 => vec![Read, Write, VolatileRead, VolatileWrite, Atomic, Atomic, Write],
            1 => vec![Read, Write, Read],
            2 => vec![Read, Atomic, Atomic, VolatileRead, Write],
            3 => vec![Read, Write, Atomic, Reduce, VolatileRead, VolatileWrite],
            _ => vec![Write, Atomic, Read, Write],
        };
        let widths = match r.u64(..7) {
            0 | 1 => vec![4],
            5 => vec![2],
            6 => vec![1, 1, 4],
            2 => vec![8, 8, 8, 4],
            3 => vec![4, 8, 2, 1],
            _ => vec![1, 2, 4, 8, 16],
        };
        Self {
            kinds,
            widths,
            places: 1 + r.u64(..3),
            narrow_percent: r.choice([0, 0, 0, 20, 50]).unwrap(),
            shared_percent: r.choice([0, 0, 30, 100]).unwrap(),
            sync_percent: r.choice([15, 35, 55, 70]).unwrap(),
            blocks: r.choice([1, 2, 2, 3]).unwrap(),
            is_misaligned: r.u64(..100) < 10,
            grid_percent: r.choice([0, 0, 0, 6]).unwrap(),
            nested_percent: r.choice([0, 0, 10, 30]).unwrap(),
        }
    }

    fn scope(&self, r: &mut Rng) -> Scope {
        if r.u64(..100) < self.narrow_percent { Scope::Cta } else { r.choice([Scope::Gpu, Scope::Sys]).unwrap() }
    }
}

fn mask(r: &mut Rng, percent: u64) -> u32 {
    let mask = LANES.iter().filter(|_| r.u64(..100) < percent).fold(0, |m, l| m | 1 << l);
    if mask == 0 { 1 << *r.choice(&LANES).unwrap() } else { mask }
}

fn access(r: &mut Rng, mix: &Mix, block: u32, site: u32) -> Access {
    let space = if r.u64(..100) < mix.shared_percent { Space::Shared } else { Space::Global };
    let kind = *r.choice(&mix.kinds).unwrap();
    let width = *r.choice(&mix.widths).unwrap();
    let base = if space == Space::Global { BASE } else { 0 };
    let place = |r: &mut Rng| {
        let step = if mix.is_misaligned { 1 } else { u64::from(width) };
        let places = (4 * mix.places / step.min(4)).max(1);
        let at = r.u64(..places) * step;
        base + at.min(BYTES - u64::from(width))
    };
    let places = match r.u64(..4) {
        0 => LaneAddresses::uniform(place(r)),
        1 => {
            let first = place(r);
            let is_within = first + 3 * u64::from(width) <= base + BYTES;
            strided(first, if is_within { i64::from(width) } else { 0 })
        }
        _ => {
            let mut all = Box::new([0; 32]);
            for l in LANES {
                all[l as usize] = place(r);
            }
            LaneAddresses::List(*all)
        }
    };
    let active = mask(r, 65);
    let failed = if kind.is_rmw() && r.u64(..100) < 15 { mask(r, 50) } else { 0 };
    let mut values = [0; 32];
    for v in &mut values[..3] {
        *v = r.u64(..2);
    }
    let scope = mix.scope(r);
    let order = (kind.is_rmw() && r.u64(..100) < 50).then(|| {
        let mut order: [u8; 32] = std::array::from_fn(|lane| lane as u8);
        r.shuffle(&mut order);
        order
    });
    let warp = r.u64(..2) as u32;
    Access { block, space, warp, active, failed, kind, scope, width, places, site, values, order }
}

/// One launch.
pub fn launch(r: &mut Rng) -> Vec<Event> {
    let mix = Mix::new(r);
    let mut resident: Vec<u32> = (0..mix.blocks).collect();
    let mut next = mix.blocks;
    let mut events: Vec<Event> = resident.iter().map(|b| Event::Begin(*b)).collect();
    let mut is_grid_synced = false;
    let longest = r.choice([4, 9, 22]).unwrap();
    let count = 3 + r.u64(..longest);
    for site in 0..count {
        let at = r.u64(..resident.len() as u64) as usize;
        let block = resident[at];
        let warp = r.u64(..2) as u32;
        if r.u64(..100) < mix.grid_percent {
            if r.u64(..100) < 50 {
                events.push(Event::GridSync);
                is_grid_synced = true;
            } else {
                events.push(Event::ClusterSync(resident[..=at].to_vec()));
            }
        } else if r.u64(..100) < mix.nested_percent {
            match r.u64(..3) {
                0 => events.push(Event::Wait { block, warp, mask: mask(r, 50) }),
                1 if resident.len() > 1 => {
                    events.push(Event::End(block));
                    resident.swap_remove(at);
                }
                _ => {
                    events.push(Event::Spawn { block, warp, lane: *r.choice(&LANES).unwrap(), child: next });
                    resident.push(next);
                    next += 1;
                }
            }
        } else if r.u64(..100) < 3 && !is_grid_synced {
            events.push(Event::End(block));
            events.push(Event::Begin(next));
            resident[at] = next;
            next += 1;
        } else if r.u64(..100) < mix.sync_percent {
            events.push(match r.u64(..10) {
                0..=2 => Event::Barrier(block),
                3 | 4 => Event::Syncwarp { block, warp, mask: u32::MAX },
                5 => Event::Syncwarp { block, warp, mask: mask(r, 60) },
                _ => Event::Fence { block, warp, mask: mask(r, 50), scope: mix.scope(r) },
            });
        } else {
            events.push(Event::Access(access(r, &mix, block, site as u32)));
        }
    }
    events
}

/// One access of one lane.
fn single(block: u32, tid: u32, space: Space, kind: Kind, scope: Scope, place: (u64, u32), site: u32) -> Event {
    let base = if space == Space::Global { BASE } else { 0 };
    Event::Access(Access {
        block,
        space,
        warp: tid / 32,
        active: 1 << (tid % 32),
        failed: 0,
        kind,
        scope,
        width: place.1,
        places: LaneAddresses::uniform(base + place.0),
        site,
        values: [u64::from(site); 32],
        order: None,
    })
}

/// One launch in which a token goes from thread to thread: data is touched, handed on through fences and flags, barriers
/// and `syncwarp`s, and now and then a step is missing or does not reach far enough.
pub fn messages(r: &mut Rng) -> Vec<Event> {
    let blocks = r.choice([1, 2, 3]).unwrap();
    let narrow = r.choice([0, 0, 5, 20]).unwrap();
    let missing = r.choice([0, 0, 5, 20]).unwrap();
    let noise = r.choice([0, 0, 10]).unwrap();
    let flat = r.choice([0, 0, 30]).unwrap();
    let is_fenced = r.u64(..100) < 80;
    let flag_width = r.choice([4, 4, 8]).unwrap();
    let space = if blocks == 1 && r.u64(..100) < 40 { Space::Shared } else { Space::Global };
    let mix = Mix::new(r);
    let tids = [0, 1, 2, 32, 33, 34];
    let mut events: Vec<Event> = (0..blocks).map(Event::Begin).collect();
    let (mut block, mut tid) = (0, 0);
    let scope = |r: &mut Rng| if r.u64(..100) < narrow { Scope::Cta } else { Scope::Gpu };
    // Blocks and threads that have the token's history by other ways than the flag are the interesting ones.
    for site in 0..3 + r.u64(..7) as u32 {
        let flag = (8, if r.u64(..100) < 4 { 12 - flag_width } else { flag_width });
        for _ in 0..r.u64(..3) {
            let kind = r.choice([Kind::Write, Kind::Write, Kind::Read, Kind::VolatileWrite]).unwrap();
            let kind = if r.u64(..100) < 80 { r.choice([Kind::Write, Kind::Read]).unwrap() } else { kind };
            let place = if r.u64(..100) < 6 { flag } else { (r.choice([0, 4, 16, 20]).unwrap(), 4) };
            events.push(single(block, tid, space, kind, scope(r), place, site * 4));
        }
        if r.u64(..100) < 15 {
            // Somebody else of the block has written, too, but maybe not fenced.
            events.push(single(block, *r.choice(&tids).unwrap(), space, Kind::Write, Scope::Gpu, (20, 4), site * 4));
        }
        let warp = tid / 32;
        let fence = |r: &mut Rng, tid: u32, events: &mut Vec<Event>| {
            if r.u64(..100) >= missing {
                let mask = if r.u64(..100) < 20 { u32::MAX } else { 1 << (tid % 32) };
                events.push(Event::Fence { block, warp: tid / 32, mask, scope: scope(r) });
            }
        };
        let is_early = r.u64(..100) < 25;
        if is_early {
            fence(r, tid, &mut events);
        }
        // Another thread of the block carries on.
        match r.u64(..6) {
            0 => {
                events.push(Event::Barrier(block));
                tid = *r.choice(&tids).unwrap();
            }
            1 => {
                let other = warp * 32 + r.u64(..3) as u32;
                let mask = if r.u64(..100) < 30 { u32::MAX } else { 1 << (tid % 32) | 1 << (other % 32) };
                events.push(Event::Syncwarp { block, warp, mask });
                tid = other;
            }
            _ => {}
        }
        if !is_early || r.u64(..100) < 20 {
            fence(r, tid, &mut events);
        }
        let kind = if r.u64(..100) < flat {
            Kind::Write
        } else {
            r.choice([Kind::VolatileWrite, Kind::Atomic, Kind::Reduce]).unwrap()
        };
        for _ in 0..=r.u64(..2) {
            events.push(single(block, tid, space, kind, scope(r), flag, site * 4 + 1));
        }
        if r.u64(..100) < noise {
            events.push(Event::Access(access(r, &mix, block, site * 4 + 3)));
        }
        block = r.u64(..u64::from(blocks)) as u32;
        tid = *r.choice(&tids).unwrap();
        let kind =
            if r.u64(..100) < missing { Kind::Reduce } else { r.choice([Kind::VolatileRead, Kind::Atomic]).unwrap() };
        events.push(single(block, tid, space, kind, scope(r), flag, site * 4 + 2));
        if is_fenced && r.u64(..100) >= missing {
            events.push(Event::Fence { block, warp: tid / 32, mask: 1 << (tid % 32), scope: scope(r) });
        }
    }
    events
}

/// One launch in which threads launch grids that touch data, and other threads wait for them, some of which know of the launch by a
/// barrier, a `syncwarp` or a flag, and some do not.
pub fn nested(r: &mut Rng) -> Vec<Event> {
    let missing = r.choice([0, 10, 30]).unwrap();
    let tids = [0, 0, 1, 32, 33];
    let (flag, data) = ((8, 4), [(0, 4), (4, 4)]);
    let mut events = vec![Event::Begin(0)];
    let (mut parent, mut next, mut running) = (0, 1, Vec::new());
    for site in 0..2 + r.u32(..5) {
        let touch = |r: &mut Rng, block, tid, site| {
            let kind = r.choice([Kind::Write, Kind::Write, Kind::Read]).unwrap();
            single(block, tid, Space::Global, kind, Scope::Gpu, *r.choice(&data).unwrap(), site)
        };
        let tid = *r.choice(&tids).unwrap();
        if r.u64(..100) < 80 {
            events.push(Event::Spawn { block: parent, warp: tid / 32, lane: tid % 32, child: next });
            let inner = *r.choice(&tids).unwrap();
            events.push(touch(r, next, inner, site * 4));
            if r.u64(..100) < 15 {
                // What comes next happens in the nested grid, until that ends.
                running.push(std::mem::replace(&mut parent, next));
            } else {
                events.push(Event::End(next));
            }
            next += 1;
        }
        let mut tid = tid;
        if r.u64(..100) >= missing {
            match r.u64(..4) {
                0 => {
                    events.push(Event::Barrier(parent));
                    tid = *r.choice(&tids).unwrap();
                }
                1 => {
                    events.push(Event::Syncwarp { block: parent, warp: tid / 32, mask: 0b11 });
                    tid ^= 1;
                }
                2 => {
                    let other = *r.choice(&tids).unwrap();
                    for (tid, kind) in [(tid, Kind::Atomic), (other, Kind::Atomic)] {
                        let fence =
                            Event::Fence { block: parent, warp: tid / 32, mask: 1 << (tid % 32), scope: Scope::Gpu };
                        events.push(fence.clone());
                        events.push(single(parent, tid, Space::Global, kind, Scope::Gpu, flag, site * 4 + 1));
                        events.push(fence);
                    }
                    tid = other;
                }
                _ => {}
            }
        } else {
            tid = *r.choice(&tids).unwrap();
        }
        if r.u64(..100) < 85 {
            let mask = if r.u64(..100) < 20 { 0b11 } else { 1 << (tid % 32) };
            events.push(Event::Wait { block: parent, warp: tid / 32, mask });
        }
        if r.u64(..100) < 30 {
            events.push(Event::Barrier(parent));
            tid = *r.choice(&tids).unwrap();
        }
        events.push(touch(r, parent, tid, site * 4 + 2));
        if r.u64(..100) < 30
            && let Some(outer) = running.pop()
        {
            events.push(Event::End(std::mem::replace(&mut parent, outer)));
        }
    }
    events
}

/// Bytes in use by [`chains`].
pub const CHAIN_BYTES: u64 = 24 + 2 * 4 * CHAIN_BLOCKS as u64;
/// Most blocks of [`chains`].
const CHAIN_BLOCKS: u32 = 13;

/// One launch of many blocks that hand something on through locks, tickets or flags of their own; now and then a fence is
/// missing, and some blocks begin before others have ended.
pub fn chains(r: &mut Rng) -> Vec<Event> {
    let blocks = r.u32(2..CHAIN_BLOCKS);
    let missing = r.choice([0, 0, 0, 3, 15]).unwrap();
    let narrow = r.choice([0, 0, 0, 5]).unwrap();
    let way = r.u32(..4);
    let tids = [0, 0, 0, 1, 33];
    let (lock, data) = ((0, 4), (4, 4));
    let flag = |block: u32| (24 + 4 * u64::from(block), 4);
    let own = |block: u32| (24 + 4 * u64::from(CHAIN_BLOCKS + block), 4);
    let global = |block, tid, kind, scope, place, site| single(block, tid, Space::Global, kind, scope, place, site);
    let mut all: Vec<Vec<Event>> = Vec::new();
    for block in 0..blocks {
        let tid = *r.choice(&tids).unwrap();
        let scope = if r.u64(..100) < narrow { Scope::Cta } else { Scope::Gpu };
        let fence = |r: &mut Rng, events: &mut Vec<Event>| {
            if r.u64(..100) >= missing {
                let mask = if r.u64(..100) < 30 { u32::MAX } else { 1 << (tid % 32) };
                events.push(Event::Fence { block, warp: tid / 32, mask, scope: Scope::Gpu });
            }
        };
        let mut events = vec![Event::Begin(block)];
        // Blocks that do not all take the same time.
        for _ in 0..r.u32(..3) / 2 {
            events.push(Event::Barrier(block));
        }
        match way {
            0 => {
                events.push(global(block, tid, Kind::Atomic, scope, lock, 1));
                fence(r, &mut events);
                events.push(global(block, tid, Kind::Read, scope, data, 2));
                events.push(global(block, tid, Kind::Write, scope, data, 3));
                fence(r, &mut events);
                let release = r.choice([Kind::Atomic, Kind::Reduce, Kind::VolatileWrite, Kind::Write]).unwrap();
                events.push(global(block, tid, release, scope, lock, 4));
            }
            1 => {
                events.push(global(block, tid, Kind::Write, scope, own(block), 1));
                if r.bool() {
                    events.push(Event::Barrier(block));
                }
                fence(r, &mut events);
                events.push(global(block, tid, Kind::Atomic, scope, lock, 2));
                if block + 1 == blocks || r.u64(..100) < 10 {
                    fence(r, &mut events);
                    let last = if r.u64(..100) < 80 { block } else { blocks - 1 };
                    events.extend((0..=last).map(|b| global(block, tid, Kind::Read, scope, own(b), 3)));
                }
            }
            _ => {
                events.push(global(block, tid, Kind::Write, scope, own(block), 1));
                fence(r, &mut events);
                events.push(global(block, tid, Kind::Atomic, scope, flag(block), 2));
                let reach = if way == 2 { 1 } else { r.u32(..5) };
                for b in (block.saturating_sub(reach)..block).rev() {
                    let look = r.choice([Kind::Atomic, Kind::VolatileRead]).unwrap();
                    events.push(global(block, tid, look, scope, flag(b), 3));
                    fence(r, &mut events);
                    events.push(global(block, tid, Kind::Read, scope, own(b), 4));
                }
                fence(r, &mut events);
                events.push(global(block, tid, Kind::Atomic, scope, flag(block), 5));
                if r.u64(..100) < 20 {
                    let other = r.u32(..=block);
                    events.push(global(block, tid, Kind::Read, scope, own(other), 6));
                }
            }
        }
        events.push(Event::End(block));
        all.push(events);
    }
    // Mostly one block after another; else the first few that have not ended take turns.
    let together = if r.u64(..100) < 60 { 1 } else { 3 };
    let mut events = Vec::new();
    let mut waiting: std::collections::VecDeque<_> = all.into_iter().map(std::collections::VecDeque::from).collect();
    while !waiting.is_empty() {
        let at = r.usize(..waiting.len().min(together));
        match waiting[at].pop_front() {
            Some(event) => events.push(event),
            None => drop(waiting.remove(at)),
        }
    }
    events
}
