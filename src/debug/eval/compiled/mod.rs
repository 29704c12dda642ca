//! Compiled expressions: an expression of the user, compiled by the real lowering and executor and run beside the program.
//!
//! A checked expression becomes the only statement of a new main program: `result = expression` for a value, or
//! `result => expression` for an expression that designates an object. The variables that it reads are its slots (`slots`):
//! pointers that are set to the objects of the context before each run (`evaluation`). It runs on the host executor in a
//! separate memory that shares the pages of those objects. It can therefore read device memory, and changes made by a
//! function are discarded. It cannot reach input, output or the CUDA runtime.
//!
//! An expression is compiled once and evaluated in many contexts: all lanes of a warp, each hit of a breakpoint.
//!
//! Not here: names and types (`check`), objects and their bytes (`context`).

mod evaluation;
mod slots;

use crate::eval::context::{Context, Object, Store};
use crate::eval::value::{Eval, Kind, MOST_ELEMENTS, Value, fail};
use evaluation::{Code, Evaluation};
use host::{Host, HostOptions, HostYield};
use ir::descriptor;
use mem::Memory;
use sema::checked::{
    Attrs, CharLen, Expr, ExprKind, ProcBody, ProcId, ProcKind, Procedure, Program, Scope, Shape, Stmt, StmtKind,
    Storage, Type, VarId, Variable,
};
use slots::{Slot, Slots};
use source::Span;
use std::sync::Arc;

/// Most schedule points of an evaluation.
const PATIENCE: u64 = 1 << 24;
/// Bytes of its stack.
const STACK_BYTES: u64 = 1 << 20;
/// The module of the slots and the result. It is not a Fortran name.
const HOME: &str = "(expression)";

/// A compiled expression.
#[derive(Clone, Debug)]
pub(crate) struct CompiledExpr {
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// A whole variable needs no code.
    Variable(VarId),
    /// Nor does a constant.
    Constant(Value),
    /// Any other expression runs as code.
    Compiled(Arc<Compiled>),
}

#[derive(Clone, Debug)]
struct Compiled {
    slots: Vec<Slot>,
    code: Code,
    /// The variable that takes the result.
    result: VarId,
    ty: Type,
    rank: u8,
    /// Whether the result is the place of an object instead of a value.
    is_place: bool,
    /// The name of the designated object, without subscripts.
    name: String,
}

/// The result of an expression in a context.
#[derive(Clone, Debug)]
pub(crate) enum Evaluated {
    /// A variable or a part of one.
    Object(Object),
    /// A value only.
    Value(Value),
}

impl CompiledExpr {
    /// The code of an expression.
    pub(crate) fn new(checked: &Program, e: &Expr) -> Eval<CompiledExpr> {
        if let ExprKind::Var(id) = e.kind {
            return match &checked.var(id).storage {
                Storage::Alias(target) => CompiledExpr::new(checked, target),
                Storage::Procedure => fail("a procedure has no value"),
                // A kept value is no variable of the program that the context knows.
                Storage::Parameter => match &checked.var(id).init {
                    Some(init) => {
                        let value = Value::constant(checked, &checked.var(id).ty, init)?;
                        Ok(CompiledExpr { form: Form::Constant(value) })
                    }
                    None => Ok(CompiledExpr { form: Form::Variable(id) }),
                },
                _ => Ok(CompiledExpr { form: Form::Variable(id) }),
            };
        }
        let form = Compiled::new(checked, e, is_designator(checked, e), &e.ty)?;
        Ok(CompiledExpr { form: Form::Compiled(Arc::new(form)) })
    }

    /// The code of an expression converted to a type; a character gets the length of that type.
    pub(crate) fn value_as(checked: &Program, e: &Expr, ty: &Type) -> Eval<CompiledExpr> {
        Ok(CompiledExpr { form: Form::Compiled(Arc::new(Compiled::new(checked, e, false, ty)?)) })
    }

    /// Evaluates the expression in a context.
    pub(crate) fn evaluate(&self, context: &Context<'_>) -> Eval<Evaluated> {
        match &self.form {
            Form::Variable(id) => context.variable(*id).map(Evaluated::Object),
            Form::Constant(value) => Ok(Evaluated::Value(value.clone())),
            Form::Compiled(compiled) => compiled.evaluate(context),
        }
    }

