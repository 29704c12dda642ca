//! A function of PTX as a function of the IR.
//!
//! Registers of PTX may be assigned many times, and so may those that they become; at the end, those with one assignment that
//! dominates its reads become temporaries. A register has the type of its declaration; an instruction that reads it with
//! another type of its width reads its bits, and one that reads fewer bits the lowest ones (PTX ISA 9.4.1).
//!
//! Addresses are generic throughout (PTX ISA 6.4.1): the address of a shared variable is its address in the generic window, and
//! `cvta` copies. [`shared`] says how addresses of 32 bits fit in.
//!
//! An instruction that the IR cannot express is refused: a thread that comes to it ends the run with an error.

mod arith;
mod bits;
mod brain;
mod call;
mod cluster;
mod compare;
mod control;
mod convert;
mod halves;
mod integers;
mod matrix;
mod memory;
mod named;
mod printf;
mod registers;
mod rounding;
mod shared;
mod temporaries;
mod warp;

use crate::lines::Lines;
use crate::mangled::variable_name;
use crate::syntax::{
    Instruction, Kind, Number, Operand, Parameter, Ptx, Routine, StateSpace, Statement, Type, Variable, What,
};
use ir::op::CvtOp;
use ir::{
    AddrBase, Bb, FuncId, FuncKind, Function, FunctionBuilder, GlobalId, LocalSlot, ParamKind, Reg, SharedSize,
    SharedVar, Term, Trap, Ty, Val,
};
use registers::{Binding, Scope};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bytes of a variable in local or shared memory, or of a parameter, at most.
const MOST_LOCAL_BYTES: u64 = 1 << 24;

/// Why an instruction is not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// PTX that the IR cannot express; what follows "unsupported feature".
    Unsupported(String),
    /// No valid PTX; a sentence.
    Wrong(String),
}

pub(crate) type Result<T> = std::result::Result<T, Fault>;

fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(Fault::Unsupported(what.into()))
}

fn wrong<T>(what: impl Into<String>) -> Result<T> {
    Err(Fault::Wrong(what.into()))
}

/// What is around a function.
pub(crate) struct Unit<'a> {
    pub(crate) ptx: &'a Ptx,
    pub(crate) lines: &'a Lines<'a>,
    /// The variables of the file that functions use, in global and constant memory.
    pub(crate) globals: BTreeMap<Arc<str>, GlobalId>,
    /// The functions that others call.
    pub(crate) functions: BTreeMap<Arc<str>, FuncId>,
    /// What pointers to functions hold.
    pub(crate) numbers: BTreeMap<Arc<str>, u64>,
}

impl Unit<'_> {
    pub(crate) fn routine(&self, name: &str) -> Option<&Routine> {
        self.ptx.functions.iter().find(|f| &*f.name == name)
    }

    fn variable(&self, name: &str) -> Option<&Variable> {
        self.ptx.variables.iter().find(|v| &*v.name == name)
    }
}

/// A function that was read, and what could not be.
pub(crate) struct Made {
    pub(crate) function: Function,
    pub(crate) faults: Vec<(Span, Fault)>,
}

/// Reads a routine that has a body. `declared` is the function that it becomes the body of: parameters and results are those of its
/// interface, and a function without one has its name alone.
pub(crate) fn routine<'a>(unit: &'a Unit<'a>, routine: &'a Routine, declared: &Function) -> Made {
    let body = routine.body.as_deref().unwrap_or_default();
    let kind = if routine.is_kernel { FuncKind::Kernel } else { FuncKind::Device };
    let mut builder = FunctionBuilder::new(declared.name.clone(), kind, declared.span);
    builder.func_mut().max_threads = routine.max_threads;
    builder.func_mut().cluster = routine.cluster;
    let mut reader = Reader {
        unit,
        b: builder,
        body,
        definitions: shared::definitions(body),
        addresses: shared::addresses(unit, body),
        scopes: vec![Scope::default()],
        places: control::places(body),
        opened: 0,
        labels: BTreeMap::new(),
        targets: BTreeMap::new(),
        shared: BTreeMap::new(),
        barriers: None,
        results: Vec::new(),
        carry: None,
        line: None,
        faults: Vec::new(),
    };
    reader.enter(routine, declared);
    if routine.is_kernel {
        reader.begin_barriers();
    }
    reader.statements(body);
    let mut function = reader.b.finish();
    temporaries::find(&mut function);
    Made { function, faults: reader.faults }
}

