//! Which statements and blocks ran when: going back to a breakpoint leaves out the times at which none of its statements ran.
//!
//! The trace grows while the program runs for the first time. It may name more statements of a stretch of time than ran in it,
//! never fewer.
//!
//! Not here: whether a breakpoint stops there (`session/control.rs`).

use ir::{FuncId, FuncKind, Function, InstKind, Module};
use std::collections::{BTreeMap, BTreeSet};
use vm::Site;

/// Statements of a stretch of the trace, if none of them is executed again and again.
const LEAST: u64 = 1 << 12;
/// Most stretches.
const MOST: usize = 1 << 14;

/// A set of statements, by function and operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct SiteSet {
    rows: Vec<Vec<u64>>,
    /// Whether any statement may be in it.
    any: bool,
}

impl SiteSet {
    /// Adds a statement.
    pub(crate) fn add(&mut self, func: FuncId, pc: u32) {
        let (row, word) = (func.index(), pc as usize / 64);
        if self.rows.len() <= row {
            self.rows.resize_with(row + 1, Vec::new);
        }
        let row = &mut self.rows[row];
        if row.len() <= word {
            row.resize(word + 1, 0);
        }
        row[word] |= 1 << (pc % 64);
    }

    /// Adds statements that are not known.
    pub(crate) fn add_unknown(&mut self) {
        self.any = true;
    }

    fn add_all(&mut self, other: &SiteSet) {
        self.any |= other.any;
        if self.rows.len() < other.rows.len() {
            self.rows.resize_with(other.rows.len(), Vec::new);
        }
        for (row, more) in self.rows.iter_mut().zip(&other.rows) {
            if row.len() < more.len() {
                row.resize(more.len(), 0);
            }
            row.iter_mut().zip(more).for_each(|(word, more)| *word |= more);
        }
    }

    /// Makes it empty.
    pub(crate) fn clear(&mut self) {
        self.any = false;
        self.rows.iter_mut().flatten().for_each(|word| *word = 0);
    }

    fn meets(&self, sites: &[Site]) -> bool {
        let word = |site: &Site| self.rows.get(site.func.index()).and_then(|row| row.get(site.pc as usize / 64));
        self.any || sites.iter().any(|site| word(site).is_some_and(|word| word >> (site.pc % 64) & 1 != 0))
    }
}

/// What ran in the times up to `until`, from the end of the stretch before.
#[derive(Clone, Debug)]
struct Stretch {
    until: u64,
    sites: SiteSet,
}

/// The statements that ran, in order of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace(Vec<Stretch>);

impl Trace {
    /// The time up to which it knows what ran.
    fn until(&self) -> u64 {
        self.0.last().map_or(0, |stretch| stretch.until)
    }

    /// These statements ran between `from`, exclusive, and `until`. Leaves the set empty.
    pub(crate) fn add(&mut self, from: u64, until: u64, sites: &mut SiteSet) {
        if from <= self.until() && until > self.until() {
            let start = self.0.len().checked_sub(2).and_then(|at| self.0.get(at)).map_or(0, |stretch| stretch.until);
            match self.0.last_mut() {
                Some(last) if until - start < LEAST => {
                    last.sites.add_all(sites);
                    last.until = until;
                }
                _ => self.0.push(Stretch { until, sites: sites.clone() }),
            }
            if self.0.len() > MOST {
                self.halve();
            }
        }
        sites.clear();
    }

    /// Joins every two neighbours.
    fn halve(&mut self) {
        let pairs = std::mem::take(&mut self.0);
        for pair in pairs.chunks(2) {
            let mut stretch = pair[0].clone();
            if let Some(next) = pair.get(1) {
                stretch.sites.add_all(&next.sites);
                stretch.until = next.until;
            }
            self.0.push(stretch);
        }
    }

    /// What comes after `time` may be different from now on.
    pub(crate) fn forget_after(&mut self, time: u64) {
        let kept = self.0.partition_point(|stretch| stretch.until <= time);
        // The stretch that holds `time` ends there.
        self.0.truncate(kept + 1);
        if let Some(last) = self.0.get_mut(kept) {
            last.until = time;
        }
    }

    /// The end, exclusive, of the times before `before` at which one of these statements may have run; 0 if none can have.
    pub(crate) fn last(&self, sites: &[Site], before: u64) -> u64 {
        if before > self.until() + 1 {
            return before;
        }
        // The first stretch that reaches the last of these times is the last to look at.
        let end = self.0.partition_point(|stretch| stretch.until + 1 < before);
        let upto = self.0.len().min(end + 1);
        let met = self.0[..upto].iter().rev().find(|stretch| stretch.sites.meets(sites));
        met.map_or(0, |stretch| (stretch.until + 1).min(before))
    }
}

