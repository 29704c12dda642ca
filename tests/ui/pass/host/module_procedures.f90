! A generic name may have separate module procedures: those whose interface is in the module, and those that a submodule makes.
module vectors
  implicit none
  interface length
    module procedure length_real
    module function length_integer(v)
      integer, intent(in) :: v(:)
      integer :: length_integer
    end function
    procedure length_text
  end interface
  interface show
    procedure :: show_it, show_other
  end interface
  interface
    module subroutine show_it(i)
      integer, intent(in) :: i
    end subroutine
    module subroutine show_other(x)
      real, intent(in) :: x
    end subroutine
    module function length_text(c) result(n)
      character(*), intent(in) :: c
      integer :: n
    end function
  end interface
  interface operator(.plus.)
    module function plus(a, b)
      integer, intent(in) :: a(:), b(:)
      integer :: plus(size(a))
    end function
  end interface
contains
  real function length_real(v)
    real, intent(in) :: v(:)
    length_real = sum(v)
  end function
  module function length_integer(v)
    integer, intent(in) :: v(:)
    integer :: length_integer
    length_integer = sum(v)
  end function
end module

submodule (vectors) rest
contains
  module procedure show_it
    print '(a,i4)', 'integer', i
  end procedure
  module subroutine show_other(x)
    real, intent(in) :: x
    print '(a,f5.1)', 'real', x
  end subroutine
  module procedure length_text
    n = len(c)
  end procedure
  module function plus(a, b)
    integer, intent(in) :: a(:), b(:)
    integer :: plus(size(a))
    plus = a + b
  end function
end submodule

program module_procedures
  use vectors
  implicit none
  print '(f5.1,2i4)', length([1., 2.]), length([3, 4]), length('abcde')
  call show(3)
  call show(2.5)
  print '(2i4)', [1, 2] .plus. [10, 20]
end program
