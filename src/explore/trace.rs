//! What a launch did in a run: its pieces, and its steps.

/// Lanes of a warp that are at one place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Part {
    /// The block, by its linear index.
    pub block: u64,
    /// The warp in it.
    pub warp: u32,
    /// The lanes.
    pub mask: u32,
}

impl Part {
    /// Whether both have a lane.
    pub fn meets(&self, other: &Part) -> bool {
        self.block == other.block && self.warp == other.warp && self.mask & other.mask != 0
    }
}

/// A stretch of a launch in which one part went on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Who.
    pub part: Part,
    /// The points of the launch before it.
    pub at: u64,
    /// Its points.
    pub points: u64,
}

/// What an access does to the place that it touches, as far as order matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effect {
    /// It reads.
    Read,
    /// It writes, or reads and writes.
    Write,
    /// It changes the place by an operation of that number. Operations of one number commute, and nobody sees what they find.
    Commuting(u64),
}

impl Effect {
    /// Whether the order of two accesses of one place can make a difference.
    pub fn depends_on(self, other: Effect) -> bool {
        match (self, other) {
            (Effect::Read, Effect::Read) => false,
            (Effect::Commuting(a), Effect::Commuting(b)) => a != b,
            _ => true,
        }
    }

    /// What both of them do.
    #[must_use]
    pub fn and(self, other: Effect) -> Effect {
        if self == other { self } else { Effect::Write }
    }
}

/// Four bytes that a step touches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Touch {
    /// Which: a number that other parts give to the same bytes.
    pub cell: u64,
    /// What it does to them.
    pub effect: Effect,
}

/// What a step is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// An access to memory.
    Access {
        /// Where it stands in the program.
        site: u64,
        /// What it touches, by cell.
        touches: Vec<Touch>,
        /// The lanes of an atomic that meet at one place, in the order in which they came, if there are several; of several such
        /// places that with the most lanes.
        contenders: Vec<u8>,
        /// Whether lanes meet at several places.
        has_more_contenders: bool,
        /// If the part has only read since an earlier step and is in the same state as after it, the number of that step.
        repeats: Option<u64>,
        /// Otherwise, the number of the step in which it last did so at this place, if it has done nothing else since.
        polled: Option<u64>,
    },
    /// All threads of the block have met.
    Barrier,
    /// All threads of these blocks, which are of one cluster, have met.
    ClusterBarrier(Vec<u64>),
    /// All threads of the grid have met.
    GridBarrier,
    /// The lanes of the part have met.
    WarpSync,
}

/// One operation that others can see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Who.
    pub part: Part,
    /// The points of the launch before it.
    pub at: u64,
    /// Its number among the steps of the launch, which goes up. Steps that repeat another one need not be there.
    pub number: u64,
    /// What.
    pub kind: StepKind,
}

/// What a launch did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LaunchTrace {
    /// The number of the launch in the run.
    pub number: u64,
    /// Its pieces, in a row.
    pub pieces: Vec<Piece>,
    /// Its steps, in the order in which they happened.
    pub steps: Vec<Step>,
    /// Whether there were more steps than are kept.
    pub is_cut: bool,
}
