! WRITE defines its internal file (Fortran 2018, 19.6.7).
module m
  implicit none
  character(3), protected :: guarded = 'abc'
end module
program p
  use m
  implicit none
  character(3), parameter :: constant = 'abc'
  character(3) :: c
  call s('abc')
  write (guarded, '(i3)') 5 !~ E0311
  write (constant, '(i3)') 5 !~ E0327
  read (guarded, '(a)') c
contains
  subroutine s(c)
    character(*), intent(in) :: c
    integer :: n
    write (c, '(i3)') 5 !~ E0311
    read (c, *) n
  end subroutine
end program
