//! The Threads pane: a map of the blocks of the launch, and a strip of 32 lanes for each warp of the focused block.

use super::{cut, put};
use crate::look::{Look, Role};
use crate::model::Model;
use crate::strips::NUMBER;
use debug::render::{lane_letter, lane_set, state_name};
use debug::{LaneState, Snapshot, WarpRow};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

pub(super) fn draw(model: &Model, buffer: &mut Buffer, area: Rect, frame: Rect) {
    let look = model.look;
    let Some(snapshot) = &model.snapshot else { return };
    let Some(kernel) = &snapshot.kernel else {
        let text = if snapshot.program.started || model.reads_input() {
            "No kernel is running."
        } else {
            "Press n to start the program."
        };
        put(buffer, area, 0, 0, &Line::styled(text, look.style(Role::Faint)));
        return;
    };
    let t = super::triple;
    let work = kernel.begun - kernel.ended;
    let shape = format!("{}<<<{},{}>>>", kernel.name, t(kernel.grid), t(kernel.block));
    let done = format!("{} of {} blocks done", kernel.ended, kernel.total);
    // The longest text that there is room for.
    let heads = [
        if work > 1 { format!("{shape} {done}, {work} running") } else { format!("{shape} {done}") },
        format!("{shape} {done}"),
        format!("{shape} {} of {}", kernel.ended, kernel.total),
        format!("{} {done}", kernel.name),
    ];
    let head = heads.iter().find(|h| h.chars().count() <= usize::from(area.width)).unwrap_or(&heads[3]);
    put(buffer, area, 0, 0, &Line::raw(cut(head, area.width.into(), look)));
    if let Some(map) = &snapshot.blocks {
        for (i, cell) in map.cells.iter().enumerate() {
            let (x, y) = (i % usize::from(area.width.max(1)), i / usize::from(area.width.max(1)) + 1);
            let (c, style) = look.block(cell.state);
            let style = if cell.focused { style.add_modifier(Modifier::REVERSED) } else { style };
            put(buffer, area, x as u16, y as u16, &Line::styled(c.to_string(), style));
        }
    }
    let strips = model.strips(area);
    let lane = snapshot.lanes.iter().find(|l| l.current).map(|l| l.lane);
    for (n, number) in strips.warps.iter().enumerate() {
        let y = strips.first + n as u16;
        if let Some(warp) = snapshot.warps.iter().find(|w| w.number == *number) {
            strip(look, buffer, area, y, warp, lane.filter(|_| warp.current));
        }
    }
    legend(look, buffer, frame, snapshot);
}

fn strip(look: Look, buffer: &mut Buffer, area: Rect, y: u16, warp: &WarpRow, lane: Option<u32>) {
    let role = if warp.current { Role::Focus } else { Role::Faint };
    put(buffer, area, 0, y, &Line::styled(format!("{:>2}", warp.number), look.style(role)));
    for (i, state) in warp.lanes.iter().enumerate() {
        let style = look.lane(*state);
        let style =
            if lane == Some(i as u32) { style.add_modifier(Modifier::REVERSED | Modifier::BOLD) } else { style };
        put(buffer, area, NUMBER + i as u16, y, &Line::styled(lane_letter(*state).to_string(), style));
    }
    let places: Vec<String> = match warp.splits.as_slice() {
        [] => vec!["exited".to_owned()],
        [(_, line)] => vec![format!("line {line}")],
        several => several.iter().map(|(mask, line)| format!("{line}: {}", lane_set(*mask))).collect(),
    };
    let room = usize::from(area.width.saturating_sub(NUMBER + 33));
    if room > 4 {
        let text = cut(&places.join("  "), room, look);
        put(buffer, area, NUMBER + 33, y, &Line::styled(text, look.style(Role::Faint)));
    }
}

/// The legend of the visible lane letters, in the lower border.
fn legend(look: Look, buffer: &mut Buffer, frame: Rect, snapshot: &Snapshot) {
    let shown = |state: &LaneState| snapshot.warps.iter().any(|w| w.lanes.contains(state));
    let mut spans = Vec::new();
    for state in LaneState::ALL.into_iter().filter(|s| shown(s)) {
        spans.push(Span::styled(lane_letter(state).to_string(), look.lane(state)));
        spans.push(Span::styled(format!(" {} ", state_name(state)), look.style(Role::Faint)));
    }
    let line = Line::from(spans);
    let area =
        Rect { x: frame.x + 1, y: frame.bottom().saturating_sub(1), width: frame.width.saturating_sub(2), height: 1 };
    put(buffer, area, 1, 0, &line);
}
