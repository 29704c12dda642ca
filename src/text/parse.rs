//! The text of formats (Fortran 2018, 13.3), with what nvfortran adds: descriptors without width (`i`, `f`, `l`, `z` …),
//! `l0`, `$`, `q`, Hollerith constants, and commas that may be left out.
//!
//! Blanks mean nothing outside of constants; letters are of either case. Groups nest at most 256 deep, numbers are at most
//! 1,000,000 where they become columns. The literal's text is taken as it is: escapes with a backslash are the source
//! language's matter.
//!
//! Not here: `EX` editing, variable expressions `<n>`, which are errors by name.

use crate::error::FormatError;
use crate::field::Exponential;
use crate::format::{Control, DerivedEdit, Edit, Format, Node};
use crate::modes::{Blank, Decimal, Round, Sign};

const MAX_NESTING: usize = 256;
const MAX_COLUMNS: u64 = 1_000_000;

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    open: Vec<usize>,
    reversion: usize,
}

impl Format {
    /// Parses a format with its parentheses, as `(i5, 3(1x, f8.3))`; what follows the last one is ignored.
    pub fn parse(text: &[u8]) -> Result<Format, FormatError> {
        parse(text)
    }
}

fn parse(text: &[u8]) -> Result<Format, FormatError> {
    let mut parser = Parser { text, at: 0, nodes: Vec::new(), open: Vec::new(), reversion: 0 };
    if parser.peek() != Some(b'(') {
        return Err(parser.error("a format begins with `(`"));
    }
    parser.at += 1;
    parser.run()?;
    Ok(Format { nodes: parser.nodes, reversion: parser.reversion })
}

