//! The four kinds of breakpoints: at lines, at procedures, at changes of values, at findings.
//!
//! A request brings all breakpoints of its kind (or of one file). Those that are as before stay, with their counts of hits.
//!
//! Not here: those that the client knows (`points`), and what a breakpoint does (`debug`).

use crate::arguments::VariableArguments;
use crate::arguments::{self, DataBreakpoint, FunctionBreakpoint, LineBreakpoint, SetAll, SetBreakpoints, SetFilters};
use crate::server::points::{Point, Set, Watchable};
use crate::server::{Server, filters};
use crate::wire::{Answer, Failure, Request};
use debug::{
    BreakpointKind, BreakpointView, Command, FrameAt, HitRule, Outcome, Reply, Session, SessionError, WatchOn, Where,
    parse, render,
};
use serde_json::{Value, json};
use std::path::Path;

type Result<T> = std::result::Result<T, String>;

impl Server {
    /// The request `setBreakpoints`.
    pub(crate) fn set_breakpoints(&mut self, session: &mut Session, request: &Request) -> Answer {
        let wanted: SetBreakpoints = arguments::of(request)?;
        let Some(path) = self.sources.path_of(&wanted.source) else {
            return Err(Failure { message: "The source has no path.".to_owned(), is_shown: false });
        };
        let old = self.points.lines.remove(&path).unwrap_or_default();
        let asked = wanted.breakpoints.into_iter().map(|b| LineBreakpoint { line: self.line_in(b.line), ..b });
        let asked = asked.collect();
        let points = self.renew(session, old, asked, |server, session, b| server.set_line(session, &path, b));
        let shown = points.iter().map(|p| self.line_point(&path, p)).collect::<Vec<_>>();
        self.points.lines.insert(path, points);
        Ok(json!({ "breakpoints": shown }))
    }

    /// The request `setFunctionBreakpoints`.
    pub(crate) fn set_function_breakpoints(&mut self, session: &mut Session, request: &Request) -> Answer {
        let wanted: SetAll<FunctionBreakpoint> = arguments::of(request)?;
        let old = std::mem::take(&mut self.points.functions);
        self.points.functions = self.renew(session, old, wanted.breakpoints, |_, session, b| set_function(session, b));
        let shown = self.points.functions.iter().map(|p| self.point(p)).collect::<Vec<_>>();
        Ok(json!({ "breakpoints": shown }))
    }

    /// The request `dataBreakpointInfo`.
    pub(crate) fn data_breakpoint_info(&mut self, session: &mut Session, request: &Request) -> Answer {
        let wanted: VariableArguments = arguments::of(request)?;
        let (frame, expression) = if wanted.variables_reference > 0 {
            let (frame, opened) = self.numbers.opened(wanted.variables_reference)?;
            let part = session.within(frame, |s| Server::part(s, &opened, &wanted.name))??;
            (frame, part.text())
        } else {
            (self.frame_or_focus(session, wanted.frame_id)?, wanted.name)
        };
        let checked = session.within(frame, |s| s.check_watch(&expression, WatchOn::Change))?;
        if let Err(why) = checked {
            return Ok(json!({ "dataId": null, "description": why.0 }));
        }
        let is_readable = session.within(frame, |s| s.check_watch(&expression, WatchOn::Read))?.is_ok();
        let kinds: &[&str] = if is_readable { &["read", "write", "readWrite"] } else { &["write"] };
        let name = format!("{expression} in {}", render::focus(&frame.thread));
        self.points.watchable.insert(name.clone(), Watchable { frame, expression });
        Ok(json!({ "dataId": name, "description": name, "accessTypes": kinds, "canPersist": false }))
    }

    /// The request `setDataBreakpoints`.
    pub(crate) fn set_data_breakpoints(&mut self, session: &mut Session, request: &Request) -> Answer {
        let wanted: SetAll<DataBreakpoint> = arguments::of(request)?;
        let old = std::mem::take(&mut self.points.data);
        self.points.data = self.renew(session, old, wanted.breakpoints, |server, session, b| {
            let Some(watchable) = server.points.watchable.get(&b.data_id) else {
                return Err("There is no such value.".to_owned());
            };
            set_data(session, watchable, b)
        });
        let shown = self.points.data.iter().map(|p| self.point(p)).collect::<Vec<_>>();
        Ok(json!({ "breakpoints": shown }))
    }

