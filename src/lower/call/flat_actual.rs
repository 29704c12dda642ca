//! Actual arguments that are objects whose lengths do not belong to them (`expr::flat_part`), or that are passed for such dummies. The
//! lengths that a dummy declares with `*` follow its other words.
//!
//! In host code the lengths are compared with those that the dummy declares (Fortran 2018, 15.5.2.5). Those that are expressions are
//! computed from the arguments that are passed. A launch must not wait for the device: where such an expression reads data of the device,
//! nothing is compared.
//!
//! Not here: other arguments (`actual`).

use crate::analysis::designators::{field_of, may_be_unset};
use crate::analysis::variables::{const_bounds, is_descriptor};
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::object::flat::{holds_parts, owns_parts};
use crate::storage::VarStorage;
use crate::types::{is_device_data, is_flat, is_made};
use crate::value::arguments::{CopyBack, GivenLengths, Passed};
use crate::value::array_view::ArrayView;
use crate::value::flat_copy::FlatCopy;
use ast::Intent;
use ir::op::BinOp;
use ir::{Ty, Val};
use sema::checked::{
    Actual, CharLen, Class, Expr, ExprKind, ProcId, ProcKind, Program, Shape, Storage, Type, VarId, Variable,
    is_designator, visit,
};
use std::collections::BTreeSet;

/// Whether an expression makes objects whose lengths are known at run time only and do not belong to them.
pub(super) fn makes_flat(program: &Program, e: &Expr) -> bool {
    is_flat(program, &e.ty) && !is_designator(e)
}

/// Whether a designator names a component of an object that is made at run time, but for its part of a parent type.
pub(super) fn is_part_of_made(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Field { base, .. } => {
            is_made(program, &base.ty) && !is_made(program, &e.ty) || is_part_of_made(program, base)
        }
        ExprKind::Element { base, .. }
        | ExprKind::Section { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. } => is_part_of_made(program, base),
        _ => false,
    }
}

/// Whether there may be pointers to the object that a designator names.
fn may_have_pointers(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(v) => {
            let attrs = &program.var(*v).attrs;
            attrs.target
                || attrs.pointer
                || matches!(program.var(*v).storage, Storage::Alias(_) | Storage::Associated { .. })
        }
        ExprKind::Field { base, field } => {
            field_of(program, base, *field).is_some_and(|f| f.pointer) || may_have_pointers(program, base)
        }
        ExprKind::Element { base, .. } | ExprKind::Section { base, .. } | ExprKind::Seen { base, .. } => {
            may_have_pointers(program, base)
        }
        _ => is_designator(e),
    }
}

