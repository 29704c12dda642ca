//! Run control: continuing and stepping, forwards and backwards.
//!
//! A watcher stops the machine wherever the user might want to stop. This file decides whether to, with the whole state
//! available: first changed values, then breakpoints with their conditions, then the end of a step. To go backwards, it
//! executes again from a checkpoint to the present and goes to the last match; without one, it tries the checkpoint before.
//!
//! Not here: moving the machine (`process`).

use crate::command::{ProgramArguments, Radix, WatchOn, Where};
use crate::eval::value::{Value, fail};
use crate::process::races::AccessTimes;
use crate::process::watcher::{Seek, Step, Thread, Watcher};
use crate::process::{IoHooks, Process, Ran, SLICE, wider};
use crate::session::attendant::Attendant;
use crate::session::breakpoint::{Breakpoint, Condition, Kind, Place};
use crate::session::focus::Level;
use crate::session::{Session, SessionError, refuse};
use crate::view::reply::{Outcome, Stop, StopReason};
use device::Statement;
use finding::{Severity, host_launch};
use source::Span;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use vm::Site;

type Done = Result<Outcome, SessionError>;

/// The goal of a run.
#[derive(Clone, Debug)]
enum Goal {
    /// To a breakpoint.
    Continue,
    /// To the end of a step.
    Step(Step),
    /// To the start of the statement at which a thread is shown; breakpoints there do not stop it again.
    Arrive(Step),
    /// To this time, whichever thread is then before a statement.
    Time(u64),
}

impl Goal {
    fn step(&self) -> Option<&Step> {
        match self {
            Goal::Continue | Goal::Time(_) => None,
            Goal::Step(step) | Goal::Arrive(step) => Some(step),
        }
    }
}

/// A reason to stop, with the thread to focus on.
pub(crate) type Verdict = (StopReason, Thread);

/// The thread of a lane that begins a statement.
pub(crate) fn thread_of(s: &Statement, lane: u32) -> Thread {
    if s.launch == 0 {
        return Thread::Host;
    }
    Thread::Device { launch: s.launch, block: s.block, warp: s.warp, lane }
}

/// The same for its lowest lane.
fn lowest(s: &Statement) -> Thread {
    thread_of(s, s.mask.trailing_zeros())
}

impl Session {
    /// The commands `run` and `start`.
    pub(crate) fn run(
        &mut self,
        given: Option<&ProgramArguments>,
        stop_first: bool,
        attendant: &mut dyn Attendant,
    ) -> Done {
        if let Some(given) = given {
            self.arguments.clone_from(given);
        }
        self.restart()?;
        if !stop_first {
            return Ok(self.go(&Goal::Continue, attendant));
        }
        let step = Step { thread: Thread::Host, most_depth: Some(u32::MAX), sites: Vec::new() };
        Ok(match self.go(&Goal::Step(step), attendant) {
            Outcome::Stop(stop) if stop.reason == StopReason::Step => {
                Outcome::Stop(Box::new(Stop { reason: StopReason::Start, with_frame: true, ..*stop }))
            }
            other => other,
        })
    }

    /// The command `continue`.
    pub(crate) fn continue_run(&mut self, count: u64, attendant: &mut dyn Attendant) -> Done {
        self.need_running()?;
        if count > 1 {
            // As in gdb: ignore the breakpoint at the present statement this many times.
            let here = self.process.at().map(|s| Site { func: s.func, pc: s.pc });
            let hit = |k: &Kind| matches!(k, Kind::Statement(p) if here.is_some_and(|h| p.sites.contains(&h)));
            match self.breakpoints.iter_mut().find(|b| b.enabled && hit(&b.kind)) {
                Some(b) => b.ignore = count - 1,
                None => return refuse("Not stopped at any breakpoint; argument ignored."),
            }
        }
        Ok(self.go(&Goal::Continue, attendant))
    }

    /// The commands `step` and `next`.
    pub(crate) fn step(&mut self, count: u64, over_calls: bool, attendant: &mut dyn Attendant) -> Done {
        self.need_running()?;
        let mut left = count;
        // The step leaves the shown statement; a thread that has not begun it must reach it first.
        let mut arrives = self.is_before_statement(self.focus);
        loop {
            let depth = if over_calls { self.selected().map_or(0, |l| l.depth) } else { u32::MAX };
            let step = Step { thread: self.focus, most_depth: Some(depth), sites: Vec::new() };
            let goal = if arrives { Goal::Arrive(step) } else { Goal::Step(step) };
            let outcome = self.go(&goal, attendant);
            left -= u64::from(!arrives);
            arrives = false;
            match &outcome {
                Outcome::Stop(stop) if stop.reason == StopReason::Step && left > 0 => {}
                _ => return Ok(outcome),
            }
        }
    }

