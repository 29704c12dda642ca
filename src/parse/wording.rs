//! How refused statements are reported: what was found, what was expected, what to write instead.
//!
//! pest says how far it came and which rules it tried there. Rules become words (`an expression`, `a name`), the closing
//! parenthesis or comma that could follow is read off the text, and the mistakes that people make most (`=` for `==`, two
//! chevrons for three, a missing `then`) are looked for by name. Rule names are never shown.

use crate::build::Builder;
use crate::classify::KEYWORDS;
use crate::grammar::Rule;
use crate::logical::{is_quote, is_word};
use crate::shape::{MAX_PARENTHESES, Unbalanced, first_word};
use ast::DeclKind;
use diag::{Code, Diagnostic, nearest_name};
use pest::error::{Error, ErrorVariant, InputLocation};
use source::Span;

/// Reports that the grammar refused a statement.
pub(crate) fn refused(builder: &mut Builder<'_>, rule: Rule, text: &str, error: &Error<Rule>) {
    let at = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at.min(text.len()),
    };
    let tried: &[Rule] = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives,
        ErrorVariant::CustomError { .. } => &[],
    };
    let at = at + usize::from(text[at..].starts_with(' '));
    let token = token(text, at);
    let span = if token.is_empty() { end_of(builder, text) } else { builder.place(at, at + token.len()) };
    let found = if token.is_empty() { "the end of the statement".to_owned() } else { format!("`{token}`") };
    let statement = statement_name(rule);
    if let Some(what) = unsupported(rule, text, at) {
        builder.report_unsupported(span, what);
        return;
    }
    if let Some((message, help)) = known_mistake(rule, text, at) {
        let diagnostic = Diagnostic::error(Code::SyntaxError, span, message);
        builder.report(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
        return;
    }
    if number_runs_into_word(text, at) {
        let start = at - text[..at].bytes().rev().take_while(|&b| is_word(b) || b == b'.').count();
        let span = builder.place(start, at + token.len());
        let whole = &text[start..at + token.len()];
        builder.report(Diagnostic::error(Code::BadNumber, span, format!("`{whole}` is neither a number nor a name")));
        return;
    }
    let expected = expected(rule, text, at, tried);
    let mut diagnostic =
        Diagnostic::error(Code::SyntaxError, span, format!("expected {expected} in {statement}, found {found}"));
    if let Some(form) = form(rule) {
        diagnostic = diagnostic.help(format!("the form is `{form}`"));
    }
    builder.report(diagnostic);
}

/// Reports parentheses that do not match.
pub(crate) fn unbalanced(builder: &mut Builder<'_>, text: &str, fault: Unbalanced, rule: Option<Rule>) {
    let character = |at: usize| text[at..].chars().next().unwrap_or(' ');
    let diagnostic = match fault {
        Unbalanced::Open(at) => {
            let open = character(at);
            let close = if open == '(' { ')' } else { ']' };
            let end = end_of(builder, text);
            let diagnostic =
                Diagnostic::error(Code::UnbalancedParentheses, builder.place(at, at + 1), format!("`{open}` is never closed"))
                    .label("opened here")
                    .secondary(end, format!("the statement ends without its `{close}`"));
            if builder.not_equal {
                diagnostic.help("`!` begins a comment; not equal is `/=`")
            } else {
                diagnostic
            }
        }
        Unbalanced::Close(at) => {
            let close = character(at);
            let open = if close == ')' { '(' } else { '[' };
            let message = format!("`{close}` without `{open}` before it");
            Diagnostic::error(Code::UnbalancedParentheses, builder.place(at, at + 1), message)
        }
        Unbalanced::Mixed(open, close) => {
            let message = format!("`{}` is closed with `{}`", character(open), character(close));
            Diagnostic::error(Code::UnbalancedParentheses, builder.place(close, close + 1), message)
                .secondary(builder.place(open, open + 1), "opened here")
        }
        Unbalanced::TooDeep(at) => {
            let message = "parentheses are nested too deeply";
            Diagnostic::error(Code::NestingTooDeep, builder.place(at, at + 1), message)
                .label(format!("more than {MAX_PARENTHESES} are open here"))
                .help("compute parts of the expression into variables first")
        }
    };
    let diagnostic = match rule.and_then(form) {
        Some(form) if !matches!(fault, Unbalanced::TooDeep(_)) => diagnostic.note(format!("the form is `{form}`")),
        _ => diagnostic,
    };
    builder.report(diagnostic);
}

