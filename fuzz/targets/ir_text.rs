//! Any text as IR: the reader refuses it, or what it reads goes through verifier, printer, reader and passes.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(mut module) = ir::parse::module(text) else { return };
    let printed = ir::print::module(&module, true);
    let again = ir::parse::module(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(ir::print::module(&again, true), printed, "a module that is printed and read is another one");
    if !ir::verify::module(&module).is_empty() {
        return;
    }
    opt::run(&mut module, opt::Options { level: 1, watched: true, keeps_frames: true, keeps_points: true });
    let wrong = ir::verify::module(&module);
    assert!(wrong.is_empty(), "after the passes: {}", wrong[0]);
});
