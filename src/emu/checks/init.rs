//! `--check init`: reads of memory that nothing has written, in device code.
//!
//! # The rule
//!
//! Loading a byte that nothing has written since its allocation is a finding where the value is *used*. A load whose value
//! only goes to stores, as in `b(i) = a(i)`, does not use it: like a copy of the CUDA runtime it passes the missing bytes on,
//! and the finding comes where the copy is used. Every other load uses its value: in arithmetic, a subscript, a condition, a
//! shuffle, an argument. An atomic uses what it reads. This lies between compute-sanitizer's initcheck, which reports every
//! load, and valgrind's memcheck, which follows values through arithmetic. A value computed from a missing byte counts as
//! written, so one mistake is one finding.
//!
//! # Which memory is tracked
//!
//! Global memory is tracked in `mem`. Shared memory is uninitialised when a block begins. Local memory is tracked for
//! variables of the source only, not for the compiler's own, which pass on what they lack; if a procedure is called twice at one
//! depth, the second call sees what the first has written, so a second mistake may be missed. With this check scalars that may be read before they are
//! set are in local memory, not in registers (`lower::LowerOptions::check_init`).
//!
//! # Two ways
//!
//! A launch first runs in machine code, which tells of accesses and not of values. If it uses a missing byte, it is undone and runs
//! again in the interpreter, whose frames say which variable was read; so do later launches of the kernel.

use crate::block::ClusterPlace;
use crate::checks::lane_bits::LaneBits;
use crate::report::{self, Grids};
use crate::schedule::Grid;
use ::device::{Arg, Hole, KernelLaunch};
use finding::{Access, Actor, Finding, FindingKind, Space, What};
use ir::{AddrBase, Reg, VarLoc};
use mem::address::{LOCAL_BASE, SHARED_BASE, cluster_place};
use mem::{InitBits, LaneAddresses, Memory, Origin, SharedInitBits};
use scalar::lanes;
use source::Span;
use std::collections::BTreeMap;
use vm::{AccessEvent, AccessKind, CopyOnlyRegs, Hooks, Program, Site, Warp};

/// What the check has seen of a launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaunchInit {
    /// Whether findings are made. Otherwise the first use of a missing byte makes the launch suspect, which then runs again.
    is_exact: bool,
    is_suspect: bool,
    /// How many blocks the host has launched, and the bytes that objects lack which it has passed to them, by the argument. Of objects that
    /// device code passes nothing is known.
    passed: (u64, Vec<(usize, Hole)>),
    blocks: BTreeMap<u64, BlockInit>,
    /// Registers whose values only go from loads to stores.
    copy_only: CopyOnlyRegs,
    /// The first lane that used a missing byte, and how many did, by place.
    seen: BTreeMap<(Site, Space), (Use, u64)>,
}

/// What the check knows of an active block.
#[derive(Clone, Debug, Default)]
struct BlockInit {
    shared: InitBits,
    /// By warp.
    local: BTreeMap<u32, LaneBits>,
    /// Bytes of carried values that are missing, by warp, frame and register; those of which none is missing need no entry.
    carried: BTreeMap<(u32, u32, Reg), Missing>,
}

/// Bytes that nothing has written.
#[derive(Clone, Copy, Debug)]
struct Missing {
    /// For each lane a mask of bytes.
    bytes: [u8; 32],
    /// Where those of the first lane that lacks any were copied from, or read.
    origin: Origin,
}

/// A use of a byte that nothing has written.
#[derive(Clone, Debug)]
struct Use {
    block: u64,
    tid: u32,
    lane: u32,
    what: What,
    address: u64,
    bytes: u64,
    origin: Option<Origin>,
    frame: Option<vm::Frame<32>>,
    stack: Vec<finding::Call>,
}

impl LaunchInit {
    /// The check of a launch that begins.
    pub(crate) fn new(launch: &KernelLaunch, is_exact: bool) -> LaunchInit {
        let blocks = launch.grid.iter().map(|&extent| u64::from(extent)).product();
        let holes = launch.args.iter().enumerate().flat_map(|(index, arg)| match arg {
            Arg::Bytes(_, holes) => holes.iter().map(|&hole| (index, hole)).collect(),
            Arg::Bits(_) => Vec::new(),
        });
        LaunchInit { is_exact, passed: (blocks, holes.collect()), ..LaunchInit::default() }
    }

