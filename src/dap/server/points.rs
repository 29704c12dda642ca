//! The breakpoints that the client knows, with their numbers there and in the session.
//!
//! The client names a breakpoint by a number of ours, which stays the same when the program is launched again. The session
//! numbers its own.
//!
//! Not here: the requests that set them (`breakpoints`).

use crate::arguments::{DataBreakpoint, FunctionBreakpoint, LineBreakpoint};
use debug::FrameAt;
use source::FileId;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A breakpoint that the client has asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Point<T> {
    /// Its number for the client.
    pub(crate) id: i64,
    /// What was asked for.
    pub(crate) asked: T,
    /// Its number in the session, or why there is none.
    pub(crate) state: Result<Set, String>,
}

/// A breakpoint that is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Set {
    /// Its number in the session.
    pub(crate) number: u32,
    /// The file and line of its statement; none for a watchpoint.
    pub(crate) place: Option<(FileId, usize)>,
}

/// A value that can be watched: what `dataBreakpointInfo` has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Watchable {
    /// The frame.
    pub(crate) frame: FrameAt,
    /// The variable, element or component.
    pub(crate) expression: String,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    latest: i64,
    /// Those at lines, by file.
    pub(crate) lines: BTreeMap<PathBuf, Vec<Point<LineBreakpoint>>>,
    /// Those at procedures.
    pub(crate) functions: Vec<Point<FunctionBreakpoint>>,
    /// Those at changes of values.
    pub(crate) data: Vec<Point<DataBreakpoint>>,
    /// Those that were set in the console and are at no line, by number in the session.
    pub(crate) others: BTreeMap<u32, i64>,
    /// Values that can be watched, by the name that the client has for them.
    pub(crate) watchable: BTreeMap<String, Watchable>,
    /// The beginnings of the codes of findings that do not stop the program.
    pub(crate) passed: Vec<String>,
}

impl Points {
    /// A number for the client.
    pub(crate) fn new_id(&mut self) -> i64 {
        self.latest += 1;
        self.latest
    }

    /// The numbers of all breakpoints, here and in the session.
    pub(crate) fn numbers(&self) -> Vec<(i64, u32)> {
        fn of<T>(points: &[Point<T>]) -> impl Iterator<Item = (i64, u32)> {
            points.iter().filter_map(|p| Some((p.id, p.state.as_ref().ok()?.number)))
        }
        let lines = self.lines.values().flat_map(|points| of(points));
        let others = self.others.iter().map(|(number, id)| (*id, *number));
        lines.chain(of(&self.functions)).chain(of(&self.data)).chain(others).collect()
    }

    /// The number for the client of a breakpoint of the session.
    pub(crate) fn id_of(&self, number: u32) -> Option<i64> {
        self.numbers().into_iter().find(|(_, n)| *n == number).map(|(id, _)| id)
    }

    /// Whether a breakpoint of the session is one at a procedure.
    pub(crate) fn is_function(&self, number: u32) -> bool {
        self.functions.iter().any(|p| p.state.as_ref().is_ok_and(|s| s.number == number))
    }

    /// The session has deleted a breakpoint.
    pub(crate) fn forget(&mut self, id: i64) {
        for points in self.lines.values_mut() {
            points.retain(|p| p.id != id);
        }
        self.functions.retain(|p| p.id != id);
        self.data.retain(|p| p.id != id);
        self.others.retain(|_, other| *other != id);
    }
}
