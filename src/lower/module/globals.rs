//! Global variables: module data, SAVE data, variables of the main program that have an address, constants.
//!
//! Device variables live in [`Space::Global`] (managed ones are marked), constant ones in [`Space::Const`], the rest on the
//! host. If device code names an allocatable or pointer of a module, its descriptor is managed memory: the host allocates
//! through it and kernels read it. Constants that device code reads exist once for each side.
//!
//! Not here: variables of procedures (`procedure::local`).

use crate::analysis::variables::const_bounds;
use crate::module::ModuleLowering;
use crate::types::{Side, align, const_bytes, is_device_data, is_flat, is_made};
use ast::CudaAttr;
use ir::{AddrBase, Global, GlobalId, GlobalInit, Space, VarLengths, descriptor};
use sema::checked::{Const, Field, Program, Storage, Type, VarId, Variable};
use source::Span;
use std::sync::Arc;

/// Appends the bytes of a constant of that type; arrays in array element order.
pub(crate) fn encode(program: &Program, ty: &Type, value: &Const, out: &mut Vec<u8>) {
    let start = out.len();
    let integer = |out: &mut Vec<u8>, k: u8, v: i64| out.extend_from_slice(&v.to_le_bytes()[..usize::from(k.min(8))]);
    match (value, ty) {
        (Const::Array { items, .. }, _) => {
            items.iter().for_each(|item| encode(program, ty, item, out));
        }
        (Const::Int(v), Type::Integer(k) | Type::Logical(k)) => integer(out, *k, *v),
        (Const::Logical(v), Type::Logical(k) | Type::Integer(k)) => integer(out, *k, -i64::from(*v)),
        (Const::Real2(bits), _) => out.extend_from_slice(&bits.to_le_bytes()),
        (Const::Real4(v), _) => out.extend_from_slice(&v.to_le_bytes()),
        (Const::Real8(v), _) => out.extend_from_slice(&v.to_le_bytes()),
        (Const::Complex4(re, im), _) => {
            out.extend_from_slice(&re.to_le_bytes());
            out.extend_from_slice(&im.to_le_bytes());
        }
        (Const::Complex8(re, im), _) => {
            out.extend_from_slice(&re.to_le_bytes());
            out.extend_from_slice(&im.to_le_bytes());
        }
        (Const::Char(text), _) => {
            out.extend_from_slice(text);
            if let Some(bytes) = const_bytes(program, ty) {
                out.resize(start + bytes as usize, b' ');
            }
        }
        (Const::Derived(values), Type::Derived(id)) => {
            for (field, value) in program.ty(*id).fields.iter().zip(values) {
                let mut piece = Vec::new();
                encode_field(program, field, value, &mut piece);
                put(out, start + field.offset as usize, &piece);
            }
            out.resize(start + program.ty(*id).bytes as usize, 0);
        }
        _ => {
            let bytes = const_bytes(program, ty).unwrap_or(0) as usize;
            out.resize(start + bytes, 0);
        }
    }
}

/// Bytes of an allocatable or pointer component: the descriptor, and behind it the length parameters of objects of the device.
pub(crate) fn described_bytes(program: &Program, field: &Field) -> u64 {
    let lengths = if is_flat(program, &field.ty) { 8 * field.lengths.len() as u64 } else { 0 };
    descriptor_bytes(field.shape.rank(), field.class) + lengths
}

/// Bytes of a descriptor; that of a polymorphic object has its dynamic type behind.
pub(crate) fn descriptor_bytes(rank: u8, class: bool) -> u64 {
    descriptor::bytes(u32::from(rank)) + if class { 8 } else { 0 }
}

/// The bytes of a descriptor that says "not allocated"; it knows the bytes of an element where they are constant, for
/// dummies of assumed length.
pub(crate) fn empty_descriptor(program: &Program, ty: &Type, class: bool, rank: u8) -> Vec<u8> {
    let mut out = vec![0; descriptor_bytes(rank, class) as usize];
    let element = const_bytes(program, ty).unwrap_or(0);
    out[descriptor::ELEMENT_BYTES as usize..][..8].copy_from_slice(&element.to_le_bytes());
    out[descriptor::RANK as usize..][..8].copy_from_slice(&u64::from(rank).to_le_bytes());
    out
}

