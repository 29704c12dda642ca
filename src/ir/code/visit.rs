//! What an instruction or terminator reads, writes and does, by format.
//!
//! Each question is answered by one match without a wildcard, so that a new format does not build until all are answered.
//! [`InstKind::operands`] is the only place that says of which type an operand has to be; printer, text parser and
//! verifier ask it.

use crate::op::Special;
use crate::{InstKind, LaunchConfig, Module, Param, ParamKind, Reg, Term, Val};
use scalar::Ty;

/// Calls `$f` with a reference to each operand; works on `&InstKind` and `&mut InstKind` alike.
macro_rules! each_operand {
    ($kind:expr, $f:expr) => {
        match $kind {
            InstKind::Un { a, .. } | InstKind::Cvt { a, .. } => $f(a),
            InstKind::Bin { a, b, .. } | InstKind::Cmp { a, b, .. } => {
                $f(a);
                $f(b);
            }
            InstKind::Tri { a, b, c, .. } => {
                $f(a);
                $f(b);
                $f(c);
            }
            InstKind::Select { cond, a, b, .. } => {
                $f(cond);
                $f(a);
                $f(b);
            }
            InstKind::Load { addr, .. } => $f(addr),
            InstKind::Store { addr, value, .. } => {
                $f(addr);
                $f(value);
            }
            InstKind::Atomic { addr, a, b, .. } => {
                $f(addr);
                $f(a);
                if let Some(b) = b {
                    $f(b);
                }
            }
            InstKind::Barrier { a, .. } => {
                if let Some(a) = a {
                    $f(a);
                }
            }
            InstKind::SyncWarp { mask } => $f(mask),
            InstKind::Vote { mask, a, .. } => {
                if let Some(mask) = mask {
                    $f(mask);
                }
                $f(a);
            }
            InstKind::Shuffle { a, lane, width, .. } => {
                $f(a);
                $f(lane);
                $f(width);
            }
            InstKind::Call { args, .. } | InstKind::Rt { args, .. } => {
                for arg in args {
                    $f(arg);
                }
            }
            InstKind::Launch { config: LaunchConfig { grid, block, bytes, stream }, args, .. } => {
                for v in grid {
                    $f(v);
                }
                for v in block {
                    $f(v);
                }
                $f(bytes);
                $f(stream);
                for arg in args {
                    $f(arg);
                }
            }
            InstKind::Addr { .. }
            | InstKind::Fence { .. }
            | InstKind::Special { .. }
            | InstKind::Stmt
            | InstKind::BackEdge
            | InstKind::Clear { .. } => {}
        }
    };
}

/// Calls `$f` with a reference to each register that is written.
macro_rules! each_result {
    ($kind:expr, $f:expr) => {
        match $kind {
            InstKind::Un { dst, .. }
            | InstKind::Bin { dst, .. }
            | InstKind::Tri { dst, .. }
            | InstKind::Cmp { dst, .. }
            | InstKind::Select { dst, .. }
            | InstKind::Cvt { dst, .. }
            | InstKind::Addr { dst, .. }
            | InstKind::Load { dst, .. }
            | InstKind::Vote { dst, .. }
            | InstKind::Shuffle { dst, .. }
            | InstKind::Special { dst, .. } => $f(dst),
            InstKind::Atomic { dst, .. } | InstKind::Barrier { dst, .. } => {
                if let Some(dst) = dst {
                    $f(dst);
                }
            }
            InstKind::Call { results, .. } | InstKind::Rt { results, .. } => {
                for dst in results {
                    $f(dst);
                }
            }
            InstKind::Store { .. }
            | InstKind::Fence { .. }
            | InstKind::SyncWarp { .. }
            | InstKind::Launch { .. }
            | InstKind::Stmt
            | InstKind::BackEdge
            | InstKind::Clear { .. } => {}
        }
    };
}

impl InstKind {
    /// Calls `f` with each operand, in the order of the text form.
    pub fn each_use(&self, mut f: impl FnMut(Val)) {
        each_operand!(self, |v: &Val| f(*v));
    }

    /// Calls `f` with each operand, to change it.
    pub fn each_use_mut(&mut self, mut f: impl FnMut(&mut Val)) {
        each_operand!(self, |v: &mut Val| f(v));
    }

    /// Calls `f` with each register that is written.
    pub fn each_def(&self, mut f: impl FnMut(Reg)) {
        each_result!(self, |r: &Reg| f(*r));
    }

    /// Calls `f` with each register that is written, to change it.
    pub fn each_def_mut(&mut self, mut f: impl FnMut(&mut Reg)) {
        each_result!(self, |r: &mut Reg| f(r));
    }

