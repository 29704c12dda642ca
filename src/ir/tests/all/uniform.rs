//! The uniformity analysis on random functions, against lanes that run in step.
//!
//! The lanes of a small warp run a function instruction by instruction, each way of a divergent branch by itself, and meet
//! at its immediate post-dominator. Whenever a register is read, the lanes that read it together must agree if the analysis
//! says so.

use crate::generate;
use fastrand::Rng;
use ir::analysis::{BitSet, Cfg, PostDominators, UniformLevel, UniformOptions, uniform};
use ir::lane::Memory;
use ir::{AddrBase, Bb, Function, InstKind, Term, Val, eval, op::Special};

const LANES: usize = 6;

struct Warp<'a> {
    f: &'a Function,
    uniform: &'a BitSet,
    regs: Vec<Vec<u64>>,
    memory: Memory,
    buffer: u64,
    /// Where each lane has its local memory.
    local: [u64; LANES],
    checked: usize,
    fuel: u32,
}

impl Warp<'_> {
    fn val(&self, lane: usize, val: Val) -> u64 {
        match val {
            Val::Imm(bits) => bits,
            Val::Reg(r) => self.regs[lane][r.index()],
        }
    }

    fn check(&mut self, mask: &[usize], val: Val, place: &str) {
        if let Val::Reg(r) = val
            && self.uniform.contains(r.index())
        {
            self.checked += usize::from(mask.len() > 1);
            let values: Vec<u64> = mask.iter().map(|&l| self.regs[l][r.index()]).collect();
            assert!(values.iter().all(|&v| v == values[0]), "{place}: {r} is {values:x?}");
        }
    }

    fn run(&mut self, name: &str) {
        let cfg = Cfg::new(self.f);
        let pdom = PostDominators::new(&cfg);
        // Where lanes are, who they are, and where they wait for others.
        let mut stack: Vec<(Bb, Vec<usize>, Option<Bb>)> = vec![(Bb(0), (0..LANES).collect(), None)];
        let mut done = [false; LANES];
        while let Some((bb, mask, meet)) = stack.pop() {
            let mask: Vec<usize> = mask.into_iter().filter(|&l| !done[l]).collect();
            if mask.is_empty() || Some(bb) == meet {
                continue;
            }
            self.fuel = self.fuel.saturating_sub(1);
            if self.fuel == 0 {
                return;
            }
            let block = self.f.block(bb);
            for (i, inst) in block.insts.iter().enumerate() {
                let place = format!("{name}, {bb} instruction {i}");
                inst.kind.each_use(|v| self.check(&mask, v, &place));
                self.inst(&mask, &inst.kind);
            }
            block.term.each_use(|v| self.check(&mask, v, &format!("{name}, {bb}")));
            let next = |lane: usize| match &block.term {
                Term::Jump(to) => Some(*to),
                Term::Branch { cond, then_bb, else_bb } => {
                    Some(if self.val(lane, *cond) != 0 { *then_bb } else { *else_bb })
                }
                Term::Switch { ty, value, arms, default } => {
                    let value = scalar::bits::signed(*ty, self.val(lane, *value));
                    Some(arms.iter().find(|a| a.0 == value).map_or(*default, |a| a.1))
                }
                Term::Return(_) | Term::Exit | Term::Trap(_) => None,
            };
            let mut ways: Vec<(Bb, Vec<usize>)> = Vec::new();
            for &lane in &mask {
                match next(lane) {
                    None => done[lane] = true,
                    Some(to) => match ways.iter_mut().find(|w| w.0 == to) {
                        Some(way) => way.1.push(lane),
                        None => ways.push((to, vec![lane])),
                    },
                }
            }
            if let [(to, lanes)] = &ways[..] {
                stack.push((*to, lanes.clone(), meet));
            } else if ways.len() > 1 {
                let point = pdom.ipdom(bb);
                if let Some(point) = point {
                    stack.push((point, mask, meet));
                }
                stack.extend(ways.into_iter().map(|(to, lanes)| (to, lanes, point)));
            }
        }
    }

    fn inst(&mut self, mask: &[usize], kind: &InstKind) {
        let results: Vec<(usize, Option<u64>)> = mask.iter().map(|&l| (l, self.lane(l, kind))).collect();
        for (lane, value) in results {
            kind.each_def(|r| self.regs[lane][r.index()] = value.unwrap_or(0));
        }
    }

    fn lane(&mut self, lane: usize, kind: &InstKind) -> Option<u64> {
        let v = |val: Val| self.val(lane, val);
        Some(match *kind {
            InstKind::Un { op, ty, a, .. } => eval::eval_un(op, ty, v(a)),
            InstKind::Bin { op, ty, a, b, .. } => eval::eval_bin(op, ty, v(a), v(b)),
            InstKind::Tri { op, ty, a, b, c, .. } => eval::eval_tri(op, ty, v(a), v(b), v(c)),
            InstKind::Cmp { op, ty, a, b, .. } => u64::from(eval::eval_cmp(op, ty, v(a), v(b))),
            InstKind::Select { cond, a, b, .. } => v(if v(cond) != 0 { a } else { b }),
            InstKind::Cvt { op, from, to, a, .. } => eval::eval_cvt(op, from, to, v(a)),
            InstKind::Addr { base: AddrBase::Local(_), .. } => self.local[lane],
            InstKind::Addr { .. } => self.buffer,
            InstKind::Load { ty, addr, offset, .. } => {
                let addr = v(addr).wrapping_add_signed(offset);
                self.memory.read(addr, ty)?
            }
            InstKind::Store { ty, addr, offset, value, .. } => {
                let (addr, value) = (v(addr).wrapping_add_signed(offset), v(value));
                self.memory.write(addr, ty, value);
                return None;
            }
            InstKind::Atomic { op, ty, addr, offset, a, .. } => {
                let (addr, a) = (v(addr).wrapping_add_signed(offset), v(a));
                let old = self.memory.read(addr, ty)?;
                self.memory.write(addr, ty, eval::eval_atomic(op, ty, old, a, 0));
                old
            }
            InstKind::Special { reg, .. } => match reg {
                Special::TidX | Special::LaneId => lane as u64,
                Special::ActiveMask | Special::Clock64 | Special::GlobalTimer => lane as u64 * 7,
                _ => 3,
            },
            // The same for the whole block.
            InstKind::Barrier { .. } => 5,
            // Results of calls differ by lane; what the callee does is not looked at.
            InstKind::Call { .. } => lane as u64 % 2,
            _ => return None,
        })
    }
}

