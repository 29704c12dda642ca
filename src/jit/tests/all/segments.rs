//! Random segments against the reference.

use crate::frame::{MEMORY, MEMORY_BASE, PART, SHARED_BASE, SLOTS, TestFrame, empty, instruction_sets, routine};
use ir::Ty;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use jit::{
    Access, AddressTerm, Class, Condition, End, Index, InstructionSet, Out, PatternHead, PatternKey, PatternRow,
    PatternUpdate, Place, Routine, Segment, Store, Value,
};

/// Shapes of addresses: lanes of a row, step, row.
const SHAPES: [(u32, i64, i64); 9] =
    [(32, 1, 0), (32, 0, 0), (16, 1, 40), (16, 0, 1), (8, 1, 33), (4, 1, 7), (32, -1, 0), (32, 3, 0), (2, 5, -20)];

/// Makes values of a segment.
pub(crate) struct Generator<'a> {
    pub(crate) rng: &'a mut fastrand::Rng,
    pub(crate) segment: Segment,
}

impl Generator<'_> {
    /// A value of a class; a new slot if there is none.
    pub(crate) fn pick(&mut self, class: Class) -> u32 {
        let of: Vec<u32> = (0..self.segment.values.len() as u32)
            .filter(|&v| self.segment.values[v as usize].class() == class)
            .collect();
        if !of.is_empty() && self.rng.u32(0..5) > 0 {
            // The last ones more often, so that chains come about, and old ones too, so that values live long.
            return of[if self.rng.bool() {
                of.len() - 1 - self.rng.usize(0..of.len().min(4))
            } else {
                self.rng.usize(0..of.len())
            }];
        }
        let slot = self.rng.u32(0..SLOTS as u32);
        let value = match class {
            Class::Scalar if self.rng.bool() => Value::Constant(crate::frame::word(self.rng) & 0xffff_ffff),
            Class::Scalar => Value::Scalar(slot),
            Class::Pred => Value::Pred(slot),
            Class::Word => Value::Word(slot),
            Class::Long => Value::Long(slot),
        };
        self.push(value)
    }

    pub(crate) fn push(&mut self, value: Value) -> u32 {
        // A slot is one value.
        if let Some(at) = self.segment.values.iter().position(|v| *v == value) {
            return at as u32;
        }
        self.segment.values.push(value);
        self.segment.values.len() as u32 - 1
    }

    /// A value of a type; a narrow integer is loaded, or cut from a word.
    fn operand(&mut self, ty: Ty) -> u32 {
        let bytes = ty.bytes();
        let is_loaded = |v: &u32| match self.segment.values[*v as usize] {
            Value::Load(Class::Word, access) => self.segment.accesses[access as usize].bytes == bytes,
            _ => false,
        };
        let loaded: Vec<u32> = (0..self.segment.values.len() as u32).filter(is_loaded).collect();
        if bytes < 4 && !loaded.is_empty() && self.rng.u32(0..3) > 0 {
            return loaded[self.rng.usize(0..loaded.len())];
        }
        let value = self.pick(crate::frame::class(ty));
        if matches!(ty, Ty::I8 | Ty::I16) { self.push(Value::Cvt(CvtOp::Cast, Ty::I32, ty, value)) } else { value }
    }

    /// Bytes of a word in memory of which a value of a class is made.
    pub(crate) fn bytes(&mut self, class: Class) -> i64 {
        if class == Class::Long { 8 } else { [1, 2, 4, 4][self.rng.usize(0..4)] }
    }

    pub(crate) fn operation(&mut self) {
        let ty = [Ty::I32, Ty::I64, Ty::F32, Ty::F64, Ty::I8, Ty::I16][self.rng.usize(0..6)];
        let class = crate::frame::class(ty);
        let [a, b, c] = [(); 3].map(|()| self.operand(ty));
        let pred = self.pick(Class::Pred);
        let value = match self.rng.u32(0..10) {
            0 => Value::Un(UnOp::ALL[self.rng.usize(0..UnOp::ALL.len())], ty, a),
            1..4 => Value::Bin(BinOp::ALL[self.rng.usize(0..BinOp::ALL.len())], ty, a, b),
            4 => Value::Tri(TriOp::ALL[self.rng.usize(0..2)], ty, a, b, c),
            5 => Value::Cmp(CmpOp::ALL[self.rng.usize(0..6)], ty, a, b),
            6 => Value::Select(class, pred, a, b),
            7 => {
                let to = [Ty::I32, Ty::I64, Ty::F32, Ty::F64, Ty::I8, Ty::I16][self.rng.usize(0..6)];
                match (ty, self.rng.bool()) {
                    (Ty::I16, true) => Value::Cvt(CvtOp::FromHalf, Ty::I16, Ty::F32, a),
                    (Ty::F32, true) => Value::Cvt(CvtOp::ToHalf, Ty::F32, Ty::I16, a),
                    _ => Value::Cvt(CvtOp::Cast, ty, to, a),
                }
            }
            8 => {
                let other = self.pick(Class::Pred);
                Value::Bin([BinOp::And, BinOp::Or, BinOp::Xor][self.rng.usize(0..3)], Ty::Pred, pred, other)
            }
            _ => {
                let scalar = self.pick(Class::Scalar);
                Value::Splat(class, scalar)
            }
        };
        let fits = match value {
            Value::Un(op, ty, _) => op.class().has(ty),
            Value::Bin(op, ty, ..) => op.class().has(ty),
            Value::Tri(op, ty, ..) => op.class().has(ty),
            _ => true,
        };
        if fits && jit::is_known(&value) {
            self.push(value);
        }
    }

    fn access(&mut self, frame: &mut TestFrame, class: Class) -> u32 {
        let bytes = self.bytes(class);
        if self.rng.u32(0..6) == 0 {
            return self.local_access(bytes);
        }
        let shape = SHAPES[self.rng.usize(0..SHAPES.len())];
        let key = PatternKey::new(shape.0, shape.1, shape.2);
        let pattern = frame.patterns.len() as u32;
        frame.patterns.push(PatternHead { first: self.rng.i64(0..100), key, mask: u32::MAX, ..PatternHead::default() });
        let place = if self.rng.bool() { Place::Memory } else { Place::Shared(SHARED_BASE) };
        let base = if place == Place::Memory { MEMORY_BASE } else { SHARED_BASE };
        let wraps = self.rng.bool();
        let slot = SLOTS as u32 - 1 - self.rng.u32(0..3);
        let scalar = self.push(Value::Scalar(slot));
        let term = AddressTerm { value: scalar, is_narrow: true, factor: if wraps { 1 } else { bytes } };
        let index = Index {
            pattern: Some(pattern),
            key,
            factor: bytes,
            wraps,
            base: if wraps { self.rng.i64(0..4) } else { 0 },
            terms: if wraps { vec![term] } else { Vec::new() },
        };
        // Now and then outside.
        let offset = if self.rng.u32(0..40) == 0 { MEMORY as i64 } else { bytes * self.rng.i64(30..200) };
        let number = self.segment.accesses.len() as u32;
        self.segment.accesses.push(Access {
            place,
            bytes: bytes as u32,
            base: base as i64 + offset,
            is_local: false,
            terms: if wraps { Vec::new() } else { vec![term] },
            index: Some(index),
        });
        number
    }
}

