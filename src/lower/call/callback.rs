//! Procedures of the program that libraries call.
//!
//! A library gets the address of a procedure by `c_funloc`, or as an argument; the service that gives it notes the signature. A
//! call of a library that calls such a procedure waits. The code behind the call asks which one it is, compares that with each
//! procedure that a pointer may point to, loads the arguments and calls it. Then the library goes on.
//!
//! Not here: how the library waits (`foreign`), what it sees meanwhile (`host::foreign`).

use crate::analysis::usage::runs_on;
use crate::analysis::variables::const_bounds;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::call::c_descriptor::has_c_descriptor;
use crate::call::foreign::{foreign_param, foreign_result};
use crate::function::FunctionLowering;
use crate::module::ArgKey;
use crate::object::convention::{ResultForm, result_form, word_types};
use crate::types::{Side, const_bytes, ir_ty};
use crate::value::arguments::Passed;
use crate::value::lvalue::MemRef;
use ast::Intent;
use ir::foreign::{ANSWER, CParam, CScalar, CValue, Signature};
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{FuncId, FuncKind, FunctionBuilder, Space, Ty, Val, c_descriptor};
use sema::checked::{Actual, CharLen, ProcBody, ProcId, Program, Storage, Type};
use source::Span;

impl<'p> FunctionLowering<'_, 'p> {
    /// The address of a procedure for libraries.
    pub(super) fn call_entry(&mut self, args: &'p [Option<Actual>]) -> Val {
        let known = match args.first() {
            Some(Some(Actual::Proc(p))) => Ok(self.callee(*p)),
            Some(Some(Actual::Expr(e))) => self.procedure_dummy(e).ok_or(e),
            _ => return Val::i64(0),
        };
        match known {
            Ok(p) => {
                let pointer = self.procedure_word(p);
                self.b.procedure_entry(pointer, ArgKey::Proc(p))
            }
            Err(e) => {
                let pointer = self.scalar(e);
                self.b.procedure_entry(pointer, ArgKey::Pointer)
            }
        }
    }
}

impl FunctionLowering<'_, '_> {
    /// Lets C code find the procedures that it calls by name.
    pub(crate) fn give_named_procedures(&mut self) {
        for (_, p) in &self.b.program().named {
            let pointer = self.b.procedure_number(*p);
            self.b.procedure_entry(pointer, ArgKey::Proc(*p));
        }
    }
}

impl Builder<'_, '_> {
    /// The address for libraries of a procedure that a pointer points to, or that is known.
    pub(super) fn procedure_entry(&mut self, pointer: Val, key: ArgKey) -> Val {
        if let ArgKey::Proc(p) = key {
            return match entry_signature(self.program(), p) {
                Ok(signature) => self.make_entry(&signature, pointer),
                Err(what) => {
                    let name = &self.program().proc(p).name;
                    self.unsupported(&format!("C code that calls procedure `{name}` {what}"));
                    Val::i64(0)
                }
            };
        }
        let entry = self.mutable(Ty::I64);
        // A procedure of C is its address.
        let is_of_c = self.cmp(CmpOp::Ge, Ty::I64, pointer, Val::i64(c_descriptor::OWN_END)).into();
        self.set(entry, Val::i64(0));
        self.when(is_of_c, |b| b.set(entry, pointer));
        let targets = self.entry_targets();
        let called = self.pointed_number(pointer, &procedures_of(&targets));
        for (target, signature) in targets {
            let number = self.procedure_number(target);
            let is_this = self.cmp(CmpOp::Eq, Ty::I64, called, number).into();
            self.when(is_this, |b| {
                let made = b.make_entry(&signature, pointer);
                b.set(entry, made);
            });
        }
        entry.into()
    }

    fn make_entry(&mut self, signature: &Signature, pointer: Val) -> Val {
        let (text, length) = self.name_text(&signature.to_string());
        let made = self.rt(Rt::ForeignEntry, vec![text, length, pointer]);
        made.first().map_or(Val::i64(0), |&entry| entry.into())
    }

    /// The procedures that a library may be given.
    fn entry_targets(&self) -> Vec<(ProcId, Signature)> {
        let taken = self.usage().taken.iter().copied();
        taken.filter_map(|p| Some((p, entry_signature(self.program(), p).ok()?))).collect()
    }

