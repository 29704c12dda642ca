//! Tests of the IR as a whole: text form and verifier on random modules, the annotated programs of `tests/ir`.

extern crate cufemu_ir as ir;

mod cases;
mod generate;
mod text;
