//! Executable statements as text.

use super::decl::{bind as bound, names};
use super::expr::{arg_list, bare_type, expr, io_item, optional, type_spec};
use super::{Writer, joined};
use crate::{
    Allocate, Block, CaseRange, ConcurrentHeader, CufKernel, CufReduce, CufSize, DoControl, Expr, GlobalLaunch,
    IoControl, IoItem, IoKind, Name, Stmt, StmtKind,
};

impl Writer {
    /// Statements, one level deeper.
    pub(super) fn block(&mut self, block: &Block) {
        self.indented(|w| {
            for stmt in block {
                w.stmt(stmt);
            }
        });
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let label = stmt.label;
        match &stmt.kind {
            StmtKind::If { name, arms, .. } => {
                for (number, arm) in arms.iter().enumerate() {
                    match (&arm.condition, number) {
                        (condition, 0) => {
                            self.labelled(
                                label,
                                format!("{}if ({}) then", prefix(name.as_ref()), optional(condition.as_ref())),
                            );
                        }
                        (Some(condition), _) => self.line(format!("else if ({}) then", expr(condition))),
                        (None, _) => self.line("else"),
                    }
                    self.block(&arm.body);
                }
                self.line(format!("end if{}", suffix(name.as_ref())));
            }
            StmtKind::Do { name, control, body, .. } => {
                self.labelled(label, format!("{}do{}", prefix(name.as_ref()), do_control(control)));
                self.block(body);
                self.line(format!("end do{}", suffix(name.as_ref())));
            }
            StmtKind::Select { name, value, arms, .. } => {
                self.labelled(label, format!("{}select case ({})", prefix(name.as_ref()), expr(value)));
                for arm in arms {
                    self.line(match &arm.ranges {
                        None => "case default".to_owned(),
                        Some(ranges) => format!("case ({})", joined(ranges, ", ", case_range)),
                    });
                    self.block(&arm.body);
                }
                self.line(format!("end select{}", suffix(name.as_ref())));
            }
            StmtKind::SelectRank { name, bind, value, arms, .. } => {
                let bind = bind.as_ref().map_or_else(String::new, |b| format!("{} => ", b.text));
                self.labelled(label, format!("{}select rank ({bind}{})", prefix(name.as_ref()), expr(value)));
                for arm in arms {
                    self.line(match arm.ranges.as_deref() {
                        None => "rank default".to_owned(),
                        Some([]) => "rank (*)".to_owned(),
                        Some(ranges) => format!("rank ({})", joined(ranges, ", ", case_range)),
                    });
                    self.block(&arm.body);
                }
                self.line(format!("end select{}", suffix(name.as_ref())));
            }
            StmtKind::SelectType { name, bind, value, arms, .. } => {
                let bind = bind.as_ref().map_or_else(String::new, |b| format!("{} => ", b.text));
                self.labelled(label, format!("{}select type ({bind}{})", prefix(name.as_ref()), expr(value)));
                for (guard, body, _) in arms {
                    self.line(match guard {
                        None => "class default".to_owned(),
                        Some((true, spec)) => format!("type is ({})", bare_type(spec)),
                        Some((false, spec)) => format!("class is ({})", bare_type(spec)),
                    });
                    self.block(body);
                }
                self.line(format!("end select{}", suffix(name.as_ref())));
            }
            StmtKind::Where { arms, .. } => {
                for (number, arm) in arms.iter().enumerate() {
                    match (&arm.mask, number) {
                        (mask, 0) => self.labelled(label, format!("where ({})", optional(mask.as_ref()))),
                        (Some(mask), _) => self.line(format!("elsewhere ({})", expr(mask))),
                        (None, _) => self.line("elsewhere"),
                    }
                    self.block(&arm.body);
                }
                self.line("end where");
            }
            StmtKind::Forall { header, body, .. } => {
                self.labelled(label, format!("forall ({})", concurrent_header(header)));
                self.block(body);
                self.line("end forall");
            }
            StmtKind::Block { name, uses, decls, body, .. } => {
                self.labelled(label, format!("{}block", prefix(name.as_ref())));
                self.specification(uses, decls);
                self.block(body);
                self.line(format!("end block{}", suffix(name.as_ref())));
            }
            StmtKind::Associate { name, items, body, .. } => {
                let items = joined(items, ", ", |(name, value)| format!("{} => {}", name.text, expr(value)));
                self.labelled(label, format!("{}associate ({items})", prefix(name.as_ref())));
                self.block(body);
                self.line(format!("end associate{}", suffix(name.as_ref())));
            }
            StmtKind::Cuf(kernel) => {
                self.line(cuf_kernel(kernel));
                if let Some(body) = &kernel.body {
                    let labelled = Stmt { label: label.or(body.label), ..(**body).clone() };
                    self.stmt(&labelled);
                }
            }
            StmtKind::Declaration(decl) => {
                let before = self.out.len();
                self.declaration(decl);
                // FORMAT writes its own label.
                if let Some(label) = label.filter(|_| !matches!(decl.kind, crate::DeclKind::Format { .. })) {
                    let text = self.out.split_off(before);
                    self.labelled(Some(label), text.trim());
                }
            }
            kind => self.labelled(label, simple(kind)),
        }
    }
}

