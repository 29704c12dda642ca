//! Launches, runtime calls, arithmetic, comparing runs, unsupported features.

use super::{access, at, check, global, on_device, thread};
use expect_test::expect;
use finding::{
    Access, Actor, ApiFault, Axis, Finding, FindingKind, HandleLife, LaunchFault, MemoryPlace, Place, Space, What,
};

fn host_step(text: &str) -> Access {
    Access::step(Actor::Host, at(text))
}

#[test]
fn launch_faults_say_what_is_possible() {
    let launch = |fault| Finding::new(FindingKind::Launch { fault }, vec![host_step("reduce<<<grid, block>>>")]);
    let fault = LaunchFault::Extent { axis: Axis::Grid(0), value: 0, limit: 2_147_483_647 };
    check(
        &launch(fault),
        &expect![[r#"
        error[R0701]: launch with grid%x = 0, which must be between 1 and 2147483647
          --> reduce.cuf:17:8
           |
        17 |   call reduce<<<grid, block>>>(x, r, n)
           |        ^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: skip the launch if there are no elements; otherwise round up with `(n + threads - 1) / threads`
           = note: the kernel did not run; the program can find out with `cudaGetLastError()`
    "#]],
    );
    let fault = LaunchFault::Extent { axis: Axis::Block(2), value: 128, limit: 64 };
    check(
        &launch(fault),
        &expect![[r#"
        error[R0701]: launch with block%z = 128, which must be between 1 and 64
          --> reduce.cuf:17:8
           |
        17 |   call reduce<<<grid, block>>>(x, r, n)
           |        ^^^^^^^^^^^^^^^^^^^^^^^
           |
           = note: the kernel did not run; the program can find out with `cudaGetLastError()`
    "#]],
    );
    check(
        &launch(LaunchFault::TooManyThreads { threads: 5000, limit: 1024 }),
        &expect![[r#"
        error[R0702]: launch with 5000 threads in a block, but at most 1024 are possible
          --> reduce.cuf:17:8
           |
        17 |   call reduce<<<grid, block>>>(x, r, n)
           |        ^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: use smaller blocks and more of them
           = note: the kernel did not run; the program can find out with `cudaGetLastError()`
    "#]],
    );
    let fault = LaunchFault::SharedMemory { static_bytes: 16384, dynamic_bytes: 65536, limit: 49152 };
    check(
        &launch(fault),
        &expect![[r#"
        error[R0703]: launch with 81920 bytes of shared memory in a block, but at most 49152 are possible
          --> reduce.cuf:17:8
           |
        17 |   call reduce<<<grid, block>>>(x, r, n)
           |        ^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: raise the limit with `cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, n)`
           = note: 16384 are declared in the kernel, 65536 asked for by the launch
           = note: the kernel did not run; the program can find out with `cudaGetLastError()`
    "#]],
    );
    check(
        &launch(LaunchFault::ClusterMultiple { axis: 1, grid: 3, cluster: 2 }),
        &expect![[r#"
            error[R0701]: launch with grid%y = 3, which is not a multiple of the 2 blocks of a cluster
              --> reduce.cuf:17:8
               |
            17 |   call reduce<<<grid, block>>>(x, r, n)
               |        ^^^^^^^^^^^^^^^^^^^^^^^
               |
               = help: `cluster_dims` of the kernel asks for it: launch with grid%y = 4
               = note: the kernel did not run; the program can find out with `cudaGetLastError()`
        "#]],
    );
    check(
        &launch(LaunchFault::ClusterSize { blocks: 16, limit: 8 }),
        &expect![[r#"
            error[R0701]: launch of a kernel with 16 blocks in a cluster, but at most 8 are possible
              --> reduce.cuf:17:8
               |
            17 |   call reduce<<<grid, block>>>(x, r, n)
               |        ^^^^^^^^^^^^^^^^^^^^^^^
               |
               = help: make the product of `cluster_dims` smaller
               = note: the kernel did not run; the program can find out with `cudaGetLastError()`
        "#]],
    );
    check(
        &launch(LaunchFault::LaunchBounds { threads: 512, bound: 256 }),
        &expect![[r#"
        error[R0705]: launch with 512 threads in a block, but `launch_bounds` of the kernel allows 256
          --> reduce.cuf:17:8
           |
        17 |   call reduce<<<grid, block>>>(x, r, n)
           |        ^^^^^^^^^^^^^^^^^^^^^^^
           |
           = note: the kernel did not run; the program can find out with `cudaGetLastError()`
    "#]],
    );
}

#[test]
fn api_faults_name_the_routine() {
    let api = |call: &str, fault| {
        let mut access = host_step("cudaMemcpyAsync(a, x, n, stream)");
        access.place = Some(Place::variable("a"));
        Finding::new(FindingKind::Api { call: call.to_owned(), fault }, vec![access])
    };
    let fault =
        ApiFault::Unchecked { error: "cudaErrorInvalidValue".to_owned(), meaning: "invalid argument".to_owned() };
    check(
        &api("cudaMemcpyAsync", fault.clone()),
        &expect![[r#"
        warning[R0704]: `cudaMemcpyAsync` failed with `cudaErrorInvalidValue`, and the program did not check it
          --> reduce.cuf:19:11
           |
        19 |   istat = cudaMemcpyAsync(a, x, n, stream)
           |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: compare the result of the call with `cudaSuccess`
           = note: it means: invalid argument
    "#]],
    );
    check(
        &api("launch of reduce", fault),
        &expect![[r#"
        warning[R0704]: launch of `reduce` failed with `cudaErrorInvalidValue`, and the program did not check it
          --> reduce.cuf:19:11
           |
        19 |   istat = cudaMemcpyAsync(a, x, n, stream)
           |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: check `cudaGetLastError()` after the launch, and the result of `cudaDeviceSynchronize()`
           = note: it means: invalid argument
    "#]],
    );
    check(
        &api(
            "cudaEventRecord",
            ApiFault::InvalidHandle {
                what: "event".to_owned(),
                made_by: "cudaEventCreate".to_owned(),
                life: HandleLife::Unknown,
            },
        ),
        &expect![[r#"
            error[R0706]: `cudaEventRecord` with an event that was never created or is destroyed
              --> reduce.cuf:19:11
               |
            19 |   istat = cudaMemcpyAsync(a, x, n, stream)
               |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
               |
               = help: use an event that `cudaEventCreate` has made, and look at its status
        "#]],
    );
    check(
        &api("launch", ApiFault::OtherDevice { what: "stream".into(), of: 0, wanted: 1 }),
        &expect![[r#"
        error[R0706]: `launch` for device 1 with a stream of device 0
          --> reduce.cuf:19:11
           |
        19 |   istat = cudaMemcpyAsync(a, x, n, stream)
           |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: call `cudaSetDevice` first, or make the stream for device 1
    "#]],
    );
    check(
        &api("cudaEventElapsedTime", ApiFault::EventNotRecorded),
        &expect![[r#"
        error[R0707]: `cudaEventElapsedTime` of an event that was not recorded
          --> reduce.cuf:19:11
           |
        19 |   istat = cudaMemcpyAsync(a, x, n, stream)
           |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: call `cudaEventRecord` on both events, and `cudaEventSynchronize` on the second
    "#]],
    );
    check(
        &api("cudaMemcpyAsync", ApiFault::Pageable),
        &expect![[r#"
        warning[R0708]: `cudaMemcpyAsync` with `a`, which is not pinned, is not asynchronous
          --> reduce.cuf:19:11
           |
        19 |   istat = cudaMemcpyAsync(a, x, n, stream)
           |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: declare the host array `pinned`
    "#]],
    );
    let fault = ApiFault::OutOfMemory { requested: 4_000_000_000, used: 1024, total: 2_000_000_000 };
    check(
        &api("cudaMalloc", fault),
        &expect![[r#"
        error[R0709]: no device memory for 4000000000 bytes of `a`
          --> reduce.cuf:19:11
           |
        19 |   istat = cudaMemcpyAsync(a, x, n, stream)
           |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = note: 1024 of 2000000000 bytes are in use
    "#]],
    );
    let fault = ApiFault::WrongMemory { what: "`x`".to_owned(), belongs: MemoryPlace::Device };
    check(
        &api("cublasDscal_v2", fault),
        &expect![[r#"
        error[R0712]: `cublasDscal_v2`: `x` is in host memory, and belongs in device memory
          --> reduce.cuf:19:11
           |
        19 |   istat = cudaMemcpyAsync(a, x, n, stream)
           |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: give it a variable with the attribute `device` or `managed`, to which the values were copied
    "#]],
    );
    let handle = |life| ApiFault::InvalidHandle { what: "plan".to_owned(), made_by: "cufftPlan…".to_owned(), life };
    check(
        &api("cufftExecC2C", handle(HandleLife::None)),
        &expect![[r#"
        error[R0706]: `cufftExecC2C` with a plan that was never created
          --> reduce.cuf:19:11
           |
        19 |   istat = cudaMemcpyAsync(a, x, n, stream)
           |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: use a plan that `cufftPlan…` has made, and look at its status
    "#]],
    );
    let fault = ApiFault::InvalidArgument { reason: "the count is negative".to_owned() };
    check(
        &api("cudaMemcpy", fault),
        &expect![[r#"
        error[R0712]: `cudaMemcpy`: the count is negative
          --> reduce.cuf:19:11
           |
        19 |   istat = cudaMemcpyAsync(a, x, n, stream)
           |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
    check(
        &api("cudaSetDevice", ApiFault::NoSuchDevice { number: 3, count: 1 }),
        &expect![[r#"
        error[R0713]: `cudaSetDevice` asks for device 3, but there is only device 0
          --> reduce.cuf:19:11
           |
        19 |   istat = cudaMemcpyAsync(a, x, n, stream)
           |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn a_routine_that_runs_on_the_host_says_why() {
    let fault = ApiFault::RunsOnHost { reason: "there is no `libcublas.so`".to_owned() };
    let kind = FindingKind::Api { call: "cublasDgemm_v2".to_owned(), fault };
    check(
        &Finding::new(kind, vec![host_step("cudaMemcpyAsync(a, x, n, stream)")]),
        &expect![[r#"
            warning[R0714]: `cublasDgemm_v2` runs on the host, not on the GPU: there is no `libcublas.so`
              --> reduce.cuf:19:11
               |
            19 |   istat = cudaMemcpyAsync(a, x, n, stream)
               |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
               |
               = note: it works on copies of the arrays: results are those of the emulator, times mean nothing
        "#]],
    );
}

#[test]
fn limits_of_device_code_say_how_to_raise_them() {
    let step = || Access::step(thread(1, 9), at("iadd(k, 1)"));
    let heap = FindingKind::DeviceHeapExhausted { requested: 4000, limit: 8_388_608 };
    check(
        &on_device(heap, vec![step()]),
        &expect![[r#"
            error[R0710]: no room for 4000 bytes in the device heap, which has 8388608
              --> reduce.cuf:12:7
               |
            12 |   k = iadd(k, 1)
               |       ^^^^^^^^^^ in thread (9,1,1) of block (1,1,1)
               |
               = help: raise it with `cudaDeviceSetLimit(cudaLimitMallocHeapSize, n)`, or `deallocate` what is no longer needed
               = note: launch 1 of `reduce`
        "#]],
    );
    check(
        &on_device(FindingKind::DeviceStackOverflow { limit: 1024 }, vec![step()]),
        &expect![[r#"
            error[R0711]: the calls of this thread need more than its stack of 1024 bytes
              --> reduce.cuf:12:7
               |
            12 |   k = iadd(k, 1)
               |       ^^^^^^^^^^ in thread (9,1,1) of block (1,1,1)
               |
               = help: raise it with `cudaDeviceSetLimit(cudaLimitStackSize, n)`, or bound the recursion
               = note: launch 1 of `reduce`
        "#]],
    );
}

#[test]
fn arithmetic_findings_name_the_operation() {
    let step = || Access::step(thread(1, 9), at("total + s(1)"));
    let made = |kind| on_device(kind, vec![step()]);
    let operands = |all: &[&str]| all.iter().map(|&o| o.to_owned()).collect::<Vec<String>>();
    check(
        &made(FindingKind::Nan { operation: "sqrt".to_owned(), operands: operands(&["-1.000000"]) }),
        &expect![[r#"
            warning[R0601]: `sqrt(-1.000000)` is a NaN, and no operand is a NaN
              --> reduce.cuf:11:11
               |
            11 |   total = total + s(1)
               |           ^^^^^^^^^^^^ in thread (9,1,1) of block (1,1,1)
               |
               = note: launch 1 of `reduce`
        "#]],
    );
    check(
        &made(FindingKind::Infinity { operation: "/".to_owned(), operands: operands(&["1.000000", "0.000000"]) }),
        &expect![[r#"
            warning[R0602]: `1.000000 / 0.000000` is an infinity, and all operands are finite
              --> reduce.cuf:11:11
               |
            11 |   total = total + s(1)
               |           ^^^^^^^^^^^^ in thread (9,1,1) of block (1,1,1)
               |
               = note: launch 1 of `reduce`
        "#]],
    );
    check(
        &made(FindingKind::DeviceDivisionByZero),
        &expect![[r#"
            error[R0604]: integer division by zero
              --> reduce.cuf:11:11
               |
            11 |   total = total + s(1)
               |           ^^^^^^^^^^^^ in thread (9,1,1) of block (1,1,1)
               |
               = note: a GPU does not stop here: the quotient is -1, `mod(a, 0)` is `a`
               = note: launch 1 of `reduce`
        "#]],
    );
    check(
        &made(FindingKind::ConversionOutOfRange { to: "integer(4)".to_owned(), value: "1.0000000E+20".to_owned() }),
        &expect![[r#"
            warning[R0605]: 1.0000000E+20 is converted to integer(4), which cannot hold it
              --> reduce.cuf:11:11
               |
            11 |   total = total + s(1)
               |           ^^^^^^^^^^^^ in thread (9,1,1) of block (1,1,1)
               |
               = note: a device gives the nearest limit, or zero for some NaNs
               = note: launch 1 of `reduce`
        "#]],
    );
}

#[test]
fn runs_that_disagree_show_both_values() {
    let kind = FindingKind::VerifyMismatch { emulator: "1.5".to_owned(), gpu: "1.25".to_owned(), elements: 12 };
    let place = access(Actor::Host, What::Read, Space::Global, ("r", 1), "reduce<<<grid, block>>>");
    check(
        &on_device(kind, vec![place]),
        &expect![[r#"
            error[R1001]: `r(1)` is 1.5 on the emulator and 1.25 on the GPU
              --> reduce.cuf:17:8
               |
            17 |   call reduce<<<grid, block>>>(x, r, n)
               |        ^^^^^^^^^^^^^^^^^^^^^^^
               |
               = help: `--race` and `--check init` find the usual causes: races and uninitialised memory
               = note: 12 elements differ in this launch, this is the first
               = note: results that depend on the order of atomics or on a clock may differ without being wrong
               = note: launch 1 of `reduce`
        "#]],
    );
}

#[test]
fn routines_that_disagree_show_both_values_and_the_bound() {
    let kind = FindingKind::VerifyRoutine {
        routine: "cublasDgemm_v2".to_owned(),
        emulator: "1.5".to_owned(),
        gpu: "1.25".to_owned(),
        bound: "1.0e-1 of the largest number of the result, and the bound is 2.2e-14".to_owned(),
        elements: 3,
    };
    let place = access(Actor::Host, What::Read, Space::Global, ("r", 1), "reduce<<<grid, block>>>");
    check(
        &Finding::new(kind, vec![place]),
        &expect![[r#"
        error[R1001]: `cublasDgemm_v2`: `r(1)` is 1.5 on the emulator and 1.25 of NVIDIA's library
          --> reduce.cuf:17:8
           |
        17 |   call reduce<<<grid, block>>>(x, r, n)
           |        ^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: where the problem is ill-conditioned, rounding grows beyond the bound: look at the condition of the matrix
           = note: the difference is 1.0e-1 of the largest number of the result, and the bound is 2.2e-14
           = note: 3 elements differ so, this is the first
    "#]],
    );
}

#[test]
fn the_way_of_a_value_that_differs_is_shown() {
    let kind = FindingKind::VerifyMismatch { emulator: "0x1".to_owned(), gpu: "0x2".to_owned(), elements: 1 };
    let place = access(Actor::Host, What::Read, Space::Global, ("r", 1), "reduce<<<grid, block>>>");
    let step = |number, token: &str| access(thread(1, number), What::Execute, Space::Unknown, ("", 1), token);
    let origin = step(9, "x(i)").value("0x3 on the emulator and 0x4 on the GPU");
    let load = step(1, "s(1)").value("0x5 on the emulator and 0x6 on the GPU");
    check(
        &on_device(kind.clone(), vec![origin, load, place.clone()]),
        &expect![[r#"
        error[R1001]: `r(1)` is 0x1 on the emulator and 0x2 on the GPU
          --> reduce.cuf:17:8
           |
         4 |   s(t) = x(i)
           |          ---- thread (9,1,1) of block (1,1,1) gets 0x3 on the emulator and 0x4 on the GPU here, its first value that differs
        ...
        11 |   total = total + s(1)
           |                   ---- thread (1,1,1) of block (1,1,1) loads 0x5 on the emulator and 0x6 on the GPU here
        ...
        17 |   call reduce<<<grid, block>>>(x, r, n)
           |        ^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: `--race` and `--check init` find the usual causes: races and uninitialised memory
           = note: results that depend on the order of atomics or on a clock may differ without being wrong
           = note: launch 1 of `reduce`
    "#]],
    );
    check(
        &on_device(kind, vec![step(1, "r(1)"), place]),
        &expect![[r#"
        error[R1001]: `r(1)` is 0x1 on the emulator and 0x2 on the GPU
          --> reduce.cuf:17:8
           |
        17 |   call reduce<<<grid, block>>>(x, r, n)
           |        ^^^^^^^^^^^^^^^^^^^^^^^
        ...
        20 |   print *, r(1)
           |            ---- thread (1,1,1) of block (1,1,1) writes it here
           |
           = help: `--race` and `--check init` find the usual causes: races and uninitialised memory
           = note: results that depend on the order of atomics or on a clock may differ without being wrong
           = note: launch 1 of `reduce`
    "#]],
    );
}

#[test]
fn unsupported_feature_is_refused_by_name() {
    let kind = FindingKind::Unsupported { feature: "`cudaGraphLaunch`".to_owned() };
    check(
        &Finding::new(kind.clone(), vec![host_step("r(1)")]),
        &expect![[r#"
        error[R0901]: unsupported: `cudaGraphLaunch`
          --> reduce.cuf:20:12
           |
        20 |   print *, r(1)
           |            ^^^^
           |
           = help: write it in another way; `docs/support.md` lists what is supported
           = note: the run stops here, because its results would be wrong
    "#]],
    );
    check(
        &on_device(kind, vec![global(What::Read, "x(i)")]),
        &expect![[r#"
            error[R0901]: unsupported: `cudaGraphLaunch`
             --> reduce.cuf:4:10
              |
            4 |   s(t) = x(i)
              |          ^^^^ in thread (5,1,1) of block (2,1,1)
              |
              = help: write it in another way; `docs/support.md` lists what is supported
              = note: the run stops here, because its results would be wrong
              = note: launch 1 of `reduce`
        "#]],
    );
}
