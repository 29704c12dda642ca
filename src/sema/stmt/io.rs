//! Input and output statements (Fortran 2018, clause 12).

use super::io_forms::{specifier_of, word_alone};
use crate::checked::{
    CharLen, Const, DefinedIo, Expr, ExprKind, ImpliedDo, IoControl, IoForm, IoItem, IoStmt, IoUnit, StmtKind, Type,
    is_designator, is_device_output,
};
use crate::checker::{Checker, CodeSide, Sym};
use crate::typing::{Typing, constant, has_vector_subscript, is_class, shape_name, shape_of};
use ast::IoKind;
use diag::{Code, Diagnostic, nearest_name};
use source::Span;

/// What the value of a specifier is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// An integer variable that is set.
    IntegerOut,
    /// A logical variable that is set.
    LogicalOut,
    /// A character variable that is set.
    TextOut,
    /// An integer value.
    Integer,
    /// A character value.
    Text,
    /// A label.
    Label,
}

/// The specifiers of a statement, unit, format and namelist aside.
fn specifiers(kind: IoKind) -> &'static [(&'static str, Takes)] {
    use Takes as T;
    match kind {
        IoKind::Print => &[],
        IoKind::Write | IoKind::Read | IoKind::Encode | IoKind::Decode => &[
            ("advance", T::Text),
            ("iostat", T::IntegerOut),
            ("iomsg", T::TextOut),
            ("err", T::Label),
            ("end", T::Label),
            ("eor", T::Label),
            ("rec", T::Integer),
            ("pos", T::Integer),
            ("size", T::IntegerOut),
            ("decimal", T::Text),
            ("delim", T::Text),
            ("pad", T::Text),
            ("blank", T::Text),
            ("sign", T::Text),
            ("round", T::Text),
            ("asynchronous", T::Text),
            ("id", T::IntegerOut),
        ],
        IoKind::Open => &[
            ("file", T::Text),
            ("status", T::Text),
            ("access", T::Text),
            ("action", T::Text),
            ("form", T::Text),
            ("position", T::Text),
            ("recl", T::Integer),
            ("newunit", T::IntegerOut),
            ("iostat", T::IntegerOut),
            ("iomsg", T::TextOut),
            ("err", T::Label),
            ("blank", T::Text),
            ("delim", T::Text),
            ("pad", T::Text),
            ("decimal", T::Text),
            ("sign", T::Text),
            ("round", T::Text),
            ("encoding", T::Text),
            ("convert", T::Text),
            ("asynchronous", T::Text),
            ("dispose", T::Text),
        ],
        IoKind::Close => &[("status", T::Text), ("iostat", T::IntegerOut), ("iomsg", T::TextOut), ("err", T::Label)],
        IoKind::Rewind | IoKind::Backspace | IoKind::Endfile | IoKind::Flush => {
            &[("iostat", T::IntegerOut), ("iomsg", T::TextOut), ("err", T::Label)]
        }
        IoKind::Wait => &[
            ("id", T::Integer),
            ("iostat", T::IntegerOut),
            ("iomsg", T::TextOut),
            ("err", T::Label),
            ("end", T::Label),
            ("eor", T::Label),
        ],
        IoKind::Inquire => &[
            ("id", T::Integer),
            ("file", T::Text),
            ("exist", T::LogicalOut),
            ("opened", T::LogicalOut),
            ("named", T::LogicalOut),
            ("number", T::IntegerOut),
            ("recl", T::IntegerOut),
            ("nextrec", T::IntegerOut),
            ("size", T::IntegerOut),
            ("pos", T::IntegerOut),
            ("iostat", T::IntegerOut),
            ("iolength", T::IntegerOut),
            ("iomsg", T::TextOut),
            ("name", T::TextOut),
            ("access", T::TextOut),
            ("action", T::TextOut),
            ("form", T::TextOut),
            ("formatted", T::TextOut),
            ("unformatted", T::TextOut),
            ("sequential", T::TextOut),
            ("direct", T::TextOut),
            ("stream", T::TextOut),
            ("position", T::TextOut),
            ("read", T::TextOut),
            ("write", T::TextOut),
            ("readwrite", T::TextOut),
            ("blank", T::TextOut),
            ("delim", T::TextOut),
            ("pad", T::TextOut),
            ("encoding", T::TextOut),
            ("convert", T::TextOut),
            ("asynchronous", T::TextOut),
            ("decimal", T::TextOut),
            ("round", T::TextOut),
            ("sign", T::TextOut),
            ("pending", T::LogicalOut),
            ("err", T::Label),
        ],
    }
}

