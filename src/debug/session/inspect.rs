//! Looking at values part by part, and at other frames than the focused one, for front ends that show the program as a tree.
//!
//! Not here: the command `print` (`values`), whole screens (`snapshot`).

use crate::command::{Radix, WatchOn};
use crate::eval::compiled::{Evaluated, constant_object};
use crate::eval::context::{Context, Object, Store};
use crate::eval::value::{Eval, Kind, Value, fail};
use crate::process::watcher::Thread;
use crate::session::focus::Level;
use crate::session::{Session, SessionError, refuse};
use crate::view::inspect::{Designator, FindingText, Group, Root, Step, ThreadView, ValueView};
use crate::view::reply::{FocusView, FrameView, LaneState};
use finding::Severity;
use mem::address::is_shared;
use sema::checked::{Storage, VarId};

/// Most elements of an array that one call shows.
const MOST_PARTS: u64 = 1 << 12;

/// A frame of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameAt {
    /// The thread.
    pub thread: FocusView,
    /// The frame, 0 the innermost.
    pub level: u32,
}

impl Session {
    /// The focused frame.
    pub fn focused(&self) -> FrameAt {
        FrameAt { thread: self.view(self.focus), level: self.level }
    }

    /// Whether the program has begun and not ended.
    pub fn is_running(&self) -> bool {
        self.need_running().is_ok()
    }

    fn thread(&self, view: FocusView) -> Result<Thread, SessionError> {
        let FocusView::Thread { kernel, block, warp, lane, .. } = view else { return Ok(Thread::Host) };
        let running = self.running().filter(|r| r.launch.number == kernel);
        let found = running.and_then(|r| r.active.iter().find(|b| b.geometry.cta.map(|c| c + 1) == block));
        match found {
            Some(b) => Ok(Thread::Device { launch: kernel, block: b.linear, warp, lane }),
            None => refuse("That thread has ended."),
        }
    }

    /// Moves the focus to a frame.
    pub fn focus_at(&mut self, at: FrameAt) -> Result<(), SessionError> {
        let thread = self.thread(at.thread)?;
        if thread != self.focus {
            self.last_shown = None;
        }
        (self.focus, self.level, self.listed) = (thread, at.level, None);
        Ok(())
    }

    /// Does something with another frame in focus.
    pub fn within<T>(&mut self, at: FrameAt, work: impl FnOnce(&mut Session) -> T) -> Result<T, SessionError> {
        let before = (self.focus, self.level);
        (self.focus, self.level) = (self.thread(at.thread)?, at.level);
        let done = work(self);
        (self.focus, self.level) = before;
        Ok(done)
    }

    /// The host, and the lanes of the focused warp that have not exited.
    pub fn threads_in_view(&self) -> Vec<ThreadView> {
        let host = ThreadView { thread: FocusView::Host, state: None };
        let block = match self.focus {
            Thread::Device { launch, block, .. } => self.process.block(launch, block),
            Thread::Host => self.running().and_then(|r| r.active.front()),
        };
        let kernel = self.running().map_or(0, |r| r.launch.number);
        let warp = if let Thread::Device { warp, .. } = self.focus { warp } else { 0 };
        let lanes = self.lanes().into_iter().filter(|row| row.state != LaneState::Exited).filter_map(|row| {
            let block = block?.geometry.cta.map(|c| c + 1);
            let thread = FocusView::Thread { kernel, block, thread: row.thread, warp, lane: row.lane };
            Some(ThreadView { thread, state: Some(row.state) })
        });
        std::iter::once(host).chain(lanes).collect()
    }

    /// The call stack of the focused thread, innermost frame first.
    pub fn call_stack(&self) -> Vec<FrameView> {
        if self.is_running() { self.stack() } else { Vec::new() }
    }

    /// The findings so far, from number `first` on, counted from 0.
    pub fn finding_texts(&self, first: usize) -> Vec<FindingText> {
        let text = |(i, f): (usize, &finding::Finding)| FindingText {
            number: i + 1,
            code: f.code().id().to_owned(),
            is_error: f.severity() == Severity::Error,
            title: f.diagnostic().message.clone(),
            text: self.word(f),
            place: self.line_of(f.span()),
        };
        self.findings().iter().enumerate().skip(first).map(text).collect()
    }

    /// Why a variable, element or component cannot be watched.
    pub fn check_watch(&self, text: &str, on: WatchOn) -> Result<(), SessionError> {
        self.new_watch(text, on).map(|_| ())
    }

    fn level_here(&self) -> Option<Level> {
        let levels = if self.is_running() { self.levels(self.focus) } else { Vec::new() };
        levels.get(self.level as usize).copied()
    }

