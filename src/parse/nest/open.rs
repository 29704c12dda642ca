//! Statements that open frames, and where others may stand.

use super::frame::{Frame, FrameKind, Part, UnitFrame, UnitHead};
use super::function::{is_statement_function, statement_function, take_back};
use super::{At, MAX_NESTING, Nest};
use crate::statement::EndKind;
use ast::{Attr, Block, DeclKind, Declaration, Expr, ExprKind, Name, Stmt, StmtKind, TypeField, TypeItem, UseStmt};
use diag::{Code, Diagnostic};

impl Nest {
    fn push(&mut self, kind: FrameKind, name: Option<Name>, at: &At<'_>) {
        self.frames.push(Frame { kind, span: at.span, name, label: at.label(), block: Block::new() });
    }

    /// Opens a unit that stands by itself; what is still open ends here.
    pub(super) fn open_unit(&mut self, head: UnitHead, at: &mut At<'_>) {
        self.close_for_new_unit(0, at);
        self.push(FrameKind::Unit(UnitFrame::new(head)), None, at);
    }

    /// Opens a subprogram where one may begin, closing what cannot hold it.
    pub(super) fn open_subprogram(&mut self, head: UnitHead, at: &mut At<'_>) {
        let holder = self.frames.iter().rposition(|f| match &f.kind {
            FrameKind::Interface(_) => true,
            FrameKind::Unit(unit) => unit.part == Part::Contains || matches!(unit.head, UnitHead::Module { .. }),
            _ => false,
        });
        let keep = holder.map_or(0, |i| i + 1);
        self.close_for_new_unit(keep, at);
        if let Some(FrameKind::Unit(unit)) = self.frames.last_mut().map(|f| &mut f.kind)
            && unit.part != Part::Contains
        {
            unit.part = Part::Contains;
            let noun = self.frames.last().map_or_else(String::new, |f| f.kind.noun());
            let error = at
                .error(Code::StatementOutOfPlace, format!("a subprogram in {noun} needs `contains` before it"))
                .help("put `contains` between the declarations and the subprograms");
            at.diags.push(error);
        }
        self.push(FrameKind::Unit(UnitFrame::new(head)), None, at);
        self.told_depth = false;
    }

    /// Closes the frames from `keep` on, because a new unit begins.
    fn close_for_new_unit(&mut self, keep: usize, at: &mut At<'_>) {
        if self.frames.len() > keep {
            // One error will do: that of the outermost unit that lacks its end, or of the construct inside it.
            let innermost = self.frames.len() - 1;
            self.report_open(innermost, "this begins before it ends", at);
            while self.frames.len() > keep {
                if let Some(FrameKind::Unit(_)) = self.frames.last().map(|f| &f.kind) {
                    let end = self.frames.last().map_or(crate::statement::EndKind::Any, |f| f.kind.end());
                    self.cut_short.push((end, self.frames.len() - 1));
                }
                self.close_top(at);
            }
        }
        self.told_depth = false;
    }

    /// `module procedure` and `procedure` as a list of names.
    pub(super) fn procedures(&mut self, names: Vec<Name>, module: bool, at: &mut At<'_>) {
        match self.frames.last_mut().map(|f| &mut f.kind) {
            Some(FrameKind::Interface(interface)) => interface.items.push(ast::InterfaceItem::Names { module, names }),
            Some(FrameKind::Unit(unit)) if module && unit.part == Part::Contains && names.len() == 1 => {
                if let Some(name) = names.into_iter().next() {
                    self.push(FrameKind::Unit(UnitFrame::new(UnitHead::ModuleProcedure(name))), None, at);
                }
            }
            _ => {
                let word = if module { "MODULE PROCEDURE" } else { "PROCEDURE" };
                let error = at
                    .error(
                        Code::StatementOutOfPlace,
                        format!("{word} with a list of names stands outside an interface block"),
                    )
                    .help("put it between `interface name` and `end interface`");
                at.diags.push(error);
            }
        }
    }

