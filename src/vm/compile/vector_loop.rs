//! Finds the loops of host code that the loop vectoriser can run, many iterations at a time.
//!
//! Array statements and most inner DO loops are a single block that does the same to one element after the other. Such a loop is
//! found here, and its body becomes a kernel in which lane `i` does the iteration that is `i` further. `exec::vector_loop` runs
//! it, 32 iterations at a time, and leaves the last iteration to the loop itself. The conditions:
//!
//! - The block leads to itself or out. It consists of operations that only compute, of loads and stores of host memory, and of
//!   back edges; each register is assigned at most once.
//! - A register whose value goes from one iteration to the next is an induction variable (a *counter*), to which a fixed value is
//!   added, or a reduction (a *sum*), which one operation folds and nothing else uses. Reductions are folded in order, so that
//!   their bits are the same.
//! - Addresses, and the test that decides whether the loop continues, are *linear*: sums and products of induction variables and
//!   fixed values. Their values, and whether iterations touch each other's memory, are checked each time the loop is entered.
//!
//! Results, memory and schedule points are those of the iterations one after another.

use crate::code::vector_loop::{Fold, Input, Linear, Sum, Touch, VectorLoop};
use ir::analysis::affine::Operation;
use ir::op::{BinOp, CmpOp, CvtOp, Special, TriOp, UnOp};
use ir::{
    Access, Bb, BlockData, FuncKind, Function, Inst, InstKind, Module, Param, ParamKind, Reg, RegInfo, Space, Term, Ty,
    Val,
};
use source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The loop that block `bb` of host code is, if it is one of this kind.
pub(crate) fn find(f: &Function, bb: Bb) -> Option<VectorLoop> {
    let block = f.block(bb);
    let (cond, holds) = match block.term {
        Term::Branch { cond: Val::Reg(c), then_bb, else_bb } if (then_bb == bb) != (else_bb == bb) => {
            (c, then_bb == bb)
        }
        _ => return None,
    };
    if block.insts.len() > MOST_INSTRUCTIONS || !block.insts.iter().all(|inst| is_known(&inst.kind)) {
        return None;
    }
    let mut body = Body::new(f, block)?;
    for inst in &block.insts {
        body.inst(inst, cond)?;
    }
    let (op, a, b) = body.test?;
    if body.touches.is_empty() && body.sums.is_empty() {
        return None;
    }
    let points = block.insts.iter().filter(|inst| inst.kind.is_schedule_point()).count() as u64;
    body.finish((op, a, b, holds), points.max(1))
}

/// Larger bodies are not worth the search.
const MOST_INSTRUCTIONS: usize = 200;

fn is_known(kind: &InstKind) -> bool {
    match kind {
        InstKind::Load { space: Space::Host, access: Access::Plain, .. }
        | InstKind::Store { space: Space::Host, access: Access::Plain, .. }
        | InstKind::Stmt
        | InstKind::BackEdge => true,
        InstKind::Addr { .. } | InstKind::Special { .. } => false,
        _ => kind.is_pure(),
    }
}

/// A register that an iteration takes over from the one before.
#[derive(Clone, Copy)]
enum Carried {
    /// What is added.
    Counter { by: Val, down: bool },
    /// The instruction that folds, and the one that assigns.
    Sum { at: usize },
}

/// The body while it is taken apart.
struct Body<'a> {
    f: &'a Function,
    /// Where each register is assigned in the block.
    defs: BTreeMap<Reg, usize>,
    carried: BTreeMap<Reg, Carried>,
    /// Instructions that belong to sums.
    folds: BTreeMap<usize, Reg>,
    at: usize,
    linear: Vec<(Ty, Linear)>,
    /// The linear value that a register is.
    line: BTreeMap<Reg, usize>,
    test: Option<(CmpOp, usize, usize)>,
    touches: Vec<Touch>,
    counters: Vec<(Reg, usize)>,
    sums: Vec<Sum>,
    inputs: Vec<Input>,
    kernel: Function,
    /// Registers of the kernel for registers of the function.
    rows: BTreeMap<Reg, Reg>,
    /// The same for linear values, with what a block of 32 iterations adds.
    data: BTreeMap<usize, (Reg, Reg)>,
    pointers: Vec<(Reg, Reg)>,
    head: Vec<InstKind>,
    insts: Vec<Inst>,
    /// The lane's number as `i32` and `i64`.
    lane: [Reg; 2],
}

