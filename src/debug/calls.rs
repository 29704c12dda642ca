//! Calls of the program's functions and of the device mathematics in expressions of the debugger.
//!
//! What the walk over an expression cannot compute is compiled: a program is made whose main program assigns the one
//! reference, its arguments replaced by their values, to a static variable; it goes through the real lowering and runs on
//! a copy of the memory that the user's program stands in. So a function sees the module variables as they are, and
//! whatever it changes is forgotten. Input, output and the CUDA runtime are out of its reach.

use crate::scene::Scene;
use crate::value::{Eval, EvalError, Kind, Value, fail, from_bytes};
use host::{Host, HostOptions, HostYield};
use ir::{Module, descriptor};
use lower::LowerOptions;
use mem::{Memory, Region};
use scalar::Ty;
use sema::checked::{
    Actual, Attrs, CharLen, Const, Expr, ExprKind, ProcBody, ProcId, ProcKind, Procedure, Program, Scope, Shape, Stmt,
    StmtKind, Storage, Type, VarId, Variable,
};
use source::{SourceMap, Span};
use std::sync::Arc;

/// Schedule points that a function may take.
const PATIENCE: u64 = 1 << 24;
/// Bytes of its stack.
const STACK_BYTES: u64 = 1 << 20;
/// Elements of an array argument at most.
const MOST_ARGUMENT: usize = 1 << 16;

