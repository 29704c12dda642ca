//! Statements as text.

use super::Dump;
use crate::checked::{
    Block, CaseRange, CufDim, Expr, IoForm, IoUnit, LaunchGrid, LoopControl, RankCase, ReduceOp, Stmt, StmtKind, VarId,
};
use std::fmt::Write as _;

impl Dump<'_> {
    pub(super) fn block(&mut self, body: &Block) {
        for s in body {
            self.stmt(s);
        }
    }

    fn inner(&mut self, body: &Block) {
        self.depth += 1;
        self.block(body);
        self.depth -= 1;
    }

    fn stmt(&mut self, s: &Stmt) {
        let label = s.label.map_or(String::new(), |l| format!("{l}: "));
        let text = self.stmt_text(s);
        self.line(&format!("{label}{text}"));
        match &s.kind {
            StmtKind::If(arms) => {
                for (i, (condition, body, _)) in arms.iter().enumerate() {
                    if i > 0 {
                        let head = condition.as_ref().map_or("else".into(), |c| format!("else if {}", self.expr(c)));
                        self.line(&head);
                    }
                    self.inner(body);
                }
            }
            StmtKind::Loop { body, .. } | StmtKind::Forall { body, .. } | StmtKind::Block { body, .. } => {
                self.inner(body);
            }
            StmtKind::Select { arms, .. } => {
                for (ranges, body, _) in arms {
                    let head = match ranges {
                        None => "default".into(),
                        Some(list) => list.iter().map(|r| self.case(r)).collect::<Vec<_>>().join(", "),
                    };
                    self.line(&format!("case {head}"));
                    self.inner(body);
                }
            }
            StmtKind::SelectRank { arms, .. } => {
                for (case, body, _) in arms {
                    self.line(&match case {
                        RankCase::Rank(rank) => format!("rank {rank}"),
                        RankCase::AssumedSize => "rank *".to_owned(),
                        RankCase::Default => "rank default".to_owned(),
                    });
                    self.inner(body);
                }
            }
            StmtKind::Where(arms) => {
                for (i, (mask, body, _)) in arms.iter().enumerate() {
                    if i > 0 {
                        let head = mask.as_ref().map_or("elsewhere".into(), |c| format!("elsewhere {}", self.expr(c)));
                        self.line(&head);
                    }
                    self.inner(body);
                }
            }
            StmtKind::Cuf(k) => {
                self.depth += 1;
                let names =
                    |list: &[VarId]| list.iter().map(|v| self.name(*v).to_owned()).collect::<Vec<_>>().join(", ");
                let reductions: Vec<String> =
                    k.reductions.iter().map(|(v, op)| format!("{}:{}", reduce_name(*op), self.name(*v))).collect();
                let text = format!(
                    "reduce({}) private({}) captured({})",
                    reductions.join(", "),
                    names(&k.private),
                    names(&k.captured)
                );
                self.line(&text);
                self.depth -= 1;
                let body = k.body.clone();
                self.inner(&body);
            }
            _ => {}
        }
    }

    fn case(&self, r: &CaseRange) -> String {
        match r {
            CaseRange::Value(e) => self.expr(e),
            CaseRange::Range(lo, hi) => self.range(lo.as_ref(), hi.as_ref(), None),
        }
    }

    fn grid(&self, g: &LaunchGrid) -> String {
        match g {
            LaunchGrid::Int(e) | LaunchGrid::Dim3(e) => self.expr(e),
        }
    }

    fn cuf_dims(&self, dims: &[CufDim]) -> String {
        let one = |d: &CufDim| match d {
            CufDim::Star => "*".into(),
            CufDim::Expr(e) => self.expr(e),
        };
        dims.iter().map(one).collect::<Vec<String>>().join(",")
    }

    fn concurrent(&self, vars: &[(VarId, Expr, Expr, Option<Expr>)], mask: Option<&Expr>) -> String {
        let mut list: Vec<String> = vars
            .iter()
            .map(|(v, a, b, c)| {
                format!("{} = {}", self.name(*v), self.list([Some(a), Some(b), c.as_ref()].into_iter().flatten()))
            })
            .collect();
        list.extend(mask.map(|m| self.expr(m)));
        list.join("; ")
    }

    fn stmt_text(&self, s: &Stmt) -> String {
        match &s.kind {
            StmtKind::Assign { target, value } => format!("{} = {}", self.expr(target), self.expr(value)),
            StmtKind::PointerAssign { target, bounds, value } => {
                let list: Vec<String> = bounds.iter().map(|(lo, hi)| self.range(Some(lo), hi.as_ref(), None)).collect();
                let bounds = if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) };
                format!("{}{bounds} => {}", self.expr(target), self.expr(value))
            }
            StmtKind::Call { proc, args } => format!("call {}({})", self.p.proc(*proc).qualified, self.actuals(args)),
            StmtKind::Intrinsic { id, args } => format!("call {}({})", id.name(), self.optional(args)),
            StmtKind::Launch { proc, config, args } => {
                let mut text = config.grid.as_ref().map_or("*".into(), |g| self.grid(g));
                let _ = write!(text, ", {}", self.grid(&config.block));
                for (name, e) in [("bytes", &config.bytes), ("stream", &config.stream)] {
                    if let Some(e) = e {
                        let _ = write!(text, ", {name}={}", self.expr(e));
                    }
                }
                format!("launch {}<<<{text}>>>({})", self.p.proc(*proc).qualified, self.actuals(args))
            }
            StmtKind::If(arms) => {
                format!("if {}", arms.first().and_then(|a| a.0.as_ref()).map_or(String::new(), |c| self.expr(c)))
            }
            StmtKind::Loop { id, control, .. } => {
                let control = match control {
                    LoopControl::Forever => String::new(),
                    LoopControl::While(e) => format!(" while {}", self.expr(e)),
                    LoopControl::Count { var, first, last, step } => {
                        format!(
                            " {} = {}",
                            self.expr(var),
                            self.list([Some(first), Some(last), step.as_ref()].into_iter().flatten())
                        )
                    }
                    LoopControl::Concurrent { vars, mask } => {
                        format!(" concurrent {}", self.concurrent(vars, mask.as_ref()))
                    }
                };
                format!("do #{}{control}", id.0)
            }
            StmtKind::Select { id, value, .. } => format!("select #{} {}", id.0, self.expr(value)),
            StmtKind::SelectRank { id, object, .. } => {
                format!("select rank #{} {}", id.0, self.name(*object))
            }
            StmtKind::Where(arms) => {
                format!("where {}", arms.first().and_then(|a| a.0.as_ref()).map_or(String::new(), |c| self.expr(c)))
            }
            StmtKind::Forall { vars, mask, .. } => format!("forall {}", self.concurrent(vars, mask.as_ref())),
            StmtKind::Block { id, vars, .. } => {
                let names: Vec<&str> = vars.iter().map(|v| self.name(*v)).collect();
                format!("block #{} ({})", id.0, names.join(", "))
            }
            StmtKind::Cuf(k) => {
                let loops: Vec<String> = k
                    .loops
                    .iter()
                    .map(|l| {
                        format!(
                            "{} = {}",
                            self.name(l.var),
                            self.list([Some(&l.first), Some(&l.last), l.step.as_ref()].into_iter().flatten())
                        )
                    })
                    .collect();
                let mut config = format!("({}),({})", self.cuf_dims(&k.grid), self.cuf_dims(&k.block));
                if let Some(e) = &k.stream {
                    let _ = write!(config, ",stream={}", self.expr(e));
                }
                format!("cuf <<<{config}>>> {}", loops.join("; "))
            }
            StmtKind::Exit(id) => format!("exit #{}", id.0),
            StmtKind::Cycle(id) => format!("cycle #{}", id.0),
            StmtKind::Goto(label) => format!("goto {label}"),
            StmtKind::ComputedGoto(labels, e) => format!("goto {labels:?}, {}", self.expr(e)),
            StmtKind::ArithmeticIf(e, labels) => format!("if {} {labels:?}", self.expr(e)),
            StmtKind::Nothing => "continue".into(),
            StmtKind::Return => "return".into(),
            StmtKind::Stop { error, code, quiet } => {
                format!(
                    "{}stop {}{}",
                    if *error { "error " } else { "" },
                    code.as_ref().map_or(String::new(), |e| self.expr(e)),
                    quiet.as_ref().map_or(String::new(), |e| format!(", quiet={}", self.expr(e)))
                )
            }
            StmtKind::Allocate { objects, source, stat, errmsg, pinned, stream, align } => {
                let mut list: Vec<String> = objects
                    .iter()
                    .map(|o| {
                        let bounds: Vec<String> = o
                            .bounds
                            .iter()
                            .map(|(lo, hi)| match lo {
                                None => self.expr(hi),
                                Some(lo) => self.range(Some(lo), Some(hi), None),
                            })
                            .collect();
                        let bounds = if bounds.is_empty() { String::new() } else { format!("({})", bounds.join(", ")) };
                        let spec = o.spec.as_ref().map_or(String::new(), |t| format!("{} :: ", self.ty(t)));
                        format!("{spec}{}{bounds}", self.expr(&o.object))
                    })
                    .collect();
                if let Some((e, mold)) = source {
                    list.push(format!("{}={}", if *mold { "mold" } else { "source" }, self.expr(e)));
                }
                let options =
                    [("stat", stat), ("errmsg", errmsg), ("pinned", pinned), ("stream", stream), ("align", align)];
                for (name, e) in options {
                    list.extend(e.as_ref().map(|e| format!("{name}={}", self.expr(e))));
                }
                format!("allocate {}", list.join(", "))
            }
            StmtKind::Deallocate { objects, stat, errmsg } => {
                let mut text = format!("deallocate {}", self.list(objects));
                for (name, e) in [("stat", stat), ("errmsg", errmsg)] {
                    if let Some(e) = e {
                        let _ = write!(text, ", {name}={}", self.expr(e));
                    }
                }
                text
            }
            StmtKind::Nullify(list) => format!("nullify {}", self.list(list)),
            StmtKind::Io(io) => {
                let unit = match &io.unit {
                    IoUnit::Star => "*".into(),
                    IoUnit::Number(e) => self.expr(e),
                    IoUnit::Internal(e) => format!("internal {}", self.expr(e)),
                    IoUnit::Memory { object, length } => {
                        format!("memory {} {}", self.expr(object), self.expr(length))
                    }
                    IoUnit::None => "-".into(),
                };
                let form = match &io.form {
                    IoForm::List => "*".into(),
                    IoForm::Format(e) => self.expr(e),
                    IoForm::Unformatted => "-".into(),
                    IoForm::Namelist(name, _) => format!("nml={name}"),
                };
                let mut head = format!("{unit}, {form}");
                for c in &io.controls {
                    let _ = write!(head, ", {}={}", c.keyword, self.expr(&c.value));
                }
                let text = format!("{}({head}) {}", format!("{:?}", io.kind).to_lowercase(), self.io_items(&io.items));
                text.trim_end().to_owned()
            }
            StmtKind::Unsupported(what) => format!("unsupported<{what}>"),
        }
        .trim_end()
        .to_owned()
    }
}

fn reduce_name(op: ReduceOp) -> &'static str {
    match op {
        ReduceOp::Add => "+",
        ReduceOp::Mul => "*",
        ReduceOp::Max => "max",
        ReduceOp::Min => "min",
        ReduceOp::Iand => "iand",
        ReduceOp::Ior => "ior",
        ReduceOp::Ieor => "ieor",
        ReduceOp::And => ".and.",
        ReduceOp::Or => ".or.",
        ReduceOp::Eqv => ".eqv.",
        ReduceOp::Neqv => ".neqv.",
    }
}
