//! Files that hold what a test produces. `CUFEMU_BLESS=1` in the environment writes them anew.

use crate::annotated::root;
use std::fmt::Write;
use std::path::Path;

/// Whether kept files are to be written instead of compared.
pub(crate) fn is_renewed() -> bool {
    std::env::var_os("CUFEMU_BLESS").is_some()
}

/// Compares `text` with the kept file at `path`, from the root; a file that does not exist holds nothing. Returns the
/// difference. With `CUFEMU_BLESS=1` it writes the file instead, or removes it if there is nothing to keep.
pub(crate) fn compare(path: &Path, text: &str) -> Option<String> {
    let file = root().join(path);
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    if kept == text {
        return None;
    }
    if is_renewed() {
        let done = if text.is_empty() { std::fs::remove_file(&file) } else { std::fs::write(&file, text) };
        done.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        return None;
    }
    Some(format!("not as in {} (CUFEMU_BLESS=1 renews it):\n{}", path.display(), difference(&kept, text)))
}

/// The lines around the difference of two texts, `-` before those of the first and `+` before those of the second.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let mut out = String::new();
    let mut lines = |sign: &str, lines: &[&str]| {
        lines.iter().for_each(|line| {
            let _ = writeln!(out, "{sign} {line}");
        });
    };
    lines(" ", &old[head.saturating_sub(2)..head]);
    lines("-", &old[head..old.len() - tail]);
    lines("+", &new[head..new.len() - tail]);
    lines(" ", &old[old.len() - tail..old.len().min(old.len() - tail + 2)]);
    out
}
