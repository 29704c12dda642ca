! Internal procedures that use a variable of their host only in the length of a type: of ALLOCATE and of constructors.
program p
  implicit none
  character(:), allocatable :: r, a(:)
  integer :: n
  n = 4
  call alloc
  print '(i0)', len(r)
  call cons
  print '(i0, 2("|", a))', len(a), a
  call host(n)
contains
  subroutine alloc
    allocate (character(n) :: r)
  end subroutine
  subroutine cons
    a = [character(n) :: 'a', 'bcdefg']
  end subroutine
end program
subroutine host(n)
  integer, intent(in) :: n
  call inner
contains
  subroutine inner
    character(:), allocatable :: s
    allocate (character(2*n) :: s)
    print '(i0, 9("|", a))', len(s), [character(n) :: 'a', 'bcdefg']
  end subroutine
end subroutine
