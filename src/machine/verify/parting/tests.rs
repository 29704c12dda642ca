//! The emulator and another one whose kernel has a planted difference, in place of a GPU.

use super::*;
use ir::{FuncId, Module};

fn module(text: &str) -> Module {
    let module = ir::parse::module(text).expect("it is IR");
    assert_eq!(ir::verify::module(&module), []);
    module
}

fn emulator(module: Module) -> Emulator {
    let mut emulator = Emulator::new(0, emu::Options::default());
    emulator.load(Arc::new(vm::compile(Arc::new(module), Vec::new()).expect("valid")));
    emulator
}

/// What is found for word `word` (from 0) of an array if one warp runs kernel `text`, in which the emulator has `right` for PLANT and
/// the other engine `wrong`: the thread of each step, counted from 0, the start of its place, and the values.
fn search(text: &str, [right, wrong]: [&str; 2], word: u64) -> Vec<(u32, u32, Option<[u64; 2]>)> {
    let [ours, theirs] = [right, wrong].map(|plant| module(&text.replace("PLANT", plant)));
    let right = emulator(ours);
    let mut memory = Memory::new();
    let base = right.unwatched().alloc(&mut memory, Region::Device(0), 256, 1, "x", Span::NONE).expect("room");
    let launch = KernelLaunch {
        func: FuncId(0),
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: 0,
        stream: 0,
        args: vec![Arg::Bits(base)],
        number: 1,
        span: Span::NONE,
    };
    let mut other = |recording: &Recording, memory: &Memory, launch: &KernelLaunch, buffer: u64| {
        assert_eq!(ir::verify::module(&recording.module), []);
        let theirs = Recording::new(&theirs, FuncId(0), recording.who).expect("a kernel");
        on_emulator(&mut emulator(theirs.module), memory.clone(), launch, buffer)
    };
    let found = find(&right, &mut other, &memory, &launch, base + 4 * word);
    found.iter().map(|step| (step.who.lane, step.span.start, step.bits)).collect()
}

fn bits(x: f32) -> u64 {
    u64::from(x.to_bits())
}

#[test]
fn the_first_value_that_differs_is_found_in_the_thread_that_wrote_the_word() {
    let text = "
kernel @k(%0: i64) {
  reg %7 f32 mutable
  reg %8 i32 mutable
bb0:
  %2 = special.tid.x
  %3 = cvt.cast.i64.i32 %2
  %4 = mad.i64 %3, 4, %0
  %5 = load.global.f32 [%4]
  %7 = mov.f32 %5
  %8 = mov.i32 0
  jump bb1
bb1:
  %6 = mul.f32 %7, 2.0
  %7 = add.f32 %6, PLANT !0:10-11
  %8 = add.i32 %8, 1
  %9 = cmp.lt.i32 %8, %2
  backedge
  branch %9, bb1, bb2
bb2:
  store.global.f32 [%4], %7 !0:20-21
  return
}";
    // Nothing differs, but a word is asked for: where it is written.
    assert_eq!(search(text, ["1.0", "1.0"], 5), [(5, 20, None)]);
    assert_eq!(search(text, ["1.0", "1.0"], 40), []);
    assert_eq!(search(text, ["1.0", "-1.5"], 5), [(5, 10, Some([bits(1.0), bits(-1.5)]))]);
}

#[test]
fn a_value_is_followed_to_the_thread_that_put_it_into_shared_or_global_memory() {
    // Thread t gives to thread 31-t through shared memory, which gives to thread t/2 through global memory.
    let text = r#"
kernel @k(%0: i64) {
  shared s0 "t" bytes 128 align 4 element 4
bb0:
  %1 = special.tid.x
  %2 = cmp.eq.i32 %1, 20
  %3 = select.i32 %2, PLANT, 7 !0:10-11
  %4 = cvt.cast.i64.i32 %1
  %5 = addr s0
  %6 = mad.i64 %4, 4, %5
  store.shared.i32 [%6], %3
  barrier.sync
  %7 = sub.i64 31, %4
  %8 = mad.i64 %7, 4, %5
  %9 = load.shared.i32 [%8] !0:20-21
  %10 = add.i32 %9, %1
  %11 = mad.i64 %4, 4, %0
  store.global.i32 [%11+128], %10
  barrier.sync
  %12 = div.i64 %4, 2
  %13 = mad.i64 %12, 4, %0
  %14 = load.global.i32 [%13+128] !0:30-31
  store.global.i32 [%11], %14
  return
}"#;
    // 20 gives to 11, 11 to 22 and 23.
    let expected = [(23, 30, Some([18, 17])), (11, 20, Some([7, 6])), (20, 10, Some([7, 6]))];
    assert_eq!(search(text, ["7", "6"], 23), expected);
    assert_eq!(search(text, ["7", "6"], 32 + 11), expected[1..]);
}

