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
    if let Some(text) = wide(&bytes) {
        return text.ok_or_else(|| format!("{name} is not a source file: it is no valid UTF-16 or UTF-32"));
    }
    if bytes.contains(&0) {
        return Err(format!("{name} is not a source file: it contains zero bytes"));
    }
    // Old sources are in Latin-1.
    Ok(source::decode(bytes))
}

/// The text of a file that begins with the mark of UTF-16 or UTF-32; what it says may not be valid.
fn wide(bytes: &[u8]) -> Option<Option<String>> {
    let units = |rest: &[u8], of: fn([u8; 2]) -> u16| -> Vec<u16> {
        rest.chunks_exact(2).map(|unit| of([unit[0], unit[1]])).collect()
    };
    Some(match bytes {
        [0xff, 0xfe, 0, 0, rest @ ..] => {
            let codes = rest.chunks_exact(4).map(|c| char::from_u32(u32::from_le_bytes([c[0], c[1], c[2], c[3]])));
            codes.collect()
        }
        [0, 0, 0xfe, 0xff, rest @ ..] => {
            let codes = rest.chunks_exact(4).map(|c| char::from_u32(u32::from_be_bytes([c[0], c[1], c[2], c[3]])));
            codes.collect()
        }
        [0xff, 0xfe, rest @ ..] => String::from_utf16(&units(rest, u16::from_le_bytes)).ok(),
        [0xfe, 0xff, rest @ ..] => String::from_utf16(&units(rest, u16::from_be_bytes)).ok(),
        _ => return None,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_a_mark_of_wide_characters_are_read() {
        let text = "end ! \u{e9}\n";
        let utf16 = |mark: [u8; 2], of: fn(u16) -> [u8; 2]| {
            mark.into_iter().chain(text.encode_utf16().flat_map(of)).collect::<Vec<u8>>()
        };
        let utf32 = |mark: [u8; 4], of: fn(u32) -> [u8; 4]| {
            mark.into_iter().chain(text.chars().flat_map(|c| of(u32::from(c)))).collect::<Vec<u8>>()
        };
        let files = [
            utf16([0xff, 0xfe], u16::to_le_bytes),
            utf16([0xfe, 0xff], u16::to_be_bytes),
            utf32([0xff, 0xfe, 0, 0], u32::to_le_bytes),
            utf32([0, 0, 0xfe, 0xff], u32::to_be_bytes),
        ];
        for file in files {
            assert_eq!(decoded(file, "f").as_deref(), Ok(text));
        }
        assert!(decoded(vec![0xff, 0xfe, 0, 0xd8], "f").is_err());
        assert!(decoded(b"a\0b".to_vec(), "f").is_err());
    }
}
