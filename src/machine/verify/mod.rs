//! `--verify`: a device made of the emulator and a GPU.
//!
//! Both run every command; the program continues with the results of the emulator. After each launch three things are compared:
//! the memory that device code can reach, byte for byte (device memory, and managed and pinned memory as each of the two left
//! it); the output of the launch, as lines in any order; and whether the launch failed. A launch for which the emulator has a
//! finding is not compared further, since its results are undefined. A launch that differs runs once more on an emulator that
//! looks for data races, in the memory of before: a race is the usual cause, and its finding says where. Without a race both engines
//! run it again and write down what the thread computes that wrote the first word that differs, and the threads whose results it uses,
//! until the statement is known where the two part (`parting`). The GPU goes on with the memory of the emulator then.
//!
//! The GPU maps its memory at the emulator's addresses, so memory with pointers can be compared directly. NaNs are compared by their bits: where the hardware gives another payload,
//! the difference is reported.
//!
//! The GPU decides the size of a grid of `*`, for both. When the GPU takes no more commands, this is reported once, and the
//! emulator continues alone.
//!
//! Routines of libraries are cufemu's own on the emulator and NVIDIA's on the GPU, where there are such; what they write is compared
//! within bounds (`routines`).
//!
//! Not here: racy kernels, real atomics and clocks, whose results may differ.

mod parting;
mod routines;
mod values;

use device::{
    Command, CudaError, Device, KernelLaunch, NoObserver, Observer, Progress, Properties, Routine, VendorAnswer,
    VendorCall, VendorLibraries, VendorObject,
};
use emu::Emulator;
use finding::{Access, Actor, Finding, FindingKind, LaunchInfo, Place, What};
use gpu::GpuDevice;
use ir::FuncId;
use mem::{Memory, Region};
use source::Span;
use std::collections::BTreeSet;

/// The emulator and a GPU that run the same commands.
#[derive(Debug)]
pub struct VerifyDevice {
    pub(crate) emulator: Emulator,
    pub(crate) gpu: GpuDevice,
    /// The launch that the emulator runs, and what it did on the GPU.
    launch: Option<(KernelLaunch, OnGpu)>,
    /// Kernels of which a launch has differed.
    explained: BTreeSet<FuncId>,
    /// Whether the GPU still takes commands.
    is_gpu_alive: bool,
    /// The routine of a library that the emulator runs, and what it did on the GPU.
    routine: Option<(Routine, OnGpu)>,
    output: Vec<u8>,
    error: Option<CudaError>,
    findings: Vec<Finding>,
}

/// The memory that device code can reach: addresses, bytes, names.
fn reached(memory: &Memory) -> Vec<(u64, u64, String)> {
    let allocated = memory.live().filter(|(_, a)| a.region.is_device_accessible());
    let locked =
        memory.locked().filter_map(|(address, bytes)| Some((address, bytes, memory.info(memory.find(address)?))));
    let parts = allocated.map(|(_, a)| (a.base, a.bytes, a)).chain(locked);
    parts.map(|(address, bytes, a)| (address, bytes, a.name.to_string())).collect()
}

/// What a command did on the GPU.
#[derive(Debug)]
struct OnGpu {
    /// All memory that is not the device's own, as the GPU left it.
    memory: Memory,
    /// Memory before the launch.
    before: Memory,
    output: Vec<u8>,
    error: Option<CudaError>,
}

/// Bytes compared at a time.
const PIECE: u64 = 1 << 20;

impl VerifyDevice {
    /// Both devices, with nothing loaded.
    pub fn new(emulator: Emulator, gpu: GpuDevice) -> VerifyDevice {
        VerifyDevice {
            emulator,
            gpu,
            launch: None,
            explained: BTreeSet::new(),
            is_gpu_alive: true,
            routine: None,
            output: Vec::new(),
            error: None,
            findings: Vec::new(),
        }
    }

    /// Runs a command on the GPU to its end. What it writes into memory of the host stays apart, since the program goes on
    /// with what the emulator gives.
    fn on_gpu(&mut self, memory: &mut Memory, command: Command) -> OnGpu {
        let mut own = memory.clone();
        let mut error = self.gpu.submit(&mut own, command).err();
        if error.is_none() {
            self.gpu.finish();
            while self.gpu.advance(&mut own, u64::MAX, &mut NoObserver) != Progress::Idle {}
            error = self.gpu.take_error();
        }
        OnGpu { memory: own, before: memory.clone(), output: self.gpu.take_output(), error }
    }

