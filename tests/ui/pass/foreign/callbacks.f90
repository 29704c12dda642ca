! C code calls procedures of the program: passed by c_funloc or as arguments, kept, nested, with all kinds of arguments.
! run: tests/ui/pass/foreign/callbacks.c
module functions
  use iso_c_binding
  implicit none
  type, bind(c) :: pair
    real(c_double) :: x
    integer(c_int) :: n
  end type
  type, bind(c) :: triple
    real(c_double) :: v(3)
  end type
  type, bind(c) :: holder
    type(c_funptr) :: f
    type(c_ptr) :: data
  end type
  abstract interface
    real(c_double) function real_function(x) bind(c)
      import
      real(c_double), value :: x
    end function
  end interface
  interface
    real(c_double) function integrate(f, a, b, n) bind(c)
      import
      type(c_funptr), value :: f
      real(c_double), value :: a, b
      integer(c_int), value :: n
    end function
    real(c_double) function integrate_by_name(f, a, b, n) bind(c, name='integrate')
      import
      procedure(real_function) :: f
      real(c_double), value :: a, b
      integer(c_int), value :: n
    end function
    subroutine sort_copy(v, n, compare) bind(c)
      import
      integer(c_int) :: v(*)
      integer(c_int), value :: n
      type(c_funptr), value :: compare
    end subroutine
    subroutine qsort(base, count, bytes, compare) bind(c)
      import
      type(c_ptr), value :: base
      integer(c_size_t), value :: count, bytes
      type(c_funptr), value :: compare
    end subroutine
    subroutine keep(f) bind(c)
      import
      type(c_funptr), value :: f
    end subroutine
    real(c_double) function call_kept(x) bind(c)
      import
      real(c_double), value :: x
    end function
    type(c_funptr) function give_kept() bind(c)
      import
    end function
    subroutine call_subroutine(f, times) bind(c)
      import
      type(c_funptr), value :: f
      integer(c_int), value :: times
    end subroutine
    integer(c_int64_t) function call_many(f) bind(c)
      import
      type(c_funptr), value :: f
    end function
    type(pair) function call_pair(f) bind(c)
      import
      type(c_funptr), value :: f
    end function
    type(triple) function call_triple(f) bind(c)
      import
      type(c_funptr), value :: f
    end function
    real(c_double) function call_holder(h) bind(c)
      import
      type(holder) :: h
    end function
    subroutine set_and_call(v, f) bind(c)
      import
      integer(c_int) :: v(*)
      type(c_funptr), value :: f
    end subroutine
  end interface
  integer :: calls = 0
  integer(c_int) :: shared(2) = [1, 2]
contains
  real(c_double) function square(x) bind(c)
    real(c_double), value :: x
    calls = calls + 1
    square = x * x
  end function

  ! A callback that calls C, which calls the program.
  real(c_double) function inner_integral(x) bind(c)
    real(c_double), value :: x
    inner_integral = integrate(c_funloc(square), 0d0, x, 10)
  end function

  integer(c_int) function ascending(a, b) bind(c)
    integer(c_int), intent(in) :: a, b
    ascending = a - b
  end function

  integer(c_int) function descending(a, b) bind(c)
    integer(c_int), intent(in) :: a, b
    descending = b - a
  end function

  subroutine add(total, x) bind(c)
    integer(c_int), intent(inout) :: total
    real(c_double), value :: x
    print '(a,i3,f5.1)', 'add:', total, x
    total = total + int(2 * x)
  end subroutine

  integer(c_int64_t) function mixed(a, b, c, d, e, f, g, h, i, j, k) bind(c)
    integer(c_int8_t), value :: a
    integer(c_int16_t), value :: b
    integer(c_int32_t), value :: c
    integer(c_int64_t), value :: d
    real(c_float), value :: e
    real(c_double), value :: f, k
    integer(c_int), value :: g, h, i, j
    print '(4i3,2f6.2,4i3,f5.1)', a, b, c, d, e, f, g, h, i, j, k
    mixed = 10000000000_8 + a + b + c + d + g + h + i + j
  end function

  type(pair) function doubled(p, n) bind(c)
    type(pair), value :: p
    integer(c_int), value :: n
    doubled = pair(2 * p%x, n * p%n)
  end function

  type(triple) function scaled(t, s) bind(c)
    type(triple), value :: t
    real(c_double), value :: s
    scaled%v = s * t%v
  end function

  subroutine look() bind(c)
    print '(a,2i3)', 'look:', shared
    shared(2) = 5
  end subroutine

  ! An internal procedure that uses variables of its host.
  subroutine hosted(n)
    integer, value :: n
    print '(f6.1)', integrate(c_funloc(shifted), 0d0, 2d0, 2)
  contains
    real(c_double) function shifted(x) bind(c)
      real(c_double), value :: x
      shifted = x + n
    end function
  end subroutine
end module

program callbacks
  use functions
  implicit none
  integer(c_int) :: v(7), i
  integer(c_int64_t) :: sum
  integer(c_int), target :: w(300)
  real(c_double), target :: number
  type(pair) :: p
  type(triple) :: t
  type(holder) :: h
  procedure(real_function), pointer :: f
  print '(f8.4,i5)', integrate(c_funloc(square), 0d0, 3d0, 100), calls
  print '(f8.4,i5)', integrate_by_name(square, 0d0, 3d0, 100), calls
  print '(f8.4,i5)', integrate(c_funloc(inner_integral), 0d0, 1d0, 4), calls
  v = [3, 1, 2, 9, -4, 7, 0]
  call sort_copy(v, 7, c_funloc(ascending))
  print '(7i3)', v
  call sort_copy(v, 7, c_funloc(descending))
  print '(7i3)', v
  w = [(mod(i * 7919, 1009), i = 1, 300)]
  call qsort(c_loc(w), 300_8, 4_8, c_funloc(ascending))
  print '(l2,2i5)', all(w(2:) >= w(:299)), w(1), w(300)
  print '(f5.1)', call_kept(2d0)
  call keep(c_funloc(square))
  print '(f5.1)', call_kept(3d0)
  print '(2l2)', c_associated(give_kept(), c_funloc(square)), c_associated(give_kept(), c_funloc(look))
  call c_f_procpointer(give_kept(), f)
  print '(f6.2)', f(1.5d0)
  f => inner_integral
  print '(f7.3)', integrate(c_funloc(f), 0d0, 1d0, 1)
  call call_subroutine(c_funloc(add), 3)
  sum = call_many(c_funloc(mixed))
  print '(i12)', sum
  p = call_pair(c_funloc(doubled))
  print '(f5.1,i4)', p
  t = call_triple(c_funloc(scaled))
  print '(3f6.1)', t
  number = 4
  h = holder(c_funloc(square), c_loc(number))
  print '(f6.1)', call_holder(h)
  call set_and_call(shared, c_funloc(look))
  print '(2i3)', shared
  call hosted(10)
end program
