//! Where emulator and GPU part: the first value that a thread computes otherwise on the two.
//!
//! The thread is the last that wrote the first word that differs, on the emulator. Both engines run the launch again, in the memory
//! of before, with code that writes the values of this thread down (`values`), a window after the other until two differ.
//!
//! Not here: launches that race, which differ from run to run.

use super::run_to_end;
use super::values::{self, Recording, WINDOW};
use device::{Arg, Device, DeviceAccess, KernelLaunch, NoObserver, Observer};
use emu::Emulator;
use finding::ThreadId;
use gpu::GpuDevice;
use mem::{Memory, Region};
use source::Span;
use std::sync::Arc;

/// Windows of values that are compared at most.
const MOST_WINDOWS: u64 = 16;

/// The first value that differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Parting {
    /// The expression.
    pub(super) span: Span,
    /// Its bits.
    pub(super) emulator: u64,
    pub(super) gpu: u64,
}

/// Runs the launch again on both; `None` if no value differs, or that cannot be found out. The GPU's memory is another one then.
pub(super) fn find(
    emulator: &Emulator,
    gpu: &mut GpuDevice,
    before: &Memory,
    launch: &KernelLaunch,
    who: ThreadId,
) -> Option<Parting> {
    let program = emulator.program()?.clone();
    let recording = Recording::new(program.module(), launch.func, who)?;
    let mut memory = before.clone();
    let mut other = emulator.unwatched();
    let buffer = other.alloc(&mut memory, Region::Device(0), values::BYTES, "", Span::NONE).ok()?;
    other.load(Arc::new(vm::compile(Arc::new(recording.module.clone()), program.globals().to_vec()).ok()?));
    gpu.gpu().map(buffer, values::BYTES).ok()?;
    let found = first_difference(&recording, |first| {
        let mut launch = launch.clone();
        launch.args.extend([Arg::Bits(buffer), Arg::Bits(first)]);
        let ours = on_emulator(&mut other, memory.clone(), &launch, buffer)?;
        let mut theirs = vec![0; values::BYTES as usize];
        gpu.run_apart(&memory, &recording.module, &launch, (buffer, &mut theirs)).ok()?;
        Some([ours, theirs])
    });
    let _ = gpu.gpu().unmap(buffer);
    found
}

/// What the launch writes into the buffer on the emulator.
fn on_emulator(emulator: &mut Emulator, mut memory: Memory, launch: &KernelLaunch, buffer: u64) -> Option<Vec<u8>> {
    run_to_end(emulator, &mut memory, launch, &mut NoObserver)?;
    let mut bytes = vec![0; values::BYTES as usize];
    memory.read(buffer, &mut bytes)?;
    Some(bytes)
}

/// Compares window after window; `run` gives the buffers of both for the number of the first value.
fn first_difference(recording: &Recording, mut run: impl FnMut(u64) -> Option<[Vec<u8>; 2]>) -> Option<Parting> {
    for window in 0..MOST_WINDOWS {
        let [ours, theirs] = run(window * WINDOW)?.map(|buffer| values::values(&buffer));
        if let Some((a, b)) = ours.iter().zip(&theirs).find(|(a, b)| a != b) {
            // Where the instructions differ, what decides which comes next is not known.
            return a.is_same_place(*b).then(|| Parting { span: recording.span(*a), emulator: a.bits, gpu: b.bits });
        }
        if (ours.len() as u64) < WINDOW {
            return None;
        }
    }
    None
}

/// The thread that wrote a word last.
struct LastWriter {
    address: u64,
    /// Block and thread, as numbers.
    found: Option<(u64, u32)>,
}

impl Observer for LastWriter {
    fn wants_accesses(&self) -> bool {
        true
    }