    /// Adds to the findings of a launch that differs the data races that explain it, or else the first value that differs. Once for
    /// each kernel, because it takes longer than the launch.
    fn explain(&mut self, memory: &Memory, launch: &KernelLaunch, before: &Memory) {
        if self.findings.is_empty() {
            return;
        }
        if self.explained.insert(launch.func) {
            self.find_cause(launch, before);
        }
        // What comes later differs for reasons of its own.
        if self.is_gpu_alive
            && let Err(error) = self.gpu.take_memory(memory)
        {
            self.failed_on_gpu(launch.span, error, Some(self.info(launch)));
        }
    }

    fn find_cause(&mut self, launch: &KernelLaunch, before: &Memory) {
        let races = races(&self.emulator, &mut before.clone(), launch);
        match (self.findings.first_mut(), races.first()) {
            (Some(first), Some(race)) => {
                let text = format!("the launch has a data race ({}), so its results are undefined", race.code());
                *first = first.clone().note(text);
            }
            _ if self.is_gpu_alive => self.part(launch, before),
            _ => {}
        }
        self.findings.extend(races);
    }

    /// Adds to the first finding of a launch where the two part, and how that came to the word that differs.
    fn part(&mut self, launch: &KernelLaunch, before: &Memory) {
        let Some(first) = self.findings.first_mut() else { return };
        let Some(address) = first.accesses.last().map(|a| a.address).filter(|&address| address != 0) else { return };
        let mut gpu = parting::on_gpu(&mut self.gpu);
        let steps = parting::find(&self.emulator, &mut gpu, before, launch, address);
        let steps = steps.into_iter().rev().map(|step| {
            let access = Access::step(Actor::Thread(step.who), step.span);
            match step.bits {
                Some([emulator, gpu]) => access.value(format!("{emulator:#x} on the emulator and {gpu:#x} on the GPU")),
                None => access,
            }
        });
        first.accesses.splice(0..0, steps);
    }

    /// Compares what a launch did on the two.
    fn compare(&mut self, memory: &Memory, launch: &KernelLaunch, theirs: &OnGpu) {
        let output = self.emulator.take_output();
        let error = self.emulator.take_error();
        let is_reported = error.is_some();
        self.error = self.error.or(error);
        if is_reported {
            return self.output.extend(output);
        }
        if let Some(error) = theirs.error {
            self.failed_on_gpu(launch.span, error, Some(self.info(launch)));
            return self.output.extend(output);
        }
        if let Some((ours, theirs)) = different_lines(&output, &theirs.output) {
            self.report(launch, Access::step(Actor::Host, launch.span), ours, theirs, 1);
        }
        self.output.extend(output);
        for (base, bytes, name) in reached(memory) {
            let difference = match Region::of(base).unwrap_or(Region::Host) {
                Region::Device(_) => {
                    let gpu = &mut self.gpu;
                    first_difference(memory, base, bytes, |at, out| gpu.read(memory, at, out).is_ok())
                }
                _ => first_difference(memory, base, bytes, |at, out| theirs.memory.read(at, out).is_some()),
            };
            let Some((offset, ours, theirs, different)) = difference else { continue };
            let show = |bytes: &[u8]| {
                let digits: Vec<String> = bytes.iter().rev().map(|b| format!("{b:02x}")).collect();
                format!("0x{}", digits.concat())
            };
            let mut access = Access::new(Actor::Host, What::Read, device::space_of(base), launch.span);
            access = access.address(base + offset, 4);
            let word = i64::try_from(offset / 4 + 1).unwrap_or(i64::MAX);
            access.place = Some(if name.is_empty() { Place::variable("memory") } else { Place::element(name, [word]) });
            self.report(launch, access, show(&ours), show(&theirs), different);
            if let Some(found) = self.findings.pop() {
                self.findings.push(found.note("the element is counted in words of four bytes"));
            }
        }
    }

