//! Runs loops that only compute and load, round after round (see `tight` for which).
//!
//! Lanes that leave are taken off the mask; the loop is over when no lane is left. It stops at the beginning of a round for
//! which the budget may not suffice, and at a load that is to be looked at lane by lane; there the operations go on one by
//! one. Called through `isa`, so that it is compiled for the same instruction set as the loop of `exec`, and apart from it.

use crate::code::Op;
use crate::frame::SPARE;
use crate::rows::{bits, masks, wide_masks, zip3};
use crate::scalars::{add_words, holds};
use crate::sight::{Ready, Sight};
use crate::tight::{LOADS, Shift, Step, Tight};
use scalar::{convert, int, real};

/// The files of a frame.
pub(crate) struct Files<'a, const W: usize> {
    pub(crate) preds: &'a mut [u32],
    pub(crate) words: &'a mut [[u32; W]],
    pub(crate) longs: &'a mut [[u64; W]],
    pub(crate) scalars: &'a mut [u64],
}

/// How the loop was left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left {
    /// The lanes that are in the loop still.
    pub(crate) active: u32,
    /// The operation at which they go on.
    pub(crate) pc: u32,
    /// The lanes that left last, if none is in it.
    pub(crate) last: u32,
}

/// A loop that is to be run.
pub(crate) struct Spin<'a, 'c, const W: usize> {
    pub(crate) tight: &'a Tight,
    pub(crate) files: Files<'a, W>,
    pub(crate) sight: Sight<'a, 'c, W>,
    /// The lanes, which stand at its head.
    pub(crate) mask: u32,
    /// The operation at its head.
    pub(crate) pc: u32,
    pub(crate) budget: &'a mut u64,
    /// Points since the last progress.
    pub(crate) idle: &'a mut u32,
}

