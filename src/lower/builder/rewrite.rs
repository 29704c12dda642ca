//! A complete function rewritten instruction by instruction: others are put around those that it has.
//!
//! Not here: what is put there (`check_fp`, `exceptions`).

use ir::{Bb, BlockData, Function, Inst, InstKind, Reg, RegInfo, Term, Ty, Val};
use source::Span;

/// A function under rewriting, and the block that is being filled.
pub(crate) struct Rewrite<'f> {
    pub(crate) f: &'f mut Function,
    here: usize,
    /// How the block ends whose instructions are being put back.
    end: (Term, Span),
}

impl<'f> Rewrite<'f> {
    pub(crate) fn new(f: &'f mut Function) -> Rewrite<'f> {
        Rewrite { f, here: 0, end: (Term::Exit, Span::NONE) }
    }

    /// Empties a block, which is filled from here on; gives its instructions.
    pub(crate) fn open(&mut self, at: usize) -> Vec<Inst> {
        let block = &mut self.f.blocks[at];
        self.end = (block.term.clone(), block.term_span);
        self.here = at;
        std::mem::take(&mut block.insts)
    }

    /// Ends what [`Rewrite::open`] began as the block ended.
    pub(crate) fn close(&mut self) {
        let last = &mut self.f.blocks[self.here];
        (last.term, last.term_span) = (std::mem::replace(&mut self.end.0, Term::Exit), self.end.1);
    }

    /// Puts an instruction.
    pub(crate) fn push(&mut self, inst: Inst) {
        self.f.blocks[self.here].insts.push(inst);
    }

    /// Puts an instruction with a result of that type.
    pub(crate) fn emit(&mut self, ty: Ty, span: Span, kind: impl FnOnce(Reg) -> InstKind) -> Reg {
        let dst = Reg(self.f.regs.len() as u32);
        self.f.regs.push(RegInfo { ty, var: None, mutable: false });
        self.push(Inst::new(kind(dst), span));
        dst
    }

    /// From here on a block is filled that runs under a condition; gives the one behind it, for [`Rewrite::join`].
    pub(crate) fn branch(&mut self, cond: Val, span: Span) -> Bb {
        let [then_bb, else_bb] = [(); 2].map(|()| {
            let bb = Bb(self.f.blocks.len() as u32);
            self.f.blocks.push(BlockData::new(Vec::new(), Term::Exit, span));
            bb
        });
        let here = &mut self.f.blocks[self.here];
        (here.term, here.term_span) = (Term::Branch { cond, then_bb, else_bb }, span);
        self.here = then_bb.index();
        else_bb
    }

    /// Ends a block that runs under a condition.
    pub(crate) fn join(&mut self, behind: Bb) {
        self.f.blocks[self.here].term = Term::Jump(behind);
        self.here = behind.index();
    }
}
