//! Data transfer statements: READ, WRITE, PRINT as calls of the services `io.*`.
//!
//! A statement calls `begin`, the format and other controls, one service for each item, and `end`. After an error that the
//! program catches, the services do nothing until `end`; the code skips items of input that need something evaluated.
//!
//! Not here: the items themselves (`item`), OPEN, CLOSE, INQUIRE (`file`), formats (`text`).

pub(crate) mod file;
mod item;

use crate::analysis::designators::designator_name;
use crate::analysis::expressions::{constant_int, has_final_results};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::io::item::Transfer;
use crate::types::{ir_ty, is_flat, is_made};
use crate::value::Value;
use crate::value::arguments::{CopyBack, Passed};
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Lvalue, MemRef};
use ast::IoKind;
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{
    Const, DefinedIo, Expr, ExprKind, GroupObject, IoControl, IoForm, IoItem, IoStmt, IoUnit, Type, TypeId, visit,
};

/// What a statement catches, and where it goes then.
#[derive(Default)]
pub(crate) struct Catch<'p> {
    pub(crate) iostat: Option<&'p Expr>,
    err: Option<u32>,
    end: Option<u32>,
    eor: Option<u32>,
}

impl<'p> Catch<'p> {
    /// Reads the controls that catch.
    pub(crate) fn of(controls: &'p [IoControl]) -> Catch<'p> {
        let mut catch = Catch::default();
        for c in controls {
            let label = constant_int(&c.value).map(|n| n as u32);
            match &*c.keyword {
                "iostat" => catch.iostat = Some(&c.value),
                "err" => catch.err = label,
                "end" => catch.end = label,
                "eor" => catch.eor = label,
                _ => {}
            }
        }
        catch
    }

    /// Whether it catches anything.
    pub(crate) fn is_set(&self) -> bool {
        self.bits() != 0
    }

    /// The bits that the services take.
    pub(crate) fn bits(&self) -> i32 {
        i32::from(self.iostat.is_some())
            | i32::from(self.err.is_some()) << 1
            | i32::from(self.end.is_some()) << 2
            | i32::from(self.eor.is_some()) << 3
    }
}

impl Builder<'_, '_> {
    /// Tells the bounds of a variable or component of a namelist group.
    fn describe_dimensions(&mut self, view: &ArrayView) {
        for dim in &view.dims {
            self.rt(Rt::IoOption, vec![Val::i32(7), dim.lower, dim.extent]);
        }
    }

    /// Tells the components of a variable or component of a namelist group. Where length parameters decide about components, the
    /// first object says what they are.
    fn describe_components(&mut self, ty: &Type, objects: &ArrayView, defined: &[DefinedIo]) {
        let Type::Derived(id) = ty else { return };
        if defined.iter().any(|d| d.ty == *id) {
            return;
        }
        if !is_made(self.program(), ty) {
            return self.describe_fields(*id, objects.mem, defined);
        }
        let extents = objects.extents();
        let count = self.product(&extents);
        let address = self.address(objects.mem);
        let is_set = self.icmp(CmpOp::Ne, address, Val::i64(0));
        let some = self.icmp(CmpOp::Gt, count, Val::i64(0));
        let some = self.combine(BinOp::And, some, is_set);
        self.when(some, |this| this.describe_fields(*id, objects.mem, defined));
    }

