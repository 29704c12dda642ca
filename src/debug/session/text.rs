//! Text by the user's formats: `printf`, `echo`, and the texts that logpoints print when they are reached.
//!
//! Not here: the formats themselves (`eval::printf`).

use crate::command::Where;
use crate::eval::compiled::CompiledExpr;
use crate::eval::context::Context;
use crate::eval::printf;
use crate::eval::value::{Eval, Value};
use crate::session::breakpoint::{Kind, Log, Place};
use crate::session::control::thread_of;
use crate::session::{Session, SessionError};
use crate::view::reply::{Outcome, Reply};
use device::Statement;
use ir::FuncId;
use sema::checked::ProcId;
use std::collections::BTreeMap;
use vm::Site;

/// The text of a format with values in a context.
fn formatted(context: &Context<'_>, format: &str, values: &[CompiledExpr]) -> Eval<String> {
    let values = values.iter().map(|e| e.value(context)).collect::<Eval<Vec<_>>>()?;
    printf::format(format, &values, &|value| context.show_value(value.clone(), crate::command::Radix::Natural))
}

impl Session {
    /// The command `printf`.
    pub(crate) fn printf(&self, text: &str) -> Result<Outcome, SessionError> {
        let (format, arguments) = printf::split(text)?;
        let values = arguments.iter().map(|a| self.compile(a)).collect::<Eval<Vec<_>>>()?;
        Ok(Outcome::Reply(Reply::Text(formatted(&self.here()?, &format, &values)?)))
    }

    /// The command `echo`.
    pub(crate) fn echo(text: &str) -> Outcome {
        let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
        Outcome::Reply(Reply::Text(printf::unescaped(inner)))
    }

    /// The command `dprintf`.
    pub(crate) fn set_log_point(&mut self, at: &Where, text: &str) -> Result<Outcome, SessionError> {
        let mut place = self.place_at(at)?;
        let (format, arguments) = printf::split(text)?;
        // Whether the values fit their conversions shows when they are known; how many there are shows now.
        printf::format(&format, &vec![Value::int4(0); arguments.len()], &|_| Ok(String::new()))?;
        let procs: BTreeMap<Option<ProcId>, FuncId> =
            place.sites.iter().map(|s| (self.sites.proc(s.func), s.func)).collect();
        let mut forms = Vec::new();
        for (proc, func) in procs {
            let values = arguments.iter().map(|a| self.compile_in(proc, func, a)).collect::<Eval<Vec<_>>>()?;
            forms.push((proc, values));
        }
        place.log = Some(Log { text: text.to_owned(), format, forms });
        Ok(self.add_breakpoint(Kind::Statement(place), false))
    }

    /// The text that the logpoints at a statement print, one after another and lane by lane.
    pub(crate) fn logged(&mut self, s: &Statement) -> String {
        let site = Site { func: s.func, pc: s.pc };
        let mut text = String::new();
        let mut hits = Vec::new();
        for (index, b) in self.breakpoints.iter().enumerate().filter(|(_, b)| b.enabled) {
            let Kind::Statement(Place { sites, condition, log: Some(log), .. }) = &b.kind else { continue };
            if !sites.contains(&site) {
                continue;
            }
            let proc = self.sites.proc(s.func);
            let Some((_, values)) = log.forms.iter().find(|(p, _)| *p == proc).or(log.forms.first()) else { continue };
            let context = |lane| self.context_of(thread_of(s, lane), Some(s.frame));
            let mut count = 0;
            for lane in (0..32).filter(|lane| s.mask >> lane & 1 != 0) {
                let is_meant = match condition {
                    Some(condition) => condition.first_lane(proc, 1 << lane, context).is_some(),
                    None => true,
                };
                if !is_meant {
                    continue;
                }
                count += 1;
                if count > b.ignore && b.hit_rule.is_none_or(|rule| rule.holds(b.hits + count)) {
                    let shown = context(lane).and_then(|c| formatted(&c, &log.format, values));
                    text.push_str(&shown.unwrap_or_else(|why| format!("<dprintf {}: {}>\n", b.number, why.0)));
                }
            }
            hits.push((index, count));
        }
        for (index, count) in hits {
            let b = &mut self.breakpoints[index];
            b.hits += count;
            b.ignore = b.ignore.saturating_sub(count);
        }
        text
    }
}
