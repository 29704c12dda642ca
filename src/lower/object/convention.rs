//! The calling convention: the registers of an argument, how a function gives its result.
//!
//! Not here: making calls (`call`).

use crate::module::ArgKey;
use crate::types::ir_ty;
use crate::value::Value;
use ir::{Ty, Val};
use sema::checked::{CharLen, Procedure, Program, Shape, Storage, Type, Variable};

/// How a function gives its result.
pub(crate) enum ResultForm {
    /// A subroutine.
    None,
    /// In registers.
    Registers(Vec<Ty>),
    /// Through the address that is the first parameter; a length follows if the flag says so.
    Hidden(bool),
}

/// How `proc` gives its result.
pub(crate) fn result_form(program: &Program, proc: &Procedure) -> ResultForm {
    let Some(result) = proc.result.filter(|_| proc.is_function) else { return ResultForm::None };
    let var = program.var(result);
    if var.attrs.allocatable || var.attrs.pointer {
        return ResultForm::Hidden(false);
    }
    match (&var.shape, &var.ty) {
        (_, Type::Character(_)) => ResultForm::Hidden(true),
        (Shape::Scalar, Type::Complex(_)) => ResultForm::Registers(vec![ir_ty(&var.ty); 2]),
        (Shape::Scalar, Type::Integer(_) | Type::Real(_) | Type::Logical(_)) => {
            ResultForm::Registers(vec![ir_ty(&var.ty)])
        }
        _ => ResultForm::Hidden(false),
    }
}

/// The value that registers hold.
pub(crate) fn value_of_registers(results: &[Val]) -> Value {
    match results {
        [re, im] => Value::Complex(*re, *im),
        [v, ..] => Value::Scalar(*v),
        [] => Value::Scalar(Val::Imm(0)),
    }
}

/// The register types of what is passed for a dummy of a service.
pub(crate) fn word_types(dummy: &Variable) -> Vec<Ty> {
    let described = dummy.attrs.allocatable || dummy.attrs.pointer || dummy.attrs.class;
    if described || matches!(dummy.storage, Storage::Procedure) {
        return vec![Ty::I64; 1 + usize::from(has_lengths_word(dummy))];
    }
    let mut types = plain_word_types(dummy);
    types.extend(vec![Ty::I64; assumed_lengths(dummy)]);
    types
}

fn plain_word_types(dummy: &Variable) -> Vec<Ty> {
    match &dummy.shape {
        Shape::Scalar if dummy.attrs.value => match &dummy.ty {
            Type::Complex(_) => vec![ir_ty(&dummy.ty); 2],
            Type::Character(_) => vec![Ty::I64; 2],
            ty => vec![ir_ty(ty)],
        },
        Shape::AssumedRank => vec![Ty::I64; 2],
        shape => {
            let words = match shape {
                Shape::AssumedShape(lower) => 1 + 2 * lower.len(),
                _ => 1,
            };
            let length = matches!(dummy.ty, Type::Character(CharLen::Assumed | CharLen::Const(_) | CharLen::Expr(_)));
            vec![Ty::I64; words + usize::from(length || has_element_word(dummy))]
        }
    }
}

/// Whether the bytes of an element follow the shape: those of a `type(*)` array are the argument's.
pub(crate) fn has_element_word(dummy: &Variable) -> bool {
    matches!((&dummy.ty, &dummy.shape), (Type::Any, Shape::AssumedShape(_)))
}

/// Whether the address of length parameters follows the descriptor: an allocatable or pointer has those of the argument's
/// declaration, which may have no object that says them.
pub(crate) fn has_lengths_word(dummy: &Variable) -> bool {
    let attrs = &dummy.attrs;
    let is_passed = |n: &CharLen| matches!(n, CharLen::Assumed) || (attrs.is_flat && matches!(n, CharLen::Deferred));
    (attrs.allocatable || attrs.pointer) && attrs.lengths.iter().any(is_passed)
}

/// How many length parameters of a flat dummy follow its other words: those that it declares with `*`.
pub(crate) fn assumed_lengths(dummy: &Variable) -> usize {
    let attrs = &dummy.attrs;
    if !attrs.is_flat || attrs.allocatable || attrs.pointer {
        return 0;
    }
    attrs.lengths.iter().filter(|n| matches!(n, CharLen::Assumed)).count()
}

/// How many words are passed for a dummy of a procedure that is made for arguments of that kind.
pub(crate) fn passed_words(dummy: &Variable, key: ArgKey) -> usize {
    let is_described = dummy.attrs.class || dummy.attrs.allocatable || dummy.attrs.pointer;
    match key {
        ArgKey::Rank { .. } if is_described => 1 + usize::from(has_lengths_word(dummy)),
        ArgKey::Rank { rank, .. } => {
            let last = matches!(dummy.ty, Type::Character(_) | Type::Any);
            1 + 2 * usize::from(rank) + usize::from(last)
        }
        _ => word_types(dummy).len(),
    }
}
