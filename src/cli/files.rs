//! Reading text files: sources, includes, scripts. An error is one sentence for the user.

use source::{FileId, SourceMap};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Size limit of a source file.
const MOST_BYTES: u64 = 64 << 20;

/// Reads a source file into the map; the error is one sentence.
pub(crate) fn read(map: &mut SourceMap, path: &Path) -> Result<FileId, String> {
    let text = text_of(path)?;
    Ok(map.add(path.display().to_string(), text))
}

/// The text of a file, or of standard input for `-`; the error is one sentence.
pub(crate) fn text_of(path: &Path) -> Result<String, String> {
    let name = path.display();
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes);
        read.map_err(|e| format!("cannot read standard input: {}", reason(&e)))?;
        return decoded(bytes, "standard input");
    }
    let about = std::fs::metadata(path).map_err(|e| format!("cannot read `{name}`: {}", reason(&e)))?;
    if about.is_dir() {
        return Err(format!("cannot read `{name}`: it is a directory"));
    }
    if about.len() > MOST_BYTES {
        return Err(format!("cannot read `{name}`: it is larger than {} MiB", MOST_BYTES >> 20));
    }
    let bytes = std::fs::read(path).map_err(|e| format!("cannot read `{name}`: {}", reason(&e)))?;
    decoded(bytes, &format!("`{name}`"))
}

fn decoded(bytes: Vec<u8>, name: &str) -> Result<String, String> {
    if bytes.contains(&0) {
        return Err(format!("{name} is not a source file: it contains zero bytes"));
    }
    // Old sources have comments in Latin-1; its characters are those of the same code points.
    Ok(String::from_utf8(bytes).unwrap_or_else(|e| e.into_bytes().iter().map(|&b| char::from(b)).collect()))
}

/// Finds an included file: first in the directory of the including file, then among those that come with the compiler, then in
/// the directories of `-I`. An `mpif.h` in one of those is that of another MPI, with other constants.
pub(crate) fn include(name: &str, asking: &str, directories: &[String]) -> Option<(String, String)> {
    let read = |path: PathBuf| text_of(&path).ok().map(|text| (path.display().to_string(), text));
    let beside = Path::new(asking).parent().and_then(|p| read(p.join(name)));
    let built_in = || compile::built_in_include(name);
    beside.or_else(built_in).or_else(|| directories.iter().find_map(|d| read(Path::new(d).join(name))))
}

/// A file of the user for cufemu, in the directory that a variable of the environment names, or in one of the home directory.
pub(crate) fn user_file(variable: &str, in_home: &str, name: &str) -> Option<PathBuf> {
    let directory = |name: &str| std::env::var_os(name).filter(|d| !d.is_empty()).map(PathBuf::from);
    let home = || directory("HOME").map(|home| home.join(in_home)).or_else(|| directory("LOCALAPPDATA"));
    Some(directory(variable).or_else(home)?.join("cufemu").join(name))
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
