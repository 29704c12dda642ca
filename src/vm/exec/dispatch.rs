//! The loops of the executor, compiled once for each instruction set.
//!
//! They are compiled here, so that the crates above link finished code; `inline(never)` keeps the compiler from compiling them
//! again there. The results of all sets are the same bit for bit.
#![allow(unsafe_code)] // A function compiled for an instruction set may be called only where the processor has it.

use super::report::{Exit, RunState, drive};
use super::run::run_core;
use super::single;
use crate::code::{Program, Set};
use crate::native::{self, Single};
use crate::observe::{Hooks, Observer};
use crate::simd::{Avx2, Avx512, Base};
use crate::warp::{Arg, Context, Stop, Warp};

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512cd")]
fn run_avx512(p: &Program, w: &mut Warp<32>, c: &mut Context<'_>, run: &mut RunState<32>) -> Exit {
    // SAFETY: a function for an instruction set may be called only where the processor has it.
    run_core(unsafe { Avx512::assume() }, p, w, c, run)
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx2(p: &Program, w: &mut Warp<32>, c: &mut Context<'_>, run: &mut RunState<32>) -> Exit {
    // SAFETY: a function for an instruction set may be called only where the processor has it.
    run_core(unsafe { Avx2::assume() }, p, w, c, run)
}

#[inline(never)]
fn run_base(p: &Program, w: &mut Warp<32>, c: &mut Context<'_>, run: &mut RunState<32>) -> Exit {
    run_core(Base, p, w, c, run)
}

#[inline(never)]
fn run_host(p: &Program, w: &mut Warp<1>, c: &mut Context<'_>, run: &mut RunState<1>) -> Exit {
    run_core(Base, p, w, c, run)
}

/// Executes one operation for compiled code (see [`single::execute`]).
pub(crate) fn execute_single(
    program: &Program,
    warp: &mut Warp<32>,
    ctx: &mut Context<'_>,
    at: &mut Single,
    observer: Option<&mut Observer<'_, 32>>,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    fn with_avx2(
        p: &Program,
        w: &mut Warp<32>,
        c: &mut Context<'_>,
        at: &mut Single,
        observer: Option<&mut Observer<'_, 32>>,
    ) -> bool {
        single::execute(p, w, c, at, observer)
    }
    // SAFETY: without AVX2 nothing is compiled.
    #[cfg(target_arch = "x86_64")]
    return unsafe { with_avx2(program, warp, ctx, at, observer) };
    #[cfg(not(target_arch = "x86_64"))]
    single::execute(program, warp, ctx, at, observer)
}

/// Runs the warps of a block in that order, from barrier to barrier, as long as compiled code takes all of them from each to the
/// next or to their end. Gives the place in the order at which the block goes on with [`Warp::run`]: the warps before it have had
/// their turn. The hooks are told of the barriers that are completed, too.
pub fn run_together(
    program: &Program,
    warps: &mut [Warp<32>],
    order: &[u32],
    ctx: &mut Context<'_>,
    hooks: Option<&mut dyn Hooks<32>>,
) -> usize {
    let mut observer = hooks.map(Observer::new);
    if observer.as_ref().is_some_and(|observer| !observer.follows_code) {
        return 0;
    }
    native::run_together(program, execute_single, warps, order, (ctx, observer.as_mut()))
}

impl Warp<32> {
    /// Runs a warp that has just begun, and those after it in its block, one after another in its registers. They
    /// must not wait for each other. `None` if that cannot be done: nothing has happened. Otherwise the warps before the number given
    /// have ended, and this is the one of that number, if there is one; [`Warp::run`] goes on with it.
    pub fn run_in_turn(
        &mut self,
        program: &Program,
        args: &[Arg],
        ctx: &mut Context<'_>,
        hooks: Option<&mut dyn Hooks<32>>,
    ) -> Option<u32> {
        let mut observer = hooks.map(Observer::new);
        if observer.as_ref().is_some_and(|observer| !observer.follows_code) {
            return None;
        }
        native::run_in_turn(program, execute_single, self, args, (ctx, observer.as_mut()))
    }

    /// Runs until it stops, and says why. The warp can be cloned and resumed after any stop.
    pub fn run(&mut self, program: &Program, ctx: &mut Context<'_>, hooks: Option<&mut dyn Hooks<32>>) -> Stop {
        let mut observer = hooks.map(Observer::new);
        if observer.as_ref().is_none_or(|observer| observer.follows_code)
            && let Some(stop) = native::resume(program, execute_single, self, (ctx, observer.as_mut()))
        {
            return stop;
        }
        drive(self, program, ctx, observer, |warp, ctx, run| match program.set.0 {
            // SAFETY: the value exists only where the processor has all features that the function is compiled for.
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => unsafe { run_avx512(program, warp, ctx, run) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { run_avx2(program, warp, ctx, run) },
            Set::Base => run_base(program, warp, ctx, run),
        })
    }
}

impl Warp<1> {
    /// Runs until it stops, and says why. The host can be cloned and resumed after any stop.
    pub fn run(&mut self, program: &Program, ctx: &mut Context<'_>, hooks: Option<&mut dyn Hooks<1>>) -> Stop {
        drive(self, program, ctx, hooks.map(Observer::new), |warp, ctx, run| run_host(program, warp, ctx, run))
    }
}
