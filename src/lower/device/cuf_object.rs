//! Objects of the host in CUF kernels: each launch passes a copy.
//!
//! A polymorphic object is passed with the type that it has, and a pointer or allocatable object only if it is there: the body may ask, or
//! know otherwise. The kernel makes a descriptor of its copy.

use super::cuf_kernel::{Params, alias, may_be_unset};
use crate::analysis::designators::{designator_name, field_of};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::storage::VarStorage;
use crate::types::{align, const_bytes};
use crate::value::descriptor::{Descriptor, DescriptorAt};
use crate::value::lvalue::MemRef;
use ir::op::CmpOp;
use ir::{FunctionBuilder, Reg, Space, Ty, Val, descriptor};
use sema::checked::{CharLen, CufKernel, Expr, ExprKind, Intrinsic, Program, Stmt, Storage, Type, VarId, visit};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of the largest object that is thought of where its type is not known: kernels have no larger arguments.
const LARGEST: u64 = 4096;

/// Characters of the longest text whose length is not known.
const LONGEST: u64 = 1024;

/// An object that a kernel has a copy and a descriptor of.
pub(super) struct PassedObject {
    var: VarId,
    /// What the kernel knows of it: whether it is there, its bytes, the tag of its type.
    is_set: Val,
    element: Val,
    tag: Option<Val>,
    own: Val,
    contiguous: bool,
    /// Whether the body asks of it what a descriptor says.
    is_asked: bool,
}

/// What the host knows of an object that a kernel gets: where it is, if anywhere, its bytes, and the tag of its type.
pub(super) struct HostObject {
    mem: MemRef,
    is_set: Val,
    element: Val,
    tag: Option<Val>,
    contiguous: bool,
}

