//! Colours and characters: a dark, a light and a colourless theme; Unicode and ASCII.
//!
//! Except for heat maps, only the sixteen colours of the terminal palette are used. Everything that a colour shows is also shown
//! by a character, so nothing is lost without colours.

use debug::{BlockState, LaneState};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

/// Which colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    /// For a dark background.
    #[default]
    Dark,
    /// For a light background.
    Light,
    /// None.
    Plain,
}

/// Colours and characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Look {
    /// Colours.
    pub theme: Theme,
    /// Whether only ASCII characters are used.
    pub is_ascii: bool,
}

/// The role of a piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Plain text.
    Text,
    /// Less important text.
    Faint,
    /// A heading, a name.
    Strong,
    /// The border of the pane that receives keys.
    Focus,
    /// The statement that comes next.
    Current,
    /// The row of the cursor.
    Cursor,
    /// Changed since the last stop.
    Changed,
    /// A breakpoint.
    Breakpoint,
    /// An error or finding.
    Error,
    /// A word of Fortran.
    Keyword,
    /// A comment.
    Comment,
    /// A literal.
    Literal,
    /// A reply of the debugger.
    Reply,
}

/// The ramp of heat maps in the 256 colours of terminals, from low to high: dark blue over green to yellow.
const HEAT: [u8; 10] = [17, 18, 24, 30, 36, 71, 107, 143, 185, 228];

impl Look {
    fn pick(self, dark: Color, light: Color, modifier: Modifier) -> Style {
        match self.theme {
            Theme::Dark => Style::new().fg(dark),
            Theme::Light => Style::new().fg(light),
            Theme::Plain => Style::new().add_modifier(modifier),
        }
    }

    /// The style of a piece of text.
    pub fn style(self, role: Role) -> Style {
        let none = Modifier::empty();
        match role {
            Role::Text => Style::new(),
            Role::Faint => self.pick(Color::DarkGray, Color::DarkGray, none),
            Role::Strong => Style::new().add_modifier(Modifier::BOLD),
            Role::Focus => self.pick(Color::Yellow, Color::Blue, Modifier::BOLD).add_modifier(Modifier::BOLD),
            Role::Current => match self.theme {
                Theme::Dark => Style::new().fg(Color::Black).bg(Color::Yellow),
                Theme::Light => Style::new().fg(Color::Black).bg(Color::LightYellow),
                Theme::Plain => Style::new().add_modifier(Modifier::REVERSED),
            },
            Role::Cursor => match self.theme {
                Theme::Plain => Style::new().add_modifier(Modifier::UNDERLINED),
                _ => Style::new().add_modifier(Modifier::REVERSED),
            },
            Role::Changed => self.pick(Color::LightYellow, Color::Red, Modifier::BOLD).add_modifier(Modifier::BOLD),
            Role::Breakpoint | Role::Error => {
                self.pick(Color::LightRed, Color::Red, Modifier::BOLD).add_modifier(Modifier::BOLD)
            }
            Role::Keyword => self.pick(Color::LightBlue, Color::Blue, none),
            Role::Comment => self.pick(Color::DarkGray, Color::DarkGray, none),
            Role::Literal => self.pick(Color::Green, Color::Green, none),
            Role::Reply => self.pick(Color::Cyan, Color::Blue, none),
        }
    }

    /// The style of a lane.
    pub fn lane(self, state: LaneState) -> Style {
        if self.theme == Theme::Plain {
            return match state {
                LaneState::Active => Style::new().add_modifier(Modifier::BOLD),
                _ => Style::new(),
            };
        }
        let color = match state {
            LaneState::Active => Color::Green,
            LaneState::Divergent => Color::Yellow,
            LaneState::Joining => Color::Cyan,
            LaneState::Barrier => Color::Blue,
            LaneState::Rendezvous | LaneState::Waiting => Color::Magenta,
            LaneState::Faulted => Color::Red,
            LaneState::Exited => return Style::new().fg(Color::DarkGray),
            LaneState::Absent => return Style::new().fg(Color::DarkGray),
        };
        let text = if matches!(color, Color::Blue | Color::Red | Color::Magenta) { Color::White } else { Color::Black };
        Style::new().fg(text).bg(color)
    }

    /// Character and style of a cell of the map of blocks.
    pub fn block(self, state: BlockState) -> (char, Style) {
        let (unicode, ascii, color) = match state {
            BlockState::Waiting => ('·', '.', Color::DarkGray),
            BlockState::Polling => ('◇', 'o', Color::Yellow),
            BlockState::Running => ('▶', '>', Color::Green),
            BlockState::Partly => ('▒', '%', Color::Cyan),
            BlockState::Ended => ('■', '#', Color::Blue),
        };
        let style = if self.theme == Theme::Plain { Style::new() } else { Style::new().fg(color) };
        (self.char(unicode, ascii), style)
    }

    /// Character and style of a heat from 0 to 1.
    pub fn heat(self, heat: f64) -> (char, Style) {
        let step = |n: usize| ((heat * n as f64) as usize).min(n - 1);
        if self.theme == Theme::Plain {
            let ramp: &[char] = if self.is_ascii {
                &['.', ':', '-', '=', '+', '*', '%', '#', '@']
            } else {
                &['·', '░', '▒', '▓', '█']
            };
            return (ramp[step(ramp.len())], Style::new());
        }
        (' ', Style::new().bg(Color::Indexed(HEAT[step(HEAT.len())])))
    }

    /// The style of a variable of shared memory, by its number.
    pub fn band(self, number: usize) -> Style {
        const BANDS: [Color; 4] = [Color::Cyan, Color::Green, Color::Magenta, Color::Blue];
        if self.theme == Theme::Plain { Style::new() } else { Style::new().fg(BANDS[number % BANDS.len()]) }
    }

    /// One of two characters.
    pub fn char(self, unicode: char, ascii: char) -> char {
        if self.is_ascii { ascii } else { unicode }
    }

    /// The lines of frames.
    pub fn border(self) -> border::Set<'static> {
        if !self.is_ascii {
            return border::ROUNDED;
        }
        border::Set {
            top_left: "+",
            top_right: "+",
            bottom_left: "+",
            bottom_right: "+",
            vertical_left: "|",
            vertical_right: "|",
            horizontal_top: "-",
            horizontal_bottom: "-",
        }
    }
}
