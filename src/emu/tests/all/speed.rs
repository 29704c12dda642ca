//! How fast the executor is; run by hand: `cargo nextest run --release -p cufemu-emu --run-ignored all --no-capture speed`.

use crate::rig::Rig;
use emu::Options;
use std::time::Instant;

/// Seconds that this thread has run; where the system does not say, seconds since the first call.
fn seconds() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let run = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let run = run.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    run.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

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

fn saxpy(race: Option<race::Rules>) {
    let n = 1 << 24;
    let mut rig = Rig::of(SAXPY, Options { race, ..Options::default() });
    let x = rig.buffer("x", &vec![0; n * 4]);
    let y = rig.buffer("y", &vec![0; n * 4]);
    for _ in 0..3 {
        let start = seconds();
        rig.launch("saxpy", (n / 256) as u32, 256, &[x, y, u64::from(2f32.to_bits()), n as u64]);
        println!("saxpy {n}, race {}: {:.1} ms", race.is_some(), (seconds() - start) * 1e3);
    }
}

#[test]
#[ignore = "measures time"]
fn saxpy_of_sixteen_million_plain() {
    saxpy(None);
}

#[test]
#[ignore = "measures time"]
fn saxpy_of_sixteen_million_with_race_detection() {
    saxpy(Some(race::Rules::default()));
}

/// The product of two matrices by 16 x 16 tiles in shared memory (the guide's kernel), for extents that 16 divides.
const PRODUCT: &str = "kernel @mm(%0: i64 \"a\", %1: i64 \"b\", %2: i64 \"c\", %3: i32 \"n\") {
  reg %30 i32 mutable
  reg %31 i32 mutable
  reg %32 f32 mutable
  shared s0 \"asub\" bytes 1024 align 4 element 4 bounds (1:256)
  shared s1 \"bsub\" bytes 1024 align 4 element 4 bounds (1:256)
bb0:
  %4 = special.tid.x
  %5 = special.tid.y
  %6 = special.ctaid.x
  %7 = special.ctaid.y
  %8 = mad.i32 %6, 16, %4
  %9 = mad.i32 %7, 16, %5
  %10 = cvt.cast.i64.i32 %4
  %11 = cvt.cast.i64.i32 %5
  %12 = cvt.cast.i64.i32 %8
  %13 = cvt.cast.i64.i32 %9
  %14 = cvt.cast.i64.i32 %3
  %15 = mul.i64 %14, 4
  %16 = addr s0
  %17 = addr s1
  %18 = mul.i64 %11, 64
  %19 = mul.i64 %10, 4
  %20 = add.i64 %18, %19
  %21 = add.i64 %16, %20
  %22 = add.i64 %17, %20
  %32 = mov.f32 0.0
  %30 = mov.i32 0
  jump bb1
bb1:
  %40 = cmp.lt.i32 %30, %3
  branch %40, bb2, bb6
bb2:
  %41 = add.i32 %30, %5
  %42 = cvt.cast.i64.i32 %41
  %43 = mul.i64 %42, %15
  %44 = mul.i64 %12, 4
  %45 = add.i64 %43, %44
  %46 = add.i64 %0, %45
  %47 = load.global.f32 [%46]
  store.shared.f32 [%21], %47
  %48 = add.i32 %30, %4
  %49 = cvt.cast.i64.i32 %48
  %50 = mul.i64 %49, 4
  %51 = mul.i64 %13, %15
  %52 = add.i64 %51, %50
  %53 = add.i64 %1, %52
  %54 = load.global.f32 [%53]
  store.shared.f32 [%22], %54
  barrier.sync
  %31 = mov.i32 0
  jump bb3
bb3:
  %60 = cmp.lt.i32 %31, 16
  branch %60, bb4, bb5
bb4:
  %61 = cvt.cast.i64.i32 %31
  %62 = mul.i64 %61, 64
  %63 = add.i64 %62, %19
  %64 = add.i64 %16, %63
  %65 = load.shared.f32 [%64]
  %66 = mul.i64 %61, 4
  %67 = add.i64 %18, %66
  %68 = add.i64 %17, %67
  %69 = load.shared.f32 [%68]
  %32 = fma.f32 %65, %69, %32
  %31 = add.i32 %31, 1
  backedge
  jump bb3
bb5:
  barrier.sync
  %30 = add.i32 %30, 16
  backedge
  jump bb1
bb6:
  %70 = mul.i64 %13, %15
  %71 = mul.i64 %12, 4
  %72 = add.i64 %70, %71
  %73 = add.i64 %2, %72
  store.global.f32 [%73], %32
  return
}
";

fn product(race: Option<race::Rules>) {
    let n = 512u64;
    let mut rig = Rig::of(PRODUCT, Options { race, ..Options::default() });
    let bytes = vec![0; (n * n * 4) as usize];
    let (a, b, c) = (rig.buffer("a", &bytes), rig.buffer("b", &bytes), rig.buffer("c", &bytes));
    let func = rig.module.find("mm").expect("the kernel");
    for _ in 0..3 {
        let start = seconds();
        rig.submit(func, [(n / 16) as u32, (n / 16) as u32, 1], [16, 16, 1], &[a, b, c, n]);
        rig.finish();
        let s = seconds() - start;
        let steps = (n * n * n) as f64 / 1e6;
        println!("product {n}, race {}: {s:.3} s, {:.0} M inner steps/s", race.is_some(), steps / s);
    }
}

#[test]
#[ignore = "measures time"]
fn tiled_product_of_512_plain() {
    product(None);
}

#[test]
#[ignore = "measures time"]
fn tiled_product_of_512_with_race_detection() {
    product(Some(race::Rules::default()));
}