impl<'p> FunctionLowering<'_, 'p> {
    /// The object that the host has a descriptor of.
    pub(super) fn described_object(&mut self, d: &Descriptor) -> HostObject {
        let view = self.b.desc_view(d);
        let base = self.b.address(view.mem);
        let is_set = self.b.icmp(CmpOp::Ne, base, Val::i64(0));
        HostObject { mem: view.mem, is_set, element: view.element, tag: view.tag, contiguous: d.contiguous }
    }

    /// A text that may be absent, or whose length is known at run time only.
    pub(super) fn passed_text(&mut self, v: VarId, mem: MemRef, len: Option<Val>) -> HostObject {
        let program = self.b.program();
        let element = len.unwrap_or_else(|| Val::i64(const_bytes(program, &program.var(v).ty).unwrap_or(0) as i64));
        HostObject { mem, is_set: self.presence_of_data(v), element, tag: None, contiguous: true }
    }

    /// Passes an object; `None` if its size is not known.
    pub(super) fn pass_object(
        &mut self,
        v: VarId,
        object: HostObject,
        body: &[Stmt],
        (b, params): (&mut FunctionBuilder, &mut Params),
    ) -> Option<PassedObject> {
        let program = self.b.program();
        let var = program.var(v);
        let is_asked = var.attrs.class || matches!(var.ty, Type::Any) || asks_whether_there(v, body);
        let types = self.types_that_may_be(&var.ty, var.attrs.class);
        let is_text = is_text_of_any_length(&var.ty);
        let is_open = var.attrs.class || matches!(var.ty, Type::Any) || is_text;
        let sizes = types.iter().filter_map(|ty| if is_text { Some(LONGEST) } else { const_bytes(program, ty) });
        let bytes = sizes.filter(|&n| !is_open || n <= LARGEST).max()?;
        let most_aligned = types.iter().map(|ty| align(program, ty)).max()?.max(8);
        let HostObject { mem, is_set, element, tag, contiguous } = object;
        let base = self.b.address(mem);
        // Where there is no object, or a smaller one than others that could be there, the copy has a rest that is not set.
        let (_, copy) = self.b.slot(bytes, most_aligned, "temporary", Span::NONE);
        let copy_at = self.b.address(copy);
        if is_open {
            self.when(is_set, |this| {
                let is_larger = this.b.icmp(CmpOp::Gt, element, Val::i64(bytes as i64));
                this.when(is_larger, |this| {
                    let most = if is_text { LONGEST } else { LARGEST };
                    this.b.unsupported(&format!("an object of more than {most} bytes in `!$cuf kernel do`"));
                });
                this.b.copy_bytes(copy, mem, element);
            });
            params.args.push(copy_at);
        } else {
            params.args.push(self.b.select(Ty::I64, is_set, base, copy_at).into());
        }
        let own = b.bytes_param(bytes, most_aligned, var.name.clone()).into();
        let is_set = self.b.select(Ty::I64, is_set, Val::i64(1), Val::i64(0)).into();
        Some(PassedObject {
            var: v,
            is_set: params.pass(b, is_set, Ty::I64, &format!("{}.set", var.name)),
            element: params.pass(b, element, Ty::I64, &format!("{}.element", var.name)),
            tag: tag.map(|tag| params.pass(b, tag, Ty::I64, &format!("{}.type", var.name))),
            own,
            contiguous,
            is_asked,
        })
    }

    /// The types that an object can have, as far as their sizes are known.
    fn types_that_may_be(&self, ty: &'p Type, is_class: bool) -> Vec<Type> {
        let program = self.b.program();
        let all = (0..program.types.len()).map(|i| Type::Derived(sema::checked::TypeId(i as u32)));
        match ty {
            Type::Any => all.chain([Type::Complex(8)]).collect(),
            Type::Derived(id) if is_class => {
                let tags = self.b.tags();
                let (first, last) = tags[id.0 as usize];
                all.zip(tags).filter(|(_, tag)| (first..=last).contains(&tag.0)).map(|(ty, _)| ty).collect()
            }
            _ => vec![ty.clone()],
        }
    }

    /// Makes the descriptor of the kernel's copy.
    pub(super) fn describe_object(&mut self, object: &PassedObject) {
        let var = self.b.program().var(object.var);
        let class = object.tag.is_some();
        if !object.is_asked {
            let is_set = self.b.icmp(CmpOp::Ne, object.is_set, Val::i64(0));
            let base = self.b.select(Ty::I64, is_set, object.own, Val::i64(0)).into();
            let len = is_text_of_any_length(&var.ty).then_some(object.element);
            self.storage.set(object.var, VarStorage::Scalar(MemRef::at(base, Space::Local), len));
            return;
        }
        let bytes = descriptor::bytes(0) + if class { 8 } else { 0 };
        let (_, mem) = self.b.slot(bytes, 8, "temporary", Span::NONE);
        self.b.desc_begin(mem, 0);
        let is_set = self.b.icmp(CmpOp::Ne, object.is_set, Val::i64(0));
        let base = self.b.select(Ty::I64, is_set, object.own, Val::i64(0)).into();
        self.b.store_scalar(mem.plus(descriptor::BASE), Ty::I64, base);
        self.b.store_scalar(mem.plus(descriptor::ELEMENT_BYTES), Ty::I64, object.element);
        if let Some(tag) = object.tag {
            self.b.store_scalar(mem.plus(descriptor::bytes(0) as i64), Ty::I64, tag);
        }
        let of = (&var.ty, class);
        let d = self.b.desc_of(of, 0, DescriptorAt::Mem(mem), Space::Local, object.contiguous, None);
        self.storage.set(object.var, VarStorage::Described(d));
    }
}

