//! Which specifiers and items may stand together in input and output statements (Fortran 2018, 12.5.6, 12.6.2, 12.6.3).

use crate::checked::{Const, DefinedIo, Expr, ExprKind, IoControl, IoForm, IoUnit, Item, Shape, Type, TypeId, VarId};
use crate::checker::Binding;
use crate::typing::{Typing, has_vector_subscript};
use ast::IoKind;
use diag::{Code, Diagnostic};
use source::Span;

impl Typing<'_> {
    /// Checks the specifiers of a statement against each other.
    pub(super) fn check_specifiers(
        &mut self,
        kind: IoKind,
        unit: &IoUnit,
        form: Option<&IoForm>,
        controls: &[IoControl],
        span: Span,
    ) -> Option<()> {
        let given = |keyword: &str| controls.iter().find(|c| &*c.keyword == keyword);
        if let (Some(_), Some(c)) = (given("rec"), given("end")) {
            // Fortran 2018, C1220; nvfortran takes it.
            let text = "`end=` and `rec=` exclude each other: there is a record of the number, or an error";
            self.not_standard(Code::BadIoSpecifier, c.value.span, text, "write `err=` or `iostat=`");
        }
        let mut wrong = |at: Span, text: &str| self.reporter.error::<()>(Code::BadIoSpecifier, at, text);
        if kind == IoKind::Write
            && let Some(c) = given("end").or_else(|| given("eor")).or_else(|| given("size"))
        {
            return wrong(span, &format!("`{}=` is for input", c.keyword));
        }
        if matches!(kind, IoKind::Read | IoKind::Write) {
            let is_asynchronous = given("asynchronous").is_some_and(|c| {
                !matches!(&c.value.kind, ExprKind::Const(Const::Char(t)) if !t.trim_ascii_end().eq_ignore_ascii_case(b"yes"))
            });
            if let (Some(c), false) = (given("id"), is_asynchronous) {
                // Fortran 2018, C1240.
                return wrong(c.value.span, "`id=` needs `asynchronous='yes'`");
            }
            if let Some(c) = given("asynchronous").filter(|c| !matches!(c.value.kind, ExprKind::Const(_))) {
                // Fortran 2018, 12.6.2.5.
                return wrong(c.value.span, "`asynchronous=` of a data transfer needs a constant, `'yes'` or `'no'`");
            }
            if let (Some(_), Some(c)) = (given("rec"), given("pos")) {
                return wrong(c.value.span, "`pos=` and `rec=` exclude each other");
            }
            if let (Some(c), None) = (given("size"), given("advance")) {
                // Fortran 2018, 12.6.2.15.
                return wrong(c.value.span, "`size=` needs `advance=`: it counts what is read from one record");
            }
            if let (Some(c), None) = (given("eor"), given("advance")) {
                // Fortran 2018, C1222.
                return wrong(
                    c.value.span,
                    "`eor=` needs `advance=`: only input that does not advance meets the end of a record",
                );
            }
            if let IoUnit::Internal(file) | IoUnit::Memory { object: file, .. } = unit {
                if form.is_none() {
                    return wrong(file.span, "input and output of a character variable need a format");
                }
                if let Some(c) = given("rec").or_else(|| given("pos")) {
                    return wrong(c.value.span, &format!("`{}=` is not for internal files", c.keyword));
                }
                if has_vector_subscript(file) {
                    return wrong(file.span, "an internal file has no vector subscript");
                }
            }
        }
        if kind == IoKind::Open && matches!(unit, IoUnit::None) && given("newunit").is_none() {
            // Fortran 2018, C1203.
            return wrong(span, "`open` needs a unit, or `newunit=`");
        }
        if let (IoKind::Open, Some(newunit), None) = (kind, given("newunit"), given("file")) {
            let is_scratch = match given("status").map(|c| &c.value.kind) {
                Some(ExprKind::Const(Const::Char(text))) => text.trim_ascii_end().eq_ignore_ascii_case(b"scratch"),
                Some(_) => true,
                None => false,
            };
            if !is_scratch {
                let at = newunit.value.span;
                return wrong(at, "`newunit=` needs `file=` or `status='scratch'`");
            }
        }
        Some(())
    }

    /// What keeps an object from being transferred: it is polymorphic, or its type has components that may not be named here,
    /// or that are procedure pointers.
    pub(super) fn check_transferable(&mut self, value: &Expr, defined: &[DefinedIo]) -> Option<()> {
        if self.is_polymorphic_object(value) {
            let text = "a polymorphic object is transferred by defined input/output only";
            return self.reporter.error_help(Code::BadIoItem, value.span, text, "transfer its components");
        }
        let Type::Derived(id) = value.ty else { return Some(()) };
        let what = self.untransferable_part(id, defined)?;
        if what.is_empty() {
            return Some(());
        }
        let text = format!("`type({})` {what}", self.defs.ty(id).name);
        self.reporter.error_help(Code::BadIoItem, value.span, text, "transfer its components, or define the transfer")
    }

    /// An object of a namelist group that is polymorphic, or has allocatable or pointer components, is transferred by defined
    /// input and output only (Fortran 2018, 13.11.3).
    pub(super) fn check_group_transfer(&mut self, var: VarId, defined: &[DefinedIo], span: Span) -> Option<()> {
        let v = self.defs.var(var);
        let Type::Derived(id) = v.ty else { return Some(()) };
        if defined.iter().any(|d| self.defs.class_takes(&Type::Derived(d.ty), &v.ty)) {
            return Some(());
        }
        let what = if self.defs.var_info(var).polymorphic {
            "is polymorphic"
        } else if self.defs.has_part(id, &|f| f.is_allocatable() || f.pointer) {
            "has an allocatable or pointer component"
        } else {
            return Some(());
        };
        let text = format!("`{}` of the namelist group {what}", v.name);
        let d = Diagnostic::new(Code::BadIoItem, span, text).secondary(v.span, "declared here");
        self.reporter.report(d.help("define the transfer of its type, or take it out of the group"));
        None
    }

    fn is_polymorphic_object(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Var(id) => self.defs.var_info(*id).polymorphic,
            ExprKind::Element { base, .. } | ExprKind::Section { base, .. } => self.is_polymorphic_object(base),
            ExprKind::Array(items) => items.iter().any(|item| self.is_polymorphic_item(item)),
            _ => false,
        }
    }

    fn is_polymorphic_item(&self, item: &Item) -> bool {
        match item {
            Item::Expr(e) => self.is_polymorphic_object(e),
            Item::Do(implied) => implied.items.iter().any(|item| self.is_polymorphic_item(item)),
        }
    }

    /// Words for a component that keeps objects of a type from being transferred as a whole; none if there is no such component.
    fn untransferable_part(&self, id: TypeId, defined: &[DefinedIo]) -> Option<String> {
        let info = self.defs.type_info(id);
        for f in &self.defs.ty(id).fields {
            if matches!(info.bindings.get(&f.name), Some(Binding::Pointer { .. })) {
                return Some(format!("has the procedure pointer component `{}`", f.name));
            }
            let module = info.private.get(&f.name);
            if module.is_some_and(|m| !self.scopes.around(self.cx.scope).any(|s| s.module.as_ref() == Some(m))) {
                return Some(format!("has the private component `{}`", f.name));
            }
            if let (Type::Derived(part), false) = (&f.ty, f.pointer || f.is_allocatable())
                && !defined.iter().any(|d| d.ty == *part)
            {
                let what = self.untransferable_part(*part, defined)?;
                if !what.is_empty() {
                    return Some(format!("has the component `{}`, whose type {what}", f.name));
                }
            }
        }
        Some(String::new())
    }

    /// Checks that a variable may be in a namelist group, which is public or not (Fortran 2018, C8103 to C8105).
    pub(crate) fn check_group_object(&mut self, id: VarId, name: &ast::Name, is_private_group: bool) -> Option<()> {
        let (var, scope) = (self.defs.var(id), self.cx.scope);
        let data = self.scopes.get(scope);
        let is_private = data.proc.is_none() && data.access.get(&name.text).copied().unwrap_or(data.private_default);
        let what = if matches!(var.shape, Shape::AssumedSize(..)) {
            "is an array of assumed size"
        } else if is_private && !is_private_group {
            "is private, and the group is not"
        } else {
            return Some(());
        };
        let text = format!("`{}` cannot be in the namelist group: it {what}", name.as_str());
        self.reporter.error(Code::BadNamelist, name.span, text)
    }
}
