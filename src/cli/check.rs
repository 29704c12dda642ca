//! `cufemu check`: the errors and warnings of files that need not make up a program.
//!
//! Modules that the files use and do not define are looked for in the directories of the files and of `-I`, as an editor needs
//! it that knows one file only.
//!
//! Not here: how diagnostics are printed (`report`), and the compiler's options (`run`).

use crate::cli::files;
use diag::Diagnostics;
use source::{FileId, SourceMap};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The endings of the names of source files.
const ENDINGS: &[&str] = &["cuf", "f90", "f95", "f03", "f08", "f18", "f", "for", "ftn", "f77"];

/// Checks the files; the warnings and errors are in `diags`.
pub(crate) fn check(
    map: &mut SourceMap,
    mut ids: Vec<FileId>,
    settings: &compile::Options,
    includes: &[String],
    diags: &mut Diagnostics,
) {
    let mut directories: Vec<PathBuf> = Vec::new();
    let beside = ids.iter().filter_map(|&id| map.file(id)).filter_map(|file| Path::new(file.name()).parent());
    for directory in beside.map(Path::to_path_buf).chain(includes.iter().map(PathBuf::from)) {
        let directory = if directory.as_os_str().is_empty() { PathBuf::from(".") } else { directory };
        if !directories.contains(&directory) {
            directories.push(directory);
        }
    }
    let mut include = |name: &str, asking: &str| files::include(name, asking, includes);
    let mut sources: Option<Vec<Candidate>> = None;
    loop {
        let mut said = Diagnostics::new();
        let parsed = compile::parse(map, &ids, &settings.parse, &mut include, &mut said);
        let missing = compile::missing_modules(&parsed.program);
        // Files are read only for modules that are missing.
        if !missing.is_empty() {
            let sources = sources.get_or_insert_with(|| candidates(&directories, &ids, map));
            let defines = |module: &str| sources.iter().position(|c| c.modules.contains(module));
            let found: BTreeSet<usize> = missing.iter().filter_map(|module| defines(module)).collect();
            for &at in found.iter().rev() {
                let Candidate { path, text, .. } = sources.remove(at);
                ids.push(map.add(path.display().to_string(), text));
            }
            if !found.is_empty() {
                continue;
            }
        }
        let is_broken = said.has_errors();
        diags.append(said);
        if !is_broken || parsed.is_whole {
            compile::check(parsed, settings, map, diags);
        }
        return;
    }
}

/// A file that may define a module.
struct Candidate {
    path: PathBuf,
    text: String,
    modules: BTreeSet<String>,
}

/// The source files of the directories that define modules, but for those that are known already.
fn candidates(directories: &[PathBuf], known: &[FileId], map: &SourceMap) -> Vec<Candidate> {
    let is_known = |path: &Path| {
        let same = |id: &FileId| map.file(*id).is_some_and(|file| same_file(Path::new(file.name()), path));
        known.iter().any(same)
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    for directory in directories {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let mut here: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| is_source(path)).collect();
        here.sort();
        paths.extend(here);
    }
    let mut out = Vec::new();
    for path in paths.into_iter().filter(|path| !is_known(path)) {
        let Ok(text) = files::text_of(&path) else { continue };
        let modules: BTreeSet<String> = text.lines().filter_map(module_named).collect();
        if !modules.is_empty() {
            out.push(Candidate { path, text, modules });
        }
    }
    out
}

fn is_source(path: &Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

/// The module whose MODULE statement a line is.
fn module_named(line: &str) -> Option<String> {
    let line = line.split('!').next()?.trim().to_ascii_lowercase();
    let name = line.strip_prefix("module")?.strip_prefix(|c: char| c.is_ascii_whitespace())?.trim();
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (is_name && name != "procedure").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_statements_are_told_from_procedures() {
        let of = |line| module_named(line);
        assert_eq!(of("  MODULE Solver ! the solver"), Some("solver".to_owned()));
        assert_eq!(of("module procedure"), None);
        assert_eq!(of("module subroutine f(x)"), None);
        assert_eq!(of("end module solver"), None);
        assert_eq!(of("modules"), None);
    }
}