    fn describe_fields(&mut self, id: TypeId, object: MemRef, defined: &[DefinedIo]) {
        for field in self.program().ty(id).fields.iter().filter(|f| !f.is_parameter) {
            let (text, len) = self.name_text(&field.name);
            self.rt(Rt::IoOption, vec![Val::i32(14), text, len]);
            let at = object.plus(field.offset as i64);
            let view = if field.sized.is_some() {
                let d = self.field_desc(field, at);
                Some(self.desc_view(&d))
            } else if field.allocatable || field.pointer {
                None
            } else {
                Some(self.field_view(field, at))
            };
            if let Some(view) = view {
                self.describe_dimensions(&view);
                self.describe_components(&field.ty, &view, defined);
            }
            self.rt(Rt::IoOption, vec![Val::i32(15), Val::i64(0), Val::i64(0)]);
        }
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// An input or output statement.
    pub(crate) fn io(&mut self, io: &'p IoStmt) {
        if !self.b.is_host() && !io.is_of_device() {
            return self.b.unsupported("this input/output statement in device code");
        }
        match io.kind {
            IoKind::Print | IoKind::Write | IoKind::Read => self.transfer_statement(io),
            IoKind::Open => self.open(io),
            IoKind::Close => self.close(io),
            IoKind::Rewind => self.position(io, 0),
            IoKind::Backspace => self.position(io, 1),
            IoKind::Endfile => self.position(io, 2),
            IoKind::Flush => self.position(io, 3),
            IoKind::Inquire => self.inquire(io),
            IoKind::Wait => self.wait(io),
            IoKind::Encode | IoKind::Decode => self.transfer_statement(io),
        }
    }

    /// Transfers are complete when their statements are: there is nothing to wait for.
    fn wait(&mut self, io: &'p IoStmt) {
        self.unit_number(&io.unit);
        self.after_status(&Catch::of(&io.controls), Val::i32(0));
    }

    /// The number of a unit, −1 for `*`.
    pub(crate) fn unit_number(&mut self, unit: &'p IoUnit) -> Val {
        match unit {
            IoUnit::Star | IoUnit::None => Val::i64(-1),
            IoUnit::Internal(_) | IoUnit::Memory { .. } => Val::i64(-2),
            IoUnit::Number(e) => {
                let unit = self.int64(e);
                // The numbers of `*` and of internal files are no units of the program.
                let low = self.b.icmp(CmpOp::Ge, unit, Val::i64(-2));
                let negative = self.b.icmp(CmpOp::Lt, unit, Val::i64(0));
                let special = self.b.combine(BinOp::And, low, negative);
                self.b.select(Ty::I64, special, Val::i64(i64::MIN), unit).into()
            }
        }
    }

    fn transfer_statement(&mut self, io: &'p IoStmt) {
        let reading = io.kind == IoKind::Read;
        let form = match &io.form {
            IoForm::List => 0,
            IoForm::Format(_) => 1,
            IoForm::Unformatted => 2,
            IoForm::Namelist(..) => 3,
        };
        let catch = Catch::of(&io.controls);
        let is_group = matches!(io.form, IoForm::Namelist(..));
        let how = Transfer { reading, catches: catch.is_set(), is_group, defined: &io.defined };
        let unit = self.unit_number(&io.unit);
        let format = match &io.form {
            IoForm::Format(e) => Some(self.format_text(e)),
            _ => None,
        };
        let begin = vec![Val::i32(i32::from(reading)), Val::i32(form), unit, Val::i32(catch.bits())];
        self.b.rt(Rt::IoBegin, begin);
        if let Some((addr, len)) = format {
            self.b.rt(Rt::IoFormat, vec![addr, len]);
        }
        let scattered = match &io.unit {
            IoUnit::Internal(e) => self.internal_file(e),
            IoUnit::Memory { object, length } => self.memory_file(object, length),
            _ => None,
        };
        let size = self.transfer_options(&io.controls);
        match &io.form {
            IoForm::Namelist(group, objects) => {
                self.group(group, objects, &io.items, how);
                if reading && !io.defined.is_empty() {
                    self.read_group(how);
                }
            }
            _ => self.list_of_items(&io.items, how),
        }
        let status = self.b.rt(Rt::IoEnd, Vec::new()).first().map_or(Val::i32(0), |&r| r.into());
        if let (Some(back), false) = (scattered, reading) {
            self.b.after_call(Passed { back: vec![back], ..Passed::default() });
        }
        if let Some(id) = io.controls.iter().find(|c| &*c.keyword == "id") {
            // Every transfer has the same identifier, since none is pending.
            let place = self.lvalue(&id.value);
            let v = self.b.cast(Val::i32(1), Ty::I32, ir_ty(&id.value.ty));
            self.b.store_value(place, &id.value.ty, &Value::Scalar(v));
        }
        self.end_statement(&catch, size, status);
    }

    /// The variables of a namelist group: options 5 to 7 of `io.option` name the group, each variable and its dimensions.
    fn group(&mut self, group: &str, objects: &[GroupObject], items: &'p [IoItem], how: Transfer<'p>) {
        let (text, len) = self.b.name_text(group);
        self.b.rt(Rt::IoOption, vec![Val::i32(5), text, len]);
        for (object, item) in objects.iter().zip(items) {
            let IoItem::Expr(e) = item else { continue };
            let (text, len) = self.b.name_text(&object.name);
            self.b.rt(Rt::IoOption, vec![Val::i32(6), text, len]);
            if let Some(view) = self.view_of_group_object(e) {
                self.b.describe_dimensions(&view);
                if how.reading {
                    self.describe_parts(e, &view, how.defined);
                }
            }
            self.items(std::slice::from_ref(item), how);
        }
    }

    fn view_of_group_object(&mut self, e: &'p Expr) -> Option<ArrayView> {
        match &e.ty {
            ty if is_flat(self.b.program(), ty) => self.flat_view(e),
            Type::Derived(_) => self.designator_view(e),
            _ if e.rank > 0 => self.designator_view(e),
            _ => None,
        }
    }

    /// Tells the components of a variable of a namelist group.
    fn describe_parts(&mut self, e: &'p Expr, view: &ArrayView, defined: &[DefinedIo]) {
        match e.ty {
            Type::Derived(id) if is_flat(self.b.program(), &e.ty) => {
                let lengths = self.lengths_of(e);
                self.describe_flat(view.mem, id, &lengths, defined);
            }
            _ => self.b.describe_components(&e.ty, view, defined),
        }
    }

    fn describe_flat(&mut self, object: MemRef, id: TypeId, lengths: &[Val], defined: &[DefinedIo]) {
        self.each_flat_part(object, id, lengths, &mut |this, field, view, own| {
            let (text, len) = this.b.name_text(&field.name);
            this.b.rt(Rt::IoOption, vec![Val::i32(14), text, len]);
            this.b.describe_dimensions(&view);
            match field.ty {
                Type::Derived(inner) if is_flat(this.b.program(), &field.ty) => {
                    this.describe_flat(view.mem, inner, &own, defined);
                }
                _ => this.b.describe_components(&field.ty, &view, defined),
            }
            this.b.rt(Rt::IoOption, vec![Val::i32(15), Val::i64(0), Val::i64(0)]);
        });
    }

    /// The text of a format: a character value; an array of them counts as joined.
    fn format_text(&mut self, e: &'p Expr) -> (Val, Val) {
        if e.rank > 0 {
            let view = self.view(e);
            let view = self.b.contiguous_view(view, &e.ty);
            let addr = self.b.address(view.mem);
            let count = self.b.size(&view);
            return (addr, self.b.imul(count, view.element));
        }
        let value = self.value(e);
        let (mem, len) = self.b.as_char(&value);
        (self.b.address(mem), len)
    }

    /// Names the internal file. Records that do not follow each other are a copy: says how it goes back.
    fn internal_file(&mut self, e: &'p Expr) -> Option<CopyBack> {
        if e.rank > 0 {
            let (view, scattered) = self.records_of(e);
            let count = self.b.size(&view);
            let addr = self.b.address(view.mem);
            self.b.rt(Rt::IoInternal, vec![addr, view.element, count]);
            return scattered;
        }
        let Lvalue::Char(mem, len) = self.lvalue(e) else {
            self.b.unsupported("an internal file of this form");
            return None;
        };
        let addr = self.b.address(mem);
        self.b.rt(Rt::IoInternal, vec![addr, len, Val::i64(1)]);
        None
    }

    /// Names the memory that ENCODE or DECODE works on: as many records as it has room for. From an element of an array on there
    /// is one.
    fn memory_file(&mut self, object: &'p Expr, length: &'p Expr) -> Option<CopyBack> {
        let length = self.int64(length);
        let length = self.b.at_least_zero(length);
        let mut scattered = None;
        let (mem, bytes) = if object.rank > 0 {
            let (view, back) = self.records_of(object);
            scattered = back;
            let count = self.b.size(&view);
            (view.mem, self.b.imul(count, view.element))
        } else {
            match self.lvalue(object) {
                Lvalue::Char(mem, len) => (mem, len),
                Lvalue::Mem(mem) => (mem, Val::i64(self.b.type_bytes(&object.ty))),
                register => {
                    let (_, slot) = self.b.slot(16, 8, "encoded", source::Span::NONE);
                    let value = self.b.load_value(register, &object.ty);
                    self.b.store_value(Lvalue::Mem(slot), &object.ty, &value);
                    scattered = Some(CopyBack::Scalar { from: slot, to: register, ty: object.ty.clone() });
                    (slot, Val::i64(self.b.type_bytes(&object.ty)))
                }
            }
        };
        let is_element = matches!(object.kind, ExprKind::Element { .. });
        let records = if is_element {
            Val::i64(1)
        } else {
            let name = designator_name(self.b.program(), object);
            self.b.check_substring((Val::i64(1), length), bytes, &name);
            let divisor: Val = self.b.bin(BinOp::Max, Ty::I64, length, Val::i64(1)).into();
            self.b.bin(BinOp::Div, Ty::I64, bytes, divisor).into()
        };
        let addr = self.b.address(mem);
        self.b.rt(Rt::IoInternal, vec![addr, length, records]);
        scattered
    }

    /// The memory of an array that is an internal file. Elements that do not follow each other are a copy: says how it goes back.
    fn records_of(&mut self, e: &'p Expr) -> (ArrayView, Option<CopyBack>) {
        if self.is_scattered(e) {
            let (copy, back) = self.copy_of_parts(e);
            return (copy, Some(back));
        }
        let view = self.view(e);
        if view.is_contiguous() && !view.gathers() {
            return (view, None);
        }
        let copy = self.b.contiguous_view(view.clone(), &e.ty);
        let (from, ty) = (copy.clone(), e.ty.clone());
        (copy, Some(CopyBack::Array { when: Val::pred(true), from, to: Some(view), ty, free: None }))
    }

    /// Passes the controls of a transfer; gives the slot of `size=` and its variable.
    fn transfer_options(&mut self, controls: &'p [IoControl]) -> Option<(MemRef, &'p Expr)> {
        let mut size = None;
        for c in controls {
            let e = &c.value;
            match &*c.keyword {
                "advance" => {
                    // 0 no, 1 yes, 2 another word.
                    let (not_no, not_yes) = (self.is_not_text(e, "no"), self.is_not_text(e, "yes"));
                    let answer = self.b.imad(not_no, not_yes, not_no);
                    self.b.rt(Rt::IoOption, vec![Val::i32(0), answer, Val::i64(0)]);
                }
                "rec" | "pos" => {
                    let code = if &*c.keyword == "rec" { 1 } else { 2 };
                    let v = self.int64(e);
                    self.b.rt(Rt::IoOption, vec![Val::i32(code), v, Val::i64(0)]);
                }
                "iomsg" => {
                    if let Lvalue::Char(mem, len) = self.lvalue(e) {
                        let addr = self.b.address(mem);
                        self.b.rt(Rt::IoOption, vec![Val::i32(3), addr, len]);
                    }
                }
                "size" => {
                    let (_, slot) = self.b.slot(4, 4, "size", source::Span::NONE);
                    self.b.store_scalar(slot, Ty::I32, Val::i32(0));
                    let addr = self.b.address(slot);
                    self.b.rt(Rt::IoOption, vec![Val::i32(4), addr, Val::i64(0)]);
                    size = Some((slot, e));
                }
                mode => {
                    let modes = ["sign", "round", "decimal", "blank", "delim", "pad"];
                    let Some(at) = modes.iter().position(|m| *m == mode) else { continue };
                    let value = self.value(e);
                    let (mem, len) = self.b.as_char(&value);
                    let addr = self.b.address(mem);
                    self.b.rt(Rt::IoOption, vec![Val::i32(8 + at as i32), addr, len]);
                }
            }
        }
        size
    }

    /// Whether a character value differs from a word, in any case of its letters; 0 or 1 as an `i64`.
    pub(crate) fn is_not_text(&mut self, e: &'p Expr, word: &str) -> Val {
        if let ExprKind::Const(Const::Char(text)) = &e.kind {
            let same = String::from_utf8_lossy(text).trim().eq_ignore_ascii_case(word);
            return Val::i64(i64::from(!same));
        }
        let value = self.value(e);
        // Padded with blanks to as many characters as all such words have. The bit that is set makes small letters of capitals.
        let padded = format!("{word:16}").into_bytes();
        let (_, copy) = self.b.slot(16, 8, "word", source::Span::NONE);
        self.b.store_value(Lvalue::Char(copy, Val::i64(16)), &e.ty, &value);
        let mut differs = Val::pred(false);
        for (i, part) in padded.chunks(8).enumerate() {
            let part = part.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
            let own = self.b.load_scalar(copy.plus(8 * i as i64), Ty::I64);
            let own = self.b.bin(BinOp::Or, Ty::I64, own, Val::Imm(0x2020_2020_2020_2020));
            let other = self.b.icmp(CmpOp::Ne, own.into(), Val::Imm(part));
            differs = self.b.combine(BinOp::Or, differs, other);
        }
        self.b.select(Ty::I64, differs, Val::i64(1), Val::i64(0)).into()
    }

    fn end_statement(&mut self, catch: &Catch<'p>, size: Option<(MemRef, &'p Expr)>, status: Val) {
        if let Some((slot, e)) = size {
            let n = self.b.load_scalar(slot, Ty::I32);
            let v = self.b.cast(n.into(), Ty::I32, ir_ty(&e.ty));
            let place = self.lvalue(e);
            self.b.store_value(place, &e.ty, &Value::Scalar(v));
        }
        self.after_status(catch, status);
    }

