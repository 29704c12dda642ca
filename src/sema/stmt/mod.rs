//! Statements: from syntax to typed nodes.

mod alloc;
mod assign;
mod body;
mod call;
mod cases_seen;
mod concurrent;
mod control;
mod io;
mod io_defined;
mod io_formats;
mod io_forms;
mod io_rules;
mod jump;
mod library_call;
mod masked;
mod scoped;
mod select_rank;
mod select_type;

use crate::checked::{Block, Const, LoopId, Stmt, StmtKind, Type};
use crate::checker::{Checker, CodeSide, Construct, ConstructKind};
use crate::typing::{Typing, constant, shape_name};
use diag::{Code, Diagnostic};
use source::Span;

impl<'a> Checker<'a> {
    /// A run of statements.
    pub(crate) fn block(&mut self, stmts: &'a [ast::Stmt]) -> Block {
        let mut out = Vec::with_capacity(stmts.len());
        let guarded = self.cx.guarded;
        for s in stmts {
            self.stmt(s, &mut out);
            if self.cx.side == CodeSide::Both && out.last().is_some_and(control::ends_one_side) {
                self.cx.guarded = true;
            }
        }
        self.cx.guarded = guarded;
        out
    }

    fn stmt(&mut self, s: &'a ast::Stmt, out: &mut Block) {
        if let ast::StmtKind::Entry { name, .. } = &s.kind {
            self.entry_point(name, s.span, out);
        }
        let outer = self.reporter.take_refusal();
        let kind = match self.in_its_region(s, |this| this.stmt_kind(s)) {
            Some(kind) => Some(kind),
            None => {
                // Nothing may vanish without a word (invariants I3 and I6).
                let is_told =
                    self.options.is_spoilt || self.reporter.has_errors() || matches!(s.kind, ast::StmtKind::Error);
                if self.reporter.refusal().is_none() && !is_told {
                    let _ = self.reporter.refuse::<()>(s.span, "this statement");
                }
                self.reporter.take_refusal().map(StmtKind::Unsupported)
            }
        };
        self.reporter.restore_refusal(outer);
        match kind {
            Some(StmtKind::Nothing)
                if matches!(s.kind, ast::StmtKind::Declaration(_))
                    || (s.label.is_none() && !matches!(s.kind, ast::StmtKind::Continue)) => {}
            Some(kind) => out.push(Stmt { label: s.label, kind, span: s.span }),
            // Errors were reported: what stands here does not matter, but its label may be branched to.
            None => out.push(Stmt { label: s.label, kind: StmtKind::Nothing, span: s.span }),
        }
    }

