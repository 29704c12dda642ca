//! Memory calls of the CUDA runtime: allocation, copies with their kinds, fills.
//!
//! Every copy is checked against the live allocations before it is submitted, so a device never sees a bad range. A copy whose
//! stated direction contradicts its addresses fails with `cudaErrorInvalidMemcpyDirection` and is reported.
//!
//! Source: CUDA Runtime API manual, "Memory Management" and "API synchronization behavior".

use super::{AllocatedBy, Half, Outcome, Runtime, put};
use crate::api::Pitched;
use crate::{Api, Command, CopyKind, CudaError, Device, Fill, Order, OrderStep, Section, Strided, Work};
use finding::{Access, Actor, Allocation, ApiFault, Finding, FindingKind, FreeFault, HostFault, Place, Space, What};
use mem::{FreeError, Memory, Region};
use source::Span;

/// Bytes to which `cudaMallocPitch` rounds rows up.
const PITCH: u64 = 512;

/// What is not supported where memory of C code is not in reach.
pub const MEMORY_OF_C: &str = "access to memory of C code in a run that is checked or recorded (`--race`, `--check init`, \
                               `--debug`, `--record` …); without these options it is reached";

impl Runtime {
    /// Allocates, and reports when there is no room.
    #[allow(clippy::too_many_arguments, reason = "an allocation is told with all that findings will say of it")]
    pub(crate) fn allocate(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        region: Region,
        bytes: u64,
        align: u32,
        name: &str,
        maker: AllocatedBy,
        span: Span,
    ) -> Outcome<u64> {
        let region = if matches!(region, Region::Device(_)) { self.region() } else { region };
        let address = device.alloc(memory, region, bytes, align, name, span)?;
        self.made.insert(address, maker);
        Ok(address)
    }

