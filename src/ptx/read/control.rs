//! Guards, branches and the end of a thread (PTX ISA 9.3 and 9.7.12), and which reader an instruction goes to.
//!
//! A branch to a label that was passed goes back: another iteration of a loop begins.

use super::{Labelled, Op, Reader, Result, unsupported, wrong};
use crate::syntax::{Instruction, Type};
use ir::op::UnOp;
use ir::{Bb, Term, Trap, Ty, Val};
use std::sync::Arc;

impl<'a> Reader<'a> {
    /// The block of a label.
    fn label(&mut self, name: &Arc<str>) -> Labelled {
        if let Some(&known) = self.labels.get(name) {
            return known;
        }
        let new = Labelled { block: self.b.new_block(), is_placed: false };
        self.labels.insert(name.clone(), new);
        new
    }

    /// A label stands here.
    pub(super) fn place(&mut self, name: &Arc<str>) {
        let Labelled { block, .. } = self.label(name);
        self.labels.insert(name.clone(), Labelled { block, is_placed: true });
        self.b.jump(block);
        self.b.switch_to(block);
        // Whoever comes here may come from another line.
        self.line = self.line.map(|line| source::Span { end: line.start, ..line });
    }

    /// The block to branch to: that of the label, or one that marks another iteration before it.
    fn target(&mut self, name: &Arc<str>) -> Bb {
        let Labelled { block, is_placed } = self.label(name);
        if !is_placed {
            return block;
        }
        let here = self.b.current();
        let back = self.b.new_block();
        self.b.switch_to(back);
        self.b.back_edge();
        self.b.jump(block);
        self.b.switch_to(here);
        back
    }

    /// The negation of a value.
    pub(super) fn not(&mut self, ty: Ty, value: Val) -> Val {
        self.b.un(UnOp::Not, ty, value).into()
    }

    /// An instruction and its guard.
    pub(super) fn guarded(&mut self, instruction: &'a Instruction) -> Result<()> {
        let Some((name, is_negated)) = &instruction.guard else { return self.instruction(instruction) };
        let (reg, ty) = self.register(name)?;
        if ty != Type::PRED {
            return wrong(format!("`{name}` guards an instruction and is no predicate"));
        }
        let op = Op::new(instruction);
        if op.parts[0] == "bra" {
            let label = op.name(0)?;
            let (taken, next) = (self.target(label), self.b.new_block());
            let (then_bb, else_bb) = if *is_negated { (next, taken) } else { (taken, next) };
            self.b.branch(reg, then_bb, else_bb);
            self.b.switch_to(next);
            return Ok(());
        }
        let (body, next) = (self.b.new_block(), self.b.new_block());
        let (then_bb, else_bb) = if *is_negated { (next, body) } else { (body, next) };
        self.b.branch(reg, then_bb, else_bb);
        self.b.switch_to(body);
        let read = self.instruction(instruction);
        if let Err(fault) = read {
            let span = self.b.span();
            self.refuse(span, fault);
        }
        self.b.jump(next);
        self.b.switch_to(next);
        Ok(())
    }

    fn instruction(&mut self, instruction: &'a Instruction) -> Result<()> {
        if self.address_instruction(instruction)? {
            return Ok(());
        }
        let op = Op::new(instruction);
        match op.parts[0] {
            "add" | "sub" | "mul" | "mad" | "fma" | "div" | "rem" | "min" | "max" | "abs" | "neg" | "sqrt"
            | "rsqrt" | "rcp" | "sin" | "cos" | "ex2" | "lg2" | "copysign" | "testp"
                if op.types.first().is_some_and(|ty| ty.kind == crate::syntax::Kind::Real) =>
            {
                self.real(&op)
            }
            "add" | "sub" | "mul" | "mul24" | "mad" | "mad24" | "addc" | "subc" | "madc" | "div" | "rem" | "min"
            | "max" | "abs" | "neg" | "sad" => self.integer(&op),
            "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" | "shf" | "lop3" | "prmt" | "bfe" | "bfi"
            | "bfind" | "popc" | "clz" | "brev" | "fns" | "dp4a" => self.bits(&op),
            "setp" | "set" | "selp" | "slct" => self.compare(&op),
            "mov" => self.mov(&op),
            "cvt" => self.convert(&op),
            "cvta" => self.convert_address(&op),
            "ld" | "ldu" => self.load(&op),
            "st" => self.store(&op),
            "atom" | "red" => self.atomic(&op),
            "membar" | "fence" => self.fence(&op),
            "bar" | "barrier" => self.barrier(&op),
            "vote" | "activemask" | "match" => self.vote(&op),
            "shfl" => self.shuffle(&op),
            "redux" => self.reduce(&op),
            "call" => self.call(&op),
            // A hint.
            "prefetch" | "prefetchu" | "nanosleep" | "brkpt" | "pmevent" | "discard" | "applypriority" => Ok(()),
            "bra" => {
                let block = op.name(0)?.clone();
                let block = self.target(&block);
                self.end(Term::Jump(block));
                Ok(())
            }
            "brx" => self.branch_many(&op),
            "ret" => {
                self.leave();
                Ok(())
            }
            "exit" => {
                self.end(Term::Exit);
                Ok(())
            }
            "trap" => unsupported("PTX instruction `trap`, with which a kernel ends the run"),
            _ => op.refused(),
        }
    }

    /// Returns with the results as they are.
    pub(super) fn leave(&mut self) {
        let values = self.results.clone().into_iter().map(Val::from).collect();
        self.end(Term::Return(values));
    }

    /// `brx.idx a, list`
    fn branch_many(&mut self, op: &Op<'a>) -> Result<()> {
        let index = self.read(op.operand(0)?, Type::U32)?;
        let Some(&labels) = self.targets.get(op.name(1)?) else {
            return wrong("a list of `.branchtargets` is expected");
        };
        let arms = labels.iter().enumerate().map(|(i, label)| (i as i64, self.target(label))).collect();
        let otherwise = self.b.new_block();
        self.b.switch(Ty::I32, index, arms, otherwise);
        self.b.switch_to(otherwise);
        self.end(Term::Trap(Trap::Unreachable));
        Ok(())
    }
}
