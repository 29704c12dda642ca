! What cannot be of `type(*)` (Fortran 2018, C710).
subroutine s(a, b, c, d, e, f, n)
  integer :: n
  type(*), value :: a               !~ E0219
  type(*), intent(out) :: b         !~ E0219
  type(*) :: c(3)                   !~ E0219
  type(*), allocatable :: d(:)      !~ E0219
  type(*), pointer :: e             !~ E0219
  type(*), intent(in) :: f(*)
  type(*) :: g                      !~ E0328
end subroutine
program p
end program
