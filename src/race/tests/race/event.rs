//! An event stream as plain data, and the two passes over it.

use std::collections::BTreeMap;
use std::fmt;

use cufemu_race::{
    CtaSlot, Details, Detector, EndedGrids, Exact, Kind, Knowledge, Launch, Options, Scope, Space, Suspicion, Thread,
    Verdict, WarpAccess,
};
use mem::{LaneAddresses, Strided};

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "nearly all events are accesses")]
pub enum Event {
    Begin(u32),
    End(u32),
    Barrier(u32),
    Syncwarp {
        block: u32,
        warp: u32,
        mask: u32,
    },
    Fence {
        block: u32,
        warp: u32,
        mask: u32,
        scope: Scope,
    },
    Access(Access),
    GridSync,
    ClusterSync(Vec<u32>),
    /// A lane launches a grid of one block, which begins.
    Spawn {
        block: u32,
        warp: u32,
        lane: u32,
        child: u32,
    },
    /// Lanes wait for the grids that their block has launched and that have ended.
    Wait {
        block: u32,
        warp: u32,
        mask: u32,
    },
}

#[derive(Clone)]
pub struct Access {
    pub block: u32,
    pub space: Space,
    pub warp: u32,
    pub active: u32,
    pub failed: u32,
    pub kind: Kind,
    pub scope: Scope,
    pub width: u32,
    pub places: LaneAddresses<32>,
    pub site: u32,
    pub values: [u64; 32],
    /// The lanes in the order of an atomic, if not by number.
    pub order: Option<[u8; 32]>,
}

/// Lanes `stride` bytes apart.
pub fn strided(first: u64, stride: i64) -> LaneAddresses<32> {
    rows(first, 32, stride, 0)
}

/// Rows of so many lanes.
pub fn rows(first: u64, lanes: u32, step: i64, row: i64) -> LaneAddresses<32> {
    LaneAddresses::Strided(Strided::new(first, lanes, step, row).expect("rows of a power of two"))
}

impl fmt::Debug for Access {
    /// One line, with the address of each active lane.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} {:?} {} of {} by ({}, {})",
            self.space, self.kind, self.scope as u8, self.width, self.block, self.warp
        )?;
        for lane in (0..32).filter(|l| self.active >> l & 1 == 1) {
            let failed = if self.failed >> lane & 1 == 1 { "failed " } else { "" };
            write!(f, " {lane}: {failed}{:#x}", self.places.address(lane))?;
        }
        if let Some(order) = self.order {
            write!(f, " in the order {order:?}")?;
        }
        Ok(())
    }
}

impl Access {
    pub fn warp_access(&self) -> WarpAccess<'_> {
        WarpAccess {
            warp: self.warp,
            active: self.active,
            failed: self.failed,
            kind: self.kind,
            scope: self.scope,
            width: self.width,
            addresses: &self.places,
            order: self.order.as_ref(),
        }
    }
}

pub fn launch(threads: u32) -> Launch {
    Launch { threads_per_block: threads, shared_bytes: 64 }
}

/// The grids that blocks have launched.
#[derive(Default)]
struct Grids {
    /// By their block: who launched them, and what that thread knew.
    launched: BTreeMap<u32, (Thread, Knowledge)>,
    /// By the launching block.
    ended: BTreeMap<u32, EndedGrids>,
}

impl Grids {
    fn launch(&mut self, child: u32, (block, tid): (u32, u32), known: &Knowledge) {
        self.launched.insert(child, (Thread { block, tid: tid as u16 }, known.clone()));
    }

    fn end(&mut self, child: u32, did: &Knowledge) {
        if let Some((thread, known)) = self.launched.remove(&child) {
            self.of(thread.block).add(thread, &known, did);
        }
    }

    fn of(&mut self, block: u32) -> &mut EndedGrids {
        self.ended.entry(block).or_default()
    }
}

