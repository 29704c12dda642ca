//! Loops of the host do the same in machine code: every operation on one lane, loads and stores of all sizes, branches and loops in
//! loops, runs that stop at any schedule point or at a fault.

use crate::support::context;
use fastrand::Rng;
use ir::Module;
use mem::Memory;
use mem::address::Region;
use source::Span;
use std::fmt::Write;
use std::sync::Arc;
use vm::{Engine, Geometry, HostStack, Program, Stop, Warp, WindowTable};

/// Bytes of the array that a program works on: more than a page of memory.
const BYTES: u64 = 80_000;

/// Registers that the loops assign: three of each type.
const VARS: [(&str, [u32; 3]); 4] =
    [("i32", [40, 41, 42]), ("i64", [43, 44, 45]), ("f32", [46, 47, 48]), ("f64", [49, 50, 51])];

struct Body<'a> {
    rng: &'a mut Rng,
    next: u32,
    text: String,
}

impl Body<'_> {
    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.rng.usize(..list.len())]
    }

    fn operand(&mut self, ty: usize) -> String {
        let (name, regs) = VARS[ty];
        match (self.rng.u64(..6), name) {
            (0, "i32" | "i64") => (self.rng.i64(-70..70)).to_string(),
            (0, _) => self.pick(&["0.0", "-0.0", "1.5", "-3.25"]).to_owned(),
            _ => format!("%{}", regs[self.rng.usize(..3)]),
        }
    }

    fn temp(&mut self, text: &str) -> u32 {
        self.next += 1;
        writeln!(self.text, "  %{} = {text}", self.next).unwrap();
        self.next
    }

    fn predicate(&mut self) -> u32 {
        let ty = self.rng.usize(..4);
        let (a, b, name) = (self.operand(ty), self.operand(ty), VARS[ty].0);
        let is_int = name.starts_with('i');
        let op = if is_int {
            self.pick(&["eq", "ne", "lt", "le", "gt", "ge", "lt.u", "ge.u"])
        } else {
            self.pick(&["eq", "ne", "lt", "le", "gt", "ge"])
        };
        let one = self.temp(&format!("cmp.{op}.{name} {a}, {b}"));
        match self.rng.u64(..5) {
            0 => self.temp(&format!("not.pred %{one}")),
            1 => {
                let other = self.temp(&format!("cmp.lt.i32 %40, {}", self.next % 9));
                let op = self.pick(&["and", "or", "xor"]);
                self.temp(&format!("{op}.pred %{one}, %{other}"))
            }
            _ => one,
        }
    }

    /// An address in the array, by a counter or by whatever a register holds; now and then beyond its end.
    fn address(&mut self, bytes: u64) -> String {
        let at = match self.rng.u64(..4) {
            0 => {
                let wide = self.temp("cvt.cast.i64.i32 %60");
                self.temp(&format!("mad.i64 %{wide}, {bytes}, %9"))
            }
            1 => {
                let wide = self.temp("cvt.cast.i64.i32 %60");
                let row = self.temp("cvt.cast.i64.i32 %61");
                let sum = self.temp(&format!("mad.i64 %{wide}, {}, %9", 8 * bytes));
                self.temp(&format!("mad.i64 %{row}, {}, %{sum}", 24 * bytes))
            }
            _ => {
                let low = self.temp("and.i64 %43, 4095");
                self.temp(&format!("mad.i64 %{low}, {bytes}, %9"))
            }
        };
        let far = if self.rng.u64(..60) == 0 { BYTES - 300 } else { 0 };
        format!("[%{at}+{}]", 8 * self.rng.u64(..40) + far)
    }

    fn assignment(&mut self) {
        let ty = self.rng.usize(..4);
        let (name, regs) = VARS[ty];
        let bytes = if name.ends_with("32") { 4 } else { 8 };
        let d = regs[self.rng.usize(..3)];
        let (a, b) = (self.operand(ty), self.operand(ty));
        let is_int = name.starts_with('i');
        let text = match (self.rng.u64(..11), is_int) {
            (0, _) => {
                let p = self.predicate();
                format!("select.{name} %{p}, {a}, {b}")
            }
            (1, true) => format!("mad.{name} {a}, {b}, %{}", regs[0]),
            (1, false) => format!("fma.{name} {a}, {b}, %{}", regs[0]),
            (2, true) => {
                let count = if self.rng.bool() { self.rng.u64(..70).to_string() } else { format!("%{}", regs[1]) };
                format!("{}.{name} {a}, {count}", self.pick(&["shl", "shr.u", "shr.s"]))
            }
            (3, true) => {
                format!("{}.{name} {a}, {b}", self.pick(&["and", "or", "xor", "min", "max", "div", "rem", "mulhi"]))
            }
            (3, false) => {
                format!("{}.{name} {a}", self.pick(&["neg", "abs", "sqrt", "floor", "ceil", "trunc", "rint", "round"]))
            }
            (4, _) => match name {
                "i32" => format!(
                    "cvt.{}",
                    self.pick(&[
                        "cast.i32.i64 %43",
                        "cast.i32.f32 %46",
                        "cast.i32.f64 %49",
                        "nint.i32.f64 %49",
                        "bits.i32.f32 %47"
                    ])
                ),
                "i64" => format!(
                    "cvt.{}",
                    self.pick(&[
                        "cast.i64.i32 %41",
                        "cast.u.i64.i32 %41",
                        "cast.i64.f64 %49",
                        "cast.i64.f32 %48",
                        "bits.i64.f64 %50"
                    ])
                ),
                "f32" => format!(
                    "cvt.{}",
                    self.pick(&["cast.f32.i32 %40", "cast.f32.f64 %50", "cast.f32.i64 %44", "bits.f32.i32 %42"])
                ),
                _ => format!(
                    "cvt.{}",
                    self.pick(&["cast.f64.i32 %40", "cast.f64.i64 %44", "cast.f64.f32 %47", "bits.f64.i64 %45"])
                ),
            },
            (5 | 6, _) => {
                let at = self.address(bytes);
                let word = self.temp(&format!("load.host.{name} {at}"));
                if is_int { format!("xor.{name} %{word}, {a}") } else { format!("add.{name} %{word}, {a}") }
            }
            (7, _) => {
                let at = self.address(bytes);
                writeln!(self.text, "  store.host.{name} {at}, {a}").unwrap();
                return;
            }
            (8, true) => {
                // A word of one or two bytes.
                let (ty, bytes) = if self.rng.bool() { ("i8", 1) } else { ("i16", 2) };
                let at = self.address(bytes);
                let word = self.temp(&format!("load.host.{ty} {at}"));
                let count = self.rng.u64(..20);
                let other = self.temp(&format!("cvt.cast.{ty}.i32 %{}", VARS[0].1[1]));
                let op = match self.rng.u64(..8) {
                    0 => {
                        let p = self.temp(&format!("cmp.lt.{ty} %{word}, %{other}"));
                        format!("select.{ty} %{p}, %{other}, %{word}")
                    }
                    1 => {
                        let p = self.temp(&format!("cvt.i2p.pred.{ty} %{word}"));
                        format!("cvt.p2i.{ty}.pred %{p}")
                    }
                    2 => {
                        let op = self.pick(&["neg", "abs", "not"]);
                        format!("{op}.{ty} %{word}")
                    }
                    3 => {
                        let op = self.pick(&["shl", "shr.u", "shr.s"]);
                        format!("{op}.{ty} %{word}, {count}")
                    }
                    4 => format!("mad.{ty} %{word}, %{other}, 3"),
                    5 if bytes == 2 => {
                        let real = self.temp(&format!("cvt.half.widen.f32.i16 %{word}"));
                        let sum = self.temp(&format!("mul.f32 %{real}, %{}", VARS[2].1[0]));
                        format!("cvt.half.round.i16.f32 %{sum}")
                    }
                    5 => {
                        let real = self.temp(&format!("cvt.cast.f64.{ty} %{word}"));
                        let sum = self.temp(&format!("mul.f64 %{real}, %{}", VARS[3].1[0]));
                        format!("cvt.cast.{ty}.f64 %{sum}")
                    }
                    _ => {
                        let op = self.pick(&["add", "sub", "mul", "min", "max", "div", "rem", "xor"]);
                        format!("{op}.{ty} %{word}, %{other}")
                    }
                };
                let result = self.temp(&op);
                let at = self.address(bytes);
                writeln!(self.text, "  store.host.{ty} {at}, %{result}").unwrap();
                let cast = self.pick(&["cast", "cast.u"]);
                format!("cvt.{cast}.{name}.{ty} %{result}")
            }
            (_, true) => format!("{}.{name} {a}, {b}", self.pick(&["add", "sub", "mul"])),
            (_, false) => format!("{}.{name} {a}, {b}", self.pick(&["add", "sub", "mul", "div", "min", "max"])),
        };
        writeln!(self.text, "  %{d} = {text}").unwrap();
    }

    fn assignments(&mut self, most: u64) {
        for _ in 0..self.rng.u64(..=most) {
            self.assignment();
        }
    }

    /// The end of a loop by its counter `%63` or `%64`, that goes back to `head`.
    fn close(&mut self, (counter, index): (u32, u32), head: u32, next: u32) {
        let by = self.pick(&["1", "1", "-1", "3", "%66"]).to_owned();
        writeln!(self.text, "  %{index} = add.i32 %{index}, {by}").unwrap();
        let (test, step) = match self.rng.u64(..3) {
            0 => ("cmp.ne.i32 %C, 0", "add.i32 %C, -1"),
            1 => ("cmp.gt.i32 %C, 1", "sub.i32 %C, 1"),
            _ => ("cmp.lt.i32 0, %C", "add.i32 %C, -1"),
        };
        let counter = counter.to_string();
        let more = self.temp(&test.replace('C', &counter));
        writeln!(self.text, "  %{counter} = {}", step.replace('C', &counter)).unwrap();
        writeln!(self.text, "  backedge\n  branch %{more}, bb{head}, bb{next}").unwrap();
    }
}

