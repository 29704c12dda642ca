//! Calls and returns: frames are entered and left by the current split.

use super::Warp;
use crate::code::{Op, Program};
use crate::frame::{Caller, Frame, SlotRef};
use ir::FuncId;

/// Calls of the host behind which it stops as if its budget were used up, so that calls without loops can be stopped too. They are no
/// schedule points: an optimised program has fewer.
const MOST_CALLS: u32 = 1 << 21;

impl<const W: usize> Warp<W> {
    /// Whether the host has called so often that it is to stop before the next call; if so, it counts anew.
    pub(crate) fn has_called_enough(&mut self) -> bool {
        let is_enough = self.is_to_stop_before_call();
        if is_enough {
            self.calls = 0;
        }
        is_enough
    }

    /// Whether it has called so often; nothing changes.
    pub(crate) fn is_to_stop_before_call(&self) -> bool {
        self.calls >= MOST_CALLS
    }

    /// Enters a function from the current split; `None` when there is no room for its frame.
    pub(crate) fn enter(&mut self, program: &Program, func: FuncId, args: &[SlotRef]) -> Option<()> {
        let code = &program.code[func.index()];
        if W == 1 {
            code.native.host.count_call();
            self.calls += 1;
        }
        let current = self.current;
        let (caller, pc, mask) = {
            let f = &self.splits[current];
            (f.frame, f.pc, f.mask)
        };
        let mut frame = match self.spare.take(func) {
            Some(mut frame) => {
                frame.restart(code, 0);
                frame
            }
            None => Box::new(Frame::new(func, code)),
        };
        // With one lane the frames are a stack; to look for a place in it would make recursion quadratic.
        let free = if W == 1 { None } else { self.frames.iter().position(Option::is_none) };
        if free.is_none() && self.frames.len() >= self.depth_limit as usize {
            return None;
        }
        if self.stack.is_some() {
            frame.local_base = self.take_stack(code.local_span)?;
        } else {
            self.place_local(code, &mut frame, free.unwrap_or(self.frames.len()));
        }
        if let Some(from) = self.frame(caller) {
            for (&(to, _), &slot) in code.params.iter().zip(args) {
                frame.copy(to, from, slot, mask);
            }
        }
        frame.caller = Some(Caller { frame: caller, pc });
        let number = match free {
            Some(free) => {
                self.frames[free] = Some(frame);
                free
            }
            None => {
                self.frames.push(Some(frame));
                self.frames.len() - 1
            }
        };
        let f = &mut self.splits[current];
        f.frame = number as u32;
        f.pc = 0;
        Some(())
    }

    /// Returns from the current split's function with these values; `false` when it was the outermost.
    pub(crate) fn leave(&mut self, program: &Program, values: &[SlotRef]) -> bool {
        let current = self.current;
        let (number, mask) = {
            let f = &self.splits[current];
            (f.frame, f.mask)
        };
        let Some(place) = self.frames.get_mut(number as usize) else { return false };
        let Some(caller) = place.as_ref().and_then(|f| f.caller.clone()) else { return false };
        let Some(mut frame) = place.take() else { return false };
        frame.users -= 1;
        if let Some(Some(to)) = self.frames.get_mut(caller.frame as usize) {
            let code = &program.code[to.func.index()];
            if let Some(Op::Call(call)) = code.ops.get(caller.pc as usize) {
                for (&slot, &value) in call.results.iter().zip(values) {
                    to.copy(slot, &frame, value, mask);
                }
            }
        }
        if frame.users == 0 {
            if let Some(local) = self.locals.get_mut(number as usize) {
                local.end();
            }
            while self.frames.last().is_some_and(Option::is_none) {
                self.frames.pop();
            }
            match &mut self.stack {
                Some(stack) => stack.top = frame.local_base,
                None if self.splits.len() == 1 => self.local_top = frame.local_base,
                None => {}
            }
            self.spare.put(frame);
        } else {
            self.frames[number as usize] = Some(frame);
        }
        let f = &mut self.splits[current];
        f.frame = caller.frame;
        f.pc = caller.pc + 1;
        true
    }
}
