//! Choice of the instruction set at run time.
//!
//! The loop of `exec` is compiled once for each set, here, so that the crates above link what is compiled already;
//! `inline(never)` keeps the compiler from putting that work off to them. The results of all forms are the same bit for bit.
#![allow(unsafe_code)] // A function compiled for an instruction set may be called only where the processor has it.

use crate::code::Program;
use crate::exec::run_core;
use crate::hooks::Hooks;
use crate::rows::{AVX2, AVX512, BASE};
use crate::warp::{Context, Stop, Warp};
use crate::whirl::{Left, Spin};
use crate::wire::{Exit, Wire, drive};

/// An instruction set that the processor has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstructionSet(Set);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Set {
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

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512cd")]
fn run_avx512(p: &Program, w: &mut Warp<32>, c: &mut Context<'_>, wire: &mut Wire<32>) -> Exit {
    run_core::<32, AVX512>(p, w, c, wire)
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx2(p: &Program, w: &mut Warp<32>, c: &mut Context<'_>, wire: &mut Wire<32>) -> Exit {
    run_core::<32, AVX2>(p, w, c, wire)
}

#[inline(never)]
fn run_base(p: &Program, w: &mut Warp<32>, c: &mut Context<'_>, wire: &mut Wire<32>) -> Exit {
    run_core::<32, BASE>(p, w, c, wire)
}

#[inline(never)]
fn run_host(p: &Program, w: &mut Warp<1>, c: &mut Context<'_>, wire: &mut Wire<1>) -> Exit {
    run_core::<1, BASE>(p, w, c, wire)
}

/// Runs a loop by `whirl`; `F` is the set that the caller is compiled for. A function of its own: what the loop keeps in
/// registers is nobody else's business.
#[inline(always)]
pub(crate) fn whirl<const W: usize, const F: u8>(spin: Spin<'_, '_, W>) -> Left {
    match F {
        // SAFETY: the caller is compiled for the set, so the processor has it.
        #[cfg(target_arch = "x86_64")]
        AVX512 => unsafe { whirl_avx512(spin) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        AVX2 => unsafe { whirl_avx2(spin) },
        _ => whirl_base(spin),
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512cd")]
fn whirl_avx512<const W: usize>(spin: Spin<'_, '_, W>) -> Left {
    spin.run::<AVX512>()
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn whirl_avx2<const W: usize>(spin: Spin<'_, '_, W>) -> Left {
    spin.run::<AVX2>()
}

#[inline(never)]
fn whirl_base<const W: usize>(spin: Spin<'_, '_, W>) -> Left {
    spin.run::<BASE>()
}

impl Warp<32> {
    /// Runs until it stops, and says why. The warp can be cloned and resumed after any stop.
    pub fn run(&mut self, program: &Program, ctx: &mut Context<'_>, hooks: Option<&mut dyn Hooks<32>>) -> Stop {
        drive(self, program, ctx, hooks, |warp, ctx, wire| match program.set.0 {
            // SAFETY: the value exists only where the processor has all features that the function is compiled for.
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => unsafe { run_avx512(program, warp, ctx, wire) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { run_avx2(program, warp, ctx, wire) },
            Set::Base => run_base(program, warp, ctx, wire),
        })
    }
}

impl Warp<1> {
    /// Runs until it stops, and says why. The host can be cloned and resumed after any stop.
    pub fn run(&mut self, program: &Program, ctx: &mut Context<'_>, hooks: Option<&mut dyn Hooks<1>>) -> Stop {
        drive(self, program, ctx, hooks, |warp, ctx, wire| run_host(program, warp, ctx, wire))
    }
}
