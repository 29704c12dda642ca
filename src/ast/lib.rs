//! The syntax tree of CUDA Fortran: plain nodes with spans.
//!
//! The tree says what was written, not what it means: `a(i)` is [`ExprKind::Apply`] whether it is an array element, a
//! function reference, a structure constructor or a substring (invariant I2). Names are folded to lower case; spans lead
//! back to the spelling. Declarations keep their order, since implicit typing and kinds depend on it.
//!
//! Not here: symbols, types, constant values (`sema`).

mod decl;
mod dump;
mod expr;
mod stmt;
mod unit;
mod unparse;

pub use decl::{
    Attr, Bound, CharLen, CudaAttr, DataSet, DeclKind, Declaration, DerivedType, Entity, EnumDef, Import, Intent,
    Interface, InterfaceItem, InterfaceKind, KindParam, LetterSpec, Shape, TypeField, TypeItem, TypeSpec, TypeSpecKind,
    UseItem, UseStmt,
};
pub use dump::dump;
pub use expr::{Arg, ArgValue, ArrayItem, BinaryOp, Expr, ExprKind, ImpliedDo, Name, Radix, UnaryOp};
pub use stmt::{
    Allocate, Block, CaseRange, CufKernel, CufReduce, CufSize, DoControl, GlobalLaunch, IfArm, IoControl, IoItem,
    IoKind, LoopVar, SelectArm, Stmt, StmtKind, TypeArm, WhereArm,
};
pub use unit::{Generic, Prefix, ProcedureAttr, Program, Subprogram, SubprogramKind, Unit, UnitKind};
pub use unparse::unparse;
