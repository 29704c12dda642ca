//! Parses a line of text into a [`Command`], by the command table.
//!
//! A command can be shortened to any unambiguous prefix; the aliases of the table take precedence. Coordinates are `(x,y,z)`,
//! `x,y,z` or `x`. Error messages follow those of gdb.
//!
//! Not here: expressions, which stay text (`eval`).

pub(crate) use crate::command::forms::numbers;
use crate::command::forms::{examine, formatted, split_form};
use crate::command::table::{COMMANDS, Row, TOPICS, Verb};
use crate::command::{
    Command, FocusRequest, FrameRequest, ListRequest, Over, ProgramArguments, Topic, WatchOn, Where, arguments, foreign,
};

/// An error in a command line: one sentence for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError(pub String);

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseError {}

/// An error with that text.
pub(crate) fn fail<T>(text: impl Into<String>) -> Result<T, ParseError> {
    Err(ParseError(text.into()))
}

/// The command of a line; `None` for an empty line or a comment (`#`, or `!` with a space after it).
pub fn parse(line: &str) -> Result<Option<Command>, ParseError> {
    let line = line.trim();
    if line.is_empty() || line == "!" || line.starts_with('#') || line.starts_with("! ") {
        return Ok(None);
    }
    let (word, rest) = split_word(line);
    let word = if line.starts_with('!') { "!" } else { word };
    if let Some(answer) = foreign::of_cuda(line) {
        return Ok(Some(Command::Note(answer.to_owned())));
    }
    match foreign::find(&word.to_ascii_lowercase()) {
        Some(other) if other.is_accepted => Ok(Some(Command::Note(other.answer.to_owned()))),
        Some(other) => fail(other.answer),
        None => command(lookup(word)?, rest).map(Some),
    }
}

/// Whether an empty line repeats this one.
pub fn repeats(line: &str) -> bool {
    let (word, _) = split_word(line.trim());
    lookup(word).is_ok_and(|row| row.repeats)
}

/// The row that a word names, by name, alias or unambiguous prefix.
pub(crate) fn lookup(word: &str) -> Result<&'static Row, ParseError> {
    let word = word.to_ascii_lowercase();
    if let Some(row) = COMMANDS.iter().find(|r| r.name == word || r.aliases.contains(&word.as_str())) {
        return Ok(row);
    }
    let fits: Vec<&Row> = COMMANDS.iter().filter(|r| !word.is_empty() && r.name.starts_with(&word)).collect();
    match fits.as_slice() {
        [] => {
            let near = diag::nearest_name(&word, COMMANDS.iter().map(|r| r.name));
            let near = near.map_or(String::new(), |name| format!("  Did you mean \"{name}\"?"));
            fail(format!("Undefined command: \"{word}\".{near}  Try \"help\"."))
        }
        [row] => Ok(row),
        many => {
            let names: Vec<&str> = many.iter().map(|r| r.name).collect();
            fail(format!("Ambiguous command \"{word}\": {}.", names.join(", ")))
        }
    }
}

/// The first word (letters, digits, `-`, `_`) and what follows it; `print/x` ends before the slash.
fn split_word(line: &str) -> (&str, &str) {
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')).unwrap_or(line.len());
    let end = if end == 0 { line.find(char::is_whitespace).unwrap_or(line.len()) } else { end };
    (&line[..end], line[end..].trim())
}