/// A statement of one line.
fn simple(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Assign { target, value } => format!("{} = {}", expr(target), expr(value)),
        StmtKind::PointerAssign { target, value } => format!("{} => {}", expr(target), expr(value)),
        StmtKind::Call { callee, launch, args } => {
            let launch = launch.as_ref().map_or_else(String::new, global_launch);
            format!("call {}{launch}({})", expr(callee), arg_list(args))
        }
        StmtKind::ArithmeticIf { value, labels: [a, b, c] } => format!("if ({}) {a}, {b}, {c}", expr(value)),
        StmtKind::Cycle(name) => format!("cycle{}", suffix(name.as_ref())),
        StmtKind::Exit(name) => format!("exit{}", suffix(name.as_ref())),
        StmtKind::Goto(label) => format!("go to {label}"),
        StmtKind::ComputedGoto(labels, index) => {
            format!("go to ({}), {}", joined(labels, ", ", u32::to_string), expr(index))
        }
        StmtKind::AssignedGoto(name, labels) if labels.is_empty() => format!("go to {}", name.text),
        StmtKind::AssignedGoto(name, labels) => {
            format!("go to {}, ({})", name.text, joined(labels, ", ", u32::to_string))
        }
        StmtKind::LabelAssign(label, name) => format!("assign {label} to {}", name.text),
        StmtKind::Continue => "continue".into(),
        StmtKind::Return(value) => with_value("return", value.as_ref()),
        StmtKind::Stop { error, code, quiet } => {
            let stop = with_value(if *error { "error stop" } else { "stop" }, code.as_ref());
            quiet.as_ref().map_or(stop.clone(), |quiet| format!("{stop}, quiet={}", expr(quiet)))
        }
        StmtKind::Pause { code, .. } => with_value("pause", code.as_ref()),
        StmtKind::Unsupported(what) => format!("<unsupported {what}>"),
        StmtKind::Allocate(stmt) => format!("allocate ({})", allocate(stmt)),
        StmtKind::Deallocate(stmt) => format!("deallocate ({})", allocate(stmt)),
        StmtKind::Nullify(objects) => format!("nullify ({})", joined(objects, ", ", expr)),
        StmtKind::Entry { name, args, result, bind } => {
            let result = result.as_ref().map_or_else(String::new, |r| format!(" result({})", r.text));
            let bind = bind.as_ref().map_or_else(String::new, |label| format!(" {}", bound(label.as_ref())));
            format!("entry {}({}){result}{bind}", name.text, names(args))
        }
        StmtKind::Io { kind, control, items } => io(*kind, control, items),
        _ => "<error>".into(),
    }
}

fn prefix(name: Option<&Name>) -> String {
    name.map_or_else(String::new, |n| format!("{}: ", n.text))
}

fn suffix(name: Option<&Name>) -> String {
    name.map_or_else(String::new, |n| format!(" {}", n.text))
}

fn with_value(word: &str, value: Option<&Expr>) -> String {
    value.map_or_else(|| word.to_owned(), |v| format!("{word} {}", expr(v)))
}

fn do_control(control: &DoControl) -> String {
    match control {
        DoControl::Forever => String::new(),
        DoControl::While(condition) => format!(" while ({})", expr(condition)),
        DoControl::Count { var, first, last, step } => {
            let step = step.as_ref().map_or_else(String::new, |s| format!(", {}", expr(s)));
            format!(" {} = {}, {}{step}", expr(var), expr(first), expr(last))
        }
        DoControl::Concurrent { header, locals, inits, shared, none, reduce } => {
            let plain: Vec<Name> = locals.iter().filter(|l| !inits.iter().any(|i| i.text == l.text)).cloned().collect();
            let part = |word: &str, list: &[Name]| {
                if list.is_empty() { String::new() } else { format!(" {word}({})", names(list)) }
            };
            let locals = part("local", &plain) + &part("local_init", inits) + &part("shared", shared);
            let none = if *none { " default(none)" } else { "" };
            let reduce = joined(reduce, "", cuf_reduce);
            format!(" concurrent ({}){locals}{none}{reduce}", concurrent_header(header))
        }
    }
}

