//! The Memory and Banks panes: an array as a table or a heat map, and shared memory by banks.

use super::{cut, put};
use crate::look::{Role, Theme};
use crate::model::{CELL, LABEL, Model};
use debug::{ArrayView, BanksView, LaneState};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use std::collections::BTreeSet;

pub(super) fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let look = model.look;
    let faint = look.style(Role::Faint);
    let array = match model.snapshot.as_ref().and_then(|s| s.array.as_ref()) {
        Some(Ok(array)) => array,
        Some(Err(why)) => {
            put(buffer, area, 0, 0, &Line::styled(model.memory.expression.clone(), look.style(Role::Strong)));
            put(buffer, area, 0, 1, &Line::styled(format!("<{why}>"), look.style(Role::Error)));
            let on_device = model.snapshot.as_ref().is_some_and(|s| s.focus != debug::FocusView::Host);
            let more = if on_device { "; H focuses on the host program and its variables" } else { "" };
            put(buffer, area, 0, 2, &Line::styled(format!("e chooses another array{more}"), faint));
            return;
        }
        None => {
            put(buffer, area, 0, 0, &Line::styled("e chooses an array in any memory, such as a or a(:,:,2).", faint));
            put(
                buffer,
                area,
                0,
                1,
                &Line::styled("Enter on an array in the Locals pane shows it; t makes it a heat map.", faint),
            );
            return;
        }
    };
    let dims: Vec<String> = array.dims.iter().map(|(lower, n)| format!("{lower}:{}", lower + *n as i64 - 1)).collect();
    let place = if array.space.is_empty() { String::new() } else { format!(" in {} memory", array.space) };
    let mut head = vec![
        Span::styled(array.expression.clone(), look.style(Role::Strong)),
        Span::styled(format!("  {} ({}){place}", array.ty, dims.join(",")), faint),
    ];
    if let Some(s) = &array.statistics {
        let total: u64 = array.dims.iter().map(|d| d.1).product();
        if s.count < total {
            head.push(Span::styled(format!("  first {} elements counted", s.count), faint));
        }
    }
    put(buffer, area, 0, 0, &Line::from(head));
    statistics(model, buffer, area, array);
    if array.map.is_empty() { table(model, buffer, area, array) } else { map(model, buffer, area, array) }
}

fn statistics(model: &Model, buffer: &mut Buffer, area: Rect, array: &ArrayView) {
    let look = model.look;
    let Some(s) = &array.statistics else { return };
    let mut spans = Vec::new();
    if let Some((least, greatest)) = &s.shown {
        spans.push(Span::raw(format!("min {least}  ")));
        if !array.map.is_empty() {
            for n in 0..20 {
                let (c, style) = look.heat(f64::from(n) / 20.0);
                spans.push(Span::styled(c.to_string(), style));
            }
            spans.push(Span::raw("  "));
        }
        spans.push(Span::raw(format!("max {greatest}  ")));
    }
    let role = if s.nan_count > 0 { Role::Error } else { Role::Faint };
    spans.push(Span::styled(format!("{} NaN", s.nan_count), look.style(role)));
    put(buffer, area, 0, 1, &Line::from(spans));
}

