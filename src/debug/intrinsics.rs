//! Intrinsic functions in expressions of the debugger.
//!
//! Those that the executors compute exactly are computed here by the same functions of `scalar` and `ir::eval`: numeric
//! conversion and rounding, bits, comparisons, inquiry, reductions of whole arrays, characters. Every other one is compiled
//! (`calls`).

use crate::eval::as_object;
use crate::operators::{conform, map, map2};
use crate::scene::{Object, Scene};
use crate::value::{Eval, Kind, Value, fail};
use ir::op::{BinOp, CmpOp, CvtOp, UnOp};
use ir::{Ty, eval_bin, eval_cmp, eval_cvt, eval_un};
use scalar::bits;
use sema::checked::{Expr, ExprKind, Storage};
use sema::intrinsic::Intrinsic;

type Args = [Option<Expr>];

/// The value of a reference to an intrinsic function.
pub(crate) fn call(scene: &Scene<'_>, id: Intrinsic, args: &Args, e: &Expr) -> Eval<Value> {
    if let Some(value) = inquiry(scene, id, args, e)? {
        return Ok(value);
    }
    let values = args.iter().map(|a| a.as_ref().map(|a| scene.value(a)).transpose()).collect::<Eval<Vec<_>>>()?;
    let Some(Some(a)) = values.first() else { return scene.call_out(e) };
    let b = values.get(1).and_then(Option::as_ref);
    let result = Kind::of(scene.checked, &e.ty, Some(0))?;
    if let Some(value) = reduction(scene, id, a, &values, result)? {
        return Ok(value);
    }
    if let Some(value) = text(id, a, b, result)? {
        return Ok(value);
    }
    match elemental(scene, id, a, &values, result)? {
        Some(value) => Ok(value),
        None => scene.call_out(e),
    }
}