/// A block of the IR that a label names.
#[derive(Clone, Copy)]
struct Labelled {
    block: Bb,
    /// Whether the label was passed: a jump to it goes back.
    is_placed: bool,
}

struct Reader<'a> {
    unit: &'a Unit<'a>,
    b: FunctionBuilder,
    body: &'a [Statement],
    /// The instruction that assigns a register, where it is one alone.
    definitions: BTreeMap<Arc<str>, Option<&'a Instruction>>,
    /// The registers of 32 bits that hold addresses of shared memory.
    addresses: BTreeSet<Arc<str>>,
    scopes: Vec<Scope<'a>>,
    /// Where labels stand: their names, and the numbers of the blocks of statements around them.
    places: BTreeSet<(Arc<str>, usize)>,
    /// How many blocks of statements were opened.
    opened: usize,
    labels: BTreeMap<(Arc<str>, usize), Labelled>,
    /// The lists of labels of `brx.idx`.
    targets: BTreeMap<Arc<str>, &'a [Arc<str>]>,
    /// The shared variables that the function has.
    shared: BTreeMap<Arc<str>, ir::SharedId>,
    /// The barriers of parts of the block, if a kernel has them.
    barriers: Option<ir::SharedId>,
    /// What `ret` gives back.
    /// What holds each result, and the type by which it is returned.
    results: Vec<(Reg, Ty)>,
    /// The condition code: whether the last sum carried.
    carry: Option<Reg>,
    /// The line of the last statement, and whether it has begun.
    line: Option<Span>,
    faults: Vec<(Span, Fault)>,
}

/// An instruction taken apart.
struct Op<'a> {
    parts: Vec<&'a str>,
    /// The types among the parts, in order.
    types: Vec<Type>,
    operands: &'a [Operand],
    instruction: &'a Instruction,
}

impl<'a> Op<'a> {
    fn new(instruction: &'a Instruction) -> Op<'a> {
        let parts = instruction.parts();
        let types = parts.iter().skip(1).filter_map(|part| Type::of(part)).collect();
        Op { parts, types, operands: &instruction.operands, instruction }
    }

    fn has(&self, part: &str) -> bool {
        self.parts.contains(&part)
    }

    /// Refuses parts of the opcode that are neither types nor among these.
    fn only(&self, known: &[&str]) -> Result<()> {
        match self.parts.iter().skip(1).find(|part| Type::of(part).is_none() && !known.contains(part)) {
            Some(_) => self.refused(),
            None => Ok(()),
        }
    }

    fn refused<T>(&self) -> Result<T> {
        unsupported(format!("PTX instruction `{}`", self.instruction.opcode))
    }

    /// The first type.
    fn ty(&self) -> Result<Type> {
        match self.types.first() {
            Some(&ty) => Ok(ty),
            None => wrong(format!("`{}` has no type", self.instruction.opcode)),
        }
    }

    /// The second type, or the first.
    fn second_ty(&self) -> Result<Type> {
        self.types.get(1).map_or_else(|| self.ty(), |&ty| Ok(ty))
    }

    /// Refuses a type that is no integer of so many bits.
    fn integer_of(&self, ty: Type, bits: &[u32]) -> Result<()> {
        if ty.kind.is_integer() && bits.contains(&ty.bits) { Ok(()) } else { self.refused() }
    }

    /// Refuses a predicate.
    fn no_predicate(&self, ty: Type) -> Result<()> {
        if ty.kind == Kind::Pred { self.refused() } else { Ok(()) }
    }

    fn operand(&self, number: usize) -> Result<&'a Operand> {
        match self.operands.get(number) {
            Some(operand) => Ok(operand),
            None => wrong(format!("`{}` has too few operands", self.instruction.opcode)),
        }
    }

    /// Checks the number of operands.
    fn count(&self, least: usize, most: usize) -> Result<()> {
        let given = self.operands.len();
        if (least..=most).contains(&given) {
            return Ok(());
        }
        wrong(format!("`{}` has {given} operands, {least} are expected", self.instruction.opcode))
    }

    /// The state space among the parts.
    fn space(&self) -> Option<StateSpace> {
        self.parts.iter().skip(1).find_map(|part| StateSpace::of(part))
    }
}

