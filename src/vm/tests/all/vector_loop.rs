//! Loops of host code do the same whether their iterations are run one by one or many at a time, with any budget.

use crate::support::context;
use fastrand::Rng;
use ir::FuncId;
use mem::Memory;
use mem::address::Region;
use source::Span;
use std::fmt::Write;
use std::sync::Arc;
use vm::{Geometry, HostStack, Stop, Warp, WindowTable};

/// Elements of each of the four arrays, of `f64`, `f64`, `i32` and `i32`.
const ELEMENTS: u64 = 2048;

/// A loop of random operations. Registers: %0 and %1 are counters of `i64` and `i32`, %2 to %5 sums, %10 to %13 the arrays.
fn program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut body = String::new();
    let mut reals = vec!["%6".to_owned(), "2.5".to_owned()];
    let mut ints = vec!["%7".to_owned(), "3".to_owned(), "%1".to_owned()];
    let mut next = 20;
    let mut fresh = || {
        next += 1;
        format!("%{next}")
    };
    let mut summed = [false; 4];
    for _ in 0..3 + rng.u64(..7) {
        let array = rng.u64(..4);
        let (ty, bytes) = if array < 2 { ("f64", 8) } else { ("i32", 4) };
        let pick = |rng: &mut Rng, from: &[String]| from[rng.usize(..from.len())].clone();
        let mut address = |rng: &mut Rng, body: &mut String| {
            let sum = fresh();
            let factor = bytes * (1 + rng.u64(..3) / 2 * rng.u64(..3));
            if rng.u64(..3) == 0 {
                let wide = fresh();
                writeln!(body, "  {wide} = cvt.cast.i64.i32 %1").unwrap();
                writeln!(body, "  {sum} = mad.i64 {wide}, {bytes}, %{}", 10 + array).unwrap();
            } else {
                writeln!(body, "  {sum} = mad.i64 %0, {factor}, %{}", 10 + array).unwrap();
            }
            // Now and then beyond the end, so that some iterations fail.
            let far = if rng.u64(..40) == 0 { ELEMENTS - 20 } else { 0 };
            format!("[{sum}+{}]", bytes * (rng.u64(..4) / 2 * rng.u64(..40) + far))
        };
        match rng.u64(..9) {
            0..=2 => {
                let at = address(&mut rng, &mut body);
                let d = fresh();
                writeln!(body, "  {d} = load.host.{ty} {at}").unwrap();
                if array < 2 { reals.push(d) } else { ints.push(d) }
            }
            3 | 4 => {
                let at = address(&mut rng, &mut body);
                let value = pick(&mut rng, if array < 2 { &reals } else { &ints });
                writeln!(body, "  store.host.{ty} {at}, {value}").unwrap();
            }
            5 => {
                let op = ["add", "mul", "sub", "min"][rng.usize(..4)];
                let (a, b, d) = (pick(&mut rng, &reals), pick(&mut rng, &reals), fresh());
                writeln!(body, "  {d} = {op}.f64 {a}, {b}").unwrap();
                reals.push(d);
            }
            6 => {
                let op = ["add", "mul", "xor", "max"][rng.usize(..4)];
                let (a, b, d) = (pick(&mut rng, &ints), pick(&mut rng, &ints), fresh());
                writeln!(body, "  {d} = {op}.i32 {a}, {b}").unwrap();
                ints.push(d);
            }
            7 if !summed[0] => {
                summed[0] = true;
                let (a, b) = (pick(&mut rng, &reals), pick(&mut rng, &reals));
                match rng.u64(..3) {
                    0 => writeln!(body, "  %2 = add.f64 %2, {a}"),
                    1 => writeln!(body, "  %2 = fma.f64 {a}, {b}, %2"),
                    _ => {
                        let t = fresh();
                        writeln!(body, "  {t} = sub.f64 {a}, %2\n  %2 = mov.f64 {t}")
                    }
                }
                .unwrap();
            }
            8 if !summed[1] => {
                summed[1] = true;
                let op = ["add", "xor", "max", "mul"][rng.usize(..4)];
                writeln!(body, "  %4 = {op}.i32 {}, %4", pick(&mut rng, &ints)).unwrap();
            }
            _ => {
                let (p, d) = (fresh(), fresh());
                let (a, b) = (pick(&mut rng, &reals), pick(&mut rng, &reals));
                writeln!(body, "  {p} = cmp.lt.f64 {a}, {b}").unwrap();
                writeln!(body, "  {d} = select.i32 {p}, %1, 7").unwrap();
                ints.push(d);
            }
        }
    }
    let iterations = [0, 1, 7, 8, 31, 32, 33, 63, 64, 65, 100, 257][rng.usize(..12)];
    // The loop ends by the counter that goes up, or by one of the iterations that are left.
    let test = match rng.u64(..3) {
        0 => "  %9 = cmp.lt.i64 %0, %8\n  %0 = add.i64 %0, 1\n".to_owned(),
        1 => format!("  %0 = add.i64 %0, 1\n  %9 = cmp.le.i64 %0, {iterations}\n"),
        _ => "  %9 = cmp.ne.i64 %8, 0\n  %8 = add.i64 %8, -1\n  %0 = add.i64 %0, 1\n".to_owned(),
    };
    let step = rng.u64(..3) as i64 + 1;
    format!(
        "
global g0 \"a\" host bytes {r} align 8 init none
global g1 \"b\" host bytes {r} align 8 init none
global g2 \"c\" host bytes {i} align 8 init none
global g3 \"d\" host bytes {i} align 8 init none
global g4 \"e\" host bytes 64 align 8 init none
main @f
host @f() {{
  reg %0 i64 mutable
  reg %1 i32 mutable
  reg %2 f64 mutable
  reg %4 i32 mutable
  reg %8 i64 mutable
bb0:
  %10 = addr g0
  %11 = addr g1
  %12 = addr g2
  %13 = addr g3
  %14 = addr g4
  %0 = mov.i64 0
  %1 = mov.i32 5
  %2 = mov.f64 0.5
  %4 = mov.i32 9
  %8 = mov.i64 {iterations}
  %6 = load.host.f64 [%10]
  %7 = load.host.i32 [%12]
  jump bb1
bb1:
{body}  %1 = add.i32 %1, {step}
{test}  backedge
  branch %9, bb1, bb2
bb2:
  store.host.i64 [%14], %0
  store.host.i32 [%14+8], %1
  store.host.f64 [%14+16], %2
  store.host.i32 [%14+24], %4
  store.host.i64 [%14+32], %8
  return
}}",
        r = 8 * ELEMENTS,
        i = 4 * ELEMENTS,
    )
}