    /// The calls that concern memory, and the inquiries.
    pub(crate) fn memory_call(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        api: Api,
        call: &'static str,
        span: Span,
    ) -> Outcome<Option<Half>> {
        match api {
            Api::Free { address, name } => {
                // Variables have names, copies that are made for a launch have none.
                let is_copy = memory.find(address).is_some_and(|id| memory.info(id).name.is_empty());
                if name.is_empty() && is_copy && self.graphs.keep_copy(address) {
                    return Ok(None);
                }
                self.order(device, Order::HostWaitsForDevice);
                self.free(device, memory, address, AllocatedBy::Allocate, &name, span).map(|()| Some(Half::Report))
            }
            Api::CudaFree { address: 0, .. } => Ok(None),
            Api::CudaFree { address, host } => {
                let maker = if host { AllocatedBy::CudaMallocHost } else { AllocatedBy::CudaMalloc };
                self.order(device, Order::HostWaitsForDevice);
                self.free(device, memory, address, maker, "", span).map(|()| Some(Half::Report))
            }
            Api::Malloc { region, at, bytes } => {
                let maker =
                    if region == Region::Pinned { AllocatedBy::CudaMallocHost } else { AllocatedBy::CudaMalloc };
                put(memory, at, &0u64.to_le_bytes())?;
                let address = self.allocate(device, memory, region, bytes, 1, "", maker, span)?;
                put(memory, at, &address.to_le_bytes()).map(|()| None)
            }
            Api::MallocAsync { at, bytes, stream } => {
                self.stream(stream, call, span)?;
                put(memory, at, &0u64.to_le_bytes())?;
                let region = self.region();
                let address = self.allocate(device, memory, region, bytes, 1, "", AllocatedBy::CudaMalloc, span)?;
                put(memory, at, &address.to_le_bytes())?;
                self.lives(call, What::Allocate, (address, bytes), stream, span);
                Ok(None)
            }
            Api::FreeAsync { address: 0, stream } => self.stream(stream, call, span).map(|()| None),
            Api::FreeAsync { address, stream } => {
                self.stream(stream, call, span)?;
                let bytes = memory.find(address).map_or(0, |id| memory.info(id).bytes);
                self.free(device, memory, address, AllocatedBy::CudaMalloc, "", span)?;
                self.lives(call, What::Free, (address, bytes), stream, span);
                Ok(Some(Half::Hold))
            }
            Api::MallocPitch { at, pitch_at, element_bytes, width, height } => {
                let pitch = width.saturating_mul(element_bytes).next_multiple_of(PITCH);
                let bytes = pitch.saturating_mul(height);
                let address =
                    self.allocate(device, memory, self.region(), bytes, 1, "", AllocatedBy::CudaMalloc, span)?;
                put(memory, at, &address.to_le_bytes())?;
                put(memory, pitch_at, &(pitch / element_bytes.max(1)).to_le_bytes()).map(|()| None)
            }
            Api::Copy { destination, source, bytes } => {
                let bytes = self.bytes_within(memory, destination, bytes, What::Write, call, span)?;
                let bytes = self.bytes_within(memory, source, bytes, What::Read, call, span)?;
                let stream = self.implicit_stream(memory, [destination, source]);
                let waits = host_waits(destination, Some(source));
                self.forbid_waiting_copy(waits, stream)?;
                self.submit(device, memory, Command::Copy { destination, source, bytes, stream, span }, call)?;
                self.order_copy(device, waits, stream);
                Ok(Some(Half::Report))
            }
            Api::CopyStrided { destination, source, element_bytes } => {
                self.check_strided(memory, &destination, element_bytes, What::Write, call, span)?;
                self.check_strided(memory, &source, element_bytes, What::Read, call, span)?;
                let stream = self.implicit_stream(memory, [destination.base, source.base]);
                let waits = host_waits(destination.base, Some(source.base));
                self.forbid_waiting_copy(waits, stream)?;
                let command = Command::CopyStrided { destination, source, element_bytes, stream, span };
                self.submit(device, memory, command, call)?;
                self.order_copy(device, waits, stream);
                Ok(Some(Half::Report))
            }
            Api::Fill(fill) => {
                self.check_strided(memory, &fill.target, fill.element.len() as u64, What::Write, call, span)?;
                let stream = self.implicit_stream(memory, [fill.target.base]);
                let waits = host_waits(fill.target.base, None);
                self.forbid_waiting_copy(waits, stream)?;
                self.submit(device, memory, Command::Fill { fill, stream, span }, call)?;
                self.order_copy(device, waits, stream);
                Ok(Some(Half::Report))
            }
            Api::Memcpy { destination, source, bytes, kind, stream } => {
                self.check_kind(memory, (destination, source), kind, call, span)?;
                self.check_range(memory, destination, bytes, What::Write, call, span)?;
                self.check_range(memory, source, bytes, What::Read, call, span)?;
                let half = self.copy_half(memory, &[(destination, bytes), (source, bytes)], stream, call, span)?;
                let on = stream.unwrap_or(0);
                let waits = half == Half::Report && host_waits(destination, Some(source));
                self.submit(device, memory, Command::Copy { destination, source, bytes, stream: on, span }, call)?;
                self.order_copy(device, waits, on);
                Ok(Some(half))
            }
            Api::MemcpyPeer { devices, copy } => {
                for number in devices {
                    self.device_number(number, call, span)?;
                }
                self.memory_call(device, memory, *copy, call, span)
            }
            Api::Memcpy2D { destination, destination_pitch, source, source_pitch, extent, kind, stream } => {
                let Pitched { width, height } = extent;
                if width > destination_pitch || width > source_pitch {
                    return Err(CudaError::InvalidPitchValue);
                }
                let rows = |base, pitch| Strided { base, dims: vec![(width as i64, 1), (height as i64, pitch as i64)] };
                let sides = [rows(destination, destination_pitch), rows(source, source_pitch)];
                self.copy_rows(device, memory, sides, (kind, stream), call, span)
            }
            Api::Memcpy3D { sides, kind, stream } => self.copy_rows(device, memory, *sides, (kind, stream), call, span),
            Api::Memset3D { fill } => self.memset(device, memory, fill, None, call, span),
            Api::Memset { destination, count, element, stream } => {
                let dims = vec![(count as i64, element.len() as i64)];
                let fill = Fill::with_value(Strided { base: destination, dims }, element.into());
                self.memset(device, memory, fill, stream, call, span)
            }
            Api::Memset2D { destination, pitch, element, extent, stream } => {
                // Rows may not lie in each other.
                if extent.height > 1 && extent.width.saturating_mul(element.len() as u64) > pitch {
                    return Err(CudaError::InvalidValue);
                }
                let dims = vec![(extent.width as i64, element.len() as i64), (extent.height as i64, pitch as i64)];
                let fill = Fill::with_value(Strided { base: destination, dims }, element.into());
                self.memset(device, memory, fill, stream, call, span)
            }
            Api::HostRegister { address, bytes } => {
                if bytes == 0 || !is_pageable(address) {
                    return Err(CudaError::InvalidValue);
                }
                self.check_range(memory, address, bytes, What::Read, call, span)?;
                if !memory.lock(address, bytes) {
                    return Err(CudaError::HostMemoryAlreadyRegistered);
                }
                if let Err(error) = device.lock(address, bytes) {
                    memory.unlock(address);
                    return Err(error);
                }
                Ok(None)
            }
            Api::HostUnregister { address } => {
                self.order(device, Order::HostWaitsForDevice);
                if !memory.locked().any(|(at, _)| at == address) {
                    return Err(CudaError::HostMemoryNotRegistered);
                }
                device.unlock(memory, address)?;
                memory.unlock(address);
                Ok(Some(Half::Report))
            }
            Api::HostGetFlags { at, address } => {
                if Region::of(address) != Some(Region::Pinned) && !memory.is_locked(address, 1) {
                    return Err(CudaError::InvalidValue);
                }
                // cudaHostAllocMapped: with one space of addresses all page-locked memory is mapped.
                put(memory, at, &2i32.to_le_bytes()).map(|()| None)
            }
            Api::HostGetDevicePointer { at, address } => {
                if Region::of(address) != Some(Region::Pinned) && !memory.is_locked(address, 1) {
                    return Err(CudaError::InvalidValue);
                }
                put(memory, at, &address.to_le_bytes()).map(|()| None)
            }
            Api::MemHint { address, bytes, .. } => {
                if Region::of(address) != Some(Region::Managed) {
                    return Err(CudaError::InvalidValue);
                }
                self.check_range(memory, address, bytes, What::Read, call, span).map(|()| None)
            }
            other => self.inquire(device, memory, &other, call, span).map(|()| None),
        }
    }