    /// Calls procedures of the program as long as a call of a library waits for them.
    pub(super) fn answer_callbacks(&mut self, call: [Val; 3], waits: Val) {
        if !self.usage().gives_procedures || self.side() != Side::Host {
            return;
        }
        let targets: Vec<_> = self.entry_targets().into_iter().filter(|(_, s)| !s.is_of_library).collect();
        if targets.is_empty() {
            return;
        }
        let bytes = targets.iter().map(|(_, signature)| signature.room_bytes()).max().unwrap_or(0);
        let func = self.answering_function(targets);
        let (_, room) = self.slot(bytes.max(8), 8, "callback", Span::NONE);
        let state = self.mutable(Ty::I32);
        self.set(state, waits);
        let (head, body, done) = (self.new_block(), self.new_block(), self.new_block());
        self.jump(head);
        self.switch_to(head);
        let is_waiting: Val = self.cmp(CmpOp::Ne, Ty::I32, Val::from(state), Val::i32(0)).into();
        self.branch(is_waiting, body, done);
        self.switch_to(body);
        let address = self.address(room);
        self.call(func, vec![address], &[]);
        let again = self.rt(Rt::ForeignReturn, vec![call[0], call[1], call[2], address]);
        if let Some(&again) = again.first() {
            self.set(state, Val::from(again));
        }
        self.jump(head);
        self.switch_to(done);
    }

    /// The function that calls the procedure which a library waits for, with a room for its arguments and its result.
    fn answering_function(&mut self, targets: Vec<(ProcId, Signature)>) -> FuncId {
        if let Some(func) = self.module().foreign_answer() {
            return func;
        }
        let func = self.module().new_function(ANSWER, FuncKind::Host, Span::NONE);
        self.module().set_foreign_answer(func);
        let mut b = FunctionBuilder::new(self.module().function_name(func), FuncKind::Host, Span::NONE);
        let room = MemRef::at(b.param(Ty::I64, "room").into(), self.local_space());
        let (side, proc) = (self.side(), self.procedure());
        let mut inner = Builder::new(self.module(), b, side, proc);
        inner.answer_call(targets, room);
        let made = inner.finish_subroutine();
        self.module().set_function(func, made);
        func
    }

    fn answer_call(&mut self, targets: Vec<(ProcId, Signature)>, room: MemRef) {
        let done = self.new_block();
        let address = self.address(room);
        let pointer = self.rt(Rt::ForeignCallback, vec![address]);
        let pointer = pointer.first().map_or(Val::i64(0), |&p| p.into());
        let called = self.pointed_number(pointer, &procedures_of(&targets));
        for (target, signature) in targets {
            let (yes, no) = (self.new_block(), self.new_block());
            let number = self.procedure_number(target);
            let is_this: Val = self.cmp(CmpOp::Eq, Ty::I64, called, number).into();
            self.branch(is_this, yes, no);
            self.switch_to(yes);
            self.call_entry_target(target, &signature, pointer, room);
            self.jump(done);
            self.switch_to(no);
        }
        let (text, length) = self.name_text("a procedure of the program");
        self.rt(Rt::ErrorAllocated, vec![text, length]);
        self.jump(done);
        self.switch_to(done);
    }

    /// Calls a procedure with what is in the room, and puts its result there.
    fn call_entry_target(&mut self, target: ProcId, signature: &Signature, pointer: Val, room: MemRef) {
        let program = self.program();
        let proc = program.proc(target);
        let first = signature.result_bytes() as i64;
        let is_bound = takes_descriptors(program, target);
        let is_ranked = |&i: &usize| is_bound && self.module().is_ranked(program.var(proc.params[i]));
        let ranked: Vec<usize> = (0..proc.params.len()).filter(is_ranked).collect();
        let Some(&leading) = ranked.first() else {
            return self.call_with_ranks(target, signature, (pointer, room), &[]);
        };
        // One function for each rank: which it is, the descriptor says.
        let mut ranks = Vec::new();
        for &at in &ranked {
            let c = self.load_word(room.plus(first + 8 * at as i64));
            ranks.push(self.rank_from_c(MemRef::at(c, Space::Host)));
        }
        let rank = ranks[0];
        let mut is_same = Val::pred(true);
        for &other in &ranks[1..] {
            let equal = self.icmp(CmpOp::Eq, rank, other);
            is_same = self.bin(BinOp::And, Ty::Pred, is_same, equal).into();
        }
        let done = self.new_block();
        if ranked.len() > 1 {
            let (same, differ) = (self.new_block(), self.new_block());
            self.branch(is_same, same, differ);
            self.switch_to(differ);
            let arguments: Vec<(usize, Val)> = ranked.iter().copied().zip(ranks).collect();
            self.call_with_each_rank(target, signature, (pointer, room), &arguments, &mut Vec::new());
            self.jump(done);
            self.switch_to(same);
        }
        let dummy = program.var(proc.params[leading]);
        let is_described = dummy.attrs.allocatable || dummy.attrs.pointer;
        for number in 0..=2 * i64::from(c_descriptor::MOST_DIMENSIONS) + 1 {
            let key = ArgKey::Rank { rank: (number / 2) as u8, assumed_size: number % 2 == 1 };
            if number == 1 || is_described && number % 2 == 1 {
                continue;
            }
            let (yes, no) = (self.new_block(), self.new_block());
            let is_this = self.icmp(CmpOp::Eq, rank, Val::i64(number));
            self.branch(is_this, yes, no);
            self.switch_to(yes);
            let keys: Vec<(usize, ArgKey)> = ranked.iter().map(|&at| (at, key)).collect();
            self.call_with_ranks(target, signature, (pointer, room), &keys);
            self.jump(done);
            self.switch_to(no);
        }
        self.unsupported("an argument of assumed rank with a rank that C may not pass");
        self.jump(done);
        self.switch_to(done);
    }

