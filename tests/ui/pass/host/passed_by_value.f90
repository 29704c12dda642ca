! `%val` passes a value where the dummy argument is one, `%ref` is what is passed without it.
subroutine change(n)
  implicit none
  integer, value :: n
  n = n + 1
  print *, n
end subroutine

program p
  implicit none
  interface
    subroutine change(n)
      integer, value :: n
    end subroutine
    integer function labs_of(n) bind(c, name='abs')
      integer, value :: n
    end function
  end interface
  integer :: i
  i = 5
  call change(%val(i))
  call change(%val(i + 2))
  call double(%ref(i))
  print *, i, labs_of(%val(-i))
contains
  subroutine double(n)
    integer, intent(inout) :: n
    n = 2*n
  end subroutine
end program
