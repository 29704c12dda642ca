! real(2) by value to and from C: arguments, results, in objects, and of a procedure that C calls back.
! run: tests/ui/pass/foreign/half.c
module c_side
  use iso_c_binding
  implicit none
  type, bind(c) :: pair
    real(2) :: x, y
  end type
  type, bind(c) :: mixed
    real(c_float) :: a
    real(2) :: b
    integer(c_int) :: n
  end type
  interface
    real(2) function twice(x) bind(c)
      real(2), value :: x
    end function
    real(c_float) function blend(a, b, c, n, out) bind(c)
      import
      real(2), value :: a, c
      real(c_float), value :: b
      integer(c_int), value :: n
      real(2) :: out
    end function
    type(pair) function turned(p) bind(c)
      import
      type(pair), value :: p
    end function
    type(mixed) function grown(m) bind(c)
      import
      type(mixed), value :: m
    end function
    real(2) function called(f, x) bind(c)
      import
      type(c_funptr), value :: f
      real(2), value :: x
    end function
  end interface
contains
  real(2) function square(x) bind(c)
    real(2), value :: x
    square = x*x
  end function
end module
program p
  use c_side
  implicit none
  real(2) :: h
  type(pair) :: q
  type(mixed) :: m
  print *, twice(1.5_2), twice(-60000._2)
  print *, blend(1.5_2, 2.25, -3._2, 7, h), h
  q = turned(pair(1._2, 2._2))
  print *, q%x, q%y
  m = grown(mixed(1., 2._2, 3))
  print *, m%a, m%b, m%n
  print *, called(c_funloc(square), 3._2)
end program
