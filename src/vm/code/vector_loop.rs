//! Host loops that can run many iterations at a time: what the executor has to know of one before it does so.
//!
//! Not here: which loops these are (`compile::vector_loop`) and the checks before a run (`exec::vector_loop`).

use super::Program;
use ir::analysis::affine::Operation;
use ir::op::{BinOp, CmpOp};
use ir::{Reg, Ty, Val};
use std::sync::Arc;

/// A loop that may be run many iterations at a time. Registers and values are those of the function.
#[derive(Clone, Debug)]
pub(crate) struct VectorLoop {
    /// The body; it takes `inputs` and does as many iterations as its last parameter says, in 32 lanes.
    pub(crate) kernel: Arc<Program>,
    /// Values that are linear in the number of the iteration, operands before results.
    pub(crate) linear: Vec<(Ty, Linear)>,
    /// Whether there is another iteration: the compare, its operands, and whether it holds then.
    pub(crate) test: (CmpOp, usize, usize, bool),
    pub(crate) touches: Vec<Touch>,
    /// Counters with what they are after the iteration.
    pub(crate) counters: Vec<(Reg, usize)>,
    pub(crate) sums: Vec<Sum>,
    pub(crate) inputs: Vec<Input>,
    /// Schedule points of an iteration.
    pub(crate) points: u64,
}

/// How a linear value is made; operands are numbers of linear values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Linear {
    /// Something that no iteration changes.
    Invariant(Val),
    /// An induction variable as it is at the beginning of an iteration, and what each iteration adds to it, or subtracts.
    Induction { reg: Reg, by: usize, down: bool },
    /// An affine operation on linear values.
    Computed(Operation, [Option<usize>; 3]),
}

/// A load or store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// The address is this linear value plus `offset`.
    pub(crate) address: usize,
    pub(crate) offset: i64,
    pub(crate) bytes: u64,
    pub(crate) writes: bool,
}

/// A register that takes up a value each iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum {
    pub(crate) reg: Reg,
    pub(crate) ty: Ty,
    pub(crate) by: Fold,
}

/// How a sum takes up a value; registers are those of the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fold {
    /// `sum = op(sum, value)`, or the other way around.
    Bin { op: BinOp, value: Reg, first: bool },
    /// `sum = fma(a, b, sum)`
    Fma(Reg, Reg),
}

/// What a parameter of the kernel is given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input {
    Fixed(Val),
    /// The address that a touch has in the first iteration, and by how much it changes.
    Address(usize),
    Stride(usize),
    /// A linear value in the first iteration, and by how much it changes.
    First(usize),
    Step(usize),
    /// The number of iterations.
    Count,
}

impl VectorLoop {
    /// The registers of the function that are read when the loop is entered.
    pub(crate) fn reads(&self) -> Vec<Reg> {
        let mut out: Vec<Reg> = self.sums.iter().map(|s| s.reg).chain(self.counters.iter().map(|c| c.0)).collect();
        let inputs = self.inputs.iter().filter_map(|i| if let Input::Fixed(v) = i { Some(*v) } else { None });
        let fixed = self.linear.iter().filter_map(|(_, l)| if let Linear::Invariant(v) = l { Some(*v) } else { None });
        out.extend(inputs.chain(fixed).filter_map(|v| if let Val::Reg(r) = v { Some(r) } else { None }));
        out
    }
}

impl Fold {
    /// The registers of the kernel whose values are folded.
    pub(crate) fn values(self) -> Vec<Reg> {
        match self {
            Fold::Bin { value, .. } => vec![value],
            Fold::Fma(a, b) => vec![a, b],
        }
    }
}
