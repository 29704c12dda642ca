//! Fits actual arguments to the dummies of one procedure (Fortran 2018, 15.5.2; CUDA Fortran guide, 3.2.3).

use super::fit_shape::{fit_rank, fit_size, shorter};
use super::implicit::is_memory_at;
use crate::checked::{
    ALTERNATE, CharLen, Expr, ExprKind, ProcBody, ProcId, ProcKind, Shape, Storage, Type, VarId, Variable,
    is_designator, root,
};
use crate::checker::{Checker, Definitions};
use crate::typing::{
    Argument, Fit, Given, are_declared_alike, difference, has_vector_subscript, is_allocatable, is_class, is_numeric,
    is_pointer, is_procedure_pointer, missing_intent, same_type, shape_name, shape_of, type_name,
};
use ast::Intent;
use diag::{Code, Diagnostic, nearest_name};
use source::Span;

/// How far a type that is declared again is from that of a dummy: farther than any attribute.
const ANOTHER_TYPE: u32 = 1000;

impl Checker<'_> {
    /// Fits arguments to a procedure; without success says of each argument what is wrong.
    pub(crate) fn fit(&mut self, proc: ProcId, args: &[Argument], call: Span) -> Result<Fit, Vec<Diagnostic>> {
        self.resolve_interface(proc);
        let params = self.defs.proc(proc).params.clone();
        let name = self.defs.proc(proc).name.clone();
        let mut slots: Vec<Option<usize>> = vec![None; params.len()];
        let mut keywords = false;
        let (mut wrong, mut warnings) = (Vec::new(), Vec::new());
        // nvfortran does not count the arguments of a call without an interface.
        let is_implicit = self.cx.implicit_interface == Some(proc);
        let counts = !is_implicit || self.defs.proc(proc).kind != ProcKind::Host;
        let is_named = is_implicit && !self.defs.proc_info(proc).embedded;
        let keyword = args.iter().find_map(|arg| arg.keyword.as_ref().filter(|keyword| &*keyword.text != ALTERNATE));
        if let (true, Some(keyword)) = (is_named, keyword) {
            let text =
                format!("`{name}` is called with the keyword `{}` and needs an explicit interface", keyword.as_str());
            let d = Diagnostic::new(Code::ExplicitInterfaceRequired, keyword.span, text);
            wrong.push(d.help("put it into a module, or write an interface block"));
            return Err(wrong);
        }
        // Which dummies have no argument is clear only if each argument belongs to one.
        let mut is_clear = true;
        for (i, arg) in args.iter().enumerate() {
            let at = match &arg.keyword {
                None if keywords => {
                    wrong.push(Diagnostic::new(
                        Code::DuplicateArgument,
                        arg.span,
                        "an argument by position stands after one by keyword",
                    ));
                    return Err(wrong);
                }
                // Labels have a place of their own.
                None if params.get(i).is_none_or(|p| &*self.defs.var(*p).name == ALTERNATE) => {
                    let taken = params.iter().filter(|p| &*self.defs.var(**p).name != ALTERNATE).count();
                    let text = format!("`{name}` takes {}, and {} are given", count(taken), args.len());
                    if counts {
                        let d = Diagnostic::new(Code::ArgumentCount, arg.span, text);
                        wrong.push(with_declaration(&self.defs, d, proc));
                    } else {
                        let text = format!("{text}: without an interface the others are passed over");
                        let d = Diagnostic::new(Code::ImplicitArgumentCount, arg.span, text);
                        warnings.push(with_declaration(&self.defs, d, proc));
                    }
                    break;
                }
                None => i,
                Some(keyword) => {
                    keywords = true;
                    match params.iter().position(|p| self.defs.var(*p).name == keyword.text) {
                        Some(at) => at,
                        None => {
                            let near = nearest_name(keyword.as_str(), params.iter().map(|p| &*self.defs.var(*p).name));
                            let text = format!("`{name}` has no argument `{}`", keyword.as_str());
                            wrong.push(Diagnostic::new(Code::UnknownKeyword, keyword.span, text).suggest(near));
                            is_clear = false;
                            continue;
                        }
                    }
                }
            };
            if slots[at].is_some() {
                let text = format!("argument `{}` is given twice", self.defs.var(params[at]).name);
                wrong.push(Diagnostic::new(Code::DuplicateArgument, arg.span, text));
                is_clear = false;
                continue;
            }
            slots[at] = Some(i);
        }
        let mut fit = Fit { proc, slots, distance: 0, rank: 0, warnings, rival: None };
        let mut missing = Vec::new();
        for (at, &param) in params.iter().enumerate() {
            match fit.slots[at] {
                Some(i) => wrong.extend(self.fit_one(&mut fit, param, &args[i]).err().map(|d| *d)),
                None if self.defs.var(param).attrs.optional => {}
                None => missing.push(format!("`{}`", self.defs.var(param).name)),
            }
        }
        if let Some((last, others)) = missing.split_last().filter(|_| is_clear) {
            let text = match others {
                [] => format!("argument {last} of `{name}` is missing"),
                _ => format!("arguments {} and {last} of `{name}` are missing", others.join(", ")),
            };
            if counts {
                wrong.push(with_declaration(&self.defs, Diagnostic::new(Code::ArgumentCount, call, text), proc));
            } else {
                let text = format!("{text}: without an interface the call passes nothing for it");
                let d = Diagnostic::new(Code::ImplicitArgumentCount, call, text);
                fit.warnings.push(with_declaration(&self.defs, d, proc));
                missing.clear();
            }
        }
        if wrong.is_empty() && fit.rank > 0 {
            wrong.extend(self.scalars_given_back(&fit, args));
        }
        if wrong.is_empty() && missing.is_empty() { Ok(fit) } else { Err(wrong) }
    }

    /// Where some arguments of an elemental subroutine are arrays, so are those that it defines (Fortran 2018, 15.8.3).
    fn scalars_given_back(&self, fit: &Fit, args: &[Argument]) -> Option<Diagnostic> {
        let p = self.defs.proc(fit.proc);
        p.params.iter().zip(&fit.slots).find_map(|(&param, slot)| {
            let (dummy, arg) = (self.defs.var(param), &args[(*slot)?]);
            let is_defined = matches!(dummy.attrs.intent, Some(Intent::Out | Intent::InOut));
            let is_scalar = matches!(&arg.given, Given::Expr(e) if e.rank == 0);
            (p.elemental && p.pure && is_defined && is_scalar).then(|| {
                let text = format!("argument `{}` is defined for each element, and a scalar is given", dummy.name);
                Diagnostic::new(Code::ElementalShapes, arg.span, text)
            })
        })
    }

    /// Whether the arguments by position have types that the procedure takes.
    pub(super) fn types_fit(&mut self, proc: ProcId, args: &[Argument]) -> bool {
        self.resolve_interface(proc);
        let params = &self.defs.proc(proc).params;
        args.iter().take_while(|arg| arg.keyword.is_none()).zip(params).all(|(arg, &param)| match &arg.given {
            Given::Expr(e) => {
                let dummy = self.defs.var(param);
                matches!(dummy.storage, Storage::Procedure)
                    || type_fits(&self.defs, proc, dummy, e)
                    || is_type_declared_again(&self.defs, dummy, e)
            }
            Given::Proc(_) | Given::Variable(_) => true,
        })
    }

    fn fit_one(&mut self, fit: &mut Fit, param: VarId, arg: &Argument) -> Result<(), Box<Diagnostic>> {
        let dummy = self.defs.var(param).clone();
        let is_implicit = self.cx.implicit_interface == Some(fit.proc);
        let (elemental, callee) = (self.defs.proc(fit.proc).elemental, self.defs.proc(fit.proc).name.clone());
        if arg.by_value && is_implicit && is_memory_at(&self.defs, &dummy, arg) {
            return Ok(());
        }
        if arg.by_value && !dummy.attrs.value {
            let text =
                format!("argument `{}` of `{callee}` has no `value` attribute, and `%val` passes a value", dummy.name);
            let d = Diagnostic::new(Code::ArgumentAttribute, arg.span, text)
                .help("remove `%val`, or give the dummy argument `value`");
            return Err(Box::new(with_declaration(&self.defs, d, fit.proc)));
        }
        let e = match &arg.given {
            Given::Proc(_) | Given::Variable(_) => {
                if matches!(dummy.storage, Storage::Procedure) {
                    return self.fit_procedure(param, &dummy, arg, fit);
                }
                let takes_all = matches!(dummy.ty, Type::Any) && self.defs.proc_info(fit.proc).embedded;
                if self.defs.var_info(param).procedure_pointer {
                    return self.fit_procedure(param, &dummy, arg, fit);
                }
                if takes_all || self.takes_procedure_address(fit.proc, &dummy) {
                    return Ok(());
                }
                let text = format!(
                    "argument `{}` must be {}, not a procedure",
                    dummy.name,
                    shape_name(&self.defs, &dummy.ty, dummy.shape.rank())
                );
                return Err(Box::new(Diagnostic::new(Code::ArgumentType, arg.span, text)));
            }
            Given::Expr(e) => e,
        };
        if is_implicit && arg.is_hollerith && takes_bytes(&dummy) {
            let text = format!("a Hollerith constant gives the bytes of `{}`", type_name(&self.defs, &dummy.ty));
            fit.warnings.push(Diagnostic::new(Code::HollerithAsNumber, arg.span, text));
            return Ok(());
        }
        if matches!(dummy.storage, Storage::Procedure) && is_procedure_pointer(&self.defs, e) {
            return self.fit_procedure(param, &dummy, arg, fit);
        }
        if matches!(dummy.storage, Storage::Procedure) {
            let text = format!("argument `{}` must be a procedure", dummy.name);
            return Err(Box::new(Diagnostic::new(Code::BadProcedureArgument, arg.span, text)));
        }
        let callee_value = matches!(self.defs.proc(fit.proc).body, ProcBody::Pointer)
            && self.defs.proc(fit.proc).params.first() == Some(&param);
        let is_pointer_dummy =
            callee_value || self.defs.var_info(param).procedure_pointer || self.defs.proc_info(fit.proc).embedded;
        if is_procedure_pointer(&self.defs, e) && !is_pointer_dummy && !is_implicit {
            let wanted = shape_name(&self.defs, &dummy.ty, dummy.shape.rank());
            let text = format!("argument `{}` must be {wanted}, not a procedure pointer", dummy.name);
            return Err(Box::new(Diagnostic::new(Code::ArgumentType, arg.span, text)));
        }
        let is_null = matches!(e.kind, ExprKind::Null);
        let takes_null = dummy.attrs.pointer || dummy.attrs.allocatable || dummy.attrs.optional || is_pointer_dummy;
        if is_null && !takes_null && !is_implicit {
            let text = format!("argument `{}` is no pointer, not allocatable and not optional", dummy.name);
            return Err(Box::new(Diagnostic::new(Code::MisplacedNull, arg.span, text)));
        }
        let is_open =
            matches!(dummy.shape, Shape::AssumedRank) || matches!(dummy.ty, Type::Character(CharLen::Assumed));
        if is_untyped_null(e) && is_null && is_open && !is_implicit && !self.defs.proc_info(fit.proc).embedded {
            // Fortran 2018, 16.9.144.
            let text =
                format!("argument `{}` takes rank or length from what is given, and `null()` has none", dummy.name);
            let d = Diagnostic::new(Code::MisplacedNull, arg.span, text);
            return Err(Box::new(d.help("write `null(pointer)` with a pointer of that rank and length")));
        }
        if matches!(dummy.shape, Shape::AssumedRank)
            && dummy.attrs.intent == Some(Intent::Out)
            && !(dummy.attrs.pointer || dummy.attrs.allocatable)
            && self.is_cleared(param)
            && matches!(shape_of(&self.defs, e), Some(Shape::AssumedSize(..) | Shape::AssumedRank))
            && !(is_pointer(&self.defs, e) || is_allocatable(&self.defs, e))
        {
            // Fortran 2018, C839.
            let text =
                format!("argument `{}` is cleared on entry, and the size of what is given is not known", dummy.name);
            return Err(Box::new(Diagnostic::new(Code::ArgumentRank, arg.span, text)));
        }
        if let (Type::Derived(id), true) = (&e.ty, self.is_assumed_type(param)) {
            // Fortran 2018, 15.5.2.4.
            let def = self.defs.type_info(*id).ast.filter(|def| !self.options.embedded.contains(&def.span.file));
            let what = if def.is_some_and(|def| !def.params.is_empty()) {
                Some("type parameters")
            } else if self.defs.has_finals(*id) {
                Some("a final subroutine")
            } else if def.is_some_and(|def| def.items.iter().any(is_type_bound)) {
                Some("type-bound procedures")
            } else {
                None
            };
            if let (Some(what), false) = (what, is_implicit || self.defs.proc_info(fit.proc).embedded) {
                let text = format!("argument `{}` is `type(*)`, and the type of what is given has {what}", dummy.name);
                return Err(Box::new(Diagnostic::new(Code::ArgumentType, arg.span, text)));
            }
        }
        let is_assumed = matches!(e.kind, ExprKind::Var(id) if self.is_assumed_type(id));
        if is_assumed && dummy.attrs.class && !is_implicit && !self.defs.proc_info(fit.proc).embedded {
            // Fortran 2018, 7.3.2.2.
            let text = format!("argument `{}` has a type, and what is given is `type(*)`, which has none", dummy.name);
            let d = Diagnostic::new(Code::ArgumentType, arg.span, text);
            return Err(Box::new(d.help("declare the dummy argument `type(*)`, or what is given `class(*)`")));
        }
        if let Err(wrong) = fit_type(&self.defs, fit.proc, &dummy, e, arg.span) {
            self.take_another_type(fit, &dummy, e, wrong)?;
        }
        if !is_untyped_null(e)
            && let Err(wrong) = fit_rank(fit, &dummy, e, elemental, arg.span)
        {
            self.take_as_memory(fit, &dummy, e, wrong)?;
        }
        if (dummy.attrs.allocatable && !is_allocatable(&self.defs, e) && !is_null)
            || (dummy.attrs.pointer && !is_null && !is_pointer(&self.defs, e))
        {
            let (word, allowed) = if dummy.attrs.pointer {
                ("pointer", dummy.attrs.intent == Some(Intent::In) && is_designator(e))
            } else {
                ("allocatable", false)
            };
            if !allowed {
                let text = format!("argument `{}` must be {word}", dummy.name);
                return Err(Box::new(Diagnostic::new(Code::ArgumentAttribute, arg.span, text)));
            }
            if !self.typing().is_target(e) && !self.defs.proc_info(fit.proc).embedded {
                let text = format!("argument `{}` is a pointer, and what is given is no target", dummy.name);
                let d = Diagnostic::new(Code::ArgumentAttribute, arg.span, text);
                return Err(Box::new(d.help("declare it with `target`")));
            }
        }
        let is_alike = (dummy.attrs.allocatable && is_allocatable(&self.defs, e))
            || (dummy.attrs.pointer && is_pointer(&self.defs, e));
        if is_alike && !is_null && !is_implicit && !self.defs.proc_info(fit.proc).embedded {
            self.fit_declared_type(&dummy, e, arg.span)?;
        }
        if let (Type::Character(wanted), true) =
            (&dummy.ty, (dummy.attrs.allocatable || dummy.attrs.pointer) && !is_null)
            && (is_allocatable(&self.defs, e) || is_pointer(&self.defs, e))
            && let Some(given) = self.declared_length(e)
            && matches!(wanted, CharLen::Deferred) != matches!(given, CharLen::Deferred)
            && !is_implicit
            && !self.defs.proc_info(fit.proc).embedded
        {
            // Fortran 2018, 15.5.2.5.
            let (a, b) = if matches!(wanted, CharLen::Deferred) { ("can", "cannot") } else { ("cannot", "can") };
            let text = format!("argument `{}` {a} get another length, and what is given {b}", dummy.name);
            let d = Diagnostic::new(Code::ArgumentAttribute, arg.span, text);
            return Err(Box::new(d.help("declare both with `len=:`, or neither")));
        }
        if (dummy.attrs.allocatable || dummy.attrs.pointer)
            && !is_null
            && (is_allocatable(&self.defs, e) || is_pointer(&self.defs, e))
            && matches!((&dummy.ty, &e.ty), (Type::Derived(a), Type::Derived(b)) if a == b)
        {
            // Fortran 2018, 15.5.2.5.
            let typing = self.typing();
            let given = typing.declared_lengths(e).iter().map(|n| matches!(n, CharLen::Deferred));
            let wanted = dummy.attrs.lengths.iter().map(|n| matches!(n, CharLen::Deferred));
            if let Some((wanted, _)) = wanted.zip(given).find(|(wanted, given)| wanted != given) {
                let (a, b) = if wanted { ("can", "cannot") } else { ("cannot", "can") };
                let text = format!("argument `{}` {a} get other type parameters, and what is given {b}", dummy.name);
                let d = Diagnostic::new(Code::ArgumentAttribute, arg.span, text);
                return Err(Box::new(d.help("declare both with `:`, or neither")));
            }
        }
        if dummy.attrs.pointer
            && dummy.attrs.intent.is_some_and(|intent| intent != Intent::In)
            && !is_null
            && let Err(why) = self.typing().associable(e)
        {
            let text = format!("`{callee}` may give pointer argument `{}` another target, and {why}", dummy.name);
            return Err(Box::new(Diagnostic::new(Code::ArgumentNotDefinable, arg.span, text)));
        }
        if let (Shape::AssumedShape(_), Some(Shape::AssumedSize(..)), ExprKind::Var(_)) =
            (&dummy.shape, shape_of(&self.defs, e), &e.kind)
        {
            let text = format!("argument `{}` is of assumed shape, and an assumed-size array has no shape", dummy.name);
            let d = Diagnostic::new(Code::ArgumentRank, arg.span, text);
            return Err(Box::new(d.help("pass a section with all bounds")));
        }
        if (dummy.attrs.volatile || dummy.attrs.asynchronous) && !dummy.attrs.value && has_vector_subscript(e) {
            // Fortran 2018, 15.5.2.4.
            let word = if dummy.attrs.volatile { "volatile" } else { "asynchronous" };
            let text = format!("argument `{}` is `{word}`, and what is given has a vector subscript", dummy.name);
            return Err(Box::new(Diagnostic::new(Code::BadVectorSubscript, arg.span, text)));
        }
        if matches!(dummy.attrs.intent, Some(Intent::Out | Intent::InOut)) && !dummy.attrs.value && !is_null {
            // An elemental procedure gets the elements one by one (Fortran 2018, 15.5.2.4).
            if has_vector_subscript(e) && (dummy.shape.rank() > 0 || !self.defs.proc(fit.proc).elemental) {
                let text = format!("`{callee}` changes its argument `{}`, which has a vector subscript", dummy.name);
                return Err(Box::new(Diagnostic::new(Code::BadVectorSubscript, arg.span, text)));
            }
            if let ExprKind::Var(id) = e.kind
                && self.cx.loop_vars.contains(&id)
            {
                let text = format!("`{callee}` changes `{}`, the variable of a loop around it", self.defs.var(id).name);
                return Err(Box::new(Diagnostic::new(Code::BadDoVariable, arg.span, text)));
            }
            if let Err(why) = self.typing().definable(e) {
                let text = format!("`{callee}` changes its argument `{}`, and {why}", dummy.name);
                // nvfortran looks at assignments to arguments with `intent(in)`, not at what their components are passed to.
                // Without an interface it does not know what the procedure does, and another interface it trusts.
                let is_input = root(e).is_some_and(|id| self.defs.var(id).attrs.intent == Some(Intent::In));
                let may_pass =
                    (is_input && (is_implicit || is_of_component(e))) || self.is_described_as_input(fit.proc, param);
                if !may_pass {
                    let d = Diagnostic::new(Code::ArgumentNotDefinable, arg.span, text);
                    return Err(Box::new(d.help("pass a variable")));
                }
                fit.warnings.push(Diagnostic::new(Code::InputChanged, arg.span, text));
            }
        }
        if !is_implicit && !self.defs.proc_info(fit.proc).embedded {
            fit.warnings.extend(shorter(&dummy, e, arg.span));
            fit_size(&self.defs, &dummy, e, arg.span)?;
        }
        self.typing().fit_space(fit, &dummy, e, arg.span)?;
        self.typing().fit_contiguous(&dummy, e)
    }

    /// The length with which a variable or component is declared.
    fn declared_length<'d>(&'d self, e: &Expr) -> Option<&'d CharLen> {
        let ty = match &e.kind {
            ExprKind::Var(id) => &self.defs.var(*id).ty,
            ExprKind::Field { base, field } => match base.ty {
                Type::Derived(ty) => &self.defs.ty(ty).fields.get(*field as usize)?.ty,
                _ => return None,
            },
            _ => return None,
        };
        if let Type::Character(len) = ty { Some(len) } else { None }
    }

    /// Whether a variable is a dummy argument of assumed type.
    fn is_assumed_type(&self, id: VarId) -> bool {
        let var = self.defs.var(id);
        matches!((&var.ty, &var.storage), (Type::Any, Storage::Dummy(_)))
            && !var.attrs.class
            && self.defs.var_info(id).interface.is_none()
    }

    /// An allocatable or a pointer is polymorphic if its dummy is, and both have the same declared type: what one allocates is an
    /// object for the other (Fortran 2018, 15.5.2.5).
    fn fit_declared_type(&self, dummy: &Variable, e: &Expr, span: Span) -> Result<(), Box<Diagnostic>> {
        let (wanted, given) = (dummy.attrs.class, is_class(&self.defs, e));
        let of = |ty: &Type, class: bool| match ty {
            Type::Any if class => "class(*)".to_owned(),
            _ if class => type_name(&self.defs, ty).replacen("type(", "class(", 1),
            _ => type_name(&self.defs, ty),
        };
        let differs = wanted && !same_type(&dummy.ty, &e.ty);
        if wanted == given && !differs {
            return Ok(());
        }
        let text = format!(
            "argument `{}` is `{}`, and may become another object than one of `{}`",
            dummy.name,
            of(&dummy.ty, wanted),
            of(&e.ty, given)
        );
        let d = Diagnostic::new(Code::ArgumentType, span, text);
        Err(Box::new(d.help("declare both with the same type, both with `class` or both with `type`")))
    }

    /// Takes an object of a type that is declared again, or what passes for want of an interface.
    fn take_another_type(
        &self,
        fit: &mut Fit,
        dummy: &Variable,
        e: &Expr,
        wrong: Box<Diagnostic>,
    ) -> Result<(), Box<Diagnostic>> {
        if !is_type_declared_again(&self.defs, dummy, e) {
            return self.take_as_memory(fit, dummy, e, wrong);
        }
        let ty = type_name(&self.defs, &dummy.ty);
        let text = format!("argument `{}` has the `{ty}` of another scope, which is declared alike", dummy.name);
        fit.distance += ANOTHER_TYPE;
        fit.warnings.push(
            Diagnostic::new(Code::TypeDeclaredAgain, wrong.primary.span, text)
                .secondary(dummy.span, "declared here")
                .help("declare the type once, in a module that both use"),
        );
        Ok(())
    }

    /// A procedure for a procedure dummy: both functions or both subroutines, with the same arguments.
    fn fit_procedure(
        &mut self,
        param: VarId,
        dummy: &Variable,
        arg: &Argument,
        fit: &mut Fit,
    ) -> Result<(), Box<Diagnostic>> {
        let (given, given_result) = self.given_procedure(&arg.given);
        let (wanted, wanted_result) = self.interface_of(param);
        for id in given.iter().chain(&wanted) {
            self.resolve_interface(*id);
        }
        if let Given::Proc(id) = arg.given
            && self.defs.proc(id).elemental
            && self.defs.proc_info(id).ast.is_some()
        {
            // Fortran 2018, C1535.
            let text = format!("elemental procedure `{}` cannot be an argument", self.defs.proc(id).name);
            return Err(Box::new(Diagnostic::new(Code::BadProcedureArgument, arg.span, text)));
        }
        let text = match (given, wanted) {
            (Some(given), Some(wanted)) if self.has_no_type(given) && self.defs.proc(wanted).is_function => {
                Some(format!(
                    "argument `{}` must be a function, and `{}` is declared without a type",
                    dummy.name,
                    self.defs.proc(given).name
                ))
            }
            (Some(given), Some(wanted)) => self.procedures_differ(given, wanted, dummy),
            // Where there is no interface, the type of the result may be declared.
            _ => {
                let result = |c: &Self, id: Option<ProcId>, ty: Option<Type>| match id {
                    Some(id) if c.defs.proc_info(id).is_broken => None,
                    Some(id) => c.defs.proc(id).result.map(|r| c.defs.var(r).ty.clone()),
                    None => ty,
                };
                let (x, y) = (result(self, given, given_result), result(self, wanted, wanted_result));
                x.zip(y).filter(|(x, y)| !same_type(x, y) && ![x, y].iter().any(|t| matches!(t, Type::Any))).map(
                    |(x, y)| {
                        let (x, y) = (type_name(&self.defs, &x), type_name(&self.defs, &y));
                        format!("argument `{}` must be a function of `{y}`, not of `{x}`", dummy.name)
                    },
                )
            }
        };
        if let Some(text) = text {
            return Err(Box::new(Diagnostic::new(Code::BadProcedureArgument, arg.span, text)));
        }
        if let (Some(given), Some(wanted)) = (given, wanted)
            && let Some(what) = missing_intent(&self.defs, given, wanted)
        {
            let text = format!("{what} in the interface of argument `{}`", dummy.name);
            let d = Diagnostic::new(Code::InterfaceIntent, arg.span, text);
            fit.warnings.push(d.help("declare the same intents in both"));
        }
        Ok(())
    }

    /// Whether a procedure of which nothing is known but its name can be no function, since no rule gives it a type.
    fn has_no_type(&self, id: ProcId) -> bool {
        let p = self.defs.proc(id);
        self.defs.proc_info(id).unknown_dummies
            && !p.is_function
            && self.scopes.implicit_type(self.cx.scope, &p.name).is_none()
    }

    /// What is known of a procedure that is an actual argument: its interface, or the type of its result.
    pub(super) fn given_procedure(&mut self, given: &Given) -> (Option<ProcId>, Option<Type>) {
        match given {
            Given::Proc(id) => (Some(*id), None),
            Given::Variable(var) | Given::Expr(Expr { kind: ExprKind::Var(var), .. }) => self.interface_of(*var),
            Given::Expr(Expr { kind: ExprKind::Field { base, field }, .. }) => {
                let Type::Derived(ty) = base.ty else { return (None, None) };
                let Some(field) = self.defs.ty(ty).fields.get(*field as usize) else { return (None, None) };
                let name = ast::Name { text: field.name.clone(), span: field.span };
                match self.component_pointed(ty, &name) {
                    Some((pointed, _)) => (pointed.interface, pointed.result),
                    None => (None, None),
                }
            }
            Given::Expr(Expr { kind: ExprKind::Call { proc, .. }, .. }) => match self.defs.proc(*proc).result {
                Some(result) if self.defs.var_info(result).procedure_pointer => self.interface_of(result),
                _ => (None, None),
            },
            Given::Expr(_) => (None, None),
        }
    }

    /// Whether an `intent(out)` dummy is finalised, deallocated or initialised on entry.
    fn is_cleared(&self, dummy: VarId) -> bool {
        let Type::Derived(id) = self.defs.var(dummy).ty else { return self.defs.var_info(dummy).polymorphic };
        self.defs.var_info(dummy).polymorphic
            || self.defs.has_finals(id)
            || self.defs.has_part(id, &|f| f.is_allocatable() || f.init.is_some())
    }

    fn procedures_differ(&self, given: ProcId, wanted: ProcId, dummy: &Variable) -> Option<String> {
        if self.defs.proc_info(given).unknown_dummies || self.defs.proc_info(wanted).unknown_dummies {
            return None;
        }
        let (p, q) = (self.defs.proc(given), self.defs.proc(wanted));
        if p.is_function != q.is_function {
            let what = if q.is_function { "function" } else { "subroutine" };
            return Some(format!("argument `{}` must be a {what}, and `{}` is not one", dummy.name, p.name));
        }
        if p.params.len() != q.params.len() {
            let wanted = count(q.params.len());
            let text =
                format!("argument `{}` must take {wanted}, and `{}` takes {}", dummy.name, p.name, p.params.len());
            return Some(text);
        }
        difference(&self.defs, given, wanted, None)
            .map(|what| format!("`{}` does not have the interface of argument `{}`: {what}", p.name, dummy.name))
    }
}

