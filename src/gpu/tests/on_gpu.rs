//! Every operation on a GPU, bit for bit against the reference; the annotated programs; printing, streams and events.
//!
//! Without a driver or a GPU every test says so and passes. Run with `--nocapture` to see the table of operations. A test
//! binary carries everything it needs, so it can be copied to a machine that has a GPU and no compiler.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

extern crate cufemu_gpu as gpu;

mod cases;
mod device_tests;

use cases::{Op, PROGRAMS, constants_module, is_nan, operations_module};
use gpu::params::{self, ParamValue};
use gpu::record_buffer::{FaultKind, PrintItem};
use gpu::{Gpu, LaunchShape, LoadOptions, Loaded};
use ir::expect::{Arg, Case};
use ir::op::{BinOp, CmpOp, Special};
use ir::rt::Rt;
use ir::{
    Access, AddrBase, FuncId, FuncKind, FunctionBuilder, Global, GlobalInit, Module, ParamKind, SharedSize, SharedVar,
    Space, Ty, Val,
};
use source::{FileId, Span};
use std::fmt::Write;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time: they map memory at the same addresses, and an error of one could end the context of all.
static TURN: Mutex<()> = Mutex::new(());

/// A GPU for one test. Fields are dropped in their order: the GPU gives its addresses back before the next test has its turn.
struct Opened<T> {
    gpu: T,
    _turn: MutexGuard<'static, ()>,
}

impl<T> Deref for Opened<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.gpu
    }
}

impl<T> DerefMut for Opened<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.gpu
    }
}

/// Waits for the turn of a test and opens its GPU; `None`, and a word about it, where there is none.
fn open_by<T>(open: impl FnOnce() -> Result<T, gpu::DriverError>) -> Option<Opened<T>> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match open() {
        Ok(gpu) => Some(Opened { gpu, _turn: turn }),
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            None
        }
    }
}

fn open() -> Option<Opened<Gpu>> {
    open_by(|| Gpu::open(0))
}

