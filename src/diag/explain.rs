//! The explanation of each code: for `--explain`, SARIF and `docs/codes.md`.
//!
//! The texts are Markdown files in `explain/`, one for each family, with a section `## ID` for each code. They are compiled
//! into the program. Blocks marked `fortran wrong` and `fortran right` are examples.

use crate::Code;

/// The files, by family.
const FILES: &[(&str, &str)] = &[
    ("E01", include_str!("explain/E01.md")),
    ("W01", include_str!("explain/E01.md")),
    ("E02", include_str!("explain/E02.md")),
    ("W02", include_str!("explain/E02.md")),
    ("E03", include_str!("explain/E03.md")),
    ("W03", include_str!("explain/E03.md")),
    ("E04", include_str!("explain/E04.md")),
    ("W04", include_str!("explain/E04.md")),
    ("E05", include_str!("explain/E05.md")),
    ("W05", include_str!("explain/W05.md")),
    ("E06", include_str!("explain/E06.md")),
    ("W06", include_str!("explain/E06.md")),
    ("E09", include_str!("explain/E09.md")),
    ("W09", include_str!("explain/E09.md")),
    ("R01", include_str!("explain/R01.md")),
    ("R02", include_str!("explain/R02.md")),
    ("R03", include_str!("explain/R03.md")),
    ("R04", include_str!("explain/R04.md")),
    ("R05", include_str!("explain/R05.md")),
    ("R06", include_str!("explain/R06.md")),
    ("R07", include_str!("explain/R07.md")),
    ("R08", include_str!("explain/R08.md")),
    ("R09", include_str!("explain/R09.md")),
    ("R10", include_str!("explain/R10.md")),
    ("R11", include_str!("explain/R11.md")),
];

/// The explanation of a code as text for a terminal, with examples indented instead of fenced; `None` if there is no such
/// code.
///
/// ```
/// assert!(diag::explain("E0523").is_some_and(|text| text.contains("<<<")));
/// assert!(diag::explain("E9999").is_none());
/// ```
pub fn explain(code_text: &str) -> Option<String> {
    let code = Code::from_id(code_text.trim())?;
    let mut out = format!("{}: {}\n\n", code.id(), code.title());
    let mut fenced = false;
    for line in section(code).unwrap_or_default().trim().lines() {
        if let Some(info) = line.strip_prefix("```") {
            fenced = !fenced;
            if let Some(kind) = info.split_whitespace().nth(1) {
                out.push_str(kind);
                out.push_str(":\n\n");
            }
            continue;
        }
        if fenced && !line.is_empty() {
            out.push_str("    ");
        }
        out.push_str(line);
        out.push('\n');
    }
    Some(out)
}

/// The page of all codes in Markdown, family by family.
pub fn reference() -> String {
    let mut out = String::from(
        "# Codes of errors, warnings and findings\n\nThis page is generated from the table of codes. `cufemu --explain \
         CODE` shows one entry. E codes are errors in the source, W codes are warnings, and R codes are findings at run \
         time.\n",
    );
    for (family, text) in FILES {
        let heading = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        out.push_str(&format!("\n## {family}: {heading}\n"));
        for code in Code::ALL.iter().filter(|c| c.family() == *family) {
            let severity = format!("{:?}", code.severity()).to_lowercase();
            out.push_str(&format!("\n### {} ({severity}): {}\n\n", code.id(), code.title()));
            for line in section(*code).unwrap_or_default().trim().lines() {
                // A renderer knows a block by one word.
                match line.strip_prefix("```fortran ") {
                    Some(kind) => out.push_str(&format!("{kind}:\n\n```fortran\n")),
                    None => out.push_str(&format!("{line}\n")),
                }
            }
        }
    }
    out
}

/// The Markdown of one code, without its heading.
fn section(code: Code) -> Option<&'static str> {
    let (_, text) = FILES.iter().find(|(family, _)| *family == code.family())?;
    let mut parts = text.split("\n## ").skip(1);
    parts.find_map(|part| part.split_once('\n').filter(|(id, _)| id.trim() == code.id()).map(|(_, body)| body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_has_an_explanation() {
        let missing: Vec<&str> =
            Code::ALL.iter().filter(|c| section(**c).is_none_or(|s| s.trim().is_empty())).map(|c| c.id()).collect();
        assert!(missing.is_empty(), "without a section in explain/: {missing:?}");
    }

    #[test]
    fn every_section_belongs_to_a_code_and_stands_once() {
        let files: BTreeSet<&str> = FILES.iter().map(|(_, text)| *text).collect();
        let mut seen = BTreeSet::new();
        for part in files.iter().flat_map(|text| text.split("\n## ").skip(1)) {
            let id = part.lines().next().unwrap_or("").trim();
            assert!(Code::from_id(id).is_some(), "`{id}` is no code");
            assert!(seen.insert(id), "`{id}` has two sections");
        }
    }

    #[test]
    fn examples_are_marked_and_closed() {
        for code in Code::ALL {
            let text = section(*code).unwrap_or_default();
            assert_eq!(text.matches("```").count() % 2, 0, "{code}");
            for line in text.lines().filter(|l| l.starts_with("```") && *l != "```") {
                assert!(matches!(line, "```fortran wrong" | "```fortran right" | "```text"), "{code}: {line}");
            }
            for line in text.lines() {
                assert!(line.chars().count() <= 90, "{code}: too wide for a terminal: {line}");
            }
        }
    }
}
