//! Assumed-rank dummies. A procedure is made once for each rank of its arguments, so that within a function the rank is known.
//!
//! Not here: passing them (`actual`), their parameters (`procedure::entry`).

use crate::function::FunctionLowering;
use crate::module::ArgKey;
use crate::storage::VarStorage;
use crate::targets::JumpTarget;
use crate::value::array_view::ArrayView;
use sema::checked::{Expr, ExprKind, LoopId, RankCase, Shape, Stmt, VarId};
use source::Span;

impl<'p> FunctionLowering<'_, 'p> {
    /// The view of an assumed-rank dummy, where an expression is one.
    pub(crate) fn assumed_rank_view(&mut self, e: &'p Expr) -> Option<ArrayView> {
        let ExprKind::Var(v) = &e.kind else { return None };
        if !matches!(self.b.program().var(*v).shape, Shape::AssumedRank) {
            return None;
        }
        self.designator_view(e)
    }

    /// The rank of an expression; that of an assumed-rank dummy is the rank that this function is made for.
    pub(crate) fn rank_of(&self, e: &Expr) -> u8 {
        match self.rank_key(e) {
            ArgKey::Rank { rank, .. } => rank,
            _ => e.rank,
        }
    }

    /// What a procedure is cloned for if this is the argument for an assumed-rank dummy.
    pub(crate) fn rank_key(&self, e: &Expr) -> ArgKey {
        let plain = ArgKey::Rank { rank: e.rank, assumed_size: false };
        let ExprKind::Var(v) = &e.kind else { return plain };
        match self.b.program().var(*v).shape {
            Shape::AssumedSize(..) => ArgKey::Rank { rank: e.rank, assumed_size: true },
            Shape::AssumedRank => self.rank_of_variable(*v),
            _ => plain,
        }
    }

    /// The rank of an assumed-rank dummy of this function or of its host.
    pub(crate) fn rank_of_variable(&self, v: VarId) -> ArgKey {
        let (rank, assumed_size) = match self.storage.get(v) {
            Some(VarStorage::Array(view)) => (view.dims.len() as u8, view.assumed_size),
            Some(VarStorage::Described(d)) => (d.rank, d.assumed_size),
            _ => (0, false),
        };
        ArgKey::Rank { rank, assumed_size }
    }

    /// SELECT RANK: only the arm for the rank of this function is made.
    pub(crate) fn select_rank(&mut self, id: LoopId, object: VarId, arms: &'p [(RankCase, Vec<Stmt>, Span)]) {
        let wanted = match self.rank_of_variable(object) {
            ArgKey::Rank { assumed_size: true, .. } => RankCase::AssumedSize,
            ArgKey::Rank { rank, .. } => RankCase::Rank(rank),
            _ => RankCase::Default,
        };
        let of = |case: RankCase| arms.iter().find(|arm| arm.0 == case);
        let Some((_, body, _)) = of(wanted).or_else(|| of(RankCase::Default)) else { return };
        let done = self.b.new_block();
        self.targets.enter(JumpTarget { id, exit: done, cycle: None, outside: self.what_is_open() });
        self.statements(body);
        self.targets.leave();
        self.b.jump(done);
        self.b.switch_to(done);
    }
}
