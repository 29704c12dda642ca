//! Runs loop traces (see `compile::trace` for which loops become traces).
//!
//! Lanes that take a side exit are removed from the mask; the trace ends when no lane is left. It also stops at the start of an
//! iteration for which the budget may not suffice, and at a load that needs the slow path; the operations then continue one by
//! one. It is called through `dispatch`, so that it is compiled for the same instruction set as the loop of `run`.

use super::hoisted::{HoistedLoad, LoadContext};
use crate::code::trace::{ELSEWHERE, LEFT, LOADS, Trace, TraceOp};
use crate::frame::SPARE;
use crate::frame::scalars::{add_words, holds, signed};
use crate::simd::{Isa, bits, masks, wide_masks, zip3};
use crate::warp::LoopExit;
use ir::op::CmpOp;
use scalar::{convert, int, real};

/// The files of a frame.
pub(crate) struct Files<'a, const W: usize> {
    pub(crate) preds: &'a mut [u32],
    pub(crate) words: &'a mut [[u32; W]],
    pub(crate) longs: &'a mut [[u64; W]],
    pub(crate) scalars: &'a mut [u64],
}

/// A trace and what it runs on.
pub(crate) struct TraceRun<'a, 'c, const W: usize> {
    pub(crate) trace: &'a Trace,
    pub(crate) files: Files<'a, W>,
    pub(crate) load_context: LoadContext<'a, 'c, W>,
    /// The lanes, which stand at its head.
    pub(crate) mask: u32,
    /// Whether no other lane of the warp runs.
    pub(crate) alone: bool,
    /// The operation at its head.
    pub(crate) pc: u32,
    pub(crate) budget: &'a mut u64,
    /// Points since the last progress.
    pub(crate) polls: &'a mut u32,
}

