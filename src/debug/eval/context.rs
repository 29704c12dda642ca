//! The context in which an expression is evaluated: one lane of one frame, with all the memory that it sees.
//!
//! A [`Context`] only reads. `set var` produces [`Change`]s, which the process applies to the machine and keeps in its history.
//!
//! Not here: which thread and frame are in focus (`session`), and running expressions (`compiled`).

use crate::eval::compiled::constant_object;
use crate::eval::flat::{behind_descriptor, object_bytes};
use crate::eval::value::{Eval, EvalError, Kind, Value, fail, from_bytes, to_bytes};
use emu::{Block, Memories};
use ir::{AddrBase, DebugTypeKind, DebugVar, FuncId, Reg, Val, VarLengths, VarLoc, VarShape, descriptor};
use mem::Memory;
use mem::address::SHARED_BASE;
use sema::checked::{self, Const, ExprKind, Field, Shape, Type, VarId};
use vm::{Program, Warp};

/// One lane of one frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The code.
    pub(crate) program: &'a Program,
    /// What the code was made from.
    pub(crate) checked: &'a checked::Program,
    /// Everything but shared and local memory.
    pub(crate) memory: &'a Memory,
    /// The lane and frame.
    pub(crate) at: Viewpoint<'a>,
    /// How many elements of an array are shown.
    pub(crate) most_shown: u32,
}

/// The lane and frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Viewpoint<'a> {
    /// None: the program is not running; only constants have values.
    Nowhere,
    /// A frame of the host.
    Host {
        /// The host's frames.
        warp: &'a Warp<1>,
        /// The frame.
        frame: u32,
    },
    /// A lane of a device thread's frame.
    Device {
        /// Its block.
        block: &'a Block,
        /// Its warp.
        warp: &'a Warp<32>,
        /// The frame.
        frame: u32,
        /// The lane.
        lane: u32,
    },
}

/// A variable or a part of one, or a constant.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Of its elements.
    pub(crate) kind: Kind,
    /// Where it is stored.
    pub(crate) store: Store,
    /// Its dimensions; none for a scalar.
    pub(crate) dims: Vec<Dim>,
    /// The length parameters of objects of the device, which do not hold them (`flat`).
    pub(crate) lengths: Vec<i64>,
}

/// Where an object is stored.
#[derive(Clone, Debug)]
pub(crate) enum Store {
    /// In memory.
    Memory(u64),
    /// In registers of a frame.
    Regs(u32, Vec<Reg>),
    /// Nowhere: a constant.
    Value(Value),
}

/// A dimension of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dim {
    /// Lower bound.
    pub(crate) lower: i64,
    /// Extent; unknown of an assumed-size array's last dimension.
    pub(crate) extent: Option<i64>,
    /// Bytes from one element to the next.
    pub(crate) stride: i64,
}

/// A change made by an assignment in the debugger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// Bytes of memory, shared and local memory of the lane included.
    Bytes(u64, Vec<u8>),
    /// A register of a frame.
    Register(u32, Reg, u64),
}

/// Most bytes of one read.
const MOST_BYTES: u64 = 1 << 26;

impl<'a> Context<'a> {
    /// The function of the frame.
    pub(crate) fn func(&self) -> Option<FuncId> {
        match self.at {
            Viewpoint::Nowhere => None,
            Viewpoint::Host { warp, frame } => warp.frame(frame).map(vm::Frame::func),
            Viewpoint::Device { warp, frame, .. } => warp.frame(frame).map(vm::Frame::func),
        }
    }

    fn frame_number(&self) -> u32 {
        match self.at {
            Viewpoint::Nowhere => 0,
            Viewpoint::Host { frame, .. } | Viewpoint::Device { frame, .. } => frame,
        }
    }

    fn func_of(&self, number: u32) -> Option<FuncId> {
        match self.at {
            Viewpoint::Nowhere => None,
            Viewpoint::Host { warp, .. } => warp.frame(number).map(vm::Frame::func),
            Viewpoint::Device { warp, .. } => warp.frame(number).map(vm::Frame::func),
        }
    }

