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

/// The variables of a procedure, for conditions of breakpoints in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Scope {
    /// The name of the procedure.
    pub(crate) procedure: String,
    /// Its file.
    pub(crate) file: String,
    /// Its first and last line with a statement.
    pub(crate) lines: (usize, usize),
    /// Its variables.
    pub(crate) variables: Vec<Name>,
}

/// The names that complete a line.
#[derive(Clone, Default, Debug)]
pub struct Completer {
    /// Variables in scope.
    pub(crate) variables: Vec<Name>,
    /// The variables of each procedure.
    pub(crate) scopes: Vec<Scope>,
    /// The present file and line.
    pub(crate) here: Option<(String, usize)>,
    /// Breakpoints by number, with their files and lines.
    pub(crate) breakpoints: Vec<(u32, String, usize)>,
    /// The components of each derived type.
    pub(crate) types: Vec<Vec<Name>>,
    /// Procedures and kernels.
    pub(crate) procedures: Vec<String>,
    /// Source files of the program.
    pub(crate) files: Vec<String>,
    /// How many ranks of MPI there are to choose from.
    pub(crate) ranks: u32,
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
const SETTINGS: [&str; 5] = ["args", "listsize", "print", "var", "variable"];
const SHOWN: [&str; 7] = ["args", "convenience", "listsize", "print", "user", "values", "version"];

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
            (_, Takes::Rank) if is_first => found(start, (0..self.ranks).map(|rank| rank.to_string()), word),
            (_, Takes::Place) if before.contains("if ") || before.contains("if(") => {
                let place = before.split(" if").next().unwrap_or_default().trim();
                self.among(self.scope_at(place)).expression(start, before, word)
            }
            (Verb::Condition, _) => {
                let number = before.split_whitespace().next().and_then(|n| n.parse::<u32>().ok());
                let place = self.breakpoints.iter().find(|b| Some(b.0) == number);
                let scope = place.and_then(|(_, file, line)| self.scope_of(file, *line));
                self.among(scope).expression(start, before, word)
            }
            (_, Takes::Place) => self.place(start, word, before),
            (_, Takes::Expression) => self.expression(start, before, word),
            (_, Takes::Nothing | Takes::Command | Takes::Rank) => Completions { start, ..Completions::default() },
        }
    }

    /// The procedure at a place, as `break` has it.
    fn scope_at(&self, place: &str) -> Option<&Scope> {
        let (file, rest) = place.rsplit_once(':').unwrap_or((self.here.as_ref().map_or("", |h| &h.0), place));
        let relative = |n: &str, sign: isize| {
            let (by, line) = (n.parse::<usize>().ok()?, self.here.as_ref()?.1);
            line.checked_add_signed(sign * by.min(1 << 30) as isize)
        };
        let line = match rest.as_bytes().first() {
            Some(b'+') => relative(&rest[1..], 1),
            Some(b'-') => relative(&rest[1..], -1),
            _ => rest.parse().ok(),
        };
        match line {
            Some(line) => self.scope_of(file, line),
            None => self.scopes.iter().find(|s| s.procedure.eq_ignore_ascii_case(rest)),
        }
    }

    /// The procedure that a line belongs to: the next statement is that of the line.
    fn scope_of(&self, file: &str, line: usize) -> Option<&Scope> {
        let fits = |s: &&Scope| s.file.ends_with(file) && line <= s.lines.1;
        self.scopes.iter().filter(fits).min_by_key(|s| (s.lines.0.saturating_sub(line), s.lines.1 - s.lines.0))
    }

    /// The same with the variables of that procedure.
    fn among(&self, scope: Option<&Scope>) -> Completer {
        let variables = scope.map_or_else(|| self.variables.clone(), |s| s.variables.clone());
        Completer { variables, types: self.types.clone(), ..Completer::default() }
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
            scopes: [("saxpy", (3, 9), "alpha"), ("main", (12, 20), "total")]
                .map(|(procedure, lines, variable)| Scope {
                    procedure: procedure.to_owned(),
                    file: "sax.cuf".to_owned(),
                    lines,
                    variables: vec![name(variable, None)],
                })
                .to_vec(),
            here: Some(("sax.cuf".to_owned(), 13)),
            breakpoints: vec![(4, "sax.cuf".to_owned(), 5)],
            types: vec![vec![name("x", None), name("left", Some(0))]],
            procedures: vec!["saxpy".to_owned(), "main".to_owned()],
            files: vec!["sax.cuf".to_owned()],
            ranks: 2,
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
        assert_eq!(words("b elsewhere if su"), ["sum_d"]);
        assert_eq!(words("info scope m"), ["main"]);
        assert_eq!(words("set ar"), ["args"]);
        assert_eq!(words("rank "), ["0", "1"]);
        assert!(words("rank 1 ").is_empty());
        assert_eq!(words("print 2*su"), ["sum_d"]);
        assert_eq!(words("p/x su"), ["sum_d"]);
        assert_eq!(completer().complete("  print 2*su").start, 10);
        assert!(words("quit x").is_empty() && words("nonsense x").is_empty());
        let wants_file = ["source tests/a", "save breakpoints x", "run 1 < x"].map(|l| completer().complete(l).is_file);
        assert_eq!(wants_file, [true; 3]);
        assert_eq!(words("save br"), ["breakpoints"]);
    }

    #[test]
    fn a_condition_has_the_variables_of_its_place() {
        for line in ["b saxpy if ", "tbreak 3 if 2*", "b sax.cuf:2 if(", "condition 4 ", "b -5 if not(a"] {
            assert_eq!(words(line), ["alpha"], "{line}");
        }
        for line in ["b MAIN if to", "b 10 if ", "b +2 if t"] {
            assert_eq!(words(line), ["total"], "{line}");
        }
        assert_eq!(words("b 99 if cel"), ["cells"], "no procedure: what is in focus");
        assert_eq!(words("condition 9 cel"), ["cells"]);
    }

    #[test]
    fn components_follow_their_variable() {
        assert_eq!(words("p cells%"), ["left", "x"]);
        assert_eq!(words("p 1 + cells(s(2), 1)%left%le"), ["left"]);
        assert_eq!(words("b 3 if threadidx%"), ["x", "y", "z"]);
        assert!(words("p s%").is_empty() && words("p )%").is_empty() && words("p é%").is_empty());
    }
}
