//! The panes that are lists: variables, watch expressions, output, lanes, stack, findings, breakpoints.
//!
//! Output and findings are text, whose long lines are wrapped as long as they are not moved aside; the other lists are tables.

use super::{cut, paint, put, triple, untabbed};
use crate::look::Role;
use crate::model::{Model, Voice};
use crate::pane::Pane;
use debug::render::state_name;
use debug::{BreakpointKind, LaneState};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Draws the visible rows of a pane.
fn rows(model: &Model, buffer: &mut Buffer, area: Rect, pane: Pane, head: u16) {
    let scroll = model.scroll(pane);
    let width = usize::from(area.width);
    let lines = visible(model, pane, width, area.height.saturating_sub(head).into());
    for (y, (index, part)) in (head..).zip(lines) {
        let Some(line) = row(model, pane, width, index) else { break };
        // Variables and output are moved aside behind their names.
        let is_moved = matches!(pane, Pane::Lanes | Pane::Stack | Pane::Findings | Pane::Breakpoints | Pane::Timeline);
        put(buffer, area, 0, y, &moved(line, part * width + if is_moved { scroll.left } else { 0 }));
        if index == scroll.cursor && model.pane == pane && (pane != Pane::Output || !model.searched.is_empty()) {
            paint(buffer, area, y, model.look.style(Role::Cursor));
        }
    }
}

/// What the lines of a pane show, from the first on: the row, and which of its parts if it is wrapped. The row of the cursor is
/// among them.
pub(crate) fn visible(model: &Model, pane: Pane, width: usize, height: usize) -> Vec<(usize, usize)> {
    let scroll = model.scroll(pane);
    let is_wrapped = matches!(pane, Pane::Output | Pane::Findings) && scroll.left == 0 && width > 0;
    let rows = model.rows(pane);
    let parts = |index: usize| match row(model, pane, width, index).filter(|_| is_wrapped) {
        Some(line) => line.to_string().chars().count().div_ceil(width).max(1),
        None => 1,
    };
    // Of what is above the cursor, as much as there is room for.
    let cursor = scroll.cursor.clamp(scroll.top, scroll.top + height.saturating_sub(1)).min(rows.saturating_sub(1));
    let (mut first, mut used) = (cursor, parts(cursor));
    while first > scroll.top && used + parts(first - 1) <= height {
        first -= 1;
        used += parts(first);
    }
    (first..rows).flat_map(|index| (0..parts(index)).map(move |part| (index, part))).take(height).collect()
}

/// A row of a pane that is a list, for a pane of that width; `None` behind the last one.
fn row(model: &Model, pane: Pane, width: usize, index: usize) -> Option<Line<'static>> {
    match pane {
        Pane::Locals => local(model, width, index),
        Pane::Watches => watch(model, width, index),
        Pane::Output => output_line(model, index),
        Pane::Lanes => lane(model, index),
        Pane::Stack => frame(model, index),
        Pane::Findings => finding(model, index),
        Pane::Breakpoints => breakpoint(model, index),
        Pane::Timeline => entry(model, index),
        Pane::Ranks => rank(model, index),
        Pane::Source | Pane::Threads | Pane::Memory | Pane::Banks => None,
    }
}

/// The whole text of a row of a pane that is a list.
pub(crate) fn row_text(model: &Model, pane: Pane, index: usize) -> Option<String> {
    row(model, pane, usize::MAX, index).map(|line| line.to_string())
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
    let Some(snapshot) = &model.snapshot else { return };
    if !model.is_alive() {
        let text = match snapshot.program.exited {
            _ if model.reads_input() => "The program is running.",
            Some(_) => "The program has ended.",
            None => "The program has not started.",
        };
        return empty(model, buffer, area, text);
    }
    if snapshot.locals.is_empty() {
        return empty(model, buffer, area, "This procedure has no variables.");
    }
    rows(model, buffer, area, Pane::Locals, 0);
}

fn local(model: &Model, width: usize, index: usize) -> Option<Line<'static>> {
    let all = &model.snapshot.as_ref()?.locals;
    let names = all.iter().map(|l| l.name.chars().count()).max().unwrap_or(0).min(16);
    let l = all.get(index)?;
    let left = model.scroll(Pane::Locals).left;
    Some(variable(model, [width, names, left], &l.name, &l.value, model.has_changed(l)))
}

