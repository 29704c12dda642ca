//! The map of address numbers.
//!
//! Each region has its own base, so an address tells its region. Within a region the allocator
//! counts up to the region's end before it uses numbers again, leaving a gap of at least [`GUARD`] bytes between allocations.

/// Bytes that are never allocated between two allocations.
pub const GUARD: u64 = 256;
/// Alignment of every allocation, that of `cudaMalloc`.
pub const ALIGN: u64 = 256;
/// First address of shared memory of a block.
pub const SHARED_BASE: u64 = 1 << 40;
/// First address of local memory of a thread.
pub const LOCAL_BASE: u64 = 1 << 41;
/// Bytes that the shared and the local window have at most.
pub const WINDOW: u64 = 1 << 40;
/// Bits of an offset in shared memory of a block. What an address of the shared window has above them is 0 for the block itself, else one
/// more than the rank of a block in its cluster.
const CLUSTER_SHIFT: u32 = 32;
/// Bits of an address number within its region. All regions lie below 2^47, so that a GPU can map its memory at our numbers.
pub const REGION_BITS: u32 = 42;

/// A region of address numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Region {
    /// Static and allocated host data.
    Host,
    /// The stack of the host program.
    HostStack,
    /// Page-locked host memory.
    Pinned,
    /// Managed memory.
    Managed,
    /// Memory of that device.
    Device(u8),
    /// Memory of C: what this process has at that address, if C code is called.
    OfC,
}

/// The numbers of memory of C, where a process of Linux on x86-64 has its program and heap, and its libraries and stacks.
const OF_C: [u64; 2] = [21, 31];

impl Region {
    fn index(self) -> u64 {
        match self {
            Region::Host => 1,
            Region::HostStack => 2,
            Region::Pinned => 3,
            Region::Managed => 4,
            Region::Device(n @ ..13) => 8 + u64::from(n),
            Region::Device(n) => 9 + u64::from(n),
            Region::OfC => OF_C[0],
        }
    }

    /// First address of the region.
    pub fn base(self) -> u64 {
        self.index() << REGION_BITS
    }

    /// The region that an address number belongs to by its value, whether or not anything is allocated there.
    pub fn of(address: u64) -> Option<Region> {
        match address >> REGION_BITS {
            1 => Some(Region::Host),
            2 => Some(Region::HostStack),
            3 => Some(Region::Pinned),
            4 => Some(Region::Managed),
            n if OF_C.contains(&n) => Some(Region::OfC),
            n @ 8..=20 => Some(Region::Device((n - 8) as u8)),
            n @ 22..=30 => Some(Region::Device((n - 9) as u8)),
            _ => None,
        }
    }

    /// Whether host code may touch it.
    pub fn is_host_accessible(self) -> bool {
        !matches!(self, Region::Device(_))
    }

    /// Whether device code may touch it.
    pub fn is_device_accessible(self) -> bool {
        matches!(self, Region::Device(_) | Region::Managed | Region::Pinned)
    }
}

/// Whether the address lies in the window of shared memory.
pub fn is_shared(address: u64) -> bool {
    (SHARED_BASE..SHARED_BASE + WINDOW).contains(&address)
}

/// The address of a place of shared memory in that of the block of a rank, from 0, in the same cluster. Ranks that no cluster has and
/// addresses of other memory give an address where nothing is.
pub fn of_cluster(address: u64, rank: u32) -> u64 {
    let offset = address.wrapping_sub(SHARED_BASE) & ((1 << CLUSTER_SHIFT) - 1);
    let offset = if is_shared(address) { offset } else { NOTHING };
    SHARED_BASE + ((u64::from(rank.min(MOST_RANK)) + 1) << CLUSTER_SHIFT) + offset
}

/// The highest rank, from 0, that an address can hold; higher ones count as this one.
pub const MOST_RANK: u32 = 254;
/// An offset that no block has.
const NOTHING: u64 = 1 << 31;

/// The rank of the block in its cluster that an address of the shared window is of, and the offset in its memory; `None` if it is of the
/// block itself, or no address of shared memory.
pub fn cluster_place(address: u64) -> Option<(u32, u64)> {
    let above = address.wrapping_sub(SHARED_BASE) >> CLUSTER_SHIFT;
    let rank = above.checked_sub(1).filter(|_| is_shared(address))?;
    Some((rank as u32, address & ((1 << CLUSTER_SHIFT) - 1)))
}

/// Whether the address lies in the window of local memory.
pub fn is_local(address: u64) -> bool {
    (LOCAL_BASE..LOCAL_BASE + WINDOW).contains(&address)
}
