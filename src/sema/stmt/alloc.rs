//! ALLOCATE, DEALLOCATE, NULLIFY.

use crate::checked::{AllocObject, CharLen, Const, Expr, ExprKind, MOST_ALIGNMENT, StmtKind, Type, TypeId, visit};
use crate::checker::{Checker, CodeSide};
use crate::typing::{
    Typing, assignable, is_allocatable, is_class, is_part_of, is_pointer, is_procedure_pointer, is_same_object,
    same_type, shape_name, space_of, type_name,
};
use ast::{Allocate, Arg, ArgValue, CudaAttr};
use diag::{Code, Diagnostic, nearest_name};
use source::Span;

/// AllocateOptions that were given.
#[derive(Default)]
struct AllocateOptions {
    stat: Option<Expr>,
    errmsg: Option<Expr>,
    source: Option<(Expr, bool)>,
    pinned: Option<Expr>,
    stream: Option<Expr>,
    align: Option<Expr>,
}

impl Checker<'_> {
    pub(super) fn allocate(&mut self, a: &Allocate, span: Span) -> Option<StmtKind> {
        let spec = match &a.spec {
            Some(spec) => Some(self.type_spec(spec, None)?),
            None => None,
        };
        let lengths = a.spec.as_ref().map_or(Vec::new(), |spec| self.lengths_of_spec(spec));
        let options = self.alloc_options(a, true);
        let mut objects = Vec::with_capacity(a.objects.len());
        let mut complete = true;
        for object in &a.objects {
            match self.alloc_object(object, spec.as_ref().map(|spec| (spec, &lengths[..])), options.as_ref()) {
                Some(object) => objects.push(object),
                None => complete = false,
            }
        }
        let options = options?;
        if !complete {
            return None;
        }
        for object in &objects {
            self.typing().check_object(&object.object, &options, span);
        }
        self.typing().check_distinct(&objects.iter().map(|o| &o.object).collect::<Vec<_>>(), "allocated")?;
        let all: Vec<&Expr> = objects.iter().map(|o| &o.object).collect();
        self.typing().check_status_apart(&all, &options, "allocated")?;
        self.typing().check_bounds_apart(&objects)?;
        let AllocateOptions { stat, errmsg, source, pinned, stream, align } = options;
        let source = match (source, objects.first()) {
            (Some((value, is_mold)), Some(first)) => {
                let value = self.typing().as_twin(value, &first.object.ty.clone());
                let is_class = is_class(&self.defs, &first.object);
                Some((if is_class { self.host_value(value)? } else { value }, is_mold))
            }
            (source, _) => source,
        };
        Some(StmtKind::Allocate { objects, source, stat, errmsg, pinned, stream, align })
    }

    fn alloc_object(
        &mut self,
        e: &ast::Expr,
        spec: Option<(&Type, &[CharLen])>,
        options: Option<&AllocateOptions>,
    ) -> Option<AllocObject> {
        let (spec, lengths) = (spec.map(|s| s.0), spec.map_or(&[] as &[CharLen], |s| s.1));
        let (object, bounds) = match &e.kind {
            ast::ExprKind::Apply { base, args } => (self.designator(base)?, args.as_slice()),
            _ => (self.designator(e)?, &[] as &[Arg]),
        };
        if !is_allocatable(&self.defs, &object) && !is_pointer(&self.defs, &object) {
            let text = "only allocatable variables and pointers can be allocated";
            return self.reporter.error_help(Code::NotAllocatable, e.span, text, "declare it with `allocatable`");
        }
        let given = options.and_then(|o| o.source.as_ref());
        if bounds.is_empty() && object.rank > 0 && given.is_none_or(|s| s.0.rank == 0) && options.is_some() {
            return self.reporter.error_help(
                Code::BadBounds,
                e.span,
                "the array is allocated without bounds",
                "write its extents in parentheses",
            );
        }
        if let (true, Type::Derived(id)) = (is_class(&self.defs, &object), spec.unwrap_or(&object.ty))
            && matches!(space_of(&self.defs, &object), Some(ast::CudaAttr::Device))
            && self.cx.side == CodeSide::Host
            && self.defs.has_first_value(*id)
            && given.is_none_or(|(_, is_mold)| *is_mold)
        {
            let text = "allocation of polymorphic `device` data of a type with default values";
            return self.reporter.refuse(e.span, text);
        }
        // A component may have its length from the parameters of its object.
        let has_own = matches!(&object.kind, ExprKind::Field { base, field }
            if matches!(base.ty, Type::Derived(id)
                if self.defs.ty(id).fields.get(*field as usize).is_some_and(|f| f.own_length.is_some())));
        let is_open = matches!(object.ty, Type::Character(CharLen::Deferred)) && !has_own;
        if is_open && spec.is_none() && given.is_none() && options.is_some() {
            // Fortran 2018, C934.
            let text = "characters of deferred length are allocated without a length";
            let help = "write `allocate(character(len=n) :: …)`, or `source=`";
            return self.reporter.error_help(Code::BadCharacterLength, e.span, text, help);
        }
        if !bounds.is_empty() && bounds.len() != usize::from(object.rank) {
            let text = format!("{} bounds for an array of rank {}", bounds.len(), object.rank);
            return self.reporter.error(Code::SubscriptCount, e.span, text);
        }
        let mut typed = Vec::with_capacity(bounds.len());
        for bound in bounds {
            typed.push(self.alloc_bound(bound)?);
        }
        if let Some((source, is_mold)) = given {
            let word = if *is_mold { "mold" } else { "source" };
            // An intrinsic type needs the same kind (Fortran 2018, C945, C946).
            let is_value = matches!(object.ty, Type::Integer(_) | Type::Real(_) | Type::Complex(_) | Type::Logical(_));
            let fits = (assignable(&object.ty, source) && (!is_value || same_type(&object.ty, &source.ty)))
                || self.defs.are_twins(&object.ty, &source.ty)
                || (is_class(&self.defs, &object)
                    && (self.defs.class_takes(&object.ty, &source.ty)
                        || self.defs.class_takes_copy(&object.ty, &source.ty)));
            if !fits || (source.rank != 0 && source.rank != object.rank) {
                let text = format!(
                    "`{word}=` is {}, and the object is {}",
                    shape_name(&self.defs, &source.ty, source.rank),
                    shape_name(&self.defs, &object.ty, object.rank)
                );
                return self.reporter.error(Code::TypeMismatch, source.span, text);
            }
        }
        let created = spec.or(if given.is_none() { Some(&object.ty) } else { None });
        if let Some(Type::Derived(id)) = created
            && self.defs.type_info(*id).ast.is_some_and(|a| a.is_abstract)
        {
            let text = format!("`type({})` is abstract and has no objects of its own", self.defs.ty(*id).name);
            return self.reporter.error_help(
                Code::BadPolymorphism,
                e.span,
                text,
                "allocate it as an extension: `allocate(extension :: …)`",
            );
        }
        let twin = spec.filter(|spec| self.defs.are_twins(spec, &object.ty));
        let mut lengths = lengths.to_vec();
        if let (Some(twin), Type::Derived(id)) = (twin, &object.ty) {
            if self.defs.ty(*id).is_flat {
                lengths = self.all_lengths(twin, lengths);
            } else {
                // The object has its lengths from its type.
                self.check_lengths_of_twin(*id, &lengths, e.span)?;
                lengths.clear();
            }
        }
        let (spec, lengths) = (spec.filter(|_| twin.is_none()), &lengths[..]);
        if let Some(spec) = spec
            && !same_type(spec, &object.ty)
            && !(is_class(&self.defs, &object) && self.defs.class_takes(&object.ty, spec))
        {
            let text = format!(
                "allocated as `{}`, and the object is `{}`",
                type_name(&self.defs, spec),
                type_name(&self.defs, &object.ty)
            );
            return self.reporter.error(Code::TypeMismatch, e.span, text);
        }
        if let Some(spec) = spec {
            self.typing().check_allocated_length(spec, &object)?;
        }
        self.typing().check_allocated_lengths(&object, lengths, created.is_some() && options.is_some(), e.span)?;
        self.typing().check_component_allocation(&object)?;
        let is_pointer = is_pointer(&self.defs, &object);
        let fits = if is_pointer { self.typing().associable(&object) } else { self.typing().definable(&object) };
        if let Err(why) = fits {
            return self.reporter.error(Code::NotDefinable, e.span, format!("{why} and may not be allocated"));
        }
        Some(AllocObject { object, bounds: typed, spec: spec.cloned(), lengths: lengths.to_vec() })
    }

    /// Checks the lengths that a statement gives an object of the device, whose type has its own.
    /// The values of all length parameters of a type: those that belong to it, and what is given for the others.
    fn all_lengths(&self, ty: &Type, given: Vec<CharLen>) -> Vec<CharLen> {
        let Type::Derived(id) = ty else { return given };
        let mut given = given.into_iter();
        let params = self.defs.ty(*id).params.iter().filter(|p| !p.is_kind);
        params.filter_map(|p| p.value.map(CharLen::Const).or_else(|| given.next())).collect()
    }

    fn check_lengths_of_twin(&mut self, id: TypeId, given: &[CharLen], span: Span) -> Option<()> {
        let own: Vec<i64> = self.defs.ty(id).params.iter().filter(|p| !p.is_kind).filter_map(|p| p.value).collect();
        for (given, own) in given.iter().zip(own) {
            match given {
                CharLen::Const(n) if *n == own => {}
                CharLen::Const(n) => {
                    let text = format!("allocated with the length parameter {n}, and it is declared with {own}");
                    return self.reporter.error(Code::BadTypeParameter, span, text);
                }
                _ => return self.reporter.refuse(span, "allocation of device data with a length that is not constant"),
            }
        }
        Some(())
    }

    fn alloc_bound(&mut self, arg: &Arg) -> Option<(Option<Expr>, Expr)> {
        let int8 = Type::Integer(8);
        match &arg.value {
            ArgValue::Expr(e) => {
                let upper = self.integer_scalar(e, &int8, "an extent")?;
                self.typing().check_host_value(&upper);
                Some((None, upper))
            }
            ArgValue::Range { lo, hi: Some(hi), step: None } => {
                let lower = match lo {
                    Some(e) => Some(self.integer_scalar(e, &int8, "a bound")?),
                    None => None,
                };
                Some((lower, self.integer_scalar(hi, &int8, "a bound")?))
            }
            _ => self.reporter.error(Code::BadBounds, arg.span, "an allocated dimension needs an upper bound"),
        }
    }

    fn alloc_options(&mut self, a: &Allocate, allocating: bool) -> Option<AllocateOptions> {
        const ALLOCATE: [&str; 7] = ["stat", "errmsg", "source", "mold", "pinned", "stream", "align"];
        let mut out = AllocateOptions::default();
        let mut complete = true;
        for (i, (name, e)) in a.options.iter().enumerate() {
            if a.options[..i].iter().any(|o| o.0.text == name.text) {
                let text = format!("`{}=` is given twice", name.as_str());
                self.reporter.error::<()>(Code::BadAllocateOption, name.span, text);
                complete = false;
                continue;
            }
            let done = match name.as_str() {
                "stat" => {
                    self.set_variable(e, |t| matches!(t, Type::Integer(_)), "an integer").map(|v| out.stat = Some(v))
                }
                "errmsg" => self
                    .set_variable(e, |t| matches!(t, Type::Character(_)), "a character")
                    .map(|v| out.errmsg = Some(v)),
                "source" if allocating => self.expr(e).map(|v| out.source = Some((v, false))),
                "mold" if allocating => self.expr(e).map(|v| out.source = Some((v, true))),
                "pinned" if allocating => {
                    self.set_variable(e, |t| matches!(t, Type::Logical(_)), "a logical").map(|v| out.pinned = Some(v))
                }
                "stream" if allocating => {
                    self.integer_scalar(e, &Type::Integer(8), "`stream=`").map(|v| out.stream = Some(v))
                }
                "align" if allocating => self.alignment(e).map(|v| out.align = Some(v)),
                other => {
                    let known = if allocating { &ALLOCATE[..] } else { &ALLOCATE[..2] };
                    let near = nearest_name(other, known.iter().copied());
                    let text = format!("there is no option `{other}=` here");
                    self.reporter.report(Diagnostic::new(Code::BadAllocateOption, name.span, text).suggest(near));
                    None
                }
            };
            complete &= done.is_some();
        }
        complete.then_some(out)
    }

    /// `align=` of nvfortran, in bytes.
    fn alignment(&mut self, e: &ast::Expr) -> Option<Expr> {
        let value = self.integer_scalar(e, &Type::Integer(8), "`align=`")?;
        match value.kind {
            ExprKind::Const(Const::Int(n)) if n <= 0 || n.count_ones() != 1 => {
                self.reporter.error(Code::BadAllocateOption, e.span, "`align=` is a power of two")
            }
            ExprKind::Const(Const::Int(n)) if n > MOST_ALIGNMENT => {
                let text = format!("`align=` is {MOST_ALIGNMENT} at most");
                self.reporter.error(Code::BadAllocateOption, e.span, text)
            }
            _ => Some(value),
        }
    }

    /// A scalar variable that a statement sets.
    pub(super) fn set_variable(&mut self, e: &ast::Expr, fits: impl Fn(&Type) -> bool, what: &str) -> Option<Expr> {
        let v = self.designator(e)?;
        if v.rank != 0 || !fits(&v.ty) {
            let text = format!("{what} variable is needed, not {}", shape_name(&self.defs, &v.ty, v.rank));
            return self.reporter.error(Code::TypeMismatch, e.span, text);
        }
        self.typing().check_assigned(&v)?;
        Some(v)
    }

    pub(super) fn deallocate(&mut self, a: &Allocate) -> Option<StmtKind> {
        let options = self.alloc_options(a, false);
        let mut objects = Vec::with_capacity(a.objects.len());
        let mut complete = true;
        for e in &a.objects {
            let Some(object) = self.designator(e) else {
                complete = false;
                continue;
            };
            let is_whole = |o: &Expr| is_allocatable(&self.defs, o) || is_pointer(&self.defs, o);
            let object = match object.kind {
                // nvfortran does not look at the subscripts.
                ExprKind::Element { base, .. } | ExprKind::Section { base, .. } if is_whole(&base) => {
                    let text = "an array is deallocated as a whole: the subscripts have no effect";
                    self.reporter.report(Diagnostic::new(Code::DeallocatedElement, e.span, text));
                    *base
                }
                _ if is_whole(&object) => object,
                _ => {
                    let what = "only allocatable variables and pointers can be deallocated";
                    self.reporter.error::<()>(Code::NotAllocatable, e.span, what);
                    complete = false;
                    continue;
                }
            };
            match self.typing().check_component_allocation(&object) {
                Some(()) => objects.push(object),
                None => complete = false,
            }
        }
        let options = options?;
        self.typing().check_distinct(&objects.iter().collect::<Vec<_>>(), "deallocated")?;
        self.typing().check_status_apart(&objects.iter().collect::<Vec<_>>(), &options, "deallocated")?;
        complete.then_some(StmtKind::Deallocate { objects, stat: options.stat, errmsg: options.errmsg })
    }

    pub(super) fn nullify(&mut self, list: &[ast::Expr]) -> Option<StmtKind> {
        let mut out = Vec::with_capacity(list.len());
        for e in list {
            let p = self.designator(e)?;
            if !is_pointer(&self.defs, &p) && !is_procedure_pointer(&self.defs, &p) {
                return self.reporter.error(Code::NotAllocatable, e.span, "only pointers can be nullified");
            }
            if let Err(why) = self.typing().associable(&p) {
                return self.reporter.error(Code::NotDefinable, e.span, format!("{why} and may not be nullified"));
            }
            out.push(p);
        }
        Some(StmtKind::Nullify(out))
    }
}

