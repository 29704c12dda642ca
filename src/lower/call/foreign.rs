//! Calls of procedures of libraries: the signature by the C convention, and the arguments as the service takes them.
//!
//! What was passed for each dummy, as for a procedure of Fortran, becomes one word: a value, the address of an object that is
//! passed by value, or the address of memory. The lengths of characters follow the arguments of a procedure without `bind(c)`.
//!
//! Not here: how the call is made (`host`, `foreign`).

use crate::analysis::pointers::{element_with_pointers, is_address};
use crate::analysis::variables::const_bounds;
use crate::builder::Builder;
use crate::call::c_descriptor::has_c_descriptor;
use crate::module::ArgKey;
use crate::object::convention::{ResultForm, passed_words, result_form, value_of_registers, word_types};
use crate::types::{Side, ir_ty};
use crate::value::arguments::{CopyBack, Passed};
use crate::value::lvalue::MemRef;
use ir::foreign::{CParam, CScalar, CValue, Signature};
use ir::op::BinOp;
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{ProcBody, ProcId, Program, Shape, Storage, Type, Variable};
use source::Span;
use std::sync::Arc;

/// Members of an object that is passed by value, at most; more go by reference in any program.
const MOST_MEMBERS: usize = 256;

impl Builder<'_, '_> {
    /// Calls a procedure of a library; gives its results in registers, or puts them where `hidden` says.
    pub(super) fn call_foreign(
        &mut self,
        proc: ProcId,
        (symbol, is_c): (&Arc<str>, bool),
        at_address: Option<Val>,
        hidden: &[Val],
        passed: &Passed,
        results: &[Ty],
    ) -> Vec<Val> {
        let mut back = Vec::new();
        let made = match self.side() {
            Side::Host => self.foreign_arguments(proc, is_c, at_address, passed, &mut back),
            Side::Device => Err("in device code".to_owned()),
        };
        let made = made.and_then(|made| Ok((made, foreign_result(self.program(), proc, is_c)?)));
        let ((params, words), result) = match made {
            Ok(made) => made,
            Err(what) => {
                let name = &self.program().proc(proc).name;
                self.unsupported(&format!("library procedure `{name}` {what}"));
                return vec![Val::Imm(0); results.len()];
            }
        };
        let signature = Signature { name: symbol.clone(), is_of_library: false, is_named: false, params, result };
        let first = signature.result_bytes();
        let (_, room) = self.slot((first + 8 * words.len() as u64).max(8), 8, "call", Span::NONE);
        for (i, &(word, ty)) in words.iter().enumerate() {
            self.store_scalar(room.plus((first + 8 * i as u64) as i64), ty, word);
        }
        let (text, length) = self.name_text(&signature.to_string());
        let address = self.address(room);
        let waits = self.rt(Rt::ForeignCall, vec![text, length, address]);
        if let Some(&waits) = waits.first() {
            self.answer_callbacks([text, length, address], waits.into());
        }
        self.after_call(Passed { back, ..Passed::default() });
        if let (Some(&to), Some(result)) = (hidden.first(), &signature.result) {
            self.copy_bytes(MemRef::at(to, self.local_space()), room, Val::i64(result.bytes() as i64));
        }
        let mut values = Vec::new();
        let mut at = 0;
        for &ty in results {
            values.push(self.load_scalar(room.plus(at), ty).into());
            at += ty.bytes() as i64;
        }
        values
    }

