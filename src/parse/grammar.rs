//! The parser that pest makes of `cuf.pest`.
//!
//! pest descends recursively; `shape` bounds the depth of parentheses before a statement comes here.

use pest_derive::Parser;

/// Carrier of the generated parser.
#[derive(Parser)]
#[grammar = "cuf.pest"]
pub(crate) struct Grammar;

/// A node of pest's parse tree.
pub(crate) type Pair<'i> = pest::iterators::Pair<'i, Rule>;
/// Sister nodes of pest's parse tree.
pub(crate) type Pairs<'i> = pest::iterators::Pairs<'i, Rule>;
