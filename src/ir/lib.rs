//! The intermediate representation of host and device code.
//!
//! A [`Module`] holds functions and global variables. A [`Function`] has typed virtual registers and basic blocks. A source
//! variable that lives in a register is a *mutable* register ([`RegInfo::var`]); the debugger finds it by its name, and PTX
//! uses it as it is. Every other register is a temporary, assigned once, whose definition dominates its uses. Memory
//! operations carry their address space. Every instruction has a span.
//!
//! Operations are rows of declarative tables ([`op`], [`rt`]). Evaluator, executor, PTX printer and verifier match on them
//! without a wildcard, so a new operation does not build until each of them knows it.
//!
//! # Conventions between lowering and the consumers of the code
//!
//! - Addresses are `i64` numbers. Local and shared addresses lie in separate windows (`mem`).
//! - A scalar dummy with VALUE is a parameter of its type; without VALUE it is the address. Complex takes two parameters.
//! - A derived type by VALUE is a [`ParamKind::Bytes`]: the callee's own copy, given as its address. One of the device whose length
//!   parameters are known at run time only is passed like one without VALUE, and the callee makes its copy.
//! - An explicit-shape or assumed-size dummy is its base address. An assumed-shape dummy is `base` followed by `extent` and
//!   `stride in bytes` per dimension (lower bounds are the callee's). An allocatable or pointer dummy is the address of the
//!   descriptor. A character dummy is `base` (as for its shape) followed by the length in bytes. Absent is address 0.
//! - A scalar function result of intrinsic type is returned in registers (complex in two); any other result is written
//!   through a hidden first parameter, its address (followed by the length for characters).
//! - A descriptor in memory is `base, element bytes, rank`, then `lower bound, extent, stride in bytes` per dimension, all
//!   `i64` ([`descriptor`]). Unallocated or disassociated is base 0.
//! - LOGICAL in memory and registers: .true. is −1 (all bits of its kind), .false. 0; a test looks at the lowest bit, as
//!   nvfortran does.
//! - Host code names its memory [`Space::Host`]; it covers host, pinned and managed memory.
//!
//! # Working on it
//!
//! [`FunctionBuilder`] builds functions, [`verify`] checks them, [`mod@print`] and [`parse`] write and read the text form
//! (`.cir`), [`eval`] computes one operation, [`lane`] runs one thread, [`analysis`] answers the questions of passes and
//! executors, [`expect`] reads the expected results in test texts.
//!
//! Not here: how any of this is executed (`vm`), printed as PTX (`gpu`) or made from Fortran (`lower`).

pub mod analysis;
mod builder;
mod code;
mod combine;
pub mod eval;
pub mod expect;
pub mod lane;
mod text;
pub mod verify;

pub use builder::FunctionBuilder;
pub use code::{
    Access, AddrBase, Bb, BlockData, DebugField, DebugType, DebugTypeId, DebugTypeKind, DebugVar, FuncId, FuncKind,
    Function, Global, GlobalId, GlobalInit, Import, InlineId, Inlined, Inst, InstKind, LaunchConfig, LocalId,
    LocalSlot, Module, Param, ParamKind, Reg, RegInfo, Scope, SharedId, SharedSize, SharedVar, Space, Term, Trap, Val,
    VarId, VarLengths, VarLoc, VarShape, c_descriptor, descriptor, foreign, op, rt, short_name, unnumbered,
};
pub use combine::Combined;
pub use eval::{eval_atomic, eval_atomic_global, eval_bin, eval_cmp, eval_cvt, eval_tri, eval_un};
pub use scalar::Ty;
pub use text::{parse, print};
pub use verify::VerifyError;