/// Functions of one or more words, element by element.
fn elemental(scene: &Scene<'_>, id: Intrinsic, a: &Value, args: &[Option<Value>], result: Kind) -> Eval<Option<Value>> {
    let b = args.get(1).and_then(Option::as_ref);
    let c = args.get(2).and_then(Option::as_ref);
    let truth = |x: bool| u64::from(x).wrapping_neg();
    let un = |op, ty| map(result, a, |i| eval_un(op, ty, a.word_at(i)));
    let cvt = |op, from: Ty, to: Kind| match to {
        Kind::Int(to) | Kind::Real(to) => Ok(map(result, a, |i| eval_cvt(op, from, to, a.word_at(i)))),
        _ => fail("this function does not give such a type"),
    };
    // With a second operand of the same type.
    let two = |f: &dyn Fn(u64, u64) -> u64| match b {
        Some(b) => map2(result, a, b, |i| f(a.word_at(i), b.word_at(i))),
        None => fail("an argument is missing"),
    };
    // With a second operand that is a bit position or count.
    let int_at = |v: &Value, i: usize| match v.kind {
        Kind::Int(ty) => bits::signed(ty, v.word_at(i)).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32,
        _ => 0,
    };
    let with_count = |f: &dyn Fn(u64, i32) -> u64| match b {
        Some(b) => map2(result, a, b, |i| f(a.word_at(i), int_at(b, i))),
        None => fail("an argument is missing"),
    };
    Ok(Some(match (id, a.kind) {
        (Intrinsic::Abs, Kind::Int(ty) | Kind::Real(ty)) => un(UnOp::Abs, ty),
        (Intrinsic::Aint, Kind::Real(ty)) if result == a.kind => un(UnOp::Trunc, ty),
        (Intrinsic::Anint, Kind::Real(ty)) if result == a.kind => un(UnOp::Round, ty),
        (Intrinsic::Sqrt, Kind::Real(ty)) => un(UnOp::Sqrt, ty),
        (Intrinsic::Floor, Kind::Real(ty)) => cvt(CvtOp::FloorI, ty, result)?,
        (Intrinsic::Ceiling, Kind::Real(ty)) => cvt(CvtOp::CeilI, ty, result)?,
        (Intrinsic::Nint, Kind::Real(ty)) => cvt(CvtOp::Nint, ty, result)?,
        (Intrinsic::Int | Intrinsic::Real | Intrinsic::Dble | Intrinsic::Logical, _) => scene.convert(a, result)?,
        (Intrinsic::Cmplx, _) => match (result, b) {
            (Kind::Complex(ty), Some(b)) => {
                let (re, im) = (scene.convert(a, Kind::Real(ty))?, scene.convert(b, Kind::Real(ty))?);
                let shape = conform(&re, &im)?;
                let data = (0..shape.count()).flat_map(|i| Value::complex(ty, re.word_at(i), im.word_at(i)).data);
                Value { kind: result, dims: shape.dims.clone(), data: data.collect() }
            }
            _ => scene.convert(a, result)?,
        },
        (Intrinsic::Aimag, Kind::Complex(_)) => map(result, a, |i| a.complex_at(i).1),
        (Intrinsic::Conjg, Kind::Complex(ty)) => {
            let one = |i| {
                let (re, im) = a.complex_at(i);
                Value::complex(ty, re, eval_un(UnOp::Neg, ty, im)).data
            };
            Value { kind: a.kind, dims: a.dims.clone(), data: (0..a.count()).flat_map(one).collect() }
        }
        (Intrinsic::Max | Intrinsic::Min, Kind::Int(ty) | Kind::Real(ty)) => {
            let op = if id == Intrinsic::Max { BinOp::Max } else { BinOp::Min };
            let mut all = a.clone();
            for v in args.iter().skip(1).flatten() {
                all = map2(result, &all, v, |i| eval_bin(op, ty, all.word_at(i), v.word_at(i)))?;
            }
            all
        }
        (Intrinsic::Mod, Kind::Int(ty) | Kind::Real(ty)) => two(&|x, y| bits::rem(ty, x, y))?,
        (Intrinsic::Modulo, Kind::Int(ty) | Kind::Real(ty)) => two(&|x, y| bits::modulo(ty, x, y))?,
        (Intrinsic::Sign, Kind::Int(ty) | Kind::Real(ty)) => two(&|x, y| bits::sign(ty, x, y))?,
        (Intrinsic::Dim, Kind::Int(ty) | Kind::Real(ty)) => two(&|x, y| bits::dim(ty, x, y))?,
        (Intrinsic::Iand, Kind::Int(ty)) => two(&|x, y| bits::and(ty, x, y))?,
        (Intrinsic::Ior, Kind::Int(ty)) => two(&|x, y| bits::or(ty, x, y))?,
        (Intrinsic::Ieor, Kind::Int(ty)) => two(&|x, y| bits::xor(ty, x, y))?,
        (Intrinsic::Not, Kind::Int(ty)) => un(UnOp::Not, ty),
        (Intrinsic::Popcnt, Kind::Int(ty)) => un(UnOp::Popc, ty),
        (Intrinsic::Leadz, Kind::Int(ty)) => un(UnOp::Clz, ty),
        (Intrinsic::Trailz, Kind::Int(ty)) => un(UnOp::Ctz, ty),
        (Intrinsic::Btest, Kind::Int(ty)) => with_count(&|x, n| truth(bits::btest(ty, x, n)))?,
        (Intrinsic::Ibset, Kind::Int(ty)) => with_count(&|x, n| bits::ibset(ty, x, n))?,
        (Intrinsic::Ibclr, Kind::Int(ty)) => with_count(&|x, n| bits::ibclr(ty, x, n))?,
        (Intrinsic::Ishft, Kind::Int(ty)) => with_count(&|x, n| bits::ishft(ty, x, n))?,
        (Intrinsic::Shiftl | Intrinsic::Lshift, Kind::Int(ty)) => with_count(&|x, n| bits::shl(ty, x, n as u32))?,
        (Intrinsic::Shiftr, Kind::Int(ty)) => with_count(&|x, n| bits::shr(ty, x, n as u32))?,
        (Intrinsic::Shifta, Kind::Int(ty)) => with_count(&|x, n| bits::sar(ty, x, n as u32))?,
        (Intrinsic::Ibits, Kind::Int(ty)) => match (b, c) {
            (Some(b), Some(c)) => map2(result, a, b, |i| bits::ibits(ty, a.word_at(i), int_at(b, i), int_at(c, i)))?,
            _ => return fail("an argument is missing"),
        },
        (Intrinsic::Merge, _) => match (b, c) {
            (Some(b), Some(mask)) => {
                let shape = conform(conform(a, b)?, mask)?;
                let pick = |i: usize| if mask.word_at(i) & 1 != 0 { a.element(i) } else { b.element(i) };
                let data = (0..shape.count()).flat_map(|i| pick(i).to_vec()).collect();
                Value { kind: a.kind, dims: shape.dims.clone(), data }
            }
            _ => return fail("an argument is missing"),
        },
        _ => return Ok(None),
    }))
}

