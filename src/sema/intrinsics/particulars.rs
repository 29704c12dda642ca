//! What single intrinsic procedures ask of their arguments beyond type and rank (Fortran 2018, 16.9).
//!
//! Not here: constants that are out of range whatever the other arguments are (`limits`).

use super::Reference;
use crate::checked::{CharLen, Const, Expr, ExprKind, Intrinsic, Item, Shape, Storage, Type, is_designator};
use crate::typing::{
    Typing, constant_extents, is_dummy_procedure, is_part_of, is_pointer, is_procedure_pointer, is_same_object,
    shape_of,
};
use diag::Code;

impl Typing<'_> {
    /// What single intrinsic procedures ask of their arguments beyond type and rank.
    pub(super) fn check_particulars(&mut self, r: &Reference) -> Option<()> {
        let arg = |at: usize| r.args.get(at).and_then(Option::as_ref);
        let length = |e: &Expr| match e.ty {
            Type::Character(CharLen::Const(n)) => Some(n),
            _ => None,
        };
        match (r.id, arg(0), arg(1)) {
            (Intrinsic::Ichar | Intrinsic::Iachar, Some(c), _)
                if is_designator(c) && length(c).is_some_and(|n| n != 1) =>
            {
                self.bad_argument(r.id, 0, c, "one character")
            }
            (Intrinsic::Merge, Some(a), Some(b)) if length(a).zip(length(b)).is_some_and(|(m, n)| m != n) => {
                self.bad_argument(r.id, 1, b, "of the length of the first argument")
            }
            (Intrinsic::Associated, Some(_), Some(target))
                if is_designator(target)
                    && !is_procedure_pointer(self.defs, target)
                    && !is_dummy_procedure(self.defs, target)
                    && !self.is_target(target) =>
            {
                self.bad_argument(r.id, 1, target, "a target or a pointer")
            }
            (Intrinsic::MoveAlloc, Some(from), Some(to)) if matches!((&from.kind, &to.kind), (ExprKind::Var(a), ExprKind::Var(b)) if a == b) => {
                self.bad_argument(r.id, 1, to, "another object than the first argument")
            }
            (Intrinsic::Associated, Some(pointer), Some(target))
                if !is_procedure_pointer(self.defs, pointer)
                    && !matches!(target.kind, ExprKind::Null)
                    && !is_designator(target)
                    && !is_pointer(self.defs, target) =>
            {
                self.bad_argument(r.id, 1, target, "a target or a pointer")
            }
            (Intrinsic::MoveAlloc, Some(from), Some(to)) if is_part_of(to, from) && !is_same_object(to, from) => {
                // Fortran 2018, 15.5.2.13: FROM, which becomes unallocated, holds TO.
                self.bad_argument(r.id, 1, to, "an object that `from` does not hold")
            }
            (Intrinsic::CAssociated, Some(e), _) if e.rank > 0 => self.bad_argument(r.id, 0, e, "a scalar"),
            (Intrinsic::CLoc, Some(e), _) if self.is_class_pointer(e) => {
                self.bad_argument(r.id, 0, e, "an object that is not polymorphic")
            }
            (Intrinsic::CFPointer, Some(_), Some(e)) if self.is_class_pointer(e) => {
                self.bad_argument(r.id, 1, e, "a pointer that is not polymorphic")
            }
            (Intrinsic::CFPointer, Some(_), Some(e)) if e.rank == 0 && arg(2).is_some() => self.reporter.error_help(
                Code::ArgumentCount,
                r.span,
                "`c_f_pointer` of a pointer to a scalar takes no `shape`",
                "leave out `shape`, or declare the pointer as an array",
            ),
            (Intrinsic::CSizeof, Some(e), _) if matches!(shape_of(self.defs, e), Some(Shape::AssumedSize(..))) => {
                self.bad_argument(r.id, 0, e, "an array whose size is known")
            }
            (Intrinsic::RandomSeed, ..) => self.one_of_seed(r),
            (Intrinsic::SelectedRealKind | Intrinsic::SelectedIntKind, ..) => {
                match r.args.iter().enumerate().find_map(|(at, e)| Some((at, e.as_ref().filter(|e| e.rank > 0)?))) {
                    Some((at, e)) => self.bad_argument(r.id, at, e, "a scalar"),
                    None => Some(()),
                }
            }
            (Intrinsic::Eoshift, Some(array), _) => self.check_boundary(r, array, arg(2), arg(3)),
            (Intrinsic::Pack, Some(_), Some(mask)) => match arg(2) {
                Some(vector) => self.check_vector(r, vector, mask),
                None => Some(()),
            },
            (Intrinsic::Unpack, Some(vector), Some(mask)) => self.check_vector(r, vector, mask),
            (Intrinsic::Mvbits, Some(from), _) => match arg(3) {
                Some(to) if to.rank == from.rank || from.rank == 0 => {
                    self.check_conform("arguments of `mvbits`", from, to, Code::ElementalShapes, r.span)
                }
                Some(to) => self.bad_argument(r.id, 3, to, "of the shape of the first argument"),
                None => Some(()),
            },
            (Intrinsic::Transfer, Some(source), Some(mold)) if mold.rank > 0 => self.check_mold(r, source, mold),
            _ => Some(()),
        }
    }

    /// Whether an object is declared with CLASS.
    fn is_class_pointer(&self, e: &Expr) -> bool {
        matches!(e.kind, ExprKind::Var(id) if self.defs.var_info(id).polymorphic)
    }

    /// RANDOM_SEED has one argument or none; optional ones may be absent.
    fn one_of_seed(&mut self, r: &Reference) -> Option<()> {
        let may_be_absent = |e: &Expr| matches!(e.kind, ExprKind::Var(id) if self.defs.var(id).attrs.optional);
        match r.args.iter().flatten().filter(|e| !may_be_absent(e)).nth(1) {
            Some(second) => {
                let text = "`random_seed` takes one argument at most";
                let help = "call it once for each of `size`, `put` and `get`";
                self.reporter.error_help(Code::ArgumentCount, second.span, text, help)
            }
            None => Some(()),
        }
    }

    /// What EOSHIFT puts at the ends: needed for what has no zero, and of the array's shape without the dimension.
    fn check_boundary(
        &mut self,
        r: &Reference,
        array: &Expr,
        boundary: Option<&Expr>,
        dim: Option<&Expr>,
    ) -> Option<()> {
        let Some(boundary) = boundary else {
            if matches!(array.ty, Type::Derived(_)) {
                let text = "`eoshift` of objects of derived type needs `boundary`, what is put at the ends";
                return self.reporter.error(Code::ArgumentCount, r.span, text);
            }
            return Some(());
        };
        if boundary.rank == 0 {
            return Some(());
        }
        if boundary.rank + 1 != array.rank {
            return self.bad_argument(r.id, 2, boundary, "a scalar, or of the rank of the array less one");
        }
        let at = match dim.map(|e| &e.kind) {
            None => 0,
            Some(ExprKind::Const(Const::Int(dim))) => usize::try_from(dim - 1).unwrap_or(0),
            Some(_) => return Some(()),
        };
        let (Some(mut wanted), Some(given)) =
            (constant_extents(self.defs, array), constant_extents(self.defs, boundary))
        else {
            return Some(());
        };
        if at < wanted.len() {
            wanted.remove(at);
        }
        match wanted.iter().zip(&given).find(|(a, b)| a.1 != b.1) {
            Some((a, b)) => {
                let text = format!("`boundary` of `eoshift` has extent {} where the array has {}", b.1, a.1);
                self.reporter.error(Code::ShapeMismatch, boundary.span, text)
            }
            None => Some(()),
        }
    }

    /// VECTOR has an element for each true element of a constant mask.
    fn check_vector(&mut self, r: &Reference, vector: &Expr, mask: &Expr) -> Option<()> {
        let (Some(needed), Some(given)) = (self.true_elements(mask), self.vector_elements(vector)) else {
            return Some(());
        };
        if given >= needed {
            return Some(());
        }
        let text =
            format!("`vector` of `{}` has {given} elements, and the mask has {needed} that are true", r.id.name());
        self.reporter.error(Code::TooFewElements, vector.span, text)
    }

    fn vector_elements(&self, e: &Expr) -> Option<i64> {
        crate::typing::known_extents(self.defs, e).first().copied().flatten()
    }

    /// How many elements of a mask are true, where all are known.
    fn true_elements(&self, mask: &Expr) -> Option<i64> {
        let truth = |c: &Const| if let Const::Logical(v) = c { Some(i64::from(*v)) } else { None };
        match &mask.kind {
            ExprKind::Const(Const::Array { items, .. }) => items.iter().map(truth).sum(),
            ExprKind::Var(v) if matches!(self.defs.var(*v).storage, Storage::Parameter) => {
                let Some(Const::Array { items, .. }) = &self.defs.var(*v).init else { return None };
                items.iter().map(truth).sum()
            }
            ExprKind::Array(items) => items
                .iter()
                .map(|item| match item {
                    Item::Expr(Expr { kind: ExprKind::Const(c), rank: 0, .. }) => truth(c),
                    _ => None,
                })
                .sum(),
            ExprKind::Convert(inner) | ExprKind::Paren(inner) => self.true_elements(inner),
            _ => None,
        }
    }

    /// An array of elements without bytes cannot take the bits of anything.
    fn check_mold(&mut self, r: &Reference, source: &Expr, mold: &Expr) -> Option<()> {
        let bytes = |e: &Expr| match e.ty {
            Type::Derived(id) => Some(self.defs.ty(id).bytes),
            Type::Character(CharLen::Const(n)) => Some(n.max(0) as u64),
            Type::Character(_) | Type::Any => None,
            _ => Some(1),
        };
        if bytes(mold) == Some(0) && bytes(source).is_some_and(|n| n > 0) {
            return self.bad_argument(r.id, 1, mold, "of a type whose objects have a size");
        }
        Some(())
    }
}
