//! Inquiries of the CUDA runtime: devices, properties, limits, versions.
//!
//! `type(cudaDeviceProp)` is laid out by [`PROPERTIES`], member by member in the order of the embedded module `cudafor`.

use super::{Outcome, Runtime, put};
use crate::{Api, CudaError, Device, KernelInfo, Kernels, Properties};
use finding::ApiFault;
use mem::{Memory, Region};
use source::Span;

/// The CUDA version that the runtime reports: 1000 × major + 10 × minor.
pub const RUNTIME_VERSION: i32 = 13_000;
/// The limits of `cudaDeviceGetLimit` that nobody has set.
pub const DEFAULT_LIMITS: [u64; 5] = [1024, 1 << 20, 8 << 20, 2, 2048];
/// Bytes of the member `name`.
const NAME_BYTES: usize = 256;

/// A member of `type(cudaDeviceProp)` after `name`.
enum Member {
    /// `integer(4)`
    Word(i64),
    /// `integer(8)`
    Long(u64),
    /// `integer(4) :: (3)`
    Three([u32; 3]),
}

/// The members after `name`, in order.
fn members(p: &Properties) -> Vec<(&'static str, Member)> {
    use Member::{Long, Three, Word};
    let w = |v: u32| Word(i64::from(v));
    vec![
        ("totalGlobalMem", Long(p.total_global_mem)),
        ("sharedMemPerBlock", Long(p.shared_mem_per_block)),
        ("regsPerBlock", w(p.regs_per_block)),
        ("warpSize", Word(32)),
        ("memPitch", Long(0x7fff_ffff)),
        ("maxThreadsPerBlock", w(p.max_threads_per_block)),
        ("maxThreadsDim", Three(p.max_threads_dim)),
        ("maxGridSize", Three(p.max_grid_size)),
        ("clockRate", w(p.clock_rate)),
        ("totalConstMem", Long(p.total_const_mem)),
        ("major", w(p.sm / 10)),
        ("minor", w(p.sm % 10)),
        ("textureAlignment", Long(512)),
        ("texturePitchAlignment", Long(32)),
        ("deviceOverlap", Word(1)),
        ("multiProcessorCount", w(p.multiprocessors)),
        ("kernelExecTimeoutEnabled", Word(0)),
        ("integrated", Word(0)),
        ("canMapHostMemory", Word(1)),
        ("computeMode", Word(0)),
        ("maxTexture1D", Word(131_072)),
        ("maxTexture2D", Three([131_072, 65_536, 0])),
        ("maxTexture3D", Three([16_384, 16_384, 16_384])),
        ("surfaceAlignment", Long(512)),
        ("concurrentKernels", Word(1)),
        ("ECCEnabled", Word(1)),
        ("pciBusID", Word(0)),
        ("pciDeviceID", Word(0)),
        ("pciDomainID", Word(0)),
        ("tccDriver", Word(0)),
        ("asyncEngineCount", Word(3)),
        ("unifiedAddressing", Word(1)),
        ("memoryClockRate", w(p.memory_clock_rate)),
        ("memoryBusWidth", w(p.memory_bus_width)),
        ("l2CacheSize", Word(50 << 20)),
        ("maxThreadsPerMultiProcessor", w(p.max_threads_per_multiprocessor)),
        ("streamPrioritiesSupported", Word(1)),
        ("globalL1CacheSupported", Word(1)),
        ("localL1CacheSupported", Word(1)),
        ("sharedMemPerMultiprocessor", Long(p.shared_mem_per_multiprocessor)),
        ("regsPerMultiprocessor", Word(65_536)),
        ("managedMemory", Word(1)),
        ("isMultiGpuBoard", Word(0)),
        ("multiGpuBoardGroupID", Word(0)),
        ("hostNativeAtomicSupported", Word(0)),
        ("singleToDoublePrecisionPerfRatio", Word(2)),
        ("pageableMemoryAccess", Word(0)),
        ("concurrentManagedAccess", Word(1)),
        ("computePreemptionSupported", Word(1)),
        ("canUseHostPointerForRegisteredMem", Word(1)),
        ("cooperativeLaunch", Word(1)),
        ("cooperativeMultiDeviceLaunch", Word(0)),
        ("sharedMemPerBlockOptin", Long(p.shared_mem_per_block_optin)),
    ]
}

