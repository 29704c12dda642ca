//! Generic names: the specific procedure whose dummies fit the arguments best.
//!
//! Type, kind and rank decide; of several that fit, a non-elemental one before an elemental one, then the one with the least
//! distance of CUDA attributes (guide, table 2 of 3.2.3). A rank counts exactly here: sequence association does not make a
//! specific procedure match.

use super::actual::{Argument, Given};
use super::fit::Fit;
use crate::checked::{Expr, ProcId, ProcKind, Shape, Type, TypeId};
use crate::checker::{Checker, Side};
use ast::{Arg, Name};
use diag::{Code, Diagnostic};
use source::Span;

impl Checker<'_> {
    /// The specific procedure for these arguments.
    pub(crate) fn best_specific(&mut self, procs: &[ProcId], args: &[Argument]) -> Option<Fit> {
        let mut best: Option<((bool, bool, bool, u32), Fit)> = None;
        for &id in procs {
            // Most are out by a type, which is seen before anything is put into words.
            if !self.types_fit(id, args) {
                continue;
            }
            let Ok(fit) = self.fit(id, args, Span::NONE) else { continue };
            let other_side = !self.is_callable(id);
            let inexact = !self.ranks_agree(&fit, args);
            // What cannot be called from here, or fits by sequence association only, is taken when nothing else fits.
            let rank = (other_side, inexact, self.out.proc(id).elemental, fit.distance);
            if best.as_ref().is_none_or(|b| rank < b.0) {
                best = Some((rank, fit));
            }
        }
        best.map(|b| b.1)
    }

    /// Whether code here may call a procedure.
    fn is_callable(&self, id: ProcId) -> bool {
        match self.out.proc(id).kind {
            ProcKind::HostDevice | ProcKind::Kernel => true,
            ProcKind::Host => !matches!(self.cx.side, Side::Device | Side::CufKernel),
            ProcKind::Device => self.cx.side != Side::Host,
        }
    }

    fn ranks_agree(&self, fit: &Fit, args: &[Argument]) -> bool {
        let params = &self.out.proc(fit.proc).params;
        params.iter().zip(&fit.slots).all(|(&param, slot)| {
            let Some(Argument { given: Given::Expr(e), .. }) = slot.map(|i| &args[i]) else { return true };
            let dummy = self.out.var(param);
            matches!(dummy.shape, Shape::AssumedRank)
                || dummy.shape.rank() == e.rank
                || self.out.proc(fit.proc).elemental
        })
    }

    /// A function reference, or structure constructor, by a generic name.
    pub(super) fn generic_reference(
        &mut self,
        procs: &[ProcId],
        ty: Option<TypeId>,
        name: &Name,
        args: &[Arg],
        span: Span,
    ) -> Option<Expr> {
        let functions: Vec<ProcId> = procs.iter().copied().filter(|p| self.out.proc(*p).is_function).collect();
        // Keywords of a constructor are components, and its values may be anything: arguments are typed once for both.
        let arguments = self.arguments(args)?;
        self.check_copy_count(name, args, &arguments);
        if let Some(fit) = self.best_specific(&functions, &arguments) {
            return self.function_call(fit, arguments, span);
        }
        if let Some(id) = ty {
            return self.structure_of(id, arguments, name.span, span);
        }
        if let Some(found) = crate::intrinsics::lookup(name.as_str()) {
            return self.intrinsic_function(found, args, span);
        }
        self.no_specific(&functions, name, &arguments, span)
    }

    /// Reports that no specific procedure fits.
    pub(crate) fn no_specific<T>(&mut self, procs: &[ProcId], name: &Name, args: &[Argument], span: Span) -> Option<T> {
        for &id in procs {
            self.header(id);
            if let Some(what) = self.procs[id.0 as usize].refused.clone() {
                return self.refuse_again(&what);
            }
            if self.procs[id.0 as usize].is_broken {
                return None;
            }
        }
        if self.is_tainted(self.cx.scope) {
            return None;
        }
        // A specific procedure may be one of an unsupported module.
        if let Some(what) = self.foreign("") {
            return self.refuse_again(&what);
        }
        if let [only] = procs {
            return match self.fit(*only, args, span) {
                Err(d) => {
                    self.report(*d);
                    None
                }
                Ok(_) => None,
            };
        }
        let given = args.iter().map(|a| self.argument_name(a)).collect::<Vec<_>>().join(", ");
        let text = format!("no specific procedure of `{}` takes ({given})", name.as_str());
        let mut lines: Vec<String> = procs.iter().take(6).map(|&id| self.signature(id, name.as_str())).collect();
        lines.dedup();
        let d = Diagnostic::new(Code::NoMatchingSpecific, span, text);
        self.report(lines.into_iter().fold(d, Diagnostic::note));
        None
    }

    fn argument_name(&self, arg: &Argument) -> String {
        match &arg.given {
            Given::Expr(e) => {
                let space = self.space_of(e).map(|c| format!("{} ", crate::cuda::word(c))).unwrap_or_default();
                let rank = if e.rank > 0 { format!(", rank {}", e.rank) } else { String::new() };
                format!("{space}{}{rank}", self.type_name(&e.ty))
            }
            Given::Proc(_) | Given::Variable(_) => "procedure".into(),
        }
    }

    /// How a specific procedure is called; those of embedded modules have no names of their own that a program could know.
    fn signature(&self, id: ProcId, generic: &str) -> String {
        let p = self.out.proc(id);
        let list = p
            .params
            .iter()
            .map(|v| {
                let v = self.out.var(*v);
                let space = v.attrs.cuda.map(|c| format!(", {}", crate::cuda::word(c))).unwrap_or_default();
                let rank = v.shape.rank();
                let rank = if rank > 0 { format!(", rank {rank}") } else { String::new() };
                let form = match (v.attrs.allocatable, v.attrs.pointer) {
                    (true, _) => ", allocatable",
                    (_, true) => ", pointer",
                    _ => "",
                };
                let ty = if matches!(v.ty, Type::Any) { "any type".into() } else { self.type_name(&v.ty) };
                format!("{}: {ty}{space}{form}{rank}", v.name)
            })
            .collect::<Vec<_>>()
            .join("; ");
        let name = if self.procs[id.0 as usize].embedded { generic } else { &*p.name };
        format!("`{name}` takes ({list})")
    }
}
