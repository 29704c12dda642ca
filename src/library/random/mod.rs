//! Sequences of random numbers as NVIDIA's library has them: the generators, the order of their numbers, distributions.
//!
//! Not here: generators as handles, arguments and arrays (`curand`), device code (`compile`).

mod directions;
mod draw;
mod mrg32k3a;
mod mt19937;
mod mtgp32;
mod mtgp32_parameters;
mod philox;
mod poisson;
mod polynomial;
mod sequence;
mod shape;
mod sobol;
mod subsequences;

pub(crate) use mt19937::Mt19937;
pub(crate) use mtgp32::Mtgp32;
pub(crate) use poisson::{MOST_MEAN, Poisson};
pub(crate) use sequence::Sequence;
pub(crate) use sobol::{DIMENSIONS, Sobol};
pub(crate) use subsequences::Subsequences;
