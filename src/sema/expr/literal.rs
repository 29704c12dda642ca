//! Literals (Fortran 2018, 7.4 and 7.7).
//!
//! Backslash escapes in character literals are active, as with nvfortran. A BOZ constant takes the type that it meets; alone
//! it is `integer(4)`, or `integer(8)` when it needs more bits.

use crate::SemaOptions;
use crate::checked::{CharLen, Const, Expr, ExprKind, Type};
use crate::checker::Checker;
use crate::fold::fits;
use crate::typing::{Typing, constant, shape_name};
use ast::{Name, Radix};
use diag::Code;
use scalar::half;
use source::Span;
use std::sync::Arc;

impl Checker<'_> {
    /// The kind after the underscore of a literal.
    fn literal_kind(&mut self, kind: Option<&Name>, default: u8) -> Option<i64> {
        let Some(kind) = kind else { return Some(i64::from(default)) };
        if let Ok(n) = kind.as_str().parse::<i64>() {
            return Some(n);
        }
        let e = self.name_expr(kind)?;
        match (&e.kind, &e.ty) {
            (ExprKind::Const(Const::Int(n)), Type::Integer(_)) => Some(*n),
            _ => {
                let text = format!("kind `{}` is not an integer constant", kind.as_str());
                self.reporter.error(Code::ConstantRequired, kind.span, text)
            }
        }
    }

    /// An integer; `negated` when a minus sign stands before it, which allows one value more.
    pub(super) fn integer_literal(
        &mut self,
        digits: &str,
        kind: Option<&Name>,
        negated: bool,
        span: Span,
    ) -> Option<Expr> {
        let k = self.literal_kind(kind, self.options.integer_kind())?;
        if ![1, 2, 4, 8].contains(&k) {
            return self.typing().no_kind("integer", k, span);
        }
        let value = digits.parse::<i128>().ok().map(|v| if negated { -v } else { v });
        let long = value.filter(|v| kind.is_none() && fits(*v, 8));
        match value.filter(|v| fits(*v, k as u8)) {
            Some(v) => Some(constant(Const::Int(v as i64), Type::Integer(k as u8), span)),
            None if let Some(v) = long => {
                let text = format!("`{digits}` does not fit into `integer({k})` and is an `integer(8)`, an extension");
                self.typing().not_standard(Code::FormOfCompilers, span, text, &format!("write `{digits}_8`"));
                Some(constant(Const::Int(v as i64), Type::Integer(8), span))
            }
            None => {
                let help = if k < 8 { format!("write `{digits}_8` for an `integer(8)`") } else { "use a real".into() };
                let text = format!("{digits} does not fit into `integer({k})`");
                self.reporter.error_help(Code::ConstantOverflow, span, text, help)
            }
        }
    }

    pub(super) fn real_literal(&mut self, text: &str, kind: Option<&Name>, span: Span) -> Option<Expr> {
        let lower = text.to_ascii_lowercase();
        let double = lower.contains('d');
        let k = if double { 8 } else { self.literal_kind(kind, self.options.real_kind())? };
        if lower.contains('q') {
            return self.typing().no_kind("real", 16, span);
        }
        let digits = lower.replace('d', "e");
        match k {
            2 => match digits.parse::<f64>().map(half::round) {
                Ok(bits) if half::widen(bits).is_finite() => Some(constant(Const::Real2(bits), Type::Real(2), span)),
                _ => self.reporter.error(Code::ConstantOverflow, span, format!("{text} does not fit into `real(2)`")),
            },
            4 => match digits.parse::<f32>() {
                Ok(v) if v.is_finite() => Some(constant(Const::Real4(v), Type::Real(4), span)),
                _ => self.reporter.error_help(
                    Code::ConstantOverflow,
                    span,
                    format!("{text} does not fit into `real(4)`"),
                    "write it with the exponent letter `d` for a `real(8)`",
                ),
            },
            8 => match digits.parse::<f64>() {
                Ok(v) if v.is_finite() => Some(constant(Const::Real8(v), Type::Real(8), span)),
                _ => self.reporter.error(Code::ConstantOverflow, span, format!("{text} does not fit into `real(8)`")),
            },
            other => self.typing().no_kind("real", other, span),
        }
    }

    pub(super) fn logical_literal(&mut self, value: bool, kind: Option<&Name>, span: Span) -> Option<Expr> {
        let k = self.literal_kind(kind, self.options.integer_kind())?;
        if ![1, 2, 4, 8].contains(&k) {
            return self.typing().no_kind("logical", k, span);
        }
        Some(constant(Const::Logical(value), Type::Logical(k as u8), span))
    }

    pub(super) fn char_literal(&mut self, value: &str, kind: Option<&Name>, span: Span) -> Option<Expr> {
        let k = self.literal_kind(kind, 1)?;
        if k != 1 {
            return self.typing().no_kind("character", k, span);
        }
        let bytes = self.options.characters(value);
        let ty = Type::Character(CharLen::Const(bytes.len() as i64));
        Some(constant(Const::Char(bytes), ty, span))
    }

    pub(super) fn complex_literal(&mut self, re: &ast::Expr, im: &ast::Expr, span: Span) -> Option<Expr> {
        let (re, im) = (self.expr(re), self.expr(im));
        let (re, im) = (re?, im?);
        let mut kind = 0;
        for part in [&re, &im] {
            match part.ty {
                Type::Real(k) => kind = kind.max(k),
                Type::Integer(_) => {}
                _ => {
                    let text = format!(
                        "a part of a complex constant must be a real or integer constant, not {}",
                        shape_name(&self.defs, &part.ty, part.rank)
                    );
                    return self.reporter.error(Code::TypeMismatch, part.span, text);
                }
            }
        }
        if kind == 2 {
            return self.typing().no_kind("complex", 2, span);
        }
        let kind = if kind == 0 { self.options.real_kind() } else { kind };
        let (re, im) = (self.typing().convert(re, &Type::Real(kind))?, self.typing().convert(im, &Type::Real(kind))?);
        let value = match (self.typing().evaluate(&re)?, self.typing().evaluate(&im)?) {
            (Const::Real4(r), Const::Real4(i)) => Const::Complex4(r, i),
            (Const::Real8(r), Const::Real8(i)) => Const::Complex8(r, i),
            _ => return None,
        };
        Some(constant(value, Type::Complex(kind), span))
    }
}

