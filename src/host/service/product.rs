//! MATMUL of arrays of the host by blocks ([`product`]), with the bits of the loop that defines it.
//!
//! It is done for some columns of the result at a time, so that a stop of the program need not wait long. What it cannot do, the
//! program does by its loop: arrays that a device may see, whose accesses are watched; elements of other types; undefined elements to
//! be found; results that are no numbers, because which NaN it is may depend on the order of operands.

use crate::protocol::{Args, Halt, Results};
use crate::runtime::Runtime;
use crate::storage::{self, is_plain_host};
use device::Strided;
use mem::Memory;
use num_complex::Complex;
use std::num::Wrapping;

/// The least extent of matrices, and of those whose elements do not lie side by side, which are read one by one.
const LEAST: usize = 8;
const LEAST_WITH_GAPS: usize = 32;
/// Products of two elements that are made before the program goes on: some seconds.
const AT_A_TIME: u64 = 1 << 32;
/// Bytes of columns that are made before the program goes on, at most, unless one column has more.
const BYTES_AT_A_TIME: u64 = 64 << 20;

impl Runtime {
    /// How many columns of the result are there, or -1.
    pub(super) fn matrix_product(memory: &mut Memory, a: Args<'_>) -> Result<Results, Halt> {
        let array = |i: usize| storage::read_descriptor(memory, a.bits(i));
        let (result, left, right) = (array(1)?, array(2)?, array(3)?);
        let is_tracked = memory.initialised().is_some();
        let product = Product::of(memory, &result, &left, &right, a.size(4)).filter(|_| !is_tracked);
        let done = product.and_then(|p| match (a.int(0), result.1) {
            (0, 1) => p.run::<Wrapping<i8>>(memory),
            (0, 2) => p.run::<Wrapping<i16>>(memory),
            (0, 4) => p.run::<Wrapping<i32>>(memory),
            (0, 8) => p.run::<Wrapping<i64>>(memory),
            (1, 4) => p.run::<f32>(memory),
            (1, 8) => p.run::<f64>(memory),
            (2, 8) => p.run::<Complex<f32>>(memory),
            (2, 16) => p.run::<Complex<f64>>(memory),
            _ => None,
        });
        Ok([done.map_or(u64::MAX, |columns| columns as u64), 0])
    }
}

/// A matrix: its first element, and the extents and strides in bytes of its two dimensions.
struct Matrix {
    base: u64,
    rows: (usize, i64),
    columns: (usize, i64),
}

impl Matrix {
    fn of(array: &Strided) -> Option<Matrix> {
        let &[rows, columns] = array.dims.as_slice() else { return None };
        let [rows, columns] = [rows, columns].map(|(extent, stride)| (extent as usize, stride));
        is_plain_host(array.base).then_some(Matrix { base: array.base, rows, columns })
    }

    /// Whether all of it, and no less memory than that many elements need, is in one allocation.
    fn is_there(&self, memory: &Memory, bytes: u64) -> bool {
        let (mut low, mut high) = (i128::from(self.base), i128::from(self.base) + i128::from(bytes));
        let mut count = i128::from(bytes);
        for (extent, stride) in [self.rows, self.columns] {
            let reach = (extent as i128 - 1).max(0).saturating_mul(i128::from(stride));
            (low, high) = (low.saturating_add(reach.min(0)), high.saturating_add(reach.max(0)));
            count = count.saturating_mul(extent as i128);
        }
        match (u64::try_from(low), u64::try_from(high)) {
            (Ok(low), Ok(high)) => count <= i128::from(high - low) && memory.contains(low, high),
            _ => false,
        }
    }

    /// So many columns from `first` on, one behind the other.
    fn read<T: Word>(&self, memory: &Memory, first: usize, count: usize) -> Option<Vec<T>> {
        let bytes = size_of::<T>();
        let (rows, step) = self.rows;
        let address = |row: usize, column: usize| {
            let offset = (row as i64).wrapping_mul(step).wrapping_add((column as i64).wrapping_mul(self.columns.1));
            self.base.wrapping_add_signed(offset)
        };
        let is_dense = step == bytes as i64 && (self.columns.1 == (rows * bytes) as i64 || count == 1);
        let mut elements = Vec::with_capacity(rows.checked_mul(count)?);
        if is_dense {
            let found = storage::read(memory, address(0, first), (rows * count * bytes) as u64).ok()?;
            elements.extend(found.chunks_exact(bytes).map(T::from_bytes));
            return Some(elements);
        }
        let mut word = vec![0; bytes];
        for column in first..first + count {
            if step == bytes as i64 {
                let found = storage::read(memory, address(0, column), (rows * bytes) as u64).ok()?;
                elements.extend(found.chunks_exact(bytes).map(T::from_bytes));
            } else {
                for row in 0..rows {
                    let address = address(row, column);
                    is_plain_host(address).then_some(())?;
                    memory.read(address, &mut word)?;
                    elements.push(T::from_bytes(&word));
                }
            }
        }
        Some(elements)
    }
}

