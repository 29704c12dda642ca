! Defined assignments in FORALL that read what they assign, by their values or to find their places, also in a WHERE there: all values
! and places are found before any assignment.
module kinds
  implicit none
  type :: counted
    integer :: x = 0
  end type
  type :: named
    character(:), allocatable :: name
  end type
  interface assignment(=)
    procedure :: take, take_row, take_counted, take_name
  end interface
contains
  elemental subroutine take(to, from)
    type(counted), intent(inout) :: to
    integer, intent(in) :: from
    to%x = from
  end subroutine
  pure subroutine take_row(to, from)
    type(counted), intent(inout) :: to(:)
    real, intent(in) :: from(:)
    to(:)%x = nint(from(size(from):1:-1))
  end subroutine
  elemental subroutine take_counted(to, from)
    type(counted), intent(inout) :: to
    type(counted), intent(in) :: from
    to%x = 100 + from%x
  end subroutine
  elemental subroutine take_name(to, from)
    type(named), intent(inout) :: to
    character(*), intent(in) :: from
    to%name = '<' // from // '>'
  end subroutine
end module
program p
  use kinds
  implicit none
  type(counted) :: b(4), c(3, 3)
  type(named) :: n(3)
  integer :: i, j, v(4, 4)
  b%x = [2, 1, 4, 3]
  forall (i = 1:4) b(b(i)%x) = i
  print '(*(i4))', b%x
  b%x = [2, 3, 4, 1]
  forall (i = 1:4) b(b(i)%x) = b(i)%x * 10
  print '(*(i4))', b%x
  forall (i = 1:4) b(i) = b(5 - i)
  print '(*(i4))', b%x
  ! Rows: the value is an array that reads other rows.
  do i = 1, 3
    c(i, :)%x = [(10*i + j, j = 1, 3)]
  end do
  forall (i = 1:3) c(i, :) = real(c(4 - i, :)%x)
  print '(3i4)', (c(i, :)%x, i = 1, 3)
  forall (i = 1:3) c(:, mod(c(1, i)%x, 10)) = c(:, i)%x + i
  print '(3i4)', (c(i, :)%x, i = 1, 3)
  ! In a WHERE.
  do i = 1, 3
    c(i, :)%x = [(10*i + j, j = 1, 3)]
  end do
  forall (i = 1:3)
    where (mod(c(i, :)%x, 2) == 0)
      c(i, :) = c(:, i)%x
    elsewhere
      c(i, :) = -c(i, 3:1:-1)%x
    end where
  end forall
  print '(3i4)', (c(i, :)%x, i = 1, 3)
  b%x = [2, 1, 4, 3]
  forall (i = 1:2)
    where (b(b(2*i)%x:b(2*i)%x + 1)%x > 1) b(b(2*i)%x:b(2*i)%x + 1) = b(2*i - 1:2*i)%x + i
  end forall
  print '(*(i4))', b%x
  ! Texts of different lengths.
  n(1)%name = 'a'
  n(2)%name = 'bc'
  n(3)%name = 'def'
  forall (i = 1:3) n(i) = n(4 - i)%name // n(i)%name
  print '(3a12)', (n(i)%name, i = 1, 3)
  ! Vector subscripts that are assigned themselves.
  v = reshape([((mod(i + j, 4) + 1, j = 1, 4), i = 1, 4)], [4, 4])
  forall (i = 1:4) v(v(:, i), i) = v(:, i)*10 + i
  print '(4i4)', v
end program