fn table(model: &Model, buffer: &mut Buffer, area: Rect, array: &ArrayView) {
    let look = model.look;
    let faint = look.style(Role::Faint);
    let (row_lower, column_lower) = match array.dims.as_slice() {
        [_, (lower, _), ..] => (array.dims[0].0, *lower),
        _ => (array.dims.first().map_or(1, |d| d.0), 0),
    };
    let is_flat = array.dims.len() < 2;
    let cell = usize::from(CELL);
    let columns = array.window.first().map_or(0, Vec::len);
    let mut head = " ".repeat(LABEL.into());
    for column in 0..columns {
        let text = if is_flat {
            format!("+{column}")
        } else {
            (column_lower + (array.first[1] as i64) + column as i64).to_string()
        };
        head.push_str(&format!("{text:>cell$}"));
    }
    put(buffer, area, 0, 2, &Line::styled(head, faint));
    for (y, row) in array.window.iter().enumerate() {
        let at = array.first[0] + y as u64;
        let subscript = if is_flat { row_lower + (at * array.extents[1]) as i64 } else { row_lower + at as i64 };
        let mut spans =
            vec![Span::styled(format!("{subscript:>width$}", width = usize::from(LABEL) - 1), faint), Span::raw(" ")];
        for text in row {
            let text = cut(text.trim(), cell - 1, look);
            let role = if text.starts_with("NaN") { Role::Error } else { Role::Text };
            spans.push(Span::styled(format!("{text:>cell$}"), look.style(role)));
        }
        put(buffer, area, 0, 3 + y as u16, &Line::from(spans));
    }
}

fn map(model: &Model, buffer: &mut Buffer, area: Rect, array: &ArrayView) {
    let look = model.look;
    let range = array.statistics.as_ref().and_then(|s| s.range);
    let (low, high) = range.unwrap_or((0.0, 0.0));
    let rows = array.map.len();
    let note = if array.dims.len() < 2 {
        format!("{} elements per row, in reading order", array.extents[1])
    } else {
        format!("{} rows, {} columns", array.extents[0], array.extents[1])
    };
    let shown = [rows as u64, array.map.first().map_or(0, Vec::len) as u64];
    let is_condensed = shown[0] < array.extents[0] || shown[1] < array.extents[1];
    let each = (0..2).map(|i| array.extents[i].div_ceil(shown[i].max(1)).to_string()).collect::<Vec<_>>().join(" by ");
    let note = if is_condensed { format!("{note}; a cell is the mean of up to {each} elements") } else { note };
    put(buffer, area, 0, 2, &Line::styled(note, look.style(Role::Faint)));
    for (y, row) in array.map.iter().enumerate().take(rows) {
        for (x, heat) in row.iter().enumerate() {
            let (c, style) = match heat {
                Some(_) if high <= low => look.heat(0.5),
                Some(v) => look.heat((v - low) / (high - low)),
                None => ('?', look.style(Role::Error)),
            };
            put(buffer, area, x as u16, 3 + y as u16, &Line::styled(c.to_string(), style));
        }
    }
}

