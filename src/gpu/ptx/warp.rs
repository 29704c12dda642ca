//! Barriers, fences, votes, shuffles and special registers (PTX ISA 9.7.13 and 10).
//!
//! Warp operations name all 32 lanes unless the instruction has a mask. The `.sync` forms wait for the lanes of the mask that
//! have not exited, which is what CUDA Fortran's `ballot`, `__shfl` and the like mean. A shuffle of 64 bits is one shuffle for
//! each half.

use super::EmitError;
use super::body::{Body, Width, ins};
use super::library::Helper;
use ir::op::{BarOp, ShflOp, Special, VoteOp};
use ir::{Reg, Scope, Ty, Val};

/// All lanes of a warp.
const FULL_MASK: &str = "-1";

impl Body<'_, '_> {
    /// THREADFENCE and kin, which CUDA defines as sequentially consistent fences.
    pub(super) fn fence(&mut self, scope: Scope) {
        let scope = match scope {
            Scope::Block => "cta",
            Scope::Device => "gpu",
            Scope::System => "sys",
        };
        ins!(self, "fence.sc.{scope}");
    }

    /// SYNCTHREADS and kin.
    pub(super) fn barrier(&mut self, op: BarOp, dst: Option<Reg>, a: Option<Val>) {
        let a = a.unwrap_or(Val::Imm(1));
        match op {
            BarOp::Sync => ins!(self, "bar.sync 0"),
            BarOp::Cluster => {
                ins!(self, "{}.arrive", op.ptx());
                ins!(self, "{}.wait", op.ptx());
            }
            BarOp::Grid => self.call_helper(Helper::GridSync, &[], None),
            BarOp::And | BarOp::Or => {
                let (d, holds) = (self.result(Width::Pred, dst), self.raw(Ty::Pred, a));
                ins!(self, "{} {d}, 0, {holds}", op.ptx());
            }
            BarOp::Count => {
                let (d, holds) = (self.result(Width::W32, dst), self.raw(Ty::Pred, a));
                ins!(self, "{}.u32 {d}, 0, {holds}", op.ptx());
            }
        }
    }

    /// SYNCWARP.
    pub(super) fn sync_warp(&mut self, mask: Val) {
        let mask = self.raw(Ty::I32, mask);
        ins!(self, "bar.warp.sync {mask}");
    }

    /// A vote. A predicate that is matched counts as 0 or 1.
    pub(super) fn vote(&mut self, op: VoteOp, ty: Ty, dst: Reg, mask: Option<Val>, a: Val) {
        let d = self.reg(dst);
        let mask = mask.map_or_else(|| FULL_MASK.to_owned(), |m| self.raw(Ty::I32, m));
        match op {
            VoteOp::All | VoteOp::Any => {
                let a = self.raw(Ty::Pred, a);
                ins!(self, "{}.pred {d}, {a}, {mask}", op.ptx());
            }
            VoteOp::Ballot => {
                let a = self.raw(Ty::Pred, a);
                ins!(self, "{}.b32 {d}, {a}, {mask}", op.ptx());
            }
            VoteOp::MatchAny | VoteOp::MatchAll => {
                let (a, w) = if ty == Ty::Pred {
                    let (a, number) = (self.raw(ty, a), self.temp(Width::W32));
                    ins!(self, "selp.b32 {number}, 1, 0, {a}");
                    (number, "b32")
                } else {
                    (self.in_register(ty, a), Width::of(ty).bits())
                };
                if op == VoteOp::MatchAll {
                    let all = self.temp(Width::Pred);
                    ins!(self, "{}.{w} {d}|{all}, {a}, {mask}", op.ptx());
                } else {
                    ins!(self, "{}.{w} {d}, {a}, {mask}", op.ptx());
                }
            }
        }
    }

    /// A shuffle within segments of `width` lanes.
    pub(super) fn shuffle(
        &mut self,
        op: ShflOp,
        ty: Ty,
        dst: Reg,
        a: Val,
        lane: Val,
        width: Val,
    ) -> Result<(), EmitError> {
        if ty == Ty::Pred {
            return self.refuse(format!("`{op}` of type `{ty}`"));
        }
        let a = self.in_register(ty, a);
        let lane = self.raw(Ty::I32, lane);
        let control = self.segments(op, width);
        let (d, stem) = (self.reg(dst), op.ptx());
        if Width::of(ty) == Width::W32 {
            ins!(self, "{stem}.b32 {d}, {a}, {lane}, {control}, {FULL_MASK}");
            return Ok(());
        }
        let (low, high) = (self.temp(Width::W32), self.temp(Width::W32));
        ins!(self, "mov.b64 {{{low}, {high}}}, {a}");
        ins!(self, "{stem}.b32 {low}, {low}, {lane}, {control}, {FULL_MASK}");
        ins!(self, "{stem}.b32 {high}, {high}, {lane}, {control}, {FULL_MASK}");
        ins!(self, "mov.b64 {d}, {{{low}, {high}}}");
        Ok(())
    }

    /// The operand of `shfl` that cuts the warp into segments: bits 8 to 12 mask the lane number, bits 0 to 4 clamp.
    fn segments(&mut self, op: ShflOp, width: Val) -> String {
        let clamp = match op {
            ShflOp::Up => 0,
            ShflOp::Idx | ShflOp::Down | ShflOp::Xor => 0x1f,
        };
        match width {
            Val::Imm(width) => (((32u32.wrapping_sub(width as u32)) << 8) & 0x1f00 | clamp).to_string(),
            Val::Reg(reg) => {
                let (width, control) = (self.reg(reg), self.temp(Width::W32));
                ins!(self, "sub.s32 {control}, 32, {width}");
                ins!(self, "shl.b32 {control}, {control}, 8");
                ins!(self, "or.b32 {control}, {control}, {clamp}");
                control
            }
        }
    }

    /// `dst = special register`
    pub(super) fn special(&mut self, reg: Special, dst: Reg) {
        let d = self.reg(dst);
        match reg {
            Special::TidX
            | Special::TidY
            | Special::TidZ
            | Special::NtidX
            | Special::NtidY
            | Special::NtidZ
            | Special::CtaidX
            | Special::CtaidY
            | Special::CtaidZ
            | Special::NctaidX
            | Special::NctaidY
            | Special::NctaidZ
            | Special::ClusterNctaidX
            | Special::ClusterNctaidY
            | Special::ClusterNctaidZ
            | Special::LaneId => ins!(self, "mov.u32 {d}, {}", reg.ptx()),
            Special::Clock64 | Special::GlobalTimer => ins!(self, "mov.u64 {d}, {}", reg.ptx()),
            Special::OnGpu => ins!(self, "mov.u32 {d}, 1"),
            Special::ActiveMask => ins!(self, "activemask.b32 {d}"),
        }
    }
}
