//! The numbers by which a client names threads, frames and values.
//!
//! A thread keeps its number as long as the program runs. Frames and values have theirs until the program moves; a number is
//! never given twice, so a late request cannot reach something else.

use crate::wire::{Failure, refuse};
use debug::{Designator, FocusView, FrameAt, Group};
use std::collections::BTreeMap;

/// The numbers of ranks of MPI begin here: those that the program is not at present, each as a thread with one frame.
const FIRST_RANK: i64 = 1 << 30;

/// The number of a rank.
pub(crate) fn of_rank(rank: u32) -> i64 {
    FIRST_RANK + i64::from(rank)
}

/// The rank of a number, if it is that of one.
pub(crate) fn rank(number: i64) -> Option<u32> {
    u32::try_from(number.checked_sub(FIRST_RANK)?).ok()
}

/// What can be opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Opened {
    /// A group of variables.
    Group(Group),
    /// An array or an object of derived type.
    Value(Designator),
}

/// The numbers given so far.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    next: i64,
    threads: Vec<FocusView>,
    frames: BTreeMap<i64, FrameAt>,
    opened: BTreeMap<i64, (FrameAt, Opened)>,
}

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers { next: 1000, threads: vec![FocusView::Host], frames: BTreeMap::new(), opened: BTreeMap::new() }
    }
}

impl Numbers {
    /// The program moves: frames and values are no longer what they were.
    pub(crate) fn forget(&mut self) {
        self.frames.clear();
        self.opened.clear();
    }

    fn new_number(&mut self) -> i64 {
        self.next += 1;
        self.next
    }

    /// The number of a thread; the host has number 1.
    pub(crate) fn of_thread(&mut self, thread: FocusView) -> i64 {
        let at = self.threads.iter().position(|t| *t == thread).unwrap_or_else(|| {
            self.threads.push(thread);
            self.threads.len() - 1
        });
        at as i64 + 1
    }

    /// A number for a frame.
    pub(crate) fn of_frame(&mut self, frame: FrameAt) -> i64 {
        if let Some((number, _)) = self.frames.iter().find(|(_, f)| **f == frame) {
            return *number;
        }
        let number = self.new_number();
        self.frames.insert(number, frame);
        number
    }

    /// A number for something to be opened.
    pub(crate) fn of_opened(&mut self, frame: FrameAt, what: Opened) -> i64 {
        let number = self.new_number();
        self.opened.insert(number, (frame, what));
        number
    }

    /// The thread of a number.
    pub(crate) fn thread(&self, number: i64) -> Result<FocusView, Failure> {
        let at = usize::try_from(number.wrapping_sub(1)).unwrap_or(usize::MAX);
        self.threads.get(at).copied().map_or_else(|| refuse(format!("There is no thread {number}.")), Ok)
    }

    /// The frame of a number.
    pub(crate) fn frame(&self, number: i64) -> Result<FrameAt, Failure> {
        let found = self.frames.get(&number).copied();
        found.map_or_else(|| refuse("That frame is gone: the program has moved since."), Ok)
    }

    /// What a number opens, and in which frame.
    pub(crate) fn opened(&self, number: i64) -> Result<(FrameAt, Opened), Failure> {
        let found = self.opened.get(&number).cloned();
        found.map_or_else(|| refuse("That value is gone: the program has moved since."), Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_past_name_nothing() {
        let mut numbers = Numbers::default();
        let frame = FrameAt { thread: FocusView::Host, level: 0 };
        let old = numbers.of_frame(frame);
        assert_eq!((numbers.of_frame(frame), numbers.frame(old)), (old, Ok(frame)));
        numbers.forget();
        assert!(numbers.frame(old).is_err() && numbers.of_frame(frame) != old);
        assert_eq!(numbers.of_thread(FocusView::Host), 1);
        assert_eq!((rank(of_rank(3)), rank(1), rank(i64::MIN)), (Some(3), None, None));
        assert!(numbers.thread(2).is_err() && numbers.thread(i64::MIN + 1).is_err() && numbers.thread(0).is_err());
    }
}
