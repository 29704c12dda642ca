//! Dynamic types of polymorphic objects (Fortran 2018, 7.3.2.3), and calls by dynamic type.
//!
//! A polymorphic variable, dummy argument or component is a descriptor followed by one word, the *tag*: the number of the
//! object's dynamic type (`analysis::type_tags`). The whole program is known, so a call by dynamic type is a chain of tests
//! of the tag with direct calls; there are no tables of procedures.
//!
//! Host code only: sema refuses polymorphic objects in device code.
//!
//! Not here: polymorphic expressions (`expr::dynamic_type`), copying and freeing (`class_object`).

use crate::analysis::type_tags::members;
use crate::builder::Builder;
use crate::module::ArgKey;
use crate::types::const_bytes;
use crate::value::Value;
use crate::value::arguments::{Captures, Passed};
use crate::value::array_view::{ArrayView, Contiguity};
use crate::value::descriptor::Descriptor;
use crate::value::lvalue::MemRef;
use ir::op::{BinOp, CmpOp};
use ir::{Reg, Ty, Val};
use sema::checked::{Expr, ProcBody, ProcId, Storage, Type, TypeId, VarId};

impl<'p> Builder<'_, 'p> {
    /// The tag of objects of exactly that type.
    pub(crate) fn tag_of(&self, ty: &Type) -> Val {
        let code = |family: u64, kind: u8| family * 16 + u64::from(kind);
        Val::i64(match ty {
            Type::Integer(k) => code(1, *k),
            Type::Real(k) => code(2, *k),
            Type::Complex(k) => code(3, *k),
            Type::Logical(k) => code(4, *k),
            Type::Character(_) => code(5, 1),
            Type::Derived(id) => self.tags()[id.0 as usize].0,
            Type::Any => 0,
        } as i64)
    }

    pub(crate) fn view_of_value(&mut self, value: &Value, e: &'p Expr) -> ArrayView {
        match value {
            Value::Char(mem, len) => self.dense(*mem, *len, Some(*len), &[]),
            Value::Object(mem) => {
                let element = self.element_bytes(&e.ty, None);
                self.dense(*mem, element, None, &[])
            }
            _ => {
                let mem = self.spill(value, &e.ty);
                let element = self.element_bytes(&e.ty, None);
                self.dense(mem, element, None, &[])
            }
        }
    }

    /// A view that knows the type of its elements: if it has no tag, they are of the declared type.
    pub(crate) fn tagged(&self, view: ArrayView, ty: &Type) -> ArrayView {
        let tag = view.tag.unwrap_or_else(|| self.tag_of(ty));
        ArrayView { tag: Some(tag), ..view }
    }

    /// What a pointer is to point to, with a tag if the pointer is polymorphic.
    pub(crate) fn with_type(&self, d: &Descriptor, view: ArrayView, ty: &Type) -> ArrayView {
        if d.class { self.tagged(view, ty) } else { view }
    }

    /// A view of objects as objects of their declared type, without the tag.
    pub(crate) fn plain_view(&mut self, view: ArrayView, ty: &Type) -> ArrayView {
        match const_bytes(self.program(), ty) {
            // An element of CLASS(*) has no part of a declared type: it is passed whole.
            Some(_) if matches!(ty, Type::Any) => ArrayView { tag: None, ..view },
            Some(bytes) if view.tag.is_some() => ArrayView {
                tag: None,
                element: Val::i64(bytes as i64),
                contiguity: Contiguity::Unknown,
                origin: None,
                ..view
            },
            _ => view,
        }
    }

    pub(crate) fn is_within(&mut self, tag: Val, first: u64, last: u64) -> Val {
        if first == last {
            return self.icmp(CmpOp::Eq, tag, Val::i64(first as i64));
        }
        let low = self.icmp(CmpOp::Ge, tag, Val::i64(first as i64));
        let high = self.icmp(CmpOp::Le, tag, Val::i64(last as i64));
        self.combine(BinOp::And, low, high)
    }

    pub(crate) fn presence_of(&mut self, v: VarId, given: MemRef) -> Val {
        if !self.program().var(v).attrs.optional {
            return Val::pred(true);
        }
        let addr = self.address(given);
        self.icmp(CmpOp::Ne, addr, Val::i64(0))
    }

    /// Calls the procedure that a type-bound name means for the dynamic type of an object.
    pub(crate) fn dispatch(
        &mut self,
        (proc, ty, name, object, nopass): (ProcId, TypeId, &str, u32, bool),
        hidden: &[Val],
        passed: &Passed,
        results: &[Ty],
    ) -> Vec<Val> {
        let program = self.program();
        let params = &program.proc(proc).params;
        let at: usize = params[..object as usize]
            .iter()
            .zip(&passed.keys)
            .filter(|&(&v, key)| *key == ArgKey::Pointer || !matches!(program.var(v).storage, Storage::Procedure))
            .map(|(&v, key)| crate::object::convention::passed_words(program.var(v), *key))
            .sum();
        let targets = self.targets(ty, name);
        let Some(&descriptor) = passed.words.get(at) else { return vec![Val::Imm(0); results.len()] };
        if targets.is_empty() {
            self.unsupported(&format!("type-bound procedure `{name}`, which no given file defines"));
            return vec![Val::Imm(0); results.len()];
        }
        let space = self.local_space();
        let mem = MemRef::at(descriptor, space);
        let rank = program.var(params[object as usize]).shape.rank();
        let tag = self.load_word(mem.plus(ir::descriptor::bytes(u32::from(rank)) as i64));
        let out: Vec<Reg> = results.iter().map(|&ty| self.mutable(ty)).collect();
        let done = self.new_block();
        let last = targets.len() - 1;
        for (i, (first, end, target)) in targets.into_iter().enumerate() {
            let next = self.new_block();
            if i < last {
                let yes = self.new_block();
                let is_this = self.is_within(tag, first, end);
                self.branch(is_this, yes, next);
                self.switch_to(yes);
            }
            let mut words = passed.words.clone();
            let mut keys = passed.keys.clone();
            let dummy = program.proc(target).params.get(object as usize).map(|&v| program.var(v));
            if nopass {
                words.remove(at);
                keys.remove(object as usize);
            } else if dummy.is_some_and(|v| !v.attrs.class) {
                words[at] = self.load_word(mem.plus(ir::descriptor::BASE));
            }
            let mut inner = Passed { words, keys, ..Passed::default() };
            // A procedure whose interface is refused has lost its dummies; its first statement says so.
            if program.proc(target).params.len() != inner.keys.len() {
                inner = Passed::default();
            }
            let values = self.call_plain(target, hidden, &inner, &Captures::default(), results);
            for (&reg, value) in out.iter().zip(values) {
                self.set(reg, value);
            }
            self.jump(done);
            self.switch_to(next);
        }
        self.jump(done);
        self.switch_to(done);
        out.into_iter().map(Val::from).collect()
    }

    /// What a type-bound name means, by ranges of tags.
    fn targets(&self, ty: TypeId, name: &str) -> Vec<(u64, u64, ProcId)> {
        let program = self.program();
        let mut out: Vec<(u64, u64, ProcId)> = Vec::new();
        for id in members(program, self.tags(), Some(ty)) {
            let Some(&proc) = program.ty(id).methods.get(name) else { continue };
            let tag = self.tags()[id.0 as usize].0;
            match out.last_mut() {
                Some((_, last, same)) if *same == proc && *last + 1 == tag => *last = tag,
                _ => out.push((tag, tag, proc)),
            }
        }
        // Of an abstract type there are no objects.
        let defined = |p: ProcId| matches!(program.proc(p).body, ProcBody::Statements(_));
        if out.iter().any(|t| defined(t.2)) {
            out.retain(|t| defined(t.2));
        }
        out
    }
}
