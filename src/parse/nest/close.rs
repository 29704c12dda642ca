//! Closing frames: END statements, labelled loops, the end of the file.

use super::frame::{Frame, FrameKind, Part, UnitFrame, UnitHead};
use super::{At, Nest};
use crate::statement::{EndKind, Head};
use ast::{
    DeclKind, DerivedSpec, EnumDef, IfArm, InterfaceItem, Name, SelectArm, Stmt, StmtKind, Subprogram, SubprogramKind,
    TypeItem, TypeSpec, TypeSpecKind, Unit, UnitKind, WhereArm,
};
use diag::{Code, Diagnostic};
use source::Span;

/// How many blocks that lack their end are shown for one cause.
const MAX_SHOWN: usize = 4;

impl Nest {
    /// An END statement.
    pub(super) fn end(&mut self, kind: EndKind, name: Option<&Name>, at: &mut At<'_>) {
        let Some(index) = self.target(kind, name) else {
            let has_main = self.units.iter().any(|u| matches!(u.kind, UnitKind::Main(_)));
            // END alone is a whole main program, and so is END PROGRAM where nothing was complained of.
            let is_told = self.late.contains(&kind) || self.cut_short.iter().any(|c| c.0 == kind);
            let is_main = kind == EndKind::Any || (kind == EndKind::Program && name.is_none() && !is_told);
            if self.frames.is_empty() && is_main && !has_main {
                self.open_unit(UnitHead::Main(None), at);
                self.close_top(at);
                return;
            }
            if let Some(i) = self.cut_short.iter().rposition(|c| c.0 == kind) {
                // Its unit was complained of; what began inside that ends here too.
                let (_, depth) = self.cut_short.remove(i);
                while self.frames.len() > depth {
                    self.close_top(at);
                }
                return;
            }
            match self.late.iter().rposition(|&late| late == kind) {
                Some(i) => {
                    self.late.remove(i);
                }
                None => self.stray_end(kind, at),
            }
            return;
        };
        self.late.extend(self.frames[index + 1..].iter().filter(|f| f.kind.holds_statements()).map(|f| f.kind.end()));
        self.close_above(index, &format!("`{}`", kind.text()), at);
        let labelled = at.label();
        if let Some(frame) = self.frames.last_mut() {
            check_end(frame, kind, name, at);
            let continues = Stmt { label: labelled, kind: StmtKind::Continue, span: at.span };
            match &frame.kind {
                // A branch to the end of a loop or of a program goes on there, so the label is kept on a CONTINUE.
                FrameKind::Do { .. } if labelled.is_some() => frame.block.push(continues),
                FrameKind::Unit(unit) if labelled.is_some() && unit.executes() && unit.part != Part::Contains => {
                    frame.block.push(continues);
                }
                kind if labelled.is_some() && kind.holds_statements() => {
                    self.close_top(at);
                    if let Some(outer) = self.frames.last_mut() {
                        outer.block.push(continues);
                    }
                    return;
                }
                _ => {}
            }
        }
        self.close_top(at);
    }

    /// The frame that an END statement closes.
    fn target(&self, kind: EndKind, name: Option<&Name>) -> Option<usize> {
        let unit = self.frames.iter().rposition(|f| matches!(f.kind, FrameKind::Unit(_)));
        if kind == EndKind::Any {
            return unit;
        }
        let inner = unit.map_or(0, |i| i + 1);
        let within = &self.frames[inner..];
        if let Some(name) = name
            && let Some(i) = within
                .iter()
                .rposition(|f| f.kind.end() == kind && f.name.as_ref().is_some_and(|own| own.text == name.text))
        {
            return Some(inner + i);
        }
        if let Some(i) = within.iter().rposition(|f| f.kind.end() == kind) {
            return Some(inner + i);
        }
        let is_definition = matches!(
            kind,
            EndKind::Interface | EndKind::Type | EndKind::Enum | EndKind::Structure | EndKind::Union | EndKind::Map
        );
        let is_unit = matches!(
            kind,
            EndKind::Program
                | EndKind::Module
                | EndKind::Submodule
                | EndKind::Subroutine
                | EndKind::Function
                | EndKind::Procedure
                | EndKind::BlockData
        );
        if is_unit || is_definition {
            let exact = self.frames.iter().rposition(|f| f.kind.end() == kind);
            // `end function` for a subroutine and the like: it ends the current subprogram, under protest.
            let subprogram = matches!(kind, EndKind::Subroutine | EndKind::Function | EndKind::Procedure);
            let at_hand = unit.filter(|&i| {
                subprogram
                    && matches!(self.frames[i].kind.end(), EndKind::Subroutine | EndKind::Function | EndKind::Procedure)
            });
            return if exact.is_some_and(|e| at_hand.is_none_or(|a| e >= a)) { exact } else { at_hand.or(exact) };
        }
        None
    }