    /// Memory begins or ends in the order of a stream (CUDA C++ Programming Guide, "Stream Ordered Memory Allocator").
    fn lives(&mut self, call: &'static str, what: What, memory: (u64, u64), stream: u64, span: Span) {
        let work = Work::Lifetime { call, what, memory };
        let device = self.device_of(stream);
        self.steps.push(OrderStep::Submitted { work, device, stream, span });
    }

    /// A copy of bytes in rows, the first dimension: from the second of the sides to the first.
    fn copy_rows(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        [destination, source]: [Strided; 2],
        (kind, stream): (CopyKind, Option<u64>),
        call: &'static str,
        span: Span,
    ) -> Outcome<Option<Half>> {
        self.check_kind(memory, (destination.base, source.base), kind, call, span)?;
        let bytes = |side: &Strided| {
            let width = side.dims.first().map_or(0, |dim| dim.0);
            let rows = side.dims.iter().skip(1);
            rows.fold(width, |bytes, &(n, stride)| bytes.saturating_add(stride.saturating_mul((n - 1).max(0)))) as u64
        };
        let sides = [(destination.base, bytes(&destination)), (source.base, bytes(&source))];
        let half = self.copy_half(memory, &sides, stream, call, span)?;
        self.check_strided(memory, &destination, 1, What::Write, call, span)?;
        self.check_strided(memory, &source, 1, What::Read, call, span)?;
        let on = stream.unwrap_or(0);
        let waits = half == Half::Report && host_waits(destination.base, Some(source.base));
        self.submit(
            device,
            memory,
            Command::CopyStrided { destination, source, element_bytes: 1, stream: on, span },
            call,
        )?;
        self.order_copy(device, waits, on);
        Ok(Some(half))
    }

    fn memset(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        fill: Fill,
        stream: Option<u64>,
        call: &'static str,
        span: Span,
    ) -> Outcome<Option<Half>> {
        if !memory.is_device_accessible(fill.target.base, 1) {
            return Err(CudaError::InvalidValue);
        }
        let on = stream.unwrap_or(0);
        self.stream(on, call, span)?;
        self.check_strided(memory, &fill.target, fill.element.len() as u64, What::Write, call, span)?;
        let half = if stream.is_some() { Half::Hold } else { Half::Report };
        let waits = half == Half::Report && host_waits(fill.target.base, None);
        self.submit(device, memory, Command::Fill { fill, stream: on, span }, call)?;
        self.order_copy(device, waits, on);
        Ok(Some(half))
    }

    /// The host waits for a copy, if it does.
    fn order_copy(&mut self, device: &mut dyn Device, waits: bool, stream: u64) {
        if waits {
            self.order(device, Order::HostWaitsForStream(stream));
        }
    }

    /// Whether a copy lets the host wait: all without a stream do, and those of pageable memory.
    fn copy_half(
        &mut self,
        memory: &Memory,
        sides: &[(u64, u64)],
        stream: Option<u64>,
        call: &str,
        span: Span,
    ) -> Outcome<Half> {
        let Some(stream) = stream else { return Ok(Half::Report) };
        self.stream(stream, call, span)?;
        if !sides.iter().any(|&(a, n)| is_pageable(a) && !memory.is_locked(a, n)) {
            return Ok(Half::Hold);
        }
        self.report(call, ApiFault::Pageable, span);
        Ok(Half::Report)
    }

