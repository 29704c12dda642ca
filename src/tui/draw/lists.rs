//! The panes that are lists: variables, output, lanes, stack, findings, breakpoints.

use super::{cut, paint, put, triple, untabbed};
use crate::look::Role;
use crate::model::{Model, Voice};
use crate::pane::Pane;
use debug::render::state_name;
use debug::{BreakpointKind, LaneState};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Draws the visible rows of a pane; `row` makes each.
fn rows(
    model: &Model,
    buffer: &mut Buffer,
    area: Rect,
    pane: Pane,
    head: u16,
    row: impl Fn(usize) -> Option<Line<'static>>,
) {
    let scroll = model.scroll(pane);
    for y in head..area.height {
        let index = scroll.top + usize::from(y - head);
        let Some(line) = row(index) else { break };
        // Variables and output are moved aside behind their names.
        let is_moved = matches!(pane, Pane::Lanes | Pane::Stack | Pane::Findings | Pane::Breakpoints);
        put(buffer, area, 0, y, &if is_moved { moved(line, scroll.left) } else { line });
        if index == scroll.cursor && model.pane == pane && pane != Pane::Output {
            paint(buffer, area, y, model.look.style(Role::Cursor));
        }
    }
}

/// A line without its first columns.
fn moved(line: Line<'static>, mut left: usize) -> Line<'static> {
    let cut = |span: Span<'static>| {
        let count = span.content.chars().count();
        let text: String = span.content.chars().skip(left).collect();
        left = left.saturating_sub(count);
        Span::styled(text, span.style)
    };
    Line::from(line.spans.into_iter().map(cut).collect::<Vec<_>>())
}

/// Explains why a pane is empty.
fn empty(model: &Model, buffer: &mut Buffer, area: Rect, text: &str) {
    for (y, line) in text.lines().enumerate() {
        put(buffer, area, 0, y as u16, &Line::styled(line.to_owned(), model.look.style(Role::Faint)));
    }
}

pub(super) fn locals(model: &Model, buffer: &mut Buffer, area: Rect) {
    let look = model.look;
    let Some(snapshot) = &model.snapshot else { return };
    if !model.is_alive() {
        let text = match snapshot.program.exited {
            _ if model.reads_input() => "The program is running.",
            Some(_) => "The program has ended.",
            None => "The program has not started.",
        };
        return empty(model, buffer, area, text);
    }
    if snapshot.locals.is_empty() && snapshot.displays.is_empty() {
        return empty(model, buffer, area, "This procedure has no variables.");
    }
    let width = snapshot.locals.iter().map(|l| l.name.chars().count()).max().unwrap_or(0).min(16);
    let left = model.scroll(Pane::Locals).left;
    let line = |name: &str, value: &Result<String, String>, changed: bool| {
        let mark = if changed { look.char('•', '*') } else { ' ' };
        let role = if changed { Role::Changed } else { Role::Text };
        let (value, role) = match value {
            Ok(value) => (value.chars().skip(left).collect(), role),
            Err(why) => (format!("<{why}>"), Role::Faint),
        };
        let room = usize::from(area.width).saturating_sub(width + 4);
        Line::from(vec![
            Span::styled(mark.to_string(), look.style(Role::Changed)),
            Span::styled(format!("{name:<width$}"), look.style(Role::Strong)),
            Span::raw(" = "),
            Span::styled(cut(&value, room, look), look.style(role)),
        ])
    };
    rows(model, buffer, area, Pane::Locals, 0, |i| match snapshot.locals.get(i) {
        Some(l) => Some(line(&l.name, &l.value, model.has_changed(l))),
        None => {
            let d = snapshot.displays.get(i - snapshot.locals.len())?;
            Some(line(&d.expression, d.value.as_ref().unwrap_or(&Err("no value here".to_owned())), false))
        }
    });
}

