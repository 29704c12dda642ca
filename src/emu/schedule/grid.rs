//! A launch at work: which blocks have begun, which come next.
//!
//! In the natural order, seed 0, a block gives way only when it waits or polls. Any other seed begins the blocks in another
//! order, puts the warps of each in another order, as well as the lanes of a warp in an atomic and the parts of a warp that
//! has parted, and has warps and blocks give way after turns of random length. What a
//! seed does depends on nothing but the launch, so that it can be done again.
//!
//! A block whose threads all wait at a barrier of the grid is passed over until every block does. One that only polls gives
//! way to the others, unless it is known that no other block can change what it polls: blocks
//! that share nothing run one after another. When a whole round of blocks has polled, nobody has written anything, and all
//! are in a state that they were in before, then they will poll for ever.

use crate::block::Block;
use crate::checks::init::LaunchInit;
use crate::checks::race::Mode;
use crate::checks::reals::Made;
use crate::footprint::SiteSharing;
use crate::parallel::independent::Parallel;
use device::KernelLaunch;
use ir::analysis::affine::gcd;
use mem::Memory;
use scalar::random;
use std::collections::VecDeque;
use std::sync::Arc;
use vm::{Arg, Frame, Geometry, Program};

/// A kernel launch that has begun.
#[derive(Clone, Debug)]
pub struct Running {
    /// The launch.
    pub launch: KernelLaunch,
    /// How many blocks the grid has.
    pub total: u64,
    /// How many have begun.
    pub begun: u64,
    /// Blocks that have begun and not ended; the first is running.
    pub active: VecDeque<Block>,
    /// Blocks that have ended and may be used again.
    pub(crate) spare: Vec<Block>,
    /// How many blocks in a row have only polled.
    pub(crate) polled: u64,
    pub(crate) standstill: Standstill,
    /// Whether blocks share nothing that one of them writes, if that has been asked.
    pub(crate) is_apart: Option<bool>,
    /// The part that several threads work on.
    pub(crate) parallel: Parallel,
    /// Schedule points that the launch has passed.
    pub(crate) points: u64,
    /// What watches the run.
    pub(crate) mode: Mode,
    /// Memory as it was when the launch began, if the launch may have to be run again.
    pub(crate) before: Option<Memory>,
    /// What is known beforehand of its accesses, if somebody wanted to know.
    pub(crate) sharing: Option<Arc<SiteSharing>>,
    /// The outermost frame of the first warp that ended, for naming addresses.
    pub(crate) witness: Option<Frame<32>>,
    pub(crate) seed: u64,
    /// Turns that the seed has given.
    pub(crate) turns: u64,
    /// Schedule points left of the present turn.
    pub(crate) left: u64,
    /// What was read of memory that nothing has written, if that is looked for.
    pub(crate) init: Option<Box<LaunchInit>>,
    /// NaNs, infinities and the like that the launch has made, if compiled code tests for them.
    pub(crate) made: Made,
    /// Bytes that device code has allocated.
    pub(crate) heap: u64,
}

impl Running {
    pub(crate) fn new(launch: KernelLaunch, mode: Mode, before: Option<Memory>, seed: u64) -> Running {
        let total = launch.grid.iter().map(|&g| u64::from(g)).product();
        Running {
            launch,
            total,
            begun: 0,
            active: VecDeque::new(),
            spare: Vec::new(),
            polled: 0,
            standstill: Standstill::default(),
            is_apart: None,
            parallel: Parallel::Undecided,
            points: 0,
            mode,
            before,
            sharing: None,
            witness: None,
            seed,
            turns: 0,
            left: 0,
            init: None,
            made: Made::default(),
            heap: 0,
        }
    }

    /// The launch as it was before its first block, to be run again with another watch.
    pub(crate) fn again(self, mode: Mode) -> Running {
        Running {
            spare: self.spare,
            sharing: self.sharing,
            init: self.init.map(|_| Box::default()),
            ..Running::new(self.launch, mode, self.before, self.seed)
        }
    }

    /// The arguments as the executor takes them.
    pub(crate) fn args(&self) -> Vec<Arg> {
        let arg = |a: &device::Arg| match a {
            device::Arg::Bits(bits) => Arg::Bits(*bits),
            device::Arg::Bytes(bytes) => Arg::Bytes(bytes.clone()),
        };
        self.launch.args.iter().map(arg).collect()
    }

    /// Whether the block of that linear index has begun; it may have ended.
    pub fn has_begun(&self, linear: u64) -> bool {
        position(self.seed, self.total, linear) < self.begun
    }

