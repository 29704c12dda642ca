//! The text of a checked program, for `--emit checked` and for tests: pseudo-Fortran with every conversion written out.
//!
//! Modules of the embedded sources and what belongs to them are left out. A conversion is `integer(8)<x>`, a variable
//! is its name, a procedure its qualified name; spans are left out.

use super::{
    Actual, BinaryOp, Block, CaseRange, CharLen, CmpOp, Const, CufDim, Dim, Expr, ExprKind, ImpliedDo, IoForm, IoItem,
    IoUnit, Item, LaunchGrid, LogicOp, LoopControl, ProcBody, ProcId, ProcKind, Procedure, Program, ReduceOp, Shape,
    Stmt, StmtKind, Storage, Sub, Type, UnaryOp, VarId, Variable,
};
use std::fmt::Write as _;

/// The program as text.
pub fn dump(program: &Program) -> String {
    let mut d = Dump { p: program, out: String::new(), depth: 0 };
    let is_embedded = |name: &str| program.modules.iter().any(|m| m.embedded && &*m.name == name);
    for m in program.modules.iter().filter(|m| !m.embedded) {
        d.line(&format!("module {}", m.name));
        d.depth += 1;
        for v in program.vars.iter().filter(|v| v.owner.is_none() && v.module.as_ref() == Some(&m.name)) {
            d.variable(v);
        }
        d.depth -= 1;
    }
    for t in &program.types {
        if t.span.is_none()
            || t.fields.is_empty()
            || program.modules.iter().any(|m| m.embedded && m.scope.names.contains_key(&t.name))
        {
            continue;
        }
        d.line(&format!("type {} bytes={} align={}", t.name, t.bytes, t.align));
        d.depth += 1;
        for f in &t.fields {
            let mut text = format!("{} :: {}{} @{}", d.ty(&f.ty), f.name, d.shape(&f.shape), f.offset);
            if f.allocatable {
                text += " allocatable";
            }
            if f.pointer {
                text += " pointer";
            }
            if let Some(c) = f.cuda {
                let _ = write!(text, " {}", format!("{c:?}").to_lowercase());
            }
            if let Some(c) = &f.init {
                let _ = write!(text, " = {}", constant(c));
            }
            d.line(&text);
        }
        d.depth -= 1;
    }
    for (i, p) in program.procs.iter().enumerate() {
        let module = p.qualified.split('.').next().unwrap_or("");
        if is_embedded(module) || matches!(p.body, ProcBody::Service(_)) {
            continue;
        }
        d.procedure(ProcId(i as u32), p);
    }
    d.out
}

struct Dump<'p> {
    p: &'p Program,
    out: String,
    depth: usize,
}

