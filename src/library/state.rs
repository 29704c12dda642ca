//! What the libraries keep between calls: handles, generators, plans.
//!
//! It is part of the state of a run, so it is copied with a checkpoint.

use crate::fft::Plan;
use crate::sparse::Descriptor;
use crate::xorwow::Subsequences;
use std::collections::BTreeMap;

/// The number of the first handle; smaller ones would look like counts.
const FIRST: u64 = 0x20_0001;

/// The state of all libraries.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) cublas: Table<CublasHandle>,
    pub(crate) curand: Table<Generator>,
    pub(crate) cufft: Table<Plan>,
    /// The streams of the handles of cuSOLVER.
    pub(crate) cusolver: Table<u64>,
    pub(crate) cusolver_params: Table<()>,
    pub(crate) cusparse: Table<CublasHandle>,
    pub(crate) descriptors: Table<Descriptor>,
    /// The handle of the routines that take none.
    pub(crate) default_handle: Option<u64>,
    /// That of the routines on arrays of the host.
    pub(crate) host_handle: Option<u64>,
}

/// What a handle of cuBLAS or cuSPARSE holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct CublasHandle {
    pub(crate) stream: u64,
    /// Whether scalars are in device memory.
    pub(crate) takes_device_scalars: bool,
    pub(crate) math_mode: i32,
    /// Whether arrays are in host memory.
    pub(crate) is_of_host: bool,
}

/// A generator of cuRAND.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    /// Whether it writes memory of the host.
    pub(crate) is_of_host: bool,
    pub(crate) stream: u64,
    pub(crate) seed: u64,
    pub(crate) offset: u64,
    /// What it is at, once it has begun.
    pub(crate) at: Option<Subsequences>,
}

impl Generator {
    pub(crate) fn subsequences(&mut self) -> &mut Subsequences {
        self.at.get_or_insert_with(|| Subsequences::new(self.seed, self.offset))
    }
}

/// Things by handle.
#[derive(Clone, Debug)]
pub(crate) struct Table<T> {
    things: BTreeMap<u64, T>,
    next: u64,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { things: BTreeMap::new(), next: FIRST }
    }
}

impl<T> Table<T> {
    /// Adds a thing and gives its handle. A handle is not used again.
    pub(crate) fn add(&mut self, thing: T) -> u64 {
        let handle = self.next;
        self.next += 1;
        self.things.insert(handle, thing);
        handle
    }

    pub(crate) fn get(&mut self, handle: u64) -> Option<&mut T> {
        self.things.get_mut(&handle)
    }

    pub(crate) fn remove(&mut self, handle: u64) -> Option<T> {
        self.things.remove(&handle)
    }
}
