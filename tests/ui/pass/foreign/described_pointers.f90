! run: tests/ui/pass/foreign/described_pointers.c
! Pointers in arrays that C gets by descriptors, and what `loc` gives as an argument, are addresses of C.
module m
  use iso_c_binding
  implicit none
  type, bind(c) :: named
    integer(c_int) :: key
    type(c_ptr) :: value
  end type
  interface
    integer(c_int) function sum_of_any(pointers) bind(c, name='sum_of')
      import :: c_int
      type(*), intent(in) :: pointers(..)
    end function
    integer(c_int) function sum_of(pointers) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(in) :: pointers(:)
    end function
    integer(c_int) function called(procedures, x) bind(c)
      import :: c_int, c_funptr
      type(c_funptr), intent(in) :: procedures(:)
      integer(c_int), value :: x
    end function
    real(c_double) function share(pairs) bind(c)
      import :: c_double, named
      type(named) :: pairs(:)
    end function
    function memcpy(to, from, n) bind(c) result(res)
      import :: c_ptr, c_intptr_t, c_size_t
      integer(c_intptr_t), value :: to, from
      integer(c_size_t), value :: n
      type(c_ptr) :: res
    end function
    integer(c_int) function is_at(x, address) bind(c)
      import :: c_int, c_intptr_t
      type(*) :: x(..)
      integer(c_intptr_t), intent(in) :: address
    end function
  end interface
contains
  integer(c_int) function twice(x) bind(c)
    integer(c_int), value :: x
    twice = 2*x
  end function
  integer(c_int) function next(x) bind(c)
    integer(c_int), value :: x
    next = x + 1
  end function
end module

program described_pointers
  use m
  implicit none
  integer(c_int), target :: n(6) = [1, 2, 3, 4, 5, 6]
  real(c_double), target :: a = 1.5, b = 2.25
  type(c_ptr) :: p(6), result
  type(named) :: pairs(2)
  real(c_double), pointer :: q
  integer, allocatable :: x(:)
  integer :: y(4), i
  p = [(c_loc(n(i)), i=1, 6)]
  print *, sum_of(p), sum_of(p(2:6:2)), sum_of(p(6:1:-3)), sum_of_any(p(1:2))
  print *, n
  print *, all([(c_associated(p(i), c_loc(n(i))), i=1, 6)])
  print *, called([c_funloc(twice), c_funloc(next)], 10)
  pairs = [named(1, c_loc(a)), named(2, c_loc(b))]
  print *, share(pairs)
  call c_f_pointer(pairs(2)%value, q)
  print *, associated(q, a)
  allocate (x(4), source=[7, 8, 9, 10])
  result = memcpy(loc(y), loc(x(2)), 12_c_size_t)
  print *, y(1:3)
  print *, is_at(y, loc(y)), is_at(x, loc(x)), is_at(x, loc(x(2)))
end program
