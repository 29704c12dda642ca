//! The value of a checked expression in a scene.
//!
//! The front end has settled names, types, kinds and ranks (invariant I3), so that what is left is to walk the tree. Words
//! are computed by `ir::eval`, one element after another; arrays are whole values in array element order. Designators stay
//! objects as long as they can, so that an element of a large array reads that element alone.
//!
//! Not here: calls of the program's own functions and of the device mathematics, which need an executor (`calls`).

use crate::intrinsics;
use crate::operators::{binary, compare, concat, map, map_complex, map2, power, unary};
use crate::scene::{Dim, Object, Scene, Spot, Store};
use crate::value::{Eval, EvalError, Kind, MOST_ELEMENTS, Value, fail};
use ir::op::CvtOp;
use ir::{Ty, eval_cvt};
use sema::checked::{BinaryOp, CmpOp, Const, Expr, ExprKind, Item, LogicOp, Storage, Sub, Type};

/// A subscript of one dimension: one index, or the indices that a range has.
enum Pick {
    One(i64),
    Range { first: i64, step: i64, count: i64 },
}

impl Scene<'_> {
    /// The object that an expression designates; `None` when it is no designator.
    pub(crate) fn designator(&self, e: &Expr) -> Eval<Option<Object>> {
        Ok(Some(match &e.kind {
            ExprKind::Var(id) => match &self.checked.var(*id).storage {
                Storage::Alias(target) => return self.designator(target),
                Storage::Procedure => return fail("a procedure has no value"),
                _ => self.variable(*id)?,
            },
            ExprKind::Field { base, field } => {
                let Some(object) = self.designator(base)? else { return Ok(None) };
                self.field(&object, *field)?
            }
            ExprKind::Element { base, subs } => {
                let Some(object) = self.designator(base)? else { return Ok(None) };
                let subs = subs.iter().map(|s| self.value(s)?.as_int()).collect::<Eval<Vec<i64>>>()?;
                let picks: Vec<Pick> = subs.into_iter().map(Pick::One).collect();
                part(object, &picks)?
            }
            ExprKind::Section { base, subs } if !subs.iter().any(|s| matches!(s, Sub::Vector(_))) => {
                let Some(object) = self.designator(base)? else { return Ok(None) };
                let picks = self.picks(&object, subs)?;
                part(object, &picks)?
            }
            ExprKind::Substring { base, lo, hi } => {
                let Some(object) = self.designator(base)? else { return Ok(None) };
                let Kind::Char(len) = object.kind else { return fail("only a character value has substrings") };
                let (from, len) = self.substring(len, lo.as_deref(), hi.as_deref())?;
                match object.store {
                    Store::Memory(address) => {
                        Object { kind: Kind::Char(len), store: Store::Memory(address + from), dims: object.dims }
                    }
                    _ => return Ok(None),
                }
            }
            ExprKind::ComplexPart { base, imaginary } => {
                let Some(object) = self.designator(base)? else { return Ok(None) };
                let Kind::Complex(ty) = object.kind else { return fail("only a complex object has these parts") };
                let offset = if *imaginary { u64::from(ty.bytes()) } else { 0 };
                let store = match object.store {
                    Store::Memory(address) => Store::Memory(address + offset),
                    Store::Regs(frame, regs) => {
                        let reg = regs.get(usize::from(*imaginary)).copied();
                        Store::Regs(frame, reg.into_iter().collect())
                    }
                    Store::Value(_) => return Ok(None),
                };
                Object { kind: Kind::Real(ty), store, dims: object.dims }
            }
            _ => return Ok(None),
        }))
    }

    fn substring(&self, len: u64, lo: Option<&Expr>, hi: Option<&Expr>) -> Eval<(u64, u64)> {
        let lo = lo.map_or(Ok(1), |e| self.value(e)?.as_int())?;
        let hi = hi.map_or(Ok(len as i64), |e| self.value(e)?.as_int())?;
        if hi < lo {
            return Ok((0, 0));
        }
        if lo < 1 || hi > len as i64 {
            return fail(format!("the substring ({lo}:{hi}) is outside of a character value of length {len}"));
        }
        Ok((lo as u64 - 1, (hi - lo + 1) as u64))
    }

    fn picks(&self, object: &Object, subs: &[Sub]) -> Eval<Vec<Pick>> {
        let int = |e: &Expr| self.value(e)?.as_int();
        subs.iter()
            .zip(&object.dims)
            .map(|(sub, dim)| match sub {
                Sub::Index(e) => int(e).map(Pick::One),
                Sub::Vector(_) => fail("a vector subscript is no range"),
                Sub::Range { lo, hi, step } => {
                    let step = step.as_ref().map_or(Ok(1), int)?;
                    if step == 0 {
                        return fail("the step of a section is zero");
                    }
                    let upper = dim.extent.map(|n| dim.lower.wrapping_add(n).wrapping_sub(1));
                    let (low, high) = (Some(dim.lower), upper);
                    let (start, end) = if step > 0 { (low, high) } else { (high, low) };
                    let unknown = || EvalError("the extent of an assumed-size array is not known".into());
                    let first = lo.as_ref().map_or_else(|| start.ok_or_else(unknown), int)?;
                    let last = hi.as_ref().map_or_else(|| end.ok_or_else(unknown), int)?;
                    let span = i128::from(last) - i128::from(first) + i128::from(step);
                    let count = (span / i128::from(step)).clamp(0, i128::from(i64::MAX)) as i64;
                    Ok(Pick::Range { first, step, count })
                }
            })
            .collect()
    }

    /// The value of an expression.
    pub(crate) fn value(&self, e: &Expr) -> Eval<Value> {
        if let Some(object) = self.designator(e)? {
            return self.load(&object);
        }
        match &e.kind {
            ExprKind::Const(c) => Value::constant(self.checked, &e.ty, c),
            ExprKind::Paren(inner) => self.value(inner),
            ExprKind::Convert(inner) => self.convert(&self.value(inner)?, Kind::of(self.checked, &e.ty, None)?),
            ExprKind::Unary { op, operand } => unary(*op, &self.value(operand)?),
            ExprKind::Binary { op, left, right } => match (op, Kind::of(self.checked, &right.ty, Some(0))?) {
                (BinaryOp::Pow, Kind::Int(_)) if !matches!(left.ty, Type::Complex(_)) => {
                    power(&self.value(left)?, &self.value(right)?)
                }
                (BinaryOp::Pow, _) => self.call_out(e),
                _ => binary(*op, &self.value(left)?, &self.value(right)?),
            },
            ExprKind::Compare { op, left, right } => compare(*op, &self.value(left)?, &self.value(right)?),
            ExprKind::Logic { op, left, right } => self.logic(*op, left, right),
            ExprKind::Concat(left, right) => concat(&self.value(left)?, &self.value(right)?),
            ExprKind::Array(items) => self.constructor(e, items),
            ExprKind::Special { index, add } => self.special(*index, *add),
            ExprKind::Construct { ty, fields } => self.construct(*ty, fields),
            ExprKind::Intrinsic { id, args } => intrinsics::call(self, *id, args, e),
            ExprKind::Section { base, subs } => self.gather(base, subs),
            ExprKind::Element { base, subs } => {
                let subs = subs.iter().map(|s| self.value(s)?.as_int().map(Pick::One)).collect::<Eval<Vec<_>>>()?;
                self.load(&part(as_object(self.value(base)?), &subs)?)
            }
            ExprKind::Field { base, field } => self.load(&self.field(&as_object(self.value(base)?), *field)?),
            ExprKind::Substring { base, lo, hi } => {
                let text = self.value(base)?;
                let Kind::Char(len) = text.kind else { return fail("only a character value has substrings") };
                let (from, len) = self.substring(len, lo.as_deref(), hi.as_deref())?;
                let mut data = Vec::new();
                for i in 0..text.count() {
                    data.extend_from_slice(&text.element(i)[from as usize..(from + len) as usize]);
                }
                Ok(Value { kind: Kind::Char(len), dims: text.dims, data })
            }
            ExprKind::ComplexPart { base, imaginary } => {
                let z = self.value(base)?;
                let Kind::Complex(ty) = z.kind else { return fail("only a complex value has these parts") };
                let pick = |(re, im)| if *imaginary { im } else { re };
                Ok(map(Kind::Real(ty), &z, |i| pick(z.complex_at(i))))
            }
            ExprKind::Call { .. } => self.call_out(e),
            ExprKind::Null => fail("`null()` has no value"),
            ExprKind::Unsupported(what) => fail(format!("{what} is not supported")),
            ExprKind::Var(_) => fail("a procedure has no value"),
        }
    }

    /// A section with vector subscripts, gathered element by element.
    fn gather(&self, base: &Expr, subs: &[Sub]) -> Eval<Value> {
        let object = match self.designator(base)? {
            Some(object) => object,
            None => as_object(self.value(base)?),
        };
        let mut lists: Vec<(bool, Vec<i64>)> = Vec::new();
        for (sub, dim) in subs.iter().zip(&object.dims) {
            lists.push(match sub {
                Sub::Index(e) => (false, vec![self.value(e)?.as_int()?]),
                Sub::Vector(e) => {
                    let v = self.value(e)?;
                    (true, (0..v.count()).map(|i| v.scalar_at(i).as_int()).collect::<Eval<_>>()?)
                }
                Sub::Range { .. } => {
                    let one = Object { dims: vec![*dim], ..object.clone() };
                    match self.picks(&one, std::slice::from_ref(sub))?.first() {
                        Some(Pick::Range { first, step, count }) => {
                            if *count > MOST_ELEMENTS as i64 {
                                return fail("the section is too large for an expression");
                            }
                            (true, (0..*count).map(|i| first + i * step).collect())
                        }
                        _ => return fail("a range is expected"),
                    }
                }
            });
        }
        let total = lists.iter().fold(1u64, |n, (_, l)| n.saturating_mul(l.len() as u64));
        if total > MOST_ELEMENTS {
            return fail("the section is too large for an expression");
        }
        let mut data = Vec::new();
        for i in 0..total {
            let mut rest = i;
            let picks: Vec<Pick> = lists
                .iter()
                .map(|(_, list)| {
                    let pick = Pick::One(list[(rest % list.len() as u64) as usize]);
                    rest /= list.len() as u64;
                    pick
                })
                .collect();
            data.extend(self.load(&part(object.clone(), &picks)?)?.data);
        }
        let dims = lists.iter().filter(|(many, _)| *many).map(|(_, l)| (1, l.len() as i64)).collect();
        Ok(Value { kind: object.kind, dims, data })
    }

    fn logic(&self, op: LogicOp, left: &Expr, right: &Expr) -> Eval<Value> {
        let a = self.value(left)?;
        // A scalar operand that decides spares the other, which may not even have a value.
        if a.dims.is_empty() && right.rank == 0 {
            match (op, a.as_bool()?) {
                (LogicOp::And, false) => return Ok(Value::logical(false)),
                (LogicOp::Or, true) => return Ok(Value::logical(true)),
                _ => {}
            }
        }
        let b = self.value(right)?;
        let f = |x: bool, y: bool| match op {
            LogicOp::And => x && y,
            LogicOp::Or => x || y,
            LogicOp::Eqv => x == y,
            LogicOp::Neqv => x != y,
        };
        map2(a.kind, &a, &b, |i| u64::from(f(a.word_at(i) & 1 != 0, b.word_at(i) & 1 != 0)).wrapping_neg())
    }

    fn constructor(&self, e: &Expr, items: &[Item]) -> Eval<Value> {
        let mut kind = Kind::of(self.checked, &e.ty, Some(0))?;
        let mut data = Vec::new();
        let mut count = 0;
        for item in items {
            let Item::Expr(item) = item else { return fail("an implied DO cannot be evaluated here") };
            let v = self.value(item)?;
            kind = v.kind;
            count += if v.dims.is_empty() { 1 } else { v.count() };
            data.extend(v.data);
        }
        Ok(Value { kind, dims: vec![(1, count as i64)], data })
    }

    fn construct(&self, ty: sema::checked::TypeId, fields: &[Option<Expr>]) -> Eval<Value> {
        let def = self.checked.ty(ty);
        let mut data = vec![0; def.bytes as usize];
        for (field, value) in def.fields.iter().zip(fields) {
            let Some(value) = value else { continue };
            if field.allocatable || field.pointer {
                return fail(format!("the component `{}` cannot be made here", field.name));
            }
            let v = self.value(value)?;
            let at = field.offset as usize;
            if let Some(room) = data.get_mut(at..at + v.data.len()) {
                room.copy_from_slice(&v.data);
            }
        }
        Ok(Value { kind: Kind::Derived(ty, def.bytes), dims: Vec::new(), data })
    }

    /// `threadidx%x` and kin of the lane.
    fn special(&self, index: u8, add: i32) -> Eval<Value> {
        let Spot::Device { block, warp, lane, .. } = self.at else {
            return fail("only a device thread has `threadidx` and its kin; the focus is on the host");
        };
        let g = &block.geometry;
        let tid = thread_index(g.block, warp.number * 32 + lane);
        let all = [tid, g.block, g.cta, g.grid].concat();
        match all.get(usize::from(index)) {
            Some(&n) => Ok(Value::int4(i64::from(n) + i64::from(add))),
            None => fail("no such register"),
        }
    }

    /// The value converted to a kind, as an assignment to a variable of that kind would.
    pub(crate) fn convert(&self, v: &Value, to: Kind) -> Eval<Value> {
        if v.kind == to {
            return Ok(v.clone());
        }
        let cast = |from: Ty, to: Ty, word: u64| eval_cvt(CvtOp::Cast, from, to, word);
        Ok(match (v.kind, to) {
            (Kind::Int(a) | Kind::Real(a), Kind::Int(b) | Kind::Real(b))
            | (Kind::Logical(a) | Kind::Int(a), Kind::Logical(b))
            | (Kind::Logical(a), Kind::Int(b)) => map(to, v, |i| cast(a, b, v.word_at(i))),
            (Kind::Int(a) | Kind::Real(a), Kind::Complex(b)) => map_complex(b, v, |i| (cast(a, b, v.word_at(i)), 0)),
            (Kind::Complex(a), Kind::Int(b) | Kind::Real(b)) => map(to, v, |i| cast(a, b, v.complex_at(i).0)),
            (Kind::Complex(a), Kind::Complex(b)) => map_complex(b, v, |i| {
                let (re, im) = v.complex_at(i);
                (cast(a, b, re), cast(a, b, im))
            }),
            (Kind::Char(_), Kind::Char(len)) => {
                let mut data = Vec::new();
                for i in 0..v.count() {
                    let mut element = v.element(i).to_vec();
                    element.resize(len as usize, b' ');
                    data.extend(element);
                }
                Value { kind: to, dims: v.dims.clone(), data }
            }
            (from, to) => {
                return fail(format!(
                    "a value of type {} cannot be assigned to one of type {}",
                    from.name(self.checked),
                    to.name(self.checked)
                ));
            }
        })
    }
}

