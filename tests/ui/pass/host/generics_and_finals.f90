! Generic names of a module and of the host together; FINAL subroutines whose name is generic, too; protected pointers; bound
! COMMON blocks.
module one
  implicit none
  interface g
    procedure g_int
  end interface
  integer, target :: a = 3
  integer, pointer, protected :: p
contains
  subroutine g_int(i)
    integer, intent(in) :: i
    print '(a,i3)', 'int', i
  end subroutine
  subroutine start
    p => a
  end subroutine
end module

module two
  use iso_c_binding
  implicit none
  interface g
    procedure g_real
  end interface
  type t
    integer :: n = 0
  contains
    final :: done
  end type
  interface done
    module procedure done
    module procedure done_int
  end interface
  integer(c_int) :: x, y
  common /com/ x, y
  bind(c) :: /com/
contains
  subroutine g_real(x)
    real, intent(in) :: x
    print '(a,f5.1)', 'real', x
  end subroutine
  subroutine inner
    use one
    call g(1)
    call g(2.)
  end subroutine
  subroutine done(x)
    type(t), intent(inout) :: x
    print '(a,i3)', 'final', x%n
  end subroutine
  subroutine done_int(i)
    integer, intent(in) :: i
    print '(a,i3)', 'done', i
  end subroutine
end module

program generics_and_finals
  use one, only: start, p, a
  use two
  implicit none
  call inner
  call start
  p = 5
  print '(i3)', a
  call local
  call done(3)
  x = 4
  y = x + 1
  print '(2i3)', x, y
contains
  subroutine local
    type(t) :: v
    v%n = 7
  end subroutine
end program