    fn caller_of(&self, number: u32) -> Option<u32> {
        match self.at {
            Viewpoint::Nowhere => None,
            Viewpoint::Host { warp, .. } => warp.frame(number)?.caller(),
            Viewpoint::Device { warp, .. } => warp.frame(number)?.caller(),
        }
    }

    /// The bits of a register of a frame.
    pub(crate) fn register(&self, number: u32, reg: Reg) -> Eval<u64> {
        let gone = || EvalError("the value is not available here".to_owned());
        let value = match self.at {
            Viewpoint::Nowhere => None,
            Viewpoint::Host { warp, .. } => warp.read_reg(self.program, number, reg, 0),
            Viewpoint::Device { warp, lane, .. } => warp.read_reg(self.program, number, reg, lane as usize),
        };
        value.ok_or_else(gone)
    }

    fn val(&self, number: u32, val: Val) -> Eval<i64> {
        match val {
            Val::Imm(bits) => Ok(bits as i64),
            Val::Reg(reg) => self.register(number, reg).map(|bits| bits as i64),
        }
    }

    /// Reads bytes as this lane sees them.
    pub(crate) fn read(&self, address: u64, bytes: u64) -> Eval<Vec<u8>> {
        if bytes > MOST_BYTES {
            return fail("the value is too large to be read at once");
        }
        let mut out = vec![0; bytes as usize];
        if bytes == 0 {
            return Ok(out);
        }
        let done = match self.at {
            Viewpoint::Device { block, warp, lane, .. } => {
                Memories { memory: self.memory, shared: &block.shared, warp }.read(lane as usize, address, &mut out)
            }
            Viewpoint::Nowhere | Viewpoint::Host { .. } => self.memory.read(address, &mut out),
        };
        match done {
            Some(()) => Ok(out),
            None if address == 0 => fail("not allocated or associated"),
            None => fail(format!("cannot access memory at address {address:#x}")),
        }
    }

    /// How many bytes of its allocation follow an address.
    pub(crate) fn bytes_after(&self, address: u64) -> u64 {
        if mem::address::is_shared(address) {
            let Viewpoint::Device { block, .. } = self.at else { return 0 };
            return (block.shared.len() as u64).saturating_sub(address - SHARED_BASE);
        }
        let Some(id) = self.memory.find(address) else { return 0 };
        let found = self.memory.info(id);
        (found.base + found.bytes).saturating_sub(address)
    }

    /// The object with all extents known: an unknown extent ends with the allocation.
    pub(crate) fn bounded(&self, mut object: Object) -> Object {
        let Store::Memory(address) = object.store else { return object };
        let inner: u64 = object.dims.iter().filter_map(|d| d.extent).map(|n| n.max(0) as u64).product();
        let each = inner.saturating_mul(object.kind.bytes()).max(1);
        if let Some(last) = object.dims.last_mut().filter(|d| d.extent.is_none()) {
            last.extent = Some((self.bytes_after(address) / each).min(i64::MAX as u64) as i64);
        }
        object
    }

    fn read_i64(&self, address: u64) -> Eval<i64> {
        self.read(address, 8).map(|b| from_bytes(&b) as i64)
    }

    /// The address of a piece of memory that a frame names.
    fn base_address(&self, number: u32, base: AddrBase) -> Eval<u64> {
        if let AddrBase::Global(id) = base {
            return self.program.global_address(id).ok_or_else(|| EvalError("no such variable".into()));
        }
        let Some(func) = self.func_of(number) else { return fail("the value is not available here") };
        let program = self.program;
        Ok(match base {
            AddrBase::Local(id) => match self.at {
                Viewpoint::Nowhere => 0,
                Viewpoint::Host { warp, .. } => warp.frame(number).map_or(0, |f| f.local_address(program, id)),
                Viewpoint::Device { warp, .. } => warp.frame(number).map_or(0, |f| f.local_address(program, id)),
            },
            AddrBase::Shared(id) => {
                // Dynamic shared memory begins where the kernel's static variables end.
                let fixed = match self.at {
                    Viewpoint::Device { block, .. } => block.geometry.static_shared,
                    _ => program.shared_bytes(func),
                };
                let dynamic = SHARED_BASE + fixed.next_multiple_of(16);
                program.shared_address(func, id).unwrap_or(dynamic)
            }
            AddrBase::Global(_) => 0,
        })
    }

