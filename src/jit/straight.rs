//! A kernel from its first operation to its end as straight-line code, for warps of which no lane parts from the others.
//!
//! The code does all that a warp does, and the warps behind it in its block ([`crate::State::turns`]), as one transaction: what makes
//! a branch go the same way for all of them, and where their accesses lie, is checked once, at the first and the last of them, since it
//! changes by constants. If a check fails nothing has been done, and the segments do it.
//!
//! Not here: the code that is made of it (`emit::straight`).

use crate::segment::{Segment, ValueId};

/// A kernel as straight-line code.
#[derive(Clone, PartialEq, Debug)]
pub struct StraightLine {
    /// What a warp does. It writes no register, loads no scalar, and ends with the operation at which the kernel ends; all its
    /// accesses are of memory, and their indices have no pattern.
    pub segment: Segment,
    /// What has to hold for all lanes of all warps.
    pub guards: Vec<Guard>,
    /// By how much each value changes from one warp to the next, if it is a scalar that does.
    pub value_steps: Vec<Step>,
    /// The same of the addresses of accesses.
    pub access_steps: Vec<AccessStep>,
    /// Which thread index changes from one warp to the next.
    pub row: usize,
}

/// By how much something changes from one warp to the next: a scalar of 64 bits that is the same for all warps, and has 32 bits as a
/// number with a sign. Nothing if it does not change.
pub type Step = Option<ValueId>;

/// How an address changes from one warp to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AccessStep {
    /// The sum that is an integer of 32 bits, before it is multiplied.
    pub index: Step,
    /// The address, a multiple of the bytes of a word.
    pub address: Step,
}

/// A condition of straight-line code. What is said of an integer of 32 bits holds for it and, with its step for each warp added, for all
/// warps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    /// A truth value that is the same for all warps.
    Is(ValueId, bool),
    /// A number of 64 bits that is the same for all warps has 32 bits, and is a multiple of so many bytes.
    IsStep(ValueId, u32),
    /// An integer of 32 bits plus any of `least..=most` is one of 32 bits too.
    Fits {
        /// The integer.
        value: ValueId,
        /// Its step.
        step: Step,
        /// The least that is added.
        least: i32,
        /// The most that is added.
        most: i32,
    },
    /// The difference of two integers of 32 bits plus any of what lanes add is at least `floor`.
    AtLeast(Difference, i32),
    /// It is more than 0 everywhere, or less than 0 everywhere.
    Differ(Difference),
}

/// The difference of two integers of 32 bits in all lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The one, in lane 0.
    pub left: ValueId,
    /// What is taken from it.
    pub right: ValueId,
    /// The step of the difference.
    pub step: Step,
    /// The least that a lane adds.
    pub least: i32,
    /// The most that a lane adds.
    pub most: i32,
}

impl Guard {
    /// Calls `see` with each value that it looks at.
    fn each_value(&self, mut see: impl FnMut(ValueId)) {
        match *self {
            Guard::Is(value, _) | Guard::IsStep(value, _) => see(value),
            Guard::Fits { value, step, .. } => [Some(value), step].into_iter().flatten().for_each(see),
            Guard::AtLeast(of, _) | Guard::Differ(of) => {
                [Some(of.left), Some(of.right), of.step].into_iter().flatten().for_each(see);
            }
        }
    }
}

impl StraightLine {
    /// Calls `see` with each value that the code needs besides what the segment needs; `is_needed` says of values that it does.
    pub(crate) fn each_needed(&self, is_needed: &[bool], mut see: impl FnMut(ValueId)) {
        self.guards.iter().for_each(|guard| guard.each_value(&mut see));
        let values = self.value_steps.iter().zip(is_needed).filter(|(_, is_needed)| **is_needed).map(|(step, _)| *step);
        let accesses = self.access_steps.iter().flat_map(|step| [step.index, step.address]);
        values.chain(accesses).flatten().for_each(see);
    }
}
