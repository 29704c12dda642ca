//! The annotated programs of `tests/ir` on the emulator. A case that calls a function runs in a kernel that stores the
//! results, in all lanes of a warp at once and with every second lane masked.

use crate::rig::Rig;
use emu::Options;
use ir::expect::{self, Case};
use ir::op::{BinOp, CmpOp, Special};
use ir::{Access, FuncId, FuncKind, FunctionBuilder, Module, Space, Ty, Val};
use source::Span;
use std::path::PathBuf;

fn programs() -> Vec<(String, String, Module)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("tests/ir").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("text");
        let module = ir::parse::module(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(), text, module)
    };
    paths.into_iter().filter(|p| p.extension().is_some_and(|e| e == "cir")).map(read).collect()
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

fn run(module: &Module, case: &Case, half: bool) -> Result<(), String> {
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

#[test]
fn every_operation_gives_what_its_program_says() {
    let (mut failed, mut ran) = (Vec::new(), 0);
    for (name, text, module) in programs() {
        for case in expect::cases(&module, &text).unwrap_or_else(|e| panic!("{name}: {e}")) {
            let touches_memory = !case.memory.is_empty() && case.launch.is_none();
            let kind = module.func(case.func).kind;
            if kind == FuncKind::Host || touches_memory {
                continue;
            }
            for half in [false, true] {
                ran += 1;
                failed.extend(run(&module, &case, half).err().map(|e| format!("{name}: {e}")));
            }
        }
    }
    assert!(failed.is_empty(), "{} of {ran} failed:\n{}", failed.len(), failed.join("\n"));
    assert!(ran > 200, "only {ran} runs");
}