impl<'a> Checker<'a> {
    pub(super) fn io(
        &mut self,
        kind: IoKind,
        control: &'a [ast::IoControl],
        items: &'a [ast::IoItem],
        span: Span,
    ) -> Option<StmtKind> {
        let (kind, in_memory) = match kind {
            IoKind::Encode => (IoKind::Write, true),
            IoKind::Decode => (IoKind::Read, true),
            _ => (kind, false),
        };
        let mut unit = match kind {
            IoKind::Print => IoUnit::Star,
            _ if in_memory => self.memory_unit(control, span)?,
            _ => IoUnit::None,
        };
        let mut form: Option<IoForm> = None;
        let mut controls = Vec::new();
        let transfers = matches!(kind, IoKind::Write | IoKind::Read);
        let mut complete = true;
        for (i, c) in control.iter().enumerate() {
            let word = word_alone(kind, i, c);
            let keyword = match &c.keyword {
                Some(name) => specifier_of(kind, name.as_str()),
                None if word == Some("readonly") => "action",
                None if word.is_some() => "shared",
                None if kind == IoKind::Print => "fmt",
                None if in_memory && matches!(i, 0 | 2) => continue,
                None if i == 0 => "unit",
                None if i == 1 && transfers => "fmt",
                None => {
                    self.reporter.error::<()>(Code::BadIoSpecifier, c.span, "this specifier needs a keyword");
                    complete = false;
                    continue;
                }
            };
            let is_same = |(at, other): (usize, &ast::IoControl)| match &other.keyword {
                Some(name) => specifier_of(kind, name.as_str()) == keyword,
                None => keyword == "action" && word_alone(kind, at, other) == Some("readonly"),
            };
            if control[..i].iter().enumerate().any(is_same) {
                let text = format!("`{keyword}=` is given twice");
                self.reporter.error::<()>(Code::BadIoSpecifier, c.span, text);
                complete = false;
                continue;
            }
            if matches!(keyword, "fmt" | "nml") && form.is_some() {
                // Fortran 2018, 12.6.2.1.
                let text = "a format and a namelist group exclude each other";
                self.reporter.error::<()>(Code::BadIoSpecifier, c.span, text);
                complete = false;
                continue;
            }
            let done = match keyword {
                "unit" if kind != IoKind::Print && !in_memory => self.unit(c, transfers).map(|u| unit = u),
                "fmt" if transfers || kind == IoKind::Print => self.format_of(c).map(|f| form = Some(f)),
                "nml" if transfers => self.group(c).map(|f| form = Some(f)),
                _ if word.is_some() => {
                    controls.extend(word.and_then(|word| self.word_specifier(word, c)));
                    Some(())
                }
                other => {
                    self.note_specifier(c.keyword.as_ref().map_or(other, |name| name.as_str()), other, c);
                    self.specifier(kind, other, c).map(|v| controls.extend(v))
                }
            };
            complete &= done.is_some();
        }
        if let (IoKind::Write, IoUnit::Internal(file) | IoUnit::Memory { object: file, .. }) = (kind, &unit) {
            complete &= self.typing().check_assigned(file).is_some();
        }
        let input = kind == IoKind::Read;
        let mut typed = Vec::with_capacity(items.len());
        // The name of the procedures by which types define such a transfer.
        let key = match (&form, input) {
            (Some(IoForm::Format(e)), _) if !may_have_dt(e) => None,
            (None, false) => Some("write(unformatted)"),
            (None, true) => Some("read(unformatted)"),
            (Some(_), false) => Some("write(formatted)"),
            (Some(_), true) => Some("read(formatted)"),
        };
        let mut defined = Vec::new();
        complete &= self.io_list(items, input, key, (&mut typed, &mut defined));
        if !complete {
            return None;
        }
        let has_items = transfers || kind == IoKind::Print || controls.iter().any(|c| &*c.keyword == "iolength");
        if let (Some(first), false) = (items.first(), has_items) {
            let at = if let ast::IoItem::Expr(e) = first { e.span } else { span };
            return self.reporter.error(Code::BadIoSpecifier, at, "this statement has no list of items");
        }
        // `read fmt, items` reads standard input.
        if kind == IoKind::Read && form.is_some() && matches!(unit, IoUnit::None) {
            unit = IoUnit::Star;
        }
        if matches!(unit, IoUnit::None) && !matches!(kind, IoKind::Open | IoKind::Inquire) {
            return self.reporter.error(Code::BadIoSpecifier, span, "the unit is missing");
        }
        if matches!(form, Some(IoForm::Namelist(..))) && !typed.is_empty() {
            return self.reporter.error(Code::BadIoSpecifier, span, "a namelist statement has no list of items");
        }
        if let Some(IoForm::Namelist(_, objects)) = &form {
            for var in objects.iter().map(|object| object.var) {
                let v = self.defs.var(var);
                let (ty, rank) = (v.ty.clone(), v.shape.rank());
                let item = Expr { kind: ExprKind::Var(var), ty, rank, span };
                self.typing().check_io_value(&item)?;
                if input {
                    self.typing().check_assigned(&item)?;
                }
                if let (Type::Derived(id), Some(key)) = (&item.ty, key) {
                    let is_class = is_class(&self.defs, &item);
                    self.list_defined(*id, is_class, key, span, &mut defined);
                }
                self.typing().check_group_transfer(var, &defined, span)?;
                typed.push(IoItem::Expr(item));
            }
        }
        if self.cx.side.on_device() && !form.as_ref().is_some_and(|form| is_device_output(kind, &unit, form)) {
            let is_of_both = self.cx.side == CodeSide::Both;
            if !(is_of_both && self.cx.guarded) {
                let text = "device code has only list-directed output to unit `*`";
                self.reporter.report(Diagnostic::new(Code::DeviceIo, span, text).help("write `print *, …`"));
            }
            // The host's code of a procedure for both sides has every statement.
            if !is_of_both {
                return self.reporter.refuse_again(&"this input/output statement in device code".into());
            }
        }
        if let Some(at) = control.iter().find(|c| c.keyword.as_ref().is_some_and(|k| k.as_str() == "advance"))
            && !matches!(form, Some(IoForm::Format(_)))
        {
            let text = "`advance=` stands with a format only";
            let help = "give a format such as `'(a)'`";
            let is_yes = controls.iter().any(|c| &*c.keyword == "advance" && is_yes(&c.value));
            if !(is_yes && matches!(form, Some(IoForm::List))) {
                return self.reporter.error_help(Code::BadIoSpecifier, at.span, text, help);
            }
            // Such a transfer advances in any case, and nvfortran takes it.
            self.reporter.report(Diagnostic::new(Code::AdvanceWithoutFormat, at.span, text).help(help));
            controls.retain(|c| &*c.keyword != "advance");
        }
        if kind == IoKind::Inquire {
            let has_file = controls.iter().any(|c| &*c.keyword == "file");
            let by_length = controls.iter().any(|c| &*c.keyword == "iolength");
            let has_unit = !matches!(unit, IoUnit::None);
            if has_file == has_unit && !by_length {
                let text = if has_file { "`inquire` by file and by unit" } else { "`inquire` without a file or unit" };
                return self.reporter.error_help(Code::BadIoSpecifier, span, text, "give `file=` or `unit=`");
            }
        }
        if let (true, Some(IoForm::Format(format))) = (input, &form) {
            self.typing().check_input_format(format);
        }
        self.typing().check_specifiers(kind, &unit, form.as_ref(), &controls, span)?;
        if let (true, Some(_)) = (self.cx.side.on_device() && self.cx.side != CodeSide::Both, defined.first()) {
            return self.reporter.refuse(span, "defined input/output in device code");
        }
        let is_class = |item: &IoItem| matches!(item, IoItem::Expr(e) if is_class(&self.defs, e));
        if input && matches!(form, Some(IoForm::Namelist(..))) && typed.iter().any(is_class) {
            return self.reporter.refuse(span, "namelist input of a polymorphic object");
        }
        let form = form.unwrap_or(IoForm::Unformatted);
        Some(StmtKind::Io(Box::new(IoStmt { kind, unit, form, controls, items: typed, defined })))
    }