    /// The one register that is written, if it is one.
    pub fn def(&self) -> Option<Reg> {
        let (mut found, mut count) = (None, 0);
        self.each_def(|r| {
            found = Some(r);
            count += 1;
        });
        found.filter(|_| count == 1)
    }

    /// Whether the result depends on the operands alone and nothing else happens: such an instruction may be computed
    /// earlier, once instead of twice, or not at all. Special registers that stay the same while a thread runs count.
    pub fn is_pure(&self) -> bool {
        match self {
            InstKind::Un { .. }
            | InstKind::Bin { .. }
            | InstKind::Tri { .. }
            | InstKind::Cmp { .. }
            | InstKind::Select { .. }
            | InstKind::Cvt { .. }
            | InstKind::Addr { .. } => true,
            InstKind::Special { reg, .. } => {
                !matches!(reg, Special::ActiveMask | Special::Clock64 | Special::GlobalTimer)
            }
            InstKind::Load { .. }
            | InstKind::Store { .. }
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
            | InstKind::Clear { .. } => false,
        }
    }

    /// Whether turns, fuel, race time and the debugger's event numbers count it; no pass drops, adds or moves one past
    /// another.
    pub fn is_schedule_point(&self) -> bool {
        match self {
            InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Atomic { .. }
            | InstKind::Fence { .. }
            | InstKind::Barrier { .. }
            | InstKind::SyncWarp { .. }
            | InstKind::Vote { .. }
            | InstKind::Shuffle { .. }
            | InstKind::BackEdge => true,
            InstKind::Un { .. }
            | InstKind::Bin { .. }
            | InstKind::Tri { .. }
            | InstKind::Cmp { .. }
            | InstKind::Select { .. }
            | InstKind::Cvt { .. }
            | InstKind::Addr { .. }
            | InstKind::Special { .. }
            | InstKind::Call { .. }
            | InstKind::Rt { .. }
            | InstKind::Launch { .. }
            | InstKind::Stmt
            | InstKind::Clear { .. } => false,
        }
    }

    /// The operands with the types that they have to have, in the order of [`InstKind::each_use`]. An argument that the
    /// callee has no parameter for has no type.
    pub fn operands(&self, module: &Module) -> Vec<(Val, Option<Ty>)> {
        let typed = |list: &[(Val, Ty)]| list.iter().map(|&(v, t)| (v, Some(t))).collect::<Vec<_>>();
        match self {
            InstKind::Un { ty, a, .. } => typed(&[(*a, *ty)]),
            InstKind::Bin { ty, a, b, .. } | InstKind::Cmp { ty, a, b, .. } => typed(&[(*a, *ty), (*b, *ty)]),
            InstKind::Tri { ty, a, b, c, .. } => typed(&[(*a, *ty), (*b, *ty), (*c, *ty)]),
            InstKind::Select { ty, cond, a, b, .. } => typed(&[(*cond, Ty::Pred), (*a, *ty), (*b, *ty)]),
            InstKind::Cvt { from, a, .. } => typed(&[(*a, *from)]),
            InstKind::Load { addr, .. } => typed(&[(*addr, Ty::I64)]),
            InstKind::Store { ty, addr, value, .. } => typed(&[(*addr, Ty::I64), (*value, *ty)]),
            InstKind::Atomic { ty, addr, a, b, .. } => {
                let mut list = typed(&[(*addr, Ty::I64), (*a, *ty)]);
                list.extend(b.map(|b| (b, Some(*ty))));
                list
            }
            InstKind::Barrier { a, .. } => a.iter().map(|&a| (a, Some(Ty::Pred))).collect(),
            InstKind::SyncWarp { mask } => typed(&[(*mask, Ty::I32)]),
            InstKind::Vote { op, ty, mask, a, .. } => {
                let mut list: Vec<_> = mask.iter().map(|&m| (m, Some(Ty::I32))).collect();
                list.push((*a, Some(if op.is_match() { *ty } else { Ty::Pred })));
                list
            }
            InstKind::Shuffle { ty, a, lane, width, .. } => typed(&[(*a, *ty), (*lane, Ty::I32), (*width, Ty::I32)]),
            InstKind::Call { func, args, .. } => {
                let params = module.funcs.get(func.index()).map_or(&[][..], |f| &f.params);
                let ty = |p: &Param| callee_ty(module, *func, p);
                args.iter().enumerate().map(|(i, &a)| (a, params.get(i).and_then(ty))).collect()
            }
            InstKind::Rt { rt, args, .. } => {
                args.iter().enumerate().map(|(i, &a)| (a, rt.params().get(i).copied())).collect()
            }
            InstKind::Launch { func, config, args } => {
                let mut list: Vec<_> = config.grid.iter().chain(&config.block).map(|&v| (v, Some(Ty::I32))).collect();
                list.extend([(config.bytes, Some(Ty::I64)), (config.stream, Some(Ty::I64))]);
                let params = module.funcs.get(func.index()).map_or(&[][..], |f| &f.params);
                let ty = |p: &Param| callee_ty(module, *func, p);
                list.extend(args.iter().enumerate().map(|(i, &a)| (a, params.get(i).and_then(ty))));
                list
            }
            InstKind::Addr { .. }
            | InstKind::Fence { .. }
            | InstKind::Special { .. }
            | InstKind::Stmt
            | InstKind::BackEdge
            | InstKind::Clear { .. } => Vec::new(),
        }
    }

