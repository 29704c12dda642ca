//! Whole warps on lines of cells: the detector against plain vector clocks.
//!
//! The streams are like those of kernels: in each phase the warps of a block access memory by one rule, and then the block
//! or its warps synchronise, or forget to. They are made of weak accesses, barriers and `syncwarp`s only, so that a clock
//! for each thread of a block, joined literally, says what is ordered. It shares no code with the detector.

use std::collections::{BTreeMap, BTreeSet};

use cufemu_race::{Detector, Kind, Options, Scope, Space, SuspectSet};

use crate::event::{Access, Event, decide, rows, strided, suspect};
use fastrand::Rng;
use mem::LaneAddresses;

/// First byte of global memory in use: rows cross from one page of the shadow to the next.
const BASE: u64 = 0x7_0000 - 512;
/// Bytes in use.
const BYTES: u64 = 2048;
/// Bytes of shared memory in use.
const SHARED_BYTES: u64 = 1024;

/// The addresses of a warp's lanes in a phase.
struct Rule {
    space: Space,
    kind: Kind,
    width: u32,
    shape: u64,
    factor: i64,
    offset: i64,
    lanes: u32,
    row: i64,
    mask: u64,
}

impl Rule {
    fn new(r: &mut Rng, space: Space, width: u32) -> Self {
        Self {
            space,
            kind: r.choice([Kind::Read, Kind::Read, Kind::Write]).unwrap(),
            width: if r.u64(..100) < 4 { r.choice([1, 2, 4, 8]).unwrap() } else { width },
            shape: r.u64(..8),
            factor: r.choice([1, 1, 1, 1, 2, 3, -1, 5, 33]).unwrap(),
            offset: r.choice([0, 0, 0, 1, -1, 16, 32, 7]).unwrap(),
            lanes: r.choice([1, 2, 4, 8, 16]).unwrap(),
            row: r.choice([0, 16, 17, 33, 1, 40]).unwrap(),
            mask: r.u64(..6),
        }
    }

    fn access(&self, r: &mut Rng, block: u32, warp: u32, threads: u32, site: u32) -> Access {
        let bytes = if self.space == Space::Global { BYTES } else { SHARED_BYTES };
        let base = if self.space == Space::Global { BASE } else { 0 };
        let width = i64::from(self.width);
        let cells = bytes as i64 / width;
        let exist = threads.saturating_sub(warp * 32).min(32);
        let live = if exist == 32 { u32::MAX } else { (1 << exist) - 1 };
        let first_tid = i64::from(warp) * 32 + if self.space == Space::Global { i64::from(block * 96) } else { 0 };
        let address = |cell: i64| base + (cell.rem_euclid(cells) * width) as u64;
        let start = self.offset + first_tid * self.factor;
        let (last, row_count) = (start + 31 * self.factor, 32 / i64::from(self.lanes));
        let places = match self.shape {
            // Where the rule leaves the memory in use the lanes wrap around, as a list.
            0..=3 if (0..cells).contains(&start) && (0..cells).contains(&last) => {
                strided(address(start), self.factor * width)
            }
            4 | 5 if first_tid + row_count * self.row + 32 * self.factor.abs() < cells && self.factor > 0 => {
                rows(address(first_tid), self.lanes, self.factor * width, self.row * width)
            }
            6 => LaneAddresses::uniform(address(first_tid / 32 * self.factor + self.offset)),
            7 => LaneAddresses::List(std::array::from_fn(|_| address(r.u64(..cells as u64) as i64))),
            _ => LaneAddresses::List(std::array::from_fn(|l| address(start + l as i64 * self.factor))),
        };
        let mask = match self.mask {
            0 => 0xffff,
            1 => 1 << r.u64(..u64::from(exist)),
            2 => r.u64(..) as u32,
            _ => u32::MAX,
        };
        let active = if mask & live == 0 { 1 } else { mask & live };
        let (scope, kind, width) = (Scope::Gpu, self.kind, self.width);
        Access {
            block,
            space: self.space,
            warp,
            active,
            failed: 0,
            kind,
            scope,
            width,
            places,
            site,
            values: [0; 32],
            order: None,
        }
    }
}

pub fn launch(r: &mut Rng, threads: u32) -> Vec<Event> {
    let blocks = r.choice([1, 1, 2, 3]).unwrap();
    let warps = threads.div_ceil(32);
    let space = r.choice([Space::Global, Space::Shared]).unwrap();
    let width = r.choice([4, 4, 8]).unwrap();
    let missing = r.choice([0, 10, 50]).unwrap();
    let is_interleaved = r.u64(..100) < 30;
    let mut events: Vec<Event> = (0..blocks).map(Event::Begin).collect();
    let rules: Vec<Rule> = (0..2 + r.u64(..6)).map(|_| Rule::new(r, space, width)).collect();
    let steps: Vec<(u32, usize)> = if is_interleaved {
        (0..rules.len()).flat_map(|rule| (0..blocks).map(move |b| (b, rule))).collect()
    } else {
        (0..blocks).flat_map(|b| (0..rules.len()).map(move |rule| (b, rule))).collect()
    };
    for (block, rule) in steps {
        for warp in 0..warps {
            for _ in 0..=r.u64(..2) {
                events.push(Event::Access(rules[rule].access(r, block, warp, threads, rule as u32)));
            }
            if r.u64(..100) < 10 {
                let mask = r.choice([u32::MAX, u32::MAX, 0xffff, 0x0f0f_0f0f]).unwrap();
                events.push(Event::Syncwarp { block, warp, mask });
            }
        }
        if r.u64(..100) >= missing {
            events.push(Event::Barrier(block));
        }
    }
    events
}