impl<const W: usize> TraceRun<'_, '_, W> {
    /// Runs it, compiled for the set `F`.
    #[inline(always)]
    pub(crate) fn run<S: Isa>(self, isa: S) -> LoopExit {
        let TraceRun { trace, files, mut load_context, mask, alone, pc, budget, polls } = self;
        let Files { preds, words, longs, scalars } = files;
        let (part32, part64) = (words.len() - SPARE + 1, longs.len() - SPARE + 1);
        let mut active = mask;
        // Which lanes outside the trace need their rows kept.
        let mut masking = 0;
        if !alone {
            masking = ELSEWHERE;
            words[part32] = masks(isa, active);
            longs[part64] = wide_masks(isa, active);
        }
        let mut ready = [HoistedLoad::none(); LOADS];
        for (ready, load) in ready.iter_mut().zip(&trace.loads) {
            let Some(known) = HoistedLoad::new(load, &load_context, scalars, mask) else {
                return LoopExit { active, pc: pc + 1, last: 0 };
            };
            *ready = known;
        }
        let points = trace.loads.len() as u32 + 1;
        let mut tested = false;
        macro_rules! part {
            (words) => {
                part32
            };
            (longs) => {
                part64
            };
        }
        macro_rules! isa {
            () => {
                isa
            };
        }
        macro_rules! pred {
            ($d:expr, $v:expr) => {{
                let v = $v;
                let word = &mut preds[$d as usize];
                *word = *word & !active | v & active;
            }};
        }
        while *budget >= u64::from(points) && *polls + points <= crate::POLL_QUANTUM {
            for step in &trace.steps {
                // One row from others, in all lanes or in the active ones.
                macro_rules! row {
                    ($file:ident[$d:expr], |$($x:ident = $from:ident[$slot:expr]),+| $value:expr) => {{
                        let mut out = [0; W];
                        {
                            $(let $x = &$from[$slot as usize];)+
                            if step.masked & masking != 0 {
                                let (old, part) = (&$file[$d as usize], &$file[part!($file)]);
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
                macro_rules! through {
                    ($file:ident $load:expr, $ready:expr, $shared:expr) => {{
                        let by_part = step.masked & masking != 0;
                        let d = $load.m.value as usize;
                        let out = &mut $file[if by_part { part!($file) - 1 } else { d }];
                        let is_done = if $shared {
                            $ready.load_shared(&load_context, scalars, out)
                        } else {
                            $ready.load_global($load, &mut load_context, scalars, out)
                        };
                        if by_part && is_done {
                            let (new, part) = ($file[part!($file) - 1], $file[part!($file)]);
                            $file[d] = zip3(&$file[d], &new, &part, |old, new, m| old & !m | new & m);
                        }
                        is_done
                    }};
                }
                macro_rules! compare_lanes {
                    ($op:expr, $file:ident $int:ident $a:expr, $b:expr) => {{
                        let (a, b) = (&$file[$a as usize], &$file[$b as usize]);
                        match $op {
                            CmpOp::Eq => bits(isa, a, b, |x, y| x == y),
                            CmpOp::Ne => bits(isa, a, b, |x, y| x != y),
                            CmpOp::Lt => bits(isa, a, b, |x, y| (x as $int) < y as $int),
                            CmpOp::Le => bits(isa, a, b, |x, y| x as $int <= y as $int),
                            CmpOp::Gt => bits(isa, a, b, |x, y| x as $int > y as $int),
                            CmpOp::Ge => bits(isa, a, b, |x, y| x as $int >= y as $int),
                            CmpOp::LtU => bits(isa, a, b, |x, y| x < y),
                            CmpOp::GeU => bits(isa, a, b, |x, y| x >= y),
                        }
                    }};
                }
                // Takes the lanes off the mask for which `found` is as it says.
                macro_rules! side_exit {
                    ($found:expr, $holds:expr) => {{
                        let found = $found;
                        let leaving = if $holds { found } else { !found } & active;
                        if leaving != 0 {
                            active &= !leaving;
                            if active == 0 {
                                return LoopExit { active, pc, last: leaving };
                            }
                            masking |= LEFT;
                            words[part32] = masks(isa, active);
                            longs[part64] = wide_masks(isa, active);
                        }
                    }};
                }
                compute! { TraceOp: step.op; preds, words, longs, scalars;
                    TraceOp::SideExit { p, holds } => side_exit!(preds[p as usize], holds),
                    TraceOp::SideExitTested { holds } => side_exit!(if tested { u32::MAX } else { 0 }, holds),
                    TraceOp::SideExitInts { op, wide, a, b, holds } => {
                        let found = if wide { compare_lanes!(op, longs i64 a, b) } else { compare_lanes!(op, words i32 a, b) };
                        side_exit!(found, holds);
                    }
                    TraceOp::Test { op, wide, r } => tested = holds(op, wide, r, scalars),
                    TraceOp::BackEdge => *budget -= 1,
                    TraceOp::LoadRow { number, wide, shared } => {
                        let load = &trace.loads[number as usize];
                        let ready = &ready[number as usize % LOADS];
                        let is_done = if wide {
                            through!(longs load, ready, shared)
                        } else {
                            through!(words load, ready, shared)
                        };
                        if !is_done {
                            return LoopExit { active, pc: load.pc, last: 0 };
                        }
                        *budget -= 1;
                        *polls += 1;
                    }
                    TraceOp::LoadWord { number } => {
                        let load = &trace.loads[number as usize];
                        let Some(word) = ready[number as usize % LOADS].load_one(load, &mut load_context, scalars) else {
                            return LoopExit { active, pc: load.pc, last: 0 };
                        };
                        scalars[load.m.value as usize] = word;
                        *budget -= 1;
                        *polls += 1;
                    }
                    TraceOp::NoBits32(r) => compare!(words r, |x, y| x & y == 0),
                    TraceOp::NoBits64(r) => compare!(longs r, |x, y| x & y == 0),
                    // Through bits: of a choice in each lane the compiler would make a gather.
                    TraceOp::ChooseNoBits32(r) => {
                        let found = bits(isa, &words[r.x as usize], &words[r.y as usize], |x, y| x & y == 0);
                        let m = &[masks::<W, _>(isa, found)];
                        row!(words[r.d], |x = words[r.a], y = words[r.b], m = m[0]| x & m | y & !m);
                    }
                    TraceOp::ChooseNoBits64(r) => {
                        let found = bits(isa, &longs[r.x as usize], &longs[r.y as usize], |x, y| x & y == 0);
                        let m = &[wide_masks::<W, _>(isa, found)];
                        row!(longs[r.d], |x = longs[r.a], y = longs[r.b], m = m[0]| x & m | y & !m);
                    }
                    TraceOp::ShlBy32(r, count) => one!(words from words r, |x| x << (count & 31)),
                    TraceOp::ShrUBy32(r, count) => one!(words from words r, |x| x >> (count & 31)),
                    TraceOp::ShrSBy32(r, count) => one!(words from words r, |x| (x as i32 >> (count & 31)) as u32),
                    TraceOp::ShlBy64(r, count) => one!(longs from longs r, |x| x << (count & 63)),
                    TraceOp::ShrUBy64(r, count) => one!(longs from longs r, |x| x >> (count & 63)),
                    TraceOp::ShrSBy64(r, count) => one!(longs from longs r, |x| (x as i64 >> (count & 63)) as u64),
                }
            }
        }
        LoopExit { active, pc: pc + 1, last: 0 }
    }
}
