//! Expressions and types as S-expressions.

use super::{concat, spaced};
use crate::unparse::{binary, unary};
use crate::{
    Arg, ArgValue, ArrayItem, CharLen, DerivedSpec, Expr, ExprKind, ImpliedDo, IoItem, KindParam, Name, Radix,
    TypeSpec, TypeSpecKind,
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
        ExprKind::Boz { radix: Radix::Binary, digits } => format!("b'{digits}'"),
        ExprKind::Boz { radix: Radix::Octal, digits } => format!("o'{digits}'"),
        ExprKind::Boz { radix: Radix::Hex, digits } => format!("z'{digits}'"),
        ExprKind::Complex(re, im) => format!("(complex {} {})", expr(re), expr(im)),
        ExprKind::Name(name) => name.text.to_string(),
        ExprKind::Apply { base, args } if args.is_empty() => format!("(apply {})", expr(base)),
        ExprKind::Apply { base, args } => format!("(apply {} {})", expr(base), spaced(args, arg)),
        ExprKind::Member { base, name } => format!("(% {} {})", expr(base), name.text),
        ExprKind::Unary { op, operand } => format!("({} {})", unary(op).trim(), expr(operand)),
        ExprKind::Binary { op, left, right } => format!("({} {} {})", binary(op), expr(left), expr(right)),
        ExprKind::Array { spec, items } => {
            let spec = spec.as_ref().map_or_else(String::new, |s| format!(" type={}", type_spec(s)));
            format!("(array{spec}{})", concat(items, array_item))
        }
        ExprKind::Paren(inner) => format!("(paren {})", expr(inner)),
        ExprKind::Unsupported(what) => format!("<unsupported {what}>"),
        ExprKind::Error => "<error>".to_owned(),
    }
}

/// An expression or `_`.
pub(super) fn optional(e: Option<&Expr>) -> String {
    e.map_or_else(|| "_".to_owned(), expr)
}

fn with_kind(text: &str, kind: Option<&Name>) -> String {
    kind.map_or_else(|| text.to_owned(), |k| format!("{text}_{}", k.text))
}

/// One argument.
pub(super) fn arg(arg: &Arg) -> String {
    let keyword = arg.keyword.as_ref().map_or_else(String::new, |k| format!("{}=", k.text));
    let value = match &arg.value {
        ArgValue::Expr(e) => expr(e),
        ArgValue::Range { lo, hi, step } => {
            format!("(: {} {} {})", optional(lo.as_ref()), optional(hi.as_ref()), optional(step.as_ref()))
        }
        ArgValue::AltReturn(label) => format!("*{label}"),
    };
    keyword + &value
}

fn array_item(item: &ArrayItem) -> String {
    match item {
        ArrayItem::Expr(e) => expr(e),
        ArrayItem::Do(implied) => implied_do(implied, array_item),
        ArrayItem::Range(r) => format!("(: {} {} {})", expr(&r.first), expr(&r.last), optional(r.step.as_ref())),
    }
}

/// An item of an I/O list.
pub(super) fn io_item(item: &IoItem) -> String {
    match item {
        IoItem::Expr(e) => expr(e),
        IoItem::Do(implied) => implied_do(implied, io_item),
    }
}

fn implied_do<T>(implied: &ImpliedDo<T>, item: impl Fn(&T) -> String) -> String {
    let spec = implied.spec.as_ref().map_or_else(String::new, |s| format!("type={} ", type_spec(s)));
    format!(
        "(do {spec}{} {} {} {} {})",
        implied.var.text,
        expr(&implied.first),
        expr(&implied.last),
        optional(implied.step.as_ref()),
        spaced(&implied.items, item)
    )
}

/// A type.
pub(super) fn type_spec(spec: &TypeSpec) -> String {
    match &spec.kind {
        TypeSpecKind::Integer(kind) => with_param("integer", kind.as_ref()),
        TypeSpecKind::Real(kind) => with_param("real", kind.as_ref()),
        TypeSpecKind::DoublePrecision => "double-precision".into(),
        TypeSpecKind::Complex(kind) => with_param("complex", kind.as_ref()),
        TypeSpecKind::DoubleComplex => "double-complex".into(),
        TypeSpecKind::Logical(kind) => with_param("logical", kind.as_ref()),
        TypeSpecKind::Character { len: None, kind: None } => "character".into(),
        TypeSpecKind::Character { len, kind } => {
            let len = len.as_ref().map_or_else(|| "_".to_owned(), char_len);
            let kind = kind.as_ref().map_or_else(String::new, |k| format!(" kind={}", kind_param(k)));
            format!("(character {len}{kind})")
        }
        TypeSpecKind::Type(spec) => format!("(type {})", derived_spec(spec)),
        TypeSpecKind::Class(spec) => format!("(class {})", derived_spec(spec)),
        TypeSpecKind::ClassStar => "(class *)".into(),
        TypeSpecKind::TypeStar => "(type *)".into(),
    }
}

fn derived_spec(spec: &DerivedSpec) -> String {
    let mut text = spec.name.text.to_string();
    for (keyword, value) in &spec.params {
        text.push(' ');
        if let Some(keyword) = keyword {
            text.push_str(&keyword.text);
            text.push('=');
        }
        text.push_str(&char_len(value));
    }
    text
}

fn with_param(word: &str, kind: Option<&KindParam>) -> String {
    kind.map_or_else(|| word.to_owned(), |k| format!("({word} {})", kind_param(k)))
}

fn kind_param(kind: &KindParam) -> String {
    match kind {
        KindParam::Expr(e) => expr(e),
        KindParam::Star(bytes) => format!("*{bytes}"),
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
