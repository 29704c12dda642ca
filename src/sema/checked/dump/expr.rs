//! Types, shapes and expressions as text.

use super::Dump;
use crate::checked::{
    Actual, BinaryOp, CharLen, CmpOp, Const, Dim, Expr, ExprKind, ImpliedDo, IoItem, Item, LogicOp, Shape, Sub, Type,
    UnaryOp,
};
use std::fmt::Write as _;

impl Dump<'_> {
    pub(super) fn ty(&self, ty: &Type) -> String {
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

    pub(super) fn dim(&self, d: &Dim) -> String {
        match d.lower.kind {
            ExprKind::Const(Const::Int(1)) => self.expr(&d.upper),
            _ => format!("{}:{}", self.expr(&d.lower), self.expr(&d.upper)),
        }
    }

    pub(super) fn shape(&self, shape: &Shape) -> String {
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

    pub(super) fn list<'e>(&self, list: impl IntoIterator<Item = &'e Expr>) -> String {
        list.into_iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn range(&self, lo: Option<&Expr>, hi: Option<&Expr>, step: Option<&Expr>) -> String {
        let part = |e: Option<&Expr>| e.map_or(String::new(), |e| self.expr(e));
        let mut text = format!("{}:{}", part(lo), part(hi));
        if let Some(step) = step {
            let _ = write!(text, ":{}", self.expr(step));
        }
        text
    }

    pub(super) fn expr(&self, e: &Expr) -> String {
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
            ExprKind::Seen { base, class } => {
                format!("{}<{}>", if *class { "class" } else { "as" }, self.expr(base))
            }
            ExprKind::IsType { object, ty, exact } => {
                format!("{}({}, {})", if *exact { "type_is" } else { "class_is" }, self.expr(object), self.ty(ty))
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
            ExprKind::Let { vars, value } => {
                let own = vars.iter().map(|(id, e)| format!("{} = {}", self.p.var(*id).name, self.expr(e)));
                format!("let({}: {})", own.collect::<Vec<_>>().join(", "), self.expr(value))
            }
            ExprKind::Intrinsic { id, args } => format!("{}({})", id.name(), self.optional(args)),
            ExprKind::Call { proc, args } => format!("{}({})", self.p.proc(*proc).qualified, self.actuals(args)),
            ExprKind::Construct { ty, parents, fields } => {
                let own = parents.iter().map(|(id, e)| format!("{} = {}: ", self.p.var(*id).name, self.expr(e)));
                format!("{}({}{})", self.p.ty(*ty).name, own.collect::<String>(), self.optional(fields))
            }
            ExprKind::Array(items) => format!("[{}: {}]", self.ty(&e.ty), self.items(items)),
            ExprKind::Special { index, add } => {
                let names = ["tid", "ntid", "ctaid", "nctaid"];
                let axis = ["x", "y", "z"][usize::from(index % 3)];
                let name = names.get(usize::from(index / 3)).copied().unwrap_or("?");
                if *add == 0 { format!("{name}.{axis}") } else { format!("{name}.{axis}+{add}") }
            }
            ExprKind::Procedure(id) => self.p.proc(*id).qualified.to_string(),
            ExprKind::Null => "null()".into(),
            ExprKind::Unsupported(what) => format!("unsupported<{what}>"),
        }
    }

    pub(super) fn optional(&self, args: &[Option<Expr>]) -> String {
        let mut list: Vec<String> = args.iter().map(|a| a.as_ref().map_or("-".into(), |e| self.expr(e))).collect();
        while list.last().is_some_and(|t| t == "-") {
            list.pop();
        }
        list.join(", ")
    }

    pub(super) fn actuals(&self, args: &[Option<Actual>]) -> String {
        let one = |a: &Option<Actual>| match a {
            None => "-".into(),
            Some(Actual::Expr(e)) => self.expr(e),
            Some(Actual::Address(e)) => format!("memory at {}", self.expr(e)),
            Some(Actual::Proc(id)) => format!("procedure {}", self.p.proc(*id).qualified),
        };
        args.iter().map(one).collect::<Vec<String>>().join(", ")
    }

    pub(super) fn items(&self, items: &[Item]) -> String {
        let one = |i: &Item| match i {
            Item::Expr(e) => self.expr(e),
            Item::Do(d) => format!("({}, {})", self.items(&d.items), self.control(d)),
        };
        items.iter().map(one).collect::<Vec<String>>().join(", ")
    }

    pub(super) fn control<T>(&self, d: &ImpliedDo<T>) -> String {
        format!(
            "{} = {}",
            self.name(d.var),
            self.list([Some(&d.first), Some(&d.last), d.step.as_ref()].into_iter().flatten())
        )
    }

    pub(super) fn io_items(&self, items: &[IoItem]) -> String {
        let one = |i: &IoItem| match i {
            IoItem::Expr(e) | IoItem::Target(_, e) => self.expr(e),
            IoItem::Do(d) => format!("({}, {})", self.io_items(&d.items), self.control(d)),
        };
        items.iter().map(one).collect::<Vec<String>>().join(", ")
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

pub(super) fn constant(c: &Const) -> String {
    match c {
        Const::Int(v) => v.to_string(),
        Const::Real2(bits) => format!("{:?}_2", scalar::half::widen(*bits)),
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