fn concurrent_header(ConcurrentHeader { spec, vars, mask }: &ConcurrentHeader) -> String {
    let spec = spec.as_ref().map_or_else(String::new, |s| format!("{} :: ", type_spec(s)));
    let vars = joined(vars, ", ", |var| {
        let step = var.step.as_ref().map_or_else(String::new, |s| format!(":{}", expr(s)));
        format!("{} = {}:{}{step}", var.name.text, expr(&var.first), expr(&var.last))
    });
    let mask = mask.as_ref().map_or_else(String::new, |mask| format!(", {}", expr(mask)));
    spec + &vars + &mask
}

fn case_range(range: &CaseRange) -> String {
    match range {
        CaseRange::Value(value) => expr(value),
        CaseRange::Range(lo, hi) => format!("{}:{}", optional(lo.as_ref()), optional(hi.as_ref())),
    }
}

fn global_launch(launch: &GlobalLaunch) -> String {
    let grid = launch.grid.as_ref().map_or_else(|| "*".to_owned(), expr);
    format!("<<<{grid}, {}{}>>>", expr(&launch.block), launch_options(launch.bytes.as_ref(), launch.stream.as_ref()))
}

fn launch_options(bytes: Option<&Expr>, stream: Option<&Expr>) -> String {
    let bytes = bytes.map_or_else(String::new, |b| format!(", {}", expr(b)));
    let stream = stream.map_or_else(String::new, |s| format!(", stream={}", expr(s)));
    bytes + &stream
}

fn cuf_kernel(kernel: &CufKernel) -> String {
    let depth = kernel.depth.as_ref().map_or_else(String::new, |d| format!("({})", expr(d)));
    let launch = if kernel.grid.is_empty() {
        String::new()
    } else {
        let options = launch_options(kernel.bytes.as_ref(), kernel.stream.as_ref());
        format!(" <<<{}, {}{options}>>>", cuf_extents(&kernel.grid), cuf_extents(&kernel.block))
    };
    let reduce = joined(&kernel.reduce, "", cuf_reduce);
    format!("!$cuf kernel do{depth}{launch}{reduce}")
}

fn cuf_extents(sizes: &[CufSize]) -> String {
    let size = |size: &CufSize| match size {
        CufSize::Star => "*".to_owned(),
        CufSize::Expr(e) => expr(e),
    };
    match sizes {
        [only] => size(only),
        _ => format!("({})", joined(sizes, ", ", size)),
    }
}

fn cuf_reduce(reduce: &CufReduce) -> String {
    format!(" reduce({}:{})", reduce.op, names(&reduce.vars))
}

fn allocate(stmt: &Allocate) -> String {
    let spec = stmt.spec.as_ref().map_or_else(String::new, |s| format!("{} :: ", bare_type(s)));
    let mut items: Vec<String> = stmt.objects.iter().map(expr).collect();
    items.extend(stmt.options.iter().map(|(name, value)| format!("{}={}", name.text, expr(value))));
    format!("{spec}{}", items.join(", "))
}

/// The word of an I/O statement.
pub(crate) fn io_word(kind: IoKind) -> &'static str {
    match kind {
        IoKind::Print => "print",
        IoKind::Write => "write",
        IoKind::Read => "read",
        IoKind::Open => "open",
        IoKind::Close => "close",
        IoKind::Inquire => "inquire",
        IoKind::Rewind => "rewind",
        IoKind::Backspace => "backspace",
        IoKind::Endfile => "endfile",
        IoKind::Flush => "flush",
        IoKind::Wait => "wait",
        IoKind::Encode => "encode",
        IoKind::Decode => "decode",
    }
}

fn io(kind: IoKind, control: &[IoControl], items: &[IoItem]) -> String {
    let word = io_word(kind);
    let value = |c: &IoControl| c.value.as_ref().map_or_else(|| "*".to_owned(), expr);
    let text = joined(items, ", ", io_item);
    if let [only] = control
        && (kind == IoKind::Print || kind == IoKind::Read && only.keyword.as_ref().is_some_and(|k| k.as_str() == "fmt"))
    {
        let items = if text.is_empty() { text } else { format!(", {text}") };
        return format!("{word} {}{items}", value(only));
    }
    let control = joined(control, ", ", |c| {
        let keyword = c.keyword.as_ref().map_or_else(String::new, |k| format!("{}=", k.text));
        format!("{keyword}{}", value(c))
    });
    format!("{word} ({control}) {text}").trim_end().to_owned()
}
