! An arm of SELECT TYPE for a type that no object has is never taken.
program p
  implicit none
  integer, parameter :: half = 2
  call name_of(1.0)
  call name_of(1d0)
  call name_of(1)
contains
  subroutine name_of(x)
    class(*), intent(in) :: x
    select type (x)
    type is (real(half))
      print *, 'real(2)'
    type is (real(4))
      print *, 'real(4)'
    type is (real(8))
      print *, 'real(8)'
    class default
      print *, 'another'
    end select
  end subroutine
end program
