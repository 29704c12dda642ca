//! The effect of events on the screen. Pure: what the outside must do is returned as effects.

use crate::act::{act, click_threads};
use crate::command::{Effect, InputLine, begin, execute};
use crate::draw::visible;
use crate::keymap::{self, Action};
use crate::model::{Model, Scroll, Voice};
use crate::pane::Pane;
use crate::prompt::{Prompt, Purpose, Typed};
use crate::search::find;
use debug::{Command, Event, Outcome, Reply, Request, Snapshot, Stop, StopReason, render};
use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};

/// An event.
#[derive(Clone, Debug)]
pub enum Input {
    /// A key.
    Key(KeyEvent),
    /// The mouse.
    Mouse(MouseEvent),
    /// The screen size changed.
    Resize(u16, u16),
    /// A tenth of a second has passed; the progress of the program.
    Tick(u64, Option<(u64, u64)>),
    /// The session answered.
    Session(Event),
    /// The program wants a line of its standard input.
    LineWanted,
}

/// Applies an event.
pub fn update(model: &mut Model, input: Input) -> Vec<Effect> {
    let mut effects = Vec::new();
    match input {
        Input::Key(key) => on_key(model, key, &mut effects),
        Input::Mouse(mouse) => on_mouse(model, mouse, &mut effects),
        Input::Resize(width, height) => {
            model.size = (width, height);
            model.snapshot_due = true;
        }
        Input::Tick(time, blocks) => {
            if let Some(running) = &mut model.running {
                running.ticks += 1;
                (running.time, running.blocks) = (time, blocks);
            }
        }
        Input::Session(event) => on_session(model, event, &mut effects),
        Input::LineWanted => {
            model.bring_up(Pane::Output);
            model.open(Purpose::Input, "");
        }
    }
    model.settle();
    // A session that is at work is asked when it is done.
    let differs = !model.snapshot_asked && model.wanted() != model.asked;
    if (model.snapshot_due || differs) && model.running.is_none() && !model.snapshot_asked {
        model.snapshot_due = false;
        model.snapshot_asked = true;
        model.asked = model.wanted();
        effects.push(Effect::Ask(Request::Snapshot(model.asked.clone())));
    }
    effects
}

fn on_key(model: &mut Model, key: KeyEvent, effects: &mut Vec<Effect>) {
    if model.prompt.is_some() {
        on_prompt(model, key, effects);
        return;
    }
    let name = keymap::name(key);
    if !matches!(name.as_str(), "q" | "Z" | "Ctrl-c") {
        model.quitting = false;
    }
    let action = keymap::action(&name, model.pane);
    if model.is_searching && model.help.is_none() {
        match (name.as_str(), action) {
            ("n", _) => return find(model, model.pane, false),
            ("N", _) => return find(model, model.pane, true),
            (_, Some(Action::Escape)) => {
                model.is_searching = false;
                model.message = None;
                return;
            }
            (_, Some(action)) if action.is_movement() => {}
            _ => model.is_searching = false,
        }
    }
    match action {
        Some(action) => act(model, action, effects),
        None => {
            model.say(format!("The key {name} has no function here; ? lists the keys."), true);
        }
    }
}

fn on_prompt(model: &mut Model, key: KeyEvent, effects: &mut Vec<Effect>) {
    let Some(mut prompt) = model.prompt.take() else { return };
    let history = std::mem::take(&mut model.history);
    let typed = prompt.key(key, if prompt.purpose == Purpose::Command { &history } else { &[] });
    model.history = history;
    match typed {
        Typed::Nothing => model.prompt = Some(prompt),
        Typed::Complete(line) => {
            let line = match prompt.purpose {
                Purpose::Command => line,
                // Expressions complete as those of `print`.
                Purpose::Lanes | Purpose::Array | Purpose::Watch => format!("print {line}"),
                Purpose::Search | Purpose::Input => String::new(),
            };
            if !line.is_empty() && model.running.is_none() {
                model.completing = true;
                effects.push(Effect::Ask(Request::Complete(line)));
            }
            model.prompt = Some(prompt);
        }
        Typed::Cancelled if prompt.purpose == Purpose::Input => {
            effects.push(Effect::Interrupt);
            effects.push(Effect::Answer(InputLine::Later));
        }
        Typed::Cancelled => {}
        Typed::Ended if prompt.purpose == Purpose::Input => effects.push(Effect::Answer(InputLine::End)),
        Typed::Ended => {}
        Typed::Done(text) => done(model, &prompt, text, effects),
    }
}