/// The bytes of `type(cudaDeviceProp)`: `name`, then the members with natural alignment.
pub(crate) fn property_bytes(p: &Properties) -> Vec<u8> {
    let mut out = p.name.as_bytes().to_vec();
    out.truncate(NAME_BYTES);
    out.resize(NAME_BYTES, b' ');
    for (_, member) in members(p) {
        match member {
            Member::Word(v) => out.extend((v as i32).to_le_bytes()),
            Member::Long(v) => {
                out.resize(out.len().next_multiple_of(8), 0);
                out.extend(v.to_le_bytes());
            }
            Member::Three(v) => v.iter().for_each(|n| out.extend(n.to_le_bytes())),
        }
    }
    out.resize(out.len().next_multiple_of(8), 0);
    out
}

/// The members of C's `struct cudaDeviceProp` after `name`, as CUDA 10 to 12 have them, and how many `int`s each is; `SIZE` is a `size_t`.
const C_MEMBERS: &[(&str, usize)] = &[
    ("uuid", 4),
    ("luid", 2),
    ("luidDeviceNodeMask", 1),
    ("totalGlobalMem", SIZE),
    ("sharedMemPerBlock", SIZE),
    ("regsPerBlock", 1),
    ("warpSize", 1),
    ("memPitch", SIZE),
    ("maxThreadsPerBlock", 1),
    ("maxThreadsDim", 3),
    ("maxGridSize", 3),
    ("clockRate", 1),
    ("totalConstMem", SIZE),
    ("major", 1),
    ("minor", 1),
    ("textureAlignment", SIZE),
    ("texturePitchAlignment", SIZE),
    ("deviceOverlap", 1),
    ("multiProcessorCount", 1),
    ("kernelExecTimeoutEnabled", 1),
    ("integrated", 1),
    ("canMapHostMemory", 1),
    ("computeMode", 1),
    ("maxTexture1D", 1),
    ("maxTexture1DMipmap", 1),
    ("maxTexture1DLinear", 1),
    ("maxTexture2D", 2),
    ("maxTexture2DMipmap", 2),
    ("maxTexture2DLinear", 3),
    ("maxTexture2DGather", 2),
    ("maxTexture3D", 3),
    ("maxTexture3DAlt", 3),
    ("maxTextureCubemap", 1),
    ("maxTexture1DLayered", 2),
    ("maxTexture2DLayered", 3),
    ("maxTextureCubemapLayered", 2),
    ("maxSurface1D", 1),
    ("maxSurface2D", 2),
    ("maxSurface3D", 3),
    ("maxSurface1DLayered", 2),
    ("maxSurface2DLayered", 3),
    ("maxSurfaceCubemap", 1),
    ("maxSurfaceCubemapLayered", 2),
    ("surfaceAlignment", SIZE),
    ("concurrentKernels", 1),
    ("ECCEnabled", 1),
    ("pciBusID", 1),
    ("pciDeviceID", 1),
    ("pciDomainID", 1),
    ("tccDriver", 1),
    ("asyncEngineCount", 1),
    ("unifiedAddressing", 1),
    ("memoryClockRate", 1),
    ("memoryBusWidth", 1),
    ("l2CacheSize", 1),
    ("persistingL2CacheMaxSize", 1),
    ("maxThreadsPerMultiProcessor", 1),
    ("streamPrioritiesSupported", 1),
    ("globalL1CacheSupported", 1),
    ("localL1CacheSupported", 1),
    ("sharedMemPerMultiprocessor", SIZE),
    ("regsPerMultiprocessor", 1),
    ("managedMemory", 1),
    ("isMultiGpuBoard", 1),
    ("multiGpuBoardGroupID", 1),
    ("hostNativeAtomicSupported", 1),
    ("singleToDoublePrecisionPerfRatio", 1),
    ("pageableMemoryAccess", 1),
    ("concurrentManagedAccess", 1),
    ("computePreemptionSupported", 1),
    ("canUseHostPointerForRegisteredMem", 1),
    ("cooperativeLaunch", 1),
    ("cooperativeMultiDeviceLaunch", 1),
    ("sharedMemPerBlockOptin", SIZE),
    ("pageableMemoryAccessUsesHostPageTables", 1),
    ("directManagedMemAccessFromHost", 1),
    ("maxBlocksPerMultiProcessor", 1),
    ("accessPolicyMaxWindowSize", 1),
    ("reservedSharedMemPerBlock", SIZE),
];
/// Marks a member that is a `size_t`.
const SIZE: usize = 0;

