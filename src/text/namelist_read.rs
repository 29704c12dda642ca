//! Namelist input (Fortran 2018, 13.11.3): a group's records become assignments to designators.
//!
//! Records before the group are passed over. Within it, `!` begins a comment, names are of either case, values are
//! separated as in list-directed input, repeated, null or left out, and the group ends with `/`, `&end` or `$end` (`$name`
//! begins a group too, as older programs write it). A name followed by `=` begins the next assignment.
//!
//! Not here: what a designator means; a [`NamelistTarget`] says how many elements it has and takes their values.

use crate::error::IoError;
use crate::list_read::{Scan, Scanner, Token, ends_constant};
use crate::modes::Modes;
use crate::read::{Place, Progress};
use crate::value::{Datum, Want};
use std::fmt;

/// One subscript, or a range of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subscript {
    /// A single one.
    Index(i64),
    /// `first:last:stride`, each of which may be left out.
    Range(Option<i64>, Option<i64>, Option<i64>),
}

/// A name with subscripts: a part of a designator. A substring range comes as a second pair of parentheses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The name in lower case.
    pub name: String,
    /// The pairs of parentheses behind it.
    pub selectors: Vec<Vec<Subscript>>,
}

/// What an assignment of a namelist group sets: `a`, `a(3)`, `t%b(1:2)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Designator {
    /// The variable and its components.
    pub parts: Vec<Part>,
}

impl fmt::Display for Designator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            write!(f, "{}{}", if i > 0 { "%" } else { "" }, part.name)?;
            for selector in &part.selectors {
                let shown: Vec<String> = selector.iter().map(ToString::to_string).collect();
                write!(f, "({})", shown.join(","))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Subscript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |n: &Option<i64>| n.map_or(String::new(), |n| n.to_string());
        match self {
            Subscript::Index(n) => write!(f, "{n}"),
            Subscript::Range(first, last, None) => write!(f, "{}:{}", show(first), show(last)),
            Subscript::Range(first, last, stride) => write!(f, "{}:{}:{}", show(first), show(last), show(stride)),
        }
    }
}

/// The variables of a namelist group, as the reader sees them.
pub trait NamelistTarget {
    /// What the elements of a designated object are, in order; an error where the group has no such object. An array element
    /// without a range stands for itself and all elements that follow it.
    fn locate(&mut self, designator: &Designator) -> Result<Vec<Want>, IoError>;
    /// Sets one of them, counted from 0.
    fn store(&mut self, designator: &Designator, element: usize, datum: Datum) -> Result<(), IoError>;
}

/// A namelist input statement in progress.
#[derive(Clone, Debug)]
pub struct NamelistReader {
    modes: Modes,
    group: String,
    text: Vec<u8>,
    inside: bool,
    complete: bool,
    quote: Option<u8>,
    /// How much of the text is done.
    at: usize,
    /// The assignment that is being carried out.
    pending: Option<Assignment>,
}

/// An assignment of a group, as far as it is done.
#[derive(Clone, Debug)]
struct Assignment {
    designator: Designator,
    wants: Vec<Want>,
    element: usize,
    after_value: bool,
}

impl NamelistReader {
    /// Begins a statement that looks for the group of this name.
    pub fn begin(group: &str, modes: Modes) -> NamelistReader {
        NamelistReader {
            modes,
            group: group.to_ascii_lowercase(),
            text: Vec::new(),
            inside: false,
            complete: false,
            quote: None,
            at: 0,
            pending: None,
        }
    }

    /// Takes a record; `Ready` when the group is complete.
    pub fn feed(&mut self, record: &[u8]) -> Progress<()> {
        let mut rest = record;
        if !self.inside && !self.complete {
            let line = record.trim_ascii_start();
            let Some(name) = line.strip_prefix(b"&").or_else(|| line.strip_prefix(b"$")) else {
                return Progress::NeedRecord;
            };
            let length = name.iter().take_while(|c| is_name(**c)).count();
            if !name[..length].eq_ignore_ascii_case(self.group.as_bytes()) {
                return Progress::NeedRecord;
            }
            self.inside = true;
            rest = &name[length..];
        }
        if self.inside {
            self.gather(rest);
        }
        if self.complete { Progress::Ready(()) } else { Progress::NeedRecord }
    }