/// One lane's access of a byte.
struct Touch {
    block: u32,
    tid: usize,
    time: u32,
    is_write: bool,
}

/// The racy bytes by vector clocks: each thread counts its own instructions and knows those of its block.
pub fn judge(threads: u32, events: &[Event]) -> BTreeSet<(Space, u64)> {
    let threads = threads as usize;
    let mut clocks: BTreeMap<u32, Vec<Vec<u32>>> = BTreeMap::new();
    let mut bytes: BTreeMap<(Space, u32, u64), Vec<Touch>> = BTreeMap::new();
    let mut racy = BTreeSet::new();
    let meet = |clocks: &mut Vec<Vec<u32>>, who: &[usize]| {
        let mut all = vec![0; threads];
        for &t in who {
            for (a, b) in all.iter_mut().zip(&clocks[t]) {
                *a = (*a).max(*b);
            }
        }
        who.iter().for_each(|&t| clocks[t].clone_from(&all));
    };
    for event in events {
        match event {
            Event::Begin(block) => {
                clocks.insert(*block, vec![vec![0; threads]; threads]);
            }
            Event::Barrier(block) => {
                meet(clocks.get_mut(block).expect("begun"), &(0..threads).collect::<Vec<_>>());
            }
            Event::Syncwarp { block, warp, mask } => {
                let first = *warp as usize * 32;
                let who: Vec<usize> =
                    (0..32).filter(|l| mask >> l & 1 == 1 && first + l < threads).map(|l| first + l).collect();
                meet(clocks.get_mut(block).expect("begun"), &who);
            }
            Event::Access(a) => {
                let of_block = clocks.get_mut(&a.block).expect("begun");
                let is_write = a.kind == Kind::Write;
                // Lanes of one instruction do not see each other, whoever comes first.
                for lane in (0..32).filter(|l| a.active >> l & 1 == 1) {
                    let tid = a.warp as usize * 32 + lane;
                    of_block[tid][tid] += 1;
                    let home = if a.space == Space::Shared { a.block } else { 0 };
                    let at = a.places.address(lane);
                    for byte in at..at + u64::from(a.width) {
                        let list = bytes.entry((a.space, home, byte)).or_default();
                        let is_racing = list
                            .iter()
                            .any(|t| (t.is_write || is_write) && (t.block != a.block || of_block[tid][t.tid] < t.time));
                        if is_racing {
                            racy.insert((a.space, byte));
                        }
                        list.push(Touch { block: a.block, tid, time: of_block[tid][tid], is_write });
                    }
                }
            }
            _ => {}
        }
    }
    racy
}

fn bytes(watch: &SuspectSet) -> BTreeSet<(Space, u64)> {
    let list = |space: Space| {
        watch.of(space).ranges().into_iter().flat_map(move |(start, len)| (start..start + len).map(move |b| (space, b)))
    };
    list(Space::Global).chain(list(Space::Shared)).collect()
}

#[test]
fn lines_hide_no_race_of_whole_warps_and_seldom_suspect_too_much() {
    let (mut launches, mut racy_launches, mut dismissed) = (0, 0, 0);
    for seed in 0..1500 {
        let mut r = fastrand::Rng::with_seed(seed);
        let threads = r.choice([32, 64, 64, 80, 96]).unwrap();
        let mut detector = Detector::new(Options::default());
        for _ in 0..2 {
            let events = launch(&mut r, threads);
            let suspicion = suspect(&mut detector, threads, &events);
            let racy = judge(threads, &events);
            let suspected = bytes(&suspicion.watch);
            let hidden: Vec<_> = racy.difference(&suspected).collect();
            assert!(hidden.is_empty(), "seed {seed}: hidden {hidden:x?} in {events:#?}");
            let verdict = decide(Options::default(), threads, suspicion, &events);
            assert_eq!(bytes(&verdict.bytes), racy, "seed {seed}: {events:#?}");
            launches += 1;
            racy_launches += i32::from(!racy.is_empty());
            dismissed += i32::from(racy.is_empty() && !suspected.is_empty());
        }
    }
    assert!(
        racy_launches * 10 > launches && racy_launches * 10 < launches * 9,
        "{racy_launches} of {launches} are racy"
    );
    // What is suspected wrongly costs a second run.
    assert!(dismissed * 50 < launches, "{dismissed} of {launches} were suspected wrongly");
}
