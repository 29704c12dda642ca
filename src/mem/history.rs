//! What is known of allocations, dead ones included.
//!
//! Records stand in blocks that clones of a memory share until one of the two changes one, so that a clone costs a reference
//! for each block. The oldest blocks of which nothing lives are forgotten when there are very many: an address of such an
//! allocation is one where nothing was ever allocated.

use crate::allocation::{Alloc, AllocId};
use source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Records of a block.
const BLOCK: usize = 256;
/// Blocks that are kept at least.
const MOST: usize = 4096;

/// Records of allocations that were born one after another.
#[derive(Clone, Debug, Default)]
struct Block {
    allocs: Vec<Alloc>,
    /// How many of them live.
    live: usize,
}

/// All records, in order of birth.
#[derive(Clone, Debug)]
pub(crate) struct History {
    blocks: Vec<Arc<Block>>,
    /// Blocks before this one are forgotten, or something in them lived when it was their turn.
    oldest: usize,
    count: u32,
    names: Arc<BTreeSet<Arc<str>>>,
    /// What is said of what is forgotten.
    unknown: Alloc,
}

impl Default for History {
    fn default() -> History {
        let region = crate::Region::Host;
        let unknown =
            Alloc { base: 0, bytes: 0, align: 1, region, name: "".into(), span: Span::NONE, freed: Some(Span::NONE) };
        History { blocks: Vec::new(), oldest: 0, count: 0, names: Arc::default(), unknown }
    }
}

impl History {
    /// The number of the next allocation; `None` if there are no more.
    pub(crate) fn next(&self) -> Option<AllocId> {
        (self.count < u32::MAX).then_some(AllocId(self.count))
    }

    /// A name as all allocations of it share it.
    pub(crate) fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let fresh: Arc<str> = name.into();
        Arc::make_mut(&mut self.names).insert(fresh.clone());
        fresh
    }

    /// Adds the record of a birth, whose number is [`History::next`].
    pub(crate) fn push(&mut self, alloc: Alloc) {
        let block = self.count as usize / BLOCK;
        if block == self.blocks.len() {
            self.blocks.push(Arc::default());
            self.forget();
        }
        if let Some(block) = self.blocks.get_mut(block) {
            let block = Arc::make_mut(block);
            block.allocs.push(alloc);
            block.live += 1;
            self.count += 1;
        }
    }

    fn forget(&mut self) {
        if self.blocks.len() - self.oldest > MOST {
            if let Some(block) = self.blocks.get_mut(self.oldest).filter(|b| b.live == 0) {
                *block = Arc::default();
            }
            self.oldest += 1;
        }
    }

    /// What is known of an allocation.
    pub(crate) fn get(&self, id: AllocId) -> &Alloc {
        let block = self.blocks.get(id.0 as usize / BLOCK);
        block.and_then(|b| b.allocs.get(id.0 as usize % BLOCK)).unwrap_or(&self.unknown)
    }

    /// Notes that a live allocation was freed.
    pub(crate) fn free(&mut self, id: AllocId, span: Span) {
        if let Some(block) = self.blocks.get_mut(id.0 as usize / BLOCK) {
            let block = Arc::make_mut(block);
            if let Some(alloc) = block.allocs.get_mut(id.0 as usize % BLOCK) {
                alloc.freed = Some(span);
                block.live -= 1;
            }
        }
    }

    /// The last dead allocation that held `address`.
    pub(crate) fn dead_at(&self, address: u64) -> Option<AllocId> {
        let hit = |a: &Alloc| a.freed.is_some() && address.checked_sub(a.base).is_some_and(|at| at < a.bytes.max(1));
        let in_block =
            |(i, b): (usize, &Arc<Block>)| b.allocs.iter().rposition(hit).map(|at| AllocId((i * BLOCK + at) as u32));
        self.blocks.iter().enumerate().rev().find_map(in_block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(i: u64, name: Arc<str>) -> Alloc {
        let region = crate::Region::Host;
        Alloc { base: i * 512, bytes: 8, align: 1, region, name, span: Span::NONE, freed: None }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too many allocations for Miri, and no unsafe code")]
    fn the_oldest_dead_are_forgotten_and_the_living_kept() {
        let mut history = History::default();
        let births = (BLOCK * (MOST + 3)) as u64;
        for i in 0..births {
            let id = history.next().unwrap_or(AllocId(0));
            let name = history.name("a");
            history.push(record(i, name));
            if i != BLOCK as u64 {
                history.free(id, Span::NONE);
            }
        }
        assert_eq!(history.dead_at(512), None);
        assert_eq!(history.get(AllocId(1)).bytes, 0);
        assert_eq!(history.get(AllocId(BLOCK as u32)).freed, None);
        assert_eq!(history.dead_at(512 * (births - 1) + 7), Some(AllocId(births as u32 - 1)));
        assert_eq!(history.dead_at(512 * (births - 1) + 8), None);
    }
}