/// The bytes of C's `struct cudaDeviceProp`; members that `type(cudaDeviceProp)` lacks are 0.
fn c_property_bytes(p: &Properties) -> Vec<u8> {
    let known = members(p);
    let mut out = p.name.as_bytes().to_vec();
    out.truncate(NAME_BYTES - 1);
    out.resize(NAME_BYTES, 0);
    for &(name, count) in C_MEMBERS {
        let member = known.iter().find(|(known, _)| *known == name).map(|(_, member)| member);
        if count == SIZE {
            out.resize(out.len().next_multiple_of(8), 0);
        }
        let bytes = if count == SIZE { 8 } else { 4 * count };
        let mut value = match member {
            Some(Member::Word(v)) => (*v as i32).to_le_bytes().to_vec(),
            Some(Member::Long(v)) => v.to_le_bytes().to_vec(),
            Some(Member::Three(v)) => v.iter().flat_map(|n| n.to_le_bytes()).collect(),
            None => Vec::new(),
        };
        value.resize(bytes, 0);
        out.extend(value);
    }
    out
}

/// The declaration of `type(cudaDeviceProp)` in Fortran, which agrees with [`property_bytes`].
pub fn property_type() -> String {
    let mut text = format!("type :: cudaDeviceProp\n  character(len={NAME_BYTES}) :: name\n");
    for (name, member) in members(&Properties::emulated(90)) {
        let declaration = match member {
            Member::Word(_) => format!("  integer(4) :: {name}\n"),
            Member::Long(_) => format!("  integer(8) :: {name}\n"),
            Member::Three(_) => format!("  integer(4) :: {name}(3)\n"),
        };
        text.push_str(&declaration);
    }
    text.push_str("end type cudaDeviceProp\n");
    text
}

/// The value of a `cudaDeviceAttr`, by its number in the CUDA Runtime API manual.
pub fn attribute(p: &Properties, number: i32) -> Option<i64> {
    Some(match number {
        1 => i64::from(p.max_threads_per_block),
        2..=4 => i64::from(p.max_threads_dim[number as usize - 2]),
        5..=7 => i64::from(p.max_grid_size[number as usize - 5]),
        8 => p.shared_mem_per_block as i64,
        9 => p.total_const_mem as i64,
        10 => 32,
        11 => 0x7fff_ffff,
        12 => i64::from(p.regs_per_block),
        13 => i64::from(p.clock_rate),
        14 => 512,
        15 | 19 | 31 | 32 | 41 | 78..=80 | 83 | 88..=91 | 95 => 1,
        16 => i64::from(p.multiprocessors),
        17 | 18 | 20 | 33..=35 | 50 | 84 | 96 => 0,
        36 => i64::from(p.memory_clock_rate),
        37 => i64::from(p.memory_bus_width),
        38 => 50 << 20,
        39 => i64::from(p.max_threads_per_multiprocessor),
        40 => 3,
        75 => i64::from(p.sm / 10),
        76 => i64::from(p.sm % 10),
        81 => p.shared_mem_per_multiprocessor as i64,
        82 => 65_536,
        97 => p.shared_mem_per_block_optin as i64,
        _ => return None,
    })
}

