//! The CUDA runtime as programs see it.

use crate::program::run;

/// A program with a kernel `add` (adds 1 to `n` elements) and these statements.
fn program(statements: &str) -> String {
    format!(
        "module m
contains
  attributes(global) subroutine add(a, n)
    integer, value :: n
    integer :: a(n)
    integer :: i
    i = (blockidx%x-1)*blockdim%x + threadidx%x
    if (i <= n) a(i) = a(i) + 1
  end subroutine
end module
program p
  use m
  use cudafor
  integer, device, allocatable :: d(:)
  integer :: h(100), istat, k
  real :: t
  integer(cuda_stream_kind) :: s
  type(cudaEvent) :: e1, e2
  type(c_devptr) :: q
{statements}
end program
"
    )
}

fn words(statements: &str) -> (Vec<String>, Vec<&'static str>) {
    let (_, out, found) = run(&program(statements));
    (out.split_whitespace().map(str::to_owned).collect(), found)
}

#[test]
fn data_goes_to_the_device_and_back() {
    let (out, found) = words("h = 1\nallocate(d(100))\nd = h\ncall add<<<1,128>>>(d, 100)\nh = d\nprint *, sum(h)");
    assert_eq!((out, found), (vec!["200".to_owned()], vec![]));
}

#[test]
fn counts_of_memcpy_are_elements() {
    let (out, _) = words(
        "h = 7\nallocate(d(100))\nistat = cudaMemcpy(d, h, 100, cudaMemcpyHostToDevice)\nh = 0
istat = cudaMemcpy(h, d, 50)\nprint *, istat, sum(h)",
    );
    assert_eq!(out, ["0", "350"]);
}

#[test]
fn a_copy_in_the_wrong_direction_fails_and_is_told() {
    let (out, found) = words("allocate(d(9))\nprint *, cudaMemcpy(h, d, 9, cudaMemcpyHostToDevice)");
    assert_eq!((out, found), (vec!["21".to_owned()], vec!["R0712"]));
}

#[test]
fn a_copy_beyond_the_end_fails_and_is_told() {
    let (out, found) = words("allocate(d(9))\nprint *, cudaMemcpy(d, h, 10)");
    assert_eq!((out, found), (vec!["1".to_owned()], vec!["R0215"]));
}

#[test]
fn a_bad_launch_gives_the_last_error_once() {
    let (out, found) = words(
        "allocate(d(100))\nk = 2000\ncall add<<<1,k>>>(d, 100)\nprint *, cudaPeekAtLastError(), cudaGetLastError(), &
cudaGetLastError()",
    );
    assert_eq!((out, found), (vec!["9".to_owned(), "9".to_owned(), "0".to_owned()], vec![]));
}

#[test]
fn a_bad_launch_that_nobody_looks_at_is_found_at_the_end() {
    let (_, found) = words("allocate(d(100))\nk = 2000\ncall add<<<1,k>>>(d, 100)");
    assert_eq!(found, ["R0702"]);
    let (_, found) = words("allocate(d(100))\nk = 0\ncall add<<<k,32>>>(d, 100)");
    assert_eq!(found, ["R0701"]);
}

#[test]
fn an_error_of_a_kernel_comes_with_the_next_call_that_waits_and_stays() {
    let (out, found) = words(
        "allocate(d(100))\ncall add<<<1,128>>>(d, 128)\nprint *, cudaGetLastError(), cudaDeviceSynchronize()
print *, cudaGetLastError(), cudaDeviceSynchronize()\nh = d\nprint *, 'on'",
    );
    assert_eq!(out, ["0", "700", "700", "700", "on"]);
    assert_eq!(found, ["R0201"]);
}

#[test]
fn dynamic_shared_memory_beyond_the_limit_needs_to_be_asked_for() {
    let (out, _) = words(
        "allocate(d(100))\ncall add<<<1,128,60000>>>(d, 100)\nprint *, cudaGetLastError()
istat = cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000)
call add<<<1,128,60000>>>(d, 100)\nprint *, istat, cudaGetLastError()",
    );
    assert_eq!(out, ["1", "0", "0"]);
}