/// Two loops in a loop: one of one block, and one with a branch inside.
fn program(rng: &mut Rng) -> String {
    let mut body = Body { rng, next: 100, text: String::new() };
    writeln!(body.text, "global g0 \"a\" host bytes {BYTES} align 8 init none\nmain @f\nhost @f() {{").unwrap();
    for (ty, regs) in VARS {
        for reg in regs {
            writeln!(body.text, "  reg %{reg} {ty} mutable").unwrap();
        }
    }
    for reg in 60..=66 {
        writeln!(body.text, "  reg %{reg} i32 mutable").unwrap();
    }
    body.text += "bb0:\n  %9 = addr g0\n  %60 = mov.i32 0\n  %61 = mov.i32 0\n  %62 = mov.i32 0\n  %66 = mov.i32 2\n";
    for (i, (ty, regs)) in VARS.iter().enumerate() {
        for (k, reg) in regs.iter().enumerate() {
            writeln!(body.text, "  %{reg} = load.host.{ty} [%9+{}]", 512 * i + 64 * k).unwrap();
        }
    }
    let outer = 20 + body.rng.u64(..10);
    writeln!(body.text, "  %63 = mov.i32 {outer}\n  jump bb1\nbb1:\n  %66 = add.i32 %66, 1\n  %66 = and.i32 %66, 7")
        .unwrap();
    body.assignments(3);
    let inner = body.pick(&["0", "1", "50", "120"]).to_owned();
    writeln!(body.text, "  %60 = mov.i32 9\n  %64 = mov.i32 {inner}\n  jump bb2\nbb2:").unwrap();
    body.assignments(6);
    body.close((64, 60), 2, 3);
    writeln!(body.text, "bb3:\n  %65 = mov.i32 60\n  %62 = mov.i32 0\n  jump bb4\nbb4:").unwrap();
    body.assignments(4);
    let p = body.predicate();
    writeln!(body.text, "  branch %{p}, bb5, bb6\nbb5:").unwrap();
    body.assignments(3);
    body.text += "  jump bb6\nbb6:\n";
    body.assignments(3);
    if body.rng.u64(..3) == 0 {
        let value = body.temp("and.i32 %40, 3");
        writeln!(body.text, "  switch.i32 %{value} [0: bb7, 2: bb8] else bb8\nbb7:").unwrap();
        body.assignments(2);
        body.text += "  jump bb8\nbb8:\n";
    } else {
        body.text += "  jump bb8\nbb7:\n  jump bb8\nbb8:\n";
    }
    body.close((65, 62), 4, 9);
    body.text += "bb9:\n";
    body.close((63, 61), 1, 10);
    body.text += "bb10:\n";
    for (i, (ty, regs)) in VARS.iter().enumerate() {
        for (k, reg) in regs.iter().enumerate() {
            writeln!(body.text, "  store.host.{ty} [%9+{}], %{reg}", 512 * i + 64 * k).unwrap();
        }
    }
    body.text += "  return\n}\n";
    body.text
}

