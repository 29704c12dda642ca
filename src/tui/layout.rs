//! The areas of the panes: a function of the screen size and of which panes were shown last.
//!
//! On a small screen all lower panes share one slot; on a large one they have two or three. A slot shows the pane that was
//! requested last.

use crate::pane::Pane;
use ratatui::layout::Rect;

/// A slot of the screen with the panes that share it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    /// Its area.
    pub area: Rect,
    /// The panes.
    pub panes: Vec<Pane>,
    /// The one shown.
    pub shown: Pane,
}

impl Slot {
    /// The part inside of the frame.
    pub(crate) fn inner(&self) -> Rect {
        let a = self.area;
        Rect { x: a.x + 1, y: a.y + 1, width: a.width.saturating_sub(2), height: a.height.saturating_sub(2) }
    }
}

/// The whole screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// The first line.
    pub title: Rect,
    /// The panes.
    pub slots: Vec<Slot>,
    /// The command line and messages.
    pub prompt: Rect,
    /// The hint line.
    pub hints: Rect,
}

/// The smallest size that shows anything.
pub(crate) const LEAST: (u16, u16) = (40, 10);

impl Layout {
    /// The slot that shows a pane.
    pub(crate) fn of(&self, pane: Pane) -> Option<&Slot> {
        self.slots.iter().find(|p| p.shown == pane)
    }
}

/// The last of `panes` in `recent`, which ends with the latest request.
fn shown(panes: &[Pane], recent: &[Pane]) -> Pane {
    recent.iter().rev().find(|p| panes.contains(p)).or(panes.first()).copied().unwrap_or(Pane::Source)
}

/// Arranges a screen of this size. With `zoomed`, one pane fills it. Without ranks the pane for them has no place.
pub(crate) fn arrange(width: u16, height: u16, recent: &[Pane], zoomed: Option<Pane>, has_ranks: bool) -> Layout {
    use Pane::{
        Banks, Breakpoints, Findings, Lanes, Locals, Memory, Output, Ranks, Source, Stack, Threads, Timeline, Watches,
    };
    let line = |y: u16| Rect { x: 0, y, width, height: 1.min(height) };
    let body = Rect { x: 0, y: 1, width, height: height.saturating_sub(3) };
    let slot = |x: u16, y: u16, width: u16, height: u16, panes: &[Pane]| {
        let panes: Vec<Pane> = panes.iter().copied().filter(|pane| has_ranks || *pane != Ranks).collect();
        Slot { area: Rect { x, y, width, height }, shown: shown(&panes, recent), panes }
    };
    let slots = if let Some(pane) = zoomed {
        vec![slot(0, body.y, width, body.height, &[pane])]
    } else if width >= 110 && height >= 32 {
        // The source on the left; threads, variables and stack on the right; two slots below.
        let upper = (body.height * 58 / 100).max(16);
        let lower = body.height - upper;
        let left = width * 54 / 100;
        let right = width - left;
        let threads = (upper / 2).clamp(8, 16);
        let below = body.y + upper;
        let mut slots = vec![
            slot(0, body.y, left, upper, &[Source]),
            slot(left, body.y, right, threads, &[Threads]),
            slot(left, body.y + threads, right, upper - threads, &[Locals, Watches]),
        ];
        if width >= 160 {
            let third = width / 3;
            slots.push(slot(0, below, third, lower, &[Output, Breakpoints, Timeline, Stack, Ranks]));
            slots.push(slot(third, below, third, lower, &[Lanes]));
            slots.push(slot(2 * third, below, width - 2 * third, lower, &[Memory, Banks, Findings]));
        } else {
            slots.push(slot(0, below, left, lower, &[Output, Findings, Breakpoints, Timeline, Stack, Ranks]));
            slots.push(slot(left, below, right, lower, &[Lanes, Memory, Banks]));
        }
        slots
    } else {
        let upper = (body.height * 60 / 100).max(4);
        let left = (width * 55 / 100).min(width.saturating_sub(36).max(width / 2));
        let right = width - left;
        let threads = (upper / 2).max(3);
        vec![
            slot(0, body.y, left, upper, &[Source]),
            slot(left, body.y, right, threads, &[Threads]),
            slot(left, body.y + threads, right, upper.saturating_sub(threads), &[Locals, Watches]),
            slot(
                0,
                body.y + upper,
                width,
                body.height.saturating_sub(upper),
                &[Output, Lanes, Memory, Banks, Stack, Findings, Breakpoints, Timeline, Ranks],
            ),
        ]
    };
    Layout { title: line(0), slots, prompt: line(height.saturating_sub(2)), hints: line(height.saturating_sub(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::PANES;

    #[test]
    fn panes_cover_the_screen_without_overlap_at_every_size() {
        for width in LEAST.0..210 {
            for height in LEAST.1..70 {
                let layout = arrange(width, height, &[], None, true);
                let covered: u32 = layout.slots.iter().map(|p| p.area.area()).sum();
                assert_eq!(covered, u32::from(width) * u32::from(height - 3), "{width}x{height}");
                for row in PANES {
                    let homes = layout.slots.iter().filter(|p| p.panes.contains(&row.pane)).count();
                    assert_eq!(homes, 1, "{} at {width}x{height}", row.title);
                }
                for (i, a) in layout.slots.iter().enumerate() {
                    assert!(layout.slots[..i].iter().all(|b| !a.area.intersects(b.area)), "{width}x{height}");
                }
            }
        }
    }

    #[test]
    fn a_place_shows_what_was_asked_for_last() {
        let layout = arrange(80, 24, &[Pane::Lanes, Pane::Memory], None, false);
        assert!(layout.of(Pane::Memory).is_some() && layout.of(Pane::Lanes).is_none());
        let homes = |has_ranks| {
            let layout = arrange(80, 24, &[Pane::Ranks], None, has_ranks);
            layout.slots.iter().filter(|slot| slot.panes.contains(&Pane::Ranks)).count()
        };
        assert_eq!((homes(false), homes(true)), (0, 1));
    }
}
