//! Typed code: what its types, shapes and attributes are, and the rules that need nothing but typed code.
//!
//! Two kinds of functions are here and in the rooms above. Plain functions ask the [`Program`](crate::checked::Program) that
//! is under construction about an expression. Methods of [`Typing`] may also report; they read everything that has been
//! resolved so far, and cannot resolve a name, declare anything, or change the context. Whatever does need that is a method of
//! [`Checker`].

mod arguments;
mod characteristics;
mod conform;
mod convert;
mod fold;
mod objects;
mod same;
mod shapes;
mod types;

pub(crate) use arguments::{Argument, Fit, Given};
pub(crate) use characteristics::{
    difference, difference_but_for_inherited_intents, difference_but_for_intents, difference_but_for_memory,
    difference_but_for_pointers, difference_but_for_shapes, difference_of_interface, missing_intent,
};
pub(crate) use conform::{known_extents, mismatch, section_extents};
pub(crate) use convert::{assignable, assignable_types, fit_constant};
pub(crate) use fold::constant;
pub(crate) use objects::{
    has_vector_subscript, is_allocatable, is_class, is_dummy_procedure, is_implicitly_managed, is_pointer,
    is_procedure_pointer, shape_of, space_of,
};
pub(crate) use same::{is_part_of, is_same_object, same_characteristics};
pub(crate) use shapes::{constant_extents, descriptor_bytes, elements_of, one};
pub(crate) use types::{
    are_declared_alike, computed, is_numeric, is_plain, promoted, same_type, shape_name, type_name,
};

use crate::SemaOptions;
use crate::checker::{Checker, Context, Definitions, Reporter, Scopes};
use diag::{Code, Diagnostic};
use source::Span;

/// The rules of typed code: everything resolved so far to read, and a reporter.
pub(crate) struct Typing<'c> {
    pub(crate) options: &'c SemaOptions,
    pub(crate) reporter: &'c mut Reporter,
    pub(crate) defs: &'c Definitions<'c>,
    pub(crate) scopes: &'c Scopes<'c>,
    pub(crate) cx: &'c Context,
}

impl Typing<'_> {
    /// Warns of a form that compilers take and the standard does not have, if `-Mstandard` asks for it.
    pub(crate) fn not_standard(&mut self, code: Code, span: Span, text: impl Into<String>, help: &str) {
        if self.options.standard && !self.options.embedded.contains(&span.file) {
            self.reporter.report(Diagnostic::new(code, span, text).help(help));
        }
    }
}

impl Checker<'_> {
    /// The rules of typed code, at the place that is being checked.
    pub(crate) fn typing(&mut self) -> Typing<'_> {
        Typing {
            options: self.options,
            reporter: &mut self.reporter,
            defs: &self.defs,
            scopes: &self.scopes,
            cx: &self.cx,
        }
    }
}
