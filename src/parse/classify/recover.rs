//! What a refused statement still is: it opens, parts or closes the construct that its words name.

use super::Reader;
use crate::build::error_expr;
use crate::grammar::Rule;
use crate::outline::first_word;
use crate::statement::{EndKind, Head, Statement, TypeHead};
use ast::{ConcurrentHeader, DoControl, InterfaceKind, Name, SubprogramKind};

impl Reader<'_> {
    /// The statement that stands for `text`, which the rule refused; its error was reported.
    pub(super) fn recover(&mut self, rule: Rule, text: &str) -> Statement {
        let error = error_expr(self.builder.place(0, text.len()));
        match rule {
            Rule::if_then => Statement::If(error),
            Rule::if_head if text.ends_with("then") => Statement::If(error),
            Rule::else_if => Statement::ElseIf(error),
            Rule::else_stmt => Statement::Else,
            Rule::do_stmt => {
                let digits = text.strip_prefix("do ").map_or("", first_word);
                Statement::Do(DoControl::Forever, digits.parse().ok())
            }
            Rule::select_case => Statement::SelectCase(error),
            Rule::select_type => Statement::SelectType(None, error),
            Rule::select_rank => Statement::SelectRank(None, error),
            Rule::case_stmt | Rule::rank_stmt => Statement::Case(Some(Vec::new())),
            Rule::where_head if text.ends_with(')') => Statement::Where(error),
            Rule::elsewhere => Statement::Elsewhere(Some(error)),
            Rule::forall_head if text.ends_with(')') => Statement::Forall(ConcurrentHeader::default()),
            Rule::associate_stmt => Statement::Associate(Vec::new()),
            Rule::block_stmt => Statement::Block,
            Rule::program_stmt => Statement::Program(self.word_after(text, "program")),
            Rule::module_stmt => Statement::Module(self.word_after(text, "module")),
            Rule::submodule_stmt => {
                let name = self.word_after(text, ")");
                Statement::Submodule { ancestor: self.word_after(text, "("), parent: None, name }
            }
            Rule::block_data_stmt => Statement::BlockData(None),
            Rule::subprogram_stmt => {
                let function =
                    text.starts_with("function ") || text.contains(" function ") || text.contains(")function ");
                let (kind, word) = if function {
                    (SubprogramKind::Function, "function")
                } else {
                    (SubprogramKind::Subroutine, "subroutine")
                };
                let name = self.word_after(text, word);
                let head = Head { kind, name, prefixes: Vec::new(), args: Vec::new(), result: None, bind: None };
                Statement::Subprogram(Box::new(head))
            }
            Rule::interface_stmt => Statement::Interface(InterfaceKind::Explicit),
            Rule::enum_def => Statement::Enum,
            Rule::type_def => {
                let name = self.word_after(text, if text.contains("::") { "::" } else { "type" });
                let head = TypeHead {
                    name,
                    params: Vec::new(),
                    extends: None,
                    is_abstract: false,
                    bind_c: false,
                    access: None,
                };
                Statement::Type(Box::new(head))
            }
            Rule::end_stmt => {
                let words = text["end".len()..].trim_start();
                let kind = if words.starts_with("block data") { "block data" } else { first_word(words) };
                let meant = match kind {
                    "while" | "for" => "do",
                    word => diag::nearest_name(word, EndKind::WORDS.iter().copied()).unwrap_or(word),
                };
                match EndKind::from_words(meant) {
                    EndKind::Any if !words.is_empty() => Statement::Broken,
                    kind => Statement::End(kind, None),
                }
            }
            Rule::contains_stmt => Statement::Contains,
            _ => Statement::Broken,
        }
    }

    /// The word after the first `mark`, as a name.
    fn word_after(&mut self, text: &str, mark: &str) -> Name {
        let start = text.find(mark).map_or(text.len(), |at| at + mark.len());
        let start = start + text[start..].bytes().take_while(|&b| b == b' ').count();
        let word = first_word(&text[start..]);
        let span = self.builder.place(start, start + word.len());
        Name { text: self.builder.names.intern(if word.is_empty() { "?" } else { word }), span }
    }
}
