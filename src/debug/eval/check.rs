//! Expressions of the user through the real front end: text, tree, checked expression.
//!
//! An expression is parsed as the right side of an assignment, since the parser reads statements, and typed by
//! `sema::check_expression` in the scope of the procedure of the context.

use crate::eval::value::{Eval, fail};
use crate::view::render::sentence;
use diag::Diagnostics;
use ir::DebugVar;
use parse::{ParseOptions, SourceForm};
use sema::checked::{Expr, ProcId, Program, Symbol, Type, VarId};
use source::SourceMap;

/// The tree of an expression.
fn tree(text: &str) -> Eval<ast::Expr> {
    if text.contains(['\n', '\r', ';', '!', '&']) && !text.contains(['\'', '"']) {
        return fail("A syntax error in expression: it is one line without `;`, `!` and `&`.");
    }
    let mut map = SourceMap::new();
    let file = map.add("expression", format!("end_of_expression = {text}\nend\n"));
    let options = ParseOptions { form: Some(SourceForm::Free), preprocess: Some(false), ..ParseOptions::default() };
    let mut diags = Diagnostics::new();
    let parsed = parse::parse(&mut map, &[file], &options, &mut |_, _| None, &mut diags);
    if let Some(text) = first_error(diags) {
        return fail(format!("A syntax error in expression: {}.", text.replace(" in an assignment", "")));
    }
    let mut found = None;
    for unit in parsed.program.units {
        let ast::UnitKind::Main(program) = unit.kind else { continue };
        for stmt in program.body {
            match (stmt.kind, &found) {
                (ast::StmtKind::Assign { value, .. }, None) => found = Some(value),
                _ => return fail("A syntax error in expression: one expression is expected."),
            }
        }
    }
    match found {
        Some(e) => Ok(e),
        None => fail("A syntax error in expression: one expression is expected."),
    }
}

fn first_error(diags: Diagnostics) -> Option<String> {
    diags.into_sorted().into_iter().find(diag::Diagnostic::is_error).map(|d| d.message)
}

/// The checked form of an expression in the scope of a procedure. `locals` are the variables of the frame: those of BLOCK
/// constructs are not among the names of the procedure. With a type the expression is converted to it, as by an assignment.
pub(crate) fn checked(
    program: &Program,
    proc: Option<ProcId>,
    locals: &[DebugVar],
    text: &str,
    to: Option<&Type>,
) -> Eval<Expr> {
    let tree = tree(text.trim())?;
    let mut widened = None;
    if let Some(id) = proc {
        let scope = &program.proc(id).scope;
        let missing: Vec<&DebugVar> = locals.iter().filter(|v| scope.find(&v.name).is_none()).collect();
        if !missing.is_empty() {
            let mut program = program.clone();
            let names = &mut program.procs[id.0 as usize].scope.names;
            names.extend(missing.iter().map(|v| (v.name.clone(), Symbol::Var(VarId(v.source_id)))));
            widened = Some(program);
        }
    }
    let program = widened.as_ref().unwrap_or(program);
    let mut diags = Diagnostics::new();
    match (sema::check_expression(program, proc, &tree, to, &mut diags), first_error(diags)) {
        (_, Some(error)) => fail(sentence(&error)),
        (Some(e), None) => Ok(e),
        (None, None) => fail("This expression has no meaning here."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_no_expression_is_an_error() {
        for text in ["", "1 +", "a; b = 3", "a = 3", "1)"] {
            assert!(tree(text).is_err(), "{text}");
        }
        assert!(tree("a(i) + 2.0_8*b%x").is_ok());
        assert!(tree("'it''s; fine'").is_ok());
    }
}