#[test]
fn lanes_that_read_a_uniform_register_together_agree() {
    let mut checked = 0;
    for seed in 0..1500 {
        let module = generate::module(seed);
        let mut rng = Rng::with_seed(seed);
        for f in &module.funcs {
            let params: Vec<bool> = f.params.iter().map(|_| rng.usize(..2) == 0).collect();
            let options = UniformOptions { level: UniformLevel::Warp, params: &params, keep_variables: false };
            let uniform = uniform(f, &Cfg::new(f), options);
            let mut memory = Memory::default();
            let buffer = memory.alloc(256, 256);
            let local = [(); LANES].map(|()| memory.alloc(64, 8));
            for i in 0..32 {
                memory.write(buffer + i * 8, ir::Ty::I64, rng.u64(..));
            }
            let mut regs = vec![vec![0; f.regs.len()]; LANES];
            let same = generate::arguments(f, &mut rng);
            for lane in &mut regs {
                let own = generate::arguments(f, &mut rng);
                for (i, p) in f.params.iter().enumerate() {
                    lane[p.reg.index()] = if params[i] { same[i] } else { own[i] };
                }
            }
            let mut warp = Warp { f, uniform: &uniform, regs, memory, buffer, local, checked: 0, fuel: 2000 };
            warp.run(&format!("seed {seed}, {}", f.name));
            checked += warp.checked;
        }
    }
    assert!(checked > 10_000, "only {checked} reads were checked");
}
