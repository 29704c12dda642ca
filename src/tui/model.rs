//! The state of the screen: plain data that `update` changes and `draw` reads.

use crate::layout::{self, Layout};
use crate::look::Look;
use crate::pane::{COUNT, PANES, Pane};
use crate::prompt::{Prompt, Purpose};
use crate::strips::{self, Strips};
use debug::{ArrayRequest, DisplayView, FileText, FocusView, LaneState, Snapshot, SnapshotRequest, VariableRow};
use ratatui::layout::Rect;
use source::FileId;
use std::collections::VecDeque;

/// Most command lines that wait for the running command to end.
pub(crate) const MOST_QUEUED: usize = 16;
/// Ticks after which the screen shows that a command is running.
pub(crate) const SHOWN_AFTER: u32 = 1;
/// Lines of output that are kept.
const MOST_OUTPUT: usize = 20_000;
/// Characters of a cell of a table.
pub(crate) const CELL: u16 = 12;
/// Characters before the cells of a table: the row's subscript.
pub(crate) const LABEL: u16 = 8;

/// Who wrote a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Voice {
    /// The program.
    Program,
    /// The user.
    User,
    /// The debugger.
    Reply,
    /// The debugger, about something wrong.
    Error,
}

/// Cursor and first row shown of a pane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Scroll {
    /// The row of the cursor.
    pub cursor: usize,
    /// The first row shown.
    pub top: usize,
    /// Columns left out on the left.
    pub left: usize,
}

/// A running command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Running {
    /// The line.
    pub line: String,
    /// Ticks since it began; a tick is a tenth of a second.
    pub ticks: u32,
    /// Statements begun so far in the program.
    pub time: u64,
    /// Blocks of the running launch that have begun, and all of them.
    pub blocks: Option<(u64, u64)>,
    /// Whether the user wants it to stop.
    pub interrupted: bool,
}

/// The line above the hints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// What it says.
    pub text: String,
    /// Whether something is wrong.
    pub is_error: bool,
}

/// What the pane of memory shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MemoryView {
    /// The array; empty for none.
    pub expression: String,
    /// First row and column, from 0.
    pub first: [u64; 2],
    /// Whether it is a heat map.
    pub as_map: bool,
}

/// All that the screen shows.
#[derive(Clone, Debug)]
pub struct Model {
    /// Width and height of the screen.
    pub size: (u16, u16),
    /// Colours and characters.
    pub look: Look,
    /// The sources.
    pub files: Vec<FileText>,
    /// The latest snapshot of the program.
    pub snapshot: Option<Box<Snapshot>>,
    /// The snapshot at the stop before.
    pub before: Option<Box<Snapshot>>,
    /// The running command.
    pub running: Option<Running>,
    /// Command lines that wait for it, typed before it ended.
    pub(crate) queued: VecDeque<String>,
    /// What was written.
    pub output: Vec<(Voice, String)>,
    /// Whether the last line of output has no line end yet.
    pub(crate) open_line: bool,
    /// The pane that receives keys.
    pub pane: Pane,
    /// Panes in the order of their last request.
    pub recent: Vec<Pane>,
    /// Whether the pane has the whole screen.
    pub zoomed: bool,
    /// By pane.
    pub scroll: [Scroll; COUNT],
    /// The file that is shown.
    pub file: usize,
    /// What the pane of memory shows.
    pub memory: MemoryView,
    /// What the pane of lanes shows; empty for nothing.
    pub lane_expression: String,
    /// The line that is being typed.
    pub prompt: Option<Prompt>,
    /// Lines typed before.
    pub history: Vec<String>,
    /// The last search text.
    pub searched: String,
    /// Whether `n` and `N` go on with the search.
    pub(crate) is_searching: bool,
    /// Whether the user has chosen what the pane of lanes shows.
    pub(crate) has_chosen_lanes: bool,
    /// The line above the hints.
    pub message: Option<Message>,
    /// First line of help, while it is shown.
    pub help: Option<usize>,
    /// Whether the session has answered and is at rest.
    pub(crate) snapshot_due: bool,
    pub(crate) snapshot_asked: bool,
    /// Whether completions are awaited.
    pub(crate) completing: bool,
    /// Whether the user has asked to quit once.
    pub(crate) quitting: bool,
    /// The request of the snapshot on its way.
    pub(crate) asked: SnapshotRequest,
}