/// Puts bytes at a place. Where other components lie, those of a union, zeros change nothing.
fn put(out: &mut Vec<u8>, at: usize, piece: &[u8]) {
    let covered = out.len().saturating_sub(at).min(piece.len());
    out.resize(out.len().max(at), 0);
    for (byte, &new) in out[at..].iter_mut().zip(&piece[..covered]) {
        *byte = if new == 0 { *byte } else { new };
    }
    out.extend_from_slice(&piece[covered..]);
}

fn encode_field(program: &Program, field: &sema::checked::Field, value: &Const, out: &mut Vec<u8>) {
    if field.allocatable || field.pointer {
        out.extend(empty_descriptor(program, &field.ty, field.class, field.shape.rank()));
        return;
    }
    let count: i64 = const_bounds(&field.shape).unwrap_or_default().iter().map(|b| b.1).product();
    if matches!(value, Const::Array { .. }) {
        encode(program, &field.ty, value, out);
    } else {
        // A scalar gives every element of an array component.
        (0..count).for_each(|_| encode(program, &field.ty, value, out));
    }
}

/// The bytes of a variable's first value; a scalar fills an array.
fn initial_bytes(program: &Program, var: &Variable, value: &Const, bytes: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while (out.len() as u64) < bytes {
        let before = out.len();
        encode(program, &var.ty, value, &mut out);
        if out.len() == before {
            break;
        }
    }
    out.resize(bytes as usize, 0);
    out
}

/// The bytes of a storage sequence that DATA statements, initial values and types give its members; `None` when they give none.
pub(crate) fn sequence_bytes(program: &Program, base: VarId, bytes: u64) -> Option<Vec<u8>> {
    let mut out: Option<Vec<u8>> = None;
    for var in &program.vars {
        let Storage::Associated { base: of, offset } = var.storage else { continue };
        let is_given = var.init.is_some() || var.attrs.pointer || crate::types::has_default(program, &var.ty);
        if of != base || !is_given {
            continue;
        }
        let out = out.get_or_insert_with(|| vec![0; bytes as usize]);
        let mut put = |at: u64, piece: &[u8]| {
            if let Some(room) = out.get_mut(at as usize..at as usize + piece.len()) {
                room.copy_from_slice(piece);
            }
        };
        if var.attrs.pointer {
            put(offset, &empty_descriptor(program, &var.ty, var.attrs.class, var.shape.rank()));
            continue;
        }
        let mut given = |at: u64, value: &Const| {
            // An element that DATA leaves alone is another member's to give.
            if !matches!(value, Const::Null) {
                let mut piece = Vec::new();
                encode(program, &var.ty, value, &mut piece);
                put(at, &piece);
            }
        };
        match &var.init {
            Some(Const::Array { items, .. }) => {
                let step = const_bytes(program, &var.ty).unwrap_or(0);
                items.iter().enumerate().for_each(|(i, item)| given(offset + i as u64 * step, item));
            }
            // A scalar stands for each element.
            Some(value) => {
                let count: i64 = const_bounds(&var.shape).unwrap_or_default().iter().map(|b| b.1).product();
                let step = const_bytes(program, &var.ty).unwrap_or(0);
                (0..count.max(0) as u64).for_each(|i| given(offset + i * step, value));
            }
            None => {
                let count: i64 = const_bounds(&var.shape).unwrap_or_default().iter().map(|b| b.1).product();
                let step = const_bytes(program, &var.ty).unwrap_or(0);
                (0..count.max(0) as u64).for_each(|i| default_pieces(program, &var.ty, offset + i * step, &mut put));
            }
        }
    }
    out
}

/// Calls `put` for the components of a fresh object that have first contents, with their places and bytes: default values, and
/// descriptors of nothing.
fn default_pieces(program: &Program, ty: &Type, first: u64, put: &mut dyn FnMut(u64, &[u8])) {
    let Type::Derived(id) = ty else { return };
    if is_flat(program, ty) || !crate::types::has_default(program, ty) {
        return;
    }
    for field in &program.ty(*id).fields {
        let at = first + field.offset;
        if field.allocatable || field.pointer {
            let mut piece = empty_descriptor(program, &field.ty, field.class, field.shape.rank());
            // The lengths behind it are looked at before it is known whether there is data.
            piece.resize(described_bytes(program, field) as usize, 0);
            put(at, &piece);
        } else if let Some(init) = &field.init {
            let mut piece = Vec::new();
            encode_field(program, field, init, &mut piece);
            put(at, &piece);
        } else {
            let count: i64 = const_bounds(&field.shape).unwrap_or_default().iter().map(|b| b.1).product();
            let step = const_bytes(program, &field.ty).unwrap_or(0);
            (0..count.max(0) as u64).for_each(|i| default_pieces(program, &field.ty, at + i * step, put));
        }
    }
}

