//! Expressions and types as text.
//!
//! Parentheses are nodes of the tree, so operands are written as they are: precedence is that of the parser.

use super::joined;
use crate::{
    Arg, ArgValue, ArrayItem, BinaryOp, CharLen, DerivedSpec, Expr, ExprKind, ImpliedDo, IoItem, KindParam, Name,
    Radix, TypeSpec, TypeSpecKind, UnaryOp,
};

/// An expression.
pub(super) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Int { digits: text, kind } | ExprKind::Real { text, kind } => with_kind(text, kind.as_ref()),
        ExprKind::Logical { value, kind } => with_kind(if *value { ".true." } else { ".false." }, kind.as_ref()),
        ExprKind::Char { value, kind } => {
            let prefix = kind.as_ref().map_or_else(String::new, |k| format!("{}_", k.text));
            // No source text has a zero but by this form.
            let (value, mark) = value.strip_suffix('\0').map_or((&**value, ""), |value| (value, "c"));
            format!("{prefix}'{}'{mark}", value.replace('\'', "''"))
        }
        ExprKind::Hollerith(value) => format!("{}h{value}", value.chars().count()),
        ExprKind::Boz { radix, digits } => {
            let letter = match radix {
                Radix::Binary => 'b',
                Radix::Octal => 'o',
                Radix::Hex => 'z',
            };
            format!("{letter}'{digits}'")
        }
        ExprKind::Complex(re, im) => format!("({}, {})", expr(re), expr(im)),
        ExprKind::Name(name) => name.text.to_string(),
        ExprKind::Apply { base, args } => format!("{}({})", expr(base), arg_list(args)),
        ExprKind::Member { base, name } => format!("{}%{}", expr(base), name.text),
        ExprKind::Unary { op, operand } => format!("{}{}", unary(op), expr(operand)),
        ExprKind::Binary { op, left, right } => format!("{} {} {}", expr(left), binary(op), expr(right)),
        ExprKind::Array { spec, items } => {
            let spec = spec.as_ref().map_or_else(String::new, |s| format!("{} :: ", bare_type(s)));
            format!("[{spec}{}]", joined(items, ", ", array_item))
        }
        ExprKind::Paren(inner) => format!("({})", expr(inner)),
        ExprKind::Unsupported(what) => format!("<unsupported {what}>"),
        ExprKind::Error => "<error>".to_owned(),
    }
}

fn with_kind(text: &str, kind: Option<&Name>) -> String {
    kind.map_or_else(|| text.to_owned(), |k| format!("{text}_{}", k.text))
}

/// The text of a prefix operator, with the blank that a word needs.
pub(crate) fn unary(op: &UnaryOp) -> String {
    match op {
        UnaryOp::Plus => "+".into(),
        UnaryOp::Minus => "-".into(),
        UnaryOp::Not => ".not. ".into(),
        UnaryOp::Defined(name) => format!(".{name}. "),
    }
}

/// The text of an infix operator.
pub(crate) fn binary(op: &BinaryOp) -> String {
    let text = match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Pow => "**",
        BinaryOp::Concat => "//",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "/=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::And => ".and.",
        BinaryOp::Or => ".or.",
        BinaryOp::Eqv => ".eqv.",
        BinaryOp::Neqv => ".neqv.",
        BinaryOp::Defined(name) => return format!(".{name}."),
    };
    text.to_owned()
}

/// The arguments between parentheses.
pub(super) fn arg_list(args: &[Arg]) -> String {
    joined(args, ", ", |arg| {
        let keyword = arg.keyword.as_ref().map_or_else(String::new, |k| format!("{} = ", k.text));
        format!("{keyword}{}", arg_value(&arg.value))
    })
}

fn arg_value(value: &ArgValue) -> String {
    match value {
        ArgValue::Expr(e) => expr(e),
        ArgValue::Range { lo, hi, step } => {
            let step = step.as_ref().map_or_else(String::new, |s| format!(":{}", expr(s)));
            format!("{}:{}{step}", optional(lo.as_ref()), optional(hi.as_ref()))
        }
        ArgValue::AltReturn(0) => "*".into(),
        ArgValue::AltReturn(label) => format!("*{label}"),
    }
}

/// An expression or nothing.
pub(super) fn optional(e: Option<&Expr>) -> String {
    e.map_or_else(String::new, expr)
}

