//! The command line with what it should not be given: a clear sentence, the right exit code, nothing lost.

use crate::process::{cufemu, file, run, said, text};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Starts a command whose input and output the test holds.
pub(crate) fn piped(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// A program that prints `before` and then waits for a kernel that never ends.
pub(crate) const ENDLESS_KERNEL: &str = "module m\ncontains\nattributes(global) subroutine spin(x)\ninteger :: x(*), i\ni = 1\n\
    do while (i /= 0)\ni = ieor(i, 2)\nend do\nx(1) = i\nend subroutine\nend module\nprogram p\nuse m\n\
    integer, device :: x(1)\ninteger :: h(1)\nprint *, 'before'\ncall spin<<<64, 32>>>(x)\nh = x\nprint *, h\n\
    end program\n";

#[test]
fn files_that_cannot_be_read_are_named() {
    let output = cufemu().arg("no/such/file.cuf").output().expect("it runs");
    said(&output, 2, "cannot read `no/such/file.cuf`: there is no such file");
    said(&cufemu().arg("src").output().expect("it runs"), 2, "it is a directory");
    said(&cufemu().output().expect("it runs"), 2, "no source file");
    let mut child = cufemu().arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    child.stdin.take().expect("piped").write_all(b"print *, 6*7\nend\n").expect("written");
    assert_eq!(text(&child.wait_with_output().expect("it ends").stdout).trim(), "42");
    let binary = file("binary.cuf", &[0x7f, b'E', b'L', b'F', 0, 0, 1, 2]);
    said(&cufemu().arg(binary).output().expect("it runs"), 2, "is not a source file");
}

#[test]
fn files_without_a_program_are_diagnosed() {
    said(&run("empty.cuf", "", &[]), 1, "error[");
    said(&run("comment.cuf", "! nothing here\n", &[]), 1, "error[");
    said(&run("noise.cuf", "\u{1}\u{2}%%%$$$ (((\n&&&\n'\n", &[]), 1, "error[");
}

#[test]
fn several_files_in_any_order_are_one_program() {
    const DATA: &str = "module data\nuse cudafor\ninteger, device :: total\ninteger, constant :: factor\ncontains\n\
        attributes(device) integer function scaled(i)\ninteger, value :: i\nscaled = factor*i\nend function\nend module\n";
    const KERNELS: &str = "module kernels\nuse data\ncontains\nattributes(global) subroutine add(n)\n\
        integer, value :: n\ninteger :: old\nif (threadidx%x <= n) old = atomicadd(total, scaled(threadidx%x))\n\
        end subroutine\nend module\nattributes(global) subroutine outside(x)\nuse data, only: scaled\ninteger :: x\n\
        x = x + scaled(1)\nend subroutine\n";
    const MAIN: &str = "program p\nuse kernels\ninterface\nattributes(global) subroutine outside(x)\ninteger :: x\n\
        end subroutine\nend interface\ninteger :: h\ntotal = 0\nfactor = 3\ncall add<<<1, 32>>>(10)\n\
        call outside<<<1, 1>>>(total)\nh = total\nprint '(i0)', h\nend program\n";
    let files = [("data.cuf", DATA), ("kernels.cuf", KERNELS), ("main.cuf", MAIN)].map(|(n, t)| file(n, t.as_bytes()));
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let output = cufemu().args(order.map(|i: usize| &files[i])).output().expect("it runs");
        assert_eq!(text(&output.stdout), "168\n", "{order:?}: {}", text(&output.stderr));
    }
}

