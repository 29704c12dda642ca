//! Collects snapshots: what a screen shows, read from the stopped machine. The cost depends on what is shown: values are
//! shortened, blocks are counted instead of visited, and large arrays are read in part.
//!
//! Not here: the data types (`view/snapshot.rs`).

use crate::eval::array;
use crate::eval::compiled::{Evaluated, constant_object};
use crate::eval::context::Context;
use crate::eval::value::Eval;
use crate::process::watcher::Thread;
use crate::session::Session;
use crate::view::reply::{LaneState, VariableRow};
use crate::view::snapshot::{
    BanksView, BlockCell, BlockMap, BlockState, EndView, FileText, FindingView, LaneValue, LaneValues, SharedVariable,
    Snapshot, SnapshotRequest, SplitView,
};
use emu::Grid;
use finding::{Actor, Finding, Severity, What};
use mem::address::SHARED_BASE;
use sema::checked::VarId;
use std::collections::BTreeMap;

/// Blocks sampled for each cell of a permuted grid.
const SAMPLES: u64 = 8;

impl Session {
    /// The texts of the source files, without embedded modules.
    pub fn texts(&self) -> Vec<FileText> {
        let files = self.setup.sources.files().filter(|(_, f)| !f.name().starts_with('<'));
        let text = |(file_id, file): (source::FileId, &source::SourceFile)| FileText {
            file_id,
            name: file.name().to_owned(),
            lines: (1..=file.line_count()).map(|n| source::shown(file.line_text(n)).into_owned()).collect(),
            statements: (1..=file.line_count()).map(|n| self.sites.has_statement(file_id, n)).collect(),
        };
        files.map(text).collect()
    }

    /// Everything that a screen shows.
    pub fn snapshot(&mut self, wanted: &SnapshotRequest) -> Snapshot {
        let values = if wanted.chooses_lanes {
            self.telling_values(wanted.lanes.as_deref()).map(Ok)
        } else {
            wanted.lanes.as_deref().map(|e| self.lane_values(e).map_err(|why| why.0))
        };
        let array = wanted.array.as_ref().map(|a| {
            let expr = self.compile(&a.expression).map_err(|why| why.0)?;
            self.here().and_then(|context| array::view(&context, &expr, a)).map_err(|why| why.0)
        });
        let (mut warps, mut lanes) = (self.warps(), self.lanes());
        if let (Some((time, fault)), Thread::Device { launch, block, warp, .. }) = (self.faulted, self.focus)
            && let Thread::Device { lane, warp: at, .. } = fault
            && time == self.process.time()
            && fault == (Thread::Device { launch, block, warp: at, lane })
        {
            let row = warps.iter_mut().find(|w| w.number == at);
            if let Some(state) = row.and_then(|w| w.lanes.get_mut(lane as usize)) {
                *state = LaneState::Faulted;
            }
            if let Some(row) = lanes.iter_mut().find(|l| l.lane == lane && at == warp) {
                row.state = LaneState::Faulted;
            }
        }
        let running = self.started && self.process.over().is_none();
        let program = self.program_view();
        Snapshot {
            focus: self.view(self.focus),
            place: self.current_line(),
            part: self.selected().and_then(|level| self.part_of_line(self.span_of(&level))),
            kernel: self.kernel_in_view(),
            blocks: self.running().map(|r| self.block_map(r, wanted.block_cells)),
            warps,
            lanes,
            splits: self.splits(),
            locals: if running { self.frame_variables() } else { Vec::new() },
            stack: if running { self.stack() } else { Vec::new() },
            breakpoints: self.breakpoints.iter().map(|b| self.breakpoint_view(b)).collect(),
            displays: self.display_views(),
            findings: self.findings().iter().enumerate().map(|(i, f)| self.finding_view(i + 1, f)).collect(),
            values,
            array,
            banks: wanted.banks.and_then(|(first, rows)| self.banks(first, rows)),
            timeline: wanted.timeline.map(|(first, count)| self.timeline(first, count)),
            ranks: self.ranks(),
            program,
        }
    }

