! ASSOCIATED with targets without elements or characters, and with targets that functions give.
program associated_targets
  implicit none
  character(:), pointer :: c
  character(4), target :: t = 'abcd'
  character(0), target :: none
  character(0), pointer :: nothing
  integer, target :: n = 1, v(3) = [1, 2, 3], w(0)
  integer, pointer :: p, q(:)
  c => t(1:0)
  print '(2l2)', associated(c), associated(c, t(1:0))
  nothing => none
  print '(2l2)', associated(nothing), associated(nothing, none)
  q => w
  print '(2l2)', associated(q), associated(q, w)
  p => n
  print '(2l2)', associated(p, n), associated(p, give(n))
  call through(give(n))
  q => v
  print '(2l2)', associated(q, v), associated(q, v(1:2))
contains
  function give(x)
    integer, target :: x
    integer, pointer :: give
    give => x
  end function
  subroutine through(x)
    integer, target :: x
    print '(l2)', associated(p, x)
  end subroutine
end program
