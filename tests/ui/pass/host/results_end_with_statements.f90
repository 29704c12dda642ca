! The results of functions are finalised behind the innermost executable construct that refers to them (Fortran 2018, 7.5.6.3), also
! where a loop or a condition of it makes them; those of the condition of a DO WHILE when it has been evaluated.
module results
  implicit none
  type :: t
    integer :: n = 0
    integer, allocatable :: more(:)
  contains
    final :: end_of_one, end_of_array
  end type
contains
  subroutine end_of_one(x)
    type(t), intent(inout) :: x
    write (*, '(2(a, i0))') '  end of ', x%n, ', more: ', size(x%more)
  end subroutine

  subroutine end_of_array(x)
    type(t), intent(inout) :: x(:)
    write (*, '(a, *(i0, :, 1x))') '  end of array ', x%n
  end subroutine

  function made(n) result(r)
    integer, intent(in) :: n
    type(t) :: r
    r%n = n
    allocate (r%more(n))
  end function

  function allocated_one(n) result(r)
    integer, intent(in) :: n
    class(t), allocatable :: r
    allocate (r)
    r%n = n
    allocate (r%more(n))
  end function

  function some(n) result(r)
    integer, intent(in) :: n
    type(t) :: r(n)
    integer :: i
    r%n = [(10*n + i, i = 1, n)]
  end function

  pure integer function value(x)
    class(t), intent(in) :: x
    value = x%n
  end function

  pure integer function total(x)
    type(t), intent(in) :: x(:)
    total = sum(x%n)
  end function
end module

program results_end_with_statements
  use results
  implicit none
  integer :: i, n, a(4) = 0
  integer, allocatable :: list(:)
  logical :: yes

  print '(*(i0, :, 1x))', value(made(1)), (value(made(i)), total(some(i)), value(allocated_one(i)), i = 2, 3)
  print '(a)', 'IF'
  if (value(made(1)) == 2) then
    print '(a)', 'no'
  else if (value(made(2)) == 2 .and. value(made(3)) == 3) then
    print '(a)', 'yes'
  else if (value(made(4)) == 4) then
    print '(a)', 'no'
  end if
  if (value(made(5)) == 5) print '(a)', 'logical IF'
  print '(a)', 'DO WHILE'
  n = 0
  do while (value(made(n)) < 2)
    print '(a, i0)', 'round ', n
    n = n + 1
  end do
  print '(a)', 'SELECT CASE'
  select case (value(made(7)))
  case (7)
    print '(a)', 'seven'
  end select
  print '(a)', 'subscripts'
  a(value(made(2))) = value(made(3))
  print '(4i2)', a
  print '(a)', 'constructor'
  list = [(value(made(i)), i = 1, 2)]
  print '(*(i0, :, 1x))', list
  print '(a)', 'right operands'
  yes = n > 5 .and. value(made(8)) == 8
  yes = n == 2 .and. value(made(9)) == 9
  print '(l1)', yes
  print '(a)', 'jumps'
  call jumps
contains
  subroutine jumps
    integer :: i
    do i = 1, 3
      if (value(made(i)) == 1) cycle
      if (value(made(10*i)) == 20) then
        print '(a)', 'leaves'
        return
      end if
    end do
  end subroutine
end program