/// What an unknown first word was probably meant to be.
pub(crate) enum Meant {
    /// This keyword, misspelled.
    Keyword(&'static str),
    /// The beginning of a loop.
    Loop,
    /// ELSE IF
    ElseIf,
    /// SELECT CASE
    Select,
    /// Nothing that matters for the structure.
    Unknown,
}

/// Reports a statement whose first word is no keyword; gives what was probably meant.
pub(crate) fn unknown(builder: &mut Builder<'_>, text: &str) -> Meant {
    let word = first_word(text);
    let rest = &text[word.len()..];
    let whole = builder.place(0, text.len());
    let shown = if word.is_empty() { token(text, 0) } else { word };
    let head = builder.place(0, shown.len().max(1));
    if let Some(what) = unsupported_statement(text, word, rest) {
        builder.report_unsupported(whole, what);
        return Meant::Unknown;
    }
    let error = |span, message: String| Diagnostic::error(Code::UnknownStatement, span, message);
    if word.is_empty() {
        builder.report(error(head, format!("no statement begins with `{shown}`")));
        return Meant::Unknown;
    }
    if let Some(at) = text.find("<<<") {
        let callee = &text[..at];
        builder.report(
            error(whole, format!("the launch of `{callee}` lacks `call`"))
                .help(format!("write `call {callee}<<<grid, block>>>(…)`")),
        );
        return Meant::Unknown;
    }
    for (operator, plain) in [("+=", "+"), ("-=", "-"), ("*=", "*"), ("++", "+"), ("--", "-")] {
        if let Some((target, value)) = text.split_once(operator) {
            let value = if value.is_empty() { "1" } else { value };
            builder.report(
                error(whole, format!("Fortran has no operator `{operator}`"))
                    .help(format!("write `{target} = {target} {plain} {value}`")),
            );
            return Meant::Unknown;
        }
    }
    let no_such = || error(head, format!("Fortran has no `{word}` statement"));
    let (diagnostic, meant) = match word {
        "for" => (no_such().help("a loop is `do i = first, last` … `end do`"), Meant::Loop),
        "while" => (no_such().help("write `do while (…)` … `end do`"), Meant::Loop),
        "elif" | "elsif" => (no_such().help("write `else if (…) then`"), Meant::ElseIf),
        "switch" => (no_such().help("write `select case (…)`"), Meant::Select),
        "let" | "var" | "int" | "float" | "void" | "auto" | "const" | "char" | "bool" => {
            (no_such().help("a declaration is `integer :: name` or `real :: name`"), Meant::Unknown)
        }
        _ => match nearest_name(word, KEYWORDS.iter().copied()) {
            Some(keyword) => (
                error(head, format!("`{word}` begins no statement")).suggest(Some(keyword)),
                Meant::Keyword(keyword),
            ),
            None if rest.is_empty() || rest.starts_with(['(', '%']) => (
                error(whole, format!("`{text}` by itself is no statement"))
                    .help(format!("to call a subroutine write `call {text}`"))
                    .help("to assign a value write `name = value`"),
                Meant::Unknown,
            ),
            None => (error(head, format!("`{word}` begins no statement")), Meant::Unknown),
        },
    };
    builder.report(diagnostic);
    meant
}

/// Statements that are refused by name.
fn unsupported_statement(text: &str, word: &str, rest: &str) -> Option<&'static str> {
    if word.strip_prefix("assign").is_some_and(|w| w.is_empty() || w.starts_with(|c: char| c.is_ascii_digit())) {
        return Some("ASSIGN");
    }
    if has_coarray(text) {
        return Some(COARRAY);
    }
    match word {
        "wait" if rest.starts_with('(') => Some("WAIT (asynchronous input and output)"),
        "critical" if rest.is_empty() || rest.starts_with('(') => Some("CRITICAL (a coarray construct)"),
        "sync" if rest.starts_with(' ') => Some("SYNC (a coarray statement)"),
        "change" | "form" if rest.starts_with(" team") => Some("a team of coarray images"),
        "event" if rest.starts_with(' ') => Some("EVENT (a coarray statement)"),
        "lock" | "unlock" if rest.starts_with('(') => Some("LOCK (a coarray statement)"),
        _ => None,
    }
}

