//! The nodes of a graph and what each comes after; whether one graph may take the place of another.
//!
//! Source: CUDA Runtime API manual, `cudaGraphExecUpdate` in "Graph Management": nodes are paired from the last ones backwards, in the order in
//! which what they come after was added.

use crate::Command;
use mem::Region;

/// What a node does, as far as an update must keep it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A kernel, which an update may replace by another that is cooperative, too, or is not, too.
    Kernel { is_cooperative: bool },
    /// A fill.
    Fill,
    /// A copy to memory and from memory, each of a device or not.
    Copy([bool; 2]),
    /// A routine of a library.
    Routine(&'static str),
}

impl Kind {
    /// That of a command.
    pub(super) fn of(command: &Command) -> Kind {
        let is_device = |address: u64| matches!(Region::of(address), Some(Region::Device(_)));
        match command {
            Command::Launch(_) => Kind::Kernel { is_cooperative: false },
            Command::Fill { .. } => Kind::Fill,
            Command::Copy { destination, source, .. } => Kind::Copy([*destination, *source].map(is_device)),
            Command::CopyStrided { destination, source, .. } => {
                Kind::Copy([destination.base, source.base].map(is_device))
            }
            Command::Routine(routine) => Kind::Routine(routine.name),
        }
    }
}

#[derive(Clone, Debug)]
struct Node {
    kind: Kind,
    after: Vec<usize>,
}

/// Why a graph cannot take the place of another: `cudaGraphExecUpdateResult`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// There are other nodes, or they come after others.
    Topology = 2,
    /// A node does something else.
    NodeType = 3,
    /// A copy is between other kinds of memory.
    Parameters = 5,
    /// A kernel is cooperative, and the other is not.
    Attributes = 8,
}

/// The nodes of a graph, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(super) struct Topology {
    nodes: Vec<Node>,
}

impl Topology {
    /// Adds a node that comes after others; gives its number.
    pub(super) fn add(&mut self, kind: Kind, after: Vec<usize>) -> usize {
        self.nodes.push(Node { kind, after });
        self.nodes.len() - 1
    }

    /// Whether all nodes are among these or come before one of them.
    pub(super) fn is_joined(&self, last: &[usize]) -> bool {
        let mut is_before = vec![false; self.nodes.len()];
        last.iter().for_each(|&node| is_before[node] = true);
        for (node, Node { after, .. }) in self.nodes.iter().enumerate().rev() {
            if !is_before[node] {
                return false;
            }
            after.iter().for_each(|&before| is_before[before] = true);
        }
        true
    }

    /// The nodes that none comes after.
    fn last(&self) -> Vec<usize> {
        let mut is_last = vec![true; self.nodes.len()];
        self.nodes.iter().flat_map(|node| &node.after).for_each(|&before| is_last[before] = false);
        (0..self.nodes.len()).filter(|&node| is_last[node]).collect()
    }

    /// What keeps `new` from taking the place of this graph, if anything does.
    pub(super) fn change_to(&self, new: &Topology) -> Option<Change> {
        let (ours, theirs) = (self.last(), new.last());
        if self.nodes.len() != new.nodes.len() || ours.len() != theirs.len() {
            return Some(Change::Topology);
        }
        let mut partner: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut is_taken = vec![false; new.nodes.len()];
        let mut pairs: Vec<(usize, usize)> = ours.into_iter().zip(theirs).collect();
        while let Some((own, other)) = pairs.pop() {
            if partner[own] == Some(other) {
                continue;
            }
            let (before, others) = (&self.nodes[own].after, &new.nodes[other].after);
            if partner[own].is_some() || is_taken[other] || before.len() != others.len() {
                return Some(Change::Topology);
            }
            partner[own] = Some(other);
            is_taken[other] = true;
            pairs.extend(before.iter().copied().zip(others.iter().copied()));
        }
        let partners = self.nodes.iter().zip(&partner).filter_map(|(node, other)| Some((node, &new.nodes[(*other)?])));
        let mut changes = partners.filter(|(own, other)| own.kind != other.kind);
        changes.next().map(|(own, other)| match (own.kind, other.kind) {
            (Kind::Copy(_), Kind::Copy(_)) => Change::Parameters,
            (Kind::Kernel { .. }, Kind::Kernel { .. }) => Change::Attributes,
            _ => Change::NodeType,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes with what each comes after.
    fn graph(nodes: &[(Kind, &[usize])]) -> Topology {
        let mut graph = Topology::default();
        for (kind, after) in nodes {
            graph.add(*kind, after.to_vec());
        }
        graph
    }

    const K: Kind = Kind::Kernel { is_cooperative: false };
    const F: Kind = Kind::Fill;

    #[test]
    fn a_graph_takes_the_place_of_one_of_the_same_shape() {
        // A kernel, then a kernel beside a fill, then a kernel; the two in the middle in either order.
        let one = graph(&[(K, &[]), (K, &[0]), (F, &[0]), (K, &[1, 2])]);
        let other = graph(&[(K, &[]), (F, &[0]), (K, &[0]), (K, &[2, 1])]);
        assert_eq!(one.change_to(&other), None);
        assert_eq!(one.change_to(&graph(&[(K, &[]), (F, &[0]), (K, &[0]), (K, &[1, 2])])), Some(Change::NodeType));
        assert_eq!(one.change_to(&graph(&[(K, &[]), (K, &[0]), (F, &[1]), (K, &[2])])), Some(Change::Topology));
        assert_eq!(one.change_to(&graph(&[(K, &[]), (K, &[0]), (K, &[1])])), Some(Change::Topology));
        let copy = |to, from| graph(&[(Kind::Copy([to, from]), &[])]);
        assert_eq!(copy(true, true).change_to(&copy(false, true)), Some(Change::Parameters));
        assert_eq!(copy(true, true).change_to(&graph(&[(F, &[])])), Some(Change::NodeType));
        let cooperative = graph(&[(Kind::Kernel { is_cooperative: true }, &[])]);
        assert_eq!(cooperative.change_to(&graph(&[(K, &[])])), Some(Change::Attributes));
    }

    #[test]
    fn a_graph_is_joined_if_all_nodes_come_before_the_last() {
        let forked = graph(&[(K, &[]), (K, &[0]), (K, &[0])]);
        assert!(!forked.is_joined(&[1]) && forked.is_joined(&[1, 2]));
        assert!(graph(&[]).is_joined(&[]));
    }
}