/// Memory, schedule points and the last stop of a run, and whether iterations were run many at a time.
fn run(module: &Arc<ir::Module>, exact: bool, budget: u64) -> (Vec<u8>, u64, Stop, u64) {
    let mut memory = Memory::new();
    let mut rng = Rng::with_seed(77);
    let mut globals = Vec::new();
    for global in &module.globals {
        let at = memory.alloc(Region::Host, global.bytes, &global.name, Span::NONE).unwrap();
        let bytes: Vec<u8> = match &*global.name {
            "a" | "b" => (0..ELEMENTS).flat_map(|_| (rng.u64(..2000) as f64 / 64.0 - 9.0).to_le_bytes()).collect(),
            _ => (0..global.bytes / 4).flat_map(|_| (rng.u64(..200) as i32 - 100).to_le_bytes()).collect(),
        };
        memory.write(at, &bytes).unwrap();
        globals.push(at);
    }
    let mut program = vm::compile(module.clone(), globals.clone()).unwrap();
    program.set_materialise_all(exact);
    let stack = memory.alloc(Region::Host, 4096, "stack", Span::NONE).unwrap();
    let mut warp: Warp<1> =
        Warp::host(&program, module.main.unwrap(), HostStack { top: stack, limit: stack + 4096 }).unwrap();
    let mut calls = 0;
    let stop = loop {
        calls += 1;
        let mut windows = WindowTable::default();
        let mut ctx = context(&mut memory, &mut [], &mut windows, Geometry::default(), budget);
        match warp.run(&program, &mut ctx, None) {
            Stop::Budget => {}
            Stop::Polling => warp.wake_pollers(),
            stop => break stop,
        }
    };
    let mut bytes = Vec::new();
    for (global, &at) in module.globals.iter().zip(&globals) {
        let mut part = vec![0; global.bytes as usize];
        memory.read(at, &mut part).unwrap();
        bytes.extend(part);
    }
    (bytes, warp.points(), stop, calls)
}

#[test]
fn iterations_many_at_a_time_do_what_iterations_one_by_one_do() {
    let (mut abreast, mut faults) = (0, 0);
    for seed in 0..if cfg!(miri) { 1 } else { 3000 } {
        let text = program(seed);
        let module = ir::parse::module(&text).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{text}"));
        assert_eq!(ir::verify::module(&module), [], "seed {seed}\n{text}");
        let module = Arc::new(module);
        let (bytes, points, stop, _) = run(&module, true, u64::MAX);
        for budget in [u64::MAX, 201] {
            let found = run(&module, false, budget);
            assert_eq!(found.2, stop, "seed {seed}, budget {budget}\n{text}");
            assert_eq!(found.1, points, "seed {seed}, budget {budget}\n{text}");
            assert!(found.0 == bytes, "seed {seed}, budget {budget}\n{text}");
        }
        let program = vm::compile(module.clone(), vec![0; module.globals.len()]).unwrap();
        abreast += u64::from(program.vector_loops(FuncId(0)) != 0);
        faults += u64::from(stop != Stop::Done);
    }
    assert!(cfg!(miri) || abreast > 1500 && faults > 20, "{abreast} loops, {faults} faults");
}