fn done(model: &mut Model, prompt: &Prompt, text: String, effects: &mut Vec<Effect>) {
    match prompt.purpose {
        Purpose::Command => {
            let line = text.trim();
            if line.is_empty() {
                return;
            }
            if model.history.last().map(String::as_str) != Some(line) {
                model.history.push(line.to_owned());
            }
            // As in vim: a number is a line of the source.
            if let Ok(number) = line.parse::<usize>() {
                model.scroll_mut(Pane::Source).cursor = number.saturating_sub(1);
                model.pane = Pane::Source;
                return;
            }
            model.write(Voice::User, &format!("{}{line}\n", debug::PROMPT));
            // What ends vim ends this too; there is nothing to write.
            let line = if matches!(line, "q!" | "qa" | "qa!" | "wq" | "wq!") { "quit" } else { line };
            execute(model, line, effects);
        }
        // An empty line leaves what is shown.
        Purpose::Lanes | Purpose::Array | Purpose::Watch if text.trim().is_empty() => {}
        Purpose::Lanes => {
            text.trim().clone_into(&mut model.lane_expression);
            model.has_chosen_lanes = true;
        }
        Purpose::Array => {
            text.trim().clone_into(&mut model.memory.expression);
            model.memory.first = [0; 2];
            *model.scroll_mut(Pane::Memory) = Scroll::default();
        }
        Purpose::Watch => {
            execute(model, &format!("display {}", text.trim()), effects);
            *model.scroll_mut(Pane::Watches) = Scroll { cursor: usize::MAX / 2, ..Scroll::default() };
        }
        Purpose::Search => {
            if !text.is_empty() {
                model.searched = text.to_lowercase();
            }
            find(model, model.pane, false);
        }
        Purpose::Input => {
            model.write(Voice::User, &format!("{text}\n"));
            effects.push(Effect::Answer(InputLine::Typed(text)));
        }
    }
}

fn on_mouse(model: &mut Model, mouse: MouseEvent, effects: &mut Vec<Effect>) {
    if model.help.is_some() {
        match mouse.kind {
            MouseEventKind::ScrollDown => act(model, Action::Lines(3), effects),
            MouseEventKind::ScrollUp => act(model, Action::Lines(-3), effects),
            _ => {}
        }
        return;
    }
    let layout = model.layout();
    let at = ratatui::layout::Position { x: mouse.column, y: mouse.row };
    let Some(slot) = layout.slots.iter().find(|p| p.area.contains(at)) else { return };
    let by = match mouse.kind {
        MouseEventKind::ScrollDown => 3,
        MouseEventKind::ScrollUp => -3,
        MouseEventKind::Down(MouseButton::Left) => 0,
        _ => return,
    };
    if by != 0 {
        let keys = std::mem::replace(&mut model.pane, slot.shown);
        act(model, Action::Lines(by), effects);
        model.pane = keys;
        return;
    }
    if mouse.row == slot.area.y {
        // A tab of the frame.
        let tabs = crate::draw::tabs(slot);
        let tab = tabs.iter().find(|t| (t.1..t.2).contains(&mouse.column));
        let pane = tab.map_or(slot.shown, |t| t.0);
        act(model, Action::Show(pane), effects);
        return;
    }
    act(model, Action::Show(slot.shown), effects);
    let inner = slot.inner();
    if !inner.contains(at) {
        return;
    }
    if slot.shown == Pane::Threads {
        click_threads(model, mouse.column - inner.x, mouse.row - inner.y, effects);
        return;
    }
    let head = usize::from(inner.height) - model.room(slot.shown);
    let row = usize::from(mouse.row - inner.y);
    if row >= head {
        let width = inner.width.into();
        let line = row - head;
        let target = if slot.shown.is_list() {
            // A row can take several lines.
            let lines = visible(model, slot.shown, width, usize::from(inner.height) - head);
            lines.get(line).map_or(usize::MAX / 2, |shown| shown.0)
        } else {
            model.scroll(slot.shown).top + line
        };
        let again = model.scroll(slot.shown).cursor == target;
        model.scroll_mut(slot.shown).cursor = target;
        // The gutter of the source sets breakpoints; a second click on a row does what the row is for.
        if slot.shown == Pane::Source && mouse.column < inner.x + crate::draw::GUTTER {
            act(model, Action::ToggleBreakpoint, effects);
        } else if slot.shown != Pane::Source && again {
            act(model, Action::Enter, effects);
        }
    }
}

