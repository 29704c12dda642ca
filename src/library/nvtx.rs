//! NVTX: marks for the timeline of a profiler. There is no profiler here, so they do nothing.

use crate::call::{Call, Outcome, Routine, Statuses};

pub(crate) const STATUSES: Statuses = Statuses { bad_handle: -1, bad_value: -1, failed: -1 };

/// Table: the routines.
pub(crate) static ROUTINES: &[Routine] = &[
    Routine { name: "nvtxMarkA", run: nothing },
    Routine { name: "nvtxMarkEx", run: nothing },
    Routine { name: "nvtxRangePushA", run: nothing },
    Routine { name: "nvtxRangePushEx", run: nothing },
    Routine { name: "nvtxRangePop", run: nothing },
    Routine { name: "nvtxRangeStartA", run: nothing },
    Routine { name: "nvtxRangeStartEx", run: nothing },
    Routine { name: "nvtxRangeEnd", run: nothing },
];

fn nothing(call: &mut Call<'_>) -> Outcome {
    call.done()
}