fn count(n: usize) -> String {
    match n {
        0 => "no arguments".into(),
        1 => "one argument".into(),
        n => format!("{n} arguments"),
    }
}

fn with_declaration(defs: &Definitions<'_>, d: Diagnostic, proc: ProcId) -> Diagnostic {
    if defs.proc_info(proc).embedded { d } else { d.secondary(defs.proc(proc).span, "declared here") }
}

/// Whether a designator is a component of an object, or part of one.
fn is_of_component(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Field { .. } => true,
        ExprKind::Element { base, .. }
        | ExprKind::Section { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::ComplexPart { base, .. } => is_of_component(base),
        _ => false,
    }
}

/// Whether an item of a type is a type-bound procedure, not a component.
fn is_type_bound(item: &ast::TypeItem) -> bool {
    match item {
        ast::TypeItem::Procedure { attrs, .. } => !attrs.iter().any(|a| matches!(a, ast::Attr::Pointer(_))),
        ast::TypeItem::Generic { .. } => true,
        _ => false,
    }
}

/// Whether an expression is `null()` without a mold, which has the type and the rank that its place wants.
fn is_untyped_null(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Null) && matches!(e.ty, Type::Any)
}

fn type_fits(defs: &Definitions<'_>, proc: ProcId, dummy: &Variable, e: &Expr) -> bool {
    let ignores = |c: char| dummy.attrs.ignore_tkr.contains(c);
    if matches!(dummy.ty, Type::Any)
        || is_untyped_null(e)
        || same_type(&dummy.ty, &e.ty)
        || (dummy.attrs.value && defs.are_twins(&dummy.ty, &e.ty))
        || defs.are_flat_twins(&dummy.ty, &e.ty)
        || ((takes_twin(defs, proc, dummy) || takes_managed(defs, proc, dummy, e)) && defs.are_twins(&dummy.ty, &e.ty))
        || (ignores('t') && (ignores('k') || same_kind(&dummy.ty, &e.ty)))
        || (dummy.attrs.class && defs.class_takes(&dummy.ty, &e.ty))
        || (takes_copy(dummy) && defs.class_takes_copy(&dummy.ty, &e.ty))
    {
        return true;
    }
    let same_family = std::mem::discriminant(&dummy.ty) == std::mem::discriminant(&e.ty);
    if ignores('k') && same_family && !matches!(dummy.ty, Type::Derived(_)) {
        return true;
    }
    // Counts, streams and flags of the CUDA interface are taken in any integer kind.
    let number = matches!((&dummy.ty, &e.ty), (Type::Integer(_), Type::Integer(_)));
    defs.proc_info(proc).embedded && dummy.attrs.value && number
}