fn on_session(model: &mut Model, event: Event, effects: &mut Vec<Effect>) {
    match event {
        Event::Output(bytes) => model.write(Voice::Program, &String::from_utf8_lossy(&bytes)),
        Event::Done(result) => {
            let line = model.running.take().map(|running| running.line);
            model.snapshot_due = true;
            if model.prompt.as_ref().is_some_and(|p| p.purpose == Purpose::Input) {
                model.prompt = None;
            }
            let was_stopped = matches!(&*result, Ok(Outcome::Stop(stop)) if stop.reason == StopReason::Interrupted);
            if result.is_err() || was_stopped {
                model.queued.clear();
            }
            match *result {
                Err(error) => {
                    model.write(Voice::Error, &format!("{error}\n"));
                    model.say(error.to_string(), true);
                    if let Some(line) = line.filter(|line| has_condition(line)) {
                        correct(model, &line, &error.to_string());
                    }
                }
                Ok(Outcome::Reply(Reply::Quit)) => effects.push(Effect::Quit),
                Ok(Outcome::Reply(reply)) => on_reply(model, &reply),
                Ok(Outcome::Stop(stop)) => on_stop(model, &stop),
            }
        }
        Event::Completions(offers) => {
            model.completing = false;
            if let Some(prompt) = &mut model.prompt {
                prompt.complete(offers);
            }
        }
        Event::Source(_) => {}
        Event::Snapshot(snapshot) => {
            on_snapshot(model, snapshot);
            while model.running.is_none()
                && let Some(line) = model.queued.pop_front()
            {
                begin(model, &line, effects);
            }
        }
    }
}

/// Whether a command line has a condition, in which an error is soon corrected.
fn has_condition(line: &str) -> bool {
    let command = debug::parse::parse(line).ok().flatten();
    matches!(command, Some(Command::Condition(_, Some(_)) | Command::Break { condition: Some(_), .. }))
}

/// Opens the command line again with what was wrong behind it.
fn correct(model: &mut Model, line: &str, error: &str) {
    if model.prompt.is_none() {
        let mut prompt = Prompt::new(Purpose::Command, line);
        prompt.offers = vec![error.to_owned()];
        model.prompt = Some(prompt);
    }
}

fn on_reply(model: &mut Model, reply: &Reply) {
    let text = render::reply(reply);
    match reply {
        // The screen shows these itself.
        Reply::Focus(_, Some(place)) => return model.show_place(place.file_id, place.line),
        Reply::Frame(frame, _) => return model.show_place(frame.place.file_id, frame.place.line),
        Reply::Source(window) => {
            let middle = window.lines.get(window.lines.len() / 2);
            let line = middle.map_or(1, |l| l.number);
            model.show_place(window.file_id, line);
            return;
        }
        Reply::Help(_) => model.bring_up(Pane::Output),
        _ => {}
    }
    if text.is_empty() {
        return;
    }
    model.write(Voice::Reply, &text);
    let mut lines = text.lines();
    match (lines.next(), lines.next()) {
        (Some(line), None) => model.say(line, false),
        (Some(line), Some(_)) if matches!(reply, Reply::Focus(..)) => model.say(line, false),
        _ => {
            model.bring_up(Pane::Output);
        }
    }
}