    /// The debug record of a variable and the frame that holds it: this one, one that called it, or none for a global.
    fn find(&self, id: VarId) -> Option<(u32, &'a DebugVar)> {
        let program: &'a Program = self.program;
        let mut number = Some(self.frame_number());
        while let Some(n) = number {
            if let Some(func) = self.func_of(n)
                && let Some(var) = program.module().func(func).vars.iter().find(|v| v.source_id == id.0)
            {
                return Some((n, var));
            }
            number = self.caller_of(n);
        }
        let globals = program.module().globals.iter().filter_map(|g| g.var.as_ref());
        globals.into_iter().find(|v| v.source_id == id.0).map(|v| (self.frame_number(), v))
    }

    /// The object that a variable is.
    pub(crate) fn variable(&self, id: VarId) -> Eval<Object> {
        let var = self.checked.var(id);
        let is_constant = matches!(var.storage, checked::Storage::Parameter);
        let found = if is_constant { None } else { self.find(id) };
        // A static variable that the program does not use keeps its initial value.
        if let (None, Some(init)) = (found, &var.init) {
            let value = Value::constant(self.checked, &var.ty, init)?;
            return Ok(constant_object(value));
        }
        match found {
            Some((frame, debug)) => self.located(frame, debug, var),
            None if matches!(self.at, Viewpoint::Nowhere) => {
                fail(format!("`{}` has no value while the program is not being run", var.name))
            }
            None => fail(format!("`{}` is not stored here: nothing in the program uses it", var.name)),
        }
    }

    fn located(&self, frame: u32, debug: &DebugVar, var: &checked::Variable) -> Eval<Object> {
        let len = match self.program.module().types.get(debug.ty.index()).map(|t| &t.kind) {
            Some(DebugTypeKind::Character(Some(val))) => Some(self.val(frame, *val)?.max(0) as u64),
            _ => None,
        };
        let lengths = self.lengths_of(frame, debug, var)?;
        let kind = |len| match &var.ty {
            Type::Derived(id) if var.attrs.is_flat => {
                Ok(Kind::Derived(*id, object_bytes(self.checked, *id, &lengths)?))
            }
            ty => Kind::of(self.checked, ty, len),
        };
        let described = |at| {
            let object = self.described(at, &var.ty, len, &var.name)?;
            Ok(Object { lengths: lengths.clone(), ..object })
        };
        let absent = || {
            let may_be_absent = !var.attrs.allocatable && !var.attrs.pointer;
            let state = if may_be_absent { "an absent optional argument" } else { "not allocated or associated" };
            fail(format!("`{}` is {state}", var.name))
        };
        let address = match debug.loc {
            VarLoc::Reg(reg) => return Ok(Object::scalar(kind(len)?, Store::Regs(frame, vec![reg]))),
            VarLoc::Complex(re, im) => return Ok(Object::scalar(kind(len)?, Store::Regs(frame, vec![re, im]))),
            VarLoc::Memory(base) => self.base_address(frame, base)?,
            VarLoc::At(reg) => self.register(frame, reg)?,
            VarLoc::Descriptor(base) => {
                return described(self.base_address(frame, base)?);
            }
            VarLoc::DescriptorAt(reg) => {
                let at = self.register(frame, reg)?;
                return if at == 0 { absent() } else { described(at) };
            }
            VarLoc::Constant => {
                let Some(init) = &var.init else { return fail(format!("`{}` has no value here", var.name)) };
                let value = Value::constant(self.checked, &var.ty, init)?;
                return Ok(constant_object(value));
            }
        };
        if address == 0 {
            return absent();
        }
        let dims = match &debug.shape {
            VarShape::Scalar | VarShape::Described(_) => Vec::new(),
            VarShape::Array(dims) => dims
                .iter()
                .map(|&(lower, extent, stride)| {
                    Ok(Dim {
                        lower: self.val(frame, lower)?,
                        extent: extent.map(|e| self.val(frame, e)).transpose()?.map(|e| e.max(0)),
                        stride: self.val(frame, stride)?,
                    })
                })
                .collect::<Eval<Vec<Dim>>>()?,
        };
        let kind = kind(len)?;
        Ok(Object { kind, store: Store::Memory(address), dims, lengths })
    }