    /// The command `stepi`: so many statements of whichever threads.
    pub(crate) fn step_any(&mut self, count: u64, attendant: &mut dyn Attendant) -> Done {
        self.need_running()?;
        let time = self.process.time().saturating_add(count);
        Ok(self.go(&Goal::Time(time), attendant))
    }

    /// The command `reverse-stepi`.
    pub(crate) fn step_any_back(&mut self, count: u64) -> Done {
        let before = self.present()?;
        let time = before.saturating_sub(count).max(1);
        self.process.go_to(time);
        let thread = self.process.at().map_or(Thread::Host, lowest);
        let reason = if before <= count { StopReason::HistoryStart } else { StopReason::Step };
        Ok(self.stopped(reason, thread))
    }

    /// The command `finish`.
    pub(crate) fn finish(&mut self, attendant: &mut dyn Attendant) -> Done {
        self.need_running()?;
        let step = self.caller_step("finish")?;
        let (thread, finished) = (self.focus, self.selected());
        let mut outcome = self.go(&Goal::Step(step), attendant);
        if let (Outcome::Stop(stop), Some(finished)) = (&mut outcome, finished)
            && stop.reason == StopReason::Step
            && self.focus == thread
            && let Some((value, text)) = self.returned(thread, finished)
        {
            stop.returned = Some((self.kept.add(Ok(value)), text));
        }
        Ok(outcome)
    }

    /// The value of a function that has just returned: that of its result before its last statement, which ends it.
    fn returned(&mut self, thread: Thread, finished: Level) -> Option<(Value, String)> {
        let result = self.setup.checked.proc(self.sites.proc(finished.site.func)?).result?;
        let (now, reported) = (self.process.time(), self.process.reported());
        let step = Step { thread, most_depth: Some(finished.depth), sites: Vec::new() };
        let last = self.process.seek(&Seek::Step(step), now);
        let value = last.filter(|&time| self.process.go_to(time)).and_then(|_| {
            let levels = self.levels(thread);
            let level = levels.iter().find(|l| l.site.func == finished.site.func && l.depth == finished.depth)?;
            let context = self.context_of(thread, Some(level.frame)).ok()?;
            let object = context.variable(result).ok()?;
            Some((context.load(&object).ok()?, context.show(&object, Radix::Natural).ok()?))
        });
        self.process.go_to(now);
        self.process.set_reported(reported);
        value
    }

    /// The command `until` without a location.
    pub(crate) fn until(&mut self, attendant: &mut dyn Attendant) -> Done {
        self.need_running()?;
        let (Some(level), Some((file, line))) = (self.selected(), self.current_line()) else {
            return self.step(1, true, attendant);
        };
        let sites = self.sites.after(file, line, level.site.func);
        let step = Step { thread: self.focus, most_depth: level.depth.checked_sub(1), sites };
        Ok(self.go(&Goal::Step(step), attendant))
    }

    fn caller_step(&self, name: &str) -> Result<Step, SessionError> {
        match self.selected() {
            Some(Level { depth, .. }) if depth > 0 => {
                Ok(Step { thread: self.focus, most_depth: Some(depth - 1), sites: Vec::new() })
            }
            _ => refuse(format!("\"{name}\" not meaningful in the outermost frame.")),
        }
    }

    /// The command `advance`.
    pub(crate) fn advance(&mut self, at: &Where, attendant: &mut dyn Attendant) -> Done {
        self.need_running()?;
        let program = self.process.machine().program().clone();
        let found = self.sites.resolve(&program, &self.setup.sources, at, self.current_line())?;
        let most_depth = self.selected().and_then(|l| l.depth.checked_sub(1));
        let step = Step { thread: self.focus, most_depth, sites: found.sites };
        Ok(self.go(&Goal::Step(step), attendant))
    }

    /// The command `barrier`.
    pub(crate) fn barrier(&mut self, attendant: &mut dyn Attendant) -> Done {
        self.need_running()?;
        if self.focus == Thread::Host {
            return refuse("The focus is on the host, which has no barriers.");
        }
        let step = Step { thread: self.focus, most_depth: None, sites: self.sites.barriers().to_vec() };
        Ok(self.go(&Goal::Step(step), attendant))
    }

