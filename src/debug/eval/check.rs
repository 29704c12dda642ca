//! Expressions of the user through the real front end: text, tree, checked expression.
//!
//! An expression is parsed as the right side of an assignment, since the parser reads statements, and typed by
//! `sema::check_expression` in the scope of the procedure of the context.

use crate::eval::names::{self, Mentioned};
use crate::eval::value::{Eval, Value, fail};
use crate::view::render::sentence;
use diag::{Diagnostic, Diagnostics};
use ir::DebugVar;
use parse::{ParseOptions, SourceForm};
use sema::checked::{Expr, ProcId, Program, Symbol, Type, VarId};
use source::SourceMap;
use std::borrow::Cow;
use std::sync::Arc;

/// The tree of an expression.
fn tree(text: &str) -> Eval<ast::Expr> {
    for (of_c, fortran) in [("!=", "/="), ("&&", ".and."), ("||", ".or.")] {
        if !text.contains(['\'', '"']) && text.contains(of_c) {
            return fail(format!("A syntax error in expression: for `{of_c}` write `{fortran}`."));
        }
    }
    if text.contains(['\n', '\r', ';', '!', '&']) && !text.contains(['\'', '"']) {
        return fail("A syntax error in expression: it is one line without `;`, `!` and `&`.");
    }
    let mut map = SourceMap::new();
    let file = map.add("expression", format!("end_of_expression = {text}\nend\n"));
    let options = ParseOptions { form: Some(SourceForm::Free), preprocess: Some(false), ..ParseOptions::default() };
    let mut diags = Diagnostics::new();
    let parsed = parse::parse(&mut map, &[file], &options, &mut |_, _| None, &mut diags);
    if let Some(error) = first_error(diags) {
        let help = error.helps.first().map_or(String::new(), |help| format!("; {help}"));
        return fail(format!(
            "A syntax error in expression: {}{help}.",
            error.message.replace(" in an assignment", "")
        ));
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

fn first_error(diags: Diagnostics) -> Option<Diagnostic> {
    diags.into_sorted().into_iter().find(Diagnostic::is_error)
}

/// An expression with its types, and the program that its names belong to.
pub(crate) struct Typed<'p> {
    /// The expression.
    pub(crate) expr: Expr,
    /// The program of the user, perhaps with more names.
    pub(crate) program: Cow<'p, Program>,
}

/// What an expression may name beside the variables of the program: `$1`, `$`, `$count`. An error says why there is no value.
pub(crate) type Kept<'a> = &'a dyn Fn(&str) -> Eval<Value>;

/// The checked form of an expression in the scope of a procedure. `locals` are the variables of the frame: those of BLOCK
/// constructs are not among the names of the procedure. With a type the expression is converted to it, as by an assignment.
pub(crate) fn checked<'p>(
    program: &'p Program,
    proc: Option<ProcId>,
    locals: &[DebugVar],
    kept: Kept<'_>,
    text: &str,
    to: Option<&Type>,
) -> Eval<Typed<'p>> {
    let (text, mentioned) = names::scan(text.trim());
    let tree = tree(&text)?;
    let mut program = Cow::Borrowed(program);
    if let Some(id) = proc.or(program.main) {
        let scope = &program.proc(id).scope;
        let is_missing = |v: &&DebugVar| scope.find(&v.name).is_none();
        let missing = locals.iter().filter(is_missing).map(|v| (v.name.clone(), Symbol::Var(VarId(v.source_id))));
        let mut more: Vec<(Arc<str>, Symbol)> = missing.collect();
        let mut constants = Vec::new();
        for name in mentioned {
            let (name, symbol) = match name {
                Mentioned::Kept(name) => {
                    constants.push(kept(&name)?.named_constant(&name, &program)?);
                    (name, Symbol::Var(VarId((program.vars.len() + constants.len() - 1) as u32)))
                }
                Mentioned::OfModule { module, name, here } => match names::of_module(&program, &module, &name) {
                    Some(id) => (here, Symbol::Var(id)),
                    None => return fail(format!("No module or procedure `{module}` has a static variable `{name}`.")),
                },
            };
            more.push((name.into(), symbol));
        }
        if !more.is_empty() {
            let program = program.to_mut();
            program.vars.extend(constants);
            program.procs[id.0 as usize].scope.names.extend(more);
        }
    }
    let mut diags = Diagnostics::new();
    match (sema::check_expression(&program, proc, &tree, to, &mut diags), first_error(diags)) {
        (_, Some(error)) => fail(sentence(&error.message)),
        (Some(expr), None) => Ok(Typed { expr, program }),
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
