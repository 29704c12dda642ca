//! The properties of a device (`cudaDeviceProp`).

/// The properties of a device that programs ask for.
#[derive(Clone, PartialEq, Debug)]
pub struct Properties {
    /// Name.
    pub name: String,
    /// Compute capability times ten: 90 for 9.0.
    pub sm: u32,
    /// Bytes of global memory.
    pub total_global_mem: u64,
    /// Bytes of shared memory that a block may have without asking.
    pub shared_mem_per_block: u64,
    /// Bytes of shared memory that a block may have by `cudaFuncSetAttribute`.
    pub shared_mem_per_block_optin: u64,
    /// Bytes of shared memory of a multiprocessor.
    pub shared_mem_per_multiprocessor: u64,
    /// Bytes of constant memory.
    pub total_const_mem: u64,
    /// 32-bit registers of a block.
    pub regs_per_block: u32,
    /// Threads of a block at most.
    pub max_threads_per_block: u32,
    /// Threads of a multiprocessor at most.
    pub max_threads_per_multiprocessor: u32,
    /// Extents of a block at most.
    pub max_threads_dim: [u32; 3],
    /// Extents of a grid at most.
    pub max_grid_size: [u32; 3],
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Clock in kHz.
    pub clock_rate: u32,
    /// Memory clock in kHz.
    pub memory_clock_rate: u32,
    /// Width of the memory bus in bits.
    pub memory_bus_width: u32,
}

impl Properties {
    /// A plausible device of compute capability `sm` (times ten), shaped after an H200.
    pub fn emulated(sm: u32) -> Properties {
        Properties {
            name: "cufemu emulated device".to_owned(),
            sm,
            total_global_mem: 16 << 30,
            shared_mem_per_block: 48 << 10,
            shared_mem_per_block_optin: 227 << 10,
            shared_mem_per_multiprocessor: 228 << 10,
            total_const_mem: 64 << 10,
            regs_per_block: 65_536,
            max_threads_per_block: 1024,
            max_threads_per_multiprocessor: 2048,
            max_threads_dim: [1024, 1024, 64],
            max_grid_size: [0x7fff_ffff, 65_535, 65_535],
            multiprocessors: 132,
            clock_rate: 1_785_000,
            memory_clock_rate: 3_201_000,
            memory_bus_width: 6144,
        }
    }
}
