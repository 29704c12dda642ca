//! The tables of the libraries, put together.

use crate::call::{Routine, Statuses};
use crate::{cublas, curand};

/// All routines with the statuses of their library.
pub(crate) fn all() -> impl Iterator<Item = (&'static Statuses, &'static Routine)> {
    let cublas = cublas::ROUTINES.iter().map(|routine| (&cublas::STATUSES, routine));
    cublas.chain(curand::ROUTINES.iter().map(|routine| (&curand::STATUSES, routine)))
}

/// The routine of that name.
pub(crate) fn find(name: &str) -> Option<(&'static Statuses, &'static Routine)> {
    all().find(|(_, routine)| routine.name == name)
}
