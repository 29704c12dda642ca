//! What is said of a procedure where it is not defined agrees with its definition (Fortran 2018, 15.4.3.2, 15.6.2.5).

use crate::checked::{ProcId, Type};
use crate::checker::{Described, Description};
use crate::typing::{
    Typing, difference, difference_but_for_intents, difference_but_for_memory, difference_but_for_shapes,
    difference_of_interface, same_type, type_name,
};
use ast::{Prefix, Subprogram};
use diag::{Code, Diagnostic};
use source::Span;

impl Typing<'_> {
    /// Compares interface bodies, and declared types of functions, with the definitions.
    pub(crate) fn check_descriptions(&mut self, described: &[Described]) {
        for d in described {
            match &d.by {
                Description::Body(body) => {
                    if let Some(what) = difference_of_interface(self.defs, d.of, *body) {
                        let name = &self.defs.proc(d.of).name;
                        let definition = self.defs.proc(d.of).span;
                        let differs = format!("the definition of `{name}` does not agree with its interface: {what}");
                        let (code, text, help) = if difference_but_for_shapes(self.defs, d.of, *body).is_none() {
                            let text = format!(
                                "`{name}` takes its arrays in sequence, and its interface says otherwise: {what}"
                            );
                            (Code::InterfaceShape, text, "declare the arrays in the interface as in the definition")
                        } else if difference_but_for_intents(self.defs, d.of, *body).is_none() {
                            (
                                Code::InterfaceIntent,
                                differs,
                                "declare the intents in the interface as in the definition",
                            )
                        } else if difference_but_for_memory(self.defs, d.of, *body).is_none() {
                            let text = format!(
                                "`{name}` takes its arguments as memory, and its interface says otherwise: {what}"
                            );
                            (Code::InterfaceShape, text, "declare the arguments in the interface as in the definition")
                        } else {
                            self.disagrees(d.span, differs, definition);
                            continue;
                        };
                        let d = Diagnostic::new(code, d.span, text);
                        self.reporter.report(d.secondary(definition, "the definition is here").help(help));
                    }
                }
                Description::Separate(body) => self.check_separate(d.of, *body, d.span),
                Description::Result(ty) => self.check_declared_result(d.of, ty, d.span),
            }
        }
    }

    fn disagrees(&mut self, span: Span, text: String, definition: Span) {
        let d = Diagnostic::new(Code::InterfaceMismatch, span, text);
        self.reporter.report(d.secondary(definition, "the definition is here"));
    }

    fn check_separate(&mut self, of: ProcId, body: ProcId, interface: Span) {
        let p = self.defs.proc(of);
        let (Some(given), Some(wanted)) = (self.defs.proc_info(of).ast, self.defs.proc_info(body).ast) else { return };
        let what = if given.kind != wanted.kind {
            Some("one of the two is a function".to_owned())
        } else if let Some(word) = different_prefix(given, wanted) {
            Some(format!("one of the two only is `{word}`"))
        } else if self.defs.proc_info(of).bind != self.defs.proc_info(body).bind {
            Some("the two have different binding labels".to_owned())
        } else {
            difference(self.defs, of, body, None)
        };
        if let Some(what) = what {
            let text = format!("module procedure `{}` does not agree with its interface: {what}", p.name);
            let d = Diagnostic::new(Code::InterfaceMismatch, p.span, text);
            self.reporter.report(d.secondary(interface, "the interface is here"));
        }
    }

    fn check_declared_result(&mut self, of: ProcId, declared: &Type, span: Span) {
        let info = self.defs.proc_info(of);
        if info.is_broken || info.embedded || info.refused.is_some() {
            return;
        }
        let p = self.defs.proc(of);
        let name = &p.name;
        let text = match p.result.map(|r| &self.defs.var(r).ty) {
            None if p.is_function => return,
            None => format!("`{name}` is declared with a type, and its definition is a subroutine"),
            Some(ty) if same_type(ty, declared) || matches!(ty, Type::Any) => return,
            Some(ty) => {
                let (a, b) = (type_name(self.defs, declared), type_name(self.defs, ty));
                format!("function `{name}` is declared `{a}` here, and its definition gives `{b}`")
            }
        };
        self.disagrees(span, text, p.span);
    }
}

/// A prefix that one of two procedures has only.
fn different_prefix(a: &Subprogram, b: &Subprogram) -> Option<&'static str> {
    let has = |sub: &Subprogram, is: fn(&Prefix) -> bool| sub.prefixes.iter().any(is);
    let elemental = |sub: &Subprogram| has(sub, |p| matches!(p, Prefix::Elemental(_)));
    let pure = |sub: &Subprogram| {
        has(sub, |p| matches!(p, Prefix::Pure(_))) || (elemental(sub) && !has(sub, |p| matches!(p, Prefix::Impure(_))))
    };
    let recursive = |sub: &Subprogram| has(sub, |p| matches!(p, Prefix::Recursive(_)));
    let words = [
        ("elemental", elemental(a), elemental(b)),
        ("pure", pure(a), pure(b)),
        ("recursive", recursive(a), recursive(b)),
    ];
    words.iter().find(|(_, a, b)| a != b).map(|(word, ..)| *word)
}
