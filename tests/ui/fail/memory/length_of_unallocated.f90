! run: --check bounds
! A character of deferred length has one when it is allocated only.
program length_of_unallocated
  implicit none
  character(:), allocatable :: text
  real, pointer :: p(:) => null()
  print *, associated(p), allocated(text)
  call show
  print *, len(text) !~ R0806
contains
  subroutine show(given)
    real, allocatable, optional, intent(in) :: given(:)
    print *, present(given)
  end subroutine
end program
