//! What CUDA Fortran adds.

use crate::{errors, statement_errors, statements, tree};
use expect_test::expect;

#[test]
fn launches_have_one_to_four_items_and_may_lack_arguments() {
    expect![[r#"
        call k <<<1 256 _ _>>> (a n)
        call k <<<grid block bytes s>>> ()
        call k <<<* 256 _ _>>> (a)
        call k <<<(+ (/ n 512) 1) (apply dim3 8 8 1) (* 1024 (apply sizeof 1_i32)) _>>> (a)
        call k <<<(apply g_sp 1) (% b x) _ s>>> (a)
        call (% obj k) <<<(< a b) 1 _ _>>> (x)
        call k <<<1 2 0 (apply streams i)>>> ((: 1 n _))
    "#]]
    .assert_eq(
        &statements(
            "call k<<<1, 256>>>(a, n)\ncall k <<< grid , block, bytes , s >>>\ncall k<<<*,256>>> (a)\ncall k<<<n/512+1, dim3(8,8,1), 1024*sizeof(1_i32)>>>(a)\ncall k<<<g_sp(1), b%x, stream=s>>>(a)\ncall obj%k<<<a<b, 1>>>(x)\ncall k<<<1,2,0,streams(i)>>>(1:n)\n",
        ),
    );
}

#[test]
fn subprogram_attributes_stand_among_the_prefixes() {
    let text = "
module m
contains
  attributes(global) launch_bounds(256, 2) subroutine a(x)
  end subroutine
  pure attributes(device) real(8) function b(x) result(r)
  end function
  integer attributes(host, device) function c()
  end function
  attributes(host) attributes(device) recursive subroutine d
  end subroutine
  attributes(grid_global) cluster_dims(2, 1, 1) subroutine e() bind(c, name='Ek')
  end subroutine
  attributes(global) &
  subroutine f
  end subroutine
end module
";
    expect![[r#"
        module m
          subroutine a (x)
            prefix attributes(global)
            prefix (launch_bounds 256 2)
          function b (x) result=r
            prefix pure
            prefix attributes(device)
            prefix (real 8)
          function c ()
            prefix integer
            prefix attributes(host, device)
          subroutine d ()
            prefix attributes(host)
            prefix attributes(device)
            prefix recursive
          subroutine e () bind='Ek'
            prefix attributes(grid_global)
            prefix (cluster_dims 2 1 1)
          subroutine f ()
            prefix attributes(global)
    "#]]
    .assert_eq(&tree(text));
}

#[test]
fn variable_attributes_are_words_or_statements() {
    expect![[r#"
        declare real device
          entity a(10)
          entity b(: :)
        declare integer device allocatable
          entity n
        declare real shared
          entity s(*)
        declare (real 8) constant
          entity c(0:3)
        declare real pinned allocatable
          entity p(:)
        declare real managed
          entity m
        declare real unified
          entity u
        declare real texture pointer
          entity t(:)
        attribute device
          entity x
          entity y(3)
        attribute managed
          entity z
        attribute value
          entity v
        cray-pointer cp
          entity pt(*)
    "#]]
    .assert_eq(&statements(
        "real, device :: a(10), b(:,:)\ninteger, device, allocatable :: n\nreal, shared :: s(*)\nreal(8), constant :: c(0:3)\nreal, pinned, allocatable :: p(:)\nreal, managed :: m\nreal, unified :: u\nreal, texture, pointer :: t(:)\nattributes(device) :: x, y(3)\nattributes(managed) z\nattributes(value) :: v\npointer (cp, pt(*))\n",
    ));
}

#[test]
fn cuf_kernels_take_all_forms_of_configuration() {
    expect![[r#"
        cuf-kernel depth=_ grid=(*) block=(*) bytes=_ stream=_
          do i 1 n _
            assign (apply a i) 0
        cuf-kernel depth=2 grid=(1 *) block=(64 1) bytes=0 stream=s
          do j 1 n _
            do i 1 n _
              assign (apply a i j) 0
        cuf-kernel depth=_ grid=() block=() bytes=_ stream=_
          do concurrent (i 1 n _) mask=_ local=()
            assign (apply a i) 0
        cuf-kernel depth=1 grid=(*) block=(16 16) bytes=_ stream=(apply st 1) (reduce + x y) (reduce max z)
          do i 1 n _
            assign x (+ x 1)
        cuf-kernel depth=(+ 1 1) grid=((/ (paren (+ n 1)) 2)) block=(256) bytes=_ stream=_
          do i 1 3 _
            do j 1 3 _
              7: continue
        assign y 1
    "#]]
    .assert_eq(&statements(
        "!$cuf kernel do <<< *, * >>>
do i = 1, n
  a(i) = 0
end do
!$CUF Kernel Do(2) <<<(1,*), (64,1), 0, s>>>
! a comment may stand here
do j = 1, n
  do i = 1, n
    a(i,j) = 0
  end do
end do
!$cuf kernel do
do concurrent (i = 1:n)
  a(i) = 0
end do
!$cuf kernel do(1) &
!$cuf& <<<*, (16,16), &
!$cuf stream=st(1)>>> reduce(+:x,y) reduction(max:z)
do i = 1, n
  x = x + 1
end do
!$cuf kernel do(1+1) <<<(n+1)/2, 256>>>
do 7 i = 1, 3
do 7 j = 1, 3
7 continue
y = 1
",
    ));
}

#[test]
fn directives_for_argument_matching_are_declarations() {
    let text = "
interface
  subroutine s(a, b, c)
    !dir$ ignore_tkr (tkr) a, (d) b
    !DIR$ IGNORE_TKR c
    !pgi$ ignore_tkr a
    !dir$ ignore_tkr
    !dir$ vector always
    real a, b, c
  end subroutine
end interface
end
";
    expect![[r#"
        program main ()
          interface _
            subroutine s (a b c)
              ignore-tkr (tkr) a (d) b
              ignore-tkr () c
              ignore-tkr () a
              ignore-tkr
              declare real
                entity a
                entity b
                entity c
    "#]]
    .assert_eq(&tree(text));
}

#[test]
fn faults_of_cuda_statements_are_named() {
    expect![[r#"
        E0111 1:21 a launch has three chevrons
            -> write `<<<grid, block>>>`
    "#]]
    .assert_eq(&statement_errors("call k<<1,2>>(a)"));
    expect![[r#"
        E0111 1:25 a launch needs a grid and a block
            -> write `<<<grid, block>>>`
    "#]]
    .assert_eq(&statement_errors("call k<<<1>>>(a)"));
    expect![[r#"
        E0111 1:27 a launch is closed with three chevrons
            -> write `<<<grid, block>>>`
    "#]]
    .assert_eq(&statement_errors("call k<<<1,2>>(a)"));
    expect![[r#"
        E0111 1:32 too many items between the chevrons
            -> a launch has grid, block, bytes of shared memory and stream
    "#]]
    .assert_eq(&statement_errors("call k<<<1,2,3,4,5>>>(a)"));
    expect![[r#"
        E0111 1:28 `bytes=` cannot stand between the chevrons
            -> the only keyword there is `stream=`
    "#]]
    .assert_eq(&statement_errors("call k<<<1,2,bytes=4>>>(a)"));
    expect![[r#"
        E0105 1:15 the launch of `k` lacks `call`
            -> write `call k<<<grid, block>>>(…)`
    "#]]
    .assert_eq(&statement_errors("k<<<1,2>>>(a)"));
    expect![[r#"
        E0111 1:26 expected an expression in CALL, found `,`
    "#]]
    .assert_eq(&statement_errors("call k<<<1,,2>>>(a)"));
    expect![[r#"
        E0111 1:12 `globl` is not an attribute of a subprogram
            -> did you mean `global`?
            -> the attributes of subprograms are host, global, grid_global and device
    "#]]
    .assert_eq(&errors("attributes(globl) subroutine s\nend subroutine\n"));
    expect![[r#"
        E0111 3:12 `shred` is not an attribute of a variable
            -> did you mean `shared`?
            -> the attributes of variables are device, managed, shared, constant, pinned, texture and unified
    "#]]
    .assert_eq(&errors("subroutine s\nreal a\nattributes(shred) :: a\nend subroutine\n"));
    expect![[r#"
        W0104 2:7 `!$cuf kernel do` is not followed by a DO loop; it has no effect
            3:1 expected `do` here
            -> nothing but comments may stand between the directive and its loop
    "#]]
    .assert_eq(&statement_errors("\n!$cuf kernel do <<<*,*>>>\nx = 1"));
    expect![[r#"
        E0111 2:14 unexpected `<<<` in `!$cuf kernel do`
            -> the form is `!$cuf kernel do [(n)] [<<<grid, block>>>]`
    "#]]
    .assert_eq(&statement_errors("\n!$cuf kernel <<<*,*>>>\ndo i = 1, 2\nend do"));
    expect![[r#"
        E0124 2:7 `!$cuf parallel` is no CUF directive
            -> the directive is `!$cuf kernel do [(n)] <<<grid, block>>>`
    "#]]
    .assert_eq(&statement_errors("\n!$cuf parallel do\ndo i = 1, 2\nend do"));
    expect![[r#"
        E0106 2:20 `(` is never closed
            2:27 the statement ends without its `)`
    "#]]
    .assert_eq(&statement_errors("\n!$cuf kernel do <<<(*,*>>>\ndo i = 1, 2\nend do"));
    expect![[r#"
        E0124 1:7 `!$cuf kernel do` stands where no loop can follow
    "#]]
    .assert_eq(&errors("!$cuf kernel do\n"));
}