fn command(row: &Row, rest: &str) -> Result<Command, ParseError> {
    let bare =
        |command| if rest.is_empty() { Ok(command) } else { fail(format!("\"{}\" takes no arguments.", row.name)) };
    Ok(match row.verb {
        Verb::Run => Command::Run(given(rest)?),
        Verb::Start => Command::Start(given(rest)?),
        Verb::Continue => Command::Continue(count(rest)?),
        Verb::Step => Command::Step(count(rest)?),
        Verb::Next => Command::Next(count(rest)?),
        Verb::StepAny => Command::StepAny(count(rest)?),
        Verb::ReverseStepAny => Command::ReverseStepAny(count(rest)?),
        Verb::Finish => bare(Command::Finish)?,
        Verb::Advance if rest.is_empty() => return fail("Argument required (a location)."),
        Verb::Advance => Command::Advance(location(rest)?),
        Verb::Until if rest.is_empty() => Command::Until,
        Verb::Until => Command::Advance(location(rest)?),
        Verb::Barrier => bare(Command::Barrier)?,
        Verb::ReverseStep => Command::ReverseStep(count(rest)?),
        Verb::ReverseNext => Command::ReverseNext(count(rest)?),
        Verb::ReverseContinue => bare(Command::ReverseContinue)?,
        Verb::ReverseFinish => bare(Command::ReverseFinish)?,
        Verb::LastChange => Command::LastChange(required(rest, "a variable")?),
        Verb::Timeline => Command::Timeline(number(rest, "the number of a call")?),
        Verb::Finding => {
            let (n, end) = split_word(rest);
            let first = match end {
                "first" => true,
                "" | "second" => false,
                _ => return fail(format!("\"{end}\" is no end of a finding: `first` or `second` is expected.")),
            };
            Command::Finding { number: number(n, "the number of a finding")?, first }
        }
        Verb::Break | Verb::TemporaryBreak if let Some(at) = of_a_thread(rest) => {
            return fail(format!("The thread is a condition here: \"{} {at} if threadidx%x == 3\".", row.name));
        }
        Verb::Break | Verb::TemporaryBreak => {
            let (at, condition) = match split_condition(rest) {
                Some((at, "")) => {
                    return fail(format!("Argument required after \"if\" in \"{} {at} if\".", row.name));
                }
                Some((at, condition)) => (at, Some(condition.to_owned())),
                None => (rest, None),
            };
            Command::Break { at: location(at)?, condition, temporary: row.verb == Verb::TemporaryBreak }
        }
        Verb::BreakMany => Command::BreakMany(required(rest, "a part of a name")?),
        Verb::Condition => {
            let (n, condition) = split_word(rest);
            let condition = condition.strip_prefix("if ").unwrap_or(condition).trim();
            let number = number(n, "a breakpoint number")?;
            Command::Condition(number, (!condition.is_empty()).then(|| condition.to_owned()))
        }
        Verb::Ignore => {
            let (n, times) = split_word(rest);
            Command::Ignore(number(n, "a breakpoint number")?, number(times, "a count")?)
        }
        Verb::LogPoint => match rest.split_once(',') {
            Some((at, format)) => Command::LogPoint { at: location(at)?, format: format.trim().to_owned() },
            None => return fail("Argument required (LOCATION,\"FORMAT\",EXPRESSION...)."),
        },
        Verb::Clear => Command::Clear(location(rest)?),
        Verb::Delete => match subject(rest) {
            (Subject::Displays, list) => Command::Undisplay(numbers(list)?),
            (Subject::Breakpoints, list) => Command::Delete(numbers(list)?),
        },
        Verb::Enable | Verb::Disable => {
            let on = row.verb == Verb::Enable;
            match subject(rest) {
                (Subject::Displays, list) => Command::EnableDisplays(on, numbers(list)?),
                (Subject::Breakpoints, list) => Command::Enable(on, numbers(list)?),
            }
        }
        Verb::Watch | Verb::ReadWatch | Verb::AccessWatch => {
            let rest = rest.strip_prefix("-location ").or(rest.strip_prefix("-l ")).unwrap_or(rest);
            let on = match row.verb {
                Verb::ReadWatch => WatchOn::Read,
                Verb::AccessWatch => WatchOn::Access,
                _ => WatchOn::Change,
            };
            Command::Watch { expression: required(rest.trim(), "an expression")?, on }
        }
        Verb::Thread if rest.starts_with("apply") => applied(rest)?,
        Verb::Thread if rest.starts_with("find") || rest.starts_with("name") => {
            return fail("Threads have no names: \"info threads\" shows where they are.");
        }
        Verb::Kernel | Verb::Block | Verb::Thread | Verb::Warp | Verb::Lane => {
            Command::Focus(focus(&format!("{} {rest}", row.name))?)
        }
        Verb::Cuda => Command::Focus(focus(rest)?),
        Verb::Rank if rest.is_empty() => Command::Rank(None),
        Verb::Rank => match rest.parse() {
            Ok(number) => Command::Rank(Some(number)),
            Err(_) => return fail(format!("Bad rank \"{rest}\": a number from 0 is expected.")),
        },
        Verb::Host => bare(Command::Focus(FocusRequest { host: true, ..FocusRequest::default() }))?,
        Verb::Backtrace => {
            let (is_full, count) = match split_word(rest) {
                ("full" | "-full", count) => (true, count),
                _ => (false, rest),
            };
            let bad = || ParseError(format!("Bad count \"{count}\": a number of frames, or full, is expected."));
            let count = if count.is_empty() { None } else { Some(count.parse().map_err(|_| bad())?) };
            Command::Backtrace { count, is_full }
        }
        Verb::Frame if rest.is_empty() => Command::Frame(FrameRequest::Show),
        Verb::Frame if rest.starts_with("apply") || rest.starts_with("function") || rest.starts_with("address") => {
            return fail(
                "Frames are chosen by number: \"backtrace\" lists them, \"backtrace full\" with their variables.",
            );
        }
        Verb::Frame => {
            let level = rest.strip_prefix("level ").unwrap_or(rest).trim();
            Command::Frame(FrameRequest::Level(number(level, "a frame number")?))
        }
        Verb::Up => Command::Frame(FrameRequest::Up(count(rest)?.min(u64::from(u32::MAX)) as u32)),
        Verb::Down => Command::Frame(FrameRequest::Down(count(rest)?.min(u64::from(u32::MAX)) as u32)),
        Verb::Print => print(rest)?,
        Verb::Output => {
            let (radix, rest) = formatted(rest)?;
            Command::Output(required(rest, "an expression")?, radix)
        }
        Verb::Echo => Command::Echo(rest.to_owned()),
        Verb::Printf => Command::Printf(required(rest, "a format")?),
        Verb::Examine => Command::Examine(examine(rest)?),
        Verb::Whatis | Verb::Ptype => {
            // Forms of gdb, such as /o, say how components of C are shown.
            let expression = split_form(rest).map_or(rest, |(_, expression)| expression);
            Command::Whatis {
                expression: required(expression, "an expression or a type")?,
                is_full: row.verb == Verb::Ptype,
            }
        }
        Verb::Set => set(rest)?,
        Verb::Show => Command::Show(rest.to_ascii_lowercase()),
        Verb::Display if rest.is_empty() => Command::Display(None),
        Verb::Display => {
            let (radix, rest) = formatted(rest)?;
            Command::Display(Some((required(rest, "an expression")?, radix)))
        }
        Verb::Undisplay => Command::Undisplay(numbers(subject(rest).1)?),
        Verb::List => list(rest)?,
        Verb::Search | Verb::SearchBack => {
            Command::Search { text: required(rest, "a text")?, is_back: row.verb == Verb::SearchBack }
        }
        Verb::Disassemble => {
            let (form, name) = split_form(rest).unwrap_or(("", rest));
            // /m, /r and /s of gdb show what is shown anyway.
            if !matches!(form, "" | "ptx" | "m" | "r" | "s" | "rs" | "mr") {
                return fail(format!("Bad format \"/{form}\": /ptx is expected, or nothing."));
            }
            let name = (!name.is_empty()).then(|| name.to_ascii_lowercase());
            Command::Disassemble { name, is_ptx: form == "ptx" }
        }
        Verb::Info => topic(rest)?,
        Verb::Script => Command::Script(row.name),
        Verb::Complete => Command::Complete(rest.to_owned()),
        Verb::Apropos => Command::Apropos(required(rest, "a text")?),
        Verb::Help => Command::Help((!rest.is_empty()).then(|| rest.to_owned())),
        Verb::Quit => bare(Command::Quit)?,
    })
}

