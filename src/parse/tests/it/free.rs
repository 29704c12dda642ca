//! Free source form.

use crate::{errors, read, read_with, statements, tree, whole};
use cufemu_parse::ParseOptions;
use expect_test::expect;

#[test]
fn continuation_joins_lines_whatever_stands_between() {
    let text = "
program p
  x = 1 + & ! a comment
      ! another

      2 +&
      &3
  call foo( &
    a,&
    & b &
    )
  call s <<<g, b>>> &
    & (args)
  inte&
  &ger = 5
end program
";
    expect![[r#"
        program p ()
          assign x (+ (+ 1 2) 3)
          call foo (a b)
          call s <<<g b _ _>>> (args)
          assign integer 5
    "#]]
    .assert_eq(&tree(text));
}

#[test]
fn continuation_without_trailing_ampersand_is_accepted() {
    expect![[r#"
        assign x (+ 1 2)
        call f (a)
    "#]]
    .assert_eq(&statements("x = 1 &\n  & + 2\ncall f( &\n& a &\n&\n& )\n&\n"));
    expect![[r#"
        assign x (+ 1 2)
    "#]]
    .assert_eq(&statements("x = 1\n  & + 2"));
}

#[test]
fn text_that_is_both_free_and_fixed_form_parses_as_both() {
    let text = format!("{:<72}&\n     & + 2\n      end\n", "      x = 1");
    let free = whole(read(&text));
    let fixed = whole(read_with("a.f", &text, &ParseOptions::default(), &[]));
    assert_eq!(free, fixed);
    expect![[r#"
        program main ()
          assign x (+ 1 2)
    "#]]
    .assert_eq(&free);
}

#[test]
fn literals_go_on_over_lines() {
    expect![[r#"
        print (fmt=*) 'one ! two three'
        print (fmt=*) 'it''s & ''quoted'''
        assign x (// 'a' b)
        assign y (apply f 'tab\t and \''quote\''' 'z')
    "#]]
    .assert_eq(
        &statements(
            "print *, 'one ! two&\n   & three'\nprint *, \"it's & 'quo&\n&ted'\"\nx = 'a'//b\ny = f('tab\\t and \\'quote\\'', 'z')",
        ),
    );
}

#[test]
fn backslash_closes_a_literal_unless_the_rest_needs_it() {
    expect![[r#"
        assign x '\'
        assign y (apply f '\' 'b')
        assign z 'it\''s'
    "#]]
    .assert_eq(&statements("x = '\\'\ny = f('\\', 'b')\nz = 'it\\'s'"));
}

#[test]
fn semicolons_labels_and_tabs_are_taken() {
    expect![[r#"
        assign a 1
        assign b 2
        10: assign c 3
        20: continue
        30: goto 10
    "#]]
    .assert_eq(&statements("a = 1; b = 2;\n10\tc\t= 3 ;; 20 continue\n30 go to 10;"));
}

#[test]
fn words_need_no_blank_where_the_standard_makes_it_optional() {
    expect![[r#"
        declare double-precision
          entity x
        do i 1 3 _
          if
            when (> i 1)
              goto 10
            when (> i 2)
              cycle _
            else
              exit _
        select i
          default
            continue
        10: continue
    "#]]
    .assert_eq(&statements(
        "doubleprecision x\ndo i=1,3\nif(i>1)then\ngoto 10\nelseif(i>2)then\ncycle\nelse\nexit\nendif\nenddo\nselectcase(i)\ncase default\ncontinue\nendselect\n10 continue",
    ));
}

#[test]
fn keywords_are_not_reserved() {
    expect![[r#"
        declare integer
          entity if(3)
          entity end
          entity do
          entity real
          entity call
        assign (apply if i) 3
        assign end 4
        assign do (+ do 1)
        assign real (* real call)
        assign (% (apply type 1) x) 2
        do while 1 3 _
          assign (apply print 1) while
        assign (apply where 1) (apply else 2)
        point data (apply null)
        call call (call)
    "#]]
    .assert_eq(&statements(
        "integer if(3), end, do, real, call\nif(i) = 3\nend = 4\ndo = do + 1\nreal = real*call\ntype(1)%x = 2\ndo while = 1, 3\nprint(1) = while\nend do\nwhere(1) = else(2)\ndata => null()\ncall call(call)",
    ));
}

#[test]
fn cuf_sentinel_lines_take_part_in_statements() {
    let text = "
module m
  integer :: n
  !@cuf attributes(managed) :: n
  type(object), &
    !@cuf managed, &
    allocatable :: objects(:)
contains
  !@CUF attributes(device) &
  subroutine f(x)
    real :: x
  end subroutine
end module
";
    expect![[r#"
        module m
          declare integer
            entity n
          attribute managed
            entity n
          declare (type object) managed allocatable
            entity objects(:)
          subroutine f (x)
            prefix attributes(device)
            declare real
              entity x
    "#]]
    .assert_eq(&tree(text));
    let off = ParseOptions { cuda: false, ..ParseOptions::default() };
    expect![[r#"
        module m
          declare integer
            entity n
          declare (type object) allocatable
            entity objects(:)
          subroutine f (x)
            declare real
              entity x
    "#]]
    .assert_eq(&whole(read_with("a.f90", text, &off, &[])));
}

#[test]
fn openmp_sentinel_counts_under_its_option_only() {
    let text = "x = 1\n!$ x = 2\n!$omp parallel do\n!$acc kernels\nend\n";
    assert!(!read(text).dump().contains('2'));
    let options = ParseOptions { openmp: true, ..ParseOptions::default() };
    assert!(read_with("a.f90", text, &options, &[]).dump().contains("assign x 2"));
}

#[test]
fn ignore_comments_are_collected_with_their_codes() {
    let outcome = read("x = 1 ! cufemu ignore(R0101, E0205)\n!cufemu: ignore (R0203)\n! cufemu is fine\nend\n");
    let found: Vec<(String, Vec<String>)> =
        outcome.parsed.ignores.iter().map(|i| (outcome.map.text_of(i.span).to_owned(), i.codes.clone())).collect();
    assert_eq!(
        found,
        [
            ("! cufemu ignore(R0101, E0205)".to_owned(), vec!["R0101".to_owned(), "E0205".to_owned()]),
            ("!cufemu: ignore (R0203)".to_owned(), vec!["R0203".to_owned()]),
        ]
    );
}

#[test]
fn include_lines_are_replaced_by_their_files() {
    let text = "program p\ninclude 'decls.inc  '\nx = n\nend program\n";
    let files = [("decls.inc", "integer, parameter :: n = 3\n")];
    let outcome = read_with("p.cuf", text, &ParseOptions::default(), &files);
    expect![[r#"
        program p ()
          declare integer parameter
            entity n = 3
          assign x n
    "#]]
    .assert_eq(&whole(outcome));
    expect![[r#"
        E0107 2:1 include file `decls.inc` was not found
            -> give its folder with `-I`
    "#]]
    .assert_eq(&errors(text));
    let report = errors("program p\ninclude 'mpif.h'\nend program\n");
    assert!(report.contains("-> MPI is not supported"), "{report}");
    let endless = [("decls.inc", "include 'decls.inc'\n")];
    let report = read_with("p.cuf", text, &ParseOptions::default(), &endless).report();
    assert!(report.starts_with("E0123 1:1 include files are nested too deeply"), "{report}");
}

#[test]
fn spans_lead_to_the_original_text() {
    let outcome = read("program p\n  CALL Foo( Alpha, &\n    ! comment\n    & Beta + 'c' )\nend program\n");
    let ast::UnitKind::Main(main) = &outcome.parsed.program.units[0].kind else { panic!("no main program") };
    let ast::StmtKind::Call { callee, args, .. } = &main.body[0].kind else { panic!("no call") };
    let text = |span| outcome.map.text_of(span).to_owned();
    assert_eq!(text(callee.span), "Foo");
    assert_eq!(text(args[0].span), "Alpha");
    assert_eq!(text(args[1].span), "Beta + 'c'");
    assert_eq!(text(main.body[0].span), "CALL Foo( Alpha, &\n    ! comment\n    & Beta + 'c' )");
    assert_eq!(text(main.name.span), "p");
    assert_eq!(text(main.end), "end program");
}

#[test]
fn faults_of_the_source_form_are_reported_at_their_place() {
    expect![[r#"
        E0102 2:3 main program has no `end program`
            2:10 the file ends here
        E0108 2:9 the statement is continued with `&` but no line continues it
            -> take the `&` away, or add the rest of the statement
    "#]]
    .assert_eq(&errors("\n  x = 1 &\n\n"));
    expect![[r#"
        E0108 1:1 continuation line that continues nothing
            -> end the line before it with `&`
    "#]]
    .assert_eq(&errors("& x = 1\nend\n"));
    expect![[r#"
        E0101 1:5 character literal without its closing quote
            -> close it with `'`, or end the line with `&` to go on
        E0111 2:5 expected an expression in an assignment, found `#`
        E0110 3:7 character `“` cannot stand here
            -> write the plain quote `"`
        E0110 4:7 character `−` cannot stand here
            -> write the plain minus sign `-`
        E0110 5:7 Fortran has no operator `&&`
            -> logical and is `.and.`
        E0112 6:1 a label must be from 1 to 99999
        E0112 7:1 a label without a statement
            -> put `continue` after it
        E0119 8:1 preprocessor line in a file that is not preprocessed
            -> turn the preprocessor on with `-Mpreprocess`, or give the file an upper-case suffix such as `.CUF`
    "#]]
    .assert_eq(&errors(
        "x = 'abc\ny = # 3\nz = f(“a”)\nz = a − b\nz = a && b\n0 continue\n20\n#ifdef A\n#endif\nend\n",
    ));
    expect![[r#"
        E0109 1:4 `test.cuf` is not a text file
    "#]]
    .assert_eq(&errors("ab\u{7f}\0cd"));
}
