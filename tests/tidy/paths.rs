//! The modules of a crate and the paths in its code that lead to others of its modules.
//!
//! Reads code as a sequence of names and signs. Comments, strings and unit tests do not count. A path through a re-export
//! (`pub use room::Thing` in `lib.rs`, then `crate::Thing`) leads to the module that defines the item. Not resolved: paths
//! that macros make, and items behind `use …::*`, which count as their module's.

use crate::tree::Source;
use std::collections::BTreeMap;

/// A module: the names from the root of its crate; none is the root itself.
pub(crate) type Module = Vec<String>;

/// A path in the code of one module that leads to another.
pub(crate) struct Reference {
    /// The module whose code has it.
    pub(crate) from: Module,
    /// The module that defines what it names.
    pub(crate) to: Module,
    /// File and line.
    pub(crate) place: String,
    /// The line.
    pub(crate) line: String,
}

/// A piece of code.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Token {
    text: String,
    line: usize,
}

/// One file of a crate.
struct File<'s> {
    module: Module,
    source: &'s Source,
    tokens: Vec<Token>,
}

/// A crate: its files, and by module the names that `use` brings there.
struct Crate<'s> {
    files: Vec<File<'s>>,
    imports: BTreeMap<Module, BTreeMap<String, Vec<String>>>,
}

/// The references between different modules of the crate whose files these are; `folder` is where its root lies.
pub(crate) fn references(folder: &str, sources: &[&Source]) -> Vec<Reference> {
    let files = sources.iter().filter_map(|source| {
        let module = module_of(folder, &source.path)?;
        Some(File { module, source, tokens: tokens(&scrubbed(source.split().0)) })
    });
    let mut all = Crate { files: files.collect(), imports: BTreeMap::new() };
    for file in &all.files {
        let mut names = BTreeMap::new();
        for (path, name, _) in paths(file, true) {
            names.insert(name, path);
        }
        all.imports.insert(file.module.clone(), names);
    }
    let mut found = Vec::new();
    for file in &all.files {
        for (path, _, line) in paths(file, false) {
            let Some(to) = all.resolve(&file.module, &path, 8).filter(|to| *to != file.module) else { continue };
            found.push(Reference {
                from: file.module.clone(),
                to,
                place: format!("{}:{line}", file.source.path),
                line: file.source.text.lines().nth(line - 1).unwrap_or("").trim().to_owned(),
            });
        }
    }
    found
}

/// The module of a file below the crate's folder.
fn module_of(folder: &str, path: &str) -> Option<Module> {
    let inside = path.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".rs")?;
    let mut module: Module = inside.split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|name| name == "mod") || module == ["lib"] {
        module.pop();
    }
    Some(module)
}

impl Crate<'_> {
    fn is_module(&self, module: &[String]) -> bool {
        self.files.iter().any(|file| file.module == module)
    }

    /// The module that a path in `from` leads to; none if it leads out of the crate.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<Module> {
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (from.to_vec(), &path[1..]),
            "super" => (from[..from.len().checked_sub(1)?].to_vec(), &path[1..]),
            name => {
                // A path that begins with a name: of a module inside, else of another crate.
                let inside: Module = from.iter().cloned().chain([name.to_owned()]).collect();
                (self.is_module(&inside).then_some(inside)?, &path[1..])
            }
        };
        while let Some((name, after)) = rest.split_first() {
            if name == "super" {
                at.pop()?;
            } else {
                let inside: Module = at.iter().cloned().chain([name.clone()]).collect();
                if self.is_module(&inside) {
                    at = inside;
                } else {
                    let target = self.imports.get(&at).and_then(|names| names.get(name)).filter(|_| depth > 0);
                    let through = target.map(|path| path.iter().chain(after).cloned().collect::<Vec<_>>());
                    return through.and_then(|path| self.resolve(&at, &path, depth - 1)).or(Some(at));
                }
            }
            rest = after;
        }
        Some(at)
    }
}