    /// The request `setExceptionBreakpoints`.
    pub(crate) fn set_exception_breakpoints(&mut self, session: &mut Session, request: &Request) -> Answer {
        let wanted: SetFilters = arguments::of(request)?;
        self.points.passed = filters::passed(&wanted.filters);
        session.pass_findings(self.points.passed.clone());
        Ok(Value::Null)
    }

    /// Keeps the breakpoints that are asked for again, deletes the others, and sets the new ones.
    fn renew<T: PartialEq>(
        &mut self,
        session: &mut Session,
        mut old: Vec<Point<T>>,
        asked: Vec<T>,
        set: impl Fn(&Server, &mut Session, &T) -> Result<Set>,
    ) -> Vec<Point<T>> {
        let mut all = Vec::new();
        for asked in asked {
            match old.iter().position(|p| p.asked == asked && p.state.is_ok()) {
                Some(at) => all.push(old.remove(at)),
                None => {
                    let state = set(self, session, &asked);
                    all.push(Point { id: self.points.new_id(), asked, state });
                }
            }
        }
        let gone: Vec<u32> = old.iter().filter_map(|p| Some(p.state.as_ref().ok()?.number)).collect();
        delete(session, gone);
        all
    }

    fn set_line(&self, session: &mut Session, path: &Path, b: &LineBreakpoint) -> Result<Set> {
        let Some(file) = self.sources.at(path) else {
            return Err("The program has no such file.".to_owned());
        };
        let at = Where::FileLine(file.text.name.clone(), b.line);
        let rule = hit_rule(b.hit_condition.as_deref())?;
        let condition = text_of(b.condition.as_deref());
        let set = match text_of(b.log_message.as_deref()) {
            Some(message) => {
                let set = set_by(session, &Command::LogPoint { at, format: format_of(&message)? })?;
                let condition = Command::Condition(set.number, condition);
                if let Err(why) = session.execute(&condition, &mut |_: &[u8]| ()) {
                    delete(session, vec![set.number]);
                    return Err(why.0);
                }
                set
            }
            None => set_by(session, &Command::Break { at, condition, temporary: false })?,
        };
        session.set_hit_rule(set.number, rule).map_err(|e| e.0)?;
        Ok(set)
    }

    /// Sets all breakpoints in a program that was launched again, and tells what has become of them.
    pub(crate) fn set_all_again(&mut self, session: &mut Session) {
        session.pass_findings(self.points.passed.clone());
        self.points.others.clear();
        let before = self.shown_points();
        for (path, mut points) in std::mem::take(&mut self.points.lines) {
            points.iter_mut().for_each(|p| p.state = self.set_line(session, &path, &p.asked));
            self.points.lines.insert(path, points);
        }
        self.points.functions.iter_mut().for_each(|p| p.state = set_function(session, &p.asked));
        for p in &mut self.points.data {
            // Those of variables of modules; a frame does not outlive its program.
            let watchable = self.points.watchable.get(&p.asked.data_id);
            p.state = match watchable {
                Some(w) => set_data(session, &Watchable { frame: session.focused(), ..w.clone() }, &p.asked),
                None => Err("There is no such value.".to_owned()),
            };
        }
        let changed: Vec<Value> = self.shown_points().into_iter().filter(|point| !before.contains(point)).collect();
        for point in changed {
            self.client.event("breakpoint", json!({ "reason": "changed", "breakpoint": point }));
        }
    }

    /// All breakpoints as the client knows them.
    fn shown_points(&self) -> Vec<Value> {
        let lines = self.points.lines.iter().flat_map(|(path, points)| points.iter().map(move |p| (path, p)));
        let lines = lines.map(|(path, p)| self.line_point(path, p));
        let functions = self.points.functions.iter().map(|p| self.point(p));
        lines.chain(functions).chain(self.points.data.iter().map(|p| self.point(p))).collect()
    }

    /// Tells of breakpoints that came and went without a request: in the console, temporary ones, those of values that are gone.
    pub(crate) fn tell_breakpoints(&mut self, session: &Session) {
        let present = session.breakpoints();
        let known = self.points.numbers();
        for (id, _) in known.iter().filter(|(_, number)| present.iter().all(|b| b.number != *number)) {
            self.points.forget(*id);
            self.client
                .event("breakpoint", json!({ "reason": "removed", "breakpoint": { "id": id, "verified": false } }));
        }
        for view in present.iter().filter(|b| known.iter().all(|(_, number)| *number != b.number)) {
            let id = self.points.new_id();
            let shown = self.new_point(id, view);
            self.client.event("breakpoint", json!({ "reason": "new", "breakpoint": shown }));
        }
    }

