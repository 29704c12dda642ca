//! What lies at an address: contents, and the name that the source gives it.

use finding::Place;
use ir::{AddrBase, DebugTypeKind, DebugVar, Function, Reg, Ty, Val, VarLoc, VarShape};
use mem::Memory;
use mem::address::{SHARED_BASE, is_local, is_shared};
use vm::{Frame, Program, Warp};

/// The memories that a thread reaches.
#[derive(Clone, Copy, Debug)]
pub struct Memories<'a> {
    /// Everything but shared and local memory.
    pub memory: &'a Memory,
    /// Shared memory of its block.
    pub shared: &'a [u8],
    /// Its warp.
    pub warp: &'a Warp<32>,
}

impl Memories<'_> {
    /// Copies what lane `lane` sees at `address`; `None` if it sees nothing there.
    pub fn read(&self, lane: usize, address: u64, out: &mut [u8]) -> Option<()> {
        if is_shared(address) {
            let at = (address - SHARED_BASE) as usize;
            out.copy_from_slice(self.shared.get(at..at.checked_add(out.len())?)?);
            return Some(());
        }
        if is_local(address) {
            let hit = |f: &&Frame<32>| address >= f.local_base && address - f.local_base < f.local_bytes;
            let frame = self.warp.frames.iter().flatten().find(hit)?;
            let at = lane * frame.local_bytes as usize + (address - frame.local_base) as usize;
            out.copy_from_slice(frame.local.get(at..at.checked_add(out.len())?)?);
            return Some(());
        }
        self.memory.read(address, out)
    }
}

/// The value of an operand in a lane of a frame.
fn value(program: &Program, frame: &Frame<32>, lane: usize, val: Val) -> u64 {
    match val {
        Val::Imm(bits) => bits,
        Val::Reg(reg) => register(program, frame, lane, reg),
    }
}

fn register(program: &Program, frame: &Frame<32>, lane: usize, reg: Reg) -> u64 {
    let slots = &program.code[frame.func.index()].slots;
    slots.get(reg.index()).map_or(0, |&slot| frame.get(slot, lane))
}

/// Names the variable or array element at `address`, as the function of `frame` knows it; `None` if it knows none.
///
/// Of several variables that hold the address the smallest is named; a module variable if the function has none. An
/// assumed-size array holds what follows it in the same allocation.
pub fn place_of(program: &Program, memory: &Memory, frame: &Frame<32>, lane: usize, address: u64) -> Option<Place> {
    let func = program.module.func(frame.func);
    let own = func.vars.iter().filter_map(|var| {
        let base = base_of(program, frame, lane, var)?;
        let bytes = span_of(program, frame, lane, var, base, address)?;
        let is_apart = is_assumed_size(var) && memory.find(base) != memory.find(address);
        (!is_apart).then_some((bytes, base, var))
    });
    if let Some((_, base, var)) = own.min_by_key(|&(bytes, ..)| bytes) {
        return Some(place(program, frame, lane, var, address - base));
    }
    global_place(program, address)
}

/// Names the element of an assumed-size array that `address` would be, were the array as large: of the array that begins
/// closest below.
pub(crate) fn place_behind(program: &Program, frame: &Frame<32>, lane: usize, address: u64) -> Option<Place> {
    let func = program.module.func(frame.func);
    let unbounded = func.vars.iter().filter(|var| is_assumed_size(var));
    let (base, var) = unbounded
        .filter_map(|var| Some((base_of(program, frame, lane, var).filter(|&base| base <= address)?, var)))
        .max_by_key(|&(base, _)| base)?;
    Some(place(program, frame, lane, var, address - base))
}

fn is_assumed_size(var: &DebugVar) -> bool {
    matches!(&var.shape, VarShape::Array(dims) if matches!(dims.last(), Some((_, None, _))))
}

/// Names the module variable or element at `address`.
pub(crate) fn global_place(program: &Program, address: u64) -> Option<Place> {
    program.module.globals.iter().zip(&program.globals).find_map(|(global, &base)| {
        let offset = address.checked_sub(base).filter(|&o| o < global.bytes)?;
        let var = global.var.as_ref()?;
        let dims = match &var.shape {
            VarShape::Array(dims) => dims.clone(),
            _ => return Some(Place::variable(&*var.name)),
        };
        let constant = |v: &Val| match *v {
            Val::Imm(bits) => Some(bits as i64),
            Val::Reg(_) => None,
        };
        let dims: Option<Vec<(i64, i64)>> =
            dims.iter().map(|(lower, _, stride)| Some((constant(lower)?, constant(stride)?))).collect();
        Some(Place::element(&*var.name, subscripts(&dims?, offset as i64)))
    })
}

