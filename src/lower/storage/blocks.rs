//! What the procedure and each open BLOCK hold, to be freed when they are left.
//!
//! Not here: freeing it (`procedure::local`).

use crate::value::lvalue::Allocation;
use sema::checked::VarId;

/// What one procedure or BLOCK holds.
#[derive(Clone, Debug, Default)]
struct Block {
    /// Variables that own something.
    variables: Vec<VarId>,
    /// Memory of automatic arrays.
    allocations: Vec<Allocation>,
    /// How many scopes of the builder are outside of it.
    scopes: usize,
}

/// The procedure and the BLOCKs that are open in it.
#[derive(Debug)]
pub(crate) struct OpenBlocks {
    blocks: Vec<Block>,
    frees_procedure: bool,
}

impl OpenBlocks {
    /// Only the procedure is open.
    pub(crate) fn new() -> OpenBlocks {
        OpenBlocks { blocks: vec![Block::default()], frees_procedure: true }
    }

    /// The procedure is the main program, whose allocatables are not freed at its end.
    pub(crate) fn keep_procedure(&mut self) {
        self.frees_procedure = false;
    }

    /// Whether local allocatables of the procedure are freed at its end.
    pub(crate) fn frees_procedure(&self) -> bool {
        self.frees_procedure
    }

    /// How many are open, the procedure included.
    pub(crate) fn depth(&self) -> usize {
        self.blocks.len()
    }

    /// Opens a BLOCK within so many scopes of the builder.
    pub(crate) fn open(&mut self, scopes: usize) {
        self.blocks.push(Block { scopes, ..Block::default() });
    }

    /// How many scopes of the builder are outside of the one at that depth.
    pub(crate) fn scopes(&self, depth: usize) -> usize {
        self.blocks.get(depth).map_or(0, |block| block.scopes)
    }

    /// Closes the innermost BLOCK.
    pub(crate) fn close(&mut self) {
        self.blocks.pop();
    }

    /// Adds a variable to the innermost one.
    pub(crate) fn add_variable(&mut self, v: VarId) {
        if let Some(block) = self.blocks.last_mut() {
            block.variables.push(v);
        }
    }

    /// Adds memory to the innermost one.
    pub(crate) fn add_allocation(&mut self, a: Allocation) {
        if let Some(block) = self.blocks.last_mut() {
            block.allocations.push(a);
        }
    }

    /// What the one at that depth holds. It stays in the list, because another way out may follow.
    pub(crate) fn contents(&self, depth: usize) -> (Vec<VarId>, Vec<Allocation>) {
        let block = self.blocks.get(depth).cloned().unwrap_or_default();
        (block.variables, block.allocations)
    }
}
