//! What the libraries keep between calls: handles, generators, plans.
//!
//! It is part of the state of a run, so it is copied with a checkpoint.

use crate::fft::Plan;
use crate::handles::Lives;
use crate::random::Sequence;
use crate::sparse::Descriptor;
use device::VendorObject;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The number of the first handle; smaller ones would look like counts.
const FIRST: u64 = 0x20_0001;
/// Handles of each table, at most, so that none is one of another table. All fit in 4 bytes, as plans of cuFFT have.
const MOST: u64 = 1 << 24;

/// The state of all libraries.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) cublas: Table<CublasHandle, 0>,
    /// Those of cuBLASXt.
    pub(crate) cublas_xt: Table<XtHandle, 1>,
    pub(crate) curand: Table<Generator, 2>,
    pub(crate) cufft: Table<Plan, 3>,
    /// The streams of the handles of cuSOLVER.
    pub(crate) cusolver: Table<u64, 4>,
    pub(crate) cusolver_params: Table<(), 5>,
    pub(crate) cusparse: Table<CublasHandle, 6>,
    pub(crate) descriptors: Table<Descriptor, 7>,
    /// Communicators of NCCL.
    pub(crate) nccl: Table<(), 8>,
    /// Where handles were made and destroyed.
    pub(crate) lives: Lives,
    /// The handle of the routines that take none.
    pub(crate) default_handle: Option<u64>,
    /// That of the routines on arrays of the host.
    pub(crate) host_handle: Option<u64>,
    /// What handles stand for in NVIDIA's libraries, on a device that has them.
    pub(crate) objects: BTreeMap<u64, Arc<VendorObject>>,
    /// What the program was told once.
    pub(crate) told: BTreeSet<String>,
}

/// What a handle of cuBLAS or cuSPARSE holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct CublasHandle {
    pub(crate) stream: u64,
    /// Whether scalars are in device memory.
    pub(crate) takes_device_scalars: bool,
    pub(crate) math_mode: i32,
    pub(crate) atomics_mode: i32,
    pub(crate) multiprocessors: i32,
    /// Where arrays belong.
    pub(crate) home: Home,
}

/// What a handle of cuBLASXt holds.
#[derive(Clone, Debug)]
pub(crate) struct XtHandle {
    /// Rows and columns of the blocks that are sent to devices.
    pub(crate) block: i32,
    pub(crate) pinning: i32,
}

/// Where the arrays of a routine belong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Home {
    #[default]
    Device,
    Host,
    /// In any memory, as for cuBLASXt.
    Any,
}

/// A generator of cuRAND.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    /// Its type.
    pub(crate) kind: i64,
    /// Whether it writes memory of the host.
    pub(crate) is_of_host: bool,
    pub(crate) stream: u64,
    pub(crate) seed: u64,
    pub(crate) offset: u64,
    /// How many numbers it has given since it began there, as NVIDIA's library counts them.
    pub(crate) given: u64,
    /// Its order.
    pub(crate) order: i64,
    /// How many dimensions a quasi-random generator has; 1 for others.
    pub(crate) dimensions: i64,
    /// What it is at, once it has begun.
    pub(crate) at: Option<Sequence>,
}

/// Things by handle. Each table of the state has another number.
#[derive(Clone, Debug)]
pub(crate) struct Table<T, const NUMBER: u64> {
    things: BTreeMap<u64, T>,
    next: u64,
}

impl<T, const NUMBER: u64> Default for Table<T, NUMBER> {
    fn default() -> Table<T, NUMBER> {
        Table { things: BTreeMap::new(), next: NUMBER * MOST + FIRST }
    }
}

impl<T, const NUMBER: u64> Table<T, NUMBER> {
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
