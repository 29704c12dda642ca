//! What the tests with and without a GPU share: every operation at every type as a kernel, operands that matter, expected
//! results, and the annotated programs of `tests/ir`.

// Each of the two test binaries uses a part.
#![allow(dead_code)]

use ir::op::{BinOp, CmpOp, CvtOp, Special, TriOp, UnOp};
use ir::{Access, FuncKind, Function, FunctionBuilder, Module, Reg, Space, Ty, Val};
use source::Span;

/// The annotated programs.
pub(crate) const PROGRAMS: &[(&str, &str)] = &[
    ("atomic", include_str!("../../../../tests/ir/atomic.cir")),
    ("compare", include_str!("../../../../tests/ir/compare.cir")),
    ("control", include_str!("../../../../tests/ir/control.cir")),
    ("convert", include_str!("../../../../tests/ir/convert.cir")),
    ("int_binary", include_str!("../../../../tests/ir/int_binary.cir")),
    ("int_unary", include_str!("../../../../tests/ir/int_unary.cir")),
    ("loops", include_str!("../../../../tests/ir/loops.cir")),
    ("memory", include_str!("../../../../tests/ir/memory.cir")),
    ("real_binary", include_str!("../../../../tests/ir/real_binary.cir")),
    ("real_unary", include_str!("../../../../tests/ir/real_unary.cir")),
    ("special", include_str!("../../../../tests/ir/special.cir")),
    ("warp", include_str!("../../../../tests/ir/warp.cir")),
];

/// A pure operation at its types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Un(UnOp, Ty),
    Bin(BinOp, Ty),
    Tri(TriOp, Ty),
    Cmp(CmpOp, Ty),
    Select(Ty),
    Cvt(CvtOp, Ty, Ty),
}

impl Op {
    /// Every pure operation at every type that the verifier allows, but for approximate ones.
    pub(crate) fn all() -> Vec<Op> {
        let mut out = Vec::new();
        for ty in Ty::ALL {
            out.extend(UnOp::ALL.iter().filter(|o| o.class().has(ty) && !o.is_approximate()).map(|&o| Op::Un(o, ty)));
            out.extend(BinOp::ALL.iter().filter(|o| o.class().has(ty) && !o.is_approximate()).map(|&o| Op::Bin(o, ty)));
            out.extend(TriOp::ALL.iter().filter(|o| o.class().has(ty)).map(|&o| Op::Tri(o, ty)));
            out.extend(CmpOp::ALL.iter().filter(|o| o.class().has(ty)).map(|&o| Op::Cmp(o, ty)));
            out.push(Op::Select(ty));
            for to in Ty::ALL {
                out.extend(
                    CvtOp::ALL.iter().filter(|&&o| ir::verify::converts(o, ty, to)).map(|&o| Op::Cvt(o, ty, to)),
                );
            }
        }
        out
    }

    /// `add.i32` and the like.
    pub(crate) fn name(self) -> String {
        match self {
            Op::Un(op, ty) => format!("{op}.{ty}"),
            Op::Bin(op, ty) => format!("{op}.{ty}"),
            Op::Tri(op, ty) => format!("{op}.{ty}"),
            Op::Cmp(op, ty) => format!("cmp.{op}.{ty}"),
            Op::Select(ty) => format!("select.{ty}"),
            Op::Cvt(op, from, to) => format!("cvt.{op}.{to}.{from}"),
        }
    }

    /// Types of the operands.
    pub(crate) fn operands(self) -> Vec<Ty> {
        match self {
            Op::Un(_, ty) | Op::Cvt(_, ty, _) => vec![ty],
            Op::Bin(_, ty) | Op::Cmp(_, ty) => vec![ty, ty],
            Op::Tri(_, ty) => vec![ty, ty, ty],
            Op::Select(ty) => vec![Ty::Pred, ty, ty],
        }
    }

    /// Type of the result.
    pub(crate) fn result(self) -> Ty {
        match self {
            Op::Un(_, ty) | Op::Bin(_, ty) | Op::Tri(_, ty) | Op::Select(ty) | Op::Cvt(_, _, ty) => ty,
            Op::Cmp(..) => Ty::Pred,
        }
    }

    /// What the reference says.
    pub(crate) fn expected(self, a: &[u64]) -> u64 {
        match self {
            Op::Un(op, ty) => ir::eval_un(op, ty, a[0]),
            Op::Bin(op, ty) => ir::eval_bin(op, ty, a[0], a[1]),
            Op::Tri(op, ty) => ir::eval_tri(op, ty, a[0], a[1], a[2]),
            Op::Cmp(op, ty) => u64::from(ir::eval_cmp(op, ty, a[0], a[1])),
            Op::Select(_) => a[if a[0] & 1 != 0 { 1 } else { 2 }],
            Op::Cvt(op, from, to) => ir::eval_cvt(op, from, to, a[0]),
        }
    }

