//! `#` lines.

use super::MAX_INCLUDE_DEPTH;
use super::macros::{identifier, parse_definition};
use super::{Conditional, Cpp, Reading, eval, line_text};
use diag::{Code, Diagnostic, Diagnostics, nearest_name};
use source::{SourceMap, Span};

const DIRECTIVES: &[&str] = &[
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "line", "error", "warning",
    "pragma", "ident",
];

impl Cpp<'_> {
    /// Takes the directive that begins on line `index`, with the lines that `\` appends.
    pub(super) fn directive(
        &mut self,
        map: &mut SourceMap,
        reading: &mut Reading<'_>,
        index: usize,
        diags: &mut Diagnostics,
    ) {
        let Some(first) = reading.lines.get(index) else { return };
        let start = first.start;
        let mut text = line_text(reading, first).to_owned();
        let span = Span::new(reading.file, start + leading(&text), start + text.trim_end().len() as u32);
        while text.trim_end().ends_with('\\') {
            text.truncate(text.trim_end().len() - 1);
            let Some(next) = reading.lines.get(reading.next) else { break };
            text.push_str(line_text(reading, next));
            reading.next += 1;
        }
        let mut body = text.trim_start().trim_start_matches('#').trim();
        if body.starts_with("/*") {
            body = body.split_once("*/").map_or("", |(_, after)| after.trim());
        }
        let word = identifier(body).to_ascii_lowercase();
        let rest = &body[word.len()..];
        match word.as_str() {
            "if" | "ifdef" | "ifndef" => self.open(&word, rest, reading, index, span, diags),
            "elif" | "else" | "endif" => self.branch(&word, rest, reading, index, span, diags),
            _ if !reading.active() => {}
            "define" => self.define(rest, &reading.name, span, diags),
            "undef" => {
                let name = identifier(rest.trim());
                if name.is_empty() {
                    bad(diags, span, "`#undef` needs the name of a macro");
                }
                self.macros.undefine(name);
            }
            "include" => self.include(map, reading, rest, index, span, diags),
            "line" => {
                let text = self.expand_text(rest, &reading.name, reading.number(index));
                set_line(reading, &text, span, diags);
            }
            "error" => {
                let text = uncomment(rest);
                let message = if text.is_empty() { "`#error`".to_owned() } else { format!("`#error`: {text}") };
                diags.push(Diagnostic::new(Code::ErrorDirective, span, message));
            }
            "warning" => {
                diags.push(Diagnostic::new(Code::WarningDirective, span, format!("`#warning`: {}", uncomment(rest))));
            }
            "pragma" | "ident" => {}
            "" if body.is_empty() => {}
            "" if body.starts_with(|c: char| c.is_ascii_digit()) => set_line(reading, body, span, diags),
            _ => {
                let word = if word.is_empty() { body } else { &word };
                let known = DIRECTIVES.iter().copied();
                diags.push(
                    Diagnostic::new(
                        Code::BadPreprocessorLine,
                        span,
                        format!("`#{word}` is not a preprocessor directive"),
                    )
                    .suggest(nearest_name(word, known)),
                );
            }
        }
    }

    fn define(&mut self, rest: &str, file: &str, span: Span, diags: &mut Diagnostics) {
        match parse_definition(rest) {
            Ok((name, definition)) => {
                let new = definition.clone();
                if self.macros.define(&name, definition).is_some_and(|old| old != new) {
                    self.redefined.entry((file.to_owned(), name.clone())).or_insert((span, 0)).1 += 1;
                }
            }
            Err(why) => bad(diags, span, &format!("this `#define` is malformed: {why}")),
        }
    }

    fn open(
        &mut self,
        word: &str,
        rest: &str,
        reading: &mut Reading<'_>,
        index: usize,
        span: Span,
        diags: &mut Diagnostics,
    ) {
        let outer = reading.active();
        let holds = outer && self.condition(word, rest, reading, index, span, diags);
        reading.conditionals.push(Conditional { span, active: holds, taken: holds, outer, seen_else: None });
    }

    fn condition(
        &self,
        word: &str,
        rest: &str,
        reading: &Reading<'_>,
        index: usize,
        span: Span,
        diags: &mut Diagnostics,
    ) -> bool {
        if word == "ifdef" || word == "ifndef" {
            let name = identifier(rest.trim());
            if name.is_empty() {
                bad(diags, span, &format!("`#{word}` needs the name of a macro"));
            }
            return self.macros.is_defined(name) == (word == "ifdef");
        }
        let text = self.replace_defined(&uncomment(rest));
        let text = self.expand_text(&text, &reading.name, reading.number(index));
        eval::evaluate(&text).unwrap_or_else(|why| {
            bad(diags, span, &format!("the expression of `#{word}` cannot be evaluated: {why}"));
            0
        }) != 0
    }

    /// Replaces `defined name` and `defined(name)` with 1 or 0.
    fn replace_defined(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let word = identifier(rest);
            if word == "defined" {
                let after = rest[word.len()..].trim_start();
                let inside = after.strip_prefix('(').map(str::trim_start);
                let name = identifier(inside.unwrap_or(after));
                if !name.is_empty() {
                    out.push_str(if self.macros.is_defined(name) { "1" } else { "0" });
                    rest = &inside.unwrap_or(after)[name.len()..];
                    if inside.is_some() {
                        rest = rest.trim_start();
                        rest = rest.strip_prefix(')').unwrap_or(rest);
                    }
                    continue;
                }
            }
            let length = if word.is_empty() {
                let digits = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                digits.max(rest.chars().next().map_or(1, char::len_utf8))
            } else {
                word.len()
            };
            out.push_str(&rest[..length]);
            rest = &rest[length..];
        }
        out
    }

    fn branch(
        &mut self,
        word: &str,
        rest: &str,
        reading: &mut Reading<'_>,
        index: usize,
        span: Span,
        diags: &mut Diagnostics,
    ) {
        let Some(mut open) = reading.conditionals.pop() else {
            diags.push(
                Diagnostic::new(Code::UnbalancedConditional, span, format!("`#{word}` without `#if`"))
                    .label("no conditional is open here"),
            );
            return;
        };
        if word == "endif" {
            return;
        }
        if let Some(first) = open.seen_else {
            diags.push(
                Diagnostic::new(Code::UnbalancedConditional, span, format!("`#{word}` after `#else`"))
                    .secondary(first, "`#else` is here"),
            );
        }
        let may = open.outer && !open.taken;
        open.active = may && (word == "else" || self.condition(word, rest, reading, index, span, diags));
        open.taken |= open.active;
        if word == "else" {
            open.seen_else = Some(span);
        }
        reading.conditionals.push(open);
    }

    fn include(
        &mut self,
        map: &mut SourceMap,
        reading: &Reading<'_>,
        rest: &str,
        index: usize,
        span: Span,
        diags: &mut Diagnostics,
    ) {
        let direct = include_name(rest.trim()).map(str::to_owned);
        let name = direct.or_else(|| {
            let text = self.expand_text(rest, &reading.name, reading.number(index));
            include_name(text.trim()).map(str::to_owned)
        });
        let Some(name) = name else {
            bad(diags, span, "`#include` needs a file name in quotes");
            return;
        };
        if self.depth >= MAX_INCLUDE_DEPTH {
            diags.push(
                Diagnostic::new(Code::IncludeTooDeep, span, "include files are nested too deeply")
                    .label(format!("`{name}` would be file {} of the chain", self.depth + 2))
                    .help("look for a file that includes itself"),
            );
            return;
        }
        let asking = map.file(reading.file).map_or_else(String::new, |f| f.name().to_owned());
        match (self.include)(&name, &asking) {
            Some((name, text)) => {
                let file = map.add(name, text);
                self.depth += 1;
                self.file(map, file, diags);
                self.depth -= 1;
            }
            None => {
                diags.push(
                    Diagnostic::new(Code::IncludeNotFound, span, format!("include file `{name}` was not found"))
                        .help("give its folder with `-I`"),
                );
            }
        }
    }
}

