! Elemental functions whose value depends, by a procedure that C code or another procedure calls, on the array that is assigned: the
! whole value is computed before the first element is stored.
! run: tests/ui/pass/foreign/readers.c
module others
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function ask(f) bind(c)
      import
      type(c_funptr), value :: f
    end function
  end interface
  abstract interface
    integer(c_int) function reader() bind(c)
      import
    end function
  end interface
contains
  integer function called(f)
    procedure(reader) :: f
    called = f()
  end function
end module

program readers
  implicit none
  integer :: a(4)
  a = [10, 20, 30, 40]
  call locals([1, 2, 3, 4])
  call of_dummies(a, [1, 2, 3, 4])
end program

subroutine locals(b)
  use others
  implicit none
  integer, intent(in) :: b(4)
  integer :: a(4)
  a = b
  a = by_c(b)
  print '(a,4i4)', 'by C:        ', a
  a = b
  a = by_dummy(b)
  print '(a,4i4)', 'by a dummy:  ', a
  a = b
  a = by_pointer(b)
  print '(a,4i4)', 'by a pointer:', a
contains
  integer(c_int) function total() bind(c)
    total = sum(a)
  end function
  impure elemental integer function by_c(i)
    integer, intent(in) :: i
    by_c = ask(c_funloc(total)) + i
  end function
  impure elemental integer function by_dummy(i)
    integer, intent(in) :: i
    by_dummy = called(total) + i
  end function
  impure elemental integer function by_pointer(i)
    integer, intent(in) :: i
    procedure(reader), pointer :: f
    f => total
    by_pointer = f() + i
  end function
end subroutine

subroutine of_dummies(a, b)
  use others
  implicit none
  integer, intent(in) :: b(4)
  integer :: a(4)
  a = by_c(b)
  print '(a,4i4)', 'of a dummy:  ', a
contains
  integer(c_int) function total() bind(c)
    total = sum(a)
  end function
  impure elemental integer function by_c(i)
    integer, intent(in) :: i
    by_c = ask(c_funloc(total)) + i
  end function
end subroutine