/// Which functions the code of each kernel may come to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach(BTreeMap<FuncId, BTreeSet<FuncId>>);

impl Reach {
    /// That of a module.
    pub(crate) fn new(module: &Module) -> Reach {
        let called = |func: &Function| {
            let insts = func.blocks.iter().flat_map(|block| &block.insts);
            let calls = insts.filter_map(|inst| match inst.kind {
                InstKind::Call { func, .. } => Some(func),
                _ => None,
            });
            calls.collect::<BTreeSet<FuncId>>()
        };
        let called: Vec<BTreeSet<FuncId>> = module.funcs.iter().map(called).collect();
        let from = |kernel: FuncId| {
            let (mut found, mut open) = (BTreeSet::new(), vec![kernel]);
            while let Some(func) = open.pop() {
                if found.insert(func) {
                    open.extend(&called[func.index()]);
                }
            }
            (kernel, found)
        };
        let kernels = (0..).map(FuncId).zip(&module.funcs).filter(|(_, func)| func.kind == FuncKind::Kernel);
        Reach(kernels.map(|(kernel, _)| from(kernel)).collect())
    }

    /// Whether the code of a kernel may come to a function, or is it.
    pub(crate) fn has(&self, kernel: FuncId, func: FuncId) -> bool {
        self.0.get(&kernel).is_none_or(|found| found.contains(&func))
    }
}

/// Most entries of the record of blocks.
const MOST_BLOCKS: usize = 1 << 21;

/// Which block ran when: the times from which on another one did, in order. Launch 0 is the host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    from: Vec<(u64, u64, u64)>,
    /// What ran before this time is not known any more.
    since: u64,
    until: u64,
    /// The kernel of each launch, and the extents of its grid.
    grids: BTreeMap<u64, (FuncId, [u32; 3])>,
}

impl Blocks {
    /// The kernel and the extents of the grid of a launch.
    pub(crate) fn launched(&mut self, launch: u64, kernel: FuncId, grid: [u32; 3]) {
        self.grids.insert(launch, (kernel, grid));
    }

    /// These blocks ran from these times on, between `from`, exclusive, and `until`. Takes them.
    pub(crate) fn add(&mut self, from: u64, until: u64, changes: &mut Vec<(u64, u64, u64)>) {
        if from <= self.until && until > self.until {
            for change in changes.iter().filter(|change| change.0 > self.until) {
                let last = self.from.last().map(|&(_, launch, block)| (launch, block));
                if last != Some((change.1, change.2)) {
                    self.from.push(*change);
                }
            }
            self.until = until;
            if self.from.len() > MOST_BLOCKS {
                self.from.drain(..MOST_BLOCKS / 2);
                self.since = self.from.first().map_or(0, |first| first.0);
            }
        }
        changes.clear();
    }

    /// What comes after `time` may be different from now on.
    pub(crate) fn forget_after(&mut self, time: u64) {
        self.since = self.since.min(time);
        self.from.retain(|change| change.0 <= time);
        self.until = self.until.min(time);
    }

    /// The end of the times before `before` at which a block ran whose index, from 0, has these values where one is required, in a
    /// launch of a kernel of which `may_run` holds; or the host, if it holds of no kernel and no index is required.
    pub(crate) fn last(
        &self,
        required: [Option<u32>; 3],
        may_run: impl Fn(Option<FuncId>) -> bool,
        before: u64,
    ) -> u64 {
        // Blocks of one launch follow each other, so its answer is kept.
        let mut asked: Option<(u64, bool)> = None;
        let mut is_possible = |launch: u64| match asked {
            Some((of, answer)) if of == launch => answer,
            _ => {
                let answer = match self.grids.get(&launch) {
                    Some(&(kernel, _)) => may_run(Some(kernel)),
                    None => launch != 0 || required == [None; 3] && may_run(None),
                };
                asked = Some((launch, answer));
                answer
            }
        };
        let has_index = |launch: u64, block: u64| {
            let Some((_, grid)) = self.grids.get(&launch) else { return true };
            let [x, y, _] = grid.map(|n| u64::from(n.max(1)));
            let index = [block % x, block / x % y, block / x / y];
            required.iter().zip(index).all(|(wanted, is)| wanted.is_none_or(|wanted| u64::from(wanted) == is))
        };
        self.last_of(|launch, block| is_possible(launch) && (required == [None; 3] || has_index(launch, block)), before)
    }

