//! What can be wrong between ranks of MPI, and in the calls of one.

use diag::Code;
use source::Span;

/// A rank at a call of MPI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankCall {
    /// Its number in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// The routine.
    pub call: String,
    /// The place of the call.
    pub span: Span,
    /// What the call is about, such as `a message from rank 1 with tag 7`; empty where the routine says all.
    pub what: String,
}

/// What is wrong. Of the calls in it, the one at which it was found is the last access of the finding too.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the line of each variant speaks of its fields")]
pub enum MpiFault {
    /// No rank can go on: who waits for what, and the ranks that have ended.
    Deadlock { waiting: Vec<RankCall>, ended: Vec<u32> },
    /// Two ranks call different collective operations, or the same with arguments that differ; the reason is a clause.
    Collectives { reason: String, first: RankCall, second: RankCall },
    /// A message of `sent` bytes for a buffer of `room` bytes.
    Truncated { sent: u64, room: u64, sender: RankCall, receiver: RankCall },
    /// What was sent, and as what it is received: names of datatypes.
    Types { sent: String, received: String, sender: RankCall, receiver: RankCall },
    /// A buffer of a Fortran type that the datatype is not for.
    BufferType { call: RankCall, datatype: String, given: String },
    /// A message that is left over when all ranks have finalized.
    NotReceived { sender: RankCall, to: u32, tag: i32, bytes: u64 },
    /// A request that is left over when its rank finalizes.
    NotCompleted { start: RankCall },
    /// Objects of a kind, `communicator`, that are left over when their rank finalizes: how many, and the call that made them.
    NotFreed { made: RankCall, kind: String, count: u64 },
    /// A one-sided call and an epoch that do not fit; the reason is a clause. The call that began the epoch, if there is one.
    Epoch { call: RankCall, reason: String, begun: Option<RankCall> },
    /// Accesses to the same bytes of the memory of `target`, of a variable if it has a name, that have no order.
    AccessConflict { first: RankCall, second: RankCall, target: u32, name: String },
    /// An argument; the reason is a clause.
    Argument { call: RankCall, reason: String },
    /// A rank ended without `MPI_Finalize`.
    NotFinalized { rank: u32 },
    /// `MPI_Abort`.
    Aborted { call: RankCall, code: i32 },
    /// Ranks that went on only because messages were buffered, or because they left a collective operation before others came.
    NeedsBuffering { waiting: Vec<RankCall>, is_collective: bool },
    /// A call before `MPI_Init`, or after `MPI_Finalize`.
    OutOfPhase { call: RankCall, is_over: bool },
}

impl MpiFault {
    /// The row of the table of codes.
    pub fn code(&self) -> Code {
        match self {
            MpiFault::Deadlock { .. } => Code::MpiDeadlock,
            MpiFault::Collectives { .. } => Code::CollectiveMismatch,
            MpiFault::Truncated { .. } => Code::MessageTruncated,
            MpiFault::Types { .. } => Code::MessageTypes,
            MpiFault::BufferType { .. } => Code::BufferType,
            MpiFault::NotReceived { .. } => Code::MessageNotReceived,
            MpiFault::NotCompleted { .. } => Code::RequestNotCompleted,
            MpiFault::NotFreed { .. } => Code::LeakedMpiObject,
            MpiFault::Epoch { .. } => Code::MpiEpoch,
            MpiFault::AccessConflict { .. } => Code::MpiAccessConflict,
            MpiFault::Argument { .. } => Code::InvalidMpiArgument,
            MpiFault::NotFinalized { .. } => Code::MpiNotFinalized,
            MpiFault::Aborted { .. } => Code::MpiAborted,
            MpiFault::NeedsBuffering { .. } => Code::MpiNeedsBuffering,
            MpiFault::OutOfPhase { .. } => Code::MpiNotInitialized,
        }
    }
}
