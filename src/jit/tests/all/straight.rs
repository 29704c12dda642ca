//! Straight-line kernels: all warps of a line by one check, or nothing.

use crate::bare;
use crate::frame::instruction_sets;
use ir::Ty;
use ir::op::BinOp;
use jit::{
    Access, AccessStep, AddressTerm, Class, Difference, End, Guard, Index, InstructionSet, PatternHead, PatternKey,
    Place, Routine, Segment, State, Store, StraightLine, Value, Window, compile_for,
};

/// The operation at which lanes end.
const END: u32 = 9;
/// Warps of a block, and threads.
const WARPS: u32 = 4;
const THREADS: u32 = 32 * WARPS;
/// Blocks behind the first.
const BLOCKS: u32 = 2;
/// The address of the words that are loaded; those that are stored lie behind them.
const FROM: u64 = 0x1000;
const WORDS: usize = 1024;

/// `to(i) = from(i) + i` for `i = tid + ctaid*ntid + start`, where that is less than `count`: scalars 0 and 1. Where the code cannot do
/// it, it returns at operation 0.
fn kernel(key: PatternKey) -> Routine {
    let one = |value| AddressTerm { value, is_narrow: true, factor: 1 };
    let values = vec![
        Value::Scalar(0),
        Value::Geometry(3),
        Value::Constant(u64::from(THREADS)),
        Value::ScalarBin(BinOp::Mul, Ty::I32, 1, 2),
        Value::ScalarBin(BinOp::Add, Ty::I32, 3, 0),
        Value::FirstThread(0),
        Value::ScalarBin(BinOp::Add, Ty::I32, 5, 4),
        Value::Scalar(1),
        Value::Constant(32),
        Value::Constant(128),
        Value::Load(Class::Word, 0),
        Value::Thread(0),
        Value::Splat(Class::Word, 4),
        Value::Bin(BinOp::Add, Ty::I32, 11, 12),
        Value::Bin(BinOp::Add, Ty::I32, 10, 13),
        // The first of the warp, in all its lanes.
        Value::Splat(Class::Word, 6),
        Value::Bin(BinOp::Add, Ty::I32, 14, 15),
    ];
    let index = Index { pattern: None, key, factor: 4, wraps: true, base: 0, terms: vec![one(6)] };
    let access = |base| Access {
        place: Place::Memory,
        bytes: 4,
        base,
        is_local: false,
        terms: Vec::new(),
        index: Some(index.clone()),
    };
    let segment = Segment {
        points: 2,
        loads: 1,
        statements: 3,
        values,
        accesses: vec![access(FROM as i64), access(FROM as i64 + 4 * WORDS as i64)],
        stores: vec![Store { access: 1, value: 16 }],
        ..Segment::empty(0, End::Go(END))
    };
    let mut value_steps = vec![None; segment.values.len()];
    (value_steps[5], value_steps[6]) = (Some(8), Some(8));
    let step = AccessStep { index: Some(8), address: Some(9) };
    let bound = Difference { left: 7, right: 6, step: None, least: -31, most: 0 };
    // The bound falls as the index grows.
    let guards = vec![
        Guard::Fits { value: 6, step: Some(8), least: 0, most: 31 },
        Guard::AtLeast(Difference { left: 6, right: 7, step: Some(8), least: 0, most: 31 }, -(WORDS as i32)),
        Guard::AtLeast(Difference { least: -31 - 32 * (WARPS as i32 - 1), ..bound }, 1),
    ];
    Routine {
        segments: vec![Segment::call(0)],
        pattern_stride: size_of::<PatternHead>() as u32,
        poll_quantum: 1000,
        barriers: Vec::new(),
        ends: vec![END],
        patterns: 0,
        restored: Vec::new(),
        straight: Some(StraightLine { segment, guards, value_steps, access_steps: vec![step; 2], row: 0 }),
    }
}

