//! Which bytes a launch touches, where that can be told exactly before it runs.
//!
//! A block is reached *exactly* where its [`Region`] holds, a set of forms that are never negative there: that of the kernel's first block
//! is everything, a block to which one branch leads has the branch's condition in addition, and a block that every thread comes to that
//! has been at another block, its immediate dominator, has the region of that. A region is about whether a thread comes at least once;
//! where all threads do a constant number of iterations of a loop, the number of the iteration is an index like those of threads.
//!
//! The bytes of an access are told if its address and its region are affine in such indices, and these fall into parts: the indices of
//! a part stand in one sum, by which its conditions go too, and the sum takes every value between its least and its greatest. That is
//! so of arrays of one and more dimensions that are gone through element by element, each dimension with its own bounds.
//!
//! Not here: accesses under conditions that are no conjunction of such forms, addresses in loops whose threads do different numbers of
//! iterations, quotients and remainders, atomics; launches that may stop.

use super::Kind;
use super::form::{Form, Var, Vars};
use super::state::{Site, Walk};
use super::value::Cond;
use crate::Bb;
use crate::analysis::PostDominators;
use crate::analysis::affine::gcd;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Where threads come: those for which no form is negative; `None` if that is not known.
pub(super) type Region = Option<Rc<[Form]>>;

/// Most runs of bytes of a launch.
const RUNS: u64 = 1 << 20;

/// Bytes that a launch surely touches: runs of `bytes`, from `low` on, at all sums of less than `count` times `stride`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Runs {
    /// Whether they are written.
    pub is_write: bool,
    /// The first address.
    pub low: u64,
    /// Bytes of a run.
    pub bytes: u64,
    /// Stride and count, from the least stride to the greatest.
    pub levels: Vec<(u64, u64)>,
}

impl Runs {
    /// How many runs there are.
    fn len(&self) -> u64 {
        self.levels.iter().fold(1, |all: u64, level| all.saturating_mul(level.1))
    }

    /// Calls `f` with the address of each run.
    pub fn for_each(&self, f: &mut impl FnMut(u64)) {
        fn go(levels: &[(u64, u64)], low: u64, f: &mut impl FnMut(u64)) {
            match levels.split_last() {
                None => f(low),
                Some((&(stride, count), rest)) => (0..count).for_each(|i| go(rest, low + i * stride, f)),
            }
        }
        go(&self.levels, self.low, f);
    }
}

/// Whether every thread that comes to a block comes to another one afterwards, if it does not stop.
pub(super) fn always_follows(pdom: &PostDominators, from: Bb, to: Bb) -> bool {
    std::iter::successors(pdom.ipdom(from), |&at| pdom.ipdom(at)).any(|at| at == to)
}

/// The part of a region in which a condition is as `holds` says.
pub(super) fn narrowed(region: &Region, cond: &Cond, holds: bool, vars: &Vars) -> Region {
    let mut forms = region.as_ref()?.to_vec();
    cond.each_form(holds, vars, &mut |form| forms.push(form)).then(|| forms.into())
}

/// The bytes that the launch touches; `None` if they are not known exactly.
pub(super) fn runs(walk: &Walk<'_>) -> Option<Vec<Runs>> {
    if walk.may_stop || walk.has_inner_exit {
        return None;
    }
    let digits = walk.digits.tid.iter().chain(&walk.digits.ctaid).flat_map(|form| &form.terms);
    let digits = digits.map(|&(var, _)| (var, walk.vars.interval(&Form::symbol(var)).1)).collect();
    let mut out = Vec::new();
    for site in walk.sites.iter().filter(|site| site.spaces.1) {
        out.extend(of_site(walk, site, &digits)?);
    }
    out.sort_unstable();
    out.dedup();
    (out.iter().map(Runs::len).fold(0, u64::saturating_add) <= RUNS).then_some(out)
}

/// Indices of threads, blocks and iterations with the greatest value of each; the least is 0.
struct Indices {
    most: BTreeMap<Var, i128>,
}

impl Indices {
    /// Whether a form has no other variables.
    fn are_all_in(&self, form: &Form) -> bool {
        form.terms.iter().all(|term| self.most.contains_key(&term.0))
    }

    /// The form with the index counted from its other end.
    fn flipped(&self, form: &Form, var: Var) -> Option<Form> {
        let factor = form.coefficient(var);
        form.plus(&Form::symbol(var), -2 * factor)?.offset(factor.checked_mul(*self.most.get(&var)?)?)
    }
}

