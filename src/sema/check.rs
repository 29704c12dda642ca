//! The two entry points: a whole program, and one more expression in a scope of a finished program.
//!
//! Units are collected first; then the scope of each module is resolved, the modules that it uses before it; then the
//! interfaces of all procedures; then their statements, those of a host procedure before those of its internal procedures;
//! last the rules that need the whole program.

use crate::SemaOptions;
use crate::checked::{self, ProcId, Program, Type};
use crate::checker::{Checker, CodeSide, Regions};
use diag::{Code, Diagnostic, Diagnostics};
use source::FileId;
use std::collections::BTreeSet;

/// Checks a program. `diags` gets errors and warnings in the order of their places; without errors there is a result.
pub fn check(program: &ast::Program, options: &SemaOptions, diags: &mut Diagnostics) -> Option<Program> {
    let mut open = BTreeSet::new();
    let embedded = SemaOptions { integer8: false, real8: false, ..options.clone() };
    let c = loop {
        let c = checked(program, [options, &embedded], open.clone());
        if c.made.found_open.is_subset(&open) {
            break c;
        }
        // Types whose lengths are known at run time only have another layout: all that was found depends on it.
        open.extend(c.made.found_open);
    };
    let Checker { reporter, defs, .. } = c;
    let failed = reporter.finish(diags);
    if failed { None } else { Some(defs.into_program()) }
}

/// A program checked with these derived types as open ones (`decl::parameterised`).
fn checked<'a>(
    program: &'a ast::Program,
    [options, embedded]: [&'a SemaOptions; 2],
    open: BTreeSet<(FileId, u32)>,
) -> Checker<'a> {
    let mut c = Checker::new(options, embedded);
    c.made.open = open;
    c.made.regions = Regions::of(&program.regions);
    c.collect_units(program);
    c.resolve_modules();
    c.resolve_interfaces();
    c.resolve_block_data(program);
    c.check_bodies();
    c.associate_initial_targets();
    c.bind_methods();
    c.check_pointer_components();
    c.typing().check_calls();
    c.typing().check_barriers();
    c.typing().check_generics();
    c.typing().check_bindings();
    c.typing().check_defined_transfers();
    let described = std::mem::take(&mut c.made.described);
    c.typing().check_descriptions(&described);
    c.hide_descriptions(&described);
    c.typing().check_purity();
    c.typing().check_nulls();
    c.typing().check_loop_variables();
    c.typing().check_indices();
    c.check_values_in_common();
    let commons = c.made.commons.iter().filter(|(name, _)| !c.made.bound_commons.contains_key(*name));
    let commons: Vec<_> = commons.map(|(name, &var)| (name.clone(), c.defs.var(var).span)).collect();
    c.typing().check_common_names(&commons);
    c.typing().check_assumed_ranks();
    c.typing().check_unit_names();
    c.share_with_c();
    let bound = std::mem::take(&mut c.made.bound_variables);
    let labels = std::mem::take(&mut c.made.bound_commons);
    c.typing().check_common_labels(&labels, &bound);
    c.typing().check_binding_labels(&bound);
    c.typing().check_interoperability();
    c.fill_scopes();
    if c.defs.procs.iter().any(|p| CodeSide::of(p.kind).on_device()) {
        // Predefined variables are of this type, also where only the debugger asks for them.
        c.dim3();
    }
    c
}

/// Types an expression in the scope of a procedure of a checked program (the main program's when `proc` is `None`), and
/// converts it to type `to`, if there is one, as an assignment would.
/// Expressions that would need variables of their own (implied DO) are refused.
pub fn check_expression(
    program: &Program,
    proc: Option<ProcId>,
    e: &ast::Expr,
    to: Option<&Type>,
    diags: &mut Diagnostics,
) -> Option<checked::Expr> {
    let options = SemaOptions::default();
    let mut c = Checker::of_finished(&options, program, proc.or(program.main));
    let result = match to {
        Some(to) => c.expr_to(e, to),
        None => c.expr(e),
    };
    if let (None, Some(what)) = (&result, c.reporter.refusal()) {
        diags.push(Diagnostic::new(Code::UnsupportedFeature, e.span, format!("{what} is not supported here")));
        return None;
    }
    let failed = c.reporter.finish(diags);
    if failed { None } else { result }
}