#[test]
fn files_that_are_no_program_can_be_checked() {
    let directory = file(
        "kernels.cuf",
        b"module checked_kernels\nuse checked_data\nimplicit none\ncontains\n\
        attributes(global) subroutine scale(x)\nreal :: x(*)\nx(threadidx%x) = factor*x(threadidx%x)\nend subroutine\n\
        end module\n",
    );
    file("data.f90", b"module checked_data\nreal, parameter :: factor = 2\nend module\n");
    file("decoy.f90", b"module checked_other\nsyntax error\nend module\n");
    let wrong =
        file("wrong.f90", b"subroutine wrong\nuse checked_kernels\nimplicit none\ny = factor\nend subroutine\n");
    let silent = |args: &[&str]| {
        let output = cufemu().args(args).output().expect("it runs");
        assert_eq!(
            (output.status.code(), text(&output.stdout) + &text(&output.stderr)),
            (Some(0), String::new()),
            "{args:?}"
        );
    };
    let (kernels, wrong) = (directory.display().to_string(), wrong.display().to_string());
    for option in ["check", "--only-check", "-fsyntax-only"] {
        silent(&[option, &kernels]);
        said(&cufemu().args([option, &wrong]).output().expect("it runs"), 1, "error[E0201]: `y` has no declaration");
    }
    let output = cufemu().args(["check", &wrong, "--message-format", "json"]).output().expect("it runs");
    said(&output, 1, "\"code\":\"E0201\"");
    // What is being typed does not hide the modules.
    let typed =
        file("typed.f90", b"subroutine typed(y)\nuse checked_data\nreal :: y\ny = factor\ny = (\nend subroutine\n");
    let output = cufemu().args(["check", &typed.display().to_string()]).output().expect("it runs");
    said(&output, 1, "typed.f90:5");
    assert!(!text(&output.stderr).contains("checked_data"), "{}", text(&output.stderr));
    // A program is not run.
    let main = file("main.f90", b"use checked_data\nprint *, factor\nend\n").display().to_string();
    silent(&["check", &main]);
    // What is nowhere is an error.
    let lost = file("lost.f90", b"subroutine lost\nuse checked_nowhere\nend\n").display().to_string();
    said(&cufemu().args(["check", &lost]).output().expect("it runs"), 1, "checked_nowhere");
    said(&cufemu().arg("check").output().expect("it runs"), 2, "no source file");
}

#[test]
fn truncated_programs_say_what_is_open() {
    said(&run("open_loop.cuf", "program p\ninteger :: i\ndo i = 1, 3\nprint *, i\n", &[]), 1, "error[");
    said(&run("open_string.cuf", "program p\nprint *, 'abc\nend\n", &[]), 1, "error[");
    said(&run("open_paren.cuf", "program p\nprint *, (1 + 2\nend\n", &[]), 1, "error[");
}

#[test]
fn ten_thousand_deep_nesting_is_one_error() {
    let mut source = String::from("program p\nimplicit none\n");
    source.push_str(&"if (.true.) then\n".repeat(10_000));
    source.push_str(&"end if\n".repeat(10_000));
    source.push_str("end program\n");
    said(&run("deep.cuf", &source, &[]), 1, "error[E0104]");
    let parens = format!("program p\nprint *, {}1{}\nend\n", "(".repeat(10_000), ")".repeat(10_000));
    said(&run("parens.cuf", &parens, &[]), 1, "error[");
}

#[test]
fn ten_megabytes_are_no_problem() {
    let mut source = String::from("program p\ninteger :: i\ni = 0\n");
    while source.len() < 10 << 20 {
        source.push_str("! a comment line of a very long program that says nothing at all, again and again\n");
    }
    source.push_str("print *, i\nend program\n");
    let output = run("large.cuf", &source, &[]);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), "            0\n"));
}

#[test]
fn unknown_options_are_refused() {
    let output = cufemu().args(["--frobnicate", "a.cuf"]).output().expect("it runs");
    said(&output, 2, "--frobnicate");
    said(&cufemu().args(["--explain", "R9999"]).output().expect("it runs"), 2, "there is no code `R9999`");
    let explained = cufemu().args(["--explain", "R0101"]).output().expect("it runs");
    assert_eq!(explained.status.code(), Some(0));
    assert!(text(&explained.stdout).contains("syncthreads"));
}

#[test]
fn arrays_larger_than_memory_are_refused_with_their_name() {
    let source = "program p\nimplicit none\nreal(8), allocatable :: a(:)\nprint *, 'before'\n\
                  allocate(a(1000000000000000_8))\nend program\n";
    let output = run("huge.cuf", source, &[]);
    said(&output, 1, "`a`");
    assert_eq!(text(&output.stdout), " before\n");
}

#[test]
fn what_was_printed_before_an_error_is_kept() {
    let source = "program p\nimplicit none\ninteger :: i, j\nj = 0\nprint *, 'before'\ni = 1/j\n\
                  print *, 'after', i\nend program\n";
    let output = run("divide.cuf", source, &[]);
    assert!(text(&output.stdout).starts_with(" before\n"));
    let source = "module m\ncontains\nrecursive integer function f(n) result(r)\ninteger :: n\n\
                  r = f(n + 1) + 1\nend function\nend module\nprogram p\nuse m\nprint *, 'before'\n\
                  print *, f(1)\nend program\n";
    let output = run("recurse.cuf", source, &[]);
    said(&output, 1, "error[R08");
    assert_eq!(text(&output.stdout), " before\n");
}

