//! Nests statements into blocks, subprograms and units with an explicit stack.
//!
//! Each open construct, definition or unit is a frame; the statement that ends it makes a node of it and hands that to the
//! frame below. Nothing recurses over the nesting, and the stack is bounded, so that later stages may recurse.
//!
//! Recovery: an END that fits a frame further down closes those above it, each with one error at the place where it
//! began; an END that fits none is reported and dropped; a subprogram that begins inside another ends that one. A line
//! that could not be read was reported already and leaves an error node or nothing. What follows a complaint about a
//! whole part (statements after CONTAINS) is not complained of again.

mod close;
mod frame;
mod function;
mod open;
mod part;

use crate::build::Names;
use crate::classify::{Classified, StatementPosition, classify};
use crate::logical::{Logical, LogicalKind};
use crate::outline::first_word;
use crate::statement::{EndKind, Statement};
use ast::{CufKernel, DeclKind, Declaration, Name, Stmt, StmtKind, TypeItem, Unit};
use diag::{Code, Diagnostic, Diagnostics};
use frame::{Frame, FrameKind, Part, UnitFrame, UnitHead};
use source::Span;

/// How many constructs, definitions and units may be open at once.
pub(crate) const MAX_NESTING: usize = 256;

/// The units of a file, as far as they are read.
#[derive(Default)]
pub(crate) struct Nest {
    units: Vec<Unit>,
    frames: Vec<Frame>,
    /// A CUF directive that waits for its DO loop.
    cuf: Option<Box<CufKernel>>,
    /// The first statement behind that directive, if it is no loop.
    before_loop: Option<Span>,
    /// How many constructs are open beyond the limit; their statements are dropped.
    beyond: usize,
    /// Whether the limit was reported in this unit.
    told_depth: bool,
    /// Units that were ended, with an error, by another that began inside them: what ends them, and how many frames hold them.
    cut_short: Vec<(EndKind, usize)>,
    /// ENDs that constructs of the current unit lack, as was reported: one that comes too late is no second mistake.
    late: Vec<EndKind>,
}

/// What is known of the current statement.
struct At<'a> {
    span: Span,
    label: Option<(u32, Span)>,
    names: &'a mut Names,
    diags: &'a mut Diagnostics,
}

impl At<'_> {
    fn label(&self) -> Option<u32> {
        self.label.map(|(label, _)| label)
    }

    fn error(&mut self, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.span, message)
    }
}

impl Nest {
    /// Takes the next logical line. Says whether errors in it, if there are any, cost no more than what the tree marks as lost: an
    /// executable statement, or declarations of new names.
    pub(crate) fn statement(&mut self, logical: &Logical, names: &mut Names, diags: &mut Diagnostics) -> bool {
        let before = diags.error_count();
        if logical.kind == LogicalKind::Lost {
            self.cuf = None;
            return self.lost(&At { span: logical.span(), label: logical.label, names, diags });
        }
        let Classified { name, mut statement, broken } = classify(logical, self.place(), names, diags);
        let read = diags.error_count();
        let is_spoilt = logical.broken || read > before;
        // What was read of such a statement may not be what was meant.
        let is_doubtful = match &statement {
            Statement::Decl(DeclKind::Type { .. }) => true,
            Statement::Exec(_) => logical.broken,
            _ => false,
        };
        if is_spoilt && is_doubtful {
            statement = Statement::Broken;
        }
        let is_end = matches!(statement, Statement::End(..) | Statement::Contains);
        let declares = matches!(statement, Statement::Broken) && !gives_attributes(&logical.text);
        let mut at = At { span: logical.span(), label: logical.label, names, diags };
        if self.beyond > 0 && self.skip(&statement) {
            return false;
        }
        self.check_label(&mut at);
        match &statement {
            Statement::Broken => {}
            Statement::Do(..) => self.note_cuf_behind(&mut at),
            // nvfortran lets the directive wait for the next loop.
            Statement::Exec(_) => self.before_loop = self.before_loop.or(Some(at.span)),
            _ => self.drop_cuf(&mut at),
        }
        self.take(name, statement, broken, &mut at);
        if let Some(label) = at.label() {
            self.end_labelled_loops(label, &mut at);
        }
        let nested = at.diags.error_count();
        nested == read && (!is_spoilt || is_end || self.is_executing() || declares && self.is_specifying())
    }

    /// Marks that statements are lost here. Says whether the tree can tell what that costs.
    fn lost(&mut self, at: &At<'_>) -> bool {
        let span = at.span;
        match self.frames.last_mut() {
            Some(Frame { kind: FrameKind::Unit(unit), .. }) if unit.part != Part::Executable => {
                unit.decls.push(Declaration { kind: DeclKind::Error, span });
            }
            Some(Frame { kind: FrameKind::Block { decls, .. }, block, .. }) if block.is_empty() => {
                decls.push(Declaration { kind: DeclKind::Error, span });
            }
            Some(Frame { kind: kind @ (FrameKind::Type { .. } | FrameKind::Map(_)), .. }) => {
                kind.components().into_iter().for_each(|items| items.push(TypeItem::Error));
            }
            Some(frame) if matches!(frame.kind, FrameKind::Unit(_)) || frame.kind.holds_statements() => {
                frame.block.push(Stmt { label: at.label(), kind: StmtKind::Error, span });
            }
            _ => return false,
        }
        true
    }