impl Model {
    /// A screen of that size before anything has happened.
    pub fn new(size: (u16, u16), look: Look, files: Vec<FileText>) -> Model {
        Model {
            size,
            look,
            files,
            snapshot: None,
            before: None,
            running: None,
            queued: VecDeque::new(),
            output: Vec::new(),
            open_line: false,
            pane: Pane::Source,
            recent: vec![Pane::Output],
            zoomed: false,
            scroll: [Scroll::default(); COUNT],
            file: 0,
            memory: MemoryView::default(),
            lane_expression: String::new(),
            prompt: None,
            history: Vec::new(),
            searched: String::new(),
            is_searching: false,
            has_chosen_lanes: false,
            message: None,
            help: None,
            snapshot_due: true,
            snapshot_asked: false,
            completing: false,
            quitting: false,
            asked: SnapshotRequest::default(),
        }
    }

    /// Where everything is.
    pub(crate) fn layout(&self) -> Layout {
        layout::arrange(self.size.0, self.size.1, &self.recent, self.zoomed.then_some(self.pane), self.has_ranks())
    }

    /// Whether the program is one of several ranks of MPI.
    pub(crate) fn has_ranks(&self) -> bool {
        self.snapshot.as_ref().is_some_and(|s| !s.ranks.is_empty())
    }

    /// Cursor and first row of a pane.
    pub fn scroll(&self, pane: Pane) -> Scroll {
        self.scroll[pane.index()]
    }

    pub(crate) fn scroll_mut(&mut self, pane: Pane) -> &mut Scroll {
        &mut self.scroll[pane.index()]
    }

    /// How many rows a pane has in all.
    pub fn rows(&self, pane: Pane) -> usize {
        let snapshot = self.snapshot.as_deref();
        match pane {
            Pane::Source => self.files.get(self.file).map_or(0, |f| f.lines.len()),
            Pane::Threads => snapshot.map_or(0, |s| s.warps.len()),
            Pane::Locals => snapshot.map_or(0, |s| s.locals.len()),
            Pane::Watches => snapshot.map_or(0, |s| s.displays.len()),
            Pane::Output => self.output.len(),
            Pane::Lanes => snapshot.map_or(0, |s| s.lanes.len()),
            Pane::Memory => match snapshot.and_then(|s| s.array.as_ref()) {
                Some(Ok(array)) if !self.memory.as_map => array.extents[0] as usize,
                _ => 0,
            },
            Pane::Banks => snapshot.and_then(|s| s.banks.as_ref()).map_or(0, |b| b.rows as usize),
            Pane::Stack => snapshot.map_or(0, |s| s.stack.len()),
            Pane::Findings => self.finding_rows().len(),
            Pane::Breakpoints => snapshot.map_or(0, |s| s.breakpoints.len()),
            Pane::Timeline => snapshot.and_then(|s| s.timeline.as_ref()).map_or(0, |t| t.total),
            Pane::Ranks => snapshot.map_or(0, |s| s.ranks.len()),
        }
    }

    /// The rows of the findings: a finding, or one of its ends.
    pub fn finding_rows(&self) -> Vec<(usize, Option<usize>)> {
        let Some(snapshot) = &self.snapshot else { return Vec::new() };
        let mut rows = Vec::new();
        for (i, finding) in snapshot.findings.iter().enumerate() {
            rows.push((i, None));
            rows.extend((0..finding.ends.len()).map(|end| (i, Some(end))));
        }
        rows
    }

    /// Rows that a pane has room for.
    pub fn room(&self, pane: Pane) -> usize {
        let Some(place) = self.layout().of(pane).cloned() else { return 0 };
        let inner = place.inner();
        let head = match pane {
            // What it is, its statistics, the subscripts.
            Pane::Memory => 3,
            Pane::Lanes | Pane::Banks => 2,
            // The titles of the columns.
            Pane::Timeline => 1,
            // The launch and the map of its blocks.
            Pane::Threads => self.strips(inner).first,
            _ => 0,
        };
        usize::from(inner.height.saturating_sub(head))
    }

    /// The strips of lanes that the Threads pane shows in this area.
    pub(crate) fn strips(&self, area: Rect) -> Strips {
        let top = self.scroll(Pane::Threads).top;
        self.snapshot.as_deref().map_or_else(Strips::default, |s| strips::visible(s, top, area))
    }