    /// What `encode (length, format, variable)` and DECODE write or read, an extension of DEC's that nvfortran has.
    fn memory_unit(&mut self, control: &'a [ast::IoControl], span: Span) -> Option<IoUnit> {
        let given: Vec<Option<&'a ast::Expr>> =
            control.iter().take(3).map(|c| c.value.as_ref().filter(|_| c.keyword.is_none())).collect();
        let [Some(length), _, Some(object)] = given[..] else {
            let text = "`encode` and `decode` name a length, a format and a variable, in this order";
            return self.reporter.error_help(Code::BadIoSpecifier, span, text, "write `encode (10, '(i10)', text) n`");
        };
        let length = self.expr_as(length, &Type::Integer(8))?;
        let value = self.expr(object)?;
        let value = self.designator_of(value, object)?;
        if matches!(value.ty, Type::Derived(_) | Type::Any) || has_vector_subscript(&value) {
            let text = format!(
                "a variable of intrinsic type is needed here, not {}",
                shape_name(&self.defs, &value.ty, value.rank)
            );
            return self.reporter.error(Code::BadIoSpecifier, object.span, text);
        }
        self.typing().check_host_value(&value);
        Some(IoUnit::Memory { object: value, length })
    }

    fn unit(&mut self, c: &'a ast::IoControl, transfers: bool) -> Option<IoUnit> {
        let Some(e) = &c.value else { return Some(IoUnit::Star) };
        let value = self.expr(e)?;
        match &value.ty {
            Type::Integer(_) if value.rank == 0 => {
                self.typing().check_host_value(&value);
                Some(IoUnit::Number(self.typing().convert(value, &Type::Integer(8))?))
            }
            Type::Character(_) if transfers => {
                if !is_designator(&value) {
                    return self.reporter.error(
                        Code::BadIoSpecifier,
                        e.span,
                        "an internal file must be a character variable",
                    );
                }
                Some(IoUnit::Internal(value))
            }
            _ => {
                let text = format!("a unit must be an integer, not {}", shape_name(&self.defs, &value.ty, value.rank));
                self.reporter.error(Code::BadIoSpecifier, e.span, text)
            }
        }
    }

