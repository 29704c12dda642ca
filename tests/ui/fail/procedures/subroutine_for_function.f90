! A dummy procedure with a type is a function: a subroutine is no argument for it, and a generic takes another specific.
module callers
  implicit none
  interface run
    procedure run_function, run_subroutine
  end interface
contains
  subroutine run_function(f)
    real, external :: f
    print *, f(2.)
  end subroutine
  subroutine run_subroutine(s)
    interface
      subroutine s(i)
        integer, intent(inout) :: i
      end subroutine
    end interface
    integer :: i
    i = 1
    call s(i)
  end subroutine
  subroutine old(s)
    external :: s
    call s
  end subroutine
end module
program main
  use callers
  implicit none
  call run(square)
  call run(add)
  call run_function(add) !~ E0413
  call old(nothing)
contains
  real function square(x)
    real, intent(in) :: x
    square = x*x
  end function
  subroutine add(i)
    integer, intent(inout) :: i
    i = i + 41
  end subroutine
  subroutine nothing
  end subroutine
end program
