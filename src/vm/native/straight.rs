//! Kernels without loops as straight-line code ([`jit::StraightLine`]): what a warp does of which no lane parts from the others.
//!
//! The way from the first operation to the end is followed, at each branch to the side that does not end at once. The branch goes there
//! for all lanes of all warps of a line if numbers that change by constants from lane to lane and from warp to warp are as they have to
//! be: that is what the code checks. Addresses are such numbers too.
//!
//! Not here: loops, accesses that are not of memory, words that are loaded for all lanes, kernels that load behind a store.

use super::translate::Translator;
use crate::code::{AddressExpr, Line as Shape, MemOp, Op, RegFile};
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use ir::{Access, Space, Ty};
use jit::{
    AccessStep, AddressTerm, Class, Difference, End, Guard, Index, PatternKey, Place, Segment, Step, StraightLine,
    Value, ValueId,
};
use std::collections::BTreeMap;

/// Operations of a way at most.
const LONGEST: usize = 400;

/// Operations between a branch and the end of the kernel where one of its sides ends at once.
const SHORT: usize = 6;

/// What is found out of the warps of a line.
#[derive(Clone)]
pub(super) struct Line {
    /// The block.
    block: [u32; 3],
    shape: Shape,
    guards: Vec<Guard>,
    access_steps: Vec<AccessStep>,
    /// By how much scalars change from warp to warp, as far as it was asked.
    steps: BTreeMap<ValueId, Step>,
    /// Rows of integers, as far as it was asked.
    lanes: BTreeMap<ValueId, Lanes>,
}

/// Integers of the lanes of a warp: each is so far from that of lane 0, modulo 2^32 or 2^64.
#[derive(Clone, Copy)]
struct Lanes {
    /// Lane 0, a scalar.
    first: ValueId,
    offsets: [i32; 32],
}

impl Lanes {
    fn least(&self) -> i32 {
        self.offsets.iter().copied().min().unwrap_or(0)
    }

    fn most(&self) -> i32 {
        self.offsets.iter().copied().max().unwrap_or(0)
    }

    fn is_uniform(&self) -> bool {
        self.offsets == [0; 32]
    }
}

impl Line {
    /// Of a block whose warps are all in lines.
    pub(super) fn of(block: [u32; 3]) -> Option<Line> {
        let shape = Shape::of(block);
        let (guards, access_steps) = (Vec::new(), Vec::new());
        shape.is_all().then(|| Line {
            block,
            shape,
            guards,
            access_steps,
            steps: BTreeMap::new(),
            lanes: BTreeMap::new(),
        })
    }

    /// How far the thread index of each lane is from that of lane 0.
    fn thread(&self, dimension: u32) -> [i32; 32] {
        let x = self.block[0] as usize;
        std::array::from_fn(|lane| match dimension {
            0 if x < 32 => (lane % x) as i32,
            0 => lane as i32,
            1 if x < 32 => (lane / x) as i32,
            _ => 0,
        })
    }
}

