//! Cartesian grids and graphs of ranks, and who is next to whom.

use crate::handle::PROC_NULL;

/// A grid; the last dimension is the fastest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cart {
    /// Extent of each dimension, and whether it is periodic.
    pub(crate) dims: Vec<(i32, bool)>,
}

impl Cart {
    /// How many ranks it has.
    pub(crate) fn size(&self) -> u64 {
        self.dims.iter().map(|d| d.0.max(0) as u64).fold(1, u64::saturating_mul)
    }

    /// The coordinates of a rank.
    pub(crate) fn coordinates(&self, rank: u32) -> Vec<i32> {
        let mut rest = rank;
        let mut out = vec![0; self.dims.len()];
        for (at, &(extent, _)) in out.iter_mut().zip(&self.dims).rev() {
            *at = (rest % extent.max(1) as u32) as i32;
            rest /= extent.max(1) as u32;
        }
        out
    }

    /// The rank at coordinates; `None` outside of a dimension that is not periodic.
    pub(crate) fn rank(&self, coordinates: &[i32]) -> Option<u32> {
        let mut rank = 0;
        for (&at, &(extent, periodic)) in coordinates.iter().zip(&self.dims) {
            let at = if periodic { at.rem_euclid(extent.max(1)) } else { at };
            if !(0..extent).contains(&at) {
                return None;
            }
            rank = rank * extent as u32 + at as u32;
        }
        Some(rank)
    }

    /// The ranks that a shift by `step` receives from and sends to.
    pub(crate) fn shift(&self, rank: u32, dimension: usize, step: i32) -> [i32; 2] {
        let at = self.coordinates(rank);
        [-1, 1].map(|direction| {
            let mut there = at.clone();
            there[dimension] = there[dimension].wrapping_add(step.wrapping_mul(direction));
            self.rank(&there).map_or(PROC_NULL, |rank| rank as i32)
        })
    }
}

/// A graph, as one of its ranks knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Graph {
    /// The whole of it: for each rank the end of its neighbours in the list, and the list.
    Whole { index: Vec<i32>, edges: Vec<i32> },
    /// Edges to the rank and from it: the other rank and the weight.
    Distributed { sources: Vec<[i32; 2]>, targets: Vec<[i32; 2]>, is_weighted: bool },
}

impl Graph {
    /// The neighbours of a rank in a graph that is known as a whole.
    pub(crate) fn neighbours(&self, rank: u32) -> &[i32] {
        let Graph::Whole { index, edges } = self else { return &[] };
        let end = |at: usize| index.get(at).map_or(0, |&end| end.max(0) as usize);
        let start = (rank as usize).checked_sub(1).map_or(0, end);
        edges.get(start..end(rank as usize)).unwrap_or_default()
    }
}

/// Who a rank receives from and sends to in a collective operation of neighbours; `MPI_PROC_NULL` stands for nobody.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Neighbours {
    pub(crate) sources: Vec<i32>,
    pub(crate) targets: Vec<i32>,
    /// Whether what goes to one side of a grid comes from the other.
    pub(crate) is_grid: bool,
}

impl Neighbours {
    /// Those in a grid: of each dimension the one before and the one behind.
    pub(crate) fn in_grid(cart: &Cart, rank: u32) -> Neighbours {
        let all: Vec<i32> = (0..cart.dims.len()).flat_map(|dimension| cart.shift(rank, dimension, 1)).collect();
        Neighbours { sources: all.clone(), targets: all, is_grid: true }
    }

    /// Those in a graph.
    pub(crate) fn in_graph(graph: &Graph, rank: u32) -> Neighbours {
        let first = |edges: &[[i32; 2]]| edges.iter().map(|edge| edge[0]).collect::<Vec<_>>();
        let (sources, targets) = match graph {
            Graph::Whole { .. } => (graph.neighbours(rank).to_vec(), graph.neighbours(rank).to_vec()),
            Graph::Distributed { sources, targets, .. } => (first(sources), first(targets)),
        };
        Neighbours { sources, targets, is_grid: false }
    }

