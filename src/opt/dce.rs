//! Dead code elimination: a computation on whose result nothing depends is dropped.
//!
//! Registers of source variables, and those that places and shapes of variables name, count as used: the debugger shows
//! them. Everything with another effect stays. That includes loads with a dead result: they are schedule points, and their
//! addresses are checked. A reduction loses a result that nothing reads. Code for a GPU also loses the local memory whose address
//! nothing takes: the driver gives each thread all that a kernel declares.

use ir::analysis::{BitSet, Cfg, StrongLiveness, is_computation};
use ir::{Access, AddrBase, Bb, Function, InstKind, LocalId};

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    eliminate(f, &is_computation);
}

/// The same for code that runs on a GPU only: plain loads with a dead result go too.
pub(crate) fn run_for_gpu(f: &mut Function) {
    let is_load = |kind: &InstKind| matches!(kind, InstKind::Load { access: Access::Plain, .. });
    eliminate(f, &|kind| is_computation(kind) || is_load(kind));
    drop_slots(f);
}

/// Drops the slots of local memory whose address nothing takes. Variables, which may be there too, are gone before.
fn drop_slots(f: &mut Function) {
    let mut numbers: Vec<Option<LocalId>> = vec![None; f.locals.len()];
    let mut slots = Vec::new();
    for inst in f.blocks.iter_mut().flat_map(|b| &mut b.insts) {
        if let InstKind::Addr { base: AddrBase::Local(id), .. } = &mut inst.kind
            && let Some(number) = numbers.get_mut(id.index())
        {
            *id = *number.get_or_insert_with(|| {
                slots.push(f.locals[id.index()].clone());
                LocalId(slots.len() as u32 - 1)
            });
        }
    }
    f.locals = slots;
}

fn eliminate(f: &mut Function, may_go: &dyn Fn(&InstKind) -> bool) {
    let mut kept = BitSet::new(f.regs.len());
    for reg in f.var_regs() {
        kept.insert(reg.index());
    }
    for (i, _) in f.regs.iter().enumerate().filter(|(_, r)| r.var.is_some()) {
        kept.insert(i);
    }
    let cfg = Cfg::new(f);
    let live = StrongLiveness::new(f, &cfg, kept);
    let used: Vec<(Bb, Vec<bool>)> = cfg.rpo().iter().map(|&bb| (bb, live.used_results(bb))).collect();
    for (bb, used) in used {
        let insts = &mut f.blocks[bb.index()].insts;
        let mut used = used.into_iter();
        insts.retain_mut(|inst| {
            let is_used = used.next().unwrap_or(true);
            if let InstKind::Atomic { dst, used: false, .. } = &mut inst.kind {
                *dst = dst.filter(|_| is_used);
            }
            is_used || !may_go(&inst.kind)
        });
    }
}