    /// Adds the operation to a function.
    pub(crate) fn apply(self, b: &mut FunctionBuilder, a: &[Val]) -> Reg {
        match self {
            Op::Un(op, ty) => b.un(op, ty, a[0]),
            Op::Bin(op, ty) => b.bin(op, ty, a[0], a[1]),
            Op::Tri(op, ty) => b.tri(op, ty, a[0], a[1], a[2]),
            Op::Cmp(op, ty) => b.cmp(op, ty, a[0], a[1]),
            Op::Select(ty) => b.select(ty, a[0], a[1], a[2]),
            Op::Cvt(op, from, to) => b.cvt(op, from, to, a[0]),
        }
    }

    /// A kernel that applies the operation to row `thread` of operands: words of 8 bytes in, words of 8 bytes out.
    pub(crate) fn kernel(self, name: &str) -> Function {
        let mut b = FunctionBuilder::new(name, FuncKind::Kernel, Span::NONE);
        let (input, output) = (b.param(Ty::I64, "input"), b.param(Ty::I64, "output"));
        let n = b.param(Ty::I32, "n");
        let thread = global_thread(&mut b);
        let inside = b.cmp(CmpOp::Lt, Ty::I32, thread, n);
        let (work, done) = (b.new_block(), b.new_block());
        b.branch(inside, work, done);
        b.switch_to(work);
        let types = self.operands();
        let index = b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, thread);
        let start = b.bin(BinOp::Mul, Ty::I64, index, Val::i64(8 * types.len() as i64));
        let from = b.bin(BinOp::Add, Ty::I64, input, start);
        let operands: Vec<Val> =
            types.iter().enumerate().map(|(i, &ty)| load(&mut b, ty, from, 8 * i as i64).into()).collect();
        let result = self.apply(&mut b, &operands);
        let offset = b.bin(BinOp::Shl, Ty::I64, index, Val::i64(3));
        let to = b.bin(BinOp::Add, Ty::I64, output, offset);
        store(&mut b, self.result(), to, 0, result);
        b.jump(done);
        b.switch_to(done);
        b.ret(Vec::new());
        b.finish()
    }

    /// A kernel that applies the operation to rows of constants: words of 8 bytes out.
    pub(crate) fn constant_kernel(self, name: &str, rows: &[Vec<u64>]) -> Function {
        let mut b = FunctionBuilder::new(name, FuncKind::Kernel, Span::NONE);
        let output = b.param(Ty::I64, "output");
        for (i, row) in rows.iter().enumerate() {
            let operands: Vec<Val> = row.iter().map(|&w| Val::Imm(w)).collect();
            let result = self.apply(&mut b, &operands);
            store(&mut b, self.result(), output, 8 * i as i64, result);
        }
        b.ret(Vec::new());
        b.finish()
    }

    /// Some of the rows, spread over all.
    pub(crate) fn some_rows(self) -> Vec<Vec<u64>> {
        let rows = self.rows();
        let step = rows.len().div_ceil(24) | 1;
        rows.into_iter().step_by(step).collect()
    }

    /// Rows of operands: all pairs of what matters, a thinner choice for three operands.
    pub(crate) fn rows(self) -> Vec<Vec<u64>> {
        let types = self.operands();
        let choices: Vec<Vec<u64>> = types.iter().map(|&ty| words(ty)).collect();
        match &choices[..] {
            [a] => a.iter().map(|&x| vec![x]).collect(),
            [a, b] => a.iter().flat_map(|&x| b.iter().map(move |&y| vec![x, y])).collect(),
            [a, b, c] => {
                let thin = |v: &[u64]| v.iter().copied().step_by(v.len().div_ceil(20)).collect::<Vec<_>>();
                let (a, b, c) = (thin(a), thin(b), thin(c));
                let mut rows = Vec::new();
                for &x in &a {
                    for &y in &b {
                        rows.extend(c.iter().map(|&z| vec![x, y, z]));
                    }
                }
                rows
            }
            _ => Vec::new(),
        }
    }
}

/// Number of the thread in the grid, x only.
pub(crate) fn global_thread(b: &mut FunctionBuilder) -> Reg {
    let (block, size) = (b.special(Special::CtaidX), b.special(Special::NtidX));
    let thread = b.special(Special::TidX);
    b.tri(TriOp::Mad, Ty::I32, block, size, thread)
}

/// Loads the value of a word in memory.
pub(crate) fn load(b: &mut FunctionBuilder, ty: Ty, addr: Reg, offset: i64) -> Reg {
    if ty == Ty::Pred {
        let bits = b.load(Ty::I32, Space::Global, Access::Plain, addr, offset);
        b.cvt(CvtOp::IntToPred, Ty::I32, Ty::Pred, bits)
    } else {
        b.load(ty, Space::Global, Access::Plain, addr, offset)
    }
}

