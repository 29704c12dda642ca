//! Replies and stops as text, in the style of gdb and cuda-gdb.
//!
//! Not here: colours, and anything that needs a session or a terminal.

use crate::command::{Topic, WatchOn};
use crate::view::reply::{
    BarrierRow, BlockRow, BreakpointKind, BreakpointView, DisplayView, FocusView, FrameView, KernelRow, LaneGroup,
    LaneRow, LaneState, Outcome, PlaceView, ProgramView, RankRow, Reply, SourceWindow, Stop, StopReason, ThreadRow,
    VariableRow, WarpRow,
};
use finding::launch_name;
use std::fmt::Write;

/// The text of an outcome; every line ends with a line end.
pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Reply(r) => reply(r),
        Outcome::Stop(s) => stop(s),
    }
}

/// The text of a stop.
pub fn stop(stop: &Stop) -> String {
    let mut text = stop.findings.concat();
    if stop.switched {
        let _ = writeln!(text, "[Switching focus to {}]", focus(&stop.focus));
    }
    match &stop.reason {
        StopReason::Start | StopReason::Step => {}
        StopReason::Breakpoint { number, temporary, failed } => {
            if let Some(why) = failed {
                let _ = writeln!(text, "Error in testing condition for breakpoint {number}:\n{}", sentence(why));
            }
            let kind = if *temporary { "Temporary breakpoint" } else { "Breakpoint" };
            let _ = write!(text, "\n{kind} {number}, ");
        }
        StopReason::Watchpoint { number, expression, old, new, by } => {
            let what = if *number == 0 { "Last change".to_owned() } else { format!("Watchpoint {number}") };
            let _ = writeln!(text, "\n{what}: {expression}\n\nOld value = {old}\nNew value = {new}");
            text.push_str(&accessed("Written", by.as_ref()));
        }
        StopReason::Access { number, expression, on, is_write, value, by } => {
            let _ = writeln!(text, "\n{} {number}: {expression}\n\nValue = {value}", on.title());
            text.push_str(&accessed(if *is_write { "Written" } else { "Read" }, by.as_ref()));
        }
        StopReason::WatchpointScope { number, expression } => {
            let _ = writeln!(
                text,
                "\nWatchpoint {number} deleted because the program has left the block in\n\
                 which its expression is valid: {expression}"
            );
        }
        StopReason::ThreadEnded => text.push_str("[The focused thread has ended]\n"),
        StopReason::Fault => text.push_str("\nProgram stopped by an error.\n"),
        StopReason::Exited(0) => text.push_str("[Program exited normally]\n"),
        StopReason::Exited(code) => {
            let _ = writeln!(text, "[Program exited with code {code}]");
        }
        StopReason::Interrupted => text.push_str("\nProgram interrupted.\n"),
        StopReason::Finding { number, is_first } => {
            let which = if *is_first { "first" } else { "second" };
            let _ = writeln!(text, "\nFinding {number}, {which} access: it happens in the next statement.");
        }
        StopReason::Rank { rank, state } => {
            let _ = writeln!(text, "[Switching to rank {rank}, which {state}]");
        }
        StopReason::HistoryStart => text.push_str("\nNo more reverse-execution history.\n"),
    }
    if let Some(place) = &stop.place {
        if stop.with_frame {
            let _ = writeln!(text, "{}", frame_text(place));
        }
        text.push_str(&line_of(place));
    }
    if let Some((number, value)) = &stop.returned {
        let _ = writeln!(text, "Value returned is ${number} = {value}");
    }
    for display in &stop.displays {
        text.push_str(&display_text(display));
    }
    text
}

/// The focus, in the words of cuda-gdb.
pub fn focus(focus: &FocusView) -> String {
    match focus {
        FocusView::Host => "the host".to_owned(),
        FocusView::Thread { kernel, block, thread, warp, lane } => format!(
            "CUDA kernel {}, block {}, thread {}, warp {warp}, lane {lane}",
            launch_name(*kernel),
            triple(*block),
            triple(*thread)
        ),
    }
}

fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}

/// The line of a place, with a mark below the statement if the line has several.
fn line_of(place: &PlaceView) -> String {
    let line = format!("{}\t{}\n", place.line, place.text);
    let Some((first, count)) = place.part else { return line };
    let before: String = place.text.chars().take(first).map(|c| if c == '\t' { c } else { ' ' }).collect();
    format!("{line}\t{before}{}\n", "^".repeat(count))
}

