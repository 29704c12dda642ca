//! The emulator as a [`Device`]: its queue, its memory, its errors.

use super::{Emulator, HostCopy};
use ::device::{Command, CudaError, Device, Observer, Progress, Properties, Routine};
use finding::{Access, Actor, Finding, FindingKind, Place, What};
use mem::{Memory, Region};
use scalar::random;
use source::Span;

impl Emulator {
    /// Does a command that is no launch.
    fn transfer(&mut self, memory: &mut Memory, command: &Command) -> Result<(), CudaError> {
        let done = match command {
            Command::Launch(_) => Some(()),
            Command::Copy { destination, source, bytes, .. } => memory.copy(*destination, *source, *bytes),
            Command::CopyStrided { destination, source, element_bytes, .. } => {
                ::device::copy_strided(memory, destination, source, *element_bytes).ok()
            }
            Command::Fill { fill, .. } => ::device::fill(memory, fill).ok(),
            Command::Routine(routine) => routine.run(memory, &mut self.findings).ok(),
        };
        done.ok_or_else(|| failure(memory))
    }
}

/// The reads of bytes that nothing has written, of which a routine needs the values: the first in each array.
fn uninitialised(memory: &Memory, routine: &Routine) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let runs = routine.needs.iter().flat_map(|(array, bytes)| array.runs(*bytes));
    for (address, bytes) in runs {
        let Some(&(offset, hole)) = memory.holes(address, bytes).first() else { continue };
        let at = address + offset;
        let held = memory.find(at).map(|id| memory.info(id));
        let is_known = |finding: &Finding| {
            finding.accesses.iter().any(|access| {
                held.is_some_and(|info| info.base <= access.address && access.address < info.base + info.bytes)
            })
        };
        if found.iter().any(is_known) {
            continue;
        }
        let actor = Actor::Copy { call: routine.name.to_owned(), stream: routine.stream };
        let mut access = Access::new(actor, What::Read, ::device::space_of(at), routine.span).address(at, hole);
        access.place = held.filter(|info| !info.name.is_empty()).map(|info| Place::variable(&*info.name));
        let origin = memory.initialised().and_then(|bits| bits.with(|bits| bits.origin(at)));
        let origin = origin.map(|origin| ::device::origin_of(memory, origin));
        found.push(Finding::new(FindingKind::Uninitialised { origin }, vec![access]));
    }
    found
}

/// What a command has copied to memory of the host, if it has.
fn host_copy(memory: &Memory, command: &Command) -> Option<HostCopy> {
    let (runs, span) = match command {
        Command::Copy { destination, bytes, span, .. } => (vec![(*destination, *bytes)], *span),
        Command::CopyStrided { destination, element_bytes, span, .. } => {
            (destination.runs(*element_bytes).collect(), *span)
        }
        Command::Launch(_) | Command::Fill { .. } | Command::Routine(_) => return None,
    };
    let region = Region::of(runs.first()?.0)?;
    if !matches!(region, Region::Host | Region::HostStack | Region::Pinned) {
        return None;
    }
    let mut hash = 0;
    for (address, bytes) in runs {
        let mut data = vec![0; bytes as usize];
        memory.read(address, &mut data)?;
        for piece in data.chunks(8) {
            let mut word = [0; 8];
            word[..piece.len()].copy_from_slice(piece);
            hash = random::mix(hash ^ u64::from_le_bytes(word).wrapping_add(random::GOLDEN_GAMMA));
        }
    }
    Some(HostCopy { span, hash })
}

/// Why bytes of memory could not be written.
fn failure(memory: &Memory) -> CudaError {
    if memory.take_exhaustion().is_some() { CudaError::MemoryAllocation } else { CudaError::InvalidValue }
}

impl Device for Emulator {
    fn properties(&self) -> &Properties {
        &self.properties
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
        let region = if matches!(region, Region::Device(_)) { Region::Device(self.number) } else { region };
        memory.set_limit(region, self.properties.total_global_mem);
        memory.alloc_aligned(region, bytes, align, name, span).map_err(|_| CudaError::MemoryAllocation)
    }

    fn free(&mut self, memory: &mut Memory, address: u64, span: Span) -> Result<(), CudaError> {
        let id = memory.free(address, span).map_err(|_| CudaError::InvalidValue)?;
        if let Some(detector) = &mut self.detector {
            let freed = memory.info(id);
            detector.forget(freed.base, freed.bytes);
        }
        Ok(())
    }

    fn set_limit(&mut self, limit: i32, value: u64) {
        self.limits.insert(limit, value);
    }

    fn submit(&mut self, _: &mut Memory, mut command: Command) -> Result<(), CudaError> {
        if let Some(error) = self.sticky {
            return Err(error);
        }
        if let Command::Launch(launch) = &mut command {
            if launch.grid == [0; 3] {
                launch.grid = self.resident_grid(launch.block);
            }
            self.check(launch)?;
        }
        self.queue.push_back(command);
        Ok(())
    }

    fn advance(&mut self, memory: &mut Memory, mut budget: u64, observer: &mut dyn Observer) -> Progress {
        loop {
            if self.launch.is_some()
                && let Some(progress) = self.run(memory, &mut budget, observer)
            {
                return progress;
            }
            match self.queue.pop_front() {
                None => return Progress::Idle,
                Some(_) if self.sticky.is_some() => {}
                Some(Command::Launch(launch)) => {
                    observer.on_launch(&launch);
                    self.begin(memory, launch);
                }
                Some(command) => {
                    if let Command::Routine(routine) = &command
                        && self.options.check_init
                    {
                        self.findings.extend(uninitialised(memory, routine));
                    }
                    if let Err(error) = self.transfer(memory, &command) {
                        self.error = Some(error);
                    } else if self.options.trace {
                        self.copies.extend(host_copy(memory, &command));
                    }
                }
            }
        }
    }

    fn read(&mut self, memory: &Memory, address: u64, out: &mut [u8]) -> Result<(), CudaError> {
        memory.read(address, out).ok_or(CudaError::InvalidValue)
    }

    fn write(&mut self, memory: &mut Memory, address: u64, data: &[u8]) -> Result<(), CudaError> {
        memory.write(address, data).ok_or_else(|| failure(memory))
    }

    fn abandon(&mut self) {
        self.queue.clear();
        self.launch = None;
    }

    fn heap_made(&self) -> Vec<u64> {
        self.heap_made.iter().copied().collect()
    }

    fn reset(&mut self) -> Result<(), CudaError> {
        (self.error, self.sticky) = (None, None);
        Ok(())
    }

    fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        let mut findings = std::mem::take(&mut self.findings);
        if self.options.order.is_some() {
            // No seed stands for an order that is directed.
            findings.iter_mut().for_each(|finding| finding.seed = None);
        }
        findings
    }

    fn take_error(&mut self) -> Option<CudaError> {
        self.sticky.or_else(|| self.error.take())
    }
}
