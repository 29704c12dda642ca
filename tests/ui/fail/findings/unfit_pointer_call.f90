! A procedure pointer without an interface is called with other arguments than its procedure has.
module m
  implicit none
  procedure(), pointer :: held => null()
contains
  subroutine hold(procedure)
    external :: procedure
    held => procedure
  end subroutine
end module
program p
  use m
  implicit none
  external :: plain
  call hold(plain)
  call held()
  call held(1.0) !~ R0801
end program
subroutine plain()
  print *, 'called'
end subroutine
