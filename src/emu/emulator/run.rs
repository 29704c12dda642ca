//! The active launch: begins it, runs its blocks, ends it.
//!
//! A launch that is checked for races runs once with shadow memory. If that pass suspects any byte, memory is set back and
//! the launch runs again under the exact pass. With rehearsal it then runs once more, without a check. Where the first pass knows the
//! races (`checks::alike`), the second one only finds the threads that are named, and what the first one left in memory stays.

use super::{Emulator, LaunchUse, UseWanted, nested};
use crate::block::{Block, BlockStop, Others};
use crate::checks::{
    self, Checks, ExactPass, KnownRaces, LaunchInit, RacePass, RealFaults, Tracer, Watched, forget_clusters,
};
use crate::footprint::{Assumed, SiteSharing};
use crate::launch::{ActiveLaunch, Failure};
use crate::observer::ObserverHooks;
use crate::parallel::{LaunchMode, Next, Resources, SerialReason};
use crate::report;
use crate::schedule::{Directed, Meeting};
use crate::service::{self, Served};
use ::device::{CudaError, KernelLaunch, Observer, Progress};
use finding::GridSyncFault;
use ir::rt::Rt;
use mem::{Memory, Region};
use race::{Exact, Launch, MAX_TAG, SuspectSet, Suspicion};
use std::collections::BTreeMap;
use vm::{Before, Hooks, Program, RtRequest};

/// `cudaLimitMallocHeapSize`.
const HEAP_LIMIT: i32 = 2;

impl Emulator {
    /// Begins a launch. None is active.
    pub(super) fn begin(&mut self, memory: &Memory, launch: KernelLaunch) {
        let may_guard = !self.options.rehearse && self.options.order.is_none();
        self.begin_as(memory, launch, may_guard.then_some(Assumed::Once), false);
    }

    /// Begins a launch, under a guard that assumes so much at most, and with an exact check of what was written if that is wanted.
    fn begin_as(&mut self, memory: &Memory, launch: KernelLaunch, most: Option<Assumed>, is_exact: bool) {
        let Some(program) = &self.program else { return };
        let is_use_wanted = self.detector.as_ref().is_some_and(|d| d.is_use_wanted());
        let is_proving = self.options.is_proving && self.detector.is_some();
        let mut sharing = is_proving.then(|| self.known.of(program, memory, &launch));
        // What the launch uses has to be known of all its accesses, unless none of them can race.
        // Alike stores are counted in the order of the blocks, by rules that order no lanes of a warp.
        // The pass that finds the threads to name ends before it has found what was not written.
        let may_count = self.options.seed == 0
            && !self.options.check_init
            && launch.grid.iter().map(|&extent| u64::from(extent)).product::<u64>() < MAX_TAG
            && !self.options.race.is_some_and(|rules| rules.is_legacy_warp_sync)
            && !program.unites_cluster(launch.func);
        let is_fit = |guarded: &SiteSharing| {
            (!is_use_wanted || guarded.is_free_of_races()) && (may_count || guarded.assumed() != Some(Assumed::Alike))
        };
        if let Some(most) = most
            && let Some(plain) = &sharing
            && let Some(guarded) = self.guards.choose(launch.func, plain, most, is_fit)
        {
            sharing = Some(guarded);
        }
        let is_free = sharing.as_ref().is_some_and(|s| s.is_free_of_races());
        // Where it is known what a free launch uses, nobody has to look. What a launch has used that fails is not known.
        let is_known = is_free && is_use_wanted && !program.unites_cluster(launch.func);
        let surely = sharing.as_ref().filter(|sharing| is_known && sharing.cannot_fail(memory));
        let known_use = surely.and_then(|sharing| sharing.used()).cloned();
        let is_use_wanted = is_use_wanted && known_use.is_none();
        let race = match self.detector.take_if(|_| !is_free || is_use_wanted) {
            None => RacePass::Off,
            Some(mut detector) => {
                let shape = race_launch(program, &launch);
                if is_free {
                    detector.begin_free_launch(shape);
                } else {
                    detector.begin_launch(shape);
                }
                RacePass::Detect(detector)
            }
        };
        let watched = sharing
            .map_or_else(Watched::default, |s| Watched::new(&s, is_use_wanted, memory, (0, self.options.jobs), true));
        let is_exact = is_exact || self.suspects.contains(&launch.func);
        let init = self.options.check_init.then(|| Box::new(LaunchInit::new(&launch, is_exact)));
        let is_memory_wanted = known_use.is_some() && self.use_wanted == UseWanted::BytesAndMemory;
        let may_repeat = matches!(race, RacePass::Detect(_)) || watched.is_guarded() || init.is_some() && !is_exact;
        let before = (may_repeat || is_memory_wanted).then(|| memory.clone());
        let short_barriers = self.is_strict().then(BTreeMap::new);
        let checks =
            Checks { race, watched, init, short_barriers, reals: RealFaults::default(), nested: None, met: Vec::new() };
        let mut launch = ActiveLaunch::new(launch, checks, before, (self.options.seed, self.points));
        launch.known_use = known_use;
        if let Some(order) = &self.options.order {
            let number = launch.grid.launch.number;
            launch.grid.directed = Some(Directed::new(order.launch(number), self.options.trace));
            if self.options.trace {
                let private = self.known.of(program, memory, &launch.grid.launch).private().clone();
                launch.tracer = Some(Box::new(Tracer::new(number, Some(private))));
            }
        }
        self.launch = Some(launch);
    }

