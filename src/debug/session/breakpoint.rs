//! Breakpoints, watchpoints and displays.
//!
//! Not here: when they stop the program (`control`).

use crate::command::{Radix, WatchOn};
use crate::eval::check::Typed;
use crate::eval::compiled::CompiledExpr;
use crate::eval::context::{Context, Object, Viewpoint};
use crate::eval::value::Eval;
use crate::process::sites::Resolved;
use crate::process::watcher::{Range, Thread};
use ir::FuncId;
use sema::checked::{CmpOp, Const, Expr, ExprKind, LogicOp, ProcId};
use source::FileId;
use vm::Site;

/// A breakpoint or watchpoint.
#[derive(Clone, Debug)]
pub(crate) struct Breakpoint {
    /// Its number.
    pub(crate) number: u32,
    /// Whether it stops the program.
    pub(crate) enabled: bool,
    /// Whether it is deleted when it is hit.
    pub(crate) temporary: bool,
    /// How often it was hit.
    pub(crate) hits: u64,
    /// How many hits to ignore.
    pub(crate) ignore: u64,
    /// Which hits count, if not all.
    pub(crate) hit_rule: Option<HitRule>,
    /// What it waits for.
    pub(crate) kind: Kind,
    /// What line mode executes when it has stopped the program.
    pub(crate) commands: Vec<String>,
}

impl Breakpoint {
    /// A breakpoint that was never hit.
    pub(crate) fn new(number: u32, kind: Kind, temporary: bool) -> Breakpoint {
        Breakpoint { number, enabled: true, temporary, hits: 0, ignore: 0, hit_rule: None, kind, commands: Vec::new() }
    }
}

/// Which hits of a breakpoint stop the program, by how often it was hit so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HitRule {
    /// That one.
    Only(u64),
    /// That one and those after it.
    From(u64),
    /// Those before it.
    Before(u64),
    /// Each of so many.
    Every(u64),
}

impl HitRule {
    /// Whether hit number `hits`, from 1, counts.
    pub fn holds(self, hits: u64) -> bool {
        match self {
            HitRule::Only(n) => hits == n,
            HitRule::From(n) => hits >= n,
            HitRule::Before(n) => hits < n,
            HitRule::Every(n) => n > 0 && hits.is_multiple_of(n),
        }
    }
}

/// What a breakpoint or watchpoint waits for.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A statement.
    Statement(Place),
    /// A change of a value.
    Watch(Box<Watch>),
}

/// A statement with a condition.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Places in the code.
    pub(crate) sites: Vec<Site>,
    /// The procedure.
    pub(crate) function: String,
    /// The file.
    pub(crate) file: FileId,
    /// The line.
    pub(crate) line: usize,
    /// The requested line, if it has no statement.
    pub(crate) asked: Option<usize>,
    /// Its condition.
    pub(crate) condition: Option<Condition>,
    /// What it prints instead of stopping.
    pub(crate) log: Option<Log>,
}

/// The text of a logpoint.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    /// As the user wrote it.
    pub(crate) text: String,
    /// Its format.
    pub(crate) format: String,
    /// The values by procedure.
    pub(crate) forms: Vec<(Option<ProcId>, Vec<CompiledExpr>)>,
}

/// A condition, checked for each procedure that the breakpoint is in.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// As the user wrote it.
    pub(crate) text: String,
    /// By procedure.
    forms: Vec<(Option<ProcId>, CompiledExpr)>,
    /// Values of predefined variables without which it is false.
    required: Vec<(u8, u32)>,
}

