//! Help: made from the tables of keys, panes and commands.

use super::{paint, put};
use crate::keymap::{Chapter, KEYS};
use crate::look::{Look, Role};
use crate::pane::PANES;
use debug::LaneState;
use debug::render::{lane_letter, state_name};
use debug::table::{COMMANDS, Class};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

/// All lines of help.
pub(crate) fn help_lines(look: Look) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let head = |text: String| Line::styled(text, look.style(Role::Focus));
    let row = |key: String, width: usize, text: String| {
        Line::from(vec![Span::styled(format!("  {key:<width$} "), look.style(Role::Strong)), Span::raw(text)])
    };
    for chapter in Chapter::ALL {
        lines.push(head(chapter.title().to_owned()));
        for key in KEYS.iter().filter(|k| k.chapter == chapter) {
            let panes: Vec<&str> = key.panes.iter().map(|p| p.row().title).collect();
            let place = if panes.is_empty() { String::new() } else { format!("{}: ", panes.join(", ")) };
            lines.push(row(key.keys.join(" "), 16, format!("{place}{}", key.brief)));
        }
        lines.push(Line::default());
    }
    lines.push(head("Panes".to_owned()));
    for pane in PANES {
        lines.push(row(format!("{} {}", pane.key, pane.title), 16, pane.brief.to_owned()));
    }
    lines.push(Line::default());
    lines.push(head("Lanes".to_owned()));
    for state in LaneState::ALL {
        lines.push(Line::from(vec![
            Span::raw("  "),
            Span::styled(lane_letter(state).to_string(), look.lane(state)),
            Span::raw(format!("                {}", state_name(state))),
        ]));
    }
    lines.push(Line::default());
    for class in Class::ALL {
        lines.push(head(format!("Commands: {}", class.title())));
        for command in COMMANDS.iter().filter(|c| c.class == class) {
            let usage = format!("{} {}", command.name, command.arguments);
            lines.push(row(usage.trim_end().to_owned(), 30, command.brief.to_owned()));
        }
        lines.push(Line::default());
    }
    lines
}

/// Draws help over the screen, from a line on.
pub(super) fn draw(look: Look, buffer: &mut Buffer, area: Rect, top: usize) {
    let frame = Rect { x: area.x, y: area.y + 1, width: area.width, height: area.height.saturating_sub(3) };
    Clear.render(frame, buffer);
    Block::bordered()
        .border_set(look.border())
        .border_style(look.style(Role::Focus))
        .title(" Help ")
        .render(frame, buffer);
    let inner = Rect {
        x: frame.x + 1,
        y: frame.y + 1,
        width: frame.width.saturating_sub(2),
        height: frame.height.saturating_sub(2),
    };
    let lines = help_lines(look);
    for (y, line) in lines.iter().skip(top).take(inner.height.into()).enumerate() {
        put(buffer, inner, 0, y as u16, line);
    }
    let hint = Rect { x: area.x, y: area.bottom().saturating_sub(1), width: area.width, height: 1 };
    paint(buffer, hint, 0, ratatui::style::Style::reset());
    let text = format!("{:<width$}", "j k scroll   ? closes", width = usize::from(area.width));
    put(buffer, hint, 0, 0, &Line::styled(text, look.style(Role::Faint)));
}
