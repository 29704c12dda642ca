//! The entries of the executor: which width, which instruction set, with or without an observer.
//!
//! The loop of `exec` is compiled here, once for each combination, so that the crates above link what is compiled already;
//! `inline(never)` keeps the compiler from putting that work off to them.
//! The results of all forms are the same bit for bit.
#![allow(unsafe_code)] // A function compiled for an instruction set may be called only where the processor has it.

use crate::code::Program;
use crate::exec::run_loop;
use crate::hooks::{Hooks, NoHooks};
use crate::warp::{Context, Stop, Warp};

type Observer<'a, const W: usize> = dyn Hooks<W> + 'a;

impl Warp<32> {
    /// Runs until it stops, and says why. The warp can be cloned and resumed after any stop.
    pub fn run(&mut self, program: &Program, ctx: &mut Context<'_>, hooks: Option<&mut Observer<'_, 32>>) -> Stop {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let avx2 = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
            let avx512 =
                has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq") && has!("avx512cd");
            if avx2 && avx512 {
                // SAFETY: the processor has all features that the functions are compiled for.
                return unsafe {
                    match hooks {
                        None => plain_avx512(program, self, ctx),
                        Some(hooks) => observed_avx512(program, self, ctx, hooks),
                    }
                };
            }
            if avx2 {
                // SAFETY: as above.
                return unsafe {
                    match hooks {
                        None => plain_avx2(program, self, ctx),
                        Some(hooks) => observed_avx2(program, self, ctx, hooks),
                    }
                };
            }
        }
        match hooks {
            None => plain(program, self, ctx),
            Some(hooks) => observed(program, self, ctx, hooks),
        }
    }
}

impl Warp<1> {
    /// Runs until it stops, and says why. The host can be cloned and resumed after any stop.
    pub fn run(&mut self, program: &Program, ctx: &mut Context<'_>, hooks: Option<&mut Observer<'_, 1>>) -> Stop {
        match hooks {
            None => host(program, self, ctx),
            Some(hooks) => observed_host(program, self, ctx, hooks),
        }
    }
}

#[inline(never)]
fn plain(p: &Program, w: &mut Warp<32>, c: &mut Context<'_>) -> Stop {
    run_loop(p, w, c, &mut NoHooks)
}

#[inline(never)]
fn observed(p: &Program, w: &mut Warp<32>, c: &mut Context<'_>, h: &mut Observer<'_, 32>) -> Stop {
    run_loop(p, w, c, h)
}

#[inline(never)]
fn host(p: &Program, w: &mut Warp<1>, c: &mut Context<'_>) -> Stop {
    run_loop(p, w, c, &mut NoHooks)
}

#[inline(never)]
fn observed_host(p: &Program, w: &mut Warp<1>, c: &mut Context<'_>, h: &mut Observer<'_, 1>) -> Stop {
    run_loop(p, w, c, h)
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512cd")]
fn plain_avx512(p: &Program, w: &mut Warp<32>, c: &mut Context<'_>) -> Stop {
    run_loop(p, w, c, &mut NoHooks)
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512cd")]
fn observed_avx512(p: &Program, w: &mut Warp<32>, c: &mut Context<'_>, h: &mut Observer<'_, 32>) -> Stop {
    run_loop(p, w, c, h)
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn plain_avx2(p: &Program, w: &mut Warp<32>, c: &mut Context<'_>) -> Stop {
    run_loop(p, w, c, &mut NoHooks)
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn observed_avx2(p: &Program, w: &mut Warp<32>, c: &mut Context<'_>, h: &mut Observer<'_, 32>) -> Stop {
    run_loop(p, w, c, h)
}
