//! Which rule of the grammar a statement has, and what comes of it.
//!
//! The first word chooses the rule, after `shape` has set assignments apart; where a word begins several statements
//! (`type`, `block`, `module`), what follows it or the place of the statement decides. One-line IF, WHERE and FORALL are
//! cut at their closing parenthesis and their statement is read on its own.
//!
//! A statement that the grammar refuses is reported here (`wording` says how). If it begins or ends a construct it keeps
//! doing so, with error nodes inside, so that one mistake does not unbalance the rest of the file (`recover.rs`).

mod recover;
mod words;

use crate::build::{Builder, Names, error_expr};
use crate::grammar::{Grammar, Pair, Rule};
use crate::logical::{Logical, LogicalKind};
use crate::outline::{self, Assigns, Outline, closing, first_word};
use crate::statement::Statement;
use crate::wording;
use ast::{Block, ConcurrentHeader, DeclKind, DoControl, IfArm, Name, Stmt, StmtKind, WhereArm};
use diag::{Code, Diagnostic, Diagnostics};
use pest::Parser;

/// Where a statement stands, as far as that decides what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StatementPosition {
    /// In a program unit.
    Unit,
    /// In a derived type, before CONTAINS.
    Type,
    /// In a derived type, after CONTAINS.
    Bindings,
    /// In an interface block, outside its bodies.
    Interface,
    /// In a SELECT construct, outside inner ones.
    Select,
}

/// A statement with its construct name.
#[derive(Debug)]
pub(crate) struct Classified {
    /// `name:` before the statement, or the name at its end for one that parts a construct.
    pub(crate) name: Option<Name>,
    /// The statement.
    pub(crate) statement: Statement,
    /// Whether an error in it was reported.
    pub(crate) broken: bool,
}

/// Reads a logical line.
pub(crate) fn classify(
    logical: &Logical,
    place: StatementPosition,
    names: &mut Names,
    diags: &mut Diagnostics,
) -> Classified {
    let base = i64::from(logical.base);
    let builder = Builder {
        origin: &logical.origin,
        base,
        names,
        diags,
        broken: logical.broken,
        not_equal: logical.not_equal,
        unsupported: None,
    };
    let mut reader = Reader { builder, place, label: logical.label.map(|(label, _)| label), name: None };
    let text = logical.text.as_str();
    let statement = match logical.kind {
        LogicalKind::Statement => reader.named(text),
        LogicalKind::Cuf => reader.cuf(text),
        LogicalKind::Lost => Statement::Broken,
        LogicalKind::IgnoreTkr => match reader.parse(Rule::ignore_tkr, text) {
            Some(pair) => Statement::Decl(reader.builder.ignore_tkr(pair)),
            None => Statement::Broken,
        },
    };
    Classified { name: reader.name, statement, broken: reader.builder.broken }
}

struct Reader<'a> {
    builder: Builder<'a>,
    place: StatementPosition,
    label: Option<u32>,
    name: Option<Name>,
}

