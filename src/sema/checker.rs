//! The state of one check, and the order of its work.
//!
//! Units are collected first; then each module's scope is settled, the modules that it uses before it; then the interfaces
//! of all procedures; then their statements, each host procedure before its internal ones; last the rules that need the
//! whole program.

use crate::SemaOptions;
use crate::checked::{self, ProcId, Program, Type, TypeId, VarId, Variable};
use crate::decl::{ProcInfo, TypeInfo};
use crate::scope::{Module, ScopeData, ScopeId, Sym, Table};
use crate::stmt::Construct;
use ast::{Name, Subprogram};
use diag::{Code, Diagnostic, Diagnostics};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How deep declarations may wait for each other; it bounds the recursion.
const MOST_SETTLING: u32 = 200;

/// Where the code that is being checked runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// Host code.
    Host,
    /// Device code.
    Device,
    /// A procedure that is compiled for both.
    Both,
    /// The body of `!$cuf kernel do` in host code.
    CufKernel,
}

impl Side {
    /// Whether the code runs on the device (too).
    pub(crate) fn on_device(self) -> bool {
        self != Side::Host
    }
}

/// Where in the program the checker is.
#[derive(Debug)]
pub(crate) struct Context {
    /// Names are looked up from here.
    pub(crate) scope: ScopeId,
    /// The procedure, unless this is a module's specification part.
    pub(crate) proc: Option<ProcId>,
    /// Where the code runs.
    pub(crate) side: Side,
    /// Enclosing constructs, the innermost last.
    pub(crate) constructs: Vec<Construct>,
    /// The number of the next construct.
    pub(crate) next_construct: u32,
    /// What was refused in the statement at hand.
    pub(crate) refused: Option<Arc<str>>,
    /// Indices of DO loops that the statement at hand is in: they may not be assigned.
    pub(crate) loop_vars: Vec<VarId>,
    /// The reference at hand is to an external procedure without an interface here.
    pub(crate) implicit_interface: bool,
    /// In a procedure compiled for both sides: under a condition on `on_device()`, where calls of either side may stand.
    pub(crate) guarded: bool,
    /// Inside a specification or constant expression: device and host data are not told apart.
    pub(crate) specification: bool,
}

/// What is known of a variable beyond its checked form.
#[derive(Clone, Debug, Default)]
pub(crate) struct VarInfo {
    /// It has a type and nothing else: a reference with arguments makes it a function.
    pub(crate) typed_only: bool,
    /// Declared by use only, under the implicit rules.
    pub(crate) implicit: bool,
    /// The interface of a procedure dummy or pointer, where it is known.
    pub(crate) interface: Option<ProcId>,
    /// Whether it is a procedure pointer.
    pub(crate) procedure_pointer: bool,
    /// The result of the procedures that it points to, where only that is declared.
    pub(crate) result: Option<Type>,
    /// The procedure that stands for calls through it.
    pub(crate) through: Option<ProcId>,
}

/// The state of one check.
pub(crate) struct Checker<'a> {
    pub(crate) out: Program,
    pub(crate) options: &'a SemaOptions,
    pub(crate) found: Diagnostics,
    pub(crate) scopes: Vec<ScopeData<'a>>,
    pub(crate) modules: Vec<Module<'a>>,
    pub(crate) module_names: BTreeMap<Arc<str>, usize>,
    /// The names of several modules that are used together, by their places in `modules`.
    pub(crate) tables: BTreeMap<Vec<usize>, Arc<Table>>,
    /// External procedures of the given files.
    pub(crate) externals: BTreeMap<Arc<str>, ProcId>,
    /// Names that ENTRY statements of external procedures give.
    pub(crate) entries: BTreeSet<Arc<str>>,
    /// External procedures of the run-time library, which those of the files come before.
    pub(crate) library: BTreeMap<Arc<str>, ProcId>,
    /// Names of derived types that some type of the program extends.
    pub(crate) extended: BTreeSet<Arc<str>>,
    /// Bytes of the constant data that have been declared so far.
    pub(crate) constant_bytes: u64,
    /// Parallel to the program's procedures.
    pub(crate) procs: Vec<ProcInfo<'a>>,
    /// Parallel to the program's types.
    pub(crate) types: Vec<TypeInfo<'a>>,
    /// Parallel to the program's variables.
    pub(crate) vars: Vec<VarInfo>,
    pub(crate) dim3: Option<TypeId>,
    /// Intrinsic functions that were needed as procedures.
    pub(crate) intrinsic_procs: BTreeMap<Arc<str>, ProcId>,
    /// The procedures that stand for calls by dynamic type: by the declared type and the type-bound name.
    pub(crate) dispatchers: BTreeMap<(TypeId, Arc<str>), ProcId>,
    /// The character types that scopes declare for functions defined elsewhere, whose own length may be `*`.
    pub(crate) declared_results: BTreeMap<(crate::scope::ScopeId, Arc<str>), crate::checked::Type>,
    /// The storage sequence of each COMMON block.
    pub(crate) commons: BTreeMap<Arc<str>, VarId>,
    /// Block data units.
    pub(crate) block_data: Vec<(ScopeId, &'a [ast::UseStmt], &'a [ast::Declaration])>,
    /// How many declarations, types and modules are being settled for each other's sake.
    pub(crate) settling: u32,
    /// Statement functions that are being expanded.
    pub(crate) expanding: Vec<(ScopeId, usize)>,
    /// How many times statement functions were expanded.
    pub(crate) expansions: u32,
    /// Inside `!$cuf kernel do`: variables from this one on were made there.
    pub(crate) cuf_first_var: Option<u32>,
    pub(crate) cx: Context,
    /// Whether new variables may be made; not while the debugger asks about a finished program.
    pub(crate) frozen: bool,
}