fn base_of(program: &Program, frame: &Frame<32>, lane: usize, var: &DebugVar) -> Option<u64> {
    match var.loc {
        VarLoc::At(reg) => Some(register(program, frame, lane, reg)).filter(|&a| a != 0),
        VarLoc::Memory(base) => Some(address_of(program, frame, base)),
        _ => None,
    }
}

/// The address of a piece of memory that a frame names.
fn address_of(program: &Program, frame: &Frame<32>, base: AddrBase) -> u64 {
    let code = &program.code[frame.func.index()];
    match base {
        AddrBase::Local(id) => frame.local_base + code.local_offsets.get(id.index()).copied().unwrap_or(0),
        AddrBase::Shared(id) => match code.shared_offsets.get(id.index()).copied().flatten() {
            Some(offset) => SHARED_BASE + offset,
            None => SHARED_BASE + code.shared_bytes.next_multiple_of(16),
        },
        AddrBase::Global(id) => program.globals.get(id.index()).copied().unwrap_or(0),
    }
}

/// Bytes of the variable if it holds `address`; an assumed-size array reaches as far as it must.
fn span_of(program: &Program, frame: &Frame<32>, lane: usize, var: &DebugVar, base: u64, address: u64) -> Option<u64> {
    let offset = address.checked_sub(base)?;
    let element = program.module.types.get(var.ty.index())?.bytes.max(1);
    match &var.shape {
        VarShape::Scalar => (offset < element).then_some(element),
        VarShape::Described(_) => None,
        VarShape::Array(dims) => {
            let Some((_, extent, stride)) = dims.last() else { return (offset < element).then_some(element) };
            let stride = value(program, frame, lane, *stride);
            match extent {
                Some(extent) => {
                    let bytes = value(program, frame, lane, *extent).wrapping_mul(stride);
                    (offset < bytes).then_some(bytes)
                }
                None => Some(1 << 40),
            }
        }
    }
}

fn place(program: &Program, frame: &Frame<32>, lane: usize, var: &DebugVar, offset: u64) -> Place {
    let VarShape::Array(dims) = &var.shape else { return Place::variable(&*var.name) };
    let dims: Vec<(i64, i64)> = dims
        .iter()
        .map(|(lower, _, stride)| {
            (value(program, frame, lane, *lower) as i64, value(program, frame, lane, *stride) as i64)
        })
        .collect();
    Place::element(&*var.name, subscripts(&dims, offset as i64))
}

/// Subscripts of the element at a byte offset; `dims` has the lower bound and the stride in bytes of each dimension.
fn subscripts(dims: &[(i64, i64)], offset: i64) -> Vec<i64> {
    let mut rest = offset;
    let mut out: Vec<i64> = dims
        .iter()
        .rev()
        .map(|&(lower, stride)| {
            let index = if stride == 0 { 0 } else { rest / stride };
            rest -= index * stride;
            lower.wrapping_add(index)
        })
        .collect();
    out.reverse();
    out
}

/// The bits of a value as Fortran would show them, by the type of the variable that holds it.
pub(crate) fn show_value(program: &Program, func: &Function, name: &str, bits: u64) -> Option<String> {
    let global = || program.module.globals.iter().filter_map(|g| g.var.as_ref());
    let var = func.vars.iter().chain(global()).find(|v| &*v.name == name)?;
    let ty = program.module.types.get(var.ty.index())?;
    let value = match (&ty.kind, ty.bytes) {
        (DebugTypeKind::Integer, 1) => text::Value::Int { ty: Ty::I8, bits },
        (DebugTypeKind::Integer, 2) => text::Value::Int { ty: Ty::I16, bits },
        (DebugTypeKind::Integer, 4) => text::Value::Int { ty: Ty::I32, bits },
        (DebugTypeKind::Integer, 8) => text::Value::Int { ty: Ty::I64, bits },
        (DebugTypeKind::Real, 4) => text::Value::Real { ty: Ty::F32, bits },
        (DebugTypeKind::Real, 8) => text::Value::Real { ty: Ty::F64, bits },
        _ => return None,
    };
    Some(text::display(value))
}
