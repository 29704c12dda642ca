//! Whole launches: divergence, barriers, races, faults, and stopping at every point.

use crate::rig::Rig;
use device::{Device, NoObserver, Progress};
use emu::Options;

fn racing() -> Options {
    Options { race: Some(race::Rules::default()), ..Options::default() }
}

/// A tree sum of 64 words in shared memory; with `barrier` there is one after each step.
fn reduction(barrier: &str) -> String {
    format!(
        "kernel @k(%0: i64 \"x\", %1: i64 \"total\") {{
  reg %2 i32 mutable
  shared s0 \"s\" bytes 256 align 4 element 4 bounds (1:64)
bb0:
  %3 = special.tid.x
  %4 = cvt.cast.i64.i32 %3
  %5 = mul.i64 %4, 4
  %6 = add.i64 %0, %5
  %7 = load.global.i32 [%6]
  %8 = addr s0
  %9 = add.i64 %8, %5
  store.shared.i32 [%9], %7
  barrier.sync
  %2 = mov.i32 32
  jump bb1
bb1:
  %10 = cmp.gt.i32 %2, 0
  branch %10, bb2, bb5
bb2:
  %11 = cmp.lt.i32 %3, %2
  branch %11, bb3, bb4
bb3:
  %12 = cvt.cast.i64.i32 %2
  %13 = mul.i64 %12, 4
  %14 = add.i64 %9, %13
  %15 = load.shared.i32 [%14]
  %16 = load.shared.i32 [%9]
  %17 = add.i32 %16, %15
  store.shared.i32 [%9], %17
  jump bb4
bb4:
  {barrier}
  %2 = shr.s.i32 %2, 1
  backedge
  jump bb1
bb5:
  %18 = cmp.eq.i32 %3, 0
  branch %18, bb6, bb7
bb6:
  %19 = load.shared.i32 [%8]
  %20 = atom.add.i32.global.device [%1], %19
  return
bb7:
  return
}}
"
    )
}

fn sum(options: Options, barrier: &str, blocks: u32) -> (u32, Vec<String>) {
    let mut rig = Rig::of(&reduction(barrier), options);
    let x = rig.words("x", &(1..=64).collect::<Vec<_>>());
    let total = rig.words("total", &[0]);
    rig.launch("k", blocks, 64, &[x, total]);
    (rig.read(total, 1)[0], rig.codes())
}

#[test]
fn a_reduction_with_its_barriers_is_right_and_clean() {
    assert_eq!(sum(Options::default(), "barrier.sync", 3), (3 * 2080, vec![]));
    assert_eq!(sum(racing(), "barrier.sync", 3), (3 * 2080, vec![]));
}

#[test]
fn a_reduction_without_its_barrier_is_reported_once_a_pair() {
    let (_, codes) = sum(racing(), "backedge", 3);
    assert!(!codes.is_empty(), "the race was not found");
    assert!(codes.iter().all(|c| c == "R0101" || c == "R0103"), "{codes:?}");
}

#[test]
fn a_run_stopped_anywhere_and_cloned_gives_the_same_bytes_twice() {
    for options in [Options::default(), racing(), Options { seed: 7, ..racing() }] {
        let (expected, _) = sum(options.clone(), "barrier.sync", 2);
        for every in [1, 3, 64, 1000] {
            let mut rig = Rig::of(&reduction("barrier.sync"), options.clone());
            let x = rig.words("x", &(1..=64).collect::<Vec<_>>());
            let total = rig.words("total", &[0]);
            let func = rig.module.find("k").expect("the kernel");
            rig.submit(func, [2, 1, 1], [64, 1, 1], &[x, total]);
            let mut stops = 0;
            while rig.emulator.advance(&mut rig.memory, every, &mut NoObserver) == Progress::Busy {
                stops += 1;
                if stops % 5 == 1 {
                    let (mut memory, mut twin) = (rig.memory.clone(), rig.emulator.clone());
                    assert_eq!(twin.advance(&mut memory, u64::MAX, &mut NoObserver), Progress::Idle);
                    let mut bytes = [0; 4];
                    memory.read(total, &mut bytes).expect("inside");
                    assert_eq!(u32::from_le_bytes(bytes), expected);
                }
            }
            assert_eq!(rig.read(total, 1), [expected]);
        }
    }
}

