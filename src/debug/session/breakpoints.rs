//! The breakpoints of a session: set, changed, found, listed.

use crate::command::{Where, forms};
use crate::eval::value::Value;
use crate::session::breakpoint::{Breakpoint, Condition, HitRule, Kind, Place};
use crate::session::{Session, SessionError, refuse};
use crate::view::reply::{BreakpointKind, BreakpointView, Outcome, Reply};
use ir::FuncId;
use source::FileId;
use std::collections::BTreeMap;

impl Session {
    /// Sets which hits of a breakpoint or watchpoint stop the program.
    pub fn set_hit_rule(&mut self, number: u32, rule: Option<HitRule>) -> Result<(), SessionError> {
        self.breakpoint(number)?.hit_rule = rule;
        Ok(())
    }

    /// All breakpoints and watchpoints.
    pub fn breakpoints(&self) -> Vec<BreakpointView> {
        self.breakpoints.iter().map(|b| self.breakpoint_view(b)).collect()
    }

    pub(super) fn known(&self, numbers: &[u32]) -> Result<(), SessionError> {
        match numbers.iter().find(|n| self.breakpoints.iter().all(|b| b.number != **n)) {
            Some(n) => refuse(format!("No breakpoint number {n}.")),
            None => Ok(()),
        }
    }

    /// The number of the breakpoint set last.
    pub(crate) fn latest_breakpoint(&self) -> u32 {
        self.next_breakpoint - 1
    }

    /// What line mode executes when a breakpoint has stopped the program.
    pub(crate) fn commands_of(&self, number: u32) -> &[String] {
        match (self.breakpoints.iter().find(|b| b.number == number), &self.gone) {
            (Some(b), _) => &b.commands,
            (None, Some((gone, commands))) if *gone == number => commands,
            (None, _) => &[],
        }
    }

    pub(super) fn breakpoint(&mut self, number: u32) -> Result<&mut Breakpoint, SessionError> {
        match self.breakpoints.iter_mut().find(|b| b.number == number) {
            Some(b) => Ok(b),
            None => refuse(format!("No breakpoint number {number}.")),
        }
    }

    /// A number for a new breakpoint.
    pub(crate) fn add_breakpoint(&mut self, kind: Kind, temporary: bool) -> Outcome {
        let number = self.next_breakpoint;
        self.next_breakpoint += 1;
        self.kept.give("$bpnum", Value::int4(number.into()));
        let breakpoint = Breakpoint::new(number, kind, temporary);
        let view = self.breakpoint_view(&breakpoint);
        self.breakpoints.push(breakpoint);
        self.clean.clear();
        self.mark();
        Outcome::Reply(Reply::Breakpoint(view))
    }

    /// A place without a condition.
    pub(crate) fn place_at(&self, at: &Where) -> Result<Place, SessionError> {
        let program = self.process.machine().program().clone();
        let resolved = self.sites.resolve(&program, &self.setup.sources, at, self.current_line())?;
        let function = resolved.sites.first().map_or_else(String::new, |s| self.function_name(s.func));
        Ok(Place::new(resolved, function))
    }

    pub(super) fn set_breakpoint(
        &mut self,
        at: &Where,
        condition: Option<&str>,
        temporary: bool,
    ) -> Result<Outcome, SessionError> {
        let mut place = self.place_at(at)?;
        if let Some(text) = condition {
            place.condition = Some(self.condition(&place, text)?);
        }
        Ok(self.add_breakpoint(Kind::Statement(place), temporary))
    }

    /// Checks a condition in each procedure that the place is in.
    pub(super) fn condition(&self, place: &Place, text: &str) -> Result<Condition, SessionError> {
        let procs: BTreeMap<_, FuncId> = place.sites.iter().map(|s| (self.sites.proc(s.func), s.func)).collect();
        let mut forms = Vec::new();
        for (proc, func) in procs {
            let e = self.typed_in(proc, func, text)?;
            if !matches!(e.expr.ty, sema::checked::Type::Logical(_)) || e.expr.rank != 0 {
                return refuse(format!("The condition `{text}` is not a scalar logical expression."));
            }
            forms.push((proc, e));
        }
        Ok(Condition::new(text.to_owned(), &forms)?)
    }

    /// Conditions that name kept values get their new ones.
    pub(crate) fn renew_conditions(&mut self) -> Result<(), SessionError> {
        for i in 0..self.breakpoints.len() {
            let Kind::Statement(place) = &self.breakpoints[i].kind else { continue };
            let Some(text) = place.condition.as_ref().map(|c| c.text.clone()).filter(|t| t.contains('$')) else {
                continue;
            };
            let condition = self.condition(place, &text)?;
            self.clean.clear();
            if let Kind::Statement(place) = &mut self.breakpoints[i].kind {
                place.condition = Some(condition);
            }
        }
        Ok(())
    }