    /// The same check before the first block.
    pub(crate) fn restart(self) -> LaunchInit {
        LaunchInit { is_exact: self.is_exact, passed: self.passed, ..LaunchInit::default() }
    }

    /// Whether findings are made of what is used.
    pub(crate) fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Whether the launch has to run again, by a check that makes findings.
    pub(crate) fn is_suspect(&self) -> bool {
        self.is_suspect
    }

    /// The findings of the launch, in the order of the source.
    pub(crate) fn findings(self, program: &Program, memory: &Memory, grid: &Grid, grids: &Grids) -> Vec<Finding> {
        let found = |((site, space), (used, count)): ((Site, Space), (Use, u64))| {
            let named = grids.of(used.block);
            let who = Actor::Thread(named.thread(used.block, used.tid));
            let mut access = Access::new(who, used.what, space, program.span(site)).address(used.address, used.bytes);
            let frame = used.frame.as_ref();
            access.place = frame.and_then(|f| report::place_at(program, memory, f, used.lane as usize, used.address));
            let origin = used.origin.map(|origin| device::origin_of(memory, origin));
            let access = report::in_own_source(program, access.stack(used.stack), named.launch.span);
            let mut finding = Finding::new(FindingKind::Uninitialised { origin }, vec![access])
                .in_launch(named.info(program))
                .with_seed(grid.replay);
            finding.count = count;
            finding
        };
        let mut seen: Vec<_> = self.seen.into_iter().collect();
        seen.sort_by_key(|((site, _), _)| program.span(*site));
        seen.into_iter().map(found).collect()
    }

    /// The block is over.
    pub(crate) fn end_block(&mut self, linear: u64) {
        self.blocks.remove(&linear);
    }
}

/// Whether an address of local memory belongs to a variable of the source, of any frame of the warp, or where `or_own` says so to
/// one of the compiler's own; the caller has set a dummy.
fn is_local_variable(program: &Program, warp: &Warp<32>, address: u64, or_own: bool) -> bool {
    let Some((func, id)) = warp.local_slot_at(program, address) else { return false };
    let is_here = |var: &&ir::DebugVar| matches!(var.loc, VarLoc::Memory(AddrBase::Local(own)) if own == id);
    let mut here = program.module().func(func).vars.iter().filter(is_here).peekable();
    if here.peek().is_none() { or_own } else { here.any(|var| !var.is_dummy) }
}

/// Bytes up to which the addresses of a warp are looked at as one range, with those in between.
const SHORT: u64 = 4096;

/// Hooks that track which bytes are written and check those that are read.
pub(crate) struct InitHooks<'a> {
    pub(crate) program: &'a Program,
    pub(crate) global: SharedInitBits,
    pub(crate) launch: &'a mut LaunchInit,
    pub(crate) block: u64,
    pub(crate) cluster: ClusterPlace,
}

/// The least address of the lanes and the bytes from there to the end of the last, if they lie by a rule.
fn span(event: &AccessEvent<'_, 32>) -> Option<(u64, u64)> {
    let LaneAddresses::Strided(rule) = event.lanes else { return None };
    Some((rule.low(), rule.span() + event.bytes as u64))
}

/// Whether `bits`, whose first byte is at `base`, say that all bytes of an access were written.
fn is_set(bits: &InitBits, base: u64, event: &AccessEvent<'_, 32>) -> bool {
    // Lanes that do not take part may lie anywhere.
    if let Some((low, len)) = span(event)
        && let Some(low) = low.checked_sub(base)
        && (if len <= SHORT { bits.is_set(low, len) } else { bits.is_whole(low, len) })
    {
        return true;
    }
    lanes(event.mask).all(|lane| bits.is_set(event.lanes.address(lane) - base, event.bytes as u64))
}

