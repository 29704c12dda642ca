//! What a module consists of: functions, registers, blocks, instructions, and the tables of operations and services.
//!
//! Not here: anything that computes, checks or prints them.

pub mod c_descriptor;
pub mod descriptor;
pub mod foreign;
mod func;
mod ids;
mod inst;
pub mod op;
pub mod rt;
mod visit;

pub use func::{
    BlockData, DebugField, DebugType, DebugTypeKind, DebugVar, FuncKind, Function, Global, GlobalInit, Import, Inlined,
    LocalSlot, Module, Param, ParamKind, RegInfo, SharedSize, SharedVar, VarLengths, VarLoc, VarShape, short_name,
    unnumbered,
};
pub use ids::{Bb, DebugTypeId, FuncId, GlobalId, InlineId, LocalId, Reg, SharedId, VarId};
pub use inst::{Access, AddrBase, Inst, InstKind, LaunchConfig, Scope, Space, Term, Trap, Val};
