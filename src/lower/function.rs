//! The lowering of one function's source: expressions, designators, calls and statements.
//!
//! These are mutually recursive: a subscript is an expression, an expression calls a function, a call evaluates the bounds
//! of a declaration. [`FunctionLowering`] is the state of this recursion: the builder, and what is known about the source at
//! the current point. Code that needs only the builder takes a [`Builder`].
//!
//! Not here: any lowering. Each room of the recursion adds its methods.

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::ElementLoops;
use crate::module::ModuleLowering;
use crate::storage::StorageTable;
use crate::storage::blocks::OpenBlocks;
use crate::targets::JumpTargets;
use crate::types::Side;
use crate::value::lvalue::MemRef;
use ir::{FunctionBuilder, Val};
use sema::checked::{ProcId, VarId};
use std::collections::BTreeMap;

/// The lowering of a function's source.
pub(crate) struct FunctionLowering<'m, 'p> {
    pub(crate) b: Builder<'m, 'p>,
    pub(crate) storage: StorageTable,
    pub(crate) blocks: OpenBlocks,
    pub(crate) elements: ElementLoops,
    pub(crate) targets: JumpTargets<'p>,
    /// Records of internal procedures (`call::procedure_pointer`), as far as they are in this frame or were passed.
    pub(crate) records: BTreeMap<ProcId, MemRef>,
    /// The memory that the results of a function and of its entries share, where they have several types.
    pub(crate) results: Option<MemRef>,
    /// The numbers that C has for the types of `type(*)` dummies, as far as they are passed.
    pub(crate) types_for_c: BTreeMap<VarId, Val>,
}

impl<'m, 'p> FunctionLowering<'m, 'p> {
    /// The lowering of a function whose first real block is current.
    pub(crate) fn new(
        module: &'m mut ModuleLowering<'p>,
        ir: FunctionBuilder,
        side: Side,
        procedure: ProcId,
    ) -> FunctionLowering<'m, 'p> {
        FunctionLowering {
            b: Builder::new(module, ir, side, procedure),
            storage: StorageTable::default(),
            blocks: OpenBlocks::new(),
            elements: ElementLoops::default(),
            targets: JumpTargets::default(),
            records: BTreeMap::new(),
            results: None,
            types_for_c: BTreeMap::new(),
        }
    }
}

impl<'m, 'p: 'm> Flow<'m, 'p> for FunctionLowering<'m, 'p> {
    fn builder(&mut self) -> &mut Builder<'m, 'p> {
        &mut self.b
    }
}