    fn block_map(&self, running: &Grid, most: usize) -> BlockMap {
        let most = most.clamp(1, 1 << 16) as u64;
        let per_cell = running.total.div_ceil(most).max(1);
        let focused = match self.focus {
            Thread::Device { launch, block, .. } if launch == running.launch.number => Some(block),
            _ => None,
        };
        let mut active: BTreeMap<u64, BlockState> = BTreeMap::new();
        for (i, block) in running.active.iter().enumerate() {
            let state = if i == 0 { BlockState::Running } else { BlockState::Polling };
            let entry = active.entry(block.linear / per_cell).or_insert(state);
            if i == 0 {
                *entry = state;
            }
        }
        let cell = |n: u64| {
            let (from, to) = (n * per_cell, ((n + 1) * per_cell).min(running.total));
            let step = ((to - from) / SAMPLES).max(1);
            let begun = |linear: &u64| running.has_begun(*linear);
            let mut samples = (from..to).step_by(step as usize).chain([to - 1]);
            let state = match active.get(&n) {
                Some(state) => *state,
                None if samples.clone().all(|l| begun(&l)) => BlockState::Ended,
                None if samples.any(|l| begun(&l)) => BlockState::Partly,
                None => BlockState::Waiting,
            };
            BlockCell { state, focused: focused.is_some_and(|f| (from..to).contains(&f)) }
        };
        let index = |b: &emu::Block| b.geometry.cta.map(|c| c + 1);
        BlockMap {
            grid: running.launch.grid,
            per_cell,
            cells: (0..running.total.div_ceil(per_cell)).map(cell).collect(),
            active: running.active.iter().map(index).collect(),
        }
    }