    /// Opens a UNION of a structure, or a MAP of a union.
    pub(super) fn open_part(&mut self, kind: FrameKind, at: &mut At<'_>) {
        let (word, place, fits) = match (&kind, self.frames.last_mut().map(|f| &mut f.kind)) {
            (FrameKind::Map(_), outer) => ("MAP", "a UNION", matches!(outer, Some(FrameKind::Union(_)))),
            (_, outer) => {
                let fits = matches!(outer, Some(FrameKind::Type { objects: Some(_), .. } | FrameKind::Map(_)));
                ("UNION", "a STRUCTURE", fits)
            }
        };
        if !fits {
            let error = at.error(Code::StatementOutOfPlace, format!("{word} stands outside {place}"));
            at.diags.push(error);
        }
        self.open_definition(kind, at);
    }

    /// Opens an interface block, a type definition or an ENUM.
    pub(super) fn open_definition(&mut self, kind: FrameKind, at: &mut At<'_>) {
        if self.is_full(at) {
            return;
        }
        self.ensure_unit(at);
        self.push(kind, None, at);
    }

    /// Opens an executable construct.
    pub(super) fn open_construct(&mut self, name: Option<Name>, kind: FrameKind, at: &mut At<'_>) {
        if self.is_full(at) {
            return;
        }
        if !self.in_executable_place() {
            self.complain_executable(at);
        }
        self.begin_executables(at);
        self.check_has_arm(at);
        self.push(kind, name, at);
    }

    fn is_full(&mut self, at: &mut At<'_>) -> bool {
        if self.frames.len() < MAX_NESTING {
            return false;
        }
        self.beyond = 1;
        if !std::mem::replace(&mut self.told_depth, true) {
            let error = at
                .error(Code::NestingTooDeep, "blocks are nested too deeply")
                .label(format!("{MAX_NESTING} blocks are open here"))
                .help("move inner parts into subprograms of their own");
            at.diags.push(error);
        }
        true
    }

    /// Opens a main program when there is no unit.
    pub(super) fn ensure_unit(&mut self, at: &mut At<'_>) {
        if self.frames.is_empty() {
            self.push(FrameKind::Unit(UnitFrame::new(UnitHead::Main(None))), None, at);
            if let Some(frame) = self.frames.last_mut() {
                frame.label = None;
                if let (FrameKind::Unit(unit), Some((label, span))) = (&mut frame.kind, at.label) {
                    unit.labels.insert(label, span);
                }
            }
        }
    }

    /// Whether an executable statement may stand here.
    pub(super) fn in_executable_place(&self) -> bool {
        match self.frames.last().map(|f| &f.kind) {
            None => true,
            Some(FrameKind::Unit(unit)) => unit.executes() && unit.part != Part::Contains,
            Some(kind) => kind.holds_statements(),
        }
    }

    /// Notes that the executable part of the unit has begun.
    pub(super) fn begin_executables(&mut self, at: &mut At<'_>) {
        self.ensure_unit(at);
        if let Some(FrameKind::Unit(unit)) = self.frames.last_mut().map(|f| &mut f.kind)
            && unit.part == Part::Specification
            && unit.executes()
        {
            unit.part = Part::Executable;
            unit.first_executable = Some(at.span);
        }
    }

    /// Reports an executable statement where none may stand, once for each part.
    fn complain_executable(&mut self, at: &mut At<'_>) {
        let Some(frame) = self.frames.last_mut() else { return };
        let noun = frame.kind.noun();
        let (text, help) = match &mut frame.kind {
            FrameKind::Unit(unit) => {
                if std::mem::replace(&mut unit.complained, true) {
                    return;
                }
                if unit.part == Part::Contains {
                    (
                        format!("an executable statement stands after `contains` of {noun}"),
                        "after `contains` only subprograms may follow; begin one with `subroutine` or `function`",
                    )
                } else {
                    (format!("an executable statement stands in {noun}"), "put it into a subprogram after `contains`")
                }
            }
            kind => (
                format!("an executable statement stands in the {noun}"),
                match kind.end() {
                    EndKind::Interface => "an interface block holds interfaces only; is `end interface` missing?",
                    EndKind::Type => "a type definition holds components only; is `end type` missing?",
                    EndKind::Structure | EndKind::Union | EndKind::Map => {
                        "a structure holds components only; is `end structure` missing?"
                    }
                    _ => "is `end enum` missing?",
                },
            ),
        };
        let error = at.error(Code::StatementOutOfPlace, text).help(help);
        at.diags.push(error);
    }

