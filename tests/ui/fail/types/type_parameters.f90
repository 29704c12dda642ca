! Type parameters that are not declared, given or used as their types require.
module m
  implicit none
  type :: good(k, n)
    integer, kind :: k = 4
    integer, len :: n
    real(k) :: x(n) !~ E0302
  end type
  type :: wrong(k)
    integer, kind :: k
    type(nothing) :: x !~ E0203
  end type
  type :: plain
    integer :: i
  end type
  type :: undeclared(k, n) !~ E0339
    integer, len :: n
    integer :: i
  end type
  type :: twice(k, k) !~ E0339
    integer, kind :: k
  end type
  type :: other(k)
    integer, kind :: k
    integer, len :: n !~ E0339
  end type
  type :: fraction(k)
    real, kind :: k !~ E0339
  end type
  type :: row(k)
    integer, kind :: k(2) !~ E0339
  end type
  integer, len :: alone !~ E0339
  type(good(4, 2)) :: a
  type(good(8, 2)) :: b
  type(good) :: missing !~ E0339
  type(good(4, 2, 3)) :: many !~ E0339
  type(good(n=2, q=4)) :: unknown !~ E0339
  type(good(n=2, n=4)) :: given_twice !~ E0339
  type(good(n=2, 4)) :: position !~ E0339
  type(good(*, 2)) :: assumed !~ E0339
  type(wrong(1)) :: wrong1
  type(wrong(2)) :: wrong2
  type(plain(4)) :: no_parameters !~ E0339
  type(good(3, 2)) :: no_kind
contains
  subroutine uses(n)
    integer, intent(in) :: n
    type(good(n, 2)) :: variable !~ E0306
    a = b !~ E0301
    a%n = 3 !~ E0311
    a = good(4, 2)([1d0, 2d0, 3d0]) !~ E0304
    print *, good(4)([1.0, 2.0]) !~ E0339
    print *, a%q !~ E0204
  end subroutine
  subroutine guards(q)
    class(good(4, 2)), intent(in) :: q
    select type (q)
    type is (good(4, 2)) !~ E0339
      print *, q%x
    end select
  end subroutine
end module
program p
end program