fn array_item(item: &ArrayItem) -> String {
    match item {
        ArrayItem::Expr(e) => expr(e),
        ArrayItem::Do(implied) => implied_do(implied, array_item),
        ArrayItem::Range(range) => {
            let step = range.step.as_ref().map_or_else(String::new, |step| format!(":{}", expr(step)));
            format!("{}:{}{step}", expr(&range.first), expr(&range.last))
        }
    }
}

/// An item of an I/O list.
pub(super) fn io_item(item: &IoItem) -> String {
    match item {
        IoItem::Expr(e) => expr(e),
        IoItem::Do(implied) => implied_do(implied, io_item),
    }
}

/// An object of DATA: an implied DO stands without the brackets of a constructor.
pub(super) fn data_object(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Array { spec: None, items } => joined(items, ", ", array_item),
        _ => expr(e),
    }
}

fn implied_do<T>(implied: &ImpliedDo<T>, item: impl Fn(&T) -> String) -> String {
    let items = joined(&implied.items, ", ", item);
    let spec = implied.spec.as_ref().map_or_else(String::new, |s| format!("{} :: ", type_spec(s)));
    let step = implied.step.as_ref().map_or_else(String::new, |s| format!(", {}", expr(s)));
    format!("({items}, {spec}{} = {}, {}{step})", implied.var.text, expr(&implied.first), expr(&implied.last))
}

/// A type as in a declaration.
pub(super) fn type_spec(spec: &TypeSpec) -> String {
    match &spec.kind {
        TypeSpecKind::Integer(kind) => with_param("integer", kind.as_ref()),
        TypeSpecKind::Real(kind) => with_param("real", kind.as_ref()),
        TypeSpecKind::DoublePrecision => "double precision".into(),
        TypeSpecKind::Complex(kind) => with_param("complex", kind.as_ref()),
        TypeSpecKind::DoubleComplex => "double complex".into(),
        TypeSpecKind::Logical(kind) => with_param("logical", kind.as_ref()),
        TypeSpecKind::Character { len, kind } => {
            let len = len.as_ref().map(|l| format!("len={}", char_len(l)));
            let kind = kind.as_ref().map(|k| match k {
                KindParam::Expr(e) => format!("kind={}", expr(e)),
                KindParam::Star(bytes) => format!("kind={bytes}"),
            });
            let params: Vec<String> = [len, kind].into_iter().flatten().collect();
            if params.is_empty() { "character".into() } else { format!("character({})", params.join(", ")) }
        }
        TypeSpecKind::Type(spec) => match spec.name.text.strip_prefix("structure ") {
            Some(name) => format!("record /{name}/"),
            None => format!("type({})", derived_spec(spec)),
        },
        TypeSpecKind::Class(spec) => format!("class({})", derived_spec(spec)),
        TypeSpecKind::ClassStar => "class(*)".into(),
        TypeSpecKind::TypeStar => "type(*)".into(),
    }
}

/// A type where a derived type stands by its name alone: constructors, ALLOCATE, guards, PROCEDURE.
pub(super) fn bare_type(spec: &TypeSpec) -> String {
    match &spec.kind {
        TypeSpecKind::Type(spec) => derived_spec(spec),
        _ => type_spec(spec),
    }
}

/// `name(values)` of a derived type.
fn derived_spec(spec: &DerivedSpec) -> String {
    if spec.params.is_empty() {
        return spec.name.text.to_string();
    }
    let value = |(keyword, value): &(Option<crate::Name>, CharLen)| {
        let value = char_len(value);
        keyword.as_ref().map_or(value.clone(), |keyword| format!("{}={value}", keyword.text))
    };
    format!("{}({})", spec.name.text, spec.params.iter().map(value).collect::<Vec<_>>().join(", "))
}

fn with_param(word: &str, kind: Option<&KindParam>) -> String {
    match kind {
        None => word.to_owned(),
        Some(KindParam::Expr(e)) => format!("{word}({})", expr(e)),
        Some(KindParam::Star(bytes)) => format!("{word}*{bytes}"),
    }
}

/// A character length.
pub(super) fn char_len(len: &CharLen) -> String {
    match len {
        CharLen::Expr(e) => expr(e),
        CharLen::Assumed => "*".into(),
        CharLen::Deferred => ":".into(),
    }
}