/// Reductions of a whole array.
fn reduction(scene: &Scene<'_>, id: Intrinsic, a: &Value, args: &[Option<Value>], result: Kind) -> Eval<Option<Value>> {
    let names = [
        Intrinsic::All,
        Intrinsic::Any,
        Intrinsic::Count,
        Intrinsic::Sum,
        Intrinsic::Product,
        Intrinsic::Maxval,
        Intrinsic::Minval,
        Intrinsic::Maxloc,
        Intrinsic::Minloc,
        Intrinsic::DotProduct,
    ];
    if !names.contains(&id) {
        return Ok(None);
    }
    let mask = args.iter().skip(1).flatten().find(|v| matches!(v.kind, Kind::Logical(_)));
    let rest = args.iter().skip(1).flatten().filter(|v| !matches!(v.kind, Kind::Logical(_))).count();
    if rest > 0 && id != Intrinsic::DotProduct {
        return Ok(None);
    }
    let holds = |i: usize| a.word_at(i) & 1 != 0;
    let chosen = |i: usize| mask.is_none_or(|m| m.word_at(i) & 1 != 0);
    let all = 0..a.count();
    Ok(Some(match (id, a.kind) {
        (Intrinsic::All, _) => Value::logical(all.into_iter().all(holds)),
        (Intrinsic::Any, _) => Value::logical(all.into_iter().any(holds)),
        (Intrinsic::Count, _) => {
            let n = all.filter(|&i| holds(i)).count() as i64;
            scene.convert(&Value::word(Kind::Int(Ty::I64), n as u64), result)?
        }
        (Intrinsic::Sum | Intrinsic::Product, Kind::Int(ty) | Kind::Real(ty)) => {
            let (op, start) = if id == Intrinsic::Sum { (BinOp::Add, 0) } else { (BinOp::Mul, 1) };
            let start = eval_cvt(CvtOp::Cast, Ty::I32, ty, start);
            let total = all.filter(|&i| chosen(i)).fold(start, |sum, i| eval_bin(op, ty, sum, a.word_at(i)));
            Value::word(a.kind, total)
        }
        (Intrinsic::Sum, Kind::Complex(ty)) => {
            let add = |x, y| eval_bin(BinOp::Add, ty, x, y);
            let sum = |(re, im), i| {
                let (x, y) = a.complex_at(i);
                (add(re, x), add(im, y))
            };
            let (re, im) = all.filter(|&i| chosen(i)).fold((0, 0), sum);
            Value::complex(ty, re, im)
        }
        (Intrinsic::Maxval | Intrinsic::Minval, Kind::Int(ty) | Kind::Real(ty)) => {
            let op = if id == Intrinsic::Maxval { BinOp::Max } else { BinOp::Min };
            let best = all.filter(|&i| chosen(i)).map(|i| a.word_at(i)).reduce(|x, y| eval_bin(op, ty, x, y));
            match best {
                Some(word) => Value::word(a.kind, word),
                None => return fail(format!("`{}` of no elements", id.name())),
            }
        }
        (Intrinsic::Maxloc | Intrinsic::Minloc, Kind::Int(ty) | Kind::Real(ty)) => {
            let op = if id == Intrinsic::Maxloc { CmpOp::Gt } else { CmpOp::Lt };
            let better = |best: Option<usize>, i: usize| match best {
                Some(b) if !eval_cmp(op, ty, a.word_at(i), a.word_at(b)) => Some(b),
                _ => Some(i),
            };
            let best = all.filter(|&i| chosen(i)).fold(None, better);
            let mut rest = best.unwrap_or(0) as i64;
            let subscript = |&(_, extent): &(i64, i64)| {
                let s = rest % extent.max(1) + 1;
                rest /= extent.max(1);
                if best.is_some() { s } else { 0 }
            };
            let subscripts: Vec<i64> = a.dims.iter().map(subscript).collect();
            let data = subscripts.iter().flat_map(|s| crate::value::to_bytes(*s as u64, result.bytes())).collect();
            Value { kind: result, dims: vec![(1, a.dims.len() as i64)], data }
        }
        (Intrinsic::DotProduct, Kind::Int(ty) | Kind::Real(ty)) => {
            let Some(Some(b)) = args.get(1) else { return fail("an argument is missing") };
            conform(a, b)?;
            let start = eval_cvt(CvtOp::Cast, Ty::I32, ty, 0);
            let step = |sum, i| {
                let product = eval_bin(BinOp::Mul, ty, a.word_at(i), b.word_at(i));
                eval_bin(BinOp::Add, ty, sum, product)
            };
            Value::word(a.kind, all.fold(start, step))
        }
        _ => return Ok(None),
    }))
}