/// Whether what is passed instead of an object is copied back.
fn gives_back(dummy: &Variable, e: &Expr) -> bool {
    dummy.attrs.intent != Some(Intent::In) && is_designator(e)
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Passes a managed object for a dummy whose objects hold their lengths, a polymorphic one too: as a copy that does, which goes back.
    pub(super) fn pass_twin(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        let program = self.b.program();
        let of_host = match e.ty {
            Type::Derived(id) if dummy.attrs.class => program.ty(id).of_host.as_ref(),
            _ => Some(&dummy.ty),
        };
        // Pointers to parts of a target stay what they are (Fortran 2018, 15.5.2.4). Those to a dummy whose actual argument is no target
        // end with the call.
        let shares = dummy.attrs.target && may_have_pointers(program, e);
        let of_host = of_host.filter(|to| self.b.is_host() && !(shares && holds_parts(program, to)));
        let present = self.presence_of_actual(dummy, e);
        let sequence = self.sequence_of(dummy, e);
        let limit = sequence.is_some() && !shares && !owns_parts(program, &e.ty);
        let copy =
            of_host.and_then(|of_host| Some((of_host, self.copy_of_twin(e, of_host, sequence, present, shares)?)));
        let Some((of_host, (made, own))) = copy else { return self.b.refuse_flat() };
        let how = match gives_back(dummy, e) {
            _ if shares => FlatCopy::Return,
            true => FlatCopy::Give,
            false => FlatCopy::Leave,
        };
        if how != FlatCopy::Leave || owns_parts(program, &e.ty) {
            let (made, ty) = (made.clone(), of_host.clone());
            // What the objects own goes back as a whole.
            out.sequences.extend(limit.then_some((out.keys.len(), out.back.len())));
            out.back.push(CopyBack::Twin { made, flat: own, ty, how });
        }
        let made = if dummy.attrs.class { self.b.tagged(made, of_host) } else { made };
        self.pass_copy(dummy, e, (made, None), present, out);
    }

    /// Passes a copy of objects, with its lengths if these do not belong to it; nothing unless there are objects.
    fn pass_copy(
        &mut self,
        dummy: &'p Variable,
        e: &'p Expr,
        (copy, lengths): (ArrayView, Option<Vec<Val>>),
        present: Option<Val>,
        out: &mut Passed,
    ) {
        let first = out.words.len();
        self.with_actual(e, copy, |this| {
            if dummy.attrs.class {
                this.pass_class(dummy, e, out);
            } else {
                this.pass_objects(dummy, e, out);
            }
        });
        if let Some(lengths) = lengths {
            self.pass_given_lengths(dummy, e, lengths, out);
        }
        self.pass_nothing_unless(present, &mut out.words[first..]);
    }

    /// Passes an object that holds its lengths to a procedure of both sides: as a copy that does not, which goes back.
    pub(super) fn pass_flat_twin(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        let present = self.presence_of_actual(dummy, e);
        let sequence = self.sequence_of(dummy, e);
        let limit = sequence.is_some();
        let objects = match sequence {
            Some(sequence) => sequence,
            None if out.elemental => self.current_object(e),
            None => self.objects(e),
        };
        let (flat, made, lengths) = self.flat_copy_of_objects(e, objects, &dummy.ty, present);
        let at = out.back.len();
        let flat = if out.to_kernel { self.b.managed_copy(&flat, &dummy.ty, out) } else { flat };
        if gives_back(dummy, e) {
            let back = CopyBack::Twin { made, flat: flat.clone(), ty: e.ty.clone(), how: FlatCopy::Take };
            let kernel = out.to_kernel.then_some(CopyBack::Kernel);
            out.sequences.extend(limit.then_some((out.keys.len(), at + usize::from(out.to_kernel))));
            out.back.splice(at..at, kernel.into_iter().chain([back]));
        }
        self.pass_copy(dummy, e, (flat, Some(lengths)), present, out);
    }

    /// Runs `body` with objects that are passed instead of those of an actual argument; an element stands for the rest of its array.
    fn with_actual(&mut self, e: &'p Expr, mut objects: ArrayView, body: impl FnOnce(&mut Self)) {
        if e.rank == 0 {
            objects.dims.clear();
        }
        self.with_objects(e, objects, body);
    }

    /// The objects that an element stands for where the dummy is an array: those from there to the end of its array, or as many as the
    /// dummy has if that is constant (Fortran 2018, 15.5.2.11). `None` if an argument is no such element, or nobody knows where the
    /// array ends.
    fn sequence_of(&mut self, dummy: &Variable, e: &'p Expr) -> Option<ArrayView> {
        let ExprKind::Element { base, .. } = &e.kind else { return None };
        if e.rank > 0 || !matches!(dummy.shape, Shape::Explicit(_) | Shape::AssumedSize(..)) {
            return None;
        }
        let whole = self.designator_view(base)?;
        let mem = self.object(e);
        let wanted = const_bounds(&dummy.shape).map(|dims| Val::i64(dims.iter().map(|dim| dim.1).product()));
        let count = if whole.assumed_size {
            wanted?
        } else {
            let (first, at) = (self.b.address(whole.mem), self.b.address(mem));
            let skipped = self.b.isub(at, first);
            // Objects without components take no memory.
            let element = self.b.bin(BinOp::Max, Ty::I64, whole.element, Val::i64(1));
            let skipped = self.b.bin(BinOp::Div, Ty::I64, skipped, element).into();
            let all = self.b.size(&whole);
            let rest = self.b.isub(all, skipped);
            wanted.map_or(rest, |wanted| self.b.bin(BinOp::Min, Ty::I64, rest, wanted).into())
        };
        Some(self.b.dense(mem, whole.element, None, &[count]))
    }

    /// Copies no more of a sequence back than the dummy has of it: the rest may belong to another argument.
    pub(super) fn limit_sequences(&mut self, proc: ProcId, args: &'p [Option<Actual>], passed: &mut Passed) {
        let program = self.b.program();
        for (dummy, back) in std::mem::take(&mut passed.sequences) {
            let Some(&v) = program.proc(proc).params.get(dummy) else { continue };
            let mut needed = BTreeSet::from([v]);
            if !matches!(program.var(v).shape, Shape::Explicit(_)) || !is_known_to_host(program, proc, v, &mut needed) {
                continue;
            }
            let saved = self.bind_some_actuals(proc, args, passed, &|v| needed.contains(&v));
            let bound = self.storage.get(v).cloned();
            let count = if let Some(VarStorage::Array(view)) = bound { Some(self.b.size(&view)) } else { None };
            self.unbind(saved);
            if let (Some(count), Some(CopyBack::Twin { made, flat, .. })) = (count, passed.back.get_mut(back)) {
                for dim in made.dims.iter_mut().chain(&mut flat.dims) {
                    dim.extent = self.b.bin(BinOp::Min, Ty::I64, dim.extent, count).into();
                }
            }
        }
    }

    /// Whether there is an object to pass; `None` if there surely is.
    fn presence_of_actual(&mut self, dummy: &Variable, e: &'p Expr) -> Option<Val> {
        let of_variable = |v: VarId| self.b.program().var(v).attrs.optional;
        let may_be_absent = matches!(e.kind, ExprKind::Var(v) if of_variable(v)) || may_be_unset(self.b.program(), e);
        if !dummy.attrs.optional || !may_be_absent { None } else { self.presence_of_argument(dummy, e) }
    }

    /// Makes words that were passed those of an absent argument, unless it is there.
    fn pass_nothing_unless(&mut self, present: Option<Val>, words: &mut [Val]) {
        let Some(present) = present else { return };
        for word in words {
            *word = self.b.select(Ty::I64, present, *word, Val::i64(0)).into();
        }
    }

    /// Passes an object that holds its lengths to a procedure that takes the bytes of any object: the parts lie elsewhere, and a copy has
    /// them one after another, which goes back.
    pub(super) fn pass_bytes_of_made(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        if !out.copies_bytes || dummy.attrs.allocatable || dummy.attrs.pointer {
            self.b.unsupported("an object of the host with run-time lengths as an argument of `type(*)`");
            return self.b.pass_absent(dummy, out);
        }
        out.has_copies = true;
        let present = self.presence_of_actual(dummy, e);
        let objects = self.objects(e);
        let made = self.or_nothing(objects, present);
        let element = self.b.flat_bytes(&made, &e.ty);
        let extents = made.extents();
        let bytes = self.b.array_bytes(&extents, element);
        let block = self.b.temporary(bytes, 8);
        let flat = self.b.dense(block, element, None, &extents);
        self.b.copy_flat(block, element, &made, &e.ty, FlatCopy::To);
        if gives_back(dummy, e) {
            out.back.push(CopyBack::Twin { made, flat: flat.clone(), ty: e.ty.clone(), how: FlatCopy::From });
        }
        self.pass_copy(dummy, e, (flat, None), present, out);
    }

    /// Passes the object that a reference or a constructor of device code makes.
    pub(super) fn pass_flat_value(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        let is_element = out.elemental && e.rank > 0;
        let own = if is_element { Some(self.current_flat_value(e, &e.ty)) } else { self.own_flat_value(e) };
        let Some((objects, lengths)) = own else { return self.b.refuse_flat() };
        self.with_objects(e, objects, |this| this.pass_objects(dummy, e, out));
        self.pass_given_lengths(dummy, e, lengths, out);
    }

    /// Passes an object for a flat dummy with VALUE: its address and its lengths. The procedure makes its own copy. A kernel, which may begin
    /// later, gets the address of a copy.
    pub(super) fn pass_flat_by_value(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        let own = if let ExprKind::Convert(inner) = &e.kind { inner } else { e };
        let present = self.presence_of_actual(dummy, own);
        let Some((object, lengths)) = self.flat_object_of(dummy, e, present) else {
            self.b.refuse_flat();
            return self.b.pass_absent(dummy, out);
        };
        let object = self.or_nothing(object, present);
        let object = match out.to_kernel {
            true if self.b.is_host() => self.b.managed_copy(&object, &dummy.ty, out),
            true => self.b.copy_for_launch(&object, &dummy.ty, out),
            // The procedure reads it on its own side.
            false => self.b.local_view(object, &dummy.ty),
        };
        let first = out.words.len();
        let addr = self.b.address(object.mem);
        out.words.push(addr);
        out.keys.push(self.b.space_key(object.mem.space));
        self.pass_given_lengths(dummy, own, lengths, out);
        self.pass_nothing_unless(present, &mut out.words[first..]);
    }

    /// The object that an expression gives, or the current one of an array, as a flat one, and its lengths.
    fn flat_object_of(
        &mut self,
        dummy: &'p Variable,
        e: &'p Expr,
        present: Option<Val>,
    ) -> Option<(ArrayView, Vec<Val>)> {
        if e.rank > 0 || self.lookup(e).is_some() {
            return Some(self.current_flat_value(e, &dummy.ty));
        }
        match &e.kind {
            ExprKind::Convert(inner) if is_made(self.b.program(), &inner.ty) && is_designator(inner) => {
                let (flat, _, lengths) = self.flat_copy_of(inner, &dummy.ty, present);
                Some((flat, lengths))
            }
            _ => self.flat_value(e, &dummy.ty),
        }
    }

    /// Passes the lengths that a dummy declares with `*`, and checks those that are constant.
    pub(crate) fn pass_flat_lengths(&mut self, dummy: &Variable, e: &'p Expr, out: &mut Passed) {
        let program = self.b.program();
        if is_made(program, &dummy.ty) || !(dummy.attrs.is_flat || is_flat(program, &e.ty)) {
            return;
        }
        let given = self.all_lengths_of(e);
        self.pass_given_lengths(dummy, e, given, out);
    }

    /// The same of an object whose lengths are known.
    pub(crate) fn pass_given_lengths(&mut self, dummy: &Variable, e: &'p Expr, given: Vec<Val>, out: &mut Passed) {
        let wanted: Vec<Option<Val>> = if dummy.attrs.is_flat {
            dummy.attrs.lengths.iter().map(|n| constant(n).map(Val::i64)).collect()
        } else {
            self.constant_lengths(&dummy.ty).into_iter().map(Some).collect()
        };
        if self.b.is_host() {
            let of = if dummy.attrs.is_flat { &dummy.ty } else { &e.ty };
            let present = self.presence_of_actual(dummy, e).unwrap_or(Val::pred(true));
            self.when(present, |this| {
                this.at(e.span, |this| this.check_given_lengths(of, &wanted, &given));
            });
            if !out.keys.is_empty() && dummy.attrs.lengths.iter().any(|n| matches!(n, CharLen::Expr(_))) {
                let at = out.keys.len() - 1;
                out.lengths.push(GivenLengths { dummy: at, span: e.span, present, given: given.clone() });
            }
        }
        let is_passed = |n: &CharLen| matches!(n, CharLen::Assumed);
        out.words.extend(dummy.attrs.lengths.iter().zip(given).filter(|(n, _)| is_passed(n)).map(|(_, given)| given));
    }

    /// Compares the lengths of what was passed with those that are expressions in the declarations of a procedure.
    pub(super) fn check_computed_lengths(&mut self, proc: ProcId, args: &'p [Option<Actual>], passed: &Passed) {
        let program = self.b.program();
        let params = &program.proc(proc).params;
        for of in &passed.lengths {
            let Some(&v) = params.get(of.dummy) else { continue };
            let mut needed = BTreeSet::from([v]);
            if !is_known_to_host(program, proc, v, &mut needed) {
                continue;
            }
            let saved = self.bind_some_actuals(proc, args, passed, &|v| needed.contains(&v));
            let computed = self.storage.lengths(v).unwrap_or_default().to_vec();
            self.unbind(saved);
            let is_computed = |n: &CharLen| matches!(n, CharLen::Expr(_));
            let declared = &program.var(v).attrs.lengths;
            let wanted: Vec<Option<Val>> =
                declared.iter().zip(computed).map(|(n, computed)| computed.filter(|_| is_computed(n))).collect();
            self.when(of.present, |this| {
                this.at(of.span, |this| this.check_given_lengths(&program.var(v).ty, &wanted, &of.given));
            });
        }
    }
}

