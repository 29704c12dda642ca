//! Whether two procedures have the same characteristics, as far as compilers check them (Fortran 2018, 15.3).
//!
//! Not here: attributes of CUDA Fortran.

use super::{is_plain, same_type, type_name};
use crate::checked::{ALTERNATE, CharLen, ProcId, Shape, Storage, Type, TypeId, VarId, Variable};
use crate::checker::Definitions;
use ast::Intent;

/// How deep interfaces of arguments of arguments are compared.
const MOST_NESTED: u32 = 8;

/// What is different about a procedure that should have the interface `wanted`. The dummy at position `passed` is that of the
/// object, whose type may differ. Interfaces that are not fully known do not differ.
pub(crate) fn difference(
    defs: &Definitions<'_>,
    given: ProcId,
    wanted: ProcId,
    passed: Option<usize>,
) -> Option<String> {
    Comparison { defs, laxity: Laxity::default(), depth: 0 }.procedures(given, wanted, passed)
}

/// As [`difference`], but a pointer with `intent(in)` to an extension is taken where the other takes one to its parent: what is
/// passed says where the object is in both.
pub(crate) fn difference_but_for_pointers(
    defs: &Definitions<'_>,
    given: ProcId,
    wanted: ProcId,
    passed: Option<usize>,
) -> Option<String> {
    Comparison { defs, laxity: Laxity { pointers: true, ..Laxity::default() }, depth: 0 }
        .procedures(given, wanted, passed)
}

/// As [`difference`] of a procedure that replaces an inherited one, but the intents may be others.
pub(crate) fn difference_but_for_inherited_intents(
    defs: &Definitions<'_>,
    given: ProcId,
    wanted: ProcId,
    passed: Option<usize>,
) -> Option<String> {
    let laxity = Laxity { intents: true, ..Laxity::default() };
    Comparison { defs, laxity, depth: 0 }.procedures(given, wanted, passed)
}

/// What is different between a procedure and an interface body that describes it, as far as it matters for calls: arrays whose
/// elements are passed in sequence may be declared in different ways.
pub(crate) fn difference_of_interface(defs: &Definitions<'_>, body: ProcId, of: ProcId) -> Option<String> {
    Comparison { defs, laxity: Laxity { sequences: true, ..Laxity::default() }, depth: 0 }.procedures(body, of, None)
}

/// As [`difference_of_interface`], but the procedure may take in sequence what the interface says is of assumed shape.
pub(crate) fn difference_but_for_shapes(defs: &Definitions<'_>, body: ProcId, of: ProcId) -> Option<String> {
    Comparison { defs, laxity: Laxity { sequences: true, shapes: true, ..Laxity::default() }, depth: 0 }
        .procedures(body, of, None)
}

/// As [`difference_but_for_shapes`], and the intents may be others.
pub(crate) fn difference_but_for_intents(defs: &Definitions<'_>, body: ProcId, of: ProcId) -> Option<String> {
    Comparison { defs, laxity: Laxity { sequences: true, shapes: true, intents: true, ..Laxity::default() }, depth: 0 }
        .procedures(body, of, None)
}

/// As [`difference_but_for_intents`], and what is passed as memory may have another type and rank.
pub(crate) fn difference_but_for_memory(defs: &Definitions<'_>, body: ProcId, of: ProcId) -> Option<String> {
    Comparison {
        defs,
        laxity: Laxity { sequences: true, shapes: true, intents: true, memory: true, ..Laxity::default() },
        depth: 0,
    }
    .procedures(body, of, None)
}

