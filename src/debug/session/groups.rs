//! Commands about many threads or many procedures at once: `thread apply all backtrace` and `rbreak`.
//!
//! Not here: the tables of `info` (`info`), the stack of the focused thread (`focus`), single breakpoints (`mod.rs`).

use crate::command::Where;
use crate::process::watcher::Thread;
use crate::session::breakpoint::Kind;
use crate::session::focus::coordinates;
use crate::session::{Session, SessionError, refuse};
use crate::view::render;
use crate::view::reply::{FrameView, Outcome, Reply};
use std::collections::BTreeSet;
use std::fmt::Write;
use vm::Site;

/// Threads of a block with the same call stack.
struct Group {
    block: [u32; 3],
    first: (Thread, [u32; 3]),
    count: u32,
    sites: Vec<Site>,
}

impl Session {
    /// The command `thread apply all backtrace`: the threads of a block that have the same call stack are one entry.
    pub(crate) fn stacks_text(&self) -> Result<String, SessionError> {
        self.need_running()?;
        let mut text = String::new();
        for group in self.groups() {
            let [x, y, z] = group.first.1;
            let plural = if group.count == 1 { "thread" } else { "threads, the first of them" };
            let (bx, by, bz) = (group.block[0], group.block[1], group.block[2]);
            let _ = writeln!(text, "Block ({bx},{by},{bz}), {} {plural} ({x},{y},{z}):", group.count);
            self.add_stack(group.first.0, &mut text);
        }
        text.push_str("Host:\n");
        self.add_stack(Thread::Host, &mut text);
        Ok(text)
    }

    fn groups(&self) -> Vec<Group> {
        let Some(running) = self.running() else { return Vec::new() };
        let mut groups: Vec<Group> = Vec::new();
        for block in &running.active {
            let splits = block.warps.iter().flat_map(|w| w.splits().map(|s| (w.number(), s.mask(), s.call_stack())));
            for (warp, mask, sites) in splits.filter(|split| split.1 != 0) {
                let lane = mask.trailing_zeros();
                let (index, thread) = coordinates(block, warp, lane);
                let first = Thread::Device { launch: running.launch.number, block: block.linear, warp, lane };
                match groups.iter_mut().find(|g| g.block == index && g.sites == sites) {
                    Some(group) => group.count += mask.count_ones(),
                    None => {
                        groups.push(Group { block: index, first: (first, thread), count: mask.count_ones(), sites });
                    }
                }
            }
        }
        groups
    }

    fn add_stack(&self, thread: Thread, text: &mut String) {
        for (level, at) in self.levels(thread).iter().enumerate() {
            if let Some(place) = self.place_of(thread, at) {
                let frame = FrameView { level: level as u32, place, current: false };
                let _ = writeln!(text, "{}", render::stack_line(&frame));
            }
        }
    }

    /// The command `rbreak`: a breakpoint at each procedure of the user whose name contains a text.
    pub(crate) fn break_many(&mut self, text: &str) -> Result<Outcome, SessionError> {
        let module = self.process.machine().program().module();
        let name = |func: &ir::FuncId| ir::unnumbered(&module.func(*func).name).to_owned();
        // A `.` alone stands for all of them, as for gdb.
        let part = if matches!(text, "." | ".*") { "" } else { text };
        let names: BTreeSet<String> = self.functions(part).iter().map(name).collect();
        if names.is_empty() {
            return refuse(format!("No procedure has \"{text}\" in its name."));
        }
        let mut shown = String::new();
        for name in names {
            let place = self.place_at(&Where::Name(name))?;
            let outcome = self.add_breakpoint(Kind::Statement(place), false);
            shown.push_str(&render::outcome(&outcome));
        }
        Ok(Outcome::Reply(Reply::Text(shown)))
    }
}