    fn format_of(&mut self, c: &'a ast::IoControl) -> Option<IoForm> {
        let Some(e) = &c.value else { return Some(IoForm::List) };
        match &e.kind {
            ast::ExprKind::Int { digits, kind: None } => {
                let label = digits.parse::<u32>().unwrap_or(0);
                let text = self.cx.proc.and_then(|p| self.defs.proc_info(p).formats.get(&label).cloned());
                return match text {
                    Some(text) => {
                        let bytes = self.options.characters(&text);
                        let ty = Type::Character(CharLen::Const(bytes.len() as i64));
                        Some(IoForm::Format(constant(Const::Char(bytes), ty, e.span)))
                    }
                    None => {
                        let text = format!("no `format` statement has the label {label}");
                        self.reporter.error(Code::UndefinedLabel, e.span, text)
                    }
                };
            }
            ast::ExprKind::Name(name) => {
                if let Some(Sym::Namelist(group, vars)) = self.find_name(name) {
                    return Some(IoForm::Namelist(group, vars));
                }
            }
            _ => {}
        }
        let value = self.expr(e)?;
        match value.ty {
            Type::Character(_) => {
                self.typing().check_host_value(&value);
                if let ExprKind::Const(Const::Char(bytes)) = &value.kind {
                    self.typing().check_format(bytes, e.span);
                }
                Some(IoForm::Format(value))
            }
            // An element stands for those behind it, too.
            Type::Integer(_) | Type::Real(_) | Type::Complex(_) | Type::Logical(_)
                if value.rank > 0 || matches!(value.kind, ExprKind::Element { .. }) =>
            {
                self.typing().format_of_numbers(value).map(IoForm::Format)
            }
            Type::Integer(_) if value.rank == 0 => self.assigned_format(value).map(IoForm::Format),
            _ => {
                let text = format!(
                    "a format must be a label or a character value, not {}",
                    shape_name(&self.defs, &value.ty, value.rank)
                );
                self.reporter.error(Code::BadIoSpecifier, e.span, text)
            }
        }
    }

