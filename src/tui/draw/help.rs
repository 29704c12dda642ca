//! The help screen, from the tables of keys, panes and commands.

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

/// A text in lines of at most `width` characters, broken at blanks.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        if lines[last].is_empty() {
            lines[last].push_str(word);
        } else if lines[last].chars().count() + 1 + word.chars().count() <= width {
            lines[last].push(' ');
            lines[last].push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// All lines of help for a screen of this width.
pub(crate) fn help_lines(look: Look, screen: u16) -> Vec<Line<'static>> {
    let room = usize::from(screen).saturating_sub(2);
    let mut lines = Vec::new();
    let head = |text: String| Line::styled(text, look.style(Role::Focus));
    // A key or usage that is wider than its column has a line of its own.
    let row = |key: String, width: usize, text: String| {
        let is_wide = key.chars().count() > width;
        let alone = is_wide.then(|| Line::styled(format!("  {key}"), look.style(Role::Strong)));
        let mut left = if is_wide { String::new() } else { key };
        let beside = wrapped(&text, room.saturating_sub(width + 3).max(20)).into_iter().map(move |text| {
            let key = format!("  {:<width$} ", std::mem::take(&mut left));
            Line::from(vec![Span::styled(key, look.style(Role::Strong)), Span::raw(text)])
        });
        alone.into_iter().chain(beside).collect::<Vec<_>>()
    };
    for chapter in Chapter::ALL {
        lines.push(head(chapter.title().to_owned()));
        for key in KEYS.iter().filter(|k| k.chapter == chapter) {
            let panes: Vec<&str> = key.panes.iter().map(|p| p.row().title).collect();
            let place = if panes.is_empty() { String::new() } else { format!("{}: ", panes.join(", ")) };
            lines.extend(row(key.keys.join(" "), 16, format!("{place}{}", key.brief)));
        }
        lines.push(Line::default());
    }
    lines.push(head("Panes".to_owned()));
    for pane in PANES {
        lines.extend(row(format!("{} {}", pane.key, pane.title), 16, pane.brief.to_owned()));
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
            lines.extend(row(usage.trim_end().to_owned(), 30, command.brief.to_owned()));
        }
        lines.push(Line::default());
    }
    lines
}

/// Draws help over the screen, from line `top` on.
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
    let lines = help_lines(look, area.width);
    for (y, line) in lines.iter().skip(top).take(inner.height.into()).enumerate() {
        put(buffer, inner, 0, y as u16, line);
    }
    let hint = Rect { x: area.x, y: area.bottom().saturating_sub(1), width: area.width, height: 1 };
    paint(buffer, hint, 0, ratatui::style::Style::reset());
    let text = format!("{:<width$}", "j k scroll   ? close", width = usize::from(area.width));
    put(buffer, hint, 0, 0, &Line::styled(text, look.style(Role::Faint)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::Theme;

    #[test]
    fn help_is_cut_at_no_width_of_a_usual_terminal() {
        let look = Look { theme: Theme::Plain, is_ascii: true };
        let text = |width| -> Vec<String> { help_lines(look, width).iter().map(ToString::to_string).collect() };
        for width in 80..=200 {
            for line in text(width) {
                assert!(line.chars().count() <= usize::from(width) - 2, "at {width}: {line}");
            }
        }
        let words = |lines: Vec<String>| lines.join(" ").split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(text(80)), words(text(300)), "no word is lost");
    }
}
