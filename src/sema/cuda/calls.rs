//! Who may call whom (rules 6, 23, 25), and what is called but defined nowhere.

use crate::checked::{ProcBody, ProcId, ProcKind, Shape, Storage, Type, VarId};
use crate::checker::{Checker, CodeSide, ConstructKind, Definitions, Resolution, Sym};
use crate::typing::{Argument, Given, Typing};
use ast::{Arg, ArgValue, Expr, ExprKind, Name};
use diag::{Code, Diagnostic};
use source::Span;
use std::sync::Arc;

impl Checker<'_> {
    /// Notes a reference to a procedure, for the rules that need all of them.
    pub(crate) fn note_call(&mut self, id: ProcId, span: Span) {
        if let Some(from) = self.cx.proc {
            self.defs.proc_info_mut(from).calls.push((id, span));
        }
    }

    /// Checks that a procedure may be called from here.
    pub(crate) fn check_call(&mut self, id: ProcId, span: Span) -> Option<()> {
        debug_assert!(self.defs.proc_info(id).state != Resolution::Untouched);
        if let Some(what) = self.defs.proc_info(id).refused.clone() {
            return self.reporter.refuse_again(&what);
        }
        let callee = self.defs.proc(id);
        let (kind, name) = (callee.kind, callee.name.clone());
        let on_device = match self.cx.side {
            CodeSide::Host => false,
            CodeSide::Device | CodeSide::CufKernel => true,
            // A procedure compiled for both must guard calls of one side with `on_device()`.
            CodeSide::Both if self.cx.guarded => return self.called(id, span),
            CodeSide::Both => kind == ProcKind::Host,
        };
        if self.cx.debugger {
            return self.called(id, span);
        }
        match (on_device, kind) {
            (true, ProcKind::Host) if self.defs.proc_info(id).embedded && &*name == "c_funloc" => {
                self.reporter.refuse(span, format!("`{name}` in device code"))
            }
            (true, ProcKind::Host) if self.routine_of_runtime(id).is_some() => {
                let name = self.routine_of_runtime(id).unwrap_or(name);
                // C has this one there. Its result is a text, and device code of Fortran has characters of length 1.
                let (whose, help) = match &*name {
                    "cudageterrorstring" => ("CUDA Fortran", "give the code to host code, and call it there"),
                    _ => ("CUDA's runtime", "call it in host code"),
                };
                let text = format!("`{name}` is called in device code, for which {whose} does not have it");
                self.reporter.report(Diagnostic::new(Code::WrongSideCall, span, text).help(help));
                None
            }
            (true, ProcKind::Host) => {
                let text = format!("host procedure `{name}` is called in device code");
                let d = Diagnostic::new(Code::WrongSideCall, span, text);
                let d = if self.defs.proc_info(id).embedded {
                    d
                } else {
                    d.secondary(self.defs.proc(id).span, "declared here")
                        .help(format!("declare `{name}` with `attributes(device)` or `attributes(host,device)`"))
                };
                self.reporter.report(d);
                None
            }
            (false, ProcKind::Device) => {
                let text = format!("device procedure `{name}` is called in host code");
                let d = Diagnostic::new(Code::WrongSideCall, span, text)
                    .secondary(self.defs.proc(id).span, "declared here");
                self.reporter.report(d.help("call it from a kernel, or declare it with `attributes(host,device)`"));
                None
            }
            _ => self.called(id, span),
        }
    }

    /// The name by which programs call a procedure of the embedded module of CUDA's runtime.
    fn routine_of_runtime(&self, id: ProcId) -> Option<Arc<str>> {
        let at = self.scopes.module_named("cudafor").filter(|&at| self.scopes.module(at).embedded)?;
        let is_it = |sym: &Sym| match sym {
            Sym::Proc(proc) => *proc == id,
            Sym::Generic { procs, .. } => procs.contains(&id),
            _ => false,
        };
        let exports = self.scopes.module(at).exports.iter();
        let mut names = exports.filter(|(_, entry)| is_it(&entry.sym)).map(|(name, _)| name.clone());
        names.find(|name| name.starts_with("cuda"))
    }

    fn called(&mut self, id: ProcId, span: Span) -> Option<()> {
        self.note_call(id, span);
        let callee = self.defs.proc(id);
        if !callee.pure
            && callee.through.is_none()
            && self.cx.proc.is_some_and(|p| self.defs.proc(p).pure)
            && !self.defs.proc_info(id).embedded
        {
            let text = format!("pure procedure calls `{}`, which is not pure", callee.name);
            let help = "declare it `pure`, or remove `pure` from the caller";
            self.reporter.report(Diagnostic::new(Code::PureSideEffect, span, text).help(help));
        }
        let in_concurrent =
            self.cx.side == CodeSide::Host && self.cx.constructs.iter().any(|c| c.kind == ConstructKind::Parallel);
        if in_concurrent && !callee.pure && callee.through.is_none() && !self.defs.proc_info(id).embedded {
            let text = format!("`do concurrent` refers to `{}`, which is not pure", callee.name);
            let help = "declare it `pure`, or use an ordinary loop";
            return self.reporter.error_help(Code::ImpureReference, span, text, help);
        }
        if !self.defs.is_missing(id) || self.defs.proc(id).through.is_some() {
            return Some(());
        }
        if self.link_foreign(id) {
            return Some(());
        }
        if !self.defs.proc_info(id).reported_missing {
            self.defs.proc_info_mut(id).reported_missing = true;
            let p = self.defs.proc(id);
            let is_c = self.defs.proc_info(id).bind.is_some();
            let (code, what) = if is_c && p.kind == ProcKind::Host {
                (Code::ForeignProcedure, "is written in C, and no given file or library defines it")
            } else if is_c && p.kind == ProcKind::Kernel {
                (Code::ForeignKernel, "is written in CUDA C, and no given file defines it")
            } else if is_c && self.has_device_function(id) {
                (
                    Code::ForeignKernel,
                    "is written in CUDA C, and has arguments or a result that are not supported there",
                )
            } else if is_c {
                (Code::ForeignKernel, "is written in CUDA C, and no given file defines it")
            } else if p.kind == ProcKind::Host {
                (Code::UnsupportedIfReached, "is declared here, but no given file defines it")
            } else {
                (Code::DeviceProcedureUndefined, "is declared here, but no given file defines it")
            };
            let text = format!("procedure `{}` {what}", p.name);
            let d = Diagnostic::new(code, p.span, text)
                .secondary(span, "called here")
                .note("the program stops with an error if execution reaches the call");
            let d = match code {
                Code::ForeignProcedure => d.help(
                    "give its C file, or the library that has it, such as `-lfoo` or `libfoo.so`, on the command line",
                ),
                Code::ForeignKernel if p.kind == ProcKind::Kernel => self.with_kernels(d, id),
                _ => d,
            };
            self.reporter.report(d);
        }
        Some(())
    }
}

