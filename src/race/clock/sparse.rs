//! Sparse vector clocks: what a thread has learnt of the threads of other blocks, or of its own, through fences and
//! strong accesses.
//!
//! A full clock has an entry for each thread of the launch. Here a block has three levels: a time up to which *all* of
//! its threads are known, times for whole warps, times for single threads; a thread's entry is the greatest that applies.
//! The join of two clocks is the greater at each level, which is exact. The idea is that of Barracuda's compressed
//! clocks (Eizenberg et al., PLDI 2017).
//!
//! The blocks are the leaves of a tree whose shape depends on their numbers only. Neighbouring blocks of which the same is
//! known are one leaf, as blocks that run the same code mostly are. Nodes are never changed while they are shared: a clock
//! that knows one block more than another shares all but one path with it, and a join goes only where its operands differ.
//! So a chain of locks or flags through all blocks of a launch takes a time and a memory that grow with the number of blocks,
//! not with its square.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::access::LANES;

/// Binary logarithm of the children of a node.
const FAN_BITS: u32 = 3;
/// Children of a node.
const FAN: usize = 1 << FAN_BITS;

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
        self.gather();
        let all = self.all;
        self.warps.retain(|e| e.1 > all);
        let warps = &self.warps;
        self.tids.retain(|e| e.1 > all && e.1 > find(warps, (e.0 / 32) as u8));
    }

    /// Makes one entry of those of the threads of a warp if all have one.
    fn gather(&mut self) {
        let mut at = 0;
        while at + LANES <= self.tids.len() {
            let warp = self.tids[at].0 / LANES as u16;
            let is_whole =
                self.tids[at].0.is_multiple_of(LANES as u16) && self.tids[at + LANES - 1].0 / LANES as u16 == warp;
            if is_whole {
                let least = self.tids[at..at + LANES].iter().map(|e| e.1).min().unwrap_or(0);
                raise(&mut self.warps, warp as u8, least);
            }
            at += self.tids[at..].iter().take_while(|e| e.0 / LANES as u16 == warp).count();
        }
    }

    fn heap_bytes(&self) -> usize {
        self.warps.capacity() * size_of::<(u8, u32)>() + self.tids.capacity() * size_of::<(u16, u32)>()
    }
}

/// What is known of a range of blocks.
#[derive(Clone, Debug)]
enum Node {
    /// The same of each.
    Same(Clock),
    /// Of each part; nothing of a part without a node.
    Parts([Option<Arc<Node>>; FAN]),
}

impl Node {
    /// The parts of the node; a node that says the same of all becomes one with parts that do.
    fn parts_mut(node: &mut Arc<Self>) -> Option<&mut [Option<Arc<Self>>; FAN]> {
        if matches!(**node, Self::Same(_)) {
            let same = std::array::from_fn(|_| Some(Arc::clone(node)));
            *node = Arc::new(Self::Parts(same));
        }
        match Arc::make_mut(node) {
            Self::Parts(parts) => Some(parts),
            Self::Same(_) => None,
        }
    }

    fn part(node: &Arc<Self>, at: usize) -> Option<&Arc<Self>> {
        match &**node {
            Self::Same(_) => Some(node),
            Self::Parts(parts) => parts[at].as_ref(),
        }
    }

    /// The one clock of all parts, if they have one.
    fn common(parts: &[Option<Arc<Self>>; FAN]) -> Option<&Arc<Self>> {
        let last = parts[FAN - 1].as_ref()?;
        let Self::Same(clock) = &**last else { return None };
        let is_like = |part: &Option<Arc<Self>>| {
            part.as_ref()
                .is_some_and(|part| Arc::ptr_eq(part, last) || matches!(&**part, Self::Same(other) if other == clock))
        };
        parts[..FAN - 1].iter().all(is_like).then_some(last)
    }

    /// Makes one node of parts that are alike.
    fn fold(node: &mut Arc<Self>) {
        if let Self::Parts(parts) = &**node
            && let Some(same) = Self::common(parts)
        {
            *node = Arc::clone(same);
        }
    }