    /// The request to the session for the present screen.
    pub fn wanted(&self) -> SnapshotRequest {
        let layout = self.layout();
        let inner = |pane| layout.of(pane).map(layout::Slot::inner);
        let array = inner(Pane::Memory).filter(|_| !self.memory.expression.is_empty()).map(|area| {
            let rows = area.height.saturating_sub(3).max(1);
            let columns =
                if self.memory.as_map { area.width } else { (area.width.saturating_sub(LABEL) / CELL).max(1) };
            ArrayRequest {
                expression: self.memory.expression.clone(),
                first: self.memory.first,
                size: [rows.into(), columns.into()],
                as_map: self.memory.as_map,
            }
        });
        let banks =
            inner(Pane::Banks).map(|_| (self.scroll(Pane::Banks).top as u64, self.room(Pane::Banks).max(1) as u64));
        let lanes = (!self.lane_expression.is_empty()).then(|| self.lane_expression.clone());
        let block_cells =
            inner(Pane::Threads).map_or(1, |a| usize::from(a.width.max(1)) * usize::from((a.height / 3).max(1)));
        let shows_lanes = inner(Pane::Lanes).or(inner(Pane::Banks)).is_some();
        let timeline = inner(Pane::Timeline).map(|_| {
            // With what the next page needs, so that moving shows rows at once.
            let (top, room) = (self.scroll(Pane::Timeline).top, self.room(Pane::Timeline).max(1));
            (top.saturating_sub(room), 3 * room)
        });
        let lanes = lanes.filter(|_| shows_lanes);
        let chooses_lanes = shows_lanes && !self.has_chosen_lanes;
        SnapshotRequest { block_cells, lanes, chooses_lanes, array, banks, timeline }
    }

    /// Whether the program waits for a line of its standard input.
    pub fn reads_input(&self) -> bool {
        self.prompt.as_ref().is_some_and(|p| p.purpose == Purpose::Input)
    }

    /// Command lines that are executed once the session is ready, in order.
    pub fn queue(&mut self, lines: Vec<String>) {
        self.queued.extend(lines);
    }

    /// Appends text to the output.
    pub fn write(&mut self, voice: Voice, text: &str) {
        let goes_on = self.open_line && voice == Voice::Program;
        let mut lines = text.split('\n');
        if goes_on && let (Some(first), Some(last)) = (lines.next(), self.output.last_mut()) {
            last.1.push_str(first);
        }
        self.output.extend(lines.map(|l| (voice, l.trim_end_matches('\r').to_owned())));
        // What follows the last line end is a line that has only begun.
        self.open_line = !text.ends_with('\n');
        if !self.open_line {
            self.output.pop();
        }
        self.open_line &= voice == Voice::Program;
        if self.output.len() > MOST_OUTPUT {
            self.output.drain(..self.output.len() - MOST_OUTPUT);
        }
        let last = self.output.len().saturating_sub(1);
        self.scroll_mut(Pane::Output).cursor = last;
    }

    pub(crate) fn say(&mut self, text: impl Into<String>, is_error: bool) {
        self.message = Some(Message { text: text.into(), is_error });
    }

    /// Shows a line of a file.
    pub(crate) fn show_place(&mut self, file: FileId, line: usize) {
        if let Some(i) = self.files.iter().position(|f| f.file_id == file) {
            self.file = i;
            self.scroll_mut(Pane::Source).cursor = line.saturating_sub(1);
        }
    }

    /// Shows a pane without moving the keys to it.
    pub(crate) fn bring_up(&mut self, pane: Pane) {
        self.recent.retain(|p| *p != pane);
        self.recent.push(pane);
    }

    pub(crate) fn open(&mut self, purpose: Purpose, text: &str) {
        self.prompt = Some(Prompt::new(purpose, text));
        self.message = None;
    }

    /// The stop before, if the focus was on the same frame of the same thread.
    fn same_frame_before(&self) -> Option<&Snapshot> {
        let (now, before) = (self.snapshot.as_deref()?, self.before.as_deref()?);
        let depth = |s: &Snapshot| (s.focus, s.stack.len(), s.stack.iter().find(|f| f.current).map(|f| f.level));
        (depth(now) == depth(before)).then_some(before)
    }

    /// Whether a variable has changed since the stop before.
    pub fn has_changed(&self, row: &VariableRow) -> bool {
        let before = self.same_frame_before().and_then(|before| before.locals.iter().find(|b| b.name == row.name));
        before.is_some_and(|b| b.value != row.value)
    }

    /// Whether a watch expression has changed since the stop before.
    pub fn has_watch_changed(&self, row: &DisplayView) -> bool {
        let before =
            self.same_frame_before().and_then(|before| before.displays.iter().find(|b| b.number == row.number));
        before.is_some_and(|b| b.value.is_some() && b.value != row.value)
    }