    /// A statement that stands by itself.
    pub(super) fn executable(&mut self, kind: StmtKind, at: &mut At<'_>) {
        if !self.in_executable_place() {
            self.complain_executable(at);
            return;
        }
        let kind = match kind {
            StmtKind::Assign { target, value } => {
                let unit = match self.frames.last().map(|f| &f.kind) {
                    Some(FrameKind::Unit(unit)) if unit.part == Part::Specification => Some(unit),
                    _ => None,
                };
                if let Some(unit) = unit
                    && is_statement_function(unit, &target)
                {
                    if let Some(kind) = statement_function(target, value) {
                        self.declaration(kind, at);
                    }
                    return;
                }
                StmtKind::Assign { target, value }
            }
            kind => kind,
        };
        // ENTRY may stand among the declarations.
        if matches!(kind, StmtKind::Entry { .. }) {
            self.ensure_unit(at);
        } else {
            self.begin_executables(at);
        }
        self.check_has_arm(at);
        if let Some(frame) = self.frames.last_mut() {
            frame.block.push(Stmt { label: at.label(), kind, span: at.span });
        }
    }

    /// In SELECT constructs a statement needs a CASE before it.
    fn check_has_arm(&mut self, at: &mut At<'_>) {
        let Some(frame) = self.frames.last_mut() else { return };
        let (word, fits) = match &frame.kind {
            FrameKind::Select { rank: Some(_), open: None, arms, .. } => ("`rank`", arms.is_empty()),
            FrameKind::Select { open: None, arms, .. } => ("`case`", arms.is_empty()),
            FrameKind::SelectType { open: None, arms, .. } => ("`type is` or `class is`", arms.is_empty()),
            _ => return,
        };
        if fits && frame.block.is_empty() {
            let error = at
                .error(Code::StatementOutOfPlace, format!("a statement stands before the first {word}"))
                .secondary(frame.span, "of this construct");
            at.diags.push(error);
        }
    }

    /// A specification statement.
    pub(super) fn declaration(&mut self, kind: DeclKind, at: &mut At<'_>) {
        self.ensure_unit(at);
        let span = at.span;
        let floats = matches!(kind, DeclKind::Format { .. } | DeclKind::Data(_));
        let Some(frame) = self.frames.last_mut() else { return };
        if let FrameKind::Unit(unit) = &mut frame.kind
            && unit.part == Part::Executable
            && !floats
        {
            let functions = take_back(&mut frame.block);
            if !functions.is_empty() {
                unit.decls.extend(functions);
                unit.part = Part::Specification;
            }
        }
        match &mut frame.kind {
            FrameKind::Unit(unit) if unit.part == Part::Specification => unit.decls.push(Declaration { kind, span }),
            FrameKind::Unit(unit) if unit.part == Part::Contains => {
                unit.decls.push(Declaration { kind, span });
                if !std::mem::replace(&mut unit.complained, true) {
                    let noun = frame.kind.noun();
                    let error = at
                        .error(Code::StatementOutOfPlace, format!("a declaration stands after `contains` of {noun}"))
                        .help("put it before `contains`, or into a subprogram");
                    at.diags.push(error);
                }
            }
            // The definition of a structure that stands in another one.
            FrameKind::Type { .. } | FrameKind::Map(_) if matches!(kind, DeclKind::Derived(_)) => {
                if let Some((_, unit)) = self.innermost_unit() {
                    unit.decls.push(Declaration { kind, span });
                }
            }
            FrameKind::Map(items) => match component(kind, span, false) {
                Some(item) => items.push(item),
                None => {
                    let error = at.error(Code::StatementOutOfPlace, "this statement cannot stand in a MAP");
                    at.diags.push(error.secondary(frame.span, "which begins here"));
                }
            },
            FrameKind::Type { definition, bindings, .. } => {
                if let Some(item) = component(kind, span, *bindings) {
                    definition.items.push(item);
                } else {
                    let error = at.error(Code::StatementOutOfPlace, "this statement cannot stand in a type definition");
                    at.diags.push(error.secondary(frame.span, "the definition begins here"));
                }
            }
            FrameKind::Interface(_) | FrameKind::Enum(_) | FrameKind::Union(_) => {
                let noun = frame.kind.noun();
                let error = at.error(Code::StatementOutOfPlace, format!("a declaration stands in the {noun}"));
                at.diags.push(error.secondary(frame.span, "which begins here"));
            }
            FrameKind::Block { decls, .. } if frame.block.is_empty() => decls.push(Declaration { kind, span }),
            _ if floats => {
                let kind = StmtKind::Declaration(Box::new(Declaration { kind, span }));
                frame.block.push(Stmt { label: at.label(), kind, span });
            }
            _ => self.late_declaration(Declaration { kind, span }, at),
        }
    }