/// An object that a component of an object of the host points to or holds, as a kernel gets it.
pub(super) struct PointedObject<'p> {
    what: &'p Expr,
    /// Whether there is one, not 0, and the kernel's copy of it.
    is_set: Val,
    own: Val,
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Passes the objects that pointer and allocatable components of the objects in `passed` lead to.
    pub(super) fn pass_pointed_objects(
        &mut self,
        body: &'p [Stmt],
        passed: &BTreeSet<VarId>,
        (b, params): (&mut FunctionBuilder, &mut Params),
    ) -> Vec<PointedObject<'p>> {
        let program = self.b.program();
        let mut found = Vec::new();
        let mut bases: BTreeMap<Path, Reg> = BTreeMap::new();
        for (path, what) in pointed_objects(program, body, passed) {
            let (Some(bytes), unit) = (const_bytes(program, &what.ty), align(program, &what.ty).max(8)) else {
                continue;
            };
            let base = self.b.mutable(Ty::I64);
            self.b.set(base, Val::i64(0));
            let around = (0..path.1.len()).rev().find_map(|n| bases.get(&(path.0, path.1[..n].to_vec())).copied());
            let is_reached = match around {
                Some(base) => self.b.icmp(CmpOp::Ne, base.into(), Val::i64(0)),
                None if may_be_unset(program.var(path.0)) => self.presence_of_data(path.0),
                None => Val::pred(true),
            };
            self.when(is_reached, |this| {
                if let Some(d) = this.descriptor(what) {
                    let data = this.b.desc_base(&d);
                    this.b.set(base, data);
                }
            });
            let is_set = self.b.icmp(CmpOp::Ne, base.into(), Val::i64(0));
            let (_, nothing) = self.b.slot(bytes, unit, "temporary", Span::NONE);
            let nothing = self.b.address(nothing);
            params.args.push(self.b.select(Ty::I64, is_set, base, nothing).into());
            let name = designator_name(program, what);
            let own = b.bytes_param(bytes, unit, &*name).into();
            let word = self.b.select(Ty::I64, is_set, Val::i64(1), Val::i64(0)).into();
            let is_set = params.pass(b, word, Ty::I64, &format!("{name}.set"));
            bases.insert(path, base);
            found.push(PointedObject { what, is_set, own });
        }
        found
    }

    /// Lets the components of the kernel's copies of objects lead to its copies of what is behind them.
    pub(super) fn place_pointed_objects(&mut self, objects: &[PointedObject<'p>]) {
        for object in objects {
            if let Some(name) = root_name(self.b.program(), object.what) {
                self.associate_name(name);
            }
            let is_set = self.b.icmp(CmpOp::Ne, object.is_set, Val::i64(0));
            self.when(is_set, |this| {
                if let Some(Descriptor { at: DescriptorAt::Mem(mem), .. }) = this.descriptor(object.what)
                    && mem.space != Space::Global
                {
                    this.b.store_scalar(mem.plus(descriptor::BASE), Ty::I64, object.own);
                }
            });
        }
    }
}

/// A variable of the host and the components that lead on from it.
type Path = (VarId, Vec<u32>);

/// The scalars that pointer and allocatable components lead to in a body, those around others first.
fn pointed_objects<'p>(program: &'p Program, body: &'p [Stmt], passed: &BTreeSet<VarId>) -> Vec<(Path, &'p Expr)> {
    let mut found: BTreeMap<Path, &'p Expr> = BTreeMap::new();
    let mut names = BTreeSet::new();
    let mut look = |e: &'p Expr, names: &mut BTreeSet<VarId>| {
        visit::all(e, &mut |e| {
            names.extend(alias(program, e));
            let ExprKind::Field { base, field } = &e.kind else { return };
            let Some(f) = field_of(program, base, *field) else { return };
            let is_host = matches!(f.cuda, None | Some(ast::CudaAttr::Pinned));
            if !(f.pointer || f.is_allocatable()) || f.class || f.shape.rank() > 0 || !is_host {
                return;
            }
            if let Some(path) = path_of(program, e).filter(|path| passed.contains(&path.0)) {
                found.entry(path).or_insert(e);
            }
        });
    };
    visit::evaluated(program, body, &mut |e| look(e, &mut names));
    // What names around the loop stand for.
    let mut seen = BTreeSet::new();
    while let Some(name) = names.iter().copied().find(|name| !seen.contains(name)) {
        seen.insert(name);
        if let Storage::Alias(of) = &program.var(name).storage {
            look(of, &mut names);
        }
    }
    let mut list: Vec<_> = found.into_iter().collect();
    list.sort_by_key(|(path, _)| path.1.len());
    list
}