/// An array statement in a loop: what it loads and stores lies at a few places that may overlap, and it computes words of one size.
fn statement(rng: &mut Rng) -> String {
    let mut body = Body { rng, next: 100, text: String::new() };
    writeln!(body.text, "global g0 \"a\" host bytes {BYTES} align 8 init none\nmain @f\nhost @f() {{").unwrap();
    for (reg, ty) in [(40, "i64"), (41, "i64"), (42, "i64"), (43, "i32"), (44, "i32")] {
        writeln!(body.text, "  reg %{reg} {ty} mutable").unwrap();
    }
    let (bytes, int, real) = [(8, "i64", "f64"), (4, "i32", "f32"), (2, "i16", ""), (1, "i8", "")][body.rng.usize(..4)];
    let is_real = !real.is_empty() && body.rng.u64(..3) != 0;
    let ty = if is_real { real } else { int };
    // A vector of narrow words takes more iterations.
    let rounds = if bytes < 4 { 300 } else { 90 };
    writeln!(
        body.text,
        "bb0:\n  %9 = addr g0\n  %10 = load.host.{ty} [%9+24]\n  %42 = mov.i64 40\n  jump bb1\nbb1:\n  \
        %40 = mov.i64 0\n  %43 = mov.i32 {rounds}\n  jump bb2\nbb2:"
    )
    .unwrap();
    let mut values = vec!["%10".to_owned(), if is_real { "1.25" } else { "3" }.to_owned()];
    let place =
        |body: &mut Body<'_>| 256 + bytes * (body.rng.u64(..2) * 40 + body.rng.u64(..12)) + body.rng.u64(..2) * 66_000;
    for _ in 0..=body.rng.u64(..3) {
        let factor = if body.rng.u64(..8) == 0 { 0 } else { bytes };
        let at = body.temp(&format!("mad.i64 %40, {factor}, %9"));
        let far = place(&mut body);
        let d = body.temp(&format!("load.host.{ty} [%{at}+{far}]"));
        values.push(format!("%{d}"));
    }
    for _ in 0..body.rng.u64(..6) {
        let pick = |body: &mut Body<'_>, values: &[String]| values[body.rng.usize(..values.len())].clone();
        let (a, b, c) = (pick(&mut body, &values), pick(&mut body, &values), pick(&mut body, &values));
        let text = match (body.rng.u64(..6), is_real) {
            (5, _) => {
                let op = body.pick(&["eq", "ne", "lt", "le", "gt", "ge"]);
                let p = body.temp(&format!("cmp.{op}.{ty} {a}, {b}"));
                let p = if body.rng.bool() { body.temp(&format!("not.pred %{p}")) } else { p };
                format!("select.{ty} %{p}, {c}, {a}")
            }
            (0, false) if bytes < 8 => {
                let p = body.temp(&format!("cvt.i2p.pred.{ty} {a}"));
                let other = body.temp(&format!("cmp.gt.{ty} {b}, {c}"));
                let p = body.temp(&format!("or.pred %{p}, %{other}"));
                format!("cvt.p2i.{ty}.pred %{p}")
            }
            (1, true) => format!("fma.{ty} {a}, {b}, {c}"),
            (2, true) => format!("{}.{ty} {a}", body.pick(&["neg", "abs", "sqrt"])),
            (_, true) => format!("{}.{ty} {a}, {b}", body.pick(&["add", "sub", "mul", "div"])),
            (1, false) if bytes < 8 => format!("mul.{ty} {a}, {b}"),
            (_, false) => format!("{}.{ty} {a}, {b}", body.pick(&["add", "sub", "and", "or", "xor"])),
        };
        let d = body.temp(&text);
        values.push(format!("%{d}"));
    }
    for _ in 0..=body.rng.u64(..2) {
        let at = body.temp(&format!("mad.i64 %40, {bytes}, %9"));
        let (far, value) = (place(&mut body), values[values.len() - 1 - body.rng.usize(..2)].clone());
        writeln!(body.text, "  store.host.{ty} [%{at}+{far}], {value}").unwrap();
    }
    let (count, test) = match body.rng.u64(..4) {
        0 => ("%43 = add.i32 %43, -1", "cmp.ne.i32 %43, 0".to_owned()),
        1 => ("%43 = add.i32 %43, -1", "cmp.gt.i32 %43, 1".to_owned()),
        2 => ("%43 = add.i32 %43, 1", format!("cmp.le.i32 %43, {}", 2 * rounds - 9)),
        _ => ("%43 = add.i32 %43, 1", format!("cmp.eq.i32 %43, {}", 2 * rounds - 3)),
    };
    // Counters that no address has, with steps of any size.
    let (wide, narrow) =
        (body.pick(&["7", "-2147483649", "5000000000", "9000000000000000001"]), body.pick(&["3", "-2147483647"]));
    writeln!(body.text, "  %41 = add.i64 %41, {wide}\n  %44 = sub.i32 %44, {narrow}").unwrap();
    writeln!(body.text, "  %40 = add.i64 %40, 1\n  {count}").unwrap();
    let more = body.temp(&test);
    let (yes, no) = if test.contains(".eq.") { (3, 2) } else { (2, 3) };
    writeln!(body.text, "  backedge\n  branch %{more}, bb{yes}, bb{no}").unwrap();
    body.text += "bb3:\n  %50 = cmp.ne.i64 %42, 0\n  %42 = add.i64 %42, -1\n  backedge\n  branch %50, bb1, bb4\nbb4:\n  \
        store.host.i64 [%9], %41\n  store.host.i32 [%9+8], %44\n  return\n}\n";
    body.text
}