/// The arguments of the program, if any are given.
fn given(rest: &str) -> Result<Option<ProgramArguments>, ParseError> {
    if rest.is_empty() { Ok(None) } else { arguments::read(rest).map(Some) }
}

fn required(rest: &str, what: &str) -> Result<String, ParseError> {
    if rest.is_empty() { fail(format!("Argument required ({what}).")) } else { Ok(rest.to_owned()) }
}

fn number<T: std::str::FromStr>(text: &str, what: &str) -> Result<T, ParseError> {
    if text.is_empty() {
        return fail(format!("Argument required ({what})."));
    }
    text.parse().or_else(|_| fail(format!("Bad number \"{text}\": {what} is expected.")))
}

/// The number of a kernel: `3`, or `3.2` for one that device code has launched.
fn kernel(text: &str) -> Result<u64, ParseError> {
    match finding::launch_named(text) {
        Some(number) => Ok(number),
        None => number(text, "a kernel number"),
    }
}

fn count(rest: &str) -> Result<u64, ParseError> {
    if rest.is_empty() {
        return Ok(1);
    }
    match rest.parse::<u64>() {
        Ok(0) | Err(_) => fail(format!("Bad count \"{rest}\": a positive number is expected.")),
        Ok(n) => Ok(n),
    }
}

