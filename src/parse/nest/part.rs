//! Statements that part what is open: ELSE, CASE, CONTAINS and their kin.

use super::frame::{Frame, FrameKind, Part};
use super::{At, Nest};
use ast::{
    Attr, CaseRange, DeclKind, Entity, Expr, Generic, IfArm, Interface, InterfaceItem, InterfaceKind, Name, SelectArm,
    TypeItem, TypeSpec, WhereArm,
};
use diag::{Code, Diagnostic};

impl Nest {
    /// Brings the construct that a statement parts to the top of the stack; reports what is open above it, or that there
    /// is none.
    fn find(
        &mut self,
        word: &str,
        block: &str,
        at: &mut At<'_>,
        fits: impl Fn(&FrameKind) -> bool,
    ) -> Option<&mut Frame> {
        let unit = self.frames.iter().rposition(|f| matches!(f.kind, FrameKind::Unit(_))).map_or(0, |i| i + 1);
        let Some(index) = self.frames[unit..].iter().rposition(|f| fits(&f.kind)).map(|i| unit + i) else {
            let error = at
                .error(Code::BranchWithoutBlock, format!("`{word}` outside {block}"))
                .label("nothing that it could belong to is open here");
            at.diags.push(error);
            return None;
        };
        self.close_above(index, &format!("`{word}`"), at);
        self.frames.last_mut()
    }

    /// A name at the end of a parting statement must be that of its construct.
    fn check_part_name(frame: &Frame, name: Option<Name>, at: &mut At<'_>) {
        let Some(name) = name else { return };
        if frame.name.as_ref().is_some_and(|own| own.text == name.text) {
            return;
        }
        let message = format!("`{}` is not the name of the {}", name.text, frame.kind.noun());
        at.diags.push(
            Diagnostic::new(Code::EndNameMismatch, name.span, message).secondary(frame.span, "which begins here"),
        );
    }

    /// ELSE IF and, without condition, ELSE.
    pub(super) fn else_part(&mut self, name: Option<Name>, next: Option<Expr>, at: &mut At<'_>) {
        let word = if next.is_some() { "else if" } else { "else" };
        let Some(frame) = self.find(word, "an IF construct", at, |k| matches!(k, FrameKind::If { .. })) else { return };
        Self::check_part_name(frame, name, at);
        let FrameKind::If { arms, condition, at: begun } = &mut frame.kind else { return };
        let body = std::mem::take(&mut frame.block);
        let was_else = condition.is_none();
        arms.push(IfArm { condition: std::mem::replace(condition, next), body, span: *begun });
        let first_else = std::mem::replace(begun, at.span);
        if was_else {
            let error = at.error(Code::StatementOutOfPlace, format!("`{word}` after `else`"));
            at.diags.push(error.secondary(first_else, "`else` must be the last part of its construct"));
        }
    }

    /// CASE.
    pub(super) fn case(&mut self, name: Option<Name>, ranges: Option<Vec<CaseRange>>, at: &mut At<'_>) {
        let fits = |k: &FrameKind| matches!(k, FrameKind::Select { .. });
        let Some(frame) = self.find("case", "a SELECT CASE construct", at, fits) else { return };
        Self::check_part_name(frame, name, at);
        let FrameKind::Select { arms, open, .. } = &mut frame.kind else { return };
        let body = std::mem::take(&mut frame.block);
        if let Some((ranges, span)) = open.replace((ranges, at.span)) {
            arms.push(SelectArm { ranges, body, span });
        }
    }

    /// TYPE IS, CLASS IS and CLASS DEFAULT.
    pub(super) fn type_guard(&mut self, name: Option<Name>, guard: Option<(bool, TypeSpec)>, at: &mut At<'_>) {
        let fits = |k: &FrameKind| matches!(k, FrameKind::SelectType { .. });
        let Some(frame) = self.find("type is", "a SELECT TYPE construct", at, fits) else { return };
        Self::check_part_name(frame, name, at);
        let FrameKind::SelectType { arms, open, .. } = &mut frame.kind else { return };
        let body = std::mem::take(&mut frame.block);
        if let Some((guard, span)) = open.replace((guard, at.span)) {
            arms.push((guard, body, span));
        }
    }

    /// ELSEWHERE.
    pub(super) fn elsewhere(&mut self, name: Option<Name>, next: Option<Expr>, at: &mut At<'_>) {
        let fits = |k: &FrameKind| matches!(k, FrameKind::Where { .. });
        let Some(frame) = self.find("elsewhere", "a WHERE construct", at, fits) else { return };
        Self::check_part_name(frame, name, at);
        let FrameKind::Where { arms, mask, at: begun } = &mut frame.kind else { return };
        let body = std::mem::take(&mut frame.block);
        arms.push(WhereArm { mask: std::mem::replace(mask, next), body, span: *begun });
        *begun = at.span;
    }

