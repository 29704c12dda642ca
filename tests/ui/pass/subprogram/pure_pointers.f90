! Pointers to what a pure procedure may not change (Fortran 2018, C1594).
module m
  type :: t
    real, pointer :: p
  end type
contains
  pure subroutine s(a, b)
    real, intent(in), target :: a
    type(t), intent(in) :: b
    real, pointer :: p
    real, target :: own
    type(t) :: c
    p => own
    p => a            !~ W0329
    c = b             !~ W0329
    c = t(p)
    associate (d => t(a)) !~ W0329
      c = d
    end associate
  end subroutine
end module
program p
end program
