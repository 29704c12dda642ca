//! Functions of bits that only compilers have, nvfortran among them: each is made of functions of the standard.

use super::Reference;
use crate::checked::Intrinsic as I;
use crate::checked::{Const, Expr, Type, visit};
use crate::checker::Checker;
use crate::typing::constant;

/// A function of bits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OfBits {
    /// `eqv(i, j)`: one where the bits are the same.
    Eqv,
    /// `shift(i, n)`: as ISHFT, in four bytes at least.
    Shift,
    /// `zext(i)`: the bits of an integer or logical value with zeros before them, as an integer of a kind, or of the default kind.
    Zext(Option<u8>),
    /// `ilen(i)`: how many bits a value needs besides its sign.
    Ilen,
}

impl OfBits {
    /// The intrinsic function whose dummy arguments it has.
    pub(super) fn like(self) -> I {
        match self {
            OfBits::Eqv => I::Ieor,
            OfBits::Shift => I::Ishft,
            OfBits::Zext(_) | OfBits::Ilen => I::Not,
        }
    }
}

impl Checker<'_> {
    /// A reference to such a function.
    pub(super) fn function_of_bits(&mut self, what: OfBits, mut r: Reference) -> Option<Expr> {
        let span = r.span;
        match what {
            OfBits::Eqv => {
                let differ = self.elemental(Reference { id: I::Ieor, ..r })?;
                self.elemental(Reference { id: I::Not, args: vec![Some(differ)], span })
            }
            OfBits::Shift => {
                let i = self.typing().need(&mut r, 0)?;
                let i = match i.ty {
                    Type::Integer(1 | 2) => self.typing().convert(i, &Type::Integer(4))?,
                    _ => i,
                };
                r.args[0] = Some(i);
                self.elemental(r)
            }
            OfBits::Zext(kind) => {
                let i = self.typing().need(&mut r, 0)?;
                let kind = kind.unwrap_or(self.options.integer_kind());
                let bytes = match i.ty {
                    Type::Integer(k) | Type::Logical(k) if kind != 2 || k <= 2 => k,
                    _ => return self.typing().bad_argument(r.id, 0, &i, "an integer or a logical value"),
                };
                let wide = self.typing().convert(i, &Type::Integer(kind))?;
                if bytes >= kind {
                    return Some(wide);
                }
                let own_bits = constant(Const::Int((1 << (8 * bytes)) - 1), wide.ty.clone(), span);
                self.elemental(Reference { id: I::Iand, args: vec![Some(wide), Some(own_bits)], span })
            }
            OfBits::Ilen => self.length_in_bits(r),
        }
    }

    /// The bits of `i`, or of `not(i)` if it is negative, without the zeros before them.
    fn length_in_bits(&mut self, mut r: Reference) -> Option<Expr> {
        let span = r.span;
        let i = self.typing().need(&mut r, 0)?;
        let Type::Integer(kind) = i.ty else {
            return self.typing().bad_argument(r.id, 0, &i, "an integer");
        };
        if visit::has_calls(&i) {
            return self.reporter.refuse(span, "`ilen` of a function reference");
        }
        let bits = 8 * i64::from(kind);
        let number = |n: i64| Some(constant(Const::Int(n), Type::Integer(4), span));
        let args = vec![Some(i.clone()), number(bits - 1)];
        let sign = self.elemental(Reference { id: I::Shifta, args, span })?;
        let size = self.elemental(Reference { id: I::Ieor, args: vec![Some(i), Some(sign)], span })?;
        let zeros = self.elemental(Reference { id: I::Leadz, args: vec![Some(size)], span })?;
        let bits = constant(Const::Int(bits), zeros.ty.clone(), span);
        self.operation(&ast::BinaryOp::Sub, bits, zeros, span)
    }
}