    /// Begins the next block in schedule order.
    pub(crate) fn begin_block(&mut self, program: &Program) {
        let args = self.args();
        let spare = self.spare.pop();
        let mut block = block_at(program, &self.launch, &args, self.seed, self.begun, spare);
        self.begun += 1;
        block.slot = self.mode.begin_block(block.linear);
        self.active.push_back(block);
    }

    /// Ends the running block.
    pub(crate) fn end_block(&mut self) {
        let Some(mut block) = self.active.pop_front() else { return };
        if let Some(slot) = block.slot.take() {
            self.mode.end_block(slot);
        }
        if let Some(init) = &mut self.init {
            init.end_block(block.linear);
        }
        if self.witness.is_none() {
            self.witness = block.warps.first().and_then(|w| w.frame(0)).cloned();
        }
        self.polled = 0;
        self.standstill = Standstill::default();
        if self.spare.len() < 4 {
            self.spare.push(block);
        }
    }

    /// Schedule points that a warp may pass before the seed has another one go on. In the natural order none ever does.
    pub(crate) fn turn(&mut self) -> u64 {
        if self.seed == 0 {
            return u64::MAX;
        }
        if self.left == 0 {
            self.turns += 1;
            let random = mix(self.seed ^ mix(self.turns));
            // Short turns take accesses apart that are close, long ones reach far.
            self.left = 1 + (random >> 8) % (1 << (random % TURN_BITS));
        }
        self.left
    }

    /// Counts schedule points of the present turn; says whether it is over.
    pub(crate) fn spend(&mut self, points: u64) -> bool {
        if self.seed != 0 {
            self.left = self.left.saturating_sub(points);
        }
        self.seed != 0 && self.left == 0
    }

    /// Ends the turn of the running warp before it waits: another warp of its block goes on, or another block.
    pub(crate) fn give_way(&mut self, program: &Program) {
        if let Some(block) = self.active.front_mut() {
            block.cut_short();
        }
        match mix(self.seed ^ mix(!self.turns)) % 4 {
            0 if self.begun < self.total && self.active.len() < TAKEN_APART => {
                self.begin_block(program);
                self.active.rotate_right(1);
            }
            1 => self.active.rotate_left(1),
            _ => {}
        }
    }

    /// Lets another block have its turn, since the first one waits for the whole grid: one that has not begun, or that does
    /// not wait. When all have come they go on.
    pub(crate) fn gather(&mut self, program: &Program) -> Gathering {
        if self.begun < self.total {
            self.begin_block(program);
            self.active.rotate_right(1);
            return Gathering::Waits;
        }
        if let Some(next) = self.active.iter().position(|b| !b.waits_for_grid) {
            self.active.rotate_left(next);
            return Gathering::Waits;
        }
        let first = self.active.iter().enumerate().min_by_key(|(_, b)| position(self.seed, self.total, b.linear));
        let first = first.map_or(0, |(i, _)| i);
        self.active.rotate_left(first);
        if (self.active.len() as u64) < self.total {
            return Gathering::Never;
        }
        self.active.iter_mut().for_each(|b| b.leave_grid(program));
        self.mode.on_grid_sync();
        self.polled = 0;
        self.standstill = Standstill::default();
        Gathering::Complete
    }

    /// Lets the next block have its turn after one that only polls. Says whether any block can still change anything.
    pub(crate) fn rotate(&mut self, program: &Program) -> bool {
        let progress = self.active.front_mut().is_some_and(Block::take_progress);
        self.polled = if progress { 0 } else { self.polled + 1 };
        if progress {
            self.standstill = Standstill::default();
        }
        if self.begun < self.total && (self.active.len() as u64) < MOST_ACTIVE && self.is_apart != Some(true) {
            // A block that polls may wait for one that has not begun.
            self.begin_block(program);
            self.active.rotate_right(1);
            self.polled = 0;
            return true;
        }
        self.active.rotate_left(1);
        let next = self.active.iter().position(|b| !b.waits_for_grid).unwrap_or(0);
        self.active.rotate_left(next);
        if self.polled < self.active.iter().filter(|b| !b.waits_for_grid).count() as u64 {
            return true;
        }
        self.polled = 0;
        let active = &self.active;
        !self.standstill.round(|| active.iter().fold(0, |h, b| mix(h ^ b.state())))
    }
}

/// How far the blocks have come to a barrier of the grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gathering {
    /// Others may still come.
    Waits,
    /// All have come.
    Complete,
    /// Some have ended without it.
    Never,
}

/// Finds out whether blocks that only poll will do so for ever: they come back to a state that they were in, or go on for
/// longer than anybody waits. After R. P. Brent, "An Improved Monte Carlo Factorization Algorithm" (1980).
#[derive(Clone, Debug, Default)]
pub(crate) struct Standstill {
    rounds: u64,
    kept: Option<u64>,
}

