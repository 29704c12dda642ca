//! Reads IR text, whose form [`crate::print`] describes.
//!
//! Two passes: the first reads tables and the heads of functions, so that the second knows by name every function that a
//! body calls, and the types of its parameters. What is read is well-formed, not yet valid: run the verifier.
//!
//! Written by hand, a text may leave register numbers out; such registers exist as unused `i32` temporaries.

mod body;
mod lex;
mod table;

use crate::{FuncId, FuncKind, Function, Module, Param, ParamKind, Reg, RegInfo};
pub(crate) use body::constant;
pub(crate) use lex::{Cursor, Token, line_tokens};
use scalar::Ty;
use source::Span;

/// Why a text is not IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Line, counted from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

impl ParseError {
    fn new(line: u32, message: impl Into<String>) -> ParseError {
        ParseError { line, message: message.into() }
    }
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// More registers than any function has; bounds what a wrong number can cost.
const MAX_REGS: u32 = 1 << 22;

/// Reads a module.
pub fn module(text: &str) -> Result<Module, ParseError> {
    let tokens = lex::tokens(text)?;
    let mut c = Cursor::new(&tokens);
    let mut module = Module::default();
    let mut bodies = Vec::new();
    let mut main = None;
    while c.peek().is_some() {
        let line = c.line();
        match c.word("`type`, `global`, `main` or a function")? {
            "type" => table::debug_type(&mut c, &mut module)?,
            "global" => table::global(&mut c, &mut module)?,
            "main" => {
                main = Some((func_name(&mut c)?, line));
                c.end()?;
            }
            word @ ("host" | "kernel" | "device") => {
                let kind = match word {
                    "host" => FuncKind::Host,
                    "kernel" => FuncKind::Kernel,
                    _ => FuncKind::Device,
                };
                let func = head(&mut c, kind)?;
                if module.find(&func.name).is_some() {
                    return Err(ParseError::new(line, format!("function `{}` is here twice", func.name)));
                }
                module.funcs.push(func);
                bodies.push(c.clone());
                while !c.take_mark("}") {
                    if c.peek().is_none() {
                        return Err(c.expected("`}`"));
                    }
                    skip_item(&mut c);
                }
                c.end()?;
            }
            word => return Err(ParseError::new(line, format!("`{word}` begins no item of a module"))),
        }
    }
    if let Some((name, line)) = main {
        let id = module.find(&name).ok_or_else(|| ParseError::new(line, format!("no function `{name}`")))?;
        module.main = Some(id);
    }
    for (i, mut c) in bodies.into_iter().enumerate() {
        body::body(&mut c, &mut module, FuncId(i as u32))?;
    }
    Ok(module)
}

/// Skips a line; its own braces do not end a function.
fn skip_item(c: &mut Cursor<'_>) {
    while let Some(token) = c.peek() {
        c.skip();
        if *token == Token::End {
            break;
        }
    }
}

/// `@name`
fn func_name(c: &mut Cursor<'_>) -> Result<String, ParseError> {
    c.mark("@")?;
    match c.peek() {
        Some(Token::Word(name) | Token::Text(name) | Token::Number(name)) => {
            c.skip();
            Ok(name.clone())
        }
        _ => Err(c.expected("the name of a function")),
    }
}

/// `%3`
fn reg(c: &mut Cursor<'_>) -> Result<Reg, ParseError> {
    c.mark("%")?;
    let number = c.int("the number of a register")?;
    if number < MAX_REGS { Ok(Reg(number)) } else { Err(c.error(format!("register `%{number}` is too high"))) }
}

/// The type of that name.
fn ty_named(name: &str) -> Option<Ty> {
    Ty::ALL.into_iter().find(|t| t.name() == name)
}

pub(crate) fn ty(c: &mut Cursor<'_>) -> Result<Ty, ParseError> {
    let before = c.clone();
    ty_named(c.word("a type")?).ok_or_else(|| before.expected("a type"))
}

/// Sets the type of a register, making it if need be.
fn declare(f: &mut Function, reg: Reg, ty: Ty) -> &mut RegInfo {
    while f.regs.len() <= reg.index() {
        f.regs.push(RegInfo { ty: Ty::I32, var: None, mutable: false });
    }
    let info = &mut f.regs[reg.index()];
    info.ty = ty;
    info
}

/// The head of a function, its `{` included.
fn head(c: &mut Cursor<'_>, kind: FuncKind) -> Result<Function, ParseError> {
    let name = func_name(c)?;
    let mut f = Function::new(name, kind, Span::NONE);
    c.mark("(")?;
    while !c.take_mark(")") {
        let reg = reg(c)?;
        c.mark(":")?;
        let (ty, kind) = if c.take_word("bytes") {
            let bytes = c.int("a number of bytes")?;
            c.expect_word("align")?;
            (Ty::I64, ParamKind::Bytes { bytes, align: c.int("an alignment")? })
        } else {
            (ty(c)?, ParamKind::Value)
        };
        let name = if matches!(c.peek(), Some(Token::Text(_))) { c.text("a name")? } else { "" };
        let unaliased = c.take_word("unaliased");
        declare(&mut f, reg, ty);
        f.params.push(Param { reg, kind, name: name.into(), unaliased });
        if !c.is_mark(")") {
            c.mark(",")?;
        }
    }
    if c.take_mark("->") {
        f.results.push(ty(c)?);
        while c.take_mark(",") {
            f.results.push(ty(c)?);
        }
    }
    if c.take_word("max_threads") {
        f.max_threads = Some(c.int("a number of threads")?);
    }
    if c.take_word("cluster") {
        let mut extent = || c.int("a number of blocks");
        f.cluster = Some([extent()?, extent()?, extent()?]);
    }
    f.cooperative = c.take_word("cooperative");
    f.span = c.span()?;
    c.mark("{")?;
    c.end()?;
    Ok(f)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        module(text).map_or_else(|e| e.to_string(), |_| "no error".to_string())
    }

    #[test]
    fn wrong_texts_are_refused_by_line() {
        assert_eq!(message("foo"), "line 1: `foo` begins no item of a module");
        assert_eq!(message("main @p"), "line 1: no function `p`");
        assert_eq!(message("host @f() {\nbb0:\n  return\n"), "line 3: expected `}`, found the end of the text");
        assert_eq!(message("host @f() {\nbb0:\n  fly\n}"), "line 3: `fly` is no instruction");
        assert_eq!(message("host @f() {\nbb0:\n  stmt\n}"), "line 4: block `bb0` has no terminator");
        assert_eq!(
            message("host @f() {\nbb0:\n  %0 = add.f32 1.0\n}"),
            "line 3: expected `,`, found the end of the line"
        );
        assert_eq!(message("host @f() {\nbb0:\n  %0 = and.f9 1, 2\n}"), "line 3: `and.f9` is no instruction");
        assert_eq!(
            message("host @f() {\nbb0:\n  %99999999 = mov.i32 1\n}"),
            "line 3: register `%99999999` is too high"
        );
        assert_eq!(message("host @f() {\nbb0:\n  call @g()\n  return\n}"), "line 3: no function `g`");
        assert_eq!(message("host @f(\"\u{e9}"), "line 1: a string has no end");
        assert_eq!(message("\u{e9}"), "line 1: `\u{e9}` means nothing here");
    }
}