/// The bytes of a site, given the greatest value of each index of the launch; `Some(None)` if no thread comes there, and `None` if they are not known.
fn of_site(walk: &Walk<'_>, site: &Site, digits: &BTreeMap<Var, i128>) -> Option<Option<Runs>> {
    let (region, address) = (site.region.as_ref()?, site.form.as_ref()?);
    let is_write = match site.kind {
        Kind::Read => false,
        Kind::Write => true,
        Kind::Atomic { .. } => return None,
    };
    if site.spaces.0 {
        return None;
    }
    let mut indices = Indices { most: digits.clone() };
    indices.most.extend(site.counted.iter().copied());
    let mut address = address.clone();
    let mut conditions = Vec::new();
    for form in region.iter() {
        let (least, most) = walk.vars.interval(form);
        if most < 0 {
            return Some(None);
        }
        if least < 0 {
            conditions.push(form.clone());
        }
    }
    if !indices.are_all_in(&address) || !conditions.iter().all(|form| indices.are_all_in(form)) {
        return None;
    }
    let mut levels: Vec<(i128, i128)> = Vec::new();
    for part in parts(&address, &conditions) {
        let in_part = |form: &Form| form.terms.iter().any(|term| part.contains(&term.0));
        let own: Vec<Form> = conditions.iter().filter(|form| in_part(form)).cloned().collect();
        let Some(sum) = Sum::new(&indices, &mut address, own, &part)? else { return Some(None) };
        if sum.stride != 0 {
            address.constant += sum.stride * sum.low;
            levels.push((sum.stride, sum.high - sum.low + 1));
        }
    }
    levels.sort_unstable();
    let mut bytes = site.bytes;
    let mut apart = Vec::new();
    for (stride, count) in levels {
        if apart.is_empty() && stride <= bytes {
            bytes += stride * (count - 1);
        } else if count > 1 {
            apart.push((u64::try_from(stride).ok()?, u64::try_from(count).ok()?));
        }
    }
    let low = u64::try_from(address.constant).ok()?;
    Some(Some(Runs { is_write, low, bytes: u64::try_from(bytes).ok()?, levels: apart }))
}

/// Indices that stand in one condition are of one part.
fn parts(address: &Form, conditions: &[Form]) -> Vec<Vec<Var>> {
    let mut parts: Vec<Vec<Var>> = Vec::new();
    let alone = address.terms.iter().map(|term| vec![term.0]);
    for mut part in conditions.iter().map(|form| form.terms.iter().map(|term| term.0).collect()).chain(alone) {
        let is_joined = |of: &Vec<Var>| of.iter().any(|var| part.contains(var));
        let (joined, rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_joined);
        joined.into_iter().for_each(|of| part.extend(of));
        part.sort_unstable();
        part.dedup();
        parts = rest;
        parts.push(part);
    }
    parts
}

/// What the indices of a part add to an address: all multiples of a stride from a least to a greatest.
struct Sum {
    /// 0 if the address does not depend on them.
    stride: i128,
    low: i128,
    high: i128,
}

impl Sum {
    /// The sum of a part under its conditions; indices with a negative factor are counted from their other end in `address`.
    /// `Some(None)` if no thread keeps the conditions.
    fn new(indices: &Indices, address: &mut Form, mut conditions: Vec<Form>, part: &[Var]) -> Option<Option<Sum>> {
        let is_addressed = part.iter().any(|&var| address.coefficient(var) != 0);
        let base = if is_addressed { &*address } else { conditions.first()? };
        let negative: Vec<Var> = part.iter().copied().filter(|&var| base.coefficient(var) < 0).collect();
        for var in negative {
            *address = indices.flipped(address, var)?;
            for form in &mut conditions {
                *form = indices.flipped(form, var)?;
            }
        }
        let base = if is_addressed { &*address } else { conditions.first()? };
        let mut factors: Vec<(i128, Var)> = part.iter().map(|&var| (base.coefficient(var), var)).collect();
        factors.sort_unstable();
        let unit = factors.iter().fold(0, |all, factor| gcd(all, factor.0));
        // Each sum between the least and the greatest is taken: no index steps over more than those before it reach.
        let mut high = 0;
        for (factor, var) in &mut factors {
            *factor /= unit;
            if *factor < 1 || *factor > high + 1 {
                return None;
            }
            high += *factor * indices.most.get(var)?;
        }
        let mut low = 0;
        let first = factors.first()?.1;
        for form in &conditions {
            let factor = form.coefficient(first);
            if factor == 0 || factors.iter().any(|&(of, var)| form.coefficient(var) != factor * of) {
                return None;
            }
            if factor > 0 {
                low = low.max((-form.constant).div_euclid(factor) + i128::from(form.constant.rem_euclid(factor) != 0));
            } else {
                high = high.min(form.constant.div_euclid(-factor));
            }
        }
        Some((low <= high).then_some(Sum { stride: if is_addressed { unit } else { 0 }, low, high }))
    }
}