/// Says that a procedure may change an argument of which an interface says `intent(in)` (Fortran 2018, 15.3.2.2, 15.5.2.9).
pub(crate) fn missing_intent(defs: &Definitions<'_>, given: ProcId, wanted: ProcId) -> Option<String> {
    let (p, q) = (defs.proc(given), defs.proc(wanted));
    let is_known = |id: ProcId| !defs.proc_info(id).unknown_dummies && !defs.proc_info(id).embedded;
    let may_change = |v: VarId| {
        let (var, attrs) = (defs.var(v), &defs.var(v).attrs);
        let is_data = !matches!(var.storage, Storage::Procedure) && &*var.name != ALTERNATE;
        is_data && attrs.intent.is_none() && !attrs.value && !attrs.copied && !attrs.pointer
    };
    let is_input = |v: VarId| defs.var(v).attrs.intent == Some(Intent::In);
    let mut both = p.params.iter().zip(&q.params).filter(|_| is_known(given) && is_known(wanted));
    let (&x, _) = both.find(|&(&x, &y)| may_change(x) && is_input(y))?;
    Some(format!("argument `{}` of `{}` has no intent, and is `intent(in)`", defs.var(x).name, p.name))
}

/// What need not agree.
#[derive(Clone, Copy, Default)]
struct Laxity {
    /// Pointers with `intent(in)` to an extension and to its parent.
    pointers: bool,
    /// Bounds, lengths and attributes that do not change how arguments are passed.
    sequences: bool,
    /// Whether an array of the interface is of assumed shape.
    shapes: bool,
    intents: bool,
    /// Types and ranks of arguments that both take as memory.
    memory: bool,
}

struct Comparison<'c, 'a> {
    defs: &'c Definitions<'a>,
    laxity: Laxity,
    depth: u32,
}

impl Comparison<'_, '_> {
    /// Whether bounds, lengths and attributes that do not change how arguments are passed count.
    fn is_strict(&self) -> bool {
        !self.laxity.sequences
    }

    fn procedures(&self, given: ProcId, wanted: ProcId, passed: Option<usize>) -> Option<String> {
        let defs = self.defs;
        let unknown = |id: ProcId| {
            let info = defs.proc_info(id);
            info.unknown_dummies || info.is_broken || info.refused.is_some() || info.embedded
        };
        if given == wanted || unknown(given) || unknown(wanted) || self.depth > MOST_NESTED {
            return None;
        }
        let (p, q) = (defs.proc(given), defs.proc(wanted));
        let noun = |is_function: bool| if is_function { "function" } else { "subroutine" };
        if p.is_function != q.is_function {
            return Some(format!("it is a {}, not a {}", noun(p.is_function), noun(q.is_function)));
        }
        if p.params.len() != q.params.len() {
            return Some(format!("the number of its arguments is {}, not {}", p.params.len(), q.params.len()));
        }
        if self.is_strict() && q.pure && !p.pure && defs.proc_info(given).ast.is_some() {
            return Some("it is not pure".to_owned());
        }
        for (at, (&x, &y)) in p.params.iter().zip(&q.params).enumerate() {
            let what = self.dummies(x, y, passed == Some(at));
            if let Some(what) = what {
                return Some(format!("its argument `{}` {what}", defs.var(x).name));
            }
        }
        self.results(p.result?, q.result?)
    }

