//! A product of real(8) matrices by the crate `faer`, and a transform of complex(8) numbers by `rustfft`.
//!
//! The arguments are the order of the matrices, the length of the transform, and how often each is done. It prints the best time of each
//! in seconds.

use faer::Mat;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;
use std::time::Instant;

fn best(times: usize, mut work: impl FnMut()) -> f64 {
    let time = |_| {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64()
    };
    (0..times).map(time).fold(f64::INFINITY, f64::min)
}

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let [order, length, times] = sizes[..] else {
        panic!("the order of the matrices, the length of the transform, how often")
    };
    let element = |i: usize, j: usize| ((i * 3 + j) % 7) as f64 - 3.0;
    let a = Mat::from_fn(order, order, element);
    let b = Mat::from_fn(order, order, |i, j| element(j, i));
    let mut c = Mat::<f64>::zeros(order, order);
    println!("dgemm: {:.6}", best(times, || c = &a * &b));
    let plan = FftPlanner::new().plan_fft_forward(length);
    let start: Vec<Complex<f64>> = (0..length).map(|i| Complex::new(element(i, 0), element(0, i))).collect();
    let mut numbers = start.clone();
    let mut room = vec![Complex::default(); plan.get_inplace_scratch_len()];
    let time = best(times, || {
        numbers.copy_from_slice(&start);
        plan.process_with_scratch(&mut numbers, &mut room);
    });
    println!("fft: {time:.6}");
    assert!(c[(0, 0)].is_finite() && numbers[0].re.is_finite());
}