    /// Begins the active launch again, and assumes less of it: what was assumed does not hold, or the observer wants to see the
    /// launch only once.
    fn begin_again(&mut self, memory: &mut Memory) {
        let Some(mut launch) = self.launch.take() else { return };
        launch.unwind();
        let kernel = launch.grid.launch.func;
        let mut most = None;
        if let Some(guard) = launch.checks.watched.guard() {
            self.guards.note(kernel, guard, false);
            // The next that assumes less.
            most = match guard.assumed() {
                Assumed::Once => Some(Assumed::Alike),
                Assumed::Alike => Some(Assumed::Apart),
                Assumed::Apart => None,
            };
            most = most.filter(|_| guard.is_broken() && guard.is_apart());
        }
        let is_guard_broken = launch.checks.watched.is_broken();
        if launch.checks.is_suspect() {
            self.suspects.insert(kernel);
        }
        if let Some(before) = launch.before.take() {
            *memory = before;
            memory.reclaim();
            // If memory had no room for a page, that will happen again.
            let _ = memory.take_exhaustion();
        }
        if let RacePass::Detect(detector) = std::mem::replace(&mut launch.checks.race, RacePass::Off) {
            self.detector = Some(detector);
        }
        self.points = launch.points_before;
        let shown = launch.shown.again();
        self.begin_as(memory, launch.grid.launch, most, !is_guard_broken);
        if let Some(launch) = &mut self.launch {
            launch.shown = shown;
        }
    }

    /// Runs the active launch; `None` when it has ended.
    pub(super) fn run(
        &mut self,
        memory: &mut Memory,
        budget: &mut u64,
        observer: &mut dyn Observer,
    ) -> Option<Progress> {
        let program = self.program.clone()?;
        loop {
            let mut handed = None;
            let is_seen = observer.wants_statements() || observer.wants_accesses() || observer.counts_statements();
            if self.launch.as_ref()?.checks.must_begin_again(is_seen) {
                self.begin_again(memory);
            }
            if self.begin_nested(observer) {
                continue;
            }
            if let Some((warp, request)) = self.launch.as_mut()?.nested.take_asked() {
                self.serve_nested(&program, warp, request);
            }
            if self.launch.as_ref()?.grid.active.is_empty() {
                if self.launch.as_ref()?.checks.race.is_settled() {
                    self.end(memory, None);
                    continue;
                }
                match self.run_parallel(&program, memory, budget, observer) {
                    Next::Spent => return Some(Progress::Busy),
                    Next::Serial => {}
                    Next::Handed(stop) => handed = Some(stop),
                }
            }
            let ActiveLaunch { grid, checks, tracer, parallel, .. } = self.launch.as_mut()?;
            if grid.active.is_empty() {
                if grid.begun == grid.total {
                    if !self.leave_grid() {
                        self.end(memory, None);
                    }
                    continue;
                }
                let is_plain = checks.are_nameless() && tracer.is_none() && !is_seen;
                let is_seen = observer.wants_statements() || observer.wants_accesses() || checks.want_values();
                grid.begin_block(&program, checks, !is_seen);
                if is_plain && !parallel.is_undecided(self.options.jobs) && !program.launches(grid.launch.func) {
                    grid.lead();
                }
            }
            for blocks in std::mem::take(&mut checks.met) {
                if let Some(tracer) = tracer.as_mut() {
                    tracer.cluster_sync(blocks, grid.points);
                }
            }
            if handed.is_none() && grid.active.front().is_some_and(|b| b.waits_for.is_some()) {
                match grid.meet(&program, checks) {
                    Meeting::Waiting => {}
                    Meeting::Complete => {
                        if let Some(tracer) = tracer {
                            tracer.grid_sync(grid.points);
                        }
                    }
                    Meeting::Crossed => {
                        let at_cluster = |block: &&Block| block.waits_for == Some(Others::Cluster);
                        let waiting = grid.active.iter().filter(at_cluster).count() as u64;
                        // The place is that of a block that waits for the grid.
                        let first = grid.active.iter().position(|block| block.waits_for == Some(Others::Grid));
                        grid.active.rotate_left(first.unwrap_or(0));
                        let found = report::grid_sync(&program, grid, GridSyncFault::AtCluster { waiting });
                        self.end(memory, Some((found, CudaError::LaunchTimeout)));
                    }
                    Meeting::Never => {
                        let fault = GridSyncFault::NotReached { ended: grid.total - grid.active.len() as u64 };
                        let found = report::grid_sync(&program, grid, fault);
                        self.end(memory, Some((found, CudaError::LaunchTimeout)));
                    }
                }
                continue;
            }
            grid.redirect(&program, checks);
            if let (Some(tracer), Some(first)) = (tracer.as_mut(), grid.take_first_lanes()) {
                tracer.order_lanes(first);
            }
            let (stop, is_slice_over) = self.run_block(&program, memory, handed, budget, observer)?;
            if self.launch.as_ref().is_some_and(|launch| launch.checks.must_begin_again(false)) {
                continue;
            }
            match stop {
                BlockStop::Budget if !is_slice_over => return Some(Progress::Busy),
                BlockStop::Stopped => return Some(Progress::Stopped),
                stop => self.handle(&program, memory, stop),
            }
        }
    }

