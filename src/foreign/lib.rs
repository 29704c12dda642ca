//! Procedures of C: files are compiled, libraries loaded, procedures called. Kernels of CUDA C become PTX (`nvrtc`).
//!
//! [`Libraries`] are made from what the command line gives (`link`) and know which procedures there are. A [`Caller`] makes the
//! calls ([`ir::foreign`]): memory of the program lies in buffers (`buffers`) at addresses that stay the same while the program
//! has it, pointers are translated in both directions, and the C convention of the platform passes the arguments (`call`).
//!
//! Not here: which memory a call is given (`host`), and when it is made (`machine`).

mod buffers;
mod call;
mod caller;
mod libraries;
mod link;
mod nvrtc;

pub use caller::Caller;
pub use libraries::Libraries;
pub use link::Inputs;
pub use nvrtc::compile_cuda;