    /// The focused frame.
    pub(crate) fn selected(&self) -> Option<Level> {
        self.levels(self.focus).get(self.level as usize).copied()
    }

    fn watcher(&self) -> Watcher {
        let mut watcher = self.process.watcher();
        self.watch_anew(&mut watcher);
        watcher
    }

    /// Makes a watcher stop at the present breakpoints and watchpoints.
    fn watch_anew(&self, watcher: &mut Watcher) {
        watcher.marks = self.marks();
        (watcher.ranges, watcher.threads) = self.watched();
    }

    fn go(&mut self, goal: &Goal, attendant: &mut dyn Attendant) -> Outcome {
        let (interrupt, attention) = (Arc::clone(&self.interrupt), Arc::clone(&self.attention));
        self.remember_watched();
        let from = self.process.time();
        // Without a step and watchpoints, each time that is passed is one at which no breakpoint stops.
        self.searched = (matches!(goal, Goal::Continue) && !self.has_watchpoints()).then_some(from + 1);
        let mut watcher = self.watcher();
        watcher.step = goal.step().cloned();
        loop {
            // The second access of a race is a stop.
            let race = self.next_race(self.process.time(), u64::MAX).map_or(u64::MAX, |r| r.0);
            let limit = if let Goal::Time(time) = goal { race.min(*time) } else { race };
            let output = &mut |bytes: &[u8]| attendant.output(bytes);
            let hooks = &mut IoHooks { output, interrupt: &interrupt, attention: Some(&attention) };
            let mut ran = self.process.go(&mut watcher, limit, hooks);
            let is_interrupted = hooks.is_interrupted();
            if ran == Ran::Raced {
                let at = watcher.at;
                self.locate_races(attendant);
                watcher.at = at;
                ran = Ran::Statement;
            }
            if let Some(first) = self.searched {
                self.clean.add(first, self.process.time());
            }
            if let Some((time, reason, thread)) = self.next_race(from, self.process.time()) {
                let told = self.process.reported();
                if time != self.process.time() {
                    self.process.go_to(time);
                    self.process.set_reported(told);
                }
                return self.stopped(reason, thread);
            }
            let (reason, thread) = match ran {
                Ran::Raced | Ran::Called => continue,
                Ran::Over(code) => (StopReason::Exited(code), Thread::Host),
                Ran::Found => return self.fault(),
                Ran::Interrupted if attendant.interrupted(self) => {
                    // Breakpoints may have changed.
                    self.watch_anew(&mut watcher);
                    self.searched = None;
                    continue;
                }
                Ran::Interrupted => self.interrupted(),
                Ran::Statement => {
                    let Some(s) = watcher.at else { continue };
                    let seen = std::mem::take(&mut watcher.seen);
                    let text = self.logged(&s);
                    if !text.is_empty() {
                        attendant.output(text.as_bytes());
                    }
                    self.last_own = watcher.own.unwrap_or(from);
                    let verdict = self.watch_verdict(&s, seen, false);
                    match verdict.or_else(|| self.verdict(&s, goal)) {
                        Some(verdict) => verdict,
                        // The program may do nothing but reach statements where it does not stop.
                        None if is_interrupted => {
                            self.interrupt.store(false, Ordering::Relaxed);
                            self.attention.store(false, Ordering::Relaxed);
                            if attendant.interrupted(self) {
                                self.watch_anew(&mut watcher);
                                self.searched = None;
                                continue;
                            }
                            self.interrupted()
                        }
                        None => continue,
                    }
                }
            };
            self.interrupt.store(false, Ordering::Relaxed);
            return self.stopped(reason, thread);
        }
    }

    /// The stop of an interrupted program.
    fn interrupted(&self) -> Verdict {
        let thread = self.process.at().map_or(Thread::Host, lowest);
        let keep = self.focus != Thread::Host && self.is_alive(self.focus);
        (StopReason::Interrupted, if keep { self.focus } else { thread })
    }