    /// Changes what is known of one of the `FAN` to the power of `height` blocks of the node.
    fn change(node: &mut Arc<Self>, height: u32, block: u32, f: impl FnOnce(&mut Clock)) {
        if height == 0 {
            if let Self::Same(clock) = Arc::make_mut(node) {
                f(clock);
            }
            return;
        }
        if let Some(parts) = Self::parts_mut(node) {
            let part = parts[index(block, height)].get_or_insert_with(|| Arc::new(Self::empty(height - 1)));
            Self::change(part, height - 1, block, f);
            Self::fold(node);
        }
    }

    fn empty(height: u32) -> Self {
        if height == 0 { Self::Same(Clock::default()) } else { Self::Parts(Default::default()) }
    }

    /// Drops what is known of a block; true if the node says nothing any more.
    fn forget(node: &mut Arc<Self>, height: u32, block: u32) -> bool {
        if height == 0 {
            return true;
        }
        let Some(parts) = Self::parts_mut(node) else { return false };
        let part = &mut parts[index(block, height)];
        if part.as_mut().is_some_and(|part| Self::forget(part, height - 1, block)) {
            *part = None;
        }
        parts.iter().all(Option::is_none)
    }

    /// The join of two nodes of one height: one of them, if it covers the other.
    fn join(a: &Arc<Self>, b: &Arc<Self>) -> Arc<Self> {
        if Arc::ptr_eq(a, b) {
            return Arc::clone(a);
        }
        if let (Self::Same(ours), Self::Same(theirs)) = (&**a, &**b) {
            return if ours.is_covering(theirs) {
                Arc::clone(a)
            } else if theirs.is_covering(ours) {
                Arc::clone(b)
            } else {
                let mut both = ours.clone();
                both.join(theirs);
                Arc::new(Self::Same(both))
            };
        }
        let (mut is_a, mut is_b) = (true, true);
        let parts = std::array::from_fn(|at| {
            let (ours, theirs) = (Self::part(a, at), Self::part(b, at));
            let joined = match (ours, theirs) {
                (Some(ours), Some(theirs)) => Some(Self::join(ours, theirs)),
                (one, other) => one.or(other).cloned(),
            };
            let is_same = |of: Option<&Arc<Self>>| match (&joined, of) {
                (Some(joined), Some(of)) => Arc::ptr_eq(joined, of),
                (None, None) => true,
                _ => false,
            };
            is_a &= is_same(ours);
            is_b &= is_same(theirs);
            joined
        });
        if is_a {
            return Arc::clone(a);
        }
        if is_b {
            return Arc::clone(b);
        }
        let mut node = Arc::new(Self::Parts(parts));
        Self::fold(&mut node);
        node
    }