/// The paths in a file with the name that each brings and its line: those of `use` declarations, and, with `imports_only` off,
/// those in other code too.
fn paths(file: &File<'_>, imports_only: bool) -> Vec<(Vec<String>, String, usize)> {
    let mut found = Vec::new();
    let text = |at: usize| file.tokens.get(at).map_or("", |token| &*token.text);
    let mut at = 0;
    while at < file.tokens.len() {
        if text(at) == "use" {
            at = tree(&file.tokens, at + 1, &[], &mut found);
        } else if !imports_only && text(at + 1) == "::" && (at == 0 || text(at - 1) != "::") && is_name(text(at)) {
            at = tree(&file.tokens, at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    found
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Reads a path or a tree of paths from `at`; returns where it ends.
fn tree(tokens: &[Token], mut at: usize, prefix: &[String], found: &mut Vec<(Vec<String>, String, usize)>) -> usize {
    let text = |at: usize| tokens.get(at).map_or("", |token| &*token.text);
    let line = tokens.get(at).map_or(0, |token| token.line);
    let mut path = prefix.to_vec();
    loop {
        if text(at) == "{" {
            at += 1;
            while !["}", ""].contains(&text(at)) {
                at = tree(tokens, at, &path, found);
                at += usize::from(text(at) != "}");
            }
            return at + 1;
        }
        if !is_name(text(at)) {
            break;
        }
        path.push(text(at).to_owned());
        at += 1;
        if text(at) != "::" || !(is_name(text(at + 1)) || ["{", "*"].contains(&text(at + 1))) {
            break;
        }
        at += 1;
    }
    // `use room::{self, Thing}` names the room.
    if path.len() > 1 && path.last().is_some_and(|name| name == "self") {
        path.pop();
    }
    let is_renamed = text(at) == "as";
    let name = if is_renamed { text(at + 1).to_owned() } else { path.last().cloned().unwrap_or_default() };
    at += if is_renamed { 2 } else { 0 };
    if !path.is_empty() {
        found.push((path, name, line));
    }
    at
}

/// Names, `::`, and single signs.
fn tokens(code: &str) -> Vec<Token> {
    let mut found = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = if first.is_alphanumeric() || first == '_' {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            found.push(Token { text: rest[..length].to_owned(), line: number + 1 });
            rest = rest[length..].trim_start();
        }
    }
    found
}

/// Code with blanks for comments, strings and characters; lines stay.
fn scrubbed(code: &str) -> String {
    let chars: Vec<char> = code.chars().collect();
    let mut out = String::with_capacity(code.len());
    let mut at = 0;
    let starts = |at: usize, what: &str| what.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c));
    while at < chars.len() {
        let end = if starts(at, "//") {
            (at..chars.len()).find(|&i| chars[i] == '\n').unwrap_or(chars.len())
        } else if starts(at, "/*") {
            (at + 2..chars.len()).find(|&i| starts(i, "*/")).map_or(chars.len(), |i| i + 2)
        } else if starts(at, "r\"") || starts(at, "r#") {
            let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
            let close: String = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
            if chars.get(at + 1 + hashes) == Some(&'"') {
                (at + 2 + hashes..chars.len()).find(|&i| starts(i, &close)).map_or(chars.len(), |i| i + close.len())
            } else {
                at
            }
        } else if chars[at] == '"' {
            let mut i = at + 1;
            while i < chars.len() && chars[i] != '"' {
                i += if chars[i] == '\\' { 2 } else { 1 };
            }
            i + 1
        } else if chars[at] == '\'' && chars.get(at + 1) == Some(&'\\') {
            (at + 3..chars.len()).find(|&i| chars[i] == '\'').map_or(chars.len(), |i| i + 1)
        } else if chars[at] == '\'' && chars.get(at + 2) == Some(&'\'') {
            at + 3
        } else {
            at
        };
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end.min(chars.len())].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

#[test]
fn paths_lead_to_the_modules_that_define_what_they_name() {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let files = [
        source("src/x/lib.rs", "mod a;\nmod b;\npub use a::Thing;\npub use b::deep::{Deep as Low, other};\n"),
        source(
            "src/x/a.rs",
            "use crate::b::{self, deep::Deep};\n// crate::c::X\nfn f() { super::b::g(\"crate::c\") }\n",
        ),
        source("src/x/b/mod.rs", "mod deep;\npub use deep::Deep;\nuse crate::{Thing, c};\n"),
        source(
            "src/x/b/deep.rs",
            "use std::fmt;\nuse super::super::c::C;\nfn h<'a>(x: &'a crate::Low) { self::k() }\n",
        ),
        source("src/x/c.rs", "use crate::Low;\n#[cfg(test)]\nmod tests {\n    use crate::a::Thing;\n}\n"),
    ];
    let all: Vec<&Source> = files.iter().collect();
    let found: Vec<String> = references("src/x", &all)
        .iter()
        .map(|r| {
            format!("{} -> {} at {}", r.from.join("::"), r.to.join("::"), r.place.rsplit(':').next().unwrap_or(""))
        })
        .collect();
    assert_eq!(
        found,
        [
            " -> a at 3",
            " -> b::deep at 4",
            " -> b::deep at 4",
            "a -> b at 1",
            "a -> b::deep at 1",
            "a -> b at 3",
            "b -> b::deep at 2",
            "b -> a at 3",
            "b -> c at 3",
            "b::deep -> c at 2",
            "c -> b::deep at 1",
        ]
    );
}