    fn group(&mut self, c: &'a ast::IoControl) -> Option<IoForm> {
        if let Some(ast::Expr { kind: ast::ExprKind::Name(name), .. }) = &c.value
            && let Some(Sym::Namelist(group, vars)) = self.find_name(name)
        {
            return Some(IoForm::Namelist(group, vars));
        }
        self.reporter.error(Code::BadNamelist, c.span, "`nml=` needs the name of a namelist group")
    }

    #[allow(clippy::option_option)]
    fn specifier(&mut self, kind: IoKind, keyword: &str, c: &'a ast::IoControl) -> Option<Option<IoControl>> {
        let known = specifiers(kind);
        let Some(&(_, takes)) = known.iter().find(|s| s.0 == keyword) else {
            let near = nearest_name(keyword, known.iter().map(|s| s.0));
            let text = format!("there is no specifier `{keyword}=` here");
            self.reporter.report(Diagnostic::new(Code::BadIoSpecifier, c.span, text).suggest(near));
            return None;
        };
        let Some(e) = &c.value else {
            return self.reporter.error(Code::BadIoSpecifier, c.span, format!("`{keyword}=` needs a value"));
        };
        let value = match takes {
            Takes::IntegerOut => self.set_variable(e, |t| matches!(t, Type::Integer(_)), "an integer")?,
            Takes::LogicalOut => self.set_variable(e, |t| matches!(t, Type::Logical(_)), "a logical")?,
            Takes::TextOut => self.set_variable(e, |t| matches!(t, Type::Character(_)), "a character")?,
            Takes::Integer => self.integer_scalar(e, &Type::Integer(8), &format!("`{keyword}=`"))?,
            Takes::Text => {
                let value = self.expr(e)?;
                if let (ExprKind::Const(Const::Char(given)), "advance") = (&value.kind, keyword)
                    && !["yes", "no"].iter().any(|known| given.trim_ascii_end().eq_ignore_ascii_case(known.as_bytes()))
                {
                    let text = format!("`{}` is no value of `advance=`", String::from_utf8_lossy(given));
                    return self.reporter.error_help(Code::BadIoSpecifier, e.span, text, "write 'yes' or 'no'");
                }
                if !matches!(value.ty, Type::Character(_)) || value.rank != 0 {
                    let text = format!(
                        "`{keyword}=` must be a character value, not {}",
                        shape_name(&self.defs, &value.ty, value.rank)
                    );
                    return self.reporter.error(Code::BadIoSpecifier, e.span, text);
                }
                value
            }
            Takes::Label => {
                let ast::ExprKind::Int { digits, kind: None } = &e.kind else {
                    return self.reporter.error(Code::BadIoSpecifier, e.span, format!("`{keyword}=` needs a label"));
                };
                let label = digits.parse::<u32>().unwrap_or(0);
                self.typing().check_label(label, e.span)?;
                super::label_constant(label, e.span)
            }
        };
        Some(Some(IoControl { keyword: keyword.into(), value }))
    }