    /// As numbers that go with a part.
    pub(crate) fn numbers(&self) -> Vec<i64> {
        let head = [i64::from(self.is_grid), self.sources.len() as i64];
        head.into_iter().chain(self.sources.iter().chain(&self.targets).map(|&n| n.into())).collect()
    }

    /// What those numbers say.
    pub(crate) fn of_numbers(numbers: &[i64]) -> Option<Neighbours> {
        let (&[is_grid, count], rest) = numbers.split_first_chunk::<2>()?;
        let (sources, targets) = rest.split_at_checked(usize::try_from(count).ok()?)?;
        let ranks = |list: &[i64]| list.iter().map(|&n| n as i32).collect();
        Some(Neighbours { sources: ranks(sources), targets: ranks(targets), is_grid: is_grid == 1 })
    }

    /// Which of the pieces that a source sends is for the place of this rank in the list of its own sources.
    pub(crate) fn piece_of(&self, place: usize, of_source: &Neighbours, own: u32) -> Option<usize> {
        if self.is_grid {
            return Some(place ^ 1);
        }
        let source = self.sources.get(place)?;
        let before = self.sources[..place].iter().filter(|rank| *rank == source).count();
        let mut mine = of_source.targets.iter().enumerate().filter(|(_, to)| **to == own as i32);
        mine.nth(before).map(|(at, _)| at)
    }
}

/// `MPI_Dims_create`: fills the zeros with factors that are as close to each other as possible, in falling order. `None` if
/// the extents that are given do not divide the number.
pub(crate) fn dims_create(count: i32, dims: &[i32]) -> Option<Vec<i32>> {
    let given: i64 = dims.iter().filter(|&&d| d != 0).map(|&d| i64::from(d)).product();
    if count <= 0 || dims.iter().any(|&d| d < 0) || i64::from(count) % given != 0 {
        return None;
    }
    let rest = (i64::from(count) / given) as u32;
    let free = dims.iter().filter(|&&d| d == 0).count();
    if free == 0 {
        return (rest == 1).then(|| dims.to_vec());
    }
    let mut factors = balanced(rest, free).into_iter();
    Some(dims.iter().map(|&d| if d == 0 { factors.next().unwrap_or(1) as i32 } else { d }).collect())
}

/// `parts` factors of a number in falling order: the largest as small as possible, then the next.
fn balanced(number: u32, parts: usize) -> Vec<u32> {
    if parts <= 1 {
        return vec![number];
    }
    let mut largest =
        (1..=number).find(|&f| number.is_multiple_of(f) && power_reaches(f, parts, number)).unwrap_or(number);
    loop {
        let rest = balanced(number / largest, parts - 1);
        if rest[0] <= largest {
            return std::iter::once(largest).chain(rest).collect();
        }
        largest = (largest + 1..=number).find(|f| number.is_multiple_of(*f)).unwrap_or(number);
    }
}

fn power_reaches(base: u32, exponent: usize, number: u32) -> bool {
    (0..exponent).fold(1u64, |p, _| p.saturating_mul(u64::from(base))) >= u64::from(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_balanced() {
        assert_eq!(dims_create(6, &[0, 0]), Some(vec![3, 2]));
        assert_eq!(dims_create(64, &[0, 0, 0]), Some(vec![4, 4, 4]));
        assert_eq!(dims_create(12, &[0, 3, 0]), Some(vec![2, 3, 2]));
        assert_eq!(dims_create(7, &[0, 0]), Some(vec![7, 1]));
        assert_eq!(dims_create(7, &[2, 0]), None);
        assert_eq!(dims_create(1, &[0, 0]), Some(vec![1, 1]));
    }

    #[test]
    fn shifts_end_at_the_border_of_what_is_not_periodic() {
        let cart = Cart { dims: vec![(2, false), (3, true)] };
        assert_eq!(cart.coordinates(4), [1, 1]);
        assert_eq!(cart.shift(4, 0, 1), [1, PROC_NULL]);
        assert_eq!(cart.shift(3, 1, 1), [5, 4]);
    }
}
