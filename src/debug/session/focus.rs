//! The focus of a session: its thread and frame, their context and place, and source lines.

use crate::command::{FocusRequest, FrameRequest, ListRequest, Radix, Where};
use crate::eval::compiled::{CompiledExpr, Evaluated};
use crate::eval::context::{Context, Viewpoint, thread_index};
use crate::eval::value::{Eval, EvalError, fail};
use crate::process::sites::is_kernel;
use crate::process::watcher::Thread;
use crate::session::{Session, refuse};
use crate::view::reply::{FocusView, FrameView, Outcome, PlaceView, Reply, SourceLine, SourceWindow};
use emu::Block;
use ir::FuncId;
use source::{FileId, SourceFile, Span};
use vm::{Site, SplitView};

/// One level of a thread's call stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    pub(crate) frame: u32,
    pub(crate) site: Site,
    /// How many calls deep, from 0.
    pub(crate) depth: u32,
}

/// The block's place in its grid and the lane's in its block, counted from 1.
pub(crate) fn coordinates(block: &Block, warp: u32, lane: u32) -> ([u32; 3], [u32; 3]) {
    let thread = thread_index(block.geometry.block, warp * 32 + lane);
    (block.geometry.cta.map(|c| c + 1), thread.map(|t| t + 1))
}

fn levels<const W: usize>(split: &SplitView<'_, W>) -> Vec<Level> {
    let all = split.activations();
    let depth = |i: usize| (all.len() - 1 - i) as u32;
    all.iter().enumerate().map(|(i, a)| Level { frame: a.frame, site: a.site, depth: depth(i) }).collect()
}

impl Session {
    /// The call stack of a thread, innermost first, without hidden procedures.
    pub(crate) fn levels(&self, thread: Thread) -> Vec<Level> {
        let all = match thread {
            Thread::Host => {
                let warp = self.process.machine().host().warp();
                warp.splits().next().map(|split| levels(&split)).unwrap_or_default()
            }
            Thread::Device { launch, block, warp, lane } => {
                let warp = self.process.block(launch, block).and_then(|b| b.warps.get(warp as usize));
                warp.and_then(|w| w.split_of(lane)).map(|split| levels(&split)).unwrap_or_default()
            }
        };
        let visible: Vec<Level> = all.iter().copied().filter(|l| !self.sites.is_hidden(l.site.func)).collect();
        if visible.is_empty() { all } else { visible }
    }