fn frame_text(place: &PlaceView) -> String {
    format!("{} at {}:{}", place.function, place.file, place.line)
}

/// The text of a reply.
pub fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Done | Reply::Quit => String::new(),
        Reply::Breakpoint(b) => breakpoint_set(b),
        Reply::Value { number, text } => format!("${number} = {text}\n"),
        Reply::Lanes { number, groups } => lane_groups(*number, groups),
        Reply::Focus(view, place) => {
            let at = place.as_ref();
            let line = at.map(|p| format!("{}\n{}", frame_text(p), line_of(p))).unwrap_or_default();
            format!(
                "[{}{}]\n{line}",
                if at.is_some() { "Switching focus to " } else { "Current focus is " },
                focus(view)
            )
        }
        Reply::Frame(frame, line) => {
            let line = line.as_ref().map(|l| format!("{}\t{}\n", l.number, l.text)).unwrap_or_default();
            format!("{}\n{line}", stack_line(frame))
        }
        Reply::Stack(frames) => frames.iter().map(|f| stack_line(f) + "\n").collect(),
        Reply::Frames { frames, has_more } => {
            let variable = |row: &VariableRow| format!("        {}", variable_line(row));
            let frame = |(frame, rows): &(FrameView, Vec<VariableRow>)| {
                stack_line(frame) + "\n" + &rows.iter().map(variable).collect::<String>()
            };
            let more = if *has_more { "(More stack frames follow...)\n" } else { "" };
            frames.iter().map(frame).collect::<String>() + more
        }
        Reply::Source(window) => source(window),
        Reply::Kernels(rows) => kernels(rows),
        Reply::Blocks(rows) => blocks(rows),
        Reply::Warps(rows) => warps(rows),
        Reply::LaneTable(rows) => lanes(rows),
        Reply::Threads(rows) => threads(rows),
        Reply::Barriers(rows) => barriers(rows),
        Reply::Variables(topic, rows) => variables(*topic, rows),
        Reply::Breakpoints(rows) => breakpoints(rows),
        Reply::Displays(rows) if rows.is_empty() => "There are no auto-display expressions now.\n".to_owned(),
        Reply::Displays(rows) => rows.iter().map(display_text).collect(),
        Reply::Findings(list) if list.is_empty() => "No findings so far.\n".to_owned(),
        // The number is the one that `finding` takes.
        Reply::Findings(list) => {
            list.iter().enumerate().map(|(i, text)| format!("Finding {}:\n{text}", i + 1)).collect::<Vec<_>>().concat()
        }
        Reply::Files(names) => names.join("\n") + "\n",
        Reply::Program(view) => program(view),
        Reply::Ranks(rows) => ranks(rows),
        Reply::Help(text) | Reply::Text(text) => text.clone(),
    }
}

/// Who accessed a watched value, and where.
fn accessed(how: &str, by: Option<&(String, Option<PlaceView>)>) -> String {
    let at = |place: &PlaceView| format!(" at {}:{}", place.file, place.line);
    by.map_or_else(String::new, |(who, place)| {
        format!("{how} by {who}{}\n", place.as_ref().map(at).unwrap_or_default())
    })
}

fn breakpoint_set(b: &BreakpointView) -> String {
    match &b.kind {
        BreakpointKind::Watch(expression, on) => format!("{} {}: {expression}\n", on.title(), b.number),
        BreakpointKind::Statement { function, file, line, asked, places, .. } => {
            let kind = match (b.temporary, &b.log) {
                (_, Some(_)) => "Dprintf",
                (true, None) => "Temporary breakpoint",
                (false, None) => "Breakpoint",
            };
            let more = if *places > 1 { format!(" ({places} locations)") } else { String::new() };
            let moved =
                asked.map(|a| format!("Line {a} has no statement; using line {line}, the next one that has.\n"));
            format!("{}{kind} {} at {function}: file {file}, line {line}.{more}\n", moved.unwrap_or_default(), b.number)
        }
    }
}

pub(crate) fn stack_line(frame: &FrameView) -> String {
    format!("#{:<2} {}", frame.level, frame_text(&frame.place))
}

fn source(window: &SourceWindow) -> String {
    let mut text = String::new();
    for line in &window.lines {
        let _ = writeln!(text, "{}\t{}", line.number, line.text);
    }
    text
}

