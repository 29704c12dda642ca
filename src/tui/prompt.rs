//! The command line: a line of text with a cursor, a history and completion. It has the keys of readline.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The purpose of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// A command of the debugger.
    Command,
    /// The expression of the pane of lanes.
    Lanes,
    /// The array of the pane of memory.
    Array,
    /// A new watch expression.
    Watch,
    /// A text to search for in the focused pane.
    Search,
    /// A line of the program's standard input.
    Input,
}

impl Purpose {
    /// The prompt before the line.
    pub fn label(self) -> &'static str {
        match self {
            Purpose::Command => ":",
            Purpose::Lanes => "expression in all lanes: ",
            Purpose::Array => "array: ",
            Purpose::Watch => "watch expression: ",
            Purpose::Search => "/",
            Purpose::Input => "the program reads a line (Ctrl-D ends its input, Escape stops it): ",
        }
    }
}

/// What a key did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Typed {
    /// The line changed, or nothing.
    Nothing,
    /// The line is done.
    Done(String),
    /// The user cancelled the line.
    Cancelled,
    /// The input is at its end.
    Ended,
    /// Complete the line up to the cursor.
    Complete(String),
}

/// A line that is being typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prompt {
    /// What it is for.
    pub purpose: Purpose,
    /// Its text.
    pub text: String,
    /// Place of the cursor in bytes, always between characters.
    pub cursor: usize,
    /// The completions of the word before the cursor.
    pub offers: Vec<String>,
    /// The position in the history, and the text typed before.
    back: Option<(usize, String)>,
}

impl Prompt {
    /// A line with an initial text.
    pub fn new(purpose: Purpose, text: &str) -> Prompt {
        Prompt { purpose, text: text.to_owned(), cursor: text.len(), offers: Vec::new(), back: None }
    }

    fn previous(&self) -> usize {
        self.text[..self.cursor].char_indices().next_back().map_or(0, |(i, _)| i)
    }

    fn next(&self) -> usize {
        self.text[self.cursor..].chars().next().map_or(self.cursor, |c| self.cursor + c.len_utf8())
    }

    fn word_start(&self) -> usize {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        self.text[..self.cursor]
            .rfind(|c: char| !is_part(c))
            .map_or(0, |i| i + self.text[i..].chars().next().map_or(1, char::len_utf8))
    }

    fn replace(&mut self, from: usize, to: usize, with: &str) {
        self.text.replace_range(from..to, with);
        self.cursor = from + with.len();
    }

