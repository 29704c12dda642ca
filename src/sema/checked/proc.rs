//! Programs, modules, procedures and variables.

use super::{Block, CharLen, Const, DerivedType, Shape, Type, TypeId};
use crate::checked::Intrinsic;
use ast::{CudaAttr, Intent};
use source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The name of the argument that says by which label a call is left; no program can write it.
pub const ALTERNATE: &str = "alternate return";

/// A variable of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

/// A procedure of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProcId(pub u32);

/// A whole checked program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Procedures, by [`ProcId`].
    pub procs: Vec<Procedure>,
    /// Variables, by [`VarId`].
    pub vars: Vec<Variable>,
    /// Derived types, by [`TypeId`].
    pub types: Vec<DerivedType>,
    /// Modules in order of definition.
    pub modules: Vec<Module>,
    /// The values of named constants that are objects, made at run time.
    pub constants: BTreeMap<VarId, Const>,
    /// The main program.
    pub main: Option<ProcId>,
    /// Procedures that are the first values of procedure pointer components. There, and in any constant, a procedure is its
    /// number: its id plus one.
    pub pointed: Vec<ProcId>,
    /// Procedures that C code calls by name, and the names.
    pub named: Vec<(Arc<str>, ProcId)>,
    /// Variables that C code has or uses too.
    pub shared: Vec<SharedVariable>,
}

impl Program {
    /// The procedure of that id.
    pub fn proc(&self, id: ProcId) -> &Procedure {
        &self.procs[id.0 as usize]
    }

    /// The variable of that id.
    pub fn var(&self, id: VarId) -> &Variable {
        &self.vars[id.0 as usize]
    }

    /// The type of that id.
    pub fn ty(&self, id: TypeId) -> &DerivedType {
        &self.types[id.0 as usize]
    }
}

/// A variable, or the storage sequence of a COMMON block, that C code has or uses by its binding label.
#[derive(Clone, Debug)]
pub struct SharedVariable {
    /// The label.
    pub label: Arc<str>,
    /// The variable. What it has here is its first value only.
    pub var: VarId,
    /// Whether C code defines it, so that its first value is C's.
    pub is_of_c: bool,
    /// A variable that holds the address of what C has.
    pub address: VarId,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name, lower case.
    pub name: Arc<str>,
    /// Whether it is one of the embedded modules.
    pub embedded: bool,
    /// Its names.
    pub scope: Scope,
}

/// The names that a scope knows.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Its own names and those picked from modules, in lower case; operators as `operator(+)`, `assignment(=)`.
    pub names: BTreeMap<Arc<str>, Symbol>,
    /// The names of modules that it uses as a whole. Scopes that use the same ones share them.
    pub used: Option<Arc<BTreeMap<Arc<str>, Symbol>>>,
    /// The scope around it, whose other names it knows too. Procedures of one module share it.
    pub parent: Option<Arc<Scope>>,
}

impl Scope {
    /// What a name means here.
    pub fn find(&self, name: &str) -> Option<&Symbol> {
        let mut at = Some(self);
        while let Some(scope) = at {
            if let Some(symbol) = scope.names.get(name).or_else(|| scope.used.as_ref()?.get(name)) {
                return Some(symbol).filter(|symbol| !matches!(symbol, Symbol::Hidden));
            }
            at = scope.parent.as_deref();
        }
        None
    }

    /// All names that mean something here.
    pub fn all(&self) -> BTreeMap<Arc<str>, Symbol> {
        let mut all = self.parent.as_ref().map(|parent| parent.all()).unwrap_or_default();
        let used = self.used.iter().flat_map(|used| used.iter());
        all.extend(used.chain(&self.names).map(|(name, symbol)| (name.clone(), symbol.clone())));
        all.retain(|_, symbol| !matches!(symbol, Symbol::Hidden));
        all
    }
}

/// An object of a namelist group, which may be known by another name where it was declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupObject {
    /// Its name in the NAMELIST statement, which input and output show.
    pub name: Arc<str>,
    /// The variable.
    pub var: VarId,
}