    /// Takes up a breakpoint that was set in the console. One at a line is then like one of the client.
    fn new_point(&mut self, id: i64, view: &BreakpointView) -> Value {
        if let BreakpointKind::Statement { file_id, line, .. } = &view.kind
            && let Some(path) = self.sources.path(*file_id)
            && view.log.is_none()
            && !view.temporary
        {
            let asked = LineBreakpoint { line: *line, condition: view.condition.clone(), ..LineBreakpoint::default() };
            let point = Point { id, asked, state: Ok(Set { number: view.number, place: Some((*file_id, *line)) }) };
            let shown = self.line_point(&path, &point);
            self.points.lines.entry(path).or_default().push(point);
            return shown;
        }
        self.points.others.insert(view.number, id);
        let BreakpointKind::Statement { file_id, line, .. } = &view.kind else {
            return json!({ "id": id, "verified": true });
        };
        let source = self.sources.source(*file_id);
        json!({ "id": id, "verified": true, "line": self.line_out(*line), "source": source })
    }

    fn point<T>(&self, point: &Point<T>) -> Value {
        match &point.state {
            Ok(Set { place: Some((file, line)), .. }) => {
                let source = self.sources.source(*file);
                json!({ "id": point.id, "verified": true, "line": self.line_out(*line), "source": source })
            }
            Ok(_) => json!({ "id": point.id, "verified": true }),
            Err(why) => json!({ "id": point.id, "verified": false, "message": why }),
        }
    }

    fn line_point(&self, path: &Path, point: &Point<LineBreakpoint>) -> Value {
        let mut shown = self.point(point);
        match &point.state {
            Ok(Set { place: Some((_, line)), .. }) if *line != point.asked.line => {
                shown["message"] = format!("Line {} has no statement.", self.line_out(point.asked.line)).into();
            }
            Ok(_) => {}
            Err(_) => {
                shown["line"] = self.line_out(point.asked.line).into();
                if let Some(file) = self.sources.at(path) {
                    shown["source"] = self.sources.source(file.text.file_id);
                }
            }
        }
        shown
    }

    /// A frame by its number, or the focused one.
    pub(crate) fn frame_or_focus(
        &self,
        session: &Session,
        number: Option<i64>,
    ) -> std::result::Result<FrameAt, Failure> {
        number.map_or_else(|| Ok(session.focused()), |number| self.numbers.frame(number))
    }
}

fn set_function(session: &mut Session, b: &FunctionBreakpoint) -> Result<Set> {
    let name = b.name.trim();
    if name.is_empty() || name.contains(|c: char| c.is_whitespace()) || name.starts_with(|c: char| !c.is_alphabetic()) {
        return Err(format!("`{name}` is not the name of a procedure."));
    }
    let command = parse::parse(&format!("break {name}")).map_err(|e| e.0)?;
    let Some(Command::Break { at, .. }) = command else {
        return Err(format!("`{name}` is not the name of a procedure."));
    };
    let rule = hit_rule(b.hit_condition.as_deref())?;
    let set = set_by(session, &Command::Break { at, condition: text_of(b.condition.as_deref()), temporary: false })?;
    session.set_hit_rule(set.number, rule).map_err(|e| e.0)?;
    Ok(set)
}

fn set_data(session: &mut Session, watchable: &Watchable, b: &DataBreakpoint) -> Result<Set> {
    let on = match b.access_type.as_deref() {
        None | Some("write") => WatchOn::Change,
        Some("read") => WatchOn::Read,
        Some("readWrite") => WatchOn::Access,
        Some(other) => return Err(format!("There is no kind of access `{other}`.")),
    };
    if text_of(b.condition.as_deref()).is_some() {
        return Err("A watched value has no condition.".to_owned());
    }
    let rule = hit_rule(b.hit_condition.as_deref())?;
    let set = session
        .within(watchable.frame, |s| set_by(s, &Command::Watch { expression: watchable.expression.clone(), on }))
        .map_err(|SessionError(why)| why)??;
    session.set_hit_rule(set.number, rule).map_err(|e| e.0)?;
    Ok(set)
}