impl Dump<'_> {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn name(&self, id: VarId) -> &str {
        &self.p.var(id).name
    }

    fn procedure(&mut self, id: ProcId, p: &Procedure) {
        let kind = match p.kind {
            ProcKind::Host => "host",
            ProcKind::Kernel => "kernel",
            ProcKind::Device => "device",
            ProcKind::HostDevice => "host device",
        };
        let word = if p.is_function { "function" } else { "subroutine" };
        let word = if self.p.main == Some(id) { "program" } else { word };
        let mut text = format!("{kind} {word} {}", p.qualified);
        let params: Vec<&str> = p.params.iter().map(|v| self.name(*v)).collect();
        if self.p.main != Some(id) {
            let _ = write!(text, "({})", params.join(", "));
        }
        if let Some(r) = p.result {
            let _ = write!(text, " result({})", self.name(r));
        }
        for (on, word) in
            [(p.elemental, "elemental"), (p.pure, "pure"), (p.recursive, "recursive"), (p.cooperative, "cooperative")]
        {
            if on {
                let _ = write!(text, " {word}");
            }
        }
        if let Some(n) = p.max_threads {
            let _ = write!(text, " max_threads={n}");
        }
        self.line(&text);
        self.depth += 1;
        for v in &p.vars {
            self.variable(self.p.var(*v));
        }
        match &p.body {
            ProcBody::Statements(body) => self.block(body),
            ProcBody::Service(name) => self.line(&format!("service {name}")),
            ProcBody::Missing => self.line("missing"),
        }
        self.depth -= 1;
    }

    fn variable(&mut self, v: &Variable) {
        let storage = match &v.storage {
            Storage::Dummy(i) => format!("dummy {i}"),
            Storage::Result => "result".into(),
            Storage::Local => "local".into(),
            Storage::Static => "static".into(),
            Storage::Parameter => "parameter".into(),
            Storage::Alias(e) => format!("alias {}", self.expr(e)),
            Storage::Procedure => "procedure".into(),
            Storage::Pointee(p) => format!("pointee of {}", self.name(*p)),
        };
        let mut text = format!("{} {}{} [{storage}]", self.ty(&v.ty), v.name, self.shape(&v.shape));
        if let Some(c) = v.attrs.cuda {
            let _ = write!(text, " {}", format!("{c:?}").to_lowercase());
        }
        let a = &v.attrs;
        for (on, word) in [
            (a.allocatable, "allocatable"),
            (a.pointer, "pointer"),
            (a.target, "target"),
            (a.value, "value"),
            (a.optional, "optional"),
        ] {
            if on {
                let _ = write!(text, " {word}");
            }
        }
        if let Some(i) = a.intent {
            let _ = write!(text, " intent({})", format!("{i:?}").to_lowercase());
        }
        if let Some(c) = &v.init {
            let _ = write!(text, " = {}", constant(c));
        }
        self.line(&text);
    }

    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Integer(k) => format!("integer({k})"),
            Type::Real(k) => format!("real({k})"),
            Type::Complex(k) => format!("complex({k})"),
            Type::Logical(k) => format!("logical({k})"),
            Type::Character(CharLen::Const(n)) => format!("character({n})"),
            Type::Character(CharLen::Expr(e)) => format!("character({})", self.expr(e)),
            Type::Character(CharLen::Assumed) => "character(*)".into(),
            Type::Character(CharLen::Deferred) => "character(:)".into(),
            Type::Derived(id) => format!("type({})", self.p.ty(*id).name),
            Type::Any => "type(*)".into(),
        }
    }

    fn dim(&self, d: &Dim) -> String {
        match d.lower.kind {
            ExprKind::Const(Const::Int(1)) => self.expr(&d.upper),
            _ => format!("{}:{}", self.expr(&d.lower), self.expr(&d.upper)),
        }
    }

    fn shape(&self, shape: &Shape) -> String {
        let list: Vec<String> = match shape {
            Shape::Scalar => return String::new(),
            Shape::Explicit(dims) => dims.iter().map(|d| self.dim(d)).collect(),
            Shape::AssumedShape(lower) => lower
                .iter()
                .map(|l| {
                    if matches!(l.kind, ExprKind::Const(Const::Int(1))) {
                        ":".into()
                    } else {
                        format!("{}:", self.expr(l))
                    }
                })
                .collect(),
            Shape::AssumedSize(dims, _) => dims.iter().map(|d| self.dim(d)).chain(["*".to_owned()]).collect(),
            Shape::Deferred(rank) => vec![":".to_owned(); usize::from(*rank)],
            Shape::AssumedRank => vec!["..".into()],
        };
        format!("({})", list.join(","))
    }

    fn list<'e>(&self, list: impl IntoIterator<Item = &'e Expr>) -> String {
        list.into_iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn range(&self, lo: Option<&Expr>, hi: Option<&Expr>, step: Option<&Expr>) -> String {
        let part = |e: Option<&Expr>| e.map_or(String::new(), |e| self.expr(e));
        let mut text = format!("{}:{}", part(lo), part(hi));
        if let Some(step) = step {
            let _ = write!(text, ":{}", self.expr(step));
        }
        text
    }

    fn expr(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Const(c) => constant(c),
            ExprKind::Var(id) => self.name(*id).to_owned(),
            ExprKind::Field { base, field } => {
                let name = match base.ty {
                    Type::Derived(id) => self.p.ty(id).fields.get(*field as usize).map_or("?", |f| &*f.name),
                    _ => "?",
                };
                format!("{}%{name}", self.expr(base))
            }
            ExprKind::Element { base, subs } => format!("{}({})", self.expr(base), self.list(subs)),
            ExprKind::Section { base, subs } => {
                let subs: Vec<String> = subs
                    .iter()
                    .map(|s| match s {
                        Sub::Index(e) => self.expr(e),
                        Sub::Range { lo, hi, step } => self.range(lo.as_ref(), hi.as_ref(), step.as_ref()),
                        Sub::Vector(e) => format!("[{}]", self.expr(e)),
                    })
                    .collect();
                format!("{}({})", self.expr(base), subs.join(", "))
            }
            ExprKind::Substring { base, lo, hi } => {
                format!("{}({})", self.expr(base), self.range(lo.as_deref(), hi.as_deref(), None))
            }
            ExprKind::ComplexPart { base, imaginary } => {
                format!("{}%{}", self.expr(base), if *imaginary { "im" } else { "re" })
            }
            ExprKind::Unary { op, operand } => {
                format!("{}{}", if *op == UnaryOp::Neg { "-" } else { ".not." }, self.expr(operand))
            }
            ExprKind::Binary { op, left, right } => {
                format!("({} {} {})", self.expr(left), arithmetic(*op), self.expr(right))
            }
            ExprKind::Compare { op, left, right } => {
                format!("({} {} {})", self.expr(left), relation(*op), self.expr(right))
            }
            ExprKind::Logic { op, left, right } => format!("({} {} {})", self.expr(left), logic(*op), self.expr(right)),
            ExprKind::Concat(left, right) => format!("({} // {})", self.expr(left), self.expr(right)),
            ExprKind::Convert(inner) => format!("{}<{}>", self.ty(&e.ty), self.expr(inner)),
            ExprKind::Paren(inner) => format!("({})", self.expr(inner)),
            ExprKind::Intrinsic { id, args } => format!("{}({})", id.name(), self.optional(args)),
            ExprKind::Call { proc, args } => format!("{}({})", self.p.proc(*proc).qualified, self.actuals(args)),
            ExprKind::Construct { ty, fields } => format!("{}({})", self.p.ty(*ty).name, self.optional(fields)),
            ExprKind::Array(items) => format!("[{}: {}]", self.ty(&e.ty), self.items(items)),
            ExprKind::Special { index, add } => {
                let names = ["tid", "ntid", "ctaid", "nctaid"];
                let axis = ["x", "y", "z"][usize::from(index % 3)];
                let name = names.get(usize::from(index / 3)).copied().unwrap_or("?");
                if *add == 0 { format!("{name}.{axis}") } else { format!("{name}.{axis}+{add}") }
            }
            ExprKind::Null => "null()".into(),
            ExprKind::Unsupported(what) => format!("unsupported<{what}>"),
        }
    }

    fn optional(&self, args: &[Option<Expr>]) -> String {
        let mut list: Vec<String> = args.iter().map(|a| a.as_ref().map_or("-".into(), |e| self.expr(e))).collect();
        while list.last().is_some_and(|t| t == "-") {
            list.pop();
        }
        list.join(", ")
    }

    fn actuals(&self, args: &[Option<Actual>]) -> String {
        let one = |a: &Option<Actual>| match a {
            None => "-".into(),
            Some(Actual::Expr(e)) => self.expr(e),
            Some(Actual::Proc(id)) => format!("procedure {}", self.p.proc(*id).qualified),
        };
        args.iter().map(one).collect::<Vec<String>>().join(", ")
    }

    fn items(&self, items: &[Item]) -> String {
        let one = |i: &Item| match i {
            Item::Expr(e) => self.expr(e),
            Item::Do(d) => format!("({}, {})", self.items(&d.items), self.control(d)),
        };
        items.iter().map(one).collect::<Vec<String>>().join(", ")
    }

    fn control<T>(&self, d: &ImpliedDo<T>) -> String {
        format!(
            "{} = {}",
            self.name(d.var),
            self.list([Some(&d.first), Some(&d.last), d.step.as_ref()].into_iter().flatten())
        )
    }

    fn io_items(&self, items: &[IoItem]) -> String {
        let one = |i: &IoItem| match i {
            IoItem::Expr(e) => self.expr(e),
            IoItem::Do(d) => format!("({}, {})", self.io_items(&d.items), self.control(d)),
        };
        items.iter().map(one).collect::<Vec<String>>().join(", ")
    }

    fn block(&mut self, body: &Block) {
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
            StmtKind::Stop { error, code } => {
                format!(
                    "{}stop {}",
                    if *error { "error " } else { "" },
                    code.as_ref().map_or(String::new(), |e| self.expr(e))
                )
            }
            StmtKind::Allocate { objects, source, stat, errmsg, pinned, stream } => {
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
                for (name, e) in [("stat", stat), ("errmsg", errmsg), ("pinned", pinned), ("stream", stream)] {
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

fn arithmetic(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Pow => "**",
    }
}

fn relation(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "==",
        CmpOp::Ne => "/=",
        CmpOp::Lt => "<",
        CmpOp::Le => "<=",
        CmpOp::Gt => ">",
        CmpOp::Ge => ">=",
    }
}

fn logic(op: LogicOp) -> &'static str {
    match op {
        LogicOp::And => ".and.",
        LogicOp::Or => ".or.",
        LogicOp::Eqv => ".eqv.",
        LogicOp::Neqv => ".neqv.",
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

fn constant(c: &Const) -> String {
    match c {
        Const::Int(v) => v.to_string(),
        Const::Real4(v) => format!("{v:?}_4"),
        Const::Real8(v) => format!("{v:?}_8"),
        Const::Complex4(r, i) => format!("({r:?},{i:?})_4"),
        Const::Complex8(r, i) => format!("({r:?},{i:?})_8"),
        Const::Logical(v) => v.to_string(),
        Const::Char(text) => format!("{:?}", String::from_utf8_lossy(text)),
        Const::Derived(fields) => format!("{{{}}}", fields.iter().map(constant).collect::<Vec<_>>().join(", ")),
        Const::Array { items, .. } => {
            let shown: Vec<String> = items.iter().take(12).map(constant).collect();
            let more = if items.len() > 12 { format!(", … {} in all", items.len()) } else { String::new() };
            format!("[{}{more}]", shown.join(", "))
        }
        Const::Null => "null".into(),
    }
}
