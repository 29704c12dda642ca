//! One run of a compiled expression: its memory, the objects that it reads, and the mapping back to the memory of the program.
//!
//! An object in memory is mirrored: its whole allocation, with shared pages. Shared and local memory of a block, registers and
//! constants are copied. Here all of them are in host memory, because the host executor runs the expression.
//!
//! Not here: which variables the expression reads (`slots`).

use super::slots::{Slot, Source};
use super::{Evaluated, constant_object, refused, run};
use crate::eval::context::{Context, Dim, Object, Store, Viewpoint};
use crate::eval::value::{Eval, EvalError, Kind, Value, fail, from_bytes};
use ir::{AddrBase, Global, GlobalInit, Module, Reg, VarLengths, descriptor};
use mem::address::{SHARED_BASE, is_local, is_shared};
use mem::{Memory, Region};
use sema::checked::{Type, VarId};
use source::Span;
use std::sync::Arc;

/// The extent of the last dimension of an assumed-size array, which is not known.
const ENDLESS: i64 = 1 << 40;
/// Room for small copies, in the same allocation as the expression's variables.
const ROOM: u64 = 1 << 14;
/// Most bytes copied from a local array of unknown size.
const MOST_LOCAL: u64 = 1 << 20;

/// The code of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    module: Arc<Module>,
    /// The loaded program with its memory, if it uses only its own variables.
    ready: Option<(vm::Program, Scratch)>,
}

/// A memory with the variables of the expression and room for copies.
#[derive(Clone, Debug)]
struct Scratch {
    memory: Memory,
    /// First free address, and the end.
    free: u64,
    end: u64,
}

impl Code {
    /// The code of a module.
    pub(crate) fn new(module: Module) -> Eval<Code> {
        let module = Arc::new(module);
        let uses_others = module.globals.iter().any(is_of_program);
        let ready = if uses_others { None } else { Some(load(&module, Memory::new(), |_| None)?) };
        Ok(Code { module, ready })
    }
}

/// Whether a variable belongs to the program and not to the expression.
fn is_of_program(global: &Global) -> bool {
    global.var.is_some() && !global.name.starts_with(super::HOME)
}

/// Gives the variables of a module their addresses: those in `known` have one, the others get new memory.
fn load(
    module: &Arc<Module>,
    mut memory: Memory,
    known: impl Fn(&Global) -> Option<u64>,
) -> Eval<(vm::Program, Scratch)> {
    let no_room = || EvalError("there is no memory for the expression".to_owned());
    let places: Vec<Option<u64>> = module.globals.iter().map(known).collect();
    let own = || module.globals.iter().zip(&places).filter(|(_, place)| place.is_none()).map(|(g, _)| g);
    let bytes: u64 = own().map(|g| g.bytes.next_multiple_of(64)).sum();
    let mut free = memory.alloc(Region::Host, bytes + ROOM, "", Span::NONE).map_err(|_| no_room())?;
    let end = free + bytes + ROOM;
    let mut globals = Vec::with_capacity(places.len());
    for (global, place) in module.globals.iter().zip(&places) {
        let address = place.unwrap_or(free);
        globals.push(address);
        if place.is_some() {
            continue;
        }
        free += global.bytes.next_multiple_of(64);
        if let GlobalInit::Bytes(bytes) = &global.init {
            memory.write(address, &bytes[..bytes.len().min(global.bytes as usize)]).ok_or_else(no_room)?;
        }
    }
    let Ok(program) = vm::compile(module.clone(), globals) else { return refused() };
    Ok((program, Scratch { memory, free, end }))
}

/// What a piece of this memory holds.
struct Piece {
    here: u64,
    bytes: u64,
    origin: Origin,
}

/// Where a piece comes from.
enum Origin {
    Memory(u64),
    Regs(u32, Vec<Reg>),
    Constant,
}

/// A run of an expression in a context.
pub(crate) struct Evaluation<'a> {
    context: &'a Context<'a>,
    program: std::borrow::Cow<'a, vm::Program>,
    pad: Scratch,
    pieces: Vec<Piece>,
}

