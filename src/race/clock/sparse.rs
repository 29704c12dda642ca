//! Sparse vector clocks: what a thread has learnt of the threads of other blocks, or of its own, through fences and
//! strong accesses.
//!
//! A full clock has an entry for each thread of the launch. Here a block has three levels: a time up to which *all* of
//! its threads are known, times for whole warps, times for single threads; a thread's entry is the greatest that applies.
//! The join of two clocks is the greater at each level, which is exact. The idea is that of Barracuda's compressed
//! clocks (Eizenberg et al., PLDI 2017); clocks are shared by pointer and copied only when a join says something new.

use std::sync::Arc;

/// What is known of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Clock {
    /// Time up to which every thread is known.
    all: u32,
    /// Times of whole warps, by warp.
    warps: Vec<(u8, u32)>,
    /// Times of single threads, by thread.
    tids: Vec<(u16, u32)>,
}

fn find<K: Ord + Copy>(list: &[(K, u32)], key: K) -> u32 {
    list.binary_search_by_key(&key, |e| e.0).map_or(0, |i| list[i].1)
}

fn raise<K: Ord + Copy>(list: &mut Vec<(K, u32)>, key: K, time: u32) {
    match list.binary_search_by_key(&key, |e| e.0) {
        Ok(i) => list[i].1 = list[i].1.max(time),
        Err(i) => list.insert(i, (key, time)),
    }
}