    fn check_kind(
        &mut self,
        memory: &Memory,
        (to, from): (u64, u64),
        kind: CopyKind,
        call: &str,
        span: Span,
    ) -> Outcome<()> {
        let on_device = |a: u64| Region::of(a).is_none_or(Region::is_device_accessible) || memory.is_locked(a, 1);
        let on_host = |a: u64| Region::of(a).is_none_or(Region::is_host_accessible);
        let fits = match kind {
            CopyKind::HostToHost => on_host(to) && on_host(from),
            CopyKind::HostToDevice => on_device(to) && on_host(from),
            CopyKind::DeviceToHost => on_host(to) && on_device(from),
            CopyKind::DeviceToDevice => on_device(to) && on_device(from),
            CopyKind::Default => true,
        };
        if fits {
            return Ok(());
        }
        let side = |a| if on_host(a) { "host" } else { "device" };
        let reason = format!("the kind of the copy does not fit: it goes from {} to {} memory", side(from), side(to));
        self.report(call, ApiFault::InvalidArgument { reason }, span);
        Err(CudaError::InvalidMemcpyDirection)
    }

    /// Checks that elements are inside one live allocation.
    pub fn check_section(
        &mut self,
        memory: &Memory,
        (array, element_bytes): &Section,
        what: What,
        call: &str,
        span: Span,
    ) -> Result<(), CudaError> {
        self.check_strided(memory, array, *element_bytes, what, call, span)
    }

    fn check_strided(
        &mut self,
        memory: &Memory,
        array: &Strided,
        element_bytes: u64,
        what: What,
        call: &str,
        span: Span,
    ) -> Outcome<()> {
        match array.hull(element_bytes) {
            Some((low, high)) => self.check_range(memory, low, high.saturating_sub(low), what, call, span),
            None => Ok(()),
        }
    }

    /// Checks that bytes are inside one live allocation.
    fn check_range(
        &mut self,
        memory: &Memory,
        address: u64,
        bytes: u64,
        what: What,
        call: &str,
        span: Span,
    ) -> Outcome<()> {
        match self.bytes_within(memory, address, bytes, what, call, span)? {
            within if within == bytes => Ok(()),
            _ => Err(CudaError::InvalidValue),
        }
    }

    /// How many of the bytes are inside the live allocation at the address; what is beyond is reported. An assignment of an array of
    /// another shape copies what both have.
    fn bytes_within(
        &mut self,
        memory: &Memory,
        address: u64,
        bytes: u64,
        what: What,
        call: &str,
        span: Span,
    ) -> Outcome<u64> {
        if bytes == 0 {
            return Ok(0);
        }
        let is_of_c = Region::of(address) == Some(Region::OfC);
        if is_of_c && address.checked_add(bytes).is_some_and(|end| memory.contains(address, end)) {
            // Nobody knows where its allocations begin and end.
            return Ok(bytes);
        }
        let access = Access::new(Actor::Host, what, space_of(address), span).address(address, bytes);
        let Some(id) = memory.find(address) else {
            let dead = memory.dead_at(address).map(|id| memory.info(id));
            if is_of_c && dead.is_none() && !memory.reaches_c() {
                self.found(Finding::new(FindingKind::Unsupported { feature: MEMORY_OF_C.to_owned() }, vec![access]));
                return Err(CudaError::InvalidValue);
            }
            let kind = match dead {
                Some(info) => FindingKind::UseAfterFree {
                    allocation: allocation_of(info),
                    freed_at: info.freed.unwrap_or_default(),
                },
                None if address < 4096 => FindingKind::Null,
                None => FindingKind::NeverAllocated,
            };
            // The array that was there; a pointer to it may have another name.
            let named = |a: Access| dead.filter(|i| !i.name.is_empty()).map(|i| a.at(Place::variable(&*i.name)));
            let finding = match named(access.clone()) {
                Some(access) => Finding::new(kind, vec![access]),
                None => Finding::new(kind, vec![access]).note(format!("the address was given to `{call}`")),
            };
            self.found(finding);
            return Err(CudaError::InvalidValue);
        };
        let info = memory.info(id);
        let available = info.base + info.bytes - address;
        if bytes <= available {
            return Ok(bytes);
        }
        let access = if info.name.is_empty() { access } else { access.at(Place::variable(&*info.name)) };
        let kind = FindingKind::CopyOutOfBounds { call: call.to_owned(), requested: bytes, available };
        self.found(Finding::new(kind, vec![access]));
        Ok(available)
    }

