//! What lies at an address: contents, and the name that the source gives it.

use finding::Place;
use ir::{
    AddrBase, DebugTypeKind, DebugVar, FuncId, Function, InlineId, Reg, SharedSize, Ty, Val, VarLoc, VarShape,
    descriptor,
};
use mem::address::{SHARED_BASE, is_local, is_shared};
use mem::{Memory, ReadBytes};
use source::Span;
use vm::{Frame, Program, Warp};

/// The memories that a thread reaches.
#[derive(Clone, Copy, Debug)]
pub struct Memories<'a> {
    /// Everything but shared and local memory.
    pub memory: &'a dyn ReadBytes,
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
            return self.warp.read_local(lane, address, out);
        }
        self.memory.read(address, out)
    }
}

/// A lane of a frame, in which registers have values; module variables need none.
type Seat<'a> = Option<(&'a Frame<32>, usize)>;

/// The value of an operand.
fn value(program: &Program, seat: Seat<'_>, val: Val) -> u64 {
    match val {
        Val::Imm(bits) => bits,
        Val::Reg(reg) => register(program, seat, reg),
    }
}

fn register(program: &Program, seat: Seat<'_>, reg: Reg) -> u64 {
    let Some((frame, lane)) = seat else { return 0 };
    frame.read_reg(program, reg, lane).unwrap_or(0)
}

/// Names the variable or array element at `address`, as the function of `frame` knows it; `None` if it knows none.
///
/// Of several variables that hold the address the smallest is named; a module variable if the function has none. An
/// assumed-size array holds what follows it in the same allocation.
pub fn place_of(program: &Program, memory: &Memory, frame: &Frame<32>, lane: usize, address: u64) -> Option<Place> {
    place_in(program, memory, (frame, lane, InlineId::NONE), address)
}

/// The same for a lane that is in an inlined call, as the function knows it that is called.
pub(crate) fn place_in(
    program: &Program,
    memory: &Memory,
    (frame, lane, inlined): (&Frame<32>, usize, InlineId),
    address: u64,
) -> Option<Place> {
    let func = program.module().func(frame.func());
    let seat = Some((frame, lane));
    let own = func.vars.iter().filter(|var| var.inlined == inlined).filter_map(|var| {
        let base = base_of(program, seat, var)?;
        let bytes = span_of(program, seat, var, base, address)?;
        let is_apart = is_assumed_size(var) && memory.find(base) != memory.find(address);
        (!is_apart).then_some((bytes, base, var))
    });
    if let Some((_, base, var)) = own.min_by_key(|&(bytes, ..)| bytes) {
        let dims = dims(program, seat, var);
        return Some(element(program, var, &dims, (address - base) as i64));
    }
    global_place(program, memory, address)
}

/// What an access meant to touch: the variable that its designator begins with.
pub(crate) struct Meant {
    /// The element that the address would be of it.
    pub(crate) place: Place,
    /// Where the variable begins; 0 if it has no memory.
    pub(crate) base: u64,
    /// The variable of shared or local memory that it is, with its bytes and its declaration.
    pub(crate) own: Option<(u64, Span)>,
}

/// The variable that the access at `span` names, and which element of it `address` would be.
pub(crate) fn meant(
    program: &Program,
    memory: &Memory,
    (frame, lane, inlined): (&Frame<32>, usize, InlineId),
    (span, address): (Span, u64),
) -> Option<Meant> {
    let id = *program.module().designated.get(&span)?;
    let func = program.module().func(frame.func());
    let globals = || program.module().globals.iter().filter_map(|g| g.var.as_ref());
    let own = func.vars.iter().filter(|v| v.inlined == inlined);
    let var = own.chain(globals()).find(|v| v.source_id == id && !matches!(v.loc, VarLoc::Constant))?;
    let layout = layout(program, memory, Some((frame, lane)), var)?;
    let own = match var.loc {
        VarLoc::Memory(AddrBase::Shared(id)) => func.shared.get(id.index()).and_then(|s| match s.size {
            SharedSize::Static(bytes) => Some((bytes, s.span)),
            SharedSize::Dynamic => None,
        }),
        VarLoc::Memory(AddrBase::Local(id)) => func.locals.get(id.index()).map(|l| (l.bytes, l.span)),
        _ => None,
    };
    let offset = address.wrapping_sub(layout.base) as i64;
    Some(Meant { place: element(program, var, &layout.dims, offset), base: layout.base, own })
}

/// Where a variable is and how its elements lie.
struct Layout {
    base: u64,
    /// Lower bound and stride in bytes of each dimension.
    dims: Vec<(i64, i64)>,
}