/// What `delete`, `enable` and `disable` are about.
enum Subject {
    Breakpoints,
    Displays,
}

/// The subject of a list of numbers, and the list.
fn subject(rest: &str) -> (Subject, &str) {
    match split_word(rest) {
        ("display" | "displays", list) => (Subject::Displays, list),
        ("breakpoints" | "breakpoint" | "br", list) => (Subject::Breakpoints, list),
        _ => (Subject::Breakpoints, rest),
    }
}

/// `thread apply all print E` and `thread apply all bt`: other commands have no meaning for many threads at once.
fn applied(rest: &str) -> Result<Command, ParseError> {
    let rest = rest["apply".len()..].trim();
    let at = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (numbers, rest) = rest.split_at(at);
    let (all, command) = split_word(rest);
    if numbers.trim().is_empty() && all == "all" {
        let command = command.strip_prefix("-q").unwrap_or(command).trim();
        match parse(command) {
            Ok(Some(Command::Print { expression, over: Over::Lane, radix })) => {
                return Ok(Command::Print { expression, over: Over::Block, radix });
            }
            Ok(Some(Command::Backtrace { .. })) => return Ok(Command::Stacks),
            _ => {}
        }
    }
    fail(
        "Only \"thread apply all backtrace\" and \"thread apply all print EXPRESSION\" are here: \"info threads\" shows where all threads are, \"thread (X,Y,Z)\" focuses on one.",
    )
}

/// The location of `LOCATION thread N`, which gdb has.
fn of_a_thread(rest: &str) -> Option<&str> {
    let (at, number) = rest.rsplit_once(" thread ")?;
    number.trim().bytes().all(|b| b.is_ascii_digit()).then_some(at.trim())
}

/// Splits `LOCATION if CONDITION`.
fn split_condition(rest: &str) -> Option<(&str, &str)> {
    let lower = rest.to_ascii_lowercase();
    let at = if lower == "if" || lower.starts_with("if ") || lower.starts_with("if(") {
        0
    } else {
        lower.find(" if ").or_else(|| lower.find(" if(")).or_else(|| lower.strip_suffix(" if").map(str::len))? + 1
    };
    Some((rest[..at].trim(), rest[at + 2..].trim()))
}

/// A place in the source.
pub(crate) fn location(text: &str) -> Result<Where, ParseError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Where::Here);
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(Where::Line(number(text, "a line number")?));
    }
    if let Some(lines) =
        text.strip_prefix(['+', '-']).filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    {
        let lines: u32 = number(lines, "a number of lines")?;
        return Ok(Where::Offset(if text.starts_with('-') { -i64::from(lines) } else { i64::from(lines) }));
    }
    if text.starts_with('*') {
        return fail("Statements have no addresses: a line number, FILE:LINE or a procedure name is expected.");
    }
    if let Some((file, line)) = text.rsplit_once(':')
        && !file.is_empty()
        && !file.ends_with(':')
        && line.trim().bytes().all(|b| b.is_ascii_digit())
    {
        return Ok(Where::FileLine(file.trim().to_owned(), number(line.trim(), "a line number")?));
    }
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '%' | '$');
    if text.chars().all(word) && !text.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(Where::Name(text.to_ascii_lowercase().replace("::", ".")));
    }
    fail(format!("Bad location \"{text}\": a line number, FILE:LINE or a procedure name is expected."))
}