/// A table with a head line; columns as wide as they need to be, the last one free.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).chain([head[i].len()]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &[String]| {
        let mut text = String::new();
        for (i, cell) in cells.iter().enumerate() {
            if i + 1 == cells.len() {
                text.push_str(cell);
            } else {
                let _ = write!(text, "{cell:<width$} ", width = widths[i]);
            }
        }
        text.trim_end().to_owned() + "\n"
    };
    let head: Vec<String> = head.iter().map(|&h| h.to_owned()).collect();
    std::iter::once(line(&head)).chain(rows.iter().map(|r| line(r))).collect()
}

fn star(current: bool) -> String {
    if current { "*" } else { " " }.to_owned()
}

fn kernels(rows: &[KernelRow]) -> String {
    if rows.is_empty() {
        return "No CUDA kernels.\n".to_owned();
    }
    let row = |r: &KernelRow| {
        vec![
            star(r.current),
            launch_name(r.number),
            triple(r.grid),
            triple(r.block),
            format!("{} of {} blocks done, {} running", r.ended, r.total, r.begun - r.ended),
            r.name.clone(),
        ]
    };
    table(&[" ", "Kernel", "GridDim", "BlockDim", "Status", "Invocation"], &rows.iter().map(row).collect::<Vec<_>>())
}

fn blocks(rows: &[BlockRow]) -> String {
    if rows.is_empty() {
        return "No CUDA blocks.\n".to_owned();
    }
    let row = |r: &BlockRow| {
        let state = if r.running { "running" } else { "waiting" };
        vec![star(r.current), triple(r.index), r.live.to_string(), state.to_owned()]
    };
    table(&[" ", "BlockIdx", "Threads", "State"], &rows.iter().map(row).collect::<Vec<_>>())
}

/// One letter for what a lane is doing.
pub fn lane_letter(state: LaneState) -> char {
    match state {
        LaneState::Active => 'A',
        LaneState::Divergent => 'd',
        LaneState::Joining => 'j',
        LaneState::Barrier => 'b',
        LaneState::Rendezvous => 'w',
        LaneState::Waiting => 'r',
        LaneState::Faulted => 'f',
        LaneState::Exited => 'x',
        LaneState::Absent => '.',
    }
}

/// What a lane is doing, in words.
pub fn state_name(state: LaneState) -> &'static str {
    match state {
        LaneState::Active => "active",
        LaneState::Divergent => "divergent",
        LaneState::Joining => "at join",
        LaneState::Barrier => "at barrier",
        LaneState::Rendezvous => "at warp barrier",
        LaneState::Waiting => "waiting",
        LaneState::Faulted => "faulted",
        LaneState::Exited => "exited",
        LaneState::Absent => "absent",
    }
}

fn warps(rows: &[WarpRow]) -> String {
    if rows.is_empty() {
        return "No CUDA warps.\n".to_owned();
    }
    let row = |r: &WarpRow| {
        let places: Vec<String> =
            r.splits.iter().map(|(mask, line)| format!("{}: line {line}", lane_set(*mask))).collect();
        vec![
            star(r.current),
            r.number.to_string(),
            r.lanes.iter().map(|&l| lane_letter(l)).collect(),
            triple(r.first),
            if places.is_empty() { "exited".to_owned() } else { places.join("; ") },
        ]
    };
    let mut text = table(&[" ", "Wp", "Lanes", "First ThreadIdx", "Places"], &rows.iter().map(row).collect::<Vec<_>>());
    text.push_str(
        "A active, d divergent, j at join, b at barrier, w at warp barrier, r waiting, f faulted, x exited, . absent\n",
    );
    text
}

fn place_cells(place: Option<&(String, usize)>) -> [String; 2] {
    match place {
        Some((file, line)) => [file.clone(), line.to_string()],
        None => ["-".to_owned(), "-".to_owned()],
    }
}

fn lanes(rows: &[LaneRow]) -> String {
    if rows.is_empty() {
        return "No CUDA lanes.\n".to_owned();
    }
    let row = |r: &LaneRow| {
        let [file, line] = place_cells(r.place.as_ref());
        vec![star(r.current), r.lane.to_string(), state_name(r.state).to_owned(), triple(r.thread), file, line]
    };
    table(&[" ", "Ln", "State", "ThreadIdx", "Filename", "Line"], &rows.iter().map(row).collect::<Vec<_>>())
}

