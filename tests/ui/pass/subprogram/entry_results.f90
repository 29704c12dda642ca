! The results of ENTRY points with the same characteristics are one variable, also where these are known at run time only
! (Fortran 2018, 15.6.2.6). Numbers of different types share their storage.
module entries
  implicit none
contains
  function text(n, what) result(a)
    integer, intent(in) :: n
    character(*), intent(in), optional :: what
    character(2*n + 1) :: a, b
    a = 'text'
    return
    entry other(n) result(b)
    b = 'other'
    a(1:1) = 'O'
  end function

  function pointed(n) result(a)
    integer, intent(in) :: n
    character(n), pointer :: a, b
    allocate (b)
    b = 'target'
    return
    entry also_pointed(n) result(b)
    allocate (a)
    a = 'also'
  end function

  function numbers(n) result(a)
    integer, intent(in) :: n
    real :: a(n, size([1, 2, n])), b(n, size([1, 2, n]))
    b = 1.5
    return
    entry more_numbers(n) result(b)
    a = 2.5
  end function

  function growing(n) result(a)
    integer, intent(in) :: n
    character(:), allocatable :: a, b
    b = repeat('x', n)
    return
    entry more_growing(n) result(b)
    a = repeat('y', n)
  end function

  function one() result(a)
    real(8) :: a
    integer :: b
    complex :: c
    a = 0
    c = transfer([0, 1072693248], c)
    return
    entry bits() result(b)
    c = (1.0, 2.0)
    return
    entry pair() result(c)
    a = transfer([1065353216, 1073741824], a)
  end function
end module

program entry_results
  use entries
  implicit none
  character(:), pointer :: p
  print '(5a)', '[', text(2), '|', other(3), ']'
  p => pointed(6)
  print '(3a, i2)', '[', p, ']', len(p)
  p => also_pointed(4)
  print '(3a, i2)', '[', p, ']', len(p)
  print '(7f4.1)', numbers(1), sum(more_numbers(2))
  print *, one(), bits(), pair()
  print '(2a, i2)', growing(2), more_growing(3), len(more_growing(4))
end program
