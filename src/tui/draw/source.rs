//! The Source pane: gutter, text, and at the right edge the lanes of the warp at other lines.

use super::{paint, put, untabbed};
use crate::look::{Look, Role};
use crate::model::Model;
use crate::pane::Pane;
use debug::render::lane_set;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

/// Columns before the text: marks and line number.
pub(crate) const GUTTER: u16 = 8;

/// Words that begin or end statements and constructs.
const KEYWORDS: &[&str] = &[
    "allocatable",
    "allocate",
    "associate",
    "attributes",
    "block",
    "call",
    "case",
    "character",
    "complex",
    "constant",
    "contains",
    "cycle",
    "data",
    "deallocate",
    "device",
    "dimension",
    "do",
    "double",
    "else",
    "elseif",
    "end",
    "enddo",
    "endif",
    "exit",
    "external",
    "function",
    "global",
    "goto",
    "grid_global",
    "host",
    "if",
    "implicit",
    "in",
    "inout",
    "integer",
    "intent",
    "interface",
    "intrinsic",
    "kind",
    "local",
    "logical",
    "managed",
    "module",
    "none",
    "only",
    "optional",
    "out",
    "parameter",
    "pinned",
    "pointer",
    "precision",
    "print",
    "private",
    "procedure",
    "program",
    "public",
    "pure",
    "read",
    "real",
    "recursive",
    "result",
    "return",
    "save",
    "select",
    "shared",
    "stop",
    "subroutine",
    "target",
    "texture",
    "then",
    "type",
    "use",
    "value",
    "volatile",
    "where",
    "while",
    "write",
];

pub(super) fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let look = model.look;
    let Some(file) = model.files.get(model.file) else { return };
    let scroll = model.scroll(Pane::Source);
    let current = model.snapshot.as_ref().filter(|s| s.program.started && s.program.exited.is_none());
    let current = current.and_then(|s| s.place).filter(|p| p.0 == file.file_id).map(|p| p.1);
    for y in 0..area.height {
        let index = scroll.top + usize::from(y);
        let Some(text) = file.lines.get(index) else { break };
        let number = index + 1;
        let is_current = current == Some(number);
        let mark = match model.breakpoint(number) {
            Some((_, true, false)) => Span::styled(look.char('●', 'B').to_string(), look.style(Role::Breakpoint)),
            Some((_, true, true)) => Span::styled(look.char('◆', '?').to_string(), look.style(Role::Breakpoint)),
            Some((_, false, _)) => Span::styled(look.char('○', 'b').to_string(), look.style(Role::Faint)),
            None if model.has_finding(number) => Span::styled("!", look.style(Role::Error)),
            None => Span::raw(" "),
        };
        // A breakpoint does not hide a finding.
        let is_hidden = model.breakpoint(number).is_some() && model.has_finding(number);
        let more = if is_hidden { Span::styled("! ", look.style(Role::Error)) } else { Span::raw("  ") };
        let lanes = model.lanes_at(number);
        let arrow = match (is_current, lanes) {
            (true, _) => look.char('▶', '>'),
            (false, Some(_)) => look.char('▷', '-'),
            (false, None) => ' ',
        };
        let has_statement = file.statements.get(index).copied().unwrap_or(false);
        let role = if has_statement { Role::Text } else { Role::Faint };
        let mut spans = vec![mark, Span::styled(format!("{arrow}{number:>4}"), look.style(role)), more];
        let skipped: String = untabbed(text).chars().skip(scroll.left).collect();
        spans.extend(highlight(look, &skipped));
        put(buffer, area, 0, y, &Line::from(spans));
        // If all lanes are at one place, there is nothing to show.
        let parted = model.snapshot.as_ref().is_some_and(|s| s.splits.len() > 1);
        if let Some((mask, state)) = lanes.filter(|_| parted) {
            let text = format!(" {} ", lane_set(mask));
            let width = text.chars().count() as u16;
            if width + GUTTER < area.width {
                put(buffer, area, area.width - width, y, &Line::styled(text, look.lane(state)));
            }
        }
        if is_current {
            paint(buffer, area, y, look.style(Role::Current));
            underline(model, buffer, area, y, text);
        } else if index == scroll.cursor && model.pane == Pane::Source {
            let text = Rect { x: area.x + 2, width: 4, ..area };
            paint(buffer, text, y, look.style(Role::Cursor));
        }
    }
}

/// Underlines the statement that comes next, if its line has several.
fn underline(model: &Model, buffer: &mut Buffer, area: Rect, y: u16, text: &str) {
    let Some((first, count)) = model.snapshot.as_ref().and_then(|s| s.part) else { return };
    let left = model.scroll(Pane::Source).left;
    let column = |n: usize| {
        let before: String = text.chars().take(n).collect();
        (untabbed(&before).chars().count().saturating_sub(left) as u16).saturating_add(GUTTER).min(area.width)
    };
    let (from, to) = (column(first), column(first + count));
    let part = Rect { x: area.x + from, width: to - from, ..area };
    paint(buffer, part, y, Style::new().add_modifier(Modifier::UNDERLINED));
}

/// Splits a line of Fortran into words, comment and literals.
fn highlight(look: Look, text: &str) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut plain = 0;
    while let Some((at, c)) = chars.next() {
        let (end, role) = match c {
            '!' => (text.len(), if text[at..].starts_with("!$cuf") { Role::Keyword } else { Role::Comment }),
            '\'' | '"' => {
                let close = text[at + 1..].find(c).map_or(text.len(), |i| at + i + 2);
                (close, Role::Literal)
            }
            c if c.is_ascii_alphabetic() => {
                let rest = &text[at..];
                let end = at + rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                let is_keyword = KEYWORDS.contains(&text[at..end].to_ascii_lowercase().as_str());
                (end, if is_keyword { Role::Keyword } else { Role::Text })
            }
            c if c.is_ascii_digit() => {
                let rest = &text[at..];
                let end =
                    at + rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
                (end, Role::Literal)
            }
            _ => continue,
        };
        if role != Role::Text {
            spans.push(Span::raw(text[plain..at].to_owned()));
            spans.push(Span::styled(text[at..end].to_owned(), look.style(role)));
            plain = end;
        }
        while chars.peek().is_some_and(|(i, _)| *i < end) {
            chars.next();
        }
    }
    spans.push(Span::raw(text[plain..].to_owned()));
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highlighting_keeps_every_character() {
        for line in ["  if (x1 > 2.5e0) call f('it''s', \"ä\") ! done", "!$cuf kernel do", "'open", "", "ünïx = 1_8"]
        {
            let text: String = highlight(Look::default(), line).iter().map(|s| s.content.as_ref()).collect();
            assert_eq!(text, line);
        }
    }
}
