//! The PTX text without a GPU: goldens of a few kernels, and every operation through `ptxas` where that is found.
//!
//! `ptxas` is looked for in `CUFEMU_PTXAS`, then on the `PATH`, then among installed packages of CUDA; without it the tests
//! that need it say so and pass.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

extern crate cufemu_gpu as gpu;

mod cases;
#[allow(unreachable_pub)] // The fuzz targets use it from another crate.
#[path = "../../../fuzz/src/generate.rs"]
mod generate;
#[allow(unreachable_pub)]
#[path = "../../../fuzz/src/well_formed.rs"]
mod well_formed;

use cases::{Op, PROGRAMS, constants_module, operations_module};
use expect_test::{ExpectFile, expect_file};
use gpu::ptx::{PtxOptions, emit};
use ir::op::{AtomOp, BarOp, BinOp, CmpOp, ShflOp, Special, VoteOp};
use ir::rt::{Rt, Side};
use ir::{
    Access, AddrBase, FuncId, FuncKind, FunctionBuilder, Global, GlobalInit, InlineId, InstKind, LaunchConfig,
    LocalSlot, Module, Scope, SharedSize, SharedVar, Space, Ty, Val,
};
use source::Span;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

fn kernels(module: &Module) -> Vec<FuncId> {
    let is_kernel = |&id: &FuncId| module.func(id).kind == FuncKind::Kernel;
    (0..module.funcs.len() as u32).map(FuncId).filter(is_kernel).collect()
}

fn text_of(module: &Module, options: &PtxOptions<'_>) -> String {
    emit(module, &kernels(module), options).unwrap_or_else(|e| panic!("{e}"))
}

fn ptxas() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("CUFEMU_PTXAS") {
        return Some(path.into());
    }
    let on_path = std::env::var_os("PATH").into_iter().flat_map(|p| std::env::split_paths(&p).collect::<Vec<_>>());
    let installed = ["/usr/local/cuda/bin".into(), "/opt/cuda/bin".into()];
    on_path.chain(installed).map(|dir| dir.join("ptxas")).find(|p| p.is_file())
}

/// Prints a module for each target and assembles it; a complaint of ptxas fails the test.
fn assemble(what: &str, module: &Module, targets: &[u32]) {
    for &sm in targets {
        assemble_text(what, &text_of(module, &PtxOptions { sm, ..PtxOptions::default() }), sm);
    }
}

