//! The checked program: what a valid program means, with every name, type, kind, rank and argument resolved (invariant I3).
//!
//! Later stages never infer or fix types. Conversions are explicit ([`ExprKind::Convert`]): the operands of an arithmetic
//! operation have the type and kind of its result, the right side of an assignment that of the left (ranks may differ: a
//! scalar is spread). Constants are folded. What this version refuses is a [`StmtKind::Unsupported`] or
//! [`ExprKind::Unsupported`] node, reported at compile time as a warning, and an error when execution reaches it
//! (invariant I6).

mod designator;
mod dump;
mod expr;
mod intrinsic;
mod proc;
mod stmt;
mod types;
pub mod visit;

pub use designator::{is_designator, root, root_behind_names, root_in_memory, scalar_root};
pub use dump::dump;
pub use expr::{Actual, BinaryOp, CmpOp, Const, Expr, ExprKind, ImpliedDo, Item, LogicOp, Sub, UnaryOp};
pub use intrinsic::{Class, Intrinsic};
pub(crate) use proc::unfit_operand;
pub use proc::{
    ALTERNATE, Attrs, GroupObject, Module, ProcBody, ProcId, ProcKind, Procedure, Program, Scope, SharedVariable,
    Storage, Symbol, VarId, Variable,
};
pub(crate) use stmt::is_device_output;
pub use stmt::{
    AllocObject, Block, CaseRange, CufDim, CufKernel, CufLoop, DefinedIo, IoControl, IoForm, IoItem, IoStmt, IoUnit,
    LaunchGrid, LaunchSpec, LoopControl, LoopId, MOST_ALIGNMENT, RankCase, ReduceOp, Stmt, StmtKind,
};
pub use types::{CharLen, DerivedType, Dim, Field, Shape, SizedBy, Type, TypeId, TypeParam};
