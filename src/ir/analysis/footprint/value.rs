//! What the walk knows of a register, and what operations make of it.
//!
//! An integer is an affine form whose value is that of the register read as a signed number of its type: an operation whose
//! exact result might leave the type gives a value of which only the type is known. A predicate is a condition over forms.
//! Of reals nothing is known.

use super::form::{Form, Vars};
use crate::analysis::affine::Operation;
use crate::op::{BinOp, CmpOp, CvtOp, UnOp};
use crate::{Ty, eval};
use std::rc::Rc;

/// What is known of a register.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    /// An integer.
    Int(Form),
    /// A predicate.
    Cond(Rc<Cond>),
    /// Something of which nothing is known.
    Other,
}

/// A condition.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Cond {
    Const(bool),
    /// The form is not negative.
    NotNegative(Form),
    /// The form is zero.
    Zero(Form),
    Not(Rc<Cond>),
    And(Rc<Cond>, Rc<Cond>),
    Or(Rc<Cond>, Rc<Cond>),
    Unknown,
}

/// The least and the greatest value of an integer type.
pub(super) fn range(ty: Ty) -> (i128, i128) {
    let bits = ty.bytes() * 8;
    (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
}

/// The forms and guards that operations work with.
pub(super) struct Arithmetic<'a> {
    pub(super) vars: &'a mut Vars,
    pub(super) guards: &'a [Form],
}