    /// Lets several threads work on the launch, if they may.
    fn run_parallel(
        &mut self,
        program: &Program,
        memory: &mut Memory,
        budget: &mut u64,
        observer: &dyn Observer,
    ) -> Next {
        let Some(ActiveLaunch { grid, checks, parallel, mode, .. }) = &mut self.launch else { return Next::Serial };
        // The output of a rehearsal is not shown.
        let is_rehearsal = self.options.rehearse && !matches!(checks.race, RacePass::Off);
        let is_seen = observer.wants_statements() || observer.wants_accesses();
        let is_observed = is_seen || observer.counts_statements() || is_rehearsal;
        let obstacles = [
            (is_observed, SerialReason::Observed),
            (checks.short_barriers.is_some(), SerialReason::Strict),
            // A seed interleaves blocks, which is another order than one after another.
            (grid.seed != 0 || grid.directed.is_some(), SerialReason::Seed),
            (checks.init.is_some(), SerialReason::InitCheck),
            (self.options.jobs < 2, SerialReason::OneJob),
        ];
        if let Some(&(_, reason)) = obstacles.iter().find(|(is_there, _)| *is_there) {
            *mode = LaunchMode::Serial(reason);
            return Next::Serial;
        }
        let resources = Resources {
            program,
            pool: &self.pool,
            grain: self.options.grain,
            known: &mut self.known,
            output: &mut self.output,
            points: &mut self.points,
            heuristics: &mut self.heuristics,
            guards: &mut self.guards,
            speculation: &mut self.speculation,
        };
        let next = parallel.run(resources, grid, checks, memory, budget);
        *mode = parallel.mode();
        next
    }