/// A name with its value. `widths` are those of the pane and of the names, and how much of the value is left out.
fn variable(
    model: &Model,
    [width, names, left]: [usize; 3],
    name: &str,
    value: &Result<String, String>,
    changed: bool,
) -> Line<'static> {
    let look = model.look;
    let mark = if changed { look.char('•', '*') } else { ' ' };
    let role = if changed { Role::Changed } else { Role::Text };
    let (value, role) = match value {
        Ok(value) => (value.chars().skip(left).collect(), role),
        Err(why) => (format!("<{why}>"), Role::Faint),
    };
    Line::from(vec![
        Span::styled(mark.to_string(), look.style(Role::Changed)),
        Span::styled(format!("{name:<names$}"), look.style(Role::Strong)),
        Span::raw(" = "),
        Span::styled(cut(&value, width.saturating_sub(names + 4), look), look.style(role)),
    ])
}

pub(super) fn watches(model: &Model, buffer: &mut Buffer, area: Rect) {
    let is_empty = model.snapshot.as_ref().is_none_or(|s| s.displays.is_empty());
    if is_empty {
        let text = "There are no watch expressions.\ne adds one, as \"display\" does.";
        return empty(model, buffer, area, text);
    }
    rows(model, buffer, area, Pane::Watches, 0);
}

fn watch(model: &Model, width: usize, index: usize) -> Option<Line<'static>> {
    let all = &model.snapshot.as_ref()?.displays;
    let names = all.iter().map(|d| d.expression.chars().count()).max().unwrap_or(0).min(24);
    let d = all.get(index)?;
    let nothing = Err("no value here".to_owned());
    let left = model.scroll(Pane::Watches).left;
    let line = variable(
        model,
        [width, names, left],
        &d.expression,
        d.value.as_ref().unwrap_or(&nothing),
        model.has_watch_changed(d),
    );
    Some(if d.enabled { line } else { line.patch_style(model.look.style(Role::Faint)) })
}

pub(super) fn output(model: &Model, buffer: &mut Buffer, area: Rect) {
    if model.output.is_empty() {
        return empty(
            model,
            buffer,
            area,
            "This pane shows program output and replies to commands.\nn starts the program and steps; ? lists the keys; : takes commands.",
        );
    }
    rows(model, buffer, area, Pane::Output, 0);
}

fn output_line(model: &Model, index: usize) -> Option<Line<'static>> {
    let (voice, text) = model.output.get(index)?;
    let role = match voice {
        Voice::Program => Role::Text,
        Voice::User => Role::Strong,
        Voice::Reply => Role::Reply,
        Voice::Error => Role::Error,
    };
    let left = model.scroll(Pane::Output).left;
    let shown: String = untabbed(text).chars().filter(|c| !c.is_control()).skip(left).collect();
    Some(Line::styled(shown, model.look.style(role)))
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
    rows(model, buffer, area, Pane::Lanes, 2);
}

fn lane(model: &Model, index: usize) -> Option<Line<'static>> {
    let (look, snapshot) = (model.look, model.snapshot.as_ref()?);
    let lane = snapshot.lanes.get(index)?;
    let arrow = if lane.current { look.char('▶', '>') } else { ' ' };
    let line = lane.place.as_ref().map_or_else(|| "-".to_owned(), |p| p.1.to_string());
    let values = snapshot.values.as_ref();
    let value = values.and_then(|v| v.as_ref().ok()).and_then(|v| v.values.iter().find(|v| v.lane == lane.lane));
    let bank = value.and_then(|v| v.word).map_or_else(String::new, |w| (w % 32).to_string());
    let changed = model.has_lane_changed(index);
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
    if model.snapshot.as_ref().is_none_or(|s| s.stack.is_empty()) {
        return empty(model, buffer, area, "The program is not running.");
    }
    rows(model, buffer, area, Pane::Stack, 0);
}