/// Functions of characters.
fn text(id: Intrinsic, a: &Value, b: Option<&Value>, result: Kind) -> Eval<Option<Value>> {
    if !matches!(a.kind, Kind::Char(_)) {
        return Ok(match id {
            Intrinsic::Char | Intrinsic::Achar if a.dims.is_empty() => Some(Value::text(&[a.word_at(0) as u8])),
            _ => None,
        });
    }
    let trimmed = |i: usize| {
        let t = a.element(i);
        &t[..t.iter().rposition(|&c| c != b' ').map_or(0, |p| p + 1)]
    };
    Ok(Some(match id {
        Intrinsic::Ichar | Intrinsic::Iachar => {
            map(result, a, |i| u64::from(a.element(i).first().copied().unwrap_or(0)))
        }
        Intrinsic::LenTrim => map(result, a, |i| trimmed(i).len() as u64),
        Intrinsic::Trim if a.dims.is_empty() => Value::text(trimmed(0)),
        Intrinsic::Adjustl => {
            let one = |i: usize| {
                let t = a.element(i);
                let skip = t.iter().take_while(|&&c| c == b' ').count();
                let mut out = t[skip..].to_vec();
                out.resize(t.len(), b' ');
                out
            };
            Value { kind: a.kind, dims: a.dims.clone(), data: (0..a.count()).flat_map(one).collect() }
        }
        Intrinsic::Index => match b {
            Some(b) => map2(result, a, b, |i| {
                let (t, s) = (a.element(i), b.element(i));
                let at = if s.is_empty() { Some(0) } else { t.windows(s.len()).position(|w| w == s) };
                at.map_or(0, |p| p as u64 + 1)
            })?,
            None => return fail("an argument is missing"),
        },
        _ => return Ok(None),
    }))
}

/// Questions about an object that do not need its value.
fn inquiry(scene: &Scene<'_>, id: Intrinsic, args: &Args, e: &Expr) -> Eval<Option<Value>> {
    let Some(Some(first)) = args.first() else { return Ok(None) };
    let result = Kind::of(scene.checked, &e.ty, Some(0))?;
    let object = || -> Eval<Object> { scene.designator(first)?.map_or_else(|| Ok(as_object(scene.value(first)?)), Ok) };
    let dim = || -> Eval<Option<usize>> {
        match args.get(1) {
            Some(Some(d)) => Ok(Some(scene.value(d)?.as_int()?.max(0) as usize)),
            _ => Ok(None),
        }
    };
    let list = |values: Vec<i64>, dim: Option<usize>| -> Eval<Value> {
        if let Some(d) = dim {
            return match values.get(d.wrapping_sub(1)) {
                Some(&v) => Ok(Value::word(result, v as u64)),
                None => fail(format!("the array has no dimension {d}")),
            };
        }
        let data = values.iter().flat_map(|v| crate::value::to_bytes(*v as u64, result.bytes())).collect();
        Ok(Value { kind: result, dims: vec![(1, values.len() as i64)], data })
    };
    let unknown = || crate::value::EvalError("the extent of an assumed-size array is not known".into());
    Ok(Some(match id {
        Intrinsic::Size => {
            let o = object()?;
            match dim()? {
                None => Value::word(result, o.count()?),
                d => list(o.dims.iter().map(|d| d.extent.ok_or_else(unknown)).collect::<Eval<_>>()?, d)?,
            }
        }
        Intrinsic::Shape => {
            list(object()?.dims.iter().map(|d| d.extent.ok_or_else(unknown)).collect::<Eval<_>>()?, None)?
        }
        Intrinsic::Lbound => list(object()?.dims.iter().map(|d| d.lower).collect(), dim()?)?,
        Intrinsic::Ubound => {
            let upper = |d: &crate::scene::Dim| d.extent.map(|n| d.lower + n - 1).ok_or_else(unknown);
            list(object()?.dims.iter().map(upper).collect::<Eval<_>>()?, dim()?)?
        }
        Intrinsic::Len => Value::word(result, object()?.kind.bytes()),
        Intrinsic::Allocated | Intrinsic::Present => Value::logical(is_there(scene, first)),
        Intrinsic::Associated if !matches!(args.get(1), Some(Some(_))) => Value::logical(is_there(scene, first)),
        _ => return Ok(None),
    }))
}

fn is_there(scene: &Scene<'_>, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(id) if !matches!(scene.checked.var(*id).storage, Storage::Alias(_)) => scene.is_present(*id),
        _ => scene.designator(e).is_ok(),
    }
}
