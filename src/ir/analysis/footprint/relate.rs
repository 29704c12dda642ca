//! Which accesses of a launch can touch a common byte, and whose.
//!
//! Let one access of thread x touch the bytes from a(x) on and one of thread y those from b(y) on, both affine. Their digits
//! are taken from the greatest coefficient w down. If the rest of a(x) - b(y), all that belongs to smaller coefficients, stays
//! so small that the digits of x and y cannot differ without the accesses being apart, then they are equal, and the next
//! digit is looked at without them. When all block indices are known to be equal, no other block is touched; when all thread
//! indices are too, no other thread. An index that does not occur is equal only if both guards pin it to the same number, or
//! to the same sum of what is equal.
//!
//! Guards that are equations (`t = 8*q` for threads whose index is a multiple of 8) are solved and put into the addresses,
//! where that tells more.
//!
//! An index that was taken apart and put together otherwise (`i/8*16 + mod(i, 8)`) is looked at as quotient and remainder: where both
//! are equal, the index is. That is so only if it is never negative (`Vars::regrouped`). An equation that holds at both sites, such
//! as `mod(i + j, 2) = 1`, keeps neighbours apart if the digits say by how much `i` and `j` differ.

use super::deciding::deciding_loads;
use super::form::{Form, Var};
use super::state::{Site, Walk};
use super::{AccessId, Assumed, Finding, Footprint, Guards, Kind, Reduction, Sharing};
use crate::analysis::affine::gcd;
use crate::{FuncId, Scope, Ty};
use std::collections::BTreeMap;

/// Most pairs of accesses that are looked at.
pub(super) const PAIRS: usize = 60_000;

/// Who may touch a common byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Relation {
    #[default]
    Apart,
    SameThread,
    SameBlock,
    Anybody,
}

/// A site with the bytes that it may touch.
struct Extent<'a> {
    site: &'a Site,
    low: i128,
    /// Beyond the last byte.
    high: i128,
}

/// The least address that a site may touch, and the end of what it may touch.
pub(super) fn extent(walk: &Walk<'_>, site: &Site) -> (i128, i128) {
    let Some(form) = &site.form else { return (i128::MIN, i128::MAX) };
    let (low, high) = bounds(walk, form, &site.guards);
    (low, high.saturating_add(site.bytes))
}

/// Bytes between the least and the greatest address from which on an access is loose: less than 32-bit subscripts can reach, more
/// than most arrays have.
const LOOSE: i128 = 1 << 31;

/// Marks the loose sites, and what is assumed of their stores.
pub(super) fn loosen(walk: &mut Walk<'_>, assumed: Assumed) {
    (walk.is_once, walk.is_alike) = (assumed == Assumed::Once, assumed == Assumed::Alike);
    let is_loose = |site: &Site| {
        let (low, high) = extent(walk, site);
        let is_known = site.spaces == (false, true) && site.id.is_some();
        is_known && high.saturating_sub(low) >= LOOSE
    };
    let loose: Vec<bool> = walk.sites.iter().map(is_loose).collect();
    walk.sites.iter_mut().zip(loose).for_each(|(site, is_loose)| site.is_loose = is_loose);
}

/// What has to hold for the relations of loose sites.
pub(super) fn guards(walk: &Walk<'_>, kernel: FuncId) -> Guards {
    let mut out = Guards { is_once: walk.is_once, ..Guards::default() };
    for (i, site) in walk.sites.iter().enumerate().filter(|(_, site)| site.spaces.1) {
        let is_load = site.kind == Kind::Read;
        let races = |other: &Site| {
            are_alike(walk, site, other)
                && (site.is_loose || unassumed(walk, site, other, false) > Relation::SameThread)
        };
        out.alike.extend(site.id.filter(|_| walk.sites[i..].iter().any(races)).map(|id| (id, site.bytes as u64)));
        if let (true, Some(id)) = (site.is_loose, site.id) {
            let known = out.loose.entry(id).or_insert(is_load);
            *known &= is_load;
            out.has_loose_atomics |= !matches!(site.kind, Kind::Read | Kind::Write);
            continue;
        }
        let (low, high) = extent(walk, site);
        if low < high {
            let list = if is_load { &mut out.reads } else { &mut out.writes };
            list.push((clip(low), clip(high)));
        }
    }
    for list in [&mut out.reads, &mut out.writes] {
        list.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for &(low, high) in &*list {
            match joined.last_mut() {
                Some(last) if low <= last.1 => last.1 = last.1.max(high),
                _ => joined.push((low, high)),
            }
        }
        *list = joined;
    }
    out.deciding = if walk.is_once { deciding(walk, kernel, &out) } else { None };
    out
}

