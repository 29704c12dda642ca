//! Memory faults, uninitialised reads, leaks.

use super::{access, array_x, at, check, global, on_device, thread};
use expect_test::expect;
use finding::{Access, Actor, Allocation, Finding, FindingKind, FreeFault, LeakKind, Place, Space, What};
use source::Span;

#[test]
fn out_of_bounds_says_how_far_from_what() {
    let kind = FindingKind::OutOfBounds { nearest: Some(array_x()) };
    check(
        &on_device(kind.clone(), vec![global(What::Read, "x(i)").address(0xf90, 4)]),
        &expect![[r#"
        error[R0201]: read of `x(101)`, which lies right past the end of `x`
          --> reduce.cuf:4:10
           |
         4 |   s(t) = x(i)
           |          ^^^^ thread (5,1,1) of block (2,1,1) reads 4 bytes here
        ...
        16 |   allocate(x(100))
           |            ------ `x` has 400 bytes
           |
           = help: guard the access with `if (i <= n)`, or launch no more threads than there are elements
           = note: launch 1 of `reduce`
    "#]],
    );
    check(
        &on_device(kind.clone(), vec![global(What::Write, "x(i)").address(0xfa0, 4)]),
        &expect![[r#"
        error[R0201]: write of `x(101)`, which lies 16 bytes past the end of `x`
          --> reduce.cuf:4:10
           |
         4 |   s(t) = x(i)
           |          ^^^^ thread (5,1,1) of block (2,1,1) writes 4 bytes here
        ...
        16 |   allocate(x(100))
           |            ------ `x` has 400 bytes
           |
           = help: guard the access with `if (i <= n)`, or launch no more threads than there are elements
           = note: launch 1 of `reduce`
    "#]],
    );
    check(
        &on_device(kind.clone(), vec![global(What::Read, "x(i)").address(0xdf0, 4)]),
        &expect![[r#"
        error[R0201]: read of `x(101)`, which lies 16 bytes before the beginning of `x`
          --> reduce.cuf:4:10
           |
         4 |   s(t) = x(i)
           |          ^^^^ thread (5,1,1) of block (2,1,1) reads 4 bytes here
        ...
        16 |   allocate(x(100))
           |            ------ `x` has 400 bytes
           |
           = note: launch 1 of `reduce`
    "#]],
    );
    let mut nameless = global(What::Atomic, "x(i)").address(0xf8e, 4);
    nameless.place = None;
    check(
        &on_device(kind, vec![nameless]),
        &expect![[r#"
        error[R0201]: atomic update across the end of `x`
          --> reduce.cuf:4:10
           |
         4 |   s(t) = x(i)
           |          ^^^^ thread (5,1,1) of block (2,1,1) atomically updates 4 bytes here
        ...
        16 |   allocate(x(100))
           |            ------ `x` has 400 bytes
           |
           = help: guard the access with `if (i <= n)`, or launch no more threads than there are elements
           = note: launch 1 of `reduce`
    "#]],
    );
    let kind = FindingKind::OutOfBounds { nearest: None };
    check(
        &on_device(kind, vec![global(What::Read, "x(i)")]),
        &expect![[r#"
        error[R0201]: read of `x(101)`, which is outside every array
         --> reduce.cuf:4:10
          |
        4 |   s(t) = x(i)
          |          ^^^^ thread (5,1,1) of block (2,1,1) reads 4 bytes here
          |
          = note: launch 1 of `reduce`
    "#]],
    );
}

#[test]
fn subscript_out_of_bounds_names_dimension_and_bounds() {
    let kind = FindingKind::Subscript { dimension: 1, rank: 1, subscript: 101, lower: 1, upper: 100 };
    check(
        &on_device(kind, vec![global(What::Read, "x(i)")]),
        &expect![[r#"
        error[R0202]: subscript of `x` is 101, outside its bounds 1:100
         --> reduce.cuf:4:10
          |
        4 |   s(t) = x(i)
          |          ^^^^ thread (5,1,1) of block (2,1,1) reads `x(101)` here
          |
          = help: guard the access with an `if`, or launch no more threads than there are elements
          = note: launch 1 of `reduce`
    "#]],
    );
    let kind = FindingKind::Subscript { dimension: 2, rank: 3, subscript: -1, lower: 0, upper: 9 };
    let host = Access::new(Actor::Host, What::Write, Space::Host, at("r(1)")).at(Place::element("r", [1, -1, 2]));
    check(
        &Finding::new(kind, vec![host.clone()]),
        &expect![[r#"
        error[R0803]: subscript 2 of `r` is -1, outside its bounds 0:9
          --> reduce.cuf:20:12
           |
        20 |   print *, r(1)
           |            ^^^^ the host writes `r(1,-1,2)` here
    "#]],
    );
    let kind = FindingKind::Subscript { dimension: 1, rank: 1, subscript: 1, lower: 1, upper: 0 };
    check(
        &Finding::new(kind, vec![host]),
        &expect![[r#"
        error[R0803]: subscript of `r` is 1, but the array has no elements
          --> reduce.cuf:20:12
           |
        20 |   print *, r(1)
           |            ^^^^ the host writes `r(1,-1,2)` here
    "#]],
    );
}

#[test]
fn access_beyond_the_shared_memory_of_the_launch_says_how_much_is_needed() {
    let kind = FindingKind::SharedBeyondLaunch { available: 64, needed: 68 };
    let access = access(thread(1, 17), What::Write, Space::Shared, ("s", 17), "s(t)");
    check(
        &on_device(kind, vec![access]),
        &expect![[r#"
        error[R0212]: `s(17)` lies beyond the shared memory of the launch, which has 64 bytes of it
         --> reduce.cuf:4:3
          |
        4 |   s(t) = x(i)
          |   ^^^^ thread (17,1,1) of block (1,1,1) writes 4 bytes here
          |
          = help: launch with `<<<grid, block, bytes>>>` where bytes is at least 68
          = note: launch 1 of `reduce`
    "#]],
    );
}

#[test]
fn freed_memory_shows_where_it_was_freed() {
    let kind = FindingKind::UseAfterFree { allocation: array_x(), freed_at: at("deallocate(x)") };
    check(
        &on_device(kind, vec![global(What::Read, "x(i)")]),
        &expect![[r#"
        error[R0203]: read of `x(101)` after its memory was freed
          --> reduce.cuf:4:10
           |
         4 |   s(t) = x(i)
           |          ^^^^ thread (5,1,1) of block (2,1,1) reads 4 bytes here
        ...
        16 |   allocate(x(100))
           |            ------ `x` allocated here
        17 |   call reduce<<<grid, block>>>(x, r, n)
        18 |   deallocate(x)
           |   ------------- `x` freed here
           |
           = note: launch 1 of `reduce`
    "#]],
    );
    let kind = FindingKind::DoubleFree { allocation: array_x(), freed_at: at("deallocate(x)") };
    let free = Access::new(Actor::Host, What::Free, Space::Global, at("call reduce"));
    check(
        &Finding::new(kind, vec![free]),
        &expect![[r#"
        error[R0210]: memory of `x` is freed twice
          --> reduce.cuf:17:3
           |
        16 |   allocate(x(100))
           |            ------ allocated here
        17 |   call reduce<<<grid, block>>>(x, r, n)
           |   ^^^^^^^^^^^ freed again here
        18 |   deallocate(x)
           |   ------------- freed here before
    "#]],
    );
}

#[test]
fn wrong_memory_says_which_it_is() {
    let mut wild = global(What::Read, "x(i)").address(0xdead_beef, 8);
    wild.place = None;
    check(
        &on_device(FindingKind::NeverAllocated, vec![wild]),
        &expect![[r#"
        error[R0204]: read at 0xdeadbeef, where nothing was ever allocated
         --> reduce.cuf:4:10
          |
        4 |   s(t) = x(i)
          |          ^^^^ thread (5,1,1) of block (2,1,1) reads 8 bytes here
          |
          = help: check that the pointer or the address was set before
          = note: launch 1 of `reduce`
    "#]],
    );
    check(
        &on_device(FindingKind::HostMemoryOnDevice, vec![global(What::Read, "x(i)")]),
        &expect![[r#"
        error[R0205]: `x(101)` is in host memory, which device code cannot reach
         --> reduce.cuf:4:10
          |
        4 |   s(t) = x(i)
          |          ^^^^ thread (5,1,1) of block (2,1,1) reads 4 bytes here
          |
          = help: copy it to a `device` array before the launch, or declare it `managed`
          = note: launch 1 of `reduce`
    "#]],
    );
    let host = access(Actor::Host, What::Read, Space::Global, ("x", 1), "r(1)");
    check(
        &Finding::new(FindingKind::DeviceMemoryOnHost, vec![host]),
        &expect![[r#"
        error[R0206]: `x(1)` is in device memory, which host code cannot reach
          --> reduce.cuf:20:12
           |
        20 |   print *, r(1)
           |            ^^^^ the host reads 4 bytes here
           |
           = help: copy it to a host variable first, by an assignment
    "#]],
    );
}

#[test]
fn misaligned_and_null_say_what_the_address_is() {
    let kind = FindingKind::Misaligned { needed: 8 };
    check(
        &on_device(kind, vec![global(What::Write, "x(i)").address(0x1004, 8)]),
        &expect![[r#"
        error[R0207]: write of `x(101)` at an address that is not a multiple of 8 bytes
         --> reduce.cuf:4:10
          |
        4 |   s(t) = x(i)
          |          ^^^^ thread (5,1,1) of block (2,1,1) writes 8 bytes here
          |
          = note: the address is 0x1004
          = note: launch 1 of `reduce`
    "#]],
    );
    check(
        &on_device(FindingKind::Null, vec![global(What::Read, "x(i)").address(0, 4)]),
        &expect![[r#"
        error[R0208]: read of `x(101)`, but `x` is not allocated
         --> reduce.cuf:4:10
          |
        4 |   s(t) = x(i)
          |          ^^^^ thread (5,1,1) of block (2,1,1) reads 4 bytes here
          |
          = help: allocate it before the launch
          = note: launch 1 of `reduce`
    "#]],
    );
    let mut nameless = global(What::Read, "x(i)").address(0, 4);
    nameless.place = None;
    check(
        &on_device(FindingKind::Null, vec![nameless]),
        &expect![[r#"
        error[R0208]: read through a null address
         --> reduce.cuf:4:10
          |
        4 |   s(t) = x(i)
          |          ^^^^ thread (5,1,1) of block (2,1,1) reads 4 bytes here
          |
          = help: allocate the array, or associate the pointer, before the launch
          = note: launch 1 of `reduce`
    "#]],
    );
}

#[test]
fn invalid_free_says_what_would_free_it() {
    let free = |kind| {
        let free = Access::new(Actor::Host, What::Free, Space::Global, at("deallocate(x)"))
            .at(Place::variable("x"))
            .address(0xe04, 0);
        Finding::new(FindingKind::InvalidFree { fault: kind }, vec![free])
    };
    check(
        &free(FreeFault::NotTheStart),
        &expect![[r#"
        error[R0211]: free of `x`, which is not the first element of its array
          --> reduce.cuf:18:3
           |
        18 |   deallocate(x)
           |   ^^^^^^^^^^^^^
           |
           = help: free the array as a whole
    "#]],
    );
    let fault = FreeFault::WrongRoutine { made_by: "cudaMalloc".to_owned(), freed_by: "cudaFree".to_owned() };
    check(
        &free(fault),
        &expect![[r#"
        error[R0211]: `x` was allocated by `cudaMalloc` and is freed by another routine
          --> reduce.cuf:18:3
           |
        18 |   deallocate(x)
           |   ^^^^^^^^^^^^^
           |
           = help: memory from `cudaMalloc` is freed by `cudaFree`
    "#]],
    );
    check(
        &free(FreeFault::NotAllocated),
        &expect![[r#"
        error[R0211]: free of `x`, where nothing was allocated
          --> reduce.cuf:18:3
           |
        18 |   deallocate(x)
           |   ^^^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn copy_beyond_the_end_says_how_much_there_is() {
    let kind = FindingKind::CopyOutOfBounds { call: "cudaMemcpyAsync".to_owned(), requested: 1600, available: 400 };
    let mut access = Access::new(Actor::Host, What::Read, Space::Global, at("cudaMemcpyAsync(a, x, n, stream)"));
    access.place = Some(Place::variable("x"));
    check(
        &Finding::new(kind, vec![access]),
        &expect![[r#"
        error[R0215]: `cudaMemcpyAsync` of 1600 bytes goes beyond the end of `x`, which has 400 from here
          --> reduce.cuf:19:11
           |
        19 |   istat = cudaMemcpyAsync(a, x, n, stream)
           |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: counts are in elements, not in bytes, unless the arguments are `c_ptr` or `c_devptr`
    "#]],
    );
}

#[test]
fn uninitialised_reads_have_a_code_for_each_memory() {
    let read = |actor, space, text| {
        on_device(FindingKind::Uninitialised { origin: None }, vec![access(actor, What::Read, space, ("v", 3), text)])
    };
    check(
        &read(thread(1, 3), Space::Global, "x(i)"),
        &expect![[r#"
        error[R0301]: read of global `v(3)`, to which nothing was ever written
         --> reduce.cuf:4:10
          |
        4 |   s(t) = x(i)
          |          ^^^^ thread (3,1,1) of block (1,1,1) reads 4 bytes here
          |
          = help: copy data to it or set it to zero, such as `a_d = 0`, before the launch
          = note: launch 1 of `reduce`
    "#]],
    );
    check(
        &read(thread(1, 3), Space::Shared, "s(t+16)"),
        &expect![[r#"
        error[R0302]: read of shared `v(3)`, to which nothing was ever written
         --> reduce.cuf:6:19
          |
        6 |     s(t) = s(t) + s(t+16)
          |                   ^^^^^^^ thread (3,1,1) of block (1,1,1) reads 4 bytes here
          |
          = help: let the threads of the block fill it first, then `call syncthreads()`
          = note: launch 1 of `reduce`
    "#]],
    );
    check(
        &read(thread(1, 3), Space::Local, "s(t+16)"),
        &expect![[r#"
        error[R0303]: read of local `v(3)`, to which nothing was ever written
         --> reduce.cuf:6:19
          |
        6 |     s(t) = s(t) + s(t+16)
          |                   ^^^^^^^ thread (3,1,1) of block (1,1,1) reads 4 bytes here
          |
          = help: give it a value first
          = note: launch 1 of `reduce`
    "#]],
    );
    let mut host = read(Actor::Host, Space::Host, "r(1)");
    host.launch = None;
    check(
        &host,
        &expect![[r#"
        error[R0304]: read of `v(3)`, to which nothing was ever written
          --> reduce.cuf:20:12
           |
        20 |   print *, r(1)
           |            ^^^^ the host reads 4 bytes here
           |
           = help: assign to it first
    "#]],
    );
}

#[test]
fn leaks_show_where_it_was_allocated() {
    let leak = |what| Finding::new(FindingKind::Leak { what, allocation: array_x() }, vec![]);
    check(
        &leak(LeakKind::Device),
        &expect![[r#"
        warning[R0501]: 400 bytes of device memory of `x` never freed
          --> reduce.cuf:16:12
           |
        16 |   allocate(x(100))
           |            ^^^^^^ allocated here
           |
           = help: add `deallocate` or `cudaFree`
    "#]],
    );
    check(
        &leak(LeakKind::Pinned),
        &expect![[r#"
        warning[R0501]: 400 bytes of pinned memory of `x` never freed
          --> reduce.cuf:16:12
           |
        16 |   allocate(x(100))
           |            ^^^^^^ allocated here
           |
           = help: add `deallocate` or `cudaFreeHost`
    "#]],
    );
    check(
        &leak(LeakKind::Heap),
        &expect![[r#"
            warning[R0502]: 400 bytes of `x` allocated in device code and never freed
              --> reduce.cuf:16:12
               |
            16 |   allocate(x(100))
               |            ^^^^^^ allocated here
               |
               = help: add `deallocate` in device code: the host cannot free it
        "#]],
    );
    check(
        &leak(LeakKind::Stream),
        &expect![[r#"
        warning[R0503]: stream `x` never destroyed
          --> reduce.cuf:16:12
           |
        16 |   allocate(x(100))
           |            ^^^^^^ created here
           |
           = help: add `cudaStreamDestroy`
    "#]],
    );
    check(
        &leak(LeakKind::Event),
        &expect![[r#"
        warning[R0503]: event `x` never destroyed
          --> reduce.cuf:16:12
           |
        16 |   allocate(x(100))
           |            ^^^^^^ created here
           |
           = help: add `cudaEventDestroy`
    "#]],
    );
    let allocation = Allocation { name: None, base: 16, bytes: 0, span: Span::NONE };
    check(
        &Finding::new(
            FindingKind::Leak { what: LeakKind::Handle { what: "plan", destroyed_by: "cufftDestroy" }, allocation },
            vec![],
        ),
        &expect![[r#"
            warning[R0503]: plan never destroyed
             |
             = note: created here
             = help: add `cufftDestroy`
        "#]],
    );
}
