//! Variables of a procedure with ENTRY statements that an entry does not reach: the dummies of the others, and what has its
//! bounds or length from them. A program does not refer to them (Fortran 2018, 15.6.2.6).

use crate::analysis::variables::{has_open_length, has_register, is_descriptor};
use crate::function::FunctionLowering;
use crate::procedure::entry::descriptor_registers;
use crate::storage::VarStorage;
use crate::value::array_view::{ArrayDim, ArrayView, Contiguity};
use crate::value::descriptor::DescriptorAt;
use crate::value::lvalue::MemRef;
use ir::{Space, Val};
use sema::checked::{ALTERNATE, ExprKind, Procedure, Program, Shape, Storage, Type, VarId, Variable, visit};
use std::collections::BTreeSet;

/// The variables of `home` that `entry`, which may be `home` itself, does not reach.
pub(super) fn out_of_reach(program: &Program, home: &Procedure, entry: &Procedure) -> BTreeSet<VarId> {
    let is_dummy = |v: VarId| matches!(program.var(v).storage, Storage::Dummy(_));
    let elsewhere = home.vars.iter().copied().filter(|v| is_dummy(*v) && !entry.params.contains(v));
    let mut out: BTreeSet<VarId> = elsewhere.collect();
    while !out.is_empty() {
        let needs = |v: &VarId| !out.contains(v) && declared_by(program.var(*v), &out);
        let more: Vec<VarId> = home.vars.iter().copied().filter(needs).collect();
        if more.is_empty() {
            break;
        }
        out.extend(more);
    }
    out
}

/// Whether bounds or length of a variable refer to one of these.
pub(crate) fn declared_by(var: &Variable, of: &BTreeSet<VarId>) -> bool {
    let mut found = false;
    for e in visit::declared_exprs(var) {
        visit::all(e, &mut |e| found |= matches!(&e.kind, ExprKind::Var(v) if of.contains(v)));
    }
    found
}

impl FunctionLowering<'_, '_> {
    /// Gives a variable that is not reached a storage without an address.
    pub(super) fn bind_to_nothing(&mut self, v: VarId) {
        let program = self.b.program();
        let var = program.var(v);
        let nowhere = MemRef::at(Val::i64(0), Space::Host);
        let rank = var.shape.rank();
        let len = matches!(var.ty, Type::Character(_)).then_some(Val::i64(0));
        let storage = if is_descriptor(program, v) {
            let regs = descriptor_registers(&mut self.b, rank, has_open_length(&var.ty));
            for &reg in regs.dims.iter().flatten().chain(&regs.len).chain([&regs.base]) {
                self.b.set(reg, Val::i64(0));
            }
            VarStorage::Described(self.desc(v, DescriptorAt::Regs(regs)))
        } else if rank > 0 {
            let element = if var.attrs.is_flat { Val::i64(0) } else { self.b.element_bytes(&var.ty, len) };
            let dim = || ArrayDim { lower: Val::i64(1), extent: Val::i64(0), stride: element, gather: None };
            let dims = (0..rank).map(|_| dim()).collect();
            let (contiguity, assumed_size) = (Contiguity::Yes, matches!(var.shape, Shape::AssumedSize(..)));
            VarStorage::Array(ArrayView {
                mem: nowhere,
                origin: None,
                dims,
                element,
                len,
                tag: None,
                contiguity,
                assumed_size,
            })
        } else if has_register(&var.ty) && (var.attrs.value || &*var.name == ALTERNATE) {
            return self.scalar_local(v);
        } else {
            VarStorage::Scalar(nowhere, len)
        };
        self.storage.set(v, storage);
    }
}
