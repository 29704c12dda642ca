//! Intrinsic procedures, by family.
//!
//! Operations of the IR are made inline. Transcendental functions are calls of the embedded Fortran module `cufemu_math`
//! (`sin_r4`, `pow_r8`, `exp_c4` …, named after the type of the result). A function that the module lacks is refused when it
//! is reached.
//!
//! Not here: constant inquiries, which `sema` folds.

mod array_shift;
mod bits;
mod character;
mod device;
mod inquiry;
mod locate;
mod matmul;
mod model;
mod numeric;
mod reduce;
mod reshape;
mod subroutine;

use crate::function::FunctionLowering;
use crate::value::Value;
use crate::value::array_view::ArrayView;
use sema::checked::{Class, Expr, Intrinsic, Type};

/// Arguments in the order of the table row, absent ones `None`.
pub(crate) type Args<'p> = &'p [Option<Expr>];

/// The argument of that position, if it is there.
pub(crate) fn arg(args: Args<'_>, i: usize) -> Option<&Expr> {
    args.get(i).and_then(Option::as_ref)
}

impl<'p> FunctionLowering<'_, 'p> {
    /// An intrinsic function with a scalar result, or the current element of an elemental one.
    pub(crate) fn intrinsic(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Value {
        use Intrinsic as I;
        let made = match id {
            I::Btest
            | I::Iand
            | I::Ibclr
            | I::Ibits
            | I::Ibset
            | I::Ieor
            | I::Ior
            | I::Ishft
            | I::Ishftc
            | I::Leadz
            | I::Maskl
            | I::Maskr
            | I::Not
            | I::Popcnt
            | I::Poppar
            | I::Shiftl
            | I::Shiftr
            | I::Shifta
            | I::Trailz
            | I::Rshift
            | I::Lshift
            | I::Dshiftl
            | I::Dshiftr
            | I::MergeBits
            | I::Bge
            | I::Bgt
            | I::Ble
            | I::Blt => self.bit_function(id, args, e),
            I::Exponent | I::Fraction | I::Nearest | I::Rrspacing | I::Scale | I::SetExponent | I::Spacing => {
                self.model_function(id, args)
            }
            I::Achar
            | I::Adjustl
            | I::Adjustr
            | I::Char
            | I::Iachar
            | I::Ichar
            | I::Index
            | I::LenTrim
            | I::Lge
            | I::Lgt
            | I::Lle
            | I::Llt
            | I::Scan
            | I::Verify
            | I::Repeat
            | I::Trim
            | I::NewLine => self.character_function(id, args, e),
            _ if id.class() == Class::Elemental => self.numeric_function(id, args, e),
            _ if id.class() == Class::Inquiry => self.inquiry(id, args, e),
            _ if id.class() == Class::Device => self.device_function(id, args, e),
            I::CAssociated | I::CommandArgumentCount => self.inquiry(id, args, e),
            I::Transfer => self.transfer_scalar(args, e),
            _ => self.reduction(id, args, e),
        };
        made.unwrap_or_else(|| self.b.refused(&e.ty, &format!("`{}` of these arguments", id.name())))
    }

    /// An intrinsic function with an array result; `None` if it is not made.
    pub(crate) fn array_intrinsic(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        use Intrinsic as I;
        match id {
            I::Transpose => self.transpose(args),
            I::Reshape => self.reshape(args, e),
            I::Spread => self.spread(args),
            I::Cshift | I::Eoshift => self.shifted(id, args, e),
            I::Pack => self.pack(args, e),
            I::Unpack => self.unpack(args, e),
            I::Transfer => self.transfer_array(args, e),
            I::Matmul => self.matmul(args, e),
            I::Maxloc | I::Minloc | I::Findloc => self.locate_array(id, args, e),
            I::Shape | I::Lbound | I::Ubound => self.bounds_array(id, args, e),
            _ => self.reduction_array(id, args, e),
        }
    }

    /// The values of the arguments that are there.
    pub(crate) fn argument_values(&mut self, args: Args<'p>) -> Vec<(Value, Type)> {
        args.iter().flatten().map(|a| (self.value(a), a.ty.clone())).collect()
    }
}