    /// Compares what a routine of a library did on the two.
    fn compare_routine(&mut self, memory: &Memory, routine: &Routine, theirs: &OnGpu) {
        let status = self.gpu.take_status();
        if let Some(error) = theirs.error {
            return self.failed_on_gpu(routine.span, error, None);
        }
        let difference = match status {
            Some(status) => Some(routines::Difference {
                address: 0,
                bytes: 0,
                values: ["done".to_owned(), format!("refused with status {status}")],
                bound: String::new(),
                count: 1,
            }),
            None => {
                let gpu = &mut self.gpu;
                let mut ours = |at: u64, out: &mut [u8]| memory.read(at, out);
                let mut of_gpu = |at: u64, out: &mut [u8]| match Region::of(at) {
                    Some(Region::Device(_)) => gpu.read(memory, at, out).ok(),
                    _ => theirs.memory.read(at, out),
                };
                routines::compare(&routine.results, &mut ours, &mut of_gpu)
            }
        };
        if let Some(found) = difference {
            let mut access = Access::new(Actor::Host, What::Read, device::space_of(found.address), routine.span);
            access = access.address(found.address, found.bytes);
            access.place = memory.find(found.address).map(|id| {
                let alloc = memory.info(id);
                let element = (found.address - alloc.base) / found.bytes.max(1) + 1;
                if alloc.name.is_empty() {
                    Place::variable("the result")
                } else {
                    Place::element(alloc.name.to_string(), [i64::try_from(element).unwrap_or(i64::MAX)])
                }
            });
            let [emulator, gpu] = found.values;
            let routine = routine.name.to_owned();
            let kind = FindingKind::VerifyRoutine { routine, emulator, gpu, bound: found.bound, elements: found.count };
            self.findings.push(Finding::new(kind, vec![access]));
        }
        // Both go on with the same memory: bounds count for each routine alone.
        if self.is_gpu_alive
            && let Err(error) = self.gpu.take_memory(memory)
        {
            self.failed_on_gpu(routine.span, error, None);
        }
    }

    fn report(&mut self, launch: &KernelLaunch, access: Access, emulator: String, gpu: String, elements: u64) {
        let kind = FindingKind::VerifyMismatch { emulator, gpu, elements };
        let found = Finding::new(kind, vec![access]).in_launch(self.info(launch));
        self.findings.push(found);
    }

    fn info(&self, launch: &KernelLaunch) -> LaunchInfo {
        let kernel = self.emulator.program().map_or("", |p| p.module().func(launch.func).short_name()).to_owned();
        LaunchInfo { number: launch.number, kernel, stream: launch.stream, by: None }
    }

    /// Reports an error that the GPU alone had. After one that stays it is left alone.
    fn failed_on_gpu(&mut self, span: Span, error: CudaError, launch: Option<LaunchInfo>) {
        self.is_gpu_alive = !error.is_sticky();
        let gpu = format!("the error `{}`", error.name());
        let kind = FindingKind::VerifyMismatch { emulator: "without error".to_owned(), gpu, elements: 1 };
        let found = Finding::new(kind, vec![Access::step(Actor::Host, span)]);
        self.findings.push(match launch {
            Some(info) => found.in_launch(info),
            None => found,
        });
    }
}

/// Runs a launch to its end; `None` if the emulator does not take it.
fn run_to_end(
    emulator: &mut Emulator,
    memory: &mut Memory,
    launch: &KernelLaunch,
    observer: &mut dyn Observer,
) -> Option<()> {
    emulator.submit(memory, Command::Launch(launch.clone())).ok()?;
    while emulator.advance(memory, u64::MAX, observer) == Progress::Busy {}
    Some(())
}

/// The data races of a launch that begins with that memory, as `emulator` would run it.
fn races(emulator: &Emulator, memory: &mut Memory, launch: &KernelLaunch) -> Vec<Finding> {
    let mut again = emulator.racing();
    if run_to_end(&mut again, memory, launch, &mut NoObserver).is_none() {
        return Vec::new();
    }
    again.take_findings().into_iter().filter(|f| matches!(f.kind, FindingKind::Race { .. })).collect()
}

/// The offset of the first word of an allocation that differs, its bytes on both, and how many words differ. `theirs` reads
/// what the GPU has.
fn first_difference(
    memory: &Memory,
    base: u64,
    bytes: u64,
    mut theirs: impl FnMut(u64, &mut [u8]) -> bool,
) -> Option<(u64, Vec<u8>, Vec<u8>, u64)> {
    let mut first = None;
    let mut count = 0;
    let mut at = 0;
    while at < bytes {
        let n = (bytes - at).min(PIECE) as usize;
        let (mut ours, mut other) = (vec![0; n], vec![0; n]);
        memory.read(base + at, &mut ours)?;
        if !theirs(base + at, &mut other) {
            break;
        }
        for (i, (a, b)) in ours.chunks(4).zip(other.chunks(4)).enumerate() {
            if a != b {
                count += 1;
                first.get_or_insert_with(|| (at + 4 * i as u64, a.to_vec(), b.to_vec()));
            }
        }
        at += n as u64;
    }
    first.map(|(offset, a, b)| (offset, a, b, count))
}

