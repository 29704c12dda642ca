//! References to intrinsic procedures: arguments are put in the order of the table row, converted, and the result typed.
//!
//! What later stages can rely on: conversions of one number (`int`, `real`, `dble`, `logical`, `cmplx` with one argument) are
//! [`ExprKind::Convert`] nodes; KIND arguments are gone, the result has the kind; shifts, positions and DIM are `integer(4)`,
//! counts, shapes and SIZE `integer(8)`, masks and BACK `logical(4)`; operands that must agree have one type.

mod array;
mod device;
mod inquiry;
mod limits;
mod names;
mod numeric;
mod particulars;
mod reduce;
mod specific;
mod subroutine;
mod text;
mod vendor;

use names::ResultType;
pub(crate) use names::{Found, LIBRARY_INTRINSICS, is_of_3f_library, lookup, nearest, nearest_subroutine, of_kind};

use crate::checked::{CharLen, Class, Const, Expr, ExprKind, Intrinsic, Type};
use crate::checker::{Checker, CodeSide, Sym};
use crate::typing::{Argument, Given, Typing, assignable_types, constant, is_class, is_procedure_pointer, shape_name};
use ast::{Arg, ArgValue, Radix};
use diag::{Code, Diagnostic, nearest_name};
use source::Span;

/// A reference that is being typed.
pub(crate) struct Reference {
    pub(crate) id: Intrinsic,
    /// In the order of the row; those beyond it behind.
    pub(crate) args: Vec<Option<Expr>>,
    pub(crate) span: Span,
}

impl Reference {
    /// The argument at a place, taken.
    pub(crate) fn take(&mut self, at: usize) -> Option<Expr> {
        self.args.get_mut(at).and_then(Option::take)
    }

    /// The argument at a place.
    pub(crate) fn get(&self, at: usize) -> Option<&Expr> {
        self.args.get(at).and_then(Option::as_ref)
    }
}

fn is_boz(arg: &Arg) -> bool {
    matches!(&arg.value, ArgValue::Expr(e) if matches!(e.kind, ast::ExprKind::Boz { .. }))
}

/// Whether an intrinsic function makes a number of a kind of a binary, octal or hexadecimal constant.
fn is_conversion(id: Intrinsic) -> bool {
    matches!(id, Intrinsic::Int | Intrinsic::Real | Intrinsic::Dble | Intrinsic::Cmplx)
}

/// The hexadecimal digits of as many rightmost bits of a constant as a value of a type has. Wrong digits stay.
fn rightmost_bits(radix: Radix, digits: &str, ty: &Type) -> String {
    let shift = match radix {
        Radix::Binary => 1,
        Radix::Octal => 3,
        Radix::Hex => 4,
    };
    let width = match ty {
        Type::Integer(k) | Type::Real(k) => u32::from(*k) * 8,
        _ => u64::BITS,
    };
    let bits = digits.chars().try_fold(0_u64, |bits, c| Some(bits << shift | u64::from(c.to_digit(1 << shift)?)));
    let kept = |bits: u64| format!("{:x}", bits & (u64::MAX >> (u64::BITS - width.clamp(1, u64::BITS))));
    bits.map_or_else(|| digits.to_owned(), kept)
}

/// Whether an intrinsic procedure is called, not referred to as a function.
pub(crate) fn is_subroutine(id: Intrinsic) -> bool {
    id.class() == Class::Subroutine || device::is_subroutine(id)
}

