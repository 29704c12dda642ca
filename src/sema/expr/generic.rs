//! Generic names: the specific procedure whose dummies fit the arguments best.
//!
//! Type, kind and rank decide; of several that fit, a non-elemental one before an elemental one, then the one with the least
//! distance of CUDA attributes (guide, table 2 of 3.2.3). A rank counts exactly here: sequence association does not make a
//! specific procedure match.

use crate::checked::{Expr, Intrinsic, ProcId, ProcKind, Program, Shape, Type, TypeId};
use crate::checker::{Checker, CodeSide, Definitions, Sym};
use crate::intrinsics::Reference;
use crate::typing::{Argument, Fit, Given, Typing, space_of, type_name};
use ast::{Arg, Name};
use diag::{Code, Diagnostic};
use source::Span;

impl Checker<'_> {
    /// The specific procedure for these arguments.
    pub(crate) fn best_specific(&mut self, procs: &[ProcId], args: &[Argument]) -> Option<Fit> {
        let mut best: Option<((bool, bool, bool, u32), Fit)> = None;
        let mut rival = None;
        for &id in procs {
            // Most are out by a type, which is seen before anything is put into words.
            if !self.types_fit(id, args) {
                continue;
            }
            let Ok(fit) = self.fit(id, args, Span::NONE) else { continue };
            let other_side = !self.typing().is_callable(id);
            let inexact = !ranks_agree(&self.defs, &fit, args);
            // What cannot be called from here, or fits by sequence association only, is taken when nothing else fits.
            let rank = (other_side, inexact, self.defs.proc(id).elemental, fit.distance);
            match best.as_ref() {
                Some(b) if rank == b.0 => rival = rival.or(Some(id)),
                Some(b) if rank > b.0 => {}
                _ => (best, rival) = (Some((rank, fit)), None),
            }
        }
        let mut fit = best?.1;
        fit.rival = rival;
        Some(fit)
    }

    /// Reports a reference that two procedures, which USE statements have put together under one name, fit alike
    /// (Fortran 2018, 15.4.3.4.5).
    pub(crate) fn check_rival(&mut self, fit: &Fit, name: &Name) -> Option<()> {
        let Some(rival) = fit.rival else { return Some(()) };
        let mut around = self.scopes.around(self.cx.scope);
        let entry = around.find_map(|data| data.names.get(&name.text));
        let is_one = matches!(entry.map(|e| &e.sym), Some(Sym::Generic { procs, .. })
            if procs.contains(&fit.proc) && procs.contains(&rival));
        let (p, q) = (self.defs.proc(fit.proc), self.defs.proc(rival));
        let is_plain = |id: ProcId| self.defs.proc(id).params.iter().all(|v| !self.defs.var_info(*v).polymorphic);
        // A procedure of another generic that has this one's name is reached through it, and is none of its own.
        let is_of_other = p.name == name.text || q.name == name.text;
        let are_two = p.name != q.name && !is_of_other && is_plain(fit.proc) && is_plain(rival);
        if !is_one || !are_two || !crate::cuda::is_ambiguous(&self.defs, fit.proc, rival, "") {
            return Some(());
        }
        let text =
            format!("`{}` means `{}` and `{}` here, which take the same arguments", name.as_str(), p.name, q.name);
        let d = Diagnostic::new(Code::AmbiguousGeneric, name.span, text).secondary(p.span, "the first one is here");
        let d = d.secondary(q.span, "the second one is here");
        self.reporter.report(d.help("leave one of them out of the USE statements, or rename it"));
        None
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
        let functions: Vec<ProcId> = procs.iter().copied().filter(|p| self.defs.proc(*p).is_function).collect();
        if let Some((kind, rounding, others)) = self.rounding_to_kind(&functions, args) {
            let arguments = self.arguments(&others)?;
            let Some(fit) = self.best_specific(&rounding, &arguments) else {
                return self.no_specific(&functions, name, &arguments, span);
            };
            let rounded = self.function_call(fit, arguments, span)?;
            let kind = self.expr(kind)?;
            return self.elemental(Reference { id: Intrinsic::Int, args: vec![Some(rounded), Some(kind)], span });
        }
        // Keywords of a constructor are components, and its values may be anything: arguments are typed once for both.
        let arguments = self.arguments(args)?;
        self.typing().check_copy_count(name, args, &arguments);
        let intrinsic = crate::intrinsics::lookup(name.as_str());
        if let Some(fit) = self.best_specific(&functions, &arguments) {
            if let Some(found) = &intrinsic
                && let Some(value) = self.instead_of(&fit, |this| this.intrinsic_function(found.clone(), args, span))
            {
                return Some(value);
            }
            self.check_rival(&fit, name)?;
            return self.function_call(fit, arguments, span);
        }
        if let Some(id) = ty {
            return self.structure_of(id, arguments, name.span, span);
        }
        if let Some(found) = intrinsic {
            return self.intrinsic_function(found, args, span);
        }
        self.no_specific(&functions, name, &arguments, span)
    }

    /// Of a reference to IEEE_INT with KIND, which decides about the type of the result (Fortran 2018, 17.11.12): the kind, the functions
    /// that round as it does, and the other arguments.
    fn rounding_to_kind<'e>(
        &mut self,
        procs: &[ProcId],
        args: &'e [Arg],
    ) -> Option<(&'e ast::Expr, Vec<ProcId>, Vec<Arg>)> {
        let first = *procs.first()?;
        let is_ieee_int = self.defs.proc_info(first).embedded && self.defs.proc(first).name.starts_with("cufemu_int_r");
        let by_name = args.iter().position(|a| a.keyword.as_ref().is_some_and(|k| k.as_str() == "kind"));
        let by_place = (args.len() == 3 && args[2].keyword.is_none()).then_some(2);
        let at = by_name.or(by_place).filter(|_| is_ieee_int)?;
        let ast::ArgValue::Expr(kind) = &args[at].value else { return None };
        let scope = self.defs.proc_info(first).scope;
        let names = ["cufemu_rint_to_r4", "cufemu_rint_to_r8"];
        let rounding =
            names.map(|name| if let Some(Sym::Proc(id)) = self.find_from(scope, name) { Some(id) } else { None });
        let mut others: Vec<Arg> =
            args.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, arg)| arg.clone()).collect();
        // What is rounded is `x` there.
        for keyword in others.iter_mut().filter_map(|arg| arg.keyword.as_mut()).filter(|k| k.as_str() == "a") {
            keyword.text = "x".into();
        }
        Some((kind, rounding.into_iter().flatten().collect(), others))
    }

    /// A reference to the intrinsic procedure that a generic name adds to, if it takes the arguments, where the specific procedure
    /// that fits them cannot be called from here.
    pub(crate) fn instead_of<T>(&mut self, fit: &Fit, intrinsic: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.typing().is_callable(fit.proc) {
            return None;
        }
        let outer = std::mem::take(&mut self.reporter);
        let found = intrinsic(self);
        let told = std::mem::replace(&mut self.reporter, outer);
        if found.is_some() {
            self.reporter.absorb(told);
        }
        found
    }

    /// Reports that no specific procedure fits.
    pub(crate) fn no_specific<T>(&mut self, procs: &[ProcId], name: &Name, args: &[Argument], span: Span) -> Option<T> {
        for &id in procs {
            self.resolve_interface(id);
            if let Some(what) = self.defs.proc_info(id).refused.clone() {
                return self.reporter.refuse_again(&what);
            }
            if self.defs.proc_info(id).is_broken {
                return None;
            }
        }
        if self.scopes.is_tainted(self.cx.scope) {
            return None;
        }
        // A specific procedure may be one of an unsupported module.
        if let Some(what) = self.typing().foreign("") {
            return self.reporter.refuse_again(&what);
        }
        if let [only] = procs {
            return match self.fit(*only, args, span) {
                Err(wrong) => self.reporter.report_all(wrong),
                Ok(_) => None,
            };
        }
        let given = args.iter().map(|a| argument_name(&self.defs, a)).collect::<Vec<_>>().join(", ");
        let text = format!("no specific procedure of `{}` takes ({given})", name.as_str());
        let mut lines: Vec<String> = procs.iter().take(6).map(|&id| signature(&self.defs, id, name.as_str())).collect();
        lines.dedup();
        let d = Diagnostic::new(Code::NoMatchingSpecific, span, text);
        self.reporter.report(lines.into_iter().fold(d, Diagnostic::note));
        None
    }
}

