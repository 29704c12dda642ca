//! The actions of the keys and of mouse clicks.
//!
//! Not here: which key has which action (`keymap`), and drawing (`draw`).

use crate::command::{Effect, execute};
use crate::draw::help_lines;
use crate::keymap::Action;
use crate::model::{Model, Scroll};
use crate::pane::{COUNT, PANES, Pane};
use crate::prompt::Purpose;
use crate::search::find;
use debug::{BreakpointKind, FocusView, Request};

/// Performs an action.
pub(crate) fn act(model: &mut Model, action: Action, effects: &mut Vec<Effect>) {
    if model.help.is_some() && scroll_help(model, action) {
        return;
    }
    match action {
        Action::Command(line) => execute(model, line, effects),
        Action::ToCursor => {
            if let Some(at) = cursor_place(model) {
                execute(model, &format!("advance {at}"), effects);
            }
        }
        Action::ToggleBreakpoint => toggle(model, effects),
        Action::BreakIf => {
            if let Some(at) = cursor_place(model) {
                model.open(Purpose::Command, &format!("break {at} if "));
            }
        }
        Action::Condition => {
            let row = model.scroll(Pane::Breakpoints).cursor;
            let chosen = model.snapshot.as_ref().and_then(|s| s.breakpoints.get(row));
            if let Some(b) = chosen.filter(|b| matches!(b.kind, BreakpointKind::Statement { .. })) {
                let line = format!("condition {} {}", b.number, b.condition.as_deref().unwrap_or_default());
                model.open(Purpose::Command, &line);
            }
        }
        Action::LastChange if model.pane == Pane::Memory => {
            if let Some(element) = element(model) {
                model.open(Purpose::Command, &format!("last-change {element}"));
            }
        }
        Action::LastChange if model.pane == Pane::Lanes => {
            let row = model.scroll(Pane::Lanes).cursor;
            let lane = model.snapshot.as_ref().and_then(|s| s.lanes.get(row)).map(|l| l.lane);
            if let Some(lane) = lane.filter(|_| !model.lane_expression.is_empty()) {
                let line = format!("last-change {}", model.lane_expression);
                execute(model, &format!("lane {lane}"), effects);
                execute(model, &line, effects);
            }
        }
        Action::LastChange => {
            if let Some((name, _)) = selected(model) {
                execute(model, &format!("last-change {name}"), effects);
            }
        }
        Action::SearchName => {
            if let Some((name, _)) = selected(model) {
                model.searched = name.to_lowercase();
                find(model, Pane::Source, false);
                model.pane = Pane::Source;
            }
        }
        Action::Redraw => effects.push(Effect::Redraw),
        Action::Suspend => effects.push(Effect::Suspend),
        Action::Lane(by) => lane(model, by, effects),
        Action::Warp(by) => warp(model, by, effects),
        Action::Block(by) => block(model, by, effects),
        Action::Prompt => model.open(Purpose::Command, ""),
        Action::Search => model.open(Purpose::Search, ""),
        Action::Here => {
            if let Some((file, line)) = model.snapshot.as_ref().and_then(|s| s.place) {
                model.show_place(file, line);
            }
        }
        Action::Pane(by) => next_pane(model, by),
        Action::Show(pane) => {
            model.bring_up(pane);
            model.pane = pane;
            let wants = match pane {
                Pane::Memory if model.memory.expression.is_empty() => first_array(model),
                _ => None,
            };
            if let Some(expression) = wants {
                model.memory.expression = expression;
            }
        }
        Action::Zoom => model.zoomed = !model.zoomed,
        Action::Lines(by) => move_rows(model, i64::from(by)),
        Action::HalfPages(by) => {
            let half = (model.room(model.pane) / 2).max(1) as i64;
            move_rows(model, i64::from(by) * half);
        }
        Action::Columns(by) => columns(model, by),
        Action::First => move_rows(model, i64::MIN / 2),
        Action::Last => move_rows(model, i64::MAX / 2),
        Action::Enter => enter(model, effects),
        Action::Expression if model.pane == Pane::Memory => model.open(Purpose::Array, ""),
        Action::Expression if model.pane == Pane::Watches => model.open(Purpose::Watch, ""),
        Action::Expression => model.open(Purpose::Lanes, ""),
        Action::Map => {
            model.memory.as_map = !model.memory.as_map;
            *model.scroll_mut(Pane::Memory) = Scroll::default();
        }
        Action::Delete if model.pane == Pane::Watches => watch_command(model, effects, |_| "undisplay"),
        Action::Disable if model.pane == Pane::Watches => {
            watch_command(model, effects, |on| if on { "disable display" } else { "enable display" });
        }
        Action::Delete => breakpoint_command(model, effects, |_| "delete"),
        Action::Disable => breakpoint_command(model, effects, |on| if on { "disable" } else { "enable" }),
        Action::Help => model.help = if model.help.is_some() { None } else { Some(0) },
        Action::Interrupt => match &mut model.running {
            Some(running) => {
                running.interrupted = true;
                effects.push(Effect::Interrupt);
            }
            None => quit(model, effects, "Ctrl-c"),
        },
        Action::Escape => {
            model.message = None;
            if model.zoomed {
                model.zoomed = false;
            } else {
                model.pane = Pane::Source;
            }
        }
        Action::Quit => quit(model, effects, "q"),
        Action::QuitTwice if model.quitting => quit(model, effects, "Z"),
        Action::QuitTwice => {
            model.quitting = true;
            model.say("Press Z again to quit the debugger.", false);
        }
    }
}