    /// The object that the expression designates; `None` if it designates none.
    pub(crate) fn object(&self, context: &Context<'_>) -> Eval<Option<Object>> {
        Ok(match self.evaluate(context)? {
            Evaluated::Object(object) => Some(object),
            Evaluated::Value(_) => None,
        })
    }

    /// The value of the expression.
    pub(crate) fn value(&self, context: &Context<'_>) -> Eval<Value> {
        match self.evaluate(context)? {
            Evaluated::Object(object) => context.load(&object),
            Evaluated::Value(value) => Ok(value),
        }
    }
}

/// Whether an expression designates an object that has a place: a variable or a part of one without vector subscripts.
fn is_designator(checked: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(id) => match &checked.var(*id).storage {
            Storage::Alias(target) => is_designator(checked, target),
            Storage::Parameter | Storage::Procedure => false,
            _ => true,
        },
        ExprKind::Section { base, subs } => {
            !subs.iter().any(|s| matches!(s, sema::checked::Sub::Vector(_))) && is_designator(checked, base)
        }
        ExprKind::Field { base, .. }
        | ExprKind::Element { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. } => is_designator(checked, base),
        _ => false,
    }
}

/// The name of the object that an expression designates or is a part of.
fn object_name(checked: &Program, e: &Expr) -> String {
    match &e.kind {
        ExprKind::Var(id) => checked.var(*id).name.to_string(),
        ExprKind::Field { base, field } => {
            let component = match base.ty {
                Type::Derived(id) => checked.ty(id).fields.get(*field as usize).map_or("", |f| &*f.name),
                _ => "",
            };
            format!("{}%{component}", object_name(checked, base))
        }
        ExprKind::Element { base, .. }
        | ExprKind::Section { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. } => object_name(checked, base),
        _ => "expression".to_owned(),
    }
}

impl Compiled {
    fn new(checked: &Program, e: &Expr, is_place: bool, ty: &Type) -> Eval<Compiled> {
        let name = object_name(checked, e);
        let mut slots = Slots::new(checked);
        let mut e = e.clone();
        slots.cut(&mut e, is_place)?;
        let (slots, mut vars) = slots.finish();
        let result = VarId((checked.vars.len() + vars.len()) as u32);
        let has_length = matches!(ty, Type::Character(CharLen::Const(_)));
        let ty = match ty {
            Type::Any => return fail("this expression has no value"),
            Type::Character(_) if is_place || !has_length => Type::Character(CharLen::Deferred),
            ty => ty.clone(),
        };
        // A character whose length is known only at run time is allocated, like an array.
        let is_allocated = e.rank > 0 || matches!(ty, Type::Character(CharLen::Deferred));
        let attrs =
            Attrs { pointer: is_place, allocatable: !is_place && is_allocated, ..flat_attributes(checked, &ty) };
        if attrs.is_flat && !is_place {
            return fail("a value whose length parameters belong to no variable cannot be shown");
        }
        vars.push(slot_variable("result", &ty, e.rank, attrs));
        let rank = e.rank;
        let target = Expr { kind: ExprKind::Var(result), ty: ty.clone(), rank, span: Span::NONE };
        let kind = if is_place {
            StmtKind::PointerAssign { target, bounds: Vec::new(), value: e }
        } else {
            StmtKind::Assign { target, value: e }
        };
        let program = thunk(checked, vars, Stmt { label: None, kind, span: Span::NONE })?;
        let code = Code::new(compile::compile_main(&program))?;
        Ok(Compiled { slots, code, result, ty, rank, is_place, name })
    }

    fn evaluate(&self, context: &Context<'_>) -> Eval<Evaluated> {
        let mut evaluation = Evaluation::new(&self.code, context)?;
        for slot in &self.slots {
            evaluation.fill(slot)?;
        }
        evaluation.run()?;
        let Some(at) = evaluation.address(self.result) else { return refused() };
        if self.is_place {
            return evaluation.object(at, self.result, &self.ty, &self.name);
        }
        self.read(context.checked, at, evaluation.memory()).map(Evaluated::Value)
    }

