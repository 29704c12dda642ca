//! Barriers, warp operations, deadlock.

use super::{access, at, at_nth, check, on_device, thread};
use expect_test::expect;
use finding::{Access, Actor, BarrierFault, FindingKind, GridSyncFault, Space, Waiting, What};
use source::Span;

fn group(count: u64, first: u32, span: Span, operation: &str) -> Waiting {
    Waiting { count, first: thread(1, first), span, operation: operation.to_owned() }
}

#[test]
fn divergent_barrier_shows_who_waits_where() {
    let groups = vec![
        group(16, 1, at("call syncthreads()"), "syncthreads"),
        group(48, 17, at_nth("call syncthreads()", 1), "syncthreads"),
    ];
    let kind = FindingKind::Barrier { block: [1, 1, 1], fault: BarrierFault::Divergent, groups };
    check(
        &on_device(kind, vec![]),
        &expect![[r#"
            error[R0401]: threads of block (1,1,1) wait at different `syncthreads` statements
             --> reduce.cuf:7:5
              |
            7 |     call syncthreads()
              |     ^^^^^^^^^^^^^^^^^^ 16 threads wait here, the first is thread (1,1,1)
            8 |   else
            9 |     call syncthreads()
              |     ------------------ 48 threads wait here, the first is thread (17,1,1)
              |
              = help: move `call syncthreads()` out of the `if`, so that all threads of the block meet at one
              = note: launch 1 of `reduce`
        "#]],
    );
}

#[test]
fn barrier_through_different_calls_is_told_apart() {
    let span = at("call syncthreads()");
    let groups = vec![group(16, 1, span, "syncthreads"), group(1, 17, span, "syncthreads")];
    let kind = FindingKind::Barrier { block: [1, 1, 1], fault: BarrierFault::Divergent, groups };
    check(
        &on_device(kind, vec![]),
        &expect![[r#"
            error[R0401]: threads of block (1,1,1) reach one `syncthreads` through different calls
             --> reduce.cuf:7:5
              |
            7 |     call syncthreads()
              |     ^^^^^^^^^^^^^^^^^^
              |     |
              |     16 threads wait here, the first is thread (1,1,1)
              |     thread (17,1,1) waits here
              |
              = help: make all threads of the block reach it through the same calls
              = note: launch 1 of `reduce`
        "#]],
    );
}

#[test]
fn barrier_that_some_never_reach_shows_where_they_are() {
    let groups = vec![group(63, 2, at("call syncthreads()"), "syncthreads"), group(1, 1, at("total + s(1)"), "")];
    let kind = FindingKind::Barrier { block: [2, 1, 1], fault: BarrierFault::NotReached, groups };
    check(
        &on_device(kind, vec![]),
        &expect![[r#"
            error[R0402]: `syncthreads` that some threads of block (2,1,1) can never reach
              --> reduce.cuf:7:5
               |
             7 |     call syncthreads()
               |     ^^^^^^^^^^^^^^^^^^ 63 threads wait here, the first is thread (2,1,1)
            ...
            11 |   total = total + s(1)
               |           ------------ thread (1,1,1) is here
               |
               = help: move `call syncthreads()` out of the `if`, so that all threads of the block meet at one
               = note: launch 1 of `reduce`
        "#]],
    );
    let groups = vec![group(60, 5, at("call syncthreads()"), "syncthreads")];
    let kind = FindingKind::Barrier { block: [2, 1, 1], fault: BarrierFault::Exited { count: 4 }, groups };
    check(
        &on_device(kind, vec![]),
        &expect![[r#"
            note[R0402]: `syncthreads` in block (2,1,1), of which 4 threads have already returned
             --> reduce.cuf:7:5
              |
            7 |     call syncthreads()
              |     ^^^^^^^^^^^^^^^^^^ 60 threads wait here, the first is thread (5,1,1)
              |
              = help: skip the work of surplus threads with `if` instead of `return`, so that they reach the barrier
              = note: GPUs count threads that have returned as arrived
              = note: launch 1 of `reduce`
        "#]],
    );
}

#[test]
fn warp_operations_name_the_lanes() {
    let kind = FindingKind::Rendezvous {
        operation: "__shfl_down".to_owned(),
        missing: (16..32).collect(),
        groups: vec![
            group(16, 1, at("s(t+16)"), "__shfl_down"),
            group(16, 17, at("call syncthreads()"), "syncthreads"),
        ],
    };
    check(
        &on_device(kind, vec![]),
        &expect![[r#"
        error[R0403]: lanes 16 to 31 of the warp never reach this `__shfl_down`
         --> reduce.cuf:6:19
          |
        6 |     s(t) = s(t) + s(t+16)
          |                   ^^^^^^^ 16 threads wait here at `__shfl_down`, the first is thread (1,1,1)
        7 |     call syncthreads()
          |     ------------------ 16 threads wait here at `syncthreads`, the first is thread (17,1,1)
          |
          = help: move it out of the `if` or loop that only some lanes enter, so that all lanes of the warp execute it
          = note: launch 1 of `reduce`
    "#]],
    );
    let kind = FindingKind::Rendezvous {
        operation: "vote".to_owned(),
        missing: vec![],
        groups: vec![group(16, 1, at("s(t+16)"), "vote"), group(16, 17, at("s(t+16)"), "vote")],
    };
    check(
        &on_device(kind, vec![]),
        &expect![[r#"
            error[R0403]: lanes of the warp reach one `vote` apart, through different calls or rounds of a loop
             --> reduce.cuf:6:19
              |
            6 |     s(t) = s(t) + s(t+16)
              |                   ^^^^^^^
              |                   |
              |                   16 threads wait here, the first is thread (1,1,1)
              |                   16 threads wait here, the first is thread (17,1,1)
              |
              = help: make all lanes of the warp reach it together, or give it a mask of those that do
              = note: launch 1 of `reduce`
        "#]],
    );
    let here = || access(thread(1, 6), What::Execute, Space::Unknown, ("k", 1), "call syncthreads()");
    check(
        &on_device(FindingKind::WarpMask { operation: "syncwarp".to_owned(), mask: 0xf }, vec![here()]),
        &expect![[r#"
            error[R0406]: `syncwarp` called by a lane that is not in its mask
             --> reduce.cuf:7:5
              |
            7 |     call syncthreads()
              |     ^^^^^^^^^^^^^^^^^^ lane 5, thread (6,1,1), calls it with the mask z'0000000f'
              |
              = help: bit k of the mask stands for lane k, from 0; without a mask all lanes take part
              = note: launch 1 of `reduce`
        "#]],
    );
}

#[test]
fn grid_synchronisation_says_what_is_missing() {
    let here = || Access::step(thread(1, 1), at("call syncthreads()"));
    let grid = |fault| on_device(FindingKind::GridSync { fault }, vec![here()]);
    check(
        &grid(GridSyncFault::NotCooperative),
        &expect![[r#"
            error[R0408]: grid synchronisation in a kernel that is not launched cooperatively
             --> reduce.cuf:7:5
              |
            7 |     call syncthreads()
              |     ^^^^^^^^^^^^^^^^^^ in thread (1,1,1) of block (1,1,1)
              |
              = help: declare the kernel `attributes(grid_global)`
              = note: launch 1 of `reduce`
        "#]],
    );
    check(
        &grid(GridSyncFault::TooManyBlocks { blocks: 5000, resident: 1056 }),
        &expect![[r#"
            error[R0408]: grid synchronisation of 5000 blocks when the device can hold 1056 at once
             --> reduce.cuf:7:5
              |
            7 |     call syncthreads()
              |     ^^^^^^^^^^^^^^^^^^ in thread (1,1,1) of block (1,1,1)
              |
              = help: launch with `<<<*, threads>>>`, which takes as many blocks as fit
              = note: launch 1 of `reduce`
        "#]],
    );
    check(
        &grid(GridSyncFault::NotReached { ended: 3 }),
        &expect![[r#"
            error[R0408]: grid synchronisation that 3 blocks never reach
             --> reduce.cuf:7:5
              |
            7 |     call syncthreads()
              |     ^^^^^^^^^^^^^^^^^^ in thread (1,1,1) of block (1,1,1)
              |
              = help: make every block of the grid call it, and all blocks equally often
              = note: launch 1 of `reduce`
        "#]],
    );
}

#[test]
fn deadlock_and_livelock_show_who_waits_where() {
    let host = Waiting {
        count: 1,
        first: Actor::Host,
        span: at("call reduce<<<grid, block>>>(x, r, n)"),
        operation: "cudaDeviceSynchronize".to_owned(),
    };
    let groups = vec![group(32, 1, at("call syncthreads()"), "syncthreads"), host];
    check(
        &on_device(FindingKind::Deadlock { groups }, vec![]).with_seed(7),
        &expect![[r#"
        error[R0404]: deadlock: every remaining thread waits for another one
          --> reduce.cuf:7:5
           |
         7 |     call syncthreads()
           |     ^^^^^^^^^^^^^^^^^^ 32 threads wait here at `syncthreads`, the first is thread (1,1,1) of block (1,1,1)
        ...
        17 |   call reduce<<<grid, block>>>(x, r, n)
           |   ------------------------------------- the host waits here at `cudaDeviceSynchronize`
           |
           = note: launch 1 of `reduce`; replay with --schedule seed:7
    "#]],
    );
    let groups = (0..11).map(|i| group(1, i + 1, at_nth("s(t)", i as usize % 3), "")).collect();
    check(
        &on_device(FindingKind::Livelock { groups }, vec![]),
        &expect![[r#"
        error[R0405]: livelock: these threads repeat a loop until memory changes that no thread will ever change
         --> reduce.cuf:4:3
          |
        4 |   s(t) = x(i)
          |   ^^^^
          |   |
          |   thread (1,1,1) of block (1,1,1) polls here
          |   thread (4,1,1) of block (1,1,1) polls here
          |   thread (7,1,1) of block (1,1,1) polls here
        5 |   if (t <= 16) then
        6 |     s(t) = s(t) + s(t+16)
          |     ----   ----
          |     |      |
          |     |      thread (3,1,1) of block (1,1,1) polls here
          |     |      thread (6,1,1) of block (1,1,1) polls here
          |     |      thread (9,1,1) of block (1,1,1) polls here
          |     thread (2,1,1) of block (1,1,1) polls here
          |     thread (5,1,1) of block (1,1,1) polls here
          |     thread (8,1,1) of block (1,1,1) polls here
          |
          = help: check the condition of the loop, that every lock is released, and that no block waits for one that starts only after it has ended
          = note: and 2 groups elsewhere
          = note: launch 1 of `reduce`
    "#]],
    );
}