impl Condition {
    /// A condition with its forms.
    pub(crate) fn new(text: String, checked: &[(Option<ProcId>, Typed<'_>)]) -> Eval<Condition> {
        let mut required = Vec::new();
        // With several forms, only common requirements would be valid; usually there is one.
        if let [(_, e)] = checked {
            required_special(&e.expr, &mut required);
        }
        let form = |(proc, e): &(Option<ProcId>, Typed<'_>)| Ok((*proc, CompiledExpr::new(&e.program, &e.expr)?));
        Ok(Condition { text, forms: checked.iter().map(form).collect::<Eval<_>>()?, required })
    }

    /// The index of the blocks, from 0, in which it can be true, where it says so.
    pub(crate) fn block(&self) -> [Option<u32>; 3] {
        [6, 7, 8].map(|index| self.required.iter().find(|r| r.0 == index).map(|r| r.1))
    }

    /// Whether it can be true in a block at all.
    fn may_hold(&self, context: &Context<'_>) -> bool {
        let Viewpoint::Device { block, .. } = context.at else { return true };
        let g = &block.geometry;
        self.required.iter().all(|&(index, value)| match index {
            3..=5 => g.block[usize::from(index) - 3] == value,
            6..=8 => g.cta[usize::from(index) - 6] == value,
            9..=11 => g.grid[usize::from(index) - 9] == value,
            _ => true,
        })
    }

    /// The lowest lane of `mask` in which it is true or fails. `context` gives the context of a lane.
    pub(crate) fn first_lane<'a>(
        &self,
        proc: Option<ProcId>,
        mask: u32,
        context: impl Fn(u32) -> Eval<Context<'a>>,
    ) -> Option<(u32, Result<(), String>)> {
        let (_, expr) = self.forms.iter().find(|(p, _)| *p == proc).or(self.forms.first())?;
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let view = match context(lane) {
                Ok(view) => view,
                Err(why) => return Some((lane, Err(why.0))),
            };
            if !self.may_hold(&view) {
                return None;
            }
            match expr.value(&view).and_then(|v| v.as_bool()) {
                Ok(true) => return Some((lane, Ok(()))),
                Ok(false) => {}
                Err(why) => return Some((lane, Err(why.0))),
            }
        }
        None
    }
}

impl Place {
    /// A place without a condition.
    pub(crate) fn new(resolved: Resolved, function: String) -> Place {
        let Resolved { sites, file, line, asked } = resolved;
        Place { sites, function, file, line, asked, condition: None, log: None }
    }
}

/// A watched value.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// As the user wrote it.
    pub(crate) text: String,
    /// At what it stops.
    pub(crate) on: WatchOn,
    /// Where the value is.
    pub(crate) object: Object,
    /// Its memory, if it has some.
    pub(crate) range: Option<Range>,
    /// The frame, block or thread of its lifetime; `None` if it lives as long as its allocation.
    pub(crate) scope: Option<Scope>,
    /// Its bytes when it was last read; `None` while it cannot be read.
    pub(crate) last: Option<Vec<u8>>,
    /// The same as text.
    pub(crate) shown: String,
}

/// The lifetime of a watched value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scope {
    /// The thread.
    pub(crate) thread: Thread,
    /// Its frame, for local variables; none for shared ones.
    pub(crate) frame: Option<(u32, FuncId)>,
}

/// An expression shown at each stop.
#[derive(Clone, Debug)]
pub(crate) struct Display {
    /// Its number.
    pub(crate) number: u32,
    /// As the user wrote it.
    pub(crate) text: String,
    /// The form of its value.
    pub(crate) radix: Radix,
    /// Whether it is shown.
    pub(crate) enabled: bool,
}

/// Collects the conjuncts `predefined == constant` of a condition, counted from 0. They let a breakpoint skip whole blocks
/// without evaluating the condition in their lanes.
fn required_special(e: &Expr, out: &mut Vec<(u8, u32)>) {
    match &e.kind {
        ExprKind::Paren(inner) => required_special(inner, out),
        ExprKind::Logic { op: LogicOp::And, left, right } => {
            required_special(left, out);
            required_special(right, out);
        }
        ExprKind::Compare { op: CmpOp::Eq, left, right } => {
            let pair = match (&left.kind, &right.kind) {
                (ExprKind::Special { index, add }, ExprKind::Const(Const::Int(n)))
                | (ExprKind::Const(Const::Int(n)), ExprKind::Special { index, add }) => {
                    Some((*index, n - i64::from(*add)))
                }
                _ => None,
            };
            if let Some((index, n)) = pair {
                // A value that cannot occur makes the condition false everywhere.
                out.push((index, u32::try_from(n).unwrap_or(u32::MAX)));
            }
        }
        _ => {}
    }
}