impl Scene<'_> {
    /// The value of a reference to a function, by compiling and running it.
    pub(crate) fn call_out(&self, e: &Expr) -> Eval<Value> {
        let reference = self.with_values(e)?;
        let (program, result) = thunk(self.checked, reference)?;
        let map = SourceMap::new();
        let module = lower::lower(&program, &LowerOptions::default(), &map);
        let mut memory = self.memory.clone();
        let globals = self.place(&module, &mut memory)?;
        let Some(at) = module.globals.iter().position(|g| g.var.as_ref().is_some_and(|v| v.source_id == result.0))
        else {
            return refused(e, self.checked);
        };
        let address = globals[at];
        let code = vm::compile(Arc::new(module), globals).or_else(|_| refused(e, self.checked))?;
        let options = HostOptions { stack_bytes: STACK_BYTES, ..HostOptions::default() };
        let Some(mut host) = Host::new(&code, &mut memory, &options) else { return refused(e, self.checked) };
        let mut budget = PATIENCE;
        loop {
            match host.advance(&code, &mut memory, &mut budget, None) {
                HostYield::Done { code: 0 } => break,
                HostYield::Output { .. } => {}
                HostYield::Fault(finding) => {
                    return match &finding.kind {
                        finding::FindingKind::Unsupported { .. } => refused(e, self.checked),
                        _ => fail(finding.diagnostic().message),
                    };
                }
                HostYield::Budget => return fail("the function takes too long"),
                HostYield::Done { .. } | HostYield::Statement(_) | HostYield::Ask(_) | HostYield::Api(_) => {
                    return fail("the function does what cannot be done from the debugger");
                }
            }
        }
        read_result(&program, result, address, &memory)
    }

    /// The reference with its arguments as constants.
    fn with_values(&self, e: &Expr) -> Eval<Expr> {
        let constant = |a: &Expr| -> Eval<Expr> {
            let v = self.value(a)?;
            if v.count() > MOST_ARGUMENT {
                return fail("an array argument is too large for a call from the debugger");
            }
            let ty = match (&a.ty, v.kind) {
                (Type::Character(_), Kind::Char(len)) => Type::Character(CharLen::Const(len as i64)),
                (ty, _) => ty.clone(),
            };
            Ok(Expr { kind: ExprKind::Const(self.constant_of(&v)?), ty, rank: a.rank, span: Span::NONE })
        };
        let optional = |a: &Option<Expr>| a.as_ref().map(constant).transpose();
        let kind = match &e.kind {
            ExprKind::Intrinsic { id, args } => {
                ExprKind::Intrinsic { id: *id, args: args.iter().map(optional).collect::<Eval<_>>()? }
            }
            ExprKind::Call { proc, args } => {
                let callee = self.checked.proc(*proc);
                if callee.parent.is_some() && callee.parent != self.checked.main {
                    return fail(format!("the internal function `{}` cannot be called from the debugger", callee.name));
                }
                let actual = |a: &Option<Actual>| -> Eval<Option<Actual>> {
                    Ok(match a {
                        Some(Actual::Expr(a)) => Some(Actual::Expr(constant(a)?)),
                        other => other.clone(),
                    })
                };
                ExprKind::Call { proc: *proc, args: args.iter().map(actual).collect::<Eval<_>>()? }
            }
            ExprKind::Binary { op, left, right } => {
                ExprKind::Binary { op: *op, left: Box::new(constant(left)?), right: Box::new(constant(right)?) }
            }
            _ => return refused(e, self.checked),
        };
        Ok(Expr { kind, ty: e.ty.clone(), rank: e.rank, span: Span::NONE })
    }

    /// A value as a constant of the checked program.
    fn constant_of(&self, v: &Value) -> Eval<Const> {
        if v.dims.is_empty() {
            return self.element_const(v.kind, v.element(0));
        }
        let items = (0..v.count()).map(|i| self.element_const(v.kind, v.element(i))).collect::<Eval<Vec<Const>>>()?;
        Ok(Const::Array { bounds: v.dims.clone(), items })
    }

    fn element_const(&self, kind: Kind, bytes: &[u8]) -> Eval<Const> {
        let (word, half) = (from_bytes(bytes), bytes.len() / 2);
        let parts = || (from_bytes(&bytes[..half]), from_bytes(&bytes[half..]));
        let (single, double) = (|w: u64| f32::from_bits(w as u32), f64::from_bits);
        Ok(match kind {
            Kind::Int(ty) => Const::Int(scalar::bits::signed(ty, word)),
            Kind::Real(Ty::F64) => Const::Real8(double(word)),
            Kind::Real(_) => Const::Real4(single(word)),
            Kind::Complex(Ty::F64) => Const::Complex8(double(parts().0), double(parts().1)),
            Kind::Complex(_) => Const::Complex4(single(parts().0), single(parts().1)),
            Kind::Logical(_) => Const::Logical(word & 1 != 0),
            Kind::Char(_) => Const::Char(bytes.into()),
            Kind::Derived(id, size) => {
                let whole = Value { kind, dims: Vec::new(), data: bytes.to_vec() };
                let store = crate::scene::Store::Value(whole);
                let object = crate::scene::Object::scalar(Kind::Derived(id, size), store);
                let fields = 0..self.checked.ty(id).fields.len() as u32;
                let field = |i| self.constant_of(&self.load(&self.field(&object, i)?)?);
                Const::Derived(fields.map(field).collect::<Eval<_>>()?)
            }
        })
    }

    /// Addresses of the module's variables: those of the running program by name, new ones for the rest.
    fn place(&self, module: &Module, memory: &mut Memory) -> Eval<Vec<u64>> {
        let known = &self.program.module.globals;
        let address = |global: &ir::Global| -> Eval<u64> {
            let same = |k: &&ir::Global| k.name == global.name && k.bytes == global.bytes && k.var.is_some();
            if let Some(i) = known.iter().position(|k| same(&k)) {
                return Ok(self.program.globals[i]);
            }
            let no_room = || EvalError("there is no memory for the call".to_owned());
            let address = memory.alloc(Region::Host, global.bytes, "", Span::NONE).map_err(|_| no_room())?;
            if let ir::GlobalInit::Bytes(bytes) = &global.init {
                let bytes = &bytes[..bytes.len().min(global.bytes as usize)];
                memory.write(address, bytes).ok_or_else(no_room)?;
            }
            Ok(address)
        };
        module.globals.iter().map(address).collect()
    }
}