/// Handles a key while help is shown; `false` if help does not use the key.
fn scroll_help(model: &mut Model, action: Action) -> bool {
    let Some(top) = model.help else { return false };
    let page = usize::from(model.size.1.saturating_sub(5)).max(1);
    let last = help_lines(model.look, model.size.0).len().saturating_sub(page);
    let by = |n: i64| top.saturating_add_signed(n as isize).min(last);
    model.help = match action {
        // Ctrl-C stops what runs, whatever is on the screen.
        Action::Interrupt if model.running.is_some() => return false,
        Action::Lines(n) => Some(by(n.into())),
        Action::HalfPages(n) => Some(by(i64::from(n) * (page / 2) as i64)),
        Action::First => Some(0),
        Action::Last => Some(last),
        Action::Help | Action::Escape | Action::Quit | Action::Enter | Action::Interrupt => None,
        _ => {
            model.help = None;
            return false;
        }
    };
    true
}

fn quit(model: &mut Model, effects: &mut Vec<Effect>, key: &str) {
    if model.running.is_some() {
        model.say("The program is running; Ctrl-C stops it.", true);
    } else if model.is_alive() && !model.quitting {
        model.quitting = true;
        model.say(format!("The program has not ended. Press {key} again to quit the debugger."), false);
    } else {
        effects.push(Effect::Ask(Request::Do(debug::Command::Quit)));
    }
}

/// The source location of the cursor, in the form that `break` takes.
fn cursor_place(model: &Model) -> Option<String> {
    let file = model.files.get(model.file)?;
    Some(format!("{}:{}", file.name, model.scroll(Pane::Source).cursor + 1))
}

fn toggle(model: &mut Model, effects: &mut Vec<Effect>) {
    let line = model.scroll(Pane::Source).cursor + 1;
    match (model.breakpoint(line), cursor_place(model)) {
        (Some((number, ..)), _) => execute(model, &format!("delete {number}"), effects),
        (None, Some(at)) => execute(model, &format!("break {at}"), effects),
        (None, None) => {}
    }
}

fn breakpoint_command(model: &mut Model, effects: &mut Vec<Effect>, verb: fn(bool) -> &'static str) {
    let row = model.scroll(Pane::Breakpoints).cursor;
    let chosen = model.snapshot.as_ref().and_then(|s| s.breakpoints.get(row)).map(|b| (b.number, b.enabled));
    if let Some((number, enabled)) = chosen {
        execute(model, &format!("{} {number}", verb(enabled)), effects);
    }
}

fn watch_command(model: &mut Model, effects: &mut Vec<Effect>, verb: fn(bool) -> &'static str) {
    let row = model.scroll(Pane::Watches).cursor;
    let chosen = model.snapshot.as_ref().and_then(|s| s.displays.get(row)).map(|d| (d.number, d.enabled));
    if let Some((number, enabled)) = chosen {
        execute(model, &format!("{} {number}", verb(enabled)), effects);
    }
}

