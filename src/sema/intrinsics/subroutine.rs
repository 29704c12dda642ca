//! Intrinsic subroutines: the types of their arguments, and which of them they change.

use super::Reference;
use crate::checked::Intrinsic as I;
use crate::checked::{Expr, Type, is_designator};
use crate::checker::Checker;
use crate::typing::{Typing, is_allocatable, is_class, is_pointer, is_procedure_pointer, same_type, shape_name};
use diag::Code;

/// What an argument must be.
#[derive(Clone, Copy)]
enum Wanted {
    /// An integer variable that is set.
    IntegerOut,
    /// A real variable that is set.
    RealOut,
    /// A real or integer variable that is set.
    NumberOut,
    /// A character variable that is set.
    TextOut,
    /// An integer array that is set.
    IntegersOut,
    /// An integer value, given as `integer(4)`.
    Integer,
    /// An integer array.
    Integers,
    /// A character value.
    Text,
    /// A logical value.
    Logical,
    /// A group of threads of module `cooperative_groups`.
    Group,
    /// Anything that can be set.
    Out,
}

fn wanted(id: I) -> &'static [(Wanted, bool)] {
    use Wanted as W;
    match id {
        I::CpuTime => &[(W::RealOut, true)],
        I::DateAndTime => &[(W::TextOut, false), (W::TextOut, false), (W::TextOut, false), (W::IntegersOut, false)],
        I::GetCommand => &[(W::TextOut, false), (W::IntegerOut, false), (W::IntegerOut, false), (W::TextOut, false)],
        I::GetCommandArgument => &[
            (W::Integer, true),
            (W::TextOut, false),
            (W::IntegerOut, false),
            (W::IntegerOut, false),
            (W::TextOut, false),
        ],
        I::GetEnvironmentVariable => &[
            (W::Text, true),
            (W::TextOut, false),
            (W::IntegerOut, false),
            (W::IntegerOut, false),
            (W::Logical, false),
            (W::TextOut, false),
        ],
        I::Getarg => &[(W::Integer, true), (W::TextOut, true)],
        I::RandomNumber => &[(W::RealOut, true)],
        I::RandomSeed => &[(W::IntegerOut, false), (W::Integers, false), (W::IntegersOut, false)],
        I::SystemClock => &[(W::IntegerOut, false), (W::NumberOut, false), (W::IntegerOut, false)],
        I::Exit => &[(W::Integer, false)],
        I::Flush => &[(W::Integer, false)],
        I::Sleep => &[(W::Integer, true)],
        I::Syncthreads => &[(W::Group, false)],
        I::PipelineWaitPrior => &[(W::Integer, true)],
        I::Syncwarp => &[(W::Integer, false)],
        I::GpuTime => &[(W::Out, true)],
        _ => &[],
    }
}

impl Checker<'_> {
    /// Types a subroutine's arguments.
    pub(super) fn subroutine(&mut self, mut r: Reference) -> Option<(I, Vec<Option<Expr>>)> {
        let id = r.id;
        match id {
            I::MoveAlloc => {
                let mut status = Vec::with_capacity(2);
                for (at, what) in [(2, Wanted::IntegerOut), (3, Wanted::TextOut)] {
                    status.push(match r.take(at) {
                        Some(e) => Some(self.wanted(id, at, e, what)?),
                        None => None,
                    });
                }
                let (id, mut args) = self.typing().move_alloc(r)?;
                args.append(&mut status);
                return Some((id, args));
            }
            I::Mvbits => return self.typing().mvbits(r),
            I::CFPointer => return self.typing().c_f_pointer(r),
            I::CFProcpointer => return self.typing().c_f_procpointer(r),
            I::PipelineMemcpyAsync => return self.typing().pipeline_copy(r),
            I::Stwb | I::Stcg | I::Stcs | I::Stwt => return self.typing().hinted_store(r),
            _ => {}
        }
        let mut args = Vec::with_capacity(r.args.len());
        for (at, &(what, required)) in wanted(id).iter().enumerate() {
            match r.take(at) {
                None if required => return self.typing().need(&mut r, at).map(|e| (id, vec![Some(e)])),
                None => args.push(None),
                Some(e) => args.push(Some(self.wanted(id, at, e, what)?)),
            }
        }
        Some((id, args))
    }

    fn wanted(&mut self, id: I, at: usize, e: Expr, what: Wanted) -> Option<Expr> {
        let (fits, text) = match what {
            Wanted::IntegerOut => (matches!(e.ty, Type::Integer(_)) && e.rank == 0, "an integer variable"),
            Wanted::RealOut if id == I::RandomNumber => (matches!(e.ty, Type::Real(_)), "a real variable"),
            Wanted::RealOut => (matches!(e.ty, Type::Real(4 | 8)), "a `real(4)` or `real(8)` variable"),
            Wanted::NumberOut => {
                (matches!(e.ty, Type::Integer(_) | Type::Real(4 | 8)) && e.rank == 0, "a numeric variable")
            }
            Wanted::TextOut => (matches!(e.ty, Type::Character(_)) && e.rank == 0, "a character variable"),
            Wanted::IntegersOut | Wanted::Integers => {
                (matches!(e.ty, Type::Integer(_)) && e.rank == 1, "an integer array of rank 1")
            }
            Wanted::Integer => (matches!(e.ty, Type::Integer(_)) && e.rank == 0, "an integer"),
            Wanted::Text => (matches!(e.ty, Type::Character(_)) && e.rank == 0, "a character value"),
            Wanted::Logical => (matches!(e.ty, Type::Logical(_)) && e.rank == 0, "a logical"),
            Wanted::Group => (self.is_group(&e), "a group of threads"),
            Wanted::Out => (true, "something else"),
        };
        if !fits {
            return self.typing().bad_argument(id, at, &e, text);
        }
        match what {
            Wanted::Integer => self.typing().convert(e, &Type::Integer(4)),
            Wanted::Logical => self.typing().convert(e, &Type::Logical(4)),
            Wanted::Integers | Wanted::Text | Wanted::Group => Some(e),
            _ => {
                self.typing().changed(id, &e)?;
                Some(e)
            }
        }
    }

    fn is_group(&mut self, e: &Expr) -> bool {
        let Type::Derived(id) = e.ty else { return false };
        let groups = ["grid_group", "thread_group", "coalesced_group", "cluster_group"];
        e.rank == 0
            && groups.iter().any(|name| matches!(self.embedded_type(name), Some(Type::Derived(group)) if group == id))
    }
}

