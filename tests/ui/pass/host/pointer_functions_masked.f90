! WHERE assigns what the result of a function points to.
module m
  implicit none
  integer, target :: d(4) = 1, e(4) = [1, 2, 3, 4]
contains
  function f(a)
    integer, target :: a(:)
    integer, pointer :: f(:)
    f => a
  end function
end module
program p
  use m
  implicit none
  logical :: k(4) = [.true., .false., .true., .false.]
  where (k) f(d) = 0
  print *, d
  where (k)
    f(d) = 7
  elsewhere (d == 1)
    f(d) = 8
  end where
  print *, d
  where (e > 2)
    f(e) = 0
    f(d) = e
  elsewhere
    f(e(4:1:-1)) = 9
  end where
  print *, e
  print *, d
end program