    /// Whether breakpoints or the step stop at this statement.
    fn verdict(&mut self, s: &Statement, goal: &Goal) -> Option<Verdict> {
        if let Some((index, thread, failed)) = self.breakpoint_hit(s, goal) {
            // Whether it stops or is ignored, the search goes on behind it.
            self.searched = self.searched.map(|_| self.process.time() + 1);
            let b = &mut self.breakpoints[index];
            b.hits += 1;
            if b.ignore > 0 {
                b.ignore -= 1;
            } else if b.hit_rule.is_none_or(|rule| rule.holds(b.hits)) {
                let reason = StopReason::Breakpoint { number: b.number, temporary: b.temporary, failed };
                if b.temporary {
                    let gone = self.breakpoints.remove(index);
                    self.gone = Some((gone.number, gone.commands));
                    self.mark();
                }
                return Some((reason, thread));
            }
        }
        if matches!(goal, Goal::Time(time) if self.process.time() >= *time) {
            return Some((StopReason::Step, lowest(s)));
        }
        let step = goal.step()?;
        if step.ends_at(s) {
            return Some((StopReason::Step, if step.thread.begins(s) { step.thread } else { lowest(s) }));
        }
        self.has_ended(step.thread, s).then(|| {
            self.ended = Some((step.thread, self.process.time()));
            (StopReason::ThreadEnded, lowest(s))
        })
    }

    /// Whether a thread can reach no further statement when this one begins, because its launch is over. It is not while another grid of
    /// the same launch from the host runs and that of the thread has not ended.
    fn has_ended(&self, thread: Thread, s: &Statement) -> bool {
        let Thread::Device { launch, .. } = thread else { return false };
        let is_within = host_launch(s.launch) == host_launch(launch);
        s.launch != launch && (!is_within || self.process.grid(launch).is_none())
    }

    /// The breakpoint that a statement hits, by index, the thread that hits it, and why its condition cannot be evaluated.
    fn breakpoint_hit(&self, s: &Statement, goal: &Goal) -> Option<(usize, Thread, Option<String>)> {
        let site = Site { func: s.func, pc: s.pc };
        for (index, b) in self.breakpoints.iter().enumerate().filter(|(_, b)| b.enabled) {
            let Kind::Statement(place) = &b.kind else { continue };
            if place.log.is_some() || !place.sites.contains(&site) {
                continue;
            }
            let stepping = goal.step().map(|step| step.thread);
            let own = stepping.filter(|t| t.begins(s));
            if own.is_some() && matches!(goal, Goal::Arrive(_)) {
                continue;
            }
            // Other threads of the stepped launch reach the same places: only a condition stops there.
            let same_launch = matches!(stepping, Some(Thread::Device { launch, .. }) if launch == s.launch);
            let Some(condition) = &place.condition else {
                if same_launch && own.is_none() {
                    continue;
                }
                return Some((index, own.unwrap_or(lowest(s)), None));
            };
            let context = |lane| self.statement_context(s, lane);
            let proc = self.sites.proc(s.func);
            let focused = match own {
                Some(Thread::Device { lane, .. }) => condition.first_lane(proc, 1 << lane, context),
                _ => None,
            };
            // A condition that cannot be evaluated counts as true, so the user sees where.
            if let Some((lane, held)) = focused.or_else(|| condition.first_lane(proc, s.mask, context)) {
                return Some((index, thread_of(s, lane), held.err()));
            }
        }
        None
    }

