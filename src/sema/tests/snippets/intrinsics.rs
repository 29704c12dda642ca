//! References to intrinsic procedures.

use crate::support::{dump, errors};
use expect_test::expect;

#[test]
fn functions_have_the_type_and_rank_of_the_standard() {
    expect![[r#"
        host subroutine s(a, b, c, n, z, l)
          real(4) a(:) [dummy 0]
          real(4) b(:,:) [dummy 1]
          character(*) c [dummy 2]
          integer(4) n [dummy 3]
          complex(4) z [dummy 4]
          logical(4) l(:,:) [dummy 5]
          real(4) x [local]
          real(8) d [local]
          complex(8) zz [local]
          character(:) t [local] allocatable
          integer(4) m(2) [local]
          integer(4) v(integer(8)<size(b, 1)>) [local]
          integer(4) k(3,2) [local]
          integer(8) big [local]
          n = integer(4)<x>
          big = integer(8)<x>
          d = real(8)<n>
          x = real(4)<z>
          zz = cmplx(d, real(8)<n>)
          z = complex(4)<x>
          x = (abs(z) + aimag(z))
          x = max(x, 2.0_4, 1.0_4)
          n = integer(4)<(integer(8)<mod(n, 4)> + modulo(big, 3))>
          n = integer(4)<(integer(8)<(nint(d) + floor(x))> + ceiling(x))>
          x = sign(x, -1.0_4)
          x = merge(x, 0.0_4, (n > 3))
          x = ((sum(a) + sum(b(:, 1), -, (a > 0.0_4))) + maxval(b))
          a = sum(b, 1)
          a = sum(b, 2, (b > 0.0_4))
          n = count(l)
          v = integer(4)<count(l, 1)>
          m = maxloc(b)
          n = maxloc(a, 1)
          v = minloc(b, 2)
          b = matmul(b, transpose(b))
          a = matmul(b, a)
          x = dot_product(a, a)
          b = reshape(a, [2, 3])
          b = spread(a, 1, integer(8)<n>)
          a = pack(b, l)
          a = cshift(a, 1)
          n = (((size(b) + size(b, 1)) + ubound(a, 1)) + lbound(b, n))
          m = shape(b)
          n = ((((index(c, "x", true) + len(c)) + len_trim(c)) + scan(c, "ab")) + 97)
          t = (((trim(c) // repeat("ab", integer(8)<n>)) // adjustl(c)) // "A")
          x = transfer(n, x)
          n = ((((ishft(n, 3) + iand(n, 255)) + ibits(n, 1, 2)) + popcnt(big)) + shiftr(n, integer(4)<big>))
          if ((btest(n, 3) .and. any(l)) .and. all((a > 0.0_4)))
            n = 8
          n = integer(4)<(56 + sizeof(a))>
          x = real(4)<(((sqrt(d) + real(8)<real(4)<n>>) + real(8)<max(x, 1.0_4)>) + mod(d, 2.0_8))>
          n = command_argument_count()
    "#]]
    .assert_eq(&dump(
        "subroutine s(a, b, c, n, z, l)
  real :: a(:), b(:, :), x
  real(8) :: d
  complex :: z
  complex(8) :: zz
  character(*) :: c
  character(:), allocatable :: t
  logical :: l(:, :)
  integer :: n, m(2), v(size(b, 1)), k(3, 2)
  integer(8) :: big
  n = int(x)
  big = int(x, 8)
  d = dble(n)
  x = real(z)
  zz = cmplx(d, n, 8)
  z = cmplx(x)
  x = abs(z) + aimag(z)
  x = max(x, 2.0, 1)
  n = mod(n, 4) + modulo(big, 3_8)
  n = nint(d) + floor(x) + ceiling(x, 8)
  x = sign(x, -1.0)
  x = merge(x, 0.0, n > 3)
  x = sum(a) + sum(b(:, 1), mask=a > 0) + maxval(b)
  a = sum(b, dim=1)
  a = sum(b, 2, b > 0)
  n = count(l)
  v = count(l, 1, 8)
  m = maxloc(b)
  n = maxloc(a, 1)
  v = minloc(b, dim=2)
  b = matmul(b, transpose(b))
  a = matmul(b, a)
  x = dot_product(a, a)
  b = reshape(a, [2, 3])
  b = spread(a, 1, n)
  a = pack(b, l)
  a = cshift(a, 1)
  n = size(b) + size(b, 1) + ubound(a, 1) + lbound(b, n)
  m = shape(b)
  n = index(c, 'x', back=.true.) + len(c) + len_trim(c) + scan(c, 'ab') + ichar('a')
  t = trim(c) // repeat('ab', n) // adjustl(c) // achar(65)
  x = transfer(n, x)
  n = ishft(n, 3) + iand(n, z'ff') + ibits(n, 1, 2) + popcnt(big) + shiftr(n, big)
  if (btest(n, 3) .and. any(l) .and. all(a > 0)) n = kind(d)
  n = storage_size(a) + sizeof(k) + sizeof(a)
  x = dsqrt(d) + float(n) + amax1(x, 1.0) + dmod(d, 2d0)
  n = command_argument_count()
end subroutine
",
    ));
}

#[test]
fn arguments_that_a_function_does_not_take_are_reported() {
    expect![[r#"
        6:12 E0412 `x` of `sqrt` must be real or complex, not `integer(4)`
            convert it with `real(…)` or `dble(…)`
        7:7 E0401 argument `x` of `sqrt` is missing
        8:15 E0401 `sqrt` takes at most 1 argument
        9:12 E0404 `sqrt` has no argument `y`
        10:11 E0412 `a` of `abs` must be a number, not `character(len=*)`
        11:11 E0412 `array` of `sum` must be an array, not `real(4)`
        12:11 E0412 `array` of `sum` must be an array, not `character(len=*)`
        13:18 E0412 `dim` is 3, and the array has rank 2
        14:7 E0412 `dot_product` of arrays of ranks 1 and 2
        15:15 E0412 `j` of `iand` must be an integer, not `real(4)`
        16:11 E0412 `a` of `int` must be a number, not `character(len=*)`
        17:17 E0401 `kind` takes at most 1 argument
        18:12 E0412 `array` of `size` must be an array, not `real(4)`
        19:15 E0412 `dim` is 4, and the array has rank 2
        20:7 E0401 `max` takes two arguments or more
        21:14 E0412 `a2` of `max` must be integer, real or character like the others, not `character(len=*)`
        22:14 E0412 `p` of `mod` must be `real(4)` like the first argument, not `integer(4)`
        23:11 E0412 `string` of `len` must be a character value, not `integer(4)`
        24:17 E0412 `array` of `allocated` must be allocatable, not `real(4)` of rank 1
        25:18 E0412 `pointer` of `associated` must be a pointer, not `real(4)` of rank 1
        26:15 E0412 `a` of `present` must be an optional dummy argument, not `real(4)`
        27:14 E0302 there is no such kind 3
        28:18 E0412 `shape` of `reshape` must be a vector whose length is known at compile time
        29:16 E0412 `fsource` of `merge` must be `real(4)` like `tsource`, not `integer(4)`
        30:22 E0412 `harvest` of `random_number` must be a real variable, not `integer(4)`
        31:21 E0412 `count` of `system_clock` must be an integer variable, not `real(4)`
        32:3 E0406 `sqrt` is a function, not a subroutine
            use its value in an expression
        33:7 E0407 `cpu_time` is a subroutine and has no value
            call it with `call`
        34:17 E0411 `cpu_time` changes its argument, and a constant cannot change
            pass a variable
        35:7 E0407 `random_number` is a subroutine and has no value
            call it with `call`
        36:7 E0303 operands of `+` have ranks 1 and 2
        37:7 E0303 operands of `+` have ranks 1 and 2
    "#]]
    .assert_eq(&errors(
        "subroutine s(a, b, n, c)
  real :: a(:), b(:, :), x
  integer :: n
  character(*) :: c
  logical :: l
  x = sqrt(4)
  x = sqrt()
  x = sqrt(x, x)
  x = sqrt(y=x)
  x = abs(c)
  x = sum(x)
  x = sum(c)
  a = sum(b, dim=3)
  x = dot_product(a, b)
  n = iand(n, x)
  n = int(c)
  n = kind(1.0, 2)
  n = size(x)
  n = size(b, 4)
  x = max(x)
  x = max(x, c)
  x = mod(x, 3)
  n = len(n)
  l = allocated(a)
  l = associated(a)
  l = present(x)
  n = int(x, 3)
  b = reshape(a, n)
  x = merge(x, n, l)
  call random_number(n)
  call system_clock(x)
  call sqrt(x)
  x = cpu_time(x)
  call cpu_time(1.0)
  x = random_number(x)
  a = a + b
  x = sin(a) + cos(b)
end subroutine
",
    ));
}

#[test]
fn device_procedures_are_typed() {
    expect![[r#"
        module m
        kernel subroutine m.k(a, r, n)
          integer(4) a(*) [dummy 0]
          real(4) r(*) [dummy 1]
          integer(4) n [dummy 2]
          integer(4) i [local]
          integer(4) old [local]
          integer(8) clk [local]
          logical(4) l [local]
          call syncthreads()
          call syncwarp(-1)
          call threadfence()
          old = atomicadd(a(1), 1)
          r(1) = atomicadd(r(2), 1.5_4)
          old = atomiccas(n, 0, 1)
          old = atomicinc(n, 31)
          i = __shfl_down(i, 1)
          r(1) = __shfl_xor(r(1), 2, 16)
          i = ((ballot((i > 3)) + syncthreads_count(n)) + activemask())
          l = allthreads((i == 1))
          i = ballot_sync(-1, l)
          clk = clock64()
          call gpu_time(clk)
          r(2) = cudadevice.rsqrtf(r(1))
    "#]]
    .assert_eq(&dump(
        "module m
contains
  attributes(global) subroutine k(a, r, n)
    integer :: a(*), n
    real :: r(*)
    integer :: i, old
    integer(8) :: clk
    logical :: l
    call syncthreads()
    call syncwarp(-1)
    call threadfence()
    old = atomicadd(a(1), 1)
    r(1) = atomicadd(r(2), 1.5)
    old = atomiccas(n, 0, 1)
    old = atomicinc(n, 31)
    i = __shfl_down(i, 1)
    r(1) = __shfl_xor(r(1), 2, 16)
    i = ballot(i > 3) + syncthreads_count(n) + activemask()
    l = allthreads(i == 1)
    i = ballot_sync(-1, l)
    clk = clock64()
    call gpu_time(clk)
    r(2) = rsqrt(r(1))
  end subroutine
end module
",
    ));
    expect![[r#"
        9:21 E0412 `mem` of `atomicadd` must be a variable, not `integer(4)`
        10:27 E0412 `val` of `atomicadd` must be `integer(4)` like `mem`, not `real(4)`
        11:21 E0412 `mem` of `atomicand` must be `integer(4)` or `integer(8)`, not `real(8)`
        12:16 E0412 `var` of `__shfl` must be a scalar real, or integer of 4 or 8 bytes, not `logical(4)`
        13:5 E0406 `atomicadd` is a function, not a subroutine
            use its value in an expression
        14:11 E0407 `syncthreads` is a subroutine and has no value
            call it with `call`
        15:18 E0412 `value` of `ballot` must be a scalar logical or integer, not `real(8)`
        16:11 E0201 there is no array or function `atomicmxa` here
            did you mean `atomicmax`?
        17:10 E0202 there is no subroutine `syncthread`
            did you mean `syncthreads`?
    "#]]
    .assert_eq(&errors(
        "module m
contains
  attributes(global) subroutine k(a, c)
    integer :: a(*)
    real(8) :: c(*)
    integer :: old
    logical :: l
    old = atomicadd(a, 1)
    old = atomicadd(3, 1)
    old = atomicadd(a(1), 1.5)
    old = atomicand(c(1), 1)
    l = __shfl(l, 1)
    call atomicadd(a(1), 1)
    old = syncthreads()
    old = ballot(c(1))
    old = atomicmxa(a(1), 2)
    call syncthread()
  end subroutine
end module
",
    ));
}

#[test]
fn names_of_intrinsics_may_be_variables_or_typed_without_effect() {
    expect![[r#"
        host program p
          real(4) abs [static]
          real(4) x [static]
          integer(4) len [static]
          integer(4) sum(3) [static]
          integer(4) size [static]
          len = 8
          sum(2) = len
          x = 2.5_4
          size = 2
    "#]]
    .assert_eq(&dump(
        "program p
  implicit none
  real :: abs, x
  integer :: len, sum(3), size
  len = 8
  sum(2) = len
  x = abs(-2.5)
  size = 2
end program
",
    ));
}
