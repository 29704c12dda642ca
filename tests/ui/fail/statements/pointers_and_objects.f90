! Pointers with wrong targets or that cannot be associated, and objects that stand twice in one statement.
module fixed_bounds
  implicit none
  integer :: n = 3
  real :: work(n) !~ E0318
end module
program main
  implicit none
  type :: holder
    integer, allocatable :: x(:)
  end type
  integer, target :: a(10), v(2) = [1, 2]
  integer, pointer :: p(:)
  integer, pointer, contiguous :: c(:)
  integer, allocatable :: x(:), y(:)
  type(holder) :: h, g
  p => a(1:10:2)
  c => a(3:7)
  c => a(1:10:2) !~ E0313
  p => a(v) !~ E0332
  allocate (x(3), y(3))
  deallocate (x, y)
  allocate (x(3), y(3), x(4)) !~ E0334
  allocate (h%x(1), g%x(1))
  deallocate (h%x, g%x)
  deallocate (h%x, h%x) !~ E0334
  call keep(p)
contains
  subroutine keep(q)
    integer, pointer, intent(in) :: q(:)
    q = 1
    q => a !~ E0311
    nullify (q) !~ E0311
  end subroutine
end program
