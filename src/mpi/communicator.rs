//! Communicators.

use crate::group::{Group, rank_of};
use crate::topology::Cart;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A communicator, the same for all of its ranks.
#[derive(Clone, Debug)]
pub(crate) struct Communicator {
    /// Its ranks.
    pub(crate) group: Group,
    /// Its grid, if it has one.
    pub(crate) cart: Option<Arc<Cart>>,
    /// The members that have freed it.
    pub(crate) freed: BTreeSet<u32>,
    /// Its name in messages and for `MPI_Comm_get_name`.
    pub(crate) name: Arc<str>,
}

impl Communicator {
    pub(crate) fn new(group: Group, name: &str) -> Communicator {
        Communicator { group, cart: None, freed: BTreeSet::new(), name: name.into() }
    }

    /// How many ranks it has.
    pub(crate) fn size(&self) -> u32 {
        self.group.len() as u32
    }

    /// The rank of a process in it.
    pub(crate) fn rank_of(&self, process: u32) -> Option<u32> {
        rank_of(&self.group, process)
    }
}

/// What a communicator is made of.
#[derive(Clone, Debug)]
pub(crate) struct NewCommunicator {
    pub(crate) group: Group,
    pub(crate) cart: Option<Arc<Cart>>,
}

/// `MPI_Comm_split`: by the colours and keys of the ranks of `group`, the group of each, `None` where the colour is undefined.
pub(crate) fn split(group: &[u32], numbers: &[[i64; 2]]) -> Vec<Option<Group>> {
    let undefined = i64::from(crate::handle::UNDEFINED);
    let of_colour = |colour: i64| -> Group {
        let mut members: Vec<(i64, usize)> =
            numbers.iter().enumerate().filter(|(_, n)| n[0] == colour).map(|(rank, n)| (n[1], rank)).collect();
        members.sort_unstable();
        members.into_iter().map(|(_, rank)| group[rank]).collect()
    };
    let mut known: Vec<(i64, Group)> = Vec::new();
    let mut group_of = |colour: i64| {
        if let Some((_, group)) = known.iter().find(|(c, _)| *c == colour) {
            return group.clone();
        }
        known.push((colour, of_colour(colour)));
        known[known.len() - 1].1.clone()
    };
    numbers.iter().map(|&[colour, _]| (colour != undefined).then(|| group_of(colour))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_a_colour_are_ordered_by_key_and_rank() {
        let groups = split(&[4, 5, 6, 7], &[[0, 2], [1, 0], [0, 1], [-32766, 0]]);
        let group = |i: usize| groups[i].as_ref().map(|g| g.to_vec());
        assert_eq!((group(0), group(1), group(2), group(3)), (Some(vec![6, 4]), Some(vec![5]), Some(vec![6, 4]), None));
    }
}
