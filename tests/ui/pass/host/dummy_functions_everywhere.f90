! A dummy argument without EXTERNAL is a function where a reference to it stands anywhere in a statement: in selectors, bounds, lengths,
! steps, specifiers of input and output, internal files, and subscripts of what is assigned, allocated or nullified.
module m
  implicit none
  type t
    integer :: k = 0
    integer, pointer :: p => null()
  end type
contains
  real function one(a)
    real, intent(in) :: a
    one = a
  end function
end module
real function in_selector(f, a) result(r)
  use m, only: t
  real :: f, a
  integer :: i, u
  type(t) :: w(1)
  associate (y => f(a))
    r = y
  end associate
end function
real function in_bounds(f, a) result(r)
  real :: f, a
  integer :: i, u
  real, allocatable :: w(:)
  allocate (w(int(f(a)) + 1))
  r = size(w)
end function
real function in_source(f, a) result(r)
  real :: f, a
  integer :: i, u
  real, allocatable :: w
  allocate (w, source=f(a) + 2)
  r = w
end function
real function in_length(f, a) result(r)
  real :: f, a
  integer :: i, u
  character(:), allocatable :: c
  allocate (character(int(f(a)) + 3) :: c)
  r = len(c)
end function
real function in_deallocated(f, a) result(r)
  use m, only: t
  real :: f, a
  integer :: i, u
  type(t) :: w(1)
  allocate (w(1)%p)
  deallocate (w(int(f(a)))%p)
  r = merge(5, 0, .not. associated(w(1)%p))
end function
real function in_nullified(f, a) result(r)
  use m, only: t
  real :: f, a
  integer :: i, u
  type(t) :: w(1)
  allocate (w(1)%p)
  nullify (w(int(f(a)))%p)
  r = merge(6, 0, .not. associated(w(1)%p))
end function
real function in_component(f, a) result(r)
  use m, only: t
  real :: f, a
  integer :: i, u
  type(t) :: w(1)
  w(int(f(a)))%k = 7
  r = w(1)%k
end function
real function in_substring(f, a) result(r)
  real :: f, a
  integer :: i, u
  character(2) :: w(1)
  w = "8 "
  w(int(f(a)))(2:) = "0"
  read (w(1), *) r
end function
real function in_internal(f, a) result(r)
  real :: f, a
  integer :: i, u
  character(3) :: c(1)
  c = "9"
  read (c(int(f(a))), "(f3.0)") r
end function
real function in_specifier(f, a) result(r)
  real :: f, a
  integer :: i, u
  open (newunit=u, status="scratch", form="unformatted", access="direct", recl=int(f(a)) * 4)
  write (u, rec=int(f(a))) 10.0
  read (u, rec=1) r
  close (u)
end function
real function in_step(f, a) result(r)
  real :: f, a
  integer :: i, u
  r = size([(real(i), i=1, 11, int(f(a)))])
end function
real function in_items(f, a) result(r)
  real :: f, a
  integer :: i, u
  character(20) :: c
  write (c, "(*(i1))") (i, i=1, 3, int(f(a)))
  read (c, *) r
end function
real function in_case(f, a) result(r)
  real :: f, a
  integer :: i, u
  select case (int(f(a)))
  case (1)
    r = 15
  end select
end function
real function in_pointer(f, a) result(r)
  use m, only: t
  real :: f, a
  integer :: i, u
  type(t) :: w(1)
  integer, target :: n
  n = 16
  w(int(f(a)))%p => n
  r = w(1)%p
end function
program main
  use m, only: one
  implicit none
  real, external :: in_selector
  real, external :: in_bounds
  real, external :: in_source
  real, external :: in_length
  real, external :: in_deallocated
  real, external :: in_nullified
  real, external :: in_component
  real, external :: in_substring
  real, external :: in_internal
  real, external :: in_specifier
  real, external :: in_step
  real, external :: in_items
  real, external :: in_case
  real, external :: in_pointer
  print '(a,f5.1)', 'selector', in_selector(one, 1.0)
  print '(a,f5.1)', 'bounds', in_bounds(one, 1.0)
  print '(a,f5.1)', 'source', in_source(one, 1.0)
  print '(a,f5.1)', 'length', in_length(one, 1.0)
  print '(a,f5.1)', 'deallocated', in_deallocated(one, 1.0)
  print '(a,f5.1)', 'nullified', in_nullified(one, 1.0)
  print '(a,f5.1)', 'component', in_component(one, 1.0)
  print '(a,f5.1)', 'substring', in_substring(one, 1.0)
  print '(a,f5.1)', 'internal', in_internal(one, 1.0)
  print '(a,f5.1)', 'specifier', in_specifier(one, 1.0)
  print '(a,f5.1)', 'step', in_step(one, 1.0)
  print '(a,f5.1)', 'items', in_items(one, 1.0)
  print '(a,f5.1)', 'case', in_case(one, 1.0)
  print '(a,f5.1)', 'pointer', in_pointer(one, 1.0)
end program
