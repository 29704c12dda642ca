//! Fixed source form.

use crate::{fixed_options, read_with, whole};
use cufemu_parse::ParseOptions;
use expect_test::expect;

fn fixed(text: &str) -> String {
    whole(read_with("old.f", text, &ParseOptions::default(), &[]))
}

fn fixed_errors(text: &str) -> String {
    read_with("old.f", text, &ParseOptions::default(), &[]).report()
}

#[test]
fn columns_and_blanks_are_those_of_fortran_77() {
    let text = "
C     a comment
      PROGRAM TEST
      INTEGER I, J, IADN(10)
      DO UBLE PRECISION D
      DATA IADN/10*5/, X /3*1.0, 7*2.0/
* another
      DO 10 I = 1, 10
      X(I) = I * 2.0
   10 CONTINUE
      DO20J=1,10
   20 Y = Y + X(J)
      DO 30 I=1,3
      DO 30 J=1,3
      IF (I .EQ. J) GO TO 30
      Y = Y +
     1    X(I)

     &  * 2
   30 CONTINUE
      IF (Y) 40, 50, 60
   40 CALL FOO(4HABCD, I)
   50 PRINT 100, I, Y
   60 STOP
      END
";
    expect![[r#"
        program test ()
          declare integer
            entity i
            entity j
            entity iadn(10)
          declare double-precision
            entity d
          data (iadn) ((repeat 10 5))
          data (x) ((repeat 3 1.0) (repeat 7 2.0))
          do i 1 10 _
            assign (apply x i) (* i 2.0)
            10: continue
          do j 1 10 _
            20: assign y (+ y (apply x j))
          do i 1 3 _
            do j 1 3 _
              if
                when (== i j)
                  goto 30
              assign y (+ y (* (apply x i) 2))
              30: continue
          arithmetic-if y 40 50 60
          40: call foo (4hABCD i)
          50: print (fmt=100) i y
          60: stop _
    "#]]
    .assert_eq(&fixed(text));
}

#[test]
fn literals_and_holleriths_keep_their_blanks() {
    let text = "
      write (6, 100) i
  100 format (1h1, 5h a b , i5, 'it''s', f 10.3,
     1 12ha b c d e f )
      c = 'this literal goes on beyond the end of its line, that is co
     1lumn 72'
      x = 3h'a'
      end
";
    expect![[r#"
        program main ()
          write (6 100) i
          format 100 ('1',' a b ',i5,'it''s',f10.3,'a b c d e f ')
          assign c 'this literal goes on beyond the end of its line, that is co  lumn 72'
          assign x 3h'a'
    "#]]
    .assert_eq(&fixed(text));
}

#[test]
fn literals_have_the_blanks_up_to_the_end_of_the_statement_field() {
    let literal = |lines: &[&str]| {
        let text = format!("      program p\n{}\n      end\n", lines.join("\n"));
        let dump = fixed(&text);
        let literal = dump.split('\'').nth(1).unwrap_or_default();
        literal.split("abc").last().unwrap_or_default().find("def")
    };
    assert_eq!(literal(&["      x = 'abc", "     1def'"]), Some(58));
    assert_eq!(literal(&["      x =\t'abc", "     1def'"]), Some(58));
    assert_eq!(literal(&["\tx = 'abc", "\t1def'"]), Some(58));
    assert_eq!(literal(&["      x =", "&'abc", "     1def'"]), Some(62));
}

#[test]
fn tabs_cuf_lines_and_conditional_lines_are_known() {
    let text = "
      attributes(global) subroutine k(a, n)
\treal, device :: a(*)
      integer, value :: n
!@cuf integer(4) i
      i = threadidx%x
      a(i) = n
     1 + 1
      end subroutine
      subroutine s(a)
      real, device :: a(10)
!$cuf kernel do(1) <<< *,
!$cuf1 64 >>>
      do 10 i = 1, 10
   10 a(i) = 1
      end
";
    expect![[r#"
        subroutine k (a n)
          prefix attributes(global)
          declare real device
            entity a(*)
          declare integer value
            entity n
          declare (integer 4)
            entity i
          assign i (% threadidx x)
          assign (apply a i) (+ n 1)
        subroutine s (a)
          declare real device
            entity a(10)
          cuf-kernel depth=1 grid=(*) block=(64) bytes=_ stream=_
            do i 1 10 _
              10: assign (apply a i) 1
    "#]]
    .assert_eq(&fixed(text));
}

#[test]
fn the_option_makes_any_suffix_fixed() {
    let text = "c comment\n      i n t e g e r x\n      x = 1\n      e n d\n";
    expect![[r#"
        program main ()
          declare integer
            entity x
          assign x 1
    "#]]
    .assert_eq(&whole(read_with("a.cuf", text, &fixed_options(), &[])));
}

#[test]
fn long_lines_end_at_column_72_or_132() {
    let text =
        format!("{:<71}3456\n      end\n", "      x = 1 +                                                      1");
    expect![[r#"
        W0101 1:73 text beyond column 72 of a fixed-form line is ignored
            -> `-Mextend` gives lines of 132 columns; this is said once a file
    "#]]
    .assert_eq(&fixed_errors(&text));
    let extended = ParseOptions { extended_columns: true, ..ParseOptions::default() };
    let outcome = read_with("a.f", &text, &extended, &[]);
    expect![[r#"
        program main ()
          assign x (+ 1 13456)
    "#]]
    .assert_eq(&whole(outcome));
    expect![[r#"
        W0101 1:73 text beyond column 72 of a fixed-form line is ignored
            -> `-Mextend` gives lines of 132 columns; this is said once a file
    "#]]
    .assert_eq(&fixed_errors(&format!(
        "{:<71}3456\n      end\n",
        "\tx = 1 +                                                           1"
    )));
    let numbered = format!("{:<72}00010020\n      end\n", "      x = 1");
    assert_eq!(fixed_errors(&numbered), "");
}

#[test]
fn faults_of_fixed_form_are_reported() {
    expect![[r#"
        E0125 1:1 text in the label field of a fixed-form line
            -> begin statements in column 7, or use free form with `-Mfree`; this is said once a file
    "#]]
    .assert_eq(&fixed_errors("x = 1\nc\n     1 + 2\n      end\n"));
    expect![[r#"
        E0101 1:11 character literal without its closing quote
            -> close it with `'`, or end the line with `&` to go on
    "#]]
    .assert_eq(&fixed_errors("      x = 'abc\n      end\n"));
}
