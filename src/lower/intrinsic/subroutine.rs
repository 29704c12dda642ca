//! Intrinsic subroutines.

use super::{Args, arg};
use crate::analysis::overlap::conflicts;
use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::types::{data_space, imm, ir_ty, is_flat};
use crate::value::Value;
use crate::value::lvalue::{Lvalue, MemRef};
use ir::op::{BinOp, CmpOp, UnOp};
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{Class, Expr, ExprKind, Intrinsic, Type};

impl<'p> FunctionLowering<'_, 'p> {
    pub(crate) fn intrinsic_subroutine(&mut self, id: Intrinsic, args: Args<'p>) {
        if let Some((at, present)) = self.absent_argument(id, args) {
            return self.with_and_without(args, at, present, &mut |this, args| this.intrinsic_subroutine(id, args));
        }
        let changed: Vec<&'p Expr> = changed_array(id).and_then(|i| arg(args, i)).into_iter().collect();
        if !self.with_copies(&changed, |this| this.intrinsic_call(id, args)) {
            self.b.unsupported(&format!("`{}` with these arguments", id.name()));
        }
    }

    /// Stores an `i64` into an integer variable.
    pub(super) fn store_integer(&mut self, e: &'p Expr, v: Val) {
        let v = self.b.narrow(v, ir_ty(&e.ty));
        let place = self.lvalue(e);
        self.b.store_value(place, &e.ty, &Value::Scalar(v));
    }

    /// Stores a value of another type into a variable.
    fn store_converted(&mut self, e: &'p Expr, v: &Value, from: &Type) {
        let v = self.b.convert(v, from, &e.ty);
        let place = self.lvalue(e);
        self.b.store_value(place, &e.ty, &v);
    }

    fn intrinsic_call(&mut self, id: Intrinsic, args: Args<'p>) -> bool {
        use Intrinsic as I;
        match id {
            I::CpuTime => {
                let (Some(e), Some(&t)) = (arg(args, 0), self.b.rt(Rt::CpuTime, Vec::new()).first()) else {
                    return false;
                };
                self.store_converted(e, &Value::Scalar(t.into()), &Type::Real(8));
            }
            I::SystemClock => self.system_clock(args),
            I::DateAndTime => self.date_and_time(args),
            I::GetCommand => self.get_command(args),
            I::GetCommandArgument => self.get_command_argument(args),
            I::GetEnvironmentVariable => return self.get_environment_variable(args),
            I::Getarg => {
                let (Some(number), Some(value)) = (arg(args, 0), arg(args, 1)) else { return false };
                let n = self.int32(number);
                self.text_asked(Rt::ArgGet, n, Some(value));
            }
            I::MoveAlloc => return self.move_alloc(args),
            I::Mvbits => return self.mvbits(args),
            I::RandomNumber => return arg(args, 0).is_some_and(|e| self.random_number(e)),
            I::RandomSeed => self.random_seed(args),
            I::CFPointer => return self.c_f_pointer(args),
            I::CFProcpointer => return self.c_f_procpointer(args),
            I::Exit => {
                let code = arg(args, 0).map_or(Val::i32(0), |e| self.int32(e));
                // Like STOP with `quiet=.true.`.
                self.b.end_program(Val::i32(2), code, Val::i64(0), Val::i64(0));
            }
            I::Abort => self.b.fail("abort"),
            I::Flush => {
                let unit = arg(args, 0).map_or(Val::i64(-1), |e| self.int64(e));
                self.b.rt(Rt::IoPosition, vec![unit, Val::i32(3), Val::i32(0), Val::i64(0), Val::i64(0)]);
            }
            I::Sleep => {
                let seconds = arg(args, 0).map_or(Val::i64(0), |e| self.int64(e));
                let milliseconds = self.b.imul(seconds, Val::i64(1000));
                self.b.rt(Rt::Sleep, vec![milliseconds]);
            }
            _ if id.class() == Class::Device => return self.device_subroutine(id, args),
            _ => return false,
        }
        true
    }

    /// A clock of 8-byte integers counts as the service does, one of shorter integers in milliseconds.
    fn system_clock(&mut self, args: Args<'p>) {
        let results = self.b.rt(Rt::SystemClock, Vec::new());
        let (Some(&count), Some(&rate)) = (results.first(), results.get(1)) else { return };
        let short = args.given().any(|e| ir_ty(&e.ty) != Ty::I64);
        let (mut count, mut rate): (Val, Val) = (count.into(), rate.into());
        if short {
            // In two steps, to keep the product small.
            let seconds = self.b.bin(BinOp::Div, Ty::I64, count, rate);
            let rest = self.b.bin(BinOp::Rem, Ty::I64, count, rate);
            let thousandths = self.b.imul(rest.into(), Val::i64(1000));
            let thousandths: Val = self.b.bin(BinOp::Div, Ty::I64, thousandths, rate).into();
            count = self.b.imad(seconds.into(), Val::i64(1000), thousandths);
            count = self.b.bin(BinOp::And, Ty::I64, count, Val::i64(i64::from(i32::MAX))).into();
            rate = Val::i64(1000);
        }
        let most = if short { i64::from(i32::MAX) } else { i64::MAX };
        for (i, v) in [count, rate, Val::i64(most)].into_iter().enumerate() {
            if let Some(e) = arg(args, i) {
                if matches!(e.ty, Type::Real(_)) {
                    self.store_converted(e, &Value::Scalar(v), &Type::Integer(8));
                } else {
                    self.store_integer(e, v);
                }
            }
        }
    }

    fn date_and_time(&mut self, args: Args<'p>) {
        let (_, values) = self.b.slot(32, 4, "values", source::Span::NONE);
        let addr = self.b.address(values);
        self.b.rt(Rt::DateTime, vec![addr]);
        let number = |this: &mut Self, i: i64| -> Val { this.b.load_scalar(values.plus(4 * i), Ty::I32).into() };
        // Field of VALUES, digits; what stands between them is text.
        if let Some(e) = arg(args, 0) {
            let parts: Vec<Val> = (0..3).map(|i| number(self, i)).collect();
            self.digits_text(e, &[], &[(parts[0], 4), (parts[1], 2), (parts[2], 2)], 0);
        }
        if let Some(e) = arg(args, 1) {
            let parts: Vec<Val> = (4..8).map(|i| number(self, i)).collect();
            self.digits_text(e, &[], &[(parts[0], 2), (parts[1], 2), (parts[2], 2), (parts[3], 3)], 3);
        }
        if let Some(e) = arg(args, 2) {
            let minutes = number(self, 3);
            let magnitude = self.b.un(UnOp::Abs, Ty::I32, minutes);
            let hours = self.b.bin(BinOp::Div, Ty::I32, magnitude, Val::i32(60));
            let rest = self.b.bin(BinOp::Rem, Ty::I32, magnitude, Val::i32(60));
            let west = self.b.cmp(CmpOp::Lt, Ty::I32, minutes, Val::i32(0));
            let sign = self.b.select(Ty::I8, west, imm(Ty::I8, 45), imm(Ty::I8, 43));
            self.digits_text(e, &[sign.into()], &[(hours.into(), 2), (rest.into(), 2)], 0);
        }
        if let Some(e) = arg(args, 3)
            && let Some(view) = self.designator_view(e)
        {
            let dense = self.b.dense(values, Val::i64(4), None, &[Val::i64(8)]);
            self.repeat(Val::i64(8), &mut |this, i| {
                let from = this.b.element_linear(&dense, i);
                let v = this.b.load_scalar(from, Ty::I32);
                let v = this.b.cast(v.into(), Ty::I32, ir_ty(&e.ty));
                let to = this.b.element_by_position(&view, &[i]);
                this.b.store_value(Lvalue::Mem(to), &e.ty, &Value::Scalar(v));
            });
        }
    }

    /// Stores bytes and decimal numbers of fixed width as text; a point stands before number `point`, unless that is 0.
    fn digits_text(&mut self, e: &'p Expr, first: &[Val], numbers: &[(Val, u32)], point: usize) {
        let (_, text) = self.b.slot(16, 1, "text", source::Span::NONE);
        let mut at = 0;
        for &byte in first {
            self.b.store_scalar(text.plus(at), Ty::I8, byte);
            at += 1;
        }
        for (i, &(number, width)) in numbers.iter().enumerate() {
            if point != 0 && i == point {
                self.b.store_scalar(text.plus(at), Ty::I8, imm(Ty::I8, 46));
                at += 1;
            }
            for digit in (0..width).rev() {
                let scaled = self.b.bin(BinOp::Div, Ty::I32, number, Val::i32(10i32.pow(digit)));
                let value = self.b.bin(BinOp::Rem, Ty::I32, scaled, Val::i32(10));
                let code = self.b.bin(BinOp::Add, Ty::I32, value, Val::i32(48));
                let byte = self.b.cast(code.into(), Ty::I32, Ty::I8);
                self.b.store_scalar(text.plus(at), Ty::I8, byte);
                at += 1;
            }
        }
        let place = self.lvalue(e);
        self.b.store_value(place, &e.ty, &Value::Char(text, Val::i64(at)));
    }

    fn get_command_argument(&mut self, args: Args<'p>) {
        let Some(number) = arg(args, 0) else { return };
        let n = self.int32(number);
        let len = self.text_asked(Rt::ArgGet, n, arg(args, 1));
        self.text_results(args.rest(), len, (arg(args, 4), "there is no such argument"));
    }

    fn get_command(&mut self, args: Args<'p>) {
        let len = self.text_asked(Rt::CommandGet, Val::i32(0), arg(args, 0));
        self.text_results(args, len, (arg(args, 3), "the command is not known"));
    }

    fn get_environment_variable(&mut self, args: Args<'p>) -> bool {
        let Some(name) = arg(args, 0) else { return false };
        let value = self.value(name);
        let (name, name_len) = self.b.as_char(&value);
        let name = self.b.address(name);
        let (addr, room) = match arg(args, 1).map(|e| self.lvalue(e)) {
            Some(Lvalue::Char(mem, len)) => (self.b.address(mem), len),
            _ => (Val::i64(0), Val::i64(0)),
        };
        let n = self.b.rt(Rt::EnvGet, vec![Val::i32(0), addr, room, name, name_len]);
        let len = n.first().map_or(Val::i64(-1), |&r| r.into());
        self.text_results(args.rest(), len, (arg(args, 5), "there is no such environment variable"));
        true
    }

    /// LENGTH, STATUS and ERRMSG of a text that was asked for, the first argument; its length is −1 if there is none.
    fn text_results(&mut self, args: Args<'p>, len: Val, (errmsg, message): (Option<&'p Expr>, &str)) {
        let none = self.b.icmp(CmpOp::Lt, len, Val::i64(0));
        if let Some(e) = arg(args, 1) {
            let shown = self.b.at_least_zero(len);
            self.store_integer(e, shown);
        }
        if let Some(e) = arg(args, 2) {
            // -1: the value was cut, 1: there is no such argument.
            let room = match arg(args, 0) {
                Some(value) => self.length_of(value, None).unwrap_or(Val::i64(i64::MAX)),
                None => Val::i64(i64::MAX),
            };
            let cut = self.b.icmp(CmpOp::Gt, len, room);
            let code = self.b.select(Ty::I64, cut, Val::i64(-1), Val::i64(0));
            let code = self.b.select(Ty::I64, none, Val::i64(1), code);
            self.store_integer(e, code.into());
        }
        if let Some(e) = errmsg {
            self.when(none, |this| {
                let mem = this.b.constant_memory(message.as_bytes(), 1);
                let place = this.lvalue(e);
                this.b.store_value(place, &e.ty, &Value::Char(mem, Val::i64(message.len() as i64)));
            });
        }
    }

    /// Gets a command argument, or the whole command, into a variable; gives its length, −1 if there is none.
    fn text_asked(&mut self, rt: Rt, number: Val, value: Option<&'p Expr>) -> Val {
        let (addr, len) = match value.map(|e| self.lvalue(e)) {
            Some(Lvalue::Char(mem, len)) => (self.b.address(mem), len),
            _ => (Val::i64(0), Val::i64(0)),
        };
        let n = self.b.rt(rt, vec![number, addr, len]);
        n.first().map_or(Val::i64(-1), |&r| r.into())
    }

    fn move_alloc(&mut self, args: Args<'p>) -> bool {
        let (Some(from), Some(to)) = (arg(args, 0), arg(args, 1)) else { return false };
        let (Some(source), Some(target)) = (self.descriptor(from), self.descriptor(to)) else { return false };
        let view = self.b.desc_view(&source);
        self.at(to.span, |this| this.check_taken(to, &view));
        if is_flat(self.b.program(), &from.ty) {
            self.end_flat_of(to, &target);
            let (lengths, fixed) = (self.lengths_of(from), self.lengths_that_stay(to));
            let set = self.b.desc_is_set(&source);
            self.when(set, |this| this.check_given_lengths(&to.ty, &fixed, &lengths));
            self.keep_flat_lengths(to, &lengths);
        }
        let location = self.b.location_of(to);
        self.b.free_data(&target, &to.ty, location);
        let view = self.b.with_type(&target, view, &from.ty);
        self.b.desc_set(&target, &view);
        self.b.desc_clear(&source);
        if let Some(stat) = arg(args, 2) {
            self.store_integer(stat, Val::i64(0));
        }
        true
    }

    /// MVBITS is elemental.
    fn mvbits(&mut self, args: Args<'p>) -> bool {
        let Some(to) = arg(args, 3) else { return false };
        if to.rank == 0 {
            return self.mvbits_of_one(args);
        }
        let mut operands = Operands::default();
        // What is read may be part of what is written (Fortran 2018, 16.9.141): it is evaluated before.
        for (i, e) in args.written.iter().enumerate().filter_map(|(i, e)| Some((i, e.as_ref()?))) {
            if i == 3 {
                self.prepare(e, &mut operands);
            } else if e.rank == 0 {
                operands.insert(e, Operand::Value(Value::Scalar(self.scalar(e))));
            } else if conflicts(self.b.program(), to, e) {
                let view = self.materialise(e);
                operands.insert(e, Operand::View(view));
            } else {
                self.prepare(e, &mut operands);
            }
        }
        let Some(extents) = operands.extents(to) else { return false };
        let mut made = true;
        self.for_each_element(operands, &extents, &[], &mut |this, _, _| made &= this.mvbits_of_one(args));
        made
    }

    fn mvbits_of_one(&mut self, args: Args<'p>) -> bool {
        let (Some(from), Some(to)) = (arg(args, 0), arg(args, 3)) else { return false };
        let ty = ir_ty(&to.ty);
        let mut numbers = [Val::Imm(0); 3];
        for (slot, i) in numbers.iter_mut().zip([1, 2, 4]) {
            let Some(e) = arg(args, i) else { return false };
            let v = self.scalar(e);
            *slot = self.b.cast(v, ir_ty(&e.ty), ty);
        }
        let [from_pos, len, to_pos] = numbers;
        let a = self.scalar(from);
        let high = self.b.bin(BinOp::Shl, ty, imm(ty, -1), len);
        let mask = self.b.un(UnOp::Not, ty, high);
        let bits = self.b.bin(BinOp::ShrU, ty, a, from_pos);
        let bits = self.b.bin(BinOp::And, ty, bits, mask);
        let bits = self.b.bin(BinOp::Shl, ty, bits, to_pos);
        let hole = self.b.bin(BinOp::Shl, ty, mask, to_pos);
        let kept = self.b.un(UnOp::Not, ty, hole);
        let place = self.lvalue(to);
        let old = self.b.load_value(place, &to.ty);
        let old = self.b.as_scalar(&old, &to.ty);
        let old = self.b.bin(BinOp::And, ty, old, kept);
        let new = self.b.bin(BinOp::Or, ty, old, bits);
        self.b.store_value(place, &to.ty, &Value::Scalar(new.into()));
        true
    }

    fn c_f_procpointer(&mut self, args: Args<'p>) -> bool {
        let (Some(address), Some(pointer)) = (arg(args, 0), arg(args, 1)) else { return false };
        let address = self.pointer_word(address);
        let target = self.b.rt(Rt::ForeignTarget, vec![address]);
        let to = self.lvalue(pointer);
        let Some(&target) = target.first() else { return false };
        self.b.store_value(to, &pointer.ty, &Value::Scalar(target.into()));
        true
    }

    fn c_f_pointer(&mut self, args: Args<'p>) -> bool {
        let (Some(pointer), Some(target)) = (arg(args, 0), arg(args, 1)) else { return false };
        let addr = self.pointer_word(pointer);
        let Some(d) = self.descriptor(target) else { return false };
        let (cuda, is_pointer) = match &target.kind {
            ExprKind::Var(v) => (self.b.program().var(*v).attrs.cuda, self.b.program().var(*v).attrs.pointer),
            _ => (None, true),
        };
        let space = data_space(self.b.side(), cuda, is_pointer);
        let extents: Vec<Val> = match arg(args, 2) {
            Some(shape) if target.rank > 0 => {
                let view = self.view(shape);
                let view = self.b.local_view(view, &shape.ty);
                (0..target.rank)
                    .map(|i| {
                        let mem = self.b.element_by_position(&view, &[Val::i64(i64::from(i))]);
                        let v = self.b.load_value(Lvalue::Mem(mem), &shape.ty);
                        let v = self.b.as_scalar(&v, &shape.ty);
                        self.b.widen(v, ir_ty(&shape.ty))
                    })
                    .collect()
            }
            _ => Vec::new(),
        };
        let element = self.b.desc_element(&d);
        let view = self.b.dense(MemRef::at(addr, space), element, d.is_char.then_some(element), &extents);
        self.b.desc_set(&d, &view);
        true
    }
}

/// The argument that an intrinsic subroutine changes, if that may be an array.
fn changed_array(id: Intrinsic) -> Option<usize> {
    match id {
        Intrinsic::RandomNumber => Some(0),
        Intrinsic::RandomSeed => Some(2),
        Intrinsic::DateAndTime | Intrinsic::Mvbits => Some(3),
        _ => None,
    }
}
