//! Executable statements as lines.

use super::decl::names;
use super::expr::{arg, expr, io_item, optional, type_spec};
use super::{Dumper, concat, spaced};
use crate::unparse::io_word;
use crate::{
    Allocate, CaseRange, ConcurrentHeader, CufKernel, CufReduce, CufSize, DoControl, GlobalLaunch, LoopVar, Name, Stmt,
    StmtKind,
};

impl Dumper {
    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        let label = stmt.label.map_or_else(String::new, |l| format!("{l}: "));
        match &stmt.kind {
            StmtKind::If { name, arms, .. } => {
                self.line(format!("{label}if{}", construct(name.as_ref())));
                self.indented(|d| {
                    for arm in arms {
                        d.line(match &arm.condition {
                            Some(condition) => format!("when {}", expr(condition)),
                            None => "else".to_owned(),
                        });
                        d.indented(|d| d.statements(&arm.body));
                    }
                });
            }
            StmtKind::Do { name, control, body, .. } => {
                self.line(format!("{label}do{}{}", construct(name.as_ref()), do_control(control)));
                self.indented(|d| d.statements(body));
            }
            StmtKind::Select { name, value, arms, .. } => {
                self.line(format!("{label}select{} {}", construct(name.as_ref()), expr(value)));
                self.indented(|d| {
                    for arm in arms {
                        d.line(match &arm.ranges {
                            None => "default".to_owned(),
                            Some(ranges) => format!("case {}", spaced(ranges, case_range)),
                        });
                        d.indented(|d| d.statements(&arm.body));
                    }
                });
            }
            StmtKind::SelectRank { name, bind, value, arms, .. } => {
                let bind = bind.as_ref().map_or("_", |b| b.as_str());
                self.line(format!("{label}select-rank{} {bind} {}", construct(name.as_ref()), expr(value)));
                self.indented(|d| {
                    for arm in arms {
                        d.line(match arm.ranges.as_deref() {
                            None => "default".to_owned(),
                            Some([]) => "rank *".to_owned(),
                            Some(ranges) => format!("rank {}", spaced(ranges, case_range)),
                        });
                        d.indented(|d| d.statements(&arm.body));
                    }
                });
            }
            StmtKind::SelectType { name, bind, value, arms, .. } => {
                let bind = bind.as_ref().map_or("_", |b| b.as_str());
                self.line(format!("{label}select-type{} {bind} {}", construct(name.as_ref()), expr(value)));
                self.indented(|d| {
                    for (guard, body, _) in arms {
                        d.line(match guard {
                            None => "default".to_owned(),
                            Some((true, spec)) => format!("type-is {}", type_spec(spec)),
                            Some((false, spec)) => format!("class-is {}", type_spec(spec)),
                        });
                        d.indented(|d| d.statements(body));
                    }
                });
            }
            StmtKind::Where { arms, .. } => {
                self.line(format!("{label}where"));
                self.indented(|d| {
                    for arm in arms {
                        d.line(match &arm.mask {
                            Some(mask) => format!("when {}", expr(mask)),
                            None => "else".to_owned(),
                        });
                        d.indented(|d| d.statements(&arm.body));
                    }
                });
            }
            StmtKind::Forall { header, body, .. } => {
                self.line(format!("{label}forall{}", concurrent_header(header)));
                self.indented(|d| d.statements(body));
            }
            StmtKind::Block { name, uses, decls, body, .. } => {
                self.line(format!("{label}block{}", construct(name.as_ref())));
                self.indented(|d| {
                    d.scope(uses, decls);
                    d.statements(body);
                });
            }
            StmtKind::Associate { name, items, body, .. } => {
                let items = spaced(items, |(name, value)| format!("{}=>{}", name.text, expr(value)));
                self.line(format!("{label}associate{} {items}", construct(name.as_ref())));
                self.indented(|d| d.statements(body));
            }
            StmtKind::Cuf(kernel) => {
                self.line(format!("{label}{}", cuf_kernel(kernel)));
                if let Some(body) = &kernel.body {
                    self.indented(|d| d.stmt(body));
                }
            }
            StmtKind::Declaration(decl) => {
                if !label.is_empty() && !matches!(decl.kind, crate::DeclKind::Format { .. }) {
                    self.line(format!("{label}declaration"));
                }
                self.declaration(decl);
            }
            kind => self.line(format!("{label}{}", simple(kind))),
        }
    }
}

fn construct(name: Option<&Name>) -> String {
    name.map_or_else(String::new, |n| format!(" {}:", n.text))
}