/// Memory, schedule points and the last stop of a run by budgets of so many points.
fn run(module: &Arc<Module>, engine: Engine, budget: u64, seed: u64) -> (Vec<u8>, u64, Stop, bool) {
    let mut memory = Memory::new();
    let at = memory.alloc(Region::Host, BYTES, "a", Span::NONE).unwrap();
    let mut rng = Rng::with_seed(seed);
    let mut bytes: Vec<u8> = Vec::new();
    while bytes.len() < BYTES as usize {
        // Numbers of a moderate size, and now and then any bits: infinities, NaNs and what is too large.
        let bits = if rng.u64(..20) == 0 { rng.u64(..) } else { (rng.f64() * 200.0 - 100.0).to_bits() };
        bytes.extend(bits.to_le_bytes());
    }
    memory.write(at, &bytes).unwrap();
    let mut program: Program = vm::compile(module.clone(), vec![at]).unwrap();
    program.set_engine(engine);
    let stack = memory.alloc(Region::Host, 4096, "stack", Span::NONE).unwrap();
    let mut warp: Warp<1> =
        Warp::host(&program, module.main.unwrap(), HostStack { top: stack, limit: stack + 4096 }).unwrap();
    let mut windows = WindowTable::default();
    let mut copies = Vec::new();
    let stop = loop {
        let mut ctx = context(&mut memory, &mut [], &mut windows, Geometry::default(), budget);
        match warp.run(&program, &mut ctx, None) {
            Stop::Budget => {
                // As a checkpoint does: pages are shared from now on.
                if copies.len() < 5 {
                    copies.push((warp.clone(), memory.clone()));
                }
            }
            Stop::Polling => warp.wake_pollers(),
            stop => break stop,
        }
    };
    let mut out = vec![0; BYTES as usize];
    memory.read(at, &mut out).unwrap();
    (out, warp.points(), stop, program.has_compiled_loops(ir::FuncId(0)))
}