impl<'a> Body<'a> {
    fn new(f: &'a Function, block: &BlockData) -> Option<Body<'a>> {
        let mut defs = BTreeMap::new();
        let mut twice = false;
        for (i, inst) in block.insts.iter().enumerate() {
            inst.kind.each_def(|r| twice |= defs.insert(r, i).is_some());
        }
        if twice {
            return None;
        }
        let mut uses: BTreeMap<Reg, Vec<usize>> = BTreeMap::new();
        for (i, inst) in block.insts.iter().enumerate() {
            inst.kind.each_use(|v| {
                if let Val::Reg(r) = v {
                    uses.entry(r).or_default().push(i);
                }
            });
        }
        let mut body = Body {
            f,
            defs,
            carried: BTreeMap::new(),
            folds: BTreeMap::new(),
            at: 0,
            linear: Vec::new(),
            line: BTreeMap::new(),
            test: None,
            touches: Vec::new(),
            counters: Vec::new(),
            sums: Vec::new(),
            inputs: Vec::new(),
            kernel: Function::new("iterations", FuncKind::Kernel, f.span),
            rows: BTreeMap::new(),
            data: BTreeMap::new(),
            pointers: Vec::new(),
            head: Vec::new(),
            insts: Vec::new(),
            lane: [Reg(0); 2],
        };
        for (&reg, &def) in &body.defs {
            let Some(used) = uses.get(&reg) else { continue };
            if used.iter().all(|&u| u > def) {
                continue;
            }
            let carried = body.taken_over(reg, block, def, used, &uses)?;
            if let Carried::Sum { at } = carried {
                body.folds.insert(at, reg);
                body.folds.insert(def, reg);
            }
            body.carried.insert(reg, carried);
        }
        let lane = body.temp(Ty::I32);
        let wide = body.temp(Ty::I64);
        body.lane = [lane, wide];
        body.head.push(InstKind::Special { reg: Special::LaneId, dst: lane });
        body.head.push(InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, to: Ty::I64, dst: wide, a: lane.into() });
        Some(body)
    }

    /// How a register is taken over that is assigned at `def` and used at `used`.
    fn taken_over(
        &self,
        reg: Reg,
        block: &BlockData,
        def: usize,
        used: &[usize],
        uses: &BTreeMap<Reg, Vec<usize>>,
    ) -> Option<Carried> {
        let is_fixed = |v: Val| !matches!(v, Val::Reg(r) if self.defs.contains_key(&r));
        let own = Val::Reg(reg);
        match block.insts[def].kind {
            InstKind::Bin { op: BinOp::Add, ty: Ty::I32 | Ty::I64, a, b, .. } if a == own && is_fixed(b) => {
                return Some(Carried::Counter { by: b, down: false });
            }
            InstKind::Bin { op: BinOp::Add, ty: Ty::I32 | Ty::I64, a, b, .. } if b == own && is_fixed(a) => {
                return Some(Carried::Counter { by: a, down: false });
            }
            InstKind::Bin { op: BinOp::Sub, ty: Ty::I32 | Ty::I64, a, b, .. } if a == own && is_fixed(b) => {
                return Some(Carried::Counter { by: b, down: true });
            }
            _ => {}
        }
        let [at] = *used else { return None };
        let folds = match block.insts[at].kind {
            InstKind::Bin { a, b, .. } => (a == own) != (b == own),
            InstKind::Tri { op: TriOp::Fma, a, b, c, .. } => c == own && a != own && b != own,
            _ => false,
        };
        let assigns = at == def
            || match block.insts[def].kind {
                InstKind::Un { op: UnOp::Mov, a: Val::Reg(t), .. } => {
                    self.defs.get(&t) == Some(&at) && at < def && uses.get(&t).is_some_and(|u| u.as_slice() == [def])
                }
                _ => false,
            };
        (folds && assigns).then_some(Carried::Sum { at })
    }

    fn temp(&mut self, ty: Ty) -> Reg {
        self.register(ty, false)
    }

    fn register(&mut self, ty: Ty, mutable: bool) -> Reg {
        self.kernel.regs.push(RegInfo { ty, var: None, mutable });
        Reg(self.kernel.regs.len() as u32 - 1)
    }

    fn param(&mut self, ty: Ty, input: Input) -> Reg {
        let reg = self.temp(ty);
        self.kernel.params.push(Param { reg, kind: ParamKind::Value, name: "".into() });
        self.inputs.push(input);
        reg
    }

    fn add_linear(&mut self, ty: Ty, value: Linear) -> usize {
        self.linear.push((ty, value));
        self.linear.len() - 1
    }

    /// The number of an integer operand, if it is linear.
    fn line_of(&mut self, val: Val, ty: Ty) -> Option<usize> {
        if !matches!(ty, Ty::I32 | Ty::I64) {
            return None;
        }
        let Val::Reg(r) = val else { return Some(self.add_linear(ty, Linear::Invariant(val))) };
        if let Some(&n) = self.line.get(&r) {
            return Some(n);
        }
        let made = match self.carried.get(&r) {
            Some(&Carried::Counter { by, down }) => {
                let by = self.add_linear(ty, Linear::Invariant(by));
                Linear::Induction { reg: r, by, down }
            }
            Some(Carried::Sum { .. }) => return None,
            None if self.defs.contains_key(&r) => return None,
            None => Linear::Invariant(val),
        };
        let n = self.add_linear(ty, made);
        self.line.insert(r, n);
        Some(n)
    }