    /// The value of the result variable after the run.
    fn read(&self, checked: &Program, address: u64, memory: &Memory) -> Eval<Value> {
        let read = |address: u64, bytes: u64| {
            let mut out = vec![0; bytes as usize];
            match memory.read(address, &mut out) {
                Some(()) => Ok(out),
                None if bytes == 0 => Ok(out),
                None => fail("the expression has no value here"),
            }
        };
        if self.rank == 0 && !matches!(self.ty, Type::Character(CharLen::Deferred)) {
            let kind = Kind::of(checked, &self.ty, None)?;
            return Ok(Value { kind, dims: Vec::new(), data: read(address, kind.bytes())? });
        }
        let word = |offset: i64| {
            read(address.wrapping_add_signed(offset), 8).map(|b| crate::eval::value::from_bytes(&b) as i64)
        };
        let kind = Kind::of(checked, &self.ty, Some(word(descriptor::ELEMENT_BYTES)?.max(0) as u64))?;
        let dims = (0..u32::from(self.rank))
            .map(|d| Ok((word(descriptor::lower(d))?, word(descriptor::extent(d))?.max(0))))
            .collect::<Eval<Vec<(i64, i64)>>>()?;
        let count = dims.iter().fold(1u64, |n, d| n.saturating_mul(d.1 as u64));
        if count > MOST_ELEMENTS {
            return fail("the value has too many elements to be shown");
        }
        let base = word(descriptor::BASE)? as u64;
        Ok(Value { kind, dims, data: read(base, count * kind.bytes())? })
    }
}

/// The attributes of a variable of the expression that say that its length parameters are kept with it, as its objects do not hold them.
fn flat_attributes(checked: &Program, ty: &Type) -> Attrs {
    match ty {
        Type::Derived(id) if checked.ty(*id).is_flat => {
            let lengths = checked.ty(*id).open_parameters().map(|_| CharLen::Deferred).collect();
            Attrs { is_flat: true, lengths, ..Attrs::default() }
        }
        _ => Attrs::default(),
    }
}

/// A new static variable of the expression.
fn slot_variable(name: &str, ty: &Type, rank: u8, attrs: Attrs) -> Variable {
    let shape = if rank == 0 { Shape::Scalar } else { Shape::Deferred(rank) };
    Variable {
        name: name.into(),
        ty: ty.clone(),
        shape,
        storage: Storage::Static,
        attrs,
        init: None,
        owner: None,
        module: Some(HOME.into()),
        span: Span::NONE,
    }
}

/// A program whose main program is one statement.
fn thunk(checked: &Program, vars: Vec<Variable>, stmt: Stmt) -> Eval<Program> {
    let mut program = checked.clone();
    let Some(main) = program.main else { return fail("there is no program") };
    // Functions of device code run here as host code, without what only a thread of a kernel has.
    for proc in program.procs.iter_mut().filter(|p| p.kind == ProcKind::Device) {
        proc.kind = ProcKind::HostDevice;
    }
    program.vars.extend(vars);
    let owner = ProcId(program.procs.len() as u32);
    program.procs.push(Procedure {
        name: "expression".into(),
        qualified: format!("{HOME}.expression").into(),
        vars: Vec::new(),
        body: ProcBody::Statements(vec![stmt]),
        scope: Scope::default(),
        span: Span::NONE,
        end: Span::NONE,
        ..program.proc(main).clone()
    });
    program.main = Some(owner);
    Ok(program)
}

fn refused<T>() -> Eval<T> {
    fail("this expression cannot be evaluated here")
}

/// Runs a host program to its end.
fn run(code: &vm::Program, memory: &mut Memory) -> Eval<()> {
    let options = HostOptions { stack_bytes: STACK_BYTES, ..HostOptions::default() };
    let Some(mut host) = Host::new(code, memory, &options) else { return refused() };
    let mut budget = PATIENCE;
    loop {
        match host.advance(code, memory, &mut budget, None, None) {
            HostYield::Done { code: 0 } => return Ok(()),
            HostYield::Output { .. } => {}
            HostYield::Fault(finding) => return fail(finding.diagnostic().message),
            HostYield::Budget => return fail("the evaluation takes too long"),
            HostYield::Done { .. }
            | HostYield::Statement(_)
            | HostYield::Ask(_)
            | HostYield::Api(_)
            | HostYield::Mpi(_) => {
                return fail("the expression does something that the debugger cannot do");
            }
        }
    }
}

/// An object that is a value only.
pub(crate) fn constant_object(value: Value) -> Object {
    let dims = crate::eval::context::value_dims(&value);
    Object { kind: value.kind, dims, store: Store::Value(value), lengths: Vec::new() }
}
