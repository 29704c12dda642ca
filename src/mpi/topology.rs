//! Cartesian grids of ranks.

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