    /// Runs the first block until it stops; a block that was handed over has stopped already. Says also whether the time
    /// slice of the seed is over.
    fn run_block(
        &mut self,
        program: &Program,
        memory: &mut Memory,
        handed: Option<BlockStop>,
        budget: &mut u64,
        observer: &mut dyn Observer,
    ) -> Option<(BlockStop, bool)> {
        let (statements, accesses) = (observer.wants_statements(), observer.wants_accesses());
        let ActiveLaunch { grid, checks, tracer, .. } = self.launch.as_mut()?;
        let before = (*budget).min(grid.time_slice());
        let unites_cluster = program.unites_cluster(grid.launch.func);
        if unites_cluster {
            grid.lend();
        }
        let block = grid.active.front_mut()?;
        let mut rest = before;
        let (launch, linear) = (grid.launch.number, block.linear);
        let mut observing = (statements || accesses).then_some(ObserverHooks {
            observer: &mut *observer,
            program,
            launch,
            block: linear,
            accesses,
            stop: false,
        });
        let stop = match handed {
            Some(stop) => stop,
            None => {
                let other = observing.as_mut().map(|hooks| hooks as &mut dyn Hooks<32>);
                let global = memory.initialised();
                checks.observed(program, block, global, other, |block, hooks| {
                    let Some(tracer) = tracer.as_mut().filter(|_| block.stretches.is_some()) else {
                        return block.run(program, memory.view(), hooks, None, &mut rest);
                    };
                    let mut both = Before::new(tracer.hooks(linear, block.geometry), hooks);
                    block.run(program, memory.view(), Some(&mut both), None, &mut rest)
                })
            }
        };
        if let (Some(tracer), Some(stretches)) = (tracer, &mut block.stretches) {
            tracer.ran(linear, grid.points, std::mem::take(stretches));
        }
        let unseen = std::mem::take(&mut block.statements);
        // Others may have begun in its place.
        let followed = block.linear - linear;
        // A first pass that watches for races shows no statements; the second one does.
        if unseen > 0 && !statements {
            observer.on_unseen(launch, linear, unseen);
        }
        if let Some(found) = &mut checks.short_barriers {
            // Once for each block, however many copies of a procedure its place is in.
            for barrier in block.take_short(program) {
                let finding = || report::short_barrier(program, grid, linear, &barrier);
                found.entry(program.span(barrier.site)).and_modify(|f| f.count += 1).or_insert_with(finding);
            }
        }
        if unites_cluster {
            grid.take_back();
        }
        grid.begun += followed;
        let passed = before - rest;
        // Second passes do not count: whether there is one depends on what the first suspects, which may be too much and
        // more on one thread than on several.
        if !matches!(checks.race, RacePass::Decide(_)) {
            self.points += passed;
        }
        *budget -= passed;
        grid.points += passed;
        Some((stop, grid.spend(passed)))
    }

    /// Does what the stop of the running block asks for.
    fn handle(&mut self, program: &Program, memory: &mut Memory, stop: BlockStop) {
        let Some(launch) = &mut self.launch else { return };
        let ActiveLaunch { grid, checks, nested, .. } = launch;
        let failure = match stop {
            BlockStop::Done => {
                if let Some(block) = grid.active.front() {
                    nested.end_block(block.number);
                }
                grid.end_block(program, checks);
                None
            }
            BlockStop::Budget => {
                grid.preempt(program, checks);
                None
            }
            BlockStop::Stopped => None,
            BlockStop::Polling => {
                checks.watched.spoil();
                launch.find_independence(program, &mut self.known, memory);
                let ActiveLaunch { grid, checks, nested, .. } = launch;
                // It may wait for a grid that it has launched, or for the one that has launched it.
                let can_progress = grid.rotate(program, checks) || nested.make_all_due();
                if can_progress || self.set_grid_aside() {
                    None
                } else {
                    self.launch.as_ref().map(|ActiveLaunch { grid, nested, .. }| {
                        let found = report::livelock(program, grid, nested.polling(), |site| nested.waits_at(site));
                        (found, CudaError::LaunchTimeout)
                    })
                }
            }
            BlockStop::Meeting => {
                let is_of_grid = grid.active.front().is_some_and(|block| block.waits_for == Some(Others::Grid));
                let is_cooperative = program.module().func(grid.launch.func).cooperative;
                let found = || report::grid_sync(program, grid, GridSyncFault::NotCooperative);
                (is_of_grid && !is_cooperative).then(|| (found(), CudaError::LaunchFailure))
            }
            BlockStop::Rt(warp, request) if request.rt == Rt::RealMade => {
                checks.reals.serve(program, memory, grid, warp, &request);
                None
            }
            BlockStop::Rt(warp, request) if nested::is_about_launches(request.rt) => {
                self.serve_nested(program, warp, request);
                None
            }
            BlockStop::Launch(warp, requests) => self.launch_nested(program, memory, warp, &requests),
            BlockStop::Rt(warp, request) => self.serve(program, memory, warp, &request),
            BlockStop::Fault(warp, fault) => launch.fault(program, memory, warp, &fault),
            BlockStop::Stuck => {
                grid.active.front().map(|block| (report::stuck(program, grid, block), CudaError::LaunchTimeout))
            }
        };
        if failure.is_some() {
            self.end(memory, failure);
        }
    }