/// What [`Guards::deciding`] says.
fn deciding(walk: &Walk<'_>, kernel: FuncId, guards: &Guards) -> Option<Vec<(u64, u64)>> {
    let writes = |number| guards.loose.get(&AccessId { func: kernel, number }) == Some(&false);
    let loads = deciding_loads(walk.module.func(kernel), writes)?;
    let mut out = Vec::new();
    for site in walk.sites.iter().filter(|site| site.id.is_some_and(|id| loads.contains(&id.number))) {
        let (low, high) = extent(walk, site);
        let (low, high) = (clip(low), clip(high));
        let is_written = guards.writes.iter().any(|range| low < range.1 && range.0 < high);
        if site.is_loose || site.spaces != (false, true) || is_written {
            return None;
        }
        out.push((low, high));
    }
    Some(out)
}

/// An address as far as there are addresses.
fn clip(address: i128) -> u64 {
    address.clamp(0, i128::from(u64::MAX)) as u64
}

/// Whether guards keep two accesses apart.
fn are_kept_apart(walk: &Walk<'_>, a: &Site, b: &Site) -> bool {
    let is_once = walk.is_once && (a.kind == Kind::Write || b.kind == Kind::Write);
    a.is_loose != b.is_loose
        || a.is_loose && (is_once || (a.kind == Kind::Read) != (b.kind == Kind::Read))
        || are_alike(walk, a, b)
}

/// Whether two stores, if they meet at all, are one and store one value.
fn are_alike(walk: &Walk<'_>, a: &Site, b: &Site) -> bool {
    let may_be = |site: &Site| site.value.is_some() && site.spaces == (false, true) && site.id.is_some();
    walk.is_alike
        && may_be(a)
        && may_be(b)
        && if a.id == b.id { (a.value, a.bytes) == (b.value, b.bytes) } else { a.is_loose && b.is_loose }
}

/// The sharing of all sites; `None` if memory that was trusted may be written.
pub(super) fn relate(walk: &Walk<'_>) -> Option<Footprint> {
    let mut sites: Vec<Extent<'_>> = walk
        .sites
        .iter()
        .filter(|site| site.spaces.1)
        .map(|site| {
            let (low, high) = extent(walk, site);
            Extent { site, low, high }
        })
        .collect();
    // Guards that contradict each other: no thread comes there.
    sites.retain(|s| s.low < s.high);
    let meets = |s: &Extent<'_>, (at, ty): (u64, Ty)| {
        s.low < i128::from(at) + i128::from(ty.bytes()) && i128::from(at) < s.high
    };
    if sites.iter().any(|s| {
        s.site.kind != Kind::Read && !s.site.is_loose && walk.trusted.iter().any(|&(at, ty, _)| meets(s, (at, ty)))
    }) {
        return None;
    }
    let n = sites.len();
    let mut groups: Vec<usize> = (0..n).collect();
    // The worst relation of each site to others, and to other atomics without a result.
    let mut plain = vec![Relation::Apart; n];
    let mut atomic = vec![Relation::Apart; n];
    let mut conflict = vec![Relation::Apart; n];
    let mut pairs = 0;
    for i in 0..n {
        for j in i..n {
            let (a, b) = (&sites[i], &sites[j]);
            if a.site.kind == Kind::Read && b.site.kind == Kind::Read || a.high <= b.low || b.high <= a.low {
                continue;
            }
            pairs += 1;
            let relation = if pairs > PAIRS { Relation::Anybody } else { between(walk, a.site, b.site, false) };
            if relation == Relation::Apart {
                continue;
            }
            join(&mut groups, i, j);
            // Device code cannot touch a word at an address that is no multiple of its size, so that atomics of one size that
            // overlap touch the same word.
            let both = is_reducing(a.site.kind) && is_reducing(b.site.kind) && a.site.bytes == b.site.bytes;
            let list = if both { &mut atomic } else { &mut plain };
            list[i] = list[i].max(relation);
            list[j] = list[j].max(relation);
            if !are_atomic(a.site, b.site, relation) {
                conflict[i] = conflict[i].max(relation);
                conflict[j] = conflict[j].max(relation);
            }
        }
    }
    let own: Vec<Sharing> = (0..n).map(|i| sharing(sites[i].site.kind, plain[i], atomic[i])).collect();
    let mut worst: BTreeMap<usize, (Sharing, Option<Option<Reduction>>)> = BTreeMap::new();
    for (i, site) in sites.iter().enumerate() {
        let group = find(&mut groups, i);
        let op = match site.site.kind {
            Kind::Atomic { op, ty, .. } => Some((op, ty)),
            _ => None,
        };
        let entry = worst.entry(group).or_insert((Sharing::ReadOnly, None));
        entry.0 = entry.0.max(own[i]);
        entry.1 = Some(match entry.1 {
            None => op,
            Some(other) => other.filter(|_| other == op),
        });
    }
    let mut out = Footprint {
        is_complete: true,
        trusted: walk.trusted.clone(),
        extents: extents(&sites),
        may_stop: walk.may_stop,
        ..Footprint::default()
    };
    for (i, site) in sites.iter().enumerate() {
        let Some(&(group, reduction)) = worst.get(&find(&mut groups, i)) else { continue };
        out.worst = out.worst.max(Some(group));
        let Some(id) = site.site.id else {
            out.unnumbered = out.unnumbered.max(conflict[i]);
            continue;
        };
        let reduction = reduction.flatten().filter(|_| group == Sharing::Reduction);
        let found = Finding { own: own[i], group, reduction, conflict: conflict[i] };
        out.found
            .entry(id)
            .and_modify(|f| {
                f.own = f.own.max(found.own);
                f.group = f.group.max(found.group);
                f.reduction = f.reduction.filter(|_| f.reduction == found.reduction);
                f.conflict = f.conflict.max(found.conflict);
            })
            .or_insert(found);
    }
    Some(out)
}

