//! Source types and shapes for the debugger and the findings.
//!
//! Not here: where variables of a function are (`debug`).

use crate::analysis::variables::const_bounds;
use crate::module::ModuleLowering;
use crate::types::const_bytes;
use ir::{
    AddrBase, DebugField, DebugType, DebugTypeId, DebugTypeKind, DebugVar, GlobalId, Val, VarLengths, VarLoc, VarShape,
};
use sema::checked::{CharLen, Storage, Type, VarId};

/// Name of a type as Fortran says it.
pub(crate) fn type_name(program: &sema::checked::Program, ty: &Type) -> String {
    match ty {
        Type::Integer(k) => format!("integer({k})"),
        Type::Real(k) => format!("real({k})"),
        Type::Complex(k) => format!("complex({k})"),
        Type::Logical(k) => format!("logical({k})"),
        Type::Character(CharLen::Const(n)) => format!("character({n})"),
        Type::Character(CharLen::Deferred) => "character(:)".to_owned(),
        Type::Character(_) => "character(*)".to_owned(),
        Type::Derived(id) => format!("type({})", program.ty(*id).name),
        Type::Any => "type(*)".to_owned(),
    }
}

/// Column-major constant dimensions with their strides.
pub(crate) fn const_shape(bounds: &[(i64, i64)], element_bytes: u64) -> VarShape {
    if bounds.is_empty() {
        return VarShape::Scalar;
    }
    let mut stride = element_bytes as i64;
    let dims = bounds.iter().map(|&(lower, extent)| {
        let dim = (Val::i64(lower), Some(Val::i64(extent)), Val::i64(stride));
        stride = stride.wrapping_mul(extent);
        dim
    });
    VarShape::Array(dims.collect())
}

impl ModuleLowering<'_> {
    /// The debugger's type for `ty`; `len` is the length of a character where the frame has it.
    pub(crate) fn debug_type(&mut self, ty: &Type, len: Option<Val>) -> DebugTypeId {
        let program = self.program();
        let name = type_name(program, ty);
        let key = match (ty, len) {
            (Type::Derived(id), _) => format!("{name} {}", id.0),
            (Type::Character(CharLen::Const(_)), _) => name.clone(),
            (Type::Character(_), Some(Val::Reg(_))) => format!("{name} {}", self.module.types.len()),
            (Type::Character(_), Some(Val::Imm(n))) => format!("{name} = {n}"),
            _ => name.clone(),
        };
        if let Some(&id) = self.debug_types.get(&key) {
            return id;
        }
        let id = DebugTypeId(self.module.types.len() as u32);
        self.debug_types.insert(key, id);
        let kind = match ty {
            Type::Integer(_) | Type::Any => DebugTypeKind::Integer,
            Type::Real(_) => DebugTypeKind::Real,
            Type::Complex(_) => DebugTypeKind::Complex,
            Type::Logical(_) => DebugTypeKind::Logical,
            Type::Character(CharLen::Const(n)) => DebugTypeKind::Character(Some(Val::i64((*n).max(0)))),
            Type::Character(_) => DebugTypeKind::Character(len),
            Type::Derived(_) => DebugTypeKind::Derived(Vec::new()),
        };
        let bytes = const_bytes(program, ty).unwrap_or(0);
        self.module.types.push(DebugType { name: name.into(), bytes, kind });
        // The type has its number before its components are made, because a component may point back to it.
        // Where components of flat objects are is not known here.
        if let Type::Derived(derived) = ty
            && !program.ty(*derived).is_flat
        {
            let fields = program.ty(*derived).fields.iter();
            let fields = fields
                .map(|f| DebugField {
                    name: f.name.clone(),
                    ty: self.debug_type(&f.ty, None),
                    offset: f.offset,
                    bounds: const_bounds(&f.shape).unwrap_or_default(),
                    described: (f.allocatable || f.pointer).then(|| u32::from(f.shape.rank())),
                })
                .collect();
            self.module.types[id.index()].kind = DebugTypeKind::Derived(fields);
        }
        id
    }

    /// The length parameters of a flat variable that are constant, if all are.
    fn constant_lengths(&self, id: VarId) -> Vec<Val> {
        let attrs = &self.program().var(id).attrs;
        let constant = |n: &CharLen| if let CharLen::Const(n) = n { Some(Val::i64(*n)) } else { None };
        attrs.lengths.iter().map(constant).collect::<Option<_>>().filter(|_| attrs.is_flat).unwrap_or_default()
    }

    /// The debugger's view of a static variable.
    pub(crate) fn global_debug_var(&mut self, id: VarId, global: GlobalId, described: bool) -> DebugVar {
        let program = self.program();
        let var = program.var(id);
        let base = AddrBase::Global(global);
        let element = const_bytes(program, &var.ty).unwrap_or(0);
        DebugVar {
            name: var.name.clone(),
            ty: self.debug_type(&var.ty, None),
            shape: if described {
                VarShape::Described(u32::from(var.shape.rank()))
            } else {
                const_shape(&const_bounds(&var.shape).unwrap_or_default(), element)
            },
            loc: if described { VarLoc::Descriptor(base) } else { VarLoc::Memory(base) },
            // An allocatable or a pointer gets them with the global that they are in.
            lengths: VarLengths::Values(self.constant_lengths(id)),
            source_id: id.0,
            is_dummy: matches!(var.storage, Storage::Dummy(_)),
            inlined: ir::InlineId::NONE,
            span: var.span,
        }
    }
}