    /// Whether the expression of the Lanes pane has changed in a lane since the stop before.
    pub fn has_lane_changed(&self, index: usize) -> bool {
        let warp = |s: &Snapshot| match s.focus {
            FocusView::Thread { kernel, block, warp, .. } => Some((kernel, block, warp)),
            FocusView::Host => None,
        };
        let (Some(now), Some(before)) = (&self.snapshot, &self.before) else { return false };
        let (Some(Ok(new)), Some(Ok(old))) = (&now.values, &before.values) else { return false };
        warp(now) == warp(before)
            && new.expression == old.expression
            && new.values.get(index).zip(old.values.get(index)).is_some_and(|(n, o)| n.value != o.value)
    }

    /// Whether a word of shared memory has changed since the stop before.
    pub fn has_word_changed(&self, word: u64) -> bool {
        let block = |s: &Snapshot| match s.focus {
            FocusView::Thread { kernel, block, .. } => Some((kernel, block)),
            FocusView::Host => None,
        };
        let (Some(now), Some(before)) = (&self.snapshot, &self.before) else { return false };
        let (Some(new), Some(old)) = (&now.banks, &before.banks) else { return false };
        let at = |b: &debug::BanksView| word.checked_sub(b.first * 32).and_then(|i| b.words.get(i as usize)).copied();
        block(now) == block(before) && at(new).zip(at(old)).is_some_and(|(n, o)| n != o)
    }

    /// Lanes of the focused warp that are at a line of the shown file, by state.
    pub fn lanes_at(&self, line: usize) -> Option<(u32, LaneState)> {
        let file = self.files.get(self.file)?.file_id;
        let snapshot = self.snapshot.as_ref()?;
        let mut here = snapshot.splits.iter().filter(|f| f.file_id == file && f.line == line);
        let first = here.next()?;
        Some((here.fold(first.lanes, |lanes, f| lanes | f.lanes), first.state))
    }

    /// Whether a finding has an access on a line of the shown file.
    pub fn has_finding(&self, line: usize) -> bool {
        let (Some(file), Some(snapshot)) = (self.files.get(self.file), &self.snapshot) else { return false };
        let mut ends = snapshot.findings.iter().flat_map(|f| &f.ends);
        ends.any(|e| e.place == Some((file.file_id, line)))
    }

    /// The breakpoint on a line of the shown file: its number, whether it is enabled and whether it has a condition.
    pub fn breakpoint(&self, line: usize) -> Option<(u32, bool, bool)> {
        let file = self.files.get(self.file)?.file_id;
        let snapshot = self.snapshot.as_ref()?;
        let here = |kind: &debug::BreakpointKind| matches!(kind, debug::BreakpointKind::Statement { file_id, line: l, .. } if *file_id == file && *l == line);
        let all = || snapshot.breakpoints.iter().filter(|b| here(&b.kind));
        let chosen = all().find(|b| b.enabled).or(all().next())?;
        Some((chosen.number, chosen.enabled, chosen.condition.is_some()))
    }

    /// Whether the program has begun and not ended.
    pub fn is_alive(&self) -> bool {
        self.snapshot.as_ref().is_some_and(|s| s.program.started && s.program.exited.is_none())
    }

    /// Whether no answer of the session is due.
    pub fn is_at_rest(&self) -> bool {
        self.running.is_none() && !self.snapshot_asked && !self.completing
    }

    /// Keeps cursors within their panes and visible.
    pub(crate) fn settle(&mut self) {
        for pane in PANES.iter().map(|r| r.pane) {
            let (rows, room) = (self.rows(pane), self.room(pane));
            let margin = if pane == Pane::Source { 3.min(room.saturating_sub(1) / 2) } else { 0 };
            let scroll = self.scroll_mut(pane);
            scroll.cursor = scroll.cursor.min(rows.saturating_sub(1));
            if room == 0 {
                continue;
            }
            // A jump comes to the middle.
            if pane == Pane::Source && !(scroll.top..scroll.top + room).contains(&scroll.cursor) {
                scroll.top = scroll.cursor.saturating_sub(room / 2);
            }
            if scroll.cursor < scroll.top + margin {
                scroll.top = scroll.cursor.saturating_sub(margin);
            }
            if scroll.cursor + margin >= scroll.top + room {
                scroll.top = scroll.cursor + margin + 1 - room;
            }
            scroll.top = scroll.top.min(rows.saturating_sub(room));
        }
        let top = self.scroll(Pane::Memory).top as u64;
        self.memory.first[0] = top;
    }
}
