//! Run-time findings as data, and their wording.
//!
//! The code that watches a run (executor, emulator, device, host) makes a [`Finding`]: its kind, its accesses, its launch. It
//! writes no sentence. [`Finding::diagnostic`] words it; the wording of all findings is in `wording/` and nowhere else.
//!
//! [`Findings`] treats two findings of one kind at the same places as equal and counts the later ones. Its order is that in
//! which findings were added, so equal runs give equal reports.
//!
//! Not here: detection (`race`, `emu`, `mem` …), the codes and their explanations, text formats (both in `diag`).

mod access;
mod collect;
mod fact;
mod finding;
mod host;
mod kind;
mod mpi;
mod wording;

pub use access::{
    Access, Actor, Call, LaunchInfo, Launcher, Place, Space, ThreadId, What, host_launch, launch_name, launch_named,
    nested_number,
};
pub use collect::{Added, Findings};
pub use diag::{Code, Diagnostic, Severity};
pub use fact::{
    Allocation, ApiFault, Axis, BarrierFault, ClusterFault, DEFAULT_VALUES, FreeFault, GridSyncFault, HandleLife,
    LaunchFault, LeakKind, MemoryPlace, Origin, RaceFlavour, RaceKind, Scope, Waiting,
};
pub use finding::Finding;
pub use host::HostFault;
pub use kind::FindingKind;
pub use mpi::{MpiFault, RankCall};
