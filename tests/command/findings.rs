//! What becomes of findings on the command line: which are looked for, which are shown, how they look, what a run exits with.

use crate::process::{cufemu, file, run, said, text};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Output;

/// A program with a race on `s` and one on `y`, in two kernels; its last line is 26.
const RACY: &str = "module m
contains
  attributes(global) subroutine shift(x)
    integer :: x(*)
    integer, shared :: s(64)
    s(threadidx%x) = x(threadidx%x)
    x(threadidx%x) = s(65 - threadidx%x)
  end subroutine
  attributes(global) subroutine count(y)
    integer :: y
    y = y + 1
  end subroutine
end module
program p
  use m
  use cudafor
  implicit none
  integer, device :: x(64), y
  integer :: istat
  x = 1
  y = 0
  call shift<<<1, 64>>>(x)
  call count<<<2, 1>>>(y)
  istat = cudaDeviceSynchronize()
  print *, 'done'
end program
";

/// Both ends of a flag; the consumer has no fence of its own.
const NO_CONSUMER_FENCE: &str = "module m
  use cudafor
contains
  attributes(global) subroutine hand_over(data, flag, y)
    integer :: data, flag, y, old
    if (blockidx%x == 1) then
      data = 42
      call threadfence()
      old = atomicexch(flag, 1)
    else
      do while (atomicadd(flag, 0) == 0)
      end do
      y = data
    end if
  end subroutine
end module
program p
  use m
  implicit none
  integer, device :: data, flag, y
  data = 0
  flag = 0
  call hand_over<<<2, 1>>>(data, flag, y)
end program
";

fn err(output: &Output) -> String {
    text(&output.stderr)
}

/// The codes of the findings of a run, in order.
fn codes(output: &Output) -> Vec<String> {
    let all = err(output);
    let code = |line: &str| line.split_once('[')?.1.split_once(']').map(|(code, _)| code.to_owned());
    all.lines().filter(|l| l.starts_with("error[") || l.starts_with("warning[")).filter_map(code).collect()
}

#[test]
fn strict_races_want_the_fence_of_the_consumer() {
    let lenient = run("flag.cuf", NO_CONSUMER_FENCE, &["--race"]);
    assert_eq!((lenient.status.code(), err(&lenient)), (Some(0), String::new()));
    let strict = run("flag.cuf", NO_CONSUMER_FENCE, &["--race=strict"]);
    said(&strict, 1, "data race on global `data`");
    let with_fence = NO_CONSUMER_FENCE.replace("y = data", "call threadfence()\n y = data");
    let strict = run("flag_and_fence.cuf", &with_fence, &["--race=strict"]);
    assert_eq!((strict.status.code(), err(&strict)), (Some(0), String::new()));
    said(&run("flag.cuf", NO_CONSUMER_FENCE, &["--race=lax"]), 2, "invalid value 'lax'");
}

#[test]
fn lanes_of_a_warp_run_in_step_if_asked_for() {
    let program =
        RACY.replace("<<<1, 64>>>", "<<<1, 32>>>").replace("65 -", "33 -").replace("<<<2, 1>>>", "<<<1, 1>>>");
    let found = run("one_warp.cuf", &program, &["--race"]);
    assert_eq!(codes(&found), ["R0103"]);
    said(&found, 1, "syncwarp");
    let in_step = run("one_warp.cuf", &program, &["--race", "--warp-sync", "legacy"]);
    assert_eq!((in_step.status.code(), err(&in_step)), (Some(0), String::new()));
    let in_step = run("two_warps.cuf", RACY, &["--race", "--warp-sync=legacy"]);
    assert_eq!(codes(&in_step), ["R0101", "R0104", "R0104"]);
    said(&run("one_warp.cuf", &program, &["--warp-sync", "volta"]), 2, "[possible values: independent, legacy]");
}

