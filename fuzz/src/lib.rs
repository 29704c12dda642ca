//! What the fuzz targets share: programs to debug, a generator of valid IR, and a check of PTX text.
//!
//! The targets hold what the crates promise of any input: no panic, no hang, no memory without bound. `README.md` beside
//! this says how to run them.

pub mod assemble;
pub mod generate;
pub mod well_formed;
