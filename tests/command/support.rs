//! What is supported, as one table: `docs/support.tsv` is the table, `docs/support.md` is made from it.
//!
//! Every row says yes, partly or no, and names the tests and examples that show it. The checks: the page is that of the table
//! (`CUFEMU_BLESS=1` writes it anew), every named file exists, every diagnostic code that a row mentions appears in one of its
//! files, and what is supported is shown by something. Whether a file shows what its row says is for its reader to judge.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

struct Row<'t> {
    what: &'t str,
    state: &'t str,
    note: &'t str,
    shown_by: Vec<&'t str>,
}

enum Line<'t> {
    Section(&'t str),
    Row(Row<'t>),
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The lines of the table, or what is wrong with one.
fn lines(table: &str) -> Result<Vec<Line<'_>>, String> {
    let mut out = Vec::new();
    for line in table.lines().filter(|line| !line.is_empty()) {
        if let Some(section) = line.strip_prefix("## ") {
            out.push(Line::Section(section));
        } else if !line.starts_with('#') {
            let cells: Vec<&str> = line.split('\t').collect();
            let [what, state, note, shown_by] = cells[..] else {
                return Err(format!("`{line}` has {} cells, not 4", cells.len()));
            };
            out.push(Line::Row(Row { what, state, note, shown_by: shown_by.split_whitespace().collect() }));
        }
    }
    Ok(out)
}

/// The diagnostic codes in a text.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| {
        word.len() == 5 && word.starts_with(['E', 'W', 'R']) && word[1..].bytes().all(|b| b.is_ascii_digit())
    })
}

fn page(lines: &[Line<'_>]) -> String {
    let mut out = String::from(
        "# What cufemu supports\n\nThis page is generated from `support.tsv`. Each row names the tests and examples that show \
         the feature. cufemu names unsupported features when it compiles or runs a program.\n",
    );
    for line in lines {
        match line {
            Line::Section(section) => {
                let _ = write!(
                    out,
                    "\n## {section}\n\n| feature | supported | note | tests and examples |\n|---|---|---|---|\n"
                );
            }
            Line::Row(row) => {
                let link = |path: &&str| format!("[{}](../{path})", path.rsplit('/').next().unwrap_or(path));
                let links: Vec<String> = row.shown_by.iter().map(link).collect();
                let cell = |text: &str| text.replace('|', "\\|");
                let _ =
                    writeln!(out, "| {} | {} | {} | {} |", cell(row.what), row.state, cell(row.note), links.join(", "));
            }
        }
    }
    out
}

#[test]
fn page_of_what_is_supported_is_that_of_the_table() {
    let table = fs::read_to_string(root().join("docs/support.tsv")).expect("the table");
    let page = page(&lines(&table).expect("a table"));
    let file = root().join("docs/support.md");
    if std::env::var_os("CUFEMU_BLESS").is_some() {
        fs::write(&file, &page).expect("a writable page");
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(written == page, "docs/support.md is stale: CUFEMU_BLESS=1 writes it anew");
}

#[test]
fn what_is_supported_is_shown_by_files_that_exist() {
    let table = fs::read_to_string(root().join("docs/support.tsv")).expect("the table");
    let mut wrong = Vec::new();
    for line in lines(&table).expect("a table") {
        let Line::Row(row) = line else { continue };
        if !["yes", "partly", "no"].contains(&row.state) {
            wrong.push(format!("`{}`: `{}` is none of yes, partly, no", row.what, row.state));
        }
        if row.state != "no" && row.shown_by.is_empty() {
            wrong.push(format!("`{}`: nothing shows it", row.what));
        }
        if row.state != "yes" && row.note.is_empty() {
            wrong.push(format!("`{}`: the note does not say what is missing", row.what));
        }
        let mut said = String::new();
        for path in &row.shown_by {
            match fs::read_to_string(root().join(path)) {
                Ok(text) => said.push_str(&text),
                Err(e) => wrong.push(format!("`{}`: {path}: {e}", row.what)),
            }
        }
        let silent = codes(row.note).filter(|code| !row.shown_by.is_empty() && !said.contains(code));
        wrong.extend(silent.map(|code| format!("`{}`: no named file has {code}", row.what)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tables_with_a_missing_cell_are_refused() {
    assert!(lines("# head\n## a\nb\tyes\t\tx.cuf\n").is_ok_and(|l| l.len() == 2));
    assert!(lines("b\tyes\n").is_err());
    assert_eq!(codes("W0901: refused, W0902").collect::<Vec<_>>(), ["W0901", "W0902"]);
}
