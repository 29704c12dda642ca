! The item of an array constructor that gives its length is evaluated once.
module m
  implicit none
  type sized(n)
    integer, len :: n
    character(n) :: s = 'abcdef'
  end type
  integer :: calls = 0
contains
  integer function two()
    calls = calls + 1
    two = 2
  end function
  function twice(text)
    character(*), intent(in) :: text
    character(2*len(text)) :: twice
    calls = calls + 1
    twice = text//text
  end function
end module
program p
  use m
  implicit none
  character(7) :: word = 'abcdefg'
  type(sized(:)), allocatable :: objects(:)
  character(:), allocatable :: all(:)
  allocate (sized(5) :: objects(3))
  all = [word(1:two()), 'xy']
  print *, all, len(all), calls
  all = [twice('abc'), 'xyzxyz']
  print *, all, len(all), calls
  all = [objects(1:two())%s]
  print *, all, len(all), calls
  print *, size([objects(1:two())%s, objects(1:two())%s]), calls
  print *, [character(two()) :: 'a', word], calls
end program
