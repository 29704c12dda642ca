//! Procedures of device code: barriers, votes, shuffles, atomics, clocks (CUDA Fortran guide, 3.6).

use super::Reference;
use crate::checked::{Class, Expr, ExprKind, Intrinsic as I, Storage, Type, is_designator, root};
use crate::typing::{Typing, constant_extents, same_type, shape_name, type_name};
use diag::Code;

/// Whether a device procedure is a subroutine.
pub(super) fn is_subroutine(id: I) -> bool {
    matches!(
        id,
        I::Syncthreads
            | I::Stwb
            | I::Stcg
            | I::Stcs
            | I::Stwt
            | I::Syncwarp
            | I::Threadfence
            | I::ThreadfenceBlock
            | I::ThreadfenceSystem
            | I::GpuTime
            | I::PipelineMemcpyAsync
            | I::PipelineCommit
            | I::PipelineWaitPrior
    )
}

/// Whether device code has an intrinsic; functions of text are refused by the types of their arguments.
pub(super) fn has(id: I) -> bool {
    match id.class() {
        Class::Subroutine => matches!(id, I::Mvbits | I::RandomNumber | I::RandomSeed | I::MoveAlloc | I::CFPointer),
        _ => id != I::CommandArgumentCount,
    }
}

impl Typing<'_> {
    /// Types a function of device code.
    pub(super) fn device_function(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let int4 = Type::Integer(4);
        match id {
            I::Clock | I::Activemask => self.intrinsic_node(id, Vec::new(), int4, 0, span),
            I::Clock64 | I::Globaltimer => self.intrinsic_node(id, Vec::new(), Type::Integer(8), 0, span),
            I::ClusterExtent => {
                let Some(dim) = self.take_integer(&mut r, 0, 4, true)? else { return self.need(&mut r, 0) };
                self.intrinsic_node(id, vec![Some(dim)], int4, 0, span)
            }
            I::ClusterMapSharedRank => {
                let array = self.need(&mut r, 0)?;
                let attr = root(&array).and_then(|v| self.defs.var(v).attrs.cuda);
                if !is_designator(&array) || attr != Some(ast::CudaAttr::Shared) {
                    return self.bad_argument(id, 0, &array, "shared data");
                }
                let Some(rank) = self.take_integer(&mut r, 1, 4, true)? else { return self.need(&mut r, 1) };
                self.intrinsic_node(id, vec![Some(array), Some(rank)], Type::Integer(8), 0, span)
            }
            I::SyncthreadsAnd | I::SyncthreadsOr | I::SyncthreadsCount | I::Ballot => {
                let value = self.vote_value(&mut r, 0)?;
                self.intrinsic_node(id, vec![Some(value)], int4, 0, span)
            }
            I::Allthreads | I::Anythread => {
                let value = self.vote_value(&mut r, 0)?;
                self.intrinsic_node(id, vec![Some(value)], Type::Logical(4), 0, span)
            }
            I::AllSync | I::AnySync | I::BallotSync => {
                let Some(mask) = self.take_integer(&mut r, 0, 4, true)? else { return self.need(&mut r, 0) };
                let value = self.vote_value(&mut r, 1)?;
                let ty = if id == I::BallotSync { int4 } else { Type::Logical(4) };
                self.intrinsic_node(id, vec![Some(mask), Some(value)], ty, 0, span)
            }
            I::MatchAnySync | I::MatchAllSync => {
                let Some(mask) = self.take_integer(&mut r, 0, 4, true)? else { return self.need(&mut r, 0) };
                let value = self.need(&mut r, 1)?;
                if !matches!(value.ty, Type::Integer(4 | 8) | Type::Real(4 | 8)) || value.rank != 0 {
                    return self.bad_argument(id, 1, &value, "a scalar integer or real of 4 or 8 bytes");
                }
                let mut args = vec![Some(mask), Some(value)];
                if id == I::MatchAllSync {
                    let pred = self.need(&mut r, 2)?;
                    if !is_designator(&pred) || !matches!(pred.ty, Type::Integer(4) | Type::Logical(4)) {
                        return self.bad_argument(id, 2, &pred, "an `integer(4)` variable");
                    }
                    args.push(Some(pred));
                }
                self.intrinsic_node(id, args, int4, 0, span)
            }
            I::Shfl | I::ShflUp | I::ShflDown | I::ShflXor => {
                let var = self.need(&mut r, 0)?;
                if !matches!(var.ty, Type::Integer(4 | 8) | Type::Real(_)) || var.rank != 0 {
                    return self.bad_argument(id, 0, &var, "a scalar real, or integer of 4 or 8 bytes");
                }
                let Some(lane) = self.take_integer(&mut r, 1, 4, true)? else { return self.need(&mut r, 1) };
                let width = self.take_integer(&mut r, 2, 4, true)?;
                let ty = var.ty.clone();
                self.intrinsic_node(id, vec![Some(var), Some(lane), width], ty, 0, span)
            }
            I::FastSin
            | I::FastCos
            | I::FastTan
            | I::FastExp
            | I::FastExp10
            | I::FastLog
            | I::FastLog2
            | I::FastLog10
            | I::FastPow
            | I::FastDivide
            | I::Saturate => {
                let mut args = Vec::new();
                for at in 0..id.dummies().len() {
                    let x = self.need(&mut r, at)?;
                    if !matches!(x.ty, Type::Real(4)) || x.rank != 0 {
                        return self.bad_argument(id, at, &x, "a `real(4)` scalar");
                    }
                    args.push(Some(x));
                }
                self.intrinsic_node(id, args, Type::Real(4), 0, span)
            }
            I::Ldca | I::Ldcg | I::Ldcs | I::Ldlu | I::Ldcv | I::Ldg => self.hinted_load(r),
            _ => self.atomic(r),
        }
    }

    /// A load with a hint for the caches: its value is the variable's, whatever the hint.
    fn hinted_load(&mut self, mut r: Reference) -> Option<Expr> {
        let mem = self.need(&mut r, 0)?;
        if !is_designator(&mem) || !self.can_be_hinted(&mem.ty) {
            return self.bad_argument(r.id, 0, &mem, "a variable of numeric or logical type, or a pointer of C");
        }
        let (ty, rank) = (mem.ty.clone(), mem.rank);
        Some(Expr { kind: ExprKind::Paren(Box::new(mem)), ty, rank, span: r.span })
    }

    /// Whether loads and stores with hints have a type: numbers, logicals, `type(c_ptr)` and `type(c_devptr)`.
    fn can_be_hinted(&self, ty: &Type) -> bool {
        match ty {
            Type::Derived(id) => matches!(&*self.defs.ty(*id).name, "c_ptr" | "c_devptr"),
            Type::Character(_) => false,
            _ => true,
        }
    }

    /// A store with a hint for the caches, of a scalar or an array, which is an assignment.
    pub(super) fn hinted_store(&mut self, mut r: Reference) -> Option<(I, Vec<Option<Expr>>)> {
        let id = r.id;
        let (mem, val) = (self.need(&mut r, 0)?, self.need(&mut r, 1)?);
        if !is_designator(&mem) || !self.can_be_hinted(&mem.ty) {
            return self.bad_argument(id, 0, &mem, "a variable of numeric or logical type, or a pointer of C");
        }
        let is_other = matches!(mem.ty, Type::Derived(_)) && !same_type(&mem.ty, &val.ty);
        if is_other || (val.rank != 0 && val.rank != mem.rank) {
            let wanted = shape_name(self.defs, &mem.ty, mem.rank);
            return self.bad_argument(id, 1, &val, &format!("{wanted} like `mem`"));
        }
        self.check_all_conform(&format!("arguments of `{}`", id.name()), [&mem, &val], val.span)?;
        if let Err(why) = self.definable(&mem) {
            let text = format!("`{}` changes its argument, and {why}", id.name());
            return self.reporter.error(Code::ArgumentNotDefinable, mem.span, text);
        }
        self.check_device_target(&mem)?;
        let val = self.convert(val, &mem.ty.clone())?;
        Some((id, vec![Some(mem), Some(val)]))
    }

    /// The arguments of `pipelineMemcpyAsync`: an element of shared and one of global memory, of one type of 4, 8 or 16 bytes.
    pub(super) fn pipeline_copy(&mut self, mut r: Reference) -> Option<(I, Vec<Option<Expr>>)> {
        let id = r.id;
        let (to, from) = (self.need(&mut r, 0)?, self.need(&mut r, 1)?);
        let attr = root(&to).and_then(|v| self.defs.var(v).attrs.cuda);
        let has_size =
            matches!(to.ty, Type::Integer(4 | 8) | Type::Logical(4 | 8) | Type::Real(4 | 8) | Type::Complex(_));
        if !is_designator(&to) || to.rank != 0 || attr != Some(ast::CudaAttr::Shared) || !has_size {
            return self.bad_argument(id, 0, &to, "a scalar of 4, 8 or 16 bytes in shared memory");
        }
        let is_global = root(&from).is_some_and(|v| {
            let var = self.defs.var(v);
            match var.attrs.cuda {
                Some(ast::CudaAttr::Device | ast::CudaAttr::Managed | ast::CudaAttr::Unified) => true,
                Some(_) => false,
                None => {
                    let is_referenced = matches!(var.storage, Storage::Dummy(_)) && !var.attrs.value;
                    is_referenced || var.attrs.pointer || matches!(var.storage, Storage::Pointee(_) | Storage::Alias(_))
                }
            }
        });
        if !is_designator(&from) || from.rank != 0 || !is_global || !same_type(&to.ty, &from.ty) {
            return self.bad_argument(id, 1, &from, "a scalar of the same type in global memory");
        }
        Some((id, vec![Some(to), Some(from)]))
    }

    fn vote_value(&mut self, r: &mut Reference, at: usize) -> Option<Expr> {
        let value = self.need(r, at)?;
        if !matches!(value.ty, Type::Logical(_) | Type::Integer(_)) || value.rank != 0 {
            return self.bad_argument(r.id, at, &value, "a scalar logical or integer");
        }
        // An integer votes yes if it is not 0; as a logical it would count by its lowest bit.
        if matches!(value.ty, Type::Integer(_)) {
            return Some(value);
        }
        self.convert(value, &Type::Logical(4))
    }

    /// `atomicadd` to a number of real(2), or to two of them that lie side by side: then the old ones come as an `integer(4)`.
    fn add_half(&mut self, mem: Expr, mut r: Reference) -> Option<Expr> {
        let (id, half) = (r.id, Type::Real(2));
        let val = self.need(&mut r, 1)?;
        if !is_designator(&mem) || mem.rank > 1 || mem.rank > val.rank {
            return self.bad_argument(id, 0, &mem, "a scalar variable or array element");
        }
        if let Err(why) = self.definable(&mem) {
            let text = format!("`{}` changes its argument, and {why}", id.name());
            return self.reporter.error(Code::ArgumentNotDefinable, mem.span, text);
        }
        self.check_device_target(&mem)?;
        let is_pair = |e: &Expr| constant_extents(self.defs, e).is_none_or(|extents| matches!(extents[..], [(_, 2)]));
        let is_fit = match val.rank {
            0 => matches!(val.ty, Type::Real(_)),
            1 => same_type(&val.ty, &half) && is_pair(&val),
            _ => false,
        };
        if !is_fit {
            return self.bad_argument(id, 1, &val, "`real(2)` like `mem`, or an array of two");
        }
        if mem.rank == 1 && !is_pair(&mem) {
            return self.bad_argument(id, 0, &mem, "an array of two");
        }
        let ty = if val.rank == 0 { half.clone() } else { Type::Integer(4) };
        let val = self.convert(val, &half)?;
        self.intrinsic_node(id, vec![Some(mem), Some(val)], ty, 0, r.span)
    }

    /// An atomic operation. Of an array it is the first element that is changed, by sequence association.
    fn atomic(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let mem = self.need(&mut r, 0)?;
        let kinds = match id {
            I::Atomicadd if matches!(mem.ty, Type::Real(2)) => {
                return self.add_half(mem, r);
            }
            I::Atomicadd | I::Atomicsub | I::Atomicmax | I::Atomicmin | I::Atomicexch | I::Atomiccas => {
                matches!(mem.ty, Type::Integer(4 | 8) | Type::Real(4 | 8))
            }
            I::Atomicand | I::Atomicor | I::Atomicxor => matches!(mem.ty, Type::Integer(4 | 8)),
            _ => matches!(mem.ty, Type::Integer(4)),
        };
        if !is_designator(&mem) {
            return self.bad_argument(id, 0, &mem, "a variable");
        }
        if !kinds {
            let wanted = match id {
                I::Atomicand | I::Atomicor | I::Atomicxor => "`integer(4)` or `integer(8)`",
                I::Atomicinc | I::Atomicdec => "`integer(4)`",
                _ => "an integer or real of 4 or 8 bytes",
            };
            return self.bad_argument(id, 0, &mem, wanted);
        }
        if let Err(why) = self.definable(&mem) {
            return self.reporter.error(
                Code::ArgumentNotDefinable,
                mem.span,
                format!("`{}` changes its argument, and {why}", id.name()),
            );
        }
        self.check_device_target(&mem)?;
        let mut args = vec![None];
        for at in 1..id.dummies().len() {
            let value = self.need(&mut r, at)?;
            let same_family = std::mem::discriminant(&value.ty) == std::mem::discriminant(&mem.ty);
            if value.rank != 0 || !(same_type(&value.ty, &mem.ty) || same_family) {
                let wanted = format!("`{}` like `mem`", type_name(self.defs, &mem.ty));
                return self.bad_argument(id, at, &value, &wanted);
            }
            let ty = mem.ty.clone();
            args.push(Some(self.convert(value, &ty)?));
        }
        let ty = mem.ty.clone();
        args[0] = Some(mem);
        self.intrinsic_node(id, args, ty, 0, span)
    }
}
