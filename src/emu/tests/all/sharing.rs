//! What a launch touches, at the places that the executor knows.

use crate::rig::Rig;
use device::{Arg, KernelLaunch};
use emu::{Options, SiteSharing};
use ir::analysis::footprint::Sharing;
use source::Span;
use vm::Site;

const KERNEL: &str = "kernel @k(%0: i64, %1: i64) {
  reg %2 i32
  reg %3 i32
  reg %4 i32
  reg %5 i32
  reg %6 i64
  reg %7 i64
  reg %8 i64
  reg %9 i32
  reg %10 i32
  shared s0 \"s\" bytes 256 align 4 element 4
bb0:
  %2 = special.ctaid.x
  %3 = special.ntid.x
  %4 = special.tid.x
  %5 = mad.i32 %2, %3, %4
  %6 = cvt.cast.i64.i32 %5
  %7 = mad.i64 %6, 4, %0
  %8 = addr s0
  %9 = load.global.i32 [%7]
  store.shared.i32 [%8], %9
  red.add.i32.global.device [%1], %9
  store.global.i32 [%7], %5
  return
}
";

#[test]
fn sites_of_the_code_have_the_sharing_of_their_accesses() {
    let mut rig = Rig::of(KERNEL, Options::default());
    let (x, sum) = (rig.words("x", &[1; 256]), rig.words("sum", &[0]));
    let func = rig.module.find("k").expect("the kernel");
    let launch = KernelLaunch {
        func,
        grid: [4, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 0,
        stream: 0,
        args: vec![Arg::Bits(x), Arg::Bits(sum)],
        number: 1,
        span: Span::NONE,
    };
    let program = rig.emulator.program().expect("loaded").clone();
    let found = SiteSharing::new(&program, &rig.memory, &launch);
    let accesses: Vec<Site> = program.access_sites(func).collect();
    let of = |i: usize| found.of(accesses[i]);
    assert_eq!(accesses.len(), 4);
    assert_eq!([of(0), of(2), of(3)], [Sharing::ThreadDisjoint, Sharing::Reduction, Sharing::ThreadDisjoint]);
    assert_eq!(found.worst(), Sharing::Reduction);
    // All threads store to the first element of `s`; atomics do not race among themselves.
    let private = |i: usize| found.private()[func.index()][accesses[i].pc as usize];
    assert_eq!([private(0), private(1), private(2), private(3)], [true, false, true, true]);
    assert!(!found.is_free_of_races());
    let same = KernelLaunch { args: vec![Arg::Bits(x), Arg::Bits(x)], ..launch };
    assert_eq!(SiteSharing::new(&program, &rig.memory, &same).worst(), Sharing::Unknown);
}