    /// The linear value that an instruction makes.
    fn linear_of(&mut self, kind: &InstKind) -> Option<(Reg, Ty, Linear)> {
        let dst = kind.def()?;
        // A conversion that loses nothing is a copy; that nothing is lost is seen when the loop is entered.
        if let InstKind::Cvt {
            op: CvtOp::Cast,
            from: from @ (Ty::I32 | Ty::I64),
            to: to @ (Ty::I32 | Ty::I64),
            a,
            ..
        } = *kind
        {
            let a = self.line_of(a, from)?;
            return Some((dst, to, Linear::Computed(Operation::Copy, [Some(a), None, None])));
        }
        let (operation, ty, vals) = Operation::of(kind)?;
        if operation == Operation::Shl && !operation.is_affine(vals) {
            return None;
        }
        let mut operands = [None; 3];
        for (operand, val) in operands.iter_mut().zip(vals) {
            *operand = val.map(|val| self.line_of(val, ty).ok_or(())).transpose().ok()?;
        }
        Some((dst, ty, Linear::Computed(operation, operands)))
    }

    /// An operand of the kernel.
    fn row_of(&mut self, val: Val) -> Option<Val> {
        let Val::Reg(r) = val else { return Some(val) };
        if let Some(&row) = self.rows.get(&r) {
            return Some(row.into());
        }
        let ty = self.f.ty(r);
        if !self.defs.contains_key(&r) {
            let row = self.param(ty, Input::Fixed(val));
            self.rows.insert(r, row);
            return Some(row.into());
        }
        let n = self.line_of(val, ty)?;
        if let Some(&(row, _)) = self.data.get(&n) {
            return Some(row.into());
        }
        let (first, step) = (self.param(ty, Input::First(n)), self.param(ty, Input::Step(n)));
        let (row, leap) = (self.register(ty, true), self.temp(ty));
        let lane = if ty == Ty::I32 { self.lane[0] } else { self.lane[1] };
        let (a, b) = (lane.into(), step.into());
        self.head.push(InstKind::Tri { op: TriOp::Mad, ty, dst: row, a, b, c: first.into() });
        self.head.push(InstKind::Bin { op: BinOp::Shl, ty, dst: leap, a: step.into(), b: Val::Imm(5) });
        self.data.insert(n, (row, leap));
        Some(row.into())
    }

