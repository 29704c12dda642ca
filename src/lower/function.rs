//! The lowering of one function's source: expressions, designators, calls and statements.
//!
//! These call each other without end: a subscript is an expression, an expression calls a function, a call evaluates
//! bounds that declarations give. [`FunctionLowering`] is what this recursion needs: the builder and what is known of the
//! source while it is walked. What gets by with the builder alone takes a [`Builder`].
//!
//! Not here: any code of its own.

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::ElementLoops;
use crate::module::ModuleLowering;
use crate::storage::StorageTable;
use crate::storage::blocks::OpenBlocks;
use crate::targets::JumpTargets;
use crate::types::Side;
use ir::FunctionBuilder;
use sema::checked::ProcId;

/// The lowering of a function's source.
pub(crate) struct FunctionLowering<'m, 'p> {
    pub(crate) b: Builder<'m, 'p>,
    pub(crate) storage: StorageTable,
    pub(crate) blocks: OpenBlocks,
    pub(crate) elements: ElementLoops,
    pub(crate) targets: JumpTargets,
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
        }
    }
}

impl<'m, 'p: 'm> Flow<'m, 'p> for FunctionLowering<'m, 'p> {
    fn builder(&mut self) -> &mut Builder<'m, 'p> {
        &mut self.b
    }
}