    fn is_equal(a: &Arc<Self>, b: &Arc<Self>) -> bool {
        Arc::ptr_eq(a, b)
            || match (&**a, &**b) {
                (Self::Same(a), Self::Same(b)) => a == b,
                (Self::Parts(a), Self::Parts(b)) => a.iter().zip(b).all(|pair| match pair {
                    (Some(a), Some(b)) => Self::is_equal(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                }),
                _ => false,
            }
    }

    /// The bytes of the nodes that are not among those seen before.
    fn bytes(node: &Arc<Self>, seen: &mut BTreeSet<usize>) -> u64 {
        if !seen.insert(Arc::as_ptr(node) as usize) {
            return 0;
        }
        let own = (size_of::<Self>() + COUNTS) as u64;
        match &**node {
            Self::Same(clock) => own + clock.heap_bytes() as u64,
            Self::Parts(parts) => own + parts.iter().flatten().map(|part| Self::bytes(part, seen)).sum::<u64>(),
        }
    }
}

/// Bytes of the two counts of an `Arc`.
const COUNTS: usize = 2 * size_of::<usize>();

/// The part of a node of this height in which the block is.
fn index(block: u32, height: u32) -> usize {
    (block >> (FAN_BITS * (height - 1))) as usize % FAN
}

/// Whether a tree of this height has a leaf for the block.
fn reaches(height: u32, block: u32) -> bool {
    u64::from(block) >> (FAN_BITS * height) == 0
}

/// A sparse vector clock over the threads of a launch; see the module's head.
#[derive(Clone, Debug, Default)]
pub struct SparseClock {
    root: Option<Arc<Node>>,
    /// The tree has `FAN` to the power of this many blocks.
    height: u32,
}

impl PartialEq for SparseClock {
    fn eq(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (Some(a), Some(b)) => {
                let height = self.height.max(other.height);
                Node::is_equal(&lifted(a, self.height, height), &lifted(b, other.height, height))
            }
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl Eq for SparseClock {}

/// The tree with this root as one of greater height.
fn lifted(root: &Arc<Node>, from: u32, to: u32) -> Arc<Node> {
    (from..to).fold(Arc::clone(root), |root, _| {
        let mut parts: [Option<Arc<Node>>; FAN] = Default::default();
        parts[0] = Some(root);
        Arc::new(Node::Parts(parts))
    })
}

impl SparseClock {
    fn clock(&self, block: u32) -> Option<&Clock> {
        let mut node = self.root.as_ref().filter(|_| reaches(self.height, block))?;
        let mut height = self.height;
        loop {
            match &**node {
                Node::Same(clock) => return Some(clock),
                Node::Parts(parts) => node = parts[index(block, height)].as_ref()?,
            }
            height = height.checked_sub(1)?;
        }
    }

    fn change(&mut self, block: u32, f: impl FnOnce(&mut Clock)) {
        let mut height = self.height;
        while !reaches(height, block) {
            height += 1;
        }
        let root = match self.root.take() {
            Some(root) if height == self.height => root,
            Some(root) => lifted(&root, self.height, height),
            None => Arc::new(Node::empty(height)),
        };
        self.height = height;
        Node::change(self.root.insert(root), height, block, f);
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
        if self.cta(block) < time {
            self.change(block, |c| {
                c.all = c.all.max(time);
                c.prune();
            });
        }
    }

    /// Makes known all threads of a warp up to `time`.
    pub fn raise_warp(&mut self, block: u32, warp: u8, time: u32) {
        if self.warp(block, warp) < time {
            self.change(block, |c| {
                raise(&mut c.warps, warp, time);
                c.prune();
            });
        }
    }

    /// Makes known a thread up to `time`.
    pub fn raise_thread(&mut self, block: u32, tid: u16, time: u32) {
        if self.thread(block, tid) < time {
            self.change(block, |c| {
                raise(&mut c.tids, tid, time);
                c.gather();
            });
        }
    }

    /// Learns everything in `other`.
    pub fn join(&mut self, other: &Self) {
        *self = joined(self, other);
    }

    /// Drops what is known of one block.
    pub fn forget(&mut self, block: u32) {
        let height = self.height;
        if self.has(block) && self.root.as_mut().is_some_and(|root| Node::forget(root, height, block)) {
            self.root = None;
        }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether anything is known of the block.
    pub fn has(&self, block: u32) -> bool {
        self.clock(block).is_some()
    }

    /// The bytes of the clock's parts that are not among those seen before.
    pub(crate) fn bytes(&self, seen: &mut BTreeSet<usize>) -> u64 {
        (size_of::<Self>() + COUNTS) as u64 + self.root.as_ref().map_or(0, |root| Node::bytes(root, seen))
    }

    fn is_sharing_all(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

/// The join of two clocks; its root is that of one of them if that one covers the other.
fn joined(a: &SparseClock, b: &SparseClock) -> SparseClock {
    let (Some(ours), Some(theirs)) = (&a.root, &b.root) else {
        return if a.root.is_some() { a.clone() } else { b.clone() };
    };
    let height = a.height.max(b.height);
    let root = Node::join(&lifted(ours, a.height, height), &lifted(theirs, b.height, height));
    SparseClock { root: Some(root), height }
}

/// The join of two shared clocks; one of them if it covers the other.
pub(crate) fn join_shared(a: Option<&Arc<SparseClock>>, b: &Arc<SparseClock>) -> Arc<SparseClock> {
    let Some(a) = a.filter(|a| !Arc::ptr_eq(a, b)) else { return Arc::clone(b) };
    let both = joined(a, b);
    if both.is_sharing_all(a) {
        Arc::clone(a)
    } else if both.is_sharing_all(b) {
        Arc::clone(b)
    } else {
        Arc::new(both)
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
    use std::collections::BTreeMap;

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
    }

    #[test]
    fn shared_join_copies_only_for_news() {
        let mut a = SparseClock::default();
        a.raise_cta(1, 5);
        let (a, mut b) = (Arc::new(a.clone()), a);
        b.raise_thread(1, 3, 9);
        b.raise_thread(99, 3, 9);
        let b = Arc::new(b);
        assert!(Arc::ptr_eq(&join_shared(Some(&a), &b), &b));
        assert!(Arc::ptr_eq(&join_shared(Some(&b), &a), &b));
        assert!(join_options(None, None).is_none());
    }

    #[test]
    fn blocks_alike_are_one_leaf() {
        let mut chain = SparseClock::default();
        let mut all = Vec::new();
        for block in 0..4096 {
            chain.raise_cta(block, 7);
            chain.raise_thread(block, 0, 9);
            all.push(chain.clone());
        }
        assert!(chain.bytes(&mut BTreeSet::new()) < 300);
        let mut seen = BTreeSet::new();
        let bytes: u64 = all.iter().map(|clock| clock.bytes(&mut seen)).sum();
        assert!(bytes < 4096 * 1000, "{bytes}");
        assert_eq!((all[99].thread(99, 0), all[99].thread(99, 1), all[99].thread(100, 0)), (9, 7, 0));
        chain.forget(17);
        assert_eq!((chain.cta(16), chain.cta(17), chain.cta(18), chain.has(17)), (7, 0, 7, false));
        chain.raise_cta(17, 7);
        chain.raise_thread(17, 0, 9);
        assert_eq!(chain, all[4095]);
    }

    /// A clock of each thread, as a list.
    type Literal = BTreeMap<(u32, u16), u32>;

    const THREADS: u16 = 70;

    fn literal(clock: &SparseClock, blocks: &[u32]) -> Literal {
        let all = blocks.iter().flat_map(|&block| (0..THREADS).map(move |tid| (block, tid)));
        all.map(|(block, tid)| ((block, tid), clock.thread(block, tid))).collect()
    }

    #[test]
    fn trees_say_what_lists_of_all_threads_say() {
        // Runs that fill whole nodes, and blocks far away that make trees of several heights.
        let blocks: Vec<u32> = (0..70).chain([500, 511, 512, 4000, 70_000, (1 << 26) - 3]).collect();
        for seed in 0..12 {
            let mut r = fastrand::Rng::with_seed(seed);
            let mut all: Vec<(SparseClock, Literal)> = vec![<_>::default(); 4];
            all.iter_mut().for_each(|(clock, list)| *list = literal(clock, &blocks));
            for _ in 0..200 {
                let at = r.usize(..all.len());
                let other = all[r.usize(..all.len())].clone();
                let time = r.u32(1..4);
                let (clock, list) = &mut all[at];
                let mut raise = |block: u32, tids: std::ops::Range<u16>| {
                    tids.for_each(|tid| {
                        let entry = list.entry((block, tid)).or_default();
                        *entry = (*entry).max(time);
                    });
                };
                let block = r.choice(&blocks).copied().unwrap_or(0);
                match r.u32(..7) {
                    0 => {
                        // What all blocks of a range do.
                        for block in 0..r.u32(..70) {
                            clock.raise_cta(block, time);
                            raise(block, 0..THREADS);
                        }
                    }
                    1 => {
                        clock.raise_warp(block, 1, time);
                        raise(block, 32..64);
                    }
                    2 => {
                        let tid = r.u16(..THREADS);
                        clock.raise_thread(block, tid, time);
                        raise(block, tid..tid + 1);
                    }
                    3 => {
                        for tid in 0..32 {
                            clock.raise_thread(block, tid, time);
                        }
                        raise(block, 0..32);
                    }
                    4 => {
                        clock.forget(block);
                        list.iter_mut().filter(|(k, _)| k.0 == block).for_each(|(_, t)| *t = 0);
                    }
                    _ => {
                        clock.join(&other.0);
                        for (mine, theirs) in list.values_mut().zip(other.1.values()) {
                            *mine = (*mine).max(*theirs);
                        }
                    }
                }
                let (clock, list) = &all[at];
                assert_eq!(&literal(clock, &blocks), list, "seed {seed}");
                let is_covering = other.1.iter().all(|(k, t)| list[k] >= *t);
                let both = join_shared(Some(&Arc::new(clock.clone())), &Arc::new(other.0.clone()));
                assert_eq!(literal(&both, &blocks) == *list, is_covering, "seed {seed}");
            }
        }
    }
}
