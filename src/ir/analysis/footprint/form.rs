//! Affine forms with integer coefficients, and how large they can become.
//!
//! A [`Form`] is a constant plus integer multiples of variables. A [`Var`] is a thread or block index of the launch, the
//! number of a loop's iteration, or a value of which only bounds are known; what is known of it beyond bounds are *facts*: forms
//! that are never negative. Conditions that hold where an instruction stands are *guards*, forms of the same kind.
//!
//! The largest value of a form is bounded by adding non-negative multiples of facts and guards that cancel variables, and
//! then taking each variable that is left at its bound (a step of Fourier and Motzkin's elimination; any multiplier is sound,
//! so that the search may stop anywhere). All arithmetic is exact; what would leave the range of the numbers is given up.

use crate::analysis::affine::{Affine, gcd};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A variable of a launch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Var(pub(super) u32);

/// Scales of a search stay below this, as coefficients do.
const LIMIT: i128 = 1 << 56;
/// Most facts that are added to one form.
const DEPTH: u32 = 6;
/// Most forms that one search looks at.
const NODES: usize = 120;

/// A constant and multiples of variables, exact.
pub(super) type Form = Affine<Var, i128>;

/// How a variable came about, from which more follows once it is known to be positive.
#[derive(Clone, PartialEq, Debug)]
enum Origin {
    Free,
    /// The quotient, towards zero, by a positive constant.
    Quotient(Form, i128),
    /// The greater of a form and a constant that is not positive.
    Positive(Form),
}

/// The variables of an analysis with what is always true of them.
#[derive(Clone, Default, Debug)]
pub(super) struct Vars {
    bounds: Vec<(i128, i128)>,
    origins: Vec<Origin>,
    /// Forms that are never negative.
    facts: Vec<Form>,
    /// The facts that name a variable, in order.
    facts_of: BTreeMap<Var, Vec<usize>>,
    /// Upper bounds that were found, by form and guards, as long as there is no other fact.
    known: RefCell<BTreeMap<(Form, Vec<Form>), i128>>,
    /// Divisions, in the order in which they came about.
    pub(super) divisions: Vec<Division>,
}

/// A division whose numerator is never negative: `num = den*quotient + remainder`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Division {
    pub(super) num: Form,
    pub(super) den: i128,
    pub(super) quotient: Var,
    /// Between 0 and `den - 1`. Only regrouped forms have it.
    pub(super) remainder: Var,
}

impl Vars {
    /// A variable between two values, both included.
    pub(super) fn fresh(&mut self, low: i128, high: i128) -> Var {
        self.bounds.push((low, high));
        self.origins.push(Origin::Free);
        Var(self.bounds.len() as u32 - 1)
    }

    fn fact(&mut self, fact: Option<Form>) {
        let Some(fact) = fact else { return };
        for &(var, _) in &fact.terms {
            self.facts_of.entry(var).or_default().push(self.facts.len());
        }
        self.facts.push(fact);
        self.known.get_mut().clear();
    }

    /// The variable of the quotient of `num` by a positive `den`, towards zero; every user of the same division gets the same.
    pub(super) fn quotient(&mut self, num: &Form, den: i128) -> Var {
        let origin = Origin::Quotient(num.clone(), den);
        if let Some(i) = self.origins.iter().position(|o| *o == origin) {
            return Var(i as u32);
        }
        let (low, high) = self.interval(num);
        let var = self.fresh(low / den, high / den);
        self.origins[var.0 as usize] = origin;
        // 0 <= num - den*q < den; where the numerator may be negative, the remainder may too.
        let rest = num.plus(&Form::symbol(var), -den);
        let most = |f: Option<Form>| f.and_then(|f| Form::constant(den - 1).plus(&f, -1));
        if low >= 0 {
            self.fact(rest.clone());
            let remainder = self.fresh(0, den - 1);
            self.divisions.push(Division { num: num.clone(), den, quotient: var, remainder });
        } else {
            self.fact(rest.as_ref().and_then(|f| f.offset(den - 1)));
        }
        self.fact(most(rest));
        var
    }

