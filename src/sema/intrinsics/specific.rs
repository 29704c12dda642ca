//! Intrinsic functions as procedures: as actual arguments and as targets of procedure pointers (Fortran 2018, 16.8).
//!
//! Such a function is made when it is first needed: a procedure whose one statement refers to the intrinsic.

use super::{Reference, lookup};
use crate::SemaOptions;
use crate::checked::{
    Attrs, CharLen, Class, Expr, ExprKind, ProcBody, ProcId, Shape, Stmt, StmtKind, Storage, Type, VarId, Variable,
};
use crate::checker::{Checker, VarInfo};
use ast::{Intent, Name};

/// The types of the arguments of a specific name; names that are generic only stand for default reals.
fn arguments(name: &str, options: &SemaOptions) -> Option<Vec<Type>> {
    let (real, double, integer) = (Type::Real(options.real_kind()), Type::Real(8), options.integer());
    let (complex, double_complex) = (Type::Complex(options.real_kind()), Type::Complex(8));
    Some(match name {
        "abs" | "acos" | "aint" | "alog" | "alog10" | "anint" | "asin" | "atan" | "cos" | "cosh" | "exp" | "log"
        | "log10" | "nint" | "sin" | "sinh" | "sqrt" | "tan" | "tanh" | "erf" | "erfc" | "gamma" | "acosh"
        | "asinh" | "atanh" | "algama" => vec![real],
        "dabs" | "dacos" | "dasin" | "datan" | "dcos" | "dcosh" | "dexp" | "dint" | "dlog" | "dlog10" | "dnint"
        | "dsin" | "dsinh" | "dsqrt" | "dtan" | "dtanh" | "idnint" | "dacosh" | "dasinh" | "datanh" | "derf"
        | "derfc" | "dgamma" | "dlgama" => vec![double],
        "atan2" | "amod" | "dim" | "sign" | "dprod" => vec![real.clone(), real],
        "datan2" | "dmod" | "ddim" | "dsign" => vec![double.clone(), double],
        "iabs" => vec![integer],
        "idim" | "isign" | "mod" => vec![integer.clone(), integer],
        "aimag" | "cabs" | "ccos" | "cexp" | "clog" | "conjg" | "csin" | "csqrt" => vec![complex],
        "dimag" | "cdabs" | "cdcos" | "cdexp" | "cdlog" | "dconjg" | "cdsin" | "cdsqrt" | "zabs" | "zcos" | "zexp"
        | "zlog" | "zsin" | "zsqrt" => vec![double_complex],
        "len" => vec![Type::Character(CharLen::Assumed)],
        "index" => vec![Type::Character(CharLen::Assumed); 2],
        _ => return None,
    })
}

impl Checker<'_> {
    /// The procedure that an intrinsic function's name stands for where a procedure is needed.
    pub(crate) fn intrinsic_procedure(&mut self, name: &Name) -> Option<ProcId> {
        let refused = format!("intrinsic procedure `{}` as an argument or target", name.as_str());
        if let Some(&made) = self.made.intrinsics.get(&name.text) {
            return Some(made);
        }
        let (Some(types), Some(found), false) =
            (arguments(name.as_str(), self.options), lookup(name.as_str()), self.cx.debugger)
        else {
            return self.reporter.refuse(name.span, refused);
        };
        let id = self.external(&name.text, None, name.span);
        let variable = |c: &mut Self, text: &str, ty: Type, storage: Storage| -> VarId {
            let intent = matches!(storage, Storage::Dummy(_)).then_some(Intent::In);
            let attrs = Attrs { intent, ignore_tkr: "".into(), ..Attrs::default() };
            let var = Variable {
                name: text.into(),
                ty,
                shape: Shape::Scalar,
                storage,
                attrs,
                init: None,
                owner: Some(id),
                module: None,
                span: name.span,
            };
            c.defs.add_var(var, VarInfo::default())
        };
        let scalar = |v: VarId, ty: Type| Expr { kind: ExprKind::Var(v), ty, rank: 0, span: name.span };
        let mut args = Vec::new();
        for (i, ty) in types.into_iter().enumerate() {
            let v = variable(self, ["a", "b"][i], ty.clone(), Storage::Dummy(i as u32));
            self.defs.proc_mut(id).params.push(v);
            args.push(Some(scalar(v, ty)));
        }
        args.resize(found.id.dummies().len(), None);
        let reference = Reference { id: found.id, args, span: name.span };
        let value = match found.id.class() {
            Class::Elemental => self.elemental(reference),
            Class::Inquiry => self.inquiry(reference),
            _ => return self.reporter.refuse(name.span, refused),
        }?;
        let result = variable(self, name.as_str(), value.ty.clone(), Storage::Result);
        let target = scalar(result, value.ty.clone());
        let stmt = Stmt { label: None, kind: StmtKind::Assign { target, value }, span: name.span };
        let p = self.defs.proc_mut(id);
        (p.is_function, p.pure, p.result, p.body) = (true, true, Some(result), ProcBody::Statements(vec![stmt]));
        self.defs.proc_info_mut(id).unknown_dummies = false;
        self.defs.proc_info_mut(id).is_interface = false;
        self.made.intrinsics.insert(name.text.clone(), id);
        Some(id)
    }
}
