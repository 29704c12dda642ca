//! Analyses on small texts, and against slow definitions on random functions.

use crate::generate;
use ir::analysis::{
    Cfg, Dominators, Liveness, Loops, PostDominators, UniformLevel, UniformOptions, VersionWalk, Versions,
    blocks_entered_apart, uniform,
};
use ir::{Bb, Function, Module, Reg};

fn parse(text: &str) -> Module {
    let module = ir::parse::module(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(ir::verify::module(&module), []);
    module
}

/// The blocks that `from` reaches without going through `without`.
fn reached(cfg: &Cfg, from: Bb, without: Option<Bb>) -> Vec<bool> {
    let mut seen = vec![false; cfg.len()];
    let mut stack = vec![from];
    while let Some(bb) = stack.pop() {
        if Some(bb) != without && !std::mem::replace(&mut seen[bb.index()], true) {
            stack.extend(cfg.succs(bb));
        }
    }
    seen
}

#[test]
fn dominators_of_random_functions_are_what_the_definition_says() {
    for seed in 0..60 {
        for f in &generate::module(seed).funcs {
            let cfg = Cfg::new(f);
            let dom = Dominators::new(&cfg);
            let all: Vec<Bb> = (0..cfg.len()).map(|i| Bb(i as u32)).collect();
            for &a in &all {
                let without = reached(&cfg, Bb(0), Some(a));
                for &b in &all {
                    let dominates = cfg.is_reachable(a) && cfg.is_reachable(b) && !without[b.index()];
                    assert_eq!(dom.dominates(a, b), dominates, "seed {seed}, {a} {b}");
                }
                if let Some(parent) = dom.idom(a) {
                    let strict = all.iter().filter(|&&d| d != a && dom.dominates(d, a));
                    assert!(strict.clone().all(|&d| dom.dominates(d, parent)), "seed {seed}, {a}");
                }
            }
        }
    }
}

#[test]
fn post_dominators_of_random_functions_are_what_the_definition_says() {
    for seed in 0..60 {
        for f in &generate::module(seed).funcs {
            let cfg = Cfg::new(f);
            let pdom = PostDominators::new(&cfg);
            let ends = |seen: &[bool]| cfg.rpo().iter().any(|&b| seen[b.index()] && cfg.succs(b).is_empty());
            for &bb in cfg.rpo() {
                // Every loop of these functions ends, so each block reaches an end; without its post-dominator it does not.
                let stops = |p: Bb| p != bb && !ends(&reached(&cfg, bb, Some(p)));
                let all: Vec<Bb> = cfg.rpo().iter().copied().filter(|&p| stops(p)).collect();
                match pdom.ipdom(bb) {
                    None => assert!(all.is_empty(), "seed {seed}, {bb}: {all:?}"),
                    Some(p) => {
                        assert!(all.contains(&p), "seed {seed}, {bb}");
                        // The nearest one: it is reached without any other.
                        assert!(all.iter().all(|&q| q == p || reached(&cfg, bb, Some(q))[p.index()]), "seed {seed}");
                    }
                }
            }
        }
    }
}

#[test]
fn liveness_of_random_functions_is_what_the_definition_says() {
    for seed in 0..40 {
        for f in &generate::module(seed).funcs {
            let cfg = Cfg::new(f);
            let live = Liveness::new(f, &cfg);
            for r in (0..f.regs.len()).map(|i| Reg(i as u32)) {
                for &bb in cfg.rpo() {
                    assert_eq!(live.is_live_in(bb, r), is_read_from(f, &cfg, bb, r), "seed {seed}, {r} in {bb}");
                }
            }
        }
    }
}

/// Whether a path from the beginning of `bb` reads `reg` before it assigns it.
fn is_read_from(f: &Function, cfg: &Cfg, bb: Bb, reg: Reg) -> bool {
    let mut seen = vec![false; cfg.len()];
    let mut stack = vec![bb];
    while let Some(bb) = stack.pop() {
        if std::mem::replace(&mut seen[bb.index()], true) {
            continue;
        }
        let (mut read, mut assigned) = (false, false);
        let block = f.block(bb);
        for inst in &block.insts {
            inst.kind.each_use(|v| read |= !assigned && v == reg.into());
            inst.kind.each_def(|d| assigned |= d == reg);
        }
        block.term.each_use(|v| read |= !assigned && v == reg.into());
        if read {
            return true;
        }
        if !assigned {
            stack.extend(cfg.succs(bb));
        }
    }
    false
}

#[test]
fn an_endless_loop_still_has_post_dominators() {
    let module = parse(
        "device @f(%0: pred) {\nbb0:\n  branch %0, bb1, bb2\nbb1:\n  jump bb3\nbb2:\n  jump bb3\nbb3:\n  backedge\n  jump bb3\n}",
    );
    let pdom = PostDominators::new(&Cfg::new(&module.funcs[0]));
    assert_eq!(pdom.ipdom(Bb(0)), Some(Bb(3)));
    assert_eq!(pdom.ipdom(Bb(3)), None);
}

const NEST: &str = "
device @nest(%0: i32) -> i32 {
  reg %1 i32 mutable
  reg %2 i32 mutable
bb0:
  %1 = mov.i32 0
  jump bb1
bb1:
  %3 = cmp.lt.i32 %1, %0
  branch %3, bb2, bb5
bb2:
  %2 = mov.i32 0
  jump bb3
bb3:
  %2 = add.i32 %2, 1
  %4 = cmp.lt.i32 %2, %1
  backedge
  branch %4, bb3, bb4
bb4:
  %1 = add.i32 %1, %2
  backedge
  jump bb1
bb5:
  return %1
}";

#[test]
fn nested_loops_are_found_with_their_depth() {
    let module = parse(NEST);
    let cfg = Cfg::new(&module.funcs[0]);
    let loops = Loops::new(&cfg, &Dominators::new(&cfg));
    let depths: Vec<usize> = (0..6).map(|i| loops.depth(Bb(i))).collect();
    assert_eq!(depths, [0, 1, 1, 2, 1, 0]);
    assert_eq!(loops.all().len(), 2);
    assert_eq!(loops.all()[0].blocks, [Bb(1), Bb(2), Bb(3), Bb(4)]);
    assert_eq!(loops.all()[1].latches, [Bb(3)]);
}

#[test]
fn a_version_begins_at_an_assignment_and_where_versions_meet() {
    let module = parse(NEST);
    let f = &module.funcs[0];
    let cfg = Cfg::new(f);
    let dom = Dominators::new(&cfg);
    let versions = Versions::new(f, &cfg, &dom);
    assert_eq!(versions.meets(Bb(1)), [Reg(1), Reg(2)]);
    assert_eq!(versions.meets(Bb(2)), []);
    assert_eq!(versions.meets(Bb(3)), [Reg(2)]);
    let mut walk = VersionWalk::new(f, &versions);
    walk.enter(Bb(0));
    walk.define(Reg(1));
    let before = walk.version(Reg(1));
    walk.enter(Bb(1));
    let in_loop = walk.version(Reg(1));
    assert_ne!(before, in_loop);
    walk.enter(Bb(2));
    assert_eq!(walk.version(Reg(1)), in_loop);
    walk.define(Reg(2));
    walk.leave();
    walk.enter(Bb(5));
    assert_eq!(walk.version(Reg(1)), in_loop);
    walk.leave();
    walk.leave();
    assert_eq!(walk.version(Reg(1)), before);
}

fn uniform_at(text: &str, level: UniformLevel, keep_variables: bool) -> Vec<u32> {
    let module = parse(text);
    let f = &module.funcs[0];
    let options = UniformOptions { level, params: &[], keep_variables };
    uniform(f, &Cfg::new(f), options).iter().map(|i| i as u32).collect()
}

#[test]
fn data_divergence_comes_from_thread_indices_and_loads() {
    let text = "
kernel @k(%0: i64) {
bb0:
  %1 = special.tid.x
  %2 = special.ctaid.x
  %3 = add.i32 %2, 1
  %4 = add.i32 %1, 1
  %5 = load.global.i32 [%0]
  %6 = cvt.cast.i64.i32 %4
  %7 = add.i64 %0, %6
  %8 = load.global.i32 [%7]
  %9 = atom.add.i32.global.device [%0], 1
  %10 = barrier.or true
  %11 = vote.any.pred true
  %12 = load.const.i32 [%0]
  return
}";
    assert_eq!(uniform_at(text, UniformLevel::Block, false), [0, 2, 3, 10, 12]);
    assert_eq!(uniform_at(text, UniformLevel::Warp, false), [0, 2, 3, 5, 10, 11, 12]);
}

#[test]
fn a_counter_in_a_divergent_if_is_uniform_but_what_outlives_it_is_not() {
    let text = "
kernel @k(%0: i64, %1: i32) {
  reg %2 i32 mutable
  reg %3 i32 mutable
bb0:
  %4 = special.tid.x
  %5 = cmp.lt.i32 %4, %1
  %3 = mov.i32 0
  branch %5, bb1, bb4
bb1:
  %2 = mov.i32 0
  jump bb2
bb2:
  %6 = cmp.lt.i32 %2, %1
  branch %6, bb3, bb4
bb3:
  %2 = add.i32 %2, 1
  %3 = add.i32 %3, 2
  backedge
  jump bb2
bb4:
  store.global.i32 [%0], %3
  return
}";
    let uniform = uniform_at(text, UniformLevel::Block, false);
    assert!(uniform.contains(&2) && uniform.contains(&6), "{uniform:?}");
    assert!(!uniform.contains(&3) && !uniform.contains(&5), "{uniform:?}");
}

#[test]
fn a_value_used_behind_a_loop_with_a_divergent_exit_is_divergent() {
    let text = "
kernel @k(%0: i64, %1: i32) {
  reg %2 i32 mutable
bb0:
  %3 = special.tid.x
  %2 = mov.i32 0
  jump bb1
bb1:
  %4 = mul.i32 %2, 3
  %5 = mul.i32 %2, 5
  %2 = add.i32 %2, 1
  %6 = cmp.lt.i32 %5, %3
  backedge
  branch %6, bb1, bb2
bb2:
  store.global.i32 [%0], %4
  return
}";
    let uniform = uniform_at(text, UniformLevel::Warp, false);
    assert_eq!(uniform, [0, 1, 2, 5]);
}

#[test]
fn variables_kept_for_the_debugger_are_divergent_where_assigned_in_divergent_code() {
    let text = "
type t0 \"integer(4)\" bytes 4 integer
kernel @k() {
  reg %2 i32 mutable v0
  var v0 \"i\" t0 scalar reg %2 source 1
bb0:
  %3 = special.tid.x
  %4 = cmp.eq.i32 %3, 0
  branch %4, bb1, bb2
bb1:
  %2 = mov.i32 1
  jump bb2
bb2:
  return
}";
    assert!(uniform_at(text, UniformLevel::Block, false).contains(&2));
    assert!(!uniform_at(text, UniformLevel::Block, true).contains(&2));
}

#[test]
fn objects_passed_by_value_are_cut_by_their_alignment() {
    let pieces = |bytes, align| ir::ParamKind::pieces(bytes, align).collect::<Vec<_>>();
    assert_eq!(pieces(14, 8), [(0, 8), (8, 4), (12, 2)]);
    assert_eq!(pieces(3, 1), [(0, 1), (1, 1), (2, 1)]);
    assert_eq!(pieces(20, 128), [(0, 8), (8, 8), (16, 4)]);
    assert_eq!(pieces(0, 8), []);
}

#[test]
fn blocks_are_entered_apart_where_lanes_come_on_two_ways_or_again() {
    let of = |text: &str| {
        let module = parse(text);
        let f = &module.funcs[0];
        let apart = blocks_entered_apart(f, &Cfg::new(f));
        (0..apart.len()).filter(|&at| apart[at]).collect::<Vec<_>>()
    };
    // An early return of some lanes, and then a loop of all that are left.
    let text = "
kernel @k(%0: i32) {
  reg %1 i32 mutable
bb0:
  %2 = special.tid.x
  %3 = cmp.ge.i32 %2, %0
  branch %3, bb1, bb2
bb1:
  return
bb2:
  %1 = add.i32 %1, 1
  %4 = cmp.lt.i32 %1, %0
  branch %4, bb2, bb3
bb3:
  return
}";
    assert_eq!(of(text), [0usize; 0]);
    // A part of the lanes alone, once (bb1) and in each round of a loop (bb4), to whose rest the others come before them (bb5).
    let text = "
kernel @k(%0: i32) {
  reg %1 i32 mutable
bb0:
  %2 = special.tid.x
  %3 = cmp.ge.i32 %2, %0
  branch %3, bb1, bb2
bb1:
  jump bb2
bb2:
  %1 = add.i32 %1, 1
  jump bb3
bb3:
  branch %3, bb4, bb5
bb4:
  jump bb5
bb5:
  %4 = cmp.lt.i32 %1, %0
  branch %4, bb2, bb6
bb6:
  return
}";
    assert_eq!(of(text), [4]);
    // Two ways that join before the lanes meet.
    let text = "
kernel @k(%0: i32) {
bb0:
  %1 = special.tid.x
  %2 = cmp.ge.i32 %1, %0
  branch %2, bb1, bb2
bb1:
  %3 = cmp.ge.i32 %0, 5
  branch %3, bb3, bb4
bb2:
  jump bb3
bb3:
  jump bb4
bb4:
  return
}";
    assert_eq!(of(text), [3]);
}
