//! The state of the Fortran run time.
//!
//! Not here: the services that use it (`service`, `io`, `cuda`).

use crate::cuda::Symbols;
use crate::foreign::Foreign;
use crate::io::Io;
use crate::mpi::Mpi;
use crate::protocol::{Answers, Late};
use crate::random::{DEFAULT_SEED, Random};
use crate::reals::RealState;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The state of the run time.
#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    pub(crate) io: Io,
    /// The answers that the service at hand has received.
    pub(crate) answers: Answers,
    /// What the service at hand came to, if it was served before the host stopped for it.
    pub(crate) late: Option<Late>,
    pub(crate) random: Random,
    pub(crate) reals: RealState,
    /// The arguments of the program, its name first.
    pub(crate) arguments: Arc<[Vec<u8>]>,
    /// The environment variables that the program has set.
    pub(crate) environment: BTreeMap<String, String>,
    /// The variables on the device that a program can name by a string.
    pub(crate) symbols: Symbols,
    pub(crate) foreign: Foreign,
    pub(crate) mpi: Mpi,
}

impl Runtime {
    pub(crate) fn new(
        arguments: Arc<[Vec<u8>]>,
        symbols: Symbols,
        swaps_bytes: bool,
        foreign: Foreign,
        mpi: Mpi,
    ) -> Runtime {
        Runtime {
            io: Io::new(swaps_bytes),
            answers: Answers::default(),
            late: None,
            random: Random::new(DEFAULT_SEED),
            reals: RealState::default(),
            arguments,
            environment: BTreeMap::new(),
            symbols,
            foreign,
            mpi,
        }
    }

    /// Whether procedures of libraries were called.
    pub(crate) fn has_called_c(&self) -> bool {
        !self.foreign.signatures.is_empty()
    }
}