/// The union of two sorted lists, the greater time for keys in both.
fn join_lists<K: Ord + Copy>(a: &mut Vec<(K, u32)>, b: &[(K, u32)]) {
    if b.is_empty() {
        return;
    }
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].0.cmp(&b[j].0) {
            std::cmp::Ordering::Less => {
                out.push(a[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                out.push(b[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                out.push((a[i].0, a[i].1.max(b[j].1)));
                i += 1;
                j += 1;
            }
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    *a = out;
}

impl Clock {
    fn thread(&self, tid: u16) -> u32 {
        self.warp((tid / 32) as u8).max(find(&self.tids, tid))
    }

    fn warp(&self, warp: u8) -> u32 {
        self.all.max(find(&self.warps, warp))
    }

    fn is_covering(&self, other: &Self) -> bool {
        self.all >= other.all
            && other.warps.iter().all(|&(w, t)| self.warp(w) >= t)
            && other.tids.iter().all(|&(tid, t)| self.thread(tid) >= t)
    }

    fn join(&mut self, other: &Self) {
        self.all = self.all.max(other.all);
        join_lists(&mut self.warps, &other.warps);
        join_lists(&mut self.tids, &other.tids);
        self.prune();
    }

    /// Drops entries that a coarser one covers.
    fn prune(&mut self) {
        let all = self.all;
        self.warps.retain(|e| e.1 > all);
        let warps = &self.warps;
        self.tids.retain(|e| e.1 > all && e.1 > find(warps, (e.0 / 32) as u8));
    }
}

/// A sparse vector clock over the threads of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SparseClock {
    blocks: Vec<(u32, Clock)>,
}

impl SparseClock {
    fn clock(&self, block: u32) -> Option<&Clock> {
        self.blocks.binary_search_by_key(&block, |e| e.0).ok().map(|i| &self.blocks[i].1)
    }

    fn clock_mut(&mut self, block: u32) -> &mut Clock {
        let i = match self.blocks.binary_search_by_key(&block, |e| e.0) {
            Ok(i) => i,
            Err(i) => {
                self.blocks.insert(i, (block, Clock::default()));
                i
            }
        };
        &mut self.blocks[i].1
    }

    /// The time up to which a thread is known; 0 if not at all.
    pub fn thread(&self, block: u32, tid: u16) -> u32 {
        self.clock(block).map_or(0, |c| c.thread(tid))
    }

    /// The time up to which all threads of a warp are known through entries for the warp or the block.
    pub fn warp(&self, block: u32, warp: u8) -> u32 {
        self.clock(block).map_or(0, |c| c.warp(warp))
    }

    /// The time up to which all threads of a block are known.
    pub fn cta(&self, block: u32) -> u32 {
        self.clock(block).map_or(0, |c| c.all)
    }

    /// Makes known all threads of `block` up to `time`.
    pub fn raise_cta(&mut self, block: u32, time: u32) {
        let clock = self.clock_mut(block);
        clock.all = clock.all.max(time);
    }

    /// Makes known all threads of a warp up to `time`.
    pub fn raise_warp(&mut self, block: u32, warp: u8, time: u32) {
        let clock = self.clock_mut(block);
        if clock.warp(warp) < time {
            raise(&mut clock.warps, warp, time);
        }
    }

    /// Makes known a thread up to `time`.
    pub fn raise_thread(&mut self, block: u32, tid: u16, time: u32) {
        let clock = self.clock_mut(block);
        if clock.thread(tid) < time {
            raise(&mut clock.tids, tid, time);
        }
    }

    /// Whether everything in `other` is known here.
    pub fn is_covering(&self, other: &Self) -> bool {
        if other.blocks.len() < self.blocks.len() / 8 {
            let mut all = other.blocks.iter();
            return all.all(|(block, theirs)| self.clock(*block).is_some_and(|ours| ours.is_covering(theirs)));
        }
        let mut ours = self.blocks.iter();
        other.blocks.iter().all(|(block, theirs)| {
            let same = ours.by_ref().find(|o| o.0 >= *block).filter(|o| o.0 == *block);
            same.is_some_and(|(_, ours)| ours.is_covering(theirs))
        })
    }

    /// Learns everything in `other`.
    pub fn join(&mut self, other: &Self) {
        if self.blocks.is_empty() {
            self.clone_from(other);
            return;
        }
        let mut out = Vec::with_capacity(self.blocks.len() + other.blocks.len());
        let mut theirs = other.blocks.iter().peekable();
        for (block, mut clock) in std::mem::take(&mut self.blocks) {
            while let Some(e) = theirs.next_if(|e| e.0 < block) {
                out.push(e.clone());
            }
            if let Some(e) = theirs.next_if(|e| e.0 == block) {
                clock.join(&e.1);
            }
            out.push((block, clock));
        }
        out.extend(theirs.cloned());
        self.blocks = out;
    }

    /// Drops what is known of one block.
    pub fn forget(&mut self, block: u32) {
        self.blocks.retain(|e| e.0 != block);
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Whether anything is known of the block.
    pub fn has(&self, block: u32) -> bool {
        self.clock(block).is_some()
    }
}

/// The join of two shared clocks; copies only if neither covers the other.
pub(crate) fn join_shared(a: Option<&Arc<SparseClock>>, b: &Arc<SparseClock>) -> Arc<SparseClock> {
    match a {
        None => Arc::clone(b),
        Some(a) if Arc::ptr_eq(a, b) || a.is_covering(b) => Arc::clone(a),
        Some(a) if b.is_covering(a) => Arc::clone(b),
        Some(a) => {
            let mut acquired = SparseClock::clone(a);
            acquired.join(b);
            Arc::new(acquired)
        }
    }
}

/// The join of two optional shared clocks.
pub(crate) fn join_options(a: Option<&Arc<SparseClock>>, b: Option<&Arc<SparseClock>>) -> Option<Arc<SparseClock>> {
    match b {
        None => a.cloned(),
        Some(b) => Some(join_shared(a, b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_takes_the_greater_at_each_level() {
        let mut a = SparseClock::default();
        a.raise_cta(3, 10);
        a.raise_warp(3, 1, 20);
        a.raise_thread(3, 40, 30);
        a.raise_thread(3, 5, 12);
        let mut b = SparseClock::default();
        b.raise_cta(3, 15);
        b.raise_thread(9, 0, 1);
        let mut j = a.clone();
        j.join(&b);
        for tid in 0..96 {
            assert_eq!(j.thread(3, tid), a.thread(3, tid).max(b.thread(3, tid)), "{tid}");
        }
        assert_eq!((j.thread(9, 0), j.thread(9, 1), j.cta(3), j.warp(3, 1)), (1, 0, 15, 20));
        assert!(j.is_covering(&a) && j.is_covering(&b) && !a.is_covering(&b));
    }

    #[test]
    fn shared_join_copies_only_for_news() {
        let mut a = SparseClock::default();
        a.raise_cta(1, 5);
        let (a, mut b) = (Arc::new(a.clone()), a);
        b.raise_thread(1, 3, 9);
        let b = Arc::new(b);
        assert!(Arc::ptr_eq(&join_shared(Some(&a), &b), &b));
        assert!(Arc::ptr_eq(&join_shared(Some(&b), &a), &b));
        assert!(join_options(None, None).is_none());
    }
}