/// Stores a value as the low bits of a word.
pub(crate) fn store(b: &mut FunctionBuilder, ty: Ty, addr: Reg, offset: i64, value: Reg) {
    if ty == Ty::Pred {
        let bits = b.select(Ty::I32, value, Val::i32(1), Val::i32(0));
        b.store(Ty::I32, Space::Global, Access::Plain, addr, offset, bits);
    } else {
        b.store(ty, Space::Global, Access::Plain, addr, offset, value);
    }
}

/// Words of type `ty` that matter: ends, neighbours of ends, widths, halves, infinities, NaNs, and some without order.
pub(crate) fn words(ty: Ty) -> Vec<u64> {
    let mut out: Vec<u64> = match ty {
        Ty::Pred => vec![0, 1],
        Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 => ints(ty),
        Ty::F32 => reals().iter().map(|&x| u64::from((x as f32).to_bits())).chain(f32_words()).collect(),
        Ty::F64 => reals().iter().map(|&x| x.to_bits()).chain(f64_words()).collect(),
    };
    let mut rng = fastrand::Rng::with_seed(1);
    out.extend((0..12).map(|_| rng.u64(..)));
    let mask = if ty == Ty::Pred { 1 } else { u64::MAX >> (64 - 8 * ty.bytes()) };
    for word in &mut out {
        *word &= mask;
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn ints(ty: Ty) -> Vec<u64> {
    let least = 1u64 << (8 * ty.bytes() - 1);
    let mut out: Vec<u64> = vec![0, 1, 2, 3, 5, 7, 8, 10, 15, 16, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256];
    out.extend([0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa, 0x1_0000_0000, 0x1_0000_0001, 1_000_003]);
    out.extend([least, least + 1, least - 1, least - 2, least / 2, least + 7]);
    let negatives: Vec<u64> = out.iter().take(14).map(|w| w.wrapping_neg()).collect();
    out.extend(negatives);
    out
}

fn reals() -> Vec<f64> {
    let mut out = vec![0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 10.0, 0.1, 1.0 / 3.0, 127.5, 128.0, 255.5];
    out.extend([std::f64::consts::PI, 1e-3, 1e5, 1e10, 1e20, 1e30, 1e-30, 32767.5, 32768.0, 65535.5, 16_777_217.0]);
    out.extend([
        2_147_483_647.0,
        2_147_483_648.0,
        2_147_483_647.5,
        9.223_372_036_854_775_e18,
        9.223_372_036_854_776e18,
    ]);
    out.extend([4_503_599_627_370_497.5, 8_388_609.0, 8_388_607.5, f64::INFINITY]);
    let negatives: Vec<f64> = out.iter().map(|x| -x).collect();
    out.extend(negatives);
    out
}

fn f32_words() -> Vec<u64> {
    let positive = [1u32, 2, 0x007f_ffff, 0x0080_0000, 0x0080_0001, 0x3eff_ffff, 0x3f7f_ffff, 0x3f80_0001, 0x7f7f_ffff];
    let nans = [0x7fc0_0000u32, 0x7fff_ffff, 0x7f80_0001, 0x7fc1_2345, 0x7fa0_0000];
    positive.into_iter().chain(nans).flat_map(|w| [w, w | 0x8000_0000]).map(u64::from).collect()
}

fn f64_words() -> Vec<u64> {
    let positive = [
        1u64,
        2,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x3fdf_ffff_ffff_ffff,
        0x3fef_ffff_ffff_ffff,
        0x3ff0_0000_0000_0001,
        0x7fef_ffff_ffff_ffff,
        0x36a0_0000_0000_0000,
        0x3810_0000_0000_0000,
        0x47ef_ffff_f000_0000,
    ];
    let nans = [0x7ff8_0000_0000_0000u64, 0x7fff_ffff_ffff_ffff, 0x7ff0_0000_0000_0001, 0x7ff8_0000_0001_2345];
    positive.into_iter().chain(nans).flat_map(|w| [w, w | 1 << 63]).collect()
}

/// Whether the word is a NaN of the type.
pub(crate) fn is_nan(ty: Ty, word: u64) -> bool {
    match ty {
        Ty::F32 => f32::from_bits(word as u32).is_nan(),
        Ty::F64 => f64::from_bits(word).is_nan(),
        Ty::Pred | Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 => false,
    }
}

/// All operations on some rows of constants, in the order of [`Op::all`].
pub(crate) fn constants_module() -> Module {
    let mut module = Module::default();
    let kernel = |(i, op): (usize, Op)| op.constant_kernel(&format!("const{i}"), &op.some_rows());
    module.funcs.extend(Op::all().into_iter().enumerate().map(kernel));
    module
}

/// All operations as kernels of one module, in the order of [`Op::all`].
pub(crate) fn operations_module() -> Module {
    let mut module = Module::default();
    module.funcs.extend(Op::all().into_iter().enumerate().map(|(i, op)| op.kernel(&format!("op{i}"))));
    module
}