impl Checker<'_> {
    /// `len` of a variable whose bounds are being resolved.
    fn length_of_declared(&mut self, id: Intrinsic, args: &[Arg], span: Span) -> Option<Expr> {
        let (Intrinsic::Len, [Arg { value: ArgValue::Expr(of), .. }]) = (id, args) else { return None };
        let ast::ExprKind::Name(of) = &of.kind else { return None };
        let Some(Sym::Resolving) = self.find_name(of) else { return None };
        let (_, ty) = self.made.typed.iter().rfind(|(typed, _)| *typed == of.text)?;
        match ty {
            Type::Character(CharLen::Const(n)) => {
                let kind = ExprKind::Const(Const::Int((*n).max(0)));
                Some(Expr { kind, ty: self.options.integer(), rank: 0, span })
            }
            Type::Character(CharLen::Expr(length)) => {
                let (length, ty) = ((**length).clone(), self.options.integer());
                self.typing().convert(length, &ty)
            }
            _ => None,
        }
    }

    /// A function reference.
    pub(crate) fn intrinsic_function(&mut self, found: Found, args: &[Arg], span: Span) -> Option<Expr> {
        let id = found.id;
        if is_subroutine(id) {
            let text = format!("`{}` is a subroutine and has no value", id.name());
            return self.reporter.error_help(Code::NotAFunction, span, text, "call it with `call`");
        }
        self.typing().check_intrinsic_side(id, span)?;
        if let Some(length) = self.length_of_declared(id, args, span) {
            return Some(length);
        }
        if id == Intrinsic::Null {
            if let Some(more) = args.get(1) {
                return self.reporter.error(Code::ArgumentCount, more.span, "`null` takes one argument, `mold`");
            }
            // A mold says type and rank where the place does not.
            let mold = args.first().and_then(|a| if let ArgValue::Expr(e) = &a.value { self.probe(e) } else { None });
            let mold = mold.filter(|m| !is_procedure_pointer(&self.defs, m) && !is_class(&self.defs, m));
            let (ty, rank) = mold.map_or((Type::Any, 0), |m| (m.ty, m.rank));
            return Some(Expr { kind: ExprKind::Null, ty, rank, span });
        }
        if let Some(arg) = args.iter().find(|arg| found.is_widest && is_boz(arg)) {
            let text =
                "a binary, octal or hexadecimal constant has no kind, from which that of the result would follow";
            return self.reporter.error_help(Code::TypeMismatch, arg.span, text, "use `cmplx`");
        }
        let mut r = self.intrinsic_arguments(id, args, span)?;
        let implied = found.kind.or_else(|| found.is_widest.then(|| self.widest_real(&r.args)));
        if let Some(kind) = implied
            && let Some(at) = id.dummies().iter().position(|d| *d == "kind")
        {
            r.args[at] = Some(constant(Const::Int(i64::from(kind)), Type::Integer(4), span));
        }
        self.typing().check_host_intrinsic(r.id, &r.args)?;
        let rounds = self.typing().widen_half(&mut r)?;
        if matches!(id.class(), Class::Elemental | Class::Transformational) && id != Intrinsic::Transfer {
            for arg in &mut r.args {
                *arg = match arg.take() {
                    Some(e) => Some(self.host_value(e)?),
                    None => None,
                };
            }
        }
        if let Some(what) = found.of_bits {
            return self.function_of_bits(what, r);
        }
        let value = match id.class() {
            Class::Elemental => self.elemental(r),
            Class::Transformational => self.transformational(r),
            Class::Inquiry => self.inquiry(r),
            Class::Device => self.typing().device_function(r),
            Class::Subroutine => None,
        }?;
        let value = if rounds && matches!(value.ty, Type::Real(4)) {
            self.typing().convert(value, &Type::Real(2))?
        } else {
            value
        };
        use Intrinsic as I;
        let is_default_logical =
            matches!(id, I::Bge | I::Bgt | I::Ble | I::Blt | I::Isnan | I::IsIostatEnd | I::IsIostatEor);
        let result = match found.result {
            Some(ResultType::Real) => Some(Type::Real(self.options.real_kind())),
            Some(ResultType::Integer) => Some(self.options.integer()),
            Some(ResultType::IntegerOf(kind)) => Some(Type::Integer(kind)),
            None if is_default_logical => Some(self.options.logical()),
            None => None,
        };
        match result {
            Some(ty) => {
                if !assignable_types(&ty, &value.ty) {
                    return None;
                }
                self.typing().convert(value, &ty)
            }
            None => Some(value),
        }
    }

    /// The greatest kind of the real arguments; that of a default real if there is none.
    fn widest_real(&self, args: &[Option<Expr>]) -> u8 {
        let kinds = args.iter().flatten().filter_map(|e| if let Type::Real(kind) = e.ty { Some(kind) } else { None });
        kinds.max().unwrap_or(self.options.real_kind())
    }

    /// A subroutine call: the row and its arguments.
    pub(crate) fn intrinsic_call(
        &mut self,
        id: Intrinsic,
        args: &[Arg],
        span: Span,
    ) -> Option<(Intrinsic, Vec<Option<Expr>>)> {
        if !is_subroutine(id) {
            let text = format!("`{}` is a function, not a subroutine", id.name());
            return self.reporter.error_help(Code::NotASubroutine, span, text, "use its value in an expression");
        }
        self.typing().check_intrinsic_side(id, span)?;
        let r = self.intrinsic_arguments(id, args, span)?;
        self.subroutine(r)
    }

    /// Types the arguments and puts them in the order of the row.
    fn intrinsic_arguments(&mut self, id: Intrinsic, args: &[Arg], span: Span) -> Option<Reference> {
        let typed = match self.boz_arguments(id, args) {
            Some(typed) => typed?,
            None => self.arguments(args)?,
        };
        let dummies = id.dummies();
        let open = dummies.last() == Some(&"...");
        let named = if open { dummies.len() - 1 } else { dummies.len() };
        let mut out: Vec<Option<Expr>> = vec![None; named];
        let mut keywords = false;
        let given = typed.len();
        for (i, arg) in typed.into_iter().enumerate() {
            let at = match &arg.keyword {
                None if keywords => {
                    return self.reporter.error(
                        Code::DuplicateArgument,
                        arg.span,
                        "an argument by position stands after one by keyword",
                    );
                }
                None if i >= named && !open => {
                    let text =
                        format!("`{}` takes at most {named} argument{}", id.name(), if named == 1 { "" } else { "s" });
                    return self.reporter.error(Code::ArgumentCount, arg.span, text);
                }
                None => i,
                Some(keyword) => {
                    keywords = true;
                    let name = alias_of_keyword(id, given, keyword.as_str());
                    match dummies.iter().position(|d| *d == name) {
                        Some(at) if at < named => at,
                        _ => {
                            let near = nearest_name(keyword.as_str(), dummies.iter().copied());
                            let text = format!("`{}` has no argument `{}`", id.name(), keyword.as_str());
                            self.reporter
                                .report(Diagnostic::new(Code::UnknownKeyword, keyword.span, text).suggest(near));
                            return None;
                        }
                    }
                }
            };
            let e = match &arg.given {
                Given::Expr(e) => e.clone(),
                Given::Proc(p) if id == Intrinsic::Associated || (id == Intrinsic::Reduce && at == 1) => {
                    self.procedure_target(*p, arg.span)
                }
                Given::Variable(v) if matches!(id, Intrinsic::Associated | Intrinsic::Present) => {
                    Expr { kind: ExprKind::Var(*v), ty: Type::Integer(8), rank: 0, span: arg.span }
                }
                _ => return self.typing().procedure_argument(id, &arg),
            };
            if at >= out.len() {
                out.push(Some(e));
            } else if out[at].is_some() {
                return self.reporter.error(
                    Code::DuplicateArgument,
                    arg.span,
                    format!("argument `{}` is given twice", dummies[at]),
                );
            } else {
                out[at] = Some(e);
            }
        }
        // The second argument of a reduction may be its mask.
        if let (Some("dim"), Some("mask")) = (dummies.get(1).copied(), dummies.get(2).copied())
            && out[2].is_none()
            && out[1].as_ref().is_some_and(|e| matches!(e.ty, Type::Logical(_)))
        {
            out.swap(1, 2);
        }
        // So may the third one of REDUCE be, with what stands by position behind it.
        if id == Intrinsic::Reduce
            && out[2].as_ref().is_some_and(|e| matches!(e.ty, Type::Logical(_)))
            && let Some(free) = (3..out.len()).find(|&at| out[at].is_none())
        {
            out[2..=free].rotate_right(1);
        }
        let r = Reference { id, args: out, span };
        self.typing().check_constants(&r)?;
        self.typing().check_particulars(&r)?;
        Some(r)
    }

    /// BOZ constants take the type that the function gives them; `None` when there are none.
    #[allow(clippy::option_option)]
    fn boz_arguments(&mut self, id: Intrinsic, args: &[Arg]) -> Option<Option<Vec<Argument>>> {
        if !args.iter().any(is_boz) {
            return None;
        }
        let mut ty = None;
        if is_conversion(id) {
            let at = if id == Intrinsic::Cmplx { 2 } else { 1 };
            let kind =
                args.iter().enumerate().find(|(i, a)| a.keyword.as_ref().map_or(*i == at, |k| k.as_str() == "kind"));
            let kind = match kind.map(|k| &k.1.value) {
                Some(ArgValue::Expr(e)) => match self.constant_integer(e) {
                    Some(k) => Some(k as u8),
                    None => return Some(None),
                },
                _ => None,
            };
            ty = Some(match id {
                Intrinsic::Int => Type::Integer(kind.unwrap_or(self.options.integer_kind())),
                Intrinsic::Dble => Type::Real(8),
                _ => Type::Real(kind.unwrap_or(self.options.real_kind())),
            });
        } else {
            for arg in args.iter().filter(|a| !is_boz(a)) {
                let ArgValue::Expr(e) = &arg.value else { continue };
                let Some(value) = self.expr(e) else { return Some(None) };
                if let Type::Integer(_) = value.ty {
                    ty = Some(value.ty);
                    break;
                }
            }
        }
        let ty = ty?;
        if let (Intrinsic::MergeBits, [first, second, ..]) = (id, args)
            && is_boz(first)
            && is_boz(second)
        {
            let text = "the first two arguments of `merge_bits` are both binary, octal or hexadecimal constants";
            self.typing().not_standard(Code::MisplacedBoz, second.span, text, "write `int(…)` around one of them");
        }
        let mut out = Vec::with_capacity(args.len());
        for arg in args {
            let ArgValue::Expr(e) = &arg.value else { return Some(None) };
            let value = match &e.kind {
                // A conversion takes as many bits as its result has, the rightmost ones (Fortran 2018, 16.3.3).
                ast::ExprKind::Boz { radix, digits } if is_conversion(id) => {
                    let digits = rightmost_bits(*radix, digits, &ty);
                    self.typing().boz_literal(Radix::Hex, &digits, Some(&ty), e.span)
                }
                ast::ExprKind::Boz { radix, digits } if takes_boz(id) => {
                    self.typing().boz_literal(*radix, digits, Some(&ty), e.span)
                }
                _ => self.expr_as(e, &ty),
            };
            let Some(value) = value else { return Some(None) };
            out.push(Argument { keyword: arg.keyword.clone(), span: arg.span, ..Argument::of(value) });
        }
        Some(Some(out))
    }
}

