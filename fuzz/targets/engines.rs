//! A random kernel gives the same bytes, points and findings by the interpreter and by machine code, with every instruction set,
//! stopped at any point, by one thread of the computer and by two, under seeds, and one thread of the kernel at a time.
//!
//! The generator and the comparison are those of the tests of the emulator.

#![no_main]
#![allow(dead_code, unused_imports)] // The tests use more of their modules.

#[path = "../../src/emu/tests/all/divergence.rs"]
mod divergence;
#[path = "../../src/emu/tests/all/kernels/mod.rs"]
mod kernels;
#[path = "../../src/emu/tests/all/reference.rs"]
mod reference;
#[path = "../../src/emu/tests/all/rig.rs"]
mod rig;

use emu::Options;
use kernels::Choices;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    let made = kernels::kernel_by(Choices::of_bytes(rest), choice & 1 != 0);
    let race = (choice & 2 != 0).then(race::Rules::default);
    divergence::check_made(u64::from(choice >> 2), &made, &Options { race, ..Options::default() });
});
