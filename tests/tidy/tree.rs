//! The files of the source tree, read once, and small questions about their text.

use std::fs;
use std::path::{Path, PathBuf};

/// One Rust file of the tree.
pub(crate) struct Source {
    /// Path from the root, with slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// Whether the whole file is test code.
    pub(crate) fn is_test(&self) -> bool {
        self.path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "benches"))
    }

    /// The crate folder under `src/`, if the file is in one.
    pub(crate) fn folder(&self) -> Option<&str> {
        self.path.strip_prefix("src/")?.split_once('/').map(|(folder, _)| folder)
    }

    /// Code and test code: the unit tests of a file are at its end.
    pub(crate) fn split(&self) -> (&str, &str) {
        if self.is_test() {
            return ("", &self.text);
        }
        let mut from = 0;
        while let Some(at) = self.text[from..].find("#[cfg(test)]").map(|i| i + from) {
            let after = self.text[at..].lines().skip(1).find(|line| !line.trim_start().starts_with("#["));
            if after.is_some_and(|line| line.trim_start().starts_with("mod ")) {
                return self.text.split_at(at);
            }
            from = at + 1;
        }
        (&self.text, "")
    }

    /// Lines of code with their numbers, without test code and comments.
    pub(crate) fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.split().0.lines().enumerate();
        lines.map(|(i, line)| (i + 1, line)).filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// The `//!` lines at the top.
    pub(crate) fn head(&self) -> impl Iterator<Item = &str> {
        self.text.lines().take_while(|line| line.starts_with("//!"))
    }
}

pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files below `folder` for which `wanted` is true, in the order of their paths.
pub(crate) fn files(folder: &str, wanted: impl Fn(&Path) -> bool) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(dir) = open.pop() {
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                open.push(path);
            } else if wanted(&path) {
                let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
                found.push((name, path));
            }
        }
    }
    found.sort();
    found
}

pub(crate) fn sources() -> Vec<Source> {
    let rust = |path: &Path| path.extension().is_some_and(|e| e == "rs");
    let all = ["src", "tests", "benches"].into_iter().flat_map(|folder| files(folder, rust));
    all.map(|(path, file)| Source { path, text: fs::read_to_string(file).expect("a readable file") }).collect()
}

pub(crate) fn report(rule: &str, violations: &[String]) {
    assert!(violations.is_empty(), "{rule}:\n  {}", violations.join("\n  "));
}

/// Whether `line` holds `word` with no letter, digit or underscore on either side.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(i, _)| {
        !line[..i].chars().next_back().is_some_and(is_part)
            && !line[i + word.len()..].chars().next().is_some_and(is_part)
    })
}

#[test]
fn code_is_told_from_tests_and_words_from_parts_of_words() {
    let text = "//! Head.\nuse a::HashMap;\n// HashMap\n#[cfg(test)]\nuse b;\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n";
    let file = Source { path: "src/vm/x.rs".to_owned(), text: text.to_owned() };
    assert_eq!(file.split().1.lines().count(), 3);
    assert_eq!(file.code_lines().filter(|(_, line)| has_word(line, "HashMap")).count(), 1);
    assert!(!has_word("FxHashMap", "HashMap") && has_word("(HashMap<", "HashMap"));
}
