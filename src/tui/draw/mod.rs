//! Drawing: a pure function of the model. Each pane has a file or a function here.
//!
//! Not here: any decision about what to show (`update`, `model`).

mod help;
mod lists;
mod memory;
mod source;
mod threads;

use crate::keymap;
use crate::layout::{self, Slot};
use crate::look::{Look, Role};
use crate::model::{Model, SHOWN_AFTER};
use crate::pane::Pane;
use debug::FocusView;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Widget};

pub(crate) use help::help_lines;
pub(crate) use lists::{row_text, visible};
pub(crate) use source::GUTTER;

/// Draws the screen.
pub fn render(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    if area.width < layout::LEAST.0 || area.height < layout::LEAST.1 {
        let text = format!("The terminal is too small: at least {} by {} is needed.", layout::LEAST.0, layout::LEAST.1);
        put(buffer, area, 0, 0, &Line::raw(text));
        return;
    }
    let zoomed = model.zoomed.then_some(model.pane);
    let layout = layout::arrange(area.width, area.height, &model.recent, zoomed, model.has_ranks());
    title(model, buffer, layout.title);
    for slot in &layout.slots {
        pane(model, buffer, slot);
    }
    hints(model, buffer, layout.hints);
    if let Some(top) = model.help {
        help::draw(model.look, buffer, area, top);
    }
    if let Some(cursor) = prompt(model, buffer, layout.prompt) {
        frame.set_cursor_position(cursor);
    }
}

/// Writes a line into an area, cut at its edge.
fn put(buffer: &mut Buffer, area: Rect, x: u16, y: u16, line: &Line<'_>) {
    if y < area.height && x < area.width {
        buffer.set_line(area.x + x, area.y + y, line, area.width - x);
    }
}

/// Columns between two stops of the tabulator.
const TAB: usize = 8;

/// A line with spaces up to the next stop for each tabulator: a terminal's buffer has no cell for it.
fn untabbed(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        let width = if c == '\t' { TAB - column % TAB } else { 1 };
        line.extend(std::iter::repeat_n(if c == '\t' { ' ' } else { c }, width));
        column += width;
    }
    line
}

/// Gives a whole row of an area a style.
fn paint(buffer: &mut Buffer, area: Rect, y: u16, style: Style) {
    if y < area.height {
        buffer.set_style(Rect { x: area.x, y: area.y + y, width: area.width, height: 1 }, style);
    }
}

/// Coordinates without those that are 1 at the end.
pub(crate) fn triple([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("({x},{y})"),
        _ => format!("({x},{y},{z})"),
    }
}

fn title(model: &Model, buffer: &mut Buffer, area: Rect) {
    let look = model.look;
    paint(buffer, area, 0, look.style(Role::Cursor));
    let file = model.files.get(model.file).map_or("", |f| f.name.as_str());
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let mut left = format!(" cufemu  {name}");
    let mut right = String::new();
    if let Some(snapshot) = &model.snapshot {
        if let Some(own) = snapshot.ranks.iter().find(|row| row.current) {
            left.push_str(&format!("  rank {}", own.rank));
        }
        match snapshot.focus {
            _ if model.reads_input() => left.push_str("  running, reads its input"),
            _ if snapshot.program.exited.is_some() => left.push_str("  ended"),
            _ if !snapshot.program.started => left.push_str("  not started"),
            FocusView::Host => left.push_str("  host"),
            FocusView::Thread { kernel, block, thread, warp, lane } => {
                let kernel_name = snapshot.kernel.as_ref().map_or("", |k| k.name.as_str());
                left.push_str(&format!(
                    "  {kernel_name} #{kernel}  block {}  thread {}  warp {warp} lane {lane}",
                    triple(block),
                    triple(thread)
                ));
            }
        }
        right = format!("step {} ", snapshot.program.time);
        if snapshot.program.latest > snapshot.program.time {
            right = format!("step {} of {} ", snapshot.program.time, snapshot.program.latest);
        }
    }
    put(buffer, area, 0, 0, &Line::styled(left.clone(), look.style(Role::Cursor)));
    let width = right.chars().count() as u16;
    if left.chars().count() as u16 + width + 1 < area.width {
        put(buffer, area, area.width - width, 0, &Line::styled(right, look.style(Role::Cursor)));
    }
}

