//! The command `info`: tables of the program state.

use crate::command::{Radix, Topic};
use crate::eval::context::{Context, Object};
use crate::eval::value::Eval;
use crate::process::watcher::Thread;
use crate::session::breakpoint::Kind;
use crate::session::focus::coordinates;
use crate::session::{Session, SessionError};
use crate::view::reply::{
    BarrierRow, BlockRow, KernelRow, LaneRow, LaneState, Outcome, Reply, ThreadRow, VariableRow, WarpRow,
};
use emu::{Block, Grid};
use sema::checked::VarId;
use std::collections::BTreeMap;
use vm::{Site, State, Warp};

/// The state of the lanes of a part of a warp; `current` is the part that runs.
pub(crate) fn state_of(state: &State, current: bool) -> LaneState {
    match state {
        State::Runnable if current => LaneState::Active,
        State::Runnable => LaneState::Divergent,
        State::AtReconvergence => LaneState::Joining,
        State::AtBarrier { .. } => LaneState::Barrier,
        State::AtWarpSync { .. } => LaneState::Rendezvous,
        State::AtRt => LaneState::Waiting,
    }
}

/// The state and place of a lane of a warp.
fn lane_state(warp: &Warp<32>, lane: u32, threads: u32) -> (LaneState, Option<Site>) {
    if warp.number() * 32 + lane >= threads {
        return (LaneState::Absent, None);
    }
    match warp.split_of(lane) {
        None => (LaneState::Exited, None),
        Some(split) => (state_of(split.state(), split.is_current()), Some(split.site())),
    }
}

fn threads_of(block: &Block) -> u32 {
    block.geometry.threads()
}

impl Session {
    /// The command `info`.
    pub(crate) fn info(&mut self, topic: Topic, arguments: &str) -> Result<Outcome, SessionError> {
        let reply = match topic {
            Topic::Kernels => Reply::Kernels(self.kernels()),
            Topic::Blocks => Reply::Blocks(self.blocks()),
            Topic::Warps => Reply::Warps(self.warps()),
            Topic::Lanes => Reply::LaneTable(self.lanes()),
            Topic::Threads => Reply::Threads(self.threads()),
            Topic::Barriers => Reply::Barriers(self.barriers()),
            Topic::Locals | Topic::Arguments => {
                self.need_running()?;
                Reply::Variables(topic, self.variables(topic == Topic::Arguments))
            }
            Topic::Breakpoints => {
                Reply::Breakpoints(self.breakpoints.iter().map(|b| self.breakpoint_view(b)).collect())
            }
            Topic::Watchpoints => {
                let watchpoints = self.breakpoints.iter().filter(|b| matches!(b.kind, Kind::Watch(_)));
                Reply::Breakpoints(watchpoints.map(|b| self.breakpoint_view(b)).collect())
            }
            Topic::Displays => Reply::Displays(self.display_views()),
            Topic::Findings => Reply::Findings(self.findings().iter().map(|f| self.word(f)).collect()),
            Topic::Timeline => Reply::Text(self.timeline_text()),
            Topic::Frame => return self.frame_command(crate::command::FrameRequest::Show),
            Topic::Source => {
                let names = self.setup.sources.files().map(|(_, f)| f.name().to_owned());
                Reply::Files(names.filter(|n| !n.starts_with('<')).collect())
            }
            Topic::Ranks => Reply::Ranks(self.ranks()),
            Topic::Program => Reply::Program(self.program_view()),
            Topic::Line => Reply::Text(self.line_text(arguments)?),
            Topic::Symbol => Reply::Text(self.symbol_text(arguments)?),
            Topic::Scope => Reply::Text(self.scope_text(arguments)?),
            Topic::Functions => Reply::Text(self.functions_text(arguments)),
            Topic::Variables => Reply::Text(self.variables_text(arguments)),
            Topic::Types => Reply::Text(self.types_text(arguments)),
            Topic::Registers => Reply::Text(self.registers_text()?),
            Topic::Devices => Reply::Text(self.devices_text()),
        };
        Ok(Outcome::Reply(reply))
    }

    /// The grid in focus, or the one that runs.
    pub(crate) fn running(&self) -> Option<&Grid> {
        if self.process.over().is_some() {
            return None;
        }
        let focused = match self.focus {
            Thread::Device { launch, .. } => self.process.grid(launch),
            Thread::Host => None,
        };
        focused.or_else(|| self.process.emulator(None)?.grid())
    }

    pub(crate) fn kernels(&self) -> Vec<KernelRow> {
        let program = self.process.machine().program();
        let row = |r: &Grid| KernelRow {
            number: r.launch.number,
            name: program.module().func(r.launch.func).short_name().to_owned(),
            grid: r.launch.grid,
            block: r.launch.block,
            begun: r.begun,
            ended: r.begun - r.active.len() as u64,
            total: r.total,
            current: matches!(self.focus, Thread::Device { launch, .. } if launch == r.launch.number),
        };
        if self.process.over().is_some() {
            return Vec::new();
        }
        self.process.emulator(None).into_iter().flat_map(emu::Emulator::grids).map(row).collect()
    }

    /// The kernel of [`Session::running`].
    pub(crate) fn kernel_in_view(&self) -> Option<KernelRow> {
        let number = self.running()?.launch.number;
        self.kernels().into_iter().find(|row| row.number == number)
    }

    fn is_focused(&self, launch: u64, linear: u64) -> bool {
        matches!(self.focus, Thread::Device { launch: l, block, .. } if l == launch && block == linear)
    }