    fn stray_end(&mut self, kind: EndKind, at: &mut At<'_>) {
        if let Some((_, unit)) = self.innermost_unit()
            && std::mem::replace(&mut unit.complained, false)
        {
            // The statement that this one ends was part of what was complained of.
            return;
        }
        if self.told_depth {
            return;
        }
        let text = kind.text();
        let error = at.error(Code::UnexpectedEnd, format!("`{text}` closes nothing"));
        let error = match self.frames.last() {
            Some(frame) => {
                let noun = frame.kind.noun();
                error.secondary(
                    frame.span,
                    format!("the {noun} begins here and ends with `{}`", frame.kind.end().text()),
                )
            }
            None => error.label("nothing is open here"),
        };
        at.diags.push(error);
    }

    /// Closes what is open above a frame, each with an error.
    pub(super) fn close_above(&mut self, index: usize, word: &str, at: &mut At<'_>) {
        if self.frames.len() > index + 1 {
            let first = self.frames.len().saturating_sub(MAX_SHOWN).max(index + 1);
            for i in (first..self.frames.len()).rev() {
                self.report_open(i, &format!("{word} comes before its end"), at);
            }
            while self.frames.len() > index + 1 {
                self.close_top(at);
            }
        }
    }

    /// Reports that a frame lacks its end.
    pub(super) fn report_open(&mut self, index: usize, why: &str, at: &mut At<'_>) {
        let Some(frame) = self.frames.get(index) else { return };
        if self.told_depth {
            return;
        }
        at.diags.push(open_error(frame).secondary(at.span, why));
    }

    /// Reports what is open at the end of a file, as one error.
    pub(super) fn report_open_at_end(&mut self, at: &mut At<'_>) {
        let Some(innermost) = self.frames.last() else { return };
        if self.told_depth {
            return;
        }
        let mut error = open_error(innermost).secondary(at.span, "the file ends here");
        for frame in self.frames.iter().rev().skip(1).take(MAX_SHOWN) {
            let text = format!("the {} lacks its `{}` too", frame.kind.noun(), frame.kind.end().text());
            error = error.secondary(frame.span, text);
        }
        at.diags.push(error);
    }

    /// Ends the DO loops whose last statement has this label.
    pub(super) fn end_labelled_loops(&mut self, label: u32, at: &mut At<'_>) {
        let ends = |frame: &Frame| matches!(frame.kind, FrameKind::Do { label: Some(l), .. } if l == label);
        let unit = self.frames.iter().rposition(|f| matches!(f.kind, FrameKind::Unit(_))).map_or(0, |i| i + 1);
        while let Some(index) = self.frames[unit..].iter().rposition(ends).map(|i| unit + i) {
            self.close_above(index, &format!("label {label}"), at);
            self.close_top(at);
        }
    }

