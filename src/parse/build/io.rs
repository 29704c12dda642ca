//! Input and output statements.

use super::Builder;
use crate::grammar::{Pair, Rule};
use ast::{IoControl, IoItem, IoKind, StmtKind};

impl Builder<'_> {
    /// `print_stmt` and `read_short`: the format becomes the control `fmt`.
    pub(crate) fn io_with_format(&mut self, pair: Pair<'_>, kind: IoKind) -> StmtKind {
        let (mut control, mut items) = (Vec::new(), Vec::new());
        let span = self.span(&pair);
        if pair.as_str().starts_with("accept") {
            self.form_of_compilers(span, "`accept`", "write `read`");
        }
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::io_format => {
                    let span = self.span(&part);
                    let keyword = Some(self.name_of("fmt", span));
                    control.push(IoControl { keyword, value: self.optional_expr(part), span });
                }
                Rule::EOI => {}
                _ => items.push(self.io_item(part)),
            }
        }
        StmtKind::Io { kind, control, items }
    }

    /// `io_stmt` and `unit_stmt`
    pub(crate) fn io(&mut self, pair: Pair<'_>) -> StmtKind {
        let short = pair.as_rule() == Rule::unit_stmt;
        let mut kind = IoKind::Write;
        let (mut control, mut items): (Vec<IoControl>, Vec<IoItem>) = (Vec::new(), Vec::new());
        for part in pair.into_inner() {
            let span = self.span(&part);
            match part.as_rule() {
                Rule::io_word => kind = io_kind(part.as_str()),
                Rule::control => {
                    let keyword = part.clone().into_inner().find(|p| p.as_rule() == Rule::keyword);
                    let keyword = keyword.map(|p| self.name(&p));
                    control.push(IoControl { keyword, value: self.optional_expr(part), span });
                }
                Rule::EOI => {}
                _ if short => control.push(IoControl { keyword: None, value: Some(self.expr(part)), span }),
                _ => items.push(self.io_item(part)),
            }
        }
        StmtKind::Io { kind, control, items }
    }
}

fn io_kind(word: &str) -> IoKind {
    match word {
        "read" => IoKind::Read,
        "open" => IoKind::Open,
        "close" => IoKind::Close,
        "inquire" => IoKind::Inquire,
        "rewind" => IoKind::Rewind,
        "backspace" => IoKind::Backspace,
        "endfile" | "end file" => IoKind::Endfile,
        "flush" => IoKind::Flush,
        "wait" => IoKind::Wait,
        "encode" => IoKind::Encode,
        "decode" => IoKind::Decode,
        _ => IoKind::Write,
    }
}
