//! Clusters of blocks: places, barriers, addresses in other blocks (PTX ISA 9.7.9.23, 9.7.13.4, 10).
//!
//! A barrier of a cluster is an arrival and a wait; the IR knows both as one. What stands between them is refused.

use super::{Op, Reader, Result, unsupported};
use crate::syntax::{Instruction, Type, What};
use ir::op::{BarOp, BinOp, Special, TriOp};
use ir::rt::Rt;
use ir::{InstKind, Ty, Val};

/// What `arrive` and `wait` have in common, to the end of the opcode.
const ARRIVES: &str = "barrier.cluster.arrive";
const WAITS: &str = "barrier.cluster.wait";

impl<'a> Reader<'a> {
    /// A special register of clusters.
    pub(super) fn cluster_register(&mut self, name: &str) -> Option<Val> {
        let extents = [Special::ClusterNctaidX, Special::ClusterNctaidY, Special::ClusterNctaidZ];
        let (stem, axis) = match name.split_once('.') {
            Some((stem, axis)) => (stem, ["x", "y", "z"].iter().position(|known| *known == axis)?),
            None => (name, 0),
        };
        let mut part = |operation: BinOp, of: [Special; 3], axis: usize| -> Val {
            let (a, b) = (self.b.special(of[axis]), self.b.special(extents[axis]));
            self.b.bin(operation, Ty::I32, a, b).into()
        };
        let blocks = [Special::CtaidX, Special::CtaidY, Special::CtaidZ];
        let grid = [Special::NctaidX, Special::NctaidY, Special::NctaidZ];
        let has_axis = name.contains('.');
        Some(match stem {
            "%cluster_ctaid" if has_axis => part(BinOp::Rem, blocks, axis),
            "%clusterid" if has_axis => part(BinOp::Div, blocks, axis),
            "%nclusterid" if has_axis => part(BinOp::Div, grid, axis),
            "%cluster_ctarank" if !has_axis => {
                let [x, y, z] = [0, 1, 2].map(|axis| part(BinOp::Rem, blocks, axis));
                let [nx, ny] = [0, 1].map(|axis| self.b.special(extents[axis]));
                let row = self.b.tri(TriOp::Mad, Ty::I32, z, ny, y);
                self.b.tri(TriOp::Mad, Ty::I32, row, nx, x).into()
            }
            "%cluster_nctarank" if !has_axis => {
                let [x, y, z] = extents.map(|extent| self.b.special(extent));
                let plane = self.b.bin(BinOp::Mul, Ty::I32, x, y);
                self.b.bin(BinOp::Mul, Ty::I32, plane, z).into()
            }
            _ => return None,
        })
    }

    /// `barrier.cluster`
    pub(super) fn cluster_barrier(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["cluster", "arrive", "wait", "release", "acquire", "aligned"])?;
        op.count(0, 0)?;
        let (other, step) = if op.has("arrive") { (WAITS, 1) } else { (ARRIVES, -1) };
        if !self.stands_beside(op.instruction, other, step) {
            return unsupported("a barrier of a cluster in PTX with something between arrival and wait");
        }
        if op.has("arrive") {
            self.b.push(InstKind::Barrier { op: BarOp::Cluster, dst: None, a: None });
        }
        Ok(())
    }

    /// Whether the instruction behind or before one is such, and neither depends on a predicate.
    fn stands_beside(&self, instruction: &Instruction, other: &str, step: isize) -> bool {
        let is_it = |what: &What| matches!(what, What::Instruction(known) if std::ptr::eq(known, instruction));
        let Some(mut at) = self.body.iter().position(|statement| is_it(&statement.what)) else { return false };
        loop {
            let Some(statement) = at.checked_add_signed(step).and_then(|next| self.body.get(next)) else {
                return false;
            };
            at = at.saturating_add_signed(step);
            match &statement.what {
                What::Line { .. } | What::Registers { .. } | What::Open | What::Close => {}
                What::Instruction(found) => {
                    let is_plain = found.guard.is_none() && instruction.guard.is_none();
                    return is_plain && found.opcode.starts_with(other);
                }
                _ => return false,
            }
        }
    }

    /// `mapa`: the address of the same place in another block of the cluster.
    pub(super) fn map_address(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["shared::cluster"])?;
        op.count(3, 3)?;
        let ty = op.ty()?;
        if ty.bits != 64 {
            return unsupported("an address of 32 bits in shared memory of a cluster in PTX");
        }
        let address = self.read(op.operand(1)?, ty)?;
        let rank = self.read(op.operand(2)?, Type::U32)?;
        let mapped = self.b.rt(Rt::ClusterMap, vec![address, rank])[0];
        self.write(op.operand(0)?, ty, mapped.into())
    }
}