    /// The context of a level of a thread's call stack.
    pub(crate) fn context(&self, thread: Thread, level: u32) -> Eval<Context<'_>> {
        let frame = if self.started && self.process.over().is_none() {
            self.levels(thread).get(level as usize).map(|l| l.frame)
        } else {
            None
        };
        self.context_of(thread, frame)
    }

    /// The context of a frame.
    pub(crate) fn context_of(&self, thread: Thread, frame: Option<u32>) -> Eval<Context<'_>> {
        let machine = self.process.machine();
        let at = match (thread, frame) {
            (_, None) => Viewpoint::Nowhere,
            (Thread::Host, Some(frame)) => Viewpoint::Host { warp: machine.host().warp(), frame },
            (Thread::Device { launch, block, warp, lane }, Some(frame)) => {
                let gone = || EvalError("the focused thread has ended".to_owned());
                let block = self.process.block(launch, block).ok_or_else(gone)?;
                let warp = block.warps.get(warp as usize).ok_or_else(gone)?;
                Viewpoint::Device { block, warp, frame, lane }
            }
        };
        Ok(Context {
            program: machine.program(),
            checked: &self.setup.checked,
            memory: machine.memory(),
            at,
            most_shown: self.most_shown,
        })
    }

    /// The focused context.
    pub(crate) fn here(&self) -> Eval<Context<'_>> {
        self.context(self.focus, self.level)
    }

    /// The procedure in focus; the main program if the program is not running.
    pub(crate) fn here_proc(&self) -> Option<sema::checked::ProcId> {
        let running = self.started && self.process.over().is_none();
        let level = if running { self.levels(self.focus).get(self.level as usize).copied() } else { None };
        level.and_then(|l| self.sites.proc(l.site.func)).or(self.setup.checked.main)
    }

    /// The variables of the function in focus.
    pub(crate) fn here_vars(&self) -> &[ir::DebugVar] {
        let running = self.started && self.process.over().is_none();
        let level = if running { self.levels(self.focus).get(self.level as usize).copied() } else { None };
        let module = &self.process.machine().program().module();
        level.map_or(&[], |l| &module.func(l.site.func).vars)
    }

    /// Whether a thread has begun and not ended.
    pub(crate) fn is_alive(&self, thread: Thread) -> bool {
        match thread {
            Thread::Host => true,
            Thread::Device { launch, block, warp, lane } => self
                .process
                .block(launch, block)
                .and_then(|b| b.warps.get(warp as usize))
                .is_some_and(|w| w.live() >> lane & 1 != 0),
        }
    }

    /// A thread in the coordinates of the user.
    pub(crate) fn view(&self, thread: Thread) -> FocusView {
        match thread {
            Thread::Host => FocusView::Host,
            Thread::Device { launch, block, warp, lane } => match self.process.block(launch, block) {
                Some(at) => {
                    let (block, thread) = coordinates(at, warp, lane);
                    FocusView::Thread { kernel: launch, block, thread, warp, lane }
                }
                None => FocusView::Host,
            },
        }
    }

    /// The file and line of a span.
    pub(crate) fn line_of(&self, span: Span) -> Option<(FileId, usize)> {
        let file = self.setup.sources.file(span.file)?;
        Some((span.file, file.line_of(span.start)))
    }

    /// File name and line of a site.
    pub(crate) fn file_line(&self, site: Site) -> Option<(String, usize)> {
        let span = self.process.machine().program().span(self.sites.standing(site));
        let (file, line) = self.line_of(span)?;
        Some((self.setup.sources.file(file)?.name().to_owned(), line))
    }

    /// The span of the statement that a level is at.
    pub(crate) fn span_of(&self, level: &Level) -> Span {
        self.process.machine().program().span(self.sites.standing(level.site))
    }

    /// Whether a thread is before a statement that it has not begun, because another thread took the last step.
    pub(crate) fn is_before_statement(&self, thread: Thread) -> bool {
        let Some(level) = self.levels(thread).first().copied() else { return false };
        let site = self.sites.standing(level.site);
        let program = self.process.machine().program();
        let has_begun = |s: &device::Statement| thread.begins(s) && s.func == site.func && s.pc == site.pc;
        program.is_statement(site) && !self.process.at().is_some_and(has_begun)
    }

    /// The place of a span in a function.
    pub(crate) fn place(&self, span: Span, function: String) -> Option<PlaceView> {
        let (file_id, line) = self.line_of(span)?;
        let file = self.setup.sources.file(file_id)?;
        let (name, text) = (file.name().to_owned(), source::shown(file.line_text(line)).into_owned());
        Some(PlaceView { function, file: name, file_id, line, text, part: self.part_of_line(span) })
    }

    /// Which characters of its line a statement is, from 0, and how many; `None` if it is the only one there, or all of the line.
    pub(crate) fn part_of_line(&self, span: Span) -> Option<(usize, usize)> {
        let (file_id, line) = self.line_of(span)?;
        if !self.sites.shares_line(file_id, line, span) {
            return None;
        }
        let file = self.setup.sources.file(file_id)?;
        let (text, range) = (file.line_text(line), file.line_range(line)?);
        let start = span.start.checked_sub(range.start)? as usize;
        let end = (span.end.min(range.end) - range.start) as usize;
        let (before, own) = (text.get(..start)?, text.get(start..end.min(text.len()))?);
        let own = own.trim_end();
        (own != text.trim()).then(|| (before.chars().count(), own.chars().count()))
    }

    /// The place of a level of a thread's call stack, with the values of its arguments.
    pub(crate) fn place_of(&self, thread: Thread, level: &Level) -> Option<PlaceView> {
        self.place(self.span_of(level), self.function(thread, level))
    }

    /// `saxpy<<<(4,1,1),(256,1,1)>>> (n=1000, x=...)`
    fn function(&self, thread: Thread, level: &Level) -> String {
        let program = self.process.machine().program();
        let func = level.site.func;
        let name = program.module().func(func).short_name().to_owned();
        let grid = match thread {
            Thread::Device { launch, block, .. } if is_kernel(program, func) => {
                self.process.block(launch, block).map(|b| {
                    let t = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
                    format!("<<<{},{}>>>", t(b.geometry.grid), t(b.geometry.block))
                })
            }
            _ => None,
        };
        format!("{name}{} ({})", grid.unwrap_or_default(), self.arguments(thread, level))
    }

    fn arguments(&self, thread: Thread, level: &Level) -> String {
        let Ok(context) = self.context_of(thread, Some(level.frame)) else { return String::new() };
        let func = self.process.machine().program().module().func(level.site.func);
        let params = self.sites.proc(level.site.func).map_or(&[][..], |p| &self.setup.checked.proc(p).params);
        // Variables of inlined procedures have qualified names.
        let mut dummies: Vec<_> = func.vars.iter().filter(|v| v.is_dummy && !v.name.contains('.')).collect();
        dummies.sort_by_key(|v| params.iter().position(|p| p.0 == v.source_id));
        let shown = dummies.iter().map(|v| {
            let value = context.variable(sema::checked::VarId(v.source_id));
            let text = value.map_or_else(|_| "<not available>".to_owned(), |object| context.show_short(&object));
            format!("{}={text}", v.name)
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// The name of a function without its module.
    pub(crate) fn function_name(&self, func: FuncId) -> String {
        self.process.machine().program().module().func(func).short_name().to_owned()
    }

    /// A command that chooses another thread.
    pub(crate) fn focus_command(&mut self, request: &FocusRequest) -> Result<Outcome, crate::SessionError> {
        self.need_running()?;
        if request.host {
            return Ok(self.focus_on(Thread::Host));
        }
        if *request == (FocusRequest { show: true, ..FocusRequest::default() }) {
            return Ok(Outcome::Reply(Reply::Focus(self.view(self.focus), None)));
        }
        let current = match self.focus {
            Thread::Device { launch, block, warp, lane } => Some((launch, block, warp, lane)),
            Thread::Host => None,
        };
        let Some(shown) = self.running() else { return refuse("No CUDA kernel is running.") };
        let asked = request.kernel.unwrap_or(shown.launch.number);
        let Some(running) = self.process.grid(asked) else {
            let [asked, launch] = [asked, shown.launch.number].map(finding::launch_name);
            return refuse(format!("Kernel {asked} is not running; kernel {launch} is."));
        };
        let launch = running.launch.number;
        let current = current.filter(|c| c.0 == launch);
        let front = running.active.front().map(|b| b.linear);
        let Some(mut linear) = current.map(|c| c.1).or(front) else { return refuse("No block is running.") };
        if let Some(index) = request.block {
            let [gx, gy, gz] = running.launch.grid;
            if index[0] > gx || index[1] > gy || index[2] > gz {
                return refuse(format!("Block {} is outside of the grid ({gx},{gy},{gz}).", show(index)));
            }
            let [x, y, z] = index.map(|i| u64::from(i - 1));
            linear = (z * u64::from(gy) + y) * u64::from(gx) + x;
        }
        let Some(block) = running.active.iter().find(|b| b.linear == linear) else {
            let index = request.block.map_or_else(String::new, show);
            return refuse(format!(
                "Block {index} is not running: it has ended or not begun. To stop in it, set a breakpoint `if blockidx%x == ...`."
            ));
        };
        let threads = block.geometry.threads();
        let same_block = current.is_some_and(|c| c.1 == linear);
        let (mut warp, mut lane) = match (same_block, current) {
            (true, Some((_, _, warp, lane))) => (warp, lane),
            _ => (0, 0),
        };
        if let Some(index) = request.thread {
            let [bx, by, bz] = block.geometry.block;
            if index[0] > bx || index[1] > by || index[2] > bz {
                return refuse(format!("Thread {} is outside of the block ({bx},{by},{bz}).", show(index)));
            }
            let [x, y, z] = index.map(|i| i - 1);
            let number = (z * by + y) * bx + x;
            (warp, lane) = (number / 32, number % 32);
        }
        if let Some(n) = request.warp {
            if n as usize >= block.warps.len() {
                let count = block.warps.len();
                let plural = if count == 1 { "" } else { "s" };
                return refuse(format!("The block has {count} warp{plural}, numbered from 0."));
            }
            if n != warp {
                (warp, lane) = (n, 0);
            }
        }
        if let Some(n) = request.lane {
            lane = n;
        }
        if lane >= 32 || warp * 32 + lane >= threads {
            return refuse(format!("Warp {warp} has no lane {lane}."));
        }
        let asked_lane = request.thread.is_some() || request.lane.is_some();
        let live = block.warps.get(warp as usize).map_or(0, vm::Warp::live);
        if live >> lane & 1 == 0 {
            let other =
                if live == 0 { block.warps.iter().find(|w| w.live() != 0) } else { block.warps.get(warp as usize) };
            match other {
                Some(w) if !asked_lane && (live != 0 || request.warp.is_none()) => {
                    (warp, lane) = (w.number(), w.live().trailing_zeros());
                }
                _ => return refuse("That thread has exited. The focus is unchanged."),
            }
        }
        Ok(self.focus_on(Thread::Device { launch, block: linear, warp, lane }))
    }

    fn focus_on(&mut self, thread: Thread) -> Outcome {
        self.focus = thread;
        self.level = 0;
        self.listed = None;
        let level = self.levels(thread).first().copied();
        self.last_shown = level.map(|l| (self.view(thread), l.site.func, l.depth));
        let place = level.and_then(|l| self.place_of(thread, &l));
        Outcome::Reply(Reply::Focus(self.view(thread), place))
    }

    /// The frames of the focused thread.
    pub(crate) fn stack(&self) -> Vec<FrameView> {
        let levels = self.levels(self.focus);
        let views = levels.iter().enumerate().filter_map(|(i, l)| {
            let place = self.place_of(self.focus, l)?;
            Some(FrameView { level: i as u32, place, current: i as u32 == self.level })
        });
        views.collect()
    }

    /// The command `backtrace`.
    pub(crate) fn backtrace(&mut self, count: Option<i64>, is_full: bool) -> Result<Outcome, crate::SessionError> {
        self.need_running()?;
        let all = self.stack();
        if count.is_none() && !is_full {
            return Ok(Outcome::Reply(Reply::Stack(all)));
        }
        let wanted =
            count.map_or(all.len(), |n| usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX)).min(all.len());
        let first = if count.is_some_and(|n| n < 0) { all.len() - wanted } else { 0 };
        let has_more = first + wanted < all.len();
        let level = self.level;
        let mut frames = Vec::new();
        for frame in all.into_iter().skip(first).take(wanted) {
            self.level = frame.level;
            let rows = if is_full { self.variables(false) } else { Vec::new() };
            frames.push((frame, rows));
        }
        self.level = level;
        Ok(Outcome::Reply(Reply::Frames { frames, has_more }))
    }

    /// The commands `search` and `reverse-search`.
    pub(crate) fn search(&mut self, text: &str, is_back: bool) -> Result<Outcome, crate::SessionError> {
        let here = self.listed.map(|(file, first, last)| (file, if is_back { first } else { last }));
        let Some((file, from)) = here.or(self.current_line()) else { return refuse("No source lines are known.") };
        let Some(source) = self.setup.sources.file(file) else { return refuse("No such file.") };
        let has = |line: &usize| source.line_text(*line).to_lowercase().contains(&text.to_lowercase());
        let found = if is_back { (1..from).rev().find(has) } else { (from + 1..=source.line_count()).find(has) };
        match found {
            Some(line) => self.list(&ListRequest::Range(None, line, line)),
            None => refuse(format!("\"{text}\" is not in the {} lines.", if is_back { "earlier" } else { "later" })),
        }
    }

    /// A command that chooses another frame.
    pub(crate) fn frame_command(&mut self, request: FrameRequest) -> Result<Outcome, crate::SessionError> {
        self.need_running()?;
        let count = self.levels(self.focus).len() as u32;
        let level = match request {
            FrameRequest::Show => self.level,
            FrameRequest::Level(n) if n >= count => return refuse(format!("No frame at level {n}.")),
            FrameRequest::Level(n) => n,
            FrameRequest::Up(_) if self.level + 1 >= count => {
                return refuse("Initial frame selected; you can't go up.");
            }
            FrameRequest::Up(n) => self.level.saturating_add(n).min(count - 1),
            FrameRequest::Down(_) if self.level == 0 => {
                return refuse("Bottom (innermost) frame selected; you can't go down.");
            }
            FrameRequest::Down(n) => self.level.saturating_sub(n),
        };
        self.level = level;
        self.listed = None;
        let Some(view) = self.stack().into_iter().find(|f| f.level == level) else { return refuse("No stack.") };
        let line = SourceLine {
            number: view.place.line,
            text: view.place.text.clone(),
            current: true,
            breakpoint: None,
            statement: true,
        };
        Ok(Outcome::Reply(Reply::Frame(view, Some(line))))
    }

    /// File and line of the focused frame; those of the main program if the program is not running.
    pub(crate) fn current_line(&self) -> Option<(FileId, usize)> {
        let running = self.started && self.process.over().is_none();
        let level = if running { self.levels(self.focus).get(self.level as usize).copied() } else { None };
        let program = self.process.machine().program();
        let span = level.map_or_else(
            || program.module().main.map(|main| program.module().func(main).span),
            |level| Some(self.span_of(&level)),
        );
        self.line_of(span?)
    }

    /// Lines of a file, from one to another.
    pub fn source(&self, file_id: FileId, first: usize, last: usize) -> Option<SourceWindow> {
        let file = self.setup.sources.file(file_id)?;
        let current = if self.started { self.current_line() } else { None };
        let lines = (first.max(1)..=last.min(file.line_count())).map(|number| SourceLine {
            number,
            text: source::shown(file.line_text(number)).into_owned(),
            current: current == Some((file_id, number)),
            breakpoint: self.breakpoint_at(file_id, number),
            statement: self.sites.has_statement(file_id, number),
        });
        Some(SourceWindow { file: file.name().to_owned(), file_id, lines: lines.collect() })
    }

    /// File and line of a place for `list`, which need not have a statement; `here` is the file in focus.
    fn line_at(&self, at: &Where, here: Option<FileId>) -> Result<(FileId, usize), crate::SessionError> {
        match (at, here) {
            (Where::Line(line), Some(file)) => Ok((file, *line)),
            (Where::Line(_), None) => refuse("No source lines are known."),
            (Where::FileLine(name, line), _) => {
                Ok((crate::process::sites::find_file(&self.setup.sources, name)?, *line))
            }
            (at, _) => {
                let program = self.process.machine().program();
                let found = self.sites.resolve(program, &self.setup.sources, at, self.current_line())?;
                Ok((found.file, found.line))
            }
        }
    }

    /// The command `list`.
    pub(crate) fn list(&mut self, request: &ListRequest) -> Result<Outcome, crate::SessionError> {
        let here = self.listed.map(|(file, ..)| file).or(self.current_line().map(|h| h.0));
        let lines = self.list_size;
        let around = |line: usize| {
            let first = line.saturating_sub(lines / 2).max(1);
            (first, first + lines - 1)
        };
        let (file, (first, last)) = match (request, self.listed) {
            (ListRequest::More, Some((file, _, last))) => (file, (last + 1, last + lines)),
            (ListRequest::Less, Some((file, first, _))) if first <= 1 => {
                let name = self.setup.sources.file(file).map_or("", |f| f.name());
                return refuse(format!("Already at the start of {name}."));
            }
            (ListRequest::Less, Some((file, first, _))) => (file, (first.saturating_sub(lines).max(1), first - 1)),
            (ListRequest::More | ListRequest::Less, None) => match self.current_line() {
                Some((file, line)) => (file, around(line)),
                None => return refuse("No source lines are known."),
            },
            (ListRequest::Range(Some(name), first, last), _) => {
                (crate::process::sites::find_file(&self.setup.sources, name)?, (*first, *last))
            }
            (ListRequest::Range(None, first, last), _) => match here {
                Some(file) => (file, (*first, *last)),
                None => return refuse("No source lines are known."),
            },
            (ListRequest::Around(at), _) => {
                let (file, line) = self.line_at(at, here)?;
                (file, around(line))
            }
            (ListRequest::From(at), _) => {
                let (file, line) = self.line_at(at, here)?;
                (file, (line, line + lines - 1))
            }
            (ListRequest::UpTo(at), _) => {
                let (file, line) = self.line_at(at, here)?;
                (file, ((line + 1).saturating_sub(lines).max(1), line))
            }
        };
        let Some(window) = self.source(file, first, last) else { return refuse("No such file.") };
        if window.lines.is_empty() {
            let count = self.setup.sources.file(file).map_or(0, SourceFile::line_count);
            return refuse(format!("Line number {first} out of range; \"{}\" has {count} lines.", window.file));
        }
        let count = self.setup.sources.file(file).map_or(last, SourceFile::line_count);
        self.listed = Some((file, first, last.min(count)));
        Ok(Outcome::Reply(Reply::Source(window)))
    }

    /// Runs `f` for every lane of a warp that has not exited, with the context of the frame that corresponds to the focused
    /// one: of the same procedure, and of its activations the one as deep as the focused one, if there is one.
    pub(crate) fn each_lane<T>(
        &self,
        launch: u64,
        block: u64,
        warp: u32,
        f: impl Fn(&Context<'_>) -> Eval<T>,
    ) -> Vec<(u32, Eval<T>)> {
        let Some(at) = self.process.block(launch, block) else { return Vec::new() };
        let threads = at.geometry.threads();
        let lanes = (0..32).filter(|lane| warp * 32 + lane < threads);
        let home = self.levels(self.focus).get(self.level as usize).copied();
        lanes
            .map(|lane| {
                let thread = Thread::Device { launch, block, warp, lane };
                let levels = self.levels(thread);
                let of_procedure = |l: &&Level| home.is_some_and(|h| l.site.func == h.site.func);
                let as_deep = levels.iter().filter(of_procedure).find(|l| home.is_some_and(|h| l.depth == h.depth));
                let level = as_deep.or_else(|| levels.iter().find(of_procedure));
                let value = match (levels.is_empty(), level) {
                    (true, _) => fail("exited"),
                    (false, None) => fail("not in this procedure"),
                    (false, Some(level)) => self.context_of(thread, Some(level.frame)).and_then(|s| f(&s)),
                };
                (lane, value)
            })
            .collect()
    }

    /// The text of an expression in a context.
    pub(crate) fn text_in(context: &Context<'_>, expr: &CompiledExpr, radix: Radix) -> Eval<String> {
        match expr.evaluate(context)? {
            Evaluated::Object(object) => context.show(&context.bounded(object), radix),
            Evaluated::Value(value) => context.show_value(value, radix),
        }
    }
}

fn show([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}
