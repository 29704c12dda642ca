//! Random programs: every step leaves a valid module that does the same.

use crate::generate;
use fastrand::Rng;
use ir::lane::{End, Event, Fault, Lane};
use ir::{FuncId, Module};
use std::collections::BTreeMap;

type Run = (Result<End, Fault>, Vec<Event>, Vec<u8>);

/// What the last function of a module does: its end, everything that another thread or the debugger could notice, memory.
fn run(module: &Module, args: &[u64]) -> Run {
    let mut lane = Lane::new(module);
    let end = lane.run(FuncId(module.funcs.len() as u32 - 1), args);
    let bytes = lane.memory.bytes(lane.globals[0]).unwrap_or_default().to_vec();
    (end, lane.events, bytes)
}

fn check(name: &str, step: &str, module: &Module) {
    let errors = ir::verify::module(module);
    assert!(errors.is_empty(), "{name}, after {step}: {}\n{}", errors[0], ir::print::module(module, false));
}

#[test]
fn random_programs_do_the_same_after_every_step() {
    let (mut before, mut after, mut inlined) = (0, 0, 0);
    for seed in 0..600 {
        let module = generate::module(seed);
        let mut rng = Rng::with_seed(seed ^ 0x5eed);
        let f = module.funcs.last().unwrap();
        let runs: Vec<(Vec<u64>, Run)> = (0..3)
            .map(|_| {
                let args = generate::arguments(f, &mut rng);
                let done = run(&module, &args);
                (args, done)
            })
            .collect();
        let mut better = module.clone();
        opt::run_observed(
            &mut better,
            opt::Options { level: 2, watched: true, keeps_frames: true, keeps_points: true },
            &mut |step, now| {
                check(&format!("seed {seed}"), step, now);
                inlined += u32::from(step == "inline");
                for (args, done) in &runs {
                    let found = run(now, args);
                    // Fuel counts instructions, of which there are fewer now.
                    if done.0 != Err(Fault::Fuel) {
                        assert_eq!(found.0, done.0, "seed {seed}, after {step}\n{}", ir::print::module(now, false));
                        assert_eq!(found.1, done.1, "seed {seed}, after {step}\n{}", ir::print::module(now, false));
                        assert_eq!(found.2, done.2, "seed {seed}, after {step}");
                    }
                }
            },
        );
        let size = |m: &Module| m.funcs.iter().flat_map(|f| &f.blocks).map(|b| b.insts.len() + 1).sum::<usize>();
        before += size(&module);
        after += size(&better);
    }
    assert!(inlined > 50, "only {inlined} programs were inlined into");
    assert!(after < before * 9 / 10, "{before} instructions became {after}");
}

#[test]
fn random_programs_do_the_same_when_nobody_debugs_them() {
    for keeps_points in [true, false] {
        check_unwatched(keeps_points);
    }
}

fn check_unwatched(keeps_points: bool) {
    let unmarked =
        |events: &[Event]| -> Vec<Event> { events.iter().filter(|e| !matches!(e, Event::Stmt(_))).copied().collect() };
    // Local memory of a function that is inlined lies with that of its caller. Where points are not kept it becomes registers, and loops
    // over it are unrolled.
    let placed = |shared: u64, events: Vec<Event>| -> Vec<Event> {
        let is_shared = |addr: u64| (shared..shared + 256).contains(&addr);
        let place = |addr: u64| if is_shared(addr) { addr } else { 0 };
        let event = |event| match event {
            Event::Load(addr, value) => Event::Load(place(addr), value),
            Event::Store(addr, value) => Event::Store(place(addr), value),
            other => other,
        };
        let stays = |event: &Event| match event {
            Event::Load(addr, _) | Event::Store(addr, _) => is_shared(*addr),
            Event::BackEdge => false,
            _ => true,
        };
        events.into_iter().filter(|event| keeps_points || stays(event)).map(event).collect()
    };
    let mut merged = 0;
    for seed in 0..400 {
        let module = generate::module(seed);
        let mut rng = Rng::with_seed(seed ^ 0x5eed);
        let args = generate::arguments(module.funcs.last().unwrap(), &mut rng);
        let done = run(&module, &args);
        let shared = ir::lane::Lane::new(&module).globals[0];
        let mut better = module.clone();
        let mut selects = 0;
        opt::run_observed(
            &mut better,
            opt::Options { level: 1, watched: false, keeps_frames: false, keeps_points },
            &mut |step, now| {
                check(&format!("seed {seed}"), step, now);
                let count = ir::print::module(now, false).matches("select.").count();
                merged += usize::from(step == "if-convert" && count > selects);
                selects = count;
                let found = run(now, &args);
                if done.0 != Err(Fault::Fuel) {
                    assert_eq!(found.0, done.0, "seed {seed}, after {step}\n{}", ir::print::module(now, false));
                    let [events, wanted] = [&found.1, &done.1].map(|events| placed(shared, unmarked(events)));
                    assert_eq!(events, wanted, "seed {seed}, after {step}");
                    assert_eq!(found.2, done.2, "seed {seed}, after {step}");
                }
            },
        );
    }
    assert!(merged > 3, "only {merged} programs had a branch that became a selection");
}

