! An internal procedure that is an actual argument belongs to the activation of its host in which it was passed. It may be called
! where its host's variables are not known, and may itself use a procedure dummy of its host.
module levels
  implicit none
  abstract interface
    subroutine plain
    end subroutine
    real function of_real(x)
      real, intent(in) :: x
    end function
  end interface
contains
  recursive subroutine level(n, shown)
    integer, intent(in) :: n
    procedure(plain), optional :: shown
    if (present(shown)) call shown
    if (n < 3) call level(n + 1, show)
    call show
  contains
    subroutine show
      print '(a,i2)', 'level', n
    end subroutine
  end subroutine
  recursive subroutine deeper(n, f)
    integer, intent(in) :: n
    procedure(plain) :: f
    integer :: own
    own = 10 * n
    call f
    if (n > 0) call deeper(n - 1, mine)
    print '(a,i3)', 'back in', own
  contains
    subroutine mine
      own = own + 1
      print '(a,2i3)', 'mine', n, own
      call f
    end subroutine
  end subroutine
  subroutine each(n, f)
    integer, intent(in) :: n
    interface
      subroutine f(i)
        integer, intent(in) :: i
      end subroutine
    end interface
    integer :: i
    do i = 1, n
      call f(i)
    end do
  end subroutine
  subroutine fill_all(v, text)
    integer :: v(:)
    character(*) :: text
    integer, allocatable :: more(:)
    allocate (more(size(v)))
    call each(size(v), fill)
    print '(a,8i4)', text, v, more
  contains
    subroutine fill(i)
      integer, intent(in) :: i
      v(i) = 5 * i
      more(i) = len(text)
      text(i:i) = '*'
    end subroutine
  end subroutine
  real function integral(f, a, b)
    procedure(of_real) :: f
    real, intent(in) :: a, b
    integer :: i
    integral = 0
    do i = 0, 3
      integral = integral + f(a + (b - a) * (i + 0.5) / 4) * (b - a) / 4
    end do
  end function
  real function scaled(f, factor)
    procedure(of_real) :: f
    real, intent(in) :: factor
    scaled = integral(inner, 0., 4.) + direct()
  contains
    real function inner(x)
      real, intent(in) :: x
      inner = factor * f(x)
    end function
    real function direct()
      direct = f(2.)
    end function
  end function
  real function twofold(c)
    real, intent(in) :: c
    twofold = scaled(line, 2.)
  contains
    real function line(x)
      real, intent(in) :: x
      line = c + x
    end function
  end function
  subroutine optional_in_host(f)
    procedure(plain), optional :: f
    call inner
  contains
    subroutine inner
      print '(a,l2)', 'optional', present(f)
      if (present(f)) call f
    end subroutine
  end subroutine
  subroutine by_pointer(n)
    integer :: n
    procedure(plain), pointer :: p
    p => add
    call p
    call p
    print '(a,i3)', 'by pointer', n
    call pass_pointer(p)
    print '(a,i3)', 'by pointer', n
    call optional_in_host(p)
  contains
    subroutine add
      n = n + 1
    end subroutine
  end subroutine
  subroutine pass_pointer(f)
    procedure(plain) :: f
    call f
  end subroutine
end module

real function external_host(fun)
  real, external :: fun
  external_host = inner()
contains
  real function inner()
    inner = fun(2.)
  end function
end function

program activation
  use levels
  implicit none
  integer :: v(4), n
  character(6) :: text
  real, external :: external_host
  intrinsic :: sqrt
  call level(1)
  call deeper(3, first)
  text = 'abcdef'
  call fill_all(v, text)
  print '(a)', text
  print '(3f8.3)', scaled(square, 2.), twofold(1.), twofold(3.)
  call optional_in_host()
  call optional_in_host(first)
  n = 5
  call by_pointer(n)
  print '(f8.3)', external_host(square)
contains
  subroutine first
    print '(a)', 'first'
  end subroutine
  real function square(x)
    real, intent(in) :: x
    square = x * x
  end function
end program