/// What a name means.
#[derive(Clone, Debug)]
pub enum Symbol {
    /// A variable or named constant.
    Var(VarId),
    /// A procedure.
    Proc(ProcId),
    /// A generic name with its specific procedures; perhaps it is an intrinsic's name too, or a type's (a constructor).
    Generic {
        /// Specific procedures.
        procs: Vec<ProcId>,
        /// A derived type of the same name.
        ty: Option<TypeId>,
    },
    /// A derived type.
    Type(TypeId),
    /// An intrinsic procedure, after an INTRINSIC statement.
    Intrinsic(Intrinsic),
    /// A namelist group, with the name that it was given where it was declared.
    Namelist(Arc<str>, Vec<GroupObject>),
    /// Nothing that could be spoken of, but a name of the scope around is hidden by it.
    Hidden,
}

/// Where a procedure runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcKind {
    /// On the host.
    Host,
    /// A kernel.
    Kernel,
    /// On the device, called from kernels.
    Device,
    /// Compiled for both.
    HostDevice,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Name, lower case.
    pub name: Arc<str>,
    /// `module.name`, `host.internal` or `name`; unique.
    pub qualified: Arc<str>,
    /// Where it runs.
    pub kind: ProcKind,
    /// Whether it is a function.
    pub is_function: bool,
    /// Dummies in order.
    pub params: Vec<VarId>,
    /// The result variable of a function.
    pub result: Option<VarId>,
    /// All its own variables, dummies, result and those of BLOCK constructs included.
    pub vars: Vec<VarId>,
    /// What it does.
    pub body: ProcBody,
    /// The procedure that contains it.
    pub parent: Option<ProcId>,
    /// `elemental`
    pub elemental: bool,
    /// `pure`
    pub pure: bool,
    /// `recursive`
    pub recursive: bool,
    /// `bind(c)`
    pub is_bound: bool,
    /// `grid_global`
    pub cooperative: bool,
    /// First operand of `launch_bounds`.
    pub max_threads: Option<u32>,
    /// `cluster_dims`: blocks of a cluster along each dimension.
    pub cluster: Option<[u32; 3]>,
    /// The names that its statements know.
    pub scope: Scope,
    /// Its first statement.
    pub span: Span,
    /// Its END statement.
    pub end: Span,
    /// The procedure one of whose ENTRY statements defines it: its body is a jump to the statement, in that procedure, whose
    /// variables are its own.
    pub entry_of: Option<ProcId>,
    /// The procedure dummy or pointer that it is called through: the record gives the interface only, its body is
    /// [`ProcBody::Missing`], and which procedure runs is known when the call is made.
    pub through: Option<VarId>,
}

impl Procedure {
    /// Why it cannot define an operator, or an assignment: an operation is a function of one or two operands, an assignment a
    /// subroutine of two arguments (Fortran 2018, 15.4.3.4.2, 15.4.3.4.3).
    pub(crate) fn cannot_define(&self, is_assignment: bool) -> Option<&'static str> {
        if self.is_function == is_assignment {
            Some(if is_assignment { "is a function" } else { "is a subroutine" })
        } else if is_assignment && self.params.len() != 2 {
            Some("does not take two arguments")
        } else if !is_assignment && !matches!(self.params.len(), 1 | 2) {
            Some("does not take one or two operands")
        } else {
            None
        }
    }
}

/// The argument of a procedure that defines an operator or an assignment whose intent is not the one that it needs, and that
/// one: operands and the right side are INTENT(IN) or VALUE, the left side is changed (Fortran 2018, 15.4.3.4.2, 15.4.3.4.3).
pub(crate) fn unfit_operand<'d>(dummies: &[&'d Variable], is_assignment: bool) -> Option<(&'d Variable, &'static str)> {
    dummies.iter().enumerate().find_map(|(at, dummy)| {
        let is_left = is_assignment && at == 0;
        let (fits, wanted) = match dummy.attrs.intent {
            Some(Intent::Out | Intent::InOut) => (is_left, "intent(in)"),
            Some(Intent::In) => (!is_left, "intent(out)"),
            None if is_left => (false, "intent(out)"),
            None => (dummy.attrs.value, "intent(in)"),
        };
        (!fits).then_some((*dummy, wanted))
    })
}

