//! Completion of an unfinished line: commands, tables, procedures, files of the program, variables and their components.
//!
//! A [`Completer`] is data that holds for one prompt, so a front end can ask it while the session waits.
//!
//! Not here: names of the files of the computer, which the front end knows.

use crate::command::parse;
use crate::command::table::{COMMANDS, Class, TOPICS, Takes, Verb};

/// A variable or component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    /// Its name.
    pub(crate) name: String,
    /// The derived type it has, by number in [`Completer::types`].
    pub(crate) ty: Option<usize>,
}

/// The names that complete a line.
#[derive(Clone, Default, Debug)]
pub struct Completer {
    /// Variables in scope.
    pub(crate) variables: Vec<Name>,
    /// The components of each derived type.
    pub(crate) types: Vec<Vec<Name>>,
    /// Procedures and kernels.
    pub(crate) procedures: Vec<String>,
    /// Source files of the program.
    pub(crate) files: Vec<String>,
    /// Commands that the user defined.
    pub(crate) own: Vec<String>,
}

/// The completions of the last word of a line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Completions {
    /// Where the word begins.
    pub start: usize,
    /// The words that it can become, in order.
    pub words: Vec<String>,
    /// Whether it is the name of a file of the computer instead.
    pub is_file: bool,
}

/// Settings of `set` and `show`.
const SETTINGS: [&str; 4] = ["args", "listsize", "var", "variable"];
const SHOWN: [&str; 6] = ["args", "convenience", "listsize", "user", "values", "version"];

impl Completer {
    /// The completions of the last word of an unfinished line.
    pub fn complete(&self, line: &str) -> Completions {
        let begin = line.len() - line.trim_start().len();
        let typed = &line[begin..];
        let end = typed.find(|c: char| !is_part(c) && c != '-').unwrap_or(typed.len());
        if end == typed.len() {
            let commands = COMMANDS.iter().map(|r| r.name.to_owned());
            return found(begin, commands.chain(self.own.iter().cloned()), typed);
        }
        let rest = &typed[end..];
        let from =
            rest.rfind(|c: char| !is_part(c)).map_or(0, |i| i + rest[i..].chars().next().map_or(1, char::len_utf8));
        let start = begin + end + from;
        let (before, word) = (rest[..from].trim_start(), &rest[from..]);
        if self.own.iter().any(|own| own.eq_ignore_ascii_case(&typed[..end])) {
            return self.expression(start, before, word);
        }
        let Ok(row) = parse::lookup(&typed[..end]) else { return Completions { start, ..Completions::default() } };
        let is_first = before.is_empty();
        match (row.verb, row.takes) {
            (Verb::Set, _) if is_first => {
                let all = SETTINGS.iter().map(|s| (*s).to_owned()).chain(self.variables.iter().map(|v| v.name.clone()));
                found(start, all, word)
            }
            (Verb::Show, _) if is_first => found(start, SHOWN.iter().map(|s| (*s).to_owned()), word),
            (Verb::Run | Verb::Start, _) if before.ends_with('<') || before.ends_with("< ") => file(start),
            (Verb::Script, Takes::File) if row.name == "save" && is_first => {
                found(start, ["breakpoints".to_owned()].into_iter(), word)
            }
            (_, Takes::File) => file(start),
            (_, Takes::Topic) if is_first => found(start, TOPICS.iter().map(|t| t.name.to_owned()), word),
            (_, Takes::Topic) => match before.trim() {
                "scope" | "line" => self.place(start, word, before),
                "functions" => found(start, self.procedures.iter().cloned(), word),
                "symbol" => self.expression(start, before, word),
                _ => Completions { start, ..Completions::default() },
            },
            (_, Takes::Command) if is_first => {
                let all = COMMANDS.iter().map(|r| r.name).chain(Class::ALL.iter().map(|c| c.name()));
                found(start, all.map(str::to_owned).chain(self.own.iter().cloned()), word)
            }
            (_, Takes::Place) if before.contains("if ") || before.contains("if(") => {
                self.expression(start, before, word)
            }
            (_, Takes::Place) => self.place(start, word, before),
            (_, Takes::Expression) => self.expression(start, before, word),
            (_, Takes::Nothing | Takes::Command) => Completions { start, ..Completions::default() },
        }
    }

    /// Procedures and source files.
    fn place(&self, start: usize, word: &str, before: &str) -> Completions {
        // A point is part of the name of a file, but ends a word.
        let stem = before.rfind(char::is_whitespace).map_or(before, |i| &before[i + 1..]);
        let files = self.files.iter().filter(|f| f.starts_with(stem)).map(|f| f[stem.len()..].to_owned());
        let names = self.procedures.iter().filter(|_| stem.is_empty()).cloned();
        found(start, names.chain(files), word)
    }

