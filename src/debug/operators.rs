//! The operators of expressions, on whole values: element by element, by the functions of `ir::eval`.

use crate::value::{Eval, Kind, Value, fail};
use ir::op::{BinOp, CmpOp as IrCmp, UnOp};
use ir::{Ty, eval_bin, eval_cmp, eval_un};
use sema::checked::{BinaryOp, CmpOp, UnaryOp};

/// Element by element, one word each.
pub(crate) fn map(kind: Kind, v: &Value, mut f: impl FnMut(usize) -> u64) -> Value {
    let mut data = Vec::with_capacity(v.count() * kind.bytes() as usize);
    for i in 0..v.count() {
        data.extend_from_slice(&f(i).to_le_bytes()[..kind.bytes().min(8) as usize]);
    }
    Value { kind, dims: v.dims.clone(), data }
}

/// Element by element, the two parts of a complex value each.
pub(crate) fn map_complex(ty: Ty, v: &Value, mut f: impl FnMut(usize) -> (u64, u64)) -> Value {
    let mut data = Vec::new();
    for i in 0..v.count() {
        let (re, im) = f(i);
        data.extend(Value::complex(ty, re, im).data);
    }
    Value { kind: Kind::Complex(ty), dims: v.dims.clone(), data }
}

/// The shape of an operation of two values; a scalar is spread.
pub(crate) fn conform<'v>(a: &'v Value, b: &'v Value) -> Eval<&'v Value> {
    if a.dims.is_empty() {
        return Ok(b);
    }
    let extents = |v: &Value| v.dims.iter().map(|d| d.1).collect::<Vec<_>>();
    if b.dims.is_empty() || extents(a) == extents(b) { Ok(a) } else { fail("the shapes of the operands differ") }
}

/// The same for two operands; a scalar is spread.
pub(crate) fn map2(kind: Kind, a: &Value, b: &Value, f: impl FnMut(usize) -> u64) -> Eval<Value> {
    Ok(map(kind, conform(a, b)?, f))
}

/// A prefix operation.
pub(crate) fn unary(op: UnaryOp, v: &Value) -> Eval<Value> {
    Ok(match (op, v.kind) {
        (UnaryOp::Neg, Kind::Int(ty) | Kind::Real(ty)) => map(v.kind, v, |i| eval_un(UnOp::Neg, ty, v.word_at(i))),
        (UnaryOp::Neg, Kind::Complex(ty)) => map_complex(ty, v, |i| {
            let (re, im) = v.complex_at(i);
            (eval_un(UnOp::Neg, ty, re), eval_un(UnOp::Neg, ty, im))
        }),
        (UnaryOp::Not, Kind::Logical(_)) => map(v.kind, v, |i| u64::from(v.word_at(i) & 1 == 0).wrapping_neg()),
        _ => return fail("this operation does not take such an operand"),
    })
}

/// An arithmetic operation, powers aside.
pub(crate) fn binary(op: BinaryOp, a: &Value, b: &Value) -> Eval<Value> {
    let ir_op = match op {
        BinaryOp::Add => BinOp::Add,
        BinaryOp::Sub => BinOp::Sub,
        BinaryOp::Mul => BinOp::Mul,
        BinaryOp::Div => BinOp::Div,
        BinaryOp::Pow => return fail("a power has a way of its own"),
    };
    match a.kind {
        Kind::Int(ty) | Kind::Real(ty) => map2(a.kind, a, b, |i| eval_bin(ir_op, ty, a.word_at(i), b.word_at(i))),
        Kind::Complex(ty) => {
            let shape = conform(a, b)?;
            Ok(map_complex(ty, shape, |i| complex_op(op, ty, a.complex_at(i), b.complex_at(i))))
        }
        _ => fail("this operation does not take such operands"),
    }
}

