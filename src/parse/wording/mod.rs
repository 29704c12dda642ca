//! How refused statements are reported: what was found, what was expected, what to write instead.
//!
//! pest says how far it came and which rules it tried there. Rules become words (`an expression`, `a name`), the closing
//! parenthesis or comma that could follow is read off the text, and the mistakes that people make most (`=` for `==`, two
//! chevrons for three, a missing `then`) are looked for by name. Rule names are never shown.

mod keywords;
mod names;
mod unknown;

pub(crate) use unknown::{Meant, unknown};

use crate::build::Builder;
use crate::grammar::Rule;
use crate::logical::{is_quote, is_word};
use crate::outline::{MAX_PARENTHESES, Unbalanced, first_word};
use crate::statement::EndKind;
use ast::DeclKind;
use diag::{Code, Diagnostic, nearest_name};
use names::{form, statement_name};
use pest::error::{Error, ErrorVariant, InputLocation};
use source::Span;
use unknown::{COARRAY, has_coarray};

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
        if matches!(rule, Rule::goto_stmt | Rule::stop_stmt | Rule::error_stop) {
            builder.unsupported = Some(what);
        } else {
            builder.report_unsupported(span, what);
        }
        return;
    }
    if let Some((message, help)) = known_mistake(rule, text, at) {
        let diagnostic = Diagnostic::new(Code::SyntaxError, span, message);
        builder.report(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
        return;
    }
    if number_runs_into_word(text, at) {
        let start = at - text[..at].bytes().rev().take_while(|&b| is_word(b) || b == b'.').count();
        let span = builder.place(start, at + token.len());
        let whole = &text[start..at + token.len()];
        builder.report(Diagnostic::new(Code::BadNumber, span, format!("`{whole}` is neither a number nor a name")));
        return;
    }
    let mut diagnostic = match expected(rule, text, at, tried) {
        Some(expected) if at > 0 => {
            let message = format!("expected {expected} in {statement}, found {found}");
            let diagnostic = Diagnostic::new(Code::SyntaxError, span, message);
            let attributes = tried.iter().any(|r| matches!(r, Rule::attr | Rule::attr_word));
            let ends = tried.contains(&Rule::end_kind);
            let known = ATTRIBUTES.iter().filter(|_| attributes).chain(EndKind::WORDS.iter().filter(|_| ends));
            match token {
                "while" | "for" if ends => diagnostic.help("every loop ends with `end do`"),
                _ => diagnostic.suggest(nearest_name(token, known.copied())),
            }
        }
        // The statement went wrong right after its first words, which no rule tells apart.
        _ => {
            let at = if at == 0 { after_keyword(text) } else { at };
            let token = self::token(text, at);
            let (span, message) = if token.is_empty() {
                (end_of(builder, text), format!("{statement} breaks off"))
            } else {
                (builder.place(at, at + token.len()), format!("unexpected `{token}` in {statement}"))
            };
            Diagnostic::new(Code::SyntaxError, span, message)
        }
    };
    if let Some(form) = form(rule) {
        diagnostic = diagnostic.help(format!("the form is `{form}`"));
    }
    builder.report(diagnostic);
}

/// The attributes of declarations, for suggestions.
const ATTRIBUTES: &[&str] = &[
    "allocatable",
    "asynchronous",
    "automatic",
    "bind",
    "constant",
    "contiguous",
    "device",
    "dimension",
    "external",
    "intent",
    "intrinsic",
    "managed",
    "optional",
    "parameter",
    "pinned",
    "pointer",
    "private",
    "protected",
    "public",
    "save",
    "shared",
    "static",
    "target",
    "texture",
    "unified",
    "value",
    "volatile",
];

/// The offset after the first word of a statement and the blank that may follow.
fn after_keyword(text: &str) -> usize {
    let word = first_word(text).len();
    word + usize::from(text[word..].starts_with(' '))
}