/// Each thread adds up a word `rounds` times, those of odd words once more; the argument is a variable of the thread.
const SUMS: &str = "kernel @k(%0: i64 \"x\", %1: i64 \"sums\", %2: i32 \"rounds\") {
  reg %2 i32 mutable
  reg %3 i32 mutable
  reg %4 i32 mutable
bb0:
  %5 = special.tid.x
  %6 = special.ctaid.x
  %7 = special.ntid.x
  %8 = mul.i32 %6, %7
  %9 = add.i32 %5, %8
  %10 = cvt.cast.i64.i32 %9
  %11 = mul.i64 %10, 4
  %12 = add.i64 %0, %11
  %13 = add.i64 %1, %11
  %3 = mov.i32 0
  %4 = load.global.i32 [%12]
  %14 = and.i32 %4, 1
  %15 = cmp.ne.i32 %14, 0
  branch %15, bb1, bb2
bb1:
  %3 = mov.i32 %4
  jump bb2
bb2:
  %16 = cmp.gt.i32 %2, 0
  branch %16, bb3, bb4
bb3:
  %17 = load.global.i32 [%12]
  %3 = add.i32 %3, %17
  %2 = add.i32 %2, -1
  backedge
  jump bb2
bb4:
  store.global.i32 [%13], %3
  return
}
";

/// Runs a launch in calls of `every` points, in clones of some stops to the end; gives the words at `out` in each end.
fn stopped(rig: &mut Rig, every: u64, block: u32, args: &[u64], (out, count): (u64, usize)) -> Vec<Vec<u32>> {
    let func = rig.module.find("k").expect("the kernel");
    rig.submit(func, [12, 1, 1], [block, 1, 1], args);
    let (mut stops, mut ends) = (0, Vec::new());
    while rig.emulator.advance(&mut rig.memory, every, &mut NoObserver) == Progress::Busy {
        stops += 1;
        if stops % 7 == 1 {
            let (mut memory, mut twin) = (rig.memory.clone(), rig.emulator.clone());
            assert_eq!(twin.advance(&mut memory, u64::MAX, &mut NoObserver), Progress::Idle);
            let mut bytes = vec![0; 4 * count];
            memory.read(out, &mut bytes).expect("inside");
            ends.push(bytes.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect());
        }
    }
    ends.push(rig.read(out, count));
    ends
}

#[test]
fn compiled_blocks_that_are_stopped_anywhere_go_on_as_they_would() {
    // In one block of three the lanes of the second warp part.
    let is_odd = |i: u32| i / 70 % 3 == 1 && (32..64).contains(&(i % 70)) && i.is_multiple_of(5);
    let words: Vec<u32> = (0..12 * 70).map(|i| i * 7 % 23 * 2 + u32::from(is_odd(i))).collect();
    let sums: Vec<u32> = words.iter().map(|w| 9 * w + if w % 2 == 1 { *w } else { 0 }).collect();
    for every in [1, 5, 64, 900] {
        let mut rig = Rig::of(SUMS, Options::default());
        let (x, out) = (rig.words("x", &words), rig.words("sums", &vec![0; words.len()]));
        // The warps of the first launch have the kernel compiled.
        rig.launch("k", 12, 70, &[x, out, 9]);
        assert_eq!(rig.read(out, words.len()), sums);
        let ends = stopped(&mut rig, every, 70, &[x, out, 9], (out, words.len()));
        assert!(ends.iter().all(|end| *end == sums), "every {every}");

        let mut rig = Rig::of(&reduction("barrier.sync"), Options::default());
        let (x, total) = (rig.words("x", &(1..=64).collect::<Vec<_>>()), rig.words("total", &[0]));
        rig.launch("k", 12, 64, &[x, total]);
        let ends = stopped(&mut rig, every, 64, &[x, total], (total, 1));
        assert!(ends.iter().all(|end| *end == [2 * 12 * 2080]), "every {every}");
    }
}

