//! The manual of panes and keys as Markdown, from their tables.

use crate::keymap::{Chapter, KEYS};
use crate::pane::PANES;
use std::fmt::Write;

/// Panes and keys.
pub fn manual() -> String {
    let mut text = String::from("## Panes\n\n| key | pane | shows |\n|---|---|---|\n");
    for pane in PANES {
        let _ = writeln!(text, "| `{}` | {} | {} |", pane.key, pane.title, pane.brief);
    }
    text.push_str("\n## Keys\n");
    for chapter in Chapter::ALL {
        let _ = write!(text, "\n### {}\n\n| keys | in | what |\n|---|---|---|\n", chapter.title());
        for row in KEYS.iter().filter(|r| r.chapter == chapter) {
            let keys: Vec<String> = row.keys.iter().map(|k| format!("`{k}`")).collect();
            let panes: Vec<&str> = row.panes.iter().map(|p| p.row().title).collect();
            let _ = writeln!(text, "| {} | {} | {} |", keys.join(" "), panes.join(", "), row.brief);
        }
    }
    text
}
