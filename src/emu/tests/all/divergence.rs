//! Random kernels give the same bytes however they are run: by warps with each instruction set, with uniform registers as
//! scalars or all registers as rows, stopped at any point, under any seed, and one thread at a time (`reference`).

use crate::kernels::{self, Choices, IN, Made, OUT};
use crate::reference::Launch;
use crate::rig::Rig;
use device::{Device, NoObserver, Progress};
use emu::{Grain, Options};
use ir::InstKind;
use ir::Ty;
use ir::lane::Memory;

/// What the scalar arguments are.
const N: u64 = 5;
const STEP: u64 = 3;

fn input(seed: u64) -> Vec<u32> {
    let mut rng = fastrand::Rng::with_seed(seed ^ 0x4d);
    (0..IN).map(|_| (rng.u64(..) >> rng.u32(..40)) as u32).collect()
}

fn threads(made: &Made) -> usize {
    made.block.iter().chain(&made.grid).product::<u32>() as usize
}

/// How a kernel is run.
#[derive(Clone, Copy, Debug)]
struct Variant {
    set: usize,
    exact: bool,
    budget: u64,
    /// Threads that run blocks.
    jobs: usize,
    /// Whether it is run by machine code; the launch is done three times then, since the first warps find out what to compile.
    is_native: bool,
}

/// The words of `out`, the schedule points and the findings.
fn by_warps(seed: u64, made: &Made, variant: Variant, options: Options) -> (Vec<u32>, u64, Vec<String>) {
    // Small grids too.
    let grain = Grain { prologue: 1, worth: 1, chunk: 1000, ..options.grain };
    let mut rig = Rig::new(made.module.clone(), Options { jobs: variant.jobs, grain, ..options });
    let mut program = vm::Program::clone(rig.emulator.program().expect("loaded"));
    program.set_instruction_set(vm::InstructionSet::available()[variant.set]);
    program.set_materialise_all(variant.exact);
    program.set_engine(if variant.is_native { vm::Engine::Native } else { vm::Engine::Interpreter });
    rig.emulator.load(program.into());
    let mut last = (Vec::new(), 0, Vec::new());
    for _ in 0..if variant.is_native { 3 } else { 1 } {
        let points = rig.emulator.points();
        let x = rig.words("in", &input(seed));
        let out = rig.words("out", &vec![0; OUT * threads(made)]);
        rig.submit(made.kernel, made.grid, made.block, &[x, out, N, STEP]);
        while rig.emulator.advance(&mut rig.memory, variant.budget, &mut NoObserver) == Progress::Busy {}
        let words = rig.read(out, OUT * threads(made));
        last = (words, rig.emulator.points() - points, rig.codes());
    }
    last
}

/// The words of `out` when one thread runs at a time, in an order of the seed.
fn one_by_one(seed: u64, made: &Made, order: u64) -> Vec<u32> {
    let mut memory = Memory::default();
    let x = memory.alloc(4 * IN as u64, 256);
    for (i, &word) in input(seed).iter().enumerate() {
        memory.write(x + 4 * i as u64, Ty::I32, u64::from(word)).expect("inside");
    }
    let out = memory.alloc(4 * (OUT * threads(made)) as u64, 256);
    let (module, kernel, args) = (&made.module, made.kernel, &[x, out, N, STEP]);
    Launch { module, kernel, grid: made.grid, block: made.block, args, seed: order }.run(&mut memory);
    let word = |i| memory.read(out + 4 * i as u64, Ty::I32).expect("inside") as u32;
    (0..OUT * threads(made)).map(word).collect()
}

fn variants() -> Vec<Variant> {
    let sets = vm::InstructionSet::available().len();
    let mut out = Vec::new();
    for set in (0..sets).rev() {
        for exact in [false, true] {
            out.push(Variant { set, exact, budget: u64::MAX, jobs: 1, is_native: false });
        }
    }
    for is_native in [false, true] {
        out.push(Variant { set: sets - 1, exact: false, budget: 7, jobs: 1, is_native });
    }
    for jobs in [1, 2] {
        out.push(Variant { set: sets - 1, exact: false, budget: u64::MAX, jobs, is_native: true });
    }
    out
}

/// The kernel with the functions that it calls in its own code.
fn inlined(made: &Made) -> Made {
    let mut module = made.module.clone();
    opt::inline_with_memory(&mut module);
    let errors = ir::verify::module(&module);
    assert!(errors.is_empty(), "inlined: {errors:?}");
    Made { module, ..*made }
}

/// Compares all ways to run a kernel; whether it wrote anything but zeros.
fn check(seed: u64, alone: bool, options: &Options) -> bool {
    check_made(seed, &kernels::kernel(seed, alone), options)
}