impl Arithmetic<'_> {
    /// A value of which only the type is known.
    pub(super) fn opaque(&mut self, ty: Ty) -> Value {
        match ty {
            Ty::Pred => Value::Cond(Rc::new(Cond::Unknown)),
            Ty::F32 | Ty::F64 => Value::Other,
            _ => {
                let (low, high) = range(ty);
                self.between(low, high)
            }
        }
    }

    /// An integer of which only bounds are known.
    pub(super) fn between(&mut self, low: i128, high: i128) -> Value {
        Value::Int(if low == high { Form::constant(low) } else { Form::symbol(self.vars.fresh(low, high)) })
    }

    /// The exact result of an operation, if it surely fits the type.
    fn exact(&mut self, ty: Ty, form: Option<Form>) -> Value {
        let (low, high) = range(ty);
        match form {
            Some(form) if self.vars.is_within(&form, self.guards, low, high) => Value::Int(form),
            _ => self.opaque(ty),
        }
    }

    fn constant(ty: Ty, bits: u64) -> Value {
        Value::Int(Form::constant(i128::from(scalar::bits::signed(ty, bits))))
    }

    fn bits(ty: Ty, form: &Form) -> Option<u64> {
        form.as_constant().map(|c| scalar::bits::canonical(ty, c as u64))
    }

    fn low(&self, form: &Form) -> i128 {
        self.vars.least(form, self.guards, Some(0))
    }

    pub(super) fn un(&mut self, op: UnOp, ty: Ty, a: &Value) -> Value {
        match (op, a) {
            (UnOp::Mov, _) => a.clone(),
            (UnOp::Not, Value::Cond(c)) => Value::Cond(Rc::new(Cond::Not(c.clone()))),
            (_, Value::Int(form)) if ty.is_int() => {
                if let Some(bits) = Self::bits(ty, form) {
                    return Self::constant(ty, eval::eval_un(op, ty, bits));
                }
                if let Some(operation) = Operation::unary(op) {
                    return self.exact(ty, operation.apply(ty, [Some(form), None, None]));
                }
                match op {
                    UnOp::Abs if self.low(form) >= 0 => a.clone(),
                    UnOp::Popc | UnOp::Clz | UnOp::Ctz => self.between(0, i128::from(ty.bytes() * 8)),
                    _ => self.opaque(ty),
                }
            }
            _ => self.opaque(ty),
        }
    }

    pub(super) fn bin(&mut self, op: BinOp, ty: Ty, a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Value::Cond(a), Value::Cond(b)) => Value::Cond(Rc::new(match op {
                BinOp::And => Cond::And(a.clone(), b.clone()),
                BinOp::Or => Cond::Or(a.clone(), b.clone()),
                _ => Cond::Unknown,
            })),
            (Value::Int(a), Value::Int(b)) if ty.is_int() => self.ints(op, ty, a, b),
            _ => self.opaque(ty),
        }
    }

    fn ints(&mut self, op: BinOp, ty: Ty, a: &Form, b: &Form) -> Value {
        let (ac, bc) = (a.as_constant(), b.as_constant());
        if let (Some(x), Some(y)) = (Self::bits(ty, a), Self::bits(ty, b)) {
            return Self::constant(ty, eval::eval_bin(op, ty, x, y));
        }
        if let Some(form) = Operation::binary(op).and_then(|o| o.apply(ty, [Some(a), Some(b), None])) {
            return self.exact(ty, Some(form));
        }
        match (op, ac, bc) {
            (BinOp::Mul, None, None) => {
                let form = self.product(a, b);
                self.exact(ty, form)
            }
            (BinOp::Div, _, Some(den)) if den > 0 => self.quotient(a, den),
            (BinOp::Rem, _, Some(den)) if den > 0 => self.remainder(ty, a, den),
            (BinOp::ShrU | BinOp::ShrS, _, Some(n @ 0..=62)) if (n as u32) < ty.bytes() * 8 && self.low(a) >= 0 => {
                self.quotient(a, 1 << n)
            }
            // The bits of a real number, for one, may be those of any number.
            (BinOp::ShrU, _, Some(n @ 1..=62)) if (n as u32) < ty.bytes() * 8 => {
                self.between(0, (1 << (i128::from(ty.bytes()) * 8 - n)) - 1)
            }
            (BinOp::And, Some(mask), _) if mask >= 0 => self.masked(ty, b, mask),
            (BinOp::And, _, Some(mask)) if mask >= 0 => self.masked(ty, a, mask),
            (BinOp::Xor, Some(bit), _) if bit > 0 && bit & (bit - 1) == 0 => self.flipped(ty, b, bit),
            (BinOp::Xor, _, Some(bit)) if bit > 0 && bit & (bit - 1) == 0 => self.flipped(ty, a, bit),
            (BinOp::Min | BinOp::Max, ..) => self.extreme(op == BinOp::Max, a, b),
            _ => self.opaque(ty),
        }
    }

    /// A value within the bounds of a product of two values that are not constant.
    fn product(&mut self, a: &Form, b: &Form) -> Option<Form> {
        let ((al, ah), (bl, bh)) = (self.vars.interval(a), self.vars.interval(b));
        let corners = [al.checked_mul(bl)?, al.checked_mul(bh)?, ah.checked_mul(bl)?, ah.checked_mul(bh)?];
        let (low, high) = corners.iter().fold((corners[0], corners[0]), |(l, h), &c| (l.min(c), h.max(c)));
        Some(Form::symbol(self.vars.fresh(low, high)))
    }

    /// `a*b + c`
    pub(super) fn mad(&mut self, ty: Ty, a: &Value, b: &Value, c: &Value) -> Value {
        let (Value::Int(a), Value::Int(b), Value::Int(c)) = (a, b, c) else { return self.opaque(ty) };
        let mut form = Operation::Mad.apply(ty, [Some(a), Some(b), Some(c)]);
        if form.is_none() && a.as_constant().is_none() && b.as_constant().is_none() {
            form = self.product(a, b).and_then(|p| p.plus(c, 1));
        }
        self.exact(ty, form)
    }

    fn quotient(&mut self, num: &Form, den: i128) -> Value {
        if den == 1 {
            return Value::Int(num.clone());
        }
        // What the divisor divides comes out whole if the rest is a proper remainder.
        let whole = Form {
            constant: num.constant.div_euclid(den),
            terms: num.terms.iter().filter(|t| t.1 % den == 0).map(|t| (t.0, t.1 / den)).collect(),
        };
        let rest = num.plus(&whole, -den);
        if rest.is_some_and(|rest| self.vars.is_within(&rest, self.guards, 0, den - 1)) && self.low(num) >= 0 {
            return Value::Int(whole);
        }
        Value::Int(Form::symbol(self.vars.quotient(num, den)))
    }

    fn remainder(&mut self, ty: Ty, num: &Form, den: i128) -> Value {
        if let Value::Int(q) = self.quotient(num, den)
            && let Some(rest) = num.plus(&q, -den)
        {
            return Value::Int(rest);
        }
        self.opaque(ty)
    }

    fn masked(&mut self, ty: Ty, a: &Form, mask: i128) -> Value {
        if (mask + 1) & mask == 0 && self.low(a) >= 0 {
            return self.remainder(ty, a, mask + 1);
        }
        self.between(0, mask)
    }

    /// A value with one bit flipped.
    fn flipped(&mut self, ty: Ty, a: &Form, bit: i128) -> Value {
        let digits = self.vars.regrouped(a);
        let form = digits.as_ref().unwrap_or(a);
        // What is below twice the bit, if all else is a multiple of that.
        let low = Form {
            constant: form.constant.rem_euclid(2 * bit),
            terms: form.terms.iter().filter(|t| t.1 % (2 * bit) != 0).copied().collect(),
        };
        let flipped = match self.vars.interval(&low) {
            (0.., high) if high < bit => a.offset(bit),
            (from, high) if from >= bit && high < 2 * bit => a.offset(-bit),
            _ => return self.opaque(ty),
        };
        self.exact(ty, flipped)
    }

    fn extreme(&mut self, greater: bool, a: &Form, b: &Form) -> Value {
        let sign = if greater { 1 } else { -1 };
        if let Some(above) = a.plus(b, -1).and_then(|f| f.times(sign)) {
            if self.low(&above) >= 0 {
                return Value::Int(a.clone());
            }
            if self.vars.most(&above, self.guards, Some(0)) <= 0 {
                return Value::Int(b.clone());
            }
        }
        let var = match (a.as_constant(), b.as_constant()) {
            (_, Some(least)) if greater && least <= 0 => self.vars.positive_part(a, least),
            (Some(least), _) if greater && least <= 0 => self.vars.positive_part(b, least),
            _ => self.vars.extreme(a, b, greater),
        };
        Value::Int(Form::symbol(var))
    }

    pub(super) fn cmp(&mut self, op: CmpOp, ty: Ty, a: &Value, b: &Value) -> Value {
        let (Value::Int(a), Value::Int(b)) = (a, b) else { return self.opaque(Ty::Pred) };
        if !ty.is_int() {
            return self.opaque(Ty::Pred);
        }
        let not = |c: Cond| Cond::Not(Rc::new(c));
        // Whether `x - y - least` is not negative.
        let above = |vars: &Vars, x: &Form, y: &Form, least: i128| {
            let Some(form) = x.plus(y, -1).and_then(|f| f.offset(-least)) else { return Cond::Unknown };
            match vars.interval(&form) {
                (0.., _) => Cond::Const(true),
                (_, i128::MIN..0) => Cond::Const(false),
                _ => Cond::NotNegative(form),
            }
        };
        let below = |s: &Self, x: &Form, y: &Form| {
            if s.low(y) < 0 {
                return Cond::Unknown;
            }
            let zero = Form::constant(0);
            Cond::And(Rc::new(above(s.vars, x, &zero, 0)), Rc::new(above(s.vars, y, x, 1)))
        };
        let cond = match op {
            CmpOp::Lt => above(self.vars, b, a, 1),
            CmpOp::Le => above(self.vars, b, a, 0),
            CmpOp::Gt => above(self.vars, a, b, 1),
            CmpOp::Ge => above(self.vars, a, b, 0),
            CmpOp::Eq | CmpOp::Ne => {
                let equal = match a.plus(b, -1) {
                    Some(form) => match self.vars.interval(&form) {
                        (0, 0) => Cond::Const(true),
                        (1.., _) | (_, i128::MIN..0) => Cond::Const(false),
                        _ => Cond::Zero(form),
                    },
                    None => Cond::Unknown,
                };
                if op == CmpOp::Eq { equal } else { not(equal) }
            }
            CmpOp::LtU => below(self, a, b),
            CmpOp::GeU => not(below(self, a, b)),
        };
        Value::Cond(Rc::new(cond))
    }

    pub(super) fn cvt(&mut self, op: CvtOp, from: Ty, to: Ty, a: &Value) -> Value {
        let (Value::Int(form), true, true) = (a, from.is_int(), to.is_int()) else { return self.opaque(to) };
        match op {
            CvtOp::Cast => self.exact(to, Some(form.clone())),
            CvtOp::CastU if self.low(form) >= 0 => self.exact(to, Some(form.clone())),
            CvtOp::Bits if from == to => a.clone(),
            _ => self.opaque(to),
        }
    }

    /// One of two values.
    pub(super) fn select(&mut self, ty: Ty, cond: &Value, a: &Value, b: &Value) -> Value {
        if let Value::Cond(c) = cond
            && let Some(yes) = c.known()
        {
            return if yes { a.clone() } else { b.clone() };
        }
        self.merge(ty, &[(a, self.guards), (b, self.guards)])
    }

    /// A value that is one of several, each with the guards under which it is taken.
    pub(super) fn merge(&mut self, ty: Ty, values: &[(&Value, &[Form])]) -> Value {
        let Some((&(first, _), rest)) = values.split_first() else { return self.opaque(ty) };
        if rest.iter().all(|(v, _)| *v == first) {
            return first.clone();
        }
        let mut bounds: Option<(i128, i128)> = None;
        for (value, guards) in values {
            let Value::Int(form) = value else { return self.opaque(ty) };
            let (low, high) = (self.vars.least(form, guards, None), self.vars.most(form, guards, None));
            bounds = Some(bounds.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
        }
        match bounds {
            Some((low, high)) if ty.is_int() && low <= high => {
                let (least, most) = range(ty);
                self.between(low.clamp(least, most), high.clamp(least, most))
            }
            _ => self.opaque(ty),
        }
    }
}