    /// Stores the status and goes where the statement says.
    pub(crate) fn after_status(&mut self, catch: &Catch<'p>, status: Val) {
        if let Some(e) = catch.iostat {
            let v = self.b.cast(status, Ty::I32, ir_ty(&e.ty));
            let place = self.lvalue(e);
            self.b.store_value(place, &e.ty, &Value::Scalar(v));
        }
        let branches = [(catch.err, CmpOp::Gt, 0), (catch.end, CmpOp::Eq, -1), (catch.eor, CmpOp::Eq, -2)];
        for (label, op, code) in branches {
            if let Some(label) = label {
                let hit: Val = self.b.cmp(op, Ty::I32, status, Val::i32(code)).into();
                self.when(hit, |this| this.goto(label));
            }
        }
    }

    fn item(&mut self, e: &'p Expr, how: Transfer<'p>) {
        self.at(e.span, |this| if how.reading { this.input_item(e, how) } else { this.output_item(e, how) });
    }

    /// The items of a statement. A condition ends the statement (Fortran 2018, 12.11): subscripts, bounds and functions of the items
    /// behind it are not evaluated, which may need what was to be read.
    fn list_of_items(&mut self, items: &'p [IoItem], how: Transfer<'p>) {
        for (at, item) in items.iter().enumerate() {
            if at == 0 || !how.reading || !how.catches || !is_computed(item) {
                self.items(std::slice::from_ref(item), how);
                continue;
            }
            let question = vec![Val::i64(0), Val::i64(0), Val::i64(0), Val::i32(10)];
            let failed = self.b.rt(Rt::IoInquire, question).first().map_or(Val::i64(0), |&r| r.into());
            let goes_on = self.b.icmp(CmpOp::Eq, failed, Val::i64(0));
            self.when(goes_on, |this| this.items(std::slice::from_ref(item), how));
        }
    }