fn layout(program: &Program, memory: &Memory, seat: Seat<'_>, var: &DebugVar) -> Option<Layout> {
    let described = |at: u64| {
        let word = |offset: i64| {
            let mut bytes = [0; 8];
            memory.read(at.wrapping_add_signed(offset), &mut bytes)?;
            Some(i64::from_le_bytes(bytes))
        };
        let rank = word(descriptor::RANK)?.clamp(0, 15) as u32;
        let dims = (0..rank).map(|d| Some((word(descriptor::lower(d))?, word(descriptor::stride(d))?)));
        Some(Layout { base: word(descriptor::BASE)? as u64, dims: dims.collect::<Option<_>>()? })
    };
    let base = match var.loc {
        VarLoc::Descriptor(base) => return described(address_of(program, seat, base)),
        VarLoc::DescriptorAt(reg) => return described(register(program, seat, reg)),
        VarLoc::At(reg) => register(program, seat, reg),
        VarLoc::Memory(base) => address_of(program, seat, base),
        VarLoc::Reg(_) | VarLoc::Complex(..) | VarLoc::Constant => return None,
    };
    Some(Layout { base, dims: dims(program, seat, var) })
}

/// Lower bound and stride in bytes of each dimension.
fn dims(program: &Program, seat: Seat<'_>, var: &DebugVar) -> Vec<(i64, i64)> {
    let VarShape::Array(dims) = &var.shape else { return Vec::new() };
    let of = |val: &Val| value(program, seat, *val) as i64;
    dims.iter().map(|(lower, _, stride)| (of(lower), of(stride))).collect()
}

fn is_assumed_size(var: &DebugVar) -> bool {
    matches!(&var.shape, VarShape::Array(dims) if matches!(dims.last(), Some((_, None, _))))
}

/// Names the variable or element of fixed shape that a procedure has in shared memory at `address`, and the procedure.
pub(crate) fn shared_place(program: &Program, address: u64) -> Option<(FuncId, Place)> {
    let is_fixed = |var: &DebugVar| match &var.shape {
        VarShape::Scalar => true,
        VarShape::Array(dims) => dims.iter().all(|(lower, extent, stride)| {
            [Some(*lower), *extent, Some(*stride)].iter().all(|val| matches!(val, Some(Val::Imm(_))))
        }),
        VarShape::Described(_) => false,
    };
    let funcs = || program.module().funcs.iter().enumerate().map(|(number, func)| (FuncId(number as u32), func));
    let of_source = funcs().find_map(|(id, func)| {
        func.vars.iter().find_map(|var| {
            let VarLoc::Memory(AddrBase::Shared(shared)) = var.loc else { return None };
            let base = program.shared_address(id, shared).filter(|_| is_fixed(var))?;
            span_of(program, None, var, base, address)?;
            Some((id, element(program, var, &dims(program, None, var), (address - base) as i64)))
        })
    });
    // Code that was not made of Fortran has memory without source variables.
    let without_source = |(id, func): (FuncId, &Function)| {
        func.shared.iter().zip(0..).filter(|_| func.vars.is_empty()).find_map(|(shared, number)| {
            let SharedSize::Static(bytes) = shared.size else { return None };
            let base = program.shared_address(id, ir::SharedId(number))?;
            address.checked_sub(base).filter(|&offset| offset < bytes)?;
            Some((id, Place::variable(&*shared.name)))
        })
    };
    of_source.or_else(|| funcs().find_map(without_source))
}

/// Names the module variable or element at `address`: in the variable itself, or in what it has allocated.
pub(crate) fn global_place(program: &Program, memory: &Memory, address: u64) -> Option<Place> {
    let own = program.module().globals.iter().zip(program.globals()).find_map(|(global, &base)| {
        let offset = address.checked_sub(base).filter(|&o| o < global.bytes)?;
        let var = global.var.as_ref()?;
        match &var.shape {
            VarShape::Array(_) => Some(element(program, var, &dims(program, None, var), offset as i64)),
            VarShape::Scalar => Some(element(program, var, &[], offset as i64)),
            VarShape::Described(_) => Some(Place::variable(&*var.name)),
        }
    });
    own.or_else(|| {
        let home = memory.find(address)?;
        program.module().globals.iter().filter_map(|g| g.var.as_ref()).find_map(|var| {
            let described = matches!(var.loc, VarLoc::Descriptor(_));
            let layout = described.then(|| layout(program, memory, None, var)).flatten()?;
            let is_here = memory.find(layout.base) == Some(home) && address >= layout.base;
            is_here.then(|| element(program, var, &layout.dims, (address - layout.base) as i64))
        })
    })
}