/// Whether the standard takes a binary, octal or hexadecimal constant as an argument (Fortran 2018, C7109).
fn takes_boz(id: Intrinsic) -> bool {
    use Intrinsic as I;
    matches!(
        id,
        I::Bge
            | I::Bgt
            | I::Ble
            | I::Blt
            | I::Cmplx
            | I::Dble
            | I::Dshiftl
            | I::Dshiftr
            | I::Iand
            | I::Ieor
            | I::Int
            | I::Ior
            | I::MergeBits
            | I::Real
    )
}

/// Dummy names that the standard has beside those of the rows.
fn alias_of_keyword(id: Intrinsic, given: usize, keyword: &str) -> &str {
    match (id, keyword) {
        (Intrinsic::Atan | Intrinsic::Atand | Intrinsic::Atanpi, "x") if given == 1 => "y",
        (Intrinsic::BesselJn | Intrinsic::BesselYn, "n1") => "n",
        (Intrinsic::Achar | Intrinsic::Char, "i") => "i",
        (Intrinsic::Allocated, "scalar") => "array",
        (Intrinsic::Matmul, "a") => "matrix_a",
        (Intrinsic::Matmul, "b") => "matrix_b",
        _ => keyword,
    }
}

impl Typing<'_> {
    /// Functions compute with arguments of real(2) as real(4). Says whether their real result is one of real(2).
    fn widen_half(&mut self, r: &mut Reference) -> Option<bool> {
        use Intrinsic as I;
        let is_half = |e: &&Expr| matches!(e.ty, Type::Real(2));
        if !r.args.iter().flatten().any(|e| is_half(&e)) {
            return Some(false);
        }
        let computes = match r.id {
            I::Int | I::Real | I::Dble | I::Logical | I::Cmplx | I::Merge => false,
            // What they give depends on the format of the number itself.
            I::Nearest | I::Spacing | I::Rrspacing | I::OutOfRange => false,
            I::Sum | I::Product | I::Maxval | I::Minval | I::Maxloc | I::Minloc | I::Findloc => true,
            I::DotProduct | I::Matmul | I::Norm2 => true,
            id => id.class() == Class::Elemental,
        };
        if !computes {
            return Some(false);
        }
        let has_kind = r.id.dummies().iter().position(|d| *d == "kind").is_some_and(|at| r.get(at).is_some());
        let is_wide = |e: &Expr| matches!(e.ty, Type::Real(4 | 8));
        let has_wide = match r.id {
            // The kind is that of the first argument (Fortran 2018, 16.9.176).
            I::Sign => r.get(0).is_some_and(is_wide),
            _ => r.args.iter().flatten().any(is_wide),
        };
        let rounds = !has_kind && r.id != I::Dprod && !has_wide;
        for arg in r.args.iter_mut().filter(|a| a.as_ref().is_some_and(|e| is_half(&e))) {
            let Some(e) = arg.take() else { continue };
            *arg = Some(self.convert(e, &Type::Real(4))?);
        }
        Some(rounds)
    }

    /// Device procedures belong to device code, most host services to host code.
    fn check_intrinsic_side(&mut self, id: Intrinsic, span: Span) -> Option<()> {
        if self.cx.debugger {
            return Some(());
        }
        let is_barrier = matches!(
            id,
            Intrinsic::Syncthreads | Intrinsic::SyncthreadsAnd | Intrinsic::SyncthreadsOr | Intrinsic::SyncthreadsCount
        );
        if is_barrier && self.cx.side == CodeSide::CufKernel && !self.scopes.uses_module(self.cx.scope, "cudadevice") {
            let text = format!("`{}` in a `!$cuf kernel do` loop", id.name());
            let help = "write `use cudadevice` in a `block` around it, if all iterations of a block come there";
            return self.reporter.error_help(Code::DeviceIntrinsicInHostLoop, span, text, help);
        }
        match (id.class(), self.cx.side) {
            (Class::Device, CodeSide::Host) => {
                let text = format!("`{}` is a procedure of device code and is used in host code", id.name());
                self.not_on_host(span, text)
            }
            (Class::Device, CodeSide::Both) if !self.cx.guarded => {
                let text = format!("`{}` is a procedure of device code, and this code runs on the host too", id.name());
                let help = "write `if (on_device()) then` around it";
                self.reporter.error_help(Code::DeviceFeatureInHostCode, span, text, help)
            }
            (_, CodeSide::Device | CodeSide::CufKernel) if !device::has(id) => {
                let text = format!("device code has no `{}`", id.name());
                self.reporter.error_help(Code::IntrinsicNotOnDevice, span, text, "call it in host code")
            }
            _ => Some(()),
        }
    }

    fn procedure_argument<T>(&mut self, id: Intrinsic, arg: &Argument) -> Option<T> {
        self.reporter.refuse(arg.span, format!("`{}` of a procedure", id.name()))
    }

    /// Reports that an intrinsic does not take an argument.
    pub(crate) fn bad_argument<T>(&mut self, id: Intrinsic, at: usize, e: &Expr, wanted: &str) -> Option<T> {
        let dummy = id.dummies().get(at).copied().filter(|d| *d != "...").unwrap_or("argument");
        let text =
            format!("`{dummy}` of `{}` must be {wanted}, not {}", id.name(), shape_name(self.defs, &e.ty, e.rank));
        self.reporter.error(Code::BadIntrinsicArgument, e.span, text)
    }

    /// A required argument, taken.
    pub(crate) fn need(&mut self, r: &mut Reference, at: usize) -> Option<Expr> {
        if let Some(e) = r.take(at) {
            return Some(e);
        }
        let dummy = r.id.dummies().get(at).copied().unwrap_or("argument");
        let text = format!("argument `{dummy}` of `{}` is missing", r.id.name());
        self.reporter.error(Code::ArgumentCount, r.span, text)
    }

    /// A KIND argument, taken; the default when it is absent.
    pub(crate) fn take_kind(&mut self, r: &mut Reference, at: usize, default: u8, known: &[u8]) -> Option<u8> {
        let Some(e) = r.take(at) else { return Some(default) };
        if !matches!(e.ty, Type::Integer(_)) || e.rank != 0 {
            return self.bad_argument(r.id, at, &e, "an integer constant");
        }
        match self.evaluate(&e)? {
            Const::Int(k) if known.iter().any(|n| i64::from(*n) == k) => Some(k as u8),
            Const::Int(k) => self.reporter.error(Code::UnsupportedKind, e.span, format!("there is no such kind {k}")),
            _ => None,
        }
    }

    /// An argument converted to an integer kind, taken.
    #[allow(clippy::option_option)]
    pub(crate) fn take_integer(
        &mut self,
        r: &mut Reference,
        at: usize,
        kind: u8,
        scalar: bool,
    ) -> Option<Option<Expr>> {
        let Some(e) = r.take(at) else { return Some(None) };
        if !matches!(e.ty, Type::Integer(_)) {
            return self.bad_argument(r.id, at, &e, "an integer");
        }
        if scalar && e.rank != 0 {
            return self.bad_argument(r.id, at, &e, "a scalar");
        }
        self.convert(e, &Type::Integer(kind)).map(Some)
    }

    /// An argument converted to `logical(4)`, taken.
    #[allow(clippy::option_option)]
    pub(crate) fn take_logical(&mut self, r: &mut Reference, at: usize) -> Option<Option<Expr>> {
        let Some(e) = r.take(at) else { return Some(None) };
        if !matches!(e.ty, Type::Logical(_)) {
            return self.bad_argument(r.id, at, &e, "a logical");
        }
        self.convert(e, &Type::Logical(4)).map(Some)
    }

    /// A node.
    pub(crate) fn intrinsic_node(
        &mut self,
        id: Intrinsic,
        args: Vec<Option<Expr>>,
        ty: Type,
        rank: u8,
        span: Span,
    ) -> Option<Expr> {
        self.check_intrinsic_shapes(id, &args, span)?;
        self.fold(Expr { kind: ExprKind::Intrinsic { id, args }, ty, rank, span })
    }

    /// Whether an argument is there: a reference to PRESENT for an optional dummy, which may be absent. Conversions do not hide
    /// it. `None` for an argument that is always there.
    pub(crate) fn presence(&self, e: &Expr) -> Option<Expr> {
        match &e.kind {
            ExprKind::Convert(inner) => self.presence(inner),
            ExprKind::Var(v) if self.defs.var(*v).attrs.optional => {
                let kind = ExprKind::Intrinsic { id: Intrinsic::Present, args: vec![Some(e.clone())] };
                Some(Expr { kind, ty: self.options.logical(), rank: 0, span: e.span })
            }
            _ => None,
        }
    }

    /// The rank of an elemental reference.
    pub(crate) fn elemental_rank(&mut self, id: Intrinsic, args: &[Option<Expr>], span: Span) -> Option<u8> {
        let mut rank = 0;
        for e in args.iter().flatten() {
            if e.rank != 0 {
                if rank != 0 && rank != e.rank {
                    let text = format!("arguments of `{}` have ranks {rank} and {}", id.name(), e.rank);
                    return self.reporter.error(Code::ElementalShapes, span, text);
                }
                rank = e.rank;
            }
        }
        let what = format!("arguments of `{}`", id.name());
        self.check_all_conform(&what, args.iter().flatten(), span)?;
        Some(rank)
    }
}
