! Variables that C code has or uses, memory that it has allocated, and procedures of C by their addresses.
! run: tests/ui/pass/foreign/variables.c
module shared
  use iso_c_binding
  implicit none
  integer(c_int), bind(c) :: counter
  integer(c_int), bind(c, name='from_fortran') :: mine
  type(c_ptr), bind(c) :: values
  real(c_double), bind(c) :: table(3) = [1, 2, 3]
  integer(c_int), bind(c, name='shared_first') :: two(2) = [7, 8]
  integer(c_int) :: n
  real(c_double) :: x
  common /block/ n, x
  bind(c) :: /block/
  abstract interface
    function of_integer(n) bind(c)
      import c_int
      integer(c_int), value :: n
      integer(c_int) :: of_integer
    end function
  end interface
  interface
    subroutine prepare() bind(c)
    end subroutine
    function sum_of_all() bind(c, name='sum') result(s)
      import c_int
      integer(c_int) :: s
    end function
    function address() bind(c, name='function') result(f)
      import c_funptr
      type(c_funptr) :: f
    end function
  end interface
end module

program variables
  use shared
  implicit none
  real(c_double), pointer :: v(:)
  procedure(of_integer), pointer :: f
  interface
    subroutine assign(f)
      import of_integer
      procedure(of_integer), pointer :: f
    end subroutine
  end interface
  n = 5
  x = 1
  mine = 1000
  call prepare()
  print *, counter, n, x
  print '(3f6.1)', table
  call c_f_pointer(values, v, [4])
  print '(4f6.1)', v
  v(2:) = v(2:) * 2
  v(1) = sum(v)
  print '(4f6.1)', v
  two(2) = 100000
  counter = counter + 1
  print *, sum_of_all()
  call c_f_procpointer(address(), f)
  print *, f(21)
  f => null()
  call assign(f)
  print *, f(4)
end program