    /// CONTAINS, of a unit or of a type.
    pub(super) fn contains(&mut self, at: &mut At<'_>) {
        if let Some(FrameKind::Type { bindings, .. }) = self.frames.last_mut().map(|f| &mut f.kind) {
            *bindings = true;
            return;
        }
        self.ensure_unit(at);
        let Some((index, _)) = self.innermost_unit() else { return };
        self.close_above(index, "`contains`", at);
        let nested = index > 0 && matches!(&self.frames[index - 1].kind, FrameKind::Unit(unit) if unit.executes());
        let Some(FrameKind::Unit(unit)) = self.frames.last_mut().map(|f| &mut f.kind) else { return };
        let twice = unit.part == Part::Contains;
        unit.part = Part::Contains;
        if twice {
            let error = at.error(Code::StatementOutOfPlace, "`contains` a second time in one program unit");
            at.diags.push(error);
        } else if nested {
            let error = at
                .error(Code::StatementOutOfPlace, "an internal subprogram cannot contain others")
                .help("move the inner subprogram out, behind the same `contains`");
            at.diags.push(error);
        }
    }

    /// SEQUENCE.
    pub(super) fn sequence(&mut self, at: &mut At<'_>) {
        if let Some(FrameKind::Type { definition, bindings: false, .. }) = self.frames.last_mut().map(|f| &mut f.kind) {
            if !std::mem::replace(&mut definition.sequence, true) {
                return;
            }
            // Fortran 2018, C734.
            let error = at.error(Code::StatementOutOfPlace, "SEQUENCE stands twice in one type definition");
            at.diags.push(error);
            return;
        }
        let error = at.error(Code::StatementOutOfPlace, "SEQUENCE stands outside a type definition");
        at.diags.push(error);
    }

    /// A type-bound procedure, GENERIC or FINAL.
    pub(super) fn binding(&mut self, item: TypeItem, at: &mut At<'_>) {
        let is_in_type = matches!(self.frames.last().map(|f| &f.kind), Some(FrameKind::Type { .. }));
        if let (TypeItem::Generic { attrs, spec, names }, false) = (&item, is_in_type) {
            return self.generic_statement(attrs, spec.clone(), names.clone(), at);
        }
        let error = match self.frames.last_mut().map(|f| &mut f.kind) {
            Some(FrameKind::Type { definition, bindings: true, .. }) => {
                definition.items.push(item);
                return;
            }
            Some(FrameKind::Type { definition, bindings, .. }) => {
                // What was meant is plain: the rest of the definition is read as bindings.
                definition.items.push(item);
                *bindings = true;
                at.error(Code::StatementOutOfPlace, "type-bound procedures need `contains` before them")
            }
            _ => at.error(Code::StatementOutOfPlace, "GENERIC and FINAL stand outside a type definition"),
        };
        at.diags.push(error);
    }

    /// GENERIC outside of a type: an interface block with the names, and who may use it (Fortran 2018, 15.4.3.3).
    fn generic_statement(&mut self, attrs: &[Attr], spec: Generic, names: Vec<Name>, at: &mut At<'_>) {
        let span = at.span;
        let (text, place) = match &spec {
            Generic::Name(name) | Generic::Io(name) => (name.text.clone(), name.span),
            Generic::Operator(name) => (format!("operator({})", name.text).into(), name.span),
            Generic::Assignment(span) => ("assignment(=)".into(), *span),
        };
        let items = vec![InterfaceItem::Names { module: false, names }];
        self.declaration(DeclKind::Interface(Interface { kind: InterfaceKind::Generic(spec), items, span }), at);
        for attr in attrs {
            let name = Name { text: text.clone(), span: place };
            let entity =
                Entity { name, shape: None, char_len: None, init: None, pointer_init: None, data: None, span: place };
            self.declaration(DeclKind::Attr { attr: attr.clone(), entities: vec![entity] }, at);
        }
    }

    /// ENUMERATOR.
    pub(super) fn enumerator(&mut self, mut items: Vec<(Name, Option<Expr>)>, at: &mut At<'_>) {
        if let Some(FrameKind::Enum(known)) = self.frames.last_mut().map(|f| &mut f.kind) {
            known.append(&mut items);
            return;
        }
        let error = at
            .error(Code::StatementOutOfPlace, "ENUMERATOR stands outside an ENUM block")
            .help("put it between `enum, bind(c)` and `end enum`");
        at.diags.push(error);
    }
}
