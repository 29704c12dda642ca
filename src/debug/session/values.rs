//! The commands on values: `print`, `whatis`, `set var`, `display` and `watch`.
//!
//! Not here: evaluating expressions (`eval`).

use crate::command::parse::assignment;
use crate::command::{Over, Radix, WatchOn};
use crate::eval::check::{self, Typed};
use crate::eval::compiled::{CompiledExpr, Evaluated, constant_object};
use crate::eval::context::{Object, Store, Viewpoint};
use crate::eval::value::{Eval, Kind as ValueKind, MOST_ELEMENTS, Value};
use crate::process::watcher::{Owner, Range, Seen, Thread};
use crate::session::breakpoint::{Kind, Scope, Watch};
use crate::session::control::Verdict;
use crate::session::kept::MOST_KEPT;
use crate::session::{Session, SessionError, refuse};
use crate::view::reply::{DisplayView, LaneGroup, Outcome, Reply, StopReason};
use device::{DeviceAccess, Statement};
use mem::Region;
use mem::address::{is_local, is_shared};
use sema::checked::{CharLen, ExprKind, Type};

/// Most bytes that a watchpoint compares.
const MOST_WATCHED: u64 = 1 << 16;

/// Most compiled expressions in the cache.
const MOST_FORMULAS: usize = 32;

type Done = Result<Outcome, SessionError>;