fn threads(rows: &[ThreadRow]) -> String {
    if rows.is_empty() {
        return "No CUDA threads.\n".to_owned();
    }
    let row = |r: &ThreadRow| {
        let [file, line] = place_cells(r.place.as_ref());
        vec![
            star(r.current),
            triple(r.block),
            triple(r.from),
            triple(r.to),
            r.count.to_string(),
            state_name(r.state).to_owned(),
            file,
            line,
        ]
    };
    let head = [" ", "BlockIdx", "ThreadIdx", "To ThreadIdx", "Count", "State", "Filename", "Line"];
    table(&head, &rows.iter().map(row).collect::<Vec<_>>())
}

fn barriers(rows: &[BarrierRow]) -> String {
    if rows.is_empty() {
        return "No thread waits at a barrier.\n".to_owned();
    }
    let row = |r: &BarrierRow| {
        vec![
            triple(r.block),
            state_name(r.state).to_owned(),
            r.waiting.to_string(),
            r.missing.to_string(),
            r.place.0.clone(),
            r.place.1.to_string(),
        ]
    };
    table(&["BlockIdx", "State", "Waiting", "Missing", "Filename", "Line"], &rows.iter().map(row).collect::<Vec<_>>())
}

fn variables(topic: Topic, rows: &[VariableRow]) -> String {
    if rows.is_empty() {
        return if topic == Topic::Arguments { "No arguments.\n" } else { "No locals.\n" }.to_owned();
    }
    rows.iter().map(variable_line).collect()
}

fn variable_line(row: &VariableRow) -> String {
    match &row.value {
        Ok(value) => format!("{} = {value}\n", row.name),
        Err(why) => format!("{} = <{why}>\n", row.name),
    }
}

fn breakpoints(rows: &[BreakpointView]) -> String {
    if rows.is_empty() {
        return "No breakpoints or watchpoints.\n".to_owned();
    }
    let is_wide = |b: &BreakpointView| matches!(b.kind, BreakpointKind::Watch(_, on) if on != WatchOn::Change);
    let width = if rows.iter().any(is_wide) { 17 } else { 14 };
    let mut text = format!("{:<7} {:<width$} {:<4} {:<3} What\n", "Num", "Type", "Disp", "Enb");
    for b in rows {
        let (kind, what) = match &b.kind {
            BreakpointKind::Watch(expression, on) => (on.title().to_lowercase(), expression.clone()),
            BreakpointKind::Statement { function, file, line, .. } => {
                let kind = if b.log.is_some() { "dprintf" } else { "breakpoint" };
                (kind.to_owned(), format!("in {function} at {file}:{line}"))
            }
        };
        let disposition = if b.temporary { "del" } else { "keep" };
        let enabled = if b.enabled { "y" } else { "n" };
        let _ = writeln!(text, "{:<7} {kind:<width$} {disposition:<4} {enabled:<3} {what}", b.number);
        if let Some(condition) = &b.condition {
            let _ = writeln!(text, "\tstop only if {condition}");
        }
        if b.hits > 0 {
            let _ = writeln!(text, "\tbreakpoint already hit {} time{}", b.hits, if b.hits == 1 { "" } else { "s" });
        }
        if b.ignore > 0 {
            let _ = writeln!(text, "\tignore next {} hits", b.ignore);
        }
        if let Some(log) = &b.log {
            let _ = writeln!(text, "\tprintf {log}");
        }
        for command in &b.commands {
            let _ = writeln!(text, "\t{command}");
        }
    }
    text
}

fn display_text(d: &DisplayView) -> String {
    match &d.value {
        Some(Ok(v)) => format!("{}: {} = {v}\n", d.number, d.expression),
        Some(Err(why)) => format!("{}: {} = <{why}>\n", d.number, d.expression),
        None => format!("{}: {}\n", d.number, d.expression),
    }
}

/// Lanes of a mask as ranges: `0-15,20`.
pub fn lane_set(mask: u32) -> String {
    let mut parts = Vec::new();
    let mut lane = 0;
    while lane < 32 {
        if mask >> lane & 1 == 0 {
            lane += 1;
            continue;
        }
        let from = lane;
        while lane < 32 && mask >> lane & 1 != 0 {
            lane += 1;
        }
        parts.push(if lane - from == 1 { from.to_string() } else { format!("{from}-{}", lane - 1) });
    }
    parts.join(",")
}

