! Large arrays as C sees them where calls work on copies: what C writes, what the program writes between calls and in a callback, what
! C has kept the address of, and what the system writes for C.
! run: tests/ui/pass/foreign/pages.c --race
module side
  use iso_c_binding
  implicit none
  integer, parameter :: n = 200000
  integer(c_int), allocatable, target :: a(:)
  interface
    subroutine keep(p) bind(c)
      import
      type(c_ptr), value :: p
    end subroutine
    subroutine put(at, value) bind(c)
      import
      integer(c_int), value :: at, value
    end subroutine
    integer(c_int) function get(at) bind(c)
      import
      integer(c_int), value :: at
    end function
    integer(c_int) function around(f) bind(c)
      import
      type(c_funptr), value :: f
    end function
    integer(c_int) function read_zeros(p, bytes) bind(c)
      import
      integer(c_int), intent(out) :: p(*)
      integer(c_int), value :: bytes
    end function
    integer(c_int) function total(p, count) bind(c)
      import
      integer(c_int), intent(in) :: p(*)
      integer(c_int), value :: count
    end function
  end interface
contains
  ! The program changes one element and sees that of C.
  subroutine between() bind(c)
    print *, 'in the callback', a(100001)
    a(100002) = 5
    a(7) = 70
  end subroutine
end module

program pages
  use side
  implicit none
  integer :: i
  allocate(a(n))
  a = [(mod(i, 10), i = 1, n)]
  call keep(c_loc(a))
  call put(16384, 1000)
  call put(16385, 2000)
  print *, a(16383:16387)
  a(16385) = 1
  a(n) = 9
  print *, get(16384), get(16385), get(n)
  i = around(c_funloc(between))
  print *, i
  print *, a(100001), a(100002), a(7)
  print *, read_zeros(a(30000), 400000), sum(a(29990:30005)), count(a == 0)
  print *, total(a, n) == sum(a), total(a(n:), 1)
  deallocate(a)
  allocate(a(2*n), source=3)
  call keep(c_loc(a))
  call put(n, 4)
  print *, sum(a), total(a, 2*n)
end program
