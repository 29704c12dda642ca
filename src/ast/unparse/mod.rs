//! From the tree back to free-form source.
//!
//! The text has one statement a line, two blanks of indentation a level, and no continuation lines; parsing it gives a
//! tree with the same dump. Layout, comments, case, and forms that mean the same (`if (c) stop`, `do 10 …`, `.eq.`) are not
//! those of the original.
//!
//! A tree with `Error` nodes is written too, with `<error>` where they are; that text does not parse.

mod decl;
mod expr;
mod stmt;
mod unit;

pub(crate) use decl::{attr as attr_word, cuda_attr, generic};
pub(crate) use expr::{binary, unary};
pub(crate) use stmt::io_word;
pub(crate) use unit::prefix as prefix_word;

use crate::Program;
use std::fmt::Display;

/// The whole program as source text.
pub fn unparse(program: &Program) -> String {
    let mut writer = Writer::default();
    for (number, unit) in program.units.iter().enumerate() {
        if number > 0 {
            writer.out.push('\n');
        }
        writer.unit(unit);
    }
    writer.out
}

/// The text so far and the indentation of the next line.
#[derive(Default)]
struct Writer {
    out: String,
    depth: usize,
}

impl Writer {
    /// One line.
    fn line(&mut self, text: impl Display) {
        self.labelled(None, text);
    }

    /// One line with a label.
    fn labelled(&mut self, label: Option<u32>, text: impl Display) {
        let label = label.map_or_else(String::new, |l| format!("{l} "));
        let indent = (2 * self.depth).saturating_sub(label.len());
        self.out.push_str(&label);
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.out.push_str(&text.to_string());
        self.out.push('\n');
    }

    /// A line that begins at the margin of the block around.
    fn outer_line(&mut self, text: impl Display) {
        self.depth = self.depth.saturating_sub(1);
        self.line(text);
        self.depth += 1;
    }

    /// What is written one level deeper.
    fn indented(&mut self, write: impl FnOnce(&mut Writer)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }
}

/// Items with a separator between them.
fn joined<T>(items: &[T], separator: &str, text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(separator)
}