/// A program with something for each check.
const EVERYTHING: &str = "module m
contains
  attributes(global) subroutine k(x, y, n)
    integer, value :: n
    integer :: y
    real :: x(n)
    real :: r
    r = 2*x(threadidx%x)
    if (threadidx%x == 1) r = x(n + 1)
    y = threadidx%x
    x(threadidx%x) = r/(threadidx%x - 1)
  end subroutine
end module
program p
  use m
  use cudafor
  implicit none
  real, device, allocatable :: x(:)
  integer, device :: y
  integer :: istat, h
  allocate(x(4))
  x(3:4) = 1
  call k<<<1, 2>>>(x, y, 3)
  h = y
  istat = cudaDeviceSynchronize()
end program
";

#[test]
fn each_check_finds_its_own_and_nothing_else() {
    let found = |check: &str| codes(&run("everything.cuf", EVERYTHING, &["--check", check]));
    for (check, expected) in [
        ("mem", &[][..]),
        ("sync", &[]),
        ("none", &[]),
        ("mem,sync", &[]),
        ("bounds", &["R0202"]),
        ("init", &["R0301"]),
        ("race", &["R0103"]),
        ("leak", &["R0501"]),
        ("fp", &["R0602"]),
        ("race,leak", &["R0103", "R0501"]),
        ("fp,race", &["R0103", "R0602"]),
    ] {
        assert_eq!(found(check), expected, "--check {check}");
    }
    // A subscript out of bounds ends the launch, and with it the program's memory stays as it is.
    assert!(found("all").contains(&"R0202".to_owned()));
    let inside = EVERYTHING.replace("x(n + 1)", "x(n)");
    let mut all = codes(&run("everything_inside.cuf", &inside, &["--check", "all"]));
    all.sort();
    assert_eq!(all, ["R0103", "R0301", "R0501", "R0602"]);
}

#[test]
fn checks_that_do_not_exist_or_contradict_are_refused() {
    said(&run("everything.cuf", EVERYTHING, &["--check", "memory"]), 2, "invalid value 'memory'");
    said(&run("everything.cuf", EVERYTHING, &["--check", "memory"]), 2, "mem, bounds, init, sync, race, leak, fp, all");
    said(
        &run("everything.cuf", EVERYTHING, &["--check", "none,race"]),
        2,
        "`--check none` cannot be combined with other checks",
    );
    said(
        &run("everything.cuf", EVERYTHING, &["--check", "race,all"]),
        2,
        "`--check all` cannot be combined with other checks",
    );
}

#[test]
fn launches_that_fail_are_always_told_and_advice_is_not_if_nothing_is_wanted() {
    let launch = RACY.replace("<<<1, 64>>>", "<<<1, istat>>>").replace("  y = 0\n", "  y = 0\n  istat = 2000\n");
    for options in [&[][..], &["--check", "none"], &["--check", "all"]] {
        let output = run("launch.cuf", &launch, options);
        said(&output, 1, "error[R0702]: launch with 2000 threads in a block, but at most 1024 are possible");
    }
    // A program that asks for the error has been told.
    let asks = launch.replace("istat = cudaDevice", "istat = cudaGetLastError()\n  istat = cudaDevice");
    assert_eq!(err(&run("launch_asked.cuf", &asks, &[])), "");
    let copy = "program p\nuse cudafor\ninteger :: istat, h(10)\ninteger, device :: d(10)\nh = 1\n\
        istat = cudaMemcpyAsync(d, h, 10)\nistat = cudaDeviceSynchronize()\nend program\n";
    said(&run("pageable.cuf", copy, &[]), 0, "warning[R0708]");
    assert_eq!(err(&run("pageable.cuf", copy, &["--check", "none"])), "");
}

