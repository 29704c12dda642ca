//! The text of module `curand_device`: what all generators share, the generators, the distributions of each, and Sobol' sequences.
//!
//! Not here: cuRAND's host library (`library`).

use scalar::xorwow::Jump;
use std::fmt::Write;
use std::sync::LazyLock;

/// The generators whose uniform reals of 32 bits are their numbers, scaled.
const OF_BITS: [&str; 2] = ["XORWOW", "Philox4_32_10"];
/// The others with subsequences.
const OTHERS: [&str; 1] = ["MRG32k3a"];
/// Sobol' sequences, and the bits of their numbers.
const SOBOL: [(&str, u32); 4] = [("Sobol32", 32), ("ScrambledSobol32", 32), ("Sobol64", 64), ("ScrambledSobol64", 64)];
/// Binary logarithm of the distance between two sequences of XORWOW.
const SEQUENCE: u32 = 67;

/// A table of jumps: those of `digit * 16**at` times 2 to the power `scale` numbers.
fn table(name: &str, scale: u32) -> String {
    let mut text = format!("  integer(4), parameter, private :: {name}(5, 15, 0:15) = reshape([");
    let mut step = Jump::new(1, scale);
    for at in 0..16 {
        let mut jump = step;
        for digit in 1..16 {
            let comma = if (at, digit) == (0, 1) { "" } else { ", " };
            let words = jump.0.map(|word| format!("int(z'{word:x}', 4)")).join(", ");
            let _ = write!(text, "{comma}&\n    {words}");
            jump = jump.then(step);
        }
        // After 15 jumps and one more.
        step = jump;
    }
    text + "], [5, 15, 16])\n\n"
}

/// The source of the module.
pub(crate) static SOURCE: LazyLock<String> = LazyLock::new(|| {
    let of = |template: &str, generators: &[&str]| -> String {
        generators.iter().map(|generator| template.replace("GEN", generator)).collect()
    };
    let of_bits = |template: &str, bits: u32| {
        template.replace("KIND", &(bits / 8).to_string()).replace("BITS", &bits.to_string())
    };
    let of_sobol = |template: &str| SOBOL.map(|(name, bits)| of_bits(&template.replace("GEN", name), bits)).concat();
    let init = |bits| of_bits(include_str!("modules/curand_device_sobol_init.cuf"), bits);
    let pseudo = [&OF_BITS[..], &OTHERS].concat();
    let all = [&pseudo[..], &SOBOL.map(|(name, _)| name)].concat();
    [
        include_str!("modules/curand_device_head.cuf"),
        &of_sobol(include_str!("modules/curand_device_sobol_types.cuf")),
        &table("sequences", SEQUENCE),
        &table("numbers", 0),
        &of(include_str!("modules/curand_device_generics.cuf"), &all),
        &of(include_str!("modules/curand_device_poisson.cuf"), &pseudo),
        "contains\n",
        include_str!("modules/curand_device_generators.cuf"),
        &of(include_str!("modules/curand_device_uniform.cuf"), &OF_BITS),
        &of(include_str!("modules/curand_device_distributions.cuf"), &pseudo),
        include_str!("modules/curand_device_sobol_reals.cuf"),
        &init(32),
        &init(64),
        &of_sobol(include_str!("modules/curand_device_sobol.cuf")),
        "end module\n",
    ]
    .concat()
});