fn complex_op(op: BinaryOp, ty: Ty, (a, b): (u64, u64), (c, d): (u64, u64)) -> (u64, u64) {
    let f = |op, x, y| eval_bin(op, ty, x, y);
    let (add, sub, mul, div) = (BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div);
    match op {
        BinaryOp::Add => (f(add, a, c), f(add, b, d)),
        BinaryOp::Sub => (f(sub, a, c), f(sub, b, d)),
        BinaryOp::Mul => (f(sub, f(mul, a, c), f(mul, b, d)), f(add, f(mul, a, d), f(mul, b, c))),
        BinaryOp::Div | BinaryOp::Pow => {
            let norm = f(add, f(mul, c, c), f(mul, d, d));
            let re = f(add, f(mul, a, c), f(mul, b, d));
            let im = f(sub, f(mul, b, c), f(mul, a, d));
            (f(div, re, norm), f(div, im, norm))
        }
    }
}

/// Powers with an integer exponent.
pub(crate) fn power(a: &Value, b: &Value) -> Eval<Value> {
    let (Kind::Int(ty) | Kind::Real(ty), Kind::Int(exponent)) = (a.kind, b.kind) else {
        return fail("this power cannot be evaluated here");
    };
    let n = |i: usize| scalar::bits::signed(exponent, b.word_at(i));
    map2(a.kind, a, b, |i| scalar::bits::powi(ty, a.word_at(i), n(i)))
}

/// A comparison.
pub(crate) fn compare(op: CmpOp, a: &Value, b: &Value) -> Eval<Value> {
    let ir_op = match op {
        CmpOp::Eq => IrCmp::Eq,
        CmpOp::Ne => IrCmp::Ne,
        CmpOp::Lt => IrCmp::Lt,
        CmpOp::Le => IrCmp::Le,
        CmpOp::Gt => IrCmp::Gt,
        CmpOp::Ge => IrCmp::Ge,
    };
    let truth = |b: bool| u64::from(b).wrapping_neg();
    let kind = Kind::Logical(Ty::I32);
    match (a.kind, b.kind) {
        (Kind::Int(ty) | Kind::Real(ty) | Kind::Logical(ty), _) => {
            map2(kind, a, b, |i| truth(eval_cmp(ir_op, ty, a.word_at(i), b.word_at(i))))
        }
        (Kind::Complex(ty), Kind::Complex(_)) => map2(kind, a, b, |i| {
            let ((ar, ai), (br, bi)) = (a.complex_at(i), b.complex_at(i));
            let equal = eval_cmp(IrCmp::Eq, ty, ar, br) && eval_cmp(IrCmp::Eq, ty, ai, bi);
            truth(equal == (op == CmpOp::Eq))
        }),
        (Kind::Char(_), Kind::Char(_)) => map2(kind, a, b, |i| {
            let order = compare_text(a.element(i), b.element(i));
            truth(match op {
                CmpOp::Eq => order.is_eq(),
                CmpOp::Ne => order.is_ne(),
                CmpOp::Lt => order.is_lt(),
                CmpOp::Le => order.is_le(),
                CmpOp::Gt => order.is_gt(),
                CmpOp::Ge => order.is_ge(),
            })
        }),
        _ => fail("these values cannot be compared"),
    }
}

/// Compares two texts as if the shorter had blanks behind it.
fn compare_text(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    let at = |t: &[u8], i: usize| t.get(i).copied().unwrap_or(b' ');
    let len = a.len().max(b.len());
    (0..len).map(|i| at(a, i).cmp(&at(b, i))).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
}

/// `a // b`
pub(crate) fn concat(a: &Value, b: &Value) -> Eval<Value> {
    let shape = conform(a, b)?;
    let mut data = Vec::new();
    for i in 0..shape.count() {
        data.extend_from_slice(a.element(i));
        data.extend_from_slice(b.element(i));
    }
    Ok(Value { kind: Kind::Char(a.kind.bytes() + b.kind.bytes()), dims: shape.dims.clone(), data })
}