fn is_described(dummy: &Variable) -> bool {
    dummy.attrs.pointer || dummy.attrs.allocatable
}

/// Whether a polymorphic dummy may be given a copy.
fn takes_copy(dummy: &Variable) -> bool {
    dummy.attrs.class && !is_described(dummy) && dummy.attrs.cuda.is_none()
}

/// Whether a copy of an object can be passed that holds its length parameters, or does not, where the object is of the other kind: a
/// managed one to a procedure of the host, one of the host to a procedure of both sides.
fn takes_twin(defs: &Definitions<'_>, proc: ProcId, dummy: &Variable) -> bool {
    let is_made = matches!(dummy.ty, Type::Derived(id) if defs.ty(id).is_made);
    let is_plain = !dummy.attrs.class && !is_described(dummy);
    is_plain && (is_made || (defs.proc(proc).kind == ProcKind::HostDevice && dummy.attrs.cuda.is_none()))
}

/// Whether a kernel takes a copy of a managed object that holds its length parameters.
fn takes_managed(defs: &Definitions<'_>, proc: ProcId, dummy: &Variable, e: &Expr) -> bool {
    let is_managed = |v| matches!(defs.var(v).attrs.cuda, Some(ast::CudaAttr::Managed | ast::CudaAttr::Unified));
    let is_plain = !dummy.attrs.class && !is_described(dummy);
    is_plain && defs.proc(proc).kind == ProcKind::Kernel && is_designator(e) && root(e).is_some_and(is_managed)
}

