//! Numbers that are one word each, of 32 or 64 bits, and the reals that are made of one: those of Sobol' sequences and of MT19937.
//!
//! Not here: reals that are made of the words of a generator one after another (`draw`).

use super::draw::uniform4_of;

/// 2 to the power -32.
const SCALE: f64 = 2.328_306_436_538_696_3e-10;
/// 2 to the power -53.
const SCALE8: f64 = 1.110_223_024_625_156_5e-16;

/// What is made of the numbers of a sequence.
pub(super) trait Shape {
    /// Bits of a number.
    fn bits(&self) -> u32;

    /// The first 32 bits of a number.
    fn word(&self, number: u64) -> u32 {
        (number >> (self.bits() - 32)) as u32
    }

    /// A real in (0, 1].
    fn uniform4(&self, number: u64) -> f32 {
        uniform4_of(self.word(number))
    }

    /// A real in (0, 1] of 53 bits, or as many as there are.
    fn uniform8(&self, number: u64) -> f64 {
        match self.bits() {
            32 => number as f64 * SCALE + SCALE,
            _ => (number >> 11) as f64 * SCALE8 + SCALE8 / 2.0,
        }
    }

    /// A normal real. Numbers of the upper half are those of the lower one with the other sign.
    fn normal4(&self, number: u64) -> f32 {
        let word = self.word(number);
        let (word, sign) = if word >= 1 << 31 { (!word, -1.0) } else { (word, 1.0) };
        sign * quantile(f64::from(uniform4_of(word))) as f32
    }

    /// The same of 8 bytes.
    fn normal8(&self, number: u64) -> f64 {
        let half = 1 << (self.bits() - 1);
        let (number, sign) = if number >= half { (2 * (half - 1) + 1 - number, -1.0) } else { (number, 1.0) };
        let probability = match self.bits() {
            32 => in_middle(number as u32),
            _ => (number >> 11) as f64 * SCALE8 + SCALE8 / 2.0,
        };
        sign * quantile(probability)
    }
}

/// A real in (0, 1) in the middle of those that begin with a word.
pub(super) fn in_middle(word: u32) -> f64 {
    f64::from(word) * SCALE + SCALE / 2.0
}

/// The value below which a normal number is with a probability of at most one half (M. J. Wichura, "The percentage points of the normal
/// distribution", Applied Statistics 37, 1988, algorithm AS 241).
fn quantile(probability: f64) -> f64 {
    const MIDDLE: [[f64; 8]; 2] = [
        [
            3.387_132_872_796_366_6,
            133.141_667_891_784_38,
            1_971.590_950_306_551_3,
            13_731.693_765_509_46,
            45_921.953_931_549_87,
            67_265.770_927_008_7,
            33_430.575_583_588_13,
            2_509.080_928_730_122_7,
        ],
        [
            1.0,
            42.313_330_701_600_91,
            687.187_007_492_057_9,
            5_394.196_021_424_751,
            21_213.794_301_586_597,
            39_307.895_800_092_71,
            28_729.085_735_721_943,
            5_226.495_278_852_545,
        ],
    ];
    const TAIL: [[f64; 8]; 2] = [
        [
            1.423_437_110_749_683_5,
            4.630_337_846_156_546,
            5.769_497_221_460_691,
            3.647_848_324_763_204_5,
            1.270_458_252_452_368_4,
            0.241_780_725_177_450_6,
            0.022_723_844_989_269_184,
            7.745_450_142_783_414e-4,
        ],
        [
            1.0,
            2.053_191_626_637_759,
            1.676_384_830_183_803_8,
            0.689_767_334_985_1,
            0.148_103_976_427_480_08,
            0.015_198_666_563_616_457,
            5.475_938_084_995_345e-4,
            1.050_750_071_644_416_9e-9,
        ],
    ];
    const FAR_TAIL: [[f64; 8]; 2] = [
        [
            6.657_904_643_501_104,
            5.463_784_911_164_114,
            1.784_826_539_917_291_3,
            0.296_560_571_828_504_87,
            0.026_532_189_526_576_124,
            0.001_242_660_947_388_078_4,
            2.711_555_568_743_487_6e-5,
            2.010_334_399_292_288_1e-7,
        ],
        [
            1.0,
            0.599_832_206_555_888,
            0.136_929_880_922_735_8,
            0.014_875_361_290_850_615,
            7.868_691_311_456_133e-4,
            1.846_318_317_510_054_8e-5,
            1.421_511_758_316_446e-7,
            2.044_263_103_389_939_8e-15,
        ],
    ];
    let polynomial = |coefficients: &[f64; 8], x: f64| coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
    let ratio = |of: &[[f64; 8]; 2], x: f64| polynomial(&of[0], x) / polynomial(&of[1], x);
    let from_middle = probability - 0.5;
    if from_middle.abs() <= 0.425 {
        return from_middle * ratio(&MIDDLE, 0.180_625 - from_middle * from_middle);
    }
    let r = (-probability.ln()).sqrt();
    if r <= 5.0 { -ratio(&TAIL, r - 1.6) } else { -ratio(&FAR_TAIL, r - 5.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        // Python, `statistics.NormalDist().inv_cdf`, and scipy, `special.ndtri`.
        for (probability, value) in [
            (0.5, 0.0),
            (0.25, -0.674_489_750_196_081_7),
            (0.025, -1.959_963_984_540_054),
            (1e-10, -6.361_340_902_404_056),
            (1e-20, -9.262_340_089_798_409),
        ] {
            assert!((quantile(probability) - value).abs() <= 4e-15 * f64::abs(value), "{probability}");
        }
    }
}
