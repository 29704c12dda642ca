//! The modules that come with the compiler.

use ast::{Program, StmtKind, Subprogram, UnitKind, UseStmt};
use diag::Diagnostics;
use parse::{ParseOptions, SourceForm};
use source::{FileId, SourceMap};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

/// Table: module names and their sources.
const MODULES: &[(&str, &str)] = &[
    ("cudafor", include_str!("modules/cudafor.cuf")),
    ("cooperative_groups", include_str!("modules/cooperative_groups.cuf")),
    ("cudadevice", include_str!("modules/cudadevice.cuf")),
    ("cutensorex", include_str!("modules/cutensorex.cuf")),
    ("iso_c_binding", include_str!("modules/iso_c_binding.cuf")),
    ("iso_fortran_env", include_str!("modules/iso_fortran_env.cuf")),
    ("ieee_arithmetic", include_str!("modules/ieee_arithmetic.cuf")),
    ("nvtx", include_str!("modules/nvtx.cuf")),
];

/// The module of mathematical functions, which lowering calls by the names of its procedures.
const MATHEMATICS: &str = "cufemu_math";

/// What the two kinds of real have of their own: constants, polynomials, reduction of large arguments.
const MATHEMATICS_OF_EACH_KIND: [&str; 5] = [
    include_str!("modules/math_head.cuf"),
    include_str!("modules/math_polynomials8.cuf"),
    include_str!("modules/math_polynomials4.cuf"),
    include_str!("modules/math_payne_hanek.cuf"),
    include_str!("modules/math_random.cuf"),
];

/// What is written for `real(8)` and instantiated for `real(4)` too.
const MATHEMATICS_OF_BOTH_KINDS: [&str; 9] = [
    include_str!("modules/math_exponential.cuf"),
    include_str!("modules/math_logarithm.cuf"),
    include_str!("modules/math_power.cuf"),
    include_str!("modules/math_trigonometric.cuf"),
    include_str!("modules/math_inverse.cuf"),
    include_str!("modules/math_error.cuf"),
    include_str!("modules/math_gamma.cuf"),
    include_str!("modules/math_bessel.cuf"),
    include_str!("modules/math_complex.cuf"),
];

/// The source of the mathematics module.
static MATHEMATICS_SOURCE: LazyLock<String> = LazyLock::new(|| {
    let both = MATHEMATICS_OF_BOTH_KINDS.concat();
    let single = both.replace("r8", "r4").replace("i8", "i4").replace("c8", "c4");
    format!("{}{both}{single}end module\n", MATHEMATICS_OF_EACH_KIND.concat())
});

/// The source of an embedded module, if there is one of that name.
pub(crate) fn source(name: &str) -> Option<&'static str> {
    MODULES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// Parses an embedded module.
pub(crate) fn parsed(name: &str, text: &str, map: &mut SourceMap, diags: &mut Diagnostics) -> (FileId, Program) {
    let file = map.add(format!("<{name}>"), text);
    let plain = ParseOptions { form: Some(SourceForm::Free), preprocess: Some(false), ..ParseOptions::default() };
    (file, parse::parse(map, &[file], &plain, &mut |_, _| None, diags).program)
}

/// Parses the mathematics module.
pub(crate) fn mathematics(map: &mut SourceMap, diags: &mut Diagnostics) -> (FileId, Program) {
    parsed(MATHEMATICS, &MATHEMATICS_SOURCE, map, diags)
}

/// The modules that the units use and do not define themselves.
pub(crate) fn used_modules(program: &Program) -> BTreeSet<Arc<str>> {
    let mut used = BTreeSet::new();
    let mut defined = BTreeSet::new();
    for unit in &program.units {
        match &unit.kind {
            UnitKind::Main(s) | UnitKind::External(s) => subprogram(s, &mut used),
            UnitKind::Module { name, uses, decls, procedures, .. } => {
                defined.insert(name.text.clone());
                of(uses, &mut used);
                interfaces(decls, &mut used);
                for procedure in procedures {
                    subprogram(procedure, &mut used);
                }
            }
            UnitKind::BlockData { uses, .. } => of(uses, &mut used),
        }
    }
    &used - &defined
}

fn of(uses: &[UseStmt], used: &mut BTreeSet<Arc<str>>) {
    used.extend(uses.iter().map(|u| u.module.text.clone()));
}

fn interfaces(decls: &[ast::Declaration], used: &mut BTreeSet<Arc<str>>) {
    for decl in decls {
        if let ast::DeclKind::Interface(interface) = &decl.kind {
            for item in &interface.items {
                if let ast::InterfaceItem::Body(body) = item {
                    subprogram(body, used);
                }
            }
        }
    }
}

fn subprogram(s: &Subprogram, used: &mut BTreeSet<Arc<str>>) {
    of(&s.uses, used);
    interfaces(&s.decls, used);
    s.internal.iter().for_each(|p| subprogram(p, used));
    block(&s.body, used);
}

/// USE statements of BLOCK constructs, however deep. The parser bounds the depth.
fn block(body: &[ast::Stmt], used: &mut BTreeSet<Arc<str>>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Block { uses, decls, body, .. } => {
                of(uses, used);
                interfaces(decls, used);
                block(body, used);
            }
            StmtKind::If { arms, .. } => arms.iter().for_each(|a| block(&a.body, used)),
            StmtKind::Do { body, .. } | StmtKind::Associate { body, .. } => block(body, used),
            StmtKind::Select { arms, .. } => arms.iter().for_each(|a| block(&a.body, used)),
            StmtKind::Cuf(cuf) => {
                if let Some(body) = &cuf.body {
                    block(std::slice::from_ref(body), used);
                }
            }
            _ => {}
        }
    }
}
