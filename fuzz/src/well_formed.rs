//! What can be said of PTX text without ptxas: braces pair, registers and arrays of functions are declared, labels stand once
//! where they are branched to, every instruction ends.

use std::collections::{BTreeMap, BTreeSet};

/// The first thing that is wrong with the text.
pub fn check(text: &str) -> Result<(), String> {
    let mut depth = 0_i32;
    let mut scope = Scope::default();
    for (index, raw) in text.lines().enumerate() {
        let line = raw.split("//").next().unwrap_or_default().trim();
        let fault = |what: &str| Err(format!("line {}: {what}: `{raw}`", index + 1));
        match line {
            "" => continue,
            "{" => {
                depth += 1;
                continue;
            }
            "}" => {
                depth -= 1;
                if depth < 0 {
                    return fault("a brace closes nothing");
                }
                if depth == 0 {
                    std::mem::take(&mut scope).close()?;
                }
                continue;
            }
            _ if depth == 0 => continue,
            _ => {}
        }
        if let Some(label) = line.strip_suffix(':') {
            if !scope.labels.insert(label.to_owned()) {
                return fault("a label stands twice");
            }
        } else if let Some(declared) = line.strip_prefix(".reg ") {
            scope.declare(declared);
        } else if line.starts_with(".local ") || line.starts_with(".shared ") {
            scope.arrays.extend(line.split([' ', '[']).filter(|w| is_array(w)).map(str::to_owned));
        } else {
            if !line.ends_with([';', '{', '}', ',', '(', ')']) {
                return fault("an instruction does not end");
            }
            scope.instruction(line);
        }
    }
    if depth != 0 {
        return Err("a brace is not closed".to_owned());
    }
    Ok(())
}

/// Whether the name is that of an array of a function.
fn is_array(word: &str) -> bool {
    ["depot", "shared"].iter().any(|p| word.strip_prefix(p).is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())))
}

/// What one function declares and uses.
#[derive(Default)]
struct Scope {
    /// Numbers of the registers by prefix: `%r<5>` has 5.
    counts: BTreeMap<String, u32>,
    /// Registers that are declared one by one.
    names: BTreeSet<String>,
    labels: BTreeSet<String>,
    targets: BTreeSet<String>,
    used: BTreeSet<(String, u32)>,
    /// Arrays in local and shared memory.
    arrays: BTreeSet<String>,
    used_arrays: BTreeSet<String>,
}

impl Scope {
    /// `.b32 %r<5>;` or `.b32 %a, %b;`
    fn declare(&mut self, text: &str) {
        for name in text.split([' ', ',', ';']).filter_map(|w| w.strip_prefix('%')) {
            match name.split_once('<') {
                Some((prefix, count)) => {
                    let count = count.trim_end_matches('>').parse().unwrap_or(0);
                    self.counts.insert(prefix.to_owned(), count);
                }
                None => {
                    self.names.insert(name.to_owned());
                }
            }
        }
    }

    fn instruction(&mut self, line: &str) {
        let mut words = line.split([' ', ',', ';', '[', ']', '{', '}', '(', ')', '+', '|', '!', '@']);
        let mut branches = false;
        for word in words.by_ref().filter(|w| !w.is_empty()) {
            if let Some(name) = word.strip_prefix('%') {
                let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
                if let Ok(number) = name[prefix.len()..].parse()
                    && !matches!(prefix, "clock")
                    && !self.names.contains(name)
                {
                    self.used.insert((prefix.to_owned(), number));
                }
            } else if is_array(word) && !line.starts_with('.') {
                self.used_arrays.insert(word.to_owned());
            } else if branches {
                self.targets.insert(word.to_owned());
            }
            branches = word == "bra" || word.starts_with("bra.");
        }
    }

    fn close(self) -> Result<(), String> {
        if let Some(target) = self.targets.difference(&self.labels).next() {
            return Err(format!("there is no label `{target}`"));
        }
        if let Some(array) = self.used_arrays.difference(&self.arrays).next() {
            return Err(format!("array `{array}` is not declared"));
        }
        for (prefix, number) in &self.used {
            if self.counts.get(prefix).is_none_or(|count| number >= count) {
                return Err(format!("register `%{prefix}{number}` is not declared"));
            }
        }
        Ok(())
    }
}