/// Reports an IF that ends with its condition.
pub(crate) fn missing_then(builder: &mut Builder<'_>, text: &str) {
    let end = end_of(builder, text);
    builder.report(
        Diagnostic::error(Code::SyntaxError, end, "IF ends with its condition")
            .label("expected `then` or a statement here")
            .help("write `if (…) then`, or put the statement on the same line"),
    );
}

/// Reports what cannot be the statement of a one-line IF, WHERE or FORALL.
pub(crate) fn no_action(builder: &mut Builder<'_>, span: Span, of: &str) {
    let what = if of == "IF" { "an executable statement that is no construct" } else { "an assignment" };
    builder.report(
        Diagnostic::error(Code::StatementOutOfPlace, span, format!("this cannot be the statement of a one-line {of}"))
            .label(format!("expected {what}")),
    );
}

/// Reports a type declaration that needs `::` and has none.
pub(crate) fn check_colons(builder: &mut Builder<'_>, decl: &DeclKind) {
    let DeclKind::Type { attrs, entities, .. } = decl else { return };
    let Some(first) = entities.first() else { return };
    let has_value = entities.iter().any(|e| e.init.is_some() || e.pointer_init.is_some());
    if attrs.is_empty() && !has_value {
        return;
    }
    let why = if has_value { "gives a value" } else { "has attributes" };
    let span = first.name.span;
    let shown = &first.name.text;
    builder.report(
        Diagnostic::error(Code::SyntaxError, span, format!("a declaration that {why} needs `::` before the names"))
            .help(format!("write `:: {shown}`")),
    );
}

/// The place after the last character of a statement; one character wide, so that it can be seen.
fn end_of(builder: &Builder<'_>, text: &str) -> Span {
    let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
    let span = builder.place(last, text.len());
    Span { start: span.end, end: span.end, ..span }
}

/// The token at an offset, as it stands in the normalised text; empty at the end.
fn token(text: &str, at: usize) -> &str {
    let rest = &text[at.min(text.len())..];
    let Some(first) = rest.chars().next() else { return "" };
    if first.is_ascii() && is_word(first as u8) {
        return first_word(rest);
    }
    if first.is_ascii() && is_quote(first as u8) {
        let end = rest[1..].find(first).map_or(rest.len(), |n| n + 2);
        return if end <= 24 { &rest[..end] } else { &rest[..1] };
    }
    for operator in ["<<<", ">>>", "::", "=>", "==", "/=", "<=", ">=", "**", "//", "(/", "/)", "<<", ">>", "&&", "||"] {
        if rest.starts_with(operator) {
            return operator;
        }
    }
    if let Some(end) = rest.strip_prefix('.').map(|r| r.bytes().take_while(u8::is_ascii_alphabetic).count())
        && end > 0
        && rest.as_bytes().get(end + 1) == Some(&b'.')
    {
        return &rest[..end + 2];
    }
    &rest[..first.len_utf8()]
}

