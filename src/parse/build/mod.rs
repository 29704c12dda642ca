//! From pest's pairs to nodes of the syntax tree.
//!
//! Each file knows the rules of one part of the grammar. The builder trusts the shape that the grammar gives; where a
//! child that must be there is not, it makes an error node instead of failing.

mod cuf;
mod decl;
mod exec;
mod expr;
mod io;
mod types;
mod unit;

use crate::grammar::{Pair, Pairs, Rule};
use ast::{Expr, ExprKind, Name};
use diag::{Code, Diagnostic, Diagnostics};
use source::{Provenance, Span};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// The names met so far, so that equal ones share their text; and what the options say of all statements.
#[derive(Debug)]
pub(crate) struct Names {
    texts: HashSet<Arc<str>>,
    /// How high the tree of an expression may be.
    pub(crate) most_height: u32,
    /// Whether forms that the standard does not have get a warning.
    pub(crate) is_standard: bool,
}

impl Default for Names {
    fn default() -> Names {
        Names::new(&crate::ParseOptions::default())
    }
}

impl Names {
    /// No names yet.
    pub(crate) fn new(options: &crate::ParseOptions) -> Names {
        let (most_height, is_standard) = (options.expression_height, options.standard);
        Names { texts: HashSet::new(), most_height, is_standard }
    }

    /// The names.
    pub(crate) fn into_texts(self) -> BTreeSet<Arc<str>> {
        self.texts.into_iter().collect()
    }

    /// The shared text.
    pub(crate) fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let new: Arc<str> = Arc::from(text);
        self.texts.insert(new.clone());
        new
    }
}

/// Builds the nodes of one statement.
pub(crate) struct Builder<'a> {
    /// Where the text came from.
    pub(crate) origin: &'a Provenance,
    /// What has to be added to an offset in the text that pest saw, to have one in the provenance.
    pub(crate) base: i64,
    /// The names met so far.
    pub(crate) names: &'a mut Names,
    /// Where errors go.
    pub(crate) diags: &'a mut Diagnostics,
    /// Whether an error in this statement was reported already.
    pub(crate) broken: bool,
    /// Whether a comment that begins with `!=` cut the statement.
    pub(crate) not_equal: bool,
    /// What makes an executable statement one that is not supported; it is not reported here.
    pub(crate) unsupported: Option<&'static str>,
}

impl Builder<'_> {
    /// The place of bytes `from..to` of the text that pest saw.
    pub(crate) fn place(&self, from: usize, to: usize) -> Span {
        let at = |offset: usize| (offset as i64 + self.base).max(0) as u32;
        self.origin.span(at(from), at(to))
    }

    /// The place of a pair.
    pub(crate) fn span(&self, pair: &Pair<'_>) -> Span {
        let span = pair.as_span();
        self.place(span.start(), span.end())
    }

    /// Reports an error of this statement, if it is the first.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if !std::mem::replace(&mut self.broken, true) {
            self.diags.push(diagnostic);
        }
    }

    /// Reports what does not keep the statement from being understood.
    pub(crate) fn warn(&mut self, diagnostic: Diagnostic) {
        self.diags.push(diagnostic);
    }

    /// Warns, where the standard is asked for, of a form that it does not have.
    pub(crate) fn form_of_compilers(&mut self, span: Span, what: &str, help: &str) {
        if self.names.is_standard {
            self.diags.push(form_of_compilers(span, what, help));
        }
    }

    /// Reports that something is not supported.
    pub(crate) fn report_unsupported(&mut self, span: Span, what: &str) {
        let diagnostic = Diagnostic::new(Code::UnsupportedFeature, span, format!("{what} is not supported"));
        let is_bracket = what.contains("square brackets");
        self.report(if is_bracket { diagnostic.help("subscripts stand in parentheses: `a(i)`") } else { diagnostic });
    }

    /// A name.
    pub(crate) fn name(&mut self, pair: &Pair<'_>) -> Name {
        Name { text: self.names.intern(pair.as_str()), span: self.span(pair) }
    }

    /// A name whose text is not quite that of its pair.
    fn name_of(&mut self, text: &str, span: Span) -> Name {
        Name { text: self.names.intern(text), span }
    }

    /// The name that a pair holds, or is.
    fn inner_name(&mut self, pair: &Pair<'_>) -> Name {
        match pair.as_rule() {
            Rule::name | Rule::by_value => self.name(pair),
            _ => match pair.clone().into_inner().find(|p| p.as_rule() == Rule::name) {
                Some(inner) => self.name(&inner),
                None => self.name(pair),
            },
        }
    }

    /// All names among the pairs.
    fn names_in(&mut self, pairs: Pairs<'_>) -> Vec<Name> {
        pairs.filter(|p| p.as_rule() == Rule::name).map(|p| self.name(&p)).collect()
    }

    /// All expressions among the pairs.
    fn exprs_in(&mut self, pairs: Pairs<'_>) -> Vec<Expr> {
        pairs.filter(|p| p.as_rule() == Rule::expr).map(|p| self.expr(p)).collect()
    }

    /// The next pair's expression.
    fn next_expr(&mut self, pairs: &mut Pairs<'_>) -> Expr {
        match pairs.next() {
            Some(pair) => self.expr(pair),
            None => error_expr(Span::NONE),
        }
    }

    /// The next pair's name.
    fn next_name(&mut self, pairs: &mut Pairs<'_>) -> Name {
        match pairs.next() {
            Some(pair) => self.inner_name(&pair),
            None => Name { text: self.names.intern("?"), span: Span::NONE },
        }
    }
}

/// The warning of a form that the standard does not have.
pub(crate) fn form_of_compilers(span: Span, what: &str, help: &str) -> Diagnostic {
    let text = format!("{what} is a form that compilers take and the standard does not have");
    Diagnostic::new(Code::FormOfCompilers, span, text).help(help)
}

/// The expression that stands for one that was reported.
pub(crate) fn error_expr(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, span }
}