/// The columns of a product that are made at a time.
struct Product {
    result: u64,
    left: Matrix,
    right: Matrix,
    first: usize,
    count: usize,
}

impl Product {
    /// `None` if the arrays are not the host's own, contiguous in the case of the result, and of shapes that fit.
    fn of(
        memory: &Memory,
        (result, bytes): &(Strided, u64),
        (left, left_bytes): &(Strided, u64),
        (right, right_bytes): &(Strided, u64),
        first: u64,
    ) -> Option<Product> {
        let first = usize::try_from(first).ok()?;
        let (left, right) = (Matrix::of(left)?, Matrix::of(right)?);
        let [rows, inner, columns] = [left.rows.0, right.rows.0, right.columns.0];
        // Copies of thin matrices take longer than the loop.
        let have_gaps = [&left, &right].into_iter().any(|matrix| matrix.rows.1 != *bytes as i64);
        let least = if have_gaps { LEAST_WITH_GAPS } else { LEAST };
        (rows.min(inner).min(columns) >= least).then_some(())?;
        (left.is_there(memory, *bytes) && right.is_there(memory, *bytes)).then_some(())?;
        let work = (rows as u64).saturating_mul(inner as u64);
        let column_bytes = (rows as u64).saturating_mul(*bytes);
        let at_a_time = (AT_A_TIME / work.max(1)).min(BYTES_AT_A_TIME / column_bytes.max(1)).max(1);
        let count = columns.checked_sub(first)?.min(at_a_time as usize);
        let mut stride = *bytes as i64;
        for &(extent, step) in &result.dims {
            (step == stride || extent <= 1).then_some(())?;
            stride = stride.checked_mul(extent)?;
        }
        let fits = left.columns.0 == inner
            && result.dims.iter().map(|&(extent, _)| extent as usize).eq([rows, columns])
            && (bytes, bytes) == (left_bytes, right_bytes)
            && is_plain_host(result.base);
        fits.then_some(Product { result: result.base, left, right, first, count })
    }

    /// Makes the columns; gives how many there are then.
    fn run<T: Word>(&self, memory: &mut Memory) -> Option<usize> {
        let (m, k) = (self.left.rows.0, self.right.rows.0);
        let left: Vec<T> = self.left.read(memory, 0, k)?;
        let right: Vec<T> = self.right.read(memory, self.first, self.count)?;
        let mut sums = vec![T::default(); m.checked_mul(self.count)?];
        product::multiply(&mut sums, &left, &right, m, k);
        if sums.iter().any(|sum| sum.is_nan()) {
            return None;
        }
        let bytes = size_of::<T>();
        let mut words = vec![0; sums.len() * bytes];
        words.chunks_exact_mut(bytes).zip(&sums).for_each(|(word, sum)| sum.to_bytes(word));
        storage::write(memory, self.result + (self.first * m * bytes) as u64, &words).ok()?;
        Some(self.first + self.count)
    }
}

/// A number as it is in memory.
trait Word: product::Number {
    /// From as many bytes as it has.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// To as many bytes as it has.
    fn to_bytes(self, bytes: &mut [u8]);
    /// Whether it is no number, or a part of it.
    fn is_nan(self) -> bool;
}

macro_rules! words {
    ($($ty:ty: $bare:ty, $of:expr, $into:expr, $nan:expr;)*) => {$(
        impl Word for $ty {
            fn from_bytes(bytes: &[u8]) -> $ty {
                let mut word = [0; size_of::<$bare>()];
                word.copy_from_slice(bytes);
                $of(<$bare>::from_le_bytes(word))
            }

            fn to_bytes(self, bytes: &mut [u8]) {
                let bare: $bare = $into(self);
                bytes.copy_from_slice(&bare.to_le_bytes());
            }

            fn is_nan(self) -> bool {
                $nan(self)
            }
        }
    )*};
}

words! {
    f32: f32, |x| x, |x| x, f32::is_nan;
    f64: f64, |x| x, |x| x, f64::is_nan;
    Wrapping<i8>: i8, Wrapping, |x: Wrapping<i8>| x.0, |_| false;
    Wrapping<i16>: i16, Wrapping, |x: Wrapping<i16>| x.0, |_| false;
    Wrapping<i32>: i32, Wrapping, |x: Wrapping<i32>| x.0, |_| false;
    Wrapping<i64>: i64, Wrapping, |x: Wrapping<i64>| x.0, |_| false;
}

macro_rules! complex_words {
    ($($part:ident)*) => {$(
        impl Word for Complex<$part> {
            fn from_bytes(bytes: &[u8]) -> Complex<$part> {
                let (re, im) = bytes.split_at(size_of::<$part>());
                Complex::new(<$part as Word>::from_bytes(re), <$part as Word>::from_bytes(im))
            }

            fn to_bytes(self, bytes: &mut [u8]) {
                let (re, im) = bytes.split_at_mut(size_of::<$part>());
                Word::to_bytes(self.re, re);
                Word::to_bytes(self.im, im);
            }

            fn is_nan(self) -> bool {
                self.re.is_nan() || self.im.is_nan()
            }
        }
    )*};
}

complex_words!(f32 f64);