fn number_runs_into_word(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    if !bytes.get(at).is_some_and(|&b| is_word(b)) || at == 0 || !bytes[at - 1].is_ascii_digit() {
        return false;
    }
    let start = at - text[..at].bytes().rev().take_while(|&b| is_word(b)).count();
    bytes[start].is_ascii_digit()
}

/// Features of Fortran that are refused by name.
fn unsupported(rule: Rule, text: &str, at: usize) -> Option<&'static str> {
    let rest = &text[at..];
    let word = first_word(rest);
    if has_coarray(text) {
        return Some(COARRAY);
    }
    match rule {
        Rule::type_def if rest.starts_with('(') => Some("a parameterised derived type"),
        Rule::type_decl if matches!(word, "kind" | "len") && text[..at].ends_with(',') => {
            Some("a parameter of a derived type")
        }
        Rule::type_decl | Rule::type_guard | Rule::subprogram_stmt | Rule::allocate_stmt
            if text[..at].ends_with("type(") || text[..at].ends_with("class(") || text[..at].ends_with("is(") =>
        {
            rest[word.len()..].starts_with('(').then_some("a parameterised derived type")
        }
        Rule::stop_stmt | Rule::error_stop if rest.starts_with(",quiet=") => Some("QUIET= of STOP"),
        Rule::type_decl if word == "codimension" => Some("a coarray (CODIMENSION)"),
        Rule::goto_stmt if word.starts_with(|c: char| c.is_ascii_alphabetic()) => Some("an assigned GO TO"),
        Rule::end_stmt if matches!(word, "critical" | "team") => Some("a coarray construct"),
        _ => None,
    }
}

const COARRAY: &str = "a coarray (square brackets after a name)";

/// Whether square brackets stand after a name or a closing parenthesis.
fn has_coarray(text: &str) -> bool {
    let mut quote = None;
    let mut before = b' ';
    for byte in text.bytes() {
        match quote {
            Some(q) if q == byte => quote = None,
            Some(_) => {}
            None if is_quote(byte) => quote = Some(byte),
            None if byte == b'[' && (is_word(before) || before == b')') => return true,
            None => {}
        }
        before = byte;
    }
    false
}

/// Mistakes that have a name: the message and the help for what stands at `at`.
fn known_mistake(rule: Rule, text: &str, at: usize) -> Option<(String, &'static str)> {
    let rest = &text[at..];
    let before = text[..at].trim_end();
    let condition = matches!(rule, Rule::if_then | Rule::if_head | Rule::else_if | Rule::do_stmt | Rule::where_head | Rule::elsewhere);
    if rest.starts_with("&&") || rest.starts_with("||") {
        return Some((format!("Fortran has no operator `{}`", &rest[..2]), "write `.and.` or `.or.`"));
    }
    if rest.starts_with('|') {
        return Some(("Fortran has no operator `|`".into(), "logical or is `.or.`, that of bits is `ior(a, b)`"));
    }
    if condition && rest.starts_with('=') && !rest.starts_with("==") && before.contains('(') {
        return Some(("`=` assigns and cannot stand in a condition".into(), "to compare write `==`"));
    }
    if rule == Rule::call_stmt {
        if rest.starts_with("<<") && !rest.starts_with("<<<") {
            return Some(("a launch has three chevrons".into(), "write `<<<grid, block>>>`"));
        }
        if rest.starts_with(">>") && !rest.starts_with(">>>") || rest.starts_with('>') && before.contains("<<<") && !rest.starts_with(">>>") {
            return Some(("a launch is closed with three chevrons".into(), "write `<<<grid, block>>>`"));
        }
        if rest.starts_with(">>>") && before.contains("<<<") && !before.ends_with(',') {
            return Some(("a launch needs a grid and a block".into(), "write `<<<grid, block>>>`"));
        }
    }
    if rule == Rule::type_decl && (rest.starts_with('=') || rest.starts_with("::")) && !text[..at].contains("::") && rest.starts_with('=') {
        return Some(("a declaration that gives a value needs `::` before the names".into(), "write `type :: name = value`"));
    }
    if rule == Rule::type_decl && rest.starts_with('/') {
        return Some((
            "an initial value between slashes is not taken".into(),
            "write `:: name = value`, or give values with a DATA statement",
        ));
    }
    if rule == Rule::print_stmt && !rest.is_empty() && before != "print" && !before.ends_with(',') && !inside(text, at) {
        return Some((
            format!("`{}` follows the format of PRINT without a comma", token(text, at)),
            "write `print *, …` or `print '(…)', …`",
        ));
    }
    None
}

