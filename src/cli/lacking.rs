//! Names the C file beside a source file that defines a procedure which the command line does not give.
//!
//! Not here: the warning itself (`sema`).

use diag::{Code, Diagnostic};
use source::SourceMap;
use std::path::{Path, PathBuf};

/// C files that are larger are not looked at.
const LARGEST: u64 = 1 << 20;

/// Says in the warning of a procedure that no given file defines which C file has it, if one in the directory of the source does.
pub(crate) fn name_file(diagnostic: &mut Diagnostic, map: &SourceMap) {
    let is_lacking = match diagnostic.code {
        Code::ForeignProcedure => true,
        Code::UnsupportedIfReached => diagnostic.message.contains("which no given file defines"),
        _ => false,
    };
    let (Some(file), Some(name)) = (map.file(diagnostic.primary.span.file), diagnostic.message.split('`').nth(1))
    else {
        return;
    };
    if !is_lacking {
        return;
    }
    let directory = Path::new(file.name()).parent().unwrap_or(Path::new(""));
    if let Some(path) = defining(directory, name) {
        let help = format!("`{}` defines it: give that file, too", path.display());
        match diagnostic.helps.first_mut() {
            Some(first) => *first = help,
            None => diagnostic.helps.push(help),
        }
    }
}

/// The first C file of a directory that defines a function.
fn defining(directory: &Path, name: &str) -> Option<PathBuf> {
    let place = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names: Vec<_> = entries.filter(|file| Path::new(file).extension().is_some_and(|e| e == "c")).collect();
    names.sort();
    let has = |file: &Path| {
        let is_small = std::fs::metadata(file).is_ok_and(|about| about.is_file() && about.len() <= LARGEST);
        is_small && std::fs::read(file).is_ok_and(|text| defines(&String::from_utf8_lossy(&text), name))
    };
    names.into_iter().map(|file| directory.join(file)).find(|file| has(file))
}

/// Whether a text of C has the first line of a function's definition: the name, or the same with an underscore, at the outermost level,
/// then a parenthesis, and no semicolon.
fn defines(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.lines().filter(|line| line.starts_with(is_part) && !line.trim_end().ends_with(';')).any(|line| {
        let Some((head, _)) = line.split_once('(') else { return false };
        let word = head.trim_end().rsplit(|c| !is_part(c)).next().unwrap_or_default();
        word == name || word.strip_suffix('_') == Some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_of_functions_are_found() {
        let has = |text| defines(text, "wallclock");
        assert!(has("#include <time.h>\ndouble wallclock()\n{\n") && has("double *wallclock_ (void) {"));
        assert!(has("double\nwallclock(void) { return 0; }"));
        assert!(!has("double wallclock(void);") && !has("    wallclock();") && !has("double my_wallclock(void) {"));
    }
}