    /// The items of a list, one after another; whether all of them are right.
    fn io_list(
        &mut self,
        list: &'a [ast::IoItem],
        input: bool,
        key: Option<&str>,
        (items, defined): (&mut Vec<IoItem>, &mut Vec<DefinedIo>),
    ) -> bool {
        let mut complete = true;
        for item in list {
            let parts = match item {
                ast::IoItem::Expr(e) if !input => self.parenthesised(e),
                _ => None,
            };
            if let Some(parts) = parts {
                complete &= parts.iter().all(|value| self.io_value(value, input, key, defined).is_some());
                items.extend(parts.map(IoItem::Expr));
                continue;
            }
            match self.io_item(item, input, key, defined) {
                Some(item) => items.push(item),
                None => complete = false,
            }
        }
        complete
    }

    /// `(a, b)` that is no complex constant is a list in parentheses, which nvfortran and others take.
    fn parenthesised(&mut self, e: &'a ast::Expr) -> Option<[Expr; 2]> {
        let ast::ExprKind::Complex(a, b) = &e.kind else { return None };
        if self.options.standard {
            return None;
        }
        let values = [self.expr(a)?, self.expr(b)?];
        let is_constant = values.iter().all(|value| matches!(value.kind, ExprKind::Const(_)));
        (!is_constant).then_some(values)
    }

    fn io_item(
        &mut self,
        item: &'a ast::IoItem,
        input: bool,
        key: Option<&str>,
        defined: &mut Vec<DefinedIo>,
    ) -> Option<IoItem> {
        match item {
            ast::IoItem::Expr(e) => {
                let value = self.expr(e)?;
                if input && self.is_target_reference(&value) {
                    let (var, target) = self.name_of_target(value);
                    self.io_value(&target, input, key, defined)?;
                    return Some(IoItem::Target(var, target));
                }
                let value = if input { self.designator_of(value, e)? } else { value };
                self.io_value(&value, input, key, defined)?;
                Some(IoItem::Expr(value))
            }
            ast::IoItem::Do(d) => {
                let var = self.variable_of(&d.var)?;
                let ty = self.defs.var(var).ty.clone();
                if !matches!(ty, Type::Integer(_)) {
                    let text = format!("loop index `{}` must be an integer", d.var.as_str());
                    return self.reporter.error(Code::BadImpliedDo, d.var.span, text);
                }
                let (first, last) = (self.loop_bound(&d.first, &ty), self.loop_bound(&d.last, &ty));
                let step = match &d.step {
                    Some(e) => Some(self.loop_bound(e, &ty)?),
                    None => None,
                };
                let mut items = Vec::with_capacity(d.items.len());
                if !self.io_list(&d.items, input, key, (&mut items, defined)) {
                    return None;
                }
                Some(IoItem::Do(Box::new(ImpliedDo { items, var, first: first?, last: last?, step })))
            }
        }
    }

    fn io_value(&mut self, value: &Expr, input: bool, key: Option<&str>, defined: &mut Vec<DefinedIo>) -> Option<()> {
        if input {
            self.typing().check_assigned(value)?;
        }
        if matches!(value.kind, ExprKind::Null) {
            return self.reporter.error(Code::BadIoItem, value.span, "`null()` has no value to write");
        }
        let is_defined = if let (Type::Derived(id), Some(key)) = (&value.ty, key) {
            let is_class = is_class(&self.defs, value);
            self.list_defined(*id, is_class, key, value.span, defined);
            defined.iter().any(|d| d.ty == *id)
        } else {
            false
        };
        if is_defined {
            return self.check_size_to_transfer(value);
        }
        if is_class(&self.defs, value) {
            // Fortran 2018, 12.6.3.
            let text = "a polymorphic object is transferred by defined input/output only";
            return self.reporter.error_help(Code::BadIoItem, value.span, text, "transfer its components");
        }
        self.typing().check_transferable(value, defined)?;
        if let Type::Derived(id) = value.ty {
            if let Some(f) = self.defs.ty(id).fields.iter().find(|f| f.is_allocatable() || f.pointer).cloned() {
                let text =
                    format!("`type({})` has the allocatable or pointer component `{}`", self.defs.ty(id).name, f.name);
                return self.reporter.error_help(Code::BadIoItem, value.span, text, "write its components one by one");
            }
        }
        self.check_size_to_transfer(value)
    }