    /// Makes a node of the top frame and hands it to the frame below.
    pub(super) fn close_top(&mut self, at: &mut At<'_>) {
        let Some(Frame { kind, span, name, label, block }) = self.frames.pop() else { return };
        let end = at.span;
        let kind = match kind {
            FrameKind::Unit(unit) => {
                self.told_depth = false;
                self.late.clear();
                self.close_unit(*unit, block, span, at);
                return;
            }
            FrameKind::Interface(mut interface) => {
                interface.span = span.to(end);
                return self.define(DeclKind::Interface(interface), span, at);
            }
            FrameKind::Type { mut definition, objects, .. } => {
                definition.span = span.to(end);
                let kind = TypeSpecKind::Type(DerivedSpec { name: definition.name.clone(), params: Vec::new() });
                let spec = TypeSpec { kind, span };
                self.define(DeclKind::Derived(*definition), span, at);
                if let Some(entities) = objects.filter(|objects| !objects.is_empty()) {
                    self.define(DeclKind::Type { spec, attrs: Vec::new(), entities }, span, at);
                }
                return;
            }
            FrameKind::Map(items) => {
                if let Some(FrameKind::Union(maps)) = self.frames.last_mut().map(|f| &mut f.kind) {
                    maps.push(items);
                }
                return;
            }
            FrameKind::Union(maps) => {
                if let Some(items) = self.frames.last_mut().and_then(|f| f.kind.components()) {
                    items.push(TypeItem::Union(maps));
                }
                return;
            }
            FrameKind::Enum(items) => {
                return self.define(DeclKind::Enum(EnumDef { items, span: span.to(end) }), span, at);
            }
            FrameKind::If { mut arms, condition, at } => {
                arms.push(IfArm { condition, body: block, span: at });
                StmtKind::If { name, arms, end }
            }
            FrameKind::Do { control, cuf, .. } => {
                let body = StmtKind::Do { name, control, body: block, end };
                match cuf {
                    None => body,
                    Some(mut kernel) => {
                        kernel.body = Some(Box::new(Stmt { label: None, kind: body, span }));
                        let stmt = Stmt { label, span: kernel.span, kind: StmtKind::Cuf(kernel) };
                        if let Some(outer) = self.frames.last_mut() {
                            outer.block.push(stmt);
                        }
                        return;
                    }
                }
            }
            FrameKind::Select { rank, value, mut arms, open } => {
                arms.extend(open.map(|(ranges, span)| SelectArm { ranges, body: block, span }));
                match rank {
                    Some(bind) => StmtKind::SelectRank { name, bind, value, arms, end },
                    None => StmtKind::Select { name, value, arms, end },
                }
            }
            FrameKind::SelectType { bind, value, mut arms, open } => {
                arms.extend(open.map(|(guard, span)| (guard, block, span)));
                StmtKind::SelectType { name, bind, value, arms, end }
            }
            FrameKind::Where { mut arms, mask, at } => {
                arms.push(WhereArm { mask, body: block, span: at });
                StmtKind::Where { arms, end }
            }
            FrameKind::Forall(header) => StmtKind::Forall { header, body: block, end },
            FrameKind::Associate(items) => StmtKind::Associate { name, items, body: block, end },
            FrameKind::Block { uses, decls } => StmtKind::Block { name, uses, decls, body: block, end },
        };
        if let Some(outer) = self.frames.last_mut() {
            outer.block.push(Stmt { label, kind, span });
        }
    }

    /// Hands a finished definition to the scope around it.
    fn define(&mut self, kind: DeclKind, span: Span, at: &mut At<'_>) {
        let mut here = At { span, label: None, names: at.names, diags: at.diags };
        self.declaration(kind, &mut here);
    }

    fn close_unit(&mut self, unit: UnitFrame, body: ast::Block, span: Span, at: &mut At<'_>) {
        let end = at.span;
        let UnitFrame { head, uses, decls, inner, .. } = unit;
        let (kind, head) = match head {
            UnitHead::Module { name, ancestor, parent } => {
                let kind = UnitKind::Module { name, ancestor, parent, uses, decls, procedures: inner };
                return self.units.push(Unit { kind, span, end });
            }
            UnitHead::BlockData(name) => {
                return self.units.push(Unit { kind: UnitKind::BlockData { name, uses, decls }, span, end });
            }
            UnitHead::Main(name) => {
                let name = name.unwrap_or_else(|| Name { text: at.names.intern("main"), span });
                (SubprogramKind::Main, bare_head(SubprogramKind::Main, name))
            }
            UnitHead::Subprogram(head) => (head.kind, *head),
            UnitHead::ModuleProcedure(name) => {
                (SubprogramKind::ModuleProcedure, bare_head(SubprogramKind::ModuleProcedure, name))
            }
        };
        let Head { name, prefixes, args, result, bind, .. } = head;
        let subprogram =
            Subprogram { kind, name, prefixes, args, result, bind, uses, decls, body, internal: inner, span, end };
        match self.frames.last_mut().map(|f| &mut f.kind) {
            Some(FrameKind::Interface(interface)) => interface.items.push(InterfaceItem::Body(Box::new(subprogram))),
            Some(FrameKind::Unit(outer)) => outer.inner.push(subprogram),
            _ => {
                let kind = match kind {
                    SubprogramKind::Main => UnitKind::Main(subprogram),
                    _ => UnitKind::External(subprogram),
                };
                self.units.push(Unit { kind, span, end });
            }
        }
    }
}

