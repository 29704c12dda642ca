//! Numbers of one state after another: words, and the reals that are made of them.
//!
//! Normal reals differ from those of NVIDIA's library in the last bits, because NVIDIA's come from approximate functions of the GPU.
//!
//! Not here: which state is next (`sequence`).

use scalar::xorwow::Xorwow;
use std::f32::consts::TAU as TAU4;
use std::f64::consts::TAU as TAU8;

/// 2 to the power -32.
const SCALE4: f32 = 2.328_306_4e-10;
/// 2 to the power -53.
const SCALE8: f64 = 1.110_223_024_625_156_5e-16;

/// A state that gives words.
pub(crate) trait Draw {
    /// The next word.
    fn word(&mut self) -> u32;

    /// A real in (0, 1].
    fn uniform4(&mut self) -> f32 {
        uniform4_of(self.word())
    }

    /// The same of 53 bits.
    fn uniform8(&mut self) -> f64 {
        let (x, y) = (u64::from(self.word()), u64::from(self.word()));
        (x ^ y << 21) as f64 * SCALE8 + SCALE8 / 2.0
    }
}

impl Draw for Xorwow {
    fn word(&mut self) -> u32 {
        self.next_number()
    }
}

/// A real in (0, 1] of a word.
pub(super) fn uniform4_of(x: u32) -> f32 {
    x as f32 * SCALE4 + SCALE4 / 2.0
}

/// An angle of a word that makes half of a pair.
pub(super) fn angle4_of(x: u32) -> f32 {
    x as f32 * (SCALE4 * TAU4) + SCALE4 * TAU4 / 2.0
}

/// Two normal reals by the method of Box and Muller.
pub(super) fn pair4(u: f32, angle: f32) -> [f32; 2] {
    let s = (-2.0 * u.ln()).sqrt();
    [s * angle.sin(), s * angle.cos()]
}

pub(super) fn pair8(draw: &mut dyn Draw) -> [f64; 2] {
    let (u, angle) = (draw.uniform8(), draw.uniform8() * TAU8);
    let s = (-2.0 * u.ln()).sqrt();
    [s * angle.sin(), s * angle.cos()]
}

/// A pair of words.
pub(super) fn pair4_of_words(draw: &mut dyn Draw) -> [f32; 2] {
    let u = draw.uniform4();
    pair4(u, angle4_of(draw.word()))
}

/// A pair of reals, for a generator that does not give words.
pub(super) fn pair4_of_reals(draw: &mut dyn Draw) -> [f32; 2] {
    let u = draw.uniform4();
    pair4(u, draw.uniform4() * TAU4)
}