    /// Appends a record's text up to the group's end or a comment.
    fn gather(&mut self, record: &[u8]) {
        let mut at = 0;
        while let Some(c) = record.get(at) {
            match self.quote {
                Some(quote) => {
                    if *c == quote {
                        self.quote = None;
                    }
                }
                None => match c {
                    b'\'' | b'"' => self.quote = Some(*c),
                    b'!' => break,
                    b'/' => self.complete = true,
                    b'&' | b'$'
                        if record[at + 1..].len() >= 3 && record[at + 1..at + 4].eq_ignore_ascii_case(b"end") =>
                    {
                        self.complete = true;
                    }
                    _ => {}
                },
            }
            if self.complete {
                self.inside = false;
                return;
            }
            self.text.push(*c);
            at += 1;
        }
        if self.quote.is_none() {
            self.text.push(b' ');
        }
    }

    /// Whether all records of the group are there.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The modes in force.
    pub fn modes(&self) -> Modes {
        self.modes
    }

    /// Lends the text to another statement, which reads the value that comes next.
    pub fn lend(&mut self) -> Place {
        Place { record: std::mem::take(&mut self.text), at: self.at, left: self.at }
    }

    /// Goes on where the other statement has left the text.
    pub fn regain(&mut self, place: Place) {
        (self.text, self.at) = (place.record, place.at);
    }

    /// Carries out the assignments of a complete group. Stops at the value of an object that a procedure reads, and gives
    /// which of the designated elements it is; the next call goes on behind the value.
    pub fn apply(&mut self, target: &mut dyn NamelistTarget) -> Result<Option<usize>, IoError> {
        let text = std::mem::take(&mut self.text);
        let mut parser = Parser { text: &text, at: self.at, modes: self.modes };
        let result = parser.assignments(&mut self.pending, target);
        self.at = parser.at;
        self.text = text;
        result
    }
}

impl Parser<'_> {
    fn assignments(
        &mut self,
        pending: &mut Option<Assignment>,
        target: &mut dyn NamelistTarget,
    ) -> Result<Option<usize>, IoError> {
        let parser = self;
        loop {
            if let Some(assignment) = pending {
                let stopped = parser.values(assignment, target)?;
                if stopped.is_some() {
                    return Ok(stopped);
                }
                *pending = None;
            }
            parser.skip(true);
            if parser.peek().is_none() {
                return Ok(None);
            }
            let designator = parser.designator()?;
            parser.skip(false);
            if parser.peek() != Some(b'=') {
                return Err(malformed(format!("`=` expected after `{designator}`")));
            }
            parser.at += 1;
            let wants = target.locate(&designator)?;
            *pending = Some(Assignment { designator, wants, element: 0, after_value: false });
        }
    }
}

fn malformed(message: impl Into<String>) -> IoError {
    IoError::BadNamelist { message: message.into() }
}

fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    modes: Modes,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Passes blanks, and separators too where asked.
    fn skip(&mut self, separators: bool) {
        while let Some(c) = self.peek() {
            if c.is_ascii_whitespace() || (separators && c == self.modes.decimal.separator()) {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    fn name(&mut self) -> Result<String, IoError> {
        let from = self.at;
        while self.peek().is_some_and(is_name) {
            self.at += 1;
        }
        let name = &self.text[from..self.at];
        if name.first().is_none_or(u8::is_ascii_digit) {
            let rest = &self.text[from..self.text.len().min(from + 20)];
            return Err(malformed(format!("a name expected at `{}`", String::from_utf8_lossy(rest).trim_end())));
        }
        Ok(String::from_utf8_lossy(name).to_ascii_lowercase())
    }

    fn designator(&mut self) -> Result<Designator, IoError> {
        let mut parts = Vec::new();
        loop {
            let name = self.name()?;
            let mut selectors = Vec::new();
            self.skip(false);
            while self.peek() == Some(b'(') {
                selectors.push(self.subscripts()?);
                self.skip(false);
            }
            parts.push(Part { name, selectors });
            if self.peek() != Some(b'%') {
                return Ok(Designator { parts });
            }
            self.at += 1;
            self.skip(false);
        }
    }

    fn number(&mut self) -> Result<Option<i64>, IoError> {
        self.skip(false);
        let from = self.at;
        if matches!(self.peek(), Some(b'+' | b'-')) {
            self.at += 1;
        }
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        let text = String::from_utf8_lossy(&self.text[from..self.at]);
        let number = if text.is_empty() { Ok(None) } else { text.parse().map(Some) };
        let number = number.map_err(|_| malformed(format!("`{text}` is not a valid subscript")));
        self.skip(false);
        number
    }

    fn subscripts(&mut self) -> Result<Vec<Subscript>, IoError> {
        let mut list = Vec::new();
        loop {
            // On an opening parenthesis or a comma.
            self.at += 1;
            let first = self.number()?;
            if self.peek() == Some(b':') {
                self.at += 1;
                let last = self.number()?;
                let stride = if self.peek() == Some(b':') {
                    self.at += 1;
                    Some(self.number()?.ok_or_else(|| malformed("a stride is missing"))?)
                } else {
                    None
                };
                list.push(Subscript::Range(first, last, stride));
            } else {
                let index = first.ok_or_else(|| malformed("a subscript is missing"))?;
                list.push(Subscript::Index(index));
            }
            match self.peek() {
                Some(b',') => {}
                Some(b')') => {
                    self.at += 1;
                    return Ok(list);
                }
                _ => return Err(malformed("`,` or `)` expected in subscripts")),
            }
        }
    }

    /// Whether a designator and `=` stand here.
    fn at_assignment(&self) -> bool {
        let mut ahead = Parser { ..*self };
        ahead.designator().is_ok() && {
            ahead.skip(false);
            ahead.peek() == Some(b'=')
        }
    }

    /// The values behind `=`, up to the next assignment or an element that a procedure reads, which it gives.
    fn values(
        &mut self,
        assignment: &mut Assignment,
        target: &mut dyn NamelistTarget,
    ) -> Result<Option<usize>, IoError> {
        let Assignment { designator, wants, element, after_value } = assignment;
        loop {
            self.skip(false);
            let Some(c) = self.peek() else { return Ok(None) };
            if c == self.modes.decimal.separator() {
                self.at += 1;
                if !*after_value {
                    *element += 1;
                }
                *after_value = false;
                continue;
            }
            if (c.is_ascii_alphabetic() || c == b'_') && self.at_assignment() {
                return Ok(None);
            }
            if let Some(Want::Defined) = wants.get(*element) {
                *after_value = true;
                *element += 1;
                return Ok(Some(*element - 1));
            }
            let characters = matches!(wants.get(*element), Some(Want::Char(_)));
            let start = self.at;
            let Scan::Token(repeat, token) =
                Scanner::default().scan(self.text, &mut self.at, self.modes.decimal, characters)?
            else {
                return Err(malformed(format!("a constant of `{designator}` is not closed")));
            };
            if self.at == start && self.peek().is_some_and(|c| ends_constant(c, self.modes.decimal)) {
                return Err(malformed(format!("`{}` where a value of `{designator}` is expected", c as char)));
            }
            *after_value = true;
            if token == Token::Null {
                *element = element.saturating_add(repeat as usize);
                continue;
            }
            for _ in 0..repeat {
                let Some(want) = wants.get(*element) else {
                    return Err(IoError::TooManyValues { name: designator.to_string() });
                };
                if let Some(datum) = token.convert(*want, self.modes)? {
                    target.store(designator, *element, datum)?;
                }
                *element += 1;
            }
        }
    }
}
