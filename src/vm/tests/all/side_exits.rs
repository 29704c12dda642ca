//! Loops that write nothing give what their operations give one by one: every operation, loads of every shape, lanes that leave
//! in different iterations, runs that stop at any schedule point or at a fault, and the order in which groups of lanes go on.

use crate::support::{ONE_WARP, compile, context};
use fastrand::Rng;
use ir::FuncId;
use mem::Memory;
use mem::address::Region;
use source::Span;
use std::fmt::Write;
use vm::{Arg, Engine, InstructionSet, Program, Stop, Warp, WindowTable};

/// Bytes of the array that a kernel reads and writes.
const BYTES: u64 = 4096;

/// Bytes of shared memory.
const SHARED: u64 = 1024;

/// Runs a kernel of one argument by budgets of so many points; gives the array that it leaves, the points that it passed and
/// its fault.
fn run(program: &Program, mask: u32, budget: u64) -> (Vec<u8>, u64, String) {
    let mut memory = Memory::new();
    let at = memory.alloc(Region::Device(0), BYTES, "words", Span::NONE).unwrap();
    let bytes: Vec<u8> = (0..BYTES).map(|i| (i * 37 % 251) as u8).collect();
    memory.write(at, &bytes).unwrap();
    memory.write(at, &[0; 4]).unwrap();
    let mut warp: Warp<32> = Warp::new(program, 0, mask, FuncId(0), &[Arg::Bits(at)]);
    let mut shared: Vec<u8> = (0..SHARED).map(|i| (i * 29 % 241) as u8).collect();
    let mut fault = String::new();
    loop {
        let mut windows = WindowTable::default();
        let mut ctx = context(&mut memory, &mut shared, &mut windows, ONE_WARP, budget);
        match warp.run(program, &mut ctx, None) {
            Stop::Done => break,
            Stop::Budget => warp = warp.clone(),
            Stop::Fault(found) => {
                fault = format!("{found:?}");
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    let mut out = vec![0; BYTES as usize];
    memory.read(at, &mut out).unwrap();
    (out, warp.points(), fault)
}

/// A loop as text: registers, and blocks from `first` to `first + 2`, of which the last is behind the loop.
struct Body<'a> {
    rng: &'a mut Rng,
    next: u32,
    text: String,
}

/// Registers that the loop assigns: two of each type.
const VARS: [(&str, [u32; 2]); 4] = [("i32", [40, 41]), ("i64", [42, 43]), ("f32", [44, 45]), ("f64", [46, 47])];

impl Body<'_> {
    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.rng.usize(..list.len())]
    }

    fn operand(&mut self, ty: usize) -> String {
        let (name, regs) = VARS[ty];
        match self.rng.u64(..5) {
            0 if name.starts_with('i') => self.rng.u64(..70).to_string(),
            _ => format!("%{}", regs[self.rng.usize(..2)]),
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
        if name.starts_with('i') && self.rng.u64(..3) == 0 {
            let bits = self.temp(&format!("and.{name} {a}, {b}"));
            return self.temp(&format!("cmp.eq.{name} %{bits}, 0"));
        }
        let op = self.pick(&["eq", "ne", "lt", "le", "gt", "ge"]);
        let one = self.temp(&format!("cmp.{op}.{name} {a}, {b}"));
        match self.rng.u64(..4) {
            0 => self.temp(&format!("not.pred %{one}")),
            1 => {
                let other = self.temp(&format!("cmp.lt.i32 %40, {}", self.next % 9));
                let op = self.pick(&["and", "or", "xor"]);
                self.temp(&format!("{op}.pred %{one}, %{other}"))
            }
            _ => one,
        }
    }

    /// A word from where lanes are the same, side by side, in two rows, at their own, or side by side by a sum of 32 bits; a
    /// multiple of the counter `%60` further on.
    fn load(&mut self, ty: usize) -> u32 {
        let (name, shift) = (VARS[ty].0, if VARS[ty].0.ends_with("32") { 2 } else { 3 });
        let (space, base) = if self.rng.u64(..2) == 0 { ("shared", "%9") } else { ("global", "%0") };
        let lanes = ["", "%5", "%8", "%10", "narrow"][self.rng.usize(..5)];
        let mut counter = "%60".to_owned();
        if lanes == "narrow" {
            counter = format!("%{}", self.temp("add.i32 %4, %60"));
        }
        let wide = self.temp(&format!("cvt.cast.i64.i32 {counter}"));
        let far = if lanes == "narrow" { 0 } else { self.rng.u64(..3) };
        let mut part = self.temp(&format!("shl.i64 %{wide}, {}", shift + far));
        if lanes.starts_with('%') {
            let by_lane = self.temp(&format!("shl.i64 {lanes}, {shift}"));
            part = self.temp(&format!("add.i64 %{part}, %{by_lane}"));
        }
        let at = self.temp(&format!("add.i64 {base}, %{part}"));
        let offset = 64 * self.rng.u64(..4);
        self.temp(&format!("load.{space}.{name} [%{at}+{offset}]"))
    }

    fn assignment(&mut self) {
        let ty = self.rng.usize(..4);
        let (name, regs) = VARS[ty];
        let d = regs[self.rng.usize(..2)];
        let (a, b) = (self.operand(ty), self.operand(ty));
        let text = match (self.rng.u64(..8), name.starts_with('i')) {
            (6 | 7, is_int) => {
                let word = self.load(ty);
                if is_int { format!("xor.{name} %{word}, {a}") } else { format!("add.{name} %{word}, {a}") }
            }
            (0, _) => {
                let p = self.predicate();
                format!("select.{name} %{p}, {a}, {b}")
            }
            (1, true) => {
                let (product, c) = (self.temp(&format!("mul.{name} {a}, {b}")), self.operand(ty));
                format!("add.{name} %{product}, {c}")
            }
            (1, false) => format!("fma.{name} {a}, {b}, %{}", regs[0]),
            (2, true) => format!("{}.{name} {a}, {}", self.pick(&["shl", "shr.u", "shr.s"]), self.rng.u64(..40)),
            (3, true) => format!("{}.{name} {a}, {b}", self.pick(&["and", "or", "xor", "min", "max"])),
            (3, false) => format!("{}.{name} {a}", self.pick(&["neg", "abs"])),
            (4, _) => match name {
                "i32" => format!("cvt.cast.i32.{}", self.pick(&["i64 %42", "f32 %44", "f64 %46"])),
                "i64" => "cvt.cast.i64.i32 %41".to_owned(),
                "f32" => format!("cvt.cast.f32.{}", self.pick(&["i32 %40", "f64 %47"])),
                _ => format!("cvt.cast.f64.{}", self.pick(&["i32 %40", "i64 %43", "f32 %45"])),
            },
            (_, true) => format!("{}.{name} {a}, {b}", self.pick(&["add", "sub", "mul"])),
            (_, false) => format!("{}.{name} {a}, {b}", self.pick(&["add", "sub", "mul", "min", "max"])),
        };
        writeln!(self.text, "  %{d} = {text}").unwrap();
    }

    /// A loop whose counter is `%48`: its head is block `first`, and it goes on at `first + 3`.
    fn iterations(&mut self, first: u32) {
        let is_late = self.rng.u64(..3) == 0;
        let leaves_by_then = self.rng.u64(..2) == 0;
        let branch = |p: u32, next: u32| {
            let exit = first + 3;
            if leaves_by_then {
                format!("  branch %{p}, bb{exit}, bb{next}\n")
            } else {
                format!("  branch %{p}, bb{next}, bb{exit}\n")
            }
        };
        let test = if leaves_by_then { "le" } else { "gt" };
        writeln!(self.text, "bb{first}:").unwrap();
        if is_late {
            self.assignment();
        }
        let more = self.temp(&format!("cmp.{test}.i32 %48, 0"));
        self.text += &branch(more, first + 1);
        writeln!(self.text, "bb{}:", first + 1).unwrap();
        for _ in 0..=self.rng.u64(..4) {
            self.assignment();
        }
        if self.rng.u64(..2) == 0 {
            let p = self.predicate();
            self.text += &branch(p, first + 2);
        } else {
            writeln!(self.text, "  jump bb{}", first + 2).unwrap();
        }
        writeln!(self.text, "bb{}:", first + 2).unwrap();
        self.assignment();
        self.text += "  %48 = add.i32 %48, -1\n  %60 = add.i32 %60, 1\n  backedge\n";
        writeln!(self.text, "  jump bb{first}").unwrap();
    }

    /// Stores the registers, and the order in which lanes come here.
    fn store(&mut self) {
        self.text += "  %49 = atom.add.i32.global.device [%0], 1\n";
        for (i, (ty, regs)) in VARS.iter().enumerate() {
            for (k, reg) in regs.iter().enumerate() {
                writeln!(self.text, "  store.global.{ty} [%6+{}], %{reg}", 64 + 512 * i + 256 * k).unwrap();
            }
        }
        self.text += "  store.global.i32 [%6+2112], %49\n  store.global.i32 [%6+2624], %48\n";
    }
}