/// The tabs of a slot with the columns that they take: pane, first column, column after it.
pub(crate) fn tabs(slot: &Slot) -> Vec<(Pane, u16, u16)> {
    let mut x = slot.area.x + 2;
    let mut all = Vec::new();
    for &pane in &slot.panes {
        // The key stands before the title.
        let width = pane.row().title.len() as u16 + 2;
        all.push((pane, x, x + width));
        x += width + 1;
    }
    all
}

fn pane(model: &Model, buffer: &mut Buffer, slot: &Slot) {
    let look = model.look;
    let is_focused = model.pane == slot.shown;
    let border = look.style(if is_focused { Role::Focus } else { Role::Faint });
    Block::bordered().border_set(look.border()).border_style(border).render(slot.area, buffer);
    let last = slot.area.right().saturating_sub(1);
    for (pane, from, to) in tabs(slot) {
        let is_shown = pane == slot.shown;
        let role = match (is_shown, is_focused) {
            (true, true) => Role::Focus,
            (true, false) => Role::Strong,
            (false, _) => Role::Faint,
        };
        let mut title = pane.row().title.to_owned();
        if pane == Pane::Findings
            && let Some(snapshot) = model.snapshot.as_ref().filter(|s| !s.findings.is_empty())
        {
            title = if snapshot.findings.len() < 100 {
                format!("Found {:<2}", snapshot.findings.len())
            } else {
                "Found 99".into()
            };
        }
        if to <= last {
            let style = look.style(role);
            let has_news = pane == Pane::Findings && title.starts_with("Found");
            let name = if has_news { look.style(Role::Error) } else { style };
            let line = Line::from(vec![
                Span::styled(format!("{} ", pane.row().key), look.style(Role::Faint)),
                Span::styled(title, name),
            ]);
            buffer.set_line(from, slot.area.y, &line, to - from);
            if is_shown && look.theme == crate::look::Theme::Plain && slot.panes.len() > 1 {
                buffer
                    .set_style(Rect { x: from, y: slot.area.y, width: to - from, height: 1 }, look.style(Role::Cursor));
            }
        }
    }
    let inner = slot.inner();
    match slot.shown {
        Pane::Source => source::draw(model, buffer, inner),
        Pane::Threads => threads::draw(model, buffer, inner, slot.area),
        Pane::Locals => lists::locals(model, buffer, inner),
        Pane::Watches => lists::watches(model, buffer, inner),
        Pane::Output => lists::output(model, buffer, inner),
        Pane::Lanes => lists::lanes(model, buffer, inner),
        Pane::Memory => memory::draw(model, buffer, inner),
        Pane::Banks => memory::banks(model, buffer, inner),
        Pane::Stack => lists::stack(model, buffer, inner),
        Pane::Findings => lists::findings(model, buffer, inner),
        Pane::Breakpoints => lists::breakpoints(model, buffer, inner),
        Pane::Timeline => lists::timeline(model, buffer, inner),
        Pane::Ranks => lists::ranks(model, buffer, inner),
    }
    position(model, buffer, slot);
}