/// The programs; `CUFEMU_SEEDS` asks for others.
fn seeds() -> std::ops::Range<u64> {
    let text = std::env::var("CUFEMU_SEEDS").unwrap_or_else(|_| "0..400".to_owned());
    let ends = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    let seeds = ends.unwrap_or_else(|| panic!("`CUFEMU_SEEDS` is `{text}`, and not FROM..TO"));
    if cfg!(miri) { 0..0 } else { seeds }
}

/// Runs random programs in machine code, and gives how many faulted, ended, and were compiled.
fn compare(make: fn(&mut Rng) -> String) -> [u32; 3] {
    let (mut faults, mut ends, mut compiled) = (0, 0, 0);
    for seed in seeds() {
        let text = make(&mut Rng::with_seed(seed));
        let module = ir::parse::module(&text).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{text}"));
        assert_eq!(ir::verify::module(&module), [], "seed {seed}\n{text}");
        let module = Arc::new(module);
        let expected = run(&module, Engine::Interpreter, u64::MAX, seed);
        for budget in [u64::MAX, 3001, 77] {
            let found = run(&module, Engine::Native, budget, seed);
            assert_eq!(found.2, expected.2, "seed {seed}, budget {budget}\n{text}");
            assert_eq!(found.1, expected.1, "seed {seed}, budget {budget}\n{text}");
            let first = found.0.iter().zip(&expected.0).position(|(a, b)| a != b);
            assert_eq!(first, None, "seed {seed}, budget {budget}\n{text}");
            compiled += u32::from(found.3);
        }
        faults += u32::from(expected.2 != Stop::Done);
        ends += u32::from(expected.2 == Stop::Done);
    }
    [faults, ends, compiled]
}

#[test]
fn loops_of_the_host_do_what_the_interpreter_does() {
    let [faults, ends, compiled] = compare(program);
    let is_enough = ends > 200 && faults > 10 && (compiled > 800 || !cfg!(target_arch = "x86_64"));
    assert!(cfg!(miri) || is_enough, "{ends} end, {faults} fault, {compiled} runs are compiled");
}

#[test]
fn array_statements_of_the_host_do_what_the_interpreter_does() {
    let [_, ends, compiled] = compare(statement);
    assert!(
        cfg!(miri) || ends > 300 && (compiled > 1000 || !cfg!(target_arch = "x86_64")),
        "{ends} end, {compiled} runs are compiled"
    );
}
