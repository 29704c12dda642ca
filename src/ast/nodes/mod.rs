//! The nodes of the tree. They contain each other: a type's length is an expression, an array constructor names a type, a
//! BLOCK has declarations.

mod decl;
mod expr;
mod stmt;
mod unit;

pub use decl::{
    Attr, Bound, CharLen, CudaAttr, DataSet, DeclKind, Declaration, DerivedSpec, DerivedType, Entity, EnumDef, Import,
    Intent, Interface, InterfaceItem, InterfaceKind, KindParam, LetterSpec, NoneSpec, Shape, TypeField, TypeItem,
    TypeSpec, TypeSpecKind, UseItem, UseStmt,
};
pub use expr::{Arg, ArgValue, ArrayItem, ArrayRange, BinaryOp, Expr, ExprKind, ImpliedDo, Name, Radix, UnaryOp};
pub use stmt::{
    Allocate, Block, CaseRange, ConcurrentHeader, CufKernel, CufReduce, CufSize, DoControl, GlobalLaunch, IfArm,
    IoControl, IoItem, IoKind, LoopVar, SelectArm, Stmt, StmtKind, TypeArm, WhereArm,
};
pub use unit::{
    Generic, Prefix, ProcedureAttr, Program, RegionDirective, RegionKind, Subprogram, SubprogramKind, Unit, UnitKind,
};
