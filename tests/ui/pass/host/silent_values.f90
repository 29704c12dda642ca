! Values that depend on small rules: bits of logicals as integers, escapes, types of polymorphic components, lengths of statement functions,
! types that nothing has.
program p
  implicit none
  type any_value
    class(*), allocatable :: v
  end type
  type t
    integer :: i = 0
  end type
  integer :: i, j, k = .true., m(2)
  logical :: l = .true.
  character c2*2, ca2*2
  character(4) :: r
  type(t) :: s
  class(*), allocatable :: a
  class(*), pointer :: q
  data m /.true., .false./
  ca2(c2) = c2
  i = .true.
  j = l
  print *, i, j, k, m, i == j
  print *, iachar('\101'), iachar('\177'), iachar('\07'), len('\101'), len('\07'), len('\n\1018')
  r = ca2('ab')
  print *, r, len(ca2('xx'))
  call show(any_value(42.5))
  call show(any_value('abc'))
  call show(any_value(s))
  nullify (q)
  print *, extends_type_of(s, a), extends_type_of(s, q), extends_type_of(a, s)
  allocate (a, source=1)
  print *, extends_type_of(s, a)
contains
  subroutine show(x)
    type(any_value), intent(in) :: x
    select type (v => x%v)
    type is (real)
      print *, 'real', v
    type is (character(*))
      print *, 'character', v
    type is (t)
      print *, 'object', v%i
    class default
      print *, 'something else'
    end select
  end subroutine
end program
