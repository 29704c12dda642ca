! IMPORT with a list outside of interface bodies hides names of the host, which is refused.
program main
  implicit none
  integer :: x = 1, y = 2
  call inner !~ R0901
  print *, x, y
contains
  subroutine inner
    import, only: y !~ W0901
    y = 5
  end subroutine
end program