#[test]
fn warnings_fail_a_run_only_if_asked_for() {
    let leak = "program p\nuse cudafor\nreal, device, allocatable :: x(:)\nallocate(x(4))\nend program\n";
    let code = |options: &[&str]| run("leak.cuf", leak, options).status.code();
    assert_eq!(code(&["--check", "leak"]), Some(0));
    assert_eq!(code(&["--check", "leak", "--fail-on", "warning"]), Some(1));
    assert_eq!(code(&["--check", "leak", "--fail-on", "warning", "--error-exitcode", "77"]), Some(77));
    let code = |options: &[&str]| run("racy.cuf", RACY, options).status.code();
    assert_eq!(code(&["--race", "--error-exitcode=9"]), Some(9));
    assert_eq!(code(&["--race", "--error-exitcode=0"]), Some(0));
    assert_eq!(code(&["--race", "--fail-on=never"]), Some(0));
    assert_eq!(code(&[]), Some(0));
}

#[test]
fn no_more_findings_are_shown_than_asked_for() {
    let output = run("racy.cuf", RACY, &["--race", "--max-findings", "1"]);
    assert_eq!(codes(&output), ["R0101"]);
    said(&output, 1, "1 finding");
    said(&output, 1, "2 more");
    // What is not shown still counts.
    let output = run("racy.cuf", RACY, &["--race", "--max-findings", "0"]);
    assert_eq!((codes(&output).len(), output.status.code()), (0, Some(1)));
}

#[test]
fn comments_suppress_the_findings_of_their_line() {
    let at = |from: &str, to: &str| {
        let program = RACY.replace(from, to);
        run("ignored.cuf", &program, &["--race"])
    };
    let output = at("    y = y + 1", "    y = y + 1 !cufemu ignore(R0104)");
    assert_eq!(codes(&output), ["R0101"]);
    said(&output, 1, "suppressed");
    // Standing alone it speaks for the next line, and of a race either end will do.
    let output = at("    s(threadidx%x) = x", "    !cufemu ignore(R0101)\n    s(threadidx%x) = x");
    assert_eq!(codes(&output), ["R0104", "R0104"]);
    // Another code is another matter.
    assert_eq!(codes(&at("    y = y + 1", "    y = y + 1 !cufemu ignore(R0101)")).len(), 3);
    let both = RACY
        .replace("    y = y + 1", "    y = y + 1 !cufemu ignore(R0104, R0109)")
        .replace("= s(65 - threadidx%x)", "= s(65 - threadidx%x) !cufemu ignore(r0101)");
    let output = run("ignored.cuf", &both, &["--race"]);
    assert_eq!((codes(&output).len(), output.status.code()), (0, Some(0)), "{}", err(&output));
}

#[test]
fn files_of_suppressions_name_codes_lines_files_and_kernels() {
    let with = |rules: &str| {
        let rules = file("rules.txt", rules.as_bytes());
        run("suppressed.cuf", RACY, &["--race", "--suppressions", &rules.display().to_string()])
    };
    assert_eq!(codes(&with("# nothing\n")).len(), 3);
    assert_eq!(codes(&with("R0104   # all of this kind\n")), ["R0101"]);
    assert_eq!(codes(&with("R0101 suppressed.cuf:7\n")), ["R0104", "R0104"]);
    assert_eq!(codes(&with("R0101 suppressed.cuf:9\n")).len(), 3);
    assert_eq!(codes(&with("* kernel:count\n")), ["R0101"]);
    let output = with("* findings-files_of_suppressions_name_codes_lines_files_and_kernels/suppressed.cuf\n");
    assert_eq!((codes(&output).len(), output.status.code()), (0, Some(0)), "{}", err(&output));
    said(&with("R0104\nR01 x.cuf\n"), 2, "line 2 of `");
    said(&with("R0104\nR01 x.cuf\n"), 2, "there is no code `R01`");
    said(&run("suppressed.cuf", RACY, &["--suppressions", "no/such/file"]), 2, "cannot read `no/such/file`");
}