/// What a procedure does.
#[derive(Clone, Debug)]
pub enum ProcBody {
    /// Statements.
    Statements(Block),
    /// A service of the run time (embedded modules): the mnemonic after `rt:`.
    Service(Arc<str>),
    /// The procedure that a type-bound name means for the dynamic type of the passed object; see
    /// [`DerivedType::methods`]. The record gives the interface of the declared type's procedure.
    Dispatch {
        /// The declared type of the object.
        ty: TypeId,
        /// The type-bound name.
        name: Arc<str>,
        /// Which argument the object is.
        object: u32,
        /// Whether the object is there for its type only, and is not passed (NOPASS).
        nopass: bool,
    },
    /// The procedure that a procedure pointer points to; its value is the first argument. The record gives the interface.
    Pointer,
    /// A procedure of a library, called by the C convention.
    Foreign {
        /// The name by which the library has it.
        symbol: Arc<str>,
        /// Whether it is declared with `bind(c)`; if not, lengths of characters follow the arguments, as Fortran compilers
        /// have it.
        is_c: bool,
    },
    /// Declared by an interface or EXTERNAL only, never defined; calling it is refused by name when reached.
    Missing,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name, lower case.
    pub name: Arc<str>,
    /// Type of it or of its elements.
    pub ty: Type,
    /// Shape.
    pub shape: Shape,
    /// How it comes to life.
    pub storage: Storage,
    /// Its attributes.
    pub attrs: Attrs,
    /// First value of a static variable, of the variable's type and shape.
    pub init: Option<Const>,
    /// The procedure that it belongs to; `None` for module variables.
    pub owner: Option<ProcId>,
    /// The module that it belongs to.
    pub module: Option<Arc<str>>,
    /// Its declaration.
    pub span: Span,
}

impl Variable {
    /// Whether this is a local array whose bounds are evaluated at each call.
    pub fn is_automatic_array(&self) -> bool {
        let has_bounds = matches!(self.shape, Shape::Explicit(_)) && self.shape.constant_bounds().is_none();
        has_bounds && matches!(self.storage, Storage::Local)
    }

    /// Whether `-gpu=managed` puts the data of this variable of host code, which has no CUDA attribute, into managed memory.
    pub fn is_managed_by_option(&self) -> bool {
        self.attrs.allocatable || self.attrs.pointer || self.is_automatic_array()
    }
}

/// How a variable comes to life.
#[derive(Clone, Debug)]
pub enum Storage {
    /// A dummy argument, by position from 0.
    Dummy(u32),
    /// A function's result.
    Result,
    /// Anew at each call (or each entry of its BLOCK).
    Local,
    /// Once, for the whole run: module data, SAVE, variables of the main program.
    Static,
    /// A named constant; its value is folded into uses, arrays are read-only statics.
    Parameter,
    /// ASSOCIATE name: stands for an expression (a designator stays one).
    Alias(Box<super::Expr>),
    /// A procedure dummy or procedure pointer.
    Procedure,
    /// A Cray pointee: addressed through the integer variable.
    Pointee(VarId),
    /// In COMMON or EQUIVALENCE: a place in a storage sequence, a hidden array that other variables share.
    Associated {
        /// The storage sequence.
        base: VarId,
        /// Bytes from its beginning.
        offset: u64,
    },
}

/// Attributes of a variable.
#[derive(Clone, Debug, Default)]
pub struct Attrs {
    /// CUDA attribute; dummies and locals of device code have none written and are device or local memory.
    pub cuda: Option<CudaAttr>,
    /// Whether the type is [flat](crate::checked::DerivedType::is_flat).
    pub is_flat: bool,
    /// `allocatable`
    pub allocatable: bool,
    /// `pointer`
    pub pointer: bool,
    /// `target`
    pub target: bool,
    /// `value`
    pub value: bool,
    /// `value` and `optional`: passed by reference, which says whether it is there, and copied on entry.
    pub copied: bool,
    /// `optional`
    pub optional: bool,
    /// `contiguous`
    pub contiguous: bool,
    /// `volatile`
    pub volatile: bool,
    /// `asynchronous`
    pub asynchronous: bool,
    /// Polymorphic: its descriptor says the dynamic type. Objects of a class that no type extends are not.
    pub class: bool,
    /// `protected`
    pub protected: bool,
    /// `intent`
    pub intent: Option<Intent>,
    /// Letters of `ignore_tkr`, lower case.
    pub ignore_tkr: Arc<str>,
    /// The length parameters of its derived type, where they are known at run time only.
    pub lengths: Vec<CharLen>,
}
