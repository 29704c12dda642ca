//! `--verify`: a device made of the emulator and a GPU.
//!
//! Both run every command; the program goes on with what the emulator gives. After each launch all device memory of the two
//! is compared, byte for byte. Addresses are the same on both, since the GPU maps its memory at our numbers, so that images
//! with pointers compare as they are. A real(4) or real(8) NaN equals any other NaN of its kind only as far as the bits do;
//! where NaN payloads differ by the hardware's rules the difference is reported like any other.
//!
//! Not here: racy kernels, real atomics and clocks, whose results may differ by right.

use device::{Command, CudaError, Device, KernelLaunch, NoObserver, Observer, Progress, Properties};
use emu::Emulator;
use finding::{Access, Actor, Finding, FindingKind, LaunchInfo, Place, Space, What};
use gpu::GpuDevice;
use mem::{Memory, Region};
use source::Span;

/// The emulator and a GPU that run the same commands.
#[derive(Debug)]
pub struct VerifyDevice {
    pub(crate) emulator: Emulator,
    pub(crate) gpu: GpuDevice,
    /// The launch at work on the emulator.
    launch: Option<KernelLaunch>,
    findings: Vec<Finding>,
}

/// Bytes compared at a time.
const PIECE: u64 = 1 << 20;

impl VerifyDevice {
    /// Both devices, with nothing loaded.
    pub fn new(emulator: Emulator, gpu: GpuDevice) -> VerifyDevice {
        VerifyDevice { emulator, gpu, launch: None, findings: Vec::new() }
    }

    /// Runs a command on the GPU to its end. What it writes into memory of the host is put back, since the program goes on
    /// with what the emulator gives.
    fn on_gpu(&mut self, memory: &mut Memory, command: Command) {
        let mut own = memory.clone();
        if self.gpu.submit(&mut own, command).is_ok() {
            while self.gpu.advance(&mut own, u64::MAX, &mut NoObserver) != Progress::Idle {}
        }
    }

    /// Compares all device memory of the two.
    fn compare(&mut self, memory: &Memory, launch: &KernelLaunch) {
        let device = |region| matches!(region, Region::Device(_));
        let live: Vec<(u64, u64, String)> = memory
            .live()
            .filter(|(_, a)| device(a.region))
            .map(|(_, a)| (a.base, a.bytes, a.name.to_string()))
            .collect();
        for (base, bytes, name) in live {
            let Some((offset, ours, theirs, different)) = self.first_difference(memory, base, bytes) else { continue };
            let show = |bytes: &[u8]| {
                let digits: Vec<String> = bytes.iter().rev().map(|b| format!("{b:02x}")).collect();
                format!("0x{}", digits.concat())
            };
            let kind = FindingKind::VerifyMismatch { emulator: show(&ours), gpu: show(&theirs), elements: different };
            let mut access = Access::new(Actor::Host, What::Read, Space::Global, launch.span).address(base + offset, 4);
            let word = i64::try_from(offset / 4 + 1).unwrap_or(i64::MAX);
            access.place = Some(if name.is_empty() { Place::variable("memory") } else { Place::element(name, [word]) });
            let kernel = self.emulator.program().map_or("", |p| &p.module.func(launch.func).name);
            let kernel = kernel.rsplit('.').next().unwrap_or_default().to_owned();
            let info = LaunchInfo { number: launch.number, kernel, stream: launch.stream };
            let found = Finding::new(kind, vec![access]).in_launch(info);
            self.findings.push(found.note("the element is counted in words of four bytes"));
        }
    }

    /// The offset of the first word of an allocation that differs, its bytes on both, and how many words differ.
    fn first_difference(&mut self, memory: &Memory, base: u64, bytes: u64) -> Option<(u64, Vec<u8>, Vec<u8>, u64)> {
        let mut first = None;
        let mut count = 0;
        let mut at = 0;
        while at < bytes {
            let n = (bytes - at).min(PIECE) as usize;
            let (mut ours, mut theirs) = (vec![0; n], vec![0; n]);
            memory.read(base + at, &mut ours)?;
            if self.gpu.read(memory, base + at, &mut theirs).is_err() {
                return first;
            }
            for (i, (a, b)) in ours.chunks(4).zip(theirs.chunks(4)).enumerate() {
                if a != b {
                    count += 1;
                    first.get_or_insert_with(|| (at + 4 * i as u64, a.to_vec(), b.to_vec(), 0));
                }
            }
            at += n as u64;
        }
        first.map(|(offset, a, b, _)| (offset, a, b, count))
    }
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
        name: &str,
        span: Span,
    ) -> Result<u64, CudaError> {
        // The GPU takes the number from the same memory that the emulator works in, and maps its own there.
        self.gpu.alloc(memory, region, bytes, name, span)
    }

    fn free(&mut self, memory: &mut Memory, address: u64, span: Span) -> Result<(), CudaError> {
        self.gpu.free(memory, address, span)
    }

    fn submit(&mut self, memory: &mut Memory, command: Command) -> Result<(), CudaError> {
        // Commands run one at a time: what was submitted before is done on both when the next one comes.
        while self.advance(memory, u64::MAX, &mut NoObserver) == Progress::Busy {}
        if let Command::Launch(launch) = &command {
            self.launch = Some(launch.clone());
        }
        self.on_gpu(memory, command.clone());
        self.emulator.submit(memory, command)
    }

    fn advance(&mut self, memory: &mut Memory, budget: u64, observer: &mut dyn Observer) -> Progress {
        let progress = self.emulator.advance(memory, budget, observer);
        if progress == Progress::Idle
            && let Some(launch) = self.launch.take()
        {
            self.compare(memory, &launch);
        }
        progress
    }

    fn read(&mut self, memory: &Memory, address: u64, out: &mut [u8]) -> Result<(), CudaError> {
        self.emulator.read(memory, address, out)
    }

    fn write(&mut self, memory: &mut Memory, address: u64, data: &[u8]) -> Result<(), CudaError> {
        self.gpu.write(&mut memory.clone(), address, data)?;
        self.emulator.write(memory, address, data)
    }

    fn take_output(&mut self) -> Vec<u8> {
        let _ = self.gpu.take_output();
        self.emulator.take_output()
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        let mut found = self.emulator.take_findings();
        found.extend(self.gpu.take_findings());
        found.append(&mut self.findings);
        found
    }

    fn take_error(&mut self) -> Option<CudaError> {
        let _ = self.gpu.take_error();
        self.emulator.take_error()
    }

    fn elapsed_ms(&self) -> Option<f64> {
        self.emulator.elapsed_ms()
    }

    fn reset(&mut self) -> Result<(), CudaError> {
        self.gpu.reset()?;
        self.emulator.reset()
    }

    fn abandon(&mut self) {
        self.gpu.abandon();
        self.emulator.abandon();
    }

    fn set_limit(&mut self, limit: i32, value: u64) {
        self.gpu.set_limit(limit, value);
        self.emulator.set_limit(limit, value);
    }
}