/// The first line that only one of two outputs has, in the words of a finding. Threads print in any order, so lines are
/// compared as if sorted.
fn different_lines(ours: &[u8], theirs: &[u8]) -> Option<(String, String)> {
    let sorted = |text: &[u8]| {
        let mut lines: Vec<Vec<u8>> = text.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
        lines.sort();
        lines
    };
    let (a, b) = (sorted(ours), sorted(theirs));
    let at = (0..a.len().max(b.len())).find(|&i| a.get(i) != b.get(i))?;
    let printed = |line: &[u8]| format!("the printed line `{}`", String::from_utf8_lossy(line).trim_end());
    let none = || "not printed".to_owned();
    Some(match (a.get(at), b.get(at)) {
        (Some(x), Some(y)) if x > y => (none(), printed(y)),
        (Some(x), _) => (printed(x), none()),
        (None, Some(y)) => (none(), printed(y)),
        (None, None) => return None,
    })
}

impl Device for VerifyDevice {
    fn properties(&self) -> &Properties {
        self.emulator.properties()
    }

    fn alloc(
        &mut self,
        memory: &mut Memory,
        region: Region,
        bytes: u64,
        align: u32,
        name: &str,
        span: Span,
    ) -> Result<u64, CudaError> {
        // The GPU takes the number from the same memory that the emulator works in, and maps its own there.
        self.gpu.alloc(memory, region, bytes, align, name, span)
    }

    fn free(&mut self, memory: &mut Memory, address: u64, span: Span) -> Result<(), CudaError> {
        self.gpu.free(memory, address, span)
    }

    fn lock(&mut self, address: u64, bytes: u64) -> Result<(), CudaError> {
        self.gpu.lock(address, bytes)
    }

    fn unlock(&mut self, memory: &mut Memory, address: u64) -> Result<(), CudaError> {
        self.gpu.unlock(memory, address)
    }

    fn submit(&mut self, memory: &mut Memory, mut command: Command) -> Result<(), CudaError> {
        // Commands run one at a time: what was submitted before is done on both when the next one comes.
        while self.advance(memory, u64::MAX, &mut NoObserver) == Progress::Busy {}
        if let Command::Launch(launch) = &mut command
            && launch.grid == [0; 3]
        {
            self.gpu.renew_code(memory, launch)?;
            launch.grid = self.gpu.resident_grid(launch);
        }
        // The emulator only takes a command here. What it refuses is not for the GPU to do.
        self.emulator.submit(memory, command.clone())?;
        if !self.is_gpu_alive {
            return Ok(());
        }
        match &command {
            Command::Launch(launch) => {
                let theirs = self.on_gpu(memory, command.clone());
                self.launch = Some((launch.clone(), theirs));
            }
            Command::Routine(routine) if routine.vendor.is_some() => {
                let routine = routine.clone();
                let theirs = self.on_gpu(memory, command);
                self.routine = Some((routine, theirs));
            }
            _ => {
                let span = command.span();
                let theirs = self.on_gpu(memory, command);
                // Whether the emulator can do it shows later; an error that stays is the GPU's in any case.
                if let Some(error) = theirs.error.filter(|e| e.is_sticky()) {
                    self.failed_on_gpu(span, error, None);
                }
                drop(theirs);
                memory.reclaim();
            }
        }
        Ok(())
    }

    fn advance(&mut self, memory: &mut Memory, budget: u64, observer: &mut dyn Observer) -> Progress {
        let progress = self.emulator.advance(memory, budget, observer);
        if progress == Progress::Idle
            && let Some((launch, theirs)) = self.launch.take()
        {
            self.compare(memory, &launch, &theirs);
            self.explain(memory, &launch, &theirs.before);
            drop(theirs.memory);
            memory.reclaim();
        }
        if progress == Progress::Idle
            && let Some((routine, theirs)) = self.routine.take()
        {
            self.compare_routine(memory, &routine, &theirs);
            drop(theirs);
            memory.reclaim();
        }
        progress
    }

    fn read(&mut self, memory: &Memory, address: u64, out: &mut [u8]) -> Result<(), CudaError> {
        self.emulator.read(memory, address, out)
    }

    fn write(&mut self, memory: &mut Memory, address: u64, data: &[u8]) -> Result<(), CudaError> {
        // Memory that is not the device's own is the program's, for both of the two.
        if matches!(Region::of(address), Some(Region::Device(_))) && self.is_gpu_alive {
            self.gpu.write(memory, address, data)?;
        }
        self.emulator.write(memory, address, data)
    }