impl Runtime {
    /// Calls that only ask or set, answered at once.
    pub(crate) fn inquire(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        api: &Api,
        call: &str,
        span: Span,
    ) -> Outcome<()> {
        match *api {
            Api::SetDevice { device: number } => {
                self.current = self.device_number(number, call, span)?;
                Ok(())
            }
            Api::GetDevice { at } => put(memory, at, &self.current.to_le_bytes()),
            Api::GetDeviceCount { at } => put(memory, at, &self.device_count.to_le_bytes()),
            Api::GetDeviceProperties { at, device: number, of_c } => {
                self.device_number(number, call, span)?;
                let bytes = if of_c { c_property_bytes } else { property_bytes };
                put(memory, at, &bytes(device.properties()))
            }
            Api::DeviceGetAttribute { at, attribute: number, device: which } => {
                self.device_number(which, call, span)?;
                let value = attribute(device.properties(), number).ok_or(CudaError::InvalidValue)?;
                put(memory, at, &(value as i32).to_le_bytes())
            }
            Api::DeviceSetLimit { limit: limit @ 0..=4, value } => {
                self.limits.insert((self.current, limit), value);
                device.set_limit(limit, value);
                Ok(())
            }
            Api::DeviceGetLimit { at, limit: limit @ 0..=4 } => {
                let value = self.limits.get(&(self.current, limit)).copied().unwrap_or(DEFAULT_LIMITS[limit as usize]);
                put(memory, at, &value.to_le_bytes())
            }
            Api::DeviceCanAccessPeer { at, from, to } => {
                let (from, to) = (self.device_number(from, call, span)?, self.device_number(to, call, span)?);
                put(memory, at, &u32::from(from != to).to_le_bytes())
            }
            Api::EnablePeerAccess { device: to } => {
                let to = self.device_number(to, call, span)?;
                if to == self.current {
                    return Err(CudaError::InvalidDevice);
                }
                self.peers.insert((self.current, to)).then_some(()).ok_or(CudaError::PeerAccessAlreadyEnabled)
            }
            Api::DisablePeerAccess { device: to } => {
                let to = self.device_number(to, call, span)?;
                self.peers.remove(&(self.current, to)).then_some(()).ok_or(CudaError::PeerAccessNotEnabled)
            }
            Api::GetVersion { at } => put(memory, at, &RUNTIME_VERSION.to_le_bytes()),
            Api::MemGetInfo { free_at, total_at } => {
                let total = device.properties().total_global_mem.min(memory.limit(self.region()));
                let free = memory.free_bytes(self.region()).min(total);
                put(memory, free_at, &free.to_le_bytes())?;
                put(memory, total_at, &total.to_le_bytes())
            }
            Api::PointerGetAttributes { at, address } => {
                // memoryType: 0 unregistered, 1 host, 2 device, 3 managed; then the device and the two pointers.
                let (kind, number) = match Region::of(address).filter(|_| memory.find(address).is_some()) {
                    Some(Region::Pinned) => (1u32, self.current),
                    Some(Region::Host | Region::HostStack) if memory.is_locked(address, 1) => (1, self.current),
                    Some(Region::Device(n)) => (2, u32::from(n)),
                    Some(Region::Managed) => (3, self.current),
                    _ => (0, self.current),
                };
                let on_device = if kind == 0 { 0 } else { address };
                let on_host = if kind == 2 { 0 } else { address };
                let mut bytes = kind.to_le_bytes().to_vec();
                bytes.extend(number.to_le_bytes());
                bytes.extend(on_device.to_le_bytes());
                bytes.extend(on_host.to_le_bytes());
                put(memory, at, &bytes)
            }
            _ => Err(CudaError::InvalidValue),
        }
    }

    /// Bytes of shared memory that a block of a kernel may have.
    pub(crate) fn shared_limit(&self, p: &Properties, func: ir::FuncId) -> u64 {
        match self.shared_limits.get(&func) {
            Some(&more) => more.max(p.shared_mem_per_block),
            None => p.shared_mem_per_block,
        }
    }