impl Typing<'_> {
    /// Whether code here may call a procedure.
    fn is_callable(&self, id: ProcId) -> bool {
        match self.defs.proc(id).kind {
            ProcKind::HostDevice | ProcKind::Kernel => true,
            ProcKind::Host => !matches!(self.cx.side, CodeSide::Device | CodeSide::CufKernel),
            ProcKind::Device => self.cx.side != CodeSide::Host,
        }
    }
}

fn ranks_agree(program: &Program, fit: &Fit, args: &[Argument]) -> bool {
    let params = &program.proc(fit.proc).params;
    params.iter().zip(&fit.slots).all(|(&param, slot)| {
        let Some(Argument { given: Given::Expr(e), .. }) = slot.map(|i| &args[i]) else { return true };
        let dummy = program.var(param);
        matches!(dummy.shape, Shape::AssumedRank) || dummy.shape.rank() == e.rank || program.proc(fit.proc).elemental
    })
}

fn argument_name(program: &Program, arg: &Argument) -> String {
    match &arg.given {
        Given::Expr(e) => {
            let space = space_of(program, e).map(|c| format!("{} ", crate::cuda::word(c))).unwrap_or_default();
            let rank = if e.rank > 0 { format!(", rank {}", e.rank) } else { String::new() };
            format!("{space}{}{rank}", type_name(program, &e.ty))
        }
        Given::Proc(_) | Given::Variable(_) => "procedure".into(),
    }
}

/// How a specific procedure is called; those of embedded modules have no names of their own that a program could know.
fn signature(defs: &Definitions<'_>, id: ProcId, generic: &str) -> String {
    let p = defs.proc(id);
    let list = p
        .params
        .iter()
        .map(|v| {
            let v = defs.var(*v);
            let space = v.attrs.cuda.map(|c| format!(", {}", crate::cuda::word(c))).unwrap_or_default();
            let rank = v.shape.rank();
            let rank = if rank > 0 { format!(", rank {rank}") } else { String::new() };
            let form = match (v.attrs.allocatable, v.attrs.pointer) {
                (true, _) => ", allocatable",
                (_, true) => ", pointer",
                _ => "",
            };
            let ty = if matches!(v.ty, Type::Any) { "any type".into() } else { type_name(defs, &v.ty) };
            format!("{}: {ty}{space}{form}{rank}", v.name)
        })
        .collect::<Vec<_>>()
        .join("; ");
    let name = if defs.proc_info(id).embedded { generic } else { &*p.name };
    format!("`{name}` takes ({list})")
}