/// The type of the IR that a value of that type of PTX has.
pub(crate) fn ir_type(ty: Type) -> Result<Ty> {
    Ok(match (ty.kind, ty.bits) {
        (Kind::Pred, _) => Ty::Pred,
        (Kind::Real, 32) => Ty::F32,
        (Kind::Real, 64) => Ty::F64,
        (Kind::Bits | Kind::Unsigned | Kind::Signed, 8) => Ty::I8,
        (Kind::Bits | Kind::Unsigned | Kind::Signed, 16) => Ty::I16,
        (Kind::Bits | Kind::Unsigned | Kind::Signed, 32) => Ty::I32,
        (Kind::Bits | Kind::Unsigned | Kind::Signed, 64) => Ty::I64,
        // Their bits.
        (Kind::Real | Kind::Brain, _) => Ty::I16,
        (Kind::Halves | Kind::Brains, _) => Ty::I32,
        (_, _) => return unsupported("values of 128 bits in PTX"),
    })
}

/// The integer type of so many bytes.
fn integer(bytes: u32) -> Ty {
    match bytes {
        1 => Ty::I8,
        2 => Ty::I16,
        4 => Ty::I32,
        _ => Ty::I64,
    }
}

impl<'a> Reader<'a> {
    /// Binds the parameters and results of the routine.
    fn enter(&mut self, routine: &'a Routine, declared: &Function) {
        for (number, param) in routine.params.iter().enumerate() {
            let binding = match declared.params.get(number) {
                Some(known) => match known.kind {
                    ParamKind::Bytes { bytes, align } => {
                        Binding::Bytes(self.b.bytes_param(bytes, align, known.name.clone()))
                    }
                    ParamKind::Value => {
                        let ty = declared.ty(known.reg);
                        let passed = self.b.param(ty, known.name.clone());
                        Binding::Value(match value_type(param) {
                            Some(wide) if is_widened(param, ty) => {
                                let reg = self.b.mutable(wide);
                                let value = self.extended(passed.into(), ty, wide, true);
                                self.b.set(reg, value);
                                reg
                            }
                            _ => passed,
                        })
                    }
                },
                None => self.parameter(param),
            };
            self.bind(param.name.clone(), binding);
        }
        for (number, result) in routine.results.iter().enumerate() {
            let binding = match (declared.results.get(number).copied(), value_type(result)) {
                (Some(ty), own) | (None, own @ Some(ty)) => {
                    self.b.result(ty);
                    let held = own.filter(|_| is_widened(result, ty)).unwrap_or(ty);
                    let reg = self.b.mutable(held);
                    self.b.set(reg, Val::Imm(0));
                    self.results.push((reg, ty));
                    Binding::Value(reg)
                }
                // The caller gives an address for it, behind the parameters.
                (None, None) => Binding::Bytes(self.b.param(Ty::I64, result.name.clone())),
            };
            let binding = self.as_register(result, binding);
            self.bind(result.name.clone(), binding);
        }
    }

    /// A parameter of a function.
    fn parameter(&mut self, param: &Parameter) -> Binding {
        let binding = match value_type(param) {
            Some(ty) => Binding::Value(self.b.mutable_param(ty, param.name.clone())),
            None => {
                let bytes = param.bytes().min(MOST_LOCAL_BYTES);
                Binding::Bytes(self.b.bytes_param(bytes, param.align, param.name.clone()))
            }
        };
        self.as_register(param, binding)
    }

    fn as_register(&mut self, param: &Parameter, binding: Binding) -> Binding {
        match binding {
            Binding::Value(reg) if param.is_register => Binding::Register(reg, param.ty),
            other => other,
        }
    }

