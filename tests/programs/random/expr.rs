//! Random expressions of a given type and shape. Their values stay so small that no operation rounds or overflows.

use super::names::{Dim, Ty, Var};
use super::program::Gen;

/// Greatest value that is stored.
pub(super) const STORED: i64 = 97;
/// Greatest value in an expression, in units of its quantum.
const LARGEST: i64 = 1 << 21;

/// A number or another value.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) text: String,
    /// Numbers: no absolute value is greater.
    pub(super) bound: i64,
    /// Reals: every value is a multiple of two to the power of minus this.
    pub(super) quantum: u32,
    /// Characters: the length, if it is known.
    pub(super) length: Option<usize>,
}

impl Expr {
    pub(super) fn integer(text: String, bound: i64) -> Expr {
        Expr { text, bound, quantum: 0, length: None }
    }

    pub(super) fn real(text: String, bound: i64, quantum: u32) -> Expr {
        Expr { text, bound, quantum, length: None }
    }

    pub(super) fn other(text: String) -> Expr {
        Expr { text, bound: 0, quantum: 0, length: None }
    }

    pub(super) fn characters(text: String, length: Option<usize>) -> Expr {
        Expr { text, bound: 0, quantum: 0, length }
    }

    fn fits(&self) -> bool {
        self.bound << self.quantum <= LARGEST
    }
}

/// What a part of a variable is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Read,
    Assign,
    /// An argument that the procedure changes, the target of a pointer, or a selector.
    Pass,
}

/// A constant as an expression that is none.
fn variable(ty: Ty, constant: &str) -> String {
    match ty {
        Ty::Logical => format!("({constant}.and.zero==0)"),
        Ty::Character(_) => format!("repeat({constant},1+zero)"),
        _ => format!("({constant}+zero)"),
    }
}

/// All ways to take dimensions of a variable for those of a shape; the others get scalar subscripts.
fn choices(dims: &[Dim], shape: &[i64]) -> Vec<Vec<bool>> {
    let Some((first, rest)) = dims.split_first() else { return if shape.is_empty() { vec![vec![]] } else { vec![] } };
    let mut found = Vec::new();
    if first.extent > 0 {
        found.extend(choices(rest, shape).into_iter().map(|c| [vec![false], c].concat()));
    }
    if shape.first().is_some_and(|&need| need <= first.extent) {
        found.extend(choices(rest, &shape[1..]).into_iter().map(|c| [vec![true], c].concat()));
    }
    found
}

impl Gen {
    /// An expression of this type and shape, of this depth at most.
    pub(super) fn expr(&mut self, ty: Ty, shape: &[i64], depth: u32) -> Expr {
        let found = match ty {
            Ty::Integer(_) => self.integer(shape, depth),
            Ty::Real(kind) => self.real(kind, shape, depth),
            Ty::Complex(kind) => self.complex(kind, shape, depth),
            Ty::Logical => self.logical(shape, depth),
            Ty::Character(_) => self.characters(shape, depth),
        };
        if found.fits() {
            return found;
        }
        match ty {
            Ty::Integer(_) => Expr::integer(format!("mod({},{STORED})", found.text), STORED),
            Ty::Real(kind) => Expr::real(format!("real(mod(nint({}),{STORED}),{kind})", found.text), STORED, 0),
            _ => found,
        }
    }

    /// A scalar, or sometimes an array of the shape, as elemental operations take both.
    fn operand(&mut self, ty: Ty, shape: &[i64], depth: u32) -> Expr {
        if !shape.is_empty() && self.one_in(4) { self.expr(ty, &[], depth) } else { self.expr(ty, shape, depth) }
    }

    /// Numbers that can be stored.
    pub(super) fn stored(&mut self, ty: Ty, shape: &[i64], depth: u32) -> Expr {
        let found = self.expr(ty, shape, depth);
        match ty {
            Ty::Integer(_) if found.bound > STORED => {
                let modulus = if self.chance() { "mod" } else { "modulo" };
                Expr::integer(format!("{modulus}({},{STORED})", found.text), STORED)
            }
            Ty::Real(kind) if found.bound > STORED || found.quantum > 2 => {
                Expr::real(format!("0.25_{kind}*real(mod(nint({}),{STORED}),{kind})", found.text), STORED, 2)
            }
            _ => found,
        }
    }