#[test]
fn a_barrier_in_one_branch_is_a_finding_and_not_a_hang() {
    let text = "kernel @k() {
bb0:
  %0 = special.tid.x
  %1 = cmp.lt.i32 %0, 10
  branch %1, bb1, bb2
bb1:
  barrier.sync
  jump bb3
bb2:
  barrier.sync
  jump bb3
bb3:
  return
}
";
    let mut rig = Rig::of(text, Options::default());
    rig.launch("k", 1, 64, &[]);
    assert_eq!(rig.codes(), ["R0401"]);
    assert!(rig.emulator.take_error().is_some());
}

#[test]
fn an_access_outside_is_a_finding_and_ends_the_launch() {
    let text = "kernel @k(%0: i64 \"x\") {
bb0:
  %1 = special.tid.x
  %2 = cvt.cast.i64.i32 %1
  %3 = mul.i64 %2, 4
  %4 = add.i64 %0, %3
  store.global.i32 [%4], %1
  return
}
";
    let mut rig = Rig::of(text, Options::default());
    let x = rig.words("x", &[7; 40]);
    rig.launch("k", 1, 64, &[x]);
    let findings = rig.emulator.take_findings();
    assert_eq!(findings.iter().map(|f| f.code().id()).collect::<Vec<_>>(), ["R0201"]);
    assert_eq!(findings[0].count, 24);
    assert_eq!(rig.emulator.take_error().map(device::CudaError::code), Some(700));
}

#[test]
fn lanes_that_wait_for_one_another_in_turn_make_progress() {
    // Each thread spins until the counter reaches its own number, then passes it on: a lock within a warp and across warps.
    let text = "kernel @k(%0: i64 \"turn\", %1: i64 \"order\") {
bb0:
  %2 = special.tid.x
  %3 = special.ntid.x
  %4 = special.ctaid.x
  %5 = mad.i32 %4, %3, %2
  jump bb1
bb1:
  %6 = load.global.i32.volatile [%0]
  %7 = cmp.eq.i32 %6, %5
  branch %7, bb3, bb2
bb2:
  backedge
  jump bb1
bb3:
  %8 = cvt.cast.i64.i32 %5
  %9 = mul.i64 %8, 4
  %10 = add.i64 %1, %9
  store.global.i32 [%10], %6
  %11 = add.i32 %6, 1
  fence.device
  store.global.i32.volatile [%0], %11
  return
}
";
    for seed in [0, 1, 2] {
        let mut rig = Rig::of(text, Options { seed, ..Options::default() });
        let turn = rig.words("turn", &[0]);
        let order = rig.words("order", &[99; 140]);
        rig.launch("k", 2, 70, &[turn, order]);
        assert_eq!(rig.codes(), Vec::<String>::new(), "seed {seed}");
        assert_eq!(rig.read(order, 140), (0..140).collect::<Vec<_>>(), "seed {seed}");
    }
}

#[test]
fn polling_what_nobody_changes_ends_in_a_finding() {
    let text = "kernel @k(%0: i64 \"flag\") {
bb0:
  jump bb1
bb1:
  %1 = load.global.i32.volatile [%0]
  %2 = cmp.ne.i32 %1, 0
  branch %2, bb3, bb2
bb2:
  backedge
  jump bb1
bb3:
  return
}
";
    let mut rig = Rig::of(text, Options::default());
    let flag = rig.words("flag", &[0]);
    rig.launch("k", 2, 33, &[flag]);
    assert_eq!(rig.codes(), ["R0405"]);
}