/// Runs the first pass.
pub fn suspect(detector: &mut Detector, threads: u32, events: &[Event]) -> Suspicion {
    let mut slots: BTreeMap<u32, CtaSlot> = BTreeMap::new();
    let mut grids = Grids::default();
    detector.begin_launch(launch(threads));
    for event in events {
        match event {
            Event::Begin(block) => {
                slots.insert(*block, detector.begin_block(u64::from(*block)));
            }
            Event::End(block) => {
                let slot = slots.remove(block).expect("begun");
                grids.end(*block, &detector.known_to_all(slot));
                detector.end_block(slot);
            }
            Event::Spawn { block, warp, lane, child } => {
                let known = detector.known_to(slots[block], *warp, *lane as usize);
                grids.launch(*child, (*block, warp * 32 + lane), &known);
                slots.insert(*child, detector.begin_nested_block(u64::from(*child), threads, &known));
            }
            Event::Wait { block, warp, mask } => detector.on_wait(slots[block], *warp, *mask, grids.of(*block)),
            Event::Barrier(block) => detector.on_barrier(slots[block]),
            Event::Syncwarp { block, warp, mask } => detector.on_syncwarp(slots[block], *warp, *mask),
            Event::Fence { block, warp, mask, scope } => detector.on_fence(slots[block], *warp, *mask, *scope),
            Event::Access(a) => {
                detector.on_access(slots[&a.block], a.space, &a.warp_access());
            }
            Event::GridSync => detector.on_grid_sync(),
            Event::ClusterSync(blocks) => {
                detector.on_cluster_sync(&blocks.iter().map(|b| slots[b]).collect::<Vec<_>>());
            }
        }
    }
    detector.end_launch()
}

/// Runs the second pass.
pub fn decide(options: Options, threads: u32, suspicion: Suspicion, events: &[Event]) -> Verdict {
    decide_by(Exact::new(options.rules, launch(threads), suspicion), threads, events)
}

/// Runs a second pass that is ready.
pub fn decide_by(mut exact: Exact, threads: u32, events: &[Event]) -> Verdict {
    let mut slots: BTreeMap<u32, CtaSlot> = BTreeMap::new();
    let mut grids = Grids::default();
    for event in events {
        match event {
            Event::Begin(block) => {
                slots.insert(*block, exact.begin_block(u64::from(*block)));
            }
            Event::End(block) => {
                let slot = slots.remove(block).expect("begun");
                grids.end(*block, &exact.known_to_all(slot));
                exact.end_block(slot);
            }
            Event::Spawn { block, warp, lane, child } => {
                let known = exact.known_to(slots[block], *warp, *lane as usize);
                grids.launch(*child, (*block, warp * 32 + lane), &known);
                slots.insert(*child, exact.begin_nested_block(u64::from(*child), threads, &known));
            }
            Event::Wait { block, warp, mask } => exact.on_wait(slots[block], *warp, *mask, grids.of(*block)),
            Event::Barrier(block) => exact.on_barrier(slots[block]),
            Event::Syncwarp { block, warp, mask } => exact.on_syncwarp(slots[block], *warp, *mask),
            Event::Fence { block, warp, mask, scope } => exact.on_fence(slots[block], *warp, *mask, *scope),
            Event::Access(a) => {
                let details = Details { site: a.site, stack: 0, values: &a.values };
                exact.on_access(slots[&a.block], a.space, &a.warp_access(), &details);
            }
            Event::GridSync => exact.on_grid_sync(),
            Event::ClusterSync(blocks) => {
                exact.on_cluster_sync(&blocks.iter().map(|b| slots[b]).collect::<Vec<_>>());
            }
        }
    }
    exact.end_launch()
}

/// Both passes over one launch.
pub fn judge(options: Options, threads: u32, events: &[Event]) -> Verdict {
    let mut detector = Detector::new(options);
    let suspicion = suspect(&mut detector, threads, events);
    assert!(!suspicion.incomplete.is_any());
    decide(options, threads, suspicion, events)
}