/// The same of a kernel that is made already, on the input of a seed.
pub(crate) fn check_made(seed: u64, made: &Made, options: &Options) -> bool {
    let errors = ir::verify::module(&made.module);
    assert!(errors.is_empty(), "seed {seed}: {errors:?}");
    let variants = variants();
    let first = by_warps(seed, made, variants[0], options.clone());
    assert_eq!(first.2, Vec::<String>::new(), "seed {seed}: findings\n{}", ir::print::module(&made.module, false));
    for &variant in &variants[1..] {
        let other = by_warps(seed, made, variant, options.clone());
        assert_eq!(first, other, "seed {seed}, {variant:?}\n{}", ir::print::module(&made.module, false));
    }
    let inlined = inlined(made);
    // Lanes that are apart for good may meet by chance where frames kept them apart, and pass fewer points.
    let together = by_warps(seed, &inlined, variants[0], options.clone());
    assert_eq!((&first.0, &first.2), (&together.0, &together.2), "seed {seed}, inlined");
    for &variant in &variants[1..] {
        let other = by_warps(seed, &inlined, variant, options.clone());
        let text = || ir::print::module(&inlined.module, false);
        assert_eq!(together, other, "seed {seed}, {variant:?}, inlined\n{}", text());
    }
    for order in [0, 1] {
        let found = one_by_one(seed, made, order);
        if first.0 != found {
            let at = first.0.iter().zip(&found).position(|(a, b)| a != b).unwrap_or(0);
            panic!("seed {seed}: thread {} word {}\n{}", at / OUT, at % OUT, ir::print::module(&made.module, false));
        }
    }
    for schedule in [1, 2] {
        let other = by_warps(seed, made, variants[0], Options { seed: schedule, ..options.clone() });
        assert_eq!((&first.0, &first.2), (&other.0, &other.2), "seed {seed}, schedule {schedule}");
    }
    first.0.iter().any(|&word| word != 0)
}

/// Checks kernels, nearly all of which write something.
fn check_all(seeds: std::ops::Range<u64>, is_alone: impl Fn(u64) -> bool, options: &Options) {
    let count = seeds.end - seeds.start;
    let wrote = seeds.filter(|&seed| check(seed, is_alone(seed), options)).count() as u64;
    assert!(wrote * 20 >= count * 19, "{wrote} of {count} kernels wrote something");
}

#[test]
fn threads_that_are_alone_compute_what_one_thread_computes() {
    check_all(0..150, |_| true, &Options::default());
}

#[test]
fn threads_that_exchange_data_give_the_same_in_every_way() {
    check_all(0..150, |_| false, &Options::default());
}

#[test]
fn races_are_found_the_same_in_every_way() {
    check_all(0..40, |_| false, &Options { race: Some(race::Rules::default()), ..Options::default() });
}

#[test]
fn kernels_that_are_made_of_bytes_give_the_same_in_every_way() {
    let mut rng = fastrand::Rng::with_seed(11);
    for case in 0..40 {
        let bytes: Vec<u8> = (0..rng.usize(..400)).map(|_| rng.u8(..)).collect();
        let made = || kernels::kernel_by(Choices::of_bytes(&bytes), case % 2 == 0);
        let text = |made: &Made| ir::print::module(&made.module, false);
        assert_eq!(text(&made()), text(&made()));
        check_made(case, &made(), &Options::default());
    }
}

/// Each second kernel is alone, each third is watched for races.
#[test]
#[ignore = "takes long; CUFEMU_SEEDS gives other seeds than 1000..6000"]
fn many_kernels_give_the_same_in_every_way() {
    let text = std::env::var("CUFEMU_SEEDS").unwrap_or_else(|_| "1000..6000".to_owned());
    let ends = text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let (from, to): (u64, u64) = ends.unwrap_or_else(|| panic!("`CUFEMU_SEEDS` is `{text}`, and not FROM..TO"));
    for seed in from..to {
        let race = (seed % 3 == 0).then(race::Rules::default);
        check(seed, seed % 2 == 0, &Options { race, ..Options::default() });
    }
}

/// What the kernels of these tests are made of, so that none of it is lost unnoticed.
#[test]
fn kernels_have_all_that_threads_do_together() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..400 {
        let made = kernels::kernel(seed, false);
        for inst in made.module.funcs.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts) {
            match &inst.kind {
                InstKind::Barrier { op, .. } => seen.insert(format!("barrier.{op}")),
                InstKind::Vote { op, .. } => seen.insert(format!("vote.{op}")),
                InstKind::Shuffle { op, ty, .. } => seen.insert(format!("shfl.{op}.{ty}")),
                InstKind::Atomic { op, space, .. } => seen.insert(format!("atom.{op}.{space:?}")),
                InstKind::Load { space, .. } => seen.insert(format!("load.{space:?}")),
                InstKind::Store { space, .. } => seen.insert(format!("store.{space:?}")),
                InstKind::Call { .. } => seen.insert("call".to_owned()),
                InstKind::BackEdge => seen.insert("backedge".to_owned()),
                _ => false,
            };
        }
    }
    let count = |what: &str| seen.iter().filter(|s| s.starts_with(what)).count();
    let counts = ["barrier", "vote", "shfl", "atom", "load", "store", "call", "backedge"].map(count);
    assert_eq!(counts, [4, 5, 8, 4, 4, 4, 1, 1], "{seen:?}");
}
