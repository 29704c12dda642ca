! Arguments that are too small, that have vector subscripts, and loop variables that a procedure changes.
program main
  implicit none
  integer :: a(3), b(2,2), i
  call fill(a) !~ E0419
  call fill(b) !~ E0419
  call fill(b(2,1)) !~ E0419
  call fill([1, 2, 3]) !~ E0419
  call first(a)
  call first(a(2)) !~ E0419
  call name('abc') !~ W0421
  call name('abcdef')
  call set(a([1, 3])) !~ E0332
  call set(a(1:3:2))
  do i = 1, 3
    call one(i) !~ E0319
  end do
contains
  subroutine fill(x)
    integer, intent(in) :: x(5)
  end subroutine
  subroutine first(x)
    integer, intent(in) :: x(3)
  end subroutine
  subroutine name(x)
    character(5), intent(in) :: x
  end subroutine
  subroutine set(x)
    integer, intent(out) :: x(:)
    x = 1
  end subroutine
  subroutine one(x)
    integer, intent(out) :: x
    x = 1
  end subroutine
end program
