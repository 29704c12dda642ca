//! Device data as arguments: which memory a dummy accepts (rule 28), and sections with gaps (rule 31).
//!
//! Not here: type, rank and other properties of arguments (`expr::fit`).

use super::{distance, is_device_only, spelling};
use crate::checked::{Const, Expr, ExprKind, ProcKind, Shape, Sub, Type, VarId, Variable, is_designator, root};
use crate::checker::{CodeSide, Definitions};
use crate::typing::{Fit, Typing, is_implicitly_managed, known_extents, section_extents, space_of};
use diag::{Code, Diagnostic};
use source::Span;

impl Typing<'_> {
    /// A device section whose first dimension has gaps cannot go to an assumed-shape device dummy (rule 31).
    pub(crate) fn fit_contiguous(&self, dummy: &Variable, e: &Expr) -> Result<(), Box<Diagnostic>> {
        let is_shaped = matches!(dummy.shape, Shape::AssumedShape(_)) && !dummy.attrs.ignore_tkr.contains('c');
        if !is_shaped || self.cx.side != CodeSide::Host || !is_device_only(space_of(self.defs, e)) {
            return Ok(());
        }
        if !self.is_scattered(e) {
            return Ok(());
        }
        let what = if matches!(e.kind, ExprKind::ComplexPart { .. }) { "a part of complex numbers" } else { "section" };
        let text =
            format!("{what} has gaps in its first dimension, and `{}` is an assumed-shape device argument", dummy.name);
        let d = Diagnostic::new(Code::DiscontiguousDeviceArgument, e.span, text);
        Err(Box::new(d.help("copy it to a contiguous device array first")))
    }

    /// Whether an array has gaps in its first dimension for certain.
    pub(crate) fn is_scattered(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Section { base, subs, .. } => self.has_gaps(base, subs),
            ExprKind::ComplexPart { base, .. } => base.rank > 0,
            _ => false,
        }
    }

    /// Whether the elements of an array do not lie side by side for certain.
    pub(crate) fn is_spread(&self, e: &Expr) -> bool {
        let ExprKind::Section { base, subs } = &e.kind else { return self.is_scattered(e) };
        if self.has_gaps(base, subs) {
            return true;
        }
        let whole = known_extents(self.defs, base);
        let mut parts = section_extents(self.defs, base, subs).into_iter();
        // Whether a dimension before is taken in part.
        let mut is_partial = false;
        let mut is_spread = false;
        for (i, sub) in subs.iter().enumerate() {
            let all = whole.get(i).copied().flatten();
            let Sub::Range { step, .. } = sub else {
                if matches!(sub, Sub::Vector(_)) {
                    return false;
                }
                is_partial |= all.is_some_and(|n| n > 1);
                continue;
            };
            let part = parts.next().flatten();
            if part == Some(0) {
                return false;
            }
            let has_step = matches!(step, Some(Expr { kind: ExprKind::Const(Const::Int(n)), .. }) if *n != 1);
            is_spread |= (is_partial || has_step) && part.is_some_and(|n| n > 1);
            is_partial |= all.zip(part).is_some_and(|(all, part)| part < all);
        }
        is_spread
    }

    /// Whether the first dimension of a section has gaps for certain: a known number of elements, more than one, and a known stride.
    fn has_gaps(&self, base: &Expr, subs: &[Sub]) -> bool {
        let extents = section_extents(self.defs, base, subs);
        let is_empty = extents.contains(&Some(0));
        match subs.first() {
            Some(Sub::Index(_) | Sub::Vector(_)) => !is_empty,
            Some(Sub::Range { step: Some(Expr { kind: ExprKind::Const(Const::Int(n)), .. }), .. }) => {
                *n != 1 && !is_empty && extents.first().copied().flatten().is_some_and(|count| count > 1)
            }
            Some(Sub::Range { .. }) | None => false,
        }
    }

    /// The memory of an argument must be one that its dummy accepts (rule 28). Adds to the fit how far the two are apart.
    pub(crate) fn fit_space(
        &self,
        fit: &mut Fit,
        dummy: &Variable,
        e: &Expr,
        span: Span,
    ) -> Result<(), Box<Diagnostic>> {
        let callee = self.defs.proc(fit.proc).kind;
        let ignored = dummy.attrs.ignore_tkr.contains('d')
            || matches!(dummy.shape, Shape::AssumedRank)
            || matches!(dummy.ty, Type::Any);
        let managed_dummy = matches!(dummy.attrs.cuda, Some(ast::CudaAttr::Managed | ast::CudaAttr::Unified));
        let ignored = ignored
            || (dummy.attrs.ignore_tkr.contains('m') && managed_dummy && !is_device_only(space_of(self.defs, e)));
        if ignored || dummy.attrs.value || matches!(e.kind, ExprKind::Null) {
            return Ok(());
        }
        let wanted = match (dummy.attrs.cuda, callee) {
            (None, ProcKind::Kernel) => Some(ast::CudaAttr::Device),
            (given, _) => given,
        };
        if self.cx.side.on_device() {
            let actual = root(e).and_then(|id| self.defs.var(id).attrs.cuda);
            if wanted == Some(ast::CudaAttr::Shared) && actual != Some(ast::CudaAttr::Shared) {
                let text = format!("argument `{}` must be shared data", dummy.name);
                return Err(Box::new(Diagnostic::new(Code::ArgumentDataAttribute, span, text)));
            }
            // Inside device code every address will do for the rest, and the nearer attribute is the better match.
            fit.distance += u32::from(wanted != actual && wanted.is_some());
            return Ok(());
        }
        let actual = space_of(self.defs, e).or_else(|| result_space(self.defs, e));
        let managed = self.options.managed && is_implicitly_managed(self.defs, e);
        let unified = self.options.unified && is_designator(e);
        // A value has no memory of its own: what is passed is a copy, which the call puts into managed memory.
        let is_value = managed_dummy && actual.is_none() && !is_designator(e) && callee == ProcKind::Host;
        // Without an interface the address is passed, and host code that gets it for managed data can use it.
        let is_address = managed_dummy && actual.is_none() && self.cx.implicit_interface == Some(fit.proc);
        match distance(wanted, actual, managed, unified).or_else(|| (is_value || is_address).then_some(4)) {
            Some(d) => {
                fit.distance += d;
                Ok(())
            }
            None => {
                let text = match (wanted, actual) {
                    (Some(w), None) => {
                        format!("argument `{}` must be {} data, and host data is given", dummy.name, spelling(w))
                    }
                    (None, Some(a)) => {
                        format!("argument `{}` is host data, and {} data is given", dummy.name, spelling(a))
                    }
                    (Some(w), Some(a)) => {
                        format!(
                            "argument `{}` must be {} data, and {} data is given",
                            dummy.name,
                            spelling(w),
                            spelling(a)
                        )
                    }
                    (None, None) => return Ok(()),
                };
                if callee == ProcKind::Host && self.cx.implicit_interface == Some(fit.proc) {
                    // nvfortran does not compare them; the first access that its memory does not allow is an error of the run.
                    let text = format!("{text}: without an interface its address is passed as it is");
                    let d = Diagnostic::new(Code::DeviceArgumentWithoutInterface, span, text);
                    fit.warnings.push(d.secondary(dummy.span, "declared here"));
                    fit.distance += 4;
                    return Ok(());
                }
                let d = Diagnostic::new(Code::ArgumentDataAttribute, span, text);
                let d = if callee == ProcKind::Kernel
                    && matches!(dummy.shape, Shape::Scalar)
                    && dummy.attrs.cuda.is_none()
                {
                    d.secondary(dummy.span, "declared here without `value`")
                        .help("add `value` to the dummy argument, so that the host passes a copy")
                } else if let (Some(w), None) = (wanted, actual) {
                    let d = d.secondary(dummy.span, "declared here");
                    let d = if self.cx.in_host_data {
                        d.note("directives of OpenACC are comments here: `host_data` makes no device data of host data")
                    } else {
                        d
                    };
                    match root(e).map(|id| self.defs.var(id)).filter(|v| v.attrs.cuda.is_none() && is_designator(e)) {
                        Some(given) => d
                            .secondary(given.span, format!("`{}` is declared here without an attribute", given.name))
                            .help(format!(
                                "declare `{}` with {}, or copy it to device data first and pass that",
                                given.name,
                                spelling(w)
                            )),
                        None => d.help("copy it to device data first and pass that"),
                    }
                } else {
                    d.secondary(dummy.span, "declared here")
                };
                Err(Box::new(d))
            }
        }
    }

    /// Warns of device data for an assumed-shape dummy whose first dimension is not known to be contiguous: a section with a
    /// stride of unknown value, or what a pointer points to (rule 31).
    pub(crate) fn warn_of_gaps(&mut self, param: VarId, e: &Expr) {
        let dummy = self.defs.var(param);
        if !matches!(dummy.shape, Shape::AssumedShape(_))
            || dummy.attrs.ignore_tkr.contains('c')
            || !is_device_only(space_of(self.defs, e))
        {
            return;
        }
        let (whole, first) = match &e.kind {
            ExprKind::Section { base, subs, .. } => (&**base, subs.first()),
            _ => (e, None),
        };
        let stride = if let Some(Sub::Range { step, .. }) = first { step.as_ref() } else { None };
        let count = || match &e.kind {
            ExprKind::Section { base, subs, .. } => section_extents(self.defs, base, subs).first().copied().flatten(),
            _ => None,
        };
        let is_strided = stride.is_some_and(|s| match &s.kind {
            ExprKind::Const(Const::Int(n)) => *n != 1 && count().is_none(),
            _ => true,
        });
        let pointer = match &whole.kind {
            ExprKind::Var(id) if self.cx.side == CodeSide::Host => {
                Some(self.defs.var(*id)).filter(|v| v.attrs.pointer && !v.attrs.contiguous)
            }
            _ => None,
        };
        let (what, help) = match pointer {
            _ if is_strided => ("section may have gaps".to_owned(), None),
            Some(p) => {
                let help = format!("declare `{}` with `contiguous` if it never points to a section with gaps", p.name);
                (format!("what pointer `{}` points to may have gaps", p.name), Some(help))
            }
            None => return,
        };
        let text = format!("{what} in its first dimension, and `{}` is an assumed-shape argument", dummy.name);
        let d = Diagnostic::new(Code::PossiblyDiscontiguousArgument, e.span, text);
        self.reporter.report(match help {
            Some(help) => d.help(help),
            None => d,
        });
    }
}

/// Where the result of a function lives that is an array, a pointer or allocatable: by its attribute.
fn result_space(defs: &Definitions<'_>, e: &Expr) -> Option<ast::CudaAttr> {
    let ExprKind::Call { proc, .. } = e.kind else { return None };
    let result = defs.var(defs.proc(proc).result?);
    let has_memory = result.attrs.pointer || result.attrs.allocatable || result.shape.rank() > 0;
    result.attrs.cuda.filter(|_| has_memory)
}
