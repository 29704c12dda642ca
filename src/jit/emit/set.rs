//! Sets of instructions, and the registers that each has.

use super::vector::{MASKS, REGISTERS, Reg};
use std::ops::Range;

/// The instructions that code is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstructionSet {
    /// AVX2, FMA, F16C, BMI1 and BMI2, LZCNT and POPCNT.
    Avx2,
    /// Those, and the foundation, VL, DQ and BW of AVX-512.
    Avx512,
}

impl InstructionSet {
    /// Those of the processor, the best last.
    pub fn available() -> Vec<InstructionSet> {
        #[cfg(all(target_arch = "x86_64", unix))]
        {
            use std::arch::is_x86_feature_detected as has;
            let reals = has!("fma") && has!("f16c");
            let avx2 = has!("avx2") && reals && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
            let avx512 = has!("avx512f") && has!("avx512vl") && has!("avx512dq") && has!("avx512bw");
            let sets = [(InstructionSet::Avx2, avx2), (InstructionSet::Avx512, avx2 && avx512)];
            sets.into_iter().filter(|set| set.1).map(|set| set.0).collect()
        }
        #[cfg(not(all(target_arch = "x86_64", unix)))]
        {
            Vec::new()
        }
    }

    /// The best of them.
    pub fn best() -> Option<InstructionSet> {
        InstructionSet::available().pop()
    }

    /// Lanes of a strip: words of 32 bits in a register.
    pub(super) fn lanes(self) -> usize {
        self.bytes() / 4
    }

    /// Strips of a warp.
    pub(super) fn strips(self) -> usize {
        32 / self.lanes()
    }

    /// Bytes of a register.
    pub(super) fn bytes(self) -> usize {
        match self {
            InstructionSet::Avx2 => 32,
            InstructionSet::Avx512 => 64,
        }
    }

    /// Vector registers.
    pub(super) fn vectors(self) -> Range<Reg> {
        match self {
            InstructionSet::Avx2 => 0..16,
            InstructionSet::Avx512 => 0..MASKS,
        }
    }

    /// Registers for masks; with AVX2 they are vector registers.
    pub(super) fn masks(self) -> Range<Reg> {
        match self {
            InstructionSet::Avx2 => self.vectors(),
            InstructionSet::Avx512 => MASKS + 1..REGISTERS as Reg,
        }
    }
}
