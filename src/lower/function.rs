//! The lowering of one function's source: expressions, designators, calls and statements.
//!
//! These call each other without end: a subscript is an expression, an expression calls a function, a call evaluates
//! bounds that declarations give. [`FunctionLowering`] is what this recursion needs: the builder and what is known of the
//! source while it is walked. What gets by with the builder alone takes a [`Builder`].
//!
//! Not here: any code of its own.

use crate::array::Env;
use crate::builder::flow::Flow;
use crate::builder::{Allocation, Builder};
use crate::module::ModuleLowering;
use crate::storage::Home;
use crate::types::Side;
use ir::{Bb, FunctionBuilder, Val};
use sema::checked::{LoopId, ProcId, VarId};
use std::collections::BTreeMap;

/// A construct that EXIT or CYCLE may name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) id: LoopId,
    pub(crate) exit: Bb,
    pub(crate) cycle: Option<Bb>,
    /// How many blocks with variables of their own were open outside of it.
    pub(crate) blocks: usize,
}

/// The lowering of a function's source.
pub(crate) struct FunctionLowering<'m, 'p> {
    pub(crate) b: Builder<'m, 'p>,
    pub(crate) homes: BTreeMap<VarId, Home>,
    /// Element-wise evaluations in progress, innermost last.
    pub(crate) envs: Vec<Env>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) labels: BTreeMap<u32, Bb>,
    /// The variables of each open BLOCK, and of the procedure first, that must be freed when it is left.
    pub(crate) live: Vec<Vec<VarId>>,
    /// Addresses of automatic arrays of each open BLOCK, beside `live`.
    pub(crate) automatic: Vec<Vec<Allocation>>,
    /// Whether local allocatables are freed at the end: not in the main program.
    pub(crate) frees_locals: bool,
    pub(crate) dynamic_shared: Option<Val>,
}

impl<'m, 'p> FunctionLowering<'m, 'p> {
    /// The lowering of a function whose first real block is current.
    pub(crate) fn new(
        m: &'m mut ModuleLowering<'p>,
        b: FunctionBuilder,
        side: Side,
        proc: ProcId,
    ) -> FunctionLowering<'m, 'p> {
        FunctionLowering {
            b: Builder::new(m, b, side, proc),
            homes: BTreeMap::new(),
            envs: Vec::new(),
            frames: Vec::new(),
            labels: BTreeMap::new(),
            live: vec![Vec::new()],
            automatic: vec![Vec::new()],
            frees_locals: true,
            dynamic_shared: None,
        }
    }
}

impl<'m, 'p: 'm> Flow<'m, 'p> for FunctionLowering<'m, 'p> {
    fn builder(&mut self) -> &mut Builder<'m, 'p> {
        &mut self.b
    }
}
