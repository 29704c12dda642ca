//! Run-time findings as data, and their one wording.
//!
//! Whoever watches a run (executor, emulator, device, host) makes a [`Finding`]: what kind, which accesses, which launch.
//! It writes no sentence. [`Finding::diagnostic`] words it, and the wording of all findings is here and nowhere else,
//! in `wording/`.
//!
//! Invariants: two findings of one kind at the same places are equal for [`Findings`], which counts the later ones; the
//! order is that in which they were added, so equal runs give equal reports.
//!
//! Not here: detection (`race`, `emu`, `mem` …), the codes and their explanations (`diag`), text formats (`diag`).

mod access;
mod collect;
mod fact;
mod finding;
mod host;
mod kind;
mod wording;

pub use access::{Access, Actor, Call, LaunchInfo, Place, Space, ThreadId, What};
pub use collect::{Added, Findings};
pub use diag::{Code, Diagnostic, Severity};
pub use fact::{
    Allocation, ApiFault, Axis, BarrierFault, FreeFault, GridSyncFault, LaunchFault, LeakKind, RaceFlavour, RaceKind,
    Scope, Waiting,
};
pub use finding::Finding;
pub use host::HostFault;
pub use kind::FindingKind;