    /// A form in which quotients and remainders stand for what was divided, as far as it has multiples of that: the digits of a
    /// number that was taken apart and put together otherwise, such as `i/8*16 + mod(i, 8)`. `None` if there is nothing to regroup.
    pub(super) fn regrouped(&self, form: &Form) -> Option<Form> {
        let mut out: Option<Form> = None;
        for division in &self.divisions {
            let form = out.as_ref().unwrap_or(form);
            let Some(&(first, unit)) = division.num.terms.first() else { continue };
            let factor = form.coefficient(first) / unit;
            let is_there = division.num.terms.iter().all(|t| form.coefficient(t.0) == factor * t.1);
            if factor == 0 || !is_there || form.coefficient(division.quotient) == 0 {
                continue;
            }
            let regrouped = form
                .plus(&division.num, -factor)
                .and_then(|f| f.plus(&Form::symbol(division.quotient), factor * division.den))
                .and_then(|f| f.plus(&Form::symbol(division.remainder), factor));
            out = regrouped.or(out);
        }
        out
    }

    /// The greater of a form and a constant that is not positive.
    pub(super) fn positive_part(&mut self, form: &Form, least: i128) -> Var {
        let (low, high) = self.interval(form);
        let var = self.fresh(low.max(least), high.max(least));
        self.fact(Form::symbol(var).plus(form, -1));
        self.origins[var.0 as usize] = Origin::Positive(form.clone());
        var
    }

    /// The lesser or the greater of two forms.
    pub(super) fn extreme(&mut self, a: &Form, b: &Form, greater: bool) -> Var {
        let ((al, ah), (bl, bh)) = (self.interval(a), self.interval(b));
        let var = if greater { self.fresh(al.max(bl), ah.max(bh)) } else { self.fresh(al.min(bl), ah.min(bh)) };
        let sign = if greater { -1 } else { 1 };
        for form in [a, b] {
            self.fact(form.plus(&Form::symbol(var), -1).and_then(|f| f.times(sign)));
        }
        var
    }

    /// The least and the greatest value by the bounds of the variables alone.
    pub(super) fn interval(&self, form: &Form) -> (i128, i128) {
        let (mut low, mut high) = (form.constant, form.constant);
        for &(var, k) in &form.terms {
            let (a, b) = self.bounds[var.0 as usize];
            let (x, y) = (a.saturating_mul(k), b.saturating_mul(k));
            low = low.saturating_add(x.min(y));
            high = high.saturating_add(x.max(y));
        }
        (low, high)
    }

    /// An upper bound of a form where the guards hold. The search ends as soon as a bound not above `enough` is found.
    pub(super) fn most(&self, form: &Form, guards: &[Form], enough: Option<i128>) -> i128 {
        if form.terms.is_empty() {
            return form.constant;
        }
        if enough.is_some() {
            return self.search(form, guards, enough);
        }
        // The same form is asked about for each pair of accesses that it is part of.
        let key = (form.clone(), guards.to_vec());
        if let Some(&known) = self.known.borrow().get(&key) {
            return known;
        }
        let most = self.search(form, guards, None);
        self.known.borrow_mut().insert(key, most);
        most
    }

    /// The same of a form that is not constant, looked for each time.
    fn search(&self, form: &Form, guards: &[Form], enough: Option<i128>) -> i128 {
        let mut best = self.interval(form).1;
        let found = |best: i128| enough.is_some_and(|e| best <= e);
        if found(best) {
            return best;
        }
        let mut seen = BTreeSet::new();
        let mut queue = VecDeque::from([(form.clone(), 1i128, 0)]);
        let mut facts: Vec<usize> = Vec::new();
        while let Some((f, scale, depth)) = queue.pop_front() {
            // Facts that name none of its variables cancel none.
            facts.clear();
            facts.extend(f.terms.iter().filter_map(|t| self.facts_of.get(&t.0)).flatten().copied());
            facts.sort_unstable();
            facts.dedup();
            for c in guards.iter().chain(facts.iter().map(|&fact| &self.facts[fact])) {
                for &(var, cv) in &c.terms {
                    let fv = f.coefficient(var);
                    if fv == 0 || (fv > 0) == (cv > 0) {
                        continue;
                    }
                    let g = gcd(fv, cv);
                    let (own, other) = (cv.abs() / g, fv.abs() / g);
                    let next = f.times(own).and_then(|f| f.plus(c, other));
                    let (Some(next), Some(scale)) = (next, scale.checked_mul(own).filter(|&s| s <= LIMIT)) else {
                        continue;
                    };
                    best = best.min(self.interval(&next).1.div_euclid(scale));
                    if found(best) {
                        return best;
                    }
                    if depth + 1 < DEPTH && seen.len() < NODES && seen.insert((next.clone(), scale)) {
                        queue.push_back((next, scale, depth + 1));
                    }
                }
            }
        }
        best
    }

