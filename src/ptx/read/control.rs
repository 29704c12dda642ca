//! Guards, branches and the end of a thread (PTX ISA 9.3 and 9.7.12), and which reader an instruction goes to.
//!
//! A branch to a label that was passed goes back: another iteration of a loop begins.

use super::{Labelled, Op, Reader, Result, halves, unsupported, wrong};
use crate::syntax::{Instruction, Statement, Type, What};
use ir::op::UnOp;
use ir::{Bb, Term, Trap, Ty, Val};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Where labels stand: their names, and the numbers of the blocks of statements around them in the order of their braces; 0 is
/// the function. A label is known in its block only (PTX ISA 4.4).
pub(super) fn places(body: &[Statement]) -> BTreeSet<(Arc<str>, usize)> {
    let (mut out, mut blocks, mut opened) = (BTreeSet::new(), vec![0], 0);
    for statement in body {
        match &statement.what {
            What::Open => {
                opened += 1;
                blocks.push(opened);
            }
            What::Close if blocks.len() > 1 => drop(blocks.pop()),
            What::Label(name) => drop(out.insert((name.clone(), blocks.last().copied().unwrap_or(0)))),
            _ => {}
        }
    }
    out
}

impl<'a> Reader<'a> {
    /// The block of a label in a block of statements.
    fn label(&mut self, name: &Arc<str>, number: usize) -> &mut Labelled {
        let b = &mut self.b;
        let new = || Labelled { block: b.new_block(), is_placed: false };
        self.labels.entry((name.clone(), number)).or_insert_with(new)
    }

    /// A label stands here.
    pub(super) fn place(&mut self, name: &Arc<str>) -> Result<()> {
        let number = self.scopes.last().map_or(0, |scope| scope.number);
        let known = self.label(name, number);
        if known.is_placed {
            return wrong(format!("label `{name}` stands at two places"));
        }
        known.is_placed = true;
        let block = known.block;
        self.b.jump(block);
        self.b.switch_to(block);
        // Whoever comes here may come from another line.
        self.line = self.line.map(|line| source::Span { end: line.start, ..line });
        Ok(())
    }

    /// The block to branch to: that of the label, or one that marks another iteration before it.
    fn target(&mut self, name: &Arc<str>) -> Result<Bb> {
        let is_there = |number: &usize| self.places.contains(&(name.clone(), *number));
        let Some(number) = self.scopes.iter().rev().map(|scope| scope.number).find(is_there) else {
            return wrong(format!("label `{name}` stands nowhere"));
        };
        let Labelled { block, is_placed } = *self.label(name, number);
        if !is_placed {
            return Ok(block);
        }
        let here = self.b.current();
        let back = self.b.new_block();
        self.b.switch_to(back);
        self.b.back_edge();
        self.b.jump(block);
        self.b.switch_to(here);
        Ok(back)
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
            let (taken, next) = (self.target(label)?, self.b.new_block());
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
        let has_halves = op.types.iter().any(|ty| halves::is_half(*ty));
        match op.parts[0] {
            "add" | "sub" | "mul" | "fma" | "min" | "max" | "abs" | "neg" | "ex2" if has_halves => self.half(&op),
            "copysign" | "testp" | "slct" | "sqrt" | "rsqrt" | "rcp" | "div" if has_halves => op.refused(),
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
            "barrier" if op.has("cluster") => self.cluster_barrier(&op),
            "mapa" => self.map_address(&op),
            "mma" => self.matrix_product(&op),
            "wmma" => self.warp_matrix(&op),
            "ldmatrix" => self.load_rows(&op),
            "bar" | "barrier" => self.barrier(&op),
            "vote" | "activemask" | "match" => self.vote(&op),
            "shfl" => self.shuffle(&op),
            "redux" => self.reduce(&op),
            "call" => self.call(&op),
            // A hint.
            "prefetch" | "prefetchu" | "nanosleep" | "brkpt" | "pmevent" | "discard" | "applypriority" => Ok(()),
            "bra" => {
                let block = self.target(op.name(0)?)?;
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
        let mut values = Vec::with_capacity(self.results.len());
        for (reg, ty) in self.results.clone() {
            let held = self.b.ty(reg);
            let is_wider = held.bytes() > ty.bytes();
            values.push(if is_wider { self.extended(reg.into(), held, ty, false) } else { reg.into() });
        }
        self.end(Term::Return(values));
    }

    /// `brx.idx a, list`
    fn branch_many(&mut self, op: &Op<'a>) -> Result<()> {
        let index = self.read(op.operand(0)?, Type::U32)?;
        let Some(&labels) = self.targets.get(op.name(1)?) else {
            return wrong("a list of `.branchtargets` is expected");
        };
        let mut arms = Vec::new();
        for (i, label) in labels.iter().enumerate() {
            arms.push((i as i64, self.target(label)?));
        }
        let otherwise = self.b.new_block();
        self.b.switch(Ty::I32, index, arms, otherwise);
        self.b.switch_to(otherwise);
        self.end(Term::Trap(Trap::Unreachable));
        Ok(())
    }
}
