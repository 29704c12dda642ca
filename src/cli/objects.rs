//! `-c` and `-o`, as makefiles use a compiler: an object names a source file and its options, a program is a script that runs
//! cufemu with the sources and options of its objects.
//!
//! Nothing is compiled ahead, so the sources must still be there when the program runs. Archives of objects are read too.
//!
//! Not here: checking the files before an object is written (`check`), and objects of C (`libraries`).

use crate::cli::options::Options;
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

/// The first line of an object.
const HEAD: &str = "cufemu object 1";
/// The first bytes of an archive.
const ARCHIVE: &[u8] = b"!<arch>\n";
/// Bytes before each member of an archive.
const MEMBER: usize = 60;
/// What a file has at most that may be an object or an archive of objects.
const MOST_BYTES: u64 = 1 << 20;

/// An object.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Object {
    source: PathBuf,
    /// Options of nvfortran.
    options: Vec<String>,
}

impl Object {
    fn text(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for option in &self.options {
            let _ = writeln!(text, "option {option}");
        }
        let _ = writeln!(text, "source {}", self.source.display());
        text
    }

    fn read(bytes: &[u8]) -> Option<Object> {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.lines();
        (lines.next() == Some(HEAD)).then_some(())?;
        let mut object = Object::default();
        for line in lines {
            match line.split_once(' ')? {
                ("option", option) => object.options.push(option.to_owned()),
                ("source", path) => object.source = PathBuf::from(path),
                _ => return None,
            }
        }
        Some(object).filter(|object| !object.source.as_os_str().is_empty())
    }
}

/// The members of an archive.
fn members(archive: &[u8]) -> Vec<&[u8]> {
    let mut all = Vec::new();
    let mut rest = &archive[ARCHIVE.len()..];
    while let Some((head, tail)) = rest.split_at_checked(MEMBER) {
        let size = std::str::from_utf8(&head[48..58]).ok().and_then(|s| s.trim().parse::<usize>().ok());
        let Some((body, tail)) = size.and_then(|size| tail.split_at_checked(size)) else { break };
        all.push(body);
        // Members begin at even places.
        rest = tail.get(body.len() % 2..).unwrap_or_default();
    }
    all
}

/// The objects in a file; none if it is not one of ours. The error is one sentence.
fn objects(path: &Path) -> Result<Vec<Object>, String> {
    let is_candidate = path.extension().is_some_and(|e| e == "o" || e == "a");
    if !is_candidate || !std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= MOST_BYTES) {
        return Ok(Vec::new());
    }
    let Ok(bytes) = std::fs::read(path) else { return Ok(Vec::new()) };
    if !bytes.starts_with(ARCHIVE) {
        return Ok(Object::read(&bytes).into_iter().collect());
    }
    let members = members(&bytes);
    let found: Vec<Object> = members.iter().filter_map(|member| Object::read(member)).collect();
    // Tables of symbols and of long names are members too.
    let is_of_c = |member: &&[u8]| member.starts_with(b"\x7fELF") || member.starts_with(b"\xcf\xfa\xed\xfe");
    if !found.is_empty() && members.iter().any(is_of_c) {
        let path = path.display();
        return Err(format!("`{path}` has objects of C and of cufemu; put the ones of C into another archive"));
    }
    Ok(found)
}

/// Replaces objects among the files by their sources, and adds their options. Returns what the user should know, a line each;
/// the error is one sentence.
pub(crate) fn expand(options: &mut Options) -> Result<Vec<String>, String> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut found: Vec<Object> = Vec::new();
    for file in std::mem::take(&mut options.files) {
        let objects = objects(&file)?;
        if objects.is_empty() {
            files.push(file.clone());
        }
        for object in objects {
            if !object.source.is_file() {
                let (object, source) = (file.display(), object.source.display());
                return Err(format!("`{object}` was made of `{source}`, which is no longer there"));
            }
            files.push(shortened(&object.source));
            found.push(object);
        }
    }
    files.dedup();
    options.files = files;
    let mut remarks = Vec::new();
    let differs = |object: &&Object| found.first().is_some_and(|first| first.options != object.options);
    if let Some(other) = found.iter().find(differs) {
        let (first, other) = (found[0].source.display(), other.source.display());
        remarks.push(format!("cufemu: `{first}` and `{other}` have different options; all files get those of both\n"));
    }
    for option in found.into_iter().flat_map(|object| object.options) {
        if !options.nvfortran.contains(&option) {
            options.nvfortran.push(option);
        }
    }
    Ok(remarks)
}

/// A path as short as it can be written here, for messages.
fn shortened(path: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf)).unwrap_or_else(|| path.to_path_buf())
}

/// A path that is right in every directory, without `.` and with as few `..` as can be.
fn absolute(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    path.canonicalize().unwrap_or_else(|_| whole.components().filter(|c| *c != Component::CurDir).collect())
}