/// The first element that the Memory pane shows, to begin with; or what it shows, if that is no array.
fn element(model: &Model) -> Option<String> {
    let array = model.snapshot.as_ref()?.array.as_ref()?.as_ref().ok()?;
    let ([row, column], is_flat) = (model.memory.first, array.dims.len() == 1);
    let at = |dimension: usize| match dimension {
        0 if is_flat => row * array.extents[1] + column,
        0 => row,
        1 => column,
        _ => 0,
    };
    let subscripts = array.dims.iter().enumerate().map(|(i, (lower, _))| (lower + at(i) as i64).to_string());
    let subscripts: Vec<String> = subscripts.collect();
    // A section or another expression has no elements by name.
    let is_name = array.expression.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '%' | ':'));
    let has_elements = is_name && !subscripts.is_empty();
    Some(if has_elements {
        format!("{}({})", array.expression, subscripts.join(","))
    } else {
        array.expression.clone()
    })
}

/// The variable or expression under the cursor, with its value.
fn selected(model: &Model) -> Option<(String, Result<String, String>)> {
    let (snapshot, row) = (model.snapshot.as_ref()?, model.scroll(model.pane).cursor);
    if model.pane == Pane::Watches {
        let watch = snapshot.displays.get(row)?;
        return Some((watch.expression.clone(), watch.value.clone()?));
    }
    snapshot.locals.get(row).map(|l| (l.name.clone(), l.value.clone()))
}

fn lane(model: &mut Model, by: i32, effects: &mut Vec<Effect>) {
    let Some(snapshot) = &model.snapshot else { return };
    let alive: Vec<(u32, bool)> = snapshot
        .lanes
        .iter()
        .filter(|l| !matches!(l.state, debug::LaneState::Exited | debug::LaneState::Absent))
        .map(|l| (l.lane, l.current))
        .collect();
    let Some(at) = alive.iter().position(|l| l.1) else {
        return model.say("The focus is on the host, which has no lanes.", true);
    };
    let to = (at as i64 + i64::from(by)).rem_euclid(alive.len() as i64) as usize;
    let lane = alive[to].0;
    execute(model, &format!("lane {lane}"), effects);
}

fn warp(model: &mut Model, by: i32, effects: &mut Vec<Effect>) {
    let Some(snapshot) = &model.snapshot else { return };
    let alive: Vec<(u32, bool)> =
        snapshot.warps.iter().filter(|w| !w.splits.is_empty()).map(|w| (w.number, w.current)).collect();
    let Some(at) = alive.iter().position(|w| w.1) else {
        return model.say("The focus is on the host, which has no warps.", true);
    };
    let to = (at as i64 + i64::from(by)).rem_euclid(alive.len() as i64) as usize;
    let warp = alive[to].0;
    execute(model, &format!("warp {warp}"), effects);
}

fn block(model: &mut Model, by: i32, effects: &mut Vec<Effect>) {
    let Some(snapshot) = &model.snapshot else { return };
    let Some(map) = &snapshot.blocks else { return model.say("No kernel is running.", true) };
    let here = match snapshot.focus {
        FocusView::Thread { block, .. } => map.active.iter().position(|b| *b == block),
        FocusView::Host => None,
    };
    if map.active.len() < 2 && here.is_some() {
        return model
            .say("No other block is running: blocks that do not wait for each other run one after another.", true);
    }
    let to = here.map_or(0, |at| (at as i64 + i64::from(by)).rem_euclid(map.active.len() as i64) as usize);
    let Some([x, y, z]) = map.active.get(to).copied() else { return };
    execute(model, &format!("block ({x},{y},{z})"), effects);
}

fn next_pane(model: &mut Model, by: i32) {
    let layout = model.layout();
    if model.zoomed {
        let at = (model.pane.index() as i64 + i64::from(by)).rem_euclid(COUNT as i64);
        return act(model, Action::Show(PANES[at as usize].pane), &mut Vec::new());
    }
    let at = layout.slots.iter().position(|p| p.shown == model.pane).unwrap_or(0);
    let to = (at as i64 + i64::from(by)).rem_euclid(layout.slots.len() as i64) as usize;
    if let Some(place) = layout.slots.get(to) {
        model.pane = place.shown;
    }
}