    /// Whether declarations or components stand here.
    fn is_specifying(&self) -> bool {
        match self.frames.last().map(|f| &f.kind) {
            Some(FrameKind::Unit(unit)) => unit.part == Part::Specification,
            Some(FrameKind::Type { .. } | FrameKind::Map(_)) => true,
            _ => false,
        }
    }

    /// Whether the statement that was taken last stands among executable ones.
    fn is_executing(&self) -> bool {
        match self.frames.last().map(|f| &f.kind) {
            Some(FrameKind::Unit(unit)) => unit.part == Part::Executable,
            Some(kind) => kind.holds_statements(),
            None => false,
        }
    }

    /// Ends the file: reports what is still open.
    pub(crate) fn finish(mut self, end: Span, diags: &mut Diagnostics) -> Vec<Unit> {
        let mut names = Names::default();
        let mut at = At { span: end, label: None, names: &mut names, diags };
        self.drop_cuf(&mut at);
        self.report_open_at_end(&mut at);
        while !self.frames.is_empty() {
            self.close_top(&mut at);
        }
        self.units
    }

    fn place(&self) -> StatementPosition {
        match self.frames.last().map(|f| &f.kind) {
            Some(FrameKind::Type { bindings: false, .. } | FrameKind::Map(_)) => StatementPosition::Type,
            Some(FrameKind::Type { bindings: true, .. }) => StatementPosition::Bindings,
            Some(FrameKind::Interface(_)) => StatementPosition::Interface,
            Some(FrameKind::Select { .. }) => StatementPosition::Select,
            _ => StatementPosition::Unit,
        }
    }

    fn take(&mut self, name: Option<Name>, statement: Statement, broken: bool, at: &mut At<'_>) {
        match statement {
            Statement::Program(name) => self.open_unit(UnitHead::Main(Some(name)), at),
            Statement::Module(name) => self.open_unit(UnitHead::Module { name, ancestor: None, parent: None }, at),
            Statement::Submodule { ancestor, parent, name } => {
                self.open_unit(UnitHead::Module { name, ancestor: Some(ancestor), parent }, at);
            }
            Statement::BlockData(name) => self.open_unit(UnitHead::BlockData(name), at),
            Statement::Subprogram(head) => self.open_subprogram(UnitHead::Subprogram(head), at),
            Statement::Procedures(names, module) => self.procedures(names, module, at),
            Statement::Contains => self.contains(at),
            Statement::Interface(kind) => self.open_definition(FrameKind::interface(kind), at),
            Statement::Type(head) => self.open_definition(FrameKind::derived(*head), at),
            Statement::Enum => self.open_definition(FrameKind::Enum(Vec::new()), at),
            Statement::Sequence => self.sequence(at),
            Statement::Structure(name, objects) => self.open_definition(FrameKind::structure(name, objects), at),
            Statement::Records(declarations) => {
                declarations.into_iter().for_each(|kind| self.declaration(kind, at));
            }
            Statement::Union => self.open_part(FrameKind::Union(Vec::new()), at),
            Statement::Map => self.open_part(FrameKind::Map(Vec::new()), at),
            Statement::Binding(item) => self.binding(item, at),
            Statement::Enumerator(items) => self.enumerator(items, at),
            Statement::Use(stmt) => self.use_stmt(stmt, at),
            Statement::Decl(kind) => self.declaration(kind, at),
            Statement::Exec(kind) => self.executable(kind, at),
            Statement::If(condition) => {
                self.open_construct(
                    name,
                    FrameKind::If { arms: Vec::new(), condition: Some(condition), at: at.span },
                    at,
                );
            }
            Statement::ElseIf(condition) => self.else_part(name, Some(condition), at),
            Statement::Else => self.else_part(name, None, at),
            Statement::Do(control, label) => {
                let cuf = self.cuf.take();
                self.open_construct(name, FrameKind::Do { control, label, cuf }, at);
            }
            Statement::SelectCase(value) => {
                self.open_construct(name, FrameKind::Select { rank: None, value, arms: Vec::new(), open: None }, at);
            }
            Statement::SelectRank(bind, value) => {
                self.open_construct(
                    name,
                    FrameKind::Select { rank: Some(bind), value, arms: Vec::new(), open: None },
                    at,
                );
            }
            Statement::Case(ranges) => self.case(name, ranges, at),
            Statement::SelectType(bind, value) => {
                self.open_construct(name, FrameKind::SelectType { bind, value, arms: Vec::new(), open: None }, at);
            }
            Statement::TypeGuard(guard) => self.type_guard(name, guard, at),
            Statement::Where(mask) => {
                self.open_construct(name, FrameKind::Where { arms: Vec::new(), mask: Some(mask), at: at.span }, at);
            }
            Statement::Elsewhere(mask) => self.elsewhere(name, mask, at),
            Statement::Forall(header) => self.open_construct(name, FrameKind::Forall(header), at),
            Statement::Associate(items) => self.open_construct(name, FrameKind::Associate(items), at),
            Statement::Block => {
                self.open_construct(name, FrameKind::Block { uses: Vec::new(), decls: Vec::new() }, at);
            }
            Statement::End(kind, name) => self.end(kind, name.as_ref(), at),
            Statement::Cuf(kernel) => self.directive(kernel, at),
            Statement::Broken => {
                if !broken {
                    let error = at.error(Code::SyntaxError, "this statement cannot be read");
                    at.diags.push(error);
                }
                self.broken(at);
            }
        }
    }

