//! Choice of the instruction set at run time.
//!
//! The loop of `exec` is compiled once for each set; the results are the same bit for bit.
#![allow(unsafe_code)] // A function compiled for an instruction set may be called only where the processor has it.

use crate::code::Program;
use crate::exec::run_loop;
use crate::hooks::Hooks;
use crate::warp::{Context, Stop, Warp};

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512cd")]
fn run_avx512<const W: usize, H: Hooks<W>>(p: &Program, w: &mut Warp<W>, c: &mut Context<'_>, h: &mut H) -> Stop {
    run_loop(p, w, c, h)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx2<const W: usize, H: Hooks<W>>(p: &Program, w: &mut Warp<W>, c: &mut Context<'_>, h: &mut H) -> Stop {
    run_loop(p, w, c, h)
}

/// Runs the loop in the best form that the processor has.
pub(crate) fn dispatch<const W: usize, H: Hooks<W>>(
    program: &Program,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    hooks: &mut H,
) -> Stop {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let avx2 = has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
        if W > 1 && avx2 {
            let avx512 = has!("avx512f")
                && has!("avx512vl")
                && has!("avx512bw")
                && has!("avx512dq")
                && has!("avx512cd");
            return if avx512 {
                // SAFETY: the processor has all features that the function is compiled for.
                unsafe { run_avx512(program, warp, ctx, hooks) }
            } else {
                // SAFETY: as above.
                unsafe { run_avx2(program, warp, ctx, hooks) }
            };
        }
    }
    run_loop(program, warp, ctx, hooks)
}