#[test]
fn events_measure_time_that_is_never_zero() {
    let (out, found) = words(
        "allocate(d(100))\nistat = cudaEventCreate(e1)\nistat = cudaEventCreate(e2)\nistat = cudaEventRecord(e1, 0)
istat = cudaEventRecord(e2, 0)\nistat = cudaEventElapsedTime(t, e1, e2)\nprint *, istat, t > 0",
    );
    assert_eq!((out, found), (vec!["0".to_owned(), "T".to_owned()], vec![]));
}

#[test]
fn events_and_streams_that_do_not_exist_are_told() {
    let (out, found) = words(
        "print *, cudaEventRecord(e1, 0)\ns = 77\nprint *, cudaStreamSynchronize(s)
istat = cudaEventCreate(e1)\nistat = cudaEventCreate(e2)\nprint *, cudaEventElapsedTime(t, e1, e2)",
    );
    assert_eq!((out, found), (["400"; 3].map(str::to_owned).to_vec(), vec!["R0706", "R0706", "R0707"]));
}

#[test]
fn pointers_are_allocated_used_and_freed() {
    let (out, found) = words(
        "istat = cudaMalloc(q, 400_8)\nh = 3\nprint *, istat, cudaMemcpy(q, h, 400_8)\nh = 0
print *, cudaMemcpy(h, q, 400_8), sum(h), cudaFree(q), cudaFree(q)",
    );
    assert_eq!(out, ["0", "0", "0", "300", "0", "1"]);
    assert_eq!(found, ["R0210"]);
}

#[test]
fn leaks_are_told_when_asked_for() {
    let text = program("istat = cudaMalloc(q, 16_8)\nistat = cudaStreamCreate(s)");
    let options = machine::MachineOptions { check_leaks: true, ..crate::program::modelled() };
    let mut machine = crate::program::load(&text, options);
    machine.run(&mut crate::program::TestWorld::default());
    let codes: Vec<_> = machine.findings().iter().map(|f| f.code().id()).collect();
    assert_eq!(codes, ["R0501", "R0503"]);
}

#[test]
fn output_of_kernels_comes_when_the_host_waits() {
    let text = "module m
contains
  attributes(global) subroutine hello()
    print *, 'kernel', threadidx%x
  end subroutine
end module
program p
  use m
  use cudafor
  integer :: istat
  call hello<<<1,2>>>()
  print *, 'host'
  istat = cudaDeviceSynchronize()
  print *, 'after'
  call hello<<<1,1>>>()
end program
";
    let (code, out, _) = run(text);
    let lines: Vec<String> = out.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!((code, lines.join("|").as_str()), (0, "host|kernel 1|kernel 2|after|kernel 1"));
}

#[test]
fn errors_of_the_host_program_end_it_with_code_1() {
    let (code, out, found) =
        run("integer, allocatable :: a(:)\nprint *, 'before'\ndeallocate(a)\nprint *, 'after'\nend\n");
    assert_eq!((code, out.trim(), found), (1, "before", vec!["R0805"]));
    let (code, _, found) = run("error stop 5\nend\n");
    assert_eq!((code, found), (5, vec!["R0801"]));
}

#[test]
fn the_properties_of_a_device_are_declared_as_they_are_laid_out() {
    let module = include_str!("../../../compile/modules/cudafor.cuf");
    let lines: Vec<&str> = module.lines().map(str::trim).collect();
    let declared: Vec<String> = device::property_type().lines().map(|l| l.trim().to_owned()).collect();
    assert!(lines.windows(declared.len()).any(|w| w == declared), "{}", declared.join("\n"));
}

#[test]
fn a_device_that_was_reset_works_again() {
    let (out, found) = words(
        "call add<<<1,128>>>(d, 100)\nprint *, cudaDeviceSynchronize()\nprint *, cudaDeviceSynchronize()
print *, cudaDeviceReset(), cudaGetLastError()\nallocate(d(100))\nh = 1\nd = h\ncall add<<<1,128>>>(d, 100)
print *, cudaDeviceSynchronize()\nh = d\nprint *, sum(h)",
    );
    assert_eq!((out.join(" "), found), ("700 700 0 0 0 200".to_owned(), vec!["R0208"]));
}