/// Whether an object has a type that is declared in another scope like that of its dummy.
fn is_type_declared_again(defs: &Definitions<'_>, dummy: &Variable, e: &Expr) -> bool {
    let (Type::Derived(wanted), Type::Derived(given)) = (&dummy.ty, &e.ty) else { return false };
    !dummy.attrs.class && !is_class(defs, e) && are_declared_alike(defs, *wanted, *given)
}

/// Whether two types, as far as they are those of numbers, have one kind.
fn same_kind(a: &Type, b: &Type) -> bool {
    let kind = |ty: &Type| match ty {
        Type::Integer(k) | Type::Real(k) | Type::Complex(k) | Type::Logical(k) => Some(*k),
        _ => None,
    };
    kind(a).zip(kind(b)).is_none_or(|(a, b)| a == b)
}

/// Whether a Hollerith constant is passed to a dummy as memory: it is a number or a logical value, or an array of them.
pub(super) fn takes_bytes(dummy: &Variable) -> bool {
    let is_sequence = matches!(dummy.shape, Shape::Scalar | Shape::Explicit(_) | Shape::AssumedSize(..));
    let is_value = is_numeric(&dummy.ty) || matches!(dummy.ty, Type::Logical(_));
    is_sequence && is_value && !matches!(dummy.storage, Storage::Procedure)
}

