//! The instruction sets that the executor's loops are compiled for. Results do not depend on them.
//!
//! Not here: the compiled loops (`exec::dispatch`).

/// An instruction set that the processor has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstructionSet(pub(crate) Set);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Set {
    Base,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl InstructionSet {
    /// The sets that the processor has, the best last.
    pub fn available() -> Vec<InstructionSet> {
        let mut out = vec![InstructionSet(Set::Base)];
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let avx2 = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
            let avx512 =
                has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq") && has!("avx512cd");
            out.extend(avx2.then_some(InstructionSet(Set::Avx2)));
            out.extend((avx2 && avx512).then_some(InstructionSet(Set::Avx512)));
        }
        out
    }

    /// The best that the processor has.
    pub fn best() -> InstructionSet {
        InstructionSet::available().pop().unwrap_or(InstructionSet(Set::Base))
    }
}
