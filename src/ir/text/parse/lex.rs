//! Tokens of IR text, and a cursor over them.
//!
//! Names take dots in (`cvt.cast.i32.f32`, `@module.procedure`), so that an instruction's head is one token. A line end is
//! a token, because it ends an item. Comments are dropped.

use super::ParseError;
use source::{FileId, Span};

/// One token.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Token {
    /// A word: letters, digits, `_`, `.`, `$`, not beginning with a digit.
    Word(String),
    /// A number as written, with its sign: `-4`, `1.5e-3`, `0x7f`.
    Number(String),
    /// A quoted string, unescaped.
    Text(String),
    /// One mark, or one of `->`, `<<<`, `>>>`.
    Mark(&'static str),
    /// The end of a line.
    End,
}

impl Token {
    fn describe(&self) -> String {
        match self {
            Token::Word(w) | Token::Number(w) => format!("`{w}`"),
            Token::Text(t) => format!("`{t:?}`"),
            Token::Mark(m) => format!("`{m}`"),
            Token::End => "the end of the line".to_string(),
        }
    }
}

const MARKS: [&str; 21] =
    ["<<<", ">>>", "->", "%", "@", "=", ",", ":", "(", ")", "[", "]", "{", "}", "!", "*", "+", "-", "<", ">", "&"];

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$')
}

/// The tokens of a text, each with its line counted from 1.
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token, u32)>, ParseError> {
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let number = i as u32 + 1;
        line_tokens(line, number, &mut out)?;
        if !matches!(out.last(), None | Some((Token::End, _))) {
            out.push((Token::End, number));
        }
    }
    Ok(out)
}

/// Adds the tokens of one line to `out`, without its end.
pub(crate) fn line_tokens(line: &str, number: u32, out: &mut Vec<(Token, u32)>) -> Result<(), ParseError> {
    let bytes = line.as_bytes();
    let mut i = 0;
    while let Some(&b) = bytes.get(i) {
        let next = bytes.get(i + 1).copied().unwrap_or(b' ');
        let from = i;
        if b == b';' {
            break;
        } else if b.is_ascii_whitespace() {
            i += 1;
        } else if b.is_ascii_digit() || (matches!(b, b'-' | b'+') && next.is_ascii_digit()) {
            i += 1;
            while let Some(&c) = bytes.get(i) {
                // The sign of an exponent belongs to the number, unless the number is hexadecimal.
                let exponent = matches!(c, b'-' | b'+')
                    && matches!(bytes[i - 1], b'e' | b'E')
                    && !line[from..i].contains('x')
                    && bytes.get(i + 1).is_some_and(u8::is_ascii_digit);
                if !(c.is_ascii_alphanumeric() || c == b'.' || exponent) {
                    break;
                }
                i += 1;
            }
            out.push((Token::Number(line[from..i].to_string()), number));
        } else if is_word(b) {
            while bytes.get(i).is_some_and(|&c| is_word(c)) {
                i += 1;
            }
            out.push((Token::Word(line[from..i].to_string()), number));
        } else if b == b'"' {
            let (text, used) = unquote(&line[i..]).ok_or_else(|| ParseError::new(number, "a string has no end"))?;
            out.push((Token::Text(text), number));
            i += used;
        } else if let Some(mark) = MARKS.iter().find(|m| line[i..].starts_with(**m)) {
            out.push((Token::Mark(mark), number));
            i += mark.len();
        } else {
            let c = line[i..].chars().next().unwrap_or(' ');
            return Err(ParseError::new(number, format!("`{c}` means nothing here")));
        }
    }
    Ok(())
}

/// The text of the string that begins `line`, and how many bytes it took, quotes included.
fn unquote(line: &str) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut chars = line.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return Some((text, i + 1)),
            '\\' => match chars.next()?.1 {
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                't' => text.push('\t'),
                'u' => {
                    let mut code = 0_u32;
                    chars.next().filter(|&(_, c)| c == '{')?;
                    loop {
                        match chars.next()?.1 {
                            '}' => break,
                            digit => code = code.checked_mul(16)?.checked_add(digit.to_digit(16)?)?,
                        }
                    }
                    text.push(char::from_u32(code)?);
                }
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
    None
}

/// A place in a row of tokens.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    tokens: &'a [(Token, u32)],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(tokens: &'a [(Token, u32)]) -> Cursor<'a> {
        Cursor { tokens, at: 0 }
    }

    pub(crate) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at).map(|t| &t.0)
    }

    /// The line of the next token, or of the last.
    pub(crate) fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |t| t.1)
    }

    pub(crate) fn skip(&mut self) {
        self.at += 1;
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError::new(self.line(), message)
    }

    /// The error that something else was expected.
    pub(crate) fn expected(&self, what: &str) -> ParseError {
        let found = self.peek().map_or_else(|| "the end of the text".to_string(), Token::describe);
        self.error(format!("expected {what}, found {found}"))
    }

    pub(crate) fn is_mark(&self, mark: &str) -> bool {
        matches!(self.peek(), Some(Token::Mark(m)) if *m == mark)
    }

    pub(crate) fn take_mark(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn mark(&mut self, mark: &str) -> Result<(), ParseError> {
        if self.take_mark(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(w)) if w == word);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.take_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    pub(crate) fn word(&mut self, what: &str) -> Result<&'a str, ParseError> {
        let Some(Token::Word(w)) = self.peek() else { return Err(self.expected(what)) };
        self.at += 1;
        Ok(w)
    }

    pub(crate) fn text(&mut self, what: &str) -> Result<&'a str, ParseError> {
        let Some(Token::Text(t)) = self.peek() else { return Err(self.expected(what)) };
        self.at += 1;
        Ok(t)
    }

    /// A number as written.
    pub(crate) fn take_number(&mut self) -> Option<&'a str> {
        let Some(Token::Number(n)) = self.peek() else { return None };
        self.at += 1;
        Some(n)
    }

    /// A number of an integer type.
    pub(crate) fn int<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, ParseError> {
        let before = self.clone();
        let number = self.take_number().ok_or_else(|| before.expected(what))?;
        number.strip_prefix('+').unwrap_or(number).parse().map_err(|_| before.expected(what))
    }

    /// An id such as `bb3` or `g0`: the letters of `prefix` with a number behind.
    pub(crate) fn id(&mut self, prefix: &str, what: &str) -> Result<u32, ParseError> {
        let before = self.clone();
        let word = self.word(what)?;
        word.strip_prefix(prefix).and_then(|n| n.parse().ok()).ok_or_else(|| before.expected(what))
    }

    /// An optional `!file:start-end`.
    pub(crate) fn span(&mut self) -> Result<Span, ParseError> {
        if !self.take_mark("!") {
            return Ok(Span::NONE);
        }
        let file = self.int("the number of a file")?;
        self.mark(":")?;
        let start = self.int("an offset")?;
        // The second offset reads as a negative number.
        let before = self.clone();
        let end: i64 = self.int("an offset with `-` before it")?;
        let end = end.checked_neg().and_then(|end| u32::try_from(end).ok());
        let end = end.ok_or_else(|| before.expected("an offset with `-` before it"))?;
        Ok(Span::new(FileId(file), start, end))
    }

    /// The end of a line, with the span before it.
    pub(crate) fn span_end(&mut self) -> Result<Span, ParseError> {
        let span = self.span()?;
        self.end()?;
        Ok(span)
    }

    /// The end of a line.
    pub(crate) fn end(&mut self) -> Result<(), ParseError> {
        match self.peek() {
            Some(Token::End) | None => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.expected("the end of the line")),
        }
    }
}
