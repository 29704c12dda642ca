//! Whether two procedures have the same characteristics, as far as compilers check them (Fortran 2018, 15.3).
//!
//! Not here: attributes of CUDA Fortran, character lengths and bounds.

use super::{same_type, type_name};
use crate::checked::{ProcId, Shape, Storage, Type};
use crate::checker::Definitions;

/// What is different about a procedure that should have the interface `wanted`. The dummy at position `passed` is that of the
/// object, whose type may differ. Interfaces that are not fully known do not differ.
pub(crate) fn difference(
    defs: &Definitions<'_>,
    given: ProcId,
    wanted: ProcId,
    passed: Option<usize>,
) -> Option<String> {
    let unknown = |id: ProcId| {
        let info = defs.proc_info(id);
        info.unknown_dummies || info.is_broken || info.refused.is_some() || info.embedded
    };
    if unknown(given) || unknown(wanted) {
        return None;
    }
    let (p, q) = (defs.proc(given), defs.proc(wanted));
    let noun = |is_function: bool| if is_function { "function" } else { "subroutine" };
    if p.is_function != q.is_function {
        return Some(format!("it is a {}, not a {}", noun(p.is_function), noun(q.is_function)));
    }
    if p.params.len() != q.params.len() {
        return Some(format!("the number of its arguments is {}, not {}", p.params.len(), q.params.len()));
    }
    for (at, (&x, &y)) in p.params.iter().zip(&q.params).enumerate() {
        let (x, y) = (defs.var(x), defs.var(y));
        let is_procedure = |v: &crate::checked::Variable| matches!(v.storage, Storage::Procedure);
        let is_free = |v: &crate::checked::Variable| {
            matches!(v.ty, Type::Any) || !v.attrs.ignore_tkr.is_empty() || matches!(v.shape, Shape::AssumedRank)
        };
        if passed == Some(at) || is_procedure(x) || is_procedure(y) || is_free(x) || is_free(y) {
            continue;
        }
        if !same_type(&x.ty, &y.ty) {
            let (x_type, y_type) = (type_name(defs, &x.ty), type_name(defs, &y.ty));
            return Some(format!("its argument `{}` is `{x_type}`, not `{y_type}`", x.name));
        }
        if x.shape.rank() != y.shape.rank() {
            return Some(format!("its argument `{}` has rank {}, not {}", x.name, x.shape.rank(), y.shape.rank()));
        }
        if let (Some(a), Some(b)) = (x.attrs.intent, y.attrs.intent)
            && a != b
        {
            return Some(format!("its argument `{}` has another intent", x.name));
        }
        if x.attrs.optional != y.attrs.optional {
            return Some(format!("its argument `{}` is optional in one of the two only", x.name));
        }
    }
    let (Some(x), Some(y)) = (p.result, q.result) else { return None };
    let (x, y) = (defs.var(x), defs.var(y));
    if !same_type(&x.ty, &y.ty) && !matches!((&x.ty, &y.ty), (Type::Any, _) | (_, Type::Any)) {
        return Some(format!("its result is `{}`, not `{}`", type_name(defs, &x.ty), type_name(defs, &y.ty)));
    }
    (x.shape.rank() != y.shape.rank())
        .then(|| format!("its result has rank {}, not {}", x.shape.rank(), y.shape.rank()))
}