/// Groups of one warp beyond which they share lines.
const FEW_GROUPS: usize = 8;
/// Width of such lines.
const WIDTH: usize = 100;

fn lane_groups(number: u32, groups: &[LaneGroup]) -> String {
    let mut text = format!("${number} =\n");
    let several = groups.iter().any(|g| g.warp != groups[0].warp);
    for own in groups.chunk_by(|a, b| a.warp == b.warp) {
        let warp = if several { format!("warp {} ", own[0].warp) } else { String::new() };
        let mut line = String::new();
        for g in own {
            let value = match &g.value {
                Ok(v) => v.clone(),
                Err(why) => format!("<{why}>"),
            };
            let plural = if g.lanes.is_power_of_two() { "" } else { "s" };
            let first = format!("  {warp}lane{plural} {}: {value}", lane_set(g.lanes));
            if own.len() <= FEW_GROUPS {
                let _ = writeln!(text, "{first}");
                continue;
            }
            let next = format!("  {}: {value}", lane_set(g.lanes));
            if line.is_empty() {
                line = first;
            } else if line.len() + next.len() > WIDTH {
                let _ = writeln!(text, "{line}");
                line = first;
            } else {
                line.push_str(&next);
            }
        }
        if !line.is_empty() {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

fn ranks(rows: &[RankRow]) -> String {
    if rows.is_empty() {
        return "The program is one rank.\n".to_owned();
    }
    let row = |r: &RankRow| {
        let [file, line] = place_cells(r.place.as_ref());
        vec![star(r.current), r.rank.to_string(), file, line, r.state.clone()]
    };
    table(&[" ", "Rank", "Filename", "Line", "State"], &rows.iter().map(row).collect::<Vec<_>>())
}

fn program(view: &ProgramView) -> String {
    let state = match (view.started, view.exited) {
        (false, _) => "The program is not being run.".to_owned(),
        (true, Some(code)) => format!("The program has ended with code {code}."),
        (true, None) => "The program is stopped.".to_owned(),
    };
    let plural = if view.checkpoints == 1 { "" } else { "s" };
    let points = format!("{} checkpoint{plural}", view.checkpoints);
    format!("{state}\nTime: statement {} of {} so far; {points}.\n", view.time, view.latest)
}

/// The front end's message as a sentence of the debugger.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use source::{FileId, Span};

    #[test]
    fn a_stop_at_a_breakpoint_reads_like_cuda_gdb() {
        let place = PlaceView {
            function: "saxpy<<<(4,1,1),(256,1,1)>>> (n=1000)".into(),
            file: "x.cuf".into(),
            file_id: FileId(0),
            line: 12,
            text: "    y(i) = a * x(i)".into(),
            part: None,
        };
        let stop = Stop {
            reason: StopReason::Breakpoint { number: 1, temporary: false, failed: None },
            findings: Vec::new(),
            focus: FocusView::Thread { kernel: 1, block: [2, 1, 1], thread: [5, 1, 1], warp: 0, lane: 4 },
            switched: true,
            span: Span::NONE,
            place: Some(place),
            with_frame: true,
            time: 17,
            returned: None,
            displays: vec![DisplayView {
                number: 1,
                expression: "i".into(),
                value: Some(Ok("5".into())),
                enabled: true,
            }],
        };
        let expected = "[Switching focus to CUDA kernel 1, block (2,1,1), thread (5,1,1), warp 0, lane 4]\n\n\
            Breakpoint 1, saxpy<<<(4,1,1),(256,1,1)>>> (n=1000) at x.cuf:12\n12\t    y(i) = a * x(i)\n1: i = 5\n";
        assert_eq!(super::stop(&stop), expected);
    }

    #[test]
    fn lanes_are_shown_as_ranges() {
        assert_eq!(lane_set(0b1011), "0-1,3");
        assert_eq!(lane_set(u32::MAX), "0-31");
        let groups = [
            LaneGroup { warp: 0, lanes: 0xffff, value: Ok("1".into()) },
            LaneGroup { warp: 0, lanes: 1 << 20, value: Err("exited".into()) },
        ];
        let reply = Reply::Lanes { number: 3, groups: groups.to_vec() };
        assert_eq!(super::reply(&reply), "$3 =\n  lanes 0-15: 1\n  lane 20: <exited>\n");
    }
}