/// A kernel in which lanes part, run loops of different lengths, and meet again.
fn kernel(rng: &mut Rng) -> String {
    let mut body = Body { rng, next: 100, text: String::new() };
    body.text += "kernel @k(%0: i64) {\n";
    for (ty, regs) in VARS {
        for reg in regs {
            writeln!(body.text, "  reg %{reg} {ty} mutable").unwrap();
        }
    }
    body.text += "  reg %48 i32 mutable\n  reg %60 i32 mutable\n  \
        shared s0 \"words\" bytes 1024 align 8 element 4 bounds (1:256)\nbb0:\n  %4 = special.laneid\n  \
        %5 = cvt.cast.i64.i32 %4\n  %7 = shl.i64 %5, 3\n  %6 = add.i64 %0, %7\n  %9 = addr s0\n  %60 = mov.i32 0\n  \
        %11 = and.i64 %5, 15\n  %12 = shr.u.i64 %5, 4\n  %13 = mul.i64 %12, 24\n  %8 = add.i64 %11, %13\n  \
        %10 = mul.i64 %11, %11\n";
    for (i, (ty, regs)) in VARS.iter().enumerate() {
        for (k, reg) in regs.iter().enumerate() {
            match *ty {
                "f32" | "f64" => {
                    let word = body.temp(&format!("mul.i32 %4, {}", 3 + i + k));
                    writeln!(body.text, "  %{reg} = cvt.cast.{ty}.i32 %{word}").unwrap();
                }
                _ => writeln!(body.text, "  %{reg} = load.global.{ty} [%6+{}]", 64 + 512 * i + 256 * k).unwrap(),
            }
        }
    }
    let iterations = body.pick(&["5", "13", "31"]).to_owned();
    let n = body.temp(&format!("and.i32 %4, {iterations}"));
    writeln!(body.text, "  %48 = mov.i32 %{n}").unwrap();
    let side = body.temp("and.i32 %4, 8");
    let p = body.temp(&format!("cmp.eq.i32 %{side}, 0"));
    writeln!(body.text, "  branch %{p}, bb1, bb5").unwrap();
    body.iterations(1);
    body.text += "bb4:\n";
    body.store();
    body.text += "  jump bb9\n";
    body.iterations(5);
    body.text +=
        "bb8:\n  %50 = atom.add.i32.global.device [%0], 1\n  store.global.i32 [%6+3136], %50\n  jump bb9\nbb9:\n";
    body.text += "  %51 = atom.add.i32.global.device [%0], 1\n  store.global.i32 [%6+3648], %51\n  return\n}\n";
    body.text
}

