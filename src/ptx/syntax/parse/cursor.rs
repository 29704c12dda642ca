//! The next tokens of a file: taken if they are what is expected, or an error at their place.

use super::{Error, Parser, Result};
use crate::syntax::lex::{Number, Token};
use source::Span;
use std::sync::Arc;

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|placed| placed.token)
    }

    pub(super) fn start(&self) -> u32 {
        self.tokens.get(self.at).map_or(self.end, |placed| placed.start)
    }

    /// From a start to the end of the token before.
    pub(super) fn span(&self, start: u32) -> Span {
        let end = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(start, |placed| placed.end);
        Span::new(self.ptx.file, start, end.max(start))
    }

    /// An error at the next token.
    pub(super) fn error<T>(&self, what: impl Into<String>) -> Result<T> {
        let mut what = what.into();
        let (start, end) = match self.tokens.get(self.at) {
            Some(placed) => (placed.start, placed.end),
            None => {
                what = format!("the file ends where {what}");
                (self.end, self.end)
            }
        };
        Err(Error { start, end, what })
    }

    pub(super) fn take_mark(&mut self, mark: char) -> bool {
        let is_there = self.peek() == Some(Token::Mark(mark));
        self.at += usize::from(is_there);
        is_there
    }

    pub(super) fn mark(&mut self, mark: char) -> Result<()> {
        if self.take_mark(mark) { Ok(()) } else { self.error(format!("a `{mark}` is expected")) }
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let is_there = self.peek() == Some(Token::Word(word));
        self.at += usize::from(is_there);
        is_there
    }

    /// The next word, if it begins as directives do or does not, as is asked.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str> {
        match self.peek() {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word)
            }
            _ => self.error(format!("{what} is expected")),
        }
    }

    pub(super) fn name(&mut self, what: &str) -> Result<Arc<str>> {
        match self.peek() {
            Some(Token::Word(word)) if !word.starts_with('.') => {
                self.at += 1;
                Ok(word.into())
            }
            _ => self.error(format!("{what} is expected")),
        }
    }

    pub(super) fn integer(&mut self) -> Result<u64> {
        match self.peek() {
            Some(Token::Number(Number::Int(value))) => {
                self.at += 1;
                Ok(value)
            }
            _ => self.error("an integer is expected"),
        }
    }

    /// An integer that fits into 32 bits.
    pub(super) fn small(&mut self) -> Result<u32> {
        let start = self.at;
        let value = self.integer()?;
        match u32::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) => {
                self.at = start;
                self.error("an integer of 32 bits is expected")
            }
        }
    }

    pub(super) fn signed(&mut self) -> Result<i64> {
        let is_negative = self.take_mark('-');
        let value = self.integer()? as i64;
        Ok(if is_negative { value.wrapping_neg() } else { value })
    }

    pub(super) fn constant(&mut self) -> Result<Number> {
        let is_negative = self.take_mark('-');
        match self.peek() {
            Some(Token::Number(number)) => {
                self.at += 1;
                Ok(match number {
                    _ if !is_negative => number,
                    Number::Int(value) => Number::Int(value.wrapping_neg()),
                    Number::Single(bits) => Number::Single(bits ^ 1 << 31),
                    Number::Double(value) => Number::Double(-value),
                })
            }
            _ => self.error("a constant is expected"),
        }
    }

    /// `more` until the mark that closes, with commas between.
    pub(super) fn list<T>(&mut self, close: char, mut more: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut out = Vec::new();
        while !self.take_mark(close) {
            if !out.is_empty() {
                self.mark(',')?;
            }
            out.push(more(self)?);
        }
        Ok(out)
    }

    /// Everything up to the `}` that closes.
    pub(super) fn skip_braces(&mut self) -> Result<()> {
        let mut depth = 1_u64;
        while depth > 0 {
            match self.peek() {
                Some(Token::Mark('{')) => depth += 1,
                Some(Token::Mark('}')) => depth -= 1,
                Some(_) => {}
                None => return self.error("a `}` is expected"),
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Everything up to the `;`.
    pub(super) fn skip_statement(&mut self) -> Result<()> {
        while !self.take_mark(';') {
            if self.peek().is_none() {
                return self.error("a `;` is expected");
            }
            self.at += 1;
        }
        Ok(())
    }
}