impl Generator<'_> {
    /// An access of local memory, now and then outside.
    fn local_access(&mut self, bytes: i64) -> u32 {
        let slot = SLOTS as u32 - 1 - self.rng.u32(0..3);
        let value = self.push(Value::Scalar(slot));
        self.segment.accesses.push(Access {
            place: Place::Local(PART),
            bytes: bytes as u32,
            base: PART.start as i64 + bytes * self.rng.i64(-1..if bytes < 4 { 100 } else { 30 }),
            is_local: true,
            terms: if self.rng.bool() {
                vec![AddressTerm { value, is_narrow: true, factor: bytes }]
            } else {
                Vec::new()
            },
            index: None,
        });
        self.segment.accesses.len() as u32 - 1
    }
}

/// A pattern of a register that is as the code expects it as a rule.
fn pattern(g: &mut Generator<'_>, frame: &mut TestFrame) -> PatternUpdate {
    let class = if g.rng.bool() { Class::Word } else { Class::Long };
    let slot = g.rng.u32(0..SLOTS as u32);
    let shape = SHAPES[g.rng.usize(0..SHAPES.len())];
    let factor = [1, 1, 4, -8][g.rng.usize(0..4)];
    let key = PatternKey::new(shape.0, shape.1 * factor, shape.2 * factor);
    let offsets = PatternKey::new(shape.0, shape.1, shape.2).offsets().expect("regular");
    let first = if g.rng.u32(0..6) == 0 { i64::from(i32::MAX) - 20 } else { g.rng.i64(-1000..1000) };
    for (i, offset) in offsets.into_iter().enumerate() {
        let value = first + offset + i64::from(g.rng.u32(0..200) == 0);
        match class {
            Class::Long => frame.longs[slot as usize][i] = value as u64,
            _ => frame.words[slot as usize][i] = value as u32,
        }
    }
    frame.patterns.push(PatternHead::default());
    let row = PatternRow { class, slot, factor };
    // Twice the row differs in the same way.
    let (key, rows) = if g.rng.bool() {
        (PatternKey::new(shape.0, shape.1 * factor * 2, shape.2 * factor * 2), [Some(row), Some(row)])
    } else {
        (key, [Some(row), None])
    };
    PatternUpdate { pattern: frame.patterns.len() as u32 - 1, key, rows }
}

