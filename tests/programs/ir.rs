//! The annotated IR of `tests/ir` with each of its implementations: the evaluator that defines it, every pass of the optimiser
//! followed by the evaluator, and the emulator. On the emulator a case that calls a function runs in a kernel that stores
//! the results, in all lanes of a warp and with every second lane masked.
//!
//! Not here: the same files on a GPU (`src/gpu/tests/on_gpu.rs`).

// The emulator's own tests use the rest of it.
#[allow(dead_code)]
#[path = "../../src/emu/tests/all/rig.rs"]
mod rig;

use crate::annotated::{Program, files};
use crate::trial;
use emu::Options;
use ir::expect::{self, Case};
use ir::op::{AtomOp, BarOp, BinOp, CmpOp, CvtOp, ShflOp, Special, TriOp, UnOp, VoteOp};
use ir::{Access, FuncId, FuncKind, FunctionBuilder, InstKind, Module, Space, Ty, Val};
use libtest_mimic::Trial;
use rig::Rig;
use source::Span;
use std::collections::BTreeSet;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![trial("ir/operations".to_owned(), operations_without_a_case)];
    let engines: [(&str, fn(&Program) -> Vec<String>); 3] =
        [("evaluator", evaluator), ("passes", passes), ("emulator", emulator)];
    for file in files("tests/ir", &["cir"]) {
        for (engine, check) in engines {
            let file = file.clone();
            trials.push(trial(format!("ir/{engine}/{}", file.name), move || check(&file)));
        }
    }
    trials
}

/// Text, module and cases of a file.
fn load(file: &Program) -> (String, Module, Vec<Case>) {
    let text = file.text();
    let module = ir::parse::module(&text).unwrap_or_else(|e| panic!("{e}"));
    let cases = expect::cases(&module, &text).unwrap_or_else(|e| panic!("{e}"));
    assert!(!cases.is_empty(), "no case");
    (text, module, cases)
}

fn evaluator(file: &Program) -> Vec<String> {
    let (_, module, cases) = load(file);
    let mut wrong: Vec<String> = ir::verify::module(&module).iter().map(ToString::to_string).collect();
    let alone = cases.iter().filter(|case| !case.needs_warp);
    wrong.extend(alone.filter_map(|case| expect::run(&module, case).err()));
    wrong
}

fn passes(file: &Program) -> Vec<String> {
    let (_, mut module, cases) = load(file);
    let mut wrong = Vec::new();
    let mut check = |step: &str, now: &Module| {
        wrong.extend(ir::verify::module(now).iter().map(|e| format!("after {step}: {e}")));
        for case in cases.iter().filter(|case| !case.needs_warp) {
            wrong.extend(expect::run(now, case).err().map(|e| format!("after {step}: {e}")));
        }
    };
    opt::run_observed(
        &mut module,
        opt::Options { level: 2, watched: true, keeps_frames: true, keeps_points: true },
        &mut check,
    );
    opt::run_for_gpu_observed(&mut module, opt::Target::default(), &mut check);
    wrong
}

fn emulator(file: &Program) -> Vec<String> {
    let (_, module, cases) = load(file);
    let mut wrong = Vec::new();
    for case in &cases {
        let touches_memory = !case.memory.is_empty() && case.launch.is_none();
        if module.func(case.func).kind != FuncKind::Host && !touches_memory {
            wrong.extend([false, true].into_iter().filter_map(|half| emulate(&module, case, half).err()));
        }
    }
    wrong
}

/// A kernel that calls `func` in each lane (in each even lane if `half`) and stores its results in a row of 8-byte cells.
fn caller(module: &mut Module, func: FuncId, half: bool) -> FuncId {
    let callee = module.func(func).clone();
    let mut b = FunctionBuilder::new("test.caller", FuncKind::Kernel, Span::NONE);
    let out = b.param(Ty::I64, "out");
    let args: Vec<Val> = callee.params.iter().map(|p| Val::Reg(b.param(callee.ty(p.reg), "a"))).collect();
    let entry = b.new_block();
    let (work, done) = (b.new_block(), b.new_block());
    let _ = entry;
    let tid = b.special(Special::TidX);
    let parity = b.bin(BinOp::And, Ty::I32, tid, Val::i32(1));
    let on = b.cmp(CmpOp::Eq, Ty::I32, parity, Val::i32(0));
    let on = if half { Val::Reg(on) } else { Val::pred(true) };
    b.branch(on, work, done);
    b.switch_to(work);
    let results = b.call(func, args, &callee.results);
    let row = b.cvt(ir::op::CvtOp::Cast, Ty::I32, Ty::I64, tid);
    let row = b.bin(BinOp::Mul, Ty::I64, row, Val::i64(8 * callee.results.len() as i64));
    let at = b.bin(BinOp::Add, Ty::I64, out, row);
    for (i, (&reg, &ty)) in results.iter().zip(&callee.results).enumerate() {
        let (value, ty) = match ty {
            Ty::Pred => (b.cvt(ir::op::CvtOp::PredToInt, Ty::Pred, Ty::I32, reg), Ty::I32),
            ty => (reg, ty),
        };
        b.store(ty, Space::Global, Access::Plain, at, 8 * i as i64, value);
    }
    b.jump(done);
    b.switch_to(done);
    b.ret(Vec::new());
    module.funcs.push(b.finish());
    FuncId(module.funcs.len() as u32 - 1)
}

