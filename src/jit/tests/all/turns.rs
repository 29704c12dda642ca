//! Code that begins the next warp, and the next block, in the registers of the warp that has ended.

use crate::bare;
use crate::frame::instruction_sets;
use ir::Ty;
use ir::op::BinOp;
use jit::{Class, End, InstructionSet, Out, Outcome, PatternHead, Routine, Segment, State, Value, compile_for};

/// The operation at which lanes end.
const END: u32 = 5;
/// Points that a warp passes.
const POINTS: u32 = 3;
/// Warps of a block.
const WARPS: u32 = 4;
/// What the registers of a warp are that begins.
const INITIAL: [u64; 4] = [7, 5, 1, 9];

/// A warp adds its thread indices to a row and 1 to a scalar, which all have, and 1 to a row and to a scalar of its own.
fn warp() -> Routine {
    let values = vec![
        Value::Word(0),
        Value::Thread(0),
        Value::Bin(BinOp::Add, Ty::I32, 0, 1),
        Value::Word(1),
        Value::Constant(1),
        Value::Splat(Class::Word, 4),
        Value::Bin(BinOp::Add, Ty::I32, 3, 5),
        Value::Scalar(0),
        Value::ScalarBin(BinOp::Add, Ty::I64, 7, 4),
        Value::Scalar(1),
        Value::ScalarBin(BinOp::Add, Ty::I64, 9, 4),
    ];
    let out = |class, slot, value| Out { class, slot, value };
    let outs =
        vec![out(Class::Word, 0, 2), out(Class::Word, 1, 6), out(Class::Scalar, 0, 8), out(Class::Scalar, 1, 10)];
    let segment = Segment { points: POINTS, statements: 2, values, outs, ..Segment::empty(0, End::Go(END)) };
    Routine {
        segments: vec![segment],
        pattern_stride: size_of::<PatternHead>() as u32,
        poll_quantum: 1000,
        barriers: Vec::new(),
        ends: vec![END],
        patterns: 2,
        restored: vec![(Class::Word, 1), (Class::Scalar, 1), (Class::Pred, 0), (Class::Long, 0)],
        straight: None,
    }
}

/// What the warps run in.
struct Registers {
    words: [[u32; 32]; 2],
    longs: [[u64; 32]; 1],
    scalars: [u64; 2],
    preds: [u32; 1],
    patterns: [PatternHead; 2],
    threads: [[u32; 32]; 3],
    geometry: [u32; 9],
}

impl Registers {
    fn new() -> Registers {
        Registers {
            words: [[0; 32], [7; 32]],
            longs: [[0; 32]],
            scalars: [0, 5],
            preds: [0],
            patterns: [PatternHead { mask: u32::MAX, ..PatternHead::default() }; 2],
            threads: [std::array::from_fn(|lane| lane as u32), [0; 32], [0; 32]],
            geometry: [32 * WARPS, 1, 1, 10, 0, 0, 20, 1, 1],
        }
    }

    /// Runs the warps of the first block from the first on and `blocks` more; gives the state.
    fn run(&mut self, set: InstructionSet, (mask, blocks): (u32, u32), budget: u64) -> State {
        let code = compile_for(&warp(), set).expect("code");
        let entry = code.entry(0, mask == u32::MAX).expect("an entry");
        let mut state = State {
            words: self.words.as_mut_ptr().cast(),
            longs: self.longs.as_mut_ptr().cast(),
            scalars: self.scalars.as_mut_ptr(),
            preds: self.preds.as_mut_ptr(),
            patterns: self.patterns.as_mut_ptr().cast(),
            threads: self.threads.as_ptr().cast(),
            geometry: self.geometry.as_mut_ptr(),
            turns: WARPS - 1,
            turn_step: 32,
            turn_row: self.threads.as_mut_ptr().cast(),
            blocks,
            block_turns: WARPS - 1,
            initial: INITIAL.as_ptr(),
            budget,
            begun: budget,
            polls: 4,
            ..bare::state(mask)
        };
        // SAFETY: the registers are those that the routine names; no function is called.
        let outcome = unsafe { code.run(entry, &raw mut state) };
        assert_eq!(outcome, Outcome::Continue);
        state
    }
}

#[test]
fn warps_and_blocks_follow_by_one_call() {
    for set in instruction_sets() {
        let mut registers = Registers::new();
        let state = registers.run(set, (u32::MAX, 2), 100);
        let warps = 3 * WARPS;
        let sums: [u32; 32] = std::array::from_fn(|lane| warps * lane as u32 + 3 * 32 * (1 + 2 + 3));
        assert_eq!(registers.words, [sums, [8; 32]]);
        assert_eq!(registers.scalars, [u64::from(warps), 6]);
        assert_eq!((registers.preds, registers.longs), ([u32::MAX], [[9; 32]]));
        assert_eq!(registers.threads[0], std::array::from_fn(|lane| lane as u32 + 32 * (WARPS - 1)));
        assert_eq!(registers.geometry, [32 * WARPS, 1, 1, 12, 0, 0, 20, 1, 1]);
        assert_eq!((state.pc, state.turns, state.blocks, state.polls), (END, 0, 0, 0));
        assert_eq!(state.budget, 100 - u64::from(warps * POINTS));
        // The last one began with what the others had left.
        assert_eq!((state.begun - state.budget, state.statements), (u64::from(POINTS), 2 * u64::from(warps)));
        assert_eq!(registers.patterns.map(|pattern| pattern.mask), [0; 2]);
    }
}

#[test]
fn it_returns_in_the_warp_in_which_points_run_out() {
    for set in instruction_sets() {
        let mut registers = Registers::new();
        let points = u64::from(POINTS * (WARPS + 1)) + 1;
        let state = registers.run(set, (u32::MAX, 2), points);
        // The second warp of the second block.
        assert_eq!((state.pc, state.turns, state.blocks, state.budget, state.begun), (0, WARPS - 2, 1, 1, 1));
        assert_eq!(registers.scalars, [u64::from(WARPS + 1), 5]);
        assert_eq!(registers.threads[0], std::array::from_fn(|lane| lane as u32 + 32));
        assert_eq!(registers.geometry[3], 11);
    }
}

#[test]
fn a_warp_of_which_some_lanes_run_ends_alone() {
    for set in instruction_sets() {
        let mut registers = Registers::new();
        let state = registers.run(set, (0xffff, 2), 100);
        assert_eq!((state.pc, state.turns, state.blocks, registers.scalars[0]), (END, WARPS - 1, 2, 1));
    }
}