impl Reader<'_> {
    /// Runs the grammar and reports when it refuses.
    fn parse<'t>(&mut self, rule: Rule, text: &'t str) -> Option<Pair<'t>> {
        match Grammar::parse(rule, text) {
            Ok(mut pairs) => pairs.next(),
            Err(error) => {
                wording::refused(&mut self.builder, rule, text, &error);
                None
            }
        }
    }

    /// A directive after `!$cuf`.
    fn cuf(&mut self, text: &str) -> Statement {
        if first_word(text).starts_with("kernel") {
            return match outline::look(text) {
                Ok(_) => match self.parse(Rule::cuf_kernel, text) {
                    Some(pair) => Statement::Cuf(Box::new(self.builder.cuf_kernel(pair))),
                    None => Statement::Broken,
                },
                Err(unbalanced) => {
                    wording::unbalanced(&mut self.builder, text, unbalanced, None);
                    Statement::Broken
                }
            };
        }
        let span = self.builder.place(0, text.len());
        let message = format!("`!$cuf {}` is no CUF directive", first_word(text));
        self.builder.report(
            Diagnostic::new(Code::BadDirective, span, message)
                .help("the directive is `!$cuf kernel do [(n)] <<<grid, block>>>`"),
        );
        Statement::Broken
    }

    /// A statement that may have a construct name.
    fn named(&mut self, text: &str) -> Statement {
        let word = first_word(text);
        let rest = &text[word.len()..];
        let starts = rest.len() > 1 && rest.starts_with(':') && !rest.starts_with("::");
        // `character:5` is a type.
        let begins_length = |c: char| c.is_ascii_digit() || c == '(';
        let has_length = wording::is_intrinsic_type(word)
            && rest.strip_prefix(':').is_some_and(|rest| rest.starts_with(begins_length));
        if !starts || has_length || word.is_empty() || !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.statement(text);
        }
        if rest.starts_with(":=") {
            let span = self.builder.place(word.len(), word.len() + 2);
            self.builder.report(Diagnostic::new(Code::SyntaxError, span, "Fortran assigns with `=`, not with `:=`"));
            return Statement::Broken;
        }
        let cut = word.len() + 1;
        let opens = [
            "if",
            "do",
            "dowhile",
            "select",
            "selectcase",
            "selecttype",
            "selectrank",
            "where",
            "forall",
            "associate",
            "block",
        ];
        let tail = &text[cut..];
        let assigns = outline::look(tail).is_ok_and(|s| s.assigns.is_some());
        if assigns || !opens.contains(&first_word(tail)) {
            wording::no_construct(&mut self.builder, word);
            return self.tail(text, cut);
        }
        let span = self.builder.place(0, word.len());
        self.name = Some(Name { text: self.builder.names.intern(word), span });
        self.tail(text, cut)
    }

    /// The statement that begins at offset `cut`.
    fn tail(&mut self, text: &str, cut: usize) -> Statement {
        let base = self.builder.base;
        self.builder.base += cut as i64;
        let statement = self.statement(&text[cut..]);
        self.builder.base = base;
        statement
    }

    fn statement(&mut self, text: &str) -> Statement {
        let statement = self.supported(text);
        match (self.builder.unsupported.take(), statement) {
            (Some(what), Statement::Broken) => Statement::Exec(StmtKind::Unsupported(what.into())),
            (_, statement) => statement,
        }
    }

    fn supported(&mut self, text: &str) -> Statement {
        let shape = match outline::look(text) {
            Ok(shape) => shape,
            Err(unbalanced) => {
                let rule = words::rule(text, self.place);
                wording::unbalanced(&mut self.builder, text, unbalanced, rule);
                return rule.map_or(Statement::Broken, |rule| self.recover(rule, text));
            }
        };
        if let Some(assigns) = shape.assigns {
            let rule = if assigns == Assigns::Value { Rule::assignment } else { Rule::pointer_assignment };
            return match self.parse(rule, text) {
                Some(pair) => Statement::Exec(self.builder.assignment(pair)),
                None => Statement::Broken,
            };
        }
        match words::rule(text, self.place) {
            Some(rule) => self.by_rule(rule, text, shape),
            None => self.unknown(text),
        }
    }

    /// A statement whose first word is no keyword: reported; if the word is nearly one, read as that.
    fn unknown(&mut self, text: &str) -> Statement {
        let error = error_expr(self.builder.place(0, text.len()));
        let meant = match wording::unknown(&mut self.builder, text) {
            wording::Meant::Keyword(keyword) => keyword,
            wording::Meant::Loop => return Statement::Do(DoControl::Forever, None),
            wording::Meant::ElseIf => return Statement::ElseIf(error),
            wording::Meant::Select => return Statement::SelectCase(error),
            wording::Meant::Unknown => return Statement::Broken,
        };
        let word = first_word(text);
        let corrected = format!("{meant}{}", &text[word.len()..]);
        let Some(rule) = words::rule(&corrected, self.place) else { return Statement::Broken };
        let Ok(shape) = outline::look(&corrected) else { return Statement::Broken };
        let base = self.builder.base;
        self.builder.base += word.len() as i64 - meant.len() as i64;
        let statement = self.by_rule(rule, &corrected, shape);
        self.builder.base = base;
        statement
    }

    fn by_rule(&mut self, rule: Rule, text: &str, shape: Outline) -> Statement {
        match rule {
            Rule::if_head => return self.if_statement(text),
            Rule::where_head => return self.where_statement(text),
            Rule::forall_head => return self.forall_statement(text),
            Rule::format_stmt => return self.format(text),
            _ => {}
        }
        let Some(pair) = self.parse(rule, text) else { return self.recover(rule, text) };
        let builder = &mut self.builder;
        match rule {
            Rule::call_stmt => Statement::Exec(builder.call(pair)),
            Rule::type_decl => {
                let decl = builder.type_decl(pair);
                if shape.double_colon.is_none() {
                    wording::check_colons(builder, &decl);
                }
                Statement::Decl(decl)
            }
            Rule::procedure_decl => Statement::Decl(builder.procedure_decl(pair)),
            Rule::attr_stmt => builder.attr_stmt(pair).map_or(Statement::Broken, Statement::Decl),
            Rule::implicit_none => Statement::Decl(builder.implicit_none(pair)),
            Rule::implicit_stmt => Statement::Decl(builder.implicit_stmt(pair)),
            Rule::parameter_stmt => Statement::Decl(builder.parameter_stmt(pair)),
            Rule::data_stmt => Statement::Decl(builder.data_stmt(pair)),
            Rule::common_stmt => Statement::Decl(builder.common_stmt(pair)),
            Rule::equivalence_stmt => Statement::Decl(builder.equivalence_stmt(pair)),
            Rule::namelist_stmt => Statement::Decl(builder.namelist_stmt(pair)),
            Rule::cray_pointer => Statement::Decl(builder.cray_pointer(pair)),
            Rule::import_stmt => Statement::Decl(builder.import_stmt(pair)),
            Rule::use_stmt => Statement::Use(builder.use_stmt(pair)),
            Rule::type_def => builder.type_def(pair),
            Rule::sequence_stmt => Statement::Sequence,
            Rule::structure_stmt => builder.structure(pair),
            Rule::record_stmt => builder.records(pair),
            Rule::union_stmt if text == "map" => Statement::Map,
            Rule::union_stmt => Statement::Union,
            Rule::binding_stmt => builder.binding(pair),
            Rule::generic_stmt => builder.generic_binding(pair),
            Rule::final_stmt => builder.final_binding(pair),
            Rule::enum_def => Statement::Enum,
            Rule::enumerator => builder.enumerator(pair),
            Rule::interface_stmt => builder.interface(pair),
            Rule::module_procedure => builder.procedures(pair),
            Rule::program_stmt => Statement::Program(first_name(builder, pair)),
            Rule::module_stmt => Statement::Module(first_name(builder, pair)),
            Rule::submodule_stmt => builder.submodule(pair),
            Rule::block_data_stmt => Statement::BlockData(builder.optional_name(pair)),
            Rule::subprogram_stmt => Statement::Subprogram(Box::new(builder.subprogram(pair))),
            Rule::entry_stmt => Statement::Exec(builder.entry(pair)),
            Rule::contains_stmt => Statement::Contains,
            Rule::end_stmt => builder.end(pair),
            Rule::else_if => {
                self.name = builder.optional_name(pair.clone());
                Statement::ElseIf(builder.first_expr(pair))
            }
            Rule::else_stmt => {
                self.name = builder.optional_name(pair);
                Statement::Else
            }
            Rule::do_stmt => builder.do_stmt(pair),
            Rule::select_case => Statement::SelectCase(builder.first_expr(pair)),
            Rule::select_rank => builder.select_rank(pair),
            Rule::rank_stmt => {
                self.name = builder.optional_name(pair.clone());
                builder.case(pair)
            }
            Rule::case_stmt => {
                self.name = builder.optional_name(pair.clone());
                builder.case(pair)
            }
            Rule::select_type => builder.select_type(pair),
            Rule::type_guard => {
                self.name = builder.optional_name(pair.clone());
                builder.type_guard(pair)
            }
            Rule::elsewhere => {
                self.name = builder.optional_name(pair.clone());
                Statement::Elsewhere(builder.optional_expr(pair))
            }
            Rule::associate_stmt => builder.associate(pair),
            Rule::block_stmt => Statement::Block,
            Rule::goto_stmt => Statement::Exec(builder.goto(pair)),
            Rule::assign_stmt => Statement::Exec(builder.label_assignment(pair)),
            Rule::continue_stmt => Statement::Exec(StmtKind::Continue),
            Rule::return_stmt => Statement::Exec(StmtKind::Return(builder.optional_expr(pair))),
            Rule::stop_stmt => Statement::Exec(builder.stop(pair, false)),
            Rule::error_stop => Statement::Exec(builder.stop(pair, true)),
            Rule::pause_stmt => Statement::Exec(builder.pause(pair)),
            Rule::cycle_stmt => Statement::Exec(StmtKind::Cycle(builder.optional_name(pair))),
            Rule::exit_stmt => Statement::Exec(StmtKind::Exit(builder.optional_name(pair))),
            Rule::allocate_stmt => Statement::Exec(StmtKind::Allocate(builder.allocate(pair))),
            Rule::deallocate_stmt => Statement::Exec(StmtKind::Deallocate(builder.allocate(pair))),
            Rule::nullify_stmt => Statement::Exec(StmtKind::Nullify(builder.designators(pair))),
            Rule::print_stmt => Statement::Exec(builder.io_with_format(pair, ast::IoKind::Print)),
            Rule::read_short => Statement::Exec(builder.io_with_format(pair, ast::IoKind::Read)),
            Rule::io_stmt | Rule::unit_stmt => Statement::Exec(builder.io(pair)),
            _ => Statement::Broken,
        }
    }

    /// IF in its three forms; the text after the condition tells them apart.
    fn if_statement(&mut self, text: &str) -> Statement {
        let Some(close) = text.find('(').and_then(|open| closing(text, open)) else {
            // `if a > b then`: it still opens a construct.
            self.parse(Rule::if_then, text);
            return if text.ends_with("then") { self.recover(Rule::if_then, text) } else { Statement::Broken };
        };
        let rest = &text[close + 1..];
        if rest == "then" {
            return match self.parse(Rule::if_then, text) {
                Some(pair) => Statement::If(self.builder.first_expr(pair)),
                None => self.recover(Rule::if_then, text),
            };
        }
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return match self.parse(Rule::if_arithmetic, text) {
                Some(pair) => Statement::Exec(self.builder.if_arithmetic(pair)),
                None => Statement::Broken,
            };
        }
        if rest.starts_with("then ") {
            wording::after_then(&mut self.builder, text, close + 1 + "then ".len());
            return Statement::Broken;
        }
        if rest.is_empty() {
            wording::missing_then(&mut self.builder, text);
            return self.recover(Rule::if_then, text);
        }
        if diag::nearest_within(rest, ["then"], 1).is_some() {
            wording::misspelt_then(&mut self.builder, close + 1..text.len(), rest);
            return self.recover(Rule::if_then, text);
        }
        let condition = match self.parse(Rule::if_head, &text[..=close]) {
            Some(pair) => self.builder.first_expr(pair),
            None => error_expr(self.builder.place(0, close + 1)),
        };
        let body = self.action(text, close + 1, "IF");
        let arm = IfArm { condition: Some(condition), body, span: self.builder.place(0, close + 1) };
        let end = self.builder.place(close + 1, text.len());
        Statement::Exec(StmtKind::If { name: None, arms: vec![arm], end })
    }

    /// WHERE as statement or construct.
    fn where_statement(&mut self, text: &str) -> Statement {
        let close = text.find('(').and_then(|open| closing(text, open)).unwrap_or(text.len().saturating_sub(1));
        let mask = match self.parse(Rule::where_head, &text[..=close]) {
            Some(pair) => self.builder.first_expr(pair),
            None => error_expr(self.builder.place(0, close + 1)),
        };
        if close + 1 == text.len() {
            return Statement::Where(mask);
        }
        let body = self.action(text, close + 1, "WHERE");
        let arm = WhereArm { mask: Some(mask), body, span: self.builder.place(0, close + 1) };
        let end = self.builder.place(close + 1, text.len());
        Statement::Exec(StmtKind::Where { arms: vec![arm], end })
    }

    /// FORALL as statement or construct.
    fn forall_statement(&mut self, text: &str) -> Statement {
        let close = text.find('(').and_then(|open| closing(text, open)).unwrap_or(text.len().saturating_sub(1));
        let header = match self.parse(Rule::forall_head, &text[..=close]) {
            Some(pair) => self.builder.forall_head(pair),
            None => ConcurrentHeader::default(),
        };
        if close + 1 == text.len() {
            return Statement::Forall(header);
        }
        let body = self.action(text, close + 1, "FORALL");
        let end = self.builder.place(close + 1, text.len());
        Statement::Exec(StmtKind::Forall { header, body, end })
    }

    /// The statement at the end of a one-line IF, WHERE or FORALL.
    fn action(&mut self, text: &str, cut: usize, of: &str) -> Block {
        let span = self.builder.place(cut, text.len());
        let word = first_word(&text[cut..]);
        let is_head = word == "if" || of != "IF" && matches!(word, "where" | "forall");
        let kind = match outline::look(&text[cut..]) {
            // Nor could these stand in each other without bound, since this recurses.
            Ok(shape) if is_head && shape.assigns.is_none() && !Self::is_arithmetic_if(&text[cut..]) => None,
            _ => match self.tail(text, cut) {
                Statement::Exec(StmtKind::Entry { .. }) => None,
                Statement::Exec(kind) => Some(kind),
                Statement::Broken => Some(StmtKind::Error),
                _ => None,
            },
        };
        let allowed = match &kind {
            None => false,
            Some(StmtKind::Error) => true,
            Some(StmtKind::Assign { .. } | StmtKind::PointerAssign { .. }) => true,
            Some(_) => of == "IF",
        };
        if !allowed {
            wording::no_action(&mut self.builder, span, of);
        }
        let kind = kind.filter(|_| allowed).unwrap_or(StmtKind::Error);
        vec![Stmt { label: None, kind, span }]
    }

    /// Whether a text is an arithmetic IF, which may be the statement of another IF.
    fn is_arithmetic_if(text: &str) -> bool {
        let close = text.find('(').and_then(|open| closing(text, open));
        close.is_some_and(|close| text[close + 1..].starts_with(|c: char| c.is_ascii_digit()))
    }

    /// FORMAT, whose text is not parsed here.
    fn format(&mut self, text: &str) -> Statement {
        let span = self.builder.place(0, text.len());
        let Some(label) = self.label else {
            self.builder.report(
                Diagnostic::new(Code::BadFormat, span, "a FORMAT statement without a label")
                    .help("give it a label, and that label to WRITE or READ"),
            );
            return Statement::Broken;
        };
        let body = &text["format".len()..];
        if closing(body, 0) != Some(body.len() - 1) {
            self.builder.report(Diagnostic::new(Code::BadFormat, span, "text after the `)` of a FORMAT statement"));
            return Statement::Broken;
        }
        Statement::Decl(DeclKind::Format { label, text: body.into() })
    }
}

fn first_name(builder: &mut Builder<'_>, pair: Pair<'_>) -> Name {
    let span = builder.span(&pair);
    match pair.into_inner().find(|p| p.as_rule() == Rule::name) {
        Some(name) => builder.name(&name),
        None => Name { text: builder.names.intern("?"), span },
    }
}