/// An option of nvfortran that is right in every directory; `None` for what is not kept.
fn kept(option: &str) -> Option<String> {
    let name = option.trim_start_matches('-');
    if name == "c" || name.starts_with("o=") {
        return None;
    }
    let directory = ["-I", "-L"].into_iter().find_map(|letter| Some((letter, option.strip_prefix(letter)?)));
    Some(match directory {
        Some((letter, directory)) => format!("{letter}{}", absolute(Path::new(directory)).display()),
        None => option.to_owned(),
    })
}

/// Writes a file; the error is one sentence.
fn write(path: &Path, text: &str, options: &Options) -> Result<(), String> {
    let name = path.display();
    if options.inputs.iter().any(|file| absolute(file) == absolute(path)) {
        return Err(format!("`{name}` is a source file; `-o` would replace it"));
    }
    std::fs::write(path, text).map_err(|error| format!("cannot write `{name}`: {error}"))
}

/// Writes the objects of `-c`; the error is one sentence.
pub(crate) fn compile(options: &Options, output: Option<&str>) -> Result<(), String> {
    if output.is_some() && options.files.len() > 1 {
        return Err("`-c` with `-o` takes one source file".to_owned());
    }
    let kept: Vec<String> = options.nvfortran.iter().filter_map(|option| kept(option)).collect();
    for file in &options.files {
        let beside = || PathBuf::from(file.file_stem().unwrap_or_default()).with_extension("o");
        let object = Object { source: absolute(file), options: kept.clone() };
        write(&output.map_or_else(beside, PathBuf::from), &object.text(), options)?;
    }
    Ok(())
}

/// Writes the program of `-o`; the error is one sentence.
pub(crate) fn link(options: &Options, output: &str) -> Result<(), String> {
    let own = options.words.iter().skip(1).take_while(|word| *word != "--");
    let own = own.filter(|word| {
        !word.starts_with("--nvfortran=") && !options.given.iter().any(|f| f.as_os_str() == word.as_str())
    });
    let mut others: Vec<String> = Vec::new();
    for option in options.nvfortran.iter().filter_map(|option| kept(option)) {
        if !others.contains(&option) {
            others.push(option);
        }
    }
    let files = options.inputs.iter().map(|file| absolute(file).display().to_string());
    let fixed =
        (!options.args.is_empty()).then(|| std::iter::once("--".to_owned()).chain(options.args.iter().cloned()));
    let words = own.cloned().chain(others).chain(files).map(|word| quoted(&word)).collect::<Vec<_>>().join(" ");
    let arguments = match fixed {
        Some(fixed) => fixed.map(|word| quoted(&word)).collect::<Vec<_>>().join(" "),
        None => "--".to_owned(),
    };
    let cufemu = std::env::current_exe().map_or_else(|_| "cufemu".to_owned(), |path| path.display().to_string());
    let text = format!(
        "#!/bin/sh\n\
         # Made by `cufemu -o`: runs these sources with the options that they were compiled with.\n\
         # CUFEMU_OPTIONS has more options, such as --race.\n\
         cufemu={}\n\
         [ -x \"$cufemu\" ] || cufemu=cufemu\n\
         exec \"$cufemu\" $CUFEMU_OPTIONS {words} {arguments} \"$@\"\n",
        quoted(&cufemu)
    );
    let path = Path::new(output);
    write(path, &text, options)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let cannot = |error| format!("cannot make `{output}` executable: {error}");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).map_err(cannot)?;
    }
    Ok(())
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_as_it_was_written() {
        let object = Object { source: "/a b/c.cuf".into(), options: vec!["-DX='1 2'".to_owned(), "-r8".to_owned()] };
        assert_eq!(Object::read(object.text().as_bytes()), Some(object));
        for other in ["", "cufemu object 2\nsource /a\n", "cufemu object 1\n", "cufemu object 1\nwhat /a\n"] {
            assert_eq!(Object::read(other.as_bytes()), None, "{other}");
        }
        assert_eq!(Object::read(b"\x7fELF\xff"), None);
    }

    #[test]
    fn archives_have_members_of_any_length() {
        let member = |body: &str| {
            format!("{:<48}{:<10}`\n{body}{}", "a.o/", body.len(), if body.len() % 2 == 1 { "\n" } else { "" })
        };
        let archive = format!("!<arch>\n{}{}", member("odd"), member("even"));
        assert_eq!(members(archive.as_bytes()), [&b"odd"[..], b"even"]);
        assert!(members(b"!<arch>\nshort").is_empty());
        assert!(members(format!("!<arch>\n{:<48}{:<10}`\n", "x", 99).as_bytes()).is_empty());
    }

    #[test]
    fn words_reach_a_shell_whole() {
        assert_eq!(["a/b.c", "a b", "it's", ""].map(quoted), ["a/b.c", "'a b'", "'it'\\''s'", "''"]);
    }
}
