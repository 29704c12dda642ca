! BOZ constants in conversions, and NULL with a mold as an actual argument.
module molds
  implicit none
  interface which
    module procedure of_integer, of_real, of_rank_1
  end interface
contains
  subroutine of_integer(p)
    integer, pointer, intent(in) :: p
    print '(a,l2)', 'integer', associated(p)
  end subroutine
  subroutine of_real(p)
    real, pointer, intent(in) :: p
    print '(a,l2)', 'real', associated(p)
  end subroutine
  subroutine of_rank_1(p)
    real, pointer, intent(in) :: p(:)
    print '(a,l2)', 'rank 1', associated(p)
  end subroutine
end module

program boz_and_null
  use molds
  implicit none
  real, pointer :: x, y(:)
  integer, pointer :: n
  complex(8) :: z
  complex :: c
  z = cmplx(z'3FF8000000000000', 0, 8)
  print '(2f6.2)', z
  z = cmplx(1, z'C000000000000000', 8)
  print '(2f6.2)', z
  c = cmplx(z'3FC00000', z'40000000')
  print '(2f6.2)', c
  print '(f6.2)', real(z'3FC00000'), dble(z'3FF8000000000000')
  print '(2i6)', int(z'FF'), int(z'7F', 1)
  call which(null(x))
  call which(null(n))
  call which(null(y))
end program
