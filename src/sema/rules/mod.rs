//! Rules of Fortran that need the whole checked program: pure and elemental procedures, assumed ranks, `bind(c)`, localities,
//! type-bound procedures, interfaces that describe procedures, and the names of program units.
//!
//! Not here: the rules of CUDA Fortran (`cuda`), and those that one statement or declaration shows.

mod bindings;
mod branches;
mod interfaces;
mod interoperable;
mod localities;
mod loops;
mod names;
mod nulls;
mod purity;
mod ranks;