/// Notes that all bytes of an access are written.
fn set(bits: &mut InitBits, base: u64, event: &AccessEvent<'_, 32>) {
    let bytes = event.bytes as u64;
    if event.mask == u32::MAX
        && let LaneAddresses::Strided(rule) = event.lanes
        && rule.row_lanes() == 32
        && rule.step() == bytes as i64
    {
        return bits.set(rule.low() - base, 32 * bytes);
    }
    lanes(event.mask).for_each(|lane| bits.set(event.lanes.address(lane) - base, bytes));
}

impl InitHooks<'_> {
    /// Whether lanes reach shared memory of other blocks of the cluster.
    fn is_beyond_block(&self, event: &AccessEvent<'_, 32>) -> bool {
        event.space == ir::Space::Shared
            && self.cluster.geometry.cluster_blocks() > 1
            && lanes(event.mask).any(|lane| cluster_place(event.lanes.address(lane)).is_some())
    }

    /// The block whose shared memory an address is of, and the offset there.
    fn shared_place(&self, address: u64) -> (u64, u64) {
        match cluster_place(address) {
            Some((rank, offset)) => (self.cluster.member(rank), offset),
            None => (self.block, address - SHARED_BASE),
        }
    }

    /// Whether it is certain that no lane reads a byte that nothing has written.
    fn is_written(&self, warp: &Warp<32>, event: &AccessEvent<'_, 32>) -> bool {
        let block = || self.launch.blocks.get(&self.block);
        match event.space {
            ir::Space::Shared if self.is_beyond_block(event) => lanes(event.mask).all(|lane| {
                let (block, offset) = self.shared_place(event.lanes.address(lane));
                self.launch.blocks.get(&block).is_some_and(|b| b.shared.is_set(offset, event.bytes as u64))
            }),
            ir::Space::Shared => block().is_some_and(|block| is_set(&block.shared, SHARED_BASE, event)),
            ir::Space::Local => {
                let Some(bits) = block().and_then(|block| block.local.get(&warp.number())) else { return false };
                let bytes = event.bytes as u64;
                let written = |lane: usize| bits.written(event.lanes.address(lane) - LOCAL_BASE, bytes);
                match event.lanes {
                    LaneAddresses::Strided(rule) if rule.span() == 0 => {
                        event.mask & !bits.written(rule.low() - LOCAL_BASE, bytes) == 0
                    }
                    _ => lanes(event.mask).all(|lane| written(lane) >> lane & 1 != 0),
                }
            }
            _ => self.global.with(|bits| is_set(bits, 0, event)),
        }
    }

    /// The objects of the host that lack bytes, as the present block has copies of them: address, size, and what is missing.
    fn passed(&self, warp: &Warp<32>) -> impl Iterator<Item = (u64, u64, Hole)> {
        let (blocks, holes) = &self.launch.passed;
        let program = self.program;
        let holes = holes.iter().filter(|_| self.block < *blocks);
        holes.filter_map(move |&(index, hole)| {
            let (address, bytes) = warp.passed_object(program, index)?;
            Some((address, bytes, hole))
        })
    }

    /// Begins what is known of the local memory of a warp: objects that were passed to it are there, without what they lack.
    fn begin_local(&mut self, warp: &Warp<32>) {
        let is_known = |block: &BlockInit| block.local.contains_key(&warp.number());
        if self.launch.passed.1.is_empty() || self.launch.blocks.get(&self.block).is_some_and(is_known) {
            return;
        }
        let mut bits = LaneBits::default();
        let passed: Vec<_> = self.passed(warp).collect();
        passed.iter().for_each(|(address, bytes, _)| bits.set(u32::MAX, address - LOCAL_BASE, *bytes));
        for (address, _, hole) in passed {
            bits.unset(address + hole.offset - LOCAL_BASE, hole.bytes, hole.origin);
        }
        self.launch.blocks.entry(self.block).or_default().local.insert(warp.number(), bits);
    }

    /// For each lane the mask of the bytes that nothing has written. Of the compiler's own local variables these count only where
    /// the value is passed on, as from a function result of derived type to a variable.
    fn missing(&self, warp: &Warp<32>, event: &AccessEvent<'_, 32>, passes_on: bool) -> [u8; 32] {
        let mut out = [0u8; 32];
        if self.is_written(warp, event) {
            return out;
        }
        let bytes = event.bytes as u64;
        let gaps = |bits: &InitBits, address: u64| bits.missing(address, bytes);
        let lanes = lanes(event.mask);
        let block = self.launch.blocks.get(&self.block);
        match event.space {
            ir::Space::Shared => {
                let none = InitBits::default();
                for l in lanes {
                    let (block, offset) = self.shared_place(event.lanes.address(l));
                    out[l] = gaps(self.launch.blocks.get(&block).map_or(&none, |b| &b.shared), offset);
                }
            }
            ir::Space::Local => {
                let none = LaneBits::default();
                let bits = block.and_then(|b| b.local.get(&warp.number())).unwrap_or(&none);
                for lane in lanes {
                    let address = event.lanes.address(lane);
                    let gap = bits.missing(lane, address - LOCAL_BASE, bytes);
                    let is_passed = || self.passed(warp).any(|(at, len, _)| (at..at + len).contains(&address));
                    if gap != 0 && (is_passed() || is_local_variable(self.program, warp, address, passes_on)) {
                        out[lane] = gap;
                    }
                }
            }
            _ => self.global.with(|bits| lanes.for_each(|l| out[l] = gaps(bits, event.lanes.address(l)))),
        }
        out
    }

    /// Where the missing bytes of the first lane that lacks any were copied from.
    fn origin(&self, warp: &Warp<32>, event: &AccessEvent<'_, 32>, missing: &[u8; 32]) -> Option<Origin> {
        let lane = missing.iter().position(|&bytes| bytes != 0)?;
        let address = event.lanes.address(lane) + u64::from(missing[lane].trailing_zeros());
        let block = || self.launch.blocks.get(&self.block);
        match event.space {
            ir::Space::Shared => {
                let (block, offset) = self.shared_place(address);
                self.launch.blocks.get(&block)?.shared.origin(offset)
            }
            ir::Space::Local => block()?.local.get(&warp.number())?.origin(lane, address - LOCAL_BASE),
            _ => self.global.with(|bits| bits.origin(address)),
        }
    }

    /// Notes a write of the lanes, and the missing bytes of the values that they store.
    fn wrote(&mut self, warp: &Warp<32>, event: &AccessEvent<'_, 32>, missing: Option<Missing>) {
        let bytes = event.bytes as u64;
        let lanes = lanes(event.mask);
        let missing = missing.filter(|m| m.bytes.iter().any(|&bytes| bytes != 0));
        let note = |bits: &mut InitBits, base: u64| match missing {
            None => set(bits, base, event),
            Some(m) => lanes.clone().for_each(|l| {
                bits.store(event.lanes.address(l) - base, bytes, Some((m.bytes[l], m.origin)));
            }),
        };
        match event.space {
            ir::Space::Shared if self.is_beyond_block(event) => {
                for l in lanes.clone() {
                    let (block, offset) = self.shared_place(event.lanes.address(l));
                    let shared = &mut self.launch.blocks.entry(block).or_default().shared;
                    shared.store(offset, bytes, missing.map(|m| (m.bytes[l], m.origin)));
                }
            }
            ir::Space::Shared => note(&mut self.launch.blocks.entry(self.block).or_default().shared, SHARED_BASE),
            ir::Space::Local => {
                let block = self.launch.blocks.entry(self.block).or_default();
                let bits = block.local.entry(warp.number()).or_default();
                match (missing, event.lanes) {
                    (None, LaneAddresses::Strided(rule)) if rule.span() == 0 => {
                        bits.set(event.mask, rule.low() - LOCAL_BASE, bytes);
                    }
                    _ => lanes.for_each(|lane| {
                        let offset = event.lanes.address(lane) - LOCAL_BASE;
                        match missing {
                            None => bits.set(1 << lane, offset, bytes),
                            Some(m) => bits.store(lane, offset, bytes, m.bytes[lane], m.origin),
                        }
                    }),
                }
            }
            _ => self.global.with(|bits| note(bits, 0)),
        }
    }

    fn used(&mut self, warp: &Warp<32>, event: &AccessEvent<'_, 32>, missing: &[u8; 32], what: What) {
        let mut lanes = (0..32).filter(|&lane| missing[lane] != 0);
        let Some(lane) = lanes.next() else { return };
        if !self.launch.is_exact {
            self.launch.is_suspect = true;
            return;
        }
        let count = 1 + lanes.count() as u64;
        let address = event.lanes.address(lane);
        let space = match event.space {
            ir::Space::Shared => Space::Shared,
            ir::Space::Local => Space::Local,
            _ => device::space_of(address),
        };
        let (block, program) = (self.block, self.program);
        let origin = self.origin(warp, event, missing);
        let first = || Use {
            block,
            tid: warp.number() * 32 + lane as u32,
            lane: lane as u32,
            what,
            address,
            bytes: event.bytes as u64,
            origin,
            frame: warp.frame(event.frame).cloned(),
            stack: report::stack_of(self.program, warp, lane as u32, event.site),
        };
        // One statement may be several operations; its place in the source says which it is.
        let site = event.site;
        let span = program.span(site);
        let known = self.launch.seen.keys().find(|(s, sp)| program.span(*s) == span && *sp == space).copied();
        let entry = self.launch.seen.entry(known.unwrap_or((site, space))).or_insert_with(|| (first(), 0));
        entry.1 += count;
    }
}