impl Cond {
    /// Whether the condition holds, if that is known.
    pub(super) fn known(&self) -> Option<bool> {
        match self {
            Cond::Const(c) => Some(*c),
            Cond::Not(c) => c.known().map(|c| !c),
            Cond::And(a, b) => match (a.known(), b.known()) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Cond::Or(a, b) => match (a.known(), b.known()) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Cond::NotNegative(_) | Cond::Zero(_) | Cond::Unknown => None,
        }
    }

    /// Adds to `guards` what follows from the condition being as `holds` says.
    pub(super) fn assume(&self, holds: bool, vars: &Vars, guards: &mut Vec<Form>) {
        self.each_form(holds, vars, &mut |form| vars.assume(guards, form));
    }

    /// Calls `f` with forms that are not negative where the condition is as `holds` says. Whether it is so only there.
    pub(super) fn each_form(&self, holds: bool, vars: &Vars, f: &mut impl FnMut(Form)) -> bool {
        let mut add = |form: Option<Form>| {
            let is_there = form.is_some();
            form.into_iter().for_each(&mut *f);
            is_there
        };
        let below = |form: &Form| form.times(-1).and_then(|f| f.offset(-1));
        match (self, holds) {
            (Cond::Const(is), _) => *is == holds,
            (Cond::NotNegative(form), true) => add(Some(form.clone())),
            (Cond::NotNegative(form), false) => add(below(form)),
            (Cond::Zero(form), true) => {
                let is_not_negative = add(Some(form.clone()));
                add(form.times(-1)) && is_not_negative
            }
            (Cond::Zero(form), false) => match vars.interval(form) {
                (0.., _) => add(form.offset(-1)),
                (_, i128::MIN..=0) => add(below(form)),
                _ => false,
            },
            (Cond::Not(c), _) => c.each_form(!holds, vars, f),
            (Cond::And(a, b), true) | (Cond::Or(a, b), false) => {
                let is_exact = a.each_form(holds, vars, f);
                b.each_form(holds, vars, f) && is_exact
            }
            (Cond::Unknown | Cond::And(..) | Cond::Or(..), _) => false,
        }
    }
}