/// Draws the command line or a message; returns the cursor position.
fn prompt(model: &Model, buffer: &mut Buffer, area: Rect) -> Option<Position> {
    let look = model.look;
    if let Some(prompt) = &model.prompt {
        let label = prompt.purpose.label();
        let before: String = prompt.text[..prompt.cursor].to_owned();
        let width = Line::raw(label).width() + Line::raw(before.as_str()).width();
        // A line longer than the screen is shown around its cursor.
        let skip = (width + 1).saturating_sub(usize::from(area.width));
        let line = Line::from(vec![Span::styled(label, look.style(Role::Strong)), Span::raw(prompt.text.clone())]);
        let shown: String =
            if skip > 0 { format!("{label}{}", prompt.text).chars().skip(skip).collect() } else { String::new() };
        put(buffer, area, 0, 0, &if skip > 0 { Line::raw(shown) } else { line.clone() });
        if !prompt.offers.is_empty() {
            let offers = format!("  {}", prompt.offers.join("  "));
            let at = (line.width().saturating_sub(skip) as u16).min(area.width);
            put(buffer, area, at, 0, &Line::styled(offers, look.style(Role::Faint)));
        }
        return Some(Position { x: area.x + (width - skip) as u16, y: area.y });
    }
    if let Some(running) = &model.running
        && (running.ticks > SHOWN_AFTER || running.interrupted)
    {
        let wheel = if look.is_ascii { ['|', '/', '-', '\\'] } else { ['◐', '◓', '◑', '◒'] };
        let blocks = running.blocks.map(|(begun, all)| format!(", {begun} of {all} blocks begun")).unwrap_or_default();
        let what = if running.interrupted { "stopping" } else { "Ctrl-C stops it" };
        let text = format!(
            "{} {}: {} s, statement {}{blocks}; {what}",
            wheel[running.ticks as usize % wheel.len()],
            running.line,
            running.ticks / 10,
            running.time
        );
        put(buffer, area, 0, 0, &Line::styled(text, look.style(Role::Strong)));
    } else if let Some(message) = &model.message {
        let role = if message.is_error { Role::Error } else { Role::Reply };
        let text = cut(&message.text, area.width.into(), look);
        put(buffer, area, 0, 0, &Line::styled(text, look.style(role)));
    }
    None
}

fn hints(model: &Model, buffer: &mut Buffer, area: Rect) {
    let look = model.look;
    let width = |row: &keymap::KeyRow| row.keys[0].len() + row.hint.len() + 3;
    // What leads to everything else has its room before all others, two columns after the last hint are none.
    let is_kept = |row: &&keymap::KeyRow| matches!(row.action, keymap::Action::Prompt | keymap::Action::Help);
    let mut room = usize::from(area.width) + 2;
    room = room.saturating_sub(keymap::hints(model.pane).filter(is_kept).map(width).sum());
    let mut spans = Vec::new();
    for row in keymap::hints(model.pane) {
        if !is_kept(&row) {
            if width(row) > room {
                continue;
            }
            room -= width(row);
        }
        spans.push(Span::styled(row.keys[0], look.style(Role::Strong)));
        spans.push(Span::styled(format!(" {}  ", row.hint), look.style(Role::Faint)));
    }
    put(buffer, area, 0, 0, &Line::from(spans));
}

/// Shows the visible rows and their total in the lower border, if not all are visible.
fn position(model: &Model, buffer: &mut Buffer, slot: &Slot) {
    let (rows, room) = (model.rows(slot.shown), model.room(slot.shown));
    if room == 0 || slot.area.height < 3 {
        return;
    }
    let (top, last) = if slot.shown.is_list() {
        let lines = lists::visible(model, slot.shown, slot.inner().width.into(), room);
        (lines.first().map_or(0, |l| l.0), lines.last().map_or(0, |l| l.0 + 1))
    } else {
        let top = model.scroll(slot.shown).top.min(rows.saturating_sub(room));
        (top, (top + room).min(rows))
    };
    if top == 0 && last >= rows {
        return;
    }
    let what = if slot.shown == Pane::Threads { " warps" } else { "" };
    let text = format!(" {}-{last} of {rows}{what} ", top + 1);
    let width = text.chars().count() as u16;
    if width + 2 <= slot.area.width {
        let at = Rect { y: slot.area.bottom() - 1, height: 1, ..slot.area };
        put(buffer, at, slot.area.width - width - 1, 0, &Line::styled(text, model.look.style(Role::Faint)));
    }
}

/// Text cut to a width, with a mark at the cut.
fn cut(text: &str, width: usize, look: Look) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push(look.char('…', '~'));
    short
}