    fn dummies(&self, a: VarId, b: VarId, is_object: bool) -> Option<String> {
        let defs = self.defs;
        let (x, y) = (defs.var(a), defs.var(b));
        if (&*x.name == ALTERNATE) != (&*y.name == ALTERNATE) {
            return Some("is an alternate return in one of the two only".to_owned());
        }
        let is_procedure = |v: &Variable| matches!(v.storage, Storage::Procedure);
        match (is_procedure(x), is_procedure(y)) {
            (false, false) => {}
            (true, true) => return self.procedure_dummies(a, b),
            (true, false) => return Some("is a procedure".to_owned()),
            (false, true) => return Some("is not a procedure".to_owned()),
        }
        let is_memory = self.laxity.memory && self.are_memory(x, y);
        if let Some(what) = self.types(a, b, is_object || is_memory) {
            return Some(what);
        }
        if !is_object && is_assumed_rank(x) != is_assumed_rank(y) {
            return Some(format!("is{} of assumed rank", if is_assumed_rank(x) { "" } else { " not" }));
        }
        let in_sequence = |v: &Variable| matches!(v.shape, Shape::Explicit(_) | Shape::AssumedSize(..));
        let is_lax = !self.is_strict() && in_sequence(x) && in_sequence(y);
        // The caller passes an address, whatever is there.
        let ignores_rank = |v: &Variable| v.attrs.ignore_tkr.contains('r');
        let is_address =
            |v: &Variable| !matches!(v.shape, Shape::AssumedShape(_) | Shape::Deferred(_) | Shape::AssumedRank);
        let is_free = (ignores_rank(x) || ignores_rank(y)) && is_address(x) && is_address(y);
        if x.shape.rank() != y.shape.rank() && !is_lax && !is_free && !is_memory {
            return Some(format!("has rank {}, not {}", x.shape.rank(), y.shape.rank()));
        }
        if let (Some(a), Some(b)) = (x.attrs.intent, y.attrs.intent)
            && a != b
            && !self.laxity.intents
        {
            let word = |intent| match intent {
                Intent::In => "in",
                Intent::Out => "out",
                Intent::InOut => "inout",
            };
            return Some(format!("has `intent({})`, not `intent({})`", word(a), word(b)));
        }
        let attributes = [
            ("optional", x.attrs.optional, y.attrs.optional),
            ("allocatable", x.attrs.allocatable, y.attrs.allocatable),
            ("a pointer", x.attrs.pointer, y.attrs.pointer),
            ("a `value` argument", x.attrs.value || x.attrs.copied, y.attrs.value || y.attrs.copied),
            ("contiguous", self.is_strict() && x.attrs.contiguous, self.is_strict() && y.attrs.contiguous),
            ("volatile", self.is_strict() && x.attrs.volatile, self.is_strict() && y.attrs.volatile),
            ("a target", self.is_strict() && x.attrs.target, self.is_strict() && y.attrs.target),
        ];
        for (word, a, b) in attributes {
            if a != b {
                return Some(format!("is {word} in one of the two only"));
            }
        }
        self.shapes(x, y)
    }

    /// Whether a dummy takes memory, and the interface, which may have an array of assumed shape, lets memory be passed to it.
    fn are_memory(&self, x: &Variable, y: &Variable) -> bool {
        let in_sequence = |v: &Variable| matches!(v.shape, Shape::Scalar | Shape::Explicit(_) | Shape::AssumedSize(..));
        let is_plain = |v: &Variable| is_plain(self.defs, &v.ty) && !v.attrs.value && !v.attrs.copied && !v.attrs.class;
        in_sequence(x) && (in_sequence(y) || matches!(y.shape, Shape::AssumedShape(_))) && (is_plain(x) && is_plain(y))
    }

    fn procedure_dummies(&self, a: VarId, b: VarId) -> Option<String> {
        let (x, y) = (self.defs.var_info(a).interface, self.defs.var_info(b).interface);
        if let (Some(x), Some(y)) = (x, y) {
            let inner = Comparison { depth: self.depth + 1, ..*self };
            return inner.procedures(x, y, None).map(|what| format!("has another interface: {what}"));
        }
        // Where there is no interface, the type of the result may be declared.
        let result = |id: VarId, interface: Option<ProcId>| match interface {
            Some(interface) => self.defs.proc(interface).result.map(|r| self.defs.var(r).ty.clone()),
            None => Some(self.defs.var(id).ty.clone()),
        };
        let (x, y) = (result(a, x)?, result(b, y)?);
        let is_known = |ty: &Type| !matches!(ty, Type::Any);
        (is_known(&x) && is_known(&y) && !same_type(&x, &y))
            .then(|| format!("is a function of `{}`, not `{}`", type_name(self.defs, &x), type_name(self.defs, &y)))
    }