/// Whether a parenthesis is open at an offset.
fn inside(text: &str, at: usize) -> bool {
    let mut depth = 0i32;
    let mut quote = None;
    for byte in text[..at].bytes() {
        match (quote, byte) {
            (Some(q), b) if q == b => quote = None,
            (Some(_), _) => {}
            (None, b'(' | b'[') => depth += 1,
            (None, b')' | b']') => depth -= 1,
            (None, b) if is_quote(b) => quote = Some(b),
            _ => {}
        }
    }
    depth > 0
}

/// What could stand at an offset, in words.
fn expected(rule: Rule, text: &str, at: usize, tried: &[Rule]) -> String {
    let mut wants: Vec<&str> = Vec::new();
    let mut want = |what: &'static str| {
        if !wants.contains(&what) {
            wants.push(what);
        }
    };
    let mut operator = false;
    for rule in tried {
        match rule {
            Rule::name => want("a name"),
            Rule::label | Rule::digits => want("a label"),
            Rule::designator | Rule::entity | Rule::attr_entity | Rule::binding | Rule::named_value | Rule::association => {
                want("a name");
            }
            Rule::then => want("`then`"),
            Rule::kernel_do => want("`kernel do`"),
            Rule::expr | Rule::number | Rule::logical | Rule::char_lit | Rule::array | Rule::paren | Rule::sign | Rule::bound
            | Rule::arg | Rule::len_value => want("an expression"),
            Rule::type_spec | Rule::type_integer | Rule::type_real => want("a type"),
            Rule::attr | Rule::attr_word => want("an attribute"),
            Rule::no_operator => operator = true,
            Rule::generic_spec | Rule::generic_operator => want("a name or `operator(…)`"),
            Rule::end_kind => want("the kind of block that ends"),
            Rule::launch => want("`<<<grid, block>>>`"),
            Rule::EOI => {}
            _ => {}
        }
    }
    // An expression may be a name; saying both says nothing.
    if wants.contains(&"an expression") {
        wants.retain(|w| *w != "a name" && *w != "a label");
    }
    let chevron = text[..at].contains("<<<") && !text[..at].contains(">>>") && text.contains("<<<");
    if wants.is_empty() || operator {
        if inside(text, at) {
            wants.push("`,` or `)`");
        } else if chevron {
            wants.push("`,` or `>>>`");
        } else if rule == Rule::do_stmt && text.contains('=') && !text[..at].contains(',') {
            wants.push("`,` and the last value");
        } else {
            match rule {
                Rule::data_stmt => wants.push("`/`"),
                Rule::associate_stmt => wants.push("`=>`"),
                Rule::type_decl | Rule::attr_stmt if !text[..at].contains("::") => wants.push("`::` or a name"),
                _ if operator => wants.push("an operator"),
                _ => {}
            }
            if tried.contains(&Rule::EOI) || wants.is_empty() {
                wants.push("the end of the statement");
            }
        }
    }
    match wants.split_last() {
        None => "something else".to_owned(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

/// A statement as messages call it.
fn statement_name(rule: Rule) -> &'static str {
    match rule {
        Rule::assignment => "an assignment",
        Rule::pointer_assignment => "a pointer assignment",
        Rule::call_stmt => "CALL",
        Rule::if_then | Rule::if_head | Rule::if_arithmetic => "IF",
        Rule::else_if => "ELSE IF",
        Rule::else_stmt => "ELSE",
        Rule::do_stmt => "DO",
        Rule::select_case => "SELECT CASE",
        Rule::select_type => "SELECT TYPE",
        Rule::case_stmt => "CASE",
        Rule::type_guard => "TYPE IS or CLASS IS",
        Rule::where_head => "WHERE",
        Rule::elsewhere => "ELSEWHERE",
        Rule::forall_head => "FORALL",
        Rule::associate_stmt => "ASSOCIATE",
        Rule::block_stmt => "BLOCK",
        Rule::type_decl => "a type declaration",
        Rule::procedure_decl => "a procedure declaration",
        Rule::attr_stmt => "an attribute statement",
        Rule::implicit_none | Rule::implicit_stmt => "IMPLICIT",
        Rule::parameter_stmt => "PARAMETER",
        Rule::data_stmt => "DATA",
        Rule::common_stmt => "COMMON",
        Rule::equivalence_stmt => "EQUIVALENCE",
        Rule::namelist_stmt => "NAMELIST",
        Rule::cray_pointer => "POINTER",
        Rule::import_stmt => "IMPORT",
        Rule::use_stmt => "USE",
        Rule::type_def => "a type definition",
        Rule::binding_stmt => "a type-bound procedure",
        Rule::generic_stmt => "GENERIC",
        Rule::final_stmt => "FINAL",
        Rule::enum_def => "ENUM",
        Rule::enumerator => "ENUMERATOR",
        Rule::interface_stmt => "INTERFACE",
        Rule::module_procedure => "MODULE PROCEDURE",
        Rule::program_stmt => "PROGRAM",
        Rule::module_stmt => "MODULE",
        Rule::submodule_stmt => "SUBMODULE",
        Rule::block_data_stmt => "BLOCK DATA",
        Rule::subprogram_stmt => "a subprogram statement",
        Rule::entry_stmt => "ENTRY",
        Rule::contains_stmt => "CONTAINS",
        Rule::end_stmt => "an END statement",
        Rule::goto_stmt => "GO TO",
        Rule::return_stmt => "RETURN",
        Rule::stop_stmt => "STOP",
        Rule::error_stop => "ERROR STOP",
        Rule::cycle_stmt => "CYCLE",
        Rule::exit_stmt => "EXIT",
        Rule::allocate_stmt => "ALLOCATE",
        Rule::deallocate_stmt => "DEALLOCATE",
        Rule::nullify_stmt => "NULLIFY",
        Rule::print_stmt => "PRINT",
        Rule::read_short => "READ",
        Rule::io_stmt | Rule::unit_stmt => "an I/O statement",
        Rule::cuf_kernel => "`!$cuf kernel do`",
        Rule::ignore_tkr => "`!dir$ ignore_tkr`",
        _ => "the statement",
    }
}

/// The form of a statement, for those whose form is short and often missed.
fn form(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::if_then => "if (condition) then",
        Rule::else_if => "else if (condition) then",
        Rule::do_stmt => "do name = first, last [, step]",
        Rule::select_case => "select case (expression)",
        Rule::case_stmt => "case (values)` or `case default",
        Rule::select_type => "select type (name => expression)",
        Rule::associate_stmt => "associate (name => expression)",
        Rule::allocate_stmt => "allocate (array(extents) [, stat=name])",
        Rule::use_stmt => "use module [, only: names]",
        Rule::parameter_stmt => "parameter (name = value)",
        Rule::enum_def => "enum, bind(c)",
        Rule::implicit_stmt => "implicit none",
        Rule::cuf_kernel => "!$cuf kernel do [(n)] [<<<grid, block>>>]",
        Rule::ignore_tkr => "!dir$ ignore_tkr (letters) name",
        Rule::cray_pointer => "pointer (pointer, pointee)",
        Rule::namelist_stmt => "namelist /group/ names",
        Rule::subprogram_stmt => "subroutine name(arguments)` or `function name(arguments)",
        _ => return None,
    })
}