    /// The length parameters of a variable whose objects do not hold them.
    fn lengths_of(&self, frame: u32, debug: &DebugVar, var: &checked::Variable) -> Eval<Vec<i64>> {
        let count = if var.attrs.is_flat { var.attrs.lengths.len() as u64 } else { 0 };
        let at = match &debug.lengths {
            VarLengths::Values(values) => return values.iter().map(|&n| self.val(frame, n)).collect(),
            VarLengths::Memory(base) => self.base_address(frame, *base)?,
            VarLengths::At(reg) => self.register(frame, *reg)?,
        };
        self.read_words(at, count)
    }

    /// So many words.
    pub(crate) fn read_words(&self, at: u64, count: u64) -> Eval<Vec<i64>> {
        (0..count).map(|i| self.read_i64(at.wrapping_add(8 * i))).collect()
    }

    /// The object that a descriptor in memory describes.
    fn described(&self, at: u64, ty: &checked::Type, len: Option<u64>, name: &str) -> Eval<Object> {
        let base = self.read_i64(at.wrapping_add_signed(descriptor::BASE))? as u64;
        if base == 0 {
            return fail(format!("`{name}` is not allocated or associated"));
        }
        let element = self.read_i64(at.wrapping_add_signed(descriptor::ELEMENT_BYTES))?.max(0) as u64;
        let rank = self.read_i64(at.wrapping_add_signed(descriptor::RANK))?.clamp(0, 15) as u32;
        let kind = Kind::of(self.checked, ty, len.filter(|&l| l > 0).or(Some(element)))?;
        let dims = (0..rank)
            .map(|d| {
                Ok(Dim {
                    lower: self.read_i64(at.wrapping_add_signed(descriptor::lower(d)))?,
                    extent: Some(self.read_i64(at.wrapping_add_signed(descriptor::extent(d)))?.max(0)),
                    stride: self.read_i64(at.wrapping_add_signed(descriptor::stride(d)))?,
                })
            })
            .collect::<Eval<Vec<Dim>>>()?;
        Ok(Object { kind, store: Store::Memory(base), dims, lengths: Vec::new() })
    }

    /// The value of a predefined variable, such as `threadidx%x`, in the lane.
    pub(crate) fn special(&self, index: u8, add: i32) -> Eval<Value> {
        let Viewpoint::Device { block, warp, lane, .. } = self.at else {
            return fail("only a device thread has `threadidx` and the like; the focus is on the host");
        };
        let g = &block.geometry;
        let tid = thread_index(g.block, warp.number() * 32 + lane);
        let all = [tid, g.block, g.cta, g.grid].concat();
        match all.get(usize::from(index)) {
            Some(&n) => Ok(Value::int4(i64::from(n) + i64::from(add))),
            None => fail("no such register"),
        }
    }

    /// Whether the variable has data: an allocatable or pointer may have none, and an optional dummy may be absent.
    pub(crate) fn is_present(&self, id: VarId) -> bool {
        self.variable(id).is_ok()
    }

    /// A component of an object.
    pub(crate) fn field(&self, object: &Object, index: u32) -> Eval<Object> {
        let Kind::Derived(id, _) = object.kind else { return fail("only an object of derived type has components") };
        if self.checked.ty(id).is_flat {
            return self.flat_field(object, id, index);
        }
        let def = self.checked.ty(id);
        let Some(field) = def.fields.get(index as usize) else { return fail("no such component") };
        let address = match &object.store {
            Store::Memory(address) => address + field.offset,
            Store::Regs(..) => return fail("the component is not available here"),
            Store::Value(value) => {
                if field.allocatable || field.pointer {
                    return fail(format!("`{}` is not allocated or associated", field.name));
                }
                let kind = Kind::of(self.checked, &field.ty, None)?;
                let dims = const_dims(&field.shape, kind.bytes())?;
                let count: i64 = dims.iter().filter_map(|d| d.extent).product();
                let from = field.offset as usize;
                let data =
                    value.element(0).get(from..from + count as usize * kind.bytes() as usize).unwrap_or(&[]).to_vec();
                let bounds = dims.iter().map(|d| (d.lower, d.extent.unwrap_or(0))).collect();
                let store = Store::Value(Value { kind, dims: bounds, data });
                return Ok(Object { kind, dims, store, lengths: Vec::new() });
            }
        };
        if field.allocatable || field.pointer {
            if !object.dims.is_empty() {
                return fail(format!("`{}` of an array is not an array; use one element", field.name));
            }
            return self.described_field(address, field, None);
        }
        let kind = Kind::of(self.checked, &field.ty, None)?;
        let dims = combined_dims(object, const_dims(&field.shape, kind.bytes())?)?;
        Ok(Object { kind, store: Store::Memory(address), dims, lengths: Vec::new() })
    }

