//! The text of a tree, one node a line, for `--emit ast` and for tests.
//!
//! Statements are lines, nested by indentation of two blanks; expressions stand on the line of their statement as
//! S-expressions, so that precedence can be seen: `assign (apply a i) (+ b (* 2 c))`. Absent parts are `_`. Spans are left
//! out, so that a golden test shows structure only. The form is stable: equal trees give equal text.

mod decl;
mod expr;
mod stmt;

use crate::{Block, Declaration, Program, Subprogram, SubprogramKind, Unit, UnitKind, UseStmt};
use std::fmt::Display;
use std::fmt::Write as _;

/// The tree as indented text.
pub fn dump(program: &Program) -> String {
    let mut dumper = Dumper::default();
    for unit in &program.units {
        dumper.unit(unit);
    }
    dumper.out
}

/// The text so far and the level of the next line.
#[derive(Default)]
struct Dumper {
    out: String,
    depth: usize,
}

impl Dumper {
    fn line(&mut self, text: impl Display) {
        self.out.extend(std::iter::repeat_n(' ', 2 * self.depth));
        self.out.push_str(text.to_string().trim_end());
        self.out.push('\n');
    }

    fn indented(&mut self, write: impl FnOnce(&mut Dumper)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    fn unit(&mut self, unit: &Unit) {
        match &unit.kind {
            UnitKind::Main(body) | UnitKind::External(body) => self.subprogram(body),
            UnitKind::Module { name, ancestor, parent, uses, decls, procedures } => {
                let of = |word: &str, name: &Option<crate::Name>| {
                    name.as_ref().map_or_else(String::new, |n| format!(" {word}={}", n.text))
                };
                self.line(format!("module {}{}{}", name.text, of("ancestor", ancestor), of("parent", parent)));
                self.indented(|d| {
                    d.scope(uses, decls);
                    d.subprograms(procedures);
                });
            }
            UnitKind::BlockData { name, uses, decls } => {
                self.line(format!("block-data {}", name.as_ref().map_or("_", |n| n.as_str())));
                self.indented(|d| d.scope(uses, decls));
            }
        }
    }

    fn subprogram(&mut self, unit: &Subprogram) {
        let word = match unit.kind {
            SubprogramKind::Main => "program",
            SubprogramKind::Subroutine => "subroutine",
            SubprogramKind::Function => "function",
            SubprogramKind::ModuleProcedure => "module-procedure",
        };
        let args: Vec<&str> = unit.args.iter().map(crate::Name::as_str).collect();
        let mut head = format!("{word} {} ({})", unit.name.text, args.join(" "));
        if let Some(result) = &unit.result {
            let _ = write!(head, " result={}", result.text);
        }
        if let Some(bind) = &unit.bind {
            let _ = write!(head, " bind={}", expr::optional(bind.as_ref()));
        }
        self.line(head);
        self.indented(|d| {
            for prefix in &unit.prefixes {
                d.line(format!("prefix {}", decl::prefix(prefix)));
            }
            d.scope(&unit.uses, &unit.decls);
            d.statements(&unit.body);
            if !unit.internal.is_empty() {
                d.line("contains");
                d.indented(|d| d.subprograms(&unit.internal));
            }
        });
    }

    fn subprograms(&mut self, list: &[Subprogram]) {
        for subprogram in list {
            self.subprogram(subprogram);
        }
    }

    /// The specification part of a scope.
    fn scope(&mut self, uses: &[UseStmt], decls: &[Declaration]) {
        for stmt in uses {
            self.use_stmt(stmt);
        }
        for decl in decls {
            self.declaration(decl);
        }
    }

    fn statements(&mut self, block: &Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }
}

/// Items with a blank before each.
fn concat<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    items.iter().fold(String::new(), |out, item| out + " " + &text(item))
}

/// Items with blanks between them.
fn spaced<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(" ")
}