    fn items(&mut self, items: &'p [IoItem], how: Transfer<'p>) {
        for item in items {
            match item {
                // The results of functions are finalised after the statement (Fortran 2018, 7.5.6.3).
                IoItem::Expr(e) if has_final_results(self.b.program(), e) => self.item(e, how),
                IoItem::Expr(e) => self.scope(|this| this.item(e, how)),
                IoItem::Target(v, e) => self.scope(|this| {
                    this.storage.take(*v);
                    this.come_to_life(*v);
                    this.at(e.span, |this| this.input_item(e, how));
                }),
                IoItem::Do(implied) => {
                    let c = self.index_loop(implied.var, &implied.first, &implied.last, implied.step.as_ref());
                    self.simple_loop(&c, &mut |this| this.items(&implied.items, how));
                }
            }
        }
    }
}

/// Whether something is evaluated to find where an item is: subscripts, bounds of a loop, calls.
fn is_computed(item: &IoItem) -> bool {
    let IoItem::Expr(e) = item else { return true };
    let mut found = false;
    visit::descend(e, &mut |part| {
        found |= matches!(
            part.kind,
            ExprKind::Element { .. } | ExprKind::Section { .. } | ExprKind::Substring { .. } | ExprKind::Call { .. }
        );
        !found
    });
    found
}
