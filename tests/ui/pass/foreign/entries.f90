! C code calls a function by the binding label of its ENTRY statement; a module hands on names of iso_c_binding under others.
! run: tests/ui/pass/foreign/entries.c
module names
  use, intrinsic :: iso_c_binding, only: c_ptr, c_associated, c_null_ptr
end module

module functions
  use iso_c_binding
  implicit none
contains
  function first(n) bind(c) result(r)
    integer(c_int), value :: n
    integer(c_int) :: r, other
    r = n + 1
    return
    entry other_one(n) bind(c, name='second') result(other)
    other = n * 10
  end function
end module

program entries
  use names, is_there => c_associated
  use functions
  implicit none
  interface
    subroutine start() bind(c)
    end subroutine
  end interface
  call start()
  print *, is_there(c_null_ptr)
end program
