//! What others see of execution: hooks while it runs, and the state of a program and a warp while it stands.

mod copies;
mod hooks;
mod inspect;
mod zone;

pub use copies::CopyOnlyRegs;
pub(crate) use hooks::Observer;
pub use hooks::{AccessEvent, AccessKind, Before, Hooks, SilentSites, Values};
pub use inspect::{Activation, SplitView};
pub(crate) use zone::are_within;
pub use zone::{QuietZone, is_within};