    /// A variable or a part of it, of this shape.
    pub(super) fn designator(
        &mut self,
        fits: impl Fn(&Var) -> bool,
        shape: &[i64],
        purpose: Purpose,
    ) -> Option<(Var, String)> {
        let all = self.vars.iter().filter(|var| {
            fits(var)
                && !self.excluded.contains(&var.group)
                && (!self.is_constant || var.is_constant)
                && !choices(&var.dims, shape).is_empty()
        });
        let all: Vec<Var> = all.cloned().collect();
        let var = self.pick_of(&all)?.clone();
        let text = self.part(&var, shape, purpose);
        Some((var, text))
    }

    /// A part of a variable, of this shape.
    pub(super) fn part(&mut self, var: &Var, shape: &[i64], purpose: Purpose) -> String {
        if var.extents() == shape && !var.is_assumed_size && self.chance() {
            return var.whole();
        }
        let ways = choices(&var.dims, shape);
        let way = self.pick_of(&ways).expect("a way to take the part").clone();
        let mut needs = shape.iter();
        let mut subscripts = Vec::new();
        for (number, (dim, kept)) in var.dims.iter().zip(way).enumerate() {
            subscripts.push(if kept {
                let need = *needs.next().expect("a dimension of the shape");
                let has_upper = !var.is_assumed_size || number + 1 < var.dims.len();
                self.range(*dim, need, has_upper, purpose)
            } else {
                self.subscript(*dim)
            });
        }
        var.at(&subscripts)
    }

    /// A scalar subscript inside a dimension.
    pub(super) fn subscript(&mut self, dim: Dim) -> String {
        if self.one_in(4) && !self.is_constant && !self.is_subscript {
            self.is_subscript = true;
            let inner = self.integer(&[], 1);
            self.is_subscript = false;
            return format!("{}+modulo({},{})", dim.lower, inner.text, dim.extent);
        }
        (dim.lower + self.below(dim.extent)).to_string()
    }

    /// A subscript triplet or vector of this many elements.
    fn range(&mut self, dim: Dim, need: i64, has_upper: bool, purpose: Purpose) -> String {
        if need == dim.extent && has_upper && self.one_in(3) {
            return ":".to_owned();
        }
        if need == 0 {
            return format!("{}:{}", dim.lower + 2, dim.lower + 1);
        }
        if self.one_in(7) && !self.is_constant && purpose != Purpose::Pass {
            let mut places: Vec<i64> = (dim.lower..=dim.upper()).collect();
            self.shuffle(&mut places);
            if purpose == Purpose::Read && self.chance() {
                let some = places[0];
                places.iter_mut().step_by(2).for_each(|p| *p = some);
            }
            let list: Vec<String> = places.iter().take(need as usize).map(i64::to_string).collect();
            return format!("[{}]", list.join(","));
        }
        let steps = if need == 1 { 3 } else { (dim.extent - 1) / (need - 1) };
        let step = 1 + self.below(steps);
        let length = if need == 1 { 1 } else { (need - 1) * step + 1 };
        let start = dim.lower + self.below(dim.extent - length + 1);
        let (first, last) = (start, start + length - 1);
        match (step, self.one_in(3)) {
            (_, true) => format!("{last}:{first}:-{step}"),
            (1, _) if first == dim.lower && self.chance() => format!(":{last}"),
            (1, _) if last == dim.upper() && has_upper && self.chance() => format!("{first}:"),
            (1, _) => format!("{first}:{last}"),
            _ => format!("{first}:{last}:{step}"),
        }
    }

    /// An array constructor, or a scalar, of these values.
    pub(super) fn constructed(&mut self, ty: Ty, shape: &[i64], depth: u32) -> Expr {
        let count: i64 = shape.iter().product();
        let mut bound = 0;
        let mut quantum = 0;
        let mut values = Vec::new();
        for _ in 0..count {
            let is_exact = !matches!(ty, Ty::Character(_));
            let value = if is_exact && depth > 1 && self.one_in(3) {
                self.stored(ty, &[], depth - 2)
            } else {
                self.literal(ty)
            };
            bound = bound.max(value.bound);
            quantum = quantum.max(value.quantum);
            values.push(value.text);
        }
        let declared = match ty {
            Ty::Integer(_) => "integer".to_owned(),
            other => other.declared(),
        };
        // gfortran 12 fails on some operations of constant constructors, so an element is a variable.
        if !self.is_constant
            && let Some(first) = values.first_mut()
        {
            *first = variable(ty, first);
        }
        let name = self.implied_name();
        let list = if matches!(ty, Ty::Integer(_)) && self.one_in(3) {
            bound = 3 * count + 20;
            let last = if self.is_constant { count.to_string() } else { format!("{count}+zero") };
            format!("[(3*{name}-20,{name}=1,{last})]")
        } else if count == 0 && !self.is_constant {
            format!("[{declared} :: ({},{name}=1,zero)]", variable(ty, &self.literal(ty).text))
        } else {
            format!("[{declared} :: {}]", values.join(","))
        };
        let text = match shape {
            [_] => list,
            _ => {
                let extents: Vec<String> = shape.iter().map(i64::to_string).collect();
                format!("reshape({list},[{}])", extents.join(","))
            }
        };
        Expr { text, bound, quantum, length: if let Ty::Character(n) = ty { Some(n) } else { None } }
    }

