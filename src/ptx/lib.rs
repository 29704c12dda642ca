//! Reads PTX, which nvcc and NVRTC make of kernels of CUDA C, into the IR.
//!
//! [`parse`] makes a tree of a file (PTX ISA 4 and 5). [`link`] puts kernels into a module: for each kernel that the program
//! declares and another language defines ([`ir::Import`]), the body of the `.entry` of that name is read into IR, with the
//! functions and variables that it uses. From then on it is a kernel like those of Fortran, for the emulator, the race
//! detector, the debugger and the GPU. The lines of `.loc` become the places of instructions.
//!
//! What cannot be expressed in the IR is refused by name and place: a warning when the file is read, and an error if a thread
//! comes to the instruction.
//!
//! Not here: how IR becomes PTX (`gpu`), how CUDA C becomes PTX (`foreign`).

mod lines;
mod link;
mod mangled;
mod read;
mod syntax;

pub use lines::Lines;
pub use link::link;
pub use syntax::{Ptx, parse};