/// Reports parentheses that do not match.
pub(crate) fn unbalanced(builder: &mut Builder<'_>, text: &str, fault: Unbalanced, rule: Option<Rule>) {
    let character = |at: usize| text[at..].chars().next().unwrap_or(' ');
    let diagnostic = match fault {
        Unbalanced::Open(at) => {
            let open = character(at);
            let close = if open == '(' { ')' } else { ']' };
            let end = end_of(builder, text);
            let diagnostic = Diagnostic::new(
                Code::UnbalancedParentheses,
                builder.place(at, at + 1),
                format!("`{open}` is never closed"),
            )
            .label("opened here")
            .secondary(end, format!("the statement ends without its `{close}`"));
            if builder.not_equal { diagnostic.help("`!` begins a comment; not equal is `/=`") } else { diagnostic }
        }
        Unbalanced::Close(at) => {
            let close = character(at);
            let open = if close == ')' { '(' } else { '[' };
            let message = format!("`{close}` without `{open}` before it");
            Diagnostic::new(Code::UnbalancedParentheses, builder.place(at, at + 1), message)
        }
        Unbalanced::Mixed(open, close) => {
            let message = format!("`{}` is closed with `{}`", character(open), character(close));
            Diagnostic::new(Code::UnbalancedParentheses, builder.place(close, close + 1), message)
                .secondary(builder.place(open, open + 1), "opened here")
        }
        Unbalanced::TooDeep(at) => {
            let message = "parentheses are nested too deeply";
            Diagnostic::new(Code::NestingTooDeep, builder.place(at, at + 1), message)
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

/// Reports `word:` before a statement that is no construct.
pub(crate) fn no_construct(builder: &mut Builder<'_>, word: &str) {
    let span = builder.place(0, word.len() + 1);
    let declares = is_intrinsic_type(word) || matches!(word, "enumerator" | "only");
    let diagnostic = Diagnostic::new(Code::SyntaxError, span, format!("`{word}:` stands before no construct"));
    builder.report(if declares {
        diagnostic.help(format!("to declare names write `{word} ::`"))
    } else {
        diagnostic.help("only IF, DO, SELECT, WHERE, FORALL, ASSOCIATE and BLOCK constructs have names")
    });
}

/// Reports a statement on the line of `if (…) then`.
pub(crate) fn after_then(builder: &mut Builder<'_>, text: &str, at: usize) {
    let span = builder.place(at, text.len());
    builder.report(
        Diagnostic::new(Code::SyntaxError, span, "a statement follows `then` on the same line")
            .help("begin a new line after `then`, or leave `then` out"),
    );
}

/// Reports an IF that ends with its condition.
pub(crate) fn missing_then(builder: &mut Builder<'_>, text: &str) {
    let end = end_of(builder, text);
    builder.report(
        Diagnostic::new(Code::SyntaxError, end, "IF ends with its condition")
            .label("expected `then` or a statement here")
            .help("write `if (…) then`, or put the statement on the same line"),
    );
}

/// Reports an IF whose `then` is misspelt, which still opens a construct.
pub(crate) fn misspelt_then(builder: &mut Builder<'_>, at: std::ops::Range<usize>, word: &str) {
    let span = builder.place(at.start, at.end);
    builder.report(
        Diagnostic::new(Code::SyntaxError, span, format!("expected `then` after the condition of IF, found `{word}`"))
            .suggest(Some("then")),
    );
}

/// Reports what cannot be the statement of a one-line IF, WHERE or FORALL.
pub(crate) fn no_action(builder: &mut Builder<'_>, span: Span, of: &str) {
    let what = if of == "IF" { "an executable statement that is not a construct" } else { "an assignment" };
    builder.report(
        Diagnostic::new(Code::StatementOutOfPlace, span, format!("this cannot be the statement of a one-line {of}"))
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
        Diagnostic::new(Code::SyntaxError, span, format!("a declaration that {why} needs `::` before the names"))
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
    for operator in
        ["<<<", ">>>", "::", "=>", "==", "/=", "<>", "<=", ">=", "**", "//", "(/", "/)", "<<", ">>", "&&", "||"]
    {
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

pub(crate) fn is_intrinsic_type(word: &str) -> bool {
    matches!(word, "integer" | "real" | "complex" | "logical" | "character")
}

/// Features of Fortran that are refused by name.
fn unsupported(rule: Rule, text: &str, at: usize) -> Option<&'static str> {
    let rest = &text[at..];
    let word = first_word(rest);
    if has_coarray(text) {
        return Some(COARRAY);
    }
    match rule {
        Rule::type_decl if word == "codimension" => Some("a coarray (CODIMENSION)"),
        Rule::end_stmt if matches!(word, "critical" | "team") => Some("a coarray construct"),
        _ => None,
    }
}

/// Mistakes that have a name: the message and the help for what stands at `at`.
fn known_mistake(rule: Rule, text: &str, at: usize) -> Option<(String, &'static str)> {
    let rest = &text[at..];
    let before = text[..at].trim_end();
    let condition = matches!(
        rule,
        Rule::if_then | Rule::if_head | Rule::else_if | Rule::do_stmt | Rule::where_head | Rule::elsewhere
    );
    if rest.starts_with("&&") || rest.starts_with("||") {
        return Some((format!("Fortran has no operator `{}`", &rest[..2]), "write `.and.` or `.or.`"));
    }
    if rest.starts_with('|') {
        return Some(("Fortran has no operator `|`".into(), "logical or is `.or.`, that of bits is `ior(a, b)`"));
    }
    if rest.starts_with('^') {
        return Some(("Fortran has no operator `^`".into(), "a power is `a**b`, exclusive or of bits `ieor(a, b)`"));
    }
    if rest.starts_with(|c: char| c.is_ascii_digit()) && before.ends_with('%') {
        return Some((
            "a component is expected after `%`, and this is a number".into(),
            "the remainder of a division is `mod(a, b)`",
        ));
    }
    let last = &before[before.len() - before.bytes().rev().take_while(|&b| is_word(b)).count()..];
    let word = if last == "not" { last } else { first_word(rest) };
    if matches!(word, "and" | "or" | "not") && rule != Rule::type_decl {
        let help = match word {
            "and" => "logical and is `.and.`",
            "or" => "logical or is `.or.`",
            _ => "logical negation is `.not.`",
        };
        return Some((format!("`{word}` is not an operator"), help));
    }
    if rule == Rule::type_decl && before.ends_with("dimension") {
        return Some((
            "`dimension` lacks its extents".into(),
            "write `dimension(n)`, or the extents after each name: `real :: a(n)`",
        ));
    }
    if condition && rest.starts_with('=') && !rest.starts_with("==") && before.contains('(') {
        return Some(("`=` assigns and cannot stand in a condition".into(), "to compare write `==`"));
    }
    let component = rest.strip_prefix('.').map_or("", first_word);
    let operators = ["eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "eqv", "neqv"];
    let is_operator = operators.contains(&component);
    if component.starts_with(|c: char| c.is_ascii_alphabetic())
        && !is_operator
        && before.ends_with(|c: char| c == ')' || c.is_ascii() && is_word(c as u8))
    {
        return Some(("Fortran has no operator `.` for components".into(), "write `%`, as in `threadidx%x`"));
    }
    if rule == Rule::assignment && rest.starts_with(',') && inside(text, at) && is_list_in_parentheses(before) {
        return Some((
            "a list in parentheses is not a value".into(),
            "an array is `[a, b]`, an object of a derived type `name(a, b)`",
        ));
    }
    if rule == Rule::do_stmt && text.starts_with("do while ") {
        return Some(("the condition of DO WHILE stands in parentheses".into(), "write `do while (…)`"));
    }
    if rule == Rule::call_stmt {
        if rest.starts_with("<<") && !rest.starts_with("<<<") {
            return Some(("a launch has three chevrons".into(), "write `<<<grid, block>>>`"));
        }
        if rest.starts_with(">>") && !rest.starts_with(">>>")
            || rest.starts_with('>') && before.contains("<<<") && !rest.starts_with(">>>")
        {
            return Some(("a launch is closed with three chevrons".into(), "write `<<<grid, block>>>`"));
        }
        if rest.starts_with(">>>") && before.contains("<<<") && !before.ends_with(',') {
            return Some(("a launch needs a grid and a block".into(), "write `<<<grid, block>>>`"));
        }
    }
    if rule == Rule::type_decl
        && (rest.starts_with('=') || rest.starts_with("::"))
        && !text[..at].contains("::")
        && rest.starts_with('=')
    {
        return Some((
            "a declaration that gives a value needs `::` before the names".into(),
            "write `type :: name = value`",
        ));
    }
    if rule == Rule::print_stmt && text.starts_with("print(") && rest.starts_with('*') {
        return Some(("PRINT has no control list".into(), "write `print *, items` or `write (*, *) items`"));
    }
    if rule == Rule::print_stmt && !rest.is_empty() && before != "print" && !before.ends_with(',') && !inside(text, at)
    {
        return Some((
            format!("`{}` follows the format of PRINT without a comma", token(text, at)),
            "write `print *, …` or `print '(…)', …`",
        ));
    }
    None
}

/// Whether the text ends inside of a parenthesis that follows `=`, and neither a name nor an operator.
fn is_list_in_parentheses(before: &str) -> bool {
    let mut depth = 0;
    for (at, byte) in before.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 0 => return before[..at].ends_with('='),
            b'(' => depth -= 1,
            _ => {}
        }
    }
    false
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

/// What could stand at an offset, in words; `None` when nothing useful is known.
fn expected(rule: Rule, text: &str, at: usize, tried: &[Rule]) -> Option<String> {
    let mut wants: Vec<&str> = Vec::new();
    let mut want = |what: &'static str| {
        if !wants.contains(&what) {
            wants.push(what);
        }
    };
    let mut operator = false;
    for rule in tried {
        match rule {
            Rule::no_operator => operator = true,
            Rule::name
            | Rule::designator
            | Rule::entity
            | Rule::attr_entity
            | Rule::binding
            | Rule::named_value
            | Rule::association
            | Rule::allocate_item
            | Rule::enum_item
            | Rule::data_set
            | Rule::common_block
            | Rule::cray_pair
            | Rule::loop_var => want("a name"),
            Rule::label | Rule::digits => want("a label"),
            Rule::then => want("`then`"),
            Rule::slash => want("`/`"),
            Rule::equals => want("`=`"),
            Rule::arrow => want("`=>`"),
            Rule::kernel_do => want("`kernel do`"),
            Rule::intent => want("`in`, `out` or `inout`"),
            Rule::expr
            | Rule::number
            | Rule::logical
            | Rule::char_lit
            | Rule::hollerith
            | Rule::array
            | Rule::paren
            | Rule::sign
            | Rule::bound
            | Rule::arg
            | Rule::len_value
            | Rule::control
            | Rule::io_format
            | Rule::launch_grid
            | Rule::cuf_extents
            | Rule::cuf_size
            | Rule::case_range
            | Rule::data_value
            | Rule::data_constant => {
                want("an expression");
            }
            Rule::type_spec | Rule::type_integer | Rule::type_real | Rule::implicit_item => want("a type"),
            Rule::attr | Rule::attr_word => want("an attribute"),
            Rule::generic_spec | Rule::generic_operator | Rule::use_item => want("a name or `operator(…)`"),
            Rule::end_kind => want("the kind of block that ends"),
            _ => {}
        }
    }
    // An expression may be a name; saying both says nothing.
    if wants.contains(&"an expression") {
        wants.retain(|w| *w != "a name" && *w != "a label");
    }
    if operator {
        let chevron = text[..at].contains("<<<") && !text[..at].contains(">>>");
        if inside(text, at) {
            wants.push(if text[at..].starts_with(',') { "`)`" } else { "`,` or `)`" });
        } else if chevron {
            wants.push("`,` or `>>>`");
        } else if rule == Rule::do_stmt && text.contains('=') && !text[..at].contains(',') {
            wants.push("`,` and the last value");
        } else {
            wants.push("an operator");
        }
    }
    if matches!(rule, Rule::type_decl | Rule::attr_stmt) && wants.is_empty() && !text[..at].contains("::") {
        wants.push("`::` or a name");
    }
    if tried.contains(&Rule::EOI) {
        wants.push("the end of the statement");
    }
    let (last, others) = wants.split_last()?;
    Some(if others.is_empty() { (*last).to_owned() } else { format!("{} or {last}", others.join(", ")) })
}