/// Checks a program. `diags` gets errors and warnings in the order of their places; without errors there is a result.
pub fn check(program: &ast::Program, options: &SemaOptions, diags: &mut Diagnostics) -> Option<Program> {
    let mut c = Checker::new(options);
    c.collect_units(program);
    c.settle_modules();
    c.settle_headers();
    c.settle_block_data();
    c.check_bodies();
    c.bind_methods();
    c.check_calls();
    c.check_barriers();
    c.check_generics();
    c.fill_scopes();
    if c.out.procs.iter().any(|p| crate::decl::side_of(p.kind).on_device()) {
        // Predefined variables are of this type, also where only the debugger asks for them.
        c.dim3();
    }
    let failed = c.found.has_errors();
    for diagnostic in c.found.into_sorted() {
        diags.push(diagnostic);
    }
    if failed { None } else { Some(c.out) }
}

/// Types an expression in the scope of a procedure of a checked program (of none: the main program's, else of no names), and
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
    let mut c = Checker::new(&options);
    c.adopt(program, proc.or(program.main));
    let result = match to {
        Some(to) => c.expr_to(e, to),
        None => c.expr(e),
    };
    if let (None, Some(what)) = (&result, c.cx.refused.take()) {
        diags.push(Diagnostic::new(Code::UnsupportedFeature, e.span, format!("{what} is not supported here")));
        return None;
    }
    let failed = c.found.has_errors();
    for diagnostic in c.found.into_sorted() {
        diags.push(diagnostic);
    }
    if failed { None } else { result }
}

impl<'a> Checker<'a> {
    fn new(options: &'a SemaOptions) -> Checker<'a> {
        Checker {
            out: Program::default(),
            options,
            found: Diagnostics::new(),
            scopes: vec![ScopeData::default()],
            modules: Vec::new(),
            module_names: BTreeMap::new(),
            tables: BTreeMap::new(),
            externals: BTreeMap::new(),
            entries: BTreeSet::new(),
            library: BTreeMap::new(),
            extended: BTreeSet::new(),
            constant_bytes: 0,
            procs: Vec::new(),
            types: Vec::new(),
            vars: Vec::new(),
            dim3: None,
            intrinsic_procs: BTreeMap::new(),
            dispatchers: BTreeMap::new(),
            declared_results: BTreeMap::new(),
            commons: BTreeMap::new(),
            block_data: Vec::new(),
            settling: 0,
            expanding: Vec::new(),
            expansions: 0,
            cuf_first_var: None,
            cx: Context::new(ScopeId(0), None, Side::Host),
            frozen: false,
        }
    }

    /// Takes a finished program over, without its statements.
    fn adopt(&mut self, program: &Program, proc: Option<ProcId>) {
        self.frozen = true;
        self.out.vars.clone_from(&program.vars);
        self.out.types.clone_from(&program.types);
        self.out.main = program.main;
        self.vars = vec![VarInfo::default(); program.vars.len()];
        self.types = program.types.iter().map(|_| TypeInfo::finished()).collect();
        for p in &program.procs {
            self.procs.push(ProcInfo::finished(p));
            self.out.procs.push(head_of(p));
        }
        self.dim3 = program.types.iter().position(|t| &*t.name == "dim3").map(|i| TypeId(i as u32));
        let Some(id) = proc.filter(|id| (id.0 as usize) < program.procs.len()) else { return };
        let scope = ScopeData::finished(&program.proc(id).scope);
        self.scopes.push(scope);
        let side = crate::decl::side_of(program.proc(id).kind);
        self.cx = Context::new(ScopeId(1), Some(id), side);
    }

    /// Reports.
    pub(crate) fn report(&mut self, d: Diagnostic) {
        self.found.push(d);
    }

    /// Goes one level deeper into what depends on each other, unless that is too deep; [`Checker::settled`] comes back.
    pub(crate) fn settle_deeper(&mut self, span: Span) -> bool {
        if self.settling >= MOST_SETTLING {
            let text = format!("more than {MOST_SETTLING} declarations depend on each other before they are made");
            self.report(Diagnostic::new(Code::NestingTooDeep, span, text).help("declare things before they are used"));
            return false;
        }
        self.settling += 1;
        true
    }

    /// Comes back from [`Checker::settle_deeper`].
    pub(crate) fn settled(&mut self) {
        self.settling -= 1;
    }

    /// Reports an error and gives nothing.
    pub(crate) fn error<T>(&mut self, code: Code, span: Span, text: impl Into<String>) -> Option<T> {
        self.found.push(Diagnostic::new(code, span, text));
        None
    }

    /// Reports an error with what to do about it, and gives nothing.
    pub(crate) fn error_help<T>(
        &mut self,
        code: Code,
        span: Span,
        text: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.found.push(Diagnostic::new(code, span, text).help(help));
        None
    }

    /// Says that something is not supported; the statement at hand becomes an `Unsupported` node.
    pub(crate) fn refuse<T>(&mut self, span: Span, what: impl Into<String>) -> Option<T> {
        self.refuse_with(span, what.into(), None)
    }

    /// Says that something is not supported, and what to do about it.
    pub(crate) fn refuse_help<T>(&mut self, span: Span, what: impl Into<String>, help: &str) -> Option<T> {
        self.refuse_with(span, what.into(), Some(help))
    }

    fn refuse_with<T>(&mut self, span: Span, what: String, help: Option<&str>) -> Option<T> {
        let d = Diagnostic::new(Code::UnsupportedIfReached, span, format!("{what} is not supported"));
        let d = help.into_iter().fold(d, Diagnostic::help);
        self.found.push(d.note("the program stops with an error if execution comes here"));
        if self.cx.refused.is_none() {
            self.cx.refused = Some(what.into());
        }
        None
    }

    /// Marks the statement at hand as refused by something that was reported before.
    pub(crate) fn refuse_again<T>(&mut self, what: &Arc<str>) -> Option<T> {
        self.cx.refused.get_or_insert_with(|| what.clone());
        None
    }

    /// Runs `f` in another context.
    pub(crate) fn within<T>(&mut self, cx: Context, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.cx, cx);
        let result = f(self);
        let inner = std::mem::replace(&mut self.cx, outer);
        if self.cx.refused.is_none() {
            self.cx.refused = inner.refused;
        }
        result
    }