pub(super) fn output(model: &Model, buffer: &mut Buffer, area: Rect) {
    let look = model.look;
    if model.output.is_empty() {
        return empty(
            model,
            buffer,
            area,
            "This pane shows program output and replies to commands.\nn starts the program and steps; ? lists the keys; : takes commands.",
        );
    }
    let left = model.scroll(Pane::Output).left;
    rows(model, buffer, area, Pane::Output, 0, |i| {
        let (voice, text) = model.output.get(i)?;
        let role = match voice {
            Voice::Program => Role::Text,
            Voice::User => Role::Strong,
            Voice::Reply => Role::Reply,
            Voice::Error => Role::Error,
        };
        let shown: String = untabbed(text).chars().filter(|c| !c.is_control()).skip(left).collect();
        Some(Line::styled(shown, look.style(role)))
    });
}

pub(super) fn lanes(model: &Model, buffer: &mut Buffer, area: Rect) {
    let look = model.look;
    let Some(snapshot) = model.snapshot.as_ref().filter(|s| !s.lanes.is_empty()) else {
        return empty(model, buffer, area, "The focus is on the host, which has no lanes.");
    };
    let values = snapshot.values.as_ref();
    let name = if model.lane_expression.is_empty() { "e chooses an expression" } else { &model.lane_expression };
    let mut head = vec![Span::styled(name.to_owned(), look.style(Role::Strong))];
    match values {
        Some(Ok(values)) => {
            if let Some(turns) = values.conflict {
                let text = if turns > 1 {
                    format!("  {turns}-way bank conflict if the active lanes access it at once")
                } else {
                    "  no bank conflict".to_owned()
                };
                head.push(Span::styled(text, look.style(if turns > 1 { Role::Error } else { Role::Faint })));
            }
        }
        Some(Err(why)) => head.push(Span::styled(format!("  <{why}>"), look.style(Role::Error))),
        None => {}
    }
    put(buffer, area, 0, 0, &Line::from(head));
    let titles =
        format!("  {:>4} {:<10} {:<15} {:>5}  {:<5} value", "lane", "thread", "state", "line", bank_title(model));
    put(buffer, area, 0, 1, &Line::styled(titles, look.style(Role::Faint)));
    rows(model, buffer, area, Pane::Lanes, 2, |i| {
        let lane = snapshot.lanes.get(i)?;
        let arrow = if lane.current { look.char('▶', '>') } else { ' ' };
        let line = lane.place.as_ref().map_or_else(|| "-".to_owned(), |p| p.1.to_string());
        let value = values.and_then(|v| v.as_ref().ok()).and_then(|v| v.values.iter().find(|v| v.lane == lane.lane));
        let bank = value.and_then(|v| v.word).map_or_else(String::new, |w| (w % 32).to_string());
        let changed = model.has_lane_changed(i);
        let role = if changed { Role::Changed } else { Role::Text };
        let shown = match value.map(|v| &v.value) {
            Some(Ok(text)) => Span::styled(text.clone(), look.style(role)),
            Some(Err(_)) | None => Span::styled(look.char('–', '-').to_string(), look.style(Role::Faint)),
        };
        let mark = if changed { look.char('•', '*') } else { ' ' };
        Some(Line::from(vec![
            Span::raw(format!("{arrow} {:>4} {:<10} ", lane.lane, triple(lane.thread))),
            Span::styled(format!("{:<15}", state_name(lane.state)), lane_style(model, lane.state)),
            Span::raw(format!(" {line:>5}  {bank:<5}")),
            Span::styled(mark.to_string(), look.style(Role::Changed)),
            shown,
        ]))
    });
}

fn lane_style(model: &Model, state: LaneState) -> ratatui::style::Style {
    // The strip's colours as text colours would be hard to read on some backgrounds; only what is wrong stands out.
    model.look.style(if state == LaneState::Faulted { Role::Error } else { Role::Text })
}

