//! Program units and subprograms.

use super::{Block, Declaration, Expr, Name, TypeSpec, UseStmt};
use source::Span;

/// Everything that was parsed, in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The units.
    pub units: Vec<Unit>,
    /// The directives of OpenACC by which compute regions and `host_data` regions begin and end.
    pub regions: Vec<RegionDirective>,
}

/// A directive of OpenACC by which a compute region or a `host_data` region begins or ends (OpenACC 3.3, 2.5 and 2.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegionDirective {
    /// The directive.
    pub span: Span,
    /// What it does.
    pub kind: RegionKind,
}

/// What a directive does to a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegionKind {
    /// `parallel`, `kernels`, `serial`
    Begin,
    /// `end parallel` and kin.
    End,
    /// `parallel loop` and kin: the loop that follows is the region.
    Loop,
    /// `host_data`
    BeginHostData,
    /// `end host_data`
    EndHostData,
}

/// A program unit.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What it is.
    pub kind: UnitKind,
    /// Its first statement (of a main program without PROGRAM, the first statement there is).
    pub span: Span,
    /// Its END statement.
    pub end: Span,
}

/// The forms of a program unit.
#[derive(Clone, Debug)]
pub enum UnitKind {
    /// A main program; it has no dummies.
    Main(Subprogram),
    /// A module or submodule.
    Module {
        /// Its name.
        name: Name,
        /// `submodule (ancestor)`
        ancestor: Option<Name>,
        /// `submodule (ancestor:parent)`
        parent: Option<Name>,
        /// USE statements.
        uses: Vec<UseStmt>,
        /// Declarations.
        decls: Vec<Declaration>,
        /// Module procedures.
        procedures: Vec<Subprogram>,
    },
    /// An external subprogram.
    External(Subprogram),
    /// `block data`
    BlockData {
        /// Its name.
        name: Option<Name>,
        /// USE statements.
        uses: Vec<UseStmt>,
        /// Declarations.
        decls: Vec<Declaration>,
    },
}

/// A subroutine, function, main program or interface body.
#[derive(Clone, Debug)]
pub struct Subprogram {
    /// Which of these.
    pub kind: SubprogramKind,
    /// The name; a main program without PROGRAM has `main`.
    pub name: Name,
    /// Prefixes in order.
    pub prefixes: Vec<Prefix>,
    /// Dummies; `*` is an alternate return and has the name `*`.
    pub args: Vec<Name>,
    /// `result(name)`
    pub result: Option<Name>,
    /// `bind(c [, name=…])`
    pub bind: Option<Option<Expr>>,
    /// USE statements.
    pub uses: Vec<UseStmt>,
    /// Declarations.
    pub decls: Vec<Declaration>,
    /// Statements.
    pub body: Block,
    /// Internal subprograms.
    pub internal: Vec<Subprogram>,
    /// The first statement.
    pub span: Span,
    /// The END statement.
    pub end: Span,
}

/// What a [`Subprogram`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubprogramKind {
    /// `program`
    Main,
    /// `subroutine`
    Subroutine,
    /// `function`
    Function,
    /// `module procedure name`, the body of a separate module procedure.
    ModuleProcedure,
}

/// A prefix of a subprogram statement.
#[derive(Clone, Debug)]
pub enum Prefix {
    /// The result's type.
    Type(TypeSpec),
    /// `attributes(…)`
    Attributes(Vec<(ProcedureAttr, Span)>, Span),
    /// `launch_bounds(…)`
    LaunchBounds(Vec<Expr>, Span),
    /// `cluster_dims(…)`
    ClusterDims(Vec<Expr>, Span),
    /// `elemental`
    Elemental(Span),
    /// `impure`
    Impure(Span),
    /// `module`
    Module(Span),
    /// `non_recursive`
    NonRecursive(Span),
    /// `pure`
    Pure(Span),
    /// `recursive`
    Recursive(Span),
}

/// CUDA subprogram attributes (guide, 3.1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ProcedureAttr {
    /// `host`
    Host,
    /// `global`
    Global,
    /// `grid_global`
    GridGlobal,
    /// `device`
    Device,
}

/// What a generic interface or a USE item names.
#[derive(Clone, Debug)]
pub enum Generic {
    /// A name.
    Name(Name),
    /// `operator(…)`: the operator as written, in lower case, with the dots of a defined one.
    Operator(Name),
    /// `assignment(=)`
    Assignment(Span),
    /// `read(formatted)` and kin; the text in lower case.
    Io(Name),
}
