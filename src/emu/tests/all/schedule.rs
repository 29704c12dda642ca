//! Other schedules: what a seed changes, and what it must not.

use crate::rig::Rig;
use device::{Device, NoObserver, Progress};
use emu::Options;

/// A block writes a word, raises a flag and takes both back; another block looks whether it sees both.
const FLAG: &str = "kernel @k(%0: i64 \"flag\", %1: i64 \"seen\") {
bb0:
  %2 = special.ctaid.x
  %3 = cmp.eq.i32 %2, 0
  branch %3, bb1, bb2
bb1:
  %4 = atom.exch.i32.global.device [%0], 1
  %5 = atom.exch.i32.global.device [%0], 0
  return
bb2:
  %6 = atom.add.i32.global.device [%0], 0
  %7 = atom.add.i32.global.device [%1], %6
  return
}
";

/// What the second block saw, the schedule points, and how often the run was stopped.
fn seen(seed: u64, budget: u64) -> (u32, u64, usize) {
    let mut rig = Rig::of(FLAG, Options { seed, ..Options::default() });
    let (flag, seen) = (rig.words("flag", &[0]), rig.words("seen", &[0]));
    let kernel = ir::FuncId(0);
    rig.submit(kernel, [2, 1, 1], [1, 1, 1], &[flag, seen]);
    let mut stops = 0;
    while rig.emulator.advance(&mut rig.memory, budget, &mut NoObserver) == Progress::Busy {
        stops += 1;
    }
    (rig.read(seen, 1)[0], rig.emulator.points(), stops)
}

#[test]
fn the_natural_order_runs_a_block_until_it_waits() {
    assert_eq!(seen(0, u64::MAX).0, 0);
}

#[test]
fn some_seed_has_a_block_give_way_between_two_operations() {
    assert!((1..200).any(|seed| seen(seed, u64::MAX).0 == 1));
}

#[test]
fn a_seed_gives_the_same_run_however_often_it_is_stopped() {
    for seed in 0..50 {
        let (value, points, _) = seen(seed, u64::MAX);
        let (again, also, stops) = seen(seed, 1);
        assert_eq!((value, points), (again, also), "seed {seed}");
        assert!(stops >= 3);
    }
}
