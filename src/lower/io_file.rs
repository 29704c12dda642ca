//! OPEN, CLOSE and file positioning.
//!
//! The options of an OPEN are handed over as text, one `key=value` a line, put together at run time: `file`, `status`,
//! `action`, `access`, `form`, `position`, `recl` … as the program gives them (values as written, trailing blanks removed), and
//! `catch`, the bits of what the statement catches.

use crate::fx::Fx;
use crate::io::Catch;
use crate::place::Place;
use crate::types::ir_ty;
use crate::value::Value;
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{Expr, IoStmt, IoUnit, Type};

impl<'p> Fx<'_, 'p> {
    fn text_value(&mut self, text: &str) -> Value {
        let mem = self.constant_memory(text.as_bytes(), 1);
        Value::Char(mem, Val::i64(text.len() as i64))
    }

    /// A character value without its trailing blanks.
    pub(crate) fn trimmed(&mut self, value: &Value) -> Value {
        let (mem, len) = self.as_char(value);
        let addr = self.address(mem);
        let n = self.rt(Rt::CharLenTrim, vec![addr, len]);
        Value::Char(mem, n.first().map_or(len, |&r| r.into()))
    }

    /// An integer as text, by way of an internal write.
    fn integer_text(&mut self, e: &'p Expr) -> Value {
        if let Some(n) = crate::loops::constant_int(e) {
            return self.text_value(&n.to_string());
        }
        let v = self.int64(e);
        let mem = self.temporary(Val::i64(24), 1);
        let addr = self.address(mem);
        let format = self.text_value("(i0)");
        let (format, len) = self.as_char(&format);
        let format = self.address(format);
        self.rt(Rt::IoBegin, vec![Val::i32(0), Val::i32(1), Val::i64(-2), Val::i32(0)]);
        self.rt(Rt::IoFormat, vec![format, len]);
        self.rt(Rt::IoInternal, vec![addr, Val::i64(24), Val::i64(1)]);
        self.rt(Rt::IoPutInt, vec![v, Val::i32(8)]);
        self.rt(Rt::IoEnd, Vec::new());
        self.trimmed(&Value::Char(mem, Val::i64(24)))
    }

    pub(crate) fn open(&mut self, io: &'p IoStmt) {
        let catch = Catch::of(&io.controls);
        let mut newunit = None;
        let mut lines = Vec::new();
        for c in &io.controls {
            match &*c.keyword {
                "iostat" | "err" | "end" | "eor" | "iomsg" => {}
                "newunit" => newunit = Some(&c.value),
                key => {
                    let name = self.text_value(&format!("{key}="));
                    let value = match &c.value.ty {
                        Type::Character(_) => {
                            let v = self.value(&c.value);
                            self.trimmed(&v)
                        }
                        _ => self.integer_text(&c.value),
                    };
                    let end = self.text_value("\n");
                    lines.extend([name, value, end]);
                }
            }
        }
        lines.push(self.text_value(&format!("catch={}\n", catch.bits())));
        let text = self.joined(&lines);
        let (mem, len) = self.as_char(&text);
        let addr = self.address(mem);
        let unit = match &io.unit {
            IoUnit::Number(e) => self.int64(e),
            _ => Val::i64(-1),
        };
        let (_, slot) = self.slot(4, 4, "newunit", source::Span::NONE);
        let slot_addr = if newunit.is_some() { self.address(slot) } else { Val::i64(0) };
        let status = self.rt(Rt::IoOpen, vec![unit, slot_addr, addr, len]);
        if let Some(e) = newunit {
            let n = self.load_scalar(slot, Ty::I32);
            let v = self.cast(n.into(), Ty::I32, ir_ty(&e.ty));
            let place: Place = self.place(e);
            self.store(place, &e.ty, &Value::Scalar(v));
        }
        let status = status.first().map_or(Val::i32(0), |&r| r.into());
        self.after_status(&catch, status);
    }

    pub(crate) fn close(&mut self, io: &'p IoStmt) {
        let catch = Catch::of(&io.controls);
        let unit = self.unit_number(&io.unit);
        let mut delete = Val::i32(0);
        for c in io.controls.iter().filter(|c| &*c.keyword == "status") {
            let differs = self.is_not_text(&c.value, "delete");
            let kept = self.narrow(differs, Ty::I32);
            delete = match kept {
                Val::Imm(bits) => Val::i32(i32::from(bits == 0)),
                Val::Reg(_) => self.b.bin(ir::op::BinOp::Xor, Ty::I32, kept, Val::i32(1)).into(),
            };
        }
        let status = self.rt(Rt::IoClose, vec![unit, delete, Val::i32(catch.bits())]);
        let status = status.first().map_or(Val::i32(0), |&r| r.into());
        self.after_status(&catch, status);
    }

    /// INQUIRE by unit or by file; what it asks beyond existence, connection, unit and size is refused when it is reached.
    pub(crate) fn inquire(&mut self, io: &'p IoStmt) {
        let catch = Catch::of(&io.controls);
        let unit = self.unit_number(&io.unit);
        let file = io.controls.iter().find(|c| &*c.keyword == "file");
        let (path, len) = match file {
            Some(c) => {
                let value = self.value(&c.value);
                let (mem, len) = self.as_char(&value);
                (self.address(mem), len)
            }
            None => (Val::i64(0), Val::i64(0)),
        };
        for c in &io.controls {
            let what = match &*c.keyword {
                "file" | "iostat" | "err" | "iomsg" => continue,
                "exist" => 0,
                "opened" => 1,
                "number" => 2,
                "size" => 3,
                _ => {
                    self.unsupported();
                    return;
                }
            };
            let e = &c.value;
            let n = self.rt(Rt::IoInquire, vec![unit, path, len, Val::i32(what)]);
            let n: Val = n.first().map_or(Val::i64(0), |&r| r.into());
            let place: Place = self.place(e);
            if what <= 1 {
                let yes = self.icmp(ir::op::CmpOp::Ne, n, Val::i64(0));
                self.store(place, &e.ty, &Value::Pred(yes));
            } else {
                let v = self.cast(n, Ty::I64, ir_ty(&e.ty));
                self.store(place, &e.ty, &Value::Scalar(v));
            }
        }
        self.after_status(&catch, Val::i32(0));
    }

    pub(crate) fn position(&mut self, io: &'p IoStmt, code: i32) {
        let catch = Catch::of(&io.controls);
        let unit = self.unit_number(&io.unit);
        let status = self.rt(Rt::IoPosition, vec![unit, Val::i32(code), Val::i32(catch.bits())]);
        let status = status.first().map_or(Val::i32(0), |&r| r.into());
        self.after_status(&catch, status);
    }
}