    fn on_access(&mut self, access: &DeviceAccess) -> bool {
        let is_here = access.space == ir::Space::Global
            && access.address <= self.address + 3
            && self.address < access.address + u64::from(access.bytes);
        if access.write && is_here {
            self.found = Some((access.block, access.warp * 32 + access.lane));
        }
        false
    }
}

/// The thread that wrote a word of four bytes last, if the launch runs on the emulator again.
pub(super) fn last_writer(
    emulator: &Emulator,
    before: &Memory,
    launch: &KernelLaunch,
    address: u64,
) -> Option<ThreadId> {
    let mut writer = LastWriter { address, found: None };
    run_to_end(&mut emulator.unwatched(), &mut before.clone(), launch, &mut writer)?;
    let (block, thread) = writer.found?;
    Some(launch.thread(block, thread))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::FuncId;

    const KERNEL: &str = "
kernel @k(%0: i64, %1: f32) {
  reg %7 f32 mutable
  reg %8 i32 mutable
bb0:
  %2 = special.tid.x
  %3 = cvt.cast.i64.i32 %2
  %4 = mad.i64 %3, 4, %0
  %5 = load.global.f32 [%4]
  %7 = mov.f32 %5
  %8 = mov.i32 0
  jump bb1
bb1:
  %6 = mul.f32 %7, %1
  %7 = add.f32 %6, CONSTANT
  %8 = add.i32 %8, 1
  %9 = cmp.lt.i32 %8, %2
  backedge
  branch %9, bb1, bb2
bb2:
  store.global.f32 [%4], %7
  return
}";

    fn module(constant: &str) -> ir::Module {
        ir::parse::module(&KERNEL.replace("CONSTANT", constant)).expect("it is IR")
    }

    fn emulator(module: ir::Module) -> Emulator {
        let mut emulator = Emulator::new(0, emu::Options::default());
        emulator.load(Arc::new(vm::compile(Arc::new(module), Vec::new()).expect("valid")));
        emulator
    }

    #[test]
    fn the_first_value_that_differs_is_found_in_the_thread_that_wrote_the_word() {
        let right = emulator(module("1.0"));
        let mut memory = Memory::new();
        let mut device = right.unwatched();
        let base = device.alloc(&mut memory, Region::Device(0), 256, "x", Span::NONE).expect("room");
        let launch = KernelLaunch {
            func: FuncId(0),
            grid: [1, 1, 1],
            block: [32, 1, 1],
            dynamic_shared: 0,
            stream: 0,
            args: vec![Arg::Bits(base), Arg::Bits(u64::from(2.0f32.to_bits()))],
            number: 1,
            span: Span::NONE,
        };
        let who = last_writer(&right, &memory, &launch, base + 20).expect("it is written");
        assert_eq!(who, ThreadId { block: [1, 1, 1], thread: [6, 1, 1], warp: 0, lane: 5 });
        let buffer = device.alloc(&mut memory, Region::Device(0), values::BYTES, "", Span::NONE).expect("room");
        let mut launch = launch;
        launch.args.extend([Arg::Bits(buffer), Arg::Bits(0)]);
        // The other engine adds something else.
        let compare = |other: &str| {
            let recordings =
                ["1.0", other].map(|c| Recording::new(&module(c), FuncId(0), who).expect("no loop at the entry"));
            for recording in &recordings {
                assert_eq!(ir::verify::module(&recording.module), []);
            }
            let buffers = recordings.iter().map(|r| {
                on_emulator(&mut emulator(r.module.clone()), memory.clone(), &launch, buffer).expect("it runs")
            });
            let buffers: Vec<Vec<u8>> = buffers.collect();
            first_difference(&recordings[0], |_| <[Vec<u8>; 2]>::try_from(buffers.clone()).ok())
        };
        let bits = |x: f32| u64::from(x.to_bits());
        assert_eq!(compare("1.0"), None);
        assert_eq!(compare("1.5"), Some(Parting { span: Span::NONE, emulator: bits(1.0), gpu: bits(1.5) }));
    }
}