    /// A declaration among executable statements: reported, and taken nevertheless so that its names are known. Behind assignments
    /// of structure constructors nvfortran takes declarations.
    fn late_declaration(&mut self, declaration: Declaration, at: &mut At<'_>) {
        if let Some(Frame { kind: FrameKind::Unit(unit), block, .. }) = self.frames.last_mut()
            && block.iter().all(may_assign_structure)
        {
            unit.decls.push(declaration);
            let first = unit.first_executable;
            let warning = at.error(Code::LateDeclaration, "a declaration stands after an assignment");
            let warning = warning.help("move it up: other compilers may refuse it");
            at.diags.push(first.into_iter().fold(warning, |d, first| d.secondary(first, "the assignment")));
            return;
        }
        let in_block = match self.frames.last_mut().map(|f| (&mut f.kind, f.block.first())) {
            Some((FrameKind::Block { decls, .. }, first)) => {
                decls.push(declaration.clone());
                first.map(|stmt| stmt.span)
            }
            _ => None,
        };
        let mut first = in_block;
        if first.is_none()
            && let Some((_, unit)) = self.innermost_unit()
        {
            unit.decls.push(declaration);
            first = unit.first_executable;
        }
        let mut error = at
            .error(Code::StatementOutOfPlace, "a declaration stands after the first executable statement")
            .help("move it up, or wrap it and the statements that need it in `block` … `end block`");
        if let Some(first) = first {
            error = error.secondary(first, "the first executable statement");
        }
        at.diags.push(error);
    }

    /// USE.
    pub(super) fn use_stmt(&mut self, stmt: UseStmt, at: &mut At<'_>) {
        self.ensure_unit(at);
        let Some(frame) = self.frames.last_mut() else { return };
        let late = match &mut frame.kind {
            FrameKind::Unit(unit) => {
                unit.uses.push(stmt);
                if unit.part == Part::Specification {
                    unit.decls.first().map(|d| d.span)
                } else {
                    unit.first_executable.or(Some(frame.span))
                }
            }
            FrameKind::Block { uses, decls } => {
                uses.push(stmt);
                decls.first().map(|d| d.span).or(frame.block.first().map(|s| s.span))
            }
            _ => Some(frame.span),
        };
        if let Some(first) = late {
            at.diags.push(
                Diagnostic::new(
                    Code::StatementOutOfPlace,
                    at.span,
                    "USE must come before all other statements of its scope",
                )
                .secondary(first, "this stands before it"),
            );
        }
    }
}

/// The name that a procedure pointer component has for its initial target: of a procedure, or of `null()`.
fn initial_procedure(target: ast::Expr) -> Option<ast::Name> {
    match target.kind {
        ast::ExprKind::Name(name) => Some(name),
        ast::ExprKind::Apply { base, .. } => initial_procedure(*base),
        _ => None,
    }
}

/// A declaration as an item of a type definition.
fn component(kind: DeclKind, span: source::Span, bindings: bool) -> Option<TypeItem> {
    match kind {
        DeclKind::Type { spec, attrs, entities } if !bindings => {
            Some(TypeItem::Field(TypeField { spec, attrs, entities, span }))
        }
        DeclKind::Attr { attr: Attr::Private(span), entities } if entities.is_empty() => {
            Some(TypeItem::Private { of_bindings: bindings, span })
        }
        DeclKind::Procedure { interface, attrs, entities } if !bindings => Some(TypeItem::Procedure {
            interface,
            attrs,
            bindings: entities.into_iter().map(|e| (e.name, e.pointer_init.and_then(initial_procedure))).collect(),
        }),
        _ => None,
    }
}

/// Whether a statement is the assignment of a structure constructor, as far as it is written.
fn may_assign_structure(stmt: &Stmt) -> bool {
    let is_name = |e: &Expr| matches!(e.kind, ExprKind::Name(_));
    match &stmt.kind {
        StmtKind::Assign { target, value } => {
            stmt.label.is_none()
                && is_name(target)
                && matches!(&value.kind, ExprKind::Apply { base, .. } if is_name(base))
        }
        _ => false,
    }
}