    /// The parts of the focused warp, each in its innermost procedure that is not hidden.
    fn splits(&self) -> Vec<SplitView> {
        let Thread::Device { launch, block, warp: number, lane: focused } = self.focus else { return Vec::new() };
        let warp = self.process.block(launch, block).and_then(|b| b.warps.get(number as usize));
        let Some(warp) = warp else { return Vec::new() };
        let view = |split: vm::SplitView<'_, 32>| {
            let mask = split.mask();
            let lane = if mask >> focused & 1 != 0 { focused } else { mask.trailing_zeros() };
            let level = *self.levels(Thread::Device { launch, block, warp: number, lane }).first()?;
            let (file_id, line) = self.line_of(self.span_of(&level))?;
            let state = crate::session::info::state_of(split.state(), split.is_current());
            Some(SplitView { lanes: mask, file_id, line, state })
        };
        warp.splits().filter_map(view).collect()
    }

    fn lane_values(&mut self, text: &str) -> Eval<LaneValues> {
        let expr = self.compile(text)?;
        let Thread::Device { launch, block, warp, .. } = self.focus else {
            return crate::eval::value::fail("the focus is on the host, which has no lanes");
        };
        let one = |context: &Context<'_>| {
            let shown = match expr.evaluate(context)? {
                Evaluated::Object(object) => (context.show_brief(&object)?, array::shared_word(&object)),
                Evaluated::Value(value) => (context.show_brief(&constant_object(value))?, None),
            };
            Ok(shown)
        };
        let current = self.process.block(launch, block).and_then(|b| b.warps.get(warp as usize));
        let active = current.and_then(|w| w.splits().find(vm::SplitView::is_current)).map_or(0, |split| split.mask());
        let mut words: [Vec<u64>; 32] = Default::default();
        let mut in_shared = false;
        let values = self.each_lane(launch, block, warp, one);
        let values = values.into_iter().map(|(lane, value)| {
            let (value, word) = match value {
                Ok((text, word)) => (Ok(text), word),
                Err(why) => (Err(why.0), None),
            };
            if let Some(word) = word.filter(|_| active >> lane & 1 != 0) {
                in_shared = true;
                let bank = &mut words[word as usize % 32];
                if !bank.contains(&word) {
                    bank.push(word);
                }
            }
            LaneValue { lane, value, word }
        });
        let values = values.collect();
        let most = words.iter().map(Vec::len).max().unwrap_or(0) as u32;
        Ok(LaneValues { expression: text.to_owned(), values, conflict: in_shared.then_some(most) })
    }

    /// The values of a scalar that differs between the lanes of the focused warp: of this one, or else of one that the statement
    /// names, or of another variable, or of `threadidx%x`.
    fn telling_values(&mut self, last: Option<&str>) -> Option<LaneValues> {
        const INDEX: &str = "threadidx%x";
        if self.focus == Thread::Host {
            return None;
        }
        let is_telling = |values: &LaneValues| {
            let mut shown = values.values.iter().filter_map(|v| v.value.as_ref().ok());
            shown.next().is_some_and(|first| shown.any(|other| other != first))
        };
        let line = self.current_line().and_then(|(file, line)| Some(self.setup.sources.file(file)?.line_text(line)));
        let line = line.unwrap_or_default().to_ascii_lowercase();
        let is_named = |name: &str| line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
        let is_scalar =
            |row: &VariableRow| !row.name.contains('.') && row.value.as_ref().is_ok_and(|v| !v.starts_with('('));
        let mut names: Vec<String> = self.frame_variables().into_iter().filter(is_scalar).map(|row| row.name).collect();
        names.sort_by_key(|name| !is_named(name));
        let all = last.filter(|last| *last != INDEX).into_iter().map(str::to_owned).chain(names);
        let found = all.filter_map(|name| self.lane_values(&name).ok()).find(is_telling);
        found.or_else(|| self.lane_values(INDEX).ok())
    }

    fn banks(&self, first: u64, count: u64) -> Option<BanksView> {
        let Thread::Device { launch, block, .. } = self.focus else { return None };
        let block = self.process.block(launch, block)?;
        let bytes = block.shared.len() as u64;
        let rows = bytes.div_ceil(128);
        let first = first.min(rows.saturating_sub(1));
        let from = (first * 128).min(bytes) as usize;
        let to = ((first + count) * 128).min(bytes) as usize;
        let words = block.shared[from..to].chunks(4).map(|c| crate::eval::value::from_bytes(c) as u32).collect();
        Some(BanksView { first, rows, words, variables: self.shared_variables() })
    }

    /// The variables in the shared memory of the kernel, in the order of their addresses.
    pub(crate) fn shared_variables(&self) -> Vec<SharedVariable> {
        let Some(level) = self.levels(self.focus).last().copied() else { return Vec::new() };
        let Ok(context) = self.context_of(self.focus, Some(level.frame)) else { return Vec::new() };
        let module = &self.process.machine().program().module();
        let variable = |v: &ir::DebugVar| {
            let object = context.variable(VarId(v.source_id)).ok()?;
            let crate::eval::context::Store::Memory(address) = object.store else { return None };
            let offset = address.checked_sub(SHARED_BASE).filter(|_| mem::address::is_shared(address))?;
            let element_bytes = object.kind.bytes();
            let bytes = object.count().ok()? * element_bytes;
            let is_real =
                matches!(object.kind, crate::eval::value::Kind::Real(_) | crate::eval::value::Kind::Complex(_));
            Some(SharedVariable { name: v.name.to_string(), offset, bytes, element_bytes, is_real })
        };
        let mut all: Vec<SharedVariable> = module.func(level.site.func).vars.iter().filter_map(variable).collect();
        all.sort_by_key(|v| v.offset);
        all
    }

    fn finding_view(&self, number: usize, finding: &Finding) -> FindingView {
        let diagnostic = finding.diagnostic();
        let end = |(n, a): (usize, &finding::Access)| {
            let what = match a.what {
                What::Read => "read",
                What::Write => "write",
                What::Atomic => "atomic",
                What::Compare => "atomic comparison",
                What::VolatileRead => "volatile read",
                What::VolatileWrite => "volatile write",
                What::Allocate => "allocation",
                What::Free => "free",
                What::Execute => "step",
            };
            let place = a.place.as_ref().map(|p| format!(" of {p}")).unwrap_or_default();
            let who = match &a.actor {
                Actor::Host => "the host".to_owned(),
                Actor::Copy { call, .. } | Actor::Message { call } => call.clone(),
                Actor::Kernel(launch) => format!("kernel {}", launch.kernel),
                Actor::Thread(t) => {
                    let show = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
                    format!("block {} thread {}", show(t.block), show(t.thread))
                }
            };
            EndView {
                text: format!("{what}{place} by {who}"),
                place: self.line_of(a.span),
                reachable: self.is_reachable(number - 1, n, finding.accesses.len()),
            }
        };
        FindingView {
            number,
            code: finding.code().id().to_owned(),
            is_error: finding.severity() == Severity::Error,
            title: diagnostic.message.clone(),
            ends: finding.accesses.iter().enumerate().map(end).collect(),
        }
    }
}

impl LaneState {
    /// All states, in the order of a legend.
    pub const ALL: [LaneState; 9] = [
        LaneState::Active,
        LaneState::Divergent,
        LaneState::Joining,
        LaneState::Barrier,
        LaneState::Rendezvous,
        LaneState::Waiting,
        LaneState::Faulted,
        LaneState::Exited,
        LaneState::Absent,
    ];
}