impl Typing<'_> {
    /// Checks that an intrinsic may change an argument.
    fn changed(&mut self, id: I, e: &Expr) -> Option<()> {
        match self.definable(e) {
            Ok(()) if is_designator(e) => self.check_device_target(e),
            Ok(()) => self.reporter.error(
                Code::ArgumentNotDefinable,
                e.span,
                format!("`{}` changes its argument, which must be a variable", id.name()),
            ),
            Err(why) => {
                let text = format!("`{}` changes its argument, and {why}", id.name());
                self.reporter.error_help(Code::ArgumentNotDefinable, e.span, text, "pass a variable")
            }
        }
    }

    fn move_alloc(&mut self, mut r: Reference) -> Option<(I, Vec<Option<Expr>>)> {
        let (from, to) = (self.need(&mut r, 0)?, self.need(&mut r, 1)?);
        for (at, e) in [&from, &to].into_iter().enumerate() {
            if !is_allocatable(self.defs, e) {
                return self.bad_argument(r.id, at, e, "allocatable");
            }
            self.changed(r.id, e)?;
        }
        let fits = same_type(&from.ty, &to.ty) || (is_class(self.defs, &to) && self.defs.class_takes(&to.ty, &from.ty));
        if !fits || from.rank != to.rank {
            let text = format!("{} like `from`", shape_name(self.defs, &from.ty, from.rank));
            return self.bad_argument(r.id, 1, &to, &text);
        }
        Some((r.id, vec![Some(from), Some(to)]))
    }

    fn mvbits(&mut self, mut r: Reference) -> Option<(I, Vec<Option<Expr>>)> {
        let from = self.need(&mut r, 0)?;
        let frompos = self.take_integer(&mut r, 1, 4, false)?;
        let len = self.take_integer(&mut r, 2, 4, false)?;
        let to = self.need(&mut r, 3)?;
        let topos = self.take_integer(&mut r, 4, 4, false)?;
        if !matches!(to.ty, Type::Integer(_)) {
            return self.bad_argument(r.id, 3, &to, "an integer variable");
        }
        self.changed(r.id, &to)?;
        if frompos.is_none() || len.is_none() || topos.is_none() {
            return self.reporter.error(Code::ArgumentCount, r.span, "`mvbits` takes five arguments");
        }
        let ty = to.ty.clone();
        let from = self.convert(from, &ty)?;
        Some((r.id, vec![Some(from), frompos, len, Some(to), topos]))
    }

    fn c_f_procpointer(&mut self, mut r: Reference) -> Option<(I, Vec<Option<Expr>>)> {
        let (cptr, fptr) = (self.need(&mut r, 0)?, self.need(&mut r, 1)?);
        if !matches!(cptr.ty, Type::Derived(id) if &*self.defs.ty(id).name == "c_funptr") {
            return self.bad_argument(r.id, 0, &cptr, "`type(c_funptr)`");
        }
        if !is_procedure_pointer(self.defs, &fptr) {
            return self.bad_argument(r.id, 1, &fptr, "a procedure pointer");
        }
        Some((r.id, vec![Some(cptr), Some(fptr)]))
    }

    fn c_f_pointer(&mut self, mut r: Reference) -> Option<(I, Vec<Option<Expr>>)> {
        let (cptr, fptr) = (self.need(&mut r, 0)?, self.need(&mut r, 1)?);
        let is_c_pointer =
            matches!(cptr.ty, Type::Derived(id) if matches!(&*self.defs.ty(id).name, "c_ptr" | "c_devptr"));
        if !is_c_pointer {
            return self.bad_argument(r.id, 0, &cptr, "`type(c_ptr)` or `type(c_devptr)`");
        }
        if !is_pointer(self.defs, &fptr) && !is_allocatable(self.defs, &fptr) {
            return self.bad_argument(r.id, 1, &fptr, "a pointer");
        }
        let shape = self.take_integer(&mut r, 2, 8, false)?;
        if fptr.rank > 0 && shape.is_none() {
            return self.reporter.error(Code::ArgumentCount, r.span, "`c_f_pointer` of an array pointer needs `shape`");
        }
        let lower = self.take_integer(&mut r, 3, 8, false)?;
        Some((r.id, vec![Some(cptr), Some(fptr), shape, lower]))
    }
}