/// The title of the column of banks, where the expression is in shared memory.
fn bank_title(model: &Model) -> &'static str {
    let values = model.snapshot.as_ref().and_then(|s| s.values.as_ref()).and_then(|v| v.as_ref().ok());
    if values.is_some_and(|v| v.values.iter().any(|v| v.word.is_some())) { "bank" } else { "" }
}

pub(super) fn stack(model: &Model, buffer: &mut Buffer, area: Rect) {
    let look = model.look;
    let Some(snapshot) = model.snapshot.as_ref().filter(|s| !s.stack.is_empty()) else {
        return empty(model, buffer, area, "The program is not running.");
    };
    rows(model, buffer, area, Pane::Stack, 0, |i| {
        let frame = snapshot.stack.get(i)?;
        let arrow = if frame.current { look.char('▶', '>') } else { ' ' };
        let name = frame.place.file.rsplit('/').next().unwrap_or_default();
        Some(Line::from(vec![
            Span::raw(format!("{arrow} #{:<2} ", frame.level)),
            Span::styled(frame.place.function.clone(), look.style(Role::Strong)),
            Span::styled(format!(" at {name}:{}", frame.place.line), look.style(Role::Faint)),
        ]))
    });
}

pub(super) fn findings(model: &Model, buffer: &mut Buffer, area: Rect) {
    let look = model.look;
    let all = model.finding_rows();
    let Some(snapshot) = model.snapshot.as_ref().filter(|_| !all.is_empty()) else {
        return empty(model, buffer, area, "No findings so far. To look for races, start cufemu with --race.");
    };
    rows(model, buffer, area, Pane::Findings, 0, |i| {
        let (finding, end) = *all.get(i)?;
        let finding = snapshot.findings.get(finding)?;
        let Some(end) = end else {
            let role = if finding.is_error { Role::Error } else { Role::Changed };
            return Some(Line::from(vec![
                Span::raw(format!("{} ", finding.number)),
                Span::styled(finding.code.clone(), look.style(role)),
                Span::raw(format!(" {}", finding.title)),
            ]));
        };
        let view = finding.ends.get(end)?;
        let place = view.place.and_then(|(file, line)| {
            let name = &model.files.iter().find(|f| f.file_id == file)?.name;
            Some(format!("{}:{line}", name.rsplit('/').next().unwrap_or(name)))
        });
        Some(Line::from(vec![
            Span::raw("    "),
            Span::styled(place.unwrap_or_default(), look.style(Role::Strong)),
            Span::raw(format!("  {}", view.text)),
        ]))
    });
}

pub(super) fn breakpoints(model: &Model, buffer: &mut Buffer, area: Rect) {
    let look = model.look;
    let Some(snapshot) = model.snapshot.as_ref().filter(|s| !s.breakpoints.is_empty()) else {
        return empty(
            model,
            buffer,
            area,
            "There are no breakpoints. b in the source sets one, B one with a condition.",
        );
    };
    rows(model, buffer, area, Pane::Breakpoints, 0, |i| {
        let b = snapshot.breakpoints.get(i)?;
        let mark = if b.enabled { look.char('●', 'B') } else { look.char('○', 'b') };
        let what = match &b.kind {
            BreakpointKind::Watch(expression, on) => format!("{} {expression}", on.command()),
            BreakpointKind::Statement { function, file, line, .. } => {
                format!("{}:{line} in {function}", file.rsplit('/').next().unwrap_or(file))
            }
        };
        let condition = b.condition.as_ref().map(|c| format!(" if {c}")).unwrap_or_default();
        let temporary = if b.temporary { " once" } else { "" };
        let plural = if b.hits == 1 { "" } else { "s" };
        Some(Line::from(vec![
            Span::styled(format!("{mark} "), look.style(Role::Breakpoint)),
            Span::raw(format!("{:>2} {what}{condition}{temporary}", b.number)),
            Span::styled(format!("  hit {} time{plural}", b.hits), look.style(Role::Faint)),
        ]))
    });
}
