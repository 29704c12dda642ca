//! The place in the program that is being checked: scope, procedure, side, enclosing constructs.

use super::scopes::ScopeId;
use crate::checked::{LoopId, ProcId, ProcKind, VarId};
use std::sync::Arc;

/// Where the code that is being checked runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CodeSide {
    /// Host code.
    Host,
    /// Device code.
    Device,
    /// A procedure that is compiled for both.
    Both,
    /// The body of `!$cuf kernel do` in host code.
    CufKernel,
}

impl CodeSide {
    /// Where the statements of a procedure of that kind run.
    pub(crate) fn of(kind: ProcKind) -> CodeSide {
        match kind {
            ProcKind::Host => CodeSide::Host,
            ProcKind::Kernel | ProcKind::Device => CodeSide::Device,
            ProcKind::HostDevice => CodeSide::Both,
        }
    }

    /// Whether the code runs on the device (too).
    pub(crate) fn on_device(self) -> bool {
        self != CodeSide::Host
    }
}

/// An enclosing construct.
#[derive(Clone, Debug)]
pub(crate) struct Construct {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) id: LoopId,
    pub(crate) kind: ConstructKind,
}

/// What a construct is, as far as EXIT and CYCLE care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConstructKind {
    /// A DO loop.
    Loop,
    /// A loop that becomes the grid of `!$cuf kernel do`, or DO CONCURRENT: it cannot be left.
    Parallel,
    /// SELECT, IF, BLOCK, ASSOCIATE.
    Other,
}

/// The place in the program that is being checked.
#[derive(Debug)]
pub(crate) struct Context {
    /// Names are looked up from here.
    pub(crate) scope: ScopeId,
    /// The procedure, unless this is a module's specification part.
    pub(crate) proc: Option<ProcId>,
    /// Where the code runs.
    pub(crate) side: CodeSide,
    /// Enclosing constructs, the innermost last.
    pub(crate) constructs: Vec<Construct>,
    /// The number of the next construct.
    next_construct: u32,
    /// Indices of DO loops that the current statement is in: they may not be assigned.
    pub(crate) loop_vars: Vec<VarId>,
    /// Inside `!$cuf kernel do`: variables from this number on were made there.
    pub(crate) cuf_first_var: Option<u32>,
    /// The external procedure without an interface here that the current reference is to.
    pub(crate) implicit_interface: Option<ProcId>,
    /// In a procedure compiled for both sides: under a condition on `on_device()`, where calls of either side may stand.
    pub(crate) guarded: bool,
    /// In a compute region of OpenACC.
    pub(crate) in_region: bool,
    /// Whether the statement is in a `host_data` region of OpenACC.
    pub(crate) in_host_data: bool,
    /// Inside a specification or constant expression: device and host data are not told apart.
    pub(crate) specification: bool,
    /// The type of a component that is a descriptor is named: it may be that of an object which holds it.
    pub(crate) by_descriptor: bool,
    /// Types with length parameters are those of device code: the lengths are constant and belong to the type, whatever
    /// objects of the host have.
    pub(crate) is_closed: bool,
    /// An expression of the debugger is checked against a finished program: nothing new may be declared, and rules about
    /// host and device do not apply.
    pub(crate) debugger: bool,
}

impl Context {
    /// A context at the beginning of a scope.
    pub(crate) fn new(scope: ScopeId, proc: Option<ProcId>, side: CodeSide) -> Context {
        Context {
            scope,
            proc,
            side,
            constructs: Vec::new(),
            next_construct: 0,
            loop_vars: Vec::new(),
            cuf_first_var: None,
            implicit_interface: None,
            guarded: false,
            in_region: false,
            in_host_data: false,
            specification: false,
            by_descriptor: false,
            is_closed: false,
            debugger: false,
        }
    }

    /// A number for a construct.
    pub(crate) fn new_construct(&mut self) -> LoopId {
        let id = LoopId(self.next_construct);
        self.next_construct += 1;
        id
    }

    /// Whether rules about host and device data apply: not in specification expressions, nor for the debugger.
    pub(crate) fn has_side(&self) -> bool {
        !self.specification && !self.debugger
    }
}
