//! Which operation an instruction becomes: on rows of lanes, or on scalars.

use super::{Compiler, LoadError, select};
use crate::code::{AtomicOp, CallOp, LaunchOp, MemOp, NO_RECONVERGENCE, Op, R2, R3, R4, RtOp, SwitchOp, Width};
use ir::{Access, AddrBase, Bb, FuncKind, InstKind, Reg, Space, Term as IrTerm, Ty};
use mem::address::SHARED_BASE;

impl Compiler<'_> {
    /// The operation on rows.
    pub(crate) fn rows(&mut self, place: (Bb, usize), kind: &InstKind) -> Result<Op, LoadError> {
        Ok(match *kind {
            InstKind::Un { op, ty, dst, a } => {
                let r = R2 { d: self.dst(dst), a: self.slot(a, ty) };
                select::unary(op, ty, r)
            }
            InstKind::Bin { op, ty, dst, a, b } => {
                let r = R3 { d: self.dst(dst), a: self.slot(a, ty), b: self.slot(b, ty) };
                select::binary(op, ty, r)
            }
            InstKind::Tri { op, ty, dst, a, b, c } => {
                let r = R4 { d: self.dst(dst), a: self.slot(a, ty), b: self.slot(b, ty), c: self.slot(c, ty) };
                select::ternary(op, ty, r)
            }
            InstKind::Cmp { op, ty, dst, a, b } => {
                let r = R3 { d: self.dst(dst), a: self.slot(a, ty), b: self.slot(b, ty) };
                select::compare(op, ty, r)
            }
            InstKind::Select { ty, dst, cond, a, b } => {
                let c = self.slot(cond, Ty::Pred);
                select::select(ty, R4 { d: self.dst(dst), a: self.slot(a, ty), b: self.slot(b, ty), c })
            }
            InstKind::Cvt { op, from, to, dst, a } => {
                let r = R2 { d: self.dst(dst), a: self.slot(a, from) };
                select::convert(op, from, to, r)
            }
            InstKind::Addr { dst, base } => self.addr(dst, base),
            InstKind::Load { ty, space, access, dst, .. } => {
                let width = Width::of(ty);
                let m = MemOp { width, space, access, value: self.dst(dst), expr: self.expr(place) };
                match (space, width) {
                    // A block that runs ahead may have to stop there (`Atomics::holds`); only this operation asks.
                    (Space::Global, _) if access == Access::Volatile => Op::Load(m),
                    (Space::Global | Space::Host | Space::Const, Width::W32) => Op::LoadG32(m),
                    (Space::Global | Space::Host | Space::Const, Width::W64) => Op::LoadG64(m),
                    (Space::Shared, Width::W32) => Op::LoadS32(m),
                    (Space::Shared, Width::W64) => Op::LoadS64(m),
                    (Space::Local, Width::W32) => Op::LoadL32(m),
                    (Space::Local, Width::W64) => Op::LoadL64(m),
                    _ => Op::Load(m),
                }
            }
            InstKind::Store { ty, space, access, value, .. } => {
                let width = Width::of(ty);
                let m = MemOp { width, space, access, value: self.slot(value, ty), expr: self.expr(place) };
                match (space, width) {
                    (Space::Global | Space::Host | Space::Const, Width::W32) => Op::StoreG32(m),
                    (Space::Global | Space::Host | Space::Const, Width::W64) => Op::StoreG64(m),
                    (Space::Shared, Width::W32) => Op::StoreS32(m),
                    (Space::Shared, Width::W64) => Op::StoreS64(m),
                    (Space::Local, Width::W32) => Op::StoreL32(m),
                    (Space::Local, Width::W64) => Op::StoreL64(m),
                    _ => Op::Store(m),
                }
            }
            InstKind::Atomic { op, ty, space, scope, dst, used, a, b, .. } => Op::Atomic(Box::new(AtomicOp {
                op,
                ty,
                space,
                scope,
                d: dst.map(|d| self.dst(d)),
                used,
                expr: self.expr(place),
                a: self.slot(a, ty),
                b: b.map(|b| self.slot(b, ty)),
            })),
            InstKind::Fence { scope } => Op::Fence { scope },
            InstKind::Barrier { op, dst, a } => {
                Op::Barrier { op, d: dst.map(|d| self.dst(d)), a: a.map(|a| self.slot(a, Ty::Pred)) }
            }
            InstKind::SyncWarp { mask } => Op::SyncWarp { mask: self.slot(mask, Ty::I32) },
            InstKind::Vote { op, ty, dst, mask, a } => {
                let mask = mask.map(|m| self.slot(m, Ty::I32));
                Op::Vote { op, ty, d: self.dst(dst), mask, a: self.slot(a, ty) }
            }
            InstKind::Shuffle { op, ty, dst, a, lane, width } => Op::Shuffle {
                op,
                ty,
                d: self.dst(dst),
                a: self.slot(a, ty),
                lane: self.slot(lane, Ty::I32),
                width: self.slot(width, Ty::I32),
            },
            InstKind::Special { reg, dst } => Op::Special { reg, d: self.dst(dst) },
            InstKind::Call { func, ref args, ref results } => {
                let tys = self.param_types(func);
                let args = self.typed(args, |i| tys.get(i).copied())?;
                let results = results.iter().map(|&r| self.code.slots[r.index()]).collect();
                Op::Call(Box::new(CallOp { func, args, results }))
            }
            InstKind::Rt { rt, ref args, ref results } => {
                let args = self.typed(args, |i| rt.params().get(i).copied())?;
                let results = results.iter().map(|&r| self.code.slots[r.index()]).collect();
                Op::Rt(Box::new(RtOp { rt, args, results }))
            }
            InstKind::Launch { func, config, ref args } => {
                let tys = self.param_types(func);
                let mut extents = [0; 6];
                for (slot, val) in extents.iter_mut().zip(config.grid.iter().chain(&config.block)) {
                    *slot = self.slot(*val, Ty::I32);
                }
                let (bytes, stream) = (self.slot(config.bytes, Ty::I64), self.slot(config.stream, Ty::I64));
                let args = self.typed(args, |i| tys.get(i).copied())?;
                Op::Launch(Box::new(LaunchOp { func, extents, bytes, stream, args }))
            }
            InstKind::Stmt => Op::Stmt,
            InstKind::BackEdge => Op::BackEdge,
            InstKind::Clear { local } => {
                let part = self.code.local_parts[local.index()];
                Op::ClearLocal { offset: 4 * u64::from(part.row), bytes: part.bytes }
            }
        })
    }

    /// The operation on scalars of an instruction that has one; `op` is the one on rows.
    pub(crate) fn scalars(&mut self, variant: usize, kind: &InstKind, op: &Op) -> Op {
        let Some(dst) = kind.def() else { return op.clone() };
        let d = self.scalar_of(variant, dst).unwrap_or(0);
        match *kind {
            InstKind::Un { op, ty, a, .. } => select::scalar_unary(op, ty, R2 { d, a: self.scalar(variant, a) }),
            InstKind::Bin { op, ty, a, b, .. } => {
                let r = R3 { d, a: self.scalar(variant, a), b: self.scalar(variant, b) };
                select::scalar_binary(op, ty, r)
            }
            InstKind::Tri { op, ty, a, b, c, .. } => {
                let r = R4 { d, a: self.scalar(variant, a), b: self.scalar(variant, b), c: self.scalar(variant, c) };
                Op::UEvalTri { op, ty, r }
            }
            InstKind::Cmp { op, ty, a, b, .. } => {
                let r = R3 { d: self.dst(dst), a: self.scalar(variant, a), b: self.scalar(variant, b) };
                select::scalar_compare(op, ty, r)
            }
            InstKind::Select { cond, a, b, .. } => {
                let c = self.slot(cond, Ty::Pred);
                Op::USel(R4 { d, a: self.scalar(variant, a), b: self.scalar(variant, b), c })
            }
            InstKind::Cvt { op, from, to, a, .. } => {
                select::scalar_convert(op, from, to, R2 { d, a: self.scalar(variant, a) })
            }
            InstKind::Special { reg, .. } => Op::USpecial { reg, d },
            InstKind::Addr { base, .. } => match self.constant_address(base) {
                Some(address) => Op::UMov(R2 { d, a: self.scalar_constant(address) }),
                None => Op::UDynamicShared { d },
            },
            InstKind::Load { .. } => match op.load() {
                Some(&m) => Op::ULoad(MemOp { value: d, ..m }),
                None => op.clone(),
            },
            InstKind::Store { .. }
            | InstKind::Atomic { .. }
            | InstKind::Fence { .. }
            | InstKind::Barrier { .. }
            | InstKind::SyncWarp { .. }
            | InstKind::Vote { .. }
            | InstKind::Shuffle { .. }
            | InstKind::Call { .. }
            | InstKind::Rt { .. }
            | InstKind::Launch { .. }
            | InstKind::Stmt
            | InstKind::BackEdge
            | InstKind::Clear { .. } => op.clone(),
        }
    }

    /// The address of a base, if it is the same in all frames and blocks.
    fn constant_address(&self, base: AddrBase) -> Option<u64> {
        match base {
            // A kernel has the first frame of its warp.
            AddrBase::Local(id) => {
                let is_kernel = self.f.kind == FuncKind::Kernel;
                is_kernel.then(|| crate::memory::local::FIRST + self.code.local_parts[id.index()].start)
            }
            AddrBase::Shared(id) => self.code.shared_offsets[id.index()].map(|offset| SHARED_BASE + offset),
            AddrBase::Global(id) => Some(self.globals[id.index()]),
        }
    }

    fn addr(&mut self, dst: Reg, base: AddrBase) -> Op {
        let d = self.dst(dst);
        match (base, self.constant_address(base)) {
            (_, Some(address)) => Op::Mov64(R2 { d, a: self.constant(Ty::I64, address) }),
            (AddrBase::Local(id), None) => Op::LocalAddr { d, offset: self.code.local_parts[id.index()].start },
            (_, None) => Op::DynamicShared { d },
        }
    }

    pub(crate) fn term(&mut self, bb: Bb, term: &IrTerm) -> Op {
        let join = self.reconvergences[bb.index()].map_or(NO_RECONVERGENCE, |j| j.0);
        match term {
            IrTerm::Jump(to) => Op::Jump { to: to.0 },
            IrTerm::Branch { cond, then_bb, else_bb } => {
                Op::Branch { p: self.slot(*cond, Ty::Pred), then_pc: then_bb.0, else_pc: else_bb.0, join }
            }
            IrTerm::Switch { ty, value, arms, default } => Op::Switch(Box::new(SwitchOp {
                ty: *ty,
                a: self.slot(*value, *ty),
                arms: arms.iter().map(|&(v, bb)| (v, bb.0)).collect(),
                default: default.0,
                join,
            })),
            IrTerm::Return(values) => {
                let tys = self.f.results.clone();
                Op::Return(values.iter().zip(tys).map(|(&v, ty)| (ty, self.slot(v, ty))).collect())
            }
            IrTerm::Exit => Op::Exit,
            IrTerm::Trap(trap) => Op::Trap(*trap),
        }
    }
}