    /// Adds a variable to the program and to its owner.
    pub(crate) fn add_var(&mut self, var: Variable, info: VarInfo) -> VarId {
        let id = VarId(self.out.vars.len() as u32);
        if let Some(owner) = var.owner {
            self.out.procs[owner.0 as usize].vars.push(id);
        }
        self.out.vars.push(var);
        self.vars.push(info);
        id
    }

    /// Takes a variable that only served the checker from its owner again.
    pub(crate) fn disown(&mut self, id: VarId) {
        if let Some(owner) = self.out.var(id).owner {
            self.out.procs[owner.0 as usize].vars.retain(|v| *v != id);
        }
    }

    /// The symbol of a name, resolved.
    pub(crate) fn find_name(&mut self, name: &Name) -> Option<Sym> {
        self.find(&name.text)
    }

    /// Default kind of reals.
    pub(crate) fn real_kind(&self) -> u8 {
        if self.options.real8 { 8 } else { 4 }
    }

    /// Default kind of integers and logicals.
    pub(crate) fn integer_kind(&self) -> u8 {
        if self.options.integer8 { 8 } else { 4 }
    }

    /// Default integers.
    pub(crate) fn integer(&self) -> Type {
        Type::Integer(self.integer_kind())
    }

    /// Default logicals.
    pub(crate) fn logical(&self) -> Type {
        Type::Logical(self.integer_kind())
    }

    /// The tree of a procedure's statements.
    pub(crate) fn tree(&self, id: ProcId) -> Option<&'a Subprogram> {
        self.procs[id.0 as usize].ast
    }
}

impl Context {
    /// A context at the beginning of a scope.
    pub(crate) fn new(scope: ScopeId, proc: Option<ProcId>, side: Side) -> Context {
        Context {
            scope,
            proc,
            side,
            constructs: Vec::new(),
            next_construct: 0,
            refused: None,
            loop_vars: Vec::new(),
            implicit_interface: false,
            guarded: false,
            specification: false,
        }
    }
}

/// A procedure without its statements and names.
fn head_of(p: &checked::Procedure) -> checked::Procedure {
    checked::Procedure {
        name: p.name.clone(),
        qualified: p.qualified.clone(),
        kind: p.kind,
        is_function: p.is_function,
        params: p.params.clone(),
        result: p.result,
        vars: Vec::new(),
        body: match &p.body {
            checked::ProcBody::Statements(_) => checked::ProcBody::Statements(Vec::new()),
            checked::ProcBody::Service(name) => checked::ProcBody::Service(name.clone()),
            body @ (checked::ProcBody::Dispatch { .. } | checked::ProcBody::Pointer) => body.clone(),
            checked::ProcBody::Missing => checked::ProcBody::Missing,
        },
        parent: p.parent,
        elemental: p.elemental,
        pure: p.pure,
        recursive: p.recursive,
        cooperative: p.cooperative,
        max_threads: p.max_threads,
        cluster: p.cluster,
        scope: checked::Scope::default(),
        span: p.span,
        end: p.end,
        through: p.through,
    }
}