impl Hooks<32> for InitHooks<'_> {
    fn wants_accesses(&self) -> bool {
        true
    }

    fn wants_values(&self) -> bool {
        self.launch.is_exact
    }

    fn on_access(&mut self, warp: &Warp<32>, event: &AccessEvent<'_, 32>) {
        if event.space == ir::Space::Local {
            self.begin_local(warp);
        }
        // Mostly nothing is missing, and nothing that was is on its way.
        let is_carrying = self.launch.blocks.get(&self.block).is_some_and(|block| !block.carried.is_empty());
        if !is_carrying {
            match event.kind {
                AccessKind::Read(_) if self.is_written(warp, event) => return,
                AccessKind::Write(_) => return self.wrote(warp, event, None),
                AccessKind::Read(_) | AccessKind::Atomic { .. } => {}
            }
        }
        let copied = self.launch.copy_only.at(self.program, event.site);
        let key = |reg| (warp.number(), event.frame, reg);
        match event.kind {
            AccessKind::Read(_) => {
                let missing = self.missing(warp, event, copied.is_some());
                match copied {
                    Some(reg) => {
                        let first = missing.iter().position(|&bytes| bytes != 0);
                        let known = self.origin(warp, event, &missing);
                        let block = self.launch.blocks.entry(self.block).or_default();
                        let address = event.lanes.address(first.unwrap_or(event.mask.trailing_zeros() as usize));
                        let span = self.program.span(event.site);
                        // A copy that is asked for by name has no place of its own, as one of the host.
                        let is_embedded = self.program.module().embedded_files.contains(&span.file);
                        let here = Origin { span: if is_embedded { Span::NONE } else { span }, address };
                        let carried = block.carried.entry(key(reg));
                        let carried = carried.or_insert(Missing { bytes: [0; 32], origin: here });
                        lanes(event.mask).for_each(|l| carried.bytes[l] = missing[l]);
                        if first.is_some() {
                            carried.origin = known.unwrap_or(here);
                        }
                        if carried.bytes == [0; 32] {
                            block.carried.remove(&key(reg));
                        }
                    }
                    None => self.used(warp, event, &missing, What::Read),
                }
            }
            AccessKind::Write(_) => {
                let block = self.launch.blocks.entry(self.block).or_default();
                let missing = copied.and_then(|reg| block.carried.get(&key(reg)).copied());
                self.wrote(warp, event, missing);
            }
            AccessKind::Atomic { .. } => {
                let missing = self.missing(warp, event, false);
                self.used(warp, event, &missing, What::Atomic);
                self.wrote(warp, event, None);
            }
        }
    }
}
