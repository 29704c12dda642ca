//! Loops of code of one lane: what the host runs.
//!
//! The input is a [`HostRoutine`]: the loop nests of a function as basic blocks over the registers of its frame, which are no SSA
//! values but places that are written again and again. The code keeps the registers that a nest uses most in registers of the
//! processor, and the others where the frame has them. It is entered at any block and returns an operation at which the
//! interpreter goes on; then all registers are in the frame, and budget, polls and writes are what the interpreter would have
//! counted. So any operation that the code does not know can be left to the interpreter.
//!
//! A loop of one block whose addresses grow by constants runs as many iterations without a check as are sure to stay inside the memory
//! where the first one's words were found (`repeat`), and if its iterations do not depend on each other, several at a time (`packed`).
//!
//! Not here: which operations become blocks (`vm`), code for the lanes of a warp (`crate::emit`).

mod access;
mod emit;
mod integers;
mod operations;
mod packed;
mod reals;
mod registers;
mod repeat;
mod state;
mod values;
mod walks;

use crate::segment::Class;
use ir::Ty;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};

pub use emit::compile;
pub use state::{HostCode, HostState, Site, SiteInfo};

/// A register of the frame: a predicate, a word of 32 bits (a narrower integer is zero-extended) or one of 64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register {
    /// Which file; never [`Class::Scalar`].
    pub class: Class,
    /// Its number in the file.
    pub slot: u32,
}

/// What an operation reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// A constant, zero-extended; 0 or 1 if it is a truth value.
    Constant(u64),
}

/// A register times a constant, as a part of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostTerm {
    /// A word is a signed integer.
    pub register: Register,
    /// The constant.
    pub factor: i64,
}

/// An address: the sum of its parts modulo 2⁶⁴.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The constant part.
    pub base: i64,
    /// Whether the address of the frame's local memory is added.
    pub is_local: bool,
    /// The registers.
    pub terms: Vec<HostTerm>,
}

/// What an operation that only computes does. The order of operands is that of `ir::eval`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Formula {
    /// The operand as it is.
    Move,
    /// The second operand where the first, a predicate, is true, else the third.
    Select,
    /// See [`ir::eval::eval_un`].
    Un(UnOp, Ty),
    /// See [`ir::eval::eval_bin`].
    Bin(BinOp, Ty),
    /// See [`ir::eval::eval_tri`].
    Tri(TriOp, Ty),
    /// See [`ir::eval::eval_cmp`].
    Cmp(CmpOp, Ty),
    /// See [`ir::eval::eval_cvt`]: operation, from, to.
    Cvt(CvtOp, Ty, Ty),
    /// The address of the frame's local memory and the operand.
    LocalAddress,
}

impl Formula {
    /// What it gives for these operands, by the evaluator. An address of local memory is not its business.
    pub fn evaluate(self, [a, b, c]: [u64; 3]) -> u64 {
        use ir::eval::{eval_bin, eval_cmp, eval_cvt, eval_tri, eval_un};
        match self {
            Formula::Move | Formula::LocalAddress => a,
            Formula::Select => [c, b][usize::from(a & 1 != 0)],
            Formula::Un(op, ty) => eval_un(op, ty, a),
            Formula::Bin(op, ty) => eval_bin(op, ty, a, b),
            Formula::Tri(op, ty) => eval_tri(op, ty, a, b, c),
            Formula::Cmp(op, ty) => u64::from(eval_cmp(op, ty, a, b)),
            Formula::Cvt(op, from, to) => eval_cvt(op, from, to, a),
        }
    }
}

/// Arguments of an [`Operation::Serve`].
pub const MOST_ARGUMENTS: usize = 4;

/// An operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Computes a register.
    Compute {
        /// What.
        formula: Formula,
        /// Where to.
        result: Register,
        /// From what; as many as the formula has.
        operands: Vec<Operand>,
    },
    /// Loads a word of so many bytes, which is zero-extended.
    Load {
        /// 1, 2, 4 or 8.
        bytes: u32,
        /// Where to.
        result: Register,
        /// Where from.
        address: Address,
    },
    /// Stores a word of so many bytes.
    Store {
        /// 1, 2, 4 or 8.
        bytes: u32,
        /// What.
        value: Operand,
        /// Where to.
        address: Address,
    },
    /// Has a service of the run time served, unless that has to be done by the interpreter ([`HostState::serve`]).
    Serve {
        /// Where to, if there is a result.
        result: Option<Register>,
        /// Its arguments, at most [`MOST_ARGUMENTS`].
        operands: Vec<Operand>,
    },
    /// A statement of the source begins.
    Statement,
    /// The back edge of a loop: a schedule point at which one that has polled for long gives way.
    BackEdge,
}

/// An operation and its number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Where the interpreter does it.
    pub pc: u32,
    /// What it is.
    pub operation: Operation,
}

/// How a block ends. Places are operations: the code goes on with the block there, or returns where there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    /// With the block there.
    Jump(u32),
    /// With one of two.
    Branch {
        /// A predicate.
        condition: Operand,
        /// Where to if it holds.
        then_pc: u32,
        /// Where to else.
        else_pc: u32,
        /// Whether nothing but this branch reads the predicate as this block leaves it.
        is_last_use: bool,
    },
    /// With one of several: that of the value, or the last.
    Switch {
        /// The type of the value.
        ty: Ty,
        /// The value.
        value: Operand,
        /// By value.
        arms: Vec<(i64, u32)>,
        /// Where to with any other.
        default: u32,
    },
}

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its first operation.
    pub pc: u32,
    /// How many loops it is in.
    pub depth: u32,
    /// Its operations.
    pub body: Vec<Instruction>,
    /// The registers that it writes and that are read behind it before they are written again.
    pub live_out: Vec<Register>,
    /// How it ends.
    pub end: Terminator,
}

/// The blocks of a loop that is in no other, with those of the loops in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Nest {
    /// In the order of their operations.
    pub blocks: Vec<Block>,
}

/// The loop nests of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostRoutine {
    /// The nests.
    pub nests: Vec<Nest>,
    /// How many schedule points may pass before others get their turn.
    pub poll_quantum: u32,
    /// The number of its first site: each load and store has one.
    pub first_site: u32,
}
