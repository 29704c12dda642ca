! WHERE and FORALL assign components by the assignment that their type binds, as other assignments do, and never an element that is
! masked out.
module parts
  implicit none
  type :: part
    integer :: i = 0
  contains
    procedure :: set
    generic :: assignment(=) => set
  end type
  type :: whole
    type(part) :: p
    integer :: k = 0
  end type
contains
  elemental subroutine set(to, from)
    class(part), intent(inout) :: to
    class(part), intent(in) :: from
    to%i = from%i + 100
  end subroutine
end module
program p
  use parts
  implicit none
  type(whole) :: v(3), w(3)
  logical :: l(3) = [.true., .false., .true.]
  integer :: i
  call begin
  v = w
  print '(3i5)', v%p%i
  call begin
  where (l) v = w
  print '(3i5)', v%p%i
  call begin
  where (l) v(3:1:-1) = w
  print '(3i5)', v%p%i
  call begin
  where (l) w = w(3:1:-1)
  print '(3i5)', w%p%i
  call begin
  where (l) w = w
  print '(3i5)', w%p%i
  call begin
  forall (i = 1:3) v(i) = w(4 - i)
  print '(3i5)', v%p%i
  call begin
  forall (i = 1:3) w(i) = w(4 - i)
  print '(3i5)', w%p%i
  call begin
  forall (i = 1:2) w(i:i + 1:2) = w(i + 1:i + 1)
  print '(3i5)', w%p%i
  call begin
  w([3, 1]) = w(1:2)
  print '(3i5)', w%p%i
contains
  subroutine begin
    v%p%i = 0
    w%p%i = [1, 2, 3]
  end subroutine
end program
