//! The reference for whole blocks: one thread at a time, from one collective operation to the next, by the one-lane evaluator.
//!
//! The threads of a block share one memory. Each runs alone to its next collective operation. When all have arrived, the results
//! follow from the definitions in the guide ("Warp Vote Functions", "Warp Shuffle Functions", "Synchronization Functions"), and
//! the next step begins. The seed changes the order of the threads; for kernels without races it must make no difference.

use fastrand::Rng;
use ir::lane::{Collective, End, Lane, Memory, Place, Step};
use ir::op::{BarOp, ShflOp, VoteOp};
use ir::{FuncId, Module, SharedSize};

/// A launch in the reference.
pub(crate) struct Launch<'m> {
    pub(crate) module: &'m Module,
    pub(crate) kernel: FuncId,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) args: &'m [u64],
    /// The order of threads within each step.
    pub(crate) seed: u64,
}

impl Launch<'_> {
    /// Runs all blocks, one after another, on this memory.
    pub(crate) fn run(&self, memory: &mut Memory) {
        for cta in 0..self.grid.iter().product() {
            self.block(cta, memory);
        }
    }

    fn block(&self, cta: u32, memory: &mut Memory) {
        let [gx, gy, _] = self.grid;
        let [bx, by, bz] = self.block;
        let places: Vec<(FuncId, ir::SharedId, u64)> = (0..self.module.funcs.len() as u32)
            .flat_map(|f| {
                let shared = &self.module.func(FuncId(f)).shared;
                shared.iter().enumerate().map(move |(i, var)| (FuncId(f), ir::SharedId(i as u32), var))
            })
            .map(|(func, id, var)| match var.size {
                SharedSize::Static(bytes) => (func, id, memory.alloc(bytes, var.align)),
                SharedSize::Dynamic => panic!("no kernel here has dynamic shared memory"),
            })
            .collect();
        let mut rng = Rng::with_seed(self.seed ^ u64::from(cta));
        let mut threads: Vec<(Lane<'_>, Option<Collective>, bool)> = (0..bx * by * bz)
            .map(|t| {
                let mut lane = Lane::new(self.module);
                lane.fuel = 10_000_000;
                lane.place = Place {
                    tid: [t % bx, t / bx % by, t / (bx * by)],
                    ntid: self.block,
                    ctaid: [cta % gx, cta / gx % gy, cta / (gx * gy)],
                    nctaid: self.grid,
                };
                places.iter().for_each(|&(func, id, base)| lane.place_shared(func, id, base));
                std::mem::swap(&mut lane.memory, memory);
                lane.start(self.kernel, self.args).expect("a kernel");
                std::mem::swap(&mut lane.memory, memory);
                (lane, None, true)
            })
            .collect();
        while threads.iter().any(|t| t.2) {
            let mut order: Vec<usize> = (0..threads.len()).filter(|&t| threads[t].2).collect();
            rng.shuffle(&mut order);
            for t in order {
                let (lane, collective, is_running) = &mut threads[t];
                std::mem::swap(&mut lane.memory, memory);
                let step = lane.go_on().unwrap_or_else(|fault| panic!("thread {t}: {fault:?}"));
                std::mem::swap(&mut lane.memory, memory);
                match step {
                    Step::Collective(c) => *collective = Some(c),
                    Step::Ended(End::Returned(_) | End::Exited) => (*collective, *is_running) = (None, false),
                    Step::Ended(End::Trapped(trap)) => {
                        panic!("thread {t}: {trap:?}\n{}", ir::print::module(self.module, false))
                    }
                }
            }
            let met: Vec<Option<Collective>> = threads.iter().map(|t| t.1).collect();
            for (t, (lane, collective, is_running)) in threads.iter_mut().enumerate() {
                if *is_running && let Some(collective) = collective {
                    lane.answer(learns(*collective, t, &met)).expect("a register");
                }
            }
        }
    }
}

/// What a thread learns of all threads of its block; those that have exited met nothing.
fn learns(collective: Collective, thread: usize, met: &[Option<Collective>]) -> u64 {
    let first = thread / 32 * 32;
    let warp = || (first..(first + 32).min(met.len())).map(|t| (t - first, met[t]));
    match collective {
        Collective::SyncWarp(_) => 0,
        Collective::Barrier(op, _) => {
            let preds: Vec<bool> = met.iter().flatten().map(|m| matches!(m, Collective::Barrier(_, true))).collect();
            let count = preds.iter().filter(|&&p| p).count();
            match op {
                BarOp::Sync | BarOp::Cluster | BarOp::Grid => 0,
                BarOp::And => u64::from(count == preds.len()),
                BarOp::Or => u64::from(count > 0),
                BarOp::Count => count as u64,
            }
        }
        Collective::Vote(op, own) => {
            let values: Vec<(usize, u64)> = warp()
                .filter_map(|(lane, m)| match m {
                    Some(Collective::Vote(_, value)) => Some((lane, value)),
                    _ => None,
                })
                .collect();
            let mask = |holds: &dyn Fn(u64) -> bool| {
                values.iter().filter(|(_, v)| holds(*v)).fold(0u64, |m, (lane, _)| m | 1 << lane)
            };
            match op {
                VoteOp::All => u64::from(values.iter().all(|(_, v)| v & 1 != 0)),
                VoteOp::Any => u64::from(values.iter().any(|(_, v)| v & 1 != 0)),
                VoteOp::Ballot => mask(&|v| v & 1 != 0),
                VoteOp::MatchAny => mask(&|v| v == own),
                VoteOp::MatchAll if values.iter().all(|(_, v)| *v == own) => mask(&|_| true),
                VoteOp::MatchAll => 0,
            }
        }
        Collective::Shuffle(op, own, operand, width) => {
            let lane = (thread - first) as i64;
            let (operand, width) = (i64::from(operand & 31), i64::from(width));
            let begin = lane / width * width;
            let source = match op {
                ShflOp::Idx => begin + operand % width,
                ShflOp::Up => lane - operand,
                ShflOp::Down => lane + operand,
                ShflOp::Xor => lane ^ operand,
            };
            // A source beyond the own part of the warp leaves the value as it is; XOR may reach into earlier parts.
            let is_inside = source < begin + width && (source >= begin || op == ShflOp::Xor);
            let taken = warp().find(|&(l, _)| is_inside && l as i64 == source);
            match taken {
                Some((_, Some(Collective::Shuffle(_, value, ..)))) => value,
                _ => own,
            }
        }
    }
}