    /// The same where the arguments of assumed rank have ranks of their own, each as [`Builder::rank_from_c`] gives it; those before them
    /// have the ranks of the keys.
    fn call_with_each_rank(
        &mut self,
        target: ProcId,
        signature: &Signature,
        call: (Val, MemRef),
        ranks: &[(usize, Val)],
        keys: &mut Vec<(usize, ArgKey)>,
    ) {
        let Some((&(at, rank), rest)) = ranks.split_first() else {
            return self.call_with_ranks(target, signature, call, keys);
        };
        let done = self.new_block();
        for number in 0..=greatest_rank(ranks.len() + keys.len()) {
            let (yes, no) = (self.new_block(), self.new_block());
            let is_this = self.icmp(CmpOp::Eq, rank, Val::i64(2 * i64::from(number)));
            self.branch(is_this, yes, no);
            self.switch_to(yes);
            keys.push((at, ArgKey::Rank { rank: number, assumed_size: false }));
            self.call_with_each_rank(target, signature, call, rest, keys);
            keys.pop();
            self.jump(done);
            self.switch_to(no);
        }
        self.unsupported("arguments of assumed rank with these different ranks that C passes");
        self.jump(done);
        self.switch_to(done);
    }

    /// The same where the arguments of assumed rank have the ranks that the keys say.
    fn call_with_ranks(
        &mut self,
        target: ProcId,
        signature: &Signature,
        (pointer, room): (Val, MemRef),
        keys: &[(usize, ArgKey)],
    ) {
        let program = self.program();
        let proc = program.proc(target);
        let (is_c, is_bound) = (is_for_c(program, target), takes_descriptors(program, target));
        let first = signature.result_bytes() as i64;
        let mut passed = Passed::default();
        let mut given_back = Vec::new();
        // Lengths follow the arguments.
        let mut length = room.plus(first + 8 * proc.params.len() as i64);
        for (i, (&dummy, param)) in proc.params.iter().zip(&signature.params).enumerate() {
            let var = program.var(dummy);
            let at = room.plus(first + 8 * i as i64);
            if is_bound && has_c_descriptor(var) {
                let c = MemRef::at(self.load_word(at), Space::Host);
                let key = keys.iter().find(|(at, _)| *at == i).map_or(ArgKey::Any, |(_, key)| *key);
                let described = self.pass_from_c(var, key, c, &mut passed);
                given_back.extend(described.filter(|_| var.attrs.intent != Some(Intent::In)).map(|d| (c, d)));
                continue;
            }
            match (param, &var.ty) {
                (CParam::Reference { .. }, Type::Character(CharLen::Assumed | CharLen::Expr(_))) => {
                    let address = self.load_word(at);
                    let bytes = self.load_word(length);
                    passed.words.extend([address, bytes]);
                    length = length.plus(8);
                }
                (CParam::Reference { .. }, ty) => {
                    let address = self.load_word(at);
                    passed.words.push(address);
                    if word_types(var).len() > 1 {
                        passed.words.push(Val::i64(const_bytes(program, ty).unwrap_or(1) as i64));
                        length = if is_c { length } else { length.plus(8) };
                    }
                }
                (_, Type::Complex(k)) => {
                    let object = self.load_word(at);
                    let object = MemRef::at(object, self.local_space());
                    for offset in [0, i64::from(*k)] {
                        let part = self.load_scalar(object.plus(offset), ir_ty(&var.ty)).into();
                        passed.words.push(part);
                    }
                }
                (_, Type::Character(_)) => {
                    let letter = self.address(at);
                    passed.words.extend([letter, Val::i64(1)]);
                }
                (CParam::Value(CValue::Object { .. }), _) => {
                    let object = self.load_word(at);
                    passed.words.push(object);
                }
                // An object that is one pointer is a word for C.
                (_, Type::Derived(_)) => {
                    let object = self.address(at);
                    passed.words.push(object);
                }
                (_, ty) => {
                    let ty = ir_ty(ty);
                    let mut word: Val = self.load_scalar(at, ty).into();
                    if matches!(var.ty, Type::Logical(_)) {
                        word = self.bin(BinOp::And, ty, word, Val::Imm(1)).into();
                    }
                    passed.words.push(word);
                }
            }
            passed.keys.push(ArgKey::Any);
        }
        let (hidden, results) = match result_form(program, proc) {
            ResultForm::None => (Vec::new(), Vec::new()),
            ResultForm::Registers(tys) => (Vec::new(), tys),
            ResultForm::Hidden(has_length) => {
                let address = self.address(room);
                (if has_length { vec![address, Val::i64(1)] } else { vec![address] }, Vec::new())
            }
        };
        let captures = self.pointed_captures(pointer, target);
        let values = self.call_plain(target, &hidden, &passed, &captures, &results);
        let mut at = 0;
        for (&ty, value) in results.iter().zip(values) {
            self.store_scalar(room.plus(at), ty, value);
            at += ty.bytes() as i64;
        }
        self.after_call(passed);
        for (c, d) in given_back {
            self.give_to_c(c, &d);
        }
    }
}

