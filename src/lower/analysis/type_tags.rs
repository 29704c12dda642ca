//! Numbers of dynamic types.
//!
//! Types are numbered so that the extensions of a type follow it without a gap: whether an object is of a class is one
//! comparison of a range. Intrinsic types have smaller numbers (`object::dynamic_type`).

use sema::checked::{Program, TypeId};

/// The number of the first derived type; smaller ones say intrinsic types.
const FIRST_DERIVED: u64 = 256;
/// The tag of each type and the last one of its extensions.
pub(crate) fn tags(program: &Program) -> Vec<(u64, u64)> {
    let count = program.types.len();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut roots = Vec::new();
    for (at, ty) in program.types.iter().enumerate() {
        match ty.parent {
            Some(parent) => children[parent.0 as usize].push(at),
            None => roots.push(at),
        }
    }
    let mut out = vec![(0, 0); count];
    let mut next = FIRST_DERIVED;
    for root in roots {
        // Each type comes twice: when its number is given, and when all its extensions have theirs.
        let mut pending = vec![(root, false)];
        while let Some((at, is_done)) = pending.pop() {
            if is_done {
                out[at].1 = next - 1;
                continue;
            }
            out[at].0 = next;
            next += 1;
            pending.push((at, true));
            pending.extend(children[at].iter().rev().map(|&child| (child, false)));
        }
    }
    out
}

/// The types that objects of a class may have, in the order of their tags; of `class(*)` all derived ones.
pub(crate) fn members(program: &Program, tags: &[(u64, u64)], root: Option<TypeId>) -> Vec<TypeId> {
    let range = root.map_or((0, u64::MAX), |id| tags[id.0 as usize]);
    let mut out: Vec<TypeId> = (0..program.types.len() as u32)
        .map(TypeId)
        .filter(|id| (range.0..=range.1).contains(&tags[id.0 as usize].0))
        .collect();
    out.sort_by_key(|id| tags[id.0 as usize].0);
    out
}