    /// Variables, or the components of the variable before the word.
    fn expression(&self, start: usize, before: &str, word: &str) -> Completions {
        let names = match before.trim_end().strip_suffix('%') {
            Some(whole) => self.components(whole),
            None => Some(self.variables.iter().map(|v| v.name.clone()).collect()),
        };
        found(start, names.unwrap_or_default().into_iter(), word)
    }

    /// The components of what ends a text, such as `p%left(3)`.
    fn components(&self, whole: &str) -> Option<Vec<String>> {
        let (before, name) = last_name(whole)?;
        if matches!(name.as_str(), "threadidx" | "blockidx" | "blockdim" | "griddim") {
            return Some(["x", "y", "z"].map(str::to_owned).to_vec());
        }
        Some(self.types.get(self.type_of(before, &name)?)?.iter().map(|c| c.name.clone()).collect())
    }

    /// The derived type of a name, which is a component if `%` comes before it.
    fn type_of(&self, before: &str, name: &str) -> Option<usize> {
        let among = match before.trim_end().strip_suffix('%') {
            Some(whole) => {
                let (before, owner) = last_name(whole)?;
                self.types.get(self.type_of(before, &owner)?)?
            }
            None => &self.variables,
        };
        among.iter().find(|n| n.name == name)?.ty
    }
}

/// Whether a character is part of a word.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The name that ends a text, without its subscripts, and what is before it.
fn last_name(text: &str) -> Option<(&str, String)> {
    let mut rest = text.trim_end();
    if rest.ends_with(')') {
        let mut depth = 0usize;
        let open = rest.char_indices().rev().find(|&(_, c)| {
            match c {
                ')' => depth += 1,
                '(' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        rest = rest[..open?.0].trim_end();
    }
    let from = rest.rfind(|c: char| !is_part(c)).map_or(0, |i| i + rest[i..].chars().next().map_or(1, char::len_utf8));
    Some((&rest[..from], rest[from..].to_ascii_lowercase())).filter(|(_, name)| !name.is_empty())
}

fn file(start: usize) -> Completions {
    Completions { start, words: Vec::new(), is_file: true }
}

fn found(start: usize, all: impl Iterator<Item = String>, prefix: &str) -> Completions {
    let lower = prefix.to_ascii_lowercase();
    let mut words: Vec<String> = all.filter(|n| n.to_ascii_lowercase().starts_with(&lower)).collect();
    words.sort();
    words.dedup();
    Completions { start, words, is_file: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completer() -> Completer {
        let name = |name: &str, ty| Name { name: name.to_owned(), ty };
        Completer {
            variables: vec![name("s", None), name("sum_d", None), name("cells", Some(0))],
            types: vec![vec![name("x", None), name("left", Some(0))]],
            procedures: vec!["saxpy".to_owned(), "main".to_owned()],
            files: vec!["sax.cuf".to_owned()],
            own: vec!["show-all".to_owned()],
        }
    }

    fn words(line: &str) -> Vec<String> {
        completer().complete(line).words
    }

    #[test]
    fn commands_tables_and_names_are_offered() {
        assert_eq!(words("reverse-c"), ["reverse-continue"]);
        assert_eq!(words("show-"), ["show-all"]);
        assert_eq!(words("info th"), ["threads"]);
        assert_eq!(words("b sa"), ["sax.cuf", "saxpy"]);
        assert_eq!(words("b sax.c"), ["cuf"]);
        assert_eq!(words("b saxpy if su"), ["sum_d"]);
        assert_eq!(words("info scope m"), ["main"]);
        assert_eq!(words("set ar"), ["args"]);
        assert_eq!(words("print 2*su"), ["sum_d"]);
        assert_eq!(words("p/x su"), ["sum_d"]);
        assert_eq!(completer().complete("  print 2*su").start, 10);
        assert!(words("quit x").is_empty() && words("nonsense x").is_empty());
        let wants_file = ["source tests/a", "save breakpoints x", "run 1 < x"].map(|l| completer().complete(l).is_file);
        assert_eq!(wants_file, [true; 3]);
        assert_eq!(words("save br"), ["breakpoints"]);
    }

    #[test]
    fn components_follow_their_variable() {
        assert_eq!(words("p cells%"), ["left", "x"]);
        assert_eq!(words("p 1 + cells(s(2), 1)%left%le"), ["left"]);
        assert_eq!(words("b 3 if threadidx%"), ["x", "y", "z"]);
        assert!(words("p s%").is_empty() && words("p )%").is_empty() && words("p é%").is_empty());
    }
}