    /// The end of the times before `before` at which a block ran of which `fits` holds, by its launch and its number.
    pub(crate) fn last_of(&self, mut fits: impl FnMut(u64, u64) -> bool, before: u64) -> u64 {
        if before > self.until + 1 || before <= self.since {
            return before;
        }
        let end = self.from.partition_point(|change| change.0 < before);
        let found = self.from[..end].iter().rposition(|&(_, launch, block)| fits(launch, block));
        found.map_or(self.since, |at| self.from.get(at + 1).map_or(before, |next| next.0.min(before)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(pcs: &[u32]) -> SiteSet {
        let mut sites = SiteSet::default();
        pcs.iter().for_each(|&pc| sites.add(FuncId(1), pc));
        sites
    }

    fn site(pc: u32) -> [Site; 1] {
        [Site { func: FuncId(1), pc }]
    }

    #[test]
    fn the_last_stretch_of_a_statement_is_found_and_what_is_not_known_counts_as_possible() {
        let mut trace = Trace::default();
        for (n, pcs) in [[1, 2], [3, 70], [1, 3], [4, 4]].iter().enumerate() {
            let from = n as u64 * LEAST;
            trace.add(from, from + LEAST, &mut set(pcs));
        }
        assert_eq!(trace.last(&site(70), 4 * LEAST), 2 * LEAST + 1);
        assert_eq!(trace.last(&site(70), 2 * LEAST), 2 * LEAST, "the end of the question");
        assert_eq!(trace.last(&site(2), 4 * LEAST), LEAST + 1);
        assert_eq!(trace.last(&site(5), 4 * LEAST), 0);
        assert_eq!(trace.last(&site(5), 4 * LEAST + 2), 4 * LEAST + 2, "not known");
        // A repeated execution adds nothing.
        trace.add(LEAST, 2 * LEAST, &mut set(&[5]));
        assert_eq!(trace.last(&site(5), 4 * LEAST), 0);
        trace.forget_after(LEAST + 7);
        assert_eq!(trace.last(&site(70), LEAST + 8), LEAST + 8);
        assert_eq!(trace.last(&site(4), 4 * LEAST), 4 * LEAST, "the new future");
    }

    #[test]
    fn the_last_time_of_a_block_is_found_by_its_index() {
        let mut blocks = Blocks::default();
        let kernel = FuncId(7);
        blocks.launched(1, kernel, [4, 2, 1]);
        let last = |blocks: &Blocks, required, before| blocks.last(required, |_| true, before);
        blocks.add(0, 50, &mut vec![(1, 0, 0), (10, 1, 0), (20, 1, 5), (30, 1, 6), (40, 0, 0)]);
        blocks.add(20, 60, &mut vec![(21, 1, 5), (30, 1, 6), (40, 0, 0), (55, 1, 7)]);
        assert_eq!(last(&blocks, [Some(1), None, None], 50), 30);
        assert_eq!(last(&blocks, [None, Some(1), None], 50), 40);
        assert_eq!(last(&blocks, [Some(0), Some(0), None], 50), 20);
        assert_eq!(last(&blocks, [Some(0), Some(1), None], 50), 0);
        assert_eq!(last(&blocks, [Some(3), None, None], 61), 61);
        assert_eq!(last(&blocks, [Some(0), None, None], 70), 70, "not known");
        let by_kernel = |wanted, before| blocks.last([None; 3], |of| of == wanted, before);
        assert_eq!((by_kernel(Some(kernel), 50), by_kernel(Some(FuncId(8)), 50)), (40, 0));
        assert_eq!((by_kernel(None, 50), by_kernel(None, 40)), (50, 10));
        blocks.forget_after(25);
        assert_eq!((last(&blocks, [Some(1), None, None], 26), last(&blocks, [Some(2), None, None], 40)), (26, 40));
    }

    #[test]
    fn a_long_trace_becomes_coarser_and_loses_nothing() {
        let mut trace = Trace::default();
        for n in 0..=MOST as u64 {
            trace.add(n * LEAST, (n + 1) * LEAST, &mut set(&[(n % 100) as u32]));
        }
        assert!(trace.0.len() <= MOST / 2 + 1);
        let last = trace.last(&site(99), u64::MAX / 2);
        assert_eq!(last, u64::MAX / 2);
        let end = (MOST as u64 + 1) * LEAST;
        assert!(trace.last(&site(99), end) > end - 200 * LEAST);
    }

    #[test]
    fn a_long_record_of_blocks_forgets_its_beginning() {
        let mut blocks = Blocks::default();
        let mut changes: Vec<(u64, u64, u64)> = (0..=MOST_BLOCKS as u64).map(|n| (n + 1, 1, n)).collect();
        blocks.add(0, changes.len() as u64, &mut changes);
        let (since, until) = (MOST_BLOCKS as u64 / 2 + 1, MOST_BLOCKS as u64 + 1);
        assert_eq!(blocks.last_of(|_, block| block == until - 2, until), until);
        assert_eq!(blocks.last_of(|_, block| block == 5, until), since, "perhaps before what is known");
        assert_eq!(blocks.last_of(|_, block| block == 5, since - 9), since - 9);
    }
}
