//! Specifiers of OPEN and CLOSE that the standard does not have: DEC's names for some of its own, and words without a value
//! (PGI Fortran Reference, OPEN and CLOSE).

use crate::checked::{CharLen, Const, IoControl, Type};
use crate::checker::Checker;
use crate::typing::constant;
use ast::IoKind;
use diag::Code;

/// The specifier that a keyword stands for.
pub(super) fn specifier_of(kind: IoKind, keyword: &str) -> &str {
    match (kind, keyword) {
        (IoKind::Open, "name") => "file",
        (IoKind::Open, "recordsize") => "recl",
        (IoKind::Open, "disp") => "dispose",
        (IoKind::Open | IoKind::Close, "type") | (IoKind::Close, "disp" | "dispose") => "status",
        _ => keyword,
    }
}

/// `readonly` or `shared` of OPEN.
pub(super) fn word_alone(kind: IoKind, at: usize, c: &ast::IoControl) -> Option<&str> {
    let ast::ExprKind::Name(name) = &c.value.as_ref().filter(|_| c.keyword.is_none())?.kind else { return None };
    (kind == IoKind::Open && at > 0 && matches!(name.as_str(), "readonly" | "shared")).then_some(name.as_str())
}

impl Checker<'_> {
    /// What a word without a value says: `readonly` is `action='read'`, and `shared` says nothing.
    pub(super) fn word_specifier(&mut self, word: &str, c: &ast::IoControl) -> Option<IoControl> {
        let help = if word == "readonly" { "write `action='read'`" } else { "leave it out" };
        self.typing().not_standard(Code::FormOfCompilers, c.span, format!("`{word}` is an extension"), help);
        let ty = Type::Character(CharLen::Const(4));
        let value = constant(Const::Char(b"read"[..].into()), ty, c.span);
        (word == "readonly").then(|| IoControl { keyword: "action".into(), value })
    }

    /// Says, where the standard is asked for, that a specifier has another name there.
    pub(super) fn note_specifier(&mut self, keyword: &str, specifier: &str, c: &ast::IoControl) {
        if keyword == specifier && specifier != "dispose" {
            return;
        }
        let help = match specifier {
            "dispose" => "give `close` the `status=`".to_owned(),
            _ => format!("write `{specifier}=`"),
        };
        self.typing().not_standard(Code::FormOfCompilers, c.span, format!("`{keyword}=` is an extension"), &help);
    }
}
