//! Constant arguments of intrinsic procedures that are outside what the procedure takes, whatever the other arguments are.
//!
//! Not here: functions of constants only, which are evaluated (`fold`).

use super::Reference;
use crate::checked::Intrinsic as I;
use crate::checked::{Const, Expr, ExprKind, Type};
use crate::fold::kind_of;
use crate::typing::Typing;
use diag::Code;

/// The value of an integer constant.
fn known(r: &Reference, at: usize) -> Option<i64> {
    match &r.get(at)?.kind {
        ExprKind::Const(Const::Int(n)) => Some(*n),
        _ => None,
    }
}

impl Typing<'_> {
    /// Reports constants that are no positions, counts or directions (Fortran 2018, 16.9).
    pub(super) fn check_constants(&mut self, r: &Reference) -> Option<()> {
        // The value itself is a variable: functions of constants are evaluated.
        let of = |at: usize| match r.get(at) {
            Some(Expr { ty: ty @ Type::Integer(_), kind, .. }) if !matches!(kind, ExprKind::Const(_)) => {
                Some(8 * i64::from(kind_of(ty)))
            }
            _ => None,
        };
        let other = match r.id {
            I::Dshiftl | I::Dshiftr => of(1),
            I::Mvbits => of(3),
            _ => None,
        };
        match (r.id, of(0).or(other)) {
            (I::Btest | I::Ibclr | I::Ibset, Some(width)) => self.within(r, 1, 0, width - 1),
            (I::Shiftl | I::Shiftr | I::Shifta, Some(width)) => self.within(r, 1, 0, width),
            (I::Dshiftl | I::Dshiftr, Some(width)) => self.within(r, 2, 0, width),
            (I::Ishft, Some(width)) => self.within(r, 1, -width, width),
            (I::Ishftc, Some(width)) => {
                self.within(r, 2, 1, width)?;
                let size = if r.get(2).is_some() { known(r, 2).unwrap_or(width) } else { width };
                self.within(r, 1, -size, size)
            }
            (I::Ibits, Some(width)) => self.field(r, (1, 2), width),
            (I::Mvbits, Some(width)) => {
                self.field(r, (1, 2), width)?;
                self.within(r, 4, 0, width - known(r, 2).unwrap_or(0))
            }
            (I::Maskl | I::Maskr, _) => self.mask_width(r),
            (I::Repeat, _) => match (known(r, 1), r.get(1)) {
                (Some(n), Some(e)) if n < 0 => {
                    let text = format!("`ncopies` of `repeat` is {n}, and must not be negative");
                    self.reporter.error(Code::BadIntrinsicArgument, e.span, text)
                }
                _ => Some(()),
            },
            (I::Nearest, _) => match r.get(1) {
                Some(Expr {
                    kind: ExprKind::Const(Const::Real2(0 | 0x8000) | Const::Real4(0.0) | Const::Real8(0.0)),
                    span,
                    ..
                }) => {
                    let text = "`s` of `nearest` says a direction and must not be zero";
                    self.reporter.error(Code::BadIntrinsicArgument, *span, text)
                }
                _ => Some(()),
            },
            _ => Some(()),
        }
    }

    /// The counts of MASKL and MASKR that are elements of an array constructor.
    fn mask_width(&mut self, r: &Reference) -> Option<()> {
        let width = 8 * known(r, 1).unwrap_or(i64::from(self.options.integer_kind()));
        let items = match r.get(0) {
            Some(Expr { kind: ExprKind::Array(items), .. }) => items,
            Some(Expr { kind: ExprKind::Const(Const::Array { items, .. }), span, .. }) => {
                let outside = items.iter().find_map(|item| match item {
                    Const::Int(n) if !(0..=width).contains(n) => Some(*n),
                    _ => None,
                });
                let Some(n) = outside else { return Some(()) };
                let text = format!("`i` of `{}` is {n}, and must be from 0 to {width}", r.id.name());
                return self.reporter.error(Code::ConstantShift, *span, text);
            }
            _ => return Some(()),
        };
        for item in items {
            let crate::checked::Item::Expr(Expr { kind: ExprKind::Const(Const::Int(n)), span, .. }) = item else {
                continue;
            };
            if !(0..=width).contains(n) {
                let text = format!("`i` of `{}` is {n}, and must be from 0 to {width}", r.id.name());
                return self.reporter.error(Code::ConstantShift, *span, text);
            }
        }
        Some(())
    }

    /// A constant argument must be from `low` to `high`.
    fn within(&mut self, r: &Reference, at: usize, low: i64, high: i64) -> Option<()> {
        let (Some(n), Some(e)) = (known(r, at), r.get(at)) else { return Some(()) };
        if (low..=high).contains(&n) {
            return Some(());
        }
        let name = r.id.dummies().get(at).copied().unwrap_or("argument");
        let text = format!("`{name}` of `{}` is {n}, and must be from {low} to {high}", r.id.name());
        self.reporter.error(Code::ConstantShift, e.span, text)
    }

    /// A position and a length must describe bits that there are.
    fn field(&mut self, r: &Reference, (pos, len): (usize, usize), width: i64) -> Option<()> {
        self.within(r, pos, 0, width)?;
        self.within(r, len, 0, width - known(r, pos).unwrap_or(0))
    }
}
