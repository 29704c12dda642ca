! The results of an elemental function are finalised when the statement that refers to it has used them (Fortran 2018, 7.5.6.3).
module results
  implicit none
  type :: res
    integer :: id = 0
    integer, allocatable :: list(:)
  contains
    final :: finish
  end type
contains
  impure elemental subroutine finish(x)
    type(res), intent(inout) :: x
    if (x%id /= 0) print '(a,i0)', 'end of ', x%id
    x%id = -1
  end subroutine
  impure elemental function made(i) result(r)
    integer, intent(in) :: i
    type(res) :: r
    r%id = i
    r%list = [i, 2*i]
  end function
  elemental integer function number(x)
    type(res), intent(in) :: x
    number = x%id + size(x%list)
  end function
  subroutine use(x)
    type(res), intent(in) :: x(:)
    print *, 'used', x%id, x(1)%list
  end subroutine
end module

program p
  use results
  implicit none
  call use(made([1, 2, 3]))
  call assigned
contains
  subroutine assigned
    type(res) :: y(2), z(2)
    integer :: total
    y = made([5, 6])
    print *, y%id, y(2)%list
    total = sum(number(made([7, 8])))
    print *, 'sum', total
    where ([.true., .false.]) z%id = number(made([9, 10]))
    print *, z%id
    print *, 'done'
  end subroutine
end program
