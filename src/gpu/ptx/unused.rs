//! What the text of a body does not need: registers and labels that nobody names, and extensions whose uses have all become
//! products of 32-bit numbers ([`super::extended`]).
//!
//! The code itself stays as it is: ptxas removes what has no effect.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The letters of register names, with the type of each.
pub(super) const CLASSES: [(char, &str); 6] =
    [('p', "pred"), ('r', "b32"), ('d', "b64"), ('q', "pred"), ('t', "b32"), ('u', "b64")];

/// A body without what it does not need.
pub(super) struct Used {
    /// The lines, with registers numbered in the order in which they are first named.
    pub(super) text: String,
    /// How many registers of each of [`CLASSES`] there are.
    pub(super) counts: [u32; CLASSES.len()],
}

/// Looks through the lines of a body.
pub(super) fn used(text: &str) -> Used {
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for (_, register) in registers(text) {
        *times.entry(register).or_default() += 1;
    }
    let targets: BTreeSet<&str> =
        text.lines().filter_map(|line| line.split_once("bra ")).map(|(_, to)| to.trim_end_matches(';')).collect();
    let is_used = |line: &&str| {
        if let Some(label) = line.strip_suffix(':') {
            return !label.starts_with("BB") || targets.contains(label);
        }
        let extended = line.strip_prefix("\tcvt.s64.s32 ").and_then(|operands| operands.split(',').next());
        extended.is_none_or(|register| times.get(register).copied() != Some(1))
    };
    let mut out = Used { text: String::with_capacity(text.len()), counts: [0; CLASSES.len()] };
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    for line in text.lines().filter(is_used) {
        let mut rest = 0;
        for (at, register) in registers(line) {
            let class = CLASSES.iter().position(|(letter, _)| register[1..].starts_with(*letter)).unwrap_or_default();
            let number = *numbers.entry(register).or_insert_with(|| {
                out.counts[class] += 1;
                out.counts[class] - 1
            });
            let _ = write!(out.text, "{}%{}{number}", &line[rest..at], CLASSES[class].0);
            rest = at + register.len();
        }
        out.text.push_str(&line[rest..]);
        out.text.push('\n');
    }
    out
}

/// The registers that a text names, and where.
fn registers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('%').filter_map(|(at, _)| {
        let name = &text[at + 1..];
        let letter = name.chars().next().filter(|c| CLASSES.iter().any(|(letter, _)| letter == c))?;
        let digits = name[letter.len_utf8()..].bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then(|| (at, &text[at..at + 2 + digits]))
    })
}

#[cfg(test)]
mod tests {
    use super::used;

    #[test]
    fn registers_are_numbered_as_they_come_and_extensions_without_a_use_go() {
        let text = "BB0:\n\tmov.u32 %r7, %tid.x;\n\tcvt.s64.s32 %d9, %r7;\n\tcvt.s64.s32 %d8, %r7;\n\t@%p3 bra BB2;\nBB1:\n\tadd.s64 %d5, %d8, %u4;\nBB2:\n\tbra $L_1;\n$L_1:\n\tret;\n";
        let found = used(text);
        assert_eq!(
            found.text,
            "\tmov.u32 %r0, %tid.x;\n\tcvt.s64.s32 %d0, %r0;\n\t@%p0 bra BB2;\n\tadd.s64 %d1, %d0, %u0;\nBB2:\n\tbra $L_1;\n$L_1:\n\tret;\n"
        );
        assert_eq!(found.counts, [1, 1, 2, 0, 0, 1]);
    }
}
