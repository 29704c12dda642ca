! What calls of C cost: calls with scalars, with a variable by reference, procedures that C calls, memory, and the C library's qsort.
! The arguments are the number of calls and that of the elements that qsort sorts. Lines say what, and a figure.
module c_code
  use iso_c_binding
  implicit none
  interface
    real(c_double) function step(x, n) bind(c)
      import
      real(c_double), value :: x
      integer(c_int), value :: n
    end function
    real(c_double) function near(x, n) bind(c)
      import
      real(c_double), intent(in) :: x
      integer(c_int), value :: n
    end function
    integer(c_int) function each(n, f) bind(c)
      import
      integer(c_int), value :: n
      type(c_funptr), value :: f
    end function
    subroutine touch(n, x) bind(c)
      import
      integer(c_long), value :: n
      real(c_double) :: x(*)
    end subroutine
    subroutine qsort(a, n, bytes, f) bind(c)
      import
      real(c_double) :: a(*)
      integer(c_size_t), value :: n, bytes
      type(c_funptr), value :: f
    end subroutine
  end interface
contains
  integer(c_int) function low(i) bind(c)
    integer(c_int), value :: i
    low = iand(i, 7)
  end function

  integer(c_int) function order(a, b) bind(c)
    real(c_double), intent(in) :: a, b
    order = merge(-1, merge(1, 0, a > b), a < b)
  end function
end module

program calls
  use c_code
  implicit none
  integer, parameter :: times = 10
  real(c_double), allocatable :: a(:)
  real(c_double) :: x
  integer(8) :: begun
  integer :: n, elements, i, total
  character(16) :: argument
  call get_command_argument(1, argument)
  read (argument, *) n
  call get_command_argument(2, argument)
  read (argument, *) elements
  x = 0
  call begin()
  do i = 1, n
    x = step(x, iand(i, 7))
  end do
  print '(a,f14.0)', 'calls with scalars, a second:', n / seconds()
  call begin()
  do i = 1, n
    x = near(x, -iand(i, 7))
  end do
  print '(a,f14.0)', 'calls with a reference, a second:', n / seconds()
  if (x /= 0) error stop 'the sum is wrong'
  call begin()
  total = each(n, c_funloc(low))
  print '(a,f14.0)', 'procedures that C calls, a second:', n / seconds()
  if (total /= sum([(iand(i, 7), i=0, n - 1)])) error stop 'the total is wrong'
  allocate (a(2**27))
  a = 0
  call begin()
  do i = 1, times
    call touch(size(a, kind=c_long), a)
  end do
  print '(a,f10.4)', '1 GiB passed 10 times, seconds:', seconds()
  if (a(size(a)) /= times) error stop 'the element is wrong'
  deallocate (a)
  allocate (a(elements))
  call random_number(a)
  call begin()
  call qsort(a, size(a, kind=c_size_t), 8_c_size_t, c_funloc(order))
  print '(a,f10.4)', 'qsort, seconds:', seconds()
  if (any(a(2:) < a(:size(a) - 1))) error stop 'the order is wrong'
contains
  subroutine begin()
    call system_clock(begun)
  end subroutine

  real(8) function seconds()
    integer(8) :: now, rate
    call system_clock(now, rate)
    seconds = real(now - begun, 8) / rate
  end function
end program
