//! The debugger with panes in a terminal.
//!
//! A [`Model`] holds everything that the screen shows. [`update`] applies an event (a key, the mouse, an answer of the session)
//! to the model and returns the effects for the outside. [`render`] draws the model and decides nothing. [`terminal`] connects
//! them with a real terminal and with a session on its own thread; tests connect them with a buffer.
//!
//! - tables: `pane` and `keymap`; help, hints and the manual come from them
//! - state: `model`, `prompt`; the areas of the panes: `layout`, `strips`; colours and characters: `look`
//! - events: `update`, `act` for the actions of keys, `search`, `command` for the way of a command line to the session
//! - drawing: `draw`
//!
//! Not here: what a program means or does (`debug`). The machine can be reached only through the session.

mod act;
mod command;
mod draw;
pub mod keymap;
mod layout;
mod look;
mod manual;
mod model;
mod pane;
mod prompt;
mod search;
mod strips;
pub mod terminal;
mod update;

pub use command::{Effect, InputLine};
pub use draw::render;
pub use look::{Look, Theme};
pub use manual::manual;
pub use model::{MemoryView, Message, Model, Running, Scroll, Voice};
pub use pane::{PANES, Pane, PaneRow};
pub use prompt::{Prompt, Purpose};
pub use terminal::{Failure, StdinReader, StdinWriter, run, stdin_channel};
pub use update::{Input, update};