    fn statements(&mut self, body: &'a [Statement]) {
        for statement in body {
            if let What::Targets(name, labels) = &statement.what {
                self.targets.insert(name.clone(), labels);
            }
        }
        for statement in body {
            if let Err(fault) = self.statement(statement) {
                self.refuse(statement.span, fault);
            }
        }
        // A function that ends without `ret`.
        self.leave();
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<()> {
        match &statement.what {
            What::Registers { name, ty, count } => {
                self.declare(name, *ty, *count);
                Ok(())
            }
            What::Variable(variable) => self.local_variable(variable),
            What::Label(name) => self.place(name),
            What::Targets(..) => Ok(()),
            What::Open => {
                self.opened += 1;
                self.scopes.push(Scope::new(self.opened));
                Ok(())
            }
            What::Close => {
                if self.scopes.len() > 1 {
                    self.scopes.pop();
                }
                Ok(())
            }
            What::Line { file, line, column } => {
                // Line 0 is code that no line made.
                if *line > 0 {
                    let span = self.unit.lines.span(self.unit.ptx.file, *file, *line, *column);
                    self.begin_line(span);
                }
                Ok(())
            }
            What::Instruction(instruction) => {
                if self.line.is_none() {
                    self.b.set_span(statement.span);
                }
                self.guarded(instruction)
            }
        }
    }

    /// Goes on at a line of the source; a statement begins if it is another line than before.
    fn begin_line(&mut self, span: Option<Span>) {
        let Some(span) = span else { return };
        let same_line = |last: Span| last.file == span.file && last.end == span.end;
        if self.line.is_some_and(same_line) {
            self.b.set_span(span);
        } else {
            self.b.stmt(span);
        }
        self.line = Some(span);
    }

    /// Says why an instruction is not read, and ends the run where it stands.
    fn refuse(&mut self, span: Span, fault: Fault) {
        let span = if self.line.is_some() && matches!(fault, Fault::Unsupported(_)) { self.b.span() } else { span };
        self.b.set_span(span);
        self.faults.push((span, fault));
        self.end(Term::Trap(Trap::Unsupported));
    }

    /// Ends the block; what follows is reached by labels only.
    fn end(&mut self, term: Term) {
        self.b.terminate(term);
        let next = self.b.new_block();
        self.b.switch_to(next);
    }

    /// A variable in the function: local memory, shared memory, what is passed to a call.
    fn local_variable(&mut self, variable: &'a Variable) -> Result<()> {
        if variable.bytes() > MOST_LOCAL_BYTES {
            return wrong(format!("`{}` has more bytes than memory of a thread or a block", variable.name));
        }
        let binding = match variable.space {
            StateSpace::Shared => {
                self.shared_variable(variable);
                return Ok(());
            }
            StateSpace::Param if !variable.is_array => {
                let ty = ir_type(variable.ty)?;
                Binding::Value(self.b.mutable(ty))
            }
            StateSpace::Param | StateSpace::Local => Binding::Slot(self.b.add_local(LocalSlot {
                bytes: variable.bytes(),
                align: variable.align,
                name: variable.name.clone(),
                span: variable.span,
                inlined: ir::InlineId::NONE,
            })),
            StateSpace::Global | StateSpace::Const | StateSpace::Cluster => {
                return unsupported("variables of this kind in a function of PTX");
            }
        };
        self.bind(variable.name.clone(), binding);
        Ok(())
    }

    fn shared_variable(&mut self, variable: &Variable) -> ir::SharedId {
        if let Some(&id) = self.shared.get(&variable.name) {
            return id;
        }
        let size = match variable.count {
            Some(_) if !variable.is_extern => SharedSize::Static(variable.bytes().min(MOST_LOCAL_BYTES)),
            _ => SharedSize::Dynamic,
        };
        let elements = variable.count.unwrap_or(0) as i64;
        let id = self.b.add_shared(SharedVar {
            name: variable_name(&variable.name).into(),
            size,
            align: variable.align,
            element_bytes: variable.ty.bytes(),
            // C counts from 0. An array of bytes is one of something else.
            bounds: if variable.ty.bits > 8 { vec![(0, elements)] } else { Vec::new() },
            span: variable.span,
        });
        self.shared.insert(variable.name.clone(), id);
        id
    }

    /// The address of a variable, generic.
    fn address_of(&mut self, name: &Arc<str>) -> Result<Val> {
        if let Some(binding) = self.binding(name) {
            return match binding {
                Binding::Slot(id) => Ok(self.b.addr_local(id).into()),
                Binding::Bytes(reg) => Ok(reg.into()),
                Binding::Value(reg) => Ok(self.spilt(name, reg)),
                Binding::Register(..) => wrong(format!("`{name}` is a register and has no address")),
            };
        }
        if let Some(&id) = self.shared.get(name) {
            return Ok(self.b.addr_shared(id).into());
        }
        let Some(variable) = self.unit.variable(name) else {
            if let Some(&number) = self.unit.numbers.get(name) {
                return Ok(Val::Imm(number));
            }
            if self.unit.routine(name).is_some() {
                return unsupported(format!("the address of function `{name}`"));
            }
            return wrong(format!("nothing declares `{name}`"));
        };
        if variable.space == StateSpace::Shared {
            let id = self.shared_variable(variable);
            return Ok(self.b.addr_shared(id).into());
        }
        if variable.holds_address(&self.unit.numbers) {
            return unsupported(format!("variable `{name}`, whose first value is an address"));
        }
        match self.unit.globals.get(name) {
            Some(&id) => Ok(self.b.addr(AddrBase::Global(id)).into()),
            None => unsupported(format!("variable `{name}`, which the file only declares")),
        }
    }

    /// The address of a copy of a parameter's value, which does not change.
    fn spilt(&mut self, name: &Arc<str>, reg: Reg) -> Val {
        let ty = self.b.ty(reg);
        let bytes = u64::from(ty.bytes());
        let slot =
            LocalSlot { bytes, align: bytes, name: name.clone(), span: self.b.span(), inlined: ir::InlineId::NONE };
        let id = self.b.add_local(slot);
        let address = self.b.addr_local(id);
        self.b.store(ty, ir::Space::Local, ir::Access::Plain, address, 0, reg);
        address.into()
    }

    /// `from` converted to another integer type: with its sign, or with zeros.
    fn extended(&mut self, value: Val, from: Ty, to: Ty, signed: bool) -> Val {
        if from == to {
            return value;
        }
        if let Val::Imm(bits) = value {
            let wide = if signed { scalar::bits::signed(from, bits) as u64 } else { bits };
            return Val::Imm(scalar::bits::canonical(to, wide));
        }
        let op = if signed || to.bytes() < from.bytes() { CvtOp::Cast } else { CvtOp::CastU };
        self.b.cvt(op, from, to, value).into()
    }

    /// The same bits as another type of that width.
    fn as_bits(&mut self, value: Val, from: Ty, to: Ty) -> Val {
        match value {
            _ if from == to => value,
            Val::Imm(_) => value,
            Val::Reg(_) => self.b.cvt(CvtOp::Bits, from, to, value).into(),
        }
    }
}

/// Whether a parameter or result of a function, a value of 32 bits, holds an integer of fewer bits: those are extended (PTX
/// Interoperability, 3.2).
pub(crate) fn is_widened(param: &Parameter, ty: Ty) -> bool {
    param.count.is_none() && param.ty.kind != Kind::Real && param.bytes() == 4 && !ty.is_real() && ty.bytes() < 4
}

/// The type of a parameter that is passed as a value and not as bytes.
fn value_type(param: &Parameter) -> Option<Ty> {
    ir_type(param.ty).ok().filter(|_| param.count.is_none())
}

/// The bits of a constant as a value of a type.
pub(crate) fn bits_of(number: Number, ty: Ty) -> u64 {
    let bits = match (number, ty) {
        (Number::Int(value), Ty::F32) => u64::from((value as i64 as f32).to_bits()),
        (Number::Int(value), Ty::F64) => (value as i64 as f64).to_bits(),
        (Number::Int(value), Ty::Pred) => u64::from(value != 0),
        (Number::Int(value), _) => value,
        (Number::Single(bits), Ty::F64 | Ty::I64) => f64::from(f32::from_bits(bits)).to_bits(),
        (Number::Single(bits), _) => u64::from(bits),
        (Number::Double(value), Ty::F64 | Ty::I64) => value.to_bits(),
        (Number::Double(value), _) => u64::from((value as f32).to_bits()),
    };
    scalar::bits::canonical(ty, bits)
}

fn constant(number: Number, ty: Ty) -> Val {
    Val::Imm(bits_of(number, ty))
}

/// Whether an instruction assigns its first operand, or the registers in it.
fn assigns(instruction: &Instruction) -> bool {
    !matches!(
        instruction.stem(),
        "st" | "red"
            | "bra"
            | "brx"
            | "call"
            | "ret"
            | "exit"
            | "bar"
            | "barrier"
            | "membar"
            | "fence"
            | "trap"
            | "prefetch"
    ) || matches!(instruction.parts()[..], ["bar" | "barrier", .., "pred" | "u32"])
}

/// Calls `f` with each register that an instruction assigns.
fn each_assigned(instruction: &Instruction, mut f: impl FnMut(&Arc<str>)) {
    if !assigns(instruction) {
        // The results of a call stand in a list.
        if let ("call", [Operand::List(results), _, ..]) = (instruction.stem(), &instruction.operands[..]) {
            results.iter().filter_map(Operand::name).for_each(f);
        }
        return;
    }
    fn walk(operand: &Operand, f: &mut impl FnMut(&Arc<str>)) {
        match operand {
            Operand::Name(name, _) => f(name),
            Operand::Vector(all) | Operand::List(all) => all.iter().for_each(|one| walk(one, f)),
            Operand::Pair(a, b) => {
                walk(a, f);
                walk(b, f);
            }
            Operand::Number(_) | Operand::Not(_) | Operand::Memory(..) => {}
        }
    }
    if let Some(first) = instruction.operands.first() {
        walk(first, &mut f);
    }
}
