//! Table: the properties of a device that the driver reports.
//!
//! A row is: variant, the driver's name for it, what it is.

use cudarc::driver::sys;

macro_rules! attributes {
    ($($name:ident = $sys:ident $doc:literal;)*) => {
        /// A property of a device.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Attribute { $(#[doc = $doc] $name,)* }

        impl Attribute {
            /// All of them, in order.
            pub const ALL: &[Attribute] = &[$(Attribute::$name),*];

            pub(crate) fn sys(self) -> sys::CUdevice_attribute {
                match self { $(Attribute::$name => sys::CUdevice_attribute::$sys,)* }
            }
        }
    };
}

attributes! {
    MaxThreadsPerBlock = CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK "Most threads of a block.";
    MaxBlockDimX = CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X "Greatest block extent, x.";
    MaxBlockDimY = CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y "Greatest block extent, y.";
    MaxBlockDimZ = CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z "Greatest block extent, z.";
    MaxGridDimX = CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X "Greatest grid extent, x.";
    MaxGridDimY = CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y "Greatest grid extent, y.";
    MaxGridDimZ = CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z "Greatest grid extent, z.";
    SharedBytesPerBlock = CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK "Bytes of shared memory of a block.";
    SharedBytesPerBlockOptin = CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN "The same where a kernel asks for more.";
    SharedBytesPerMultiprocessor = CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR "Bytes of shared memory of a multiprocessor.";
    ConstantBytes = CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY "Bytes of constant memory.";
    WarpSize = CU_DEVICE_ATTRIBUTE_WARP_SIZE "Lanes of a warp.";
    MaxPitch = CU_DEVICE_ATTRIBUTE_MAX_PITCH "Greatest pitch of a copy, bytes.";
    RegistersPerBlock = CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK "Registers of a block.";
    RegistersPerMultiprocessor = CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR "Registers of a multiprocessor.";
    ClockKilohertz = CU_DEVICE_ATTRIBUTE_CLOCK_RATE "Clock rate, kHz.";
    TextureAlignment = CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT "Alignment of textures, bytes.";
    MultiprocessorCount = CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT "Number of multiprocessors.";
    KernelTimeout = CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT "Whether kernels have a time limit.";
    Integrated = CU_DEVICE_ATTRIBUTE_INTEGRATED "Whether memory is shared with the host.";
    CanMapHostMemory = CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY "Whether host memory can be mapped.";
    ComputeMode = CU_DEVICE_ATTRIBUTE_COMPUTE_MODE "Compute mode.";
    ConcurrentKernels = CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS "Whether kernels run concurrently.";
    EccEnabled = CU_DEVICE_ATTRIBUTE_ECC_ENABLED "Whether memory corrects errors.";
    PciBusId = CU_DEVICE_ATTRIBUTE_PCI_BUS_ID "PCI bus.";
    PciDeviceId = CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID "PCI device.";
    PciDomainId = CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID "PCI domain.";
    TccDriver = CU_DEVICE_ATTRIBUTE_TCC_DRIVER "Whether the driver is the compute-only one.";
    MemoryClockKilohertz = CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE "Memory clock rate, kHz.";
    MemoryBusBits = CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH "Width of the memory bus, bits.";
    L2CacheBytes = CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE "Bytes of the second-level cache.";
    MaxThreadsPerMultiprocessor = CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR "Most threads of a multiprocessor.";
    UnifiedAddressing = CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING "Whether host and device share address numbers.";
    AsyncEngineCount = CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT "Number of copy engines.";
    ManagedMemory = CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY "Whether there is managed memory.";
    ConcurrentManagedAccess = CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS "Whether the host may use it while kernels run.";
    CooperativeLaunch = CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH "Whether grids can synchronise.";
    StreamPriorities = CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED "Whether streams have priorities.";
    ComputeMajor = CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR "Compute capability, major number.";
    ComputeMinor = CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR "Compute capability, minor number.";
}
