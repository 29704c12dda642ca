//! What the run time knows of MPI: the numbers of routines.
//!
//! Not here: the service (`service::mpi`), what a call does (`mpi`), whose turn it is (`machine`).

use std::collections::BTreeMap;

/// The routines.
#[derive(Clone, Debug)]
pub(crate) struct Mpi {
    /// The number of a routine by its name.
    pub(crate) find: fn(&str) -> Option<u32>,
    /// Numbers by the addresses of the names.
    pub(crate) known: BTreeMap<u64, u32>,
}

impl Mpi {
    pub(crate) fn new(find: fn(&str) -> Option<u32>) -> Mpi {
        Mpi { find, known: BTreeMap::new() }
    }
}