fn random(rng: &mut fastrand::Rng) -> (Segment, TestFrame) {
    let mut frame = TestFrame::new(rng);
    for slot in SLOTS - 3..SLOTS {
        frame.scalars[slot] = rng.u64(0..64);
    }
    let mut g = Generator { rng, segment: empty() };
    for _ in 0..g.rng.usize(0..4) {
        let class = if g.rng.bool() { Class::Word } else { Class::Long };
        let access = g.access(&mut frame, class);
        g.segment.values.push(Value::Load(class, access));
        g.segment.points += 1;
        g.segment.loads += 1;
    }
    for _ in 0..g.rng.usize(1..60) {
        g.operation();
    }
    for _ in 0..g.rng.usize(0..3) {
        let class = if g.rng.bool() { Class::Word } else { Class::Long };
        let access = g.access(&mut frame, class);
        let value = g.pick(class);
        g.segment.stores.push(Store { access, value });
        g.segment.points += 1;
    }
    for class in [Class::Word, Class::Long, Class::Pred, Class::Scalar] {
        let mut slots: Vec<u32> = (0..SLOTS as u32 - 3).collect();
        g.rng.shuffle(&mut slots);
        for &slot in &slots[..g.rng.usize(0..8)] {
            let value = g.pick(class);
            g.segment.outs.push(Out { class, slot, value });
        }
    }
    for _ in 0..g.rng.usize(0..3) {
        let update = pattern(&mut g, &mut frame);
        g.segment.patterns.push(update);
    }
    if g.rng.bool() {
        let value = g.pick(Class::Pred);
        let is_written = g.segment.outs.iter().any(|o| o.class == Class::Pred && o.value == value);
        if !is_written {
            g.segment.outs.push(Out { class: Class::Pred, slot: SLOTS as u32 - 1, value });
        }
        g.segment.end =
            End::Branch { condition: Condition::Pred(value), then_pc: 20, else_pc: 30, pc: 15, leave: None };
    }
    if g.rng.bool() {
        g.segment.told = (0..g.segment.accesses.len() as u32).map(|access| (access, access + 100)).collect();
    }
    (g.segment, frame)
}

#[test]
fn random_segments_leave_what_the_reference_leaves() {
    instruction_sets().into_iter().for_each(check_segments);
}

fn check_segments(set: InstructionSet) {
    let (mut compiled, mut left, mut told) = (0, 0, 0);
    for seed in 0..3000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (segment, frame) = random(&mut rng);
        let routine = routine(segment);
        let (mut got, mut expected) = (frame.clone(), frame);
        match got.run(&routine, set) {
            Err(jit::CompileError::Unsupported(_)) => continue,
            other => {
                _ = other.unwrap_or_else(|e| panic!("seed {seed} with {set:?}: {e:?}\n{:#?}", routine.segments[0]));
            }
        }
        compiled += 1;
        left += u32::from(!expected.reference(&routine.segments[0]));
        told += got.told.len();
        assert!(
            got == expected,
            "seed {seed} with {set:?}: {}\n{:#?}",
            difference(&got, &expected),
            routine.segments[0]
        );
    }
    assert!(compiled > 2500 && left > 20 && left < compiled / 3, "{compiled} compiled, {left} left");
    assert!(told > 1000, "{told} accesses told");
}

/// The operation at 10 is done by a call, for all lanes and for some; that at 11 is left to the interpreter by its call.
#[test]
fn operations_are_done_by_calls_or_left() {
    let sets = instruction_sets().into_iter();
    for (set, mask) in sets.flat_map(|set| [(set, u32::MAX), (set, 0x0f0f_1001)]) {
        let mut frame = TestFrame::new(&mut fastrand::Rng::with_seed(1));
        frame.mask = mask;
        let copy = Segment {
            values: vec![Value::Word(1)],
            outs: vec![Out { class: Class::Word, slot: 0, value: 0 }],
            ..Segment::empty(7, End::Go(10))
        };
        let routine = Routine { segments: vec![copy, Segment::call(10), Segment::call(11)], ..routine(empty()) };
        let mut expected = frame.words.clone();
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            expected[0][lane] = expected[1][lane];
        }
        expected[0][0] = 10;
        assert_eq!(frame.run(&routine, set).expect("code"), jit::Outcome::Continue);
        assert_eq!((frame.pc, frame.words == expected), (11, true), "lanes {mask:#x} with {set:?}");
    }
}

/// What two frames differ in.
pub(crate) fn difference(a: &TestFrame, b: &TestFrame) -> String {
    let mut out = String::new();
    for slot in 0..SLOTS {
        if a.words[slot] != b.words[slot] {
            out += &format!("words {slot}: {:x?}\n      not {:x?}\n", a.words[slot], b.words[slot]);
        }
        if a.longs[slot] != b.longs[slot] {
            out += &format!("longs {slot}: {:x?}\n      not {:x?}\n", a.longs[slot], b.longs[slot]);
        }
        if a.preds[slot] != b.preds[slot] {
            out += &format!("pred {slot}: {:x} not {:x}, mask {:x}\n", a.preds[slot], b.preds[slot], a.mask);
        }
        if a.scalars[slot] != b.scalars[slot] {
            out += &format!("scalar {slot}: {:x} not {:x}\n", a.scalars[slot], b.scalars[slot]);
        }
    }
    let counts = |f: &TestFrame| (f.pc, f.budget, f.polls, f.writes, f.memory == a.memory, f.shared == a.shared);
    out + &format!("{:?} {:?}", counts(a), counts(b))
}
