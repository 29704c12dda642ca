//! The debugger in a terminal.
//!
//! A [`Model`] is all that the screen shows. Events (keys, mouse, what the session says) change it by [`update`], which
//! hands back what the outside is to do; [`render`] draws it and decides nothing. [`terminal`] ties them to a real terminal
//! and to a session on its own thread; tests tie them to a buffer.
//!
//! - tables: `pane` has the panes, `keymap` the keys; help, hints and the manual are made from them
//! - state: `model`, `prompt`; where the panes are: `layout`; colours and characters: `look`
//! - events: `update`, and `act` for what the keys do
//! - pictures: `draw`
//!
//! Not here: what a program means or does (`debug` and below). The machine is never touched but through the session.

mod act;
mod draw;
pub mod keymap;
mod layout;
mod look;
mod manual;
mod model;
mod pane;
mod prompt;
pub mod terminal;
mod update;

pub use draw::render;
pub use look::{Look, Theme};
pub use manual::manual;
pub use model::{MemoryView, Message, Model, Running, Scroll, Voice};
pub use pane::{PANES, Pane, PaneRow};
pub use prompt::{Prompt, Purpose};
pub use terminal::{Desk, Failure, Keyboard, keyboard, run};
pub use update::{Effect, Input, update};
