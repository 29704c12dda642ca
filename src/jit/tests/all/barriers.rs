//! Code that goes on with the next warp where all lanes of one have come to a barrier.

use crate::bare;
use crate::frame::instruction_sets;
use ir::Ty;
use ir::op::BinOp;
use jit::{Class, End, InstructionSet, Out, Outcome, Routine, Segment, State, Value, Window, compile_for};

/// The operation that is a barrier.
const BARRIER: u32 = 5;

/// Points that a warp passes before the barrier.
const POINTS: u32 = 3;

/// A warp adds 1 to a row and to a scalar, then waits, and again behind the barrier.
fn to_barrier() -> Routine {
    let values = vec![
        Value::Word(0),
        Value::Constant(1),
        Value::Splat(Class::Word, 1),
        Value::Bin(BinOp::Add, Ty::I32, 0, 2),
        Value::Scalar(0),
        Value::ScalarBin(BinOp::Add, Ty::I64, 4, 1),
    ];
    let outs = vec![Out { class: Class::Word, slot: 0, value: 3 }, Out { class: Class::Scalar, slot: 0, value: 5 }];
    let segment = Segment { points: POINTS, statements: 2, values, outs, ..Segment::empty(0, End::Go(BARRIER)) };
    let behind = Segment { pc: BARRIER + 1, ..segment.clone() };
    Routine {
        segments: vec![segment, behind],
        pattern_stride: 64,
        poll_quantum: 1000,
        barriers: vec![BARRIER],
        ends: Vec::new(),
        patterns: 0,
        restored: Vec::new(),
        straight: None,
    }
}

/// The registers of warps, one row and one scalar each.
struct Warps {
    words: Vec<[u32; 32]>,
    scalars: Vec<u64>,
    windows: Vec<Window>,
}

impl Warps {
    fn new(count: usize) -> Warps {
        Warps {
            words: (0..count).map(|warp| std::array::from_fn(|lane| (100 * warp + lane) as u32)).collect(),
            scalars: (0..count as u64).collect(),
            windows: vec![Window::EMPTY; 2 * Window::COUNT + 2 * Window::ALLOCATIONS],
        }
    }

    /// The states of the warps, each chained to the next.
    fn states(&mut self, mask: u32) -> Vec<State> {
        let windows = self.windows.as_mut_ptr();
        let rows = self.words.iter_mut().zip(&mut self.scalars).enumerate();
        let mut states: Vec<State> = rows
            .map(|(number, (words, scalar))| State {
                words: words.as_mut_ptr(),
                scalars: scalar,
                windows: if number == 0 { windows } else { std::ptr::null_mut() },
                number: number as u32,
                returned: u32::MAX,
                ..bare::state(mask)
            })
            .collect();
        for next in (1..states.len()).rev() {
            states[next - 1].next = &raw mut states[next];
        }
        states
    }
}

/// Runs warps with so many points from the first on; gives their states.
fn run(warps: &mut Warps, mask: u32, budget: u64, set: InstructionSet) -> Vec<State> {
    let code = compile_for(&to_barrier(), set).expect("code");
    let entry = code.entry(0, mask == u32::MAX).expect("an entry");
    let mut states = warps.states(mask);
    (states[0].budget, states[0].begun, states[0].statements) = (budget, budget, 10);
    // SAFETY: the routine names one row and one scalar, which each warp has; no function is called.
    let outcome = unsafe { code.run(entry, states.as_mut_ptr()) };
    assert_eq!(outcome, Outcome::Continue);
    states
}

/// How many of the warps have come to the barrier.
fn added(warps: &Warps) -> usize {
    let fresh = Warps::new(warps.words.len());
    let is_added = |&at: &usize| {
        let row: [u32; 32] = std::array::from_fn(|lane| fresh.words[at][lane] + 1);
        warps.words[at] == row && warps.scalars[at] == fresh.scalars[at] + 1
    };
    (0..warps.words.len()).take_while(is_added).count()
}

