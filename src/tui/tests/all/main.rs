//! The terminal interface without a terminal: scripts of keys in, screens out.

mod driver;
mod manual;
mod screens;
