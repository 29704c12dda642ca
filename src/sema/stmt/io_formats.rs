//! Formats in the bytes of numbers, as old programs have them from Hollerith constants.

use crate::checked::{BinaryOp, CharLen, Const, Expr, ExprKind, Intrinsic, Item, Shape, Type};
use crate::typing::{Typing, constant, shape_of};
use diag::{Code, Diagnostic};
use source::Span;

impl Typing<'_> {
    /// The bytes of an array of numbers, or of those from an element on, as an array of characters.
    pub(super) fn format_of_numbers(&mut self, value: Expr) -> Option<Expr> {
        let span = value.span;
        if let ExprKind::Element { base, .. } = &value.kind
            && matches!(shape_of(self.defs, base), Some(Shape::AssumedSize(..) | Shape::AssumedRank))
        {
            return self.reporter.refuse(span, "a format in an array of assumed size from an element on");
        }
        let text = "the bytes of numbers are a format here";
        let d = Diagnostic::new(Code::HollerithAsNumber, span, text);
        self.reporter.report(d.help("keep the format in a variable of type character"));
        let ExprKind::Element { base, subs } = value.kind else { return self.characters_of(value, span) };
        let first = self.bytes_before(&base, subs, span)?;
        let whole = self.characters_of(*base, span)?;
        // What comes before the element goes to the end, where a format is over.
        let ty = whole.ty.clone();
        self.intrinsic_node(Intrinsic::Cshift, vec![Some(whole), Some(first), None], ty, 1, span)
    }

    fn characters_of(&mut self, value: Expr, span: Span) -> Option<Expr> {
        let ty = Type::Character(CharLen::Const(1));
        let blank = constant(Const::Char((*b" ").into()), ty.clone(), span);
        let mold = Expr { kind: ExprKind::Array(vec![Item::Expr(blank)]), ty: ty.clone(), rank: 1, span };
        self.intrinsic_node(Intrinsic::Transfer, vec![Some(value), Some(mold), None], ty, 1, span)
    }

    /// How many bytes of an array stand before an element.
    fn bytes_before(&mut self, array: &Expr, subs: Vec<Expr>, span: Span) -> Option<Expr> {
        let wide = Type::Integer(8);
        let number = |n: i64| constant(Const::Int(n), wide.clone(), span);
        let bytes = match array.ty {
            Type::Integer(kind) | Type::Real(kind) | Type::Logical(kind) => i64::from(kind),
            Type::Complex(kind) => 2 * i64::from(kind),
            _ => return None,
        };
        let (mut sum, mut stride) = (number(0), number(bytes));
        for (dim, sub) in (1..).zip(subs) {
            let sub = self.convert(sub, &wide)?;
            let mut inquire = |id| {
                let args = vec![Some(array.clone()), Some(number(dim)), Some(number(8))];
                self.intrinsic_node(id, args, wide.clone(), 0, span)
            };
            let (lower, extent) = (inquire(Intrinsic::Lbound)?, inquire(Intrinsic::Size)?);
            let place = self.computation(BinaryOp::Sub, sub, lower)?;
            let before = self.computation(BinaryOp::Mul, place, stride.clone())?;
            sum = self.computation(BinaryOp::Add, sum, before)?;
            stride = self.computation(BinaryOp::Mul, stride, extent)?;
        }
        Some(sum)
    }

    fn computation(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Option<Expr> {
        let (ty, span) = (left.ty.clone(), left.span);
        let kind = ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) };
        self.fold(Expr { kind, ty, rank: 0, span })
    }
}