    /// Handles a key.
    pub fn key(&mut self, key: KeyEvent, history: &[String]) -> Typed {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        self.offers.clear();
        match key.code {
            KeyCode::Enter => return Typed::Done(std::mem::take(&mut self.text)),
            KeyCode::Esc => return Typed::Cancelled,
            KeyCode::Tab => return Typed::Complete(self.text[..self.cursor].to_owned()),
            KeyCode::Char('c' | 'g') if ctrl => return Typed::Cancelled,
            KeyCode::Char('d') if ctrl && self.text.is_empty() => return Typed::Ended,
            KeyCode::Char('a') if ctrl => self.cursor = 0,
            KeyCode::Char('e') if ctrl => self.cursor = self.text.len(),
            KeyCode::Char('b') if ctrl => self.cursor = self.previous(),
            KeyCode::Char('f') if ctrl => self.cursor = self.next(),
            KeyCode::Char('k') if ctrl => self.text.truncate(self.cursor),
            KeyCode::Char('u') if ctrl => self.replace(0, self.cursor, ""),
            KeyCode::Char('w') if ctrl => {
                // As in readline: back to a space.
                let before = self.text[..self.cursor].trim_end();
                let start = before.rfind(char::is_whitespace).map_or(0, |i| i + 1);
                self.replace(start, self.cursor, "");
            }
            KeyCode::Char('d') if ctrl => self.replace(self.cursor, self.next(), ""),
            KeyCode::Char('h') if ctrl => self.replace(self.previous(), self.cursor, ""),
            KeyCode::Char('p') if ctrl => self.travel(history, true),
            KeyCode::Char('n') if ctrl => self.travel(history, false),
            KeyCode::Char(c) if !ctrl => self.replace(self.cursor, self.cursor, c.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace if self.text.is_empty() && self.purpose != Purpose::Input => return Typed::Cancelled,
            KeyCode::Backspace => self.replace(self.previous(), self.cursor, ""),
            KeyCode::Delete => self.replace(self.cursor, self.next(), ""),
            KeyCode::Left => self.cursor = self.previous(),
            KeyCode::Right => self.cursor = self.next(),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            KeyCode::Up => self.travel(history, true),
            KeyCode::Down => self.travel(history, false),
            _ => {}
        }
        Typed::Nothing
    }

    fn travel(&mut self, history: &[String], older: bool) {
        let (at, typed) = self.back.clone().unwrap_or((0, self.text.clone()));
        let to = if older { (at + 1).min(history.len()) } else { at.saturating_sub(1) };
        self.text = if to == 0 { typed.clone() } else { history[history.len() - to].clone() };
        self.cursor = self.text.len();
        self.back = Some((to, typed));
    }

    /// Takes the completions of the word before the cursor, and inserts their common prefix.
    pub fn complete(&mut self, offers: Vec<String>) {
        let start = self.word_start();
        let Some(first) = offers.first() else { return };
        let mut common = first.len();
        for other in &offers {
            common = common.min(first.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count());
        }
        while !first.is_char_boundary(common) {
            common -= 1;
        }
        let mut word = first[..common].to_owned();
        if offers.len() == 1 && self.cursor == self.text.len() && self.purpose == Purpose::Command {
            word.push(' ');
        }
        if word.len() >= self.cursor - start {
            self.replace(start, self.cursor, &word);
        }
        self.offers = if offers.len() > 1 { offers } else { Vec::new() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(prompt: &mut Prompt, text: &str) {
        for c in text.chars() {
            prompt.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), &[]);
        }
    }

    #[test]
    fn a_line_is_edited_as_in_readline() {
        let mut p = Prompt::new(Purpose::Command, "");
        typed(&mut p, "print xä + y");
        let ctrl = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
        p.key(ctrl('w'), &[]);
        p.key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE), &[]);
        assert_eq!(p.text, "print xä +");
        typed(&mut p, " a(i) /= 3");
        for _ in 0..3 {
            p.key(ctrl('w'), &[]);
        }
        assert_eq!(p.text, "print xä + ");
        p.key(ctrl('a'), &[]);
        p.key(ctrl('k'), &[]);
        assert_eq!((p.text.as_str(), p.cursor), ("", 0));
    }

    #[test]
    fn the_history_gives_back_what_was_typed() {
        let history = ["step".to_owned(), "next".to_owned()];
        let mut p = Prompt::new(Purpose::Command, "pr");
        let up = KeyEvent::new(KeyCode::Up, KeyModifiers::NONE);
        let down = KeyEvent::new(KeyCode::Down, KeyModifiers::NONE);
        p.key(up, &history);
        assert_eq!(p.text, "next");
        p.key(up, &history);
        p.key(up, &history);
        assert_eq!(p.text, "step");
        p.key(down, &history);
        p.key(down, &history);
        assert_eq!(p.text, "pr");
    }

    #[test]
    fn a_word_is_completed_as_far_as_it_is_certain() {
        let mut p = Prompt::new(Purpose::Command, "reverse-s");
        p.complete(vec!["reverse-step".to_owned()]);
        assert_eq!(p.text, "reverse-step ");
        let mut p = Prompt::new(Purpose::Command, "info b");
        p.complete(vec!["barriers".to_owned(), "blocks".to_owned(), "breakpoints".to_owned()]);
        assert_eq!((p.text.as_str(), p.offers.len()), ("info b", 3));
    }
}