    fn vendor(&mut self) -> Option<&mut dyn VendorLibraries> {
        let is_alive = self.is_gpu_alive;
        is_alive.then_some(self as &mut dyn VendorLibraries)
    }

    fn take_output(&mut self) -> Vec<u8> {
        let mut output = std::mem::take(&mut self.output);
        output.extend(self.emulator.take_output());
        output
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        let mut found = self.emulator.take_findings();
        found.extend(self.gpu.take_findings());
        found.append(&mut self.findings);
        found
    }

    fn take_error(&mut self) -> Option<CudaError> {
        self.error.take().or_else(|| self.emulator.take_error())
    }

    fn reset(&mut self) -> Result<(), CudaError> {
        self.gpu.reset()?;
        self.emulator.reset()
    }

    fn abandon(&mut self) {
        self.launch = None;
        self.routine = None;
        self.gpu.abandon();
        self.emulator.abandon();
    }

    fn set_limit(&mut self, limit: i32, value: u64) {
        self.gpu.set_limit(limit, value);
        self.emulator.set_limit(limit, value);
    }
}

/// NVIDIA's libraries on the GPU, whose results are compared.
impl VendorLibraries for VerifyDevice {
    fn find(&mut self, function: &str) -> Result<(), String> {
        self.gpu.find(function)
    }

    fn prepare(&mut self, object: &VendorObject) -> Result<i32, String> {
        self.gpu.prepare(object)
    }

    fn ask(&mut self, call: &VendorCall) -> Result<VendorAnswer, String> {
        self.gpu.ask(call)
    }

    fn destroy(&mut self, handle: u64) {
        self.gpu.destroy(handle);
    }

    fn is_compared(&self) -> bool {
        true
    }

    fn take_status(&mut self) -> Option<i32> {
        // It is compared.
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use device::Arg;
    use finding::RaceKind;
    use std::sync::Arc;

    #[test]
    fn races_of_a_launch_are_found_in_the_memory_of_before() {
        let text = "
kernel @k(%0: i64) {
bb0:
  %1 = special.tid.x
  %2 = load.global.i32 [%0]
  %3 = add.i32 %1, %2
  store.global.i32 [%0+4], %3
  return
}";
        let module = ir::parse::module(text).expect("it is IR");
        let program = vm::compile(Arc::new(module), Vec::new()).expect("valid");
        let mut emulator = Emulator::new(0, emu::Options::default());
        emulator.load(Arc::new(program));
        let mut memory = Memory::new();
        let base = emulator.alloc(&mut memory, Region::Device(0), 8, 1, "x", Span::NONE).expect("room");
        let launch = |threads| KernelLaunch {
            func: FuncId(0),
            grid: [1, 1, 1],
            block: [threads, 1, 1],
            dynamic_shared: 0,
            stream: 0,
            args: vec![Arg::Bits(base)],
            number: 1,
            span: Span::NONE,
        };
        assert_eq!(races(&emulator, &mut memory.clone(), &launch(1)), []);
        let found = races(&emulator, &mut memory, &launch(2));
        assert!(
            matches!(found[..], [Finding { kind: FindingKind::Race { between: RaceKind::WithinWarp, .. }, .. }]),
            "{found:?}"
        );
    }

    #[test]
    fn lines_are_compared_in_any_order() {
        assert_eq!(different_lines(b"a\nb\n", b"b\na\n"), None);
        let line = |text: &str| format!("the printed line `{text}`");
        let none = "not printed".to_owned();
        assert_eq!(different_lines(b"a\nb\n", b"a\n"), Some((line("b"), none.clone())));
        assert_eq!(different_lines(b"a\nc\n", b"a\nb\nc\n"), Some((none.clone(), line("b"))));
        assert_eq!(different_lines(b"a\n", b""), Some((line("a"), none)));
    }

    #[test]
    fn words_that_differ_are_counted_and_the_first_is_shown() {
        let mut memory = Memory::new();
        let base = memory.alloc(Region::Managed, 12, "x", Span::NONE).expect("room");
        let other = memory.clone();
        assert_eq!(first_difference(&memory, base, 12, |at, out| other.read(at, out).is_some()), None);
        memory.write(base + 4, &[1, 0, 0, 0, 2, 0, 0, 0]).expect("inside");
        let found = first_difference(&memory, base, 12, |at, out| other.read(at, out).is_some());
        assert_eq!(found, Some((4, vec![1, 0, 0, 0], vec![0; 4], 2)));
        assert_eq!(first_difference(&memory, base, 12, |_, _| false), None);
    }
}
