//! Loads, stores and atomics of a segment: where their addresses lie, by patterns of lanes, and those that lie anywhere.
//!
//! Not here: addresses of straight-line kernels (`straight`).

use super::translate::{Translator, row_of};
use crate::code::{AddressExpr, FileSlot, MemOp, Op, RegFile, Term, Told, Width};
use crate::memory::local::Part;
use ir::{Access, Space};
use jit::{
    AddressTerm, Class, End, Index, Indexed, LocalPart, Movement, PatternKey, PatternRow, PatternUpdate, Place,
    Segment, Store, Value,
};
use mem::Strided;
use mem::address::SHARED_BASE;

/// Words of local memory at most that a segment makes zero; where there are more a call does it.
const MOST_CLEARED: u64 = 32;

impl Translator<'_> {
    /// How the lanes of a pattern differ; `None` if no warp has come to it yet.
    fn key(&self, pattern: u32) -> Option<PatternKey> {
        self.keys.get(pattern as usize).copied().unwrap_or(Some(PatternKey::IRREGULAR))
    }

    /// Whether no warp has come to an access yet.
    pub(super) fn is_unseen(&self, op: &Op) -> bool {
        let expr = match op {
            Op::Atomic(a) => a.expr,
            _ => match op.load().or(op.store()) {
                Some(m) => m.expr,
                None => return false,
            },
        };
        let index = self.variant.address_exprs.get(expr as usize).and_then(|expr| expr.index.as_ref());
        index.is_some_and(|index| self.key(index.pattern).is_none())
    }

    /// The address of an access; `None` if it is irregular or not known.
    fn address(&mut self, pc: u32, m: &MemOp, is_scalar: bool) -> Option<jit::AccessId> {
        if self.line.is_some() {
            return self.address_in_line(pc, m);
        }
        if self.calls && (self.tells)(pc) {
            return None;
        }
        let expr: &AddressExpr = self.variant.address_exprs.get(m.expr as usize)?;
        let place = match m.space {
            Space::Shared => Place::Shared(SHARED_BASE),
            Space::Local => {
                let Part { start, bytes, row } = expr.part?;
                Place::Local(LocalPart { start, bytes, row })
            }
            // What is no global memory has no window, and the interpreter does the access.
            Space::Global | Space::Host | Space::Const | Space::Generic => Place::Memory,
        };
        if m.access == Access::Volatile || is_scalar && expr.index.is_some() {
            return None;
        }
        let index = match &expr.index {
            None => None,
            Some(index) => {
                let key = self.key(index.pattern)?;
                key.offsets()?;
                if index.factor <= 0 || matches!(place, Place::Local(_)) {
                    return None;
                }
                // A pattern that this segment works out is known when it has ended.
                if self
                    .open
                    .as_ref()
                    .is_some_and(|open| open.segment.patterns.iter().any(|p| p.pattern == index.pattern))
                {
                    self.end(End::Go(pc));
                }
                if !index.kept {
                    self.update_before(pc, index.pattern)?;
                }
                let terms = self.terms(pc, &index.terms);
                let (factor, pattern, wraps, base) = (index.factor, index.pattern, index.wraps, index.base);
                Some(Index { pattern: Some(pattern), key, factor, wraps, base, terms })
            }
        };
        let terms = self.terms(pc, &expr.terms);
        let bytes = m.width.bytes() as u32;
        let access = jit::Access { place, bytes, base: expr.base, is_local: expr.local, terms, index };
        let extent = access.extent()?;
        if extent > 1 << 30 || access.offsets()?.iter().any(|x| x % i64::from(bytes) != 0) {
            return None;
        }
        let lanes = match access.index.as_ref().and_then(|index| Some((index.key.rule()?, index.factor))) {
            Some(((lanes, step, row), factor)) => Strided::new(0, lanes, step * factor, row * factor)?,
            None => Strided::uniform(0),
        };
        let number = (self.tells)(pc).then_some(self.told.len() as u32);
        let is_store = self.variant.ops.get(pc as usize).is_some_and(|op| op.store().is_some());
        match number {
            Some(_) => self.told.push(Told { pc, op: *m, is_store, lanes: Some(lanes) }),
            None => self.untold.push(pc),
        }
        let segment = &mut self.open(pc).segment;
        let id = segment.accesses.len() as u32;
        segment.accesses.push(access);
        segment.told.extend(number.map(|number| (id, number)));
        Some(id)
    }

    /// The call of an access of lanes that lie anywhere; `None` if it is something else, or an atomic that somebody wants to be told of.
    pub(super) fn indexed(&mut self, pc: u32, op: &Op) -> Option<Segment> {
        if self.calls
            && (self.tells)(pc)
            && let Some(m) = op.load().or(op.store())
        {
            self.told.push(Told { pc, op: *m, is_store: op.store().is_some(), lanes: None });
            return None;
        }
        let variant = self.variant;
        let (movement, space, width, register, expr) = match (op, op.load().or(op.store())) {
            (_, Some(m)) if m.access != Access::Volatile => {
                let movement = if op.store().is_some() { Movement::Store } else { Movement::Load };
                (movement, m.space, m.width, m.value, m.expr)
            }
            // Blocks run on one thread each, so shared memory is nobody else's.
            (Op::Atomic(a), None)
                if a.space == Space::Shared && a.d.is_none() && a.b.is_none() && Movement::commutes(a.op, a.ty) =>
            {
                (Movement::Atomic { op: a.op, polls: crate::POLL_ATOMIC }, a.space, Width::of(a.ty), a.a, a.expr)
            }
            _ => return None,
        };
        let is_atomic = matches!(movement, Movement::Atomic { .. });
        let expr: &AddressExpr = variant.address_exprs.get(expr as usize)?;
        let place = match space {
            Space::Shared => Place::Shared(SHARED_BASE),
            Space::Global | Space::Host | Space::Const | Space::Generic => Place::Memory,
            Space::Local => {
                let Part { start, bytes, row } = expr.part?;
                Place::Local(LocalPart { start, bytes, row })
            }
        };
        let is_told = (self.tells)(pc);
        if let Place::Local(part) = place {
            // Words of one and two bytes are parts of words of a row.
            let is_row = matches!(width, Width::W32 | Width::W64) && width.bytes() as u64 <= part.bytes;
            if !is_row || !expr.local || is_told {
                return None;
            }
        } else if expr.local || is_atomic && is_told {
            return None;
        }
        let row = |term: &Term| {
            let class = if term.narrow { Class::Word } else { Class::Long };
            PatternRow { class, slot: term.slot, factor: term.factor }
        };
        let rows: Vec<PatternRow> = match &expr.index {
            Some(index) => variant.patterns.get(index.pattern as usize)?.terms.iter().map(row).collect(),
            None => Vec::new(),
        };
        // Other accesses that are the same for all lanes are compiled.
        if rows.is_empty() && !is_atomic {
            return None;
        }
        self.open(pc);
        let index = expr.index.as_ref();
        let index_terms = index.map_or_else(Vec::new, |index| self.terms(pc, &index.terms));
        let terms = self.terms(pc, &expr.terms);
        let values = self.open.take()?.segment.values;
        let class = if width == Width::W64 { Class::Long } else { Class::Word };
        let told = is_told.then_some(self.told.len() as u32);
        let access = Indexed {
            place,
            movement,
            rows,
            factor: index.map_or(1, |index| index.factor),
            wraps: index.is_some_and(|index| index.wraps),
            index_base: index.map_or(0, |index| index.base),
            index_terms,
            base: expr.base,
            terms,
            bytes: width.bytes() as u32,
            register: (class, register),
            number: self.indexed,
            told,
        };
        self.indexed += 1;
        match op.load().or(op.store()) {
            None => self.has_atomics = true,
            Some(m) if is_told => {
                self.told.push(Told { pc, op: *m, is_store: movement == Movement::Store, lanes: None });
            }
            Some(_) => self.untold.push(pc),
        }
        Some(Segment { values, indexed: Some(access), ..Segment::call(pc) })
    }

    /// Has a pattern worked out before the segment begins that uses it.
    fn update_before(&mut self, pc: u32, pattern: u32) -> Option<()> {
        let terms: Vec<FileSlot> = self.variant.patterns.get(pattern as usize)?.terms.iter().map(row_of).collect();
        if self.open.as_ref().is_some_and(|open| terms.iter().any(|slot| open.written.contains(slot))) {
            self.end(End::Go(pc));
        }
        let update = self.pattern_update(pattern)?;
        let before = &mut self.open(pc).segment.patterns_before;
        if !before.contains(&update) {
            before.push(update);
        }
        Some(())
    }

    /// How a pattern is worked out.
    pub(super) fn pattern_update(&self, pattern: u32) -> Option<PatternUpdate> {
        let key = self.key(pattern).unwrap_or(PatternKey::IRREGULAR);
        let row = |term: &Term| {
            let class = if term.narrow { Class::Word } else { Class::Long };
            Some(PatternRow { class, slot: term.slot, factor: term.factor })
        };
        let rows = match &self.variant.patterns.get(pattern as usize)?.terms[..] {
            [a] => [row(a), None],
            [a, b] => [row(a), row(b)],
            _ => [None; 2],
        };
        Some(PatternUpdate { pattern, key, rows })
    }

    pub(super) fn terms(&mut self, pc: u32, of: &[Term]) -> Vec<AddressTerm> {
        of.iter()
            .map(|t| AddressTerm {
                value: self.read(pc, (RegFile::S, t.scalar)),
                is_narrow: t.narrow,
                factor: t.factor,
            })
            .collect()
    }

    pub(super) fn load(&mut self, pc: u32, m: &MemOp, is_scalar: bool) -> Option<()> {
        // Loads see memory as it is when a segment begins.
        if self.open.as_ref().is_some_and(|open| !open.segment.stores.is_empty()) {
            self.end(End::Go(pc));
        }
        let access = self.address(pc, m, is_scalar)?;
        let class = if m.width == Width::W64 { Class::Long } else { Class::Word };
        let (slot, value) = if is_scalar {
            ((RegFile::S, m.value), Value::ScalarLoad(access))
        } else {
            ((if class == Class::Long { RegFile::L } else { RegFile::W }, m.value), Value::Load(class, access))
        };
        let id = self.push(pc, value);
        self.write(pc, slot, id);
        let segment = &mut self.open(pc).segment;
        segment.points += 1;
        segment.loads += 1;
        Some(())
    }

    /// Makes words of local memory zero, before a segment does anything with memory.
    pub(super) fn clear(&mut self, pc: u32, offset: u64, bytes: u64) -> Option<()> {
        let is_small = self.line.is_none() && bytes <= 4 * MOST_CLEARED && offset < 1 << 20;
        if !is_small || !offset.is_multiple_of(4) || !bytes.is_multiple_of(4) {
            return None;
        }
        if self.open.as_ref().is_some_and(|open| !open.segment.accesses.is_empty()) {
            self.end(End::Go(pc));
        }
        self.open(pc).segment.clears.push(((offset / 4) as u32, (bytes / 4) as u32));
        Some(())
    }

    pub(super) fn store(&mut self, pc: u32, m: &MemOp) -> Option<()> {
        let access = self.address(pc, m, false)?;
        let file = if m.width == Width::W64 { RegFile::L } else { RegFile::W };
        let value = self.read(pc, (file, m.value));
        let segment = &mut self.open(pc).segment;
        segment.stores.push(Store { access, value });
        segment.points += 1;
        Some(())
    }
}