impl Typing<'_> {
    /// The statement says the lengths that the declaration leaves open (Fortran 2018, C936), and no others than it gives.
    fn check_allocated_lengths(&mut self, object: &Expr, given: &[CharLen], is_new: bool, span: Span) -> Option<()> {
        let declared = self.declared_lengths(object);
        if is_new && given.is_empty() && declared.iter().any(|n| matches!(n, CharLen::Deferred)) {
            let text = "the object has a deferred type parameter, and the statement does not say its value";
            return self.reporter.error_help(Code::BadTypeParameter, span, text, "write `type(values) ::` before it");
        }
        if given.iter().any(|n| matches!(n, CharLen::Deferred)) {
            // Fortran 2018, C702.
            let text = "a type parameter of what is allocated here is `:`, and that is no value";
            return self.reporter.error_help(Code::BadTypeParameter, span, text, "write the value");
        }
        let is_assumed = |n: &CharLen| matches!(n, CharLen::Assumed);
        if !given.is_empty()
            && (0..given.len()).any(|i| is_assumed(&given[i]) != declared.get(i).is_some_and(is_assumed))
        {
            // Fortran 2018, C934.
            let text = "a type parameter of what is allocated here is `*` where it is `*` in the declaration of the object, and nowhere else";
            return self.reporter.error(Code::BadTypeParameter, span, text);
        }
        for (given, declared) in given.iter().zip(declared) {
            if let (CharLen::Const(given), CharLen::Const(declared)) = (given, declared)
                && given != declared
            {
                let text = format!("allocated with the length parameter {given}, and it is declared with {declared}");
                return self.reporter.error(Code::BadTypeParameter, span, text);
            }
        }
        Some(())
    }

    /// Checks that no object stands twice in the list of one statement (Fortran 2018, 9.7.1.1, 9.7.3.1).
    fn check_distinct(&mut self, objects: &[&Expr], done: &str) -> Option<()> {
        for (i, object) in objects.iter().enumerate() {
            if let Some(first) = objects[..i].iter().find(|other| is_same_object(other, object)) {
                let text = format!("the object is {done} twice in one statement");
                let d = Diagnostic::new(Code::SameObjectTwice, object.span, text).secondary(first.span, "first here");
                self.reporter.report(d);
                return None;
            }
        }
        Some(())
    }

    /// `stat=` and `errmsg=` are no part of what the statement allocates or deallocates (Fortran 2018, 9.7.4, 9.7.5).
    fn check_status_apart(&mut self, objects: &[&Expr], options: &AllocateOptions, done: &str) -> Option<()> {
        for status in [&options.stat, &options.errmsg].into_iter().flatten() {
            if let Some(object) = objects.iter().find(|object| is_part_of(status, object)) {
                let text = format!("`stat=` or `errmsg=` is part of an object that is {done} here");
                let d = Diagnostic::new(Code::SameObjectTwice, status.span, text);
                self.reporter.report(d.secondary(object.span, "this object"));
                return None;
            }
        }
        Some(())
    }

    /// Bounds do not depend on objects that the same statement allocates (Fortran 2018, 9.7.1.2).
    fn check_bounds_apart(&mut self, objects: &[AllocObject]) -> Option<()> {
        for (lower, upper) in objects.iter().flat_map(|o| &o.bounds) {
            let mut found = None;
            for e in lower.iter().chain([upper]) {
                visit::all(e, &mut |part| {
                    let same = objects.iter().find(|o| is_same_object(&o.object, part));
                    found = found.or(same.map(|o| (part.span, o.object.span)));
                });
            }
            if let Some((span, object)) = found {
                let text = "a bound depends on an object that is allocated in the same statement";
                let d = Diagnostic::new(Code::SameObjectTwice, span, text);
                self.reporter.report(d.secondary(object, "this object"));
                return None;
            }
        }
        Some(())
    }

    /// A length before `::` is that of the declaration, unless that leaves it open (Fortran 2018, C938, C939).
    fn check_allocated_length(&mut self, spec: &Type, object: &Expr) -> Option<()> {
        let (Type::Character(given), Type::Character(declared)) = (spec, &object.ty) else { return Some(()) };
        let wrong = match (given, declared) {
            (CharLen::Const(a), CharLen::Const(b)) => a != b,
            (CharLen::Assumed, declared) => !matches!(declared, CharLen::Assumed),
            _ => false,
        };
        if !wrong {
            return Some(());
        }
        let text = "the length before `::` is not that with which the object is declared";
        self.reporter.error_help(Code::BadCharacterLength, object.span, text, "declare it `character(len=:)`")
    }

    fn check_object(&mut self, object: &Expr, options: &AllocateOptions, span: Span) {
        let space = space_of(self.defs, object);
        if let Some(pinned) = &options.pinned
            && space != Some(CudaAttr::Pinned)
        {
            let text = "`pinned=` has no effect on an object without the `pinned` attribute";
            self.reporter.report(
                Diagnostic::new(Code::PinnedOptionWithoutEffect, pinned.span, text)
                    .secondary(object.span, "this object"),
            );
        }
        if options.stream.is_some() && !matches!(space, Some(CudaAttr::Device | CudaAttr::Managed)) {
            let text = "`stream=` is for device data";
            self.reporter.report(
                Diagnostic::new(Code::BadAllocateOption, span, text)
                    .secondary(object.span, "this object is not device data"),
            );
        }
    }

    /// Components of device objects (rule 47).
    fn check_component_allocation(&mut self, object: &Expr) -> Option<()> {
        if let ExprKind::Var(id) = object.kind
            && self.cx.side == CodeSide::Device
            && self.defs.var(id).owner.is_none()
        {
            let text = format!("`{}` belongs to a module and is allocated in host code only", self.defs.var(id).name);
            return self.reporter.error(Code::NotDefinableInDeviceCode, object.span, text);
        }
        let ExprKind::Field { base, field } = &object.kind else { return Some(()) };
        let own = match base.ty {
            Type::Derived(id) => {
                self.defs.ty(id).fields.get(*field as usize).and_then(|f| f.cuda.map(|c| (c, f.name.clone())))
            }
            _ => None,
        };
        let Some((own, name)) = own else { return Some(()) };
        if self.cx.side.on_device() || space_of(self.defs, base) != Some(CudaAttr::Device) {
            return Some(());
        }
        let text = match own {
            CudaAttr::Device => {
                format!("device component `{name}` of a device object can be allocated in device code only")
            }
            _ => format!("{} component `{name}` of a device object cannot be allocated", crate::cuda::spelling(own)),
        };
        self.reporter.error_help(
            Code::BadComponentAllocation,
            object.span,
            text,
            "make the object managed or host data",
        )
    }
}