    /// The variables of a group: how each is called, and where it is.
    fn group(&self, group: Group) -> Vec<Root> {
        if group == Group::Module {
            return self.module_variables();
        }
        let Some(level) = self.level_here() else { return Vec::new() };
        let Ok(context) = self.context_of(self.focus, Some(level.frame)) else { return Vec::new() };
        let in_shared = |v: &&ir::DebugVar| {
            let object = context.variable(VarId(v.source_id));
            matches!(object, Ok(Object { store: Store::Memory(address), .. }) if is_shared(address))
        };
        let is_of_group = |v: &&ir::DebugVar| match group {
            Group::Arguments => v.is_dummy,
            Group::Shared => !v.is_dummy && in_shared(v),
            _ => !v.is_dummy && !in_shared(v),
        };
        let func = self.process.machine().program().module().func(level.site.func);
        let mut own: Vec<&ir::DebugVar> = func.vars.iter().filter(is_of_group).collect();
        let params = self.sites.proc(level.site.func).map_or(&[][..], |p| &self.setup.checked.proc(p).params);
        // Dummy arguments in their order, others as they are.
        own.sort_by_key(|v| params.iter().position(|p| p.0 == v.source_id));
        own.iter().map(|v| Root::Variable(v.source_id, v.name.to_string())).collect()
    }

    fn module_variables(&self) -> Vec<Root> {
        let vars = self.setup.checked.vars.iter().enumerate();
        let roots = vars.filter_map(|(i, var)| {
            let module = var.module.as_deref()?;
            let is_meant = matches!(var.storage, Storage::Static) && !self.sites.hidden().has_span(var.span);
            is_meant.then(|| Root::Variable(i as u32, format!("{module}::{}", var.name)))
        });
        roots.collect()
    }

    /// How many variables a group of the focused frame has.
    pub fn count_of(&self, group: Group) -> usize {
        match group {
            Group::Registers => self.registers().map_or(0, |r| r.len()),
            group => self.group(group).len(),
        }
    }

    /// The variables of a group of the focused frame, so many of them from `first` on.
    pub fn variables_of(&self, group: Group, first: usize, count: usize, radix: Radix) -> Vec<ValueView> {
        if group == Group::Registers {
            let rows = self.registers().unwrap_or_default();
            let view = |(name, text): (&str, String)| ValueView {
                name: name.to_owned(),
                designator: Designator::expression(name),
                is_object: false,
                ty: String::new(),
                value: Ok(text),
                elements: 0,
                components: 0,
                address: None,
            };
            return rows.into_iter().skip(first).take(count).map(view).collect();
        }
        let Ok(context) = self.here() else { return Vec::new() };
        let roots = self.group(group).into_iter().skip(first).take(count);
        let view = |root: Root| {
            let (Root::Variable(_, name) | Root::Expression(name)) = &root;
            let name = name.clone();
            let designator = Designator { root, steps: Vec::new() };
            let object = self.object(&context, &designator);
            self.value_view(&context, name, designator, object, radix)
        };
        roots.map(view).collect()
    }

    /// The value of a designator in the focused frame.
    pub fn value_of(&self, designator: &Designator, radix: Radix) -> Result<ValueView, SessionError> {
        let context = self.here()?;
        let object = self.object(&context, designator)?;
        let name = designator.text();
        let view = self.value_view(&context, name, designator.clone(), Ok(object), radix);
        match view.value {
            Ok(_) => Ok(view),
            Err(why) => Err(crate::eval::value::EvalError(why).into()),
        }
    }

    /// The parts of a value in the focused frame: its components, or its elements from `first` on. An array of two dimensions
    /// has rows, one of more has tables.
    pub fn parts_of(
        &self,
        designator: &Designator,
        first: u64,
        count: u64,
        radix: Radix,
    ) -> Result<Vec<ValueView>, SessionError> {
        let context = self.here()?;
        let whole = self.object(&context, designator)?;
        let part = |designator: Designator, part: Eval<Object>| {
            self.value_view(&context, designator.last_step(), designator, part, radix)
        };
        if whole.dims.is_empty() {
            let Kind::Derived(id, _) = whole.kind else { return Ok(Vec::new()) };
            let fields = self.setup.checked.ty(id).fields.iter().enumerate();
            let fields = fields.skip(first as usize).take(count as usize);
            let views =
                fields.map(|(i, f)| part(designator.component(i as u32, &f.name), context.field(&whole, i as u32)));
            return Ok(views.collect());
        }
        let rank = whole.dims.len();
        let along = opened(rank);
        let dim = whole.dims[along];
        let last = elements(&whole).min(first.saturating_add(count.min(MOST_PARTS)));
        let views = (first..last).map(|i| {
            let mut subscripts = vec![None; rank];
            subscripts[along] = Some(dim.lower.wrapping_add(i as i64));
            part(designator.subscripted(subscripts.clone()), section(&context, &whole, &subscripts))
        });
        Ok(views.collect())
    }

    /// Reads memory as the focused frame sees it: the bytes that there are.
    pub fn memory(&self, address: u64, count: u64) -> Vec<u8> {
        let Ok(context) = self.here() else { return Vec::new() };
        let there = context.bytes_after(address).min(count);
        context.read(address, there).unwrap_or_default()
    }