fn base_of(program: &Program, seat: Seat<'_>, var: &DebugVar) -> Option<u64> {
    match var.loc {
        VarLoc::At(reg) => Some(register(program, seat, reg)).filter(|&a| a != 0),
        VarLoc::Memory(base) => Some(address_of(program, seat, base)),
        _ => None,
    }
}

/// The address of a piece of memory; of local memory, where the frame has it.
fn address_of(program: &Program, seat: Seat<'_>, base: AddrBase) -> u64 {
    match (base, seat) {
        (AddrBase::Global(id), _) => program.global_address(id).unwrap_or(0),
        (AddrBase::Local(id), Some((frame, _))) => frame.local_address(program, id),
        (AddrBase::Shared(id), Some((frame, _))) => {
            let dynamic = SHARED_BASE + program.dynamic_shared_offset(frame.func());
            program.shared_address(frame.func(), id).unwrap_or(dynamic)
        }
        (AddrBase::Local(_) | AddrBase::Shared(_), None) => 0,
    }
}

/// Bytes of the variable if it holds `address`; an assumed-size array reaches as far as it must.
fn span_of(program: &Program, seat: Seat<'_>, var: &DebugVar, base: u64, address: u64) -> Option<u64> {
    let offset = address.checked_sub(base)?;
    let element = program.module().types.get(var.ty.index())?.bytes.max(1);
    match &var.shape {
        VarShape::Scalar => (offset < element).then_some(element),
        VarShape::Described(_) => None,
        VarShape::Array(dims) => {
            let Some((_, extent, stride)) = dims.last() else { return (offset < element).then_some(element) };
            let stride = value(program, seat, *stride);
            match extent {
                Some(extent) => {
                    let bytes = value(program, seat, *extent).wrapping_mul(stride);
                    (offset < bytes).then_some(bytes)
                }
                None => Some(1 << 40),
            }
        }
    }
}

/// The element of a variable at a byte offset, with the component that begins there.
fn element(program: &Program, var: &DebugVar, dims: &[(i64, i64)], offset: i64) -> Place {
    // An inlined variable has the name of its function before its own.
    let own = if var.inlined == InlineId::NONE { &*var.name } else { ir::short_name(&var.name) };
    let mut place = Place::element(own, subscripts(dims, offset));
    let within = dims.iter().rev().fold(offset, |rest, &(_, stride)| if stride == 0 { rest } else { rest % stride });
    place.component = component(program, var.ty, within);
    place
}

/// The component of a type that a byte offset lies in, as `%pos%x(2)`; empty if it is none.
fn component(program: &Program, ty: ir::DebugTypeId, offset: i64) -> String {
    let types = &program.module().types;
    let Some(DebugTypeKind::Derived(fields)) = types.get(ty.index()).map(|t| &t.kind) else { return String::new() };
    let Ok(offset) = u64::try_from(offset) else { return String::new() };
    let Some(field) = fields.iter().filter(|f| f.offset <= offset && f.described.is_none()).max_by_key(|f| f.offset)
    else {
        return String::new();
    };
    let mut stride = types.get(field.ty.index()).map_or(1, |t| t.bytes.max(1)) as i64;
    let mut dims = Vec::new();
    for &(lower, extent) in &field.bounds {
        dims.push((lower, stride));
        stride = stride.saturating_mul(extent.max(1));
    }
    let within = (offset - field.offset) as i64;
    if within >= stride {
        return String::new();
    }
    let inner = dims.iter().rev().fold(within, |rest, &(_, stride)| rest % stride);
    format!("%{}{}", Place::element(&*field.name, subscripts(&dims, within)), component(program, field.ty, inner))
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
    let global = || program.module().globals.iter().filter_map(|g| g.var.as_ref());
    let var = func.vars.iter().chain(global()).find(|v| &*v.name == name)?;
    let ty = program.module().types.get(var.ty.index())?;
    let value = match (&ty.kind, ty.bytes) {
        (DebugTypeKind::Integer, 1) => text::Value::Int { ty: Ty::I8, bits },
        (DebugTypeKind::Integer, 2) => text::Value::Int { ty: Ty::I16, bits },
        (DebugTypeKind::Integer, 4) => text::Value::Int { ty: Ty::I32, bits },
        (DebugTypeKind::Integer, 8) => text::Value::Int { ty: Ty::I64, bits },
        (DebugTypeKind::Real, 2) => text::Value::Real { ty: Ty::I16, bits },
        (DebugTypeKind::Real, 4) => text::Value::Real { ty: Ty::F32, bits },
        (DebugTypeKind::Real, 8) => text::Value::Real { ty: Ty::F64, bits },
        _ => return None,
    };
    Some(text::display(value))
}
