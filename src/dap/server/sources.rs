//! The source files of the program, and the requests about them.
//!
//! The client names a file by its absolute path. A file that is not there, such as one of an archive, has a number instead.

use crate::arguments::{self, PlaceArguments, SourceArgument};
use crate::server::Server;
use crate::wire::{Answer, Request, refuse};
use debug::{FileText, Session};
use serde_json::{Value, json};
use source::FileId;
use std::path::{Path, PathBuf};

/// A source file.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its text, when the program was compiled.
    pub(crate) text: FileText,
}

/// The source files of the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources(Vec<Source>);

impl Sources {
    /// The files of a program that runs in a directory.
    pub(crate) fn new(session: &Session, directory: Option<&Path>) -> Sources {
        let here = std::env::current_dir().unwrap_or_default();
        let base = directory.map_or_else(|| here.clone(), |d| here.join(d));
        let source = |text: FileText| Source { path: plain(&base.join(&text.name)), text };
        Sources(session.texts().into_iter().map(source).collect())
    }

    fn of(&self, id: FileId) -> Option<&Source> {
        self.0.iter().find(|s| s.text.file_id == id)
    }

    /// The path of a file.
    pub(crate) fn path(&self, id: FileId) -> Option<PathBuf> {
        self.of(id).map(|s| s.path.clone())
    }

    /// The file at a path.
    pub(crate) fn at(&self, path: &Path) -> Option<&Source> {
        self.0.iter().find(|s| s.path == path)
    }

    /// The path of a file that the client names, in the form that we have for it.
    pub(crate) fn path_of(&self, source: &SourceArgument) -> Option<PathBuf> {
        if let Some(id) = number_id(source.source_reference) {
            return self.path(id);
        }
        let path = plain(Path::new(source.path.as_ref()?));
        let real = path.canonicalize().ok();
        let is_it = |s: &&Source| s.path == path || real.is_some() && s.path.canonicalize().ok() == real;
        Some(self.0.iter().find(is_it).map_or(path, |s| s.path.clone()))
    }

    /// A file as the protocol has it.
    pub(crate) fn source(&self, id: FileId) -> Value {
        let Some(source) = self.of(id) else { return Value::Null };
        let name = source.path.file_name().map(|n| n.to_string_lossy().into_owned());
        if source.path.is_file() {
            json!({ "name": name, "path": source.path.to_string_lossy() })
        } else {
            json!({ "name": name, "path": source.path.to_string_lossy(), "sourceReference": i64::from(id.0) + 1 })
        }
    }
}

/// The file of a reference.
fn number_id(reference: i64) -> Option<FileId> {
    u32::try_from(reference.checked_sub(1)?).ok().map(FileId)
}

/// A path without `.` and `..`, which need not exist.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => _ = out.pop(),
            part => out.push(part),
        }
    }
    out
}

impl Server {
    /// A line as the client counts.
    pub(crate) fn line_out(&self, line: usize) -> usize {
        if self.can.lines_start_at_1 { line } else { line.saturating_sub(1) }
    }

    /// A line as we count.
    pub(crate) fn line_in(&self, line: usize) -> usize {
        if self.can.lines_start_at_1 { line } else { line.saturating_add(1) }
    }

    /// The request `loadedSources`.
    pub(crate) fn loaded_sources(&mut self, _: &mut Session, _: &Request) -> Answer {
        let all: Vec<Value> = self.sources.0.iter().map(|s| self.sources.source(s.text.file_id)).collect();
        Ok(json!({ "sources": all }))
    }

    /// The request `source`.
    pub(crate) fn source(&mut self, _: &mut Session, request: &Request) -> Answer {
        let wanted: PlaceArguments = arguments::of(request)?;
        let reference =
            if wanted.source_reference > 0 { wanted.source_reference } else { wanted.source.source_reference };
        let by_number = number_id(reference).and_then(|id| self.sources.of(id));
        let by_path = || self.sources.path_of(&wanted.source).and_then(|path| self.sources.at(&path));
        match by_number.or_else(by_path) {
            Some(source) => Ok(json!({ "content": source.text.lines.join("\n") + "\n", "mimeType": "text/x-fortran" })),
            None => refuse("The program has no such file."),
        }
    }

    /// The request `breakpointLocations`: the lines with statements.
    pub(crate) fn breakpoint_locations(&mut self, _: &mut Session, request: &Request) -> Answer {
        let wanted: PlaceArguments = arguments::of(request)?;
        let path = self.sources.path_of(&wanted.source);
        let Some(source) = path.and_then(|path| self.sources.at(&path)) else {
            return refuse("The program has no such file.");
        };
        let (first, last) = (self.line_in(wanted.line), self.line_in(wanted.end_line.unwrap_or(wanted.line)));
        let lines = source.text.statements.iter().enumerate().filter(|(_, has_statement)| **has_statement);
        let lines = lines.map(|(i, _)| i + 1).filter(|line| (first..=last).contains(line));
        let found: Vec<Value> = lines.map(|line| json!({ "line": self.line_out(line) })).collect();
        Ok(json!({ "breakpoints": found }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_without_detours() {
        assert_eq!(plain(Path::new("/a/./b/../c.cuf")), Path::new("/a/c.cuf"));
        assert_eq!(plain(Path::new("/../x")), Path::new("/x"));
        assert_eq!((number_id(1), number_id(0), number_id(i64::MIN)), (Some(FileId(0)), None, None));
    }
}
