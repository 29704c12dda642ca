//! Tests of the IR as a whole: text form and verifier on random modules.

#![allow(clippy::unwrap_used)]

extern crate cufemu_ir as ir;

mod affine;
mod analysis;
mod generate;
mod ranges;
mod text;
mod uniform;
mod verify;