    fn object(&self, context: &Context<'_>, designator: &Designator) -> Eval<Object> {
        let mut object = match &designator.root {
            Root::Variable(id, _) => context.variable(VarId(*id))?,
            Root::Expression(text) => match self.compile(text)?.evaluate(context)? {
                Evaluated::Object(object) => object,
                Evaluated::Value(value) => constant_object(value),
            },
        };
        for step in &designator.steps {
            object = match step {
                Step::Component(number, _) => context.field(&object, *number)?,
                Step::Subscripts(all) => section(context, &context.bounded(object), all)?,
            };
        }
        Ok(context.bounded(object))
    }

    fn value_view(
        &self,
        context: &Context<'_>,
        name: String,
        designator: Designator,
        object: Eval<Object>,
        radix: Radix,
    ) -> ValueView {
        let object = object.map(|object| context.bounded(object));
        let shown = object.and_then(|object| {
            let is_part = !object.dims.is_empty() || matches!(object.kind, Kind::Derived(..));
            let text = if is_part { context.show_brief(&object)? } else { context.show(&object, radix)? };
            Ok((text, object))
        });
        let (value, object) = match shown {
            Ok((text, object)) => (Ok(text), Some(object)),
            // The name is beside it.
            Err(why) => (Err(why.0.trim_start_matches(&format!("`{name}` is ")).to_owned()), None),
        };
        let components = match object.as_ref().map(|o| (o.kind, o.dims.is_empty())) {
            Some((Kind::Derived(id, _), true)) => self.setup.checked.ty(id).fields.len() as u64,
            _ => 0,
        };
        ValueView {
            name,
            designator,
            is_object: object.as_ref().is_some_and(|o| !matches!(o.store, Store::Value(_))),
            ty: object.as_ref().map(|o| self.type_text(o)).unwrap_or_default(),
            value,
            elements: object.as_ref().filter(|o| !o.dims.is_empty()).map_or(0, elements),
            components,
            address: match object.map(|o| o.store) {
                Some(Store::Memory(address)) => Some(address),
                _ => None,
            },
        }
    }

    fn type_text(&self, object: &Object) -> String {
        let name = object.kind.name(&self.setup.checked);
        let bounds = object.dims.iter().map(|d| {
            let extent = d.extent.unwrap_or(0);
            format!("{}:{}", d.lower, d.lower.wrapping_add(extent - 1))
        });
        let bounds = bounds.collect::<Vec<_>>().join(",");
        if bounds.is_empty() { name } else { format!("{name}, dimension({bounds})") }
    }
}

/// The dimension along which an array is opened: by rows if it has two, by tables if it has more.
fn opened(rank: usize) -> usize {
    if rank <= 2 { 0 } else { rank - 1 }
}

/// How many parts an array is opened into.
fn elements(array: &Object) -> u64 {
    let extent = array.dims.get(opened(array.dims.len())).and_then(|d| d.extent);
    extent.unwrap_or(0).max(0) as u64
}

/// The element or section of an array with these subscripts.
fn section(context: &Context<'_>, array: &Object, subscripts: &[Option<i64>]) -> Eval<Object> {
    if subscripts.len() != array.dims.len() {
        return fail("the number of subscripts is not the rank of the array");
    }
    let (mut offset, mut dims) = (0i64, Vec::new());
    for (dim, subscript) in array.dims.iter().zip(subscripts) {
        let Some(subscript) = subscript else {
            dims.push(*dim);
            continue;
        };
        let at = subscript.wrapping_sub(dim.lower);
        if at < 0 || dim.extent.is_some_and(|extent| at >= extent) {
            return fail(format!("the subscript {subscript} is outside of the bounds"));
        }
        offset = offset.wrapping_add(at.wrapping_mul(dim.stride));
    }
    let store = match &array.store {
        Store::Memory(address) => Store::Memory(address.wrapping_add_signed(offset)),
        Store::Regs(..) => return fail("the element is not available here"),
        Store::Value(value) => {
            let part = Object { kind: array.kind, store: Store::Memory(0), dims: dims.clone(), lengths: Vec::new() };
            let bytes = array.kind.bytes() as usize;
            let mut data = Vec::new();
            for i in 0..part.count()? {
                let from = offset.wrapping_add(part.offset_of(i)) as usize;
                match value.data.get(from..from.saturating_add(bytes)) {
                    Some(element) => data.extend_from_slice(element),
                    None => return fail("the element is not available here"),
                }
            }
            let bounds = dims.iter().map(|d| (d.lower, d.extent.unwrap_or(0))).collect();
            let value = Value { kind: array.kind, dims: bounds, data };
            return Ok(constant_object(value));
        }
    };
    Ok(context.bounded(Object { kind: array.kind, store, dims, lengths: array.lengths.clone() }))
}
