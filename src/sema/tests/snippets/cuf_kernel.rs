//! `!$cuf kernel do`.

use crate::support::{dump, errors};
use expect_test::expect;

#[test]
fn reductions_and_private_scalars_are_found() {
    expect![[r"
        host program p
          integer(4) n [parameter] = 100
          real(4) a(100,100) [static] device
          real(4) b(100,100) [static] device
          real(4) s [static]
          real(4) t [static]
          real(4) big [static]
          real(4) scale [static]
          real(4) last [static]
          integer(4) i [static]
          integer(4) j [static]
          integer(4) hits [static]
          integer(8) st [static]
          s = 0.0_4
          hits = 0
          big = 0.0_4
          cuf <<<(*),(16,16),stream=st>>> j = 1, 100; i = 1, 100
            reduce(+:s, +:hits, max:big) private(t) captured(a, scale, b)
            t = (a(integer(8)<i>, integer(8)<j>) * scale)
            b(integer(8)<i>, integer(8)<j>) = t
            s = (s + t)
            if (t > 0.5_4)
              hits = (hits + 1)
            big = max(big, t, b(integer(8)<i>, integer(8)<j>))
          cuf <<<(1,*),(64,1)>>> j = 1, 100
            reduce() private(i, last) captured(a, last)
            do #2 i = 1, 100
              if (i > 3)
                last = a(integer(8)<i>, integer(8)<j>)
              a(integer(8)<i>, integer(8)<j>) = last
          cuf <<<(),()>>> i = 1, 100
            reduce() private() captured(a)
            a(integer(8)<i>, 1) = 0.0_4
    "]]
    .assert_eq(&dump(
        "program p
  use cudafor
  integer, parameter :: n = 100
  real, device :: a(n, n), b(n, n)
  real :: s, t, big, scale, last
  integer :: i, j, hits
  integer(cuda_stream_kind) :: st
  s = 0; hits = 0; big = 0
  !$cuf kernel do(2) <<<*, (16,16), stream=st>>>
  do j = 1, n
    do i = 1, n
      t = a(i, j) * scale
      b(i, j) = t
      s = s + t
      if (t > 0.5) hits = hits + 1
      big = max(big, t, b(i, j))
    end do
  end do
  !$cuf kernel do <<<(1,*), (64,1)>>>
  do j = 1, n
    do i = 1, n
      if (i > 3) last = a(i, j)
      a(i, j) = last
    end do
  end do
  !$cuf kernel do
  do i = 1, n
    a(i, 1) = 0
  end do
end program
",
    ));
}

#[test]
fn written_reductions_are_taken() {
    expect![[r"
        host program p
          integer(4) a(10) [static] device
          integer(4) i [static]
          integer(4) m [static]
          integer(4) n [static]
          logical(4) ok [static]
          cuf <<<(),()>>> i = 1, 10
            reduce(max:m, +:n, .and.:ok) private() captured(a)
            m = max(m, a(integer(8)<i>))
            n = (n + a(integer(8)<i>))
            ok = (ok .and. (a(integer(8)<i>) > 0))
    "]]
    .assert_eq(&dump(
        "program p
  integer, device :: a(10)
  integer :: i, m, n
  logical :: ok
  !$cuf kernel do reduce(max:m) reduce(+:n) reduce(.and.:ok)
  do i = 1, 10
    m = max(m, a(i))
    n = n + a(i)
    ok = ok .and. a(i) > 0
  end do
end program
",
    ));
}

#[test]
fn loops_that_do_not_nest_tightly_are_refused() {
    expect![[r#"
        6:3 E0549 `!$cuf kernel do` needs 2 tightly nested counted loops
            write the loops directly inside each other, or give a smaller number
        12:19 E0549 the number of loops must be positive
        17:3 E0549 `!$cuf kernel do` needs 1 tightly nested counted loop
            write the loops directly inside each other, or give a smaller number
        22:22 E0551 `exit` of a loop whose iterations run in parallel
        23:22 E0551 `cycle` of a loop whose iterations run in parallel
        24:5 E0536 host array `host` is used in device code
            declare `host` with `device` or `managed`, and copy the data
        25:5 E0525 host procedure `sub` is called in device code
            declare `sub` with `attributes(device)` or `attributes(host,device)`
        26:5 E0527 `syncthreads` in a `!$cuf kernel do` loop
            write `use cudadevice` in a `block` around it, if all iterations of a block come there
        30:5 E0550 `s` is accumulated over the iterations and used otherwise, too
            a reduction variable has only statements like `s = s + x`
        33:31 E0550 `.or.` cannot reduce `s`, which is `integer(4)`
        35:5 E0551 a `!$cuf kernel do` loop cannot have a `goto`
    "#]]
    .assert_eq(&errors(
        "program p
  integer, device :: a(10, 10)
  integer :: host(10), i, j, s, x
  logical :: l
  !$cuf kernel do(2)
  do j = 1, 10
    a(j, 1) = 0
    do i = 1, 10
      a(i, j) = 1
    end do
  end do
  !$cuf kernel do(0)
  do j = 1, 10
    a(j, 1) = 0
  end do
  !$cuf kernel do
  do while (l)
    a(1, 1) = 0
  end do
  !$cuf kernel do
  do j = 1, 10
    if (a(j, 1) > 0) exit
    if (a(j, 1) < 0) cycle
    host(j) = 1
    call sub(j)
    call syncthreads()
  end do
  !$cuf kernel do reduce(iand:x)
  do j = 1, 10
    s = s + a(j, 1)
    a(j, 2) = s
  end do
  !$cuf kernel do reduce(.or.:s)
  do j = 1, 10
    goto 10
10  continue
  end do
contains
  subroutine sub(n)
    integer :: n
  end subroutine
end program
",
    ));
}

#[test]
fn block_and_associate_inside_the_loop_are_its_own() {
    expect![[r"
        host program p
          integer(4) a(10) [static] device
          integer(4) old [static] device
          integer(4) i [static]
          integer(4) v(10) [alias a] device
          integer(4) k [local]
          integer(4) i [local]
          integer(4) j [local]
          block #0 (v)
            cuf <<<(),()>>> i = 1, 10
              reduce() private() captured(a)
              block #2 (k)
                k = v(integer(8)<i>)
                v(integer(8)<i>) = (k + 1)
                k = atomicadd(a(1), 1)
                call syncthreads()
          cuf <<<(),()>>> j = 1, 3; i = 1, 10
            reduce() private() captured(a)
            a(integer(8)<i>) = j
    "]]
    .assert_eq(&dump(
        "program p
  integer, device :: a(10), old
  integer :: i
  associate (v => a)
    !$cuf kernel do
    do i = 1, 10
      block
        use cudadevice
        integer :: k
        k = v(i)
        v(i) = k + 1
        k = atomicadd(a(1), 1)
        call syncthreads()
      end block
    end do
  end associate
  !$cuf kernel do(2)
  do concurrent (i = 1:10, j = 1:3)
    a(i) = j
  end do
end program
",
    ));
}
