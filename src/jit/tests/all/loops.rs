//! Random loops of one segment against the reference, which does iteration after iteration.

use crate::frame::{MEMORY_BASE, QUANTUM, SHARED_BASE, SLOTS, TestFrame, instruction_sets, routine};
use crate::segments::{Generator, difference};
use ir::Ty;
use ir::op::{BinOp, CmpOp};
use jit::{
    Access, AddressTerm, Class, Condition, End, Index, InstructionSet, Leave, Out, Outcome, PatternHead, PatternKey,
    PatternRow, PatternUpdate, Place, Segment, Value,
};

/// Where the loop begins and where it ends.
const HEAD: u32 = 7;
const EXIT: u32 = 30;
/// The scalar that is counted, the one that addresses are made of, and one that stays as it is.
const COUNTER: u32 = SLOTS as u32 - 1;
const INDEX: u32 = SLOTS as u32 - 2;
const FIXED: u32 = SLOTS as u32 - 3;

/// A load at an address that grows with the index.
fn load(g: &mut Generator<'_>, frame: &mut TestFrame, index: u32, fixed: u32) {
    let class = if g.rng.bool() { Class::Word } else { Class::Long };
    let bytes = g.bytes(class);
    let is_scalar = g.rng.bool();
    let place = if g.rng.bool() { Place::Memory } else { Place::Shared(SHARED_BASE) };
    let base = if place == Place::Memory { MEMORY_BASE } else { SHARED_BASE };
    let factor = [0, bytes, bytes, 16, -bytes, 1024][g.rng.usize(0..6)];
    let term = |value, factor| AddressTerm { value, is_narrow: true, factor };
    let number = g.segment.accesses.len() as u32;
    let shapes = [(32, 1, 0), (32, 0, 0), (16, 0, 1), (16, 1, 20), (32, -1, 0)];
    let shape: (u32, i64, i64) = shapes[g.rng.usize(0..shapes.len())];
    let key = PatternKey::new(shape.0, shape.1, shape.2);
    let wraps = g.rng.bool() && factor % bytes == 0;
    let (inner, outer) =
        if wraps { (vec![term(index, factor / bytes)], vec![]) } else { (vec![], vec![term(index, factor)]) };
    let index = (!is_scalar).then(|| {
        let pattern = frame.patterns.len() as u32;
        frame.patterns.push(PatternHead { first: g.rng.i64(32..60), key, mask: u32::MAX, ..PatternHead::default() });
        if g.rng.u32(0..3) == 0 {
            // Worked out at the beginning of each iteration, of a row that iterations may write.
            let slot = g.rng.u32(0..4);
            let first = g.rng.i64(32..60);
            let offsets = key.offsets().expect("regular");
            frame.words[slot as usize] = offsets.map(|offset| (first + offset) as u32);
            let rows = [Some(PatternRow { class: Class::Word, slot, factor: 1 }), None];
            g.segment.patterns_before.push(PatternUpdate { pattern, key, rows });
        }
        Index { pattern: Some(pattern), key, factor: bytes, wraps, base: 3, terms: inner }
    });
    let mut terms = if is_scalar { vec![term(index_value(g), factor)] } else { outer };
    if g.rng.bool() {
        terms.push(term(fixed, bytes));
    }
    let offset = bytes * g.rng.i64(100..500);
    g.segment.accesses.push(Access {
        place,
        bytes: bytes as u32,
        base: base as i64 + offset,
        is_local: false,
        terms,
        index,
    });
    if is_scalar {
        let loaded = g.push(Value::ScalarLoad(number));
        g.push(Value::Splat(class, loaded));
    } else {
        g.push(Value::Load(class, number));
    }
    g.segment.points += 1;
    g.segment.loads += 1;
}

fn index_value(g: &mut Generator<'_>) -> u32 {
    g.push(Value::Scalar(INDEX))
}

/// A scalar that a constant is added to in each iteration.
fn induction(g: &mut Generator<'_>, slot: u32, step: i32) -> u32 {
    let (before, by) = (g.push(Value::Scalar(slot)), g.push(Value::Constant(u64::from(step.unsigned_abs()))));
    let op = if step < 0 { BinOp::Sub } else { BinOp::Add };
    let after = g.push(Value::ScalarBin(op, Ty::I32, before, by));
    g.segment.outs.push(Out { class: Class::Scalar, slot, value: after });
    before
}

