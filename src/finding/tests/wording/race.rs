//! Races.

use super::{access, at, at_nth, check, launch, on_device, thread};
use expect_test::expect;
use finding::{Access, Actor, Call, Finding, FindingKind, Place, RaceFlavour, RaceKind, Scope, Space, What};

fn race(between: RaceKind, flavour: RaceFlavour, first: Access, second: Access) -> Finding {
    on_device(FindingKind::Race { between, flavour, is_in_loop: false }, vec![first, second]).with_seed(0)
}

fn plain(between: RaceKind, first: Access, second: Access) -> Finding {
    race(between, RaceFlavour::Plain, first, second)
}

fn shared(x: u32, what: What, text: &str) -> Access {
    access(thread(1, x), what, Space::Shared, ("s", 17), text)
}

fn total(block: u32, what: What, text: &str) -> Access {
    let mut access = access(thread(block, 1), what, Space::Global, ("total", 1), text);
    access.place = Some(Place::variable("total"));
    access
}

#[test]
fn shared_race_shows_both_ends() {
    let mut finding = plain(RaceKind::Block, shared(49, What::Write, "s(t) = x(i)"), shared(1, What::Read, "s(t+16)"));
    finding.count = 97;
    check(
        &finding,
        &expect![[r#"
        error[R0101]: data race on shared `s(17)` between two threads of block (1,1,1)
         --> reduce.cuf:6:19
          |
        4 |   s(t) = x(i)
          |   ----------- (1) thread (49,1,1) wrote it here
        5 |   if (t <= 16) then
        6 |     s(t) = s(t) + s(t+16)
          |                   ^^^^^^^ (2) thread (1,1,1) reads it here, no barrier in between
          |
          = help: put `call syncthreads()` between the two
          = note: launch 1 of `reduce`, 96 more like this; replay with --schedule seed:0
    "#]],
    );
}

#[test]
fn global_race_of_one_statement_names_both_threads_at_one_label() {
    let first = access(thread(1, 2), What::Read, Space::Global, ("x", 2), "x(i)");
    let second = access(thread(1, 40), What::Write, Space::Global, ("x", 2), "x(i)");
    check(
        &plain(RaceKind::Block, first, second),
        &expect![[r#"
        error[R0102]: data race on global `x(2)` between two threads of block (1,1,1)
         --> reduce.cuf:4:10
          |
        4 |   s(t) = x(i)
          |          ^^^^ (1) thread (2,1,1) read it and (2) thread (40,1,1) writes it here, no barrier in between
          |
          = help: read into a local variable, `call syncthreads()`, then write; or use an atomic if the threads update it together
          = note: launch 1 of `reduce`; replay with --schedule seed:0
    "#]],
    );
    let first = access(thread(1, 2), What::Write, Space::Global, ("x", 2), "x(i)");
    let second = access(thread(1, 40), What::Write, Space::Global, ("x", 2), "x(i)");
    check(
        &plain(RaceKind::Block, first, second),
        &expect![[r#"
        error[R0102]: data race on global `x(2)` between two threads of block (1,1,1)
         --> reduce.cuf:4:10
          |
        4 |   s(t) = x(i)
          |          ^^^^ (1) thread (2,1,1) and (2) thread (40,1,1) both write it here, no barrier in between
          |
          = help: give each thread its own element, let one thread write it, or use an atomic such as `atomicadd`
          = note: launch 1 of `reduce`; replay with --schedule seed:0
    "#]],
    );
}

#[test]
fn race_within_a_warp_names_lanes_and_suggests_syncwarp() {
    let first = shared(17, What::Write, "s(t) = x(i)").value("2.500000");
    let second = shared(1, What::Read, "s(t+16)").value("0.000000");
    check(
        &plain(RaceKind::WithinWarp, first, second),
        &expect![[r#"
            error[R0103]: data race on shared `s(17)` between two lanes of one warp of block (1,1,1)
             --> reduce.cuf:6:19
              |
            4 |   s(t) = x(i)
              |   ----------- (1) lane 16, thread (17,1,1), wrote it here (value 2.500000)
            5 |   if (t <= 16) then
            6 |     s(t) = s(t) + s(t+16)
              |                   ^^^^^^^ (2) lane 0, thread (1,1,1), reads it here (value 0.000000), no `syncwarp` of both lanes in between
              |
              = help: put `call syncwarp()` between the two
              = note: launch 1 of `reduce`; replay with --schedule seed:0
        "#]],
    );
}

#[test]
fn race_across_blocks_says_that_syncthreads_does_not_reach() {
    let finding = plain(
        RaceKind::CrossBlock,
        total(1, What::Write, "total = total + s(1)"),
        total(3, What::Read, "total + s(1)"),
    );
    check(
        &finding,
        &expect![[r#"
        error[R0104]: data race on global `total` between threads of two blocks
          --> reduce.cuf:11:11
           |
        11 |   total = total + s(1)
           |   --------^^^^^^^^^^^^
           |   |       |
           |   |       (2) thread (1,1,1) of block (3,1,1) reads it here, nothing orders the two
           |   (1) thread (1,1,1) of block (1,1,1) wrote it here
           |
           = help: use an atomic such as `atomicadd`, give each block its own elements, or split the kernel into two launches; `syncthreads` does not reach other blocks
           = note: launch 1 of `reduce`; replay with --schedule seed:0
    "#]],
    );
}

#[test]
fn race_in_a_cluster_names_the_barrier_of_the_cluster() {
    let first = access(thread(1, 1), What::Write, Space::Shared, ("s", 1), "s(t) = x(i)");
    let second = access(thread(2, 1), What::Read, Space::Shared, ("s", 1), "total + s(1)");
    check(
        &plain(RaceKind::CrossBlock, first, second),
        &expect![[r#"
        error[R0104]: data race on shared `s(1)` between threads of two blocks
          --> reduce.cuf:11:11
           |
         4 |   s(t) = x(i)
           |   ----------- (1) thread (1,1,1) of block (1,1,1) wrote it here
        ...
        11 |   total = total + s(1)
           |           ^^^^^^^^^^^^ (2) thread (1,1,1) of block (2,1,1) reads it here, nothing orders the two
           |
           = help: put `call syncthreads(cluster)` between the two
           = note: launch 1 of `reduce`; replay with --schedule seed:0
    "#]],
    );
}

#[test]
fn race_between_streams_names_launches_and_copies() {
    let first = access(thread(1, 1), What::Write, Space::Global, ("x", 1), "s(t) = x(i)").launch(launch(4, 1));
    let copy = Actor::Copy { call: "cudaMemcpyAsync".to_owned(), stream: 2 };
    let second = access(copy, What::Read, Space::Global, ("x", 1), "cudaMemcpyAsync(a, x, n, stream)");
    let mut finding = plain(RaceKind::Streams, first, second);
    finding.launch = None;
    check(
        &finding,
        &expect![[r#"
        error[R0105]: data race on global `x(1)` between two streams
          --> reduce.cuf:19:11
           |
         4 |   s(t) = x(i)
           |   ----------- (1) `reduce`, launch 4 on stream 1, wrote it here
        ...
        19 |   istat = cudaMemcpyAsync(a, x, n, stream)
           |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ (2) `cudaMemcpyAsync` on stream 2 reads it here, no event or synchronisation in between
           |
           = help: let the second wait for the first with `cudaEventRecord` and `cudaStreamWaitEvent`, or use one stream
           = note: replay with --schedule seed:0
    "#]],
    );
}

#[test]
fn race_of_the_host_with_a_kernel_asks_for_synchronisation() {
    let first = access(thread(1, 1), What::Write, Space::Managed, ("r", 1), "s(t) = x(i)");
    let second = access(Actor::Host, What::Read, Space::Managed, ("r", 1), "r(1)");
    check(
        &plain(RaceKind::HostDevice, first.clone(), second.clone()),
        &expect![[r#"
        error[R0106]: data race on managed `r(1)` between host and device
          --> reduce.cuf:20:12
           |
         4 |   s(t) = x(i)
           |   ----------- (1) `reduce`, launch 1 on the default stream, wrote it here
        ...
        20 |   print *, r(1)
           |            ^^^^ (2) the host reads it here, without waiting for the device
           |
           = help: call `cudaDeviceSynchronize()` before the host touches it
           = note: launch 1 of `reduce`; replay with --schedule seed:0
    "#]],
    );
    check(
        &plain(RaceKind::HostDevice, second, first),
        &expect![[r#"
            error[R0106]: data race on managed `r(1)` between host and device
              --> reduce.cuf:4:3
               |
             4 |   s(t) = x(i)
               |   ^^^^^^^^^^^ (2) `reduce`, launch 1 on the default stream, writes it here, in work that the host has not waited for
            ...
            20 |   print *, r(1)
               |            ---- (1) the host read it here
               |
               = help: call `cudaDeviceSynchronize()` before the host touches it
               = note: launch 1 of `reduce`; replay with --schedule seed:0
        "#]],
    );
}

#[test]
fn scope_too_narrow_names_the_fence_to_use() {
    let between = RaceKind::Scope { used: Scope::Block, needed: Scope::Device };
    let finding = plain(between, total(1, What::Write, "total = total + s(1)"), total(2, What::Read, "total + s(1)"));
    check(
        &finding,
        &expect![[r#"
            error[R0107]: data race on global `total` between threads of two blocks, since the fence or atomic has only block scope
              --> reduce.cuf:11:11
               |
            11 |   total = total + s(1)
               |   --------^^^^^^^^^^^^
               |   |       |
               |   |       (2) thread (1,1,1) of block (2,1,1) reads it here
               |   (1) thread (1,1,1) of block (1,1,1) wrote it here
               |
               = help: use `threadfence()` and atomics of device scope
               = note: launch 1 of `reduce`; replay with --schedule seed:0
        "#]],
    );
}

#[test]
fn mixed_atomic_and_same_value_are_warnings() {
    let first = total(1, What::Atomic, "total = total + s(1)");
    let second = total(2, What::Read, "total + s(1)");
    check(
        &race(RaceKind::CrossBlock, RaceFlavour::MixedAtomic { is_plain_write: false }, first, second),
        &expect![[r#"
        warning[R0108]: atomic update and plain read of global `total` between threads of two blocks
          --> reduce.cuf:11:11
           |
        11 |   total = total + s(1)
           |   --------^^^^^^^^^^^^
           |   |       |
           |   |       (2) thread (1,1,1) of block (2,1,1) reads it here, nothing orders the two
           |   (1) thread (1,1,1) of block (1,1,1) atomically updated it here
           |
           = help: make both atomic, or let them run in different launches
           = note: an atomic protects only against other atomics
           = note: launch 1 of `reduce`; replay with --schedule seed:0
    "#]],
    );
    let first = shared(33, What::Write, "s(t) = x(i)").value("1");
    let second = shared(1, What::Write, "s(t) = x(i)").value("1");
    check(
        &race(RaceKind::Block, RaceFlavour::SameValue, first, second),
        &expect![[r#"
        warning[R0109]: shared `s(17)` is written with the same value by several threads of block (1,1,1)
         --> reduce.cuf:4:3
          |
        4 |   s(t) = x(i)
          |   ^^^^^^^^^^^ (1) thread (33,1,1) and (2) thread (1,1,1) both write it here, no barrier in between
          |
          = help: let one thread write it
          = note: GPUs store the intended value, but no standard guarantees it
          = note: launch 1 of `reduce`; replay with --schedule seed:0
    "#]],
    );
}

#[test]
fn call_stacks_of_both_ends_are_told_apart() {
    let stack = |text| vec![Call { procedure: "iadd".to_owned(), called_at: at(text) }];
    let first = shared(33, What::Write, "s(t) = x(i)").stack(stack("iadd(k, 1)"));
    let mut second = shared(1, What::Write, "s(t)").stack(stack("call syncthreads()"));
    second.span = at_nth("s(t)", 1);
    second.place = None;
    check(
        &plain(RaceKind::Block, first, second),
        &expect![[r#"
        error[R0101]: data race on shared memory at 0x1000 between two threads of block (1,1,1)
         --> reduce.cuf:6:5
          |
        4 |   s(t) = x(i)
          |   ----------- (1) thread (33,1,1) wrote it here
        5 |   if (t <= 16) then
        6 |     s(t) = s(t) + s(t+16)
          |     ^^^^ (2) thread (1,1,1) writes it here, no barrier in between
          |
          = note: (1) in `iadd`, called at reduce.cuf:12:7
          = note: (2) in `iadd`, called at reduce.cuf:7:5
          = help: put `call syncthreads()` between the two
          = note: launch 1 of `reduce`; replay with --schedule seed:0
    "#]],
    );
}

#[test]
fn incomplete_check_is_told() {
    let kind = FindingKind::RaceCheckIncomplete {
        reason: "a block ran for more than 134217727 steps".to_owned(),
        is_undecided: false,
    };
    check(
        &on_device(kind, vec![]),
        &expect![[r#"
            warning[R0111]: race check incomplete: a block ran for more than 134217727 steps
             |
             = note: races may have been missed
             = note: launch 1 of `reduce`
        "#]],
    );
}