/// `kernel 1 block (2,1,1) thread 5 warp 0 lane 3`, in any order. A part without a value asks for the focus.
fn focus(text: &str) -> Result<FocusRequest, ParseError> {
    let mut request = FocusRequest::default();
    let mut rest = text.trim();
    if rest.is_empty() {
        request.show = true;
        return Ok(request);
    }
    while !rest.is_empty() {
        let (word, tail) = split_word(rest);
        let names = ["kernel", "grid", "block", "thread", "warp", "lane", "device", "sm"];
        let Some(name) = names.iter().find(|n| !word.is_empty() && n.starts_with(&word.to_ascii_lowercase())) else {
            return fail(format!("Bad coordinates \"{rest}\": kernel, block, thread, warp or lane is expected."));
        };
        let (value, after) = coordinates(tail);
        rest = after.trim_start_matches([',', ' ']);
        if value.is_empty() {
            request.show = true;
            continue;
        }
        match *name {
            "block" => request.block = Some(triple(value)?),
            "thread" => request.thread = Some(triple(value)?),
            "warp" => request.warp = Some(number(value, "a warp number")?),
            "lane" => request.lane = Some(number(value, "a lane number")?),
            "device" | "sm" => {
                return fail(format!(
                    "Threads are not chosen by {name} here: use kernel, block, thread, warp or lane."
                ));
            }
            _ => request.kernel = Some(kernel(value)?),
        }
    }
    Ok(request)
}

/// Splits off leading coordinates: everything up to the next word.
fn coordinates(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    (text[..end].trim().trim_end_matches(',').trim(), &text[end..])
}

fn triple(text: &str) -> Result<[u32; 3], ParseError> {
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let mut out = [1; 3];
    let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
    if parts.len() > 3 {
        return fail(format!("Bad coordinates \"{text}\": at most three numbers are expected."));
    }
    for (to, part) in out.iter_mut().zip(parts) {
        match part.parse::<u32>() {
            Ok(n) if n > 0 => *to = n,
            _ => return fail(format!("Bad coordinates \"{text}\": numbers from 1 are expected.")),
        }
    }
    Ok(out)
}

fn print(rest: &str) -> Result<Command, ParseError> {
    let (radix, rest) = formatted(rest)?;
    // Options of gdb end with two dashes.
    let rest = if rest.starts_with('-') { rest.split_once(" -- ").map_or(rest, |(_, e)| e) } else { rest };
    let (expression, over) = match rest.rsplit_once('@') {
        Some((e, word)) if word.trim().eq_ignore_ascii_case("warp") => (e, Over::Warp),
        Some((e, word)) if word.trim().eq_ignore_ascii_case("block") => (e, Over::Block),
        Some((e, count)) if !e.contains(['\'', '"']) => {
            return fail(format!(
                "Bad range \"@{count}\": `@warp` or `@block` is expected; a section such as {}(1:{count}) shows a part of an array.",
                e.split('(').next().unwrap_or(e).trim()
            ));
        }
        _ => (rest, Over::Lane),
    };
    if expression.trim().is_empty() && rest.trim().is_empty() {
        // As in gdb: the last value again.
        return Ok(Command::Print { expression: "$".to_owned(), over, radix });
    }
    let expression = required(expression.trim(), "an expression")?;
    if let Some(name) = expression.strip_prefix('*').map(str::trim) {
        return fail(format!(
            "Fortran has no `*` for what a pointer points to: \"print {name}\" shows it, \"print &{name}\" where it is."
        ));
    }
    if top_level_comma(&expression) {
        return fail("One expression at a time: \"printf\" shows several.");
    }
    Ok(Command::Print { expression, over, radix })
}

/// The answer to `set` without an assignment or a setting.
const NO_ASSIGNMENT: &str =
    "Argument required (VARIABLE = EXPRESSION), or a setting: listsize, print elements or args.";