fn random(rng: &mut fastrand::Rng) -> (Segment, TestFrame) {
    let mut frame = TestFrame::new(rng);
    frame.scalars[COUNTER as usize] = rng.u64(0..40);
    frame.scalars[INDEX as usize] = if rng.u32(0..20) == 0 { 0x7fff_fff8 } else { rng.u64(0..30) };
    frame.scalars[FIXED as usize] = rng.u64(0..30);
    frame.budget = [rng.u64(0..20), rng.u64(0..200), 2_000][rng.usize(0..3)];
    frame.polls = if rng.u32(0..8) == 0 { QUANTUM - rng.u32(1..30) } else { 0 };
    let mut g = Generator { rng, segment: crate::frame::empty() };
    (g.segment.pc, g.segment.points, g.segment.has_back_edge) = (HEAD, 1, true);
    let index = induction(&mut g, INDEX, [1, 1, -1, 2][fastrand::Rng::with_seed(frame.budget).usize(0..4)]);
    let fixed = g.push(Value::Scalar(FIXED));
    for _ in 0..g.rng.usize(0..5) {
        load(&mut g, &mut frame, index, fixed);
    }
    if g.rng.bool() {
        let class = if g.rng.bool() { Class::Word } else { Class::Long };
        g.push(Value::Splat(class, index));
    }
    for _ in 0..g.rng.usize(1..30) {
        g.operation();
    }
    // What iterations hand on: registers that they read, and others.
    let mut carried = 0;
    for class in [Class::Word, Class::Long] {
        let read: Vec<u32> = g
            .segment
            .values
            .iter()
            .filter_map(|v| match *v {
                Value::Word(slot) if class == Class::Word => Some(slot),
                Value::Long(slot) if class == Class::Long => Some(slot),
                _ => None,
            })
            .collect();
        let mut slots: Vec<u32> = read.into_iter().chain(0..2).collect();
        slots.sort_unstable();
        slots.dedup();
        g.rng.shuffle(&mut slots);
        for slot in slots {
            let own = if class == Class::Word { Value::Word(slot) } else { Value::Long(slot) };
            let value = g.pick(class);
            let room = if class == Class::Word { 1 } else { 2 };
            if carried + room <= 8 && g.segment.values[value as usize] != own && g.rng.u32(0..4) > 0 {
                carried += room;
                g.segment.outs.push(Out { class, slot, value });
            }
        }
    }
    if g.rng.bool() {
        let counter = induction(&mut g, COUNTER, -1);
        let zero = g.push(Value::Constant(0));
        let (op, then_pc, else_pc) = if g.rng.bool() { (CmpOp::Ne, HEAD, EXIT) } else { (CmpOp::Eq, EXIT, HEAD) };
        let value = g.push(Value::ScalarCmp(op, Ty::I32, counter, zero));
        let condition = Condition::Scalar(value);
        if g.rng.bool() {
            let value = g.push(Value::Splat(Class::Pred, value));
            g.segment.outs.push(Out { class: Class::Pred, slot: COUNTER, value });
        }
        g.segment.end = End::Branch { condition, then_pc, else_pc, pc: 15, leave: None };
    } else {
        // Lanes leave one after another: words, which change or not, against a bound that grows.
        let bound = g.push(Value::Splat(Class::Word, index));
        let row = g.pick(Class::Word);
        let mask = g.push(Value::Constant(31));
        let mask = g.push(Value::Splat(Class::Word, mask));
        let row = g.push(Value::Bin(BinOp::And, Ty::I32, row, mask));
        let value = g.push(Value::Cmp(CmpOp::Lt, Ty::I32, row, bound));
        g.segment.outs.push(Out { class: Class::Pred, slot: COUNTER, value });
        let takes = g.rng.bool();
        let (then_pc, else_pc) = if takes { (EXIT, HEAD) } else { (HEAD, EXIT) };
        let leave = Some(Leave { number: 3, takes });
        g.segment.end = End::Branch { condition: Condition::Pred(value), then_pc, else_pc, pc: 15, leave };
    }
    (g.segment, frame)
}

/// Runs iterations one by one; how many, how it ends, and the lanes that left last if that is to be told.
fn reference(frame: &mut TestFrame, segment: &Segment) -> (u32, Outcome, u32) {
    let entered = frame.mask;
    let mut count = 0;
    loop {
        frame.pc = HEAD;
        if !frame.reference(segment) {
            return (count, Outcome::Continue, 0);
        }
        count += 1;
        let End::Branch { condition, leave, .. } = &segment.end else { panic!("a loop") };
        if let (Condition::Pred(_), Some(leave)) = (condition, leave) {
            let holds = frame.preds[COUNTER as usize];
            let stay = frame.mask & if leave.takes { !holds } else { holds };
            if stay != frame.mask && frame.mask == entered {
                frame.left_polls = frame.polls;
            }
            if stay == 0 {
                frame.pc = EXIT;
                if frame.is_alone {
                    frame.polls = frame.left_polls;
                    frame.mask = entered;
                }
                let outcome = if frame.mask == entered { Outcome::Continue } else { Outcome::Left };
                return (count, outcome, if outcome == Outcome::Left { frame.mask } else { 0 });
            }
            frame.mask = stay;
        } else if frame.pc != HEAD {
            return (count, Outcome::Continue, 0);
        }
    }
}

#[test]
fn random_loops_leave_what_the_reference_leaves() {
    instruction_sets().into_iter().for_each(check_loops);
}

fn check_loops(set: InstructionSet) {
    let (mut compiled, mut many, mut iterations) = (0, 0, 0);
    for seed in 0..4000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (segment, mut frame) = random(&mut rng);
        frame.is_alone = rng.bool();
        let mask = frame.mask;
        let routine = routine(segment);
        let segment = &routine.segments[0];
        let (mut got, mut expected) = (frame.clone(), frame);
        let outcome = match got.run(&routine, set) {
            Err(jit::CompileError::Unsupported(_)) => continue,
            other => other.unwrap_or_else(|e| panic!("seed {seed} with {set:?}: {e:?}\n{segment:#?}")),
        };
        compiled += 1;
        many += u32::from(segment.is_done_many_at_a_time());
        let (count, expected_outcome, left_last) = reference(&mut expected, segment);
        iterations += count;
        if outcome == Outcome::Left {
            // Where it goes on and with which lanes is said by these.
            assert_eq!(got.left_last, left_last, "seed {seed}\n{segment:#?}");
            (got.mask, got.pc) = (expected.mask, expected.pc);
        }
        got.left_last = expected.left_last;
        if got.mask == mask {
            got.left_polls = expected.left_polls;
        }
        let same = got == expected && outcome == expected_outcome;
        let outcomes = (outcome, expected_outcome, count);
        assert!(same, "seed {seed} with {set:?}: {outcomes:?} {}\n{segment:#?}", difference(&got, &expected));
    }
    assert!(compiled > 3000 && many > 1500 && iterations > 20_000, "{compiled} {many} {iterations}");
}
