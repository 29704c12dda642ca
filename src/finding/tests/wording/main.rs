//! Goldens of the wording of every kind of finding, and of the collector.
//!
//! Read them as someone who meets the report for the first time: it must say what is wrong, where, and what to do.

// The goldens are rewritten by `UPDATE_EXPECT=1 cargo test`, which always writes these hashes.
#![allow(clippy::needless_raw_string_hashes)]

mod api;
mod collect;
mod fortran;
mod memory;
mod race;
mod sync;

use diag::{Style, full};
use expect_test::Expect;
use finding::{Access, Actor, Allocation, Finding, FindingKind, LaunchInfo, Place, Space, ThreadId, What};
use source::{FileId, SourceMap, Span};

const PROGRAM: &str = "\
attributes(global) subroutine reduce(x, r, n)
  real, shared :: s(64)
  t = threadidx%x
  s(t) = x(i)
  if (t <= 16) then
    s(t) = s(t) + s(t+16)
    call syncthreads()
  else
    call syncthreads()
  end if
  total = total + s(1)
  k = iadd(k, 1)
end subroutine
program main
  real, device, allocatable :: x(:), y(:)
  allocate(x(100))
  call reduce<<<grid, block>>>(x, r, n)
  deallocate(x)
  istat = cudaMemcpyAsync(a, x, n, stream)
  print *, r(1)
end program
";

fn map() -> SourceMap {
    let mut map = SourceMap::new();
    map.add("reduce.cuf", PROGRAM);
    map
}

/// The first place of `text` in the program.
fn at(text: &str) -> Span {
    at_nth(text, 0)
}

fn at_nth(text: &str, n: usize) -> Span {
    let start = PROGRAM.match_indices(text).nth(n).expect("the text").0;
    Span::new(FileId(0), start as u32, (start + text.len()) as u32)
}

fn thread(block: u32, x: u32) -> Actor {
    Actor::Thread(ThreadId { block: [block, 1, 1], thread: [x, 1, 1], warp: (x - 1) / 32, lane: (x - 1) % 32 })
}

fn launch(number: u64, stream: u64) -> LaunchInfo {
    LaunchInfo { number, kernel: "reduce".to_owned(), stream, by: None }
}

fn access(actor: Actor, what: What, space: Space, element: (&str, i64), text: &str) -> Access {
    Access::new(actor, what, space, at(text)).at(Place::element(element.0, [element.1])).address(0x1000, 4)
}

/// An access by thread (5,1,1) of block (2,1,1) to global `x(101)`.
fn global(what: What, text: &str) -> Access {
    access(thread(2, 5), what, Space::Global, ("x", 101), text)
}

fn array_x() -> Allocation {
    Allocation { name: Some("x".to_owned()), base: 0xe00, bytes: 400, span: at("x(100)") }
}

/// A finding of the device, in launch 1.
fn on_device(kind: FindingKind, accesses: Vec<Access>) -> Finding {
    Finding::new(kind, accesses).in_launch(launch(1, 0))
}

fn check(finding: &Finding, expected: &Expect) {
    expected.assert_eq(&full(&finding.diagnostic(), &map(), Style::PLAIN));
}
