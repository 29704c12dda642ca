//! The rows of the Threads pane: the head, the map of blocks, then one strip of lanes for each warp.
//!
//! Not here: their drawing (`draw`).

use debug::Snapshot;
use ratatui::layout::Rect;

/// Columns before a strip: the number of the warp.
pub(crate) const NUMBER: u16 = 2;

/// The visible strips.
#[derive(Default)]
pub(crate) struct Strips {
    /// The row of the first one.
    pub(crate) first: u16,
    /// The number of the warp of each row.
    pub(crate) warps: Vec<u32>,
}

impl Strips {
    /// Warp and lane at a place of the pane.
    pub(crate) fn hit(&self, x: u16, y: u16) -> Option<(u32, u32)> {
        let warp = *self.warps.get(usize::from(y.checked_sub(self.first)?))?;
        let lane = u32::from(x.checked_sub(NUMBER)?);
        (lane < 32).then_some((warp, lane))
    }
}

/// Rows of the map of blocks.
fn map_rows(snapshot: &Snapshot, area: Rect) -> u16 {
    let cells = snapshot.blocks.as_ref().map_or(0, |b| b.cells.len());
    cells.div_ceil(usize::from(area.width.max(1))).min(usize::from(area.height)) as u16
}

/// The strips that a pane of that size shows; `top` warps are scrolled away.
pub(crate) fn visible(snapshot: &Snapshot, top: usize, area: Rect) -> Strips {
    let first = 1 + map_rows(snapshot, area);
    let room = usize::from(area.height.saturating_sub(first));
    Strips { first, warps: snapshot.warps.iter().skip(top).take(room).map(|w| w.number).collect() }
}
