//! Macros: their definitions and the text that a use becomes.

use std::collections::HashMap;

/// The macros that are defined. They are only looked up, never listed.
#[derive(Default)]
pub(super) struct Macros(HashMap<String, Macro>);

/// A macro.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Macro {
    /// The names of its arguments; absent for one that takes none.
    pub(super) params: Option<Vec<String>>,
    /// Whether the last argument takes all that are left.
    pub(super) variadic: bool,
    /// Its text, cut into what is copied and what is replaced.
    pub(super) body: Vec<Token>,
}

/// A part of a macro's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// Copied.
    Text(String),
    /// An argument, with its macros replaced unless `raw` (next to `##`).
    Argument { index: usize, raw: bool },
    /// `#argument`
    Literal(usize),
}

impl Macros {
    pub(super) fn get(&self, name: &str) -> Option<&Macro> {
        self.0.get(name)
    }

    /// Defines a macro and gives the one that it replaces.
    pub(super) fn define(&mut self, name: &str, definition: Macro) -> Option<Macro> {
        self.0.insert(name.to_owned(), definition)
    }

    pub(super) fn undefine(&mut self, name: &str) {
        self.0.remove(name);
    }

    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.0.contains_key(name) || matches!(name, "__FILE__" | "__LINE__" | "__DATE__" | "__TIME__" | "__TIMESTAMP__")
    }
}

impl Macro {
    /// A macro without arguments whose text is copied.
    pub(super) fn object(text: &str) -> Macro {
        Macro { params: None, variadic: false, body: vec![Token::Text(text.to_owned())] }
    }

    /// The text of a use: `arguments` are as written and with their macros replaced.
    pub(super) fn substitute(&self, arguments: &[(String, String)]) -> String {
        let mut out = String::new();
        for token in &self.body {
            match token {
                Token::Text(text) => out.push_str(text),
                Token::Argument { index, raw } => {
                    if let Some((written, replaced)) = arguments.get(*index) {
                        out.push_str(if *raw { written } else { replaced });
                    }
                }
                Token::Literal(index) => {
                    if let Some((written, _)) = arguments.get(*index) {
                        out.push('"');
                        out.push_str(&written.replace('"', "\"\""));
                        out.push('"');
                    }
                }
            }
        }
        out
    }
}

/// Reads what follows `#define`: a name, perhaps arguments, and the text.
pub(super) fn parse_definition(text: &str) -> Result<(String, Macro), String> {
    let text = text.trim_start();
    let name = identifier(text);
    if name.is_empty() {
        return Err("a name must follow".into());
    }
    if name == "defined" {
        return Err("`defined` is not a name for a macro".into());
    }
    let rest = &text[name.len()..];
    let Some(inside) = rest.strip_prefix('(') else {
        let body = tokens(rest.trim(), &[]);
        return Ok((name.to_owned(), Macro { params: None, variadic: false, body }));
    };
    let (list, body) = inside.split_once(')').ok_or("the list of arguments is not closed")?;
    let mut params = Vec::new();
    let mut variadic = false;
    for param in list.split(',').map(str::trim) {
        if list.trim().is_empty() {
            break;
        }
        if variadic {
            return Err("`...` must be the last argument".into());
        }
        if param == "..." {
            variadic = true;
            params.push("__VA_ARGS__".to_owned());
        } else if !param.is_empty() && identifier(param) == param {
            params.push(param.to_owned());
        } else {
            return Err(format!("`{param}` is not a valid argument name"));
        }
    }
    let body = tokens(body.trim(), &params);
    Ok((name.to_owned(), Macro { params: Some(params), variadic, body }))
}

/// The identifier at the beginning of a text; empty when there is none.
pub(super) fn identifier(text: &str) -> &str {
    let starts = text.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    let length = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    if starts { &text[..length] } else { "" }
}

/// Cuts a macro's text into tokens.
fn tokens(text: &str, params: &[String]) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut rest = text;
    let mut pasted = false;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("##") {
            trim_last(&mut out);
            mark_raw(&mut out);
            pasted = true;
            rest = after.trim_start();
            continue;
        }
        if let Some(after) = rest.strip_prefix("/*") {
            // Between two words an empty comment pastes, as in the oldest preprocessors.
            let end = after.find("*/").map_or(after.len(), |n| n + 2);
            let joins = last_is_word(&out) && after[end..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            if joins {
                mark_raw(&mut out);
                pasted = true;
            } else {
                push(&mut out, " ");
            }
            rest = &after[end..];
            continue;
        }
        let word = identifier(rest);
        if !word.is_empty() {
            match params.iter().position(|p| p == word) {
                Some(index) => {
                    let raw = pasted || rest[word.len()..].trim_start().starts_with("##");
                    out.push(Token::Argument { index, raw });
                }
                None => push(&mut out, word),
            }
            rest = &rest[word.len()..];
        } else if let Some(after) = rest.strip_prefix('#')
            && let name = identifier(after.trim_start())
            && let Some(index) = params.iter().position(|p| p == name)
        {
            out.push(Token::Literal(index));
            rest = &after.trim_start()[name.len()..];
        } else {
            let first = rest.chars().next().unwrap_or(' ');
            let length = match first {
                '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |n| n + 2),
                c if c.is_ascii_digit() => rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count(),
                c => c.len_utf8(),
            };
            push(&mut out, &rest[..length]);
            rest = &rest[length..];
        }
        pasted = false;
    }
    out
}

fn push(out: &mut Vec<Token>, text: &str) {
    if let Some(Token::Text(last)) = out.last_mut() {
        last.push_str(text);
    } else {
        out.push(Token::Text(text.to_owned()));
    }
}

fn trim_last(out: &mut Vec<Token>) {
    if let Some(Token::Text(last)) = out.last_mut() {
        last.truncate(last.trim_end().len());
        if last.is_empty() {
            out.pop();
        }
    }
}

fn mark_raw(out: &mut [Token]) {
    if let Some(Token::Argument { raw, .. }) = out.last_mut() {
        *raw = true;
    }
}

fn last_is_word(out: &[Token]) -> bool {
    match out.last() {
        Some(Token::Text(text)) => text.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'),
        Some(Token::Argument { .. }) => true,
        _ => false,
    }
}