fn bare_head(kind: SubprogramKind, name: Name) -> Head {
    Head { kind, name, prefixes: Vec::new(), args: Vec::new(), result: None, bind: None }
}

fn open_error(frame: &Frame) -> Diagnostic {
    let noun = frame.kind.noun();
    let message = match &frame.kind {
        FrameKind::Do { label: Some(label), .. } => format!("{noun} has no last statement with label {label}"),
        kind => format!("{noun} has no `{}`", kind.end().text()),
    };
    let diagnostic = Diagnostic::new(Code::UnterminatedBlock, frame.span, message).label("begins here");
    match &frame.kind {
        FrameKind::Unit(unit) if matches!(unit.head, UnitHead::Main(None)) && unit.first_executable.is_none() => {
            diagnostic
                .help("declarations alone are an include file: give the files that include it, not the file itself")
        }
        _ => diagnostic,
    }
}

/// Compares an END statement with what it closes.
fn check_end(frame: &Frame, kind: EndKind, name: Option<&Name>, at: &mut At<'_>) {
    let expected = frame.kind.end();
    let noun = frame.kind.noun();
    if kind != EndKind::Any && kind != expected {
        let message = format!("`{}` closes the {noun}", kind.text());
        at.diags.push(
            Diagnostic::new(Code::EndNameMismatch, at.span, message)
                .secondary(frame.span, "which begins here")
                .help(format!("write `{}`", expected.text())),
        );
        return;
    }
    let own = match &frame.kind {
        FrameKind::Unit(unit) => unit.name(),
        FrameKind::Type { definition, objects: None, .. } => Some(&definition.name),
        FrameKind::Interface(interface) => match &interface.kind {
            ast::InterfaceKind::Generic(
                ast::Generic::Name(name) | ast::Generic::Operator(name) | ast::Generic::Io(name),
            ) => Some(name),
            _ => None,
        },
        _ => frame.name.as_ref(),
    };
    match (own, name) {
        (Some(own), Some(name)) if !same(own.as_str(), name.as_str()) => {
            at.diags.push(
                Diagnostic::new(
                    Code::EndNameMismatch,
                    name.span,
                    format!("`{}` is not the name of the {noun}", name.text),
                )
                .secondary(own.span, format!("`{}` begins here", own.text)),
            );
        }
        (None, Some(name)) if frame.kind.holds_statements() || matches!(frame.kind, FrameKind::Unit(_)) => {
            at.diags.push(
                Diagnostic::new(Code::EndNameMismatch, name.span, format!("the {noun} has no name"))
                    .secondary(frame.span, "it begins here"),
            );
        }
        (Some(own), None) if frame.kind.holds_statements() => {
            at.diags.push(
                Diagnostic::new(
                    Code::EndNameMismatch,
                    at.span,
                    format!("the end of a construct must repeat its name `{}`", own.text),
                )
                .secondary(own.span, "named here"),
            );
        }
        _ => {}
    }
}

/// Whether two names or operators are the same; those of relations have two spellings.
fn same(a: &str, b: &str) -> bool {
    let plain = |s: &str| match s {
        ".eq." => "==".to_owned(),
        ".ne." => "/=".to_owned(),
        ".lt." => "<".to_owned(),
        ".le." => "<=".to_owned(),
        ".gt." => ">".to_owned(),
        ".ge." => ">=".to_owned(),
        other => other.to_owned(),
    };
    plain(a) == plain(b)
}