    /// Whether a statement beyond the limit of nesting is dropped.
    fn skip(&mut self, statement: &Statement) -> bool {
        match statement {
            Statement::If(_)
            | Statement::Do(_, None)
            | Statement::SelectCase(_)
            | Statement::SelectRank(..)
            | Statement::SelectType(..)
            | Statement::Where(_)
            | Statement::Forall(..)
            | Statement::Associate(_)
            | Statement::Block => self.beyond += 1,
            Statement::End(
                EndKind::If
                | EndKind::Do
                | EndKind::Select
                | EndKind::Where
                | EndKind::Forall
                | EndKind::Associate
                | EndKind::Block,
                _,
            ) => self.beyond -= 1,
            Statement::End(..)
            | Statement::Program(_)
            | Statement::Module(_)
            | Statement::Submodule { .. }
            | Statement::Subprogram(_)
            | Statement::Contains => {
                self.beyond = 0;
                return false;
            }
            _ => {}
        }
        true
    }

    fn check_label(&mut self, at: &mut At<'_>) {
        let Some((label, span)) = at.label else { return };
        if matches!(self.frames.last().map(|f| &f.kind), Some(FrameKind::Type { .. })) {
            // A derived type is a scoping unit of its own, in which labels mean nothing.
            return;
        }
        let unit = self.frames.iter_mut().rev().find_map(|f| match &mut f.kind {
            FrameKind::Unit(unit) => Some(unit),
            _ => None,
        });
        let Some(unit) = unit else { return };
        if let Some(first) = unit.labels.insert(label, span) {
            at.diags.push(
                Diagnostic::new(Code::DuplicateLabel, span, format!("label {label} is given to two statements"))
                    .secondary(first, "first given here"),
            );
        }
    }

    /// A CUF directive whose loop follows behind other statements.
    fn note_cuf_behind(&mut self, at: &mut At<'_>) {
        if let (Some(kernel), Some(first)) = (&self.cuf, self.before_loop) {
            let text = "`!$cuf kernel do` is not followed by a DO loop; it is taken for the next one";
            let help = "put the directive directly in front of its loop";
            let d = Diagnostic::new(Code::DirectiveWithoutLoop, kernel.span, text);
            at.diags.push(d.secondary(first, "this comes first").help(help));
        }
    }

    /// A CUF directive that no loop follows.
    fn drop_cuf(&mut self, at: &mut At<'_>) {
        let Some(kernel) = self.cuf.take() else { return };
        let expected = self.before_loop.unwrap_or(at.span);
        at.diags.push(
            Diagnostic::new(
                Code::DirectiveWithoutLoop,
                kernel.span,
                "`!$cuf kernel do` is not followed by a DO loop; it has no effect",
            )
            .secondary(expected, "expected `do` here")
            .help("nothing but comments may stand between the directive and its loop"),
        );
    }

    fn directive(&mut self, kernel: Box<CufKernel>, at: &mut At<'_>) {
        if !self.frames.is_empty() && self.in_executable_place() {
            self.begin_executables(at);
            self.cuf = Some(kernel);
            self.before_loop = None;
            return;
        }
        let error = at.error(Code::BadDirective, "`!$cuf kernel do` stands where no loop can follow");
        at.diags.push(error);
    }

    fn broken(&mut self, at: &mut At<'_>) {
        if self.is_executing() || self.is_specifying() {
            self.lost(at);
        }
    }

    /// The innermost unit and its index.
    fn innermost_unit(&mut self) -> Option<(usize, &mut UnitFrame)> {
        self.frames.iter_mut().enumerate().rev().find_map(|(i, f)| match &mut f.kind {
            FrameKind::Unit(unit) => Some((i, &mut **unit)),
            _ => None,
        })
    }
}

/// Whether a statement gives attributes to names that are declared elsewhere, rather than declares names.
fn gives_attributes(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "allocatable",
        "asynchronous",
        "attributes",
        "automatic",
        "codimension",
        "common",
        "contiguous",
        "device",
        "dimension",
        "equivalence",
        "external",
        "generic",
        "intent",
        "intrinsic",
        "managed",
        "optional",
        "parameter",
        "pinned",
        "pointer",
        "private",
        "protected",
        "public",
        "save",
        "static",
        "target",
        "value",
        "volatile",
    ];
    WORDS.contains(&first_word(text))
}
