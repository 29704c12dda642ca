//! How fast the executor is; run by hand: `cargo nextest run --release -p cufemu-emu --run-ignored all --no-capture speed`.

use crate::rig::Rig;
use emu::Options;
use std::time::Instant;

/// `y(i) = a*x(i) + y(i)`, one element a thread.
const SAXPY: &str = "kernel @saxpy(%0: i64 \"x\", %1: i64 \"y\", %2: f32 \"a\", %3: i32 \"n\") {
bb0:
  %4 = special.ctaid.x
  %5 = special.ntid.x
  %6 = special.tid.x
  %7 = mad.i32 %4, %5, %6
  %8 = cmp.lt.i32 %7, %3
  branch %8, bb1, bb2
bb1:
  %9 = cvt.cast.i64.i32 %7
  %10 = mul.i64 %9, 4
  %11 = add.i64 %0, %10
  %12 = add.i64 %1, %10
  %13 = load.global.f32 [%11]
  %14 = load.global.f32 [%12]
  %15 = fma.f32 %2, %13, %14
  store.global.f32 [%12], %15
  jump bb2
bb2:
  return
}
";

#[test]
#[ignore = "measures time"]
fn saxpy_of_sixteen_million() {
    for race in [None, Some(race::Rules::DEFAULT)] {
        let n = 1 << 24;
        let mut rig = Rig::of(SAXPY, Options { race, ..Options::default() });
        let x = rig.buffer("x", &vec![0; n * 4]);
        let y = rig.buffer("y", &vec![0; n * 4]);
        for _ in 0..3 {
            let start = Instant::now();
            rig.launch("saxpy", (n / 256) as u32, 256, &[x, y, u64::from(2f32.to_bits()), n as u64]);
            let ms = start.elapsed().as_secs_f64() * 1e3;
            println!("saxpy {n}, race {}: {ms:.1} ms", race.is_some());
        }
    }
}