fn bad(diags: &mut Diagnostics, span: Span, message: &str) {
    diags.push(Diagnostic::new(Code::BadPreprocessorLine, span, message));
}

fn leading(text: &str) -> u32 {
    (text.len() - text.trim_start().len()) as u32
}

/// The name between quotes or angle brackets.
fn include_name(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('"').and_then(|t| t.split_once('"'));
    let inside = inside.or_else(|| text.strip_prefix('<').and_then(|t| t.split_once('>')));
    inside.map(|(name, _)| name).filter(|name| !name.is_empty())
}

/// `#line number "file"`
fn set_line(reading: &mut Reading<'_>, text: &str, span: Span, diags: &mut Diagnostics) {
    let mut words = text.trim().splitn(2, [' ', '\t']);
    let Some(number) = words.next().and_then(|w| w.parse::<i64>().ok()).filter(|n| (0..1 << 31).contains(n)) else {
        bad(diags, span, "`#line` needs a line number");
        return;
    };
    reading.line_shift = number - 1 - reading.next as i64;
    if let Some(name) = words.next().and_then(include_name) {
        name.clone_into(&mut reading.name);
    }
}

/// The text without C comments.
fn uncomment(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        out.push(' ');
        rest = after.split_once("*/").map_or("", |(_, tail)| tail);
    }
    out.push_str(rest);
    out.trim().to_owned()
}
