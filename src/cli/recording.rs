//! `--record` and `--replay`: the records of ranks in files, one for each, `FILE.N` of rank N.
//!
//! Not here: what is in a record (`machine`), the debugger that follows it (`solo`).

use crate::cli::options::Options;
use crate::cli::report::say;
use machine::{RecordHead, Records};
use source::SourceMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Bytes that the records of all ranks may have together when they are read; the rank that is debugged is read in any case.
const MOST_BYTES: u64 = 2 << 30;

/// A record that is being written.
#[derive(Debug)]
pub(crate) struct Recording {
    file: File,
    path: PathBuf,
    /// Whether something could not be written.
    is_broken: bool,
}

/// The file of a rank.
fn path_of(path: &Path, rank: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{rank}"));
    PathBuf::from(name)
}

/// A number that only the same sources have, compiled to the same code.
pub(crate) fn program(map: &SourceMap, module: &ir::Module) -> u64 {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    map.files().for_each(|(_, file)| file.text().hash(&mut hasher));
    ir::print::module(module, false).hash(&mut hasher);
    hasher.finish()
}

impl Recording {
    /// The record of a rank, if one is wanted; the error is one sentence.
    pub(crate) fn of_rank(options: &Options, rank: u32, count: u32, program: u64) -> Result<Option<Recording>, String> {
        let Some(path) = options.record.as_ref().map(|path| path_of(path, rank)) else { return Ok(None) };
        let head = RecordHead { rank, count, program };
        let made = File::create(&path).and_then(|mut file| file.write_all(&head.bytes()).map(|()| file));
        let file = made.map_err(|why| format!("cannot write `{}`: {why}", path.display()))?;
        Ok(Some(Recording { file, path, is_broken: false }))
    }

    /// The records of all ranks, if they are wanted.
    pub(crate) fn of_ranks(options: &Options, count: u32, program: u64) -> Result<Vec<Recording>, String> {
        let one = |rank| Recording::of_rank(options, rank, count, program).transpose();
        (0..count).filter_map(one).collect()
    }

    /// Adds what has been recorded since the last time.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        if self.is_broken || bytes.is_empty() {
            return;
        }
        if let Err(why) = self.file.write_all(bytes) {
            self.is_broken = true;
            say(&format!("cufemu: cannot write `{}`: {why}; the record ends here\n", self.path.display()));
        }
    }

    /// Adds the end; whether the record is whole.
    pub(crate) fn end(mut self, bytes: &[u8]) -> bool {
        self.add(bytes);
        !self.is_broken
    }
}

/// The rank whose record a file is, if it is one.
pub(crate) fn rank_of(path: &Path) -> Option<u32> {
    let bytes = std::fs::read(path).ok()?;
    Some(RecordHead::read(&bytes)?.rank)
}

/// The record in a file and those of the other ranks that lie beside it; the error is one sentence.
pub(crate) fn read(path: &Path, program: u64) -> Result<Records, String> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|why| format!("cannot read `{shown}`: {why}"))?;
    let head =
        RecordHead::read(&bytes).ok_or_else(|| format!("`{shown}` is no record of a rank; `--record` makes them"))?;
    if head.program != program {
        return Err(format!(
            "`{shown}` is the record of another program; give the files and options with which it was recorded"
        ));
    }
    let mut records = Records::missing(head.count);
    records.add(&bytes).ok_or_else(|| format!("the record `{shown}` is damaged"))?;
    let mut total = bytes.len() as u64;
    let stem = path.with_extension("");
    let is_named = path_of(&stem, head.rank) == path;
    for rank in (0..head.count).filter(|rank| is_named && *rank != head.rank) {
        let other = path_of(&stem, rank);
        let Ok(length) = std::fs::metadata(&other).map(|data| data.len()) else { continue };
        total += length;
        if total > MOST_BYTES {
            say(&format!("cufemu: there is no room for `{}` and those after it\n", other.display()));
            break;
        }
        let Ok(bytes) = std::fs::read(&other) else { continue };
        // One of another run, or a damaged one, is as good as none.
        if RecordHead::read(&bytes) == Some(RecordHead { rank, ..head }) && records.add(&bytes).is_none() {
            say(&format!("cufemu: the record `{}` is damaged\n", other.display()));
        }
    }
    Ok(records)
}