/// The first contents of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct DefaultImage {
    pub(crate) bytes: Vec<u8>,
    /// Runs of bytes that nothing initialises, first byte and length.
    pub(crate) holes: Vec<(u64, u64)>,
}

impl DefaultImage {
    /// The same for objects one after the other, as many as `bytes` bytes hold.
    fn repeated(self, bytes: u64) -> DefaultImage {
        let step = self.bytes.len().max(1);
        let starts = (0..bytes).step_by(step);
        let holes = starts.flat_map(|at| self.holes.iter().map(move |&(first, len)| (at + first, len))).collect();
        DefaultImage { bytes: self.bytes.iter().copied().cycle().take(bytes as usize).collect(), holes }
    }
}

/// A fresh object of a derived type; `None` when nothing is initialised by default.
pub(crate) fn default_image(program: &Program, ty: &Type) -> Option<DefaultImage> {
    let Type::Derived(id) = ty else { return None };
    if is_flat(program, ty) || !crate::types::has_default(program, ty) {
        return None;
    }
    let mut bytes = vec![0; program.ty(*id).bytes as usize];
    let mut pieces = Vec::new();
    default_pieces(program, ty, 0, &mut |at, piece| {
        if let Some(room) = bytes.get_mut(at as usize..at as usize + piece.len()) {
            room.copy_from_slice(piece);
            pieces.push((at, piece.len() as u64));
        }
    });
    for field in program.ty(*id).fields.iter().filter(|_| is_made(program, ty)) {
        // What is made at run time gets its first contents there.
        if field.is_parameter || (is_made(program, &field.ty) && !field.allocatable && !field.pointer) {
            let count: i64 = const_bounds(&field.shape).unwrap_or_default().iter().map(|b| b.1).product();
            let step = const_bytes(program, &field.ty).unwrap_or(0);
            pieces.push((field.offset, count.max(0) as u64 * step));
        }
    }
    let holes = gaps(pieces, bytes.len() as u64);
    Some(DefaultImage { bytes, holes })
}

/// What pieces leave of `0..bytes`: first bytes and lengths.
fn gaps(mut pieces: Vec<(u64, u64)>, bytes: u64) -> Vec<(u64, u64)> {
    pieces.sort_unstable();
    let mut out = Vec::new();
    let mut at = 0;
    for (first, len) in pieces.into_iter().chain([(bytes, 0)]) {
        if first > at {
            out.push((at, first - at));
        }
        at = at.max(first + len);
    }
    out
}