impl Standstill {
    /// A round has passed in which nobody wrote anything; whether this will never end. `state` tells of what decides it.
    pub(crate) fn round(&mut self, state: impl FnOnce() -> u64) -> bool {
        self.rounds += 1;
        let state = state();
        if self.kept == Some(state) {
            return true;
        }
        if self.rounds.is_power_of_two() {
            self.kept = Some(state);
        }
        self.rounds > ROUNDS
    }
}

/// Makes the block that a launch runs as number `position`, of a finished one if there is one to spare.
pub(crate) fn block_at(
    program: &Program,
    launch: &KernelLaunch,
    args: &[Arg],
    seed: u64,
    position: u64,
    spare: Option<Block>,
) -> Block {
    let total = launch.grid.iter().map(|&g| u64::from(g)).product();
    let linear = schedule(seed, total, position);
    let [gx, gy, _] = launch.grid.map(u64::from);
    let cta = [linear % gx, linear / gx % gy, linear / (gx * gy)].map(|c| c as u32);
    let geometry =
        Geometry { grid: launch.grid, block: launch.block, cta, static_shared: program.shared_bytes(launch.func) };
    let bytes = program.dynamic_shared_offset(launch.func) + launch.dynamic_shared;
    let mut block = match spare {
        Some(mut block) => {
            block.begin(program, launch.func, args, linear, geometry);
            block
        }
        None => Block::new(program, launch.func, args, linear, geometry, bytes as usize),
    };
    shuffle(seed, linear, &mut block.order);
    if seed != 0 {
        for warp in &mut block.warps {
            warp.set_seed(mix(seed ^ mix(linear << 5 | u64::from(warp.number()))) | 1);
        }
    }
    block
}

/// Blocks that may have begun at one time; a device holds about as many.
const MOST_ACTIVE: u64 = 132 * 32;

/// A seed's turns are shorter than two to the power of this many schedule points.
const TURN_BITS: u64 = 13;

/// Blocks that a seed has run by turns at one time.
const TAKEN_APART: usize = 4;

/// Rounds of polling without progress after which a launch counts as stuck though its state changes: some counter goes up.
const ROUNDS: u64 = 1 << 18;

/// The block that is run as number `i`: `i` itself, or the seed's permutation of the grid.
fn schedule(seed: u64, total: u64, i: u64) -> u64 {
    if seed == 0 || total < 2 {
        return i;
    }
    let (step, shift) = permutation(seed, total);
    let at = u128::from(i) * u128::from(step) + u128::from(shift);
    (at % u128::from(total)) as u64
}

/// The number under which [`schedule`] runs the block `linear`.
fn position(seed: u64, total: u64, linear: u64) -> u64 {
    if seed == 0 || total < 2 {
        return linear;
    }
    let (step, shift) = permutation(seed, total);
    let back = u128::from(linear + total - shift) * u128::from(inverse(step, total));
    (back % u128::from(total)) as u64
}

/// Step and shift of the seed's permutation of so many blocks.
fn permutation(seed: u64, total: u64) -> (u64, u64) {
    let mut step = mix(seed) % total | 1;
    while gcd(i128::from(step), i128::from(total)) != 1 {
        step += 1;
    }
    (step, mix(seed ^ 0x5bd1) % total)
}

/// The inverse of `a` modulo `m`, to which it is prime, by Euclid's algorithm.
fn inverse(a: u64, m: u64) -> u64 {
    let (mut r, mut s) = ((i128::from(m), i128::from(a % m)), (0i128, 1i128));
    while r.1 != 0 {
        let q = r.0 / r.1;
        r = (r.1, r.0 - q * r.1);
        s = (s.1, s.0 - q * s.1);
    }
    s.0.rem_euclid(i128::from(m)) as u64
}

/// Puts the warps of a block into the seed's order.
fn shuffle(seed: u64, linear: u64, order: &mut [u32]) {
    if seed == 0 {
        return;
    }
    let mut state = mix(seed ^ mix(linear));
    for i in (1..order.len()).rev() {
        state = mix(state);
        order.swap(i, (state % (i as u64 + 1)) as usize);
    }
}

/// A number that a seed stands for.
pub(crate) fn mix(x: u64) -> u64 {
    random::mix(x.wrapping_add(random::GOLDEN_GAMMA))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_runs_every_block_once() {
        for total in [1, 2, 7, 12, 100, 1024] {
            for seed in 0..20 {
                assert!((0..total).all(|i| position(seed, total, schedule(seed, total, i)) == i));
                let mut seen: Vec<u64> = (0..total).map(|i| schedule(seed, total, i)).collect();
                seen.sort_unstable();
                assert_eq!(seen, (0..total).collect::<Vec<_>>(), "seed {seed}, {total} blocks");
            }
        }
    }
}