fn load(gpu: &mut Gpu, module: &Module) -> Loaded {
    let loaded = gpu.load(module, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!(loaded.refused.is_empty(), "{}", loaded.refused[0].error);
    loaded
}

fn shape(grid: u32, block: u32) -> LaunchShape {
    LaunchShape { grid: [grid, 1, 1], block: [block, 1, 1], shared_bytes: 0 }
}

fn launch(gpu: &mut Gpu, loaded: &Loaded, module: &Module, id: FuncId, shape: LaunchShape, args: &[u64]) {
    let values: Vec<ParamValue<'_>> = args.iter().map(|&w| ParamValue::Word(w)).collect();
    launch_with(gpu, loaded, module, id, shape, &values);
}

fn launch_with(
    gpu: &mut Gpu,
    loaded: &Loaded,
    module: &Module,
    id: FuncId,
    shape: LaunchShape,
    values: &[ParamValue<'_>],
) {
    let params = params::pack(module.func(id), values).unwrap();
    gpu.launch(loaded, id, shape, &params).unwrap_or_else(|e| panic!("`{}`: {e}", module.func(id).name));
    gpu.synchronize().unwrap_or_else(|e| panic!("`{}`: {e}", module.func(id).name));
}

fn words_to_bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn read_words(gpu: &mut Gpu, address: u64, count: usize) -> Vec<u64> {
    let mut bytes = vec![0; count * 8];
    gpu.read(address, &mut bytes).unwrap();
    bytes.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect()
}

/// What was found of one operation.
#[derive(Default)]
struct Tally {
    rows: usize,
    wrong: usize,
    /// Real(8) NaNs with other bits: allowed (the head of `ptx.rs` lists the exceptions), but worth knowing.
    nans: usize,
    first: String,
}

impl Tally {
    fn compare(&mut self, op: Op, row: &[u64], found: u64) {
        let (ty, expected) = (op.result(), op.expected(row));
        self.rows += 1;
        if found == expected {
            return;
        }
        let both_nan = is_nan(ty, found) && is_nan(ty, expected) && ty == Ty::F64;
        if both_nan {
            self.nans += 1;
        } else {
            self.wrong += 1;
        }
        if self.first.is_empty() || (!both_nan && self.wrong == 1) {
            self.first.clear();
            let _ = write!(self.first, "{row:x?} gives {found:x}, expected {expected:x}");
        }
    }
}

/// Prints the table of all operations and fails if any value is wrong.
fn report(title: &str, tallies: &[(Op, Tally)]) {
    eprintln!("{title}");
    eprintln!("{:<24} {:>7} {:>7} {:>7}  first difference", "operation", "rows", "wrong", "NaN");
    for (op, tally) in tallies {
        eprintln!("{:<24} {:>7} {:>7} {:>7}  {}", op.name(), tally.rows, tally.wrong, tally.nans, tally.first);
    }
    let sum = |f: fn(&Tally) -> usize| tallies.iter().map(|(_, t)| f(t)).sum::<usize>();
    let (rows, wrong, nans) = (sum(|t| t.rows), sum(|t| t.wrong), sum(|t| t.nans));
    eprintln!("{title}: {} operations, {rows} rows, {wrong} wrong, {nans} NaNs with other bits", tallies.len());
    assert_eq!(wrong, 0, "{title}: see the table");
}

#[test]
fn every_operation_gives_the_bits_of_the_reference() {
    let Some(mut gpu) = open() else { return };
    let module = operations_module();
    let loaded = load(&mut gpu, &module);
    let mut tallies = Vec::new();
    for (i, op) in Op::all().into_iter().enumerate() {
        let rows = op.rows();
        let flat: Vec<u64> = rows.iter().flatten().copied().collect();
        let input = gpu.alloc(flat.len() as u64 * 8).unwrap();
        let output = gpu.alloc(rows.len() as u64 * 8).unwrap();
        gpu.write(input, &words_to_bytes(&flat)).unwrap();
        gpu.write(output, &vec![0; rows.len() * 8]).unwrap();
        let grid = (rows.len() as u32).div_ceil(128);
        let args = [input, output, rows.len() as u64];
        launch(&mut gpu, &loaded, &module, FuncId(i as u32), shape(grid, 128), &args);
        let found = read_words(&mut gpu, output, rows.len());
        gpu.free(input).unwrap();
        gpu.free(output).unwrap();
        let mut tally = Tally::default();
        for (row, found) in rows.iter().zip(found) {
            tally.compare(op, row, found);
        }
        tallies.push((op, tally));
    }
    report("operations on memory", &tallies);
}

#[test]
fn operations_that_the_compiler_folds_give_the_bits_of_the_reference() {
    let Some(mut gpu) = open() else { return };
    let module = constants_module();
    // Our own optimiser would leave nothing to the compiler of the driver.
    let options = LoadOptions { unoptimised: true, ..LoadOptions::default() };
    let loaded = gpu.load(&module, &options).unwrap_or_else(|e| panic!("{e}"));
    let mut tallies = Vec::new();
    for (i, op) in Op::all().into_iter().enumerate() {
        let rows = op.some_rows();
        let output = gpu.alloc(rows.len() as u64 * 8).unwrap();
        gpu.write(output, &vec![0; rows.len() * 8]).unwrap();
        launch(&mut gpu, &loaded, &module, FuncId(i as u32), shape(1, 1), &[output]);
        let found = read_words(&mut gpu, output, rows.len());
        gpu.free(output).unwrap();
        let mut tally = Tally::default();
        for (row, found) in rows.iter().zip(found) {
            tally.compare(op, row, found);
        }
        tallies.push((op, tally));
    }
    report("operations on constants", &tallies);
}

/// A kernel that calls a procedure with arguments from memory (words of 8 bytes) and puts its results there.
fn caller(module: &Module, id: FuncId, name: &str) -> ir::Function {
    let callee = module.func(id);
    let mut b = FunctionBuilder::new(name, FuncKind::Kernel, Span::NONE);
    let (input, output) = (b.param(Ty::I64, "input"), b.param(Ty::I64, "output"));
    let mut args: Vec<Val> = Vec::new();
    for (i, param) in callee.params.iter().enumerate() {
        args.push(cases::load(&mut b, callee.ty(param.reg), input, 8 * i as i64).into());
    }
    let results = b.call(id, args, &callee.results);
    for (i, (&ty, reg)) in callee.results.iter().zip(results).enumerate() {
        cases::store(&mut b, ty, output, 8 * i as i64, reg);
    }
    b.ret(Vec::new());
    b.finish()
}

fn run_case(gpu: &mut Gpu, loaded: &Loaded, module: &Module, case: &Case, kernel: FuncId) -> Result<(), String> {
    let (mut bases, mut contents) = (Vec::new(), Vec::new());
    for buffer in &case.memory {
        let size = buffer.ty.bytes() as usize;
        let bytes: Vec<u8> = buffer.values.iter().flat_map(|v| v.to_le_bytes()[..size].to_vec()).collect();
        let base = gpu.alloc(bytes.len() as u64).map_err(|e| e.to_string())?;
        gpu.write(base, &bytes).map_err(|e| e.to_string())?;
        bases.push(base);
        contents.push(bytes);
    }
    let word = |arg: &Arg| match *arg {
        Arg::Value(v) => v,
        Arg::Buffer(i) => bases[i],
    };
    let args: Vec<u64> = case.args.iter().map(word).collect();
    if let Some((grid, block)) = case.launch {
        let shape = LaunchShape { grid, block, shared_bytes: 0 };
        // An object that is passed by value is given by its buffer.
        let value = |(i, arg): (usize, &Arg)| match (arg, module.func(kernel).params.get(i).map(|p| &p.kind)) {
            (&Arg::Buffer(at), Some(ParamKind::Bytes { .. })) => ParamValue::Bytes(&contents[at]),
            _ => ParamValue::Word(args[i]),
        };
        let values: Vec<ParamValue<'_>> = case.args.iter().enumerate().map(value).collect();
        launch_with(gpu, loaded, module, kernel, shape, &values);
    } else {
        let (input, output) = (gpu.alloc(256).unwrap(), gpu.alloc(256).unwrap());
        gpu.write(input, &words_to_bytes(&args)).unwrap();
        gpu.write(output, &[0; 256]).unwrap();
        launch(gpu, loaded, module, kernel, shape(1, 1), &[input, output]);
        let found = read_words(gpu, output, case.results.len());
        let types = &module.func(case.func).results;
        let differs = |(i, &f): (usize, &u64)| {
            f != case.results[i] && !(is_nan(Ty::F64, f) && is_nan(Ty::F64, case.results[i]) && types[i] == Ty::F64)
        };
        if found.iter().enumerate().any(differs) {
            return Err(format!("line {}: gives {found:x?}, expected {:x?}", case.line, case.results));
        }
    }
    for (at, ty, values) in &case.out {
        let size = ty.bytes() as usize;
        let mut bytes = vec![0; size * values.len()];
        gpu.read(bases[*at], &mut bytes).map_err(|e| e.to_string())?;
        for (i, &expected) in values.iter().enumerate() {
            let mut word = [0; 8];
            word[..size].copy_from_slice(&bytes[i * size..(i + 1) * size]);
            let found = u64::from_le_bytes(word);
            if found != expected {
                let name = &case.memory[*at].name;
                return Err(format!("line {}: `{name}` element {i} is {found:x}, expected {expected:x}", case.line));
            }
        }
    }
    for base in bases {
        gpu.free(base).map_err(|e| e.to_string())?;
    }
    Ok(())
}

#[test]
fn annotated_programs_give_what_they_promise() {
    let Some(mut gpu) = open() else { return };
    let mut failures = Vec::new();
    for (name, text) in PROGRAMS {
        let mut module = ir::parse::module(text).unwrap();
        let cases = ir::expect::cases(&module, text).unwrap();
        let mut kernels = Vec::new();
        for (i, case) in cases.iter().enumerate() {
            kernels.push(if case.launch.is_some() {
                case.func
            } else {
                let wrapper = caller(&module, case.func, &format!("case{i}"));
                module.funcs.push(wrapper);
                FuncId(module.funcs.len() as u32 - 1)
            });
        }
        let loaded = load(&mut gpu, &module);
        let before = failures.len();
        for (case, &kernel) in cases.iter().zip(&kernels) {
            if let Err(error) = run_case(&mut gpu, &loaded, &module, case, kernel) {
                failures.push(format!("{name}: {error}"));
            }
        }
        eprintln!("{name}: {} cases, {} failed", cases.len(), failures.len() - before);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A module with one kernel.
fn one_kernel(build: impl FnOnce(&mut FunctionBuilder)) -> Module {
    let mut b = FunctionBuilder::new("kernel", FuncKind::Kernel, Span::NONE);
    build(&mut b);
    b.ret(Vec::new());
    Module { funcs: vec![b.finish()], ..Module::default() }
}

#[test]
fn what_threads_print_comes_in_the_order_of_threads() {
    let Some(mut gpu) = open() else { return };
    let text = "a message of more than sixteen bytes";
    let mut module = one_kernel(|b| {
        let (thread, block) = (b.special(Special::TidX), b.special(Special::CtaidX));
        let thread64 = b.cvt(ir::op::CvtOp::Cast, Ty::I32, Ty::I64, thread);
        let block64 = b.cvt(ir::op::CvtOp::Cast, Ty::I32, Ty::I64, block);
        b.rt(Rt::IoBegin, vec![Val::i32(0), Val::i32(0), Val::i64(-1), Val::i32(0)]);
        let address = b.addr_global(ir::GlobalId(0));
        b.rt(Rt::IoPutChar, vec![address.into(), Val::i64(text.len() as i64)]);
        b.rt(Rt::IoPutInt, vec![block64.into(), Val::i32(8)]);
        b.rt(Rt::IoPutInt, vec![thread64.into(), Val::i32(8)]);
        b.rt(Rt::IoPutReal4, vec![Val::f32(1.5)]);
        b.rt(Rt::IoPutComplex8, vec![Val::f64(2.5), Val::f64(-1.0)]);
        b.rt(Rt::IoPutLogical, vec![Val::i64(-1), Val::i32(4)]);
        b.rt(Rt::IoEnd, Vec::new());
    });
    module.globals.push(Global {
        name: "str.0".into(),
        space: Space::Const,
        managed: false,
        bytes: text.len() as u64,
        align: 1,
        init: GlobalInit::Bytes(text.bytes().collect()),
        holes: Vec::new(),
        read_only: true,
        var: None,
        span: Span::NONE,
    });
    let loaded = load(&mut gpu, &module);
    for run in 0..2 {
        launch(&mut gpu, &loaded, &module, FuncId(0), shape(5, 70), &[]);
        let drained = gpu.drain_records().unwrap();
        assert_eq!((drained.lost, drained.faults), (0, 0), "run {run}");
        let items: Vec<_> = drained.records.iter().map(|r| (r.block, r.thread, &r.item)).collect();
        assert_eq!(items.len(), 5 * 70 * 8);
        for (i, chunk) in items.chunks_exact(8).enumerate() {
            let (block, thread) = (i as u64 / 70, i as u32 % 70);
            let expected = [
                PrintItem::Begin { form: 0, unit: -1 },
                PrintItem::Char(text.into()),
                PrintItem::Int(block as i64, 8),
                PrintItem::Int(i64::from(thread), 8),
                PrintItem::Real4(1.5f32.to_bits()),
                PrintItem::Complex8(2.5f64.to_bits(), (-1.0f64).to_bits()),
                PrintItem::Logical(-1, 4),
                PrintItem::End,
            ];
            for ((b, t, item), expected) in chunk.iter().zip(&expected) {
                assert_eq!((*b, *t, *item), (block, thread, expected));
            }
        }
    }
}

#[test]
fn fault_is_told_with_its_place_and_the_others_go_on() {
    let Some(mut gpu) = open() else { return };
    let place = Span::new(FileId(3), 100, 117);
    let module = one_kernel(|b| {
        let out = b.param(Ty::I64, "out");
        let thread = b.special(Special::TidX);
        let bad = b.cmp(CmpOp::Eq, Ty::I32, thread, Val::i32(37));
        let (fault, go_on) = (b.new_block(), b.new_block());
        b.branch(bad, fault, go_on);
        b.switch_to(fault);
        b.set_span(place);
        let bounds = [Val::i64(11), Val::i64(-2), Val::i64(10), Val::i32(2), Val::i64(0), Val::i64(0)];
        b.rt(Rt::ErrorBounds, bounds.to_vec());
        b.jump(go_on);
        b.switch_to(go_on);
        b.set_span(Span::NONE);
        b.sync_threads();
        b.atomic(ir::op::AtomOp::Add, Ty::I32, Space::Global, ir::Scope::Device, out, Val::i32(1));
    });
    let loaded = load(&mut gpu, &module);
    let out = gpu.alloc(8).unwrap();
    gpu.write(out, &[0; 8]).unwrap();
    launch(&mut gpu, &loaded, &module, FuncId(0), shape(1, 64), &[out]);
    assert_eq!(read_words(&mut gpu, out, 1), [63]);
    let drained = gpu.drain_records().unwrap();
    assert_eq!(drained.faults, 1);
    let faults: Vec<_> = drained.records.iter().map(|r| (r.thread, &r.item)).collect();
    let kind = FaultKind::Bounds { subscript: 11, lower: -2, upper: 10, dim: 2 };
    assert_eq!(
        faults,
        [(37, &PrintItem::Fault(gpu::record_buffer::Fault { kind, text: Vec::new(), span: place, extents: None }))]
    );
}

#[test]
fn records_beyond_the_buffer_are_counted() {
    let Some(mut gpu) = open() else { return };
    let module = one_kernel(|b| {
        b.rt(Rt::IoPutInt, vec![Val::i64(1), Val::i32(4)]);
    });
    let options = LoadOptions { record_capacity: 10, ..LoadOptions::default() };
    let loaded = gpu.load(&module, &options).unwrap();
    launch(&mut gpu, &loaded, &module, FuncId(0), shape(1, 32), &[]);
    let drained = gpu.drain_records().unwrap();
    assert_eq!((drained.records.len(), drained.lost), (10, 22));
    assert!(gpu.drain_records().unwrap().records.is_empty());
}

#[test]
fn launches_copies_and_fills_are_done_in_order_and_measured() {
    let Some(mut gpu) = open() else { return };
    let module = one_kernel(|b| {
        let p = b.param(Ty::I64, "p");
        let thread = cases::global_thread(b);
        let index = b.cvt(ir::op::CvtOp::Cast, Ty::I32, Ty::I64, thread);
        let offset = b.bin(BinOp::Shl, Ty::I64, index, Val::i64(3));
        let at = b.bin(BinOp::Add, Ty::I64, p, offset);
        let value = b.load(Ty::I64, Space::Global, Access::Plain, at, 0);
        let value = b.bin(BinOp::Mul, Ty::I64, value, Val::i64(3));
        b.store(Ty::I64, Space::Global, Access::Plain, at, 0, value);
    });
    let loaded = load(&mut gpu, &module);
    let count = 1 << 16;
    let (a, b) = (gpu.alloc(count * 8).unwrap(), gpu.alloc(count * 8).unwrap());
    let words: Vec<u64> = (0..count).collect();
    gpu.write(a, &words_to_bytes(&words)).unwrap();
    let params = params::pack(module.func(FuncId(0)), &[ParamValue::Word(a)]).unwrap();
    gpu.launch(&loaded, FuncId(0), shape((count / 256) as u32, 256), &params).unwrap();
    gpu.copy(b, a, count * 8).unwrap();
    gpu.fill(b, 4, 7, 2).unwrap();
    let found = read_words(&mut gpu, b, count as usize);
    assert_eq!(found[0], 7 << 32 | 7);
    assert!(found.iter().zip(&words).skip(1).all(|(f, w)| *f == 3 * w));
}

#[test]
fn module_variables_have_their_first_contents_and_take_new_ones() {
    let Some(mut gpu) = open() else { return };
    let mut module = one_kernel(|b| {
        let out = b.param(Ty::I64, "out");
        for (i, space) in [Space::Global, Space::Const].into_iter().enumerate() {
            let base = b.addr_global(ir::GlobalId(i as u32));
            let direct = b.load(Ty::I32, space, Access::Plain, base, 4);
            let again = b.addr(AddrBase::Global(ir::GlobalId(i as u32)));
            b.store(Ty::I64, Space::Global, Access::Plain, out, 64, again);
            let pointer = b.load(Ty::I64, Space::Global, Access::Volatile, out, 64);
            let through_pointer = b.load(Ty::I32, Space::Generic, Access::Plain, pointer, 4);
            b.store(Ty::I32, Space::Global, Access::Plain, out, 16 * i as i64, direct);
            b.store(Ty::I32, Space::Global, Access::Plain, out, 16 * i as i64 + 8, through_pointer);
        }
    });
    for space in [Space::Global, Space::Const] {
        module.globals.push(Global {
            name: "m.v".into(),
            space,
            managed: false,
            bytes: 16,
            align: 8,
            init: GlobalInit::Bytes([0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0].into()),
            holes: Vec::new(),
            read_only: false,
            var: None,
            span: Span::NONE,
        });
    }
    let loaded = load(&mut gpu, &module);
    let out = gpu.alloc(256).unwrap();
    for value in [9u32, 77] {
        gpu.write(out, &[0; 256]).unwrap();
        launch(&mut gpu, &loaded, &module, FuncId(0), shape(1, 1), &[out]);
        assert_eq!(read_words(&mut gpu, out, 4), [u64::from(value); 4]);
        for id in [ir::GlobalId(0), ir::GlobalId(1)] {
            let (address, bytes) = loaded.global(id).unwrap();
            assert_eq!(bytes, 16);
            gpu.write(address + 4, &77u32.to_le_bytes()).unwrap();
        }
    }
}

#[test]
fn dynamic_shared_memory_may_be_large() {
    let Some(mut gpu) = open() else { return };
    let words = 96 * 1024 / 8;
    let module = one_kernel(|b| {
        let out = b.param(Ty::I64, "out");
        let shared = b.add_shared(SharedVar {
            name: "d".into(),
            size: SharedSize::Dynamic,
            align: 8,
            element_bytes: 8,
            bounds: Vec::new(),
            span: Span::NONE,
        });
        let base = b.addr_shared(shared);
        let last = b.bin(BinOp::Add, Ty::I64, base, Val::i64(8 * (words - 1)));
        b.store(Ty::I64, Space::Shared, Access::Plain, last, 0, Val::i64(42));
        b.sync_threads();
        let value = b.load(Ty::I64, Space::Shared, Access::Plain, base, 8 * (words - 1));
        b.store(Ty::I64, Space::Global, Access::Plain, out, 0, value);
    });
    let loaded = load(&mut gpu, &module);
    let out = gpu.alloc(8).unwrap();
    let shape = LaunchShape { shared_bytes: 8 * words as u32, ..shape(1, 1) };
    launch(&mut gpu, &loaded, &module, FuncId(0), shape, &[out]);
    assert_eq!(read_words(&mut gpu, out, 1), [42]);
}