fn set_by(session: &mut Session, command: &Command) -> Result<Set> {
    match session.execute(command, &mut |_: &[u8]| ()) {
        Ok(Outcome::Reply(Reply::Breakpoint(BreakpointView { number, kind, .. }))) => {
            let place = match kind {
                BreakpointKind::Statement { file_id, line, .. } => Some((file_id, line)),
                BreakpointKind::Watch(..) => None,
            };
            Ok(Set { number, place })
        }
        Ok(_) => Err("Nothing was set.".to_owned()),
        Err(why) => Err(why.0),
    }
}

fn delete(session: &mut Session, numbers: Vec<u32>) {
    if !numbers.is_empty() {
        // They are there, so nothing can fail.
        let _ = session.execute(&Command::Delete(numbers), &mut |_: &[u8]| ());
    }
}

/// A text that is not empty.
fn text_of(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned)
}

/// The rule of a hit condition: `5`, `== 5`, `> 5`, `>= 5`, `< 5`, `<= 5`, `% 5`.
fn hit_rule(text: Option<&str>) -> Result<Option<HitRule>> {
    let Some(text) = text_of(text) else { return Ok(None) };
    let at = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let (sign, digits) = text.split_at(at);
    let Ok(n) = digits.trim().parse::<u64>() else {
        return Err(format!("`{text}` is not a count of hits: write `5`, `> 5`, `>= 5`, `< 5`, `<= 5` or `% 5`."));
    };
    match sign.trim() {
        "" | "=" | "==" | "===" => Ok(Some(HitRule::Only(n))),
        ">" => Ok(Some(HitRule::From(n.saturating_add(1)))),
        ">=" => Ok(Some(HitRule::From(n))),
        "<" => Ok(Some(HitRule::Before(n))),
        "<=" => Ok(Some(HitRule::Before(n.saturating_add(1)))),
        "%" => Ok(Some(HitRule::Every(n))),
        other => Err(format!("`{other}` compares no hits: write `5`, `> 5`, `>= 5`, `< 5`, `<= 5` or `% 5`.")),
    }
}

/// The arguments of `dprintf` for a message with expressions in braces.
fn format_of(message: &str) -> Result<String> {
    let (mut format, mut values) = (String::new(), Vec::new());
    let mut rest = message.chars();
    while let Some(c) = rest.next() {
        match c {
            '{' => {
                let mut depth = 1;
                let mut value = String::new();
                for c in rest.by_ref() {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    if depth == 0 {
                        break;
                    }
                    value.push(c);
                }
                if depth != 0 || value.trim().is_empty() {
                    return Err("A brace `{` of the message has no expression and `}` behind it.".to_owned());
                }
                format.push_str("%s");
                values.push(value);
            }
            '\\' => match rest.next() {
                Some(c @ ('{' | '}')) => format.push(c),
                Some('"') | None => format.push_str("\\\\"),
                Some(c) => format.extend(['\\', c]),
            },
            '%' => format.push_str("%%"),
            '"' => format.push_str("\\\""),
            '\n' => format.push_str("\\n"),
            c => format.push(c),
        }
    }
    let values: Vec<String> = values.iter().map(|v| format!(",{v}")).collect();
    Ok(format!("\"{format}\\n\"{}", values.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_hits_are_rules() {
        let rule = |text| hit_rule(Some(text));
        assert_eq!((rule("5"), rule(" == 5 ")), (Ok(Some(HitRule::Only(5))), Ok(Some(HitRule::Only(5)))));
        assert_eq!((rule("> 5"), rule("<=5")), (Ok(Some(HitRule::From(6))), Ok(Some(HitRule::Before(6)))));
        assert_eq!((rule("%3"), rule("  ")), (Ok(Some(HitRule::Every(3))), Ok(None)));
        assert!(["x", "5 6", "!= 3", "-1", "99999999999999999999"].into_iter().all(|text| rule(text).is_err()));
    }

    #[test]
    fn messages_are_formats() {
        assert_eq!(format_of("i = {i}, 100%"), Ok("\"i = %s, 100%%\\n\",i".to_owned()));
        assert_eq!(format_of("\"\\{\\}\""), Ok("\"\\\"{}\\\"\\n\"".to_owned()));
        assert!(format_of("{").is_err() && format_of("a {} b").is_err());
    }
}