    /// The written registers with the types that they have to have. A result that the callee does not give has no type.
    pub fn result_types(&self, module: &Module) -> Vec<(Reg, Option<Ty>)> {
        match self {
            InstKind::Un { ty, dst, .. }
            | InstKind::Bin { ty, dst, .. }
            | InstKind::Tri { ty, dst, .. }
            | InstKind::Select { ty, dst, .. }
            | InstKind::Load { ty, dst, .. }
            | InstKind::Shuffle { ty, dst, .. } => vec![(*dst, Some(*ty))],
            InstKind::Cmp { dst, .. } => vec![(*dst, Some(Ty::Pred))],
            InstKind::Cvt { to, dst, .. } => vec![(*dst, Some(*to))],
            InstKind::Addr { dst, .. } => vec![(*dst, Some(Ty::I64))],
            InstKind::Atomic { ty, dst, .. } => dst.iter().map(|&d| (d, Some(*ty))).collect(),
            InstKind::Barrier { op, dst, .. } => dst.iter().map(|&d| (d, op.result())).collect(),
            InstKind::Vote { op, dst, .. } => vec![(*dst, Some(op.result()))],
            InstKind::Special { reg, dst } => vec![(*dst, Some(reg.ty()))],
            InstKind::Call { func, results, .. } => {
                let types = module.funcs.get(func.index()).map_or(&[][..], |f| &f.results);
                results.iter().enumerate().map(|(i, &r)| (r, types.get(i).copied())).collect()
            }
            InstKind::Rt { rt, results, .. } => {
                results.iter().enumerate().map(|(i, &r)| (r, rt.results().get(i).copied())).collect()
            }
            InstKind::Store { .. }
            | InstKind::Fence { .. }
            | InstKind::SyncWarp { .. }
            | InstKind::Launch { .. }
            | InstKind::Stmt
            | InstKind::BackEdge
            | InstKind::Clear { .. } => Vec::new(),
        }
    }
}

/// The type that an argument for a parameter has to have: bytes are given by their address.
fn callee_ty(module: &Module, func: crate::FuncId, param: &Param) -> Option<Ty> {
    match param.kind {
        ParamKind::Bytes { .. } => Some(Ty::I64),
        ParamKind::Value => module.funcs.get(func.index())?.regs.get(param.reg.index()).map(|r| r.ty),
    }
}

impl Term {
    /// Calls `f` with each operand.
    pub fn each_use(&self, mut f: impl FnMut(Val)) {
        match self {
            Term::Branch { cond, .. } => f(*cond),
            Term::Switch { value, .. } => f(*value),
            Term::Return(values) => values.iter().for_each(|&v| f(v)),
            Term::Jump(_) | Term::Exit | Term::Trap(_) => {}
        }
    }

    /// Calls `f` with each operand, to change it.
    pub fn each_use_mut(&mut self, mut f: impl FnMut(&mut Val)) {
        match self {
            Term::Branch { cond, .. } => f(cond),
            Term::Switch { value, .. } => f(value),
            Term::Return(values) => values.iter_mut().for_each(f),
            Term::Jump(_) | Term::Exit | Term::Trap(_) => {}
        }
    }

    /// Calls `f` with each block that may come next, to change it.
    pub fn each_successor_mut(&mut self, mut f: impl FnMut(&mut crate::Bb)) {
        match self {
            Term::Jump(bb) => f(bb),
            Term::Branch { then_bb, else_bb, .. } => {
                f(then_bb);
                f(else_bb);
            }
            Term::Switch { arms, default, .. } => {
                for (_, bb) in arms {
                    f(bb);
                }
                f(default);
            }
            Term::Return(_) | Term::Exit | Term::Trap(_) => {}
        }
    }
}
