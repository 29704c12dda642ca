//! Transforms of arrays whose elements are next to each other, dimension after dimension, on several threads. Every line is
//! transformed alone, so that the number of threads does not show.

use crate::element::Element;
use crate::transpose::transposed;
use num_complex::Complex;
use rayon::prelude::*;
use rustfft::{Fft, FftNum, FftPlanner};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Elements below which threads do not pay.
const FEW: usize = 1 << 14;

/// A part of the numbers.
pub(crate) trait Real: Element + FftNum {}

impl<T: Element + FftNum> Real for T {}

/// Bytes of a vector above which it is not kept for the next transform.
const MOST_KEPT: usize = 64 << 20;

/// What transforms the lines of each dimension: forward and backward.
pub(crate) struct Lines<T> {
    dims: Vec<[Arc<dyn Fft<T>>; 2]>,
    /// Vectors that transforms worked in: what a system gives anew it has to clear.
    rooms: Mutex<Vec<Vec<Complex<T>>>>,
}

/// How many vectors a transform works in.
const ROOMS: usize = 2;

impl<T> fmt::Debug for Lines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lines of {} dimensions", self.dims.len())
    }
}

/// The number of elements of an array.
fn count(sizes: &[u64]) -> usize {
    sizes.iter().product::<u64>() as usize
}

/// The length of the half that says all about the transform of a line of reals.
fn half(length: u64) -> usize {
    length as usize / 2 + 1
}

impl<T: Real> Lines<T>
where
    Complex<T>: Element,
{
    pub(crate) fn new(sizes: &[u64]) -> Lines<T> {
        let mut planner = FftPlanner::new();
        let both = |&size: &u64| [planner.plan_fft_forward(size as usize), planner.plan_fft_inverse(size as usize)];
        Lines { dims: sizes.iter().map(both).collect(), rooms: Mutex::default() }
    }

    /// A vector to work in, with any contents.
    pub(crate) fn room(&self) -> Vec<Complex<T>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Keeps a vector for the next transform.
    pub(crate) fn keep(&self, room: Vec<Complex<T>>) {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        if rooms.len() < ROOMS && size_of_val(&*room) <= MOST_KEPT {
            rooms.push(room);
        }
    }

    /// Transforms arrays of these sizes, one after another.
    pub(crate) fn complex(&self, sizes: &[u64], mut values: Vec<Complex<T>>, is_forward: bool) -> Vec<Complex<T>> {
        if let [length] = sizes
            && values.len() == *length as usize
            && values.len() >= FEW
        {
            let mut out = self.room();
            out.resize(values.len(), Complex::new(T::ZERO, T::ZERO));
            let fft = &*self.dims[0][usize::from(!is_forward)];
            let mut scratch = vec![Complex::new(T::ZERO, T::ZERO); fft.get_outofplace_scratch_len()];
            fft.process_outofplace_with_scratch(&mut values, &mut out, &mut scratch);
            self.keep(values);
            return out;
        }
        for dim in 0..sizes.len() {
            self.along(sizes, dim, &mut values, is_forward);
        }
        values
    }

    /// Transforms arrays of reals. The other half of the last dimension is the conjugate of this one, and is left out.
    pub(crate) fn of_reals(&self, sizes: &[u64], values: &[T]) -> Vec<Complex<T>> {
        let Some((&last, others)) = sizes.split_last() else { return Vec::new() };
        let mut whole: Vec<Complex<T>> = values.iter().map(|&value| Complex::new(value, T::ZERO)).collect();
        self.along(sizes, others.len(), &mut whole, true);
        let kept = half(last);
        let mut out: Vec<Complex<T>> =
            whole.chunks_exact(last as usize).flat_map(|line| &line[..kept]).copied().collect();
        let sizes: Vec<u64> = others.iter().copied().chain([kept as u64]).collect();
        for dim in 0..others.len() {
            self.along(&sizes, dim, &mut out, true);
        }
        out
    }

    /// Transforms arrays of which there is half of the last dimension to reals.
    pub(crate) fn to_real(&self, sizes: &[u64], mut values: Vec<Complex<T>>) -> Vec<T> {
        let Some((&last, others)) = sizes.split_last() else { return Vec::new() };
        let kept = half(last);
        let of_half: Vec<u64> = others.iter().copied().chain([kept as u64]).collect();
        for dim in 0..others.len() {
            self.along(&of_half, dim, &mut values, false);
        }
        let length = last as usize;
        let mut whole = Vec::with_capacity(values.len() / kept * length);
        for line in values.chunks_exact(kept) {
            whole.extend_from_slice(line);
            whole.extend((kept..length).map(|k| line[length - k].conj()));
        }
        self.along(sizes, others.len(), &mut whole, false);
        whole.iter().map(|value| value.re).collect()
    }

    /// Transforms the lines of one dimension of arrays of these sizes.
    fn along(&self, sizes: &[u64], dim: usize, values: &mut [Complex<T>], is_forward: bool) {
        let length = sizes[dim] as usize;
        let step = count(&sizes[dim + 1..]);
        let fft = &*self.dims[dim][usize::from(!is_forward)];
        if step == 1 {
            return lines(fft, values, length);
        }
        // The lines of a block are side by side.
        for block in values.chunks_mut(length * step) {
            let mut turned = transposed(block, step, false);
            lines(fft, &mut turned, length);
            block.copy_from_slice(&transposed(&turned, length, false));
        }
    }
}