    /// A literal constant.
    pub(super) fn literal(&mut self, ty: Ty) -> Expr {
        match ty {
            Ty::Integer(_) => {
                let value = self.below(2 * STORED) - STORED;
                Expr::integer(if value < 0 { format!("({value})") } else { value.to_string() }, STORED)
            }
            Ty::Real(kind) => {
                let value = self.below(160) - 80;
                let text = format!("{:.2}_{kind}", value as f64 / 4.0);
                Expr::real(if value < 0 { format!("({text})") } else { text }, 20, 2)
            }
            Ty::Complex(kind) => {
                let (re, im) = (self.below(20) - 10, self.below(20) - 10);
                Expr::real(format!("({re}.5_{kind},{im}.0_{kind})"), 11, 1)
            }
            Ty::Logical => Expr::other(if self.chance() { ".true." } else { ".false." }.to_owned()),
            Ty::Character(len) => {
                let text: String = (0..len).map(|_| *self.pick(&['a', 'b', 'c', ' ', 'd'])).collect();
                Expr::characters(format!("'{text}'"), Some(len))
            }
        }
    }

    /// A variable, a literal, a constructor or a function reference of this shape; `fits` chooses the variables.
    fn leaf(&mut self, ty: Ty, shape: &[i64], depth: u32, fits: impl Fn(&Var) -> bool) -> (Option<Var>, Expr) {
        if !self.one_in(5)
            && let Some((var, text)) = self.designator(&fits, shape, Purpose::Read)
        {
            return (Some(var), Expr::other(text));
        }
        let made = if shape.is_empty() { self.literal(ty) } else { self.constructed(ty, shape, depth) };
        (None, made)
    }

    fn integer(&mut self, shape: &[i64], depth: u32) -> Expr {
        let ty = Ty::Integer(4);
        if depth == 0 || self.one_in(6) {
            if !self.is_constant
                && self.one_in(3)
                && let Some(text) = self.function(ty, shape, depth)
            {
                return Expr::integer(text, STORED);
            }
            let (var, found) = self.leaf(ty, shape, depth, |var| matches!(var.ty, Ty::Integer(_)));
            return match var.map(|v| v.ty) {
                Some(Ty::Integer(4)) => Expr::integer(found.text, STORED),
                Some(_) => Expr::integer(format!("int({})", found.text), STORED),
                None => found,
            };
        }
        if self.one_in(3) {
            return self.integer_intrinsic(shape, depth);
        }
        let a = self.operand(ty, shape, depth - 1);
        let b = self.expr(ty, shape, depth - 1);
        let (operator, bound) = match self.below(4) {
            0 => ("+", a.bound + b.bound),
            1 => ("-", a.bound + b.bound),
            2 => ("*", a.bound * b.bound),
            _ => return Expr::integer(format!("(-{})", b.text), b.bound),
        };
        Expr::integer(format!("({}{operator}{})", a.text, b.text), bound)
    }