#[test]
fn findings_as_json_are_one_object_a_line() {
    let output = run("racy.cuf", RACY, &["--race", "--message-format", "json"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), " done\n".to_owned()));
    let all: Vec<Value> = err(&output).lines().map(|l| serde_json::from_str(l).expect("an object")).collect();
    assert_eq!(all.len(), 3);
    assert_eq!(
        (&all[0]["code"], &all[0]["severity"], &all[0]["place"]["line"]),
        (&"R0101".into(), &"error".into(), &6.into())
    );
    assert_eq!(all[0]["related"][0]["place"]["line"], 7);
}

/// The one document that a run writes to standard error.
fn sarif(output: &Output) -> Value {
    serde_json::from_str(&err(output)).unwrap_or_else(|e| panic!("{e}\n{}", err(output)))
}

#[test]
fn sarif_has_what_code_hosts_show() {
    let output = run("racy.cuf", RACY, &["--race", "--check", "leak", "--message-format", "sarif"]);
    assert_eq!(output.status.code(), Some(1));
    let document = sarif(&output);
    assert_eq!(document["version"], "2.1.0");
    assert!(document["$schema"].as_str().is_some_and(|s| s.contains("sarif-2.1.0")));
    let run = &document["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "cufemu");
    let rules = driver["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 3);
    for result in results {
        let id = result["ruleId"].as_str().expect("a rule");
        let rule = &rules[result["ruleIndex"].as_u64().expect("an index") as usize];
        assert_eq!(rule["id"], id);
        for part in ["shortDescription", "fullDescription", "help"] {
            assert!(rule[part]["text"].as_str().is_some_and(|t| !t.is_empty()), "{id} has no {part}");
        }
        assert_eq!(result["level"], "error");
        assert!(result["message"]["text"].as_str().is_some_and(|t| t.contains("data race")));
        assert!(result["partialFingerprints"].as_object().is_some_and(|f| !f.is_empty()));
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a file");
        assert!(uri.ends_with("racy.cuf") && !uri.contains('\\'), "{uri}");
        let region = &place["region"];
        let number = |name: &str| region[name].as_u64().expect("a number");
        assert!(number("startLine") >= 1 && number("startColumn") >= 1);
        assert!((number("endLine"), number("endColumn")) > (number("startLine"), number("startColumn")));
    }
    let shared = &results[0];
    assert_eq!(
        (&shared["ruleId"], &shared["locations"][0]["physicalLocation"]["region"]["startLine"]),
        (&"R0101".into(), &6.into())
    );
    let other = &shared["relatedLocations"][0];
    assert_eq!(other["physicalLocation"]["region"]["startLine"], 7);
    assert!(other["message"]["text"].as_str().is_some_and(|t| t.contains("read it here")));
}

#[test]
fn sarif_of_a_clean_run_and_of_a_program_with_errors_is_a_document_too() {
    let clean = run("clean.cuf", "print *, 1\nend\n", &["--message-format", "sarif"]);
    assert_eq!((clean.status.code(), sarif(&clean)["runs"][0]["results"].as_array().map(Vec::len)), (Some(0), Some(0)));
    let broken = run("broken.cuf", "program p\nimplicit none\nx = 1\nend\n", &["--message-format", "sarif"]);
    assert_eq!(broken.status.code(), Some(1));
    assert_eq!(sarif(&broken)["runs"][0]["results"][0]["ruleId"], "E0201");
}

#[test]
fn seeds_choose_the_order_of_lanes_too() {
    let program = "module m
  use cudafor
contains
  attributes(global) subroutine k(x, n)
    integer :: x(*), n, i
    i = atomicadd(n, 1)
    x(i + 1) = threadidx%x
    if (mod(threadidx%x, 2) == 0) then
      i = atomicadd(n, 1)
    else
      i = atomicadd(n, 1)
    end if
    x(i + 1) = threadidx%x
  end subroutine
end module
program p
  use m
  integer, device :: x(64), n
  integer :: h(64)
  n = 0
  call k<<<1, 32>>>(x, n)
  h = x
  print *, h(1), h(33)
end program
";
    let printed = |seed: u64| text(&run("lane_order.cuf", program, &[&format!("--schedule=seed:{seed}")]).stdout);
    let all: Vec<String> = (0..12).map(printed).collect();
    assert_eq!(all[0].split_whitespace().collect::<Vec<_>>(), ["1", "2"], "the natural order begins with the first");
    assert_eq!(printed(5), all[5], "a seed gives the same order again");
    let firsts: std::collections::BTreeSet<&str> = all.iter().filter_map(|l| l.split_whitespace().next()).collect();
    assert!(firsts.len() > 3, "{firsts:?}");
    let odd =
        all.iter().filter_map(|l| l.split_whitespace().nth(1)?.parse::<u32>().ok()).filter(|n| n % 2 == 1).count();
    assert!((1..12).contains(&odd), "either part of a branch may come first: {all:?}");
}

#[test]
fn examples_of_the_suite_are_clean_under_seeds() {
    let clean = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/reduce.cuf");
    let output = cufemu().args(["--race", "--many-seeds", "0..4"]).arg(clean).output().expect("it runs");
    assert_eq!((output.status.code(), err(&output)), (Some(0), String::new()));
}

/// Kernels that leave their arrays; the argument of the program says which one runs.
const OUTSIDE: &str = "module m
  real, device, allocatable :: g(:)
  type t
    real :: u(4)
    integer :: k
  end type
contains
  attributes(global) subroutine k1(a, b, n)
    integer, value :: n
    real :: a(n), b(n)
    b(threadidx%x) = a(threadidx%x + 1000)
  end subroutine
  attributes(global) subroutine k2(a)
    real :: a(:,:)
    a(threadidx%x, 20) = 1
  end subroutine
  attributes(global) subroutine k3(i)
    integer, value :: i
    g(i) = 1
  end subroutine
  attributes(global) subroutine k4(p)
    type(t) :: p(*)
    p(threadidx%x + 2)%u(2) = 1
  end subroutine
  attributes(device) subroutine set(x, i)
    real :: x(*)
    integer, value :: i
    x(i) = 2
  end subroutine
  attributes(global) subroutine k5(a, i)
    integer, value :: i
    real :: a(100)
    call set(a, i)
  end subroutine
  attributes(global) subroutine k6(a, n)
    integer, value :: n
    real :: a(n)
    real, shared :: s(32)
    s(threadidx%x + n) = 1
    a(1) = s(1)
  end subroutine
end module
program p
  use m
  use cudafor
  integer, parameter :: n = 100
  real, device :: x(n), y(n), z(n)
  real, device, allocatable :: q(:,:), r(:,:)
  type(t), device :: w(2)
  character(8) :: arg
  allocate(q(10, 10), r(10, 10), g(10))
  x = 1; z = 1
  g = 0
  call get_command_argument(1, arg)
  select case (arg)
  case ('1'); call k1<<<1, 100>>>(x, y, n)
  case ('2'); call k2<<<1, 10>>>(q)
  case ('3'); call k3<<<1, 1>>>(21)
  case ('4'); call k4<<<1, 1>>>(w)
  case ('5'); call k5<<<1, 1>>>(y, n + 1)
  case ('6'); call k6<<<1, 1>>>(y, n)
  case ('7'); call k5<<<1, 1>>>(y, 0)
  case ('8'); deallocate(g); call k3<<<1, 1>>>(21)
  end select
  i = cudaDeviceSynchronize()
end program
";

#[test]
fn accesses_outside_name_the_array_that_the_statement_names() {
    let program = file("outside.cuf", OUTSIDE.as_bytes());
    for (which, message) in [
        (1, "read of `a(1001)`, which lies 3600 bytes past the end of `x`"),
        (2, "write of `a(1,20)`, which lies 360 bytes past the end of `q`"),
        (3, "write of `g(21)`, which lies 40 bytes past the end of `g`"),
        (4, "write of `p(3)%u(2)`, which lies 4 bytes past the end of `w`"),
        (5, "write of `x(101)`, which lies right past the end of `y`"),
        (6, "write of `s(101)`, which lies 272 bytes past the end of `s`"),
        (7, "write of `x(0)`, which lies 4 bytes before the beginning of `y`"),
        (8, "write of `g(21)`, but `g` is not allocated"),
    ] {
        let output = cufemu().arg(&program).args(["--", &which.to_string()]).output().expect("it runs");
        said(&output, 1, message);
    }
}

/// The lines of a report that speak of the program.
fn report(name: &str, program: &str, options: &[&str]) -> String {
    let output = run(name, program, options);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let path = file(name, program.as_bytes()).display().to_string();
    err(&output).replace(&path, name)
}

const TOGETHER: &str = "module m
contains
  attributes(global) subroutine k(x, f)
    integer :: x(64), f, t
    t = threadidx%x
    WAIT
    x(t) = t
  end subroutine
end module
program p
  use m
  integer, device :: x(64), f
  f = 0
  call k<<<1, 64>>>(x, f)
end program
";

#[test]
fn threads_that_wait_for_ever_are_told_with_who_waits_where() {
    let with = |name: &str, wait: &str| report(name, &TOGETHER.replace("WAIT", wait), &["--race"]);
    let barrier = with(
        "barrier.cuf",
        "if (t <= 40) then\n      call syncthreads()\n    else\n      call syncthreads()\n    end if",
    );
    assert!(
        barrier.contains("error[R0401]: threads of block (1,1,1) wait at different `syncthreads` statements"),
        "{barrier}"
    );
    assert!(barrier.contains("40 threads wait here, the first is thread (1,1,1)"), "{barrier}");
    assert!(barrier.contains("24 threads wait here, the first is thread (41,1,1)"), "{barrier}");
    let warp = with(
        "lanes.cuf",
        "if (t > 32) then\n      call syncthreads()\n    else if (t > 16) then\n      call syncwarp(-1)\n    \
        else\n      call syncthreads()\n    end if",
    );
    assert!(warp.contains("error[R0403]: lanes 0 to 15 of the warp never reach this `syncwarp`"), "{warp}");
    assert!(warp.contains("--> lanes.cuf:9:7"), "the place is that of the operation that waits in vain: {warp}");
    assert!(warp.contains("16 threads wait here at `syncwarp`, the first is thread (17,1,1)"), "{warp}");
    assert!(warp.contains("32 threads wait here at `syncthreads`, the first is thread (33,1,1)"), "{warp}");
    let polls = with(
        "polls.cuf",
        "if (t <= 32) then\n      call syncthreads()\n    else\n      do while (atomicadd(f, 0) == 0)\n      \
        end do\n    end if",
    );
    assert!(
        polls.contains(
            "error[R0405]: livelock: these threads repeat a loop until memory changes that no thread will ever change"
        ),
        "{polls}"
    );
    assert!(polls.contains("32 threads poll here, the first is thread (33,1,1) of block (1,1,1)"), "{polls}");
    assert!(polls.contains("32 threads wait here at `syncthreads`, the first is thread (1,1,1)"), "{polls}");
}

#[test]
fn memory_of_the_other_side_and_memory_freed_twice_are_told() {
    let head = "program p\nuse cudafor\nuse iso_c_binding\ntype(c_devptr) :: d\ntype(c_ptr) :: c\nreal, pointer :: h(:)\n\
        integer :: istat\nistat = cudaMalloc(d, 40_8)\n";
    let host = format!("{head}c = transfer(d, c)\ncall c_f_pointer(c, h, [10])\nh(3) = 1\nend program\n");
    let host = report("other_side.cuf", &host, &[]);
    assert!(host.contains("error[R0206]: `h` is in device memory, which host code cannot reach"), "{host}");
    let twice = format!("{head}istat = cudaFree(d)\nistat = cudaFree(d)\nend program\n");
    let twice = report("twice.cuf", &twice, &[]);
    assert!(
        twice.contains("error[R0210]") && twice.contains("freed here before") && twice.contains("allocated here"),
        "{twice}"
    );
    let far = "program p\nuse cudafor\ninteger, device :: x(20)\ninteger :: h(20), istat\nh = 1\n\
        istat = cudaMemcpy(x, h, 80)\nend program\n";
    let far = report("far.cuf", far, &[]);
    assert!(
        far.contains("error[R0215]: `cudaMemcpy` of 320 bytes goes beyond the end of `x`, which has 80 from here"),
        "{far}"
    );
}

#[test]
fn launches_beyond_the_limits_say_which() {
    let program = "module m
contains
  attributes(global) subroutine k(x)
    integer :: x(*)
    integer, shared :: s(*)
    s(threadidx%x) = 1
    x(threadidx%x) = s(threadidx%x)
  end subroutine
  attributes(global) launch_bounds(64) subroutine small(x)
    integer :: x(*)
    x(threadidx%x) = 1
  end subroutine
end module
program p
  use m
  use cudafor
  integer, device :: x(200)
  integer :: n
  character(8) :: arg
  read *, n
  LAUNCH
end program
";
    for (launch, n, message) in [
        ("k<<<1, 32, n>>>(x)", 300_000, "error[R0703]: launch with 300000 bytes of shared memory in a block"),
        (
            "small<<<1, n>>>(x)",
            128,
            "error[R0705]: launch with 128 threads in a block, but `launch_bounds` of the kernel allows 64",
        ),
        (
            "k<<<dim3(1, n, 1), 32, 256>>>(x)",
            70_000,
            "error[R0701]: launch with grid%y = 70000, which must be between 1 and 65535",
        ),
        ("k<<<1, n, 256>>>(x)", 0, "error[R0701]: launch with block%x = 0, which must be between 1 and 1024"),
    ] {
        let text = program.replace("read *, n", &format!("n = {n}")).replace("LAUNCH", &format!("call {launch}"));
        let found = report("limits.cuf", &text, &[]);
        assert!(found.contains(message), "{found}");
        assert!(found.contains("the kernel did not run"), "{found}");
    }
}

#[test]
fn what_a_failed_launch_leaves_undone_is_not_told_again() {
    let program = "module m\ncontains\nattributes(global) subroutine k(a)\ninteger :: a(*)\na(threadidx%x - 1) = 1\n\
        end subroutine\nend module\nprogram p\nuse m\ninteger, device :: a_d(32)\ninteger :: r(32)\ncall k<<<1, 32>>>(a_d)\n\
        r = a_d\nif (any(r /= 1)) print *, 'wrong'\nend program\n";
    assert_eq!(codes(&run("undone.cuf", program, &["--check", "all"])), ["R0201"]);
}

#[test]
fn an_access_outside_of_an_array_is_not_told_of_another_one() {
    const BEFORE: &str = "real(8), allocatable :: v(:,:)\ninteger :: j\nallocate (v(32,17))\nv = 2\nj = 0\n\
        print *, v(1,j)\nend\n";
    said(&run("before.f90", BEFORE, &[]), 1, "256 bytes before the beginning of `v`");
    // `v(i,0)` lies behind `u`, whose name it must not get, nor that of a subscript.
    const BETWEEN: &str = "real(8), allocatable :: u(:,:), v(:,:)\ninteger :: i, j, jm\n\
        allocate (u(32,0:17), v(32,17))\nu = 1\nv = 2\ndo j = 1, 3\njm = j - 1\ndo i = 1, 32\n\
        u(i,j) = v(i,jm)\nend do\nend do\nprint *, sum(u)\nend\n";
    let output = run("between.f90", BETWEEN, &[]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(!said.contains("read of `u") && !said.contains("read of `jm"), "{said}");
}
