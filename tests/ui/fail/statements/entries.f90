! ENTRY statements where they must not stand, and names that are given twice.
module m
  implicit none
contains
  subroutine first(a)
    integer :: a
    if (a > 0) then
      entry inner(a)                    !~ E0115
    end if
    entry first_too(a)
    entry second(a)
  end subroutine
  subroutine second(a)                  !~ E0205
    integer :: a
  end subroutine
  subroutine others(a)
    integer :: a
    entry third(a, a)                   !~ E0205
  end subroutine
end module
program p
  use m
  implicit none
  entry fourth                          !~ E0115
  call first_too(1.)                    !~ E0402
end program
subroutine one
  entry two
end subroutine
subroutine two                          !~ E0212
end subroutine