impl Translator<'_> {
    /// The kernel as straight-line code, if it can be made so; this translator has to be new and to know of the line.
    pub(super) fn straight(mut self) -> Option<StraightLine> {
        let variant = self.variant;
        let mut pc = 0u32;
        let mut seen = vec![false; variant.ops.len()];
        for _ in 0..LONGEST {
            // The segment begins with the first operation, and what follows is added to it.
            self.open(0);
            let op = variant.ops.get(pc as usize)?;
            if std::mem::replace(&mut seen[pc as usize], true) {
                return None;
            }
            match *op {
                Op::Exit | Op::Return(_) => return self.finish(pc),
                Op::Jump { to } => {
                    pc = to;
                    continue;
                }
                Op::Branch { p, then_pc, else_pc, .. } => {
                    let condition = self.read(pc, (RegFile::P, p));
                    let prefers_then = !self.ends_soon(then_pc) || self.ends_soon(else_pc);
                    // What one side needs must not be asked of the other, nor taken for asked.
                    let before = self.line.as_ref()?.clone();
                    let is_then = if self.require(condition, prefers_then).is_some() {
                        prefers_then
                    } else {
                        self.line = Some(before);
                        self.require(condition, !prefers_then)?;
                        !prefers_then
                    };
                    pc = if is_then { then_pc } else { else_pc };
                    continue;
                }
                Op::UpdatePattern { .. } | Op::Reconverge => {}
                Op::Take { ty, d, a } => {
                    let row = self.read(pc, (RegFile::of(ty), a));
                    let first = self.lanes(row)?.first;
                    self.write(pc, (RegFile::S, d), first);
                }
                Op::BackEdge | Op::BackJump { .. } | Op::Switch(_) | Op::ULoad(_) => return None,
                _ => {
                    if op.load().is_some() && !self.segment()?.stores.is_empty() {
                        return None;
                    }
                    self.operation(pc, op)?;
                }
            }
            pc += 1;
        }
        None
    }

    fn segment(&self) -> Option<&Segment> {
        Some(&self.open.as_ref()?.segment)
    }

    fn finish(mut self, pc: u32) -> Option<StraightLine> {
        // Rows may have scalars that change; what changes otherwise cannot be followed.
        for scalar in self.splats()? {
            let step = self.step(scalar)?;
            if step.is_some() && !self.is_integer(scalar)? {
                return None;
            }
        }
        let Line { shape, guards, access_steps, steps, .. } = self.line.take()?;
        let mut segment = self.open.take()?.segment;
        if segment.stores.is_empty() || !self.told.is_empty() {
            return None;
        }
        segment.end = End::Go(pc);
        (segment.patterns, segment.patterns_before, segment.reconverges) = (Vec::new(), Vec::new(), false);
        let value_steps = (0..segment.values.len() as ValueId).map(|id| steps.get(&id).copied().flatten()).collect();
        Some(StraightLine { segment, guards, value_steps, access_steps, row: shape.row })
    }

    /// The scalars that what is stored has in all lanes.
    fn splats(&self) -> Option<Vec<ValueId>> {
        let segment = self.segment()?;
        let mut is_needed = vec![false; segment.values.len()];
        segment.stores.iter().for_each(|store| is_needed[store.value as usize] = true);
        let mut out = Vec::new();
        for (i, value) in segment.values.iter().enumerate().rev().filter(|(_, value)| value.class() != Class::Scalar) {
            if is_needed[i] {
                value.each_operand(|operand| is_needed[operand as usize] = true);
                out.extend(if let Value::Splat(_, scalar) = value { Some(*scalar) } else { None });
            }
        }
        Some(out)
    }

    /// Whether lanes that go on at an operation end soon.
    fn ends_soon(&self, mut pc: u32) -> bool {
        for _ in 0..SHORT {
            match self.variant.ops.get(pc as usize) {
                Some(Op::Exit | Op::Return(_)) => return true,
                Some(Op::Jump { to }) => pc = *to,
                Some(Op::Nop | Op::Stmt | Op::Reconverge) => pc += 1,
                _ => return false,
            }
        }
        false
    }

    fn value(&self, id: ValueId) -> Option<Value> {
        self.segment()?.values.get(id as usize).copied()
    }

    /// Adds a scalar, if the code knows it.
    fn scalar(&mut self, value: Value) -> Option<ValueId> {
        jit::is_known(&value).then(|| self.push(0, value))
    }

    /// The word of a scalar that is a constant; the extents of the block are.
    fn constant(&self, scalar: ValueId) -> Option<u64> {
        match self.value(scalar)? {
            Value::Constant(word) => Some(word),
            Value::Geometry(word @ 0..=2) => Some(u64::from(self.line.as_ref()?.block[word as usize])),
            Value::ScalarBin(BinOp::Mul, Ty::I32, a, b) => {
                Some(u64::from((self.constant(a)? as u32).wrapping_mul(self.constant(b)? as u32)))
            }
            _ => None,
        }
    }

    fn guard(&mut self, guard: Guard) -> Option<()> {
        let guards = &mut self.line.as_mut()?.guards;
        if !guards.contains(&guard) {
            guards.push(guard);
        }
        Some(())
    }

    /// Has a predicate be `wanted` in all lanes of all warps.
    fn require(&mut self, predicate: ValueId, wanted: bool) -> Option<()> {
        match self.value(predicate)? {
            Value::Splat(Class::Pred, scalar) => match self.value(scalar)? {
                Value::ScalarCmp(op, ty, a, b) => {
                    let uniform = |first| Lanes { first, offsets: [0; 32] };
                    self.compare(op, ty, (uniform(a), uniform(b)), wanted)
                }
                _ => self.is(scalar, wanted),
            },
            Value::Cmp(op, ty, a, b) if ty.is_int() => {
                let lanes = (self.lanes(a)?, self.lanes(b)?);
                self.compare(op, ty, lanes, wanted)
            }
            Value::Bin(BinOp::And, Ty::Pred, a, b) if wanted => {
                self.require(a, true)?;
                self.require(b, true)
            }
            Value::Bin(BinOp::Or, Ty::Pred, a, b) if !wanted => {
                self.require(a, false)?;
                self.require(b, false)
            }
            Value::Un(UnOp::Not, Ty::Pred, a) => self.require(a, !wanted),
            Value::Un(UnOp::Mov, Ty::Pred, a) => self.require(a, wanted),
            _ => None,
        }
    }

    /// Has a truth value that is the same for all warps be `wanted`.
    fn is(&mut self, scalar: ValueId, wanted: bool) -> Option<()> {
        match self.step(scalar)? {
            None => self.guard(Guard::Is(scalar, wanted)),
            Some(_) => None,
        }
    }

    /// Has a comparison be `wanted` in all lanes of all warps.
    fn compare(&mut self, op: CmpOp, ty: Ty, (a, b): (Lanes, Lanes), wanted: bool) -> Option<()> {
        let steps = (self.step(a.first)?, self.step(b.first)?);
        if a.is_uniform() && b.is_uniform() && steps == (None, None) {
            let scalar = self.scalar(Value::ScalarCmp(op, ty, a.first, b.first))?;
            return self.is(scalar, wanted);
        }
        if ty != Ty::I32 {
            return None;
        }
        // Each is exact, so the difference is too.
        self.exact(&a)?;
        self.exact(&b)?;
        let differ = |a: Lanes, b: Lanes| {
            let offsets = sum(&a.offsets, &b.offsets, -1)?;
            Some((a.first, b.first, Lanes { first: 0, offsets }))
        };
        let (is_swapped, floor) = match (op, wanted) {
            (CmpOp::Ge, true) | (CmpOp::Lt, false) => (false, 0),
            (CmpOp::Gt, true) | (CmpOp::Le, false) => (false, 1),
            (CmpOp::Le, true) | (CmpOp::Gt, false) => (true, 0),
            (CmpOp::Lt, true) | (CmpOp::Ge, false) => (true, 1),
            (CmpOp::Ne, true) | (CmpOp::Eq, false) => (false, 0),
            _ => return None,
        };
        let ((left, right, lanes), (from, to)) =
            if is_swapped { (differ(b, a)?, (steps.1, steps.0)) } else { (differ(a, b)?, steps) };
        let step = self.combine(BinOp::Sub, from, to)?;
        let (least, most) = (lanes.least(), lanes.most());
        let of = Difference { left, right, step, least, most };
        self.guard(if matches!(op, CmpOp::Ne | CmpOp::Eq) { Guard::Differ(of) } else { Guard::AtLeast(of, floor) })
    }

    /// Has integers of 32 bits be so far from lane 0, and from the first warp, as numbers.
    fn exact(&mut self, lanes: &Lanes) -> Option<()> {
        let step = self.step(lanes.first)?;
        if lanes.is_uniform() && step.is_none() {
            return Some(());
        }
        let (least, most) = (lanes.least(), lanes.most());
        self.guard(Guard::Fits { value: lanes.first, step, least, most })
    }

    /// The integers of a row, if they are as far from each other in all warps.
    fn lanes(&mut self, id: ValueId) -> Option<Lanes> {
        if let Some(lanes) = self.line.as_ref()?.lanes.get(&id) {
            return Some(*lanes);
        }
        let lanes = self.find_lanes(id)?;
        self.line.as_mut()?.lanes.insert(id, lanes);
        Some(lanes)
    }

    fn find_lanes(&mut self, id: ValueId) -> Option<Lanes> {
        let uniform = |first| Some(Lanes { first, offsets: [0; 32] });
        let is_int = |ty: Ty| matches!(ty, Ty::I32 | Ty::I64);
        match self.value(id)? {
            Value::Splat(class, scalar) if class != Class::Pred => uniform(scalar),
            // All lanes begin with the same.
            Value::Word(slot) => uniform(self.scalar(Value::FirstRow(Class::Word, slot))?),
            Value::Long(slot) => uniform(self.scalar(Value::FirstRow(Class::Long, slot))?),
            Value::Thread(dimension) => {
                let offsets = self.line.as_ref()?.thread(dimension);
                Some(Lanes { first: self.scalar(Value::FirstThread(dimension))?, offsets })
            }
            Value::Bin(op @ (BinOp::Add | BinOp::Sub), ty, a, b) if is_int(ty) => {
                let (a, b) = (self.lanes(a)?, self.lanes(b)?);
                self.add(op, ty, a, b)
            }
            Value::Bin(BinOp::Mul, ty, a, b) if is_int(ty) => {
                let (a, b) = (self.lanes(a)?, self.lanes(b)?);
                self.multiply(ty, a, b)
            }
            Value::Bin(BinOp::Shl, ty, a, b) if is_int(ty) => {
                let (a, b) = (self.lanes(a)?, self.lanes(b)?);
                let count = self.constant(b.first).filter(|&count| count < 31 && b.is_uniform())?;
                let first = self.scalar(Value::ScalarBin(BinOp::Shl, ty, a.first, b.first))?;
                Some(Lanes { first, offsets: sum(&[0; 32], &a.offsets, 1 << count)? })
            }
            Value::Tri(TriOp::Mad, ty, a, b, c) if is_int(ty) => {
                let (a, b, c) = (self.lanes(a)?, self.lanes(b)?, self.lanes(c)?);
                let product = self.multiply(ty, a, b)?;
                self.add(BinOp::Add, ty, product, c)
            }
            Value::Cvt(CvtOp::Cast, Ty::I32, Ty::I64, a) => {
                let a = self.lanes(a)?;
                self.exact(&a)?;
                let first = self.scalar(Value::ScalarCvt(CvtOp::Cast, Ty::I32, Ty::I64, a.first))?;
                Some(Lanes { first, ..a })
            }
            Value::Cvt(CvtOp::Cast, Ty::I64, Ty::I32, a) => {
                let a = self.lanes(a)?;
                let first = self.scalar(Value::ScalarCvt(CvtOp::Cast, Ty::I64, Ty::I32, a.first))?;
                Some(Lanes { first, ..a })
            }
            _ => None,
        }
    }

    fn add(&mut self, op: BinOp, ty: Ty, a: Lanes, b: Lanes) -> Option<Lanes> {
        let first = self.scalar(Value::ScalarBin(op, ty, a.first, b.first))?;
        let offsets = sum(&a.offsets, &b.offsets, if op == BinOp::Sub { -1 } else { 1 })?;
        Some(Lanes { first, offsets })
    }

    fn multiply(&mut self, ty: Ty, a: Lanes, b: Lanes) -> Option<Lanes> {
        let first = self.scalar(Value::ScalarBin(BinOp::Mul, ty, a.first, b.first))?;
        if a.is_uniform() && b.is_uniform() {
            return Some(Lanes { first, offsets: [0; 32] });
        }
        let (lanes, factor) = if b.is_uniform() { (a, b) } else { (b, a) };
        let word = self.constant(factor.first).filter(|_| factor.is_uniform())?;
        let factor = if ty == Ty::I32 { i64::from(word as i32) } else { word as i64 };
        Some(Lanes { first, offsets: sum(&[0; 32], &lanes.offsets, factor)? })
    }

    /// Whether a scalar is an integer of 32 or 64 bits that is computed here, or a thread index.
    fn is_integer(&self, scalar: ValueId) -> Option<bool> {
        let is_int = |ty: Ty| matches!(ty, Ty::I32 | Ty::I64);
        Some(match self.value(scalar)? {
            Value::FirstThread(_) => true,
            Value::ScalarBin(_, ty, ..) | Value::ScalarTri(_, ty, ..) | Value::ScalarCvt(_, _, ty, _) => is_int(ty),
            _ => false,
        })
    }

    /// By how much a scalar changes from warp to warp; `None` if that is not known.
    fn step(&mut self, scalar: ValueId) -> Option<Step> {
        if let Some(step) = self.line.as_ref()?.steps.get(&scalar) {
            return Some(*step);
        }
        let step = self.find_step(scalar)?;
        self.line.as_mut()?.steps.insert(scalar, step);
        Some(step)
    }

    fn find_step(&mut self, scalar: ValueId) -> Option<Step> {
        let value = self.value(scalar)?;
        match value {
            Value::FirstThread(dimension) => {
                let shape = self.line.as_ref()?.shape;
                if dimension as usize == shape.row { self.step_of(i64::from(shape.step)) } else { Some(None) }
            }
            Value::ScalarBin(op @ (BinOp::Add | BinOp::Sub), Ty::I32 | Ty::I64, a, b) => {
                let (a, b) = (self.step(a)?, self.step(b)?);
                self.combine(op, a, b)
            }
            Value::ScalarBin(BinOp::Mul, ty @ (Ty::I32 | Ty::I64), a, b) => self.step_of_product(ty, a, b),
            Value::ScalarTri(TriOp::Mad, ty @ (Ty::I32 | Ty::I64), a, b, c) => {
                let product = self.step_of_product(ty, a, b)?;
                let step = self.step(c)?;
                self.combine(BinOp::Add, product, step)
            }
            Value::ScalarBin(BinOp::Shl, Ty::I32 | Ty::I64, a, b) => {
                let (step, count) = (self.step(a)?, self.step(b)?);
                match (step, count) {
                    (None, None) => Some(None),
                    (Some(step), None) => {
                        let count = self.constant(b).filter(|&count| count < 31)?;
                        let factor = self.scalar(Value::Constant(1 << count))?;
                        self.product(step, factor).map(Some)
                    }
                    _ => None,
                }
            }
            Value::ScalarCvt(CvtOp::Cast, Ty::I32, Ty::I64, a) => {
                let step = self.step(a)?;
                if step.is_some() {
                    self.guard(Guard::Fits { value: a, step, least: 0, most: 0 })?;
                }
                Some(step)
            }
            Value::ScalarCvt(CvtOp::Cast, Ty::I64, Ty::I32, a) => self.step(a),
            _ => {
                let mut operands = Vec::new();
                value.each_operand(|operand| operands.push(operand));
                for operand in operands {
                    if self.step(operand)?.is_some() {
                        return None;
                    }
                }
                Some(None)
            }
        }
    }

    /// A step that is a constant.
    fn step_of(&mut self, step: i64) -> Option<Step> {
        let is_small = i32::try_from(step).is_ok();
        match step {
            0 => Some(None),
            _ if is_small => self.scalar(Value::Constant(step as u64)).map(Some),
            _ => None,
        }
    }

    /// The sum or difference of two steps.
    fn combine(&mut self, op: BinOp, a: Step, b: Step) -> Option<Step> {
        let word = |of: &Self, step: Step| step.map_or(Some(0), |step| of.constant(step).map(|word| word as i64));
        if let (Some(a), Some(b)) = (word(self, a), word(self, b)) {
            return self.step_of(if op == BinOp::Sub { a - b } else { a + b });
        }
        match (a, b) {
            (a, None) => Some(a),
            (None, Some(b)) if op == BinOp::Add => Some(Some(b)),
            (a, Some(b)) => {
                let a = match a {
                    Some(a) => a,
                    None => self.scalar(Value::Constant(0))?,
                };
                let step = self.scalar(Value::ScalarBin(op, Ty::I64, a, b))?;
                self.guard(Guard::IsStep(step, 1))?;
                Some(Some(step))
            }
        }
    }

    /// The step of a product, of which one factor is the same for all warps.
    fn step_of_product(&mut self, ty: Ty, a: ValueId, b: ValueId) -> Option<Step> {
        let (step, factor) = match (self.step(a)?, self.step(b)?) {
            (None, None) => return Some(None),
            (Some(step), None) => (step, b),
            (None, Some(step)) => (step, a),
            (Some(_), Some(_)) => return None,
        };
        let factor = match (ty, self.constant(factor)) {
            (Ty::I64, _) => factor,
            (_, Some(word)) => self.scalar(Value::Constant(i64::from(word as i32) as u64))?,
            (_, None) => self.scalar(Value::ScalarCvt(CvtOp::Cast, Ty::I32, Ty::I64, factor))?,
        };
        self.product(step, factor).map(Some)
    }

    /// A step times a factor of 64 bits.
    fn product(&mut self, step: ValueId, factor: ValueId) -> Option<ValueId> {
        if let (Some(step), Some(factor)) = (self.constant(step), self.constant(factor)) {
            return self.step_of((step as i64).checked_mul(factor as i64)?)?;
        }
        // Both have 32 bits, so the product has no more than 64.
        self.guard(Guard::IsStep(factor, 1))?;
        let product = self.scalar(Value::ScalarBin(BinOp::Mul, Ty::I64, step, factor))?;
        self.guard(Guard::IsStep(product, 1))?;
        Some(product)
    }

    /// The address of an access.
    pub(super) fn address_in_line(&mut self, pc: u32, m: &MemOp) -> Option<jit::AccessId> {
        let variant = self.variant;
        let expr: &AddressExpr = variant.address_exprs.get(m.expr as usize)?;
        let is_memory = matches!(m.space, Space::Global | Space::Host | Space::Const);
        if m.access == Access::Volatile || !is_memory || expr.local {
            return None;
        }
        let bytes = m.width.bytes() as u32;
        let mut step = AccessStep::default();
        let index = match &expr.index {
            None => None,
            Some(index) => {
                let mut offsets = [0; 32];
                let mut terms = Vec::new();
                for term in &variant.patterns.get(index.pattern as usize)?.terms {
                    let file = if term.narrow { RegFile::W } else { RegFile::L };
                    let row = self.read(pc, (file, term.slot));
                    let lanes = self.lanes(row)?;
                    if term.narrow {
                        self.exact(&lanes)?;
                    }
                    offsets = sum(&offsets, &lanes.offsets, term.factor)?;
                    terms.push(AddressTerm { value: lanes.first, is_narrow: term.narrow, factor: term.factor });
                }
                if index.wraps {
                    terms.extend(self.terms(pc, &index.terms));
                } else {
                    // The sum is multiplied and added to the address.
                    let scale =
                        |t: &AddressTerm| Some(AddressTerm { factor: t.factor.checked_mul(index.factor)?, ..*t });
                    terms = terms.iter().map(scale).collect::<Option<_>>()?;
                }
                let key = key_of(offsets)?;
                let sum = self.step_of_terms(&terms)?;
                if index.wraps {
                    step.index = sum;
                    let factor = self.scalar(Value::Constant(index.factor as u64))?;
                    step.address = match sum {
                        Some(sum) => Some(self.product(sum, factor)?),
                        None => None,
                    };
                } else {
                    step.address = sum;
                }
                Some((key, index, terms))
            }
        };
        let mut terms = self.terms(pc, &expr.terms);
        let uniform = self.step_of_terms(&terms)?;
        step.address = self.combine(BinOp::Add, step.address, uniform)?;
        let index = match index {
            None => None,
            Some((key, index, own)) => {
                let (factor, wraps, base) = (index.factor, index.wraps, index.base);
                if factor <= 0 {
                    return None;
                }
                let inner = if wraps {
                    own
                } else {
                    terms.extend(own);
                    Vec::new()
                };
                Some(Index { pattern: None, key, factor, wraps, base, terms: inner })
            }
        };
        if let Some(step) = step.address {
            match self.constant(step) {
                Some(word) if !word.is_multiple_of(u64::from(bytes)) => return None,
                Some(_) => {}
                None => self.guard(Guard::IsStep(step, bytes))?,
            }
        }
        let access = jit::Access { place: Place::Memory, bytes, base: expr.base, is_local: false, terms, index };
        let extent = access.extent()?;
        if extent > 1 << 30 || access.offsets()?.iter().any(|x| x % i64::from(bytes) != 0) || (self.tells)(pc) {
            return None;
        }
        self.line.as_mut()?.access_steps.push(step);
        let accesses = &mut self.open(pc).segment.accesses;
        accesses.push(access);
        Some(accesses.len() as u32 - 1)
    }

    /// By how much the sum of terms changes from warp to warp.
    fn step_of_terms(&mut self, terms: &[AddressTerm]) -> Option<Step> {
        let mut sum = None;
        for term in terms {
            let step = self.step(term.value)?;
            let Some(by) = step else { continue };
            if term.is_narrow {
                self.guard(Guard::Fits { value: term.value, step, least: 0, most: 0 })?;
            }
            let product = if term.factor == 1 {
                by
            } else {
                let factor = self.scalar(Value::Constant(term.factor as u64))?;
                self.product(by, factor)?
            };
            sum = self.combine(BinOp::Add, sum, Some(product))?;
        }
        Some(sum)
    }
}

/// Offsets and others times a constant, if they have 32 bits.
fn sum(offsets: &[i32; 32], others: &[i32; 32], factor: i64) -> Option<[i32; 32]> {
    let mut out = *offsets;
    for (out, other) in out.iter_mut().zip(others) {
        let product = i64::from(*other).checked_mul(factor)?;
        *out = i64::from(*out).checked_add(product).and_then(|sum| i32::try_from(sum).ok())?;
    }
    Some(out)
}

/// The rule of offsets.
fn key_of(offsets: [i32; 32]) -> Option<PatternKey> {
    let offsets = offsets.map(i64::from);
    [32u32, 16, 8, 4, 2].into_iter().find_map(|lanes| {
        let row = if lanes < 32 { offsets[lanes as usize] } else { 0 };
        let key = PatternKey::new(lanes, offsets[1], row);
        (key.offsets()? == offsets).then_some(key)
    })
}
