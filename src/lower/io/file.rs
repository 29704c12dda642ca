//! OPEN, CLOSE, INQUIRE and file positioning.
//!
//! The options of an OPEN are passed as text that is built at run time, one `key=value` on each line: `file`, `status`,
//! `action`, `access`, `form`, `position`, `recl` … with the values that the program gives (trailing blanks removed),
//! `catch`, the bits of what the statement catches, and `iomsg`, address and length of the variable.
//!
//! Not here: data transfer (`io`).

use crate::analysis::variables::const_bounds;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::io::Catch;
use crate::types::{const_bytes, ir_ty, is_flat, is_made};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Lvalue, MemRef};
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{Space, Ty, Val};
use sema::checked::{Expr, Field, IoItem, IoStmt, IoUnit, Program, Type, TypeId};

impl Builder<'_, '_> {
    /// A character value without its trailing blanks.
    pub(crate) fn trimmed(&mut self, value: &Value) -> Value {
        let (mem, len) = self.as_char(value);
        if !self.is_host() {
            return Value::Char(mem, self.device_len_trim((mem, len)));
        }
        let addr = self.address(mem);
        let n = self.rt(Rt::CharLenTrim, vec![addr, len]);
        Value::Char(mem, n.first().map_or(len, |&r| r.into()))
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// An integer as text.
    fn integer_text(&mut self, e: &'p Expr) -> Value {
        if let Some(n) = crate::analysis::expressions::constant_int(e) {
            return text_value(&mut self.b, &n.to_string());
        }
        let v = self.int64(e);
        number_text(&mut self.b, v)
    }

    pub(crate) fn open(&mut self, io: &'p IoStmt) {
        let catch = Catch::of(&io.controls);
        let mut newunit = None;
        let mut lines = Vec::new();
        for c in &io.controls {
            match &*c.keyword {
                "iostat" | "err" | "end" | "eor" => {}
                "iomsg" => {
                    if let Lvalue::Char(mem, len) = self.lvalue(&c.value) {
                        let addr = self.b.address(mem);
                        let name = text_value(&mut self.b, "iomsg=");
                        let (addr, len) = (number_text(&mut self.b, addr), number_text(&mut self.b, len));
                        let (blank, end) = (text_value(&mut self.b, " "), text_value(&mut self.b, "\n"));
                        lines.extend([name, addr, blank, len, end]);
                    }
                }
                "newunit" => newunit = Some(&c.value),
                key => {
                    let name = text_value(&mut self.b, &format!("{key}="));
                    let value = match &c.value.ty {
                        Type::Character(_) => {
                            let v = self.value(&c.value);
                            self.b.trimmed(&v)
                        }
                        _ => self.integer_text(&c.value),
                    };
                    let end = text_value(&mut self.b, "\n");
                    lines.extend([name, value, end]);
                }
            }
        }
        lines.push(text_value(&mut self.b, &format!("catch={}\n", catch.bits())));
        let text = self.b.joined(&lines);
        let (mem, len) = self.b.as_char(&text);
        let addr = self.b.address(mem);
        let unit = match &io.unit {
            IoUnit::Number(e) => self.int64(e),
            _ => Val::i64(-1),
        };
        let (_, slot) = self.b.slot(4, 4, "newunit", source::Span::NONE);
        let slot_addr = if newunit.is_some() { self.b.address(slot) } else { Val::i64(0) };
        let status = self.b.rt(Rt::IoOpen, vec![unit, slot_addr, addr, len]);
        let status = status.first().map_or(Val::i32(0), |&r| r.into());
        if let Some(e) = newunit {
            // Where the file cannot be opened, the variable keeps its value.
            let is_open: Val = self.b.cmp(CmpOp::Eq, Ty::I32, status, Val::i32(0)).into();
            self.when(is_open, |this| {
                let n = this.b.load_scalar(slot, Ty::I32);
                let v = this.b.cast(n.into(), Ty::I32, ir_ty(&e.ty));
                let place: Lvalue = this.lvalue(e);
                this.b.store_value(place, &e.ty, &Value::Scalar(v));
            });
        }
        self.after_status(&catch, status);
    }

    pub(crate) fn close(&mut self, io: &'p IoStmt) {
        let catch = Catch::of(&io.controls);
        let unit = self.unit_number(&io.unit);
        // 0 as OPEN said, 1 delete, 2 another word, 3 keep.
        let mut delete = Val::i64(0);
        for c in io.controls.iter().filter(|c| &*c.keyword == "status") {
            let [not_keep, not_save, not_delete] =
                ["keep", "save", "delete"].map(|word| self.is_not_text(&c.value, word));
            let not_kept = self.b.imul(not_keep, not_save);
            let by_word = self.b.iadd(not_delete, Val::i64(-2));
            delete = self.b.imad(not_kept, by_word, Val::i64(3));
        }
        let delete = self.b.narrow(delete, Ty::I32);
        let (message, length) = self.message_place(io);
        let status = self.b.rt(Rt::IoClose, vec![unit, delete, Val::i32(catch.bits()), message, length]);
        let status = status.first().map_or(Val::i32(0), |&r| r.into());
        self.after_status(&catch, status);
    }

    /// INQUIRE: numbers and truth values by a code, texts by the name of the specifier.
    pub(crate) fn inquire(&mut self, io: &'p IoStmt) {
        let file = io.controls.iter().find(|c| &*c.keyword == "file");
        let (addr, len) = match file {
            Some(c) => {
                let value = self.value(&c.value);
                let name = self.b.trimmed(&value);
                let (mem, len) = self.b.as_char(&name);
                (self.b.address(mem), len)
            }
            None => (Val::i64(0), Val::i64(0)),
        };
        let unit = self.unit_number(&io.unit);
        let catch = Catch::of(&io.controls);
        for c in &io.controls {
            let what = match &*c.keyword {
                "exist" => 0,
                "opened" => 1,
                "number" => 2,
                "size" => 3,
                "file" | "id" | "iostat" | "err" | "end" | "eor" | "iomsg" => continue,
                "iolength" => {
                    let bytes = self.bytes_of_items(&io.items);
                    self.store_number(&c.value, bytes);
                    continue;
                }
                "recl" => 4,
                "nextrec" => 5,
                "pos" => 6,
                "named" => 7,
                "pending" => 8,
                keyword => {
                    let (word, word_len) = self.b.name_text(keyword);
                    let Lvalue::Char(to, room) = self.lvalue(&c.value) else { continue };
                    let to = self.b.address(to);
                    self.b.rt(Rt::IoInquireText, vec![unit, addr, len, word, word_len, to, room]);
                    continue;
                }
            };
            let answer = self.b.rt(Rt::IoInquire, vec![unit, addr, len, Val::i32(what)]);
            let answer = answer.first().map_or(Val::i64(0), |&r| r.into());
            if matches!(what, 0 | 1 | 7 | 8) {
                let yes = self.b.icmp(CmpOp::Ne, answer, Val::i64(0));
                let place = self.lvalue(&c.value);
                self.b.store_value(place, &c.value.ty, &Value::Pred(yes));
            } else {
                self.store_number(&c.value, answer);
            }
        }
        let status = if catch.is_set() {
            let status = self.b.rt(Rt::IoInquire, vec![unit, addr, len, Val::i32(9)]);
            let status = status.first().map_or(Val::i64(0), |&r| r.into());
            self.b.narrow(status, Ty::I32)
        } else {
            Val::i32(0)
        };
        self.after_status(&catch, status);
    }

    fn store_number(&mut self, e: &'p Expr, v: Val) {
        let v = self.b.narrow(v, ir_ty(&e.ty));
        let place = self.lvalue(e);
        self.b.store_value(place, &e.ty, &Value::Scalar(v));
    }

    /// The objects of an item.
    fn view_of_objects(&mut self, e: &'p Expr) -> ArrayView {
        if e.rank > 0 {
            return self.view(e);
        }
        let mem = self.object(e);
        self.b.object_view(mem, &e.ty)
    }

    /// Bytes of an unformatted record of these items.
    fn bytes_of_items(&mut self, items: &'p [IoItem]) -> Val {
        let mut total = Val::i64(0);
        for item in items {
            let bytes = match item {
                IoItem::Expr(e) if is_made(self.b.program(), &e.ty) => {
                    let view = self.view_of_objects(e);
                    self.b.bytes_of_components(&view, &e.ty)
                }
                IoItem::Expr(e) => {
                    let element = self.bytes_of_item(e);
                    let extents: Vec<Val> = self.shape_of(e).into_iter().map(|d| d.1).collect();
                    let count = self.b.product(&extents);
                    self.b.imul(count, element)
                }
                // Only output needs the length of its record.
                IoItem::Target(..) => Val::i64(0),
                IoItem::Do(implied) => {
                    let c = self.index_loop(implied.var, &implied.first, &implied.last, implied.step.as_ref());
                    let sum = self.b.mutable(Ty::I64);
                    self.b.set(sum, Val::i64(0));
                    self.simple_loop(&c, &mut |this| {
                        let bytes = this.bytes_of_items(&implied.items);
                        let more = this.b.iadd(sum.into(), bytes);
                        this.b.set(sum, more);
                    });
                    sum.into()
                }
            };
            total = self.b.iadd(total, bytes);
        }
        total
    }

    /// Bytes of a scalar item, or of an element of one.
    fn bytes_of_item(&mut self, e: &'p Expr) -> Val {
        match e.ty {
            Type::Derived(id) if is_flat(self.b.program(), &e.ty) => {
                let lengths = self.lengths_of(e);
                self.written_bytes_of_flat(id, &lengths)
            }
            _ => match written_bytes(self.b.program(), &e.ty) {
                Some(n) => Val::i64(n as i64),
                None => {
                    let len = self.length_of(e, None);
                    self.b.element_bytes(&e.ty, len)
                }
            },
        }
    }

    /// Bytes of the components of a flat object.
    fn written_bytes_of_flat(&mut self, id: TypeId, lengths: &[Val]) -> Val {
        let program = self.b.program();
        let mut total = Val::i64(0);
        let nowhere = MemRef::at(Val::i64(0), Space::Host);
        self.each_flat_part(nowhere, id, lengths, &mut |this, field, view, own| {
            let element = match (&field.ty, written_bytes(program, &field.ty)) {
                (Type::Derived(inner), _) if is_flat(program, &field.ty) => this.written_bytes_of_flat(*inner, &own),
                (_, Some(n)) => Val::i64(n as i64),
                (_, None) => view.element,
            };
            let count = this.b.size(&view);
            let bytes = this.b.imul(count, element);
            total = this.b.iadd(total, bytes);
        });
        self.b.freeze(total)
    }

    /// Address and length of the variable of `iomsg=`, zeros without one.
    fn message_place(&mut self, io: &'p IoStmt) -> (Val, Val) {
        let given = io.controls.iter().find(|c| &*c.keyword == "iomsg");
        match given.map(|c| self.lvalue(&c.value)) {
            Some(Lvalue::Char(mem, len)) => (self.b.address(mem), len),
            _ => (Val::i64(0), Val::i64(0)),
        }
    }

    pub(crate) fn position(&mut self, io: &'p IoStmt, code: i32) {
        let catch = Catch::of(&io.controls);
        let unit = self.unit_number(&io.unit);
        let (message, length) = self.message_place(io);
        let args = vec![unit, Val::i32(code), Val::i32(catch.bits()), message, length];
        let status = self.b.rt(Rt::IoPosition, args);
        let status = status.first().map_or(Val::i32(0), |&r| r.into());
        self.after_status(&catch, status);
    }
}

/// Bytes that an unformatted record has for an object: those of its components, without gaps. `None` for other types.
fn written_bytes(program: &Program, ty: &Type) -> Option<u64> {
    let Type::Derived(id) = ty else { return None };
    let bytes = |f: &Field| {
        let count: i64 = const_bounds(&f.shape).unwrap_or_default().iter().map(|b| b.1.max(0)).product();
        written_bytes(program, &f.ty).or(const_bytes(program, &f.ty)).unwrap_or(0) * count as u64
    };
    Some(program.ty(*id).fields.iter().map(bytes).sum())
}

fn text_value(b: &mut Builder<'_, '_>, text: &str) -> Value {
    let mem = b.constant_memory(text.as_bytes(), 1);
    Value::Char(mem, Val::i64(text.len() as i64))
}

/// An `i64` as text, from an internal write.
fn number_text(b: &mut Builder<'_, '_>, v: Val) -> Value {
    let mem = b.temporary(Val::i64(24), 1);
    let addr = b.address(mem);
    let format = text_value(b, "(i0)");
    let (format, len) = b.as_char(&format);
    let format = b.address(format);
    b.rt(Rt::IoBegin, vec![Val::i32(0), Val::i32(1), Val::i64(-2), Val::i32(0)]);
    b.rt(Rt::IoFormat, vec![format, len]);
    b.rt(Rt::IoInternal, vec![addr, Val::i64(24), Val::i64(1)]);
    b.rt(Rt::IoPutInt, vec![v, Val::i32(8)]);
    b.rt(Rt::IoEnd, Vec::new());
    b.trimmed(&Value::Char(mem, Val::i64(24)))
}

impl Builder<'_, '_> {
    /// Bytes of the components of objects, some of which have lengths that are known at run time only.
    fn bytes_of_components(&mut self, view: &ArrayView, ty: &Type) -> Val {
        let program = self.program();
        let Type::Derived(id) = ty else { return Val::i64(0) };
        let sum = self.mutable(Ty::I64);
        self.set(sum, Val::i64(0));
        let extents = view.extents();
        self.each_position(&extents, &[view], &mut |this, index, linear| {
            let mem = this.element_pos(view, index, linear);
            for field in program.ty(*id).fields.iter().filter(|f| !f.is_parameter) {
                let at = mem.plus(field.offset as i64);
                let part = if field.sized.is_some() {
                    let d = this.field_desc(field, at);
                    this.desc_view(&d)
                } else {
                    this.field_view(field, at)
                };
                let bytes = if is_made(program, &field.ty) {
                    this.bytes_of_components(&part, &field.ty)
                } else {
                    let count = this.size(&part);
                    let element = written_bytes(program, &field.ty).map_or(part.element, |n| Val::i64(n as i64));
                    this.imul(count, element)
                };
                let more = this.iadd(sum.into(), bytes);
                this.set(sum, more);
            }
        });
        sum.into()
    }
}