#[test]
fn a_block_comes_to_a_barrier_by_one_call() {
    for set in instruction_sets() {
        let mut warps = Warps::new(4);
        let states = run(&mut warps, u32::MAX, 100, set);
        assert_eq!(added(&warps), 4);
        assert_eq!(states[0].returned, 3);
        // A warp passes its own points, and the barrier takes one; that of the last is its caller's.
        let budgets: Vec<[u64; 2]> = states.iter().map(|s| [s.begun, s.budget]).collect();
        assert_eq!(budgets, [[100, 97], [96, 93], [92, 89], [88, 85]]);
        assert_eq!(states.iter().map(|s| s.statements).collect::<Vec<_>>(), [12, 14, 16, 18]);
        assert!(states.iter().all(|s| s.pc == BARRIER && s.windows == states[0].windows));
    }
}

#[test]
fn it_returns_where_points_run_out() {
    for set in instruction_sets() {
        // None is left for the barrier of the second warp, for the third warp, for its barrier.
        for (budget, done, last, pc) in [(7, 2, 1, BARRIER), (8, 2, 2, 0), (11, 3, 2, BARRIER)] {
            let mut warps = Warps::new(3);
            let states = run(&mut warps, u32::MAX, budget, set);
            assert_eq!((added(&warps), states[0].returned), (done, last), "{budget} points");
            assert_eq!(states[last as usize].pc, pc, "{budget} points");
        }
    }
}

#[test]
fn it_returns_where_only_some_lanes_come_to_a_barrier() {
    for set in instruction_sets() {
        let mut warps = Warps::new(2);
        let states = run(&mut warps, 0xffff, 100, set);
        assert_eq!((states[0].returned, states[0].pc, states[0].budget), (0, BARRIER, 97));
        assert_eq!(warps.scalars, [1, 1]);
    }
}

#[test]
fn warps_of_a_block_go_on_behind_the_barrier_by_the_same_call() {
    for set in instruction_sets() {
        for (budget, is_block) in [(100, true), (100, false), (12, true)] {
            let code = compile_for(&to_barrier(), set).expect("code");
            let entry = code.entry(0, true).expect("an entry");
            let mut warps = Warps::new(3);
            let mut states = warps.states(u32::MAX);
            (states[0].budget, states[0].begun) = (budget, budget);
            let first = states.as_mut_ptr();
            if is_block {
                states.iter_mut().for_each(|state| state.first = first);
            }
            // SAFETY: as in `run`.
            let outcome = unsafe { code.run(entry, first) };
            assert_eq!(outcome, Outcome::Continue);
            let turns: Vec<u64> = warps.scalars.iter().zip(0..).map(|(scalar, number)| scalar - number).collect();
            let passed: Vec<u64> = states.iter().map(|s| s.begun - s.budget).collect();
            if budget == 12 {
                // The barrier is complete, and nothing is left behind it.
                assert_eq!((turns, passed, states[0].returned), (vec![1; 3], vec![3; 3], 0));
                assert_eq!((states[0].pc, states[0].resumed), (BARRIER + 1, BARRIER + 1));
            } else if is_block {
                // 100 points are 25 turns with their barriers; the next one is that of the second warp.
                assert_eq!((turns, passed, states[0].returned), (vec![9, 8, 8], vec![27, 24, 24], 1));
                assert_eq!((states[1].pc, states[0].resumed, states[1].polls), (BARRIER + 1, BARRIER + 1, 0));
            } else {
                assert_eq!((turns, states[0].returned, states[0].resumed), (vec![1; 3], 2, State::NONE));
            }
        }
    }
}

#[test]
fn the_next_warp_goes_on_where_one_has_ended() {
    for set in instruction_sets() {
        let routine = Routine { barriers: Vec::new(), ends: vec![BARRIER], ..to_barrier() };
        let code = compile_for(&routine, set).expect("code");
        let entry = code.entry(0, true).expect("an entry");
        let mut warps = Warps::new(3);
        let mut states = warps.states(u32::MAX);
        (states[0].budget, states[0].begun) = (100, 100);
        // SAFETY: as in `run`.
        let outcome = unsafe { code.run(entry, states.as_mut_ptr()) };
        assert_eq!((outcome, added(&warps), states[0].returned), (Outcome::Continue, 3, 2));
        // An end takes no point.
        let budgets: Vec<[u64; 2]> = states.iter().map(|s| [s.begun, s.budget]).collect();
        assert_eq!(budgets, [[100, 97], [97, 94], [94, 91]]);
        assert!(states.iter().all(|s| s.pc == BARRIER));
    }
}