fn set(rest: &str) -> Result<Command, ParseError> {
    let (word, tail) = split_word(rest);
    let setting = word.to_ascii_lowercase();
    let is_declared = matches!(setting.as_str(), "var" | "variable");
    let assignment = if is_declared { tail } else { rest };
    let is_setting =
        !is_declared && !tail.starts_with('=') && (setting == "args" || foreign::SETTINGS.contains(&setting.as_str()));
    if let Some(at) = assignment_at(assignment).filter(|_| !is_setting) {
        let (target, value) = (assignment[..at].trim(), assignment[at + 1..].trim());
        if target.is_empty() || value.is_empty() {
            return fail("Argument required (VARIABLE = EXPRESSION).");
        }
        let value = value.to_owned();
        let name = target.to_ascii_lowercase();
        return Ok(if name.starts_with('$') {
            Command::SetValue { name, value }
        } else {
            Command::SetVar { target: target.to_owned(), value }
        });
    }
    match setting.as_str() {
        "listsize" => Ok(Command::ListSize(match tail {
            "unlimited" => usize::MAX / 4,
            tail => number(tail, "a number of lines")?,
        })),
        "args" => Ok(Command::SetArguments(arguments::read(tail)?)),
        "print" | "p" if tail.starts_with("elements") => match tail["elements".len()..].trim() {
            "unlimited" | "0" => Ok(Command::Elements(u32::MAX)),
            most => Ok(Command::Elements(number(most, "a number of elements, or unlimited")?)),
        },
        _ if is_setting => Ok(Command::Note(format!("The setting \"{setting}\" changes nothing here."))),
        _ => fail(NO_ASSIGNMENT),
    }
}

/// Whether a text has a comma outside of parentheses and character constants.
fn top_level_comma(text: &str) -> bool {
    let (mut depth, mut quote) = (0i32, None);
    text.chars().any(|c| {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(c),
            ('(' | '[', None) => depth += 1,
            (')' | ']', None) => depth -= 1,
            (',', None) => return depth == 0,
            _ => {}
        }
        false
    })
}

/// The two sides of an assignment.
pub(crate) fn assignment(text: &str) -> Option<(&str, &str)> {
    let at = assignment_at(text)?;
    let (target, value) = (text[..at].trim(), text[at + 1..].trim());
    (!target.is_empty() && !value.is_empty()).then_some((target, value))
}

/// The position of the `=` of an assignment: outside of parentheses and character constants, and not part of `==`, `/=`, `<=`, `>=`,
/// `=>`, or the `!=` of C.
fn assignment_at(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut quote) = (0, None);
    for (i, &b) in bytes.iter().enumerate() {
        match b {
            b if quote == Some(b) => quote = None,
            _ if quote.is_some() => {}
            b'\'' | b'"' => quote = Some(b),
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'=' if depth == 0 => {
                let before = i.checked_sub(1).map(|j| bytes[j]);
                let after = bytes.get(i + 1);
                let part =
                    matches!(before, Some(b'=' | b'/' | b'<' | b'>' | b'!')) || matches!(after, Some(b'=' | b'>'));
                return (!part).then_some(i);
            }
            _ => {}
        }
    }
    None
}

fn list(rest: &str) -> Result<Command, ParseError> {
    Ok(Command::List(match rest {
        "" | "+" => ListRequest::More,
        "-" => ListRequest::Less,
        _ => match rest.split_once(',').map(|(from, to)| (from.trim(), to.trim())) {
            Some((from, "")) => ListRequest::From(location(from)?),
            Some(("", to)) => ListRequest::UpTo(location(to)?),
            Some((from, to)) => {
                let first = location(from)?;
                let last = match (&first, to.strip_prefix('+')) {
                    (Where::Line(line) | Where::FileLine(_, line), Some(lines)) => {
                        line.saturating_add(number(lines, "a number of lines")?)
                    }
                    _ => number(to, "a line number")?,
                };
                match first {
                    Where::Line(first) => ListRequest::Range(None, first, last),
                    Where::FileLine(file, first) => ListRequest::Range(Some(file), first, last),
                    _ => return fail(format!("Bad line number \"{from}\": a line number or FILE:LINE is expected.")),
                }
            }
            None => ListRequest::Around(location(rest)?),
        },
    }))
}

fn topic(rest: &str) -> Result<Command, ParseError> {
    let (mut word, mut tail) = split_word(rest);
    if word.eq_ignore_ascii_case("cuda") {
        (word, tail) = split_word(tail);
    }
    let names = || TOPICS.iter().map(|t| t.name).collect::<Vec<_>>().join(", ");
    match word.to_ascii_lowercase().as_str() {
        "" => return fail(format!("\"info\" must be followed by the name of a table: {}.", names())),
        "stack" | "s" => return Ok(Command::Backtrace { count: None, is_full: false }),
        _ => {}
    }
    let topic = table(word)?;
    let takes = TOPICS.iter().find(|t| t.topic == topic).map_or("", |t| t.arguments);
    if takes.is_empty() && !tail.is_empty() {
        return fail(format!("\"info {word}\" takes no arguments."));
    }
    if tail.is_empty() && !takes.is_empty() && !takes.starts_with('[') {
        return fail(format!("Argument required ({takes})."));
    }
    Ok(Command::Info(topic, tail.to_owned()))
}

