//! What a debugger sees and changes: registers by name and lane, splits and call stacks, in a warp whose lanes have parted.

use crate::support::{ONE_WARP, compile, context};
use ir::{FuncId, InstKind, Reg};
use mem::Memory;
use mem::address::Region;
use source::Span;
use vm::{Arg, Hooks, Program, Site, Stop, Warp, WindowTable};

/// Lanes below 8 take one side of a branch, the others the other; each side has a statement. The uniform register `%6` and
/// the register `%2`, which differs by lane, are read behind the branch.
const PARTED: &str = r#"
type t0 "integer(4)" bytes 4 integer
kernel @k(%0: i64 "out") {
  reg %2 i32 mutable
  reg %6 i32 mutable
  var v0 "i" t0 scalar reg %2 source 1
  var v1 "n" t0 scalar reg %6 source 2
bb0:
  %1 = special.tid.x
  %2 = mov.i32 %1
  %6 = mov.i32 100
  %3 = cmp.lt.i32 %1, 8
  branch %3, bb1, bb2
bb1:
  stmt
  %2 = add.i32 %2, 1000
  jump bb3
bb2:
  stmt
  %2 = add.i32 %2, 2000
  jump bb3
bb3:
  %4 = add.i32 %2, %6
  %5 = cvt.cast.i64.i32 %1
  %7 = mad.i64 %5, 4, %0
  store.global.i32 [%7], %4
  exit
}
"#;

/// Stops before every statement.
struct Statements;

impl Hooks<32> for Statements {
    fn wants_statements(&self) -> bool {
        true
    }

    fn on_stmt(&mut self, _: &Warp<32>, _: u32, _: Site, _: u32) -> bool {
        true
    }
}

/// A warp at its start, its memory, and where its output is.
fn begin(program: &Program) -> (Memory, u64, Warp<32>) {
    let mut memory = Memory::new();
    let out = memory.alloc(Region::Device(0), 128, "out", Span::NONE).unwrap();
    memory.write(out, &[0; 128]).unwrap();
    (memory, out, Warp::new(program, 0, u32::MAX, FuncId(0), &[Arg::Bits(out)]))
}

fn go_on(program: &Program, memory: &mut Memory, warp: &mut Warp<32>, stops: bool) -> Stop {
    let mut windows = WindowTable::default();
    let mut ctx = context(memory, &mut [], &mut windows, ONE_WARP, u64::MAX);
    let mut hooks = Statements;
    warp.run(program, &mut ctx, stops.then_some(&mut hooks as &mut dyn Hooks<32>))
}

fn words(memory: &Memory, at: u64) -> Vec<u32> {
    let mut bytes = [0; 128];
    memory.read(at, &mut bytes).unwrap();
    bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect()
}

#[test]
fn registers_are_read_and_written_by_lane_across_a_split() {
    let program = compile(PARTED);
    let (mut memory, out, mut warp) = begin(&program);
    let (i, n) = (Reg(2), Reg(6));
    assert_eq!(go_on(&program, &mut memory, &mut warp, true), Stop::Statement);
    let masks: Vec<u32> = warp.splits().map(|s| s.mask()).collect();
    assert_eq!(masks, [0xff, 0xffff_ff00]);
    let stopped: Vec<u32> = warp.splits().filter(vm::SplitView::is_stopped).map(|s| s.mask()).collect();
    assert_eq!(stopped, [0xff]);
    for split in warp.splits() {
        let stack = split.activations();
        assert_eq!((stack.len(), stack[0].site), (1, split.site()));
        assert!(!split.is_stopped() || program.is_statement(split.site()));
    }
    // Both sides are seen, whichever of them runs.
    for lane in [0, 7, 8, 31] {
        assert_eq!(warp.read_reg(&program, 0, i, lane), Some(lane as u64));
        assert_eq!(warp.read_reg(&program, 0, n, lane), Some(100));
    }
    assert_eq!((warp.read_reg(&program, 0, Reg(99), 0), warp.read_reg(&program, 5, i, 0)), (None, None));
    // A lane of each side gets new values, also of the register that was the same in all lanes.
    for (reg, lane, value) in [(i, 3, 30), (i, 20, 200), (n, 4, 7), (n, 21, 9)] {
        warp.write_reg(&program, 0, reg, lane, value).unwrap();
    }
    assert_eq!((warp.read_reg(&program, 0, n, 4), warp.read_reg(&program, 0, n, 5)), (Some(7), Some(100)));
    let mut other = warp.clone();
    for (warp, stops) in [(&mut warp, true), (&mut other, false)] {
        while go_on(&program, &mut memory, warp, stops) != Stop::Done {}
        let expected = |lane: u32| match lane {
            3 => 30 + 1000 + 100,
            4 => 4 + 1000 + 7,
            20 => 200 + 2000 + 100,
            21 => 21 + 2000 + 9,
            _ => lane + 100 + if lane < 8 { 1000 } else { 2000 },
        };
        assert_eq!(words(&memory, out), (0..32).map(expected).collect::<Vec<_>>());
    }
    assert!(warp.is_done() && warp.splits().next().is_none() && warp.live() == 0);
}

#[test]
fn sites_name_their_instructions() {
    let program = compile(PARTED);
    let kinds: Vec<&InstKind> = program.sites(FuncId(0)).filter_map(|s| program.instruction(s)).collect();
    let own: Vec<&InstKind> =
        program.module().func(FuncId(0)).blocks.iter().flat_map(|b| &b.insts).map(|i| &i.kind).collect();
    // What only serves an address has no site of its own.
    assert!(kinds.iter().all(|k| own.contains(k)) && kinds.len() >= own.len() - 2, "{kinds:?}");
    let accesses: Vec<Site> = program.access_sites(FuncId(0)).collect();
    assert_eq!(accesses.len(), 1);
    assert!(matches!(program.instruction(accesses[0]), Some(InstKind::Store { .. })));
    assert_eq!(program.sites(FuncId(0)).filter(|&s| program.is_statement(s)).count(), 2);
    assert_eq!(program.instruction(Site { func: FuncId(7), pc: 0 }), None);
}
