//! Deferred atomics: atomics whose result is unused, done later in block order.
//!
//! While blocks run in parallel, atomics on bytes that nothing else touches are deferred. Where all atomics on the same bytes
//! do one commutative operation on integers, each worker accumulates a partial result ([`Partials`]); the order does not
//! matter. All others, such as atomics on reals, are logged by each chunk of blocks ([`Record`]) and done in chunk order.

use crate::footprint::SiteSharing;
use ir::analysis::footprint::Sharing;
use ir::op::AtomOp;
use ir::{Ty, eval};
use mem::{Memory, Word};
use vm::{Atomics, Site};

/// An atomic to be done later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    op: AtomOp,
    ty: Ty,
    address: u64,
    a: u64,
    b: u64,
}

/// What a worker has added up so far, by address: a table with open addressing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partials {
    /// The operations that occur.
    ops: Vec<(AtomOp, Ty)>,
    /// Address, partial result, and number of the operation; address 0 is a free place.
    table: Vec<(u64, u64, u8)>,
    used: usize,
}

/// Whether partial results of an operation may be combined in any order.
fn commutes(op: AtomOp, ty: Ty) -> bool {
    use AtomOp::{Add, And, Max, Min, Or, Sub, Xor};
    ty.is_int() && matches!(op, Add | Sub | Min | Max | And | Or | Xor)
}

impl Partials {
    fn add(&mut self, op: AtomOp, ty: Ty, address: u64, a: u64) {
        if self.used * 2 >= self.table.len() {
            self.grow();
        }
        let number = match self.ops.iter().position(|&o| o == (op, ty)) {
            Some(n) => n,
            None => {
                self.ops.push((op, ty));
                self.ops.len() - 1
            }
        };
        let a = scalar::bits::canonical(ty, a);
        let at = self.place(address);
        let entry = &mut self.table[at];
        if entry.0 == 0 {
            *entry = (address, a, number as u8);
            self.used += 1;
        } else {
            // What is subtracted adds up.
            let combine = if op == AtomOp::Sub { AtomOp::Add } else { op };
            entry.1 = eval::eval_atomic(combine, ty, entry.1, a, 0);
        }
    }

    fn place(&self, address: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut at = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.table[at].0 != 0 && self.table[at].0 != address {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(64);
        let old = std::mem::replace(&mut self.table, vec![(0, 0, 0); size]);
        for entry in old.into_iter().filter(|e| e.0 != 0) {
            let at = self.place(entry.0);
            self.table[at] = entry;
        }
    }

    /// Does what was put off.
    pub(crate) fn apply(self, memory: &mut Memory) {
        for (address, value, number) in self.table.into_iter().filter(|e| e.0 != 0) {
            let (op, ty) = self.ops[number as usize];
            let _ = Record { op, ty, address, a: value, b: 0 }.apply(memory);
        }
    }
}

impl Record {
    /// An atomic on a word.
    pub(crate) fn new(op: AtomOp, ty: Ty, address: u64, a: u64, b: u64) -> Record {
        Record { op, ty, address, a, b }
    }

    /// Does the atomic; gives what it leaves.
    pub(crate) fn apply(&self, memory: &mut Memory) -> u64 {
        match self.ty.bytes() {
            4 => self.apply_to::<u32>(memory),
            8 => self.apply_to::<u64>(memory),
            2 => self.apply_to::<u16>(memory),
            _ => self.apply_to::<u8>(memory),
        }
    }

    fn apply_to<T: Word>(&self, memory: &mut Memory) -> u64 {
        let Record { op, ty, address, a, b } = *self;
        let mut hint = 0;
        // The executor has seen that the word lies inside.
        let old = memory.load::<T>(address, &mut hint).unwrap_or_default();
        let new = eval::eval_atomic_global(op, ty, old.word(), a, b);
        let _ = memory.store(address, T::from_bytes(new.to_le_bytes()), &mut hint);
        new
    }
}

/// Takes the atomics of a chunk of blocks.
#[derive(Debug)]
pub(crate) struct Deferring<'a> {
    pub(crate) sharing: &'a SiteSharing,
    pub(crate) partials: &'a mut Partials,
    pub(crate) log: &'a mut Vec<Record>,
    /// The site that was looked at last, and whether its atomics are added up.
    pub(crate) last: Option<(Site, bool)>,
}

impl Atomics for Deferring<'_> {
    fn takes(&self, site: Site) -> bool {
        self.sharing.group(site) == Sharing::Reduction
    }

    fn take(&mut self, site: Site, op: AtomOp, ty: Ty, address: u64, a: u64, b: u64) {
        let adds_up = match self.last {
            Some((last, adds_up)) if last == site => adds_up,
            _ => commutes(op, ty) && self.sharing.reduction(site) == Some((op, ty)),
        };
        self.last = Some((site, adds_up));
        if adds_up {
            self.partials.add(op, ty, address, a);
        } else {
            self.log.push(Record { op, ty, address, a, b });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem::Region;
    use source::Span;

    #[test]
    fn partial_results_come_to_what_the_atomics_do() {
        let mut memory = Memory::new();
        let base = memory.alloc(Region::Device(0), 4096, "x", Span::NONE).unwrap_or_default();
        let mut expected = memory.clone();
        let ops = [(AtomOp::Add, Ty::I32), (AtomOp::Sub, Ty::I64), (AtomOp::Min, Ty::I32), (AtomOp::Xor, Ty::I64)];
        let mut parts = [Partials::default(), Partials::default()];
        for i in 0..1000u64 {
            let (op, ty) = ops[(i % 4) as usize];
            let address = base + (i % 4) * 1024 + (i * 7 % 90) * 8;
            let a = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            Record { op, ty, address, a, b: 0 }.apply(&mut expected);
            parts[(i % 3 % 2) as usize].add(op, ty, address, a);
        }
        parts.into_iter().for_each(|p| p.apply(&mut memory));
        let all = |m: &Memory| {
            let mut out = vec![0; 4096];
            m.read(base, &mut out).map(|()| out)
        };
        assert_eq!(all(&memory), all(&expected));
    }
}
