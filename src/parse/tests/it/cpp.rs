//! The preprocessor.

use crate::{read_with, whole};
use cufemu_parse::{MacroOption, ParseOptions};
use expect_test::expect;

fn cpp(text: &str) -> String {
    whole(read_with("a.CUF", text, &ParseOptions::default(), &[]))
}

fn cpp_errors(text: &str) -> String {
    read_with("a.CUF", text, &ParseOptions::default(), &[]).report()
}

#[test]
fn conditionals_choose_lines_in_the_middle_of_statements() {
    let text = "
module &
#ifdef _CUDA
  deviceSide
#else
  hostSide
#endif
contains
#if defined(_CUDA) && !defined(OFF) && (2 + 3) * 2 == 10
  attributes(global) &
#elif 1
  elemental &
#endif
  subroutine s
  end subroutine
#if 0
  nothing of this is looked at: 'neither this
# if 1
# else
# endif
#endif
end module
";
    expect![[r#"
        module deviceside
          subroutine s ()
            prefix attributes(global)
    "#]]
    .assert_eq(&cpp(text));
}

#[test]
fn macros_are_replaced_as_whole_words_outside_literals_and_comments() {
    let text = "
#define N 100
#define KIND 8
#define add(a, b) ((a) + (b))
#define EMPTY
real(KIND) :: x(N), NN ! N KIND
x = add(N, add(1, 2)) EMPTY
print *, 'N add(1,2)', \"N\", add
print *, 1.0_KIND, N_1
!$cuf kernel do <<<*, N>>>
do i = 1, N
end do
end
";
    expect![[r#"
        program main ()
          declare (real 8)
            entity x(100)
            entity nn
          assign x (paren (+ (paren 100) (paren (paren (+ (paren 1) (paren 2))))))
          print (fmt=*) 'N add(1,2)' 'N' add
          print (fmt=*) 1.0_kind n_1
          cuf-kernel depth=_ grid=(*) block=(100) bytes=_ stream=_
            do i 1 100 _
    "#]]
    .assert_eq(&cpp(text));
}

#[test]
fn pasting_and_literals_work_in_nested_macros() {
    let text = "
#define PASTE(x, y) x ## y
#define GPU(x) PASTE(x, _gpu)
#define OLD(x) x/**/_old
#define TEXT(c) #c
#define CHECK(call) \\
  istat = call; \\
  if (istat /= 0) print *, TEXT(call), __LINE__
call GPU(copy)(a)
call OLD(copy)(a)
CHECK(cudaMemcpy(a, b, n))
end
";
    expect![[r#"
        program main ()
          call copy_gpu (a)
          call copy_old (a)
          assign istat (apply cudamemcpy a b n)
          if
            when (/= istat 0)
              print (fmt=*) 'cudaMemcpy(a, b, n)' 11
    "#]]
    .assert_eq(&cpp(text));
}

#[test]
fn a_macro_may_end_with_another_and_never_goes_on_forever() {
    let text = "
#define A B
#define B(x) x + 1
#define LOOP LOOP + 1
#define PING PONG
#define PONG PING
x = A(3)
y = LOOP + PING
z = A
end
";
    expect![[r#"
        program main ()
          assign x (+ 3 1)
          assign y (+ (+ loop 1) ping)
          assign z b
    "#]]
    .assert_eq(&cpp(text));
}

#[test]
fn arguments_of_a_macro_go_on_over_continued_lines() {
    let text = "
#define CHECK(e) call check(e, __LINE__)
CHECK( f(a, & ! first
         ! nothing

       & b) )
x = 1
end
";
    expect![[r#"
        program main ()
          call check ((apply f a b) 3)
          assign x 1
    "#]]
    .assert_eq(&cpp(text));
}

#[test]
fn variadic_macros_take_what_is_left() {
    let text = "#define P(f, ...) print f, __VA_ARGS__\nP(*, a, b)\nP('(i3)', (c))\nend\n";
    expect![[r#"
        program main ()
          print (fmt=*) a b
          print (fmt='(i3)') (paren c)
    "#]]
    .assert_eq(&cpp(text));
}

#[test]
fn c_comments_are_cut_out() {
    let text = "/* a header\n   'of' C */\nprogram p /* one */\n  x = a /* two */ + /* three */ b ! /* not one\n  y = '/* text */'//c\n  z = a//b\nend program\n";
    expect![[r#"
        program p ()
          assign x (+ a b)
          assign y (// '/* text */' c)
          assign z (// a b)
    "#]]
    .assert_eq(&cpp(text));
}

#[test]
fn literals_over_lines_are_left_alone() {
    let text = "#define abc 1\nx = 'say &\n  &abc' // abc\nend\n";
    expect![[r#"
        program main ()
          assign x (// 'say abc' 1)
    "#]]
    .assert_eq(&cpp(text));
}

#[test]
fn lines_and_files_have_the_numbers_that_line_says() {
    let text = "x = __LINE__\n#line 100 \"other.f90\"\ny = __LINE__\nz = __FILE__\nend\n";
    expect![[r#"
        program main ()
          assign x 1
          assign y 100
          assign z 'other.f90'
    "#]]
    .assert_eq(&cpp(text));
}

#[test]
fn included_files_share_macros() {
    let files = [("defs.h", "#ifndef DEFS\n#define DEFS\n#define N 7\n#include <defs.h>\n#endif\n")];
    let outcome = read_with("a.F90", "#include \"defs.h\"\nx = N\nend\n", &ParseOptions::default(), &files);
    expect![[r#"
        program main ()
          assign x 7
    "#]]
    .assert_eq(&whole(outcome));
    let endless = [("defs.h", "#include \"defs.h\"\n")];
    let report = read_with("a.F90", "#include \"defs.h\"\nend\n", &ParseOptions::default(), &endless).report();
    assert!(report.starts_with("E0123"), "{report}");
}

#[test]
fn options_define_undefine_and_switch_the_preprocessor_on() {
    let text = "#if SIZE > 3\nx = SIZE + F(2)\n#endif\n#ifdef _CUDA\ny = 1\n#endif\nend\n";
    let options = ParseOptions {
        preprocess: Some(true),
        macros: vec![
            MacroOption::Define("SIZE=4".into()),
            MacroOption::Define("F(a)=a".into()),
            MacroOption::Undefine("_CUDA".into()),
        ],
        ..ParseOptions::default()
    };
    expect![[r#"
        program main ()
          assign x (+ 4 2)
    "#]]
    .assert_eq(&whole(read_with("a.f90", text, &options, &[])));
}

#[test]
fn spans_of_replaced_text_are_the_uses() {
    let outcome = read_with("a.CUF", "#define N 10+1\n  x = N * Foo\nend\n", &ParseOptions::default(), &[]);
    let ast::UnitKind::Main(main) = &outcome.parsed.program.units[0].kind else { panic!("no main program") };
    let ast::StmtKind::Assign { value, .. } = &main.body[0].kind else { panic!("no assignment") };
    let ast::ExprKind::Binary { left, right, .. } = &value.kind else { panic!("no sum") };
    assert_eq!(outcome.map.text_of(left.span), "N");
    assert_eq!(outcome.map.text_of(right.span), "N * Foo");
    let ast::ExprKind::Binary { right, .. } = &right.kind else { panic!("no product") };
    assert_eq!(outcome.map.text_of(right.span), "Foo");
}

#[test]
fn a_macro_that_is_defined_anew_is_told_once() {
    expect![[r#"
        W0103 2:1 macro `A` is defined anew
            -> put `#undef A` before it if that is meant
    "#]]
    .assert_eq(&cpp_errors("#define A 1\n#define A 2\n#define A 3\n#define A 3\n#define A 4\nend\n"));
}

#[test]
fn faults_are_reported() {
    expect![[r#"
        E0119 1:1 `#defin` is not a preprocessor directive
            -> did you mean `define`?
        E0119 2:1 this `#define` is malformed: a name must follow
        E0119 3:1 the expression of `#if` cannot be evaluated: the expression breaks off
        E0120 5:1 `#endif` without `#if`
        E0120 8:1 `#else` after `#else`
            7:1 `#else` is here
        W0103 11:1 macro `A` is defined anew
            -> put `#undef A` before it if that is meant
        E0122 13:5 macro `F` takes 2 arguments, not 1
        E0122 14:5 the arguments of macro `F` are not closed
            -> close the parenthesis on the same line, or end the line with `&`
        E0121 15:1 `#error`: stop here
        W0102 16:1 `#warning`: careful
        E0107 17:1 include file `no.h` was not found
            -> give its folder with `-I`
        E0119 18:1 `#include` needs a file name in quotes
        E0119 19:1 the expression of `#if` cannot be evaluated: division by zero
        E0120 22:1 conditional without `#endif`
    "#]]
    .assert_eq(&cpp_errors(
        "#defin A\n#define\n#if 1 +\n#endif\n#endif\n#ifndef X\n#else\n#else\n#endif\n#define A 1\n#define A 2\n#define F(a,b) a\nx = F(1)\nx = F(1,\n#error stop here\n#warning careful\n#include \"no.h\"\n#include no\n#if 1/0\n#endif\nend\n#ifdef X\n",
    ));
}
