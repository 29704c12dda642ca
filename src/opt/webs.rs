//! Splitting of mutable registers into webs: assignments whose values never meet get registers of their own.
//!
//! A *web* is a set of assignments and reads of a register such that each read may see exactly the assignments of its web
//! (Muchnick, "Advanced Compiler Design and Implementation", 16.3.3). A source variable that is used for two things, or a scalar
//! of an unrolled loop, falls apart into several registers; a web of one assignment that dominates its reads is a temporary, and
//! the other passes see through it. Only where nobody debugs: a variable no longer has one register.

use ir::analysis::{Cfg, Dominators, Liveness, VersionWalk, Versions};
use ir::{Bb, BlockData, Function, Reg, RegInfo, Val};
use std::collections::BTreeMap;

/// A register in a version.
type Value = (Reg, u32);

/// Runs the pass over a function without source variables.
pub(crate) fn run(f: &mut Function) {
    let cfg = Cfg::new(f);
    let dom = Dominators::new(&cfg);
    let versions = Versions::new(f, &cfg, &dom);
    let live = Liveness::new(f, &cfg);
    let mut webs = Webs { first: f.regs.len() as u32, ..Webs::default() };
    let mut rewritten = f.blocks.clone();
    let mut walk = VersionWalk::new(f, &versions);
    // What meets at the beginning of a block, and what comes from the blocks before it.
    let mut at_start: BTreeMap<(Bb, Reg), Value> = BTreeMap::new();
    let mut at_end: Vec<(Bb, Reg, Value)> = Vec::new();
    let Some(&entry) = cfg.rpo().first() else { return };
    if !cfg.preds(entry).is_empty() {
        // What the parameters are on entry would meet what the loop makes of them, at no block of its own.
        return;
    }
    let mut stack = vec![(entry, 0)];
    let mut enter = |walk: &mut VersionWalk<'_>, bb: Bb| {
        walk.enter(bb);
        for &reg in versions.meets(bb) {
            at_start.insert((bb, reg), (reg, walk.version(reg)));
        }
        let block = &mut rewritten[bb.index()];
        for inst in &mut block.insts {
            inst.kind.each_use_mut(|v| webs.read(f, walk, v));
            inst.kind.each_def_mut(|r| {
                if f.is_mutable(*r) {
                    let version = walk.define(*r);
                    *r = webs.name((*r, version));
                }
            });
        }
        block.term.each_use_mut(|v| webs.read(f, walk, v));
        for &next in cfg.succs(bb) {
            let meets = versions.meets(next).iter().filter(|&&r| live.is_live_in(next, r));
            at_end.extend(meets.map(|&r| (next, r, (r, walk.version(r)))));
        }
    };
    enter(&mut walk, entry);
    while let Some((bb, next)) = stack.last_mut() {
        if let Some(&child) = dom.children(*bb).get(*next) {
            *next += 1;
            enter(&mut walk, child);
            stack.push((child, 0));
        } else {
            walk.leave();
            stack.pop();
        }
    }
    for (bb, reg, from) in at_end {
        if let Some(&meet) = at_start.get(&(bb, reg)) {
            let (a, b) = (webs.name(meet), webs.name(from));
            webs.join(a, b);
        }
    }
    webs.rename(f, rewritten);
    crate::strip_debug::make_temporaries(f);
}

/// Names of values, and which of them are one web.
#[derive(Default)]
struct Webs {
    /// Names are numbers of registers that do not exist, from this one on.
    first: u32,
    names: BTreeMap<Value, Reg>,
    /// What each name stands for, in the order of names.
    values: Vec<Value>,
    /// Union-find over names.
    parent: Vec<u32>,
}

impl Webs {
    /// The preliminary name of a value.
    fn name(&mut self, value: Value) -> Reg {
        let next = self.values.len() as u32;
        let Webs { first, names, values, parent } = self;
        *names.entry(value).or_insert_with(|| {
            values.push(value);
            parent.push(next);
            Reg(*first + next)
        })
    }

    fn read(&mut self, f: &Function, walk: &VersionWalk<'_>, val: &mut Val) {
        if let Val::Reg(reg) = val
            && f.is_mutable(*reg)
        {
            *reg = self.name((*reg, walk.version(*reg)));
        }
    }

    fn find(&mut self, mut name: u32) -> u32 {
        while self.parent[name as usize] != name {
            let up = self.parent[self.parent[name as usize] as usize];
            self.parent[name as usize] = up;
            name = up;
        }
        name
    }

    fn join(&mut self, a: Reg, b: Reg) {
        let (a, b) = (self.find(a.0 - self.first), self.find(b.0 - self.first));
        // The older name stays, so that the result does not depend on the order of joins.
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// Gives each web a register: one web of a register keeps it, that of a parameter's first value before all others.
    fn rename(mut self, f: &mut Function, mut blocks: Vec<BlockData>) {
        let mut keeps: BTreeMap<Reg, u32> = BTreeMap::new();
        for name in 0..self.values.len() as u32 {
            let ((reg, version), web) = (self.values[name as usize], self.find(name));
            if version == 0 {
                keeps.insert(reg, web);
            } else {
                keeps.entry(reg).or_insert(web);
            }
        }
        // A parameter that nothing reads before it is assigned has no name, and keeps its register all the same.
        for param in &f.params {
            keeps.entry(param.reg).and_modify(|web| {
                if self.values[*web as usize].1 != 0 && !self.names.contains_key(&(param.reg, 0)) {
                    *web = u32::MAX;
                }
            });
        }
        let mut registers: BTreeMap<u32, Reg> = BTreeMap::new();
        let finals: Vec<Reg> = (0..self.values.len() as u32)
            .map(|name| {
                let (reg, web) = (self.values[name as usize].0, self.find(name));
                if keeps.get(&reg) == Some(&web) {
                    return reg;
                }
                *registers.entry(web).or_insert_with(|| {
                    f.regs.push(RegInfo { ty: f.regs[reg.index()].ty, var: None, mutable: true });
                    Reg(f.regs.len() as u32 - 1)
                })
            })
            .collect();
        let first = self.first;
        let name = |r: &mut Reg| {
            if let Some(&register) = r.0.checked_sub(first).and_then(|name| finals.get(name as usize)) {
                *r = register;
            }
        };
        let read = |v: &mut Val| {
            if let Val::Reg(r) = v {
                name(r);
            }
        };
        for block in &mut blocks {
            for inst in &mut block.insts {
                inst.kind.each_use_mut(read);
                inst.kind.each_def_mut(name);
            }
            block.term.each_use_mut(read);
        }
        f.blocks = blocks;
    }
}
