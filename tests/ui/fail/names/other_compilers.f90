! What is wrong with forms of other compilers.

module forms
  implicit none
  type :: t
    procedure(f), pointer, nopass :: p
  end type
  enum, bind(c)
    enumerator :: a = 1hx !~ W0333, E0307
  end enum
contains
  integer function f()
    f = 1
  end function
  subroutine s(d)
    integer, automatic :: d  !~ E0219
    integer, automatic, save :: e !~ E0219
    integer :: g
    automatic :: g !~ E0219
    static :: g
    type(t) :: z
    z%p = 5 !~ E0311
    print *, complex(z'10', 1) !~ E0301
  end subroutine
end module

program other_compilers
end program