fn assemble_text(what: &str, text: &str, sm: u32) {
    let Some(ptxas) = ptxas() else {
        eprintln!("SKIPPED: ptxas not found, {what} was printed for sm_{sm} but not assembled");
        return;
    };
    let path = std::env::temp_dir().join(format!("cufemu-{}-{what}-{sm}.ptx", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let mut command = Command::new(&ptxas);
    // What the device runtime has is linked later.
    command.args(gpu::ptx::needs_device_runtime(text).then_some("-c"));
    command.args(text.contains(", debug\n").then_some("-g")).arg(format!("-arch=sm_{sm}")).arg(&path);
    let output = command.args(["-o", "/dev/null"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{what} for sm_{sm}, {}:\n{said}", path.display());
    // Of a recursive procedure ptxas cannot say how deep it goes.
    let warns = said.lines().any(|l| l.contains("warning") && !l.contains("Stack size"));
    assert!(!warns, "{what} for sm_{sm}, {}:\n{said}", path.display());
    let _ = std::fs::remove_file(&path);
}

/// The instructions of each kernel under its title, without what all kernels have: declarations, parameters, the return.
fn instructions(module: &Module, titles: &[String]) -> String {
    let text = text_of(module, &PtxOptions { sm: 90, ..PtxOptions::default() });
    let mut out = String::new();
    for (body, title) in text.split(".visible .entry").skip(1).zip(titles) {
        let _ = writeln!(out, "{title}");
        let common =
            |l: &&str| l.starts_with('\t') && !l.starts_with("\t.") && !l.contains("ld.param") && l.trim() != "ret;";
        // What is behind the test for the kernel's number of rows, where it has one.
        let body = body.split_once("bra BB2;\n").map_or(body, |(_, rest)| rest);
        for line in body.lines().filter(common) {
            let _ = writeln!(out, "{}", line.replace('\t', "    "));
        }
    }
    out
}

#[test]
fn every_operation_at_every_type_assembles() {
    assemble("operations", &operations_module(), &[75, 90]);
}

#[test]
fn every_operation_at_every_type_prints_as_recorded() {
    let titles: Vec<String> = Op::all().into_iter().map(Op::name).collect();
    expect_file!["golden/operations.txt"].assert_eq(&instructions(&operations_module(), &titles));
}

#[test]
fn every_atomic_access_and_warp_operation_prints_as_recorded() {
    let names = |module: &Module| module.funcs.iter().map(|f| f.name.to_string()).collect::<Vec<_>>();
    for (module, golden) in [
        (every_atomic(), expect_file!["golden/atomics.txt"]),
        (memory_module(), expect_file!["golden/accesses.txt"]),
        (warp_module(true), expect_file!["golden/warp.txt"]),
    ] {
        golden.assert_eq(&instructions(&module, &names(&module)));
    }
}

#[test]
fn every_operation_on_constants_assembles() {
    assemble("constants", &constants_module(), &[90]);
}

#[test]
fn every_annotated_program_assembles() {
    for (name, text) in PROGRAMS {
        let mut module = ir::parse::module(text).unwrap();
        // A procedure is printed when a kernel calls it.
        for id in (0..module.funcs.len() as u32).map(FuncId) {
            let func = module.func(id).clone();
            if func.kind != FuncKind::Device {
                continue;
            }
            let mut b = FunctionBuilder::new(format!("call_{}", func.name), FuncKind::Kernel, Span::NONE);
            let args = func.params.iter().map(|p| match func.ty(p.reg) {
                Ty::Pred => Val::pred(true),
                ty => b.param(ty, "a").into(),
            });
            let args = args.collect();
            b.call(id, args, &func.results);
            b.ret(Vec::new());
            module.funcs.push(b.finish());
        }
        let has_clusters = module.funcs.iter().any(|func| func.cluster.is_some());
        assemble(name, &module, if has_clusters { &[90] } else { &[75, 90] });
    }
}

fn every_atomic() -> Module {
    let mut module = Module::default();
    for space in [Space::Global, Space::Shared, Space::Generic] {
        for scope in [Scope::Block, Scope::Device, Scope::System] {
            let mut b = FunctionBuilder::new(format!("atomics{}", module.funcs.len()), FuncKind::Kernel, Span::NONE);
            let addr = b.param(Ty::I64, "p");
            let shared = b.add_shared(SharedVar {
                name: "s".into(),
                size: SharedSize::Static(64),
                align: 8,
                element_bytes: 8,
                bounds: Vec::new(),
                span: Span::NONE,
            });
            let addr = if space == Space::Shared { b.addr_shared(shared) } else { addr };
            for ty in [Ty::I16, Ty::I32, Ty::I64, Ty::F32, Ty::F64] {
                let is_held = |op: &AtomOp| match op {
                    AtomOp::AddHalf => matches!(ty, Ty::I16 | Ty::I32),
                    _ => ty.bytes() >= 4 && op.class().has(ty),
                };
                for &op in AtomOp::ALL.iter().filter(|op| is_held(op)) {
                    for (dst, a) in [(true, Val::Imm(3)), (false, Val::Imm(4))] {
                        let dst = dst.then(|| b.temp(ty));
                        let b_operand = (op == AtomOp::Cas).then_some(Val::Imm(1));
                        let kind = ir::InstKind::Atomic {
                            op,
                            ty,
                            space,
                            scope,
                            dst,
                            used: dst.is_some(),
                            addr: addr.into(),
                            offset: 8,
                            a,
                            b: b_operand,
                        };
                        b.push(kind);
                        if let Some(dst) = dst {
                            b.store(ty, space, Access::Volatile, addr, 1 << 33, dst);
                        }
                    }
                }
            }
            b.ret(Vec::new());
            module.funcs.push(b.finish());
        }
    }
    module
}

#[test]
fn every_atomic_assembles() {
    assemble("atomics", &every_atomic(), &[75, 90]);
}

#[test]
fn every_warp_operation_assembles() {
    assemble("warp-operations", &warp_module(false), &[75]);
    assemble("warp-operations", &warp_module(true), &[90]);
}

fn warp_module(has_clusters: bool) -> Module {
    let mut module = Module::default();
    let mut b = FunctionBuilder::new("warp", FuncKind::Kernel, Span::NONE);
    let p = b.param(Ty::I64, "p");
    let n = b.param(Ty::I32, "n");
    let mut results: Vec<(Ty, ir::Reg)> = Vec::new();
    let inside = b.cmp(ir::op::CmpOp::Lt, Ty::I32, n, Val::i32(5));
    for &op in BarOp::ALL {
        match op.result() {
            None if op == BarOp::Grid => b.sync_grid(),
            None if op == BarOp::Cluster => {
                if has_clusters {
                    b.sync_cluster();
                }
            }
            None => b.sync_threads(),
            Some(ty) => results.push((ty, b.barrier(op, inside))),
        }
    }
    b.sync_warp(n);
    b.sync_warp(Val::i32(-1));
    for scope in [Scope::Block, Scope::Device, Scope::System] {
        b.fence(scope);
    }
    for &op in VoteOp::ALL {
        for mask in [None, Some(n.into()), Some(Val::i32(0xf))] {
            if op.is_match() {
                for ty in Ty::ALL {
                    let value = cases::load(&mut b, ty, p, 0);
                    results.push((op.result(), b.vote(op, ty, mask, value)));
                }
            } else {
                results.push((op.result(), b.vote(op, Ty::Pred, mask, inside)));
                results.push((op.result(), b.vote(op, Ty::Pred, mask, Val::pred(true))));
            }
        }
    }
    for &op in ShflOp::ALL {
        for ty in [Ty::I8, Ty::I16, Ty::I32, Ty::I64, Ty::F32, Ty::F64] {
            let value = cases::load(&mut b, ty, p, 8);
            results.push((ty, b.shuffle(op, ty, value, n, n)));
            results.push((ty, b.shuffle(op, ty, Val::Imm(0x40), Val::i32(1), Val::i32(16))));
        }
    }
    for &reg in &ALL_SPECIAL {
        results.push((reg.ty(), b.special(reg)));
    }
    for (ty, result) in results {
        cases::store(&mut b, ty, p, 0, result);
    }
    b.ret(Vec::new());
    module.funcs.push(b.finish());
    module
}

const ALL_SPECIAL: [Special; 16] = [
    Special::TidX,
    Special::TidY,
    Special::TidZ,
    Special::NtidX,
    Special::NtidY,
    Special::NtidZ,
    Special::CtaidX,
    Special::CtaidY,
    Special::CtaidZ,
    Special::NctaidX,
    Special::NctaidY,
    Special::NctaidZ,
    Special::LaneId,
    Special::ActiveMask,
    Special::Clock64,
    Special::GlobalTimer,
];

/// A kernel for each service: its arguments are parameters of the kernel.
fn service_module(rt: Rt) -> Module {
    let mut b = FunctionBuilder::new("service", FuncKind::Kernel, Span::NONE);
    let mut args: Vec<Val> = rt.params().iter().map(|&ty| b.param(ty, "a").into()).collect();
    if rt == Rt::PipelineCopy {
        // The number of bytes is part of the instruction.
        args[2] = Val::Imm(8);
    }
    if rt == Rt::NestedKernel {
        // So is the kernel.
        args[0] = Val::Imm(0);
    }
    let results = b.rt(rt, args);
    let p = b.param(Ty::I64, "p");
    for (&ty, reg) in rt.results().iter().zip(results) {
        cases::store(&mut b, ty, p, 0, reg);
    }
    b.ret(Vec::new());
    Module { funcs: vec![b.finish()], ..Module::default() }
}

/// The first target that has a service.
fn least_target(rt: Rt) -> u32 {
    match rt {
        Rt::ClusterMap => 90,
        Rt::BarrierInit | Rt::BarrierExpect | Rt::BarrierArrive | Rt::BarrierTry | Rt::ProxyFence => 90,
        Rt::BulkLoad | Rt::BulkStore | Rt::BulkCommit | Rt::BulkWait => 90,
        Rt::PipelineCopy | Rt::PipelineCommit | Rt::PipelineWait => 80,
        _ => 75,
    }
}

#[test]
fn services_that_a_target_lacks_are_refused() {
    for (rt, what) in [
        (Rt::ClusterMap, "clusters"),
        (Rt::PipelineCommit, "copies that are waited for"),
        (Rt::BulkCommit, "barriers and bulk copies"),
    ] {
        let options = PtxOptions { sm: least_target(rt) - 1, ..PtxOptions::default() };
        let error = emit(&service_module(rt), &[FuncId(0)], &options).unwrap_err();
        assert!(error.what.starts_with(what), "{error}");
    }
}

#[test]
fn device_services_assemble_and_host_services_are_refused_by_name() {
    for &rt in Rt::ALL {
        let module = service_module(rt);
        match rt.side() {
            _ if rt == Rt::NestedWait => {
                let error = emit(&module, &[FuncId(0)], &PtxOptions::default()).unwrap_err();
                assert!(error.what.starts_with("`cudaDeviceSynchronize` in device code"), "{error}");
            }
            Side::Host => {
                let error = emit(&module, &[FuncId(0)], &PtxOptions::default()).unwrap_err();
                assert_eq!(error.to_string(), format!("the service `{rt}` in `service` cannot run on a GPU"));
            }
            Side::Device | Side::Both => assemble(rt.mnemonic(), &module, &[least_target(rt)]),
        }
    }
}

/// A kernel that takes values of all widths and an object, and one that launches it and itself.
fn launching_module() -> Module {
    let mut child = FunctionBuilder::new("child", FuncKind::Kernel, Span::NONE);
    for (ty, name) in [(Ty::I8, "b"), (Ty::I64, "x"), (Ty::Pred, "l"), (Ty::F32, "s"), (Ty::F64, "d")] {
        child.param(ty, name);
    }
    child.bytes_param(12, 4, "o");
    child.ret(Vec::new());
    let mut parent = FunctionBuilder::new("parent", FuncKind::Kernel, Span::NONE);
    let a = parent.param(Ty::I64, "a");
    let object = LocalSlot { name: "object".into(), bytes: 12, align: 4, span: Span::NONE, inlined: InlineId::NONE };
    let object = parent.add_local(object);
    let object = parent.addr_local(object);
    let truth = parent.cmp(CmpOp::Eq, Ty::I64, a, Val::Imm(0));
    let stream = parent.rt(Rt::NestedStreamCreate, vec![Val::i32(1)])[0];
    let config = LaunchConfig {
        grid: [Val::i32(2), Val::i32(3), Val::i32(1)],
        block: [Val::i32(32), Val::i32(1), Val::i32(1)],
        bytes: Val::i64(64),
        stream: stream.into(),
    };
    let args = vec![Val::i32(7), a.into(), truth.into(), Val::Imm(0), Val::Imm(0), object.into()];
    parent.push(InstKind::Launch { func: FuncId(0), config, args });
    parent.push(InstKind::Launch { func: FuncId(1), config, args: vec![a.into()] });
    parent.ret(Vec::new());
    Module { funcs: vec![child.finish(), parent.finish()], ..Module::default() }
}

#[test]
fn launches_from_device_code_assemble_or_name_the_library_that_is_missing() {
    let module = launching_module();
    assemble("launches", &module, &[75, 90]);
    let text = emit(&module, &[FuncId(1)], &PtxOptions::default()).unwrap();
    assert!(gpu::ptx::needs_device_runtime(&text));
    assert!(text.contains(".entry child"), "what is launched is in the text:\n{text}");
    let without = PtxOptions { launches: false, ..PtxOptions::default() };
    let error = emit(&module, &[FuncId(1)], &without).unwrap_err();
    assert!(error.what.contains("libcudadevrt.a"), "{error}");
    let text = emit(&module, &[FuncId(0)], &without).unwrap();
    assert!(!gpu::ptx::needs_device_runtime(&text));
}

#[test]
fn services_on_constants_assemble() {
    let mut b = FunctionBuilder::new("prints", FuncKind::Kernel, Span::NONE);
    for &rt in Rt::ALL.iter().filter(|&&r| r.side() != Side::Host && r != Rt::NestedWait && least_target(r) == 75) {
        b.rt(rt, rt.params().iter().map(|_| Val::Imm(0)).collect());
    }
    b.terminate(ir::Term::Trap(ir::Trap::ZeroStep));
    let module = Module { funcs: vec![b.finish()], ..Module::default() };
    assemble("services", &module, &[75, 90]);
}

/// Loads and stores of every type, space and strength, through addresses at home and generic ones, with near and far
/// offsets; module variables in both banks; objects passed by value; several results.
fn memory_module() -> Module {
    let mut module = Module::default();
    let global = |name: &str, space, bytes: u64, init| Global {
        name: name.into(),
        space,
        managed: false,
        bytes,
        align: 8,
        init,
        holes: Vec::new(),
        read_only: false,
        var: None,
        span: Span::NONE,
    };
    module.globals = vec![
        global("m.counter", Space::Global, 64, GlobalInit::Zero),
        global("m.table", Space::Const, 64, GlobalInit::Bytes((0..64).collect())),
        global("m.large table", Space::Const, 1 << 20, GlobalInit::None),
        global(".str0", Space::Const, 0, GlobalInit::None),
        global("host only", Space::Host, 8, GlobalInit::None),
    ];
    let mut callee = FunctionBuilder::new("m.callee", FuncKind::Device, Span::NONE);
    let object = callee.bytes_param(27, 4, "object");
    let flag = callee.param(Ty::Pred, "flag");
    callee.result(Ty::I64);
    callee.result(Ty::Pred);
    callee.result(Ty::I8);
    let first = callee.load(Ty::I8, Space::Local, Access::Plain, object, 26);
    callee.ret(vec![object.into(), flag.into(), first.into()]);

    let mut b = FunctionBuilder::new("m.kernel", FuncKind::Kernel, Span::NONE);
    let p = b.param(Ty::I64, "p");
    let object = b.bytes_param(32, 8, "object");
    let slot = b.add_local(LocalSlot {
        bytes: 100,
        align: 16,
        name: "l".into(),
        span: Span::NONE,
        inlined: ir::InlineId::NONE,
    });
    let shared = |name: &str, size| SharedVar {
        name: name.into(),
        size,
        align: 8,
        element_bytes: 8,
        bounds: Vec::new(),
        span: Span::NONE,
    };
    let fixed = b.add_shared(shared("s", SharedSize::Static(256)));
    let dynamic = b.add_shared(shared("d", SharedSize::Dynamic));
    let bases = [
        (AddrBase::Local(slot), Space::Local),
        (AddrBase::Shared(fixed), Space::Shared),
        (AddrBase::Shared(dynamic), Space::Shared),
        (AddrBase::Global(ir::GlobalId(0)), Space::Global),
        (AddrBase::Global(ir::GlobalId(1)), Space::Const),
        (AddrBase::Global(ir::GlobalId(2)), Space::Const),
    ];
    for (base, space) in bases {
        for generic in [false, true] {
            let addr = b.addr(base);
            if generic {
                b.store(Ty::I64, Space::Global, Access::Plain, p, 0, addr);
            }
            for ty in [Ty::I8, Ty::I16, Ty::I32, Ty::I64, Ty::F32, Ty::F64] {
                for access in [Access::Plain, Access::Volatile] {
                    let value = b.load(ty, space, access, addr, -8);
                    let other = b.load(ty, Space::Generic, access, addr, 1 << 40);
                    if space != Space::Const {
                        b.store(ty, space, access, addr, 16, value);
                        b.store(ty, Space::Generic, access, addr, 24, other);
                        b.store(ty, space, access, addr, 32, Val::Imm(1));
                    }
                }
            }
        }
    }
    let results = b.call(FuncId(0), vec![object.into(), Val::pred(true)], &[Ty::I64, Ty::Pred, Ty::I8]);
    for (ty, reg) in [Ty::I64, Ty::Pred, Ty::I8].into_iter().zip(results) {
        cases::store(&mut b, ty, p, 8, reg);
    }
    b.ret(Vec::new());
    b.func_mut().max_threads = Some(256);
    module.funcs = vec![callee.finish(), b.finish()];
    module
}

#[test]
fn every_access_assembles() {
    assemble("memory", &memory_module(), &[75, 90]);
}

#[test]
fn a_local_array_without_elements_has_an_address() {
    let mut b = FunctionBuilder::new("k", FuncKind::Kernel, Span::NONE);
    let slot = b.add_local(LocalSlot {
        bytes: 0,
        align: 4,
        name: "empty".into(),
        span: Span::NONE,
        inlined: ir::InlineId::NONE,
    });
    b.addr(AddrBase::Local(slot));
    b.bytes_param(0, 4, "object");
    b.ret(Vec::new());
    let module = Module { funcs: vec![b.finish()], ..Module::default() };
    let text = text_of(&module, &PtxOptions { sm: 90, ..PtxOptions::default() });
    assert_eq!(well_formed::check(&text), Ok(()), "{text}");
    assemble_text("empty", &text, 90);
}

#[test]
fn newer_targets_print_a_version_that_knows_them() {
    assemble("versions", &memory_module(), &[75, 80, 86, 89, 90, 100, 103, 110, 120, 121]);
}

#[test]
fn names_of_instructions_are_names_of_kernels_too() {
    let mut module = Module::default();
    for name in ["add", "ret", "call", "sub.abs", "bra", "mov", "exit", "ld"] {
        let mut b = FunctionBuilder::new(name, FuncKind::Kernel, Span::NONE);
        b.ret(Vec::new());
        module.funcs.push(b.finish());
    }
    assemble("names", &module, &[90]);
}

#[test]
fn debug_keeps_variables_and_lines() {
    let mut sources = source::SourceMap::new();
    let file = sources.add("k.cuf", "subroutine k(p)\n  i = i + 1\nend\n");
    let module = ir::parse::module(
        "type t0 \"integer(4)\" bytes 4 integer\n\
         kernel @k(%0: i64 \"p\") {\n  reg %1 i32 mutable v0\n  var v0 \"i\" t0 scalar reg %1 source 1\n\
         shared s0 \"t\" bytes 16 align 4 element 4\n  var v1 \"p\" t0 array (1, *, 4) at %0 source 2 dummy\n\
         var v2 \"t\" t0 array (1, 4, 4) memory s0 source 3\n\
         bb0:\n  %1 = load.global.i32 [%0] !0:18-27\n  %1 = add.i32 %1, 1 !0:18-27\n\
         store.global.i32 [%0], %1 !0:18-27\n  return\n}\n",
    );
    let module = module.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(file, source::FileId(0));
    let options = PtxOptions { sm: 90, debug: true, sources: Some(&sources), ..PtxOptions::default() };
    expect_file!["golden/debug.ptx"].assert_eq(&text_of(&module, &options));
    let slots = gpu::ptx::variable_slots(module.func(FuncId(0)));
    assert_eq!(slots.iter().map(|s| (s.reg.0, s.offset)).collect::<Vec<_>>(), [(0, 0), (1, 8)]);
    assemble_text("debug", &text_of(&module, &options), 90);
}

fn golden(text: &str, expected: &ExpectFile) {
    let module = ir::parse::module(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(ir::verify::module(&module), []);
    expected.assert_eq(&text_of(&module, &PtxOptions { sm: 90, ..PtxOptions::default() }));
    assemble("golden", &module, &[90]);
}

#[test]
fn saxpy_prints_as_recorded() {
    golden(include_str!("golden/saxpy.cir"), &expect_file!["golden/saxpy.ptx"]);
}

#[test]
fn tile_in_shared_memory_prints_as_recorded() {
    golden(include_str!("golden/tile.cir"), &expect_file!["golden/tile.ptx"]);
}

#[test]
fn exact_sequences_print_as_recorded() {
    golden(include_str!("golden/exact.cir"), &expect_file!["golden/exact.ptx"]);
}

#[test]
fn print_from_a_kernel_prints_as_recorded() {
    golden(include_str!("golden/print.cir"), &expect_file!["golden/print.ptx"]);
}

#[test]
fn random_modules_are_printed_well_formed() {
    for seed in 0..240 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let bytes: Vec<u8> = (0..100 + seed * 5).map(|_| rng.u8(..)).collect();
        let module = generate::module(&bytes);
        assert_eq!(ir::verify::module(&module), [], "seed {seed}");
        let options = PtxOptions { sm: [75, 90][seed as usize % 2], debug: seed % 3 == 0, ..PtxOptions::default() };
        match emit(&module, &generate::kernels(&module), &options) {
            Ok(text) => assert_eq!(well_formed::check(&text), Ok(()), "seed {seed}:\n{text}"),
            Err(error) => assert!(generate::may_be_refused(&error.what), "seed {seed}: {error}"),
        }
        if seed % 60 == 0 && emit(&module, &generate::kernels(&module), &options).is_ok() {
            assemble(&format!("random{seed}"), &module, &[75, 90]);
        }
    }
}

/// A kernel that copies four words that lie together, with `between` behind the loads.
fn four_words(offset: i64, between: &str) -> Module {
    let mut text = String::from(
        "kernel @k(%0: i64 unaliased, %1: i64 unaliased) {\nshared s0 \"t\" bytes 64 align 4 element 4\nbb0:\n\
         %2 = special.tid.x\n%3 = cvt.cast.i64.i32 %2\n%4 = mad.i64 %3, 16, %0\n%5 = mad.i64 %3, 16, %1\n%6 = addr s0\n",
    );
    for i in 0..4 {
        let _ = writeln!(text, "%{} = load.global.f32 [%4+{}]", 10 + i, offset + 4 * i);
    }
    text.push_str(between);
    text.push('\n');
    for i in 0..4 {
        let _ = writeln!(text, "store.global.f32 [%5+{}], %{}", offset + 4 * i, 10 + i);
    }
    text.push_str("return\n}\n");
    let module = ir::parse::module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(ir::verify::module(&module), []);
    module
}

#[test]
fn neighbouring_words_of_aligned_arrays_are_vectors() {
    let target = opt::Target { aligned: true, ..opt::Target::default() };
    let options = PtxOptions { sm: 90, target, ..PtxOptions::default() };
    let counts = |module: &Module, options: &PtxOptions<'_>| {
        let text = text_of(module, options);
        assemble_text("vectors", &text, 90);
        ["ld.global.nc.v4", "ld.global.nc.v2", "st.global.v4", "st.global.v2"].map(|form| text.matches(form).count())
    };
    assert_eq!(counts(&four_words(0, ""), &options), [1, 0, 1, 0]);
    assert_eq!(gpu::ptx::relies_on_alignment(four_words(0, "").func(FuncId(0))), [0, 1]);
    // Two of them begin at a multiple of 8, none at one of 16.
    assert_eq!(counts(&four_words(8, ""), &options), [0, 2, 0, 2]);
    assert_eq!(counts(&four_words(4, ""), &options), [0, 1, 0, 1]);
    assert_eq!(counts(&four_words(0, ""), &PtxOptions { sm: 90, ..PtxOptions::default() }), [0; 4]);
    assert_eq!(counts(&four_words(2, ""), &options), [0; 4]);
    assert_eq!(gpu::ptx::relies_on_alignment(four_words(2, "").func(FuncId(0))), [0usize; 0]);
}

#[test]
fn accesses_are_not_joined_across_one_that_may_meet_them() {
    let target = opt::Target { aligned: true, ..opt::Target::default() };
    let options = PtxOptions { sm: 90, target, ..PtxOptions::default() };
    let stores = |text: &str, to: &str| {
        let module = four_words(0, "");
        let text = ir::print::module(&module, true).replace(text, &format!("{text}\n{to}"));
        let module = ir::parse::module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let text = text_of(&module, &options);
        text.matches("st.global.v4").count()
    };
    let second = "store.global.f32 [%5+4], %11";
    assert_eq!(stores(second, ""), 1);
    assert_eq!(stores(second, "barrier.sync"), 0);
    assert_eq!(stores(second, "store.global.f32 [%4], %10"), 0);
    assert_eq!(stores(second, "store.shared.f32 [%6], %10"), 1);
    assert_eq!(stores(second, "%20 = load.global.f32 [%4+64]\nstore.shared.f32 [%6], %20"), 0);
}

#[test]
fn an_approximate_quotient_of_one_is_a_reciprocal() {
    let text = |a: Val, flushes: bool| {
        let mut b = FunctionBuilder::new("k", FuncKind::Kernel, Span::NONE);
        let to = b.param(Ty::I64, "to");
        b.new_block();
        let x = b.load(Ty::F32, Space::Global, Access::Plain, to, 0);
        let quotient = b.bin(BinOp::DivApprox, Ty::F32, a, x);
        b.store(Ty::F32, Space::Global, Access::Plain, to, 4, quotient);
        b.ret(Vec::new());
        let module = Module { funcs: vec![b.finish()], ..Module::default() };
        assemble("quotients", &module, &[75]);
        text_of(&module, &PtxOptions { sm: 75, flushes, ..PtxOptions::default() })
    };
    let one = Val::Imm(u64::from(1.0f32.to_bits()));
    let two = Val::Imm(u64::from(2.0f32.to_bits()));
    assert!(text(one, true).contains("rcp.approx.ftz.f32 %r1, %r0;"), "{}", text(one, true));
    assert!(text(one, false).contains("rcp.approx.f32 %r1, %r0;"), "{}", text(one, false));
    assert!(text(two, true).contains("div.approx.ftz.f32 %r1, 0f40000000, %r0;"), "{}", text(two, true));
}

#[test]
fn divisions_are_as_short_as_what_is_known_allows() {
    let text = |code: &str| {
        let text = format!(
            "kernel @k(%0: i64, %1: i32, %2: f32, %3: i64) {{\nbb0:\n%4 = cmp.gt.i32 %1, 0\nbranch %4, bb1, bb2\nbb1:\n{code}\nreturn\nbb2:\nreturn\n}}\n"
        );
        let module = ir::parse::module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(ir::verify::module(&module), []);
        let text = text_of(&module, &PtxOptions { sm: 90, ..PtxOptions::default() });
        assemble_text("divisions", &text, 90);
        text
    };
    let known = text("%5 = rem.i32 100, %1\nstore.global.i32 [%0], %5");
    assert!(known.contains("rem.s32") && !known.contains("selp"), "{known}");
    let unknown = text("%6 = add.i32 %1, 1\n%5 = rem.i32 100, %6\nstore.global.i32 [%0], %5");
    assert!(unknown.contains("selp"), "{unknown}");
    let power = text("%5 = div.i64 %3, 256\nstore.global.i64 [%0], %5");
    assert!(power.contains("shr.s64") && !power.contains("div"), "{power}");
}