fn fit_type(
    defs: &Definitions<'_>,
    proc: ProcId,
    dummy: &Variable,
    e: &Expr,
    span: Span,
) -> Result<(), Box<Diagnostic>> {
    if type_fits(defs, proc, dummy, e) {
        return Ok(());
    }
    let (wanted, given) = (type_name(defs, &dummy.ty), type_name(defs, &e.ty));
    if defs.are_twins(&dummy.ty, &e.ty) {
        let is_of_device = |ty: &Type| matches!(ty, Type::Derived(id) if !defs.ty(*id).is_made);
        let [wanted, given] = [&dummy.ty, &e.ty].map(|ty| if is_of_device(ty) { "device data" } else { "host data" });
        let text = format!(
            "argument `{}` must be {wanted}, and {given} with lengths that are known at run time only is given",
            dummy.name
        );
        let d = Diagnostic::new(Code::ArgumentType, span, text);
        return Err(Box::new(d.help("copy it by an assignment, and pass the copy")));
    }
    let text = format!("argument `{}` must be `{wanted}`, not `{given}`", dummy.name);
    let d = Diagnostic::new(Code::ArgumentType, span, text);
    let numbers =
        matches!(dummy.ty, Type::Integer(_) | Type::Real(_)) && matches!(e.ty, Type::Integer(_) | Type::Real(_));
    let d = match (&dummy.ty, &e.ty) {
        // The procedure works on the variable itself.
        _ if numbers && is_designator(e) && !dummy.attrs.value && dummy.attrs.intent != Some(Intent::In) => {
            d.help(format!("declare what is passed as `{wanted}`"))
        }
        (Type::Integer(k), Type::Integer(_) | Type::Real(_)) => d.help(format!("convert it with `int(…, {k})`")),
        (Type::Real(k), Type::Integer(_) | Type::Real(_)) => d.help(format!("convert it with `real(…, {k})`")),
        _ => d,
    };
    Err(Box::new(d))
}