/// Shared memory: a row has one word of each bank.
pub(super) fn banks(model: &Model, buffer: &mut Buffer, area: Rect) {
    let look = model.look;
    let faint = look.style(Role::Faint);
    let Some(banks) = model.snapshot.as_ref().and_then(|s| s.banks.as_ref()) else {
        put(buffer, area, 0, 0, &Line::styled("The focus is on the host, which has no shared memory.", faint));
        return;
    };
    if banks.rows == 0 {
        put(buffer, area, 0, 0, &Line::styled("This kernel has no shared memory.", faint));
        return;
    }
    let mut head = Vec::new();
    for (n, v) in banks.variables.iter().enumerate() {
        let from = (v.offset / 4) % 32;
        head.push(Span::styled(v.name.clone(), look.band(n)));
        head.push(Span::styled(format!(" from byte {} (bank {from}), {} bytes   ", v.offset, v.bytes), faint));
    }
    let head = Line::from(head);
    put(buffer, area, 0, 0, &head);
    // The wider the pane, the more is seen of each word.
    let width = usize::from((area.width.saturating_sub(LABEL)) / 32).clamp(1, 9);
    let mut numbers = format!("{:>w$} ", "byte", w = usize::from(LABEL) - 1);
    // A number has up to two digits and a space after it.
    let every = 3usize.div_ceil(width).next_power_of_two();
    for bank in (0..32).step_by(every) {
        numbers.push_str(&format!("{bank:<cell$}", cell = every * width));
    }
    put(buffer, area, 0, 1, &Line::styled(numbers, faint));
    let touched = touched(model);
    let worst = touched.iter().map(BTreeSet::len).max().unwrap_or(0);
    for (bank, words) in touched.iter().enumerate().filter(|(_, words)| words.len() > 1) {
        let role = if words.len() == worst { Role::Error } else { Role::Changed };
        let at = Rect { x: area.x + LABEL + (bank * width) as u16, y: area.y + 1, width: width as u16, height: 1 };
        buffer.set_style(at.intersection(area), look.style(role).add_modifier(Modifier::REVERSED));
    }
    if worst > 0 {
        let text = if worst > 1 {
            let bank = touched.iter().position(|words| words.len() == worst).unwrap_or(0);
            format!(" {}: {worst}-way conflict, first in bank {bank} ", model.lane_expression)
        } else {
            format!(" {}: no bank conflict ", model.lane_expression)
        };
        let from = area.width.saturating_sub(text.chars().count() as u16);
        // Where there is no room for both, the answer comes before the variables.
        if head.width() > usize::from(from) {
            put(buffer, area, 0, 0, &Line::raw(" ".repeat(area.width.into())));
        }
        put(buffer, area, from, 0, &Line::styled(text, look.style(if worst > 1 { Role::Error } else { Role::Faint })));
    }
    for (y, row) in banks.words.chunks(32).enumerate() {
        let line = banks.first + y as u64;
        let mut spans = vec![Span::styled(format!("{:>w$} ", line * 128, w = usize::from(LABEL) - 1), faint)];
        for (bank, word) in row.iter().enumerate() {
            let number = line * 32 + bank as u64;
            let span = word_span(model, banks, number, *word, width);
            let is_touched = touched[bank].contains(&number);
            spans.push(if is_touched { span.patch_style(Modifier::UNDERLINED | Modifier::BOLD) } else { span });
        }
        put(buffer, area, 0, 2 + y as u16, &Line::from(spans));
    }
}

/// The words of each bank that the expression of the Lanes pane is in, in the active lanes.
fn touched(model: &Model) -> [BTreeSet<u64>; 32] {
    let mut banks: [BTreeSet<u64>; 32] = Default::default();
    let Some(snapshot) = &model.snapshot else { return banks };
    let Some(Ok(values)) = &snapshot.values else { return banks };
    let is_active = |lane: u32| snapshot.lanes.iter().any(|l| l.lane == lane && l.state == LaneState::Active);
    for (lane, word) in values.values.iter().filter_map(|v| Some((v.lane, v.word?))) {
        if is_active(lane) {
            banks[(word % 32) as usize].insert(word);
        }
    }
    banks
}

/// A word: its last hexadecimal digits in the colour of its variable, highlighted if it changed.
fn word_span(model: &Model, banks: &BanksView, word: u64, value: u32, width: usize) -> Span<'static> {
    let look = model.look;
    let owner = banks.variables.iter().position(|v| (v.offset..v.offset + v.bytes).contains(&(word * 4)));
    let changed = model.has_word_changed(word);
    let digits = if width == 2 { 2 } else { width.saturating_sub(1).max(1) };
    let text = if width == 1 {
        look.char(if value == 0 { '·' } else { '▪' }, if value == 0 { '.' } else { '#' }).to_string()
    } else {
        let all = format!("{value:08x}");
        let gap = match (width, changed && look.theme == Theme::Plain) {
            (2, _) => "",
            (_, true) => "*",
            (_, false) => " ",
        };
        let is_real = owner.and_then(|n| banks.variables.get(n)).is_some_and(|v| v.is_real);
        let from = if is_real { 0 } else { all.len().saturating_sub(digits) };
        format!("{}{gap}", &all[from..from + digits])
    };
    let style = match owner {
        Some(n) => look.band(n),
        None => look.style(Role::Faint),
    };
    if changed { Span::styled(text, style.add_modifier(Modifier::REVERSED)) } else { Span::styled(text, style) }
}
