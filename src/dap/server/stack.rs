//! Threads, their call stacks, and the groups of variables of a frame.
//!
//! The threads are the host and the lanes of one warp: that of the thread in focus. `cufemu/focus`, and the commands `block`,
//! `thread`, `warp` and `lane` in the console, choose another. Of several ranks of MPI each other one is a thread too, with the
//! call in which it waits as its only frame; a step of that thread chooses the rank first.

use crate::arguments::{self, ExpressionArguments, FocusArguments, ThreadArguments};
use crate::numbers::{self, Opened};
use crate::server::Server;
use crate::server::code::address;
use crate::server::run::thread_name;
use crate::wire::{Answer, Request};
use debug::{Command, FocusRequest, FrameAt, Group, LaneState, Session, render};
use serde_json::{Value, json};

impl Server {
    /// The request `threads`.
    pub(crate) fn threads(&mut self, session: &mut Session, _: &Request) -> Answer {
        let mut all = Vec::new();
        let ranks = session.ranks();
        let own = ranks.iter().find(|row| row.current).map(|row| format!("rank {}: ", row.rank)).unwrap_or_default();
        for row in session.threads_in_view() {
            let id = self.numbers.of_thread(row.thread);
            let mut name = format!("{own}{}", thread_name(&row.thread));
            // That a lane runs needs no word.
            if let Some(state) = row.state.filter(|state| *state != LaneState::Active) {
                name = format!("{name}, {}", render::state_name(state));
            }
            all.push(json!({ "id": id, "name": name }));
        }
        for row in ranks.iter().filter(|row| !row.current) {
            all.push(json!({ "id": numbers::of_rank(row.rank), "name": format!("rank {} {}", row.rank, row.state) }));
        }
        Ok(json!({ "threads": all }))
    }

    /// The call stack of a rank that is not the present one.
    fn stack_of_rank(&mut self, session: &Session, rank: u32) -> Answer {
        let Some(row) = session.ranks().into_iter().find(|row| row.rank == rank) else {
            return crate::wire::refuse(format!("There is no rank {rank}."));
        };
        let mut frame = json!({
            "id": numbers::of_rank(rank),
            "name": format!("rank {rank} {}", row.state),
            "line": 0,
            "column": 0,
            "presentationHint": "subtle",
        });
        if let (Some(file), Some((_, line))) = (row.file_id, row.place) {
            frame["source"] = self.sources.source(file);
            frame["line"] = json!(self.line_out(line));
            frame["column"] = json!(usize::from(self.can.lines_start_at_1));
        }
        Ok(json!({ "stackFrames": [frame], "totalFrames": 1 }))
    }

    /// The request `stackTrace`.
    pub(crate) fn stack_trace(&mut self, session: &mut Session, request: &Request) -> Answer {
        self.need_stopped()?;
        let wanted: ThreadArguments = arguments::of(request)?;
        if let Some(rank) = wanted.thread_id.and_then(numbers::rank) {
            return self.stack_of_rank(session, rank);
        }
        let thread = match wanted.thread_id {
            Some(number) => self.numbers.thread(number)?,
            None => session.focused().thread,
        };
        let (frames, code) = session.within(FrameAt { thread, level: 0 }, |s| (s.call_stack(), s.code_of_stack()))?;
        let count = if wanted.levels == 0 { usize::MAX } else { wanted.levels };
        let total = frames.len();
        let mut shown = Vec::new();
        for frame in frames.into_iter().skip(wanted.start_frame).take(count) {
            let at = code.get(frame.level as usize).map(|at| address(*at));
            let line = self.line_out(frame.place.line);
            let first = usize::from(self.can.lines_start_at_1);
            let mut view = json!({
                "id": self.numbers.of_frame(FrameAt { thread, level: frame.level }),
                "name": frame.place.function,
                "source": self.sources.source(frame.place.file_id),
                "line": line,
                "column": first + frame.place.part.map_or(0, |part| part.0),
                "instructionPointerReference": at,
            });
            // Of several statements on the line the editor marks this one.
            if let Some((column, count)) = frame.place.part {
                view["endLine"] = json!(line);
                view["endColumn"] = json!(first + column + count);
            }
            shown.push(view);
        }
        Ok(json!({ "stackFrames": shown, "totalFrames": total }))
    }

    /// The request `scopes`.
    pub(crate) fn scopes(&mut self, session: &mut Session, request: &Request) -> Answer {
        self.need_stopped()?;
        let wanted: ExpressionArguments = arguments::of(request)?;
        if wanted.frame_id.and_then(numbers::rank).is_some() {
            // Its variables are seen when it is chosen.
            return Ok(json!({ "scopes": [] }));
        }
        let frame = self.frame_or_focus(session, wanted.frame_id)?;
        let mut shown = Vec::new();
        for group in Group::ALL {
            let count = session.within(frame, |s| s.count_of(group))?;
            if count == 0 {
                continue;
            }
            let (name, hint) = match group {
                Group::Locals => ("Locals", Some("locals")),
                Group::Arguments => ("Arguments", Some("arguments")),
                Group::Shared => ("Shared memory", None),
                Group::Registers => ("Special registers", Some("registers")),
                Group::Module => ("Module variables", None),
            };
            let mut scope = json!({
                "name": name,
                "variablesReference": self.numbers.of_opened(frame, Opened::Group(group)),
                "namedVariables": count,
                // Clients open the others by themselves.
                "expensive": group == Group::Module,
            });
            if let Some(hint) = hint {
                scope["presentationHint"] = hint.into();
            }
            shown.push(scope);
        }
        Ok(json!({ "scopes": shown }))
    }

    /// The request `cufemu/focus`: chooses another block, thread, warp or lane, the host, or another rank.
    pub(crate) fn focus(&mut self, session: &mut Session, request: &Request) -> Answer {
        self.need_stopped()?;
        let wanted: FocusArguments = arguments::of(request)?;
        let FocusArguments { host, kernel, block, thread, warp, lane, rank } = wanted;
        if let Some(rank) = rank {
            self.choose_rank(session, rank)?;
            let thread = session.focused().thread;
            return Ok(json!({ "threadId": self.numbers.of_thread(thread), "name": thread_name(&thread) }));
        }
        if [block, thread].into_iter().flatten().flatten().any(|i| i == 0) {
            return crate::wire::refuse("Indices of blocks and threads begin at 1.");
        }
        let wanted = FocusRequest { host, kernel, block, thread, warp, lane, show: false };
        session.execute(&Command::Focus(wanted), &mut |_: &[u8]| ())?;
        self.tell_focus(session);
        let thread = session.focused().thread;
        Ok(json!({ "threadId": self.numbers.of_thread(thread), "name": thread_name(&thread) }))
    }

    /// Tells that another thread is in focus. For the client this is a stop.
    pub(crate) fn tell_focus(&mut self, session: &mut Session) {
        let text = render::focus(&session.focused().thread);
        self.say_stopped(session, "focus", &json!({ "description": "Focus", "text": text }));
    }

    /// Tells that values have changed.
    pub(crate) fn tell_values(&mut self) {
        if self.can.supports_invalidated_event {
            let areas: Value = json!(["variables"]);
            self.client.event("invalidated", json!({ "areas": areas }));
        }
    }
}