impl Checker<'_> {
    /// Takes a procedure that is only declared for that of a library, if one has it.
    pub(crate) fn link_foreign(&mut self, id: ProcId) -> bool {
        let body = if self.defs.is_missing(id) { self.foreign_body(id) } else { None };
        let is_found = body.is_some();
        if let Some(body) = body {
            self.defs.proc_mut(id).body = body;
        }
        is_found
    }

    /// What a procedure that is only declared does, if a library has it.
    fn foreign_body(&self, id: ProcId) -> Option<ProcBody> {
        let (p, info) = (self.defs.proc(id), self.defs.proc_info(id));
        let is_c = info.bind.is_some();
        if p.kind == ProcKind::Kernel {
            let symbol = info.bind.clone().filter(|symbol| self.options.kernels.contains(symbol))?;
            return Some(ProcBody::Foreign { symbol, is_c });
        }
        if p.kind == ProcKind::Device {
            let symbol = info.bind.clone().filter(|symbol| self.options.device_functions.contains(symbol))?;
            return self.suits_cuda_c(id).then_some(ProcBody::Foreign { symbol, is_c });
        }
        if p.kind != ProcKind::Host {
            return None;
        }
        let symbol = info.bind.clone().unwrap_or_else(|| format!("{}_", p.name).into());
        // An embedded module says only when it calls a function that the library is missing.
        (self.options.foreign.has(&symbol) || info.embedded).then_some(ProcBody::Foreign { symbol, is_c })
    }
}

