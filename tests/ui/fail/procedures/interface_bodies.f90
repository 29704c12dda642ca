! What interface blocks, prefixes, entries and USE statements may say (Fortran 2018, 14.2.2, 15.4.3, 15.6.2).
module sums
  implicit none
  type pair
    integer :: a, b
  end type
  interface operator(+)
    module procedure add
  end interface
  interface total
    module procedure add
  end interface
  interface
    module subroutine planned() !~ (1) E0226
    end subroutine
  end interface
contains
  pure type(pair) function add(x, y)
    type(pair), intent(in) :: x, y
    add = pair(x%a + y%a, x%b + y%b)
  end function
  subroutine planned() !~ E0226
  end subroutine
  pure pure subroutine twice() !~ E0219
  end subroutine
  subroutine host()
    entry point()
  end subroutine
  elemental subroutine each(x)
    integer, intent(in) :: x
    entry bound(x) bind(c) !~ E0420
  end subroutine
  subroutine own()
    intrinsic :: sqrt !~ E0219
    entry sqrt()
  end subroutine
end module

module lists
  use sums
  implicit none
  interface many
    module procedure total !~ E0202
  end interface
  abstract interface !~ E0115
    module procedure add
  end interface
  interface
    subroutine described()
      data i / 1 / !~ E0115
      entry other() !~ E0115
    end subroutine
  end interface
contains
  subroutine second()
    entry point() !~ E0205
  end subroutine
end module

module renamed
  use sums, operator(-) => operator(+) !~ E0211
end module

subroutine both_kinds()
  use, intrinsic :: iso_c_binding
  use, non_intrinsic :: iso_c_binding !~ E0211
end subroutine

subroutine with_internal(n)
  entry inner(n)
contains
  subroutine inner() !~ E0205
  end subroutine
end subroutine

integer(8) function wide()
  wide = 1
end function

subroutine labels() bind(c, name='one_label')
  entry same() bind(c, name='one_label') !~ E0230
end subroutine

program main
  integer :: n
  n = wide() !~ E0416
contains
  subroutine sums()
    use sums !~ E0229
  end subroutine
end program
