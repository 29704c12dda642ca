! Dummies with OPTIONAL and VALUE, positions of characters, shifts along a dimension that is known at run time only, and
! constants for components of deferred length.
module optional_values
  implicit none
  type pair
    integer :: a = 1, b = 2
  end type
  type lines
    character(:), allocatable :: text(:)
  end type
contains
  recursive subroutine show(i, x, t, p, again)
    integer, value, optional :: i
    real(8), value, optional :: x
    character(3), value, optional :: t
    type(pair), value, optional :: p
    logical, value, optional :: again
    print '(5l2)', present(i), present(x), present(t), present(p), present(again)
    if (present(i)) i = i + 1
    if (present(x)) x = -x
    if (present(t)) t(2:2) = '-'
    if (present(p)) p%b = 7
    if (present(i)) print '(a,i3)', 'i', i
    if (present(x)) print '(a,f5.1)', 'x', x
    if (present(t)) print '(2a)', 't ', t
    if (present(p)) print '(a,2i3)', 'p', p%a, p%b
    if (present(again)) call show(i, x, t, p)
  end subroutine
  integer function twice(n) result(r)
    integer, value, optional :: n
    r = 0
    if (present(n)) r = 2 * n
  end function
end module

program main
  use optional_values
  implicit none
  integer :: i = 4, dim, m(2, 3) = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  real(8) :: x = 2.5
  character(3) :: t = 'abc', words(2, 3) = reshape([character(3) :: 'kiwi', 'fig', 'date', 'plum', 'fig', 'kiw'], [2, 3])
  type(pair) :: p
  type(lines) :: l

  l = lines(['ab', 'cd'])
  print '(i2,2a3)', len(l%text), l%text
  call show()
  call show(i, t=t, again=.true.)
  call show(x=x, p=p)
  call show(5, 1d0, 'xyz', pair(3, 4))
  print '(i3,f5.1,1x,a,2i3)', i, x, t, p%a, p%b
  print '(2i3)', twice(), twice(21)

  print '(6i3)', maxloc(words), minloc(words), minloc(words, back=.true.)
  do dim = 1, 2
    print '(3i3)', maxloc(words, dim)
    print '(3i3)', minloc(words, dim, words /= 'fig')
    print '(6i3)', cshift(m, 1, dim), eoshift(m, -1, dim=dim, boundary=9)
  end do
  print '(2i3)', maxloc(words(1, :) // 'x', dim=1), minloc(['b', 'a', 'a'], 1)
end program