    pub(super) fn free(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        address: u64,
        by: AllocatedBy,
        name: &str,
        span: Span,
    ) -> Outcome<()> {
        let access = Access::new(Actor::Host, What::Free, space_of(address), span).address(address, 0);
        let access = if name.is_empty() { access } else { access.at(Place::variable(name)) };
        match self.made.get(&address) {
            // Memory that ends with a scope is freed, whichever call allocated it.
            Some(&maker) if maker == by || by == AllocatedBy::Allocate && name.is_empty() => {}
            Some(&maker) => {
                let words = |m| match m {
                    AllocatedBy::Allocate => ("allocate", "deallocate"),
                    AllocatedBy::CudaMalloc => ("cudaMalloc", "cudaFree"),
                    AllocatedBy::CudaMallocHost => ("cudaMallocHost", "cudaFreeHost"),
                };
                let (made_by, freed_by) = words(maker);
                let fault = FreeFault::WrongRoutine { made_by: made_by.to_owned(), freed_by: freed_by.to_owned() };
                self.found(Finding::new(FindingKind::InvalidFree { fault }, vec![access.clone()]));
            }
            None => {
                let kind = match (memory.find(address), memory.dead_at(address)) {
                    (Some(_), _) => FindingKind::InvalidFree { fault: FreeFault::NotTheStart },
                    (None, Some(id)) => {
                        let info = memory.info(id);
                        FindingKind::DoubleFree {
                            allocation: allocation_of(info),
                            freed_at: info.freed.unwrap_or_default(),
                        }
                    }
                    (None, None) if by == AllocatedBy::Allocate && !name.is_empty() => {
                        FindingKind::Host(HostFault::NotAllocated { name: name.to_owned() })
                    }
                    (None, None) => FindingKind::InvalidFree { fault: FreeFault::NotAllocated },
                };
                self.found(Finding::new(kind, vec![access]));
                return Err(CudaError::InvalidValue);
            }
        }
        device.free(memory, address, span)?;
        self.made.remove(&address);
        Ok(())
    }
}

/// Whether an address is in memory that the operating system may move, unless it was registered.
fn is_pageable(address: u64) -> bool {
    matches!(Region::of(address), Some(Region::Host | Region::HostStack | Region::OfC))
}

/// Whether a copy or fill that no stream was named for is over when the host continues. Between device memories, and into
/// device memory, it is not: "no host-side synchronization is performed".
fn host_waits(destination: u64, source: Option<u64>) -> bool {
    let is_device = |a: u64| matches!(Region::of(a), Some(Region::Device(_)));
    !(is_device(destination) && source.is_none_or(is_device))
}

/// The words of findings for an address, those of the windows of shared and local memory included.
pub fn space_of(address: u64) -> Space {
    if mem::address::is_shared(address) {
        return Space::Shared;
    }
    if mem::address::is_local(address) {
        return Space::Local;
    }
    match Region::of(address) {
        Some(Region::Device(_)) => Space::Global,
        Some(Region::Managed) => Space::Managed,
        Some(Region::Pinned) => Space::Pinned,
        Some(Region::Host | Region::HostStack | Region::OfC) => Space::Host,
        None => Space::Unknown,
    }
}

/// Where bytes were copied from that nothing had written, as findings speak of it.
pub fn origin_of(memory: &Memory, origin: mem::Origin) -> finding::Origin {
    let id = memory.find(origin.address).or_else(|| memory.dead_at(origin.address));
    let memory = id.map(|id| allocation_of(memory.info(id)));
    finding::Origin { span: origin.span, space: space_of(origin.address), memory }
}

/// An allocation as findings speak of it.
pub fn allocation_of(info: &mem::Alloc) -> Allocation {
    let name = (!info.name.is_empty()).then(|| info.name.to_string());
    Allocation { name, base: info.base, bytes: info.bytes, span: info.span }
}

/// What went wrong when `Memory::free` refused, as a finding's kind.
pub fn free_fault(memory: &Memory, error: FreeError) -> FindingKind {
    match error {
        FreeError::Freed(id) => {
            let info = memory.info(id);
            FindingKind::DoubleFree { allocation: allocation_of(info), freed_at: info.freed.unwrap_or_default() }
        }
        FreeError::Inside(_) => FindingKind::InvalidFree { fault: FreeFault::NotTheStart },
        FreeError::Unknown => FindingKind::InvalidFree { fault: FreeFault::NotAllocated },
    }
}
