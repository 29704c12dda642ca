//! Host and devices together: the run loop, the world outside, checkpoints.
//!
//! A [`Machine`] owns a program with its memory, its host, its devices and its findings. [`Machine::advance`] runs it by a
//! budget and serves the requests of the host. Everything outside passes through a [`World`]: [`RealWorld`] is this computer;
//! [`RecordingWorld`] keeps the answers, so a run can be repeated without effects (invariants I8, I9).
//!
//! Not here: stepping and breakpoints (`debug`), reading source files, printing of findings and exit (`cli`).

mod ahead;
mod answers;
mod checks;
mod devices;
mod holding;
mod instances;
mod load;
mod machine;
mod messages;
mod observer;
mod putting_off;
mod ranks;
mod solo;
mod standing;
mod tape;
mod verify;
mod whereabouts;
mod world;

pub use device::NoObserver;
pub use devices::DeviceBox;
pub use host::HostOptions;
pub use load::LoadError;
pub use machine::{Checkpoint, ClockKind, Machine, MachineOptions, MachineStop};
pub use observer::{HostStatement, Observer};
pub use ranks::{Ranks, RanksStop};
pub use solo::Records;
pub use standing::{RankPoint, Standing};
pub use tape::RecordHead;
pub use verify::VerifyDevice;
pub use vm::Engine;
pub use whereabouts::{LaunchAtWork, Whereabouts};
pub use world::input::EndWanted;
pub use world::real::RealWorld;
pub use world::record::{Mark, RecordingWorld};
pub use world::{ClosedWorld, World};