    /// Calls about a kernel.
    pub(crate) fn kernel_call(
        &mut self,
        device: &mut dyn Device,
        memory: &mut Memory,
        api: &Api,
        kernels: &dyn Kernels,
    ) -> Outcome<()> {
        // cudaFuncAttributeMaxDynamicSharedMemorySize and cudaFuncAttributePreferredSharedMemoryCarveout
        const DYNAMIC_SHARED: i32 = 8;
        const CARVEOUT: i32 = 9;
        let p = device.properties();
        let info = |func| kernels.kernel(func).ok_or(CudaError::InvalidDeviceFunction);
        match *api {
            Api::FuncGetAttributes { at, func } => {
                let kernel = info(func)?;
                let (longs, words) = kernel.attributes(p, self.shared_limit(p, func));
                let mut bytes: Vec<u8> = longs.into_iter().flat_map(u64::to_le_bytes).collect();
                bytes.extend(words.into_iter().flat_map(i32::to_le_bytes));
                put(memory, at, &bytes)
            }
            Api::FuncSetAttribute { func, attribute: DYNAMIC_SHARED, value } => {
                let kernel = info(func)?;
                if kernel.shared_bytes.saturating_add(value) > p.shared_mem_per_block_optin {
                    return Err(CudaError::InvalidValue);
                }
                self.shared_limits.insert(func, kernel.shared_bytes + value);
                Ok(())
            }
            Api::FuncSetAttribute { func, attribute: CARVEOUT, .. } => info(func).map(|_| ()),
            Api::OccupancyMaxActiveBlocks { at, func, threads, dynamic_shared } => {
                let kernel = info(func)?;
                let blocks = kernel.most_blocks(p, threads, dynamic_shared, self.shared_limit(p, func))?;
                put(memory, at, &blocks.to_le_bytes())
            }
            _ => Err(CudaError::InvalidValue),
        }
    }

    pub(super) fn device_number(&mut self, number: i32, call: &str, span: Span) -> Outcome<u32> {
        match u32::try_from(number) {
            Ok(n) if n < self.device_count => Ok(n),
            _ => {
                let count = u64::from(self.device_count);
                self.report(call, ApiFault::NoSuchDevice { number: i64::from(number), count }, span);
                Err(CudaError::InvalidDevice)
            }
        }
    }
}

impl KernelInfo {
    /// The components of `cudaFuncAttributes`, those of 8 bytes and those of 4. A block may have so many bytes of shared memory.
    pub fn attributes(&self, p: &Properties, shared_limit: u64) -> ([u64; 3], [i32; 8]) {
        let threads = self.max_threads.unwrap_or(p.max_threads_per_block);
        let dynamic = shared_limit.saturating_sub(self.shared_bytes);
        let sm = p.sm as i32;
        let words = [threads as i32, self.registers as i32, sm, sm, 0, dynamic as i32, -1, 0];
        ([self.shared_bytes, self.constant_bytes, self.local_bytes], words)
    }

    /// How many of its blocks a multiprocessor can have at once.
    pub fn most_blocks(
        &self,
        p: &Properties,
        threads: i32,
        dynamic_shared: u64,
        shared_limit: u64,
    ) -> Result<u32, CudaError> {
        let threads = u32::try_from(threads).ok().filter(|&n| n > 0).ok_or(CudaError::InvalidValue)?;
        if threads > p.max_threads_per_block {
            return Ok(0);
        }
        // A block takes whole warps and, beyond what it asks for, a kilobyte of shared memory.
        let warps = threads.div_ceil(32);
        let by_threads = p.max_threads_per_multiprocessor / (warps * 32);
        let shared = self.shared_bytes.saturating_add(dynamic_shared);
        let by_shared = (p.shared_mem_per_multiprocessor / shared.saturating_add(1024)) as u32;
        let registers = self.registers.next_multiple_of(8) * warps * 32;
        let by_registers = p.regs_per_block / registers.max(1);
        Ok(if shared <= shared_limit { by_threads.min(by_shared).min(by_registers).min(32) } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_has_the_layout_of_the_bytes() {
        let text = property_type();
        let mut offset: usize = 0;
        for line in text.lines().filter(|l| l.starts_with("  ")) {
            let (align, bytes) = match line {
                l if l.contains("character") => (1, NAME_BYTES),
                l if l.contains("integer(8)") => (8, 8),
                l if l.contains("(3)") => (4, 12),
                _ => (4, 4),
            };
            offset = offset.next_multiple_of(align) + bytes;
        }
        assert_eq!(offset.next_multiple_of(8), property_bytes(&Properties::emulated(90)).len());
    }
}
