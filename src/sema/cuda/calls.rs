//! Who may call whom (rules 6, 23, 25), and what is called but defined nowhere.

use crate::checked::{ProcBody, ProcId, ProcKind, Type};
use crate::checker::{Checker, Side};
use crate::expr::{Argument, Given};
use crate::scope::State;
use ast::{Arg, ArgValue, Expr, ExprKind, Name};
use diag::{Code, Diagnostic, Severity};
use source::Span;

impl Checker<'_> {
    /// Notes a reference to a procedure, for the rules that need all of them.
    pub(crate) fn note_call(&mut self, id: ProcId, span: Span) {
        if let Some(from) = self.cx.proc {
            self.procs[from.0 as usize].calls.push((id, span));
        }
    }

    /// Checks that a procedure may be called from here.
    pub(crate) fn check_call(&mut self, id: ProcId, span: Span) -> Option<()> {
        debug_assert!(self.procs[id.0 as usize].state != State::Untouched);
        if let Some(what) = self.procs[id.0 as usize].refused.clone() {
            return self.refuse_again(&what);
        }
        let callee = self.out.proc(id);
        let (kind, name) = (callee.kind, callee.name.clone());
        let on_device = match self.cx.side {
            Side::Host => false,
            Side::Device | Side::CufKernel => true,
            // A procedure compiled for both must guard calls of one side with `on_device()`.
            Side::Both if self.cx.guarded => return self.called(id, span),
            Side::Both => kind == ProcKind::Host,
        };
        if self.cx.specification || self.frozen {
            return self.called(id, span);
        }
        match (on_device, kind) {
            (true, ProcKind::Host) if self.procs[id.0 as usize].embedded && name.starts_with("cuda") => {
                self.refuse(span, format!("`{name}` in device code"))
            }
            (true, ProcKind::Host) => {
                let text = format!("host procedure `{name}` is called in device code");
                let d = Diagnostic::new(Code::WrongSideCall, span, text);
                let d = if self.procs[id.0 as usize].embedded {
                    d
                } else {
                    d.secondary(self.out.proc(id).span, "declared here")
                        .help(format!("declare `{name}` with `attributes(device)` or `attributes(host,device)`"))
                };
                self.report(d);
                None
            }
            (false, ProcKind::Device) => {
                let text = format!("device procedure `{name}` is called in host code");
                let d =
                    Diagnostic::new(Code::WrongSideCall, span, text).secondary(self.out.proc(id).span, "declared here");
                self.report(d.help("call it from a kernel, or declare it with `attributes(host,device)`"));
                None
            }
            _ => self.called(id, span),
        }
    }

    fn called(&mut self, id: ProcId, span: Span) -> Option<()> {
        self.note_call(id, span);
        let callee = self.out.proc(id);
        if !callee.pure
            && callee.through.is_none()
            && self.cx.proc.is_some_and(|p| self.out.proc(p).pure)
            && !self.procs[id.0 as usize].embedded
        {
            let text = format!("pure procedure calls `{}`, which is not pure", callee.name);
            return self.error_help(
                Code::ImpureReference,
                span,
                text,
                "declare it `pure`, or remove `pure` from the caller",
            );
        }
        if self.is_missing(id) && self.out.proc(id).through.is_none() && !self.procs[id.0 as usize].reported_missing {
            self.procs[id.0 as usize].reported_missing = true;
            let p = self.out.proc(id);
            let (code, what) = if self.procs[id.0 as usize].bind.is_some() {
                (Code::ForeignKernel, "is written in C, which is not supported")
            } else if p.kind == ProcKind::Host {
                (Code::UnsupportedIfReached, "is declared here, but no given file defines it")
            } else {
                (Code::DeviceProcedureUndefined, "is declared here, but no given file defines it")
            };
            let text = format!("procedure `{}` {what}", p.name);
            self.report(
                Diagnostic::new(code, p.span, text)
                    .severity(Severity::Warning)
                    .secondary(span, "called here")
                    .note("the program stops with an error if execution comes here"),
            );
        }
        Some(())
    }

    /// Warns of a copy whose count is computed with `sizeof`: counts are elements, but for C addresses.
    pub(crate) fn check_copy_count(&mut self, name: &Name, args: &[Arg], given: &[Argument]) {
        let is_copy = name.as_str().starts_with("cudamemcpy") || name.as_str().starts_with("cudamemset");
        let address =
            given.first().is_some_and(|a| matches!(&a.given, Given::Expr(e) if matches!(e.ty, Type::Derived(_))));
        if !is_copy || address {
            return;
        }
        for arg in args.iter().skip(1) {
            if let ArgValue::Expr(e) = &arg.value
                && mentions_size(e)
            {
                let text = format!("the count of `{}` looks like bytes, and it counts elements", name.as_str());
                self.report(
                    Diagnostic::new(Code::CopyCountInBytes, e.span, text).help("leave the size of an element out"),
                );
            }
        }
    }

    /// Reports recursion of procedures that do not allow it.
    pub(crate) fn check_calls(&mut self) {
        for at in 0..self.procs.len() {
            let id = ProcId(at as u32);
            let p = self.out.proc(id);
            if p.recursive || !matches!(p.body, ProcBody::Statements(_)) {
                continue;
            }
            let (kind, name) = (p.kind, p.name.clone());
            match kind {
                ProcKind::Device | ProcKind::HostDevice => {
                    if let Some(span) = self.path_to_itself(id) {
                        let text = format!("device procedure `{name}` calls itself and is not `recursive`");
                        self.error_help::<()>(Code::DeviceRecursion, span, text, "add the prefix `recursive`");
                    }
                }
                ProcKind::Host => {
                    let own = self.procs[at].calls.iter().find(|c| c.0 == id).map(|c| c.1);
                    if let Some(span) = own {
                        let text = format!("`{name}` calls itself and is not `recursive`");
                        self.report(
                            Diagnostic::new(Code::RecursionNotDeclared, span, text).help("add the prefix `recursive`"),
                        );
                    }
                }
                ProcKind::Kernel => {}
            }
        }
    }

    /// The call by which a device procedure comes back to itself through device procedures.
    fn path_to_itself(&self, start: ProcId) -> Option<Span> {
        let mut seen = vec![start];
        let mut work: Vec<(ProcId, Span)> = self.procs[start.0 as usize].calls.clone();
        while let Some((id, first)) = work.pop() {
            if id == start {
                return Some(first);
            }
            if seen.contains(&id) || self.out.proc(id).kind == ProcKind::Host {
                continue;
            }
            seen.push(id);
            work.extend(self.procs[id.0 as usize].calls.iter().map(|c| (c.0, first)));
        }
        None
    }
}

/// Whether an expression as written multiplies with the size of something.
fn mentions_size(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Apply { base, .. } => {
            matches!(&base.kind, ExprKind::Name(n) if matches!(n.as_str(), "sizeof" | "c_sizeof" | "storage_size"))
        }
        ExprKind::Binary { left, right, .. } => mentions_size(left) || mentions_size(right),
        ExprKind::Paren(inner) => mentions_size(inner),
        _ => false,
    }
}
