//! The bytes of global memory that a command used, for the order between commands.
//!
//! Not here: which command used them, and which commands are in order (`timeline`).

use crate::byteset::ByteSet;
use std::collections::BTreeMap;

/// Bytes of global memory that a command used.
#[derive(Clone, Debug, Default)]
pub struct UsedBytes {
    /// Bytes that it wrote.
    pub written: ByteSet,
    /// Bytes that it read. Bytes that it also wrote may be missing: they are in conflict with whatever those read are.
    pub read: ByteSet,
    /// Bytes that it read or changed by atomics, those that it also wrote included: what other commands store there it may see.
    pub seen: ByteSet,
    /// Of written and read ones, those that it accessed by atomic or volatile accesses of one width and of device scope only, by
    /// width.
    pub strong: BTreeMap<u32, ByteSet>,
}

impl UsedBytes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty() && self.read.is_empty()
    }

    /// The first byte and the last one that it wrote or read.
    pub(crate) fn extent(&self) -> Option<(u64, u64)> {
        let join = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1.max(b.1));
        [&self.written, &self.read].into_iter().filter_map(ByteSet::extent).reduce(join)
    }

    /// Adds what another part of the same command used.
    pub fn merge(&mut self, other: &Self) {
        if !self.strong.is_empty() || !other.strong.is_empty() {
            self.merge_strong(other);
        }
        self.written.extend(&other.written);
        self.read.extend(&other.read);
        self.seen.extend(&other.seen);
    }

    /// Drops what was read of the bytes that were written: whether such a byte was also read before or after depends on who followed
    /// the blocks of the command, and they are in conflict with whatever those read are.
    pub fn drop_overwritten(&mut self) {
        self.read.remove(&self.written);
    }

    /// Takes away all from one address up to, not with, another, which lie on borders of 64 KB.
    pub fn forget(&mut self, from: u64, to: u64) {
        let sets = [&mut self.written, &mut self.read, &mut self.seen];
        sets.into_iter().chain(self.strong.values_mut()).for_each(|set| set.forget(from, to));
        self.strong.retain(|_, strong| !strong.is_empty());
    }

    /// Has those of the bytes that are in `range` stand that much further on.
    pub fn shift(&mut self, range: &ByteSet, by: u64) {
        if by == 0 || range.is_empty() {
            return;
        }
        let sets = [&mut self.written, &mut self.read, &mut self.seen];
        for set in sets.into_iter().chain(self.strong.values_mut()) {
            let moved = set.common(range);
            set.remove(&moved);
            moved.ranges().into_iter().for_each(|(start, len)| _ = set.insert(start + by, len));
        }
    }

    fn merge_strong(&mut self, other: &Self) {
        let mut theirs = other.written.clone();
        theirs.extend(&other.read);
        let mut ours = self.written.common(&theirs);
        ours.extend(&self.read.common(&theirs));
        self.strong.values().for_each(|strong| ours.remove(strong));
        other.strong.values().for_each(|strong| theirs.remove(strong));
        // Bytes that either accessed otherwise, or with another width.
        let mut otherwise = ours;
        otherwise.extend(&theirs);
        for (width, strong) in &other.strong {
            for (_, own) in self.strong.iter().filter(|(own, _)| *own != width) {
                otherwise.extend(&own.common(strong));
            }
        }
        for (width, strong) in &other.strong {
            self.strong.entry(*width).or_default().extend(strong);
        }
        self.strong.values_mut().for_each(|strong| strong.remove(&otherwise));
        self.strong.retain(|_, strong| !strong.is_empty());
    }

    /// The bytes that both access by strong accesses of one width only.
    pub(crate) fn common_strong(&self, other: &Self) -> ByteSet {
        let mut out = ByteSet::default();
        for (width, strong) in &self.strong {
            if let Some(theirs) = other.strong.get(width) {
                out.extend(&strong.common(theirs));
            }
        }
        out
    }

    /// Takes away the bytes that `later`, which is ordered after this command, stands for from now on.
    ///
    /// What is unordered with both must conflict with `later` if it conflicts with this command, so a strong access stands
    /// for strong accesses of its width only.
    pub(crate) fn supersede(&mut self, later: &Self) {
        let both = self.common_strong(later);
        let [mut written, mut read] = [later.written.clone(), later.read.clone()];
        for strong in later.strong.values() {
            written.remove(strong);
            read.remove(strong);
        }
        written.extend(&later.written.common(&both));
        read.extend(&later.read.common(&both));
        self.written.remove(&written);
        self.read.remove(&written);
        self.read.remove(&read);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(start: u64, len: u64) -> ByteSet {
        let mut set = ByteSet::default();
        set.insert(start, len);
        set
    }

    fn strong(width: u32, start: u64, len: u64) -> UsedBytes {
        UsedBytes {
            written: bytes(start, len),
            strong: BTreeMap::from([(width, bytes(start, len))]),
            ..UsedBytes::default()
        }
    }

    #[test]
    fn bytes_stay_strong_only_while_all_accesses_are_strong_and_of_one_width() {
        let mut used = strong(4, 0, 32);
        used.merge(&strong(4, 16, 32));
        assert_eq!(used.strong[&4].ranges(), [(0, 48)]);
        used.merge(&UsedBytes { read: bytes(0, 4), ..UsedBytes::default() });
        used.merge(&strong(8, 40, 16));
        used.merge(&strong(4, 0, 8));
        assert_eq!(used.strong[&4].ranges(), [(4, 36)]);
        assert_eq!(used.strong[&8].ranges(), [(48, 8)]);
        assert_eq!(used.written.ranges(), [(0, 56)]);
    }

    #[test]
    fn strong_access_stands_for_strong_ones_only() {
        let mut plain = UsedBytes { written: bytes(0, 8), ..UsedBytes::default() };
        plain.supersede(&strong(4, 0, 4));
        assert_eq!(plain.written.ranges(), [(0, 8)]);
        let mut atomic = strong(4, 0, 8);
        atomic.supersede(&strong(4, 0, 4));
        assert_eq!(atomic.written.ranges(), [(4, 4)]);
        atomic.supersede(&UsedBytes { written: bytes(4, 4), ..UsedBytes::default() });
        assert!(atomic.is_empty());
    }
}
