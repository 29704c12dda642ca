//! Runs loops that only compute and load, round after round (see `tight` for which).
//!
//! Lanes that leave are taken off the mask; the loop is over when no lane is left. It stops at the beginning of a round for
//! which the budget may not suffice, and at a load that is to be looked at lane by lane; there the operations go on one by
//! one. Called through `isa`, so that it is compiled for the same instruction set as the loop of `exec`, and apart from it.

use crate::code::Op;
use crate::frame::SPARE;
use crate::rows::{bits, masks, wide_masks, zip3};
use crate::scalars::{add_words, holds, signed};
use crate::sight::{Ready, Sight};
use crate::tight::{ELSEWHERE, LEFT, LOADS, Tight};
use ir::op::CmpOp;
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
    /// Whether no other lane of the warp runs.
    pub(crate) alone: bool,
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
        let Spin { tight, files, mut sight, mask, alone, pc, budget, idle } = self;
        let Files { preds, words, longs, scalars } = files;
        let (part32, part64) = (words.len() - SPARE + 1, longs.len() - SPARE + 1);
        let mut active = mask;
        // For whose sake rows are blended.
        let mut sparing = 0;
        if !alone {
            sparing = ELSEWHERE;
            words[part32] = masks::<W, F>(active);
            longs[part64] = wide_masks::<W, F>(active);
        }
        let mut ready = [Ready::none::<W>(); LOADS];
        for (ready, load) in ready.iter_mut().zip(&tight.loads) {
            let Some(known) = Ready::new(load, &sight, scalars, mask) else {
                return Left { active, pc: pc + 1, last: 0 };
            };
            *ready = known;
        }
        let points = tight.loads.len() as u32 + 1;
        let mut tested = false;
        macro_rules! part {
            (words) => {
                part32
            };
            (longs) => {
                part64
            };
        }
        macro_rules! pred {
            ($d:expr, $v:expr) => {{
                let v = $v;
                let word = &mut preds[$d as usize];
                *word = *word & !active | v & active;
            }};
        }
        while *budget >= u64::from(points) && *idle + points <= crate::POLL_QUANTUM {
            for step in &tight.steps {
                // One row from others, in all lanes or in the active ones.
                macro_rules! row {
                    ($file:ident[$d:expr], |$($x:ident = $from:ident[$slot:expr]),+| $value:expr) => {{
                        let mut out = [0; W];
                        {
                            $(let $x = &$from[$slot as usize];)+
                            if step.spares & sparing != 0 {
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
                        let by_part = step.spares & sparing != 0;
                        let d = $load.m.value as usize;
                        let out = &mut $file[if by_part { part!($file) - 1 } else { d }];
                        let is_done = if $shared {
                            $ready.load_shared(&sight, scalars, out)
                        } else {
                            $ready.load_global($load, &mut sight, scalars, out)
                        };
                        if by_part && is_done {
                            let (new, part) = ($file[part!($file) - 1], $file[part!($file)]);
                            $file[d] = zip3(&$file[d], &new, &part, |old, new, m| old & !m | new & m);
                        }
                        is_done
                    }};
                }
                compute! { step.op; preds, words, longs, scalars;
                    Op::Leave { .. } | Op::LeaveTested { .. } | Op::LeaveInts { .. } => {
                        macro_rules! ints {
                            ($op:expr, $file:ident $int:ident $a:expr, $b:expr) => {{
                                let (a, b) = (&$file[$a as usize], &$file[$b as usize]);
                                match $op {
                                    CmpOp::Eq => bits::<_, W, F>(a, b, |x, y| x == y),
                                    CmpOp::Ne => bits::<_, W, F>(a, b, |x, y| x != y),
                                    CmpOp::Lt => bits::<_, W, F>(a, b, |x, y| (x as $int) < y as $int),
                                    CmpOp::Le => bits::<_, W, F>(a, b, |x, y| x as $int <= y as $int),
                                    CmpOp::Gt => bits::<_, W, F>(a, b, |x, y| x as $int > y as $int),
                                    _ => bits::<_, W, F>(a, b, |x, y| x as $int >= y as $int),
                                }
                            }};
                        }
                        let (found, holds) = match step.op {
                            Op::Leave { p, holds } => (preds[p as usize], holds),
                            Op::LeaveInts { op, wide: true, a, b, holds } => (ints!(op, longs i64 a, b), holds),
                            Op::LeaveInts { op, a, b, holds, .. } => (ints!(op, words i32 a, b), holds),
                            Op::LeaveTested { holds } => (if tested { u32::MAX } else { 0 }, holds),
                            _ => (0, true),
                        };
                        let leaving = if holds { found } else { !found } & active;
                        if leaving != 0 {
                            active &= !leaving;
                            if active == 0 {
                                return Left { active, pc, last: leaving };
                            }
                            sparing |= LEFT;
                            words[part32] = masks::<W, F>(active);
                            longs[part64] = wide_masks::<W, F>(active);
                        }
                    }
                    Op::Test { op, wide, r } => tested = holds(op, wide, r, scalars),
                    Op::BackEdge => *budget -= 1,
                    Op::LoadRow { number, wide, shared } => {
                        let load = &tight.loads[number as usize];
                        let ready = &ready[number as usize % LOADS];
                        let is_done = if wide {
                            through!(longs load, ready, shared)
                        } else {
                            through!(words load, ready, shared)
                        };
                        if !is_done {
                            return Left { active, pc: load.pc, last: 0 };
                        }
                        *budget -= 1;
                        *idle += 1;
                    }
                    Op::LoadWord { number } => {
                        let load = &tight.loads[number as usize];
                        let Some(word) = ready[number as usize % LOADS].load_one(load, &mut sight, scalars) else {
                            return Left { active, pc: load.pc, last: 0 };
                        };
                        scalars[load.m.value as usize] = word;
                        *budget -= 1;
                        *idle += 1;
                    }
                    Op::NoBits32(r) => compare!(words r, |x, y| x & y == 0),
                    Op::NoBits64(r) => compare!(longs r, |x, y| x & y == 0),
                    // By way of bits: of a choice in each lane the compiler would make a gather.
                    Op::ChooseNoBits32(r) => {
                        let found = bits::<_, W, F>(&words[r.x as usize], &words[r.y as usize], |x, y| x & y == 0);
                        let m = &[masks::<W, F>(found)];
                        row!(words[r.d], |x = words[r.a], y = words[r.b], m = m[0]| x & m | y & !m);
                    }
                    Op::ChooseNoBits64(r) => {
                        let found = bits::<_, W, F>(&longs[r.x as usize], &longs[r.y as usize], |x, y| x & y == 0);
                        let m = &[wide_masks::<W, F>(found)];
                        row!(longs[r.d], |x = longs[r.a], y = longs[r.b], m = m[0]| x & m | y & !m);
                    }
                    Op::ShlBy32(r, count) => one!(words from words r, |x| x << (count & 31)),
                    Op::ShrUBy32(r, count) => one!(words from words r, |x| x >> (count & 31)),
                    Op::ShrSBy32(r, count) => one!(words from words r, |x| (x as i32 >> (count & 31)) as u32),
                    Op::ShlBy64(r, count) => one!(longs from longs r, |x| x << (count & 63)),
                    Op::ShrUBy64(r, count) => one!(longs from longs r, |x| x >> (count & 63)),
                    Op::ShrSBy64(r, count) => one!(longs from longs r, |x| (x as i64 >> (count & 63)) as u64),
                    // `tight` takes no other operations.
                    _ => {}
                }
            }
        }
        Left { active, pc: pc + 1, last: 0 }
    }
}
