//! What C code finds by name: procedures of the program, variables and COMMON blocks.
//!
//! Not here: how C code is given them (`lower`), rules of binding labels (`rules`).

use crate::checked::{Attrs, ProcBody, ProcKind, Shape, SharedVariable, Storage, Type, VarId, Variable};
use crate::checker::{Checker, VarInfo};
use std::sync::Arc;

impl Checker<'_> {
    /// Finds the procedures that C code calls by name, by their binding labels or as Fortran compilers name procedures, and the
    /// variables that it has or uses.
    pub(crate) fn share_with_c(&mut self) {
        let mut named = Vec::new();
        for id in self.defs.proc_ids() {
            let (p, info) = (self.defs.proc(id), self.defs.proc_info(id));
            let is_outer = p.parent.is_none() && self.defs.main != Some(id) && !info.embedded;
            let is_called = matches!(p.kind, ProcKind::Host | ProcKind::HostDevice) && is_outer;
            if !is_called || !matches!(p.body, ProcBody::Statements(_)) {
                continue;
            }
            let name = info.bind.clone().unwrap_or_else(|| format!("{}_", p.qualified.replace('.', "_")).into());
            if self.options.foreign.wants(&name) {
                named.push((name, id));
            }
        }
        let mut shared = Vec::new();
        for (label, name, span) in self.made.bound_variables.clone() {
            let is_this = |id: &VarId| {
                let var = self.defs.var(*id);
                var.span == span && var.name == name && var.owner.is_none()
            };
            let var = (0..self.defs.vars.len() as u32).map(VarId).find(is_this);
            shared.extend(var.and_then(|var| self.shared(label, var)));
        }
        for (name, label) in self.made.bound_commons.clone() {
            let var = self.made.commons.get(&name).copied();
            shared.extend(var.and_then(|var| self.shared(label, var)));
        }
        self.defs.share_with_c(named, shared);
    }

    /// A variable that C code has or uses too; `None` if it does neither.
    fn shared(&mut self, label: Arc<str>, var: VarId) -> Option<SharedVariable> {
        let is_of_c = self.options.foreign.defines(&label);
        if !is_of_c && !self.options.foreign.wants(&label) {
            return None;
        }
        let of = self.defs.var(var);
        let address = Variable {
            name: format!("{label} of C").into(),
            ty: Type::Integer(8),
            shape: Shape::Scalar,
            storage: Storage::Static,
            attrs: Attrs { ignore_tkr: "".into(), ..Attrs::default() },
            init: None,
            owner: None,
            module: of.module.clone(),
            span: of.span,
        };
        let address = self.defs.add_var(address, VarInfo::default());
        Some(SharedVariable { label, var, is_of_c, address })
    }
}