    /// The object that the descriptor of a component describes; its length parameters follow the descriptor.
    pub(crate) fn described_field(&self, at: u64, field: &Field, len: Option<u64>) -> Eval<Object> {
        let object = self.described(at, &field.ty, len, &field.name)?;
        if !matches!(field.ty, Type::Derived(id) if self.checked.ty(id).is_flat) {
            return Ok(object);
        }
        let lengths = self.read_words(at.wrapping_add(behind_descriptor(field)), field.lengths.len() as u64)?;
        Ok(Object { lengths, ..object })
    }

    /// The value of an object, or of its part of at most so many elements.
    pub(crate) fn load(&self, object: &Object) -> Eval<Value> {
        let bytes = object.kind.bytes();
        if let Store::Value(value) = &object.store {
            return Ok(value.clone());
        }
        let count = object.count()?;
        if count > crate::eval::value::MOST_ELEMENTS {
            return fail(format!("an array of {count} elements is too large for an expression; use a section of it"));
        }
        let dims: Vec<(i64, i64)> = object.dims.iter().map(|d| (d.lower, d.extent.unwrap_or(0))).collect();
        let mut data = Vec::with_capacity((count * bytes) as usize);
        if object.is_contiguous() && matches!(object.store, Store::Memory(_)) {
            let Store::Memory(address) = object.store else { return fail("no memory") };
            data = self.read(address, count * bytes)?;
        } else {
            for i in 0..count {
                data.extend(self.load_element(object, i)?);
            }
        }
        Ok(Value { kind: object.kind, dims, data })
    }

    /// The bytes of element `i` in array element order.
    pub(crate) fn load_element(&self, object: &Object, i: u64) -> Eval<Vec<u8>> {
        let bytes = object.kind.bytes();
        match &object.store {
            Store::Value(value) => Ok(value.element(i as usize).to_vec()),
            Store::Memory(address) => self.read(address.wrapping_add_signed(object.offset_of(i)), bytes),
            Store::Regs(frame, regs) => {
                let part = bytes / regs.len().max(1) as u64;
                let mut out = Vec::new();
                for &reg in regs {
                    let func = self.func_of(*frame);
                    let ty = func.map(|f| self.program.module().func(f).ty(reg));
                    let word = self.register(*frame, reg)?;
                    // A predicate register has one bit; a logical in memory has all bits.
                    let word = if ty == Some(ir::Ty::Pred) && word != 0 { u64::MAX } else { word };
                    out.extend(to_bytes(word, part));
                }
                Ok(out)
            }
        }
    }

    /// The changes that set element `i` of the object to these bytes.
    pub(crate) fn store_element(&self, object: &Object, i: u64, data: &[u8]) -> Eval<Vec<Change>> {
        match &object.store {
            Store::Value(_) => fail("a constant cannot be changed"),
            Store::Memory(address) => {
                let address = address.wrapping_add_signed(object.offset_of(i));
                self.read(address, data.len() as u64)?;
                Ok(vec![Change::Bytes(address, data.to_vec())])
            }
            Store::Regs(frame, regs) => {
                let part = data.len() / regs.len().max(1);
                let change = |(n, &reg): (usize, &Reg)| {
                    let func = self.func_of(*frame);
                    let ty = func.map(|f| self.program.module().func(f).ty(reg));
                    let word = from_bytes(data.get(n * part..(n + 1) * part).unwrap_or(&[]));
                    Change::Register(*frame, reg, if ty == Some(ir::Ty::Pred) { word & 1 } else { word })
                };
                Ok(regs.iter().enumerate().map(change).collect())
            }
        }
    }
}