impl<'a> Evaluation<'a> {
    /// A run of that code, before its slots are filled.
    pub(crate) fn new(code: &'a Code, context: &'a Context<'a>) -> Eval<Evaluation<'a>> {
        let (program, pad) = if let Some((program, pad)) = &code.ready {
            (std::borrow::Cow::Borrowed(program), pad.clone())
        } else {
            let running = context.program;
            let known = |global: &Global| {
                let same = |k: &Global| k.name == global.name && k.bytes == global.bytes;
                let at = running.module().globals.iter().position(same).filter(|_| is_of_program(global))?;
                running.globals().get(at).copied()
            };
            let (program, pad) = load(&code.module, context.memory.clone(), known)?;
            (std::borrow::Cow::Owned(program), pad)
        };
        Ok(Evaluation { context, program, pad, pieces: Vec::new() })
    }

    /// The memory of the run.
    pub(crate) fn memory(&self) -> &Memory {
        &self.pad.memory
    }

    /// The address of a variable; `None` if the code does not use it.
    pub(crate) fn address(&self, id: VarId) -> Option<u64> {
        let is_it = |g: &Global| g.var.as_ref().is_some_and(|v| v.source_id == id.0);
        let at = self.program.module().globals.iter().position(is_it)?;
        self.program.globals().get(at).copied()
    }

    /// Runs the code.
    pub(crate) fn run(&mut self) -> Eval<()> {
        run(&self.program, &mut self.pad.memory)
    }

    /// Points a slot at what it stands for.
    pub(crate) fn fill(&mut self, slot: &Slot) -> Eval<()> {
        let Some(address) = self.address(slot.var) else { return Ok(()) };
        let object = match &slot.source {
            Source::Variable(id) => self.context.variable(*id),
            Source::Presence(id) => Ok(constant_object(Value::logical(self.context.is_present(*id)))),
            Source::Special { index, add } => self.context.special(*index, *add).map(constant_object),
            Source::Part(expr) => expr.evaluate(self.context).map(|seen| match seen {
                Evaluated::Object(object) => object,
                Evaluated::Value(value) => constant_object(value),
            }),
        };
        let object = match object {
            Ok(object) => object,
            Err(_) if !slot.is_needed => return Ok(()),
            Err(why) => return Err(why),
        };
        let base = self.bring(&object)?;
        let mut words = vec![base, object.kind.bytes(), object.dims.len() as u64];
        for d in &object.dims {
            words.extend([d.lower, d.extent.unwrap_or(ENDLESS), d.stride].map(|n| n as u64));
        }
        self.write_words(address, &words)?;
        match self.lengths_place(slot.var) {
            Some(at) => self.write_words(at, &object.lengths.iter().map(|&n| n as u64).collect::<Vec<u64>>()),
            None => Ok(()),
        }
    }

    fn write_words(&mut self, at: u64, words: &[u64]) -> Eval<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|n| n.to_le_bytes()).collect();
        self.pad.memory.write(at, &bytes).ok_or_else(|| EvalError("the expression has no memory".to_owned()))
    }

    /// Where the length parameters of a variable are whose objects do not hold them; `None` if the code does not use them.
    fn lengths_place(&self, id: VarId) -> Option<u64> {
        let globals = self.program.module().globals.iter();
        let var = globals.filter_map(|g| g.var.as_ref()).find(|var| var.source_id == id.0)?;
        match var.lengths {
            VarLengths::Memory(AddrBase::Global(g)) => self.program.global_address(g),
            _ => None,
        }
    }

    /// The address here of an object's first element.
    fn bring(&mut self, object: &Object) -> Eval<u64> {
        let address = match &object.store {
            Store::Value(value) => return self.keep(&value.data, Origin::Constant),
            Store::Regs(frame, regs) => {
                let bytes = self.context.load_element(object, 0)?;
                return self.keep(&bytes, Origin::Regs(*frame, regs.clone()));
            }
            Store::Memory(address) => *address,
        };
        if object.dims.iter().any(|d| d.extent.is_some_and(|n| n <= 0)) || object.kind.bytes() == 0 {
            return self.keep(&[], Origin::Constant);
        }
        let (first, bytes) = object.range();
        let is_within = |p: &&Piece| match p.origin {
            Origin::Memory(there) => first >= there && first - there < p.bytes,
            _ => false,
        };
        if let Some(piece) = self.pieces.iter().find(is_within)
            && let Origin::Memory(there) = piece.origin
        {
            return Ok(piece.here.wrapping_add(address.wrapping_sub(there)));
        }
        let there = match self.context.at {
            Viewpoint::Device { block, .. } if is_shared(address) => {
                let all = self.context.read(SHARED_BASE, block.shared.len() as u64)?;
                self.keep(&all, Origin::Memory(SHARED_BASE))?;
                SHARED_BASE
            }
            Viewpoint::Device { .. } if is_local(address) => {
                let is_endless = object.dims.iter().any(|d| d.extent.is_none());
                let all = if is_endless { self.longest(first) } else { self.context.read(first, bytes) }?;
                self.keep(&all, Origin::Memory(first))?;
                first
            }
            _ => {
                let mirror = self.pad.memory.mirror(self.context.memory, first, Region::Host);
                let Some((there, here, bytes)) = mirror else {
                    return fail(format!("cannot access memory at address {address:#x}"));
                };
                self.pieces.push(Piece { here, bytes, origin: Origin::Memory(there) });
                there
            }
        };
        let here = self.pieces.last().map_or(0, |p| p.here);
        Ok(here.wrapping_add(address.wrapping_sub(there)))
    }

    /// As much of local memory from an address on as can be read.
    fn longest(&self, address: u64) -> Eval<Vec<u8>> {
        let mut bytes = MOST_LOCAL;
        loop {
            match self.context.read(address, bytes) {
                Err(_) if bytes > 1 => bytes /= 2,
                done => return done,
            }
        }
    }

    /// A copy of bytes in this memory.
    fn keep(&mut self, bytes: &[u8], origin: Origin) -> Eval<u64> {
        let no_room = || EvalError("there is no memory for the expression".to_owned());
        let len = bytes.len() as u64;
        let here = self.pad.free;
        let here = if here + len.next_multiple_of(16) <= self.pad.end {
            self.pad.free += len.next_multiple_of(16);
            here
        } else {
            self.pad.memory.alloc(Region::Host, len, "", Span::NONE).map_err(|_| no_room())?
        };
        self.pad.memory.write(here, bytes).ok_or_else(no_room)?;
        self.pieces.push(Piece { here, bytes: len, origin });
        Ok(here)
    }

    /// What the pointer at `at` points to, as an object of the program; `name` is what the user calls it.
    pub(crate) fn object(&self, at: u64, result: VarId, ty: &Type, name: &str) -> Eval<Evaluated> {
        let word = |offset: i64| -> Eval<i64> {
            let mut out = [0; 8];
            match self.pad.memory.read(at.wrapping_add_signed(offset), &mut out) {
                Some(()) => Ok(from_bytes(&out) as i64),
                None => refused(),
            }
        };
        let here = word(descriptor::BASE)? as u64;
        if here == 0 {
            return fail(format!("`{name}` is not allocated or associated"));
        }
        let kind = Kind::of(self.context.checked, ty, Some(word(descriptor::ELEMENT_BYTES)?.max(0) as u64))?;
        let rank = word(descriptor::RANK)?.clamp(0, 15) as u32;
        let dims = (0..rank)
            .map(|d| {
                let extent = word(descriptor::extent(d))?.max(0);
                let extent = (extent < ENDLESS / 2).then_some(extent);
                Ok(Dim { lower: word(descriptor::lower(d))?, extent, stride: word(descriptor::stride(d))? })
            })
            .collect::<Eval<Vec<Dim>>>()?;
        let count = if let Type::Derived(id) = ty { self.context.checked.ty(*id).open_parameters().count() } else { 0 };
        let lengths = match self.lengths_place(result) {
            Some(at) => {
                let here = Context { memory: &self.pad.memory, at: Viewpoint::Nowhere, ..*self.context };
                here.read_words(at, count as u64)?
            }
            None => Vec::new(),
        };
        let piece = self.pieces.iter().find(|p| here >= p.here && here - p.here < p.bytes.max(1));
        let Some(piece) = piece else {
            // The target of a component's descriptor, which is an address of the program's.
            return Ok(Evaluated::Object(Object { kind, store: Store::Memory(here), dims, lengths }));
        };
        let offset = here - piece.here;
        let store = match &piece.origin {
            Origin::Memory(there) => Store::Memory(there + offset),
            Origin::Regs(frame, regs) => {
                let part = piece.bytes / regs.len().max(1) as u64;
                let from = (offset / part.max(1)) as usize;
                let count = (kind.bytes() / part.max(1)).max(1) as usize;
                match regs.get(from..from + count) {
                    Some(regs) => Store::Regs(*frame, regs.to_vec()),
                    None => return refused(),
                }
            }
            Origin::Constant => {
                let here = Object { kind, store: Store::Memory(here), dims, lengths };
                let memory = &self.pad.memory;
                return Context { memory, at: Viewpoint::Nowhere, ..*self.context }.load(&here).map(Evaluated::Value);
            }
        };
        Ok(Evaluated::Object(Object { kind, store, dims, lengths }))
    }
}