impl Checker<'_> {
    /// Whether a file has the function of CUDA C that a procedure is bound to.
    fn has_device_function(&self, id: ProcId) -> bool {
        let symbol = self.defs.proc_info(id).bind.as_ref();
        symbol.is_some_and(|symbol| self.options.device_functions.contains(symbol))
    }

    /// Whether a function of CUDA C can have these dummies and this result: values and addresses.
    fn suits_cuda_c(&self, id: ProcId) -> bool {
        let suits = |v: VarId| {
            let var = self.defs.var(v);
            let is_described = var.attrs.allocatable || var.attrs.pointer || var.attrs.class;
            let is_plain = matches!(var.shape, Shape::Scalar | Shape::Explicit(_) | Shape::AssumedSize(..));
            let is_value = match var.ty {
                Type::Character(_) => false,
                Type::Complex(_) => !var.attrs.value,
                _ => true,
            };
            is_plain && !is_described && is_value && !matches!(var.storage, Storage::Procedure)
        };
        let gives = |v: VarId| {
            let var = self.defs.var(v);
            let is_number = matches!(var.ty, Type::Integer(_) | Type::Real(_) | Type::Logical(_));
            matches!(var.shape, Shape::Scalar) && is_number
        };
        let p = self.defs.proc(id);
        p.params.iter().all(|&v| suits(v)) && p.result.is_none_or(gives)
    }

    /// Says what to do about a kernel that no file has, and which kernel the files have in its place.
    fn with_kernels(&self, d: Diagnostic, id: ProcId) -> Diagnostic {
        let symbol = self.defs.proc_info(id).bind.clone().unwrap_or_default();
        let kernels = &self.options.kernels;
        if kernels.is_empty() {
            return d.help("give its `.ptx` or `.cu` file on the command line");
        }
        // A kernel of C++ has its parameters in its name.
        let mangled = format!("_Z{}{symbol}", symbol.len());
        if let Some(found) = kernels.iter().find(|name| name.starts_with(&mangled)) {
            return d
                .note(format!("the files have `{found}`"))
                .help(format!("declare the kernel with `extern \"C\"`, or bind to `name='{found}'`"));
        }
        let names: Vec<String> = kernels.iter().take(8).map(|name| format!("`{name}`")).collect();
        d.note(format!("the files have {}", names.join(", "))).help("correct the name in `bind(c, name='…')`")
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

impl Typing<'_> {
    /// Warns of a copy whose count is computed with `sizeof`: counts are elements, but for C addresses; and of one of an array with
    /// gaps, of which only the address counts.
    pub(crate) fn check_copy_count(&mut self, name: &Name, args: &[Arg], given: &[Argument]) {
        let is_copy = name.as_str().starts_with("cudamemcpy") || name.as_str().starts_with("cudamemset");
        let address =
            given.first().is_some_and(|a| matches!(&a.given, Given::Expr(e) if matches!(e.ty, Type::Derived(_))));
        if !is_copy || address {
            return;
        }
        // Those of arrays with pitches take columns apart.
        let is_flat = !name.as_str().contains("2d") && !name.as_str().contains("3d");
        for arg in given.iter().take(2) {
            let Given::Expr(e) = &arg.given else { continue };
            if if is_flat { self.is_spread(e) } else { self.is_scattered(e) } {
                let text = format!("the elements of this array have gaps, and `{}` copies without gaps", name.as_str());
                let help = "copy it by an assignment";
                self.reporter.report(Diagnostic::new(Code::PossiblyDiscontiguousArgument, e.span, text).help(help));
            }
        }
        for arg in args.iter().skip(1) {
            if let ArgValue::Expr(e) = &arg.value
                && mentions_size(e)
            {
                let text = format!("the count of `{}` looks like bytes, and it counts elements", name.as_str());
                self.reporter.report(
                    Diagnostic::new(Code::CopyCountInBytes, e.span, text).help("leave the size of an element out"),
                );
            }
        }
    }

    /// Reports recursion of procedures that do not allow it.
    pub(crate) fn check_calls(&mut self) {
        for id in self.defs.proc_ids() {
            let p = self.defs.proc(id);
            if p.recursive || !matches!(p.body, ProcBody::Statements(_)) {
                continue;
            }
            let (kind, name) = (p.kind, p.name.clone());
            match kind {
                ProcKind::Device | ProcKind::HostDevice => {
                    if let Some(span) = path_to_itself(self.defs, id) {
                        let text = format!("device procedure `{name}` calls itself and is not `recursive`");
                        self.reporter.error_help::<()>(Code::DeviceRecursion, span, text, "add the prefix `recursive`");
                    }
                }
                ProcKind::Host => {
                    let own = self.defs.proc_info(id).calls.iter().find(|c| c.0 == id).map(|c| c.1);
                    if let Some(span) = own {
                        let text = format!("`{name}` calls itself and is not `recursive`");
                        self.reporter.report(
                            Diagnostic::new(Code::RecursionNotDeclared, span, text).help("add the prefix `recursive`"),
                        );
                    }
                }
                ProcKind::Kernel => {}
            }
        }
    }
}

/// The call by which a device procedure comes back to itself through device procedures.
fn path_to_itself(defs: &Definitions<'_>, start: ProcId) -> Option<Span> {
    let mut seen = vec![start];
    let mut work: Vec<(ProcId, Span)> = defs.proc_info(start).calls.clone();
    while let Some((id, first)) = work.pop() {
        if id == start {
            return Some(first);
        }
        // A launch is no call: the kernel runs later, in its own threads.
        if seen.contains(&id) || matches!(defs.proc(id).kind, ProcKind::Host | ProcKind::Kernel) {
            continue;
        }
        seen.push(id);
        work.extend(defs.proc_info(id).calls.iter().map(|c| (c.0, first)));
    }
    None
}
