//! Procedures of C: files are compiled, libraries loaded, procedures called. Kernels of CUDA C become PTX (`nvrtc`).
//!
//! [`Libraries`] are made from what the command line gives (`link`) and know which procedures there are. A [`Caller`] makes the
//! calls ([`ir::foreign`]): memory of the program lies in buffers (`buffers`), or is lent, at addresses that stay the same while the
//! program has it, pointers are translated in both directions, and the C convention of the platform passes the arguments (`call`). A
//! call runs on a stack of its own (`stack`) and waits there while the program runs a procedure that C calls.
//!
//! NVIDIA's libraries, whose functions work on the device's memory, have a way of their own (`cuda`).
//!
//! Not here: which memory a call is given (`host`), and when it is made (`machine`).

mod buffers;
mod call;
mod caller;
mod cuda;
mod door;
mod elf;
mod end;
mod event;
mod flush;
mod frame;
mod libraries;
mod link;
#[cfg(target_os = "linux")]
mod mapping;
#[cfg(not(target_os = "linux"))]
#[path = "no_mapping.rs"]
mod mapping;
mod names;
mod nvrtc;
mod on_demand;
#[cfg(unix)]
mod process;
#[cfg(not(unix))]
#[path = "no_process.rs"]
mod process;
mod shared;
#[cfg(all(unix, target_arch = "x86_64"))]
mod stack;
#[cfg(not(all(unix, target_arch = "x86_64")))]
#[path = "no_stack.rs"]
mod stack;

pub use caller::{Called, Caller, Pointers, Route};
pub use cuda::{CudaArg, CudaFunction, CudaLibraries};
pub use door::{read_memory, write_memory};
pub use end::{end_at_once, has_crashed};
pub use libraries::Libraries;
pub use link::Inputs;
pub use nvrtc::compile_cuda;
pub use process::{has_signal, is_copy, note_error, permit_fork};