/// How many functions are made at most for different ranks of several arguments.
const MOST_RANKS: u32 = 256;

/// The greatest rank of so many arguments whose ranks differ in one call by C.
fn greatest_rank(arguments: usize) -> u8 {
    let count = |rank: u8| u32::from(rank + 1).saturating_pow(arguments as u32);
    (1..=c_descriptor::MOST_DIMENSIONS).rev().find(|&rank| count(rank) <= MOST_RANKS).unwrap_or(1)
}

fn procedures_of(targets: &[(ProcId, Signature)]) -> Vec<ProcId> {
    targets.iter().map(|(target, _)| *target).collect()
}

/// Whether C calls a procedure as one with `bind(c)`: lengths do not follow the arguments.
fn is_for_c(program: &Program, id: ProcId) -> bool {
    match &program.proc(id).body {
        ProcBody::Foreign { is_c, .. } => *is_c,
        _ => program.proc(id).is_bound || !program.named.iter().any(|(_, named)| *named == id),
    }
}

/// Whether C passes descriptors to a procedure.
fn takes_descriptors(program: &Program, id: ProcId) -> bool {
    match &program.proc(id).body {
        ProcBody::Foreign { is_c, .. } => *is_c,
        _ => program.proc(id).is_bound,
    }
}

/// The signature by which C calls a procedure; why it cannot.
fn entry_signature(program: &Program, id: ProcId) -> Result<Signature, String> {
    let proc = program.proc(id);
    let (is_c, is_bound) = (is_for_c(program, id), takes_descriptors(program, id));
    let mut lengths = 0;
    let has_code = matches!(proc.body, ProcBody::Statements(_) | ProcBody::Foreign { .. });
    if !has_code || !runs_on(proc.kind, Side::Host) {
        return Err("which the program does not define for the host".to_owned());
    }
    let mut params = Vec::new();
    for &dummy in &proc.params {
        let var = program.var(dummy);
        if matches!(var.storage, Storage::Procedure) {
            return Err(format!("with procedure `{}` as an argument", var.name));
        }
        let has_length = matches!(var.ty, Type::Character(CharLen::Assumed | CharLen::Expr(_)));
        if is_c && has_length && !(is_bound && has_c_descriptor(var)) {
            return Err(format!("with argument `{}`, whose length goes apart from it", var.name));
        }
        lengths += usize::from(!is_c && matches!(var.ty, Type::Character(_)));
        let mut param = foreign_param(program, var, is_bound)?;
        if let CParam::Reference { extent, .. } = &mut param
            && !(is_bound && has_c_descriptor(var))
        {
            let count = const_bounds(&var.shape).map(|dims| dims.iter().map(|&(_, n)| n as u64).product::<u64>());
            *extent = count.zip(const_bytes(program, &var.ty)).map_or(0, |(count, bytes)| count * bytes);
        }
        params.push(param);
    }
    params.extend((0..lengths).map(|_| CParam::Value(CValue::Scalar(CScalar::Int(8)))));
    let result = foreign_result(program, id, is_c)?;
    let by_name = program.named.iter().find(|(_, named)| *named == id).map(|(name, _)| name.clone());
    let is_named = by_name.is_some();
    // A procedure of a library is where the library has it.
    let (name, is_of_library) = match (&proc.body, by_name) {
        (ProcBody::Foreign { symbol, .. }, _) => (symbol.clone(), true),
        (_, Some(name)) => (name, false),
        _ => (proc.name.clone(), false),
    };
    Ok(Signature { name, is_of_library, is_named, params, result })
}