    fn blocks(&self) -> Vec<BlockRow> {
        let Some(running) = self.running() else { return Vec::new() };
        let row = |(i, b): (usize, &Block)| BlockRow {
            index: b.geometry.cta.map(|c| c + 1),
            live: b.warps.iter().map(|w| w.live().count_ones()).sum(),
            running: i == 0,
            current: self.is_focused(running.launch.number, b.linear),
        };
        running.active.iter().enumerate().map(row).collect()
    }

    /// The focused block, or the running one.
    fn block_here(&self) -> Option<&Block> {
        match self.focus {
            Thread::Device { launch, block, .. } => self.process.block(launch, block),
            Thread::Host => self.running()?.active.front(),
        }
    }

    pub(crate) fn warps(&self) -> Vec<WarpRow> {
        let Some(block) = self.block_here() else { return Vec::new() };
        let threads = threads_of(block);
        let row = |w: &Warp<32>| {
            let splits = w.splits().filter_map(|split| {
                let (_, line) = self.file_line(split.site())?;
                Some((split.mask(), line))
            });
            WarpRow {
                number: w.number(),
                lanes: (0..32).map(|lane| lane_state(w, lane, threads).0).collect(),
                first: coordinates(block, w.number(), 0).1,
                splits: splits.collect(),
                current: matches!(self.focus, Thread::Device { warp, .. } if warp == w.number()),
            }
        };
        block.warps.iter().map(row).collect()
    }

    pub(crate) fn lanes(&self) -> Vec<LaneRow> {
        let Some(block) = self.block_here() else { return Vec::new() };
        let number = match self.focus {
            Thread::Device { warp, .. } => warp,
            Thread::Host => 0,
        };
        let Some(warp) = block.warps.get(number as usize) else { return Vec::new() };
        let threads = threads_of(block);
        let row = |lane: u32| {
            let (state, site) = lane_state(warp, lane, threads);
            LaneRow {
                lane,
                thread: coordinates(block, number, lane).1,
                state,
                place: site.and_then(|s| self.file_line(s)),
                current: matches!(self.focus, Thread::Device { lane: l, .. } if l == lane),
            }
        };
        (0..32).map(row).filter(|r| r.state != LaneState::Absent).collect()
    }

    fn threads(&self) -> Vec<ThreadRow> {
        let Some(running) = self.running() else { return Vec::new() };
        let mut rows: Vec<ThreadRow> = Vec::new();
        for block in &running.active {
            let threads = threads_of(block);
            for number in 0..threads {
                let (warp, lane) = (number / 32, number % 32);
                let Some(at) = block.warps.get(warp as usize) else { continue };
                let (state, site) = lane_state(at, lane, threads);
                let place = site.and_then(|s| self.file_line(s));
                let (index, thread) = coordinates(block, warp, lane);
                let here = Thread::Device { launch: running.launch.number, block: block.linear, warp, lane };
                let current = self.focus == here;
                match rows.last_mut() {
                    Some(row) if row.block == index && row.state == state && row.place == place => {
                        row.to = thread;
                        row.count += 1;
                        row.current |= current;
                    }
                    _ => {
                        rows.push(ThreadRow {
                            block: index,
                            from: thread,
                            to: thread,
                            count: 1,
                            state,
                            place,
                            current,
                        });
                    }
                }
            }
        }
        rows
    }

    fn barriers(&self) -> Vec<BarrierRow> {
        let Some(running) = self.running() else { return Vec::new() };
        let mut rows = Vec::new();
        for block in &running.active {
            let mut places: BTreeMap<(LaneState, Site), u32> = BTreeMap::new();
            for w in &block.warps {
                for split in w.splits() {
                    let state = state_of(split.state(), false);
                    if matches!(state, LaneState::Barrier | LaneState::Rendezvous) {
                        *places.entry((state, split.site())).or_default() += split.mask().count_ones();
                    }
                }
            }
            let live: u32 = block.warps.iter().map(|w| w.live().count_ones()).sum();
            for ((state, site), waiting) in places {
                rows.push(BarrierRow {
                    block: block.geometry.cta.map(|c| c + 1),
                    place: self.file_line(site).unwrap_or_default(),
                    state,
                    waiting,
                    missing: live - waiting,
                });
            }
        }
        rows
    }

    /// The variables of the focused frame, dummy arguments first, with shortened values.
    pub(crate) fn frame_variables(&self) -> Vec<VariableRow> {
        let mut rows = self.variables_with(true, &|context, object| context.show_brief(object));
        rows.extend(self.variables_with(false, &|context, object| context.show_brief(object)));
        rows
    }

    /// The variables of the focused frame.
    pub(crate) fn variables(&self, dummies: bool) -> Vec<VariableRow> {
        let show =
            |context: &Context<'_>, object: &Object| context.show(&context.bounded(object.clone()), Radix::Natural);
        self.variables_with(dummies, &show)
    }

    fn variables_with(&self, dummies: bool, show: &dyn Fn(&Context<'_>, &Object) -> Eval<String>) -> Vec<VariableRow> {
        let levels = self.levels(self.focus);
        let Some(level) = levels.get(self.level as usize) else { return Vec::new() };
        let module = &self.process.machine().program().module();
        let func = module.func(level.site.func);
        let Ok(context) = self.context_of(self.focus, Some(level.frame)) else { return Vec::new() };
        let own = func.vars.iter().filter(|v| v.is_dummy == dummies);
        let row = |v: &ir::DebugVar| VariableRow {
            name: v.name.to_string(),
            ty: module.types.get(v.ty.index()).map_or_else(String::new, |t| t.name.to_string()),
            value: context
                .variable(VarId(v.source_id))
                .and_then(|object| show(&context, &object))
                .map_err(|why| why.0.trim_start_matches(&format!("`{}` is ", v.name)).to_owned()),
        };
        own.map(row).collect()
    }
}