    /// The parameters of the signature, and a word for each.
    fn foreign_arguments(
        &mut self,
        proc: ProcId,
        is_c: bool,
        at_address: Option<Val>,
        passed: &Passed,
        back: &mut Vec<CopyBack>,
    ) -> Result<(Vec<CParam>, Vec<(Val, Ty)>), String> {
        let program = self.program();
        let (mut params, mut given, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        let mut words = passed.words.iter().copied();
        if let Some(address) = at_address {
            params.push(CParam::Value(CValue::Scalar(CScalar::Pointer)));
            given.push((address, Ty::I64));
        }
        let skipped = usize::from(matches!(program.proc(proc).body, ProcBody::Pointer));
        for (at, &dummy) in program.proc(proc).params[skipped..].iter().enumerate() {
            let var = program.var(dummy);
            let given_as = passed.keys.get(at).copied();
            // A procedure may be given for a `type(c_funptr)` too.
            let is_procedure = matches!(given_as, Some(ArgKey::Proc(_) | ArgKey::Pointer));
            if is_procedure || matches!(var.storage, Storage::Procedure) {
                let pointer = match given_as {
                    Some(ArgKey::Proc(p)) => Some(self.procedure_number(p)),
                    Some(ArgKey::Pointer) => words.next(),
                    _ => None,
                };
                let entry = match (pointer, given_as) {
                    (Some(pointer), Some(key)) => self.procedure_entry(pointer, key),
                    _ => Val::i64(0),
                };
                params.push(CParam::Value(CValue::Scalar(CScalar::Pointer)));
                given.push((entry, Ty::I64));
                continue;
            }
            let is_by_descriptor = is_c && has_c_descriptor(var);
            let count = match given_as {
                _ if is_by_descriptor && passed.to_c => 1,
                Some(key) => passed_words(var, key),
                None => word_types(var).len(),
            };
            let mine: Vec<Val> = words.by_ref().take(count).collect();
            let (Some(&first), mut param) = (mine.first(), foreign_param(program, var, is_c)?) else { continue };
            if is_by_descriptor && !passed.to_c {
                let (address, taken) = self.describe_words_for_c(var, given_as, &mine)?;
                back.extend(taken);
                params.push(param);
                given.push((address, Ty::I64));
                continue;
            }
            if given_as == Some(ArgKey::Address) {
                match &mut param {
                    CParam::Value(value) => *value = CValue::Scalar(CScalar::Pointer),
                    CParam::Reference { element, .. } => *element = (8, vec![0]),
                    CParam::Descriptor { .. } => {}
                }
            }
            let word = match (&param, &var.ty) {
                (CParam::Reference { .. } | CParam::Descriptor { .. }, _) => (first, Ty::I64),
                (_, Type::Complex(_)) => {
                    let spilt = self.spill(&value_of_registers(&mine), &var.ty);
                    (self.address(spilt), Ty::I64)
                }
                (_, Type::Character(_)) => {
                    let letter = MemRef::at(first, self.local_space());
                    (self.load_scalar(letter, Ty::I8).into(), Ty::I8)
                }
                // C has 1 for true.
                (_, Type::Logical(_)) => {
                    let ty = ir_ty(&var.ty);
                    (self.bin(BinOp::And, ty, first, Val::Imm(1)).into(), ty)
                }
                (_, Type::Derived(_)) => (first, Ty::I64),
                (_, ty) => (first, ir_ty(ty)),
            };
            if !is_c && let (Type::Character(_), Some(&length)) = (&var.ty, mine.get(1)) {
                lengths.push((length, Ty::I64));
            }
            params.push(param);
            given.push(word);
        }
        params.extend(lengths.iter().map(|_| CParam::Value(CValue::Scalar(CScalar::Int(8)))));
        given.extend(lengths);
        Ok((params, given))
    }
}

/// How an argument is passed for a dummy.
pub(super) fn foreign_param(program: &Program, var: &Variable, is_c: bool) -> Result<CParam, String> {
    if is_c && has_c_descriptor(var) && !var.attrs.class {
        let element = if matches!(var.ty, Type::Any) { (0, vec![0]) } else { pointers_of(program, var)? };
        return Ok(CParam::Descriptor { element });
    }
    let is_described = var.attrs.allocatable || var.attrs.pointer || var.attrs.class;
    if is_described || matches!(var.shape, Shape::AssumedShape(_) | Shape::AssumedRank | Shape::Deferred(_)) {
        return Err(format!("with argument `{}`, which goes by a descriptor", var.name));
    }
    if var.attrs.value && matches!(var.shape, Shape::Scalar) {
        let value = foreign_value(program, &var.ty);
        return value.map(CParam::Value).ok_or_else(|| format!("with argument `{}` of this type", var.name));
    }
    // What is behind an address need not be known, but where its pointers are.
    let element = pointers_of(program, var)?;
    Ok(CParam::Reference { reads_only: var.attrs.intent == Some(ast::Intent::In), element, extent: 0 })
}

/// Bytes of an element of a dummy, and the offsets of its addresses.
fn pointers_of(program: &Program, var: &Variable) -> Result<(u64, Vec<u64>), String> {
    element_with_pointers(program, &var.ty)
        .ok_or_else(|| format!("with argument `{}`, which has more addresses than can be translated", var.name))
}

/// How the result is given.
pub(super) fn foreign_result(program: &Program, proc: ProcId, is_c: bool) -> Result<Option<CValue>, String> {
    let callee = program.proc(proc);
    let Some(result) = callee.result.filter(|_| callee.is_function) else { return Ok(None) };
    let var = program.var(result);
    let is_plain = match result_form(program, callee) {
        ResultForm::None | ResultForm::Registers(_) => true,
        ResultForm::Hidden(_) => {
            let is_scalar = matches!(var.shape, Shape::Scalar) && !var.attrs.allocatable && !var.attrs.pointer;
            is_scalar && (is_c || !matches!(var.ty, Type::Character(_)))
        }
    };
    let value = foreign_value(program, &var.ty).filter(|_| is_plain);
    value.map(Some).ok_or_else(|| "with a result of this type".to_owned())
}

/// A value of the type in C; `None` if C has none.
fn foreign_value(program: &Program, ty: &Type) -> Option<CValue> {
    let scalar = |scalar| Some(CValue::Scalar(scalar));
    match ty {
        Type::Integer(k) | Type::Logical(k) => scalar(CScalar::Int(*k)),
        Type::Any => None,
        Type::Real(k) => scalar(CScalar::Real(*k)),
        Type::Character(_) => scalar(CScalar::Int(1)),
        Type::Complex(_) | Type::Derived(_) => {
            let (mut bytes, mut members) = (0, Vec::new());
            add_members(program, ty, 0, &mut members, &mut bytes)?;
            Some(CValue::Object { bytes, members })
        }
    }
}

/// Adds the scalars in an object at `at`.
fn add_members(
    program: &Program,
    ty: &Type,
    at: u64,
    members: &mut Vec<(u64, CScalar)>,
    bytes: &mut u64,
) -> Option<()> {
    let scalar = match ty {
        Type::Derived(id) => {
            let def = program.ty(*id);
            *bytes = (*bytes).max(at + def.bytes);
            if is_address(&def.name) {
                members.push((at, CScalar::Pointer));
                return Some(());
            }
            for field in &def.fields {
                if field.allocatable || field.pointer || field.class {
                    return None;
                }
                let count: u64 = const_bounds(&field.shape)?.iter().map(|&(_, extent)| extent as u64).product();
                let size = crate::types::const_bytes(program, &field.ty)?;
                for i in 0..count {
                    add_members(program, &field.ty, at + field.offset + i * size, members, bytes)?;
                }
            }
            return (members.len() <= MOST_MEMBERS).then_some(());
        }
        Type::Complex(k) => {
            members.extend([(at, CScalar::Real(*k)), (at + u64::from(*k), CScalar::Real(*k))]);
            *bytes = (*bytes).max(at + 2 * u64::from(*k));
            return Some(());
        }
        Type::Integer(k) | Type::Logical(k) => CScalar::Int(*k),
        Type::Any => return None,
        Type::Real(k) => CScalar::Real(*k),
        Type::Character(_) => CScalar::Int(1),
    };
    members.push((at, scalar));
    *bytes = (*bytes).max(at + scalar.bytes());
    (members.len() <= MOST_MEMBERS).then_some(())
}