    fn types(&self, a: VarId, b: VarId, is_object: bool) -> Option<String> {
        let (x, y) = (self.defs.var(a), self.defs.var(b));
        let is_free = |v: &Variable| !v.attrs.ignore_tkr.is_empty();
        if is_object || is_free(x) || is_free(y) {
            return None;
        }
        let is_class = |id: VarId| self.defs.var_info(id).polymorphic;
        let is_read = |v: &Variable| v.attrs.pointer && v.attrs.intent == Some(Intent::In);
        if self.laxity.pointers && (is_read(x) && is_read(y)) && (is_class(b) && self.defs.class_takes(&y.ty, &x.ty)) {
            return None;
        }
        let same = match (&x.ty, &y.ty) {
            (Type::Any, Type::Any) => true,
            (Type::Any, _) | (_, Type::Any) => !self.is_strict(),
            (Type::Derived(a), Type::Derived(b)) => a == b || (!self.is_strict() && self.are_alike(*a, *b)),
            (a, b) => same_type(a, b),
        };
        let shown = |id: VarId| {
            let ty = type_name(self.defs, &self.defs.var(id).ty);
            if is_class(id) && ty.starts_with("type(") { ty.replacen("type(", "class(", 1) } else { ty }
        };
        (!same || is_class(a) != is_class(b)).then(|| format!("is `{}`, not `{}`", shown(a), shown(b)))
    }

    /// Whether two types of one name are SEQUENCE or BIND(C) types, which are one type where their components are the same.
    fn are_alike(&self, a: TypeId, b: TypeId) -> bool {
        let is_sequence = |id: TypeId| self.defs.type_info(id).ast.is_some_and(|def| def.sequence || def.bind_c);
        self.defs.ty(a).name == self.defs.ty(b).name && is_sequence(a) && is_sequence(b)
    }

    fn shapes(&self, x: &Variable, y: &Variable) -> Option<String> {
        let by_descriptor = |v: &Variable| matches!(v.shape, Shape::AssumedShape(_) | Shape::Deferred(_));
        let is_taken = self.laxity.shapes && matches!(y.shape, Shape::AssumedShape(_));
        if x.shape.rank() > 0 && by_descriptor(x) != by_descriptor(y) && !is_taken {
            let what = if by_descriptor(x) { "is" } else { "is not" };
            return Some(format!("{what} of assumed shape"));
        }
        if !self.is_strict() {
            return None;
        }
        if let (Some(a), Some(b)) = (x.shape.constant_bounds(), y.shape.constant_bounds())
            && let Some((m, n)) = a.iter().zip(&b).map(|(a, b)| (a.1, b.1)).find(|(m, n)| m != n)
        {
            return Some(format!("has {m} elements in a dimension, not {n}"));
        }
        self.lengths(x, y)
    }

    fn lengths(&self, x: &Variable, y: &Variable) -> Option<String> {
        match (&x.ty, &y.ty) {
            (Type::Character(CharLen::Const(m)), Type::Character(CharLen::Const(n))) if m != n => {
                Some(format!("has the length {m}, not {n}"))
            }
            _ => None,
        }
    }

    fn results(&self, a: VarId, b: VarId) -> Option<String> {
        let (x, y) = (self.defs.var(a), self.defs.var(b));
        let is_any = |v: &Variable| matches!(v.ty, Type::Any);
        if !same_type(&x.ty, &y.ty) && !is_any(x) && !is_any(y) {
            let (x, y) = (type_name(self.defs, &x.ty), type_name(self.defs, &y.ty));
            return Some(format!("its result is `{x}`, not `{y}`"));
        }
        if x.shape.rank() != y.shape.rank() {
            return Some(format!("its result has rank {}, not {}", x.shape.rank(), y.shape.rank()));
        }
        for (word, a, b) in
            [("a pointer", x.attrs.pointer, y.attrs.pointer), ("allocatable", x.attrs.allocatable, y.attrs.allocatable)]
        {
            if a != b {
                return Some(format!("its result is {word} in one of the two only"));
            }
        }
        self.lengths(x, y).map(|what| format!("its result {what}"))
    }
}

fn is_assumed_rank(v: &Variable) -> bool {
    matches!(v.shape, Shape::AssumedRank)
}