impl Session {
    fn typed(&self, text: &str, to: Option<&Type>) -> Eval<Typed<'_>> {
        let kept = |name: &str| self.kept_value(name);
        check::checked(&self.setup.checked, self.here_proc(), self.here_vars(), &kept, text, to)
    }

    /// Compiles an expression in the procedure in focus. The latest ones are cached.
    pub(crate) fn compile(&self, text: &str) -> Eval<CompiledExpr> {
        let proc = self.here_proc();
        let mut known = self.compiled.borrow_mut();
        if let Some(at) = known.iter().position(|(t, p, _)| t == text && *p == proc) {
            let found = known.remove(at);
            let expr = found.2.clone();
            known.push(found);
            return Ok(expr);
        }
        let typed = self.typed(text, None)?;
        let expr = CompiledExpr::new(&typed.program, &typed.expr)?;
        if text.contains('$') {
            // Kept values are part of the code, and change.
            return Ok(expr);
        }
        if known.len() >= MOST_FORMULAS {
            known.remove(0);
        }
        known.push((text.to_owned(), proc, expr.clone()));
        Ok(expr)
    }

    /// The value of an expression in the focused frame.
    pub(crate) fn evaluated(&self, text: &str) -> Eval<Value> {
        self.compile(text)?.value(&self.here()?)
    }

    /// The text of that value.
    pub(crate) fn value_text(&self, text: &str, radix: Radix) -> Eval<String> {
        Session::text_in(&self.here()?, &self.compile(text)?, radix)
    }

    /// The command `print`.
    pub(crate) fn print(&mut self, text: &str, over: Over, radix: Radix) -> Done {
        if let Some(object) = text.strip_prefix('&') {
            return self.print_address(object.trim());
        }
        if let Some((target, value)) = assignment(text) {
            // As in gdb: the assignment is done, and the value printed.
            let done = if target.starts_with('$') {
                self.set_kept(&target.to_ascii_lowercase(), value)
            } else {
                self.set_variable(target, value)
            };
            return done.and_then(|_| self.print(target, over, radix));
        }
        let e = self.compile(text)?;
        if over == Over::Lane {
            let (shown, value) = {
                let context = self.here()?;
                let object = match e.evaluate(&context)? {
                    Evaluated::Object(object) => context.bounded(object),
                    Evaluated::Value(value) => constant_object(value),
                };
                let count = object.count()?;
                let value = if count <= MOST_KEPT {
                    context.load(&object).map_err(|why| why.0)
                } else {
                    Err(format!("it has {count} elements"))
                };
                (context.show_rows(&object, radix)?, value)
            };
            let number = self.kept.add(value);
            return Ok(Outcome::Reply(Reply::Value { number, text: shown }));
        }
        let Thread::Device { launch, block, warp, .. } = self.focus else {
            return refuse("The focus is on the host, which has no warps.");
        };
        let count = self.process.block(launch, block).map_or(0, |b| b.warps.len() as u32);
        let warps = if over == Over::Warp { warp..warp + 1 } else { 0..count };
        let mut groups: Vec<LaneGroup> = Vec::new();
        for warp in warps {
            let mut own: Vec<LaneGroup> = Vec::new();
            for (lane, value) in self.each_lane(launch, block, warp, |s| Session::text_in(s, &e, radix)) {
                let value = value.map_err(|why| why.0);
                match own.iter_mut().find(|g| g.value == value) {
                    Some(group) => group.lanes |= 1 << lane,
                    None => own.push(LaneGroup { warp, lanes: 1 << lane, value }),
                }
            }
            groups.extend(own);
        }
        let number = self.kept.add(Err("it is that of many threads".to_owned()));
        Ok(Outcome::Reply(Reply::Lanes { number, groups }))
    }

    /// The commands `whatis` and, with components, `ptype`.
    pub(crate) fn whatis(&mut self, text: &str, is_full: bool) -> Done {
        let typed = match self.typed(text, None) {
            Ok(typed) if !matches!(typed.expr.kind, ExprKind::Procedure(_)) => typed,
            found => {
                return match (self.declared_name(text), found) {
                    (Some(text), _) => Ok(Outcome::Reply(Reply::Text(text))),
                    (None, Err(why)) => Err(why.into()),
                    (None, Ok(_)) => refuse("A procedure has no type."),
                };
            }
        };
        let e = &typed.expr;
        let context = self.here()?;
        let (kind, dims) = match CompiledExpr::new(&typed.program, e).and_then(|f| f.evaluate(&context)) {
            Ok(Evaluated::Object(object)) => {
                let bounds = object.dims.iter().map(|d| match d.extent {
                    Some(n) => format!("{}:{}", d.lower, d.lower.wrapping_add(n - 1)),
                    None => format!("{}:*", d.lower),
                });
                (object.kind, bounds.collect::<Vec<_>>())
            }
            Ok(Evaluated::Value(v)) => (v.kind, v.dims.iter().map(|(_, n)| format!("1:{n}")).collect()),
            // Something without a value here, such as an unallocated array, still has a type.
            Err(why) => match crate::eval::value::Kind::of(&self.setup.checked, &e.ty, Some(0)) {
                Ok(kind) if e.rank == 0 => (kind, Vec::new()),
                Ok(kind) => (kind, vec![":".to_owned(); usize::from(e.rank)]),
                Err(_) => return Err(why.into()),
            },
        };
        let name = kind.name(&self.setup.checked);
        let shape = if dims.is_empty() { String::new() } else { format!(", dimension({})", dims.join(",")) };
        let mut text = format!("type = {name}{shape}\n");
        if let (ValueKind::Derived(id, _), true) = (kind, is_full) {
            text.push_str(&self.components(id));
        }
        Ok(Outcome::Reply(Reply::Text(text)))
    }

    /// The command `set var`.
    pub(crate) fn set_variable(&mut self, target: &str, value: &str) -> Done {
        let changes = {
            let left = self.typed(target, None)?;
            let context = self.here()?;
            let Some(object) = CompiledExpr::new(&left.program, &left.expr)?.object(&context)? else {
                return refuse(format!("`{target}` is not a variable, element or component."));
            };
            let ty = match (&left.expr.ty, object.kind) {
                (Type::Character(_), ValueKind::Char(len)) => Type::Character(CharLen::Const(len as i64)),
                (ty, _) => ty.clone(),
            };
            let right = self.typed(value, Some(&ty))?;
            let value = CompiledExpr::value_as(&right.program, &right.expr, &ty)?.value(&context)?;
            let count = object.count()?;
            let extents: Vec<i64> = object.dims.iter().filter_map(|d| d.extent).collect();
            let others: Vec<i64> = value.dims.iter().map(|d| d.1).collect();
            if !value.dims.is_empty() && extents != others {
                return refuse("The shapes of the two sides differ.");
            }
            if count > MOST_ELEMENTS {
                return refuse("The array is too large to set at once.");
            }
            let mut changes = Vec::new();
            for i in 0..count {
                changes.extend(context.store_element(&object, i, value.element(i as usize))?);
            }
            changes
        };
        if !self.process.change(self.focus, changes) {
            return refuse("The variable cannot be changed here.");
        }
        // Findings of the old future do not apply to the new one.
        let (now, known) = (self.process.time(), self.process.machine().findings().len());
        self.access_times.retain(|m| m.second.is_some_and(|s| s.0 <= now));
        self.seen.truncate(known);
        self.clean.forget_from(now);
        self.remember_watched();
        Ok(Outcome::Reply(Reply::Done))
    }

    /// The command `display` with an expression.
    pub(crate) fn set_display(&mut self, text: &str, radix: Radix) -> Done {
        let e = self.compile(text)?;
        let number = self.add_display(text, radix);
        let value = if self.started {
            Some(self.here().and_then(|s| Session::text_in(&s, &e, radix)).map_err(|why| why.0))
        } else {
            None
        };
        let view = DisplayView { number, expression: text.to_owned(), value, enabled: true };
        Ok(Outcome::Reply(Reply::Displays(vec![view])))
    }

    /// All displays, with values for those that can be evaluated here.
    pub(crate) fn display_views(&self) -> Vec<DisplayView> {
        let view = |d: &crate::session::breakpoint::Display| DisplayView {
            number: d.number,
            expression: d.text.clone(),
            value: self
                .compile(&d.text)
                .ok()
                .map(|e| self.here().and_then(|s| Session::text_in(&s, &e, d.radix)).map_err(|why| why.0)),
            enabled: d.enabled,
        };
        self.displays.iter().map(view).collect()
    }

    /// The displays that can be evaluated here.
    pub(crate) fn display_values(&self) -> Vec<DisplayView> {
        self.display_views().into_iter().filter(|d| d.enabled && d.value.is_some()).collect()
    }

    /// The command `watch`.
    pub(crate) fn set_watch(&mut self, text: &str, on: WatchOn) -> Done {
        let watch = self.new_watch(text, on)?;
        Ok(self.add_breakpoint(Kind::Watch(Box::new(watch)), false))
    }

    /// The variable, element or component to watch.
    pub(crate) fn new_watch(&self, text: &str, on: WatchOn) -> Result<Watch, SessionError> {
        let e = self.compile(text)?;
        let (object, frame) = {
            let context = self.here()?;
            let frame = match context.at {
                Viewpoint::Nowhere => None,
                Viewpoint::Host { frame, .. } | Viewpoint::Device { frame, .. } => Some(frame),
            };
            match e.object(&context)? {
                Some(object) => (object, frame.zip(context.func())),
                None => return refuse("Can watch only a variable, an element or a component."),
            }
        };
        let count = object.count()?;
        if count.saturating_mul(object.kind.bytes()) > MOST_WATCHED {
            return refuse(format!("Cannot watch more than {MOST_WATCHED} bytes; watch an element or a section."));
        }
        let is_host = |address: u64| matches!(Region::of(address), Some(Region::Host | Region::HostStack));
        let (range, scope) = match &object.store {
            Store::Value(_) => return refuse("Cannot watch a constant value."),
            Store::Regs(..) if on != WatchOn::Change => {
                return refuse("Reads of a variable in a register are not seen: \"watch\" stops at its changes.");
            }
            Store::Memory(address) if on != WatchOn::Change && is_host(*address) => {
                return refuse("Reads by the host are not seen: \"watch\" stops at changes.");
            }
            Store::Regs(..) => (None, Some(Scope { thread: self.focus, frame })),
            Store::Memory(address) => self.watched_memory(*address, &object, frame, on),
        };
        let mut watch = Watch { text: text.to_owned(), on, object, range, scope, last: None, shown: String::new() };
        self.read_watched(&mut watch);
        Ok(watch)
    }

    fn watched_memory(
        &self,
        address: u64,
        object: &Object,
        frame: Option<(u32, ir::FuncId)>,
        on: WatchOn,
    ) -> (Option<Range>, Option<Scope>) {
        let (first, bytes) = object.range();
        let own = match self.focus {
            Thread::Device { launch, block, .. } if is_shared(address) => Some(Owner { launch, block, lane: None }),
            Thread::Device { launch, block, warp, lane } if is_local(address) => {
                Some(Owner { launch, block, lane: Some((warp, lane)) })
            }
            _ => None,
        };
        let on_stack = Region::of(address) == Some(Region::HostStack);
        let scope = match (is_shared(address), is_local(address) || on_stack) {
            (true, _) => Some(Scope { thread: self.focus, frame: None }),
            (_, true) => Some(Scope { thread: self.focus, frame }),
            _ => None,
        };
        (Some(Range { address: first, bytes, owner: own, on }), scope)
    }

    /// Reads the present bytes and text of a watched value.
    fn read_watched(&self, watch: &mut Watch) {
        let mut thread = watch.scope.map_or(self.focus, |s| s.thread);
        let mut frame = watch.scope.and_then(|s| s.frame).map(|f| f.0);
        if frame.is_none() {
            // A shared variable needs its block only, which any frame of any of its threads shows.
            thread = self.alive_in_block(thread).unwrap_or(thread);
            frame = self.levels(thread).first().map(|l| l.frame);
        }
        let context = self.context_of(thread, frame);
        let value = context.as_ref().ok().and_then(|s| s.load(&watch.object).ok());
        watch.shown = match (&context, &value) {
            (Ok(s), Some(_)) => s.show(&watch.object, Radix::Natural).unwrap_or_default(),
            _ => "<not available>".to_owned(),
        };
        watch.last = value.map(|v| v.data);
    }

    /// The thread, or one of its block that has not ended if it has.
    fn alive_in_block(&self, thread: Thread) -> Option<Thread> {
        let Thread::Device { launch, block, .. } = thread else { return None };
        if self.is_alive(thread) {
            return Some(thread);
        }
        self.process.block(launch, block)?.warps.iter().find_map(|w| {
            let lane = w.splits().next()?.mask().trailing_zeros();
            Some(Thread::Device { launch, block, warp: w.number(), lane })
        })
    }

    /// Whether the frame, block or thread of a watched value still exists.
    fn in_scope(&self, scope: Scope) -> bool {
        match (scope.thread, scope.frame) {
            (Thread::Host, Some((frame, func))) => {
                self.process.machine().host().warp().frame(frame).is_some_and(|f| f.func() == func)
            }
            (Thread::Host, None) => true,
            (Thread::Device { launch, block, .. }, None) => self.process.block(launch, block).is_some(),
            (Thread::Device { launch, block, warp, .. }, Some((frame, func))) => {
                let warp = self.process.block(launch, block).and_then(|b| b.warps.get(warp as usize));
                self.is_alive(scope.thread) && warp.and_then(|w| w.frame(frame)).is_some_and(|f| f.func() == func)
            }
        }
    }

    /// What a watcher has to look at for the watchpoints: memory, and threads whose registers are compared. The host is
    /// among them, since it changes memory by copies that are no accesses.
    pub(crate) fn watched(&self) -> (Vec<Range>, Vec<Thread>) {
        let (mut ranges, mut threads) = (Vec::new(), Vec::new());
        for b in self.breakpoints.iter().filter(|b| b.enabled) {
            let Kind::Watch(watch) = &b.kind else { continue };
            match (watch.range, watch.scope) {
                (Some(range), _) => ranges.push(range),
                (None, Some(scope)) => threads.push(scope.thread),
                (None, None) => {}
            }
            threads.push(Thread::Host);
        }
        (ranges, threads)
    }

    /// Records the present watched values as the old ones.
    pub(crate) fn remember_watched(&mut self) {
        let mut all = std::mem::take(&mut self.breakpoints);
        for b in &mut all {
            if let Kind::Watch(watch) = &mut b.kind {
                self.read_watched(watch);
            }
        }
        self.breakpoints = all;
    }

    /// Whether a watched value has changed, or was accessed. Backwards, old and new value are exchanged and no watchpoint is deleted.
    pub(crate) fn watch_verdict(&mut self, s: &Statement, seen: Seen, backwards: bool) -> Option<Verdict> {
        let write = seen.write;
        let mut all = std::mem::take(&mut self.breakpoints);
        let mut verdict = None;
        let mut gone = None;
        for b in all.iter_mut().filter(|b| b.enabled) {
            let Kind::Watch(watch) = &mut b.kind else { continue };
            let mut now = (**watch).clone();
            self.read_watched(&mut now);
            if watch.scope.is_some_and(|scope| !self.in_scope(scope)) {
                // What does not exist yet, after going back, is not gone.
                if !backwards && watch.last.is_some() && verdict.is_none() && gone.is_none() {
                    gone = Some((b.number, watch.text.clone()));
                }
                watch.last = None;
                continue;
            }
            // The block of shared memory may have begun since the last look; then the first write is a change.
            let is_written = || write.is_some_and(|w| watch.range.is_some_and(|r| r.owner.is_some() && r.is_hit(&w)));
            let changed = match (&watch.last, &now.last) {
                (Some(old), Some(new)) => old != new,
                (None, Some(_)) => is_written(),
                (_, None) => false,
            };
            let is_hit = |a: &DeviceAccess| watch.range.is_some_and(|r| r.is_hit(a));
            let read = seen.read.filter(|a| watch.on != WatchOn::Change && is_hit(a));
            let access = read.or(write.filter(|a| watch.on == WatchOn::Access && is_hit(a)));
            let (old, new) = (std::mem::take(&mut watch.shown), now.shown.clone());
            **watch = now;
            let is_due = if watch.on == WatchOn::Change { changed } else { access.is_some() };
            if !is_due || verdict.is_some() {
                continue;
            }
            let write = access.or(write);
            let thread = self.writer(s, write, watch.scope);
            let (old, new) = if backwards { (new, old) } else { (old, new) };
            let by = self.writer_view(thread, write);
            b.hits += u64::from(!backwards);
            if b.ignore > 0 && !backwards {
                b.ignore -= 1;
                continue;
            }
            if !backwards && b.hit_rule.is_some_and(|rule| !rule.holds(b.hits)) {
                continue;
            }
            let expression = watch.text.clone();
            let number = b.number;
            let reason = match (watch.on, access) {
                (WatchOn::Change, _) => StopReason::Watchpoint { number, expression, old, new, by },
                (on, access) => {
                    let is_write = access.is_some_and(|a| a.write);
                    StopReason::Access { number, expression, on, is_write, value: watch.shown.clone(), by }
                }
            };
            verdict = Some((reason, thread));
        }
        self.breakpoints = all;
        if verdict.is_none()
            && let Some((number, expression)) = gone
        {
            self.breakpoints.retain(|b| b.number != number);
            let thread = if self.is_alive(self.focus) { self.focus } else { Thread::Host };
            let thread = match thread {
                Thread::Host if s.launch != 0 => {
                    Thread::Device { launch: s.launch, block: s.block, warp: s.warp, lane: s.mask.trailing_zeros() }
                }
                other => other,
            };
            return Some((StopReason::WatchpointScope { number, expression }, thread));
        }
        verdict
    }

    /// The thread to focus on after a change: the writer if it still exists, else the running thread.
    fn writer(&self, s: &Statement, write: Option<DeviceAccess>, scope: Option<Scope>) -> Thread {
        let written = write.map(|w| Thread::Device { launch: w.launch, block: w.block, warp: w.warp, lane: w.lane });
        let own = scope.filter(|scope| scope.frame.is_some()).map(|scope| scope.thread);
        let candidates = [written, own].into_iter().flatten().find(|&t| self.is_alive(t));
        let running = match s.launch {
            0 => Thread::Host,
            launch => Thread::Device { launch, block: s.block, warp: s.warp, lane: s.mask.trailing_zeros() },
        };
        // While a kernel runs the host did not write; after it only the host is left.
        match candidates {
            Some(Thread::Host) | None => running,
            Some(thread) => thread,
        }
    }

    fn writer_view(
        &self,
        thread: Thread,
        write: Option<DeviceAccess>,
    ) -> Option<(String, Option<crate::view::reply::PlaceView>)> {
        let write = write?;
        let by = Thread::Device { launch: write.launch, block: write.block, warp: write.warp, lane: write.lane };
        let view =
            if self.process.block(write.launch, write.block).is_some() { self.view(by) } else { self.view(thread) };
        Some((crate::view::render::focus(&view), self.place(write.span, String::new())))
    }
}
