! Module procedures with MODULE that no interface announces are procedures like others: generic names and operators have them.

module catenations
  implicit none
  type :: text
    character(len=:), allocatable :: s
  end type
  interface operator(//)
    module procedure join
  end interface
  interface diagonal
    procedure :: diagonal_of_matrix
    procedure :: matrix_of_diagonal
  end interface
  interface
    module subroutine announced(n)
      integer, intent(in) :: n
    end subroutine
  end interface
contains
  pure module function join(l, r) result(both)
    type(text), intent(in) :: l, r
    type(text) :: both
    both%s = l%s // r%s
  end function

  module function diagonal_of_matrix(a) result(d)
    integer, intent(in) :: a(:, :)
    integer :: d(minval(shape(a)))
    integer :: i
    d = [(a(i, i), i = 1, size(d))]
  end function

  module function matrix_of_diagonal(d) result(a)
    integer, intent(in) :: d(:)
    integer :: a(size(d), size(d))
    integer :: i
    a = 0
    do i = 1, size(d)
      a(i, i) = d(i)
    end do
  end function

  module procedure announced
    print *, 'announced', n
  end procedure
end module

program announced_nowhere
  use catenations
  implicit none
  type(text) :: t
  t = text('ab') // text('cd')
  print *, t%s
  print *, diagonal(reshape([1, 2, 3, 4], [2, 2])), diagonal([5, 6])
  call announced(7)
  print *, kind_of('  '), kind_of('ascii'), kind_of('ASCII  '), kind_of('Default'), kind_of('ISO_10646')
contains
  integer function kind_of(name)
    character(len=*), intent(in) :: name
    kind_of = max(selected_char_kind(name), -1)
    if (name == 'ISO_10646') kind_of = 0
  end function
end program
