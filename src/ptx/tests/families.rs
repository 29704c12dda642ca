//! Each operation with each type and with registers of any kind is read or refused: what comes of it is IR that the verifier takes.

use diag::Diagnostics;
use ir::{FuncKind, FunctionBuilder, Import, Module, Ty};
use ptx::{Lines, link, parse};
use source::{FileId, SourceMap, Span};
use std::collections::BTreeMap;
use std::fmt::Write;

const TYPES: &[&str] = &[
    "pred", "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f32", "f64",
    "b128", "f16x2",
];

/// Operations, and how many operands they have.
const OPERATIONS: &[(usize, &str)] = &[
    (1, "activemask"),
    (2, "abs neg.ftz sqrt.rn sqrt.rz sqrt.approx rsqrt.approx rcp.rm rcp.approx sin.approx ex2.approx testp.finite"),
    (2, "not cnot bfind bfind.shiftamt popc clz brev mov cvta cvta.to.shared cvt.u8 cvt.s32 cvt.rzi.u64 cvt.rn.f32"),
    (2, "cvt.rp.f64 cvt.rmi.sat.f64 cvt.sat.u16 cvt.pred cvt.f16"),
    (3, "add add.cc add.sat add.rz add.rm.ftz addc sub sub.rp.sat mul.lo mul.hi mul.wide mul.rm mul24.lo div div.rp"),
    (3, "div.approx rem min max.NaN copysign and or xor shl shr setp.lt setp.gtu setp.nan set.le.u32 set.le.f32"),
    (
        3,
        "set.eq.b64 set.ne.f64 vote.sync.all vote.sync.ballot match.any.sync match.all.sync redux.sync.add redux.sync.min",
    ),
    (3, "bar.red.popc bar.red.and"),
    (
        4,
        "mad.lo mad.hi mad.wide madc.hi.cc mad24.lo fma.rn fma.rz.sat sad shf.l.wrap shf.r.clamp prmt bfe fns dp4a.u32",
    ),
    (4, "setp.hi.and setp.equ.xor selp slct.f32 slct.ftz.u64 lop3.or"),
    (5, "bfi lop3 shfl.sync.idx shfl.sync.up"),
];

/// Operations on memory, with their operands; `#` is a register.
const MEMORY: &[(&str, &str)] = &[
    ("ld.global", "#, [%b1]"),
    ("ld.shared.v2", "{#, #}, [%b1+8]"),
    ("ld.param", "#, [o]"),
    ("ld.param", "#, [o+9223372036854775807]"),
    ("st.global", "[%b1], #"),
    ("st.local.v2", "[%b1+4], {#, #}"),
    ("atom.add", "#, [%b1], #"),
    ("atom.global.cas", "#, [%b1], #, #"),
    ("atom.shared.max", "#, [%b1], #"),
    ("red.inc", "[%b1], #"),
    ("red.xor", "[%b1], #"),
    ("mov", "{#, #}, #"),
    ("mov", "#, {#, #}"),
    ("setp.lt", "#|#, #, #"),
    ("match.all.sync", "#|#, #, #"),
    ("shfl.sync.down", "#|#, #, #, #, -1"),
];

/// The constant and registers of each kind.
const REGISTERS: &[&str] = &["%p1", "%a1", "%r1", "%b1", "%f1", "%d1", "1", "%tid.x"];

#[test]
fn operations_of_all_types_are_read_or_refused() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut body = String::new();
    let mut register = |ty: &str| {
        let own = match ty {
            "pred" => 0,
            "f32" => 4,
            "f64" => 5,
            _ if ty.ends_with("16") || ty.ends_with('8') => 1,
            _ if ty.ends_with("32") => 2,
            _ => 3,
        };
        REGISTERS[if random.u8(..4) > 0 { own } else { random.usize(..REGISTERS.len()) }]
    };
    for ty in TYPES {
        for _ in 0..8 {
            for (count, operations) in OPERATIONS {
                for operation in operations.split(' ') {
                    let operands: Vec<&str> = (0..*count).map(|_| register(ty)).collect();
                    writeln!(body, "{operation}.{ty} {};", operands.join(", ")).expect("room");
                }
            }
            for (operation, operands) in MEMORY {
                let parts: Vec<&str> = operands.split('#').collect();
                let mut all = parts[0].to_owned();
                for part in &parts[1..] {
                    all.push_str(register(ty));
                    all.push_str(part);
                }
                writeln!(body, "{operation}.{ty} {all};").expect("room");
            }
        }
    }
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 o) {{\n.reg .pred %p<3>;\n\
         .reg .b16 %a<3>;\n.reg .b32 %r<3>;\n.reg .b64 %b<3>;\n.reg .f32 %f<3>;\n.reg .f64 %d<3>;\n{body}}}"
    );
    let mut module = Module::default();
    let mut kernel = FunctionBuilder::new("k", FuncKind::Kernel, Span::NONE);
    kernel.param(Ty::I64, "o");
    module.funcs.push(kernel.finish());
    module.imports.push(Import { func: ir::FuncId(0), symbol: "k".into() });
    let ptx = parse(FileId(0), &text).expect("PTX");
    let (map, mut diags) = (SourceMap::new(), Diagnostics::new());
    link(&mut module, &[ptx], &Lines::new(&map, BTreeMap::new()), &mut diags);
    let mut errors = ir::verify::module(&module);
    errors.truncate(5);
    assert_eq!(errors, []);
    let read = module.funcs[0].blocks.iter().map(|block| block.insts.len()).sum::<usize>();
    assert!(read > 10_000 && diags.error_count() > 1000, "{read} instructions, {} errors", diags.error_count());
}