#[test]
fn stop_codes_are_exit_codes() {
    assert_eq!(run("stop3.cuf", "stop 3\nend\n", &[]).status.code(), Some(3));
    assert_eq!(run("stop.cuf", "stop\nend\n", &[]).status.code(), Some(0));
    assert_eq!(run("error_stop.cuf", "error stop 7\nend\n", &[]).status.code(), Some(7));
}

#[test]
fn a_gpu_that_is_not_there_is_one_sentence() {
    if gpu::driver_is_present() {
        eprintln!("SKIPPED: this machine has a CUDA driver");
        return;
    }
    let output = run("gpu.cuf", "print *, 'hi'\nend\n", &["--device", "gpu"]);
    said(&output, 2, "no CUDA driver");
    assert_eq!(text(&output.stderr).lines().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error_and_a_full_disk_is() {
    let path = file("many.cuf", b"integer :: i\ndo i = 1, 200000\nprint *, i\nend do\nend\n");
    let mut child = piped(cufemu().arg(&path));
    let mut few = [0; 100];
    child.stdout.take().expect("a pipe").read_exact(&mut few).expect("some output");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    if let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") {
        let output = cufemu().arg(&path).stdout(full).output().expect("it runs");
        said(&output, 2, "cannot write to standard output");
    }
}

#[test]
fn unknown_debugger_commands_are_answered() {
    let path = file("debug.cuf", b"program p\ninteger :: i\ni = 1\nprint *, i\nend program\n");
    let mut child = piped(cufemu().arg("--debug").arg(&path));
    child.stdin.take().expect("a pipe").write_all(b"frobnicate\nprint )(\nbreak 99999\nquit\n").expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    let all = text(&output.stdout) + &text(&output.stderr);
    assert!(all.contains("frobnicate"), "{all}");
    assert!(!all.contains("internal error"), "{all}");
    assert_eq!(output.status.code(), Some(0), "{all}");
}

#[test]
fn races_name_the_array_that_holds_the_element() {
    let program = "
module m
  use cudafor
  integer, device :: last(64)
contains
  attributes(global) subroutine k(x, y)
    integer :: x(*), y(*)
    y(1 + mod(threadidx%x, 2)) = threadidx%x
    last(63) = threadidx%x
    x(threadidx%x) = 0
  end subroutine
end module
program p
  use m
  implicit none
  integer, device :: x(64), y(64)
  call k<<<1, 64>>>(x, y)
end program
";
    let output = run("arrays.cuf", program, &["--race"]);
    said(&output, 1, "data race on global `y(2)`");
    said(&output, 1, "data race on global `last(63)`");
}

/// The last block to come leaves its number, and a log of what was asked of the world is a file.
const LAST_WINS: &str = "module m\ncontains\nattributes(global) subroutine k(x)\ninteger :: x(*)\n\
    if (threadidx%x == 1) x(1) = blockidx%x\nend subroutine\nend module\nprogram p\nuse m\n\
    integer, device :: x(1)\ninteger :: h(1), n\nread *, n\nx = 0\ncall k<<<16, 32>>>(x)\nh = x\n\
    print *, n, h\nend program\n";

#[test]
fn results_that_depend_on_the_order_are_reported_with_their_seeds() {
    let run = |options: &[&str]| {
        let mut child = piped(cufemu().args(options).arg(file("last.cuf", LAST_WINS.as_bytes())));
        child.stdin.take().expect("a pipe").write_all(b"7\n").expect("it reads");
        child.wait_with_output().expect("it ends")
    };
    let once = run(&[]);
    assert_eq!(once.status.code(), Some(0));
    let many = run(&["--many-seeds", "0..6"]);
    said(&many, 1, "the result depends on the order of blocks and warps");
    assert_eq!(text(&many.stdout), text(&once.stdout), "only the first run prints, and input is read once");
    assert!(text(&many.stderr).contains("different output with seeds"), "{}", text(&many.stderr));
    let same = run(&["--many-seeds=3..4"]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stderr));
}

