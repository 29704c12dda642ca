! What USE renames is not known by its own name, unless another USE statement brings that in.
module numbers
  implicit none
  integer :: x = 1, y = 2, z = 3
  namelist /group/ x, y
contains
  integer function smallest(a, b)
    integer, intent(in) :: a, b
    smallest = a * 100 + b
  end function
  subroutine report(text)
    character(*), intent(in) :: text
    print '(a,3i3)', text, x, y, z
  end subroutine
end module

module swapped
  use numbers, only: min => smallest, max => report
end module

program renaming
  use numbers, only: xr => x
  use numbers, yr => y, other => group
  implicit none
  integer :: y, x
  y = 20
  x = 30
  xr = 10
  yr = 11
  call report('numbers')
  print '(3i4)', y, x, xr
  call second
  call third
contains
  subroutine second
    use swapped
    call max('swapped')
    print '(i4)', min(3, 4)
  end subroutine
  subroutine third
    use numbers
    use numbers, only: zr => z
    integer :: z
    z = x + zr
    print '(2i4)', z, zr
  end subroutine
end program