fn frame(model: &Model, index: usize) -> Option<Line<'static>> {
    let look = model.look;
    let frame = model.snapshot.as_ref()?.stack.get(index)?;
    let arrow = if frame.current { look.char('▶', '>') } else { ' ' };
    let name = frame.place.file.rsplit('/').next().unwrap_or_default();
    Some(Line::from(vec![
        Span::raw(format!("{arrow} #{:<2} ", frame.level)),
        Span::styled(frame.place.function.clone(), look.style(Role::Strong)),
        Span::styled(format!(" at {name}:{}", frame.place.line), look.style(Role::Faint)),
    ]))
}

pub(super) fn findings(model: &Model, buffer: &mut Buffer, area: Rect) {
    if model.finding_rows().is_empty() {
        return empty(model, buffer, area, "No findings so far. To look for races, start cufemu with --race.");
    }
    rows(model, buffer, area, Pane::Findings, 0);
}

fn finding(model: &Model, index: usize) -> Option<Line<'static>> {
    let look = model.look;
    let (finding, end) = *model.finding_rows().get(index)?;
    let finding = model.snapshot.as_ref()?.findings.get(finding)?;
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
}

pub(super) fn breakpoints(model: &Model, buffer: &mut Buffer, area: Rect) {
    if model.snapshot.as_ref().is_none_or(|s| s.breakpoints.is_empty()) {
        let text = "There are no breakpoints. b in the source sets one, B one with a condition.";
        return empty(model, buffer, area, text);
    }
    rows(model, buffer, area, Pane::Breakpoints, 0);
}

fn breakpoint(model: &Model, index: usize) -> Option<Line<'static>> {
    let look = model.look;
    let b = model.snapshot.as_ref()?.breakpoints.get(index)?;
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
}

pub(super) fn timeline(model: &Model, buffer: &mut Buffer, area: Rect) {
    if model.rows(Pane::Timeline) == 0 {
        let text = "Nothing has been asked of a device so far:\nno launch, no copy, no stream, no event.";
        return empty(model, buffer, area, text);
    }
    let titles = format!("  {:>5} {:<16} {:>6}  what", "", "line", "stream");
    put(buffer, area, 0, 0, &Line::styled(titles, model.look.style(Role::Faint)));
    rows(model, buffer, area, Pane::Timeline, 1);
}

/// A call of the CUDA runtime. The arrow is at the last one of the past; those of the future are faint.
fn entry(model: &Model, index: usize) -> Option<Line<'static>> {
    let look = model.look;
    let view = model.snapshot.as_ref()?.timeline.as_ref()?;
    let row = view.rows.get(index.checked_sub(view.first)?)?;
    let arrow = if row.number == view.past { look.char('▶', '>') } else { ' ' };
    let place = row.place.and_then(|(file, line)| {
        let name = &model.files.iter().find(|f| f.file_id == file)?.name;
        Some(format!("{}:{line}", name.rsplit('/').next().unwrap_or(name)))
    });
    let stream = row.stream.map_or_else(String::new, |s| s.to_string());
    let line = Line::from(vec![
        Span::raw(format!("{arrow} {:>5} ", row.number)),
        Span::styled(format!("{:<16} {stream:>6}  ", place.unwrap_or_default()), look.style(Role::Faint)),
        Span::raw(row.what.clone()),
    ]);
    Some(if row.number > view.past { line.patch_style(look.style(Role::Faint)) } else { line })
}

pub(super) fn ranks(model: &Model, buffer: &mut Buffer, area: Rect) {
    if model.rows(Pane::Ranks) == 0 {
        return empty(model, buffer, area, "The program is one rank. To have several, start cufemu with --ranks N.");
    }
    rows(model, buffer, area, Pane::Ranks, 0);
}

fn rank(model: &Model, index: usize) -> Option<Line<'static>> {
    let look = model.look;
    let row = model.snapshot.as_ref()?.ranks.get(index)?;
    let arrow = if row.current { look.char('▶', '>') } else { ' ' };
    let place = row
        .place
        .as_ref()
        .map_or_else(String::new, |(file, line)| format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)));
    Some(Line::from(vec![
        Span::styled(format!("{arrow} {:>3} ", row.rank), look.style(Role::Strong)),
        Span::styled(format!("{place:<16} "), look.style(Role::Faint)),
        Span::raw(row.state.clone()),
    ]))
}
