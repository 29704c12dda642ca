//! Errors of the Fortran run time, on the host and, where both have them, on the device.

use super::phrase::count;
use super::start;
use crate::{Finding, HostFault};
use diag::Diagnostic;

pub(super) fn word(finding: &Finding, fault: &HostFault) -> Diagnostic {
    let say = |message: String| start(finding, message);
    match fault {
        HostFault::ErrorStop { message: Some(message) } => say(format!("error stop: {message}")),
        HostFault::ErrorStop { message: None } => say("error stop".to_owned()),
        HostFault::Io { unit, reason } => say(format!("{}{reason}", on_unit(*unit))),
        HostFault::EndOfFile { unit } => {
            say(format!("{}end of file", on_unit(*unit))).help("catch it with `iostat=` or `end=`")
        }
        HostFault::FormatMismatch { reason } => say(format!("format and data do not match: {reason}")),
        HostFault::BadInput { text, wanted } => say(format!("`{text}` cannot be read as {wanted}")),
        HostFault::AlreadyAllocated { name } => say(format!("`{name}` is already allocated"))
            .help(format!("deallocate it first, or ask `allocated({name})`")),
        HostFault::AllocationTooLarge { name, bytes } => {
            // A size that cannot be counted is the largest number.
            let or_more = if *bytes >= i64::MAX as u64 { " or more" } else { "" };
            say(format!("no memory for {}{or_more} of `{name}`", count(*bytes, "byte")))
        }
        HostFault::NotAllocated { name } => say(format!("`{name}` cannot be deallocated: it is not allocated")),
        HostFault::NotFromAllocate { name } => {
            say(format!("`{name}` cannot be deallocated: its target was not made by `allocate`"))
        }
        HostFault::NotAllocatedUse { name } => {
            say(format!("`{name}` is used but not allocated")).help("allocate it before this statement")
        }
        HostFault::NullPointer { name } => say(format!("`{name}` is used but not associated"))
            .help(format!("associate it, or ask `associated({name})`")),
        HostFault::StackOverflow { depth } => say(format!("calls are nested {depth} deep, which is the limit"))
            .help("check that the recursion ends, and make large automatic arrays allocatable"),
        HostFault::DivisionByZero => say("integer division by zero".to_owned()),
        HostFault::Substring { name, place, length } => say(format!(
            "a substring of `{name}` takes character {place}, and there are {}",
            count((*length).max(0) as u64, "character")
        )),
        HostFault::NonconformingShapes { dimension, left, right } => {
            say(format!("shapes do not conform: {left} and {right} elements in dimension {dimension}"))
        }
        HostFault::DifferentLengths { parameter, wanted, given } => {
            say(format!("type parameter `{parameter}` is {given} and must be {wanted}"))
        }
        HostFault::IeeeException { flag } => say(format!("exception `{flag}`, for which halting is on"))
            .help(format!("turn halting off with `call ieee_set_halting_mode({flag}, .false.)` and ask for the flag")),
        HostFault::ZeroStep => say("the step is zero".to_owned()).help("a step must be at least 1, or at most -1"),
        HostFault::MemoryLimit { limit } => say(format!("the memory limit of {} is reached", count(*limit, "byte"))),
        HostFault::IntrinsicValue { intrinsic, reason } => say(format!("`{intrinsic}`: {reason}")),
        HostFault::AbsentArgument { name } => say(format!("argument `{name}` is used, and the call does not give it"))
            .help(format!("give it in the call, or, if it is optional, use it only under `if (present({name}))`")),
        HostFault::NoSuchProcedure { name } => say(format!("`{name}` is called, but no given file defines it")),
        HostFault::Foreign { name, reason } => {
            let said = say(format!("call of library procedure `{name}`: {reason}"));
            match reason.as_str() {
                reason if reason.starts_with("it has crashed: an access to device memory") => {
                    said.help("pass a copy of the array in host memory, or call a procedure that launches kernels")
                }
                reason if reason.starts_with("it has crashed") => said.help(
                    "compare the interface with the declaration in C: `value`, kinds and order of the arguments, and lengths of arrays",
                ),
                _ => said,
            }
        }
        HostFault::InvalidAccess => say("access to an address that holds no data of the program".to_owned())
            .help("check that the pointer was associated, and that its target still exists"),
    }
}

fn on_unit(unit: Option<i64>) -> String {
    unit.map_or_else(String::new, |unit| format!("unit {unit}: "))
}
