//! No input makes the parser panic, overflow its stack or take forever.

use crate::{fixed_options, lines, read, read_with};
use cufemu_parse::ParseOptions;
use proptest::prelude::*;

const PROGRAM: &str = "
module m
  use cudafor, only: dim3
  !@cuf integer, device :: n_d
contains
  attributes(global) subroutine k(a, n)
    real, device :: a(*)
    integer, value :: n
    real, shared :: s(*)
    i = threadIdx%x + (blockIdx%x - 1)*blockDim%x ! index
    if (i <= n) a(i) = sqrt(a(i)**2) + 1.5e-3_8 * [1, (j, j = 1, 3)](1)
    select case (i)
    case (1:3, 5)
      print '(a, i0)', 'it''s &
        & so', i; call syncthreads()
    case default
    end select
  end subroutine k
end module m
program p
  use m
  integer :: x(3) = (/ 1, 2, 3 /)
  call k<<<(10+255)/256, dim3(16, 16, 1), 0, stream>>>(x, 10)
  !$cuf kernel do(1) <<<*, (16,16), &
  !$cuf stream=s>>>
  do 10 i = 1, 3
10 x(i) = 0
  where (x > 0) x = -x
end program p
";

/// Every prefix, as a file that was cut off.
#[test]
fn truncated_files_end_in_errors_not_panics() {
    for end in 0..PROGRAM.len() {
        let _ = read(&PROGRAM[..end]).report();
        let _ = read_with("a.F", &PROGRAM[..end], &ParseOptions::default(), &[]).report();
    }
}

/// Each byte changed to each of some others.
#[test]
fn damaged_files_end_in_errors_not_panics() {
    for at in 0..PROGRAM.len() {
        for byte in ["", "(", ")", "'", "&", "\n", "!", ";", "=", "<", "\u{e9}", "#"] {
            let text = format!("{}{byte}{}", &PROGRAM[..at], &PROGRAM[at + 1..]);
            let _ = read(&text).report();
        }
    }
}

#[test]
fn deep_expressions_are_refused_not_overflowed() {
    let within = |text: String| read(&format!("x = {text}\nend\n")).report();
    assert_eq!(within(format!("{}1{}", "(".repeat(90), ")".repeat(90))), "");
    for text in [
        format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{}1{}", "f(".repeat(100_000), ")".repeat(100_000)),
        format!("a{}", "+a".repeat(100_000)),
        format!("a{}", "**a".repeat(100_000)),
        format!("{}a", "-".repeat(100_000)),
        format!("{}a", ".not.".repeat(100_000)),
        format!("a{}", "%b".repeat(100_000)),
        format!("a{}", "(1)".repeat(100_000)),
        format!("{}1{}", "(1+".repeat(90), "+1)".repeat(90).replace("+1)", &format!("{})", "+1".repeat(400)))),
        format!("[{}1{}]", "[1+".repeat(90), "]".repeat(90).replace(']', &format!("{}]", "+1".repeat(400)))),
    ] {
        let report = within(text);
        assert!(report.starts_with("E0104"), "{}", &report[..report.len().min(200)]);
    }
    let sum = within(format!("1{}", "+1".repeat(400)));
    assert_eq!(sum, "");
}

#[test]
fn deep_constructs_of_all_kinds_do_not_overflow() {
    for line in [
        "if (a) then\n",
        "do i = 1, 2\n",
        "select case (a)\n",
        "select case (a)\ncase (1)\n",
        "block\n",
        "associate (a => b)\n",
        "where (a)\n",
        "interface\nsubroutine s\n",
        "type t\n",
        "subroutine s\ncontains\n",
        "if (a) ",
        "where (a) ",
        "outer:",
        "program p\n",
        "module m\ncontains\nsubroutine s\n",
    ] {
        let _ = read(&line.repeat(20_000)).report();
        let _ = read_with("a.f", &format!("      {}", line.repeat(2_000)), &ParseOptions::default(), &[]).report();
    }
}

#[test]
fn large_files_are_parsed() {
    let block =
        format!("  a(i) = b(i) + c(i)*2.0 ! {0}\n! {0}\n  call s(a(1:n), & ! {0}\n    b)\n\n", "word ".repeat(60));
    let text = format!("program p\n{}end program\n", block.repeat(10_000_000 / block.len()));
    let outcome = read(&text);
    assert_eq!(outcome.parsed.program.units.len(), 1);
    assert_eq!(outcome.report(), "");
    let long = format!("x = [{}1]\nend\n", "1, ".repeat(200_000));
    assert_eq!(read(&long).report(), "");
    let unclosed = format!("x = '{}", "abc".repeat(1_000_000));
    assert!(read(&unclosed).report().contains("E0101 1:5"));
    let continued = format!("x = 1 &\n{}\nend\n", "  + 1 &\n".repeat(300) + "  + 1");
    assert_eq!(read(&continued).report(), "");
}

/// Words and signs of the language.
fn token() -> impl Strategy<Value = &'static str> {
    let words: Vec<&str> = PROGRAM
        .split_inclusive(|c: char| !c.is_alphanumeric())
        .chain([
            "if (",
            ") then\n",
            "else\n",
            "end if\n",
            "do ",
            "end do\n",
            "!$cuf kernel do\n",
            "<<<",
            ">>>",
            "10 ",
            "&\n",
            "function f(x)\n",
            "end\n",
            "interface\n",
            "end interface\n",
            "type t\n",
            "end type\n",
            "contains\n",
            "'",
            "\"",
            "(/",
            "/)",
            "%",
            "**",
            "//",
            "/=",
            ".and.",
            ".not.",
            "::",
            "=>",
            "\n",
            "\n      ",
            "#define A(x) x##y\n",
            "A(",
            "#if 1\n",
            "#endif\n",
            "#include 'x'\n",
            "include 'x'\n",
            "!@cuf ",
            "block\n",
            "select case (i)\n",
            "case (1)\n",
            "where (a) ",
            "format(",
            "data a /",
            "implicit ",
            "operator(",
            "[",
            "]",
            "\u{2019}",
            "\\",
            "x",
            "=",
            "real ",
        ])
        .collect();
    proptest::sample::select(words)
}

fn parse_all_ways(text: &str) {
    let cpp = ParseOptions { preprocess: Some(true), ..ParseOptions::default() };
    let fixed = ParseOptions { preprocess: Some(true), ..fixed_options() };
    for (name, options) in [("a.cuf", &ParseOptions::default()), ("a.cuf", &cpp), ("a.f", &fixed)] {
        let outcome = read_with(name, text, options, &[("x", "y = 1\n")]);
        let _ = ast::unparse(&outcome.parsed.program);
        let _ = outcome.dump();
        let clean = outcome.diags.error_count() == 0;
        let dump = outcome.dump();
        let source = ast::unparse(&outcome.parsed.program);
        if clean {
            let again = read(&source);
            assert_eq!(again.dump(), dump, "{text}\n--\n{source}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text_never_panics(text in "\\PC{0,200}") {
        parse_all_ways(&text);
    }

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        parse_all_ways(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_ascii_lines_never_panic(text in "([ -~]{0,40}\n){0,8}") {
        parse_all_ways(&text);
    }

    #[test]
    fn random_tokens_never_panic(tokens in proptest::collection::vec(token(), 0..60)) {
        parse_all_ways(&tokens.concat());
    }

    #[test]
    fn shuffled_lines_never_panic(order in proptest::collection::vec(0usize..34, 0..60)) {
        let all: Vec<&str> = PROGRAM.lines().collect();
        let text = lines(order.iter().map(|&i| all[i % all.len()]));
        parse_all_ways(&text);
    }
}