impl<const W: usize> Spin<'_, '_, W> {
    /// Runs it, compiled for the set `F`.
    #[inline(always)]
    pub(crate) fn run<const F: u8>(self) -> Left {
        let Spin { tight, files, mut sight, mask, pc, budget, idle } = self;
        let Files { preds, words, longs, scalars } = files;
        let (part32, part64) = (words.len() - SPARE + 1, longs.len() - SPARE + 1);
        let mut active = mask;
        let all = if W == 32 { u32::MAX } else { (1 << W) - 1 };
        let mut whole = active == all;
        words[part32] = masks::<W, F>(active);
        longs[part64] = wide_masks::<W, F>(active);
        let mut ready = [Ready::none::<W>(); LOADS];
        for (ready, load) in ready.iter_mut().zip(&tight.loads) {
            let Some(known) = Ready::new(load, &sight, scalars, mask) else {
                return Left { active, pc: pc + 1, last: 0 };
            };
            *ready = known;
        }
        let points = tight.loads.len() as u32 + 1;
        let mut tested = false;
        // One row from others, in all lanes or in the active ones.
        macro_rules! row {
        ($keeps:expr, $file:ident $part:ident [$d:expr], |$($x:ident = $from:ident[$slot:expr]),+| $value:expr) => {{
            let mut out = [0; W];
            {
                $(let $x = &$from[$slot as usize];)+
                if $keeps && !whole {
                    let (old, part) = (&$file[$d as usize], &$file[$part]);
                    for i in 0..W {
                        $(let $x = $x[i];)+
                        let new = $value;
                        out[i] = old[i] & !part[i] | new & part[i];
                    }
                } else {
                    for i in 0..W {
                        $(let $x = $x[i];)+
                        out[i] = $value;
                    }
                }
            }
            $file[$d as usize] = out;
        }};
    }
        macro_rules! pred {
            ($d:expr, $v:expr) => {{
                let v = $v;
                let word = &mut preds[$d as usize];
                *word = *word & !active | v & active;
            }};
        }
        macro_rules! compare {
            ($file:ident $r:expr, |$x:ident, $y:ident| $f:expr) => {
                pred!($r.d, bits::<_, W, F>(&$file[$r.a as usize], &$file[$r.b as usize], |$x, $y| $f))
            };
        }
        macro_rules! cmp_i {
        ($file:ident $int:ident $r:expr, $o:tt) => {
            compare!($file $r, |x, y| (x as $int) $o (y as $int))
        };
    }
        macro_rules! cmp_f {
        ($file:ident $real:ident $r:expr, $o:tt) => {
            compare!($file $r, |x, y| $real::from_bits(x) $o $real::from_bits(y))
        };
    }
        while *budget >= u64::from(points) && *idle + points <= crate::POLL_QUANTUM {
            for step in &tight.steps {
                // One and two operands of a file, of 32 and of 64 bits.
                macro_rules! w1 {
                ($k:expr, $r:expr, |$x:ident| $v:expr) => {
                    row!($k, words part32[$r.d], |$x = words[$r.a]| $v)
                };
            }
                macro_rules! l1 {
                ($k:expr, $r:expr, |$x:ident| $v:expr) => {
                    row!($k, longs part64[$r.d], |$x = longs[$r.a]| $v)
                };
            }
                macro_rules! w2 {
                ($k:expr, $r:expr, |$x:ident, $y:ident| $v:expr) => {
                    row!($k, words part32[$r.d], |$x = words[$r.a], $y = words[$r.b]| $v)
                };
            }
                macro_rules! l2 {
                ($k:expr, $r:expr, |$x:ident, $y:ident| $v:expr) => {
                    row!($k, longs part64[$r.d], |$x = longs[$r.a], $y = longs[$r.b]| $v)
                };
            }
                macro_rules! f32s {
                    ($k:expr, $r:expr, $f:path) => {
                        w2!($k, $r, |x, y| $f(f32::from_bits(x), f32::from_bits(y)).to_bits())
                    };
                }
                macro_rules! f64s {
                    ($k:expr, $r:expr, $f:path) => {
                        l2!($k, $r, |x, y| $f(f64::from_bits(x), f64::from_bits(y)).to_bits())
                    };
                }
                macro_rules! scalar2 {
                    ($r:expr, $f:expr) => {{
                        let (x, y) = (scalars[$r.a as usize], scalars[$r.b as usize]);
                        scalars[$r.d as usize] = $f(x, y);
                    }};
                }
                match *step {
                    Step::Leave { .. } | Step::LeaveTested { .. } => {
                        let leaving = match *step {
                            Step::Leave { p, holds: true } => preds[p as usize] & active,
                            Step::Leave { p, .. } => !preds[p as usize] & active,
                            Step::LeaveTested { holds } if tested == holds => active,
                            _ => 0,
                        };
                        if leaving != 0 {
                            active &= !leaving;
                            if active == 0 {
                                return Left { active, pc, last: leaving };
                            }
                            whole = false;
                            words[part32] = masks::<W, F>(active);
                            longs[part64] = wide_masks::<W, F>(active);
                        }
                    }
                    Step::Test { op, wide, r } => tested = holds(op, wide, r, scalars),
                    Step::Point => *budget -= 1,
                    Step::Load { number, wide, shared, keeps } => {
                        let load = &tight.loads[number as usize];
                        let ready = &ready[number as usize % LOADS];
                        macro_rules! through {
                            ($file:ident $part:ident) => {{
                                let by_part = keeps && !whole;
                                let d = load.m.value as usize;
                                let out = &mut $file[if by_part { $part - 1 } else { d }];
                                let is_done = if shared {
                                    ready.load_shared(&sight, scalars, out)
                                } else {
                                    ready.load_global(load, &mut sight, scalars, out)
                                };
                                if by_part && is_done {
                                    let (new, part) = ($file[$part - 1], $file[$part]);
                                    $file[d] = zip3(&$file[d], &new, &part, |old, new, m| old & !m | new & m);
                                }
                                is_done
                            }};
                        }
                        let is_done = if wide { through!(longs part64) } else { through!(words part32) };
                        if !is_done {
                            return Left { active, pc: load.pc, last: 0 };
                        }
                        *budget -= 1;
                        *idle += 1;
                    }
                    Step::LoadScalar { number } => {
                        let load = &tight.loads[number as usize];
                        let Some(word) = ready[number as usize % LOADS].load_one(load, &mut sight, scalars) else {
                            return Left { active, pc: load.pc, last: 0 };
                        };
                        scalars[load.m.value as usize] = word;
                        *budget -= 1;
                        *idle += 1;
                    }
                    Step::NoBits { wide: true, r } => compare!(longs r, |x, y| x & y == 0),
                    Step::NoBits { wide: false, r } => compare!(words r, |x, y| x & y == 0),
                    Step::Shift { op: Shift::Left, wide: true, keeps, r, count } => {
                        l1!(keeps, r, |x| x << (count & 63))
                    }
                    Step::Shift { op: Shift::RightZeros, wide: true, keeps, r, count } => {
                        l1!(keeps, r, |x| x >> (count & 63));
                    }
                    Step::Shift { op: Shift::RightSign, wide: true, keeps, r, count } => {
                        l1!(keeps, r, |x| (x as i64 >> (count & 63)) as u64);
                    }
                    Step::Shift { op: Shift::Left, wide: false, keeps, r, count } => {
                        w1!(keeps, r, |x| x << (count & 31))
                    }
                    Step::Shift { op: Shift::RightZeros, wide: false, keeps, r, count } => {
                        w1!(keeps, r, |x| x >> (count & 31));
                    }
                    Step::Shift { op: Shift::RightSign, wide: false, keeps, r, count } => {
                        w1!(keeps, r, |x| (x as i32 >> (count & 31)) as u32);
                    }
                    Step::Op { ref op, keeps: k } => match *op {
                        Op::MovP(r) => pred!(r.d, preds[r.a as usize]),
                        Op::NotP(r) => pred!(r.d, !preds[r.a as usize]),
                        Op::AndP(r) => pred!(r.d, preds[r.a as usize] & preds[r.b as usize]),
                        Op::OrP(r) => pred!(r.d, preds[r.a as usize] | preds[r.b as usize]),
                        Op::XorP(r) => pred!(r.d, preds[r.a as usize] ^ preds[r.b as usize]),
                        Op::SelP(r) => {
                            let p = preds[r.c as usize];
                            pred!(r.d, p & preds[r.a as usize] | !p & preds[r.b as usize]);
                        }
                        Op::Mov32(r) => w1!(k, r, |x| x),
                        Op::AddI32(r) => w2!(k, r, |x, y| x.wrapping_add(y)),
                        Op::SubI32(r) => w2!(k, r, |x, y| x.wrapping_sub(y)),
                        Op::MulI32(r) => w2!(k, r, |x, y| x.wrapping_mul(y)),
                        Op::And32(r) => w2!(k, r, |x, y| x & y),
                        Op::Or32(r) => w2!(k, r, |x, y| x | y),
                        Op::Xor32(r) => w2!(k, r, |x, y| x ^ y),
                        Op::MinI32(r) => w2!(k, r, |x, y| int::min(x as i32, y as i32) as u32),
                        Op::MaxI32(r) => w2!(k, r, |x, y| int::max(x as i32, y as i32) as u32),
                        Op::AddF32(r) => f32s!(k, r, real::add),
                        Op::SubF32(r) => f32s!(k, r, real::sub),
                        Op::MulF32(r) => f32s!(k, r, real::mul),
                        Op::DivF32(r) => f32s!(k, r, real::div),
                        Op::MinF32(r) => f32s!(k, r, real::min),
                        Op::MaxF32(r) => f32s!(k, r, real::max),
                        Op::NegF32(r) => w1!(k, r, |x| real::neg(f32::from_bits(x)).to_bits()),
                        Op::AbsF32(r) => w1!(k, r, |x| real::abs(f32::from_bits(x)).to_bits()),
                        Op::SqrtF32(r) => w1!(k, r, |x| real::sqrt(f32::from_bits(x)).to_bits()),
                        Op::FmaF32(r) => row!(k, words part32[r.d], |x = words[r.a], y = words[r.b], z = words[r.c]| {
                            real::fma(f32::from_bits(x), f32::from_bits(y), f32::from_bits(z)).to_bits()
                        }),
                        Op::MadI32(r) => row!(k, words part32[r.d], |x = words[r.a], y = words[r.b], z = words[r.c]| {
                            x.wrapping_mul(y).wrapping_add(z)
                        }),
                        Op::Sel32(r) => {
                            let m = &[masks::<W, F>(preds[r.c as usize])];
                            row!(k, words part32[r.d], |x = words[r.a], y = words[r.b], m = m[0]| x & m | y & !m);
                        }
                        Op::Mov64(r) => l1!(k, r, |x| x),
                        Op::AddI64(r) => l2!(k, r, |x, y| x.wrapping_add(y)),
                        Op::SubI64(r) => l2!(k, r, |x, y| x.wrapping_sub(y)),
                        Op::MulI64(r) => l2!(k, r, |x, y| x.wrapping_mul(y)),
                        Op::And64(r) => l2!(k, r, |x, y| x & y),
                        Op::Or64(r) => l2!(k, r, |x, y| x | y),
                        Op::Xor64(r) => l2!(k, r, |x, y| x ^ y),
                        Op::MinI64(r) => l2!(k, r, |x, y| int::min(x as i64, y as i64) as u64),
                        Op::MaxI64(r) => l2!(k, r, |x, y| int::max(x as i64, y as i64) as u64),
                        Op::AddF64(r) => f64s!(k, r, real::add),
                        Op::SubF64(r) => f64s!(k, r, real::sub),
                        Op::MulF64(r) => f64s!(k, r, real::mul),
                        Op::DivF64(r) => f64s!(k, r, real::div),
                        Op::MinF64(r) => f64s!(k, r, real::min),
                        Op::MaxF64(r) => f64s!(k, r, real::max),
                        Op::NegF64(r) => l1!(k, r, |x| real::neg(f64::from_bits(x)).to_bits()),
                        Op::AbsF64(r) => l1!(k, r, |x| real::abs(f64::from_bits(x)).to_bits()),
                        Op::SqrtF64(r) => l1!(k, r, |x| real::sqrt(f64::from_bits(x)).to_bits()),
                        Op::FmaF64(r) => row!(k, longs part64[r.d], |x = longs[r.a], y = longs[r.b], z = longs[r.c]| {
                            real::fma(f64::from_bits(x), f64::from_bits(y), f64::from_bits(z)).to_bits()
                        }),
                        Op::MadI64(r) => row!(k, longs part64[r.d], |x = longs[r.a], y = longs[r.b], z = longs[r.c]| {
                            x.wrapping_mul(y).wrapping_add(z)
                        }),
                        Op::Sel64(r) => {
                            let m = &[wide_masks::<W, F>(preds[r.c as usize])];
                            row!(k, longs part64[r.d], |x = longs[r.a], y = longs[r.b], m = m[0]| x & m | y & !m);
                        }
                        Op::EqI32(r) => cmp_i!(words i32 r, ==),
                        Op::NeI32(r) => cmp_i!(words i32 r, !=),
                        Op::LtI32(r) => cmp_i!(words i32 r, <),
                        Op::LeI32(r) => cmp_i!(words i32 r, <=),
                        Op::GtI32(r) => cmp_i!(words i32 r, >),
                        Op::GeI32(r) => cmp_i!(words i32 r, >=),
                        Op::LtU32(r) => cmp_i!(words u32 r, <),
                        Op::GeU32(r) => cmp_i!(words u32 r, >=),
                        Op::EqF32(r) => cmp_f!(words f32 r, ==),
                        Op::NeF32(r) => cmp_f!(words f32 r, !=),
                        Op::LtF32(r) => cmp_f!(words f32 r, <),
                        Op::LeF32(r) => cmp_f!(words f32 r, <=),
                        Op::GtF32(r) => cmp_f!(words f32 r, >),
                        Op::GeF32(r) => cmp_f!(words f32 r, >=),
                        Op::EqI64(r) => cmp_i!(longs i64 r, ==),
                        Op::NeI64(r) => cmp_i!(longs i64 r, !=),
                        Op::LtI64(r) => cmp_i!(longs i64 r, <),
                        Op::LeI64(r) => cmp_i!(longs i64 r, <=),
                        Op::GtI64(r) => cmp_i!(longs i64 r, >),
                        Op::GeI64(r) => cmp_i!(longs i64 r, >=),
                        Op::LtU64(r) => cmp_i!(longs u64 r, <),
                        Op::GeU64(r) => cmp_i!(longs u64 r, >=),
                        Op::EqF64(r) => cmp_f!(longs f64 r, ==),
                        Op::NeF64(r) => cmp_f!(longs f64 r, !=),
                        Op::LtF64(r) => cmp_f!(longs f64 r, <),
                        Op::LeF64(r) => cmp_f!(longs f64 r, <=),
                        Op::GtF64(r) => cmp_f!(longs f64 r, >),
                        Op::GeF64(r) => cmp_f!(longs f64 r, >=),
                        Op::I32ToI64(r) => row!(k, longs part64[r.d], |x = words[r.a]| i64::from(x as i32) as u64),
                        Op::I64ToI32(r) => row!(k, words part32[r.d], |x = longs[r.a]| x as u32),
                        Op::I32ToF32(r) => w1!(k, r, |x| (x as i32 as f32).to_bits()),
                        Op::I32ToF64(r) => row!(k, longs part64[r.d], |x = words[r.a]| f64::from(x as i32).to_bits()),
                        Op::F32ToF64(r) => {
                            row!(k, longs part64[r.d], |x = words[r.a]| convert::widen(f32::from_bits(x)).to_bits());
                        }
                        Op::F64ToF32(r) => {
                            row!(k, words part32[r.d], |x = longs[r.a]| convert::narrow(f64::from_bits(x)).to_bits());
                        }
                        Op::F32ToI32(r) => w1!(k, r, |x| convert::trunc_to_int::<f32, i32>(f32::from_bits(x)) as u32),
                        Op::F64ToI32(r) => {
                            row!(k, words part32[r.d], |x = longs[r.a]| {
                                convert::trunc_to_int::<f64, i32>(f64::from_bits(x)) as u32
                            });
                        }
                        Op::I64ToF64(r) => l1!(k, r, |x| (x as i64 as f64).to_bits()),
                        Op::UMov(r) => scalars[r.d as usize] = scalars[r.a as usize],
                        Op::UAddI32(r) => scalar2!(r, add_words),
                        Op::USubI32(r) => scalar2!(r, |x: u64, y: u64| u64::from((x as u32).wrapping_sub(y as u32))),
                        Op::UMulI32(r) => scalar2!(r, |x: u64, y: u64| u64::from((x as u32).wrapping_mul(y as u32))),
                        Op::UAddI64(r) => scalar2!(r, u64::wrapping_add),
                        Op::USubI64(r) => scalar2!(r, u64::wrapping_sub),
                        Op::UMulI64(r) => scalar2!(r, u64::wrapping_mul),
                        Op::UI32ToI64(r) => {
                            scalars[r.d as usize] = i64::from(scalars[r.a as usize] as u32 as i32) as u64
                        }
                        Op::UCmp { op, wide, r } => pred!(r.d, if holds(op, wide, r, scalars) { u32::MAX } else { 0 }),
                        Op::Splat32(r) => {
                            let x = scalars[r.a as usize] as u32;
                            row!(k, words part32[r.d], |_old = words[r.d]| x);
                        }
                        Op::Splat64(r) => {
                            let x = scalars[r.a as usize];
                            row!(k, longs part64[r.d], |_old = longs[r.d]| x);
                        }
                        // `tight` takes no other operations.
                        _ => {}
                    },
                }
            }
        }
        Left { active, pc: pc + 1, last: 0 }
    }
}