fn move_rows(model: &mut Model, by: i64) {
    let (pane, rows) = (model.pane, model.rows(model.pane));
    let last = rows.saturating_sub(1) as i64;
    // What has no cursor scrolls by what is shown.
    let (room, top) = (model.room(pane), model.scroll(pane).top as i64);
    let scroll = model.scroll_mut(pane);
    if matches!(pane, Pane::Memory | Pane::Banks | Pane::Output) {
        let to = top.saturating_add(by).clamp(0, (rows as i64 - room as i64).max(0)) as usize;
        scroll.top = to;
        scroll.cursor = if by < 0 { to } else { (to + room.saturating_sub(1)).min(last.max(0) as usize) };
        return;
    }
    scroll.cursor = (scroll.cursor as i64).saturating_add(by).clamp(0, last.max(0)) as usize;
}

fn columns(model: &mut Model, by: i32) {
    if model.pane == Pane::Memory {
        let extent = match model.snapshot.as_ref().and_then(|s| s.array.as_ref()) {
            Some(Ok(array)) if array.dims.len() > 1 => array.extents[1],
            _ => 1,
        };
        let to = model.memory.first[1].saturating_add_signed(by.into());
        model.memory.first[1] = to.min(extent.saturating_sub(1));
        return;
    }
    let scroll = model.scroll_mut(model.pane);
    scroll.left = scroll.left.saturating_add_signed(by as isize * 4).min(1000);
}

/// The first array among the variables.
fn first_array(model: &Model) -> Option<String> {
    let snapshot = model.snapshot.as_ref()?;
    let array = snapshot.locals.iter().find(|l| l.value.as_ref().is_ok_and(|v| v.starts_with('(')));
    array.map(|l| l.name.clone())
}

fn enter(model: &mut Model, effects: &mut Vec<Effect>) {
    let row = model.scroll(model.pane).cursor;
    let Some(snapshot) = model.snapshot.clone() else { return };
    match model.pane {
        Pane::Locals | Pane::Watches => {
            let Some((name, value)) = selected(model) else { return };
            let is_array = value.map_or_else(|why| why.contains("extent"), |v| v.starts_with('('));
            if is_array {
                model.memory.expression = name;
                model.memory.first = [0; 2];
                *model.scroll_mut(Pane::Memory) = Scroll::default();
                model.bring_up(Pane::Memory);
            } else {
                model.lane_expression = name;
                model.has_chosen_lanes = true;
                model.bring_up(Pane::Lanes);
            }
        }
        Pane::Lanes => {
            if let Some(lane) = snapshot.lanes.get(row) {
                execute(model, &format!("lane {}", lane.lane), effects);
            }
        }
        Pane::Stack => {
            if let Some(frame) = snapshot.stack.get(row) {
                execute(model, &format!("frame {}", frame.level), effects);
            }
        }
        Pane::Breakpoints => {
            if let Some(BreakpointKind::Statement { file_id, line, .. }) =
                snapshot.breakpoints.get(row).map(|b| &b.kind)
            {
                model.show_place(*file_id, *line);
            }
        }
        Pane::Findings => finding(model, &snapshot, row, effects),
        Pane::Timeline => {
            if row < model.rows(Pane::Timeline) {
                execute(model, &format!("timeline {}", row + 1), effects);
            }
        }
        Pane::Ranks => {
            if let Some(rank) = snapshot.ranks.get(row) {
                execute(model, &format!("rank {}", rank.rank), effects);
            }
        }
        Pane::Source | Pane::Threads | Pane::Output | Pane::Memory | Pane::Banks => {}
    }
}

fn finding(model: &mut Model, snapshot: &debug::Snapshot, row: usize, effects: &mut Vec<Effect>) {
    let Some((finding, end)) = model.finding_rows().get(row).copied() else { return };
    let Some(finding) = snapshot.findings.get(finding) else { return };
    let last = finding.ends.len().saturating_sub(1);
    let end = end.unwrap_or(last);
    let Some(view) = finding.ends.get(end) else { return };
    if view.reachable {
        let which = if end < last { "first" } else { "second" };
        execute(model, &format!("finding {} {which}", finding.number), effects);
    } else if let Some((file, line)) = view.place {
        model.show_place(file, line);
    }
}

/// A click in the Threads pane: a click on a lane focuses on it.
pub(crate) fn click_threads(model: &mut Model, x: u16, y: u16, effects: &mut Vec<Effect>) {
    let Some(slot) = model.layout().of(Pane::Threads).cloned() else { return };
    if let Some((warp, lane)) = model.strips(slot.inner()).hit(x, y) {
        execute(model, &format!("warp {warp} lane {lane}"), effects);
    }
}