/// The value that the call left in the static variable.
fn read_result(program: &Program, id: VarId, address: u64, memory: &Memory) -> Eval<Value> {
    let var = program.var(id);
    let read = |address: u64, bytes: u64| {
        let mut out = vec![0; bytes as usize];
        memory.read(address, &mut out).map(|()| out).ok_or_else(|| EvalError("the call gave no value".to_owned()))
    };
    if !var.attrs.allocatable {
        let kind = Kind::of(program, &var.ty, None)?;
        return Ok(Value { kind, dims: Vec::new(), data: read(address, kind.bytes())? });
    }
    let word = |offset: i64| read(address.wrapping_add_signed(offset), 8).map(|b| from_bytes(&b) as i64);
    let kind = Kind::of(program, &var.ty, Some(word(descriptor::ELEMENT_BYTES)?.max(0) as u64))?;
    let rank = u32::from(var.shape.rank());
    let dims = (0..rank)
        .map(|d| Ok((word(descriptor::lower(d))?, word(descriptor::extent(d))?.max(0))))
        .collect::<Eval<Vec<(i64, i64)>>>()?;
    let count = dims.iter().fold(1u64, |n, d| n.saturating_mul(d.1 as u64));
    if count > crate::value::MOST_ELEMENTS {
        return fail("the result is too large");
    }
    let base = word(descriptor::BASE)? as u64;
    let data = if count == 0 { Vec::new() } else { read(base, count * kind.bytes())? };
    Ok(Value { kind, dims, data })
}

fn refused<T>(e: &Expr, program: &Program) -> Eval<T> {
    match &e.kind {
        ExprKind::Intrinsic { id, .. } => fail(format!("the function `{}` cannot be evaluated here", id.name())),
        ExprKind::Call { proc, .. } => {
            fail(format!("the function `{}` cannot be called from the debugger", program.proc(*proc).name))
        }
        _ => fail("this expression cannot be evaluated here"),
    }
}

/// A program whose main program assigns `value` to a static variable.
fn thunk(checked: &Program, value: Expr) -> Eval<(Program, VarId)> {
    let mut program = checked.clone();
    let Some(main) = program.main else { return fail("there is no program") };
    // What cannot be reached from here need not be compiled.
    for proc in &mut program.procs {
        if proc.kind == ProcKind::Kernel {
            proc.body = ProcBody::Missing;
        }
    }
    program.procs[main.0 as usize].body = ProcBody::Missing;
    let id = VarId(program.vars.len() as u32);
    let owner = ProcId(program.procs.len() as u32);
    let (shape, allocatable) =
        if value.rank == 0 { (Shape::Scalar, false) } else { (Shape::Deferred(value.rank), true) };
    let ty = match &value.ty {
        Type::Character(CharLen::Const(_)) => value.ty.clone(),
        Type::Character(_) => {
            return fail("a function with a character result of variable length cannot be called here");
        }
        Type::Any => return fail("this expression has no value"),
        ty => ty.clone(),
    };
    program.vars.push(Variable {
        name: "result".into(),
        ty: ty.clone(),
        shape,
        storage: Storage::Static,
        attrs: Attrs { allocatable, ..Attrs::default() },
        init: None,
        owner: None,
        module: Some("cufemu".into()),
        span: Span::NONE,
    });
    let target = Expr { kind: ExprKind::Var(id), ty, rank: value.rank, span: Span::NONE };
    let assign = Stmt { label: None, kind: StmtKind::Assign { target, value }, span: Span::NONE };
    program.procs.push(Procedure {
        name: "expression".into(),
        qualified: "cufemu.expression".into(),
        vars: Vec::new(),
        body: ProcBody::Statements(vec![assign]),
        scope: Scope::default(),
        span: Span::NONE,
        end: Span::NONE,
        ..program.proc(main).clone()
    });
    program.main = Some(owner);
    Ok((program, id))
}