    fn statement_context(
        &self,
        s: &Statement,
        lane: u32,
    ) -> crate::eval::value::Eval<crate::eval::context::Context<'_>> {
        if s.launch != 0 && self.process.block(s.launch, s.block).is_none() {
            return fail("the block has ended");
        }
        self.context_of(thread_of(s, lane), Some(s.frame))
    }

    /// The program has an error: go back to the statement that caused it.
    fn fault(&mut self) -> Outcome {
        self.update_findings();
        let new_findings = self.process.new_findings();
        let texts: Vec<String> = new_findings.iter().map(|f| self.word(f)).collect();
        let error = new_findings.iter().find(|f| f.severity() == Severity::Error);
        let thread = error.map_or(Thread::Host, |finding| self.process.go_to_fault(finding));
        let (time, index) = (self.process.time(), self.seen.iter().rposition(|f| Some(f) == error));
        // The user can go to this statement again.
        if let Some(finding) = index.filter(|_| thread != Thread::Host) {
            self.access_times.retain(|m| m.finding != finding);
            self.access_times.push(AccessTimes { finding, first: None, second: Some((time, thread)) });
        }
        self.faulted = Some((time, thread));
        // The thread may have begun its last statement in a procedure that has returned to the statement of the error. A
        // frame that waits for a call is at the call, which may be another part of that statement.
        let is_at = |level: &Level, place: Span| {
            let around = |span: Span| self.sites.statement_around(level.site.func, span);
            around(place).is_some_and(|statement| around(self.span_of(level)) == Some(statement))
        };
        let level = error.and_then(|f| self.levels(thread).iter().position(|l| is_at(l, f.span())));
        let Outcome::Stop(mut stop) = self.stopped_at(StopReason::Fault, thread, level.unwrap_or(0)) else {
            return Outcome::Reply(crate::view::reply::Reply::Done);
        };
        stop.findings = texts;
        stop.with_frame = true;
        Outcome::Stop(stop)
    }

    /// Moves the focus to a thread and describes the stop.
    pub(crate) fn stopped(&mut self, reason: StopReason, thread: Thread) -> Outcome {
        self.stopped_at(reason, thread, 0)
    }

    /// The same for a frame of its call stack, from the innermost.
    fn stopped_at(&mut self, reason: StopReason, thread: Thread, frame: usize) -> Outcome {
        self.update_findings();
        let new_findings = self.process.new_findings();
        let findings = new_findings.iter().map(|f| self.word(f)).collect();
        self.focus = thread;
        self.level = frame as u32;
        self.listed = None;
        let view = self.view(thread);
        let over = self.process.over().is_some();
        if let StopReason::Exited(code) = &reason {
            self.kept.give("$_exitcode", Value::int4((*code).into()));
        }
        let level = if over { None } else { self.levels(thread).get(frame).copied() };
        let place = level.and_then(|l| self.place_of(thread, &l));
        let before = self.last_shown.map(|t| t.0);
        let switched = !over && before.unwrap_or(crate::view::reply::FocusView::Host) != view;
        let now = level.map(|l| (view, l.site.func, l.depth));
        let with_frame = switched || now != self.last_shown || !matches!(reason, StopReason::Step);
        self.last_shown = now;
        let span = level.map_or(Span::NONE, |l| self.span_of(&l));
        let displays = if over { Vec::new() } else { self.display_values() };
        let time = self.process.time();
        Outcome::Stop(Box::new(Stop {
            reason,
            findings,
            focus: view,
            switched,
            span,
            place,
            with_frame,
            time,
            displays,
            returned: None,
        }))
    }

    /// The time before which a step backwards ends.
    fn present(&self) -> Result<u64, SessionError> {
        if !self.started {
            return refuse("The program is not being run.");
        }
        // The end of the program is after its last statement.
        Ok(self.process.time() + u64::from(self.process.over().is_some()))
    }

    /// The commands `reverse-step` and `reverse-next`.
    pub(crate) fn step_back(&mut self, count: u64, over_calls: bool) -> Done {
        let mut left = count;
        loop {
            let before = self.present()?;
            let at_end = if self.process.over().is_some() { 0 } else { u32::MAX };
            let depth = match (over_calls, self.selected()) {
                (true, Some(level)) => level.depth,
                (true, None) => at_end,
                (false, _) => u32::MAX,
            };
            // Step back into a thread that was stepped to its end.
            let (thread, depth, end) = match self.ended.take() {
                Some((thread, time)) if time == before => (thread, u32::MAX, self.last_own + 1),
                _ => (self.focus, depth, before),
            };
            let step = Step { thread, most_depth: Some(depth), sites: Vec::new() };
            let outcome = self.back_to(&step, before, end);
            left -= 1;
            match &outcome {
                Outcome::Stop(stop) if stop.reason == StopReason::Step && left > 0 => {}
                _ => return Ok(outcome),
            }
        }
    }

    /// The command `reverse-finish`.
    pub(crate) fn finish_back(&mut self) -> Done {
        self.need_running()?;
        let before = self.present()?;
        let step = self.caller_step("reverse-finish")?;
        Ok(self.back_to(&step, before, before))
    }

    /// Goes to the last statement before `before` at which a step ends; the thread has begun none from `end` on.
    fn back_to(&mut self, step: &Step, before: u64, end: u64) -> Outcome {
        if let Some(time) = self.process.seek(&Seek::Step(step.clone()), before.min(end)) {
            self.process.go_to(time);
            return self.stopped(StopReason::Step, step.thread);
        }
        // Before the first statement of a device thread comes the launch.
        if step.thread != Thread::Host {
            let host = Step { thread: Thread::Host, most_depth: Some(u32::MAX), sites: Vec::new() };
            if let Some(time) = self.process.seek(&Seek::Step(host), before) {
                self.process.go_to(time);
                return self.stopped(StopReason::Step, Thread::Host);
            }
        }
        self.process.go_to(1);
        self.stopped(StopReason::HistoryStart, Thread::Host)
    }

    /// The command `reverse-continue`.
    pub(crate) fn continue_back(&mut self) -> Done {
        let before = self.present()?;
        let is_watching = self.has_watchpoints();
        let (mut upper, mut near) = (before, SLICE);
        loop {
            if !is_watching {
                upper = self.last_chance(upper);
            }
            if upper == 0 {
                break;
            }
            let Some(start) = self.process.approach(upper - 1, near) else { break };
            let hit = self.last_hit(start, upper);
            if !is_watching {
                self.clean.add(hit.as_ref().map_or(start, |hit| hit.0 + 1), upper);
            }
            if let Some((time, (reason, thread))) = hit {
                self.process.go_to(time);
                return Ok(self.stopped(reason, thread));
            }
            upper = start;
            near = wider(near);
        }
        self.process.go_to(1);
        Ok(self.stopped(StopReason::HistoryStart, Thread::Host))
    }

    fn has_watchpoints(&self) -> bool {
        self.breakpoints.iter().any(|b| b.enabled && matches!(b.kind, Kind::Watch(_)))
    }

    /// The end of the times before `before` at which a breakpoint may stop; 0 if none can have.
    fn last_chance(&self, before: u64) -> u64 {
        let places = || {
            self.breakpoints.iter().filter(|b| b.enabled).filter_map(|b| match &b.kind {
                Kind::Statement(place) if place.log.is_none() => Some(place),
                _ => None,
            })
        };
        let mut upper = before;
        loop {
            let last = |place: &Place| {
                let block = place.condition.as_ref().map_or([None; 3], Condition::block);
                self.process.last_run(&place.sites, block, upper)
            };
            let next = self.clean.last(places().map(last).max().unwrap_or(0));
            if next == upper {
                return upper;
            }
            upper = next;
        }
    }

    /// The command `last-change`.
    pub(crate) fn last_change(&mut self, text: &str) -> Done {
        let before = self.present()?;
        let watch = self.new_watch(text, WatchOn::Change)?;
        let (focus, level, is_over) = (self.focus, self.level, self.process.over().is_some());
        // The only watchpoint meanwhile; number 0 says that it is none of the user's.
        let watchpoint = Breakpoint::new(0, Kind::Watch(Box::new(watch)), false);
        let others = std::mem::replace(&mut self.breakpoints, vec![watchpoint]);
        self.mark();
        let outcome = self.continue_back();
        self.breakpoints = others;
        self.mark();
        let is_found = |stop: &Stop| matches!(stop.reason, StopReason::Watchpoint { .. });
        if matches!(&outcome, Ok(Outcome::Stop(stop)) if !is_found(stop)) {
            self.process.go_to(before - u64::from(is_over));
            if is_over {
                let mut watcher = self.process.watcher();
                while !matches!(self.process.replay(&mut watcher, u64::MAX), Ran::Over(_)) {}
            }
            (self.focus, self.level) = (focus, level);
            return refuse(format!("`{text}` has not changed since the program began."));
        }
        outcome
    }

    /// The last hit of a breakpoint or watchpoint from `start`, where the process stands, on and before `upper`.
    fn last_hit(&mut self, start: u64, upper: u64) -> Option<(u64, Verdict)> {
        self.remember_watched();
        let mut best = None;
        let judge = |session: &Session, s: &Statement| {
            let (index, thread, failed) = session.breakpoint_hit(s, &Goal::Continue)?;
            let b = &session.breakpoints[index];
            Some((StopReason::Breakpoint { number: b.number, temporary: false, failed }, thread))
        };
        if let Some(s) = self.process.at().copied()
            && start > 0
        {
            best = judge(self, &s).map(|verdict| (start, verdict));
        }
        let mut watcher = self.watcher();
        // A change made by the statement before `upper` shows only there.
        let limit = if watcher.ranges.is_empty() && watcher.threads.is_empty() { upper - 1 } else { upper };
        while self.process.time() < limit {
            match Process::replay(&mut self.process, &mut watcher, limit) {
                Ran::Statement => {}
                Ran::Raced | Ran::Called => {}
                Ran::Found | Ran::Over(_) | Ran::Interrupted => break,
            }
            let Some(s) = watcher.at else { break };
            let seen = std::mem::take(&mut watcher.seen);
            let time = self.process.time();
            if let Some((reason, thread)) = self.watch_verdict(&s, seen, true)
                && time > 1
            {
                // The statement that wrote is the one begun before.
                best = Some((time - 1, (reason, thread)));
            }
            if time < upper
                && let Some(verdict) = judge(self, &s)
            {
                best = Some((time, verdict));
            }
        }
        best
    }
}
