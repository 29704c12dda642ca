//! cufemu: runs, checks and debugs CUDA Fortran programs.
fn main() {}