    /// Serves a request of a warp of the running block; gives why the launch fails if it does.
    fn serve(&mut self, program: &Program, memory: &mut Memory, warp: usize, request: &RtRequest) -> Option<Failure> {
        let launch = self.launch.as_mut()?;
        let ActiveLaunch { grid, checks, heap, shown, .. } = &mut *launch;
        let block = grid.active.front_mut()?;
        // Output is shown once, by the run whose effects stay.
        let is_silent = checks.race.is_undone(self.options.rehearse);
        let from = self.output.len();
        let mut ignored = Vec::new();
        let output = if is_silent { &mut ignored } else { &mut self.output };
        let served = if request.rt == Rt::ClusterMap {
            service::map_to_cluster(program, &mut block.warps[warp], request, block.geometry.cluster_rank())
        } else if matches!(request.rt, Rt::Alloc | Rt::AllocAligned | Rt::Free) {
            let limit = self.limits.get(&HEAP_LIMIT).copied().unwrap_or(::device::DEFAULT_LIMITS[HEAP_LIMIT as usize]);
            let heap =
                service::Heap { region: Region::Device(self.number), used: heap, limit, made: &mut self.heap_made };
            let place = (heap, program.span(request.site));
            if request.rt == Rt::Free {
                tell_of_free(&mut checks.race, block, warp, request, memory);
            }
            service::allocate(program, &mut block.warps[warp], request, memory, &block.shared, place)
        } else {
            let global = memory.initialised();
            checks.observed(program, block, global, None, |block, hooks| {
                block.serve(program, warp, request, memory, output, hooks)
            })
        };
        shown.show(&mut self.output, from);
        match served {
            Served::Done => None,
            Served::Fault(fault) => launch.fault(program, memory, warp, &fault),
            Served::Error(kind, name) => {
                let found = report::raised(program, grid, (kind, name), warp, request);
                found.map(|f| (f, CudaError::LaunchFailure))
            }
            Served::Refused => {
                let kind = vm::FaultKind::Trap(ir::Trap::Unsupported);
                let fault = vm::Fault { kind, site: request.site, mask: request.mask, addresses: Vec::new() };
                launch.fault(program, memory, warp, &fault)
            }
        }
    }

    /// Ends the launch, or one pass of it: then the launch begins again under the next pass.
    fn end(&mut self, memory: &mut Memory, failure: Option<Failure>) {
        if let Some(launch) = &self.launch {
            launch.checks.watched.conclude(memory);
            if failure.is_some() {
                launch.checks.watched.spoil();
            }
        }
        if self.launch.as_ref().is_some_and(|launch| launch.checks.must_begin_again(false)) {
            // The last blocks broke the guard, perhaps on other threads.
            return self.begin_again(memory);
        }
        let Some(mut launch) = self.launch.take() else { return };
        launch.unwind();
        let Some(program) = self.program.clone() else { return };
        if let Some(tracer) = launch.tracer.take() {
            self.traces.push(tracer.finish());
        }
        let kernel = launch.grid.launch.func;
        *self.modes.entry((kernel, launch.mode)).or_default() += 1;
        if let Some(guard) = launch.checks.watched.guard() {
            self.guards.note(kernel, guard, true);
            if failure.is_none() {
                launch.checks.watched.keep(memory);
            }
        }
        let known = launch.checks.watched.races();
        match std::mem::replace(&mut launch.checks.race, RacePass::Off) {
            RacePass::Off => {
                if let Some(bytes) = launch.known_use.take() {
                    let memory = launch.before.as_ref().map(|before| [before.clone(), memory.clone()]);
                    self.uses.push(LaunchUse { number: launch.grid.launch.number, bytes, memory });
                }
                if let Some(known) = known {
                    return self.name_threads(memory, launch, known);
                }
                if launch.before.take().is_some() {
                    memory.reclaim();
                }
            }
            RacePass::Detect(mut detector) => {
                let mut suspicion = detector.end_launch();
                let mut bytes = std::mem::take(&mut suspicion.used);
                if program.unites_cluster(kernel) || launch.nested.made() > 0 {
                    forget_clusters(&mut bytes);
                }
                if !bytes.is_empty() || self.use_wanted != UseWanted::Nothing {
                    // A launch that has used nothing is over all the same.
                    let before = launch.before.as_ref().filter(|_| !bytes.is_empty());
                    let memory = before.map(|before| [before.clone(), memory.clone()]);
                    self.uses.push(LaunchUse { number: launch.grid.launch.number, bytes, memory });
                }
                self.detector = Some(detector);
                if let Some(known) = known {
                    return self.name_threads(memory, launch, known);
                }
                let incomplete = suspicion.incomplete;
                if !suspicion.watch.is_empty()
                    && let Some(before) = launch.before.take()
                {
                    *memory = before;
                    memory.reclaim();
                    let rules = self.options.race.unwrap_or_default();
                    let exact = Exact::new(rules, race_launch(&program, &launch.grid.launch), suspicion);
                    launch.before = self.options.rehearse.then(|| memory.clone());
                    let pass = ExactPass::new(exact, &program);
                    self.launch = Some(launch.restart(RacePass::Decide(Box::new(pass))));
                    return;
                }
                self.findings.extend(checks::incomplete(&program, &launch.grid, incomplete, false));
                if self.undo_rehearsal(memory, &mut launch) {
                    self.launch = Some(launch.restart(RacePass::Off));
                    return;
                }
            }
            RacePass::Decide(pass) => {
                if let Some(after) = launch.after.take() {
                    *memory = after;
                    memory.reclaim();
                }
                self.findings.extend(checks::races(&program, memory, &launch.grid, &launch.nested.grids, *pass));
                if self.undo_rehearsal(memory, &mut launch) {
                    self.launch = Some(launch.restart(RacePass::Off));
                    return;
                }
            }
        }
        self.findings.extend(std::mem::take(&mut launch.checks.reals).findings());
        self.findings.extend(launch.nested.take_faults());
        self.findings.extend(launch.checks.short_barriers.take().into_iter().flat_map(BTreeMap::into_values));
        if let Some(init) = launch.checks.init.take() {
            self.findings.extend(init.findings(&program, memory, &launch.grid, &launch.nested.grids));
        }
        if let Some((finding, error)) = failure {
            self.findings.push(finding);
            self.error = Some(error);
            if error.is_sticky() {
                self.sticky = Some(error);
            }
        }
    }

