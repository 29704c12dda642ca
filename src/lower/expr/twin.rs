//! Objects of device code as objects of the host with the same lengths, which are made at run time, and the other way round.

use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::types::is_made;
use crate::value::Value;
use ir::Val;
use sema::checked::{Expr, Type};

impl<'p> FunctionLowering<'_, 'p> {
    /// A copy of an object as one of its twin type.
    pub(crate) fn converted_object(&mut self, e: &'p Expr, to: &'p Type) -> Value {
        let v = self.value(e);
        let from = self.b.as_object(&v);
        if is_made(self.b.program(), &e.ty) {
            let object = self.b.object_view(from, &e.ty);
            let wanted: Vec<Option<Val>> = self.constant_lengths(to).into_iter().map(Some).collect();
            self.at(e.span, |this| this.b.check_lengths(&object, &e.ty, &wanted));
            let bytes = Val::i64(self.b.type_bytes(to));
            let block = self.b.temporary(bytes, 8);
            self.b.copy_flat(block, bytes, &object, &e.ty, false);
            return Value::Object(block);
        }
        let bytes = Val::i64(self.b.type_bytes(&e.ty));
        let from = if self.b.is_remote(from) {
            let local = self.b.temporary(bytes, 8);
            self.b.copy_bytes(local, from, bytes);
            local
        } else {
            from
        };
        let object = self.b.temporary_array(to, None, &[]);
        let lengths = self.constant_lengths(&e.ty);
        self.b.make_view(&object, to, &lengths);
        self.b.copy_flat(from, bytes, &object, to, true);
        Value::Object(object.mem)
    }

    /// The length parameters of a type that has them itself.
    fn constant_lengths(&self, ty: &Type) -> Vec<Val> {
        let Type::Derived(id) = ty else { return Vec::new() };
        let params = self.b.program().ty(*id).params.iter().filter(|p| !p.is_kind);
        params.filter_map(|p| p.value).map(Val::i64).collect()
    }
}