/// Runs the first block from its first warp on and those behind it; gives the state, and what is in the words that are stored.
fn run(set: InstructionSet, (start, count): (i32, u32), budget: u64, room: u64) -> (State, Vec<u32>) {
    let mut memory: Vec<u32> = (0..2 * WORDS as u32).map(|i| if i < WORDS as u32 { 1000 * i } else { 7 }).collect();
    let window = Window { low: FROM, len: room, place: memory.as_mut_ptr().cast(), rest: 0 };
    let mut windows = [window; 2 * Window::COUNT];
    let mut scalars = [u64::from(start as u32), u64::from(count)];
    let mut threads = [[0u32; 32]; 3];
    threads[0] = std::array::from_fn(|lane| lane as u32);
    let mut geometry = [THREADS, 1, 1, 0, 0, 0, BLOCKS + 1, 1, 1];
    let code = compile_for(&kernel(PatternKey::new(32, 1, 0)), set).expect("code");
    let entry = code.entry(0, true).expect("an entry");
    let mut state = State {
        scalars: scalars.as_mut_ptr(),
        windows: windows.as_mut_ptr(),
        threads: threads.as_ptr().cast(),
        geometry: geometry.as_mut_ptr(),
        turns: WARPS - 1,
        turn_step: 32,
        turn_row: threads.as_mut_ptr().cast(),
        blocks: BLOCKS,
        block_turns: WARPS - 1,
        budget,
        begun: budget,
        polls: 4,
        ..bare::state(u32::MAX)
    };
    // SAFETY: the scalars, rows and windows are those that the routine names.
    unsafe { code.run(entry, &raw mut state) };
    assert_eq!(threads[0][5], 5 + 32 * (WARPS - 1 - state.turns), "the warp");
    assert_eq!(geometry[3], BLOCKS - state.blocks, "the block");
    (state, memory.split_off(WORDS))
}

/// What is stored if the first so many blocks do all, from an index on.
fn stored(start: usize, blocks: u32) -> Vec<u32> {
    let mut out = vec![7; WORDS];
    for i in start..start + (blocks * THREADS) as usize {
        let lane = (i - start) % 32;
        out[i] = 1000 * i as u32 + i as u32 + (i - lane) as u32;
    }
    out
}

const ALL: u64 = 8 * WORDS as u64;

#[test]
fn lines_of_warps_are_done_by_one_check() {
    for set in instruction_sets() {
        for start in [0, 3, 100] {
            let (state, words) = run(set, (start, 600), 1000, ALL);
            assert_eq!(words, stored(start as usize, BLOCKS + 1));
            let warps = u64::from(WARPS * (BLOCKS + 1));
            assert_eq!((state.pc, state.turns, state.blocks, state.polls), (END, 0, 0, 0));
            assert_eq!((state.budget, state.begun), (1000 - 2 * warps, 1000 - 2 * (warps - 1)));
            assert_eq!((state.writes, state.statements), (warps, 3 * warps));
        }
    }
}

#[test]
fn where_a_check_fails_nothing_is_done() {
    for set in instruction_sets() {
        // The bound lies in the third block, the second, the first; points run out; memory ends.
        for (count, budget, room, blocks) in [
            (3 * THREADS - 1, 1000, ALL, 2),
            (THREADS + 40, 1000, ALL, 1),
            (5, 1000, ALL, 0),
            (600, u64::from(2 * 2 * WARPS) + 7, ALL, 2),
            (600, 1000, 4 * (WORDS as u64 + u64::from(3 * THREADS)) - 1, 2),
            (600, 1000, 4 * (WORDS as u64 + u64::from(THREADS)), 1),
        ] {
            let (state, words) = run(set, (0, count), budget, room);
            assert_eq!(words, stored(0, blocks), "{count} {budget} {room}");
            assert_eq!((state.pc, state.turns, state.blocks), (0, WARPS - 1, BLOCKS - blocks));
            let points = u64::from(2 * WARPS * blocks);
            assert_eq!((state.budget, state.writes), (budget - points, u64::from(WARPS * blocks)));
        }
        // An index that would wrap, and one before the beginning.
        for start in [i32::MAX - 100, -1] {
            let (state, words) = run(set, (start, i32::MAX as u32), 1000, ALL);
            assert_eq!((state.pc, state.turns, state.blocks, words), (0, WARPS - 1, BLOCKS, stored(0, 0)));
        }
    }
}

#[test]
fn what_is_too_much_at_a_time_is_left_to_segments() {
    for set in instruction_sets() {
        let mut routine = kernel(PatternKey::new(32, 1, 0));
        if let Some(straight) = &mut routine.straight {
            let segment = &mut straight.segment;
            for _ in 0..400 {
                segment.values.push(Value::Bin(BinOp::Add, Ty::I32, segment.values.len() as u32 - 1, 13));
                segment.stores.push(Store { access: 1, value: segment.values.len() as u32 - 1 });
            }
            straight.value_steps.resize(straight.segment.values.len(), None);
        }
        let whole = compile_for(&routine, set).expect("code");
        let parts = compile_for(&Routine { straight: None, ..routine }, set).expect("code");
        assert_eq!(whole.bytes(), parts.bytes());
    }
}
