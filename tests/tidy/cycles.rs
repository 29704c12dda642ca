//! Directed graphs with an example for each edge, and the cycles in them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A graph of named nodes; each edge carries one example of what makes it.
#[derive(Default)]
pub(crate) struct Graph {
    edges: BTreeMap<String, BTreeMap<String, String>>,
}

impl Graph {
    /// Adds an edge; the first example stays.
    pub(crate) fn add(&mut self, from: &str, to: &str, example: impl FnOnce() -> String) {
        let targets = self.edges.entry(from.to_owned()).or_default();
        targets.entry(to.to_owned()).or_insert_with(example);
    }

    /// The nodes that can be reached from a node by at least one edge.
    pub(crate) fn reached(&self, from: &str) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for to in self.edges.get(node).into_iter().flat_map(BTreeMap::keys) {
                if found.insert(&**to) {
                    open.push(to);
                }
            }
        }
        found
    }

    /// A shortest way along edges from a node back to itself, without its end.
    fn way_back(&self, from: &str) -> Option<Vec<&str>> {
        let mut before: BTreeMap<&str, &str> = BTreeMap::new();
        let (start, _) = self.edges.get_key_value(from)?;
        let mut open = VecDeque::from([&**start]);
        while let Some(node) = open.pop_front() {
            for to in self.edges.get(node).into_iter().flat_map(BTreeMap::keys) {
                if to == start {
                    let mut way = vec![node];
                    while let Some(last) = way.last().filter(|last| *last != start) {
                        way.push(before[last]);
                    }
                    way.reverse();
                    return Some(way);
                }
                if !before.contains_key(&**to) {
                    before.insert(to, node);
                    open.push_back(to);
                }
            }
        }
        None
    }

    /// One shortest cycle in each group of nodes that reach each other, with an example for each of its edges.
    pub(crate) fn cycles(&self) -> Vec<String> {
        let reached: BTreeMap<&str, BTreeSet<&str>> = self.edges.keys().map(|n| (&**n, self.reached(n))).collect();
        let mut done: BTreeSet<&str> = BTreeSet::new();
        let mut found = Vec::new();
        for (node, targets) in &reached {
            if !targets.contains(node) || done.contains(node) {
                continue;
            }
            let group: Vec<&str> =
                targets.iter().copied().filter(|to| reached.get(to).is_some_and(|back| back.contains(node))).collect();
            done.extend(&group);
            let Some(way) = group.iter().filter_map(|n| self.way_back(n)).min_by_key(Vec::len) else { continue };
            let mut text = format!("{} reach each other: {}", group.len(), group.join(" "));
            for (i, from) in way.iter().enumerate() {
                let to = way[(i + 1) % way.len()];
                text += &format!("\n    {from} -> {to}: {}", self.edges[*from][to]);
            }
            found.push(text);
        }
        found
    }
}

#[test]
fn cycles_are_found_with_their_edges() {
    let mut graph = Graph::default();
    for (from, to) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("c", "b"), ("d", "e"), ("f", "f")] {
        graph.add(from, to, || format!("{from}{to}"));
    }
    assert_eq!(
        graph.cycles(),
        ["3 reach each other: b c d\n    b -> c: bc\n    c -> b: cb", "1 reach each other: f\n    f -> f: ff"]
    );
}