/// The table of a name, or of its beginning.
fn table(word: &str) -> Result<Topic, ParseError> {
    let lower = word.to_ascii_lowercase();
    if let Some(row) = TOPICS.iter().find(|t| t.name == lower || t.alias == lower) {
        return Ok(row.topic);
    }
    let fits: Vec<_> = TOPICS.iter().filter(|t| t.name.starts_with(&lower)).collect();
    match fits.as_slice() {
        [row] => Ok(row.topic),
        // The usual shorthands of gdb.
        many if !many.is_empty() && matches!(lower.as_str(), "b" | "br" | "f" | "l" | "t" | "k" | "w") => {
            let first = many.iter().find(|r| matches!(r.topic, Topic::Breakpoints)).or(many.first());
            first.map_or_else(|| fail("no such table"), |r| Ok(r.topic))
        }
        [] if let Some(answer) = foreign::info(&lower) => fail(answer),
        [] => fail(format!("Undefined info command: \"{word}\".  Try \"help info\".")),
        many => {
            let names: Vec<&str> = many.iter().map(|t| t.name).collect();
            fail(format!("Ambiguous info command \"{word}\": {}.", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Radix;

    fn one(line: &str) -> Command {
        parse(line).expect("a command").expect("not empty")
    }

    fn error(line: &str) -> String {
        parse(line).expect_err("an error").0
    }

    #[test]
    fn commands_may_be_shortened_to_what_is_unambiguous() {
        assert_eq!(one("c"), Command::Continue(1));
        assert_eq!(one("s 3"), Command::Step(3));
        assert_eq!(one("rs"), Command::ReverseStep(1));
        assert_eq!(one("reverse-c"), Command::ReverseContinue);
        assert_eq!(one("i br"), Command::Info(Topic::Breakpoints, String::new()));
        assert_eq!(one("i b"), Command::Info(Topic::Breakpoints, String::new()));
        assert_eq!(one("info watchpoints"), Command::Info(Topic::Watchpoints, String::new()));
        assert_eq!(one("info line 14"), Command::Info(Topic::Line, "14".into()));
        assert_eq!(error("info scope"), "Argument required (LOCATION).");
        assert_eq!(one("info cuda threads"), Command::Info(Topic::Threads, String::new()));
        assert_eq!(
            error("reverse"),
            "Ambiguous command \"reverse\": reverse-step, reverse-next, reverse-stepi, reverse-continue, reverse-finish, reverse-search."
        );
        assert_eq!(error("frobnicate 3"), "Undefined command: \"frobnicate\".  Try \"help\".");
        assert_eq!(error("blok 2"), "Undefined command: \"blok\".  Did you mean \"block\"?  Try \"help\".");
        assert_eq!(parse("  ! a remark"), Ok(None));
    }

    #[test]
    fn breakpoints_take_places_and_conditions() {
        let b =
            |at, condition: Option<&str>| Command::Break { at, condition: condition.map(Into::into), temporary: false };
        assert_eq!(one("b 12"), b(Where::Line(12), None));
        assert_eq!(one("break a.cuf:7 if i == 3"), b(Where::FileLine("a.cuf".into(), 7), Some("i == 3")));
        assert_eq!(one("break M::Saxpy"), b(Where::Name("m.saxpy".into()), None));
        assert_eq!(one("b if (x > 1)"), b(Where::Here, Some("(x > 1)")));
        assert_eq!(error("b 12 if"), "Argument required after \"if\" in \"break 12 if\".");
        assert_eq!(
            error("b 12 thirteen"),
            "Bad location \"12 thirteen\": a line number, FILE:LINE or a procedure name is expected."
        );
    }

    #[test]
    fn coordinates_come_in_the_forms_of_cuda_gdb() {
        let f = |block, thread| Command::Focus(FocusRequest { block, thread, ..FocusRequest::default() });
        assert_eq!(one("thread (5,2,1)"), f(None, Some([5, 2, 1])));
        assert_eq!(one("cuda block 3 thread 5,2"), f(Some([3, 1, 1]), Some([5, 2, 1])));
        assert_eq!(one("block (2,1,1) thread (5,1,1)"), f(Some([2, 1, 1]), Some([5, 1, 1])));
        assert!(matches!(one("thread"), Command::Focus(FocusRequest { show: true, .. })));
        assert!(matches!(one("cuda device sm warp lane"), Command::Focus(FocusRequest { show: true, .. })));
        assert!(error("cuda sm 3").contains("use kernel"));
        assert_eq!(error("block (0,1,1)"), "Bad coordinates \"(0,1,1)\": numbers from 1 are expected.");
    }

    #[test]
    fn expressions_are_split_from_what_surrounds_them() {
        let set = |target: &str, value: &str| Command::SetVar { target: target.into(), value: value.into() };
        assert_eq!(one("set var a(i) = b == c"), set("a(i)", "b == c"));
        assert_eq!(error("set var a == 3"), NO_ASSIGNMENT);
        assert_eq!((assignment_at("a != 3"), assignment_at("'x=1' // \"=\"")), (None, None));
        assert_eq!(assignment("name = 'x=1'"), Some(("name", "'x=1'")));
        let print = |e: &str, over, radix| Command::Print { expression: e.into(), over, radix };
        assert_eq!(one("p/x mask @warp"), print("mask", Over::Warp, Radix::Hex));
        assert_eq!(one("print s(1:4)"), print("s(1:4)", Over::Lane, Radix::Natural));
        assert_eq!(one("print"), print("$", Over::Lane, Radix::Natural));
        assert_eq!(one("thread apply all p/x t"), print("t", Over::Block, Radix::Hex));
        assert_eq!(one("thread apply all bt"), Command::Stacks);
        assert_eq!(one("list 10,+3"), Command::List(ListRequest::Range(None, 10, 13)));
        assert_eq!(one("l a.cuf:3,5"), Command::List(ListRequest::Range(Some("a.cuf".into()), 3, 5)));
        assert_eq!(one("l k,"), Command::List(ListRequest::From(Where::Name("k".into()))));
        assert!(error("b 14 thread 3").contains("break 14 if threadidx%x == 3"));
        assert!(error("frame apply all p i").contains("backtrace full"));
        assert_eq!(one("info f"), Command::Info(Topic::Frame, String::new()));
        assert_eq!(one("set print elements 5"), Command::Elements(5));
        assert_eq!(one("set print elements unlimited"), Command::Elements(u32::MAX));
        assert!(matches!(one("set print pretty on"), Command::Note(_)));
        assert!(matches!(one("set cuda break_on_launch all"), Command::Note(text) if text.contains("rbreak")));
        assert_eq!(one("set h = 3"), set("h", "3"));
        assert_eq!(one("set $n = 3"), Command::SetValue { name: "$n".into(), value: "3".into() });
        assert_eq!(error("set h"), NO_ASSIGNMENT);
        assert_eq!(one("b +2"), Command::Break { at: Where::Offset(2), condition: None, temporary: false });
        assert!(matches!(one("set pagination off"), Command::Note(_)) && matches!(one("record"), Command::Note(_)));
        assert!(error("jump 14").contains("advance") && error("info signals").contains("Ctrl-C"));
        assert!(error("p *x").contains("print &x") && error("p i, a(1, 2)").contains("printf"));
        assert_eq!(one("p a(1, 2)//','"), print("a(1, 2)//','", Over::Lane, Radix::Natural));
        assert!(error("p x(1)@5").contains("x(1:5)") && error("!echo hi").contains("shell"));
    }

    #[test]
    fn every_row_is_found_by_its_names_and_only_there() {
        for row in COMMANDS {
            for name in [row.name].iter().chain(row.aliases) {
                assert_eq!(lookup(name).expect("known").verb, row.verb, "{name}");
            }
        }
        let mut names: Vec<&str> =
            COMMANDS.iter().flat_map(|r| [r.name].into_iter().chain(r.aliases.iter().copied())).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]), "a name stands for two commands");
    }
}
