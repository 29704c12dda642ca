! The length of a character function's result: assumed from the reference's declaration, or given by the declaration.
program function_lengths
  implicit none
  character(6) :: f
  character(3), external :: g
  character(20) :: text
  character(4), target :: four = 'four'
  character(:), pointer :: p
  print '(3a)', '[', f(), ']'
  text = f() // g(2)
  print '(3a)', '[', trim(text), ']'
  print '(2i4)', len(f()), len(g(1))
  call use_other
  print '(2i4)', len(long(70)), len(long(3))
  p => long(2)
  print '(i4,3a)', len(p), ' [', p, ']'
  p => fixed()
  print '(i4,3a)', len(p), ' [', p, ']'
  print '(3a)', '[', of_length(5), ']'
contains
  function long(i)
    integer, intent(in) :: i
    character(len=i), pointer :: long
    allocate (long)
    long = repeat('x', i)
  end function
  function fixed()
    character(4), pointer :: fixed
    fixed => four
  end function
  function of_length(n)
    integer, intent(in) :: n
    character(n) :: of_length
    of_length = 'abcdefgh'
  end function
end program

subroutine use_other
  character(9) :: f
  print '(3a)', '[', f(), ']'
  print '(i4)', len(f())
end subroutine

character*(*) function f()
  f = 'Hello'
end function

function g(n)
  character(*) :: g
  integer :: n
  g = repeat('g', n)
end function
