//! Findings that the user suppresses: with comments in the program, and with files of `--suppressions`.
//!
//! A comment `!cufemu ignore(R0108)` applies to its line, or to the next line if it stands alone. A file has one rule per line:
//! a code (or `*` for all) and where it applies. `#` begins a comment:
//!
//! ```text
//! R0109                   everywhere
//! R0108 scan.cuf          in this file
//! R0104 lib/scan.cuf:17   in this line
//! *     kernel:warm_up    in launches of this kernel
//! ```
//!
//! A rule names a file by the end of its path. It suppresses a race if one of the two accesses is there. Suppressed findings are
//! counted and do not make a run fail. Compile-time errors are never suppressed.

use crate::cli::files;
use compile::Ignore;
use finding::Finding;
use source::{FileId, SourceMap, Span};
use std::collections::BTreeSet;
use std::path::Path;

/// All suppressions of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suppressions {
    rules: Vec<Rule>,
    /// File and line of each comment that ignores the code.
    ignored: BTreeSet<(FileId, usize, String)>,
}

/// A line of a file of suppressions.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Rule {
    /// `None` is every code.
    code: Option<String>,
    place: Place,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Place {
    Everywhere,
    File(String, Option<usize>),
    Kernel(String),
}

impl Suppressions {
    /// Adds the rules of a file; the error is one sentence.
    pub(crate) fn read(&mut self, path: &Path) -> Result<(), String> {
        let text = files::text_of(path)?;
        for (number, line) in (1..).zip(text.lines()) {
            let rule = rule(line).map_err(|reason| format!("line {number} of `{}`: {reason}", path.display()))?;
            self.rules.extend(rule);
        }
        Ok(())
    }

    /// Adds the comments of a program.
    pub(crate) fn add_comments(&mut self, ignores: &[Ignore], map: &SourceMap) {
        for ignore in ignores {
            let Some(place) = map.location(ignore.span) else { continue };
            let file = ignore.span.file;
            let is_alone = map.file(file).is_some_and(|f| f.line_text(place.line).trim_start().starts_with('!'));
            for code in &ignore.codes {
                self.ignored.insert((file, place.line + usize::from(is_alone), code.to_ascii_uppercase()));
            }
        }
    }

    /// Whether this finding is suppressed.
    pub(crate) fn has(&self, finding: &Finding, map: &SourceMap) -> bool {
        if self.rules.is_empty() && self.ignored.is_empty() {
            return false;
        }
        let code = finding.code().id();
        let mut spans: Vec<Span> = finding.accesses.iter().map(|a| a.span).collect();
        spans.push(finding.span());
        let at = |span: &Span| {
            let Some(place) = map.location(*span) else { return false };
            let holds = |rule: &Rule| match &rule.place {
                Place::File(path, line) => is_end_of(path, &place.file) && line.is_none_or(|l| l == place.line),
                Place::Everywhere | Place::Kernel(_) => false,
            };
            self.ignored.contains(&(span.file, place.line, code.to_owned()))
                || self.rules.iter().any(|rule| rule.speaks_of(code) && holds(rule))
        };
        let kernel = finding.launch.as_ref().map(|l| l.kernel.as_str());
        self.rules.iter().any(|rule| {
            rule.speaks_of(code)
                && match &rule.place {
                    Place::Everywhere => true,
                    Place::Kernel(name) => kernel == Some(name),
                    Place::File(..) => false,
                }
        }) || spans.iter().any(at)
    }
}

impl Rule {
    fn speaks_of(&self, code: &str) -> bool {
        self.code.as_deref().is_none_or(|c| c == code)
    }
}

/// The rule of a line, if it has one; the error is one sentence.
fn rule(line: &str) -> Result<Option<Rule>, String> {
    let line = line.split('#').next().unwrap_or_default().trim();
    let (code, place) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let code = match code {
        "" => return Ok(None),
        "*" => None,
        _ => {
            let code = code.to_ascii_uppercase();
            if diag::explain(&code).is_none() {
                return Err(format!(
                    "there is no code `{code}`; a rule is a code and a place, such as `R0109 scan.cuf:17`"
                ));
            }
            Some(code)
        }
    };
    let place = place.trim();
    let place = match (place, place.strip_prefix("kernel:"), place.rsplit_once(':')) {
        ("", ..) => Place::Everywhere,
        (_, Some(name), _) => Place::Kernel(name.trim().to_ascii_lowercase()),
        (_, None, Some((path, line))) if line.bytes().all(|b| b.is_ascii_digit()) && !line.is_empty() => {
            Place::File(path.to_owned(), Some(line.parse().map_err(|_| format!("`{line}` is not a line number"))?))
        }
        _ => Place::File(place.to_owned(), None),
    };
    if code.is_none() && place == Place::Everywhere {
        return Err("this would suppress everything; give a code or a place".to_owned());
    }
    Ok(Some(Rule { code, place }))
}

/// Whether `path` is `whole` or its end after a slash.
fn is_end_of(path: &str, whole: &str) -> bool {
    let (path, whole) = (path.replace('\\', "/"), whole.replace('\\', "/"));
    let path = path.trim_start_matches("./");
    whole.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_a_code_and_a_place() {
        let parsed = |line| rule(line).expect("a rule").map(|r| (r.code, r.place));
        let code = |c: &str| Some(c.to_owned());
        assert_eq!(parsed("  # nothing"), None);
        assert_eq!(parsed("r0109"), Some((code("R0109"), Place::Everywhere)));
        assert_eq!(
            parsed("R0104 a/b.cuf:17 # why"),
            Some((code("R0104"), Place::File("a/b.cuf".to_owned(), Some(17))))
        );
        assert_eq!(parsed("* b.cuf"), Some((None, Place::File("b.cuf".to_owned(), None))));
        assert_eq!(parsed("* kernel:Scan"), Some((None, Place::Kernel("scan".to_owned()))));
        assert!(rule("R9999 a.cuf").is_err_and(|e| e.contains("no code `R9999`")));
        assert!(rule("*").is_err());
    }

    #[test]
    fn a_file_is_known_by_the_end_of_its_path() {
        assert!(
            is_end_of("b.cuf", "a/b.cuf") && is_end_of("./a/b.cuf", "a/b.cuf") && is_end_of("a/b.cuf", "/x/a/b.cuf")
        );
        assert!(!is_end_of("b.cuf", "ab.cuf") && !is_end_of("x/b.cuf", "b.cuf"));
    }
}