    /// The command `clear`.
    pub(super) fn clear(&mut self, at: &Where) -> Result<Outcome, SessionError> {
        let found = self.place_at(at)?;
        let is_there =
            |b: &Breakpoint| matches!(&b.kind, Kind::Statement(p) if p.file == found.file && p.line == found.line);
        let gone: Vec<String> = self.breakpoints.iter().filter(|b| is_there(b)).map(|b| b.number.to_string()).collect();
        if gone.is_empty() {
            return refuse(format!("No breakpoint at line {}.", found.line));
        }
        self.breakpoints.retain(|b| !is_there(b));
        self.mark();
        let plural = if gone.len() == 1 { "" } else { "s" };
        Ok(Outcome::Reply(Reply::Text(format!("Deleted breakpoint{plural} {}\n", gone.join(" ")))))
    }

    /// The commands that set the present breakpoints and displays again.
    pub fn breakpoint_script(&self) -> String {
        let mut script = String::new();
        for b in &self.breakpoints {
            let view = self.breakpoint_view(b);
            let line = match (&view.kind, &view.log) {
                (BreakpointKind::Watch(expression, on), _) => format!("{} {expression}", on.command()),
                (BreakpointKind::Statement { file, line, .. }, Some(log)) => format!("dprintf {file}:{line},{log}"),
                (BreakpointKind::Statement { file, line, .. }, None) => {
                    let name = if b.temporary { "tbreak" } else { "break" };
                    let condition = view.condition.as_ref().map(|c| format!(" if {c}")).unwrap_or_default();
                    format!("{name} {file}:{line}{condition}")
                }
            };
            script.push_str(&line);
            script.push('\n');
            if let (Some(_), Some(condition)) = (&view.log, &view.condition) {
                script.push_str(&format!("condition $bpnum {condition}\n"));
            }
            if !b.enabled {
                script.push_str("disable $bpnum\n");
            }
            if !b.commands.is_empty() {
                script.push_str(&format!("commands\n{}\nend\n", b.commands.join("\n")));
            }
        }
        for d in &self.displays {
            script.push_str(&format!("display {}{}\n", forms::letter(d.radix), d.text));
        }
        script
    }

    pub(super) fn set_condition(&mut self, number: u32, text: Option<&str>) -> Result<Outcome, SessionError> {
        let Kind::Statement(place) = self.breakpoint(number)?.kind.clone() else {
            return refuse(format!("Number {number} is a watchpoint; only breakpoints have conditions."));
        };
        let condition = text.map(|t| self.condition(&place, t)).transpose()?;
        let is_gone = place.condition.is_some() && condition.is_none();
        self.clean.clear();
        self.breakpoint(number)?.kind = Kind::Statement(Place { condition, ..place });
        Ok(Outcome::Reply(if is_gone {
            Reply::Text(format!("Breakpoint {number} now unconditional.\n"))
        } else {
            Reply::Done
        }))
    }

    /// Whether a breakpoint is on a line, and enabled.
    pub(crate) fn breakpoint_at(&self, file: FileId, line: usize) -> Option<bool> {
        let here = |b: &&Breakpoint| matches!(&b.kind, Kind::Statement(p) if p.file == file && p.line == line);
        let mut all = self.breakpoints.iter().filter(here).map(|b| b.enabled);
        all.next().map(|first| first || all.any(|e| e))
    }

    /// A breakpoint as the user sees it.
    pub(crate) fn breakpoint_view(&self, b: &Breakpoint) -> BreakpointView {
        let (kind, condition, log) = match &b.kind {
            Kind::Watch(watch) => (BreakpointKind::Watch(watch.text.clone(), watch.on), None, None),
            Kind::Statement(p) => {
                let file = self.setup.sources.file(p.file).map_or_else(String::new, |f| f.name().to_owned());
                let kind = BreakpointKind::Statement {
                    function: p.function.clone(),
                    file,
                    file_id: p.file,
                    line: p.line,
                    asked: p.asked,
                    places: p.sites.len(),
                };
                (kind, p.condition.as_ref().map(|c| c.text.clone()), p.log.as_ref().map(|l| l.text.clone()))
            }
        };
        BreakpointView {
            number: b.number,
            kind,
            condition,
            enabled: b.enabled,
            temporary: b.temporary,
            hits: b.hits,
            ignore: b.ignore,
            log,
            commands: b.commands.clone(),
        }
    }
}