    fn stmt_kind(&mut self, s: &'a ast::Stmt) -> Option<StmtKind> {
        use ast::StmtKind as K;
        let span = s.span;
        if let K::If { name, .. }
        | K::Do { name, .. }
        | K::Select { name, .. }
        | K::SelectRank { name, .. }
        | K::SelectType { name, .. }
        | K::Block { name, .. }
        | K::Associate { name, .. } = &s.kind
            && let Some(name) = name
        {
            self.construct_name(name);
        }
        match &s.kind {
            K::Assign { target, value } => self.assignment(target, value, span),
            K::PointerAssign { target, value } => self.pointer_assignment(target, value, span),
            K::Call { callee, launch, args } => self.call(callee, launch.as_ref(), args, span),
            K::If { name, arms, .. } => self.if_construct(name.as_ref(), arms),
            K::ArithmeticIf { value, labels } => self.arithmetic_if(value, *labels, span),
            K::Do { name, control, body, end } => self.do_construct(name.as_ref(), control, body, *end, span),
            K::Select { name, value, arms, .. } => self.select(name.as_ref(), value, arms),
            K::SelectRank { name, bind, value, arms, .. } => {
                self.select_rank(name.as_ref(), bind.as_ref(), value, arms)
            }
            K::SelectType { name, bind, value, arms, .. } => {
                self.select_type(name.as_ref(), bind.as_ref(), value, arms, span)
            }
            K::Where { arms, .. } => self.where_construct(arms),
            K::Forall { header, body, .. } => self.forall(header, body),
            K::Block { name, uses, decls, body, .. } => self.block_construct(name.as_ref(), uses, decls, body),
            K::Associate { name, items, body, .. } => self.associate(name.as_ref(), items, body),
            K::Cuf(kernel) => self.cuf_kernel(kernel),
            K::Cycle(name) => self.typing().leave(name.as_ref(), true, span),
            K::Exit(name) => self.typing().leave(name.as_ref(), false, span),
            K::Goto(label) => {
                self.typing().check_label(*label, span)?;
                Some(StmtKind::Goto(*label))
            }
            K::ComputedGoto(labels, value) => {
                let value = self.integer_scalar(value, &Type::Integer(8), "the selector of a computed `goto`");
                for label in labels {
                    self.typing().check_label(*label, span)?;
                }
                Some(StmtKind::ComputedGoto(labels.clone(), value?))
            }
            K::AssignedGoto(name, labels) => self.assigned_goto(name, labels, span),
            K::LabelAssign(label, name) => self.label_assignment(*label, name, span),
            K::Continue => Some(StmtKind::Nothing),
            K::Return(_) if self.cx.side == CodeSide::CufKernel => self.reporter.error(
                Code::StatementNotInKernelDo,
                span,
                "a `!$cuf kernel do` loop cannot have a `return`",
            ),
            K::Return(_) if self.cx.constructs.iter().any(|c| c.kind == ConstructKind::Parallel) => {
                self.reporter.error(Code::StatementOutOfPlace, span, "`do concurrent` cannot have a `return`")
            }
            K::Return(None) => Some(StmtKind::Return),
            K::Return(Some(e)) => self.alternate_return(e, span),
            K::Stop { error, code, quiet } => self.stop(*error, code.as_ref(), quiet.as_ref()),
            K::Pause { .. } if self.cx.side.on_device() => {
                self.reporter.error(Code::StatementNotInDeviceCode, span, "device code has no `pause`")
            }
            K::Pause { code, library } => self.pause(code.as_ref(), library, span),
            K::Allocate(a) => self.allocate(a, span),
            K::Deallocate(a) => self.deallocate(a),
            K::Nullify(list) => self.nullify(list),
            // Execution passes it by.
            K::Entry { .. } => Some(StmtKind::Nothing),
            K::Io { kind, control, items } => self.io(*kind, control, items, span),
            K::Declaration(d) => {
                let scope = self.cx.scope;
                self.late_declaration(scope, d);
                Some(StmtKind::Nothing)
            }
            K::Unsupported(what) => self.reporter.refuse(span, &**what),
            K::Error => None,
        }
    }

    fn stop(&mut self, error: bool, code: Option<&'a ast::Expr>, quiet: Option<&'a ast::Expr>) -> Option<StmtKind> {
        let code = match code {
            None => None,
            Some(e) => {
                let value = self.expr(e)?;
                self.typing().check_host_value(&value);
                if value.rank != 0 {
                    return self.reporter.error(Code::ScalarRequired, e.span, "a stop code must be a scalar");
                }
                Some(match value.ty {
                    Type::Integer(_) => self.typing().convert(value, &Type::Integer(4))?,
                    Type::Character(_) => value,
                    _ => {
                        let text = format!(
                            "a stop code must be an integer or character value, not {}",
                            shape_name(&self.defs, &value.ty, 0)
                        );
                        return self.reporter.error(Code::TypeMismatch, e.span, text);
                    }
                })
            }
        };
        let quiet = match quiet {
            Some(e) => Some(self.condition(e)?),
            None => None,
        };
        Some(StmtKind::Stop { error, code, quiet })
    }

    /// PAUSE, which Fortran 95 has deleted, is a call of the run-time library.
    fn pause(&mut self, code: Option<&ast::Expr>, library: &ast::Name, span: Span) -> Option<StmtKind> {
        let is_text = |e: &ast::Expr| matches!(e.kind, ast::ExprKind::Char { .. });
        let keyword = |e: &ast::Expr| ast::Name { text: if is_text(e) { "text" } else { "number" }.into(), span };
        let args: Vec<ast::Arg> = code
            .map(|e| ast::Arg { keyword: Some(keyword(e)), value: ast::ArgValue::Expr(e.clone()), span: e.span })
            .into_iter()
            .collect();
        let id = self.scopes.library(library.as_str())?;
        self.call_procedure(id, library, None, &args, span)
    }

