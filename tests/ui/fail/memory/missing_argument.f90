! An argument that a call without an interface leaves out has no memory.
program missing_argument
  implicit none
  call report('step') !~ W0419
end program
subroutine report(text, step)
  implicit none
  character(*) :: text
  integer :: step
  print *, text
  print *, step !~ R0818
end subroutine
