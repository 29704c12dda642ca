//! The splits of a warp take turns in compiled code: where lanes part, meet or end, the next split goes on without a way through the
//! loop of `exec`, which does the same and more.
//!
//! Which split is next is said by `warp::split`, as for the interpreter.
//!
//! Not here: splits of different frames, waiting for other warps (`exec`).

use super::enter::{Entered, Linked};
use crate::code::{Code, Op};
use crate::observe::Observer;
use crate::warp::{Context, LoopExit, Warp};
use jit::Entry;

/// How a warp was left by compiled code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum After {
    /// The lanes that entered are together and go on at an operation, with so many points since the last progress. Their split does
    /// not know of it.
    Together(u32, u32),
    /// The splits are others, or there is none any more: the next is to be picked.
    Apart,
}

/// The lanes that entered, and where they wait for others: operation, frame, and how many such places there are.
type Whole = (u32, Option<(u32, u32)>, usize);

impl Linked<'_> {
    /// Runs the current split of a warp from `entry` on, and the parts of it that part, as far as compiled code takes them.
    #[inline]
    pub(super) fn run_splits<const W: usize>(
        &mut self,
        code: &Code,
        entry: Entry,
        warp: &mut Warp<W>,
        ctx: &mut Context<'_>,
        mut observer: Option<&mut Observer<'_, W>>,
    ) -> After {
        let left = self.run(entry, warp, ctx, observer.as_deref_mut());
        self.after(code, left, warp, ctx, observer)
    }

    /// Goes on where the code has left the current split.
    #[inline]
    pub(super) fn after<const W: usize>(
        &mut self,
        code: &Code,
        left: Entered,
        warp: &mut Warp<W>,
        ctx: &mut Context<'_>,
        observer: Option<&mut Observer<'_, W>>,
    ) -> After {
        let is_together = left.mask == self.lanes();
        let ends_turn = match self.operation(left.pc) {
            Some(Op::Branch { .. } | Op::Reconverge) => true,
            Some(Op::Exit | Op::Return(_)) => warp.splits.len() > 1,
            _ => false,
        };
        if is_together && !ends_turn {
            return After::Together(left.pc, left.polls);
        }
        self.take_turns(code, left, warp, ctx, observer)
    }

    /// Goes on where the current split may have parted, met others or ended.
    #[inline(never)]
    fn take_turns<const W: usize>(
        &mut self,
        code: &Code,
        mut left: Entered,
        warp: &mut Warp<W>,
        ctx: &mut Context<'_>,
        mut observer: Option<&mut Observer<'_, W>>,
    ) -> After {
        let Some(entered) = whole(warp) else { return After::Apart };
        let mut is_whole = true;
        loop {
            if !self.end_turn(code, warp, self.lanes(), &left) {
                if is_whole {
                    return After::Together(left.pc, left.polls);
                }
                warp.go_on_at(left.pc, left.polls);
                return After::Apart;
            }
            let Some(current) = warp.pick() else { return After::Apart };
            let split = &warp.splits[current];
            if split.frame != self.frame() || split.resume || warp.non_converged {
                return After::Apart;
            }
            let (pc, mask, polls) = (split.pc, split.mask, split.polls);
            let join = split.join();
            is_whole = whole(warp) == Some(entered);
            let is_alone = warp.splits.len() == 1;
            let entry = self.entry(pc, mask == u32::MAX);
            if entry.is_none() && !is_whole {
                return After::Apart;
            }
            self.switch_to(warp, (mask, join, polls), is_alone);
            let Some(entry) = entry else { return After::Together(pc, polls) };
            left = self.run(entry, warp, ctx, observer.as_deref_mut());
        }
    }

    /// Ends the turn of the current split, of the lanes of `mask`, if it has parted, waits for others at the place where they meet, or
    /// has ended and others have not; whether it is so.
    fn end_turn<const W: usize>(&self, code: &Code, warp: &mut Warp<W>, mask: u32, left: &Entered) -> bool {
        let current = warp.current;
        let Some(frame) = warp.frame(self.frame()) else { return false };
        let is_outermost = frame.caller.is_none();
        let &Entered { pc, polls, .. } = left;
        if left.mask != mask {
            let Some(of) = code.side_exit_loops.get(left.left_loop as usize) else { return false };
            warp.go_on_at(pc, polls);
            let exit = LoopExit { active: left.mask, pc, last: left.left_last, polls: left.left_polls };
            warp.leave_loop(of, mask, exit);
            return true;
        }
        let Some(op) = self.operation(pc) else { return false };
        match *op {
            Op::Branch { p, then_pc, else_pc, join } => {
                let taken = frame.preds.get(p as usize).map_or(0, |word| word & mask);
                if taken == 0 || taken == mask {
                    return false;
                }
                warp.splits[current].polls = polls;
                warp.part(mask, taken, (then_pc, else_pc, join));
            }
            Op::Reconverge => {
                let split = &mut warp.splits[current];
                if split.join() != pc {
                    return false;
                }
                (split.pc, split.polls) = (pc, polls);
                split.wait_to_meet();
            }
            Op::Exit | Op::Return(_) if is_outermost && warp.splits.len() > 1 => warp.retire(mask),
            _ => return false,
        }
        true
    }
}

/// What the current split is that enters.
fn whole<const W: usize>(warp: &Warp<W>) -> Option<Whole> {
    let split = warp.splits.get(warp.current)?;
    Some((split.mask, split.reconvergences.last().copied(), split.reconvergences.len()))
}