#[test]
fn the_piece_of_a_long_computation_is_found() {
    let text = "
kernel @k(%0: i64) {
  reg %1 i32 mutable
  reg %2 i32 mutable
bb0:
  %3 = special.tid.x
  %1 = mov.i32 0
  %2 = mov.i32 0
  jump bb1
bb1:
  %4 = cmp.eq.i32 %1, 70000
  %5 = select.i32 %4, PLANT, 3 !0:10-11
  %2 = add.i32 %2, %5
  %1 = add.i32 %1, 1
  %6 = cmp.lt.i32 %1, 80000
  backedge
  branch %6, bb1, bb2
bb2:
  %7 = cmp.eq.i32 %3, 3
  branch %7, bb3, bb4
bb3:
  store.global.i32 [%0], %2
  return
bb4:
  return
}";
    assert_eq!(search(text, ["3", "4"], 0), [(3, 10, Some([3, 4]))]);
}

#[test]
fn procedures_and_kernels_that_begin_with_a_loop_are_followed() {
    let text = "
kernel @k(%0: i64) {
bb0:
  %1 = special.tid.x
  %2 = cmp.eq.i32 %1, 4
  branch %2, bb1, bb2
bb1:
  %3 = load.global.i32 [%0]
  %4:i32 = call @step(%3)
  store.global.i32 [%0], %4
  %5 = cmp.lt.i32 %4, 10
  backedge
  branch %5, bb0, bb2
bb2:
  return
}
device @step(%0: i32) -> i32 {
bb0:
  %1 = mul.i32 %0, 2
  %2 = add.i32 %1, PLANT !0:10-11
  return %2
}";
    assert_eq!(search(text, ["1", "2"], 0), [(4, 10, Some([1, 2]))]);
}

#[test]
fn a_value_is_followed_to_the_lane_that_a_shuffle_or_vote_has_it_from() {
    let text = |exchange: &str| {
        format!(
            "
kernel @k(%0: i64) {{
bb0:
  %1 = special.tid.x
  %2 = cmp.eq.i32 %1, 20
  %3 = select.i32 %2, PLANT, 7 !0:10-11
  %8 = cmp.eq.i32 %3, 7
  {exchange}
  %4 = cvt.cast.i64.i32 %1
  %5 = mad.i64 %4, 4, %0
  store.global.i32 [%5], %6
  return
}}"
        )
    };
    let there = (20, 10, Some([7, 6]));
    // The lane is a register: lane t takes from t + 11.
    let shuffle = text("%7 = add.i32 %1, 11\n  %6 = shfl.idx.i32 %3, %7, 32 !0:20-21");
    assert_eq!(search(&shuffle, ["7", "6"], 9), [(9, 20, Some([7, 6])), there]);
    // A sum over the warp by a tree: lane 0 gets it from 16, that from 24 and 20.
    let tree = text(
        "%10 = shfl.down.i32 %3, 4, 32 !0:20-21
  %11 = add.i32 %10, %3
  %12 = shfl.down.i32 %11, 16, 32 !0:30-31
  %6 = add.i32 %12, %11",
    );
    assert_eq!(search(&tree, ["7", "6"], 0), [(0, 30, Some([14, 13])), (16, 20, Some([7, 6])), there]);
    let ballot = text("%6 = vote.ballot.pred %8 !0:20-21");
    assert_eq!(search(&ballot, ["7", "6"], 3), [(3, 20, Some([u64::from(u32::MAX), 0xffef_ffff])), there]);
    let all = text("%9 = vote.all.pred %8 !0:20-21\n  %6 = select.i32 %9, 1, 0");
    assert_eq!(search(&all, ["7", "6"], 3), [(3, 20, Some([u64::from(u32::MAX), 0xffef_ffff])), there]);
    let matches = text("%6 = vote.match.any.i32 %3 !0:20-21");
    assert_eq!(search(&matches, ["7", "6"], 3), [(3, 20, Some([u64::from(u32::MAX), 0xffef_ffff])), there]);
}