#[test]
fn a_program_that_does_not_depend_on_the_order_is_the_same_with_all_seeds() {
    let program = LAST_WINS.replace("read *, n\n", "n = 0\n").replace("x(1) = blockidx%x", "x(1) = 5");
    let output = run("first.cuf", &program, &["--many-seeds", "0..8", "--jobs", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn memory_above_the_limit_fails_as_cuda_and_fortran_say() {
    let program = "program p\nuse cudafor\nimplicit none\ninteger, allocatable :: a(:), b(:)\n\
        integer, allocatable, device :: d(:)\ntype(c_devptr) :: q\ninteger :: s\n\
        allocate(a(100000), stat=s)\nprint *, s == 0\nallocate(b(200000), stat=s)\nprint *, s == 0, allocated(b)\n\
        allocate(d(200000), stat=s)\nprint *, s == 0, allocated(d)\ns = cudaMalloc(q, 900000)\n\
        print *, s == cudaErrorMemoryAllocation\ndeallocate(a)\nallocate(d(200000), stat=s)\nprint *, s == 0\n\
        if (.not. allocated(b)) allocate(b(200000))\nprint *, 'not here'\nend program\n";
    let output = run("memory.cuf", program, &["--memory", "1m"]);
    assert_eq!(text(&output.stdout), "  T\n  F  F\n  F  F\n  T\n  T\n");
    said(&output, 1, "`b`");
    let output = run("memory.cuf", program, &["--memory=16M"]);
    assert!(text(&output.stdout).ends_with(" not here\n"), "{}", text(&output.stderr));
    said(&run("memory.cuf", program, &["--memory", "lots"]), 2, "write a number of bytes");
}

#[test]
fn the_time_limit_ends_a_run_and_says_where_it_was() {
    let host = "integer :: i\nprint *, 'before'\nopen(7, file='/dev/null')\ndo\ni = i + 1\nend do\nend\n";
    let output = run("late.cuf", host, &["--timeout", "0.3"]);
    said(&output, 124, "stopped after 0.3 s, the limit of `--timeout`, at ");
    assert!(text(&output.stderr).contains("late.cuf:"), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), " before\n");
    for options in [&["--timeout=0.3"][..], &["--timeout=0.3", "--jobs=1"], &["--timeout=0.3", "--race"]] {
        let output = run("spin.cuf", ENDLESS_KERNEL, options);
        said(&output, 124, "in kernel `m.spin`, ");
        assert_eq!(text(&output.stdout), " before\n");
    }
    // Within a procedure of an embedded module the line is that of the program that called it.
    let calls = ENDLESS_KERNEL
        .replace("integer :: x(*), i", "integer :: x(*), i\nreal :: y\ny = 1")
        .replace("i = ieor(i, 2)", "i = ior(i + 1, 1)\ny = sin(y + i)");
    for timeout in ["--timeout=0.2", "--timeout=0.25", "--timeout=0.3", "--timeout=0.35"] {
        let output = run("calls.cuf", &calls, &[timeout]);
        said(&output, 124, "calls.cuf:");
        assert!(!text(&output.stderr).contains("<cufemu"), "{}", text(&output.stderr));
    }
    let output = run("spin.cuf", ENDLESS_KERNEL, &["--timeout=0.3", "--many-seeds=0..4"]);
    said(&output, 124, "the limit of `--timeout`");
    said(&run("quick.cuf", "print *, 'hi'\nend\n", &["--timeout", "60"]), 0, "");
    said(&run("quick.cuf", "print *, 'hi'\nend\n", &["--timeout", "soon"]), 2, "write a time");
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    for options in [
        &["--debug", "--verify"][..],
        &["--debug", "--device", "gpu"],
        &["--many-seeds", "0..4", "--schedule", "seed:1"],
        &["--emit", "ir", "--debug"],
        &["--devices", "0"],
        &["--jobs", "0"],
        &["--sm", "999"],
        &["--fast-math", "--verify"],
    ] {
        let output = run("contradiction.cuf", "print *, 1\nend\n", options);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{options:?}");
    }
}

#[test]
fn fast_mathematics_is_the_gpus() {
    let of = |expression: &str| {
        format!(
            "module m\ncontains\nattributes(global) subroutine k(x)\nreal :: x(*)\nx(1) = {expression}\n\
             end subroutine\nend module\nend\n"
        )
    };
    let exact = of("exp(x(2))/x(3) + 1.0/sqrt(x(4)) + x(5)**x(6)");
    let ptx = |options: &[&str]| text(&run("fast.cuf", &exact, options).stdout);
    assert!(!ptx(&["--emit", "ptx"]).contains(".approx"));
    for option in ["--fast-math", "-gpu=fastmath"] {
        let fast = ptx(&["--emit", "ptx", option]);
        for instruction in ["ex2.approx.ftz.f32", "div.approx.ftz.f32", "rsqrt.approx.ftz.f32", "lg2.approx.ftz.f32"] {
            assert!(fast.contains(instruction), "{instruction} in {fast}");
        }
        assert!(!fast.contains("div.rn.f32") && !fast.contains("sqrt.rn.f32"), "{fast}");
    }
    said(&run("fast.cuf", &exact, &["--fast-math"]), 0, "`--fast-math` has no effect on the emulator");
    said(&run("fast.cuf", &exact, &["-gpu=fastmath"]), 0, "has no effect; results may differ from those of nvfortran");
    said(&run("fast.cuf", &of("__expf(x(2))"), &["--verify"]), 2, "only a GPU has the bits of an approximate function");
}

#[test]
fn scripts_of_the_debugger_have_blocks_and_call_other_scripts() {
    let other = file("other.gdb", b"define twice\nprint 2*$arg0\nend\n");
    let text_of = format!(
        "source {}\nbreak 3\ncommands\nsilent\nprintf \"n is %d\\n\", n\ncontinue\nend\nrun\ntwice 21\nif $ == 42\necho right\\n\nend\n",
        other.display()
    );
    let script = file("blocks.gdb", text_of.as_bytes());
    let program = "integer :: n\nn = 5\nprint *, n\nend\n";
    let output = run("blocks.cuf", program, &["--batch", &script.display().to_string()]);
    said(&output, 0, "");
    let shown = text(&output.stdout);
    for part in ["\n>silent\n", "\nn is 5\n", "\n$1 = 42\n", "\nright\n"] {
        assert!(shown.contains(part), "{part:?} in {shown}");
    }
}

#[test]
fn a_script_ends_at_a_command_that_fails_and_says_where() {
    let script = file("failing.commands", b"list 1\nfrobnicate\nrun\n");
    let output = run("script.cuf", "print *, 1\nend\n", &["--batch", &script.display().to_string()]);
    said(&output, 1, "failing.commands:2: this command failed");
    assert!(!text(&output.stdout).contains("(cufemu) run"));
    // An error that a program meets in a script that nobody watches is one of the run.
    let output = run("stray.cuf", "integer :: a(3), i\ni = 4\na(i) = 1\nend\n", &["--check", "bounds", "-ex", "run"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

#[test]
fn a_stage_that_does_not_fit_the_disk_is_an_error() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
    let source = file("stage.cuf", b"print *, 1\nend\n");
    let output = cufemu().args(["--emit", "ir"]).arg(source).stdout(full).output().expect("it runs");
    said(&output, 2, "cannot write to standard output");
}

#[test]
fn the_code_after_any_pass_can_be_seen() {
    // An element of a local array that nothing loads is stored until the pass that looks for such stores.
    let source = "module m\ncontains\nattributes(global) subroutine k(x, n)\nreal :: x(*), a(8)\ninteger, value :: n\n\
        a(n) = x(1)\nx(2) = 1\nend subroutine\nend module\nend\n";
    let after = |pass: &str| run("passes.cuf", source, &["--emit", &format!("ir={pass}")]);
    let stores = |pass: &str| text(&after(pass).stdout).matches("store.local").count();
    assert_eq!((stores("gvn:1"), stores("order-addresses"), stores("dead-locals")), (1, 1, 0));
    said(&after("gvn:99"), 2, "no run 99 of a pass `gvn`");
    let all = text(&after("nothing").stderr);
    for pass in
        ["unswitch (", "if-convert (", "hoist-invariants (", "promote (", "dead-locals (", "dse (", "hoist-loads ("]
    {
        assert!(all.contains(pass), "{pass} in {all}");
    }
}

#[test]
fn an_endless_recursion_is_told_in_a_few_lines() {
    let program = "print *, f(1)\ncontains\nrecursive integer function f(i) result(r)\ninteger :: i\nr = f(i + 1) + 1\n\
                   end function\nend\n";
    let output = run("recursion.cuf", program, &[]);
    said(&output, 1, "R0808");
    assert!(text(&output.stderr).lines().count() < 40, "{}", text(&output.stderr));
}

#[test]
fn a_long_sum_is_computed_and_a_longer_one_refused() {
    let sum = |terms: usize| {
        format!("program p\ninteger :: i\ni = 1\ni = i{}\nprint *, i\nend program\n", "+i".repeat(terms - 1))
    };
    let output = run("long_sum.f90", &sum(2400), &["-O0"]);
    assert_eq!((output.status.code(), text(&output.stdout).trim()), (Some(0), "2400"), "{}", text(&output.stderr));
    let output = run("longer_sum.f90", &sum(100_000), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("E0104"), "{}", text(&output.stderr));
}

#[test]
fn options_that_would_change_results_are_named_and_extended_lines_are_read() {
    let line = format!(
        "      program p\n      integer :: i\n      i = 1{}+ 100\n      print *, i\n      end\n",
        " ".repeat(66)
    );
    let output = run("extended.f", &line, &["-Mextend", "-gpu=fastmath"]);
    assert_eq!(text(&output.stdout).trim(), "101");
    assert!(text(&output.stderr).contains("`-gpu=fastmath (fastmath)` has no effect; results may differ"));
}

/// Kernels of which one shares nothing, one has little work, and one writes where an index array says.
const LAUNCHES: &str = "module kernels
contains
  attributes(global) subroutine apart(x, n)
    real :: x(*)
    integer, value :: n
    integer :: i, k
    i = (blockidx%x - 1) * blockdim%x + threadidx%x
    do k = 1, 200
      if (i <= n) x(i) = x(i) + k
    end do
  end subroutine
  attributes(global) subroutine scattered(x, index, n)
    real :: x(*)
    integer :: index(*)
    integer, value :: n
    integer :: i, k
    i = (blockidx%x - 1) * blockdim%x + threadidx%x
    do k = 1, 200
      if (i <= n) x(index(i)) = x(index(i)) + k
    end do
  end subroutine
  attributes(global) subroutine handed(x, index, n)
    real :: x(n)
    integer :: index(n)
    integer, value :: n
    integer :: i, k
    i = (blockidx%x - 1) * blockdim%x + threadidx%x
    do k = 1, 200
      if (i <= n) x(index(i)) = x(index(i)) - k
    end do
    call threadfence()
  end subroutine
end module
program main
  use cudafor
  use kernels
  integer, parameter :: n = 65536
  real, device :: x(n)
  integer, device :: index(n)
  integer :: i
  x = 0
  index = [(i, i = 1, n)]
  call apart<<<n/256, 256>>>(x, n)
  call apart<<<1, 32>>>(x, 32)
  call scattered<<<n/256, 256>>>(x, index, n)
  call handed<<<n/256, 256>>>(x, index, n)
  if (cudaDeviceSynchronize() /= 0) error stop
end program
";

#[test]
fn kernels_that_one_thread_runs_are_named_with_the_reason() {
    let small = "kernel `apart` ran once on one thread: it has too little work for several";
    let two = run("launches.cuf", LAUNCHES, &["--verbose", "--jobs", "2"]);
    for what in [
        small,
        "kernel `apart` ran once on several threads\n",
        "kernel `scattered` ran once on several threads, which repeat blocks that turn out to share memory",
    ] {
        said(&two, 0, what);
    }
    let watched = run("launches.cuf", LAUNCHES, &["--verbose", "--jobs", "2", "--race"]);
    said(
        &watched,
        0,
        "kernel `scattered` ran once on several threads, which repeat blocks that turn out to share memory",
    );
    said(&watched, 0, "kernel `handed` ran once on one thread: its blocks execute fences, and `--race` follows them");
    let one = run("launches.cuf", LAUNCHES, &["--verbose", "--jobs", "1"]);
    said(&one, 0, "kernel `apart` ran 2 times on one thread: the emulator has one thread (`--jobs`)");
    assert!(!text(&run("launches.cuf", LAUNCHES, &["--jobs", "1"]).stderr).contains("kernel"));
}

#[test]
fn byteswapio_turns_unformatted_files_round() {
    let program = "program p
integer(1) :: b(8)
open(10, status='scratch', form='unformatted', access='stream')
write(10) 1, 2
rewind(10)
read(10) b
print '(8i2)', b
end program
";
    let output = run("swap.f90", program, &["-Mbyteswapio"]);
    assert_eq!(text(&output.stdout), " 0 0 0 1 0 0 0 2\n", "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_to_its_end_and_a_full_disk_is_an_error() {
    let program = "program p
integer :: i, ios
open(10, file='/dev/stdin_of_test', status='old')
do
  read(10, *, iostat=ios) i
  if (ios /= 0) exit
  print *, i
end do
end program
";
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cli");
    std::fs::create_dir_all(&folder).expect("a folder");
    let pipe = folder.join("pipe");
    let _ = std::fs::remove_file(&pipe);
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let path = pipe.clone();
    // It waits for a reader; nobody waits for it.
    std::thread::spawn(move || std::fs::write(path, "7\n8\n"));
    let output = run("pipe.f90", &program.replace("/dev/stdin_of_test", &pipe.display().to_string()), &[]);
    let shown: Vec<String> = text(&output.stdout).split_whitespace().map(str::to_owned).collect();
    assert_eq!(shown, ["7", "8"], "{}", text(&output.stderr));
    if std::path::Path::new("/dev/full").exists() {
        let program = "program p\nopen(10, file='/dev/full')\nwrite(10, *) 'hello'\nprint *, 'done'\nend program\n";
        let output = run("full.f90", program, &["--message-format", "short"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output.stderr).contains("full.f90:2:1: error[R0802]: unit 10: `/dev/full`: "),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn options_with_one_dash_are_those_of_cufemu_or_are_named() {
    const RACY: &str = "module m\ncontains\nattributes(global) subroutine k(s)\ninteger :: s\ns = threadidx%x\nend subroutine\n\
        end module\nprogram p\nuse m\ninteger, device :: s\ncall k<<<1, 32>>>(s)\nend program\n";
    said(&run("racy.cuf", RACY, &["-race"]), 1, "R0103");
    said(&run("racy.cuf", RACY, &["-ffoo", "-Minfo"]), 2, "`-ffoo` is no option of cufemu or nvfortran");
    said(&run("racy.cuf", RACY, &["-rase"]), 2, "; did you mean `--race`?");
    said(&run("racy.cuf", RACY, &["-Minfo", "-fast", "-acc", "-g"]), 0, "cufemu: without effect here: `-Minfo`\n");
    assert!(cufemu().arg("-version").output().expect("it runs").status.success());
}

#[test]
fn debugger_scripts_end_with_the_code_of_stop() {
    let script = file("script.txt", b"run\n");
    let program = file("stops.cuf", b"stop 7\nend\n");
    let output = cufemu().arg("--batch").arg(script).arg(&program).output().expect("it runs");
    assert_eq!(output.status.code(), Some(7), "{}", text(&output.stderr));
    // As for gdb: only the commands of -ex, also with --debug.
    for options in [&["-ex", "run", "--batch"][..], &["--debug", "-batch", "-ex", "run"]] {
        let output = cufemu().arg(&program).args(options).output().expect("it runs");
        assert_eq!(output.status.code(), Some(7), "{}", text(&output.stderr));
    }
}

/// A program that calls a procedure of C.
const CALLS_C: &str = "program p\n  interface\n    integer function answer() bind(c)\n    end function\n  end interface\n  \
    print *, answer()\nend program\n";

#[test]
fn c_files_objects_and_archives_are_linked_and_what_is_wrong_is_said() {
    let has = |tool: &str| Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    if !has("cc") || !has("ar") {
        eprintln!("left out: there is no C compiler `cc`");
        return;
    }
    let program = file("p.f90", CALLS_C.as_bytes());
    let source = file("answer.c", b"int answer(void) { return ANSWER; }\n");
    let folder = source.parent().expect("a folder").to_path_buf();
    let runs = |options: &[&str]| {
        let output = cufemu().current_dir(&folder).args(options).arg(&program).output().expect("it runs");
        assert_eq!(text(&output.stdout).trim(), "42", "{options:?}: {}", text(&output.stderr));
    };
    runs(&["-DANSWER=42", "answer.c"]);
    let tool = |tool: &str, args: &[&str]| {
        assert!(Command::new(tool).current_dir(&folder).args(args).status().expect("it runs").success());
    };
    tool("cc", &["-c", "-fPIC", "-DANSWER=42", "answer.c", "-o", "answer.o"]);
    tool("ar", &["rc", "libarchived.a", "answer.o"]);
    tool("cc", &["-shared", "-o", "libshared.so", "answer.o"]);
    runs(&["answer.o"]);
    runs(&["libarchived.a"]);
    runs(&["libshared.so"]);
    runs(&["-L.", "-lshared"]);
    runs(&["-L", ".", "-l", "shared", "-lm"]);
    runs(&["-L.", "-larchived", "-lcublas"]);

    let fails = |options: &[&str], code: i32, what: &str| {
        let output = cufemu().current_dir(&folder).args(options).arg(&program).output().expect("it runs");
        said(&output, code, what);
    };
    fails(&["-lnowhere"], 2, "there is no library `nowhere` (`libnowhere.so`); `-L DIR` names a directory to look in");
    fails(&["libnowhere.so"], 2, "cannot load `libnowhere.so`: there is no such file");
    fails(&["nowhere.c"], 2, "cannot read `nowhere.c`: there is no such file");
    fails(&["answer.c"], 2, "the C compiler `cc` cannot make a library of `answer.c`:");
    file("text.so", b"text");
    fails(&["text.so"], 2, "cannot load `text.so`: ");
    file("calls.c", b"int nowhere(void);\nint answer(void) { return nowhere(); }\n");
    fails(&["calls.c"], 2, "nothing defines `nowhere`, which `calls.c` needs");
    fails(&[], 1, "W0905");
    let output = cufemu().current_dir(&folder).env("CC", "no-such-compiler").args(["answer.c"]).arg(&program).output();
    said(&output.expect("it runs"), 2, "there is no C compiler `no-such-compiler` for `answer.c`; install one");
    let output = cufemu().current_dir(&folder).arg("answer.c").output().expect("it runs");
    said(&output, 2, "there is no Fortran file");
}

#[test]
fn a_procedure_of_the_program_is_called_that_has_the_name_of_one_of_cufemus() {
    let has_compiler = Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_compiler {
        eprintln!("left out: there is no C compiler `cc`");
        return;
    }
    let own = b"void sort_int_wrapper(int *data, int n) { for (int i = 0; i < n; i++) data[i] = -data[i]; }\n";
    let own = file("own.c", own);
    let program = "program p\n  interface\n    subroutine sort(a, n) bind(c, name='sort_int_wrapper')\n      \
        integer :: a(*)\n      integer, value :: n\n    end subroutine\n  end interface\n  integer :: a(2) = [2, 1]\n  \
        call sort(a, 2)\n  print '(2i3)', a\nend program\n";
    let program = file("p.f90", program.as_bytes());
    for options in [&[][..], &["--debug", "-batch", "-ex", "run"], &["--race"]] {
        let output = cufemu().args(options).args([&own, &program]).output().expect("it runs");
        let said = text(&output.stdout);
        assert!(said.lines().any(|line| line == " -2 -1"), "{options:?}: {said}{}", text(&output.stderr));
    }
}

#[test]
fn a_procedure_of_c_is_called_once_when_the_debugger_goes_back() {
    let has_compiler = Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_compiler {
        eprintln!("left out: there is no C compiler `cc`");
        return;
    }
    let counts = file("counts.c", b"static int calls;\nint count(int *n) { *n += 10; return ++calls; }\n");
    let program = "program p\n  interface\n    integer function count(n) bind(c)\n      integer :: n\n    end function\n  \
        end interface\n  integer :: i, n, k\n  n = 0\n  do i = 1, 3\n    k = count(n)\n    print *, k, n\n  end do\nend program\n";
    let program = file("p.f90", program.as_bytes());
    let mut command = cufemu();
    for line in
        ["break 11", "run", "continue", "continue", "print k", "reverse-continue", "print k", "print n", "continue"]
    {
        command.args(["-ex", line]);
    }
    let output =
        command.args(["-ex", "print k", "-ex", "print n", "-ex", "continue"]).arg(counts).arg(program).output();
    let output = text(&output.expect("it runs").stdout);
    let values: Vec<&str> = output.lines().filter(|line| line.contains(" = ")).collect();
    assert_eq!(values.len(), 5, "{output}");
    for (line, value) in values.iter().zip(["3", "2", "20", "3", "30"]) {
        assert!(line.ends_with(&format!("= {value}")), "{output}");
    }
    assert!(!output.contains(" 4 "), "{output}");
}
