! `%val` is for dummy arguments with VALUE.
program p
  implicit none
  integer :: i
  i = 1
  call takes(%val(i))     !~ E0415
  call takes(%ref(i))
  call has(%val(i))
contains
  subroutine takes(n)
    integer, intent(in) :: n
    print *, n
  end subroutine
  subroutine has(n)
    integer, value :: n
    print *, n
  end subroutine
end program
