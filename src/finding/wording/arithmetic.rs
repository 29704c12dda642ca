//! Values that went wrong: NaN, infinity, overflow, and runs that disagree.

use super::phrase::count;
use super::{start, subject};
use crate::{Finding, FindingKind};
use diag::Diagnostic;

pub(super) fn word(finding: &Finding) -> Diagnostic {
    match &finding.kind {
        FindingKind::Nan { operation } => {
            start(finding, format!("`{operation}` made a NaN of operands that were none"))
        }
        FindingKind::Infinity { operation } => {
            start(finding, format!("`{operation}` made an infinity of finite operands"))
        }
        FindingKind::IntegerOverflow { operation, kind } => {
            start(finding, format!("the result of `{operation}` does not fit {kind} and wraps around"))
                .help("compute in integer(8)")
        }
        FindingKind::DeviceDivisionByZero => start(finding, "integer division by zero")
            .note("a device does not stop here: the quotient is -1, `mod(a, 0)` is `a`"),
        FindingKind::ConversionOutOfRange { to } => {
            start(finding, format!("a real value that does not fit {to} is converted to it"))
                .note("a device gives the nearest limit, or zero for some NaNs")
        }
        FindingKind::VerifyMismatch { emulator, gpu, elements } => {
            let message =
                format!("{} is {emulator} on the emulator and {gpu} on the GPU", subject(finding, "the result"));
            let d = start(finding, message);
            let d = if *elements > 1 {
                d.note(format!("{} differ in this launch, this is the first", count(*elements, "element")))
            } else {
                d
            };
            d.help("`--race` and `--check init` find the usual reasons: races and uninitialised memory")
        }
        FindingKind::OrderDependent { first, second } => {
            let message = format!("{} depends on the order of execution", subject(finding, "the result"));
            start(finding, message)
                .note(format!("it is {} with seed {}, and {} with seed {}", first.1, first.0, second.1, second.0))
        }
        // The other kinds have their own files.
        _ => start(finding, finding.code().title()),
    }
}
