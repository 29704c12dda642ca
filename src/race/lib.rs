//! Data-race detection: clocks, stamps and shadow memory; pure.

mod access;
mod byteset;
mod cell;
mod detector;
mod exact;
mod frontier;
mod know;
mod knowledge;
mod order;
mod page;
mod shadow;
mod span;
mod stamp;
mod sync;

pub use access::{Addresses, Kind, LANES, Scope, Space, Thread, WarpAccess};
pub use byteset::ByteSet;
pub use detector::{Detector, Incomplete, Launch, Options, Suspicion, Watch};
pub use exact::{Details, Exact, RaceKind, RacePair, Relation, Verdict};
pub use frontier::AccessInfo;
pub use know::Know;
pub use knowledge::Knowledge;
pub use order::{CtaSlot, Rules};
pub use stamp::{MAX_TAG, MAX_TIME, Stamp, Who};
