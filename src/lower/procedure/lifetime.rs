//! The beginning and the end of variables that own something.
//!
//! Not here: which BLOCK holds a variable (`storage::blocks`).

use crate::function::FunctionLowering;
use crate::module::globals::sequence_bytes;
use crate::procedure::flat_owner::has_flat_end;
use crate::storage::VarStorage;
use crate::types::{const_bytes, has_default, has_end, is_made};
use ir::Val;
use sema::checked::VarId;

impl FunctionLowering<'_, '_> {
    /// Frees what a local variable holds when its procedure or BLOCK is left.
    pub(crate) fn free_variable(&mut self, v: VarId) {
        let var = self.b.program().var(v);
        let location = self.b.data_location(var.attrs.cuda);
        self.end_flat_variable(v);
        match self.storage.get(v).cloned() {
            Some(VarStorage::Described(d)) if var.attrs.allocatable => {
                self.b.free_data(&d, &var.ty, location);
                self.b.desc_clear(&d);
            }
            Some(VarStorage::Array(view)) => self.b.free_components_of_view(&view, &var.ty),
            Some(VarStorage::Scalar(mem, _)) => self.b.free_components(mem, &var.ty),
            _ => {}
        }
    }

    /// Gives the members of a storage sequence of a procedure of the host, so many bytes long, the values that their types say.
    pub(crate) fn initialise_sequence(&mut self, v: VarId, bytes: u64) {
        let Some(image) = sequence_bytes(self.b.program(), v, bytes).filter(|_| self.b.is_host()) else { return };
        if let Some(VarStorage::Array(view)) = self.storage.get(v).cloned() {
            let from = self.b.constant_memory(&image, 8);
            self.b.copy_bytes(view.mem, from, Val::i64(bytes as i64));
        }
    }

    /// Whether what comes to life here ends with its procedure or BLOCK. The main program frees nothing at its end, but its BLOCKs do.
    pub(crate) fn frees_variables(&self) -> bool {
        self.blocks.frees_procedure() || self.blocks.depth() > 1
    }

    /// Initialises a variable in memory by default, where its type says so.
    pub(crate) fn initialise_variable(&mut self, v: VarId) {
        let var = self.b.program().var(v);
        let is_made = is_made(self.b.program(), &var.ty);
        if !has_default(self.b.program(), &var.ty) && !has_end(self.b.program(), &var.ty) && !is_made {
            return;
        }
        if var.attrs.is_flat {
            return self.initialise_flat_variable(v);
        }
        match self.storage.get(v).cloned() {
            Some(VarStorage::Array(_) | VarStorage::Scalar(..)) if is_made => self.make_variable(v),
            Some(VarStorage::Array(view)) => self.b.initialise_view(&view, &var.ty),
            Some(VarStorage::Scalar(mem, _)) => {
                let bytes = const_bytes(self.b.program(), &var.ty).unwrap_or(0);
                let view = self.b.dense(mem, Val::i64(bytes as i64), None, &[]);
                self.b.initialise_view(&view, &var.ty);
            }
            _ => return,
        }
        if has_end(self.b.program(), &var.ty) {
            self.frees_at_end(v);
        }
    }

    /// What a local variable holds is freed when its procedure or BLOCK is left.
    fn frees_at_end(&mut self, v: VarId) {
        if self.frees_variables() && matches!(self.b.program().var(v).storage, sema::checked::Storage::Local) {
            self.blocks.add_variable(v);
        }
    }

    fn initialise_flat_variable(&mut self, v: VarId) {
        let var = self.b.program().var(v);
        let view = match self.storage.get(v).cloned() {
            Some(VarStorage::Array(view)) => view,
            Some(VarStorage::Scalar(mem, _)) => {
                let element = self.bytes_of_variable(v, None);
                self.b.dense(mem, element, None, &[])
            }
            _ => return,
        };
        let lengths: Vec<Val> = self.flat_variable_lengths(v).into_iter().flatten().collect();
        self.initialise_flat(&view, &var.ty, &lengths);
        if has_flat_end(self.b.program(), &var.ty) {
            self.frees_at_end(v);
        }
    }
}