fn simple(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Assign { target, value } => format!("assign {} {}", expr(target), expr(value)),
        StmtKind::PointerAssign { target, value } => format!("point {} {}", expr(target), expr(value)),
        StmtKind::Call { callee, launch, args } => {
            let launch = launch.as_ref().map_or_else(String::new, global_launch);
            format!("call {}{launch} ({})", expr(callee), spaced(args, arg))
        }
        StmtKind::ArithmeticIf { value, labels: [a, b, c] } => format!("arithmetic-if {} {a} {b} {c}", expr(value)),
        StmtKind::Cycle(name) => format!("cycle {}", name.as_ref().map_or("_", |n| n.as_str())),
        StmtKind::Exit(name) => format!("exit {}", name.as_ref().map_or("_", |n| n.as_str())),
        StmtKind::Goto(label) => format!("goto {label}"),
        StmtKind::ComputedGoto(labels, index) => format!("goto ({}) {}", spaced(labels, u32::to_string), expr(index)),
        StmtKind::AssignedGoto(name, labels) => format!("goto {} ({})", name.text, spaced(labels, u32::to_string)),
        StmtKind::LabelAssign(label, name) => format!("assign {label} {}", name.text),
        StmtKind::Continue => "continue".into(),
        StmtKind::Return(value) => format!("return {}", optional(value.as_ref())),
        StmtKind::Stop { error, code, quiet } => {
            let stop = format!("{}stop {}", if *error { "error-" } else { "" }, optional(code.as_ref()));
            quiet.as_ref().map_or(stop.clone(), |quiet| format!("{stop} quiet={}", expr(quiet)))
        }
        StmtKind::Pause { code, .. } => format!("pause {}", optional(code.as_ref())),
        StmtKind::Unsupported(what) => format!("<unsupported {what}>"),
        StmtKind::Allocate(stmt) => format!("allocate {}", allocate(stmt)),
        StmtKind::Deallocate(stmt) => format!("deallocate {}", allocate(stmt)),
        StmtKind::Nullify(objects) => format!("nullify {}", spaced(objects, expr)),
        StmtKind::Entry { name, args, result, .. } => {
            let result = result.as_ref().map_or("_", |r| r.as_str());
            format!("entry {} ({}) result={result}", name.text, names(args))
        }
        StmtKind::Io { kind, control, items } => {
            let control = spaced(control, |c| {
                let keyword = c.keyword.as_ref().map_or_else(String::new, |k| format!("{}=", k.text));
                format!("{keyword}{}", c.value.as_ref().map_or_else(|| "*".to_owned(), expr))
            });
            format!("{} ({control}) {}", io_word(*kind), spaced(items, io_item)).trim_end().to_owned()
        }
        _ => "<error>".into(),
    }
}

fn do_control(control: &DoControl) -> String {
    match control {
        DoControl::Forever => String::new(),
        DoControl::While(condition) => format!(" while {}", expr(condition)),
        DoControl::Count { var, first, last, step } => {
            format!(" {} {} {} {}", expr(var), expr(first), expr(last), optional(step.as_ref()))
        }
        DoControl::Concurrent { header, locals, reduce, .. } => {
            let reduce = concat(reduce, cuf_reduce);
            let locals = names(locals);
            format!(" concurrent{} local=({locals}){reduce}", concurrent_header(header))
        }
    }
}

fn concurrent_header(ConcurrentHeader { spec, vars, mask }: &ConcurrentHeader) -> String {
    let spec = spec.as_ref().map_or_else(String::new, |s| format!(" type={}", type_spec(s)));
    let range =
        |v: &LoopVar| format!("({} {} {} {})", v.name.text, expr(&v.first), expr(&v.last), optional(v.step.as_ref()));
    format!("{spec} {} mask={}", spaced(vars, range), optional(mask.as_ref()))
}

fn case_range(range: &CaseRange) -> String {
    match range {
        CaseRange::Value(value) => expr(value),
        CaseRange::Range(lo, hi) => format!("(: {} {})", optional(lo.as_ref()), optional(hi.as_ref())),
    }
}

fn global_launch(launch: &GlobalLaunch) -> String {
    let grid = launch.grid.as_ref().map_or_else(|| "*".to_owned(), expr);
    let bytes = optional(launch.bytes.as_ref());
    format!(" <<<{grid} {} {bytes} {}>>>", expr(&launch.block), optional(launch.stream.as_ref()))
}

fn cuf_kernel(kernel: &CufKernel) -> String {
    let extents = |sizes: &[CufSize]| {
        let sizes = spaced(sizes, |size| match size {
            CufSize::Star => "*".to_owned(),
            CufSize::Expr(e) => expr(e),
        });
        format!("({sizes})")
    };
    let reduce = concat(&kernel.reduce, cuf_reduce);
    format!(
        "cuf-kernel depth={} grid={} block={} bytes={} stream={}{reduce}",
        optional(kernel.depth.as_ref()),
        extents(&kernel.grid),
        extents(&kernel.block),
        optional(kernel.bytes.as_ref()),
        optional(kernel.stream.as_ref())
    )
}

fn cuf_reduce(reduce: &CufReduce) -> String {
    format!("(reduce {} {})", reduce.op, names(&reduce.vars))
}

fn allocate(stmt: &Allocate) -> String {
    let spec = stmt.spec.as_ref().map_or_else(String::new, |s| format!("type={} ", type_spec(s)));
    let options = concat(&stmt.options, |(name, value)| format!("{}={}", name.text, expr(value)));
    format!("{spec}{}{options}", spaced(&stmt.objects, expr))
}