    /// Begins a launch again whose races the first pass knows, to find the threads that are named.
    fn name_threads(&mut self, memory: &mut Memory, mut launch: ActiveLaunch, known: KnownRaces) {
        let (Some(program), Some(before)) = (&self.program, launch.before.take()) else { return };
        launch.after = Some(std::mem::replace(memory, before));
        let watch = SuspectSet { global: known.bytes.clone(), ..SuspectSet::default() };
        let suspicion = Suspicion { watch, ..Suspicion::default() };
        let rules = self.options.race.unwrap_or_default();
        let exact = Exact::new(rules, race_launch(program, &launch.grid.launch), suspicion);
        let pass = ExactPass::new(exact, program).with_known(known);
        self.launch = Some(launch.restart(RacePass::Decide(Box::new(pass))));
    }

    /// Whether races and barriers are judged by the letter.
    fn is_strict(&self) -> bool {
        self.options.race.is_some_and(|rules| rules.is_strict)
    }

    /// Drops the copy of memory from before the launch. If the launch was a rehearsal, memory is set back to it first, and
    /// the launch has to run again; an error of the rehearsal will occur again.
    fn undo_rehearsal(&self, memory: &mut Memory, launch: &mut ActiveLaunch) -> bool {
        let Some(before) = launch.before.take() else { return false };
        if self.options.rehearse {
            *memory = before;
        } else {
            drop(before);
        }
        memory.reclaim();
        self.options.rehearse
    }
}

fn race_launch(program: &Program, launch: &KernelLaunch) -> Launch {
    let shared = program.dynamic_shared_offset(launch.func) + launch.dynamic_shared;
    Launch { threads_per_block: launch.block.iter().product(), shared_bytes: shared as u32 }
}

/// Tells the race detector what the lanes of a DEALLOCATE free.
fn tell_of_free(race: &mut RacePass, block: &Block, warp: usize, request: &RtRequest, memory: &Memory) {
    if matches!(race, RacePass::Off) {
        return;
    }
    let of = &block.warps[warp];
    for lane in scalar::lanes(request.mask) {
        let info = memory.find(of.arg(request, 1, lane)).map(|id| memory.info(id));
        // What has no name is a copy that the program does not see.
        let Some(info) = info.filter(|info| !info.name.is_empty()) else { continue };
        let mut stack = of.split_of(lane as u32).map(|split| split.call_stack()).unwrap_or_default();
        match stack.first_mut() {
            Some(innermost) => *innermost = request.site,
            None => stack.push(request.site),
        }
        race.on_free(block, (of.number(), lane), &stack, (info.base, info.bytes));
    }
}
