//! An embedded module in parts, and those of them that a program can name.
//!
//! Most programs name a few of the hundreds of things in `cudafor`. A part is a declaration, a type, an interface or a
//! procedure; it is needed if the program, or another part that is needed, mentions a name that it declares. The lines of
//! all others are left empty, so that the rest keeps its line numbers. What belongs to no part (`module`, `use`, `contains`,
//! access statements, interfaces of operators and of assignment) is always there.
//!
//! The modules are ours, written with one statement on a line, `::` in each declaration and `end function` or
//! `end subroutine` after each procedure; the test `each_name_alone_brings_what_it_needs` holds them to it.
//!
//! Not here: the modules and who uses which (`embedded`), the meaning of a name (`sema`).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// A module's text, cut up.
#[derive(Debug)]
pub(crate) struct Parts {
    text: &'static str,
    /// Bytes of each part, whole lines, in the order of the text.
    ranges: Vec<Range<usize>>,
    /// Parts by the names, in lower case, that they declare.
    by_name: BTreeMap<String, Vec<usize>>,
    /// Modules of the USE statements, in lower case.
    uses: Vec<String>,
}

/// What the line scanner is in.
enum Inside {
    /// The specification part of the module, or the list of its procedures.
    Module,
    /// An interface block without a name: each body is a part.
    Bodies,
    /// A part that ends behind the line that begins so, or, if that is empty, behind the first line that is not continued.
    Part(&'static str, Box<Inside>),
}

impl Parts {
    /// Whether a part declares this name, in lower case.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Cuts up the text of a module.
    pub(crate) fn new(text: &'static str) -> Parts {
        let mut cut = Parts { text, ranges: Vec::new(), by_name: BTreeMap::new(), uses: Vec::new() };
        let mut inside = Inside::Module;
        let (mut begin, mut at) = (0, 0);
        for whole in text.split_inclusive('\n') {
            let start = at;
            at += whole.len();
            let lower = whole.trim().to_ascii_lowercase();
            let line = lower.split('!').next().unwrap_or_default().trim_end();
            if line.is_empty() {
                continue;
            }
            inside = match inside {
                Inside::Part(end, outer) => {
                    if if end.is_empty() { line.ends_with('&') } else { !line.starts_with(end) } {
                        Inside::Part(end, outer)
                    } else {
                        cut.ranges.push(begin..at);
                        *outer
                    }
                }
                outer => {
                    begin = start;
                    match cut.opening(line, &outer) {
                        Some("") if !line.ends_with('&') => {
                            cut.ranges.push(start..at);
                            outer
                        }
                        Some(end) => Inside::Part(end, Box::new(outer)),
                        None if line == "interface" => Inside::Bodies,
                        None if line.starts_with("end interface") => Inside::Module,
                        None => outer,
                    }
                }
            };
        }
        cut
    }

    /// If a part begins with the line: how the line that ends it begins, empty if it is a declaration. Notes its names.
    fn opening(&mut self, line: &str, inside: &Inside) -> Option<&'static str> {
        if let Some(module) = line.strip_prefix("use ") {
            self.uses.extend(identifiers(module).next().map(str::to_owned));
            return None;
        }
        if line.starts_with("end ") {
            return None;
        }
        let mut words = identifiers(line);
        let heading = words.find(|&w| w == "function" || w == "subroutine");
        let declared = line.split_once("::").map(|(_, names)| names);
        let (end, names) = match (heading, declared) {
            (Some("function"), _) => ("end function", words.next().into_iter().collect()),
            (Some(_), _) => ("end subroutine", words.next().into_iter().collect()),
            _ if matches!(inside, Inside::Bodies) => return None,
            (_, Some(name)) if line.starts_with("type ::") || line.starts_with("type,") => {
                ("end type", vec![name.trim()])
            }
            (_, Some(names)) if !line.starts_with("public") => ("", declared_names(names)),
            _ => {
                let name = line.strip_prefix("interface ").filter(|name| !name.contains('('))?;
                ("end interface", vec![name.trim()])
            }
        };
        for name in names {
            self.by_name.entry(name.to_owned()).or_default().push(self.ranges.len());
        }
        Some(end)
    }
}

/// The names that a list of entities declares: `a = 1, b(3)` gives `a` and `b`.
fn declared_names(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let entities = list.split(|c: char| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        c == ',' && depth == 0
    });
    entities.filter_map(|entity| identifiers(entity).next()).collect()
}

/// The words of a text that are, or could be, names.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(move |c| !is_part(c)).filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

/// The modules that a program uses, each with the parts that it needs.
#[derive(Default)]
pub(crate) struct Selection {
    modules: Vec<(Arc<str>, &'static Parts, Vec<bool>)>,
    /// Names that the program or a part that is needed mentions; all that there are if there is no set.
    names: Option<BTreeSet<Arc<str>>>,
}

impl Selection {
    /// No modules, for a program that mentions the names, or may mention any.
    pub(crate) fn new(names: Option<BTreeSet<Arc<str>>>) -> Selection {
        Selection { modules: Vec::new(), names }
    }

    /// Adds a module, and those that it uses, as `find` knows them.
    pub(crate) fn add(&mut self, module: &str, find: &impl Fn(&str) -> Option<&'static Parts>) {
        let Some(parts) = find(module).filter(|_| self.modules.iter().all(|m| &*m.0 != module)) else { return };
        self.modules.push((module.into(), parts, vec![self.names.is_none(); parts.ranges.len()]));
        let mut rest = 0;
        for part in &parts.ranges {
            self.mention(&parts.text[rest..part.start]);
            rest = part.end;
        }
        self.mention(&parts.text[rest..]);
        let names = self.names.iter().flatten();
        let known: Vec<Arc<str>> = names.filter(|name| parts.by_name.contains_key(&***name)).cloned().collect();
        known.iter().for_each(|name| self.take(name));
        parts.uses.iter().for_each(|used| self.add(used, find));
    }

    /// Notes the names of a text of ours.
    fn mention(&mut self, text: &'static str) {
        if self.names.is_none() {
            return;
        }
        for line in text.lines() {
            let line = line.split('!').next().unwrap_or_default().to_ascii_lowercase();
            for name in identifiers(&line) {
                if let Some(names) = self.names.as_mut().filter(|names| !names.contains(name)) {
                    names.insert(name.into());
                    self.take(name);
                }
            }
        }
    }

    /// Takes the parts that declare a name.
    fn take(&mut self, name: &str) {
        for at in 0..self.modules.len() {
            let parts = self.modules[at].1;
            for &part in parts.by_name.get(name).into_iter().flatten() {
                if !std::mem::replace(&mut self.modules[at].2[part], true) {
                    self.mention(&parts.text[parts.ranges[part].clone()]);
                }
            }
        }
    }

    /// The modules with the texts of what is needed.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&Arc<str>, String)> {
        self.modules.iter().map(|(name, parts, taken)| {
            let mut text = String::with_capacity(parts.text.len() / 4);
            let mut rest = 0;
            for (part, _) in parts.ranges.iter().zip(taken).filter(|(_, taken)| !**taken) {
                text += &parts.text[rest..part.start];
                text.extend(parts.text[part.clone()].matches('\n'));
                rest = part.end;
            }
            (name, text + &parts.text[rest..])
        })
    }
}
