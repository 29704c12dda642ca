//! Random race-free kernels on the emulator and on a GPU: the same bits (invariant I7).
//!
//! Without a driver or a GPU the test says so and passes. `tests/gpu/check.sh` runs it on a machine that has one. The same
//! kernels are held against a reference that runs one thread at a time in the emulator's own tests.

#[path = "../../../emu/tests/all/kernels/mod.rs"]
#[allow(dead_code)] // The emulator's tests use more of it.
mod kernels;

use device::{Arg, Command, Device, KernelLaunch, NoObserver, Progress};
use emu::Emulator;
use fastrand::Rng;
use gpu::{GpuDevice, GpuOptions};
use kernels::{IN, Made, OUT};
use mem::{Memory, Region};
use source::Span;
use std::sync::Arc;

/// Kernels of each sort.
const KERNELS: u64 = 310;

/// The bytes of `out` after a launch on a device, whose memory has the addresses `x` and `out`; else what went wrong.
fn launched(
    device: &mut dyn Device,
    memory: &mut Memory,
    made: &Made,
    [x, out]: [u64; 2],
    bytes: usize,
) -> Result<Vec<u8>, String> {
    let launch = KernelLaunch {
        func: made.kernel,
        grid: made.grid,
        block: made.block,
        dynamic_shared: 0,
        stream: 0,
        args: [x, out, 5, 3].into_iter().map(Arg::Bits).collect(),
        number: 1,
        span: Span::NONE,
    };
    device.submit(memory, Command::Launch(launch)).expect("a valid launch");
    device.finish();
    while device.advance(memory, u64::MAX, &mut NoObserver) != Progress::Idle {}
    let mut contents = vec![0; bytes];
    device.read(memory, out, &mut contents).map_err(|e| format!("{e:?}, {:?}", device.take_findings()))?;
    Ok(contents)
}

fn compare(gpu: &mut GpuDevice, seed: u64, alone: bool) {
    let made = kernels::kernel(seed, alone);
    let threads = made.block.iter().chain(&made.grid).product::<u32>() as usize;
    let module = Arc::new(made.module.clone());
    let text = || ir::print::module(&made.module, false);
    let mut emulator = Emulator::new(0, emu::Options::default());
    emulator.load(Arc::new(vm::compile(module.clone(), Vec::new()).expect("valid")));
    gpu.load(module, &[], &GpuOptions::default()).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", text()));
    let mut memory = Memory::new();
    let mut rng = Rng::with_seed(seed ^ 0x4d);
    let input: Vec<u8> = (0..IN).flat_map(|_| ((rng.u64(..) >> rng.u32(..40)) as u32).to_le_bytes()).collect();
    let bytes = 4 * OUT * threads;
    let mut buffer = |name, contents: &[u8]| {
        let size = contents.len() as u64;
        let base = gpu.alloc(&mut memory, Region::Device(0), size, 1, name, Span::NONE).expect("room");
        gpu.write(&mut memory.clone(), base, contents).expect("inside");
        memory.write(base, contents).expect("inside");
        base
    };
    let (x, out) = (buffer("in", &input), buffer("out", &vec![0; bytes]));
    let failed = |e: String| -> Vec<u8> { panic!("seed {seed}, alone {alone}: {e}\n{}", text()) };
    let ours = launched(&mut emulator, &mut memory.clone(), &made, [x, out], bytes).unwrap_or_else(failed);
    let theirs = launched(gpu, &mut memory.clone(), &made, [x, out], bytes).unwrap_or_else(failed);
    if let Some(at) = ours.chunks(4).zip(theirs.chunks(4)).position(|(a, b)| a != b) {
        let word = |bytes: &[u8]| u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[4 * at + i]));
        let (thread, place) = (at / OUT, at % OUT);
        panic!(
            "seed {seed}, alone {alone}: thread {thread} word {place}: emulator {:#x}, GPU {:#x}\n{}",
            word(&ours),
            word(&theirs),
            text()
        );
    }
    for base in [x, out] {
        gpu.free(&mut memory, base, Span::NONE).expect("it is live");
    }
}

/// What a kernel leaves on the emulator, as it is and optimised for a GPU.
fn compare_optimised(seed: u64, alone: bool) {
    let made = kernels::kernel(seed, alone);
    let threads = made.block.iter().chain(&made.grid).product::<u32>() as usize;
    let bytes = 4 * OUT * threads;
    let mut rng = Rng::with_seed(seed ^ 0x4d);
    let input: Vec<u8> = (0..IN).flat_map(|_| ((rng.u64(..) >> rng.u32(..40)) as u32).to_le_bytes()).collect();
    let optimised = gpu::ptx::optimised(&made.module, gpu::Target::default());
    assert_eq!(ir::verify::module(&optimised), [], "seed {seed}, alone {alone}");
    let [ours, theirs] = [&made.module, &optimised].map(|module| {
        let mut emulator = Emulator::new(0, emu::Options::default());
        emulator.load(Arc::new(vm::compile(Arc::new(module.clone()), Vec::new()).expect("valid")));
        let mut memory = Memory::new();
        let mut buffer = |name, contents: &[u8]| {
            let size = contents.len() as u64;
            let base = emulator.alloc(&mut memory, Region::Device(0), size, 1, name, Span::NONE).expect("room");
            memory.write(base, contents).expect("inside");
            base
        };
        let addresses = [buffer("in", &input), buffer("out", &vec![0; bytes])];
        launched(&mut emulator, &mut memory, &made, addresses, bytes)
    });
    let text = || format!("{}\n{}", ir::print::module(&made.module, false), ir::print::module(&optimised, false));
    assert_eq!(ours, theirs, "seed {seed}, alone {alone}\n{}", text());
}

#[test]
fn random_kernels_do_the_same_once_they_are_optimised_for_a_gpu() {
    for seed in 0..KERNELS {
        compare_optimised(seed, true);
        compare_optimised(seed, false);
    }
}

#[test]
#[allow(clippy::print_stderr, clippy::print_stdout)] // Whoever runs it on a GPU reads what it says.
fn random_kernels_give_the_same_bits_on_a_gpu() {
    let mut gpu = match GpuDevice::open(0, 0) {
        Ok(gpu) => gpu,
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            return;
        }
    };
    let (mut alone, mut together) = (0, 0);
    for seed in 0..KERNELS {
        compare(&mut gpu, seed, true);
        alone += 1;
        // What a lane reads from a lane that its warp does not have is undefined on a GPU.
        if kernels::kernel(seed, false).block.iter().product::<u32>().is_multiple_of(32) {
            compare(&mut gpu, seed, false);
            together += 1;
        }
    }
    println!("random kernels: {alone} of threads that are alone, {together} of threads that exchange data: 0 differ");
}
