//! Branches into constructs, and out of DO CONCURRENT: a label is reached from statements of its own block, and of blocks inside that one (Fortran 2018,
//! 11.1.2.1).

use crate::checker::Checker;
use ast::{ArgValue, DoControl, ExprKind, Stmt, StmtKind};
use diag::{Code, Diagnostic};
use source::Span;
use std::collections::BTreeMap;

/// The blocks around a statement, the outermost first, each with the number that it has in its procedure.
type Path = Vec<u32>;

/// What is found in the statements of a procedure.
#[derive(Default)]
struct Branches {
    around: Path,
    blocks: u32,
    labels: BTreeMap<u32, (Path, Span)>,
    jumps: Vec<(u32, Path, Span)>,
    /// The blocks of DO CONCURRENT, with the statement.
    concurrent: BTreeMap<u32, Span>,
}

impl Checker<'_> {
    /// Warns of branches into constructs, which nvfortran takes: what the first statement of the construct does is left out.
    pub(crate) fn check_branches(&mut self, body: &[Stmt]) {
        let mut found = Branches::default();
        found.block(body);
        for (label, path, span) in &found.jumps {
            let Some((target, at)) = found.labels.get(label) else { continue };
            let left = path.iter().find(|block| !target.contains(block) && found.concurrent.contains_key(block));
            if let Some(block) = left {
                // Fortran 2018, C1138.
                let text = format!("label {label} is outside of the `do concurrent` around this statement");
                let d = Diagnostic::new(Code::StatementOutOfPlace, *span, text);
                self.reporter.report(d.secondary(found.concurrent[block], "the loop is here"));
                continue;
            }
            if path.starts_with(target) {
                continue;
            }
            let text = format!("label {label} is inside a construct that this statement is not in");
            let d = Diagnostic::new(Code::BranchIntoConstruct, *span, text).secondary(*at, "the label is here");
            self.reporter.report(d.help("put the label in front of the construct, or behind it"));
        }
    }
}

impl Branches {
    fn inside(&mut self, body: &[Stmt]) {
        self.blocks += 1;
        self.around.push(self.blocks);
        self.block(body);
        self.around.pop();
    }

    fn branch(&mut self, label: u32, span: Span) {
        self.jumps.push((label, self.around.clone(), span));
    }

    fn block(&mut self, body: &[Stmt]) {
        for s in body {
            if let Some(label) = s.label {
                self.labels.insert(label, (self.around.clone(), s.span));
            }
            self.statement(s);
        }
    }

    fn statement(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Goto(label) => self.branch(*label, s.span),
            StmtKind::ComputedGoto(labels, _) | StmtKind::AssignedGoto(_, labels) => {
                labels.iter().for_each(|label| self.branch(*label, s.span));
            }
            StmtKind::ArithmeticIf { labels, .. } => labels.iter().for_each(|label| self.branch(*label, s.span)),
            StmtKind::Call { args, .. } => {
                for arg in args {
                    if let ArgValue::AltReturn(label) = arg.value {
                        self.branch(label, s.span);
                    }
                }
            }
            StmtKind::Io { control, .. } => {
                for c in control {
                    let is_label = c.keyword.as_ref().is_some_and(|k| matches!(k.as_str(), "end" | "err" | "eor"));
                    if let (true, Some(ast::Expr { kind: ExprKind::Int { digits, .. }, .. })) = (is_label, &c.value)
                        && let Ok(label) = digits.parse()
                    {
                        self.branch(label, s.span);
                    }
                }
            }
            StmtKind::If { arms, .. } => arms.iter().for_each(|arm| self.inside(&arm.body)),
            StmtKind::Select { arms, .. } | StmtKind::SelectRank { arms, .. } => {
                arms.iter().for_each(|arm| self.inside(&arm.body));
            }
            StmtKind::SelectType { arms, .. } => arms.iter().for_each(|arm| self.inside(&arm.1)),
            StmtKind::Do { control, body, .. } => {
                if matches!(control, DoControl::Concurrent { .. }) {
                    self.concurrent.insert(self.blocks + 1, s.span);
                }
                self.inside(body);
            }
            StmtKind::Block { body, .. } | StmtKind::Associate { body, .. } => self.inside(body),
            StmtKind::Cuf(kernel) => kernel.body.iter().for_each(|loop_stmt| self.statement(loop_stmt)),
            _ => {}
        }
    }
}