/// `threadidx`, counted from 0, of the thread with that number in its block.
pub(crate) fn thread_index(block: [u32; 3], number: u32) -> [u32; 3] {
    let [x, y, _] = block.map(|n| n.max(1));
    [number % x, number / x % y, number / (x * y)]
}

/// A value as an object, so that designators of values work like those of variables.
pub(crate) fn as_object(value: Value) -> Object {
    let mut stride = value.kind.bytes() as i64;
    let dims = value
        .dims
        .iter()
        .map(|&(lower, extent)| {
            let dim = Dim { lower, extent: Some(extent), stride };
            stride = stride.wrapping_mul(extent);
            dim
        })
        .collect();
    Object { kind: value.kind, dims, store: Store::Value(value) }
}

/// The element or section of an array that the subscripts pick.
fn part(object: Object, picks: &[Pick]) -> Eval<Object> {
    if picks.len() != object.dims.len() {
        return fail(format!("the array has rank {}, the reference {}", object.dims.len(), picks.len()));
    }
    let mut offset = 0i64;
    let mut dims = Vec::new();
    for (n, (pick, dim)) in picks.iter().zip(&object.dims).enumerate() {
        let check = |index: i64| match dim.extent {
            Some(extent) if index < dim.lower || index - dim.lower >= extent => fail(format!(
                "subscript {index} of dimension {} is outside of the bounds {}:{}",
                n + 1,
                dim.lower,
                dim.lower + extent - 1
            )),
            _ => Ok(()),
        };
        match *pick {
            Pick::One(index) => {
                check(index)?;
                offset = offset.wrapping_add(index.wrapping_sub(dim.lower).wrapping_mul(dim.stride));
            }
            Pick::Range { first, step, count } => {
                if count > 0 {
                    check(first)?;
                    check(first.wrapping_add(step.wrapping_mul(count - 1)))?;
                    offset = offset.wrapping_add(first.wrapping_sub(dim.lower).wrapping_mul(dim.stride));
                }
                dims.push(Dim { lower: 1, extent: Some(count), stride: dim.stride.wrapping_mul(step) });
            }
        }
    }
    match object.store {
        Store::Memory(address) => {
            let store = Store::Memory(address.wrapping_add_signed(offset));
            Ok(Object { kind: object.kind, store, dims })
        }
        Store::Regs(..) => fail("a scalar has no elements"),
        Store::Value(value) => {
            let bytes = object.kind.bytes() as i64;
            let view = Object { kind: object.kind, store: Store::Memory(0), dims: dims.clone() };
            let count = view.count()?;
            let mut data = Vec::new();
            for i in 0..count {
                let at = (offset + view.offset_of(i)) as usize;
                data.extend_from_slice(value.data.get(at..at + bytes as usize).unwrap_or(&[]));
            }
            let bounds = dims.iter().map(|d| (d.lower, d.extent.unwrap_or(0))).collect();
            let value = Value { kind: object.kind, dims: bounds, data };
            Ok(Object { kind: object.kind, dims, store: Store::Value(value) })
        }
    }
}

/// The value that a conjunct `special == constant` of a condition asks of a special register, counted as the register
/// counts: what lets a breakpoint pass over whole blocks without a look at their lanes.
pub(crate) fn required_special(e: &Expr, out: &mut Vec<(u8, u32)>) {
    match &e.kind {
        ExprKind::Paren(inner) => required_special(inner, out),
        ExprKind::Logic { op: LogicOp::And, left, right } => {
            required_special(left, out);
            required_special(right, out);
        }
        ExprKind::Compare { op: CmpOp::Eq, left, right } => {
            let pair = match (&left.kind, &right.kind) {
                (ExprKind::Special { index, add }, ExprKind::Const(Const::Int(n)))
                | (ExprKind::Const(Const::Int(n)), ExprKind::Special { index, add }) => {
                    Some((*index, n - i64::from(*add)))
                }
                _ => None,
            };
            if let Some((index, n)) = pair {
                // A value that no register has makes the condition false everywhere.
                out.push((index, u32::try_from(n).unwrap_or(u32::MAX)));
            }
        }
        _ => {}
    }
}