impl ModuleLowering<'_> {
    /// The global that holds a static variable, or its descriptor; made when first asked for.
    pub(crate) fn global(&mut self, id: VarId, side: Side) -> GlobalId {
        let program = self.program;
        let var = program.var(id);
        let per_side = matches!(var.storage, Storage::Parameter);
        let key = (id, if per_side { side } else { Side::Host });
        if let Some(&g) = self.globals.get(&key) {
            return g;
        }
        let described = var.attrs.allocatable || var.attrs.pointer;
        let owner = var.owner.map(|p| program.proc(p).kind);
        let device_only = owner.is_some_and(|kind| !crate::analysis::usage::runs_on(kind, Side::Host));
        let on_device = device_only
            || self.usage.on_device.contains(&id)
            || side == Side::Device
            || owner.is_some_and(|kind| crate::analysis::usage::runs_on(kind, Side::Device));
        let (space, managed) = match var.attrs.cuda {
            _ if per_side => (if side == Side::Device { Space::Global } else { Space::Host }, false),
            _ if described => (if on_device { Space::Global } else { Space::Host }, on_device && !device_only),
            Some(CudaAttr::Constant) => (Space::Const, false),
            Some(CudaAttr::Managed | CudaAttr::Unified) => (Space::Global, true),
            cuda if is_device_data(cuda) => (Space::Global, false),
            // Host data that device code names (unified memory), and SAVE data of device code.
            _ if on_device => (Space::Global, !device_only),
            _ => (Space::Host, false),
        };
        let bytes = if described {
            descriptor_bytes(var.shape.rank(), var.attrs.class)
        } else {
            let count: i64 = const_bounds(&var.shape).unwrap_or_default().iter().map(|b| b.1).product();
            // An array of no objects says their lengths, see `object_room`.
            let count = count.max(i64::from(is_made(program, &var.ty)));
            const_bytes(program, &var.ty).unwrap_or(0).saturating_mul(count as u64)
        };
        let align = if described { 8 } else { align(program, &var.ty) };
        let mut holes = Vec::new();
        let init = match &var.init {
            _ if described => {
                GlobalInit::Bytes(empty_descriptor(program, &var.ty, var.attrs.class, var.shape.rank()).into())
            }
            Some(value) => GlobalInit::Bytes(initial_bytes(program, var, value, bytes).into()),
            None => match default_image(program, &var.ty) {
                Some(one) => {
                    let all = one.repeated(bytes);
                    holes = all.holes;
                    GlobalInit::Bytes(all.bytes.into())
                }
                None => {
                    sequence_bytes(program, id, bytes).map_or(GlobalInit::None, |all| GlobalInit::Bytes(all.into()))
                }
            },
        };
        let name = match (&var.module, var.owner) {
            (Some(module), _) => format!("{module}.{}", var.name),
            (None, Some(owner)) => format!("{}.{}", program.proc(owner).qualified, var.name),
            (None, None) => var.name.to_string(),
        };
        let g = GlobalId(self.module.globals.len() as u32);
        self.module.globals.push(Global {
            name: self.unique_global(&name, id).into(),
            space,
            managed,
            bytes,
            align,
            init,
            holes,
            read_only: per_side,
            var: None,
            span: var.span,
        });
        self.globals.insert(key, g);
        let debug = self.global_debug_var(id, g, described);
        self.module.globals[g.index()].var = Some(debug);
        g
    }

    /// The global with the length parameters of a static allocatable of the device.
    pub(crate) fn lengths_global(&mut self, id: VarId) -> GlobalId {
        if let Some(&g) = self.lengths_globals.get(&id) {
            return g;
        }
        let descriptor = self.global(id, Side::Host);
        let of = &self.module.globals[descriptor.index()];
        let (name, space, managed, span) = (format!("{}.lengths", of.name), of.space, of.managed, of.span);
        let g = GlobalId(self.module.globals.len() as u32);
        self.module.globals.push(Global {
            name: name.into(),
            space,
            managed,
            bytes: 8 * self.program.var(id).attrs.lengths.len() as u64,
            align: 8,
            // What is not allocated has lengths too, which are looked at before that is known.
            init: GlobalInit::Zero,
            holes: Vec::new(),
            read_only: false,
            var: None,
            span,
        });
        if let Some(var) = &mut self.module.globals[descriptor.index()].var {
            var.lengths = VarLengths::Memory(AddrBase::Global(g));
        }
        self.lengths_globals.insert(id, g);
        g
    }

    /// Variables of BLOCK constructs may share the name of another variable of their procedure.
    fn unique_global(&self, name: &str, id: VarId) -> String {
        if self.module.globals.iter().any(|g| &*g.name == name) { format!("{name}.{}", id.0) } else { name.to_owned() }
    }

    /// A read-only global with these bytes, shared by all equal ones.
    pub(crate) fn constant(&mut self, bytes: &[u8], align: u64, side: Side) -> GlobalId {
        self.constant_image(&DefaultImage { bytes: bytes.to_vec(), holes: Vec::new() }, align, side)
    }

    /// The same with bytes that count as uninitialised.
    pub(crate) fn constant_image(&mut self, image: &DefaultImage, align: u64, side: Side) -> GlobalId {
        let (bytes, holes): (Arc<[u8]>, _) = (image.bytes.as_slice().into(), image.holes.clone());
        let key = (bytes.clone(), holes.clone(), align, side);
        if let Some(&g) = self.constants.get(&key) {
            return g;
        }
        let g = GlobalId(self.module.globals.len() as u32);
        self.module.globals.push(Global {
            name: format!("constant.{}", self.constants.len()).into(),
            space: if side == Side::Device { Space::Global } else { Space::Host },
            managed: false,
            bytes: bytes.len() as u64,
            align,
            init: GlobalInit::Bytes(bytes),
            holes,
            read_only: true,
            var: None,
            span: Span::NONE,
        });
        self.constants.insert(key, g);
        g
    }
}
