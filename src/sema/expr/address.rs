//! Addresses as arguments of procedures of C whose interfaces say `!dir$ ignore_tkr` of a `type(c_ptr)` or `type(c_funptr)` that
//! is passed by value: nvfortran passes the address of whatever object or procedure is given.

use crate::checked::{Expr, ExprKind, Intrinsic, ProcBody, ProcId, Type, Variable, is_designator};
use crate::checker::Checker;
use crate::typing::Typing;

/// Whether a dummy takes any address of C's, of that type.
fn takes_address(typing: &Typing<'_>, dummy: &Variable, name: &str) -> bool {
    let is_address = matches!(dummy.ty, Type::Derived(id) if &*typing.defs.ty(id).name == name);
    is_address && dummy.attrs.value && dummy.attrs.ignore_tkr.contains('t')
}

impl Checker<'_> {
    /// Whether a procedure may be given for a dummy that is an address: only C can do something with it.
    pub(super) fn takes_procedure_address(&mut self, proc: ProcId, dummy: &Variable) -> bool {
        let is_of_c = self.defs.is_missing(proc) || matches!(self.defs.proc(proc).body, ProcBody::Foreign { .. });
        self.defs.proc_info(proc).bind.is_some() && is_of_c && takes_address(&self.typing(), dummy, "c_funptr")
    }
}

impl Typing<'_> {
    /// The address of an object that is given for an address; other arguments stay.
    pub(super) fn as_address(&self, dummy: &Variable, e: Expr) -> Expr {
        let is_object = !matches!(e.ty, Type::Derived(_)) && is_designator(&e);
        if !is_object || !takes_address(self, dummy, "c_ptr") {
            return e;
        }
        let span = e.span;
        let kind = ExprKind::Intrinsic { id: Intrinsic::CLoc, args: vec![Some(e)] };
        Expr { kind, ty: dummy.ty.clone(), rank: 0, span }
    }
}