/// What other threads see of a run: atomics and synchronisations, and between two of them the last store to each place of memory
/// that they share. Local memory is at other addresses once a slot is gone.
fn visible(module: &Module, events: &[Event]) -> Vec<(Vec<(u64, u64)>, Option<Event>)> {
    let shared = ir::lane::Lane::new(module).globals[0];
    let is_shared = |addr: &u64| (shared..shared + 256).contains(addr);
    let mut seen = Vec::new();
    let mut stored = BTreeMap::new();
    for event in events {
        match *event {
            Event::Store(addr, value) if is_shared(&addr) => {
                stored.insert(addr, value);
            }
            Event::Atomic(addr, ..) if is_shared(&addr) => {
                seen.push((std::mem::take(&mut stored).into_iter().collect(), Some(*event)));
            }
            Event::Sync => seen.push((std::mem::take(&mut stored).into_iter().collect(), Some(*event))),
            Event::Store(..) | Event::Atomic(..) | Event::Load(..) | Event::Stmt(_) | Event::BackEdge => {}
        }
    }
    seen.push((stored.into_iter().collect(), None));
    seen
}

#[test]
fn random_programs_for_a_gpu_store_the_same() {
    let (mut inlined, mut unrolled, mut promoted, mut loads) = (0, 0, 0, [0usize; 2]);
    let loads_of = |m: &Module| ir::print::module(m, false).matches("load.global").count();
    for seed in 0..600 {
        let mut module = generate::module(seed);
        // The evaluator's clock counts instructions.
        if ir::print::module(&module, false).contains("clock64") {
            continue;
        }
        opt::run(&mut module, opt::Options { level: 1, watched: false, keeps_frames: true, keeps_points: true });
        let mut rng = Rng::with_seed(seed ^ 0x5eed);
        let runs: Vec<(Vec<u64>, Run)> = (0..3)
            .map(|_| {
                let args = generate::arguments(module.funcs.last().unwrap(), &mut rng);
                let done = run(&module, &args);
                (args, done)
            })
            .collect();
        let mut better = module.clone();
        let blocks = |m: &Module| m.funcs.iter().map(|f| f.blocks.len()).sum::<usize>();
        let (mut size, mut count) = (0, 0);
        let target = if seed % 4 == 0 {
            opt::Target { largest_allocation: u64::MAX, threads: u64::MAX, aligned: false }
        } else {
            opt::Target::default()
        };
        opt::run_for_gpu_observed(&mut better, target, &mut |step, now| {
            check(&format!("seed {seed}"), step, now);
            let places = ir::print::module(now, false).matches(".local").count();
            inlined += usize::from(step == "inline-for-gpu");
            // Inlining makes copies of loads; the passes behind it make them fewer.
            loads[0] += if step == "strip-for-gpu" { loads_of(now) } else { 0 };
            unrolled += usize::from(step.starts_with("unroll") && blocks(now) > size);
            promoted += usize::from(step == "promote" && places < count);
            (size, count) = (blocks(now), places);
            for (args, done) in &runs {
                let found = run(now, args);
                if done.0 != Err(Fault::Fuel) && !matches!(done.0, Err(Fault::Address(_))) {
                    let text = || ir::print::module(now, false);
                    assert_eq!(found.0, done.0, "seed {seed}, after {step}\n{}", text());
                    assert_eq!(
                        visible(now, &found.1),
                        visible(&module, &done.1),
                        "seed {seed}, after {step}\n{}",
                        text()
                    );
                    assert_eq!(found.2, done.2, "seed {seed}, after {step}");
                }
            }
        });
        loads[1] += loads_of(&better);
    }
    assert!(inlined > 50, "only {inlined} programs were inlined into");
    assert!(unrolled > 20, "only {unrolled} programs had a loop that was unrolled");
    assert!(promoted > 20, "only {promoted} programs had memory that became registers");
    assert!(loads[1] < loads[0], "{loads:?}");
}

#[test]
fn level_zero_only_marks_reductions() {
    let module = generate::module(3);
    let mut same = module.clone();
    opt::run(&mut same, opt::Options { level: 0, watched: true, keeps_frames: true, keeps_points: true });
    for inst in same.funcs.iter_mut().flat_map(|f| &mut f.blocks).flat_map(|b| &mut b.insts) {
        if let ir::InstKind::Atomic { used, .. } = &mut inst.kind {
            *used = true;
        }
    }
    assert_eq!(ir::print::module(&same, true), ir::print::module(&module, true));
}