/// The bytes of all sites, each once.
fn extents(sites: &[Extent<'_>]) -> Vec<super::Extent> {
    let is_aligned = |site: &Site| {
        let form = site.form.as_ref();
        form.is_some_and(|f| f.constant % site.bytes == 0 && f.terms.iter().all(|t| t.1 % site.bytes == 0))
    };
    let mut out: Vec<super::Extent> = sites
        .iter()
        .map(|s| super::Extent {
            low: clip(s.low),
            high: clip(s.high),
            is_aligned: s.site.id.is_none() || is_aligned(s.site),
        })
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

fn sharing(kind: Kind, plain: Relation, atomic: Relation) -> Sharing {
    if atomic == Relation::Anybody {
        return if plain == Relation::Apart { Sharing::Reduction } else { Sharing::Unknown };
    }
    match plain.max(atomic) {
        Relation::Apart if kind == Kind::Read => Sharing::ReadOnly,
        Relation::Apart | Relation::SameThread => Sharing::ThreadDisjoint,
        Relation::SameBlock => Sharing::BlockDisjoint,
        Relation::Anybody => Sharing::Unknown,
    }
}

/// Whether two accesses that threads so far apart do are atomic with regard to each other: they touch the same word, since
/// they are of one size, and both scopes take in both threads.
pub(super) fn are_atomic(a: &Site, b: &Site, relation: Relation) -> bool {
    let reaches = |site: &Site| match site.kind {
        Kind::Atomic { scope, .. } => scope > Scope::Block || relation <= Relation::SameBlock,
        Kind::Read | Kind::Write => false,
    };
    reaches(a) && reaches(b) && a.bytes == b.bytes
}

fn is_reducing(kind: Kind) -> bool {
    matches!(kind, Kind::Atomic { used: false, .. })
}

fn find(groups: &mut [usize], mut i: usize) -> usize {
    while groups[i] != i {
        groups[i] = groups[groups[i]];
        i = groups[i];
    }
    i
}

fn join(groups: &mut [usize], i: usize, j: usize) {
    let (a, b) = (find(groups, i), find(groups, j));
    groups[a.max(b)] = a.min(b);
}

/// A term of one access and one of the other with the same coefficient, or a term of one alone.
#[derive(Clone, Copy)]
struct Digit {
    coefficient: i128,
    a: Option<Var>,
    b: Option<Var>,
}

impl Digit {
    /// The variable, if both accesses have the same.
    fn common(&self) -> Option<Var> {
        self.a.filter(|_| self.a == self.b)
    }
}

/// The terms of two forms that have a partner: the same variable, or else any other that is as heavy; and those without one if
/// `has_lone`. Heaviest first.
fn digits(fa: &Form, fb: &Form, has_lone: bool) -> Vec<Digit> {
    let mut out: Vec<Digit> = Vec::new();
    for &(var, k) in fa.terms.iter().filter(|&&(var, k)| fb.coefficient(var) == k) {
        out.push(Digit { coefficient: k, a: Some(var), b: Some(var) });
    }
    for &(var, k) in fa.terms.iter().filter(|&&(var, k)| fb.coefficient(var) != k) {
        let mut others = fb.terms.iter().filter(|t| t.1 == k && fa.coefficient(t.0) != k);
        let other = others.find(|t| out.iter().all(|d| d.b != Some(t.0))).map(|other| other.0);
        if other.is_some() || has_lone {
            out.push(Digit { coefficient: k, a: Some(var), b: other });
        }
    }
    for &(var, k) in fb.terms.iter().filter(|_| has_lone) {
        if out.iter().all(|d| d.b != Some(var)) {
            out.push(Digit { coefficient: -k, a: None, b: Some(var) });
        }
    }
    out.sort_by_key(|d| (std::cmp::Reverse(d.coefficient.abs()), d.a));
    out
}

/// What the difference of a digit can be.
enum Difference {
    None,
    Only(i128),
    Several,
}

/// The numbers m with `from <= k*m <= to`.
fn multiples(k: i128, from: i128, to: i128) -> Difference {
    let w = k.abs();
    let (first, last) = (-(-from).div_euclid(w), to.div_euclid(w));
    match last - first {
        0 => Difference::Only(first * k.signum()),
        i128::MIN..0 => Difference::None,
        _ => Difference::Several,
    }
}

/// Who may touch a byte in common through these two sites; if `in_block`, two threads of one block are asked about, and the
/// answer is never that anybody may unless nothing is known of an address.
pub(super) fn between(walk: &Walk<'_>, a: &Site, b: &Site, in_block: bool) -> Relation {
    if are_kept_apart(walk, a, b) { Relation::Apart } else { unassumed(walk, a, b, in_block) }
}

/// The same without what guards say.
fn unassumed(walk: &Walk<'_>, a: &Site, b: &Site, in_block: bool) -> Relation {
    if a.is_loose || b.is_loose {
        return Relation::Anybody;
    }
    let (Some(fa), Some(fb)) = (&a.form, &b.form) else { return Relation::Anybody };
    let mut relation = of_forms(walk, (a, fa, &[]), (b, fb, &[]), in_block);
    if relation <= Relation::SameThread {
        return relation;
    }
    let (ra, rb) = (walk.vars.regrouped(fa), walk.vars.regrouped(fb));
    if ra.is_some() || rb.is_some() {
        let (ra, rb) = (ra.as_ref().unwrap_or(fa), rb.as_ref().unwrap_or(fb));
        relation = relation.min(of_forms(walk, (a, ra, &[]), (b, rb, &[]), in_block));
        if relation <= Relation::SameThread {
            return relation;
        }
    }
    let (sa, sb) = (solved(walk, &a.guards), solved(walk, &b.guards));
    match (inserted(fa, &sa), inserted(fb, &sb)) {
        (Some(fa), Some(fb)) if !sa.is_empty() || !sb.is_empty() => {
            relation.min(of_forms(walk, (a, &fa, &sa), (b, &fb, &sb), in_block))
        }
        _ => relation,
    }
}

/// Variables that guards say are equal to a form.
type Solved = [(Var, Form)];

/// What the equations among guards say of thread indices, or else of other variables.
fn solved(walk: &Walk<'_>, guards: &[Form]) -> Vec<(Var, Form)> {
    let is_index = |var: Var| {
        let digits = walk.digits.tid.iter().chain(&walk.digits.ctaid);
        digits.flat_map(|d| &d.terms).any(|t| t.0 == var)
    };
    let mut out: Vec<(Var, Form)> = Vec::new();
    for (i, guard) in guards.iter().enumerate() {
        let Some(negated) = guard.times(-1) else { continue };
        if !guards[..i].contains(&negated) {
            continue;
        }
        let Some(equation) = inserted(guard, &out) else { continue };
        let mut units = equation.terms.iter().filter(|t| t.1.abs() == 1);
        let Some(&(var, k)) = units.clone().find(|t| is_index(t.0)).or_else(|| units.next()) else { continue };
        let Some(value) = equation.filtered(|v| v != var).times(-k) else { continue };
        for (_, form) in &mut out {
            if let Some(inserted) = inserted(form, &[(var, value.clone())]) {
                *form = inserted;
            }
        }
        out.push((var, value));
    }
    out
}

/// A form with what variables are put in for them.
fn inserted(form: &Form, solved: &Solved) -> Option<Form> {
    solved.iter().try_fold(form.clone(), |form, (var, value)| match form.coefficient(*var) {
        0 => Some(form),
        k => form.filtered(|v| v != *var).plus(value, k),
    })
}

/// The same for the addresses `fa` and `fb`, and what is known of variables at each site.
fn of_forms(
    walk: &Walk<'_>,
    (a, fa, sa): (&Site, &Form, &Solved),
    (b, fb, sb): (&Site, &Form, &Solved),
    in_block: bool,
) -> Relation {
    // What both have of one block's index is the same number.
    let is_common = |var: Var| {
        let is_ctaid = walk.digits.ctaid.iter().any(|digit| digit.terms.first().is_some_and(|t| t.0 == var));
        in_block && is_ctaid && fa.coefficient(var) == fb.coefficient(var)
    };
    let (fa, fb) = (&fa.filtered(|v| !is_common(v)), &fb.filtered(|v| !is_common(v)));
    // They overlap if -a.bytes < fa - fb < b.bytes.
    let (low, high) = (1 - a.bytes, b.bytes - 1);
    if misses_by_divisor(fa, fb, low, high) {
        return Relation::Apart;
    }
    let of_digits = |has_lone| of_digits(walk, (a, fa, sa), (b, fb, sb), in_block, has_lone);
    let relation = of_digits(false);
    if relation <= Relation::SameThread { relation } else { relation.min(of_digits(true)) }
}

/// The same by the digits of addresses of which no more is known.
fn of_digits(
    walk: &Walk<'_>,
    (a, fa, sa): (&Site, &Form, &Solved),
    (b, fb, sb): (&Site, &Form, &Solved),
    in_block: bool,
    has_lone: bool,
) -> Relation {
    let Some(digits) = compared(walk, (a, fa), (b, fb), (1 - a.bytes, b.bytes - 1), has_lone) else {
        return Relation::Apart;
    };
    if miss_by_equation(a, b, &digits) {
        return Relation::Apart;
    }
    let mut equal = digits.equal;
    // Where quotient and remainder are equal, what was divided is.
    for division in walk.vars.divisions.iter().rev() {
        if equal.contains(&division.quotient) && equal.contains(&division.remainder) {
            let of_num = compared(walk, (a, &division.num), (b, &division.num), (0, 0), has_lone);
            equal.extend(of_num.into_iter().flat_map(|of| of.equal));
        }
    }
    let is_equal = |digit: &Form| match digit.terms.first() {
        None => true,
        Some(&(var, _)) => {
            let value = |solved: &'_ Solved| solved.iter().find(|s| s.0 == var).map(|s| s.1.clone());
            let is_same_sum = || value(sa).is_some_and(|v| is_sum_of(&v, &equal) && value(sb) == Some(v));
            equal.contains(&var)
                || is_same_sum()
                || pinned(walk, digit, a).is_some_and(|p| pinned(walk, digit, b) == Some(p))
        }
    };
    if !in_block && !walk.digits.ctaid.iter().all(is_equal) {
        Relation::Anybody
    } else if !walk.digits.tid.iter().all(is_equal) {
        Relation::SameBlock
    } else {
        Relation::SameThread
    }
}

/// What is known of the digits of two numbers that lie near each other.
#[derive(Default)]
struct Digits {
    /// Variables that are the same number in both.
    equal: Vec<Var>,
    /// Sums of multiples of variables of which it is known how far they differ.
    differences: Vec<(Form, i128)>,
}

/// Compares the digits of `fa` and `fb` from the greatest coefficient down, if `fa - fb` lies between the bounds; `None` if it cannot.
///
/// Where the difference of a digit is not known, it is looked at together with the digits that follow, as one number: in
/// `1024*(8*by + ty) + 4*i` those of `by` and `ty` may both differ, but `8*by + ty` cannot by more than one. If `has_lone`, terms
/// without a partner are digits too, as that of `k` in `a(i, k)` beside `a(j, 1)`; else they are a part of what is left.
fn compared(
    walk: &Walk<'_>,
    (a, fa): (&Site, &Form),
    (b, fb): (&Site, &Form),
    (mut low, mut high): (i128, i128),
    has_lone: bool,
) -> Option<Digits> {
    let mut out = Digits::default();
    let (mut rest_a, mut rest_b) = (fa.clone(), fb.clone());
    // Digits that are looked at together.
    let mut group: Vec<Digit> = Vec::new();
    for digit in digits(fa, fb, has_lone) {
        rest_a = rest_a.filtered(|v| Some(v) != digit.a);
        rest_b = rest_b.filtered(|v| Some(v) != digit.b);
        group.push(digit);
        let unit = match &group[..] {
            [digit] => digit.coefficient,
            _ => group.iter().fold(0, |g, d| gcd(g, d.coefficient)),
        };
        // The difference of the group, times its unit, lies between these.
        let between = |(al, ah): (i128, i128), (bl, bh): (i128, i128)| {
            let (from, to) = (low - ah.saturating_sub(bl), high.saturating_sub(al.saturating_sub(bh)));
            multiples(unit, from.max(-FAR), to.min(FAR))
        };
        let mut difference = between(walk.vars.interval(&rest_a), walk.vars.interval(&rest_b));
        if matches!(difference, Difference::Several) {
            difference = between(bounds(walk, &rest_a, &a.guards), bounds(walk, &rest_b, &b.guards));
        }
        match difference {
            Difference::None => return None,
            Difference::Only(m) => {
                let terms = group.iter().map(|d| Some((d.common()?, d.coefficient / unit)));
                if let Some(mut terms) = terms.collect::<Option<Vec<_>>>() {
                    terms.sort_unstable();
                    if let ([(var, 1)], 0) = (&terms[..], m) {
                        out.equal.push(*var);
                    }
                    out.differences.push((Form { constant: 0, terms }, m));
                }
                (low, high) = (low - unit * m, high - unit * m);
                group.clear();
            }
            Difference::Several => {}
        }
    }
    Some(out)
}

/// Whether an equation that holds at both sites (`mod(i + j, 2) = 1` is one) cannot hold for threads of which so much is known.
fn miss_by_equation(a: &Site, b: &Site, digits: &Digits) -> bool {
    let is_equation = |guard: &&Form| {
        let negated = guard.times(-1);
        b.guards.contains(guard) && negated.is_some_and(|n| a.guards.contains(&n) && b.guards.contains(&n))
    };
    let misses = |equation: &Form| {
        // The difference of the equation's sides is zero: it is `known`, and multiples of the factors that are left.
        let (mut left, mut known) = (equation.clone(), 0i128);
        for (sum, difference) in &digits.differences {
            let factor = times_in(&left, sum);
            left = left.plus(sum, -factor)?;
            known = known.checked_add(factor.checked_mul(*difference)?)?;
        }
        let unit = left.terms.iter().fold(0, |g, t| gcd(g, t.1));
        Some(known != 0 && (unit == 0 || known % unit != 0))
    };
    a.guards.iter().filter(is_equation).any(|equation| misses(equation) == Some(true))
}

/// How often a sum is in a form: the number by which all its factors are multiplied there, or else 0.
fn times_in(form: &Form, sum: &Form) -> i128 {
    let Some(&(var, factor)) = sum.terms.first() else { return 0 };
    let times = form.coefficient(var) / factor;
    let is_there = |&(var, factor): &(Var, i128)| form.coefficient(var) == times * factor;
    if sum.terms.iter().all(is_there) { times } else { 0 }
}

/// Whether a form has no variables but these.
fn is_sum_of(form: &Form, vars: &[Var]) -> bool {
    form.terms.iter().all(|t| vars.contains(&t.0))
}

/// Beyond this no sum is followed.
const FAR: i128 = 1 << 120;

fn bounds(walk: &Walk<'_>, form: &Form, guards: &[Form]) -> (i128, i128) {
    (walk.vars.least(form, guards, None), walk.vars.most(form, guards, None))
}

/// Whether no multiple of all coefficients, plus the constants, lies between `low` and `high`.
fn misses_by_divisor(fa: &Form, fb: &Form, low: i128, high: i128) -> bool {
    let g = fa.terms.iter().chain(&fb.terms).fold(0, |g, t| gcd(g, t.1));
    let Some(constant) = fa.constant.checked_sub(fb.constant) else { return false };
    if g == 0 {
        return constant < low || constant > high;
    }
    // Some multiple m of g with low <= m + constant <= high.
    let (from, to) = (low - constant, high - constant);
    to.div_euclid(g) * g < from
}

/// The only value that a digit can have where the site's guards hold.
fn pinned(walk: &Walk<'_>, digit: &Form, site: &Site) -> Option<i128> {
    let (low, high) = bounds(walk, digit, &site.guards);
    (low == high).then_some(low)
}