    /// A construct name is that of one construct of its scope, and of nothing else there (Fortran 2018, 19.3.1).
    fn construct_name(&mut self, name: &ast::Name) {
        let scope = self.cx.scope;
        if let Some(entry) = self.scopes.get(scope).names.get(&name.text)
            && entry.module.is_none()
            && self.scopes.get(scope).declared.iter().any(|p| p.name == name.text && p.spec.is_some())
        {
            let first = entry.span;
            self.typing().declared_twice(name.as_str(), name.span, first);
            return;
        }
        match self.made.construct_names.get(&(scope, name.text.clone())) {
            Some(&first) if first != name.span => {
                let text = format!("two constructs of one scope have the name `{}`", name.as_str());
                let d = Diagnostic::new(Code::DuplicateDeclaration, name.span, text);
                self.reporter.report(d.secondary(first, "the first one is here"));
            }
            Some(_) => {}
            None => {
                self.made.construct_names.insert((scope, name.text.clone()), name.span);
            }
        }
    }

    /// Runs `f` inside a construct.
    pub(super) fn inside<T>(
        &mut self,
        name: Option<&ast::Name>,
        kind: ConstructKind,
        f: impl FnOnce(&mut Self, LoopId) -> T,
    ) -> T {
        let id = self.cx.new_construct();
        self.cx.constructs.push(Construct { name: name.map(|n| n.text.clone()), id, kind });
        let result = f(self, id);
        self.cx.constructs.pop();
        result
    }
}

impl Typing<'_> {
    /// Checks that a label exists in this procedure.
    pub(super) fn check_label(&mut self, label: u32, span: Span) -> Option<()> {
        if self.cx.side == CodeSide::CufKernel {
            return self.reporter.error(
                Code::StatementNotInKernelDo,
                span,
                "a `!$cuf kernel do` loop cannot have a `goto`",
            );
        }
        let known = self.cx.proc.is_some_and(|p| self.defs.proc_info(p).labels.contains(&label));
        if known {
            return Some(());
        }
        let is_format = self.cx.proc.is_some_and(|p| self.defs.proc_info(p).formats.contains_key(&label));
        let text = if is_format {
            format!("label {label} is that of a `format` statement")
        } else {
            format!("no statement of this procedure has the label {label}")
        };
        self.reporter.error(Code::UndefinedLabel, span, text)
    }

    /// EXIT and CYCLE.
    fn leave(&mut self, name: Option<&ast::Name>, cycle: bool, span: Span) -> Option<StmtKind> {
        let word = if cycle { "cycle" } else { "exit" };
        let constructs = self.cx.constructs.clone();
        for construct in constructs.iter().rev() {
            let fits = match name {
                Some(name) => construct.name.as_ref() == Some(&name.text),
                None => construct.kind != ConstructKind::Other,
            };
            match (fits, construct.kind) {
                (true, ConstructKind::Loop) => {
                    return Some(if cycle { StmtKind::Cycle(construct.id) } else { StmtKind::Exit(construct.id) });
                }
                (true, ConstructKind::Other) if !cycle => return Some(StmtKind::Exit(construct.id)),
                (true, ConstructKind::Other) => {
                    let text = format!("`{}` is not a loop, so it cannot be cycled", name.map_or("", |n| n.as_str()));
                    return self.reporter.error(Code::UnknownConstruct, span, text);
                }
                (true, ConstructKind::Parallel) if cycle && self.cx.side != CodeSide::CufKernel => {
                    return Some(StmtKind::Cycle(construct.id));
                }
                (_, ConstructKind::Parallel) => {
                    let code = if self.cx.side == CodeSide::CufKernel {
                        Code::StatementNotInKernelDo
                    } else {
                        Code::StatementOutOfPlace
                    };
                    let text = format!("`{word}` of a loop whose iterations run in parallel");
                    return self.reporter.error(code, span, text);
                }
                (false, _) => {}
            }
        }
        match name {
            Some(name) => {
                let near = diag::nearest_name(name.as_str(), constructs.iter().filter_map(|c| c.name.as_deref()));
                let text = format!("no enclosing construct is named `{}`", name.as_str());
                self.reporter.report(Diagnostic::new(Code::UnknownConstruct, name.span, text).suggest(near));
                None
            }
            None => self.reporter.error(Code::ExitOutsideLoop, span, format!("`{word}` outside of a loop")),
        }
    }
}

/// A constant label as an expression, for `err=` and kin.
pub(super) fn label_constant(label: u32, span: Span) -> crate::checked::Expr {
    constant(Const::Int(i64::from(label)), Type::Integer(4), span)
}
