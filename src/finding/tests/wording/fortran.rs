//! Errors of the Fortran run time; one line each is enough, since they all look alike.

use super::{at, check, map, on_device, thread};
use diag::short;
use expect_test::expect;
use finding::{Access, Actor, Finding, FindingKind, HostFault};

fn host(fault: HostFault) -> Finding {
    Finding::new(FindingKind::Host(fault), vec![Access::step(Actor::Host, at("print *, r(1)"))])
}

#[test]
fn host_error_shows_the_statement_and_a_help() {
    check(
        &host(HostFault::AlreadyAllocated { name: "x".to_owned() }),
        &expect![[r#"
        error[R0804]: `x` is already allocated
          --> reduce.cuf:20:3
           |
        20 |   print *, r(1)
           |   ^^^^^^^^^^^^^
           |
           = help: deallocate it first, or ask `allocated(x)`
    "#]],
    );
    check(
        &host(HostFault::EndOfFile { unit: Some(10) }),
        &expect![[r#"
        error[R0810]: unit 10: end of file
          --> reduce.cuf:20:3
           |
        20 |   print *, r(1)
           |   ^^^^^^^^^^^^^
           |
           = help: catch it with `iostat=` or `end=`
    "#]],
    );
    let in_kernel = vec![Access::step(thread(1, 2), at("total + s(1)"))];
    let fault = FindingKind::Host(HostFault::ErrorStop { message: Some("no convergence".to_owned()) });
    check(
        &on_device(fault, in_kernel),
        &expect![[r#"
            error[R0801]: error stop: no convergence
              --> reduce.cuf:11:11
               |
            11 |   total = total + s(1)
               |           ^^^^^^^^^^^^ in thread (2,1,1) of block (1,1,1)
               |
               = note: launch 1 of `reduce`
        "#]],
    );
}

#[test]
fn every_host_error_has_its_sentence() {
    let name = || "x".to_owned();
    let faults = [
        HostFault::ErrorStop { message: None },
        HostFault::Io { unit: Some(10), reason: "`data.txt` cannot be opened: no such file".to_owned() },
        HostFault::Io { unit: None, reason: "the internal file is full".to_owned() },
        HostFault::EndOfFile { unit: None },
        HostFault::FormatMismatch { reason: "`i5` meets a real(4) value".to_owned() },
        HostFault::BadInput { text: "1,2x".to_owned(), wanted: "integer(4)".to_owned() },
        HostFault::AllocationTooLarge { name: name(), bytes: 1 << 50 },
        HostFault::NotAllocated { name: name() },
        HostFault::NotFromAllocate { name: name() },
        HostFault::NotAllocatedUse { name: name() },
        HostFault::NullPointer { name: name() },
        HostFault::StackOverflow { depth: 100_000 },
        HostFault::DivisionByZero,
        HostFault::Substring { name: name(), place: 12, length: 10 },
        HostFault::NonconformingShapes { dimension: 1, left: 10, right: 12 },
        HostFault::DifferentLengths { parameter: name(), wanted: 3, given: 4 },
        HostFault::IeeeException { flag: "ieee_overflow".to_owned() },
        HostFault::ZeroStep,
        HostFault::MemoryLimit { limit: 1 << 30 },
        HostFault::IntrinsicValue { intrinsic: "repeat".to_owned(), reason: "the count is -1".to_owned() },
        HostFault::AbsentArgument { name: name() },
        HostFault::NoSuchProcedure { name: name() },
        HostFault::Foreign { name: name(), reason: "no library has it".to_owned() },
        HostFault::InvalidAccess,
    ];
    let map = map();
    let lines: String = faults.into_iter().map(|f| short(&host(f).diagnostic(), &map)).collect();
    expect![[r#"
        reduce.cuf:20:3: error[R0801]: error stop
        reduce.cuf:20:3: error[R0802]: unit 10: `data.txt` cannot be opened: no such file
        reduce.cuf:20:3: error[R0802]: the internal file is full
        reduce.cuf:20:3: error[R0810]: end of file
        reduce.cuf:20:3: error[R0811]: format and data do not match: `i5` meets a real(4) value
        reduce.cuf:20:3: error[R0812]: `1,2x` cannot be read as integer(4)
        reduce.cuf:20:3: error[R0804]: no memory for 1125899906842624 bytes of `x`
        reduce.cuf:20:3: error[R0805]: `x` cannot be deallocated: it is not allocated
        reduce.cuf:20:3: error[R0805]: `x` cannot be deallocated: its target was not made by `allocate`
        reduce.cuf:20:3: error[R0806]: `x` is used but not allocated
        reduce.cuf:20:3: error[R0807]: `x` is used but not associated
        reduce.cuf:20:3: error[R0808]: calls are nested 100000 deep, which is the limit
        reduce.cuf:20:3: error[R0809]: integer division by zero
        reduce.cuf:20:3: error[R0813]: a substring of `x` takes character 12, and there are 10 characters
        reduce.cuf:20:3: error[R0814]: shapes do not conform: 10 and 12 elements in dimension 1
        reduce.cuf:20:3: error[R0822]: type parameter `x` is 4 and must be 3
        reduce.cuf:20:3: error[R0823]: exception `ieee_overflow`, for which halting is on
        reduce.cuf:20:3: error[R0815]: the step is zero
        reduce.cuf:20:3: error[R0816]: the memory limit of 1073741824 bytes is reached
        reduce.cuf:20:3: error[R0817]: `repeat`: the count is -1
        reduce.cuf:20:3: error[R0818]: argument `x` is used, and the call does not give it
        reduce.cuf:20:3: error[R0819]: `x` is called, but no given file defines it
        reduce.cuf:20:3: error[R0821]: call of library procedure `x`: no library has it
        reduce.cuf:20:3: error[R0820]: access to an address that holds no data of the program
    "#]]
    .assert_eq(&lines);
}