impl Parser<'_> {
    /// The next character that is no blank, in upper case; the position moves onto it.
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(|c| matches!(c, b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.text.get(self.at).map(u8::to_ascii_uppercase)
    }

    fn eat(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn error(&self, message: impl Into<String>) -> FormatError {
        self.error_at(self.at, message)
    }

    fn error_at(&self, offset: usize, message: impl Into<String>) -> FormatError {
        FormatError { offset: offset.min(self.text.len()), message: message.into() }
    }

    /// An unsigned number, if one is next.
    fn number(&mut self) -> Result<Option<u64>, FormatError> {
        let mut value = None;
        while let Some(c @ b'0'..=b'9') = self.peek() {
            let next = value.unwrap_or(0u64) * 10 + u64::from(c - b'0');
            if next > u32::MAX.into() {
                return Err(self.error("number too great"));
            }
            value = Some(next);
            self.at += 1;
        }
        Ok(value)
    }

    /// A number of columns or digits, if one is next.
    fn columns(&mut self) -> Result<Option<usize>, FormatError> {
        let start = self.at;
        match self.number()? {
            Some(n) if n > MAX_COLUMNS => Err(self.error_at(start, "number of columns too great")),
            n => Ok(n.map(|n| n as usize)),
        }
    }

    fn needed(&mut self, what: &str) -> Result<usize, FormatError> {
        match self.columns()? {
            Some(n) => Ok(n),
            None => Err(self.error(format!("{what} expected"))),
        }
    }

    fn run(&mut self) -> Result<(), FormatError> {
        loop {
            let start = self.at;
            let Some(c) = self.peek() else { return Err(self.error("the closing `)` is missing")) };
            match c {
                b',' => self.at += 1,
                b')' => {
                    self.at += 1;
                    let Some(open) = self.open.pop() else { return Ok(()) };
                    self.close(open, start)?;
                }
                b'+' | b'-' => {
                    self.at += 1;
                    let Some(n) = self.columns()? else { return Err(self.error("a number must follow the sign")) };
                    if !self.eat(b'P') {
                        return Err(self.error("`p` expected after a signed number"));
                    }
                    let k = n.min(i16::MAX as usize) as i32;
                    self.control(Control::Scale(if c == b'-' { -k } else { k }));
                }
                b'*' => {
                    self.at += 1;
                    if !self.eat(b'(') {
                        return Err(self.error("`(` expected after `*`"));
                    }
                    self.group(None)?;
                }
                b'0'..=b'9' => {
                    let n = self.number()?.unwrap_or(1);
                    self.repeated(n, start)?;
                }
                _ => self.descriptor(1, false, start)?,
            }
        }
    }

    fn group(&mut self, repeat: Option<u32>) -> Result<(), FormatError> {
        if self.open.len() >= MAX_NESTING {
            return Err(self.error("groups nest too deeply"));
        }
        if self.open.is_empty() {
            self.reversion = self.nodes.len();
        }
        self.open.push(self.nodes.len());
        self.nodes.push(Node::Open(repeat, 0));
        Ok(())
    }

    fn close(&mut self, open: usize, at: usize) -> Result<(), FormatError> {
        let close = self.nodes.len();
        let has_data = self.nodes[open..].iter().any(|node| matches!(node, Node::Data(..)));
        if let Some(Node::Open(repeat, end)) = self.nodes.get_mut(open) {
            *end = close;
            if repeat.is_none() && !has_data {
                return Err(self.error_at(at, "an unlimited group needs a data edit descriptor"));
            }
        }
        if close == open + 1 {
            return Err(self.error_at(at, "empty group"));
        }
        self.nodes.push(Node::Close(open));
        Ok(())
    }

    fn control(&mut self, control: Control) {
        self.nodes.push(Node::Control(1, control));
    }

    /// What follows a number.
    fn repeated(&mut self, n: u64, start: usize) -> Result<(), FormatError> {
        match self.peek() {
            Some(b'P') => {
                self.at += 1;
                self.control(Control::Scale(n.min(i16::MAX as u64) as i32));
                Ok(())
            }
            Some(b'X') => {
                self.at += 1;
                if n > MAX_COLUMNS {
                    return Err(self.error_at(start, "number of columns too great"));
                }
                self.control(Control::Skip(n as usize));
                Ok(())
            }
            Some(b'H') => {
                let from = self.at + 1;
                match usize::try_from(n).ok().and_then(|n| self.text.get(from..from.checked_add(n)?)) {
                    Some(text) if n > 0 => {
                        self.control(Control::Literal(text.into()));
                        self.at = from + n as usize;
                        Ok(())
                    }
                    _ => Err(self.error_at(start, "the Hollerith constant is longer than the format")),
                }
            }
            _ if n == 0 => Err(self.error_at(start, "a repeat count of zero")),
            Some(b'(') => {
                self.at += 1;
                self.group(Some(n as u32))
            }
            Some(_) => self.descriptor(n as u32, true, start),
            None => Err(self.error("the closing `)` is missing")),
        }
    }

    /// A descriptor after an optional repeat count.
    fn descriptor(&mut self, repeat: u32, counted: bool, start: usize) -> Result<(), FormatError> {
        let Some(c) = self.peek() else { return Err(self.error("the closing `)` is missing")) };
        let first = self.at;
        self.at += 1;
        let radix = |letter: u8| match letter {
            b'B' => 1,
            b'O' => 3,
            b'Z' => 4,
            _ => 0,
        };
        let edit = match c {
            b'(' => return self.group(Some(repeat)),
            b'/' => {
                self.nodes.push(Node::Control(repeat, Control::Slash));
                return Ok(());
            }
            b'B' if matches!(self.peek(), Some(b'N' | b'Z')) => {
                let blank = if self.eat(b'N') { Blank::Null } else { Blank::Zero };
                self.at += usize::from(blank == Blank::Zero);
                return self.plain(Control::Blank(blank), counted, start);
            }
            b'I' | b'B' | b'O' | b'Z' => {
                let w = self.columns()?;
                let m = if w.is_some() && self.eat(b'.') { Some(self.needed("digits after `.`")?) } else { None };
                if let (Some(w), Some(m)) = (w, m)
                    && w != 0
                    && m > w
                {
                    return Err(self.error_at(first, "more digits than columns"));
                }
                if w.is_none() && c == b'B' {
                    return Err(self.error("a width must follow `b`"));
                }
                Edit::Integer { radix_bits: radix(c), w, m }
            }
            b'F' => {
                let w = self.columns()?;
                let d = self.fraction(w.is_some())?;
                Edit::Fixed { w, d }
            }
            b'E' => {
                let form = match self.peek() {
                    Some(b'N') => Exponential::Engineering,
                    Some(b'S') => Exponential::Scientific,
                    Some(b'X') => Exponential::Hexadecimal,
                    _ => Exponential::E,
                };
                self.at += usize::from(form != Exponential::E);
                self.exponential(form)?
            }
            b'D' => match self.peek() {
                Some(b'C') => {
                    self.at += 1;
                    return self.plain(Control::Decimal(Decimal::Comma), counted, start);
                }
                Some(b'P') => {
                    self.at += 1;
                    return self.plain(Control::Decimal(Decimal::Point), counted, start);
                }
                Some(b'T') => {
                    self.at += 1;
                    self.derived()?
                }
                _ => self.exponential(Exponential::D)?,
            },
            b'G' => self.general()?,
            b'L' => Edit::Logical { w: self.columns()? },
            b'A' => Edit::Characters { w: self.columns()? },
            b'Q' => Edit::Remaining,
            b'\'' | b'"' => {
                let text = self.literal(self.text[first], first)?;
                return self.plain(Control::Literal(text), counted, start);
            }
            b'X' => return self.plain(Control::Skip(1), counted, start),
            b'T' => {
                let control: fn(usize) -> Control = match self.peek() {
                    Some(b'L') => Control::TabLeft,
                    Some(b'R') => Control::Skip,
                    _ => Control::Tab,
                };
                let n_at = self.at;
                self.at += usize::from(matches!(self.peek(), Some(b'L' | b'R')));
                let n = self.needed("a number of columns")?;
                if n == 0 {
                    return Err(self.error_at(n_at, "a column of zero"));
                }
                return self.plain(control(n), counted, start);
            }
            b'S' => {
                let sign = match self.peek() {
                    Some(b'P') => Sign::Plus,
                    Some(b'S') => Sign::Suppress,
                    _ => Sign::Processor,
                };
                self.at += usize::from(sign != Sign::Processor);
                return self.plain(Control::Sign(sign), counted, start);
            }
            b'R' => {
                let round = match self.peek() {
                    Some(b'U') => Round::Up,
                    Some(b'D') => Round::Down,
                    Some(b'Z') => Round::Zero,
                    Some(b'N') => Round::Nearest,
                    Some(b'C') => Round::Compatible,
                    Some(b'P') => Round::Processor,
                    _ => return Err(self.error("`u`, `d`, `z`, `n`, `c` or `p` expected after `r`")),
                };
                self.at += 1;
                return self.plain(Control::Round(round), counted, start);
            }
            b':' => return self.plain(Control::Colon, counted, start),
            b'$' | b'\\' => return self.plain(Control::StayOnLine, counted, start),
            b'P' => return Err(self.error_at(first, "a scale factor must stand before `p`")),
            b'H' => return Err(self.error_at(first, "a length must stand before `h`")),
            _ => {
                let shown = String::from_utf8_lossy(&self.text[first..=first]).into_owned();
                return Err(self.error_at(first, format!("`{shown}` is not an edit descriptor")));
            }
        };
        self.nodes.push(Node::Data(repeat, edit));
        Ok(())
    }

    /// A descriptor that takes no repeat count.
    fn plain(&mut self, control: Control, counted: bool, start: usize) -> Result<(), FormatError> {
        if counted {
            return Err(self.error_at(start, "a repeat count where none is allowed"));
        }
        self.control(control);
        Ok(())
    }

    /// `.d` after a width; without a width there is none either.
    fn fraction(&mut self, has_width: bool) -> Result<usize, FormatError> {
        if !has_width {
            return Ok(0);
        }
        if !self.eat(b'.') {
            return Err(self.error("`.` and digits expected after the width"));
        }
        self.needed("digits after `.`")
    }

    fn exponent(&mut self) -> Result<Option<usize>, FormatError> {
        if !self.eat(b'E') {
            return Ok(None);
        }
        self.needed("digits of the exponent").map(Some)
    }

    fn exponential(&mut self, form: Exponential) -> Result<Edit, FormatError> {
        let w = self.columns()?;
        let d = self.fraction(w.is_some())?;
        let e = if w.is_some() && form != Exponential::D { self.exponent()? } else { None };
        Ok(Edit::Exponential { form, w, d, e })
    }

    fn general(&mut self) -> Result<Edit, FormatError> {
        let w = self.columns()?;
        let d = if w.is_some() && self.eat(b'.') { Some(self.needed("digits after `.`")?) } else { None };
        let e = if d.is_some() { self.exponent()? } else { None };
        if w == Some(0) && e.is_some() {
            return Err(self.error("`g0` takes no exponent width"));
        }
        Ok(Edit::General { w, d, e })
    }

    /// `DT 'type' (values)`, all of it optional.
    fn derived(&mut self) -> Result<Edit, FormatError> {
        let mut edit = DerivedEdit::default();
        if let Some(quote @ (b'\'' | b'"')) = self.peek() {
            let start = self.at;
            self.at += 1;
            edit.text = self.literal(quote, start)?;
        }
        if self.eat(b'(') {
            let mut values = Vec::new();
            loop {
                let start = self.at;
                let negative = self.peek() == Some(b'-');
                self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
                let Some(n) = self.number()? else { return Err(self.error("a number expected")) };
                let n = if negative { -(n as i64) } else { n as i64 };
                values.push(i32::try_from(n).map_err(|_| self.error_at(start, "number too great"))?);
                if self.eat(b')') {
                    break;
                }
                if !self.eat(b',') {
                    return Err(self.error("`,` or `)` expected"));
                }
            }
            edit.values = values.into();
        }
        Ok(Edit::Derived(edit))
    }

    /// The rest of a literal after its opening quote.
    fn literal(&mut self, quote: u8, start: usize) -> Result<Box<[u8]>, FormatError> {
        let mut text = Vec::new();
        loop {
            match self.text.get(self.at) {
                None => return Err(self.error_at(start, "the literal is not closed")),
                Some(c) if *c == quote => {
                    self.at += 1;
                    if self.text.get(self.at) != Some(&quote) {
                        return Ok(text.into());
                    }
                    text.push(quote);
                }
                Some(c) => text.push(*c),
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(text: &str) -> Vec<Node> {
        parse(text.as_bytes()).map(|f| f.nodes).unwrap_or_default()
    }

    fn error(text: &str) -> String {
        parse(text.as_bytes()).map_or_else(|e| e.to_string(), |_| String::new())
    }

    #[test]
    fn descriptors_without_width_and_commas_are_taken() {
        let i = |w| Node::Data(1, Edit::Integer { radix_bits: 0, w, m: None });
        assert_eq!(nodes("(i)"), [i(None)]);
        assert_eq!(nodes("( i5 i3 )"), [i(Some(5)), i(Some(3))]);
        assert_eq!(nodes("(1x'a''b'x)").len(), 3);
        assert_eq!(nodes("(l0,f)").len(), 2);
        assert_eq!(nodes("(5Hab,cd)"), [Node::Control(1, Control::Literal(b"ab,cd"[..].into()))]);
        assert_eq!(nodes("(2/)"), [Node::Control(2, Control::Slash)]);
    }

    #[test]
    fn groups_know_their_ends_and_the_place_of_reversion() {
        let Ok(format) = parse(b"(i1,2(f4.1,3(a)),2('x',i2))") else { panic!("the format is valid") };
        assert_eq!(format.reversion, 7);
        assert_eq!(format.nodes[1], Node::Open(Some(2), 6));
        assert_eq!(format.nodes[6], Node::Close(1));
    }

    #[test]
    fn errors_name_the_place() {
        for (text, message) in [
            ("", "a format begins with `(` at character 1 of the format"),
            ("(i5", "the closing `)` is missing at character 4 of the format"),
            ("(i5.)", "digits after `.` expected at character 5 of the format"),
            ("(f8)", "`.` and digits expected after the width at character 4 of the format"),
            ("(k5)", "`k` is not an edit descriptor at character 2 of the format"),
            ("('abc)", "the literal is not closed at character 2 of the format"),
            ("(0i5)", "a repeat count of zero at character 2 of the format"),
            ("(3'x')", "a repeat count where none is allowed at character 2 of the format"),
            ("(*('x'))", "an unlimited group needs a data edit descriptor at character 7 of the format"),
            ("(i2.3)", "more digits than columns at character 2 of the format"),
            ("(9hab)", "the Hollerith constant is longer than the format at character 2 of the format"),
            ("(i99999999999)", "number too great at character 12 of the format"),
            ("(())", "empty group at character 3 of the format"),
        ] {
            assert_eq!(error(text), message, "{text}");
        }
        assert_eq!(
            error(&format!("{}i1{}", "(".repeat(300), ")".repeat(300))),
            "groups nest too deeply at character 259 of the format"
        );
    }
}