#[test]
fn loops_as_a_whole_do_what_their_operations_do() {
    let (mut loops, mut faults) = (0, 0);
    for seed in 0..if cfg!(miri) { 1 } else { 250 } {
        let mut rng = Rng::with_seed(seed);
        let text = kernel(&mut rng);
        let mut program = compile(&text);
        loops += program.side_exit_loops(FuncId(0));
        for set in InstructionSet::available() {
            program.set_instruction_set(set);
            // Miri takes minutes for a run.
            for mask in if cfg!(miri) { vec![0x8421_a5f0] } else { vec![u32::MAX, 0x00ff_f3ff, 0x8421_a5f0] } {
                program.set_engine(Engine::Interpreter);
                program.set_materialise_all(true);
                let expected = run(&program, mask, u64::MAX);
                faults += u32::from(!expected.2.is_empty());
                program.set_materialise_all(false);
                // Miri runs no machine code.
                let engines =
                    if cfg!(miri) { &[Engine::Interpreter][..] } else { &[Engine::Interpreter, Engine::Native] };
                for &engine in engines {
                    program.set_engine(engine);
                    // Code is compiled once a warp has ended.
                    let budgets = [u64::MAX, 1 + rng.u64(..7), 1, 40];
                    for budget in if cfg!(miri) { &budgets[..1] } else { &budgets } {
                        let found = run(&program, mask, *budget);
                        let how = format!("seed {seed}, {set:?}, {engine:?}, lanes {mask:#x}, budget {budget}");
                        assert!(found == expected, "{how}\n{text}");
                    }
                }
            }
        }
    }
    assert!(cfg!(miri) || loops > 250, "{loops} loops");
    assert!(cfg!(miri) || (20..1500).contains(&faults), "{faults} faults");
}

#[test]
fn a_loop_that_stores_or_waits_is_none_of_them() {
    let text = |inst: &str| {
        format!(
            "kernel @k(%0: i64) {{\n  reg %1 i32 mutable\n  reg %2 i64 mutable\nbb0:\n  %4 = special.laneid\n  \
            %1 = mov.i32 %4\n  %2 = mov.i64 0\n  jump bb1\nbb1:\n  %5 = cmp.gt.i32 %1, 0\n  branch %5, bb2, bb3\nbb2:\n  \
            {inst}\n  %1 = add.i32 %1, -1\n  backedge\n  jump bb1\nbb3:\n  store.global.i32 [%0+64], %1\n  return\n}}\n"
        )
    };
    let loops = |text: &str| compile(text).side_exit_loops(FuncId(0));
    assert_eq!(loops(&text("%2 = add.i64 %2, 3")), 1);
    assert_eq!(loops(&text("%2 = load.global.i64 [%0+8]")), 1);
    assert_eq!(loops(&text("store.global.i64 [%0+8], %2")), 0);
    assert_eq!(loops(&text("syncwarp -1")), 0);
}