fn emulate(module: &Module, case: &Case, half: bool) -> Result<(), String> {
    let mut module = module.clone();
    let callee = module.func(case.func).clone();
    let (func, launch) = match case.launch {
        Some(launch) => (case.func, Some(launch)),
        None => (caller(&mut module, case.func, half), None),
    };
    let mut rig = Rig::new(module, Options::default());
    let bases: Vec<u64> = case
        .memory
        .iter()
        .map(|b| {
            let size = b.ty.bytes() as usize;
            let bytes: Vec<u8> = b.values.iter().flat_map(|v| v.to_le_bytes()[..size].to_vec()).collect();
            rig.buffer(&b.name, &bytes)
        })
        .collect();
    let args = case.args.iter().map(|arg| match *arg {
        expect::Arg::Value(v) => v,
        expect::Arg::Buffer(i) => bases[i],
    });
    let mut wrong = Vec::new();
    if let Some((grid, block)) = launch {
        rig.submit(func, grid, block, &args.collect::<Vec<_>>());
        rig.finish();
    } else {
        let out = rig.buffer("out", &vec![0; 32 * 8 * callee.results.len().max(1)]);
        let args: Vec<u64> = [out].into_iter().chain(args).collect();
        rig.submit(func, [1; 3], [32, 1, 1], &args);
        rig.finish();
        for lane in (0..32).step_by(if half { 2 } else { 1 }) {
            for (i, (&expected, &ty)) in case.results.iter().zip(&callee.results).enumerate() {
                let mut bytes = [0; 8];
                let size = if ty == Ty::Pred { 1 } else { ty.bytes() as usize };
                let at = out + 8 * (lane * callee.results.len() + i) as u64;
                rig.memory.read(at, &mut bytes[..size]).expect("inside");
                let found = u64::from_le_bytes(bytes) & if ty == Ty::Pred { 1 } else { u64::MAX };
                if found != expected {
                    wrong.push(format!("line {}: lane {lane} result {i} is {found:#x}, not {expected:#x}", case.line));
                }
            }
        }
    }
    let codes = rig.codes();
    if !codes.is_empty() {
        wrong.push(format!("line {}: findings {codes:?}", case.line));
    }
    for (at, ty, values) in &case.out {
        for (i, &expected) in values.iter().enumerate() {
            let mut bytes = [0; 8];
            let size = ty.bytes() as usize;
            rig.memory.read(bases[*at] + (i * size) as u64, &mut bytes[..size]).expect("inside");
            let found = u64::from_le_bytes(bytes);
            // A call that runs in many lanes leaves what the last of them wrote.
            if found != expected && launch.is_some() {
                let name = &case.memory[*at].name;
                wrong.push(format!("line {}: `{name}` element {i} is {found:#x}, not {expected:#x}", case.line));
            }
        }
    }
    wrong.truncate(2);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn operations_without_a_case() -> Vec<String> {
    let mut seen = BTreeSet::new();
    for file in files("tests/ir", &["cir"]) {
        let (_, module, _) = load(&file);
        for inst in module.funcs.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts) {
            seen.insert(match &inst.kind {
                InstKind::Un { op, .. } => format!("un {op}"),
                InstKind::Bin { op, .. } => format!("bin {op}"),
                InstKind::Tri { op, .. } => format!("tri {op}"),
                InstKind::Cmp { op, .. } => format!("cmp {op}"),
                InstKind::Cvt { op, .. } => format!("cvt {op}"),
                InstKind::Atomic { op, .. } => format!("atom {op}"),
                InstKind::Barrier { op, .. } => format!("barrier {op}"),
                InstKind::Vote { op, .. } => format!("vote {op}"),
                InstKind::Shuffle { op, .. } => format!("shfl {op}"),
                InstKind::Special { reg, .. } => format!("special {reg}"),
                _ => continue,
            });
        }
    }
    let mut missing = Vec::new();
    let mut need = |class: &str, names: Vec<&'static str>| {
        missing.extend(names.into_iter().map(|n| format!("{class} {n}")).filter(|n| !seen.contains(n)));
    };
    need("un", UnOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("bin", BinOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("tri", TriOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("cmp", CmpOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("cvt", CvtOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("atom", AtomOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("barrier", BarOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("vote", VoteOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("shfl", ShflOp::ALL.iter().map(|o| o.mnemonic()).collect());
    need("special", Special::ALL.iter().map(|o| o.mnemonic()).collect());
    missing
}