    /// The address of a touch in the kernel.
    fn touch(&mut self, addr: Val, offset: i64, bytes: usize, writes: bool, span: Span) -> Option<Val> {
        let address = self.line_of(addr, Ty::I64)?;
        let n = self.touches.len();
        self.touches.push(Touch { address, offset, bytes: bytes as u64, writes });
        let (base, stride) = (self.param(Ty::I64, Input::Address(n)), self.param(Ty::I64, Input::Stride(n)));
        let (pointer, leap) = (self.register(Ty::I64, true), self.temp(Ty::I64));
        let (part, sum) = (self.temp(Ty::I64), self.temp(Ty::I64));
        let wide: Val = self.lane[1].into();
        self.head.push(InstKind::Un { op: UnOp::Mov, ty: Ty::I64, dst: pointer, a: base.into() });
        self.head.push(InstKind::Bin { op: BinOp::Shl, ty: Ty::I64, dst: leap, a: stride.into(), b: Val::Imm(5) });
        self.head.push(InstKind::Bin { op: BinOp::Mul, ty: Ty::I64, dst: part, a: wide, b: stride.into() });
        let kind = InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst: sum, a: pointer.into(), b: part.into() };
        self.insts.push(Inst { kind, span });
        self.pointers.push((pointer, leap));
        Some(sum.into())
    }

    fn inst(&mut self, inst: &Inst, cond: Reg) -> Option<()> {
        let at = self.at;
        self.at += 1;
        let span = inst.span;
        if let Some(&reg) = self.folds.get(&at) {
            return self.fold(reg, at, &inst.kind);
        }
        match inst.kind {
            InstKind::Stmt | InstKind::BackEdge => return Some(()),
            InstKind::Cmp { op, ty, dst, a, b } if dst == cond => {
                self.test = Some((op, self.line_of(a, ty)?, self.line_of(b, ty)?));
                return Some(());
            }
            InstKind::Load { ty, space, access, dst, addr, offset } => {
                let addr = self.touch(addr, offset, ty.bytes() as usize, false, span)?;
                let row = self.temp(ty);
                self.rows.insert(dst, row);
                self.insts.push(Inst { kind: InstKind::Load { ty, space, access, dst: row, addr, offset: 0 }, span });
                return Some(());
            }
            InstKind::Store { ty, space, access, addr, offset, value } => {
                let value = self.row_of(value)?;
                let addr = self.touch(addr, offset, ty.bytes() as usize, true, span)?;
                self.insts.push(Inst { kind: InstKind::Store { ty, space, access, addr, offset: 0, value }, span });
                return Some(());
            }
            _ => {}
        }
        if let Some((dst, ty, made)) = self.linear_of(&inst.kind) {
            let n = self.add_linear(ty, made);
            self.line.insert(dst, n);
            if self.carried.contains_key(&dst) {
                self.counters.push((dst, n));
            }
            return Some(());
        }
        let mut kind = inst.kind.clone();
        let mut known = true;
        kind.each_use_mut(|v| match self.row_of(*v) {
            Some(row) => *v = row,
            None => known = false,
        });
        let dst = kind.def().filter(|r| known && !self.carried.contains_key(r))?;
        let row = self.temp(self.f.ty(dst));
        self.rows.insert(dst, row);
        kind.each_def_mut(|r| *r = row);
        self.insts.push(Inst { kind, span });
        Some(())
    }

    /// The instructions that fold a value into a sum and assign the sum.
    fn fold(&mut self, reg: Reg, at: usize, kind: &InstKind) -> Option<()> {
        let Some(&Carried::Sum { at: folding }) = self.carried.get(&reg) else { return None };
        if at != folding {
            return Some(());
        }
        let own = Val::Reg(reg);
        let span = self.f.span;
        let mut row = |v: Val| {
            let Val::Reg(mut r) = self.row_of(v)? else { return None };
            let RegInfo { ty, mutable, .. } = self.kernel.regs[r.index()];
            if mutable {
                // A counter goes on before the values are folded.
                let copy = self.temp(ty);
                self.insts.push(Inst { kind: InstKind::Un { op: UnOp::Mov, ty, dst: copy, a: r.into() }, span });
                r = copy;
            }
            Some(r)
        };
        let (ty, by) = match *kind {
            InstKind::Bin { op, ty, a, b, .. } => {
                let first = a == own;
                (ty, Fold::Bin { op, value: row(if first { b } else { a })?, first })
            }
            InstKind::Tri { op: TriOp::Fma, ty, a, b, .. } => (ty, Fold::Fma(row(a)?, row(b)?)),
            _ => return None,
        };
        self.sums.push(Sum { reg, ty, by });
        Some(())
    }

    /// Puts the kernel together and compiles it.
    fn finish(mut self, test: (CmpOp, usize, usize, bool), points: u64) -> Option<VectorLoop> {
        let span = self.f.span;
        let count = self.param(Ty::I64, Input::Count);
        let rest = self.register(Ty::I64, true);
        let more = self.temp(Ty::Pred);
        self.head.push(InstKind::Un { op: UnOp::Mov, ty: Ty::I64, dst: rest, a: count.into() });
        let leaps = self.pointers.iter().chain(self.data.values()).copied();
        for (reg, leap) in leaps {
            let ty = self.kernel.regs[reg.index()].ty;
            let kind = InstKind::Bin { op: BinOp::Add, ty, dst: reg, a: reg.into(), b: leap.into() };
            self.insts.push(Inst { kind, span });
        }
        let b = Val::i64(-32);
        let less = InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst: rest, a: rest.into(), b };
        let again = InstKind::Cmp { op: CmpOp::Gt, ty: Ty::I64, dst: more, a: rest.into(), b: Val::i64(0) };
        self.insts.extend([less, again].map(|kind| Inst { kind, span }));
        let head = self.head.into_iter().map(|kind| Inst { kind, span }).collect();
        // What is folded is needed behind the loop.
        let folded: Vec<Reg> = self.sums.iter().flat_map(|s| s.by.values()).collect();
        self.kernel.results = folded.iter().map(|r| self.kernel.regs[r.index()].ty).collect();
        let block = |insts, term| BlockData { insts, term, term_span: span };
        self.kernel.blocks = vec![
            block(head, Term::Jump(Bb(1))),
            block(self.insts, Term::Branch { cond: more.into(), then_bb: Bb(1), else_bb: Bb(2) }),
            block(Vec::new(), Term::Return(folded.into_iter().map(Val::Reg).collect())),
        ];
        let module = Module { funcs: vec![self.kernel], ..Module::default() };
        let kernel = Arc::new(super::compile(Arc::new(module), Vec::new()).ok()?);
        let (linear, touches, counters) = (self.linear, self.touches, self.counters);
        Some(VectorLoop { kernel, linear, test, touches, counters, sums: self.sums, inputs: self.inputs, points })
    }
}