/// A stop in one line.
pub(crate) fn stop_line(stop: &Stop) -> (String, bool) {
    let who = match stop.focus {
        debug::FocusView::Thread { block, thread, .. } if stop.switched => {
            format!(" in block {} thread {}", crate::draw::triple(block), crate::draw::triple(thread))
        }
        debug::FocusView::Host | debug::FocusView::Thread { .. } => String::new(),
    };
    match &stop.reason {
        StopReason::Start => ("The program is at its first statement.".to_owned(), false),
        StopReason::Step if stop.switched => (format!("Focus: {}.", render::focus(&stop.focus)), false),
        StopReason::Step => (String::new(), false),
        StopReason::Breakpoint { number, failed: Some(why), .. } => {
            (format!("Breakpoint {number}{who}: cannot evaluate its condition, {why}."), true)
        }
        StopReason::Breakpoint { number, .. } => (format!("Breakpoint {number}{who}."), false),
        StopReason::Watchpoint { number, expression, old, new, by } => {
            let by = by.as_ref().map(|b| format!(", written by {}", b.0)).unwrap_or_default();
            let what = if *number == 0 { "Last change".to_owned() } else { format!("Watchpoint {number}") };
            (format!("{what}: {expression} changed from {old} to {new}{by}."), false)
        }
        StopReason::Access { number, expression, on, is_write, value, by } => {
            let by = by.as_ref().map(|b| format!(" by {}", b.0)).unwrap_or_default();
            let how = if *is_write { "written" } else { "read" };
            (format!("{} {number}: {expression} = {value} was {how}{by}.", on.title()), false)
        }
        StopReason::WatchpointScope { number, expression } => {
            (format!("Watchpoint {number} deleted: {expression} is out of scope."), false)
        }
        StopReason::ThreadEnded => ("The focused thread has ended.".to_owned(), false),
        StopReason::Fault => (format!("Stopped by an error{who}; 9 shows the findings."), true),
        StopReason::Exited(0) => ("The program has ended; r runs it again, N goes back.".to_owned(), false),
        StopReason::Exited(code) => {
            (format!("The program has ended with code {code}; r runs it again, N goes back."), *code != 0)
        }
        StopReason::Interrupted => (format!("Interrupted{who}."), false),
        StopReason::Finding { number, is_first } => {
            let which = if *is_first { "first" } else { "second" };
            (format!("The next statement makes the {which} access of finding {number}."), true)
        }
        StopReason::Rank { rank, state } => (format!("Rank {rank}, which {state}."), false),
        StopReason::HistoryStart => ("This is the start of the program.".to_owned(), false),
    }
}

fn on_stop(model: &mut Model, stop: &Stop) {
    for text in &stop.findings {
        model.write(Voice::Error, text);
    }
    if !stop.findings.is_empty() {
        model.bring_up(Pane::Findings);
    }
    // The message applies at once, not only after the next snapshot.
    if let (StopReason::Exited(code), Some(snapshot)) = (&stop.reason, &mut model.snapshot) {
        snapshot.program.exited = Some(*code);
    }
    let (line, is_error) = stop_line(stop);
    if line.is_empty() {
        model.message = None;
    } else {
        model.write(if is_error { Voice::Error } else { Voice::Reply }, &format!("{line}\n"));
        model.say(line, is_error);
    }
    if let Some(place) = &stop.place {
        model.show_place(place.file_id, place.line);
    }
    if matches!(stop.reason, StopReason::Exited(_)) {
        model.bring_up(Pane::Output);
    }
}

fn on_snapshot(model: &mut Model, snapshot: Box<Snapshot>) {
    model.snapshot_asked = false;
    let is_first = model.snapshot.is_none();
    if let Some(old) = model.snapshot.take() {
        if old.program.time != snapshot.program.time || old.program.exited != snapshot.program.exited {
            model.before = Some(old);
        } else if model.before.as_ref().is_none_or(|b| !same_values(b, &snapshot))
            && lanes_of(&old) != lanes_of(&snapshot)
        {
            // Another expression or another array has no past.
            if let Some(before) = &mut model.before {
                before.values = None;
            }
        }
    }
    if is_first && let Some((file, line)) = snapshot.place {
        model.show_place(file, line);
    }
    if !model.has_chosen_lanes
        && let Some(Ok(values)) = &snapshot.values
    {
        model.lane_expression.clone_from(&values.expression);
        model.asked.lanes = model.wanted().lanes;
    }
    let focused_lane = snapshot.lanes.iter().position(|l| l.current);
    let focused_warp = snapshot.warps.iter().position(|w| w.current);
    let frame = snapshot.stack.iter().position(|f| f.current);
    for (pane, row) in [(Pane::Lanes, focused_lane), (Pane::Threads, focused_warp), (Pane::Stack, frame)] {
        if let Some(row) = row {
            model.scroll_mut(pane).cursor = row;
        }
    }
    model.snapshot = Some(snapshot);
}

fn lanes_of(snapshot: &Snapshot) -> Option<&str> {
    snapshot.values.as_ref().and_then(|v| v.as_ref().ok()).map(|v| v.expression.as_str())
}

fn same_values(a: &Snapshot, b: &Snapshot) -> bool {
    lanes_of(a) == lanes_of(b)
}
