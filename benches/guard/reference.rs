//! A fixed load of one core, the measure of the machine for `guard.py`: a chain of integer arithmetic, and vector arithmetic on
//! arrays that do not fit the caches. It prints a number that depends on all of it, so that nothing is left out.
//!
//! Every kept ratio refers to this program: a change of it, or of how it is compiled, asks for `guard.py --renew`.

fn main() {
    let mut word = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..150_000_000_u32 {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
    }
    let mut a = vec![1.0_f64; 1 << 22];
    let b: Vec<f64> = (0..1 << 22).map(|i| f64::from(i % 1009)).collect();
    for _ in 0..12 {
        for (a, b) in a.iter_mut().zip(&b) {
            *a = *a * 0.5 + b;
        }
    }
    println!("{word} {}", a.iter().sum::<f64>());
}