/// Transforms lines of that length, one after another in memory.
fn lines<T: Real>(fft: &dyn Fft<T>, values: &mut [Complex<T>], length: usize) {
    let scratch = || vec![Complex::new(T::ZERO, T::ZERO); fft.get_inplace_scratch_len()];
    if values.len() < FEW {
        fft.process_with_scratch(values, &mut scratch());
    } else {
        let one = |scratch: &mut Vec<Complex<T>>, line: &mut [Complex<T>]| fft.process_with_scratch(line, scratch);
        values.par_chunks_exact_mut(length).for_each_init(scratch, one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of the definition for arrays of these sizes, in `f64`.
    fn direct(sizes: &[u64], values: &[Complex<f64>], sign: f64) -> Vec<Complex<f64>> {
        let indices = |mut n: usize| {
            let mut indices: Vec<u64> = sizes
                .iter()
                .rev()
                .map(|&size| {
                    let index = n as u64 % size;
                    n /= size as usize;
                    index
                })
                .collect();
            indices.reverse();
            indices
        };
        let of_one = |values: &[Complex<f64>], to: usize| {
            let to = indices(to);
            let term = |(from, value): (usize, &Complex<f64>)| {
                let turns: f64 =
                    indices(from).iter().zip(&to).zip(sizes).map(|((j, k), n)| (j * k % n) as f64 / *n as f64).sum();
                value * Complex::cis(sign * std::f64::consts::TAU * turns)
            };
            values.iter().enumerate().map(term).sum()
        };
        let one = count(sizes);
        values.chunks(one).flat_map(|values| (0..one).map(move |to| of_one(values, to))).collect()
    }

    /// Numbers that look random.
    fn numbers(count: usize) -> Vec<f64> {
        (0..count).map(|i| ((i * 7919 + 104_729) % 1009) as f64 / 1009.0 - 0.5).collect()
    }

    fn complex_numbers(count: usize) -> Vec<Complex<f64>> {
        let numbers = numbers(2 * count);
        numbers.chunks(2).map(|pair| Complex::new(pair[0], pair[1])).collect()
    }

    /// The largest difference over the largest sum of absolute values that an element can have.
    fn error(found: &[Complex<f64>], wanted: &[Complex<f64>], sizes: &[u64]) -> f64 {
        assert_eq!(found.len(), wanted.len());
        let difference = found.iter().zip(wanted).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        difference / count(sizes) as f64
    }

    const SHAPES: [&[u64]; 12] =
        [&[1], &[2], &[7], &[16], &[60], &[97], &[4, 6], &[5, 1], &[1, 8], &[16, 15], &[3, 4, 5], &[4, 2, 9]];

    #[test]
    fn transforms_are_the_sums_of_the_definition() {
        for sizes in SHAPES {
            let lines = Lines::<f64>::new(sizes);
            let values = complex_numbers(2 * count(sizes));
            for (is_forward, sign) in [(true, -1.0), (false, 1.0)] {
                let found = lines.complex(sizes, values.clone(), is_forward);
                assert!(error(&found, &direct(sizes, &values, sign), sizes) < 1e-15, "{sizes:?}");
            }
        }
    }

    #[test]
    fn half_of_a_transform_of_reals_is_that_of_the_definition() {
        for sizes in SHAPES {
            let lines = Lines::<f64>::new(sizes);
            let values = numbers(2 * count(sizes));
            let all: Vec<Complex<f64>> = values.iter().map(|&value| value.into()).collect();
            let last = sizes[sizes.len() - 1];
            let kept = |all: &[Complex<f64>]| -> Vec<Complex<f64>> {
                all.chunks(last as usize).flat_map(|line| &line[..half(last)]).copied().collect()
            };
            let wanted = kept(&direct(sizes, &all, -1.0));
            let found = lines.of_reals(sizes, &values);
            assert!(error(&found, &wanted, sizes) < 1e-15, "{sizes:?}");
            let back = lines.to_real(sizes, found);
            let scale = count(sizes) as f64;
            assert!(back.iter().zip(&values).all(|(a, b)| (a / scale - b).abs() < 1e-14), "{sizes:?}");
        }
    }

    #[test]
    fn transforms_of_4_bytes_a_part_keep_their_digits() {
        let sizes: &[u64] = &[12, 35];
        let values = complex_numbers(count(sizes));
        let single = |value: &Complex<f64>| Complex::new(value.re as f32, value.im as f32);
        let found = Lines::<f32>::new(sizes).complex(sizes, values.iter().map(single).collect(), true);
        let double = |value: &Complex<f32>| Complex::new(f64::from(value.re), f64::from(value.im));
        let found: Vec<Complex<f64>> = found.iter().map(double).collect();
        assert!(error(&found, &direct(sizes, &values, -1.0), sizes) < 1e-7);
    }

    #[test]
    fn lines_on_several_threads_are_the_same() {
        let sizes: &[u64] = &[256, 128];
        let lines = Lines::<f64>::new(sizes);
        let values = complex_numbers(count(sizes));
        let found = lines.complex(sizes, values.clone(), true);
        let one: Vec<Complex<f64>> = values[..128].to_vec();
        let mut row = one.clone();
        super::lines(&*lines.dims[1][0], &mut row, 128);
        let mut all = values;
        super::lines(&*lines.dims[1][0], &mut all, 128);
        assert_eq!(row, all[..128]);
        assert!(found.iter().all(|value| value.re.is_finite()));
    }
}