/// Whether host code knows what the declaration of a dummy is computed from, where it calls the procedure; adds the other dummies that are
/// needed for that.
fn is_known_to_host(program: &Program, proc: ProcId, v: VarId, needed: &mut BTreeSet<VarId>) -> bool {
    let is_kernel = program.proc(proc).kind == ProcKind::Kernel;
    visit::declared_exprs(program.var(v)).into_iter().all(|e| {
        let mut read = Vec::new();
        values_read(program, e, &mut read);
        let is_readable = |w: VarId| {
            let var = program.var(w);
            match var.storage {
                Storage::Dummy(_) => !is_kernel || (var.attrs.value && matches!(var.shape, Shape::Scalar)),
                _ => !is_device_data(var.attrs.cuda),
            }
        };
        let mut named = Vec::new();
        visit::all(e, &mut |e| named.extend(if let ExprKind::Var(w) = e.kind { Some(w) } else { None }));
        read.into_iter().all(is_readable)
            && named.into_iter().all(|w| {
                let is_dummy = program.proc(proc).params.contains(&w);
                !is_dummy || !needed.insert(w) || is_known_to_host(program, proc, w, needed)
            })
    })
}

/// The variables whose values an expression needs, not only their bounds and lengths.
fn values_read(program: &Program, e: &Expr, read: &mut Vec<VarId>) {
    match &e.kind {
        ExprKind::Var(v) => read.push(*v),
        ExprKind::Field { base, field } if is_length(program, base, *field) && has_own_bounds(program, base) => {}
        ExprKind::Intrinsic { id, args } if id.class() == Class::Inquiry => {
            let of_value = |(at, arg): (usize, &'_ Option<Expr>)| match arg {
                Some(arg) if at > 0 || !has_own_bounds(program, arg) => values_read(program, arg, read),
                _ => {}
            };
            args.iter().enumerate().for_each(of_value);
        }
        _ => visit::parts(e, &mut |part| values_read(program, part, read)),
    }
}

/// Whether a component is a length parameter.
fn is_length(program: &Program, base: &Expr, field: u32) -> bool {
    field_of(program, base, field).is_some_and(|f| f.is_parameter)
}

/// Whether a variable's bounds and lengths are what its declaration says, and no descriptor.
fn has_own_bounds(program: &Program, e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Var(v) if !is_descriptor(program, v))
}

fn constant(n: &CharLen) -> Option<i64> {
    if let CharLen::Const(n) = n { Some(*n) } else { None }
}
