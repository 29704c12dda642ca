//! The tables of the libraries, put together.

use crate::call::{Call, Outcome, Routine, Statuses};
use crate::{cublas, cufft, curand, cusolver, cusparse, nccl, nvtx, sort};

/// All routines with the statuses of their library.
pub(crate) fn all() -> impl Iterator<Item = (&'static Statuses, &'static Routine)> {
    let cublas = cublas::routines().map(|routine| (&cublas::STATUSES, routine));
    let cufft = cufft::ROUTINES.iter().map(|routine| (&cufft::STATUSES, routine));
    let curand = curand::ROUTINES.iter().map(|routine| (&curand::STATUSES, routine));
    let cusolver = cusolver::routines().map(|routine| (&cusolver::STATUSES, routine));
    let cusparse = cusparse::ROUTINES.iter().map(|routine| (&cusparse::STATUSES, routine));
    let nccl = nccl::ROUTINES.iter().map(|routine| (&nccl::STATUSES, routine));
    let nvtx = nvtx::ROUTINES.iter().map(|routine| (&nvtx::STATUSES, routine));
    let sort = sort::ROUTINES.iter().map(|routine| (&sort::STATUSES, routine));
    cublas.chain(cufft).chain(curand).chain(cusolver).chain(cusparse).chain(nccl).chain(nvtx).chain(sort)
}

/// Before the name of a routine in the interfaces of the modules of nvfortran, which take more than the C interface does.
pub(crate) const MODULE: &str = "nvfortran:";

/// A routine as a name calls it.
pub(crate) struct Called {
    pub(crate) name: &'static str,
    /// That of the function in NVIDIA's library.
    pub(crate) function: &'static str,
    pub(crate) statuses: &'static Statuses,
    pub(crate) run: fn(&mut Call<'_>) -> Outcome,
    /// Whether the name is that of the first interface of cuBLAS.
    pub(crate) is_legacy: bool,
}

/// The routine of that name.
pub(crate) fn find(name: &str) -> Option<Called> {
    let name = name.strip_prefix(MODULE).unwrap_or(name);
    let called = all().find(|(_, routine)| routine.name == name).map(|(statuses, routine)| Called {
        name: routine.name,
        function: routine.name,
        statuses,
        run: routine.run,
        is_legacy: false,
    });
    called.or_else(|| {
        let (name, Routine { name: function, run }) = cublas::legacy(name)?;
        Some(Called { name, function, statuses: &cublas::STATUSES, run: *run, is_legacy: true })
    })
}