/// How components lead to an object from a variable of the host of a derived type.
fn path_of(program: &Program, e: &Expr) -> Option<Path> {
    match &e.kind {
        ExprKind::Var(v) => {
            let var = program.var(*v);
            match &var.storage {
                Storage::Alias(of) => path_of(program, of),
                Storage::Parameter => None,
                _ => (!var.attrs.class && var.attrs.cuda.is_none() && e.rank == 0).then(|| (*v, Vec::new())),
            }
        }
        ExprKind::Field { base, field } if base.rank == 0 => {
            let (root, mut fields) = path_of(program, base)?;
            fields.push(*field);
            Some((root, fields))
        }
        _ => None,
    }
}

/// The ASSOCIATE name that a designator begins with.
fn root_name(program: &Program, e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Field { base, .. } => root_name(program, base),
        _ => alias(program, e),
    }
}

/// Whether the kernel needs to know of an object what its descriptor says.
pub(super) fn is_described(program: &Program, v: VarId) -> bool {
    let var = program.var(v);
    match var.ty {
        Type::Any => true,
        Type::Derived(_) => var.attrs.class || var.attrs.pointer || var.attrs.allocatable,
        Type::Character(_) => var.attrs.pointer || var.attrs.allocatable,
        _ => false,
    }
}

/// Whether the length of a text is known at run time only.
pub(super) fn is_text_of_any_length(ty: &Type) -> bool {
    matches!(ty, Type::Character(length) if !matches!(length, CharLen::Const(_)))
}

/// Whether statements ask whether a pointer is associated, or an allocatable object allocated.
fn asks_whether_there(v: VarId, body: &[Stmt]) -> bool {
    let mut asks = false;
    let mut look = |e: &Expr| {
        if let ExprKind::Intrinsic { id: Intrinsic::Associated | Intrinsic::Allocated, args } = &e.kind {
            asks |= args.iter().flatten().any(|arg| sema::checked::root(arg) == Some(v));
        }
    };
    visit::statements(body, &mut |s| visit::statement_exprs(s, &mut |e, _| visit::all(e, &mut look)));
    asks
}

/// A copy of an object of the host, which is passed to the kernel.
pub(super) fn captured_object(
    builder: &mut Builder<'_, '_>,
    v: VarId,
    mem: MemRef,
    cuf: &CufKernel,
    (b, params): (&mut FunctionBuilder, &mut Params),
) -> Option<MemRef> {
    let program = builder.program();
    let types = types_of_object(program, v, &cuf.body);
    let bytes = types.iter().filter_map(|ty| const_bytes(program, ty)).max()?;
    let most_aligned = types.iter().map(|ty| align(program, ty)).max()?;
    params.args.push(builder.address(mem));
    let own = b.bytes_param(bytes, most_aligned, program.var(v).name.clone());
    Some(MemRef::at(own.into(), Space::Local))
}

/// The types by which statements name a whole variable: its own, if it has one, and those of the SELECT TYPE blocks around them.
fn types_of_object<'p>(program: &'p Program, v: VarId, body: &[Stmt]) -> Vec<&'p Type> {
    let mut types: Vec<&Type> = Some(&program.var(v).ty).filter(|ty| !matches!(ty, Type::Any)).into_iter().collect();
    let mut look = |e: &Expr| {
        let Some(name) = alias(program, e) else { return };
        let mut at = name;
        while let Storage::Alias(of) = &program.var(at).storage
            && let Some(next) = sema::checked::scalar_root(of)
        {
            at = next;
        }
        if at == v && name != v {
            types.push(&program.var(name).ty);
        }
    };
    visit::statements(body, &mut |s| visit::statement_exprs(s, &mut |e, _| visit::all(e, &mut look)));
    types
}