/// The bytes of a character literal, escapes undone.
fn unescape(text: &[u8]) -> Arc<[u8]> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied().peekable();
    while let Some(b) = bytes.next() {
        if b != b'\\' {
            out.push(b);
            continue;
        }
        match bytes.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'r') => out.push(b'\r'),
            Some(b'b') => out.push(8),
            Some(b'f') => out.push(12),
            Some(b'v') => out.push(11),
            Some(digit @ b'0'..=b'7') => {
                // Up to three octal digits.
                let mut code = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(next) = bytes.next_if(|b| (b'0'..=b'7').contains(b)) else { break };
                    code = code * 8 + u32::from(next - b'0');
                }
                out.push(code as u8);
            }
            Some(other) => out.push(other),
            None => out.push(b'\\'),
        }
    }
    out.into()
}

impl SemaOptions {
    /// The bytes of a character literal, escapes undone unless a backslash is a letter like others.
    pub(crate) fn characters(&self, text: &str) -> Arc<[u8]> {
        let bytes = source::encode(text);
        if self.plain_backslash { (&*bytes).into() } else { unescape(&bytes) }
    }
}

impl Typing<'_> {
    fn no_kind<T>(&mut self, name: &str, kind: i64, span: Span) -> Option<T> {
        self.reporter.error(Code::UnsupportedKind, span, format!("there is no `{name}({kind})`"))
    }

    /// A BOZ constant where the standard has none (Fortran 2018, C7109).
    pub(super) fn misplaced_boz(&mut self, radix: Radix, digits: &str, ty: Option<&Type>, span: Span) -> Option<Expr> {
        let text = "a binary, octal or hexadecimal constant stands for a number here";
        let help = "write `int(…)` or `real(…)` around it";
        self.not_standard(Code::MisplacedBoz, span, text, help);
        self.boz_literal(radix, digits, ty, span)
    }

    /// A BOZ constant of a type, or of the integer kind that holds its bits.
    pub(crate) fn boz_literal(&mut self, radix: Radix, digits: &str, ty: Option<&Type>, span: Span) -> Option<Expr> {
        let base = match radix {
            Radix::Binary => 2,
            Radix::Octal => 8,
            Radix::Hex => 16,
        };
        let Ok(bits) = u64::from_str_radix(digits, base) else {
            return self.reporter.error(
                Code::ConstantOverflow,
                span,
                "constant has more than 64 bits or a wrong digit",
            );
        };
        let own = if u32::try_from(bits).is_ok() { Type::Integer(4) } else { Type::Integer(8) };
        let ty = match ty {
            Some(ty @ (Type::Integer(_) | Type::Real(_))) => ty.clone(),
            _ => own,
        };
        let value = match &ty {
            Type::Real(2) => Const::Real2(bits as u16),
            Type::Real(4) => Const::Real4(f32::from_bits(bits as u32)),
            Type::Real(_) => Const::Real8(f64::from_bits(bits)),
            Type::Integer(k) => {
                // A kind that does not exist is reported elsewhere.
                let width = (u32::from(*k) * 8).clamp(8, 64);
                if width < 64 && bits >> width != 0 {
                    return self.reporter.error(
                        Code::ConstantOverflow,
                        span,
                        format!("constant has more bits than `integer({k})`"),
                    );
                }
                let shift = 64 - width;
                Const::Int(((bits << shift) as i64) >> shift)
            }
            _ => return None,
        };
        Some(constant(value, ty, span))
    }
}
