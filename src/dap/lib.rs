//! The debugger in an editor: the Debug Adapter Protocol.
//!
//! [`serve`] answers the requests of one client until it disconnects. A thread reads requests; everything else happens on the
//! caller's thread, which owns the session. While the program runs, each request that arrives makes the engine pause between
//! two statements (`debug::Attendant`), so that breakpoints can be set and the program can be stopped at any time.
//!
//! - `wire`: messages and their framing
//! - `arguments`: what requests bring, as data
//! - `launch`: how a program is started, which the caller does ([`Launcher`]), and its standard input
//! - `terminal`: a terminal of the editor as that input, and the output
//! - `numbers`: the numbers by which a client names threads, frames and values
//! - `server`: requests, by subject
//!
//! Source: Debug Adapter Protocol, version 1.70 (microsoft.github.io/debug-adapter-protocol).
//!
//! Not here: what commands and expressions mean (`debug`), reading and compiling files (the root package).

mod arguments;
mod launch;
mod numbers;
mod server;
mod terminal;
mod wire;

pub use launch::{Input, InputLine, Launch, Launcher};
pub use server::{REQUESTS, serve};
pub use terminal::relay;
