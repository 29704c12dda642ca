//! Moments in the past: the last that fits what is looked for.

use crate::process::watcher::{Seek, Step, Thread};
use crate::process::{Process, SLICE, wider};
use finding::{Actor, Finding};
use ir::{FuncId, FuncKind};
use vm::Site;

impl Process {
    /// The latest matching time before `before`. Afterwards the process is somewhere in the past.
    pub(crate) fn seek(&mut self, seek: &Seek, before: u64) -> Option<u64> {
        let mut upper = before;
        let mut near = SLICE;
        loop {
            upper = self.last_chance(seek, upper);
            if upper == 0 {
                return None;
            }
            let start = self.approach(upper - 1, near)?;
            near = wider(near);
            let mut watcher = self.watcher();
            // The statement at which the checkpoint was made was counted before it.
            watcher.seek = Some((seek.clone(), upper));
            if self.at.is_some_and(|s| seek.fits(&s)) {
                watcher.found = Some(start);
            }
            // The first match is perhaps the last one, or near to it.
            watcher.halts = watcher.found.is_none();
            if start + 1 < upper {
                self.replay(&mut watcher, upper - 1);
            }
            if watcher.halts && watcher.found == Some(self.time) && self.time + 1 < upper {
                self.keep_if_far();
                watcher.halts = false;
                self.replay(&mut watcher, upper - 1);
            }
            self.reported = self.machine.findings().len();
            if let Some(found) = watcher.found {
                return Some(found);
            }
            upper = start;
        }
    }

    /// The end of the times before `before` at which the block that is sought ran, or the host; 0 if it ran at none.
    pub(super) fn last_chance(&self, seek: &Seek, before: u64) -> u64 {
        match seek {
            Seek::Step(Step { thread: Thread::Host, sites, .. }) if !sites.is_empty() => before,
            Seek::Step(Step { thread: Thread::Host, .. }) | Seek::Span(_) => {
                self.blocks.last_of(|launch, _| launch == 0, before)
            }
            Seek::Step(Step { thread: Thread::Device { launch, block, .. }, .. }) => {
                self.blocks.last_of(|of, at| (of, at) == (*launch, *block), before)
            }
            Seek::Launch(launch, _) => self.blocks.last_of(|of, _| of == *launch, before),
        }
    }

    /// The end of the times before `before` at which one of these statements may have run, in a block whose index, from 0, has
    /// the required values; 0 if none can have.
    pub(crate) fn last_run(&self, sites: &[Site], required: [Option<u32>; 3], before: u64) -> u64 {
        let module = self.machine.program().module();
        let may_run = |kernel: Option<FuncId>| {
            sites.iter().any(|site| match kernel {
                Some(kernel) => self.reach.has(kernel, site.func),
                None => module.func(site.func).kind == FuncKind::Host,
            })
        };
        self.blocks.last(required, may_run, self.trace.last(sites, before))
    }

    /// Goes to the statement that caused a finding. The finding counts as reported, so continuing passes it.
    pub(crate) fn go_to_fault(&mut self, finding: &Finding) -> Thread {
        let told = self.machine.findings().len();
        let time = self.time;
        let lane = match finding.accesses.last().map(|a| &a.actor) {
            Some(Actor::Thread(t)) => Some((t.warp, t.lane)),
            _ => None,
        };
        let seek = match &finding.launch {
            Some(launch) => Seek::Launch(launch.number, lane),
            None => Seek::Span(finding.span()),
        };
        // The statement that was begun last may be the one.
        let goal = self.seek(&seek, time + 1).unwrap_or(time);
        self.go_to(goal);
        self.reported = told;
        match (&finding.launch, self.at) {
            (Some(_), Some(s)) if s.launch != 0 => Thread::Device {
                launch: s.launch,
                block: s.block,
                warp: s.warp,
                lane: lane.map_or(s.mask.trailing_zeros(), |l| l.1),
            },
            _ => Thread::Host,
        }
    }
}
