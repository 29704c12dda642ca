//! Random valid IR as PTX text: it is printed, it is well-formed, and ptxas takes it where there is one.

#![no_main]

use fuzz::{assemble, generate, well_formed};
use gpu::ptx::{PtxOptions, emit};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    let mut module = generate::module(rest);
    let wrong = ir::verify::module(&module);
    assert!(wrong.is_empty(), "the generator made what is not valid: {}", wrong[0]);
    if choice & 1 != 0 {
        opt::run(&mut module, opt::Options { level: 1, watched: choice & 8 != 0, keeps_frames: false, keeps_points: false });
        let wrong = ir::verify::module(&module);
        assert!(wrong.is_empty(), "after the passes: {}", wrong[0]);
    }
    let options =
        PtxOptions { sm: if choice & 2 != 0 { 90 } else { 75 }, debug: choice & 4 != 0, ..PtxOptions::default() };
    let text = match emit(&module, &generate::kernels(&module), &options) {
        Ok(text) => text,
        Err(error) if generate::may_be_refused(&error.what) => return,
        Err(error) => panic!("{error}"),
    };
    if let Err(fault) = well_formed::check(&text) {
        panic!("{fault}\n{text}");
    }
    if let Err(said) = assemble::assemble(&text, options.sm) {
        panic!("{said}\n{text}");
    }
});
