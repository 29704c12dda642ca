//! Types as written.

use super::Builder;
use crate::grammar::{Pair, Rule};
use ast::{CharLen, DerivedSpec, KindParam, TypeSpec, TypeSpecKind};
use diag::{Code, Diagnostic};
use source::Span;

impl Builder<'_> {
    /// A pair of `type_spec` or of one of its alternatives.
    pub(crate) fn type_spec(&mut self, pair: Pair<'_>) -> TypeSpec {
        let span = self.span(&pair);
        let rule = pair.as_rule();
        if rule == Rule::type_spec {
            return match pair.into_inner().next() {
                Some(inner) => self.type_spec(inner),
                None => TypeSpec { kind: TypeSpecKind::ClassStar, span },
            };
        }
        let kind = match rule {
            Rule::type_integer => TypeSpecKind::Integer(self.kind_param(pair)),
            Rule::type_real => TypeSpecKind::Real(self.kind_param(pair)),
            Rule::type_complex => TypeSpecKind::Complex(self.kind_param(pair)),
            Rule::type_logical => TypeSpecKind::Logical(self.kind_param(pair)),
            Rule::type_double_precision => TypeSpecKind::DoublePrecision,
            Rule::type_double_complex => TypeSpecKind::DoubleComplex,
            Rule::type_byte => TypeSpecKind::Integer(Some(KindParam::Star(1))),
            Rule::type_character | Rule::old_character => self.character_type(pair),
            Rule::type_class | Rule::type_derived => match pair.into_inner().next() {
                Some(inner) if inner.as_rule() == Rule::type_spec => return self.type_spec(inner),
                Some(inner) if inner.as_rule() == Rule::derived_spec => {
                    let spec = self.derived_spec(inner);
                    if rule == Rule::type_class { TypeSpecKind::Class(spec) } else { TypeSpecKind::Type(spec) }
                }
                _ if rule == Rule::type_class => TypeSpecKind::ClassStar,
                _ => TypeSpecKind::TypeStar,
            },
            Rule::bare_type => bare(pair.as_str()),
            Rule::derived_spec => TypeSpecKind::Type(self.derived_spec(pair)),
            _ => TypeSpecKind::Type(DerivedSpec::plain(self.inner_name(&pair))),
        };
        TypeSpec { kind, span }
    }

    /// `derived_spec`
    fn derived_spec(&mut self, pair: Pair<'_>) -> DerivedSpec {
        let mut inner = pair.into_inner();
        let mut spec = DerivedSpec::plain(self.next_name(&mut inner));
        for param in inner {
            let mut parts = param.into_inner().peekable();
            let keyword = parts.next_if(|p| p.as_rule() == Rule::keyword).map(|p| self.name(&p));
            if let Some(value) = parts.next() {
                spec.params.push((keyword, self.len_value(value)));
            }
        }
        spec
    }

    /// The first type inside a pair.
    pub(crate) fn first_type(&mut self, pair: Pair<'_>) -> Option<TypeSpec> {
        pair.into_inner().next().map(|inner| self.type_spec(inner))
    }

    /// The type before `::` in an array constructor or ALLOCATE: a derived type stands by its name alone.
    pub(crate) fn item_type(&mut self, pair: Pair<'_>) -> Option<TypeSpec> {
        self.first_type(pair)
    }

    fn kind_param(&mut self, pair: Pair<'_>) -> Option<KindParam> {
        let param = pair.into_inner().next()?;
        let span = self.span(&param);
        let inner = param.into_inner().next()?;
        if inner.as_rule() == Rule::digits {
            return Some(KindParam::Star(self.bytes(inner.as_str(), span)));
        }
        Some(KindParam::Expr(Box::new(self.expr(inner))))
    }

    fn bytes(&mut self, digits: &str, span: Span) -> u32 {
        digits.parse().unwrap_or_else(|_| {
            self.report(Diagnostic::new(
                Code::BadNumber,
                span,
                format!("`{digits}` is not a size that a type can have"),
            ));
            4
        })
    }

    fn character_type(&mut self, pair: Pair<'_>) -> TypeSpecKind {
        let (mut len, mut kind) = (None, None);
        if let Some(selector) = pair.into_inner().next() {
            if selector.as_rule() == Rule::star_len {
                len = self.star_len(selector);
            } else {
                for (position, param) in selector.into_inner().enumerate() {
                    let mut inner = param.into_inner().peekable();
                    let keyword = inner.next_if(|p| p.as_rule() == Rule::char_keyword).map(|p| p.as_str().to_owned());
                    let Some(value) = inner.next() else { continue };
                    let span = self.span(&value);
                    let is_kind = keyword.map_or(position == 1, |k| k == "kind");
                    match (is_kind, self.len_value(value)) {
                        (false, value) => len = Some(value),
                        (true, CharLen::Expr(value)) => kind = Some(KindParam::Expr(value)),
                        (true, _) => self.report(Diagnostic::new(
                            Code::SyntaxError,
                            span,
                            "the kind of a character type must be an expression",
                        )),
                    }
                }
            }
        }
        TypeSpecKind::Character { len, kind }
    }

    /// `*len` after `character` or after a name.
    pub(crate) fn star_len(&mut self, pair: Pair<'_>) -> Option<CharLen> {
        let inner = pair.into_inner().next()?;
        if inner.as_rule() != Rule::digits {
            return Some(self.len_value(inner));
        }
        let span = self.span(&inner);
        let kind = ast::ExprKind::Int { digits: self.names.intern(inner.as_str()), kind: None };
        Some(CharLen::Expr(Box::new(ast::Expr { kind, span })))
    }

    fn len_value(&mut self, pair: Pair<'_>) -> CharLen {
        match pair.into_inner().next() {
            Some(p) if p.as_rule() == Rule::star => CharLen::Assumed,
            Some(p) if p.as_rule() == Rule::colon => CharLen::Deferred,
            Some(p) => CharLen::Expr(Box::new(self.expr(p))),
            None => CharLen::Assumed,
        }
    }
}

/// An intrinsic type without its kind.
fn bare(text: &str) -> TypeSpecKind {
    match text {
        "integer" => TypeSpecKind::Integer(None),
        "complex" => TypeSpecKind::Complex(None),
        "logical" => TypeSpecKind::Logical(None),
        "character" => TypeSpecKind::Character { len: None, kind: None },
        "byte" => TypeSpecKind::Integer(Some(KindParam::Star(1))),
        "double precision" | "doubleprecision" => TypeSpecKind::DoublePrecision,
        "double complex" | "doublecomplex" => TypeSpecKind::DoubleComplex,
        _ => TypeSpecKind::Real(None),
    }
}
