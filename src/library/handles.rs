//! Handles of the libraries: what they stand for, where the program has made them, and where it has destroyed them.
//!
//! Not here: what a handle holds (`state`), what stands for it in NVIDIA's libraries (`call::vendor`).

use source::Span;
use std::collections::BTreeMap;

/// A kind of handles.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// What it is, as messages say it.
    pub(crate) what: &'static str,
    /// The routine that makes one, or the beginning of its name.
    pub(crate) made_by: &'static str,
    /// The routine that destroys one.
    pub(crate) destroyed_by: &'static str,
}

pub(crate) static CUBLAS: Kind = Kind { what: "cuBLAS handle", made_by: "cublasCreate", destroyed_by: "cublasDestroy" };
pub(crate) static CUBLAS_XT: Kind =
    Kind { what: "cuBLASXt handle", made_by: "cublasXtCreate", destroyed_by: "cublasXtDestroy" };
pub(crate) static GENERATOR: Kind =
    Kind { what: "generator", made_by: "curandCreateGenerator", destroyed_by: "curandDestroyGenerator" };
pub(crate) static PLAN: Kind = Kind { what: "plan", made_by: "cufftPlan…", destroyed_by: "cufftDestroy" };
pub(crate) static CUSOLVER: Kind =
    Kind { what: "cuSOLVER handle", made_by: "cusolverDnCreate", destroyed_by: "cusolverDnDestroy" };
pub(crate) static PARAMETERS: Kind =
    Kind { what: "set of parameters", made_by: "cusolverDnCreateParams", destroyed_by: "cusolverDnDestroyParams" };
pub(crate) static CUSPARSE: Kind =
    Kind { what: "cuSPARSE handle", made_by: "cusparseCreate", destroyed_by: "cusparseDestroy" };
pub(crate) static DESCRIPTOR: Kind =
    Kind { what: "descriptor", made_by: "cusparseCreate…", destroyed_by: "cusparseDestroy…" };

pub(crate) static COMMUNICATOR: Kind =
    Kind { what: "communicator", made_by: "ncclCommInitRank", destroyed_by: "ncclCommDestroy" };

/// What is known of the handles that the program has made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lives {
    alive: BTreeMap<u64, (&'static Kind, Span)>,
    destroyed: BTreeMap<u64, Span>,
}

impl Lives {
    pub(crate) fn begin(&mut self, handle: u64, kind: &'static Kind, span: Span) {
        self.alive.insert(handle, (kind, span));
    }

    pub(crate) fn end(&mut self, handle: u64, span: Span) {
        if self.alive.remove(&handle).is_some() {
            self.destroyed.insert(handle, span);
        }
    }

    /// Where a handle was destroyed.
    pub(crate) fn destroyed_at(&self, handle: u64) -> Option<Span> {
        self.destroyed.get(&handle).copied()
    }

    /// The handles that nothing has destroyed, and where they were made.
    pub(crate) fn alive(&self) -> impl Iterator<Item = (&'static Kind, Span)> + '_ {
        self.alive.values().copied()
    }
}
