//! Tiles of the result: a few rows and columns whose sums are kept in registers, for each instruction set.
//!
//! The code is the same for all; what differs is for which vectors the compiler makes it, and how large a tile fits their registers.

use crate::Number;

/// Where a packed block of the left matrix is in the product.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    /// Rows of the result, and of the right matrix.
    pub(crate) m: usize,
    pub(crate) k: usize,
    /// The first row.
    pub(crate) top: usize,
    /// The first value of the inner index, and how many there are.
    pub(crate) inner: usize,
    pub(crate) depth: usize,
}

/// The instruction set, and the rows of a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    set: Set,
    rows: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Any,
}

impl Shape {
    /// That of this processor for numbers of a type.
    pub(crate) fn of<T>() -> Shape {
        let set = set();
        let bytes = match set {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => 128,
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => 64,
            Set::Any => 32,
        };
        let rows = match bytes / size_of::<T>().max(1) {
            0..8 => 4,
            8..16 => 8,
            16..32 => 16,
            _ => 32,
        };
        Shape { set, rows }
    }

    /// Rows of a tile.
    pub(crate) fn rows(self) -> usize {
        self.rows
    }

    /// Adds to columns of the result what a packed block makes.
    pub(crate) fn add_block<T: Number>(self, c: &mut [T], packed: &[T], b: &[T], block: Block) {
        match self.set {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has these instructions (`set`).
            #[allow(unsafe_code)]
            Set::Avx512 => unsafe { avx512(self.rows, c, packed, b, block) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            #[allow(unsafe_code)]
            Set::Avx2 => unsafe { avx2(self.rows, c, packed, b, block) },
            Set::Any => by_rows::<T, 4>(self.rows, c, packed, b, block),
        }
    }
}

fn set() -> Set {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq") {
            return Set::Avx512;
        }
        if has!("avx2") {
            return Set::Avx2;
        }
    }
    Set::Any
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn avx512<T: Number>(rows: usize, c: &mut [T], packed: &[T], b: &[T], block: Block) {
    by_rows::<T, 6>(rows, c, packed, b, block);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<T: Number>(rows: usize, c: &mut [T], packed: &[T], b: &[T], block: Block) {
    by_rows::<T, 4>(rows, c, packed, b, block);
}

#[inline(always)]
fn by_rows<T: Number, const COLUMNS: usize>(rows: usize, c: &mut [T], packed: &[T], b: &[T], block: Block) {
    match rows {
        4 => add::<T, 4, COLUMNS>(c, packed, b, block),
        8 => add::<T, 8, COLUMNS>(c, packed, b, block),
        16 => add::<T, 16, COLUMNS>(c, packed, b, block),
        _ => add::<T, 32, COLUMNS>(c, packed, b, block),
    }
}

/// All tiles of the rows of a block: of so many columns, and of one where fewer are left.
#[inline(always)]
fn add<T: Number, const ROWS: usize, const COLUMNS: usize>(c: &mut [T], packed: &[T], b: &[T], block: Block) {
    let Block { m, k, .. } = block;
    let mut c = c.chunks_exact_mut(m * COLUMNS);
    let mut b = b.chunks_exact(k * COLUMNS);
    for (c, b) in c.by_ref().zip(b.by_ref()) {
        groups::<T, ROWS, COLUMNS>(c, packed, b, block);
    }
    for (c, b) in c.into_remainder().chunks_exact_mut(m).zip(b.remainder().chunks_exact(k)) {
        groups::<T, ROWS, 1>(c, packed, b, block);
    }
}

/// The tiles of some columns, one below the other.
#[inline(always)]
fn groups<T: Number, const ROWS: usize, const COLUMNS: usize>(c: &mut [T], packed: &[T], b: &[T], block: Block) {
    let Block { m, k, top, inner, depth } = block;
    let right: [&[T]; COLUMNS] = std::array::from_fn(|j| &b[j * k + inner..j * k + inner + depth]);
    for (group, left) in packed.chunks_exact(ROWS * depth).enumerate() {
        let row = top + group * ROWS;
        let filled = ROWS.min(m.saturating_sub(row));
        let mut tile = [[T::default(); ROWS]; COLUMNS];
        for (j, column) in tile.iter_mut().enumerate() {
            column[..filled].copy_from_slice(&c[j * m + row..j * m + row + filled]);
        }
        sum(&mut tile, left, &right);
        for (j, column) in tile.iter().enumerate() {
            c[j * m + row..j * m + row + filled].copy_from_slice(&column[..filled]);
        }
    }
}

/// Adds the products of a group of rows and some columns to a tile.
#[inline(always)]
fn sum<T: Number, const ROWS: usize, const COLUMNS: usize>(
    tile: &mut [[T; ROWS]; COLUMNS],
    left: &[T],
    right: &[&[T]; COLUMNS],
) {
    let mut sums = *tile;
    let (rows, _) = left.as_chunks::<ROWS>();
    for (l, a) in rows.iter().enumerate() {
        for j in 0..COLUMNS {
            let Some(&b) = right[j].get(l) else { return };
            for i in 0..ROWS {
                sums[j][i] = sums[j][i] + a[i] * b;
            }
        }
    }
    *tile = sums;
}
