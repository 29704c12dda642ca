//! Wrong values: NaN, infinity, overflow, and runs whose results differ.

use super::phrase::{count, who};
use super::{start, subject};
use crate::{Access, Finding, FindingKind};
use diag::Diagnostic;

pub(super) fn word(finding: &Finding) -> Diagnostic {
    match &finding.kind {
        FindingKind::Nan { operation, operands } => {
            start(finding, format!("`{}` is a NaN, and no operand is a NaN", applied(operation, operands)))
        }
        FindingKind::Infinity { operation, operands } => {
            start(finding, format!("`{}` is an infinity, and all operands are finite", applied(operation, operands)))
        }
        FindingKind::DeviceDivisionByZero => start(finding, "integer division by zero")
            .note("a GPU does not stop here: the quotient is -1, `mod(a, 0)` is `a`"),
        FindingKind::ConversionOutOfRange { to, value } => {
            start(finding, format!("{value} is converted to {to}, which cannot hold it"))
                .note("a device gives the nearest limit, or zero for some NaNs")
        }
        FindingKind::VerifyMismatch { emulator, gpu, elements } => {
            let message =
                format!("{} is {emulator} on the emulator and {gpu} on the GPU", subject(finding, "the result"));
            let steps = finding.accesses.split_last().map_or(&[][..], |(_, steps)| steps);
            let d = steps.iter().enumerate().fold(start(finding, message), |d, (i, step)| {
                let Access { actor, span, value, .. } = step;
                let who = who(actor);
                let text = match value {
                    Some(value) if i == 0 => format!("{who} gets {value} here, its first value that differs"),
                    Some(value) => format!("{who} loads {value} here"),
                    None => format!("{who} writes it here"),
                };
                d.secondary(*span, text)
            });
            let d = if *elements > 1 {
                d.note(format!("{} differ in this launch, this is the first", count(*elements, "element")))
            } else {
                d
            };
            d.help("`--race` and `--check init` find the usual causes: races and uninitialised memory")
                .note("results that depend on the order of atomics or on a clock may differ without being wrong")
        }
        FindingKind::VerifyRoutine { routine, emulator, gpu, bound, elements } => {
            let what = subject(finding, "the result");
            let d = start(
                finding,
                format!("`{routine}`: {what} is {emulator} on the emulator and {gpu} of NVIDIA's library"),
            );
            let d = if bound.is_empty() { d } else { d.note(format!("the difference is {bound}")) };
            let d = match elements {
                0 | 1 => d,
                n => d.note(format!("{} differ so, this is the first", count(*n, "element"))),
            };
            d.help("where the problem is ill-conditioned, rounding grows beyond the bound: look at the condition of the matrix")
        }
        // The other kinds have their own files.
        _ => start(finding, finding.code().title()),
    }
}

/// An operation with its operands, as the source would write it.
fn applied(operation: &str, operands: &[String]) -> String {
    let closed = |text: &String| if text.starts_with('-') { format!("({text})") } else { text.clone() };
    match operands {
        [] => operation.to_owned(),
        [a, b, c] if operation == "fma" => format!("{a}*{} + {}", closed(b), closed(c)),
        [a, b] if operation == "pow" => format!("{}**{}", closed(a), closed(b)),
        [a, b] if operation.starts_with(|c: char| !c.is_alphabetic()) => format!("{a} {operation} {}", closed(b)),
        _ => format!("{operation}({})", operands.join(", ")),
    }
}