    /// A lower bound of a form where the guards hold.
    pub(super) fn least(&self, form: &Form, guards: &[Form], enough: Option<i128>) -> i128 {
        let Some(negated) = form.times(-1) else { return self.interval(form).0 };
        self.most(&negated, guards, enough.map(|e| -e)).saturating_neg()
    }

    /// Whether a form lies between two values wherever the guards hold.
    pub(super) fn is_within(&self, form: &Form, guards: &[Form], low: i128, high: i128) -> bool {
        self.most(form, guards, Some(high)) <= high && self.least(form, guards, Some(low)) >= low
    }

    /// Adds a guard, and what follows from it for a variable that it says is positive.
    pub(super) fn assume(&self, guards: &mut Vec<Form>, guard: Form) {
        if self.interval(&guard).0 >= 0 || guards.contains(&guard) {
            return;
        }
        let mut pending = vec![guard];
        while let Some(guard) = pending.pop() {
            if let [(var, k)] = guard.terms[..]
                && k > 0
                && guard.constant < 0
            {
                // k*v + c >= 0 with c < 0, so that v >= 1.
                match &self.origins[var.0 as usize] {
                    Origin::Free => {}
                    Origin::Quotient(num, den) => guards.extend(num.plus(&Form::symbol(var), -den)),
                    Origin::Positive(form) => {
                        let equal = form.plus(&Form::symbol(var), -1);
                        guards.extend(equal.as_ref().and_then(|f| f.times(-1)));
                        guards.extend(equal);
                        pending.extend(form.offset(-1));
                    }
                }
            }
            if !guards.contains(&guard) {
                guards.push(guard);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_bounds_the_sum_that_it_names() {
        let mut vars = Vars::default();
        let (t, b) = (vars.fresh(0, 255), vars.fresh(0, 99));
        let i = Form::symbol(t).plus(&Form::symbol(b), 256).unwrap_or_else(|| unreachable!());
        assert_eq!(vars.most(&i, &[], None), 25599);
        let guard = Form::constant(999).plus(&i, -1).unwrap_or_else(|| unreachable!());
        assert_eq!(vars.most(&i, std::slice::from_ref(&guard), None), 999);
        assert_eq!(vars.most(&Form::symbol(b), &[guard], None), 3);
    }

    #[test]
    fn a_positive_quotient_is_a_floor() {
        let mut vars = Vars::default();
        let start = vars.fresh(1, 4096);
        // max((1000 - start + 64) / 64, 0) > 0
        let span = Form::constant(1064).plus(&Form::symbol(start), -1).unwrap_or_else(|| unreachable!());
        let q = vars.quotient(&span, 64);
        let trips = vars.positive_part(&Form::symbol(q), 0);
        let mut guards = Vec::new();
        vars.assume(&mut guards, Form { constant: -1, terms: vec![(trips, 1)] });
        let iteration = vars.fresh(0, 1 << 62);
        let more = Form { constant: -1, terms: vec![(trips, 1), (iteration, -1)] };
        vars.assume(&mut guards, more);
        let index = Form { constant: 0, terms: vec![(start, 1), (iteration, 64)] };
        assert_eq!(vars.most(&index, &guards, None), 1000);
    }
}