    fn check_size_to_transfer(&mut self, value: &Expr) -> Option<()> {
        if let Some(crate::checked::Shape::AssumedSize(..)) = shape_of(&self.defs, value)
            && matches!(value.kind, ExprKind::Var(_))
        {
            return self.reporter.error_help(
                Code::BadIoItem,
                value.span,
                "an assumed-size array has no size to transfer",
                "write a section with all bounds",
            );
        }
        if self.cx.side == CodeSide::Host { self.typing().check_io_value(value) } else { Some(()) }
    }
}

/// Whether a format may have a DT edit descriptor.
fn may_have_dt(format: &Expr) -> bool {
    match &format.kind {
        ExprKind::Const(Const::Char(text)) => text.windows(2).any(|pair| pair.eq_ignore_ascii_case(b"dt")),
        _ => true,
    }
}

/// The part of a format that an error speaks of.
fn error_context(text: &[u8], offset: usize) -> String {
    let rest = text.get(offset..).unwrap_or_default();
    if rest.is_empty() {
        return String::new();
    }
    let shown: String = String::from_utf8_lossy(rest).chars().take(12).collect();
    format!(", before `{shown}`")
}

impl Typing<'_> {
    /// Looks at a format that is known at compile time. nvfortran reads it where the statement is executed, and so does the run
    /// time, which stops the program there.
    pub(super) fn check_format(&mut self, text: &[u8], span: Span) {
        match text::Format::parse(text) {
            Ok(format) if format.edits().any(|edit| matches!(edit, text::Edit::Remaining)) => {
                let text = "the edit descriptor `q` is an extension";
                let help = "read the line as characters, and take its length with `size=` and `advance='no'`";
                self.not_standard(Code::FormOfCompilers, span, text, help);
            }
            Err(error) if !error.message.contains("not supported") => {
                let text = format!("{error}{}", error_context(text, error.offset));
                let note = "the program stops with an error if execution reaches a statement that uses the format";
                self.reporter.report(Diagnostic::new(Code::UnreadableFormat, span, text).note(note));
            }
            _ => {}
        }
    }
}

impl Typing<'_> {
    /// A field of input has a width (Fortran 2018, 13.7.2.1).
    fn check_input_format(&mut self, format: &Expr) {
        let ExprKind::Const(Const::Char(text)) = &format.kind else { return };
        let Ok(parsed) = text::Format::parse(text) else { return };
        let is_zero = |edit: &&text::Edit| match edit {
            text::Edit::Integer { w, .. } | text::Edit::Fixed { w, .. } => *w == Some(0),
            _ => false,
        };
        if let Some(edit) = parsed.edits().find(is_zero) {
            let text = format!("`{edit}` has no width, which input needs");
            let note = "the program stops with an error if execution reaches a statement that uses the format";
            let d = Diagnostic::new(Code::UnreadableFormat, format.span, text).note(note);
            self.reporter.report(d.help("give the width of the field, or read with `*`"));
        }
    }
}

/// Whether a specifier is the constant `yes`.
fn is_yes(value: &Expr) -> bool {
    matches!(&value.kind, ExprKind::Const(Const::Char(text)) if text.trim_ascii_end().eq_ignore_ascii_case(b"yes"))
}