    fn real(&mut self, kind: u8, shape: &[i64], depth: u32) -> Expr {
        let ty = Ty::Real(kind);
        if depth == 0 || self.one_in(6) {
            if !self.is_constant
                && self.one_in(3)
                && let Some(text) = self.function(ty, shape, depth)
            {
                return Expr::real(text, STORED, 2);
            }
            let (var, found) = self.leaf(ty, shape, depth, |var| var.ty == ty);
            return if var.is_some() { Expr::real(found.text, STORED, 2) } else { found };
        }
        match self.below(6) {
            0 | 1 => return self.real_intrinsic(kind, shape, depth),
            2 => {
                let inner = self.expr(Ty::Integer(4), shape, depth - 1);
                return Expr::real(format!("real({},{kind})", inner.text), inner.bound, 0);
            }
            _ => {}
        }
        let a = self.operand(ty, shape, depth - 1);
        let b = self.expr(ty, shape, depth - 1);
        let quantum = a.quantum.max(b.quantum);
        match self.below(4) {
            0 => Expr::real(format!("({}+{})", a.text, b.text), a.bound + b.bound, quantum),
            1 => Expr::real(format!("({}-{})", a.text, b.text), a.bound + b.bound, quantum),
            2 => Expr::real(format!("({}*{})", a.text, b.text), a.bound * b.bound, a.quantum + b.quantum),
            _ => Expr::real(format!("({}/{})", b.text, self.pick(&["2", "4.0", "(-2)"])), b.bound, b.quantum + 2),
        }
    }

    fn complex(&mut self, kind: u8, shape: &[i64], depth: u32) -> Expr {
        let ty = Ty::Complex(kind);
        if depth == 0 || self.one_in(4) {
            let (var, found) = self.leaf(ty, shape, depth, |var| var.ty == ty);
            return if var.is_some() { Expr::real(found.text, STORED, 2) } else { found };
        }
        if self.chance() {
            let (re, im) =
                (self.stored(Ty::Real(kind), shape, depth - 1), self.stored(Ty::Real(kind), shape, depth - 1));
            return Expr::real(format!("cmplx({},{},{kind})", re.text, im.text), STORED, 2);
        }
        let inner = self.expr(ty, shape, depth - 1);
        let form = *self.pick(&["conjg(@)", "(-@)", "(@)", "(0.0,1.0)*@"]);
        Expr::real(form.replace('@', &inner.text), inner.bound, inner.quantum)
    }

    pub(super) fn logical(&mut self, shape: &[i64], depth: u32) -> Expr {
        if depth == 0 || self.one_in(6) {
            if !self.is_constant
                && self.one_in(3)
                && let Some(text) = self.function(Ty::Logical, shape, depth)
            {
                return Expr::other(text);
            }
            return self.leaf(Ty::Logical, shape, depth, |var| var.ty == Ty::Logical).1;
        }
        if self.one_in(4) {
            return self.logical_intrinsic(shape, depth);
        }
        if self.chance() {
            let ty = *self.pick(&[Ty::Integer(4), Ty::Real(4), Ty::Real(8), Ty::Character(3)]);
            let (a, b) = (self.operand(ty, shape, depth - 1), self.expr(ty, shape, depth - 1));
            let relation = *self.pick(&["==", "/=", "<", "<=", ".gt.", ">="]);
            return Expr::other(format!("({} {relation} {})", a.text, b.text));
        }
        let (a, b) = (self.operand(Ty::Logical, shape, depth - 1), self.expr(Ty::Logical, shape, depth - 1));
        let operator = *self.pick(&[".and.", ".or.", ".eqv.", ".neqv.", ".and..not."]);
        Expr::other(format!("({}{operator}{})", a.text, b.text))
    }

    fn characters(&mut self, shape: &[i64], depth: u32) -> Expr {
        let length = 1 + self.below(5) as usize;
        let ty = Ty::Character(length);
        if depth == 0 || self.one_in(5) {
            let (var, found) = self.leaf(ty, shape, depth, |var| matches!(var.ty, Ty::Character(_)));
            let Some(var) = var else { return found };
            let Ty::Character(length) = var.ty else { unreachable!("a variable of characters") };
            let is_part = found.text.ends_with(')') && var.suffix.is_empty();
            if length > 0
                && !var.is_deferred
                && !var.is_constant
                && (is_part || shape.is_empty())
                && self.one_in(3)
                && !found.text.ends_with("))")
                && is_part != var.dims.is_empty()
            {
                let first = 1 + self.below(length as i64);
                let last = first - 1 + self.below(length as i64 - first + 2);
                return Expr::characters(format!("{}({first}:{last})", found.text), Some((last + 1 - first) as usize));
            }
            let known = if var.is_deferred { None } else { Some(length) };
            return Expr::characters(found.text, known);
        }
        if self.chance() {
            return self.character_intrinsic(shape, depth);
        }
        let (a, b) = (self.operand(ty, shape, depth - 1), self.expr(ty, shape, depth - 1));
        let length = a.length.zip(b.length).map(|(a, b)| a + b);
        Expr::characters(format!("({}//{})", a.text, b.text), length)
    }
}