/// `threadidx`, counted from 0, of the thread with that number in its block.
pub(crate) fn thread_index(block: [u32; 3], number: u32) -> [u32; 3] {
    let [x, y, _] = block.map(|n| n.max(1));
    [number % x, number / x % y, number / (x * y)]
}

/// The dimensions of a value in array element order.
pub(crate) fn value_dims(value: &Value) -> Vec<Dim> {
    let mut stride = value.kind.bytes() as i64;
    value
        .dims
        .iter()
        .map(|&(lower, extent)| {
            let dim = Dim { lower, extent: Some(extent), stride };
            stride = stride.wrapping_mul(extent);
            dim
        })
        .collect()
}

/// The dimensions of a component of an object or of objects.
pub(crate) fn combined_dims(object: &Object, own: Vec<Dim>) -> Eval<Vec<Dim>> {
    match (object.dims.is_empty(), own.is_empty()) {
        (true, _) => Ok(own),
        (false, true) => Ok(object.dims.clone()),
        (false, false) => fail("two parts of a designator have a rank"),
    }
}

/// The dimensions of a component, whose bounds are constants.
pub(crate) fn const_dims(shape: &Shape, element_bytes: u64) -> Eval<Vec<Dim>> {
    let Shape::Explicit(dims) = shape else { return Ok(Vec::new()) };
    let mut stride = element_bytes as i64;
    dims.iter()
        .map(|d| {
            let (ExprKind::Const(Const::Int(lo)), ExprKind::Const(Const::Int(hi))) = (&d.lower.kind, &d.upper.kind)
            else {
                return fail("the bounds of the component are not constant");
            };
            let extent = hi.saturating_sub(*lo).saturating_add(1).max(0);
            let dim = Dim { lower: *lo, extent: Some(extent), stride };
            stride = stride.wrapping_mul(extent);
            Ok(dim)
        })
        .collect()
}

impl Object {
    /// A scalar.
    pub(crate) fn scalar(kind: Kind, store: Store) -> Object {
        Object { kind, store, dims: Vec::new(), lengths: Vec::new() }
    }

    /// Its first byte in memory and its number of bytes; of an assumed-size array only the known part.
    pub(crate) fn range(&self) -> (u64, u64) {
        let address = match self.store {
            Store::Memory(address) => address,
            Store::Regs(..) | Store::Value(_) => 0,
        };
        let ends = self.dims.iter().map(|d| (d.extent.unwrap_or(1) - 1).max(0).wrapping_mul(d.stride));
        let (low, high) =
            ends.fold((0i64, 0i64), |(low, high), end| (low.wrapping_add(end.min(0)), high.wrapping_add(end.max(0))));
        (address.wrapping_add_signed(low), (high.wrapping_sub(low) as u64).wrapping_add(self.kind.bytes()))
    }

    /// How many elements it has.
    pub(crate) fn count(&self) -> Eval<u64> {
        self.dims.iter().try_fold(1u64, |n, d| match d.extent {
            Some(extent) => Ok(n.saturating_mul(extent.max(0) as u64)),
            None => fail("the extent of an assumed-size array is not known; use a section of it"),
        })
    }

    /// Whether its elements follow one another without gaps.
    pub(crate) fn is_contiguous(&self) -> bool {
        let mut expected = self.kind.bytes() as i64;
        for d in &self.dims {
            if d.stride != expected && d.extent != Some(1) {
                return false;
            }
            expected = expected.wrapping_mul(d.extent.unwrap_or(1));
        }
        true
    }

    /// The byte offset of element `i` in array element order.
    pub(crate) fn offset_of(&self, i: u64) -> i64 {
        let mut rest = i as i64;
        let mut offset = 0i64;
        for (n, d) in self.dims.iter().enumerate() {
            let extent = if n + 1 == self.dims.len() { i64::MAX } else { d.extent.unwrap_or(1).max(1) };
            offset = offset.wrapping_add((rest % extent).wrapping_mul(d.stride));
            rest /= extent;
        }
        offset
    }
}
