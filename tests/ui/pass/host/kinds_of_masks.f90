! ALL, ANY and PARITY have the kind of their mask (Fortran 2018, 16.9.10), FINDLOC takes a logical value of any kind (16.9.78), bits of
! integers of two kinds are compared with zeros before the shorter one (16.3.2), and `i0.0` of zero is a blank (13.7.2.2).
program p
  implicit none
  interface which
    procedure :: which1, which4
  end interface
  logical(1) :: l(3) = [.true._1, .false._1, .true._1]
  logical(8) :: k(2, 2) = .true.
  integer(1) :: a = -1
  integer :: b = 255, d = -1
  integer(8) :: c = 4294967295_8
  print *, kind(any(l)), kind(all(l)), kind(any(reshape(l, [1, 3]), 1)), kind(parity(l)), kind(all(k, 1))
  print *, findloc(l, .false.), any(l), all(l), all(k, dim=2), parity(l), count(l)
  call which(any(l))
  call which(any(l) .and. .true.)
  print *, bgt(a, b), bge(b, a), ble(d, c), bge(-1_2, -1_8), blt(a, 256)
  write (*, '(a,i0.0,a,b0.0,a,o0.0,a,z0.0,a,i3.0,a,i0.0,a)') '[', 0, '|', 0, '|', 0, '|', 0, '|', 0, '|', 5, ']'
contains
  subroutine which1(x)
    logical(1), intent(in) :: x
    print *, 'one byte', x
  end subroutine
  subroutine which4(x)
    logical(4), intent(in) :: x
    print *, 'four bytes', x
  end subroutine
end program
