! LOCAL and LOCAL_INIT objects of DO CONCURRENT have the length parameters of the object outside (Fortran 2018, 11.1.7.5).
module m
  implicit none
  type :: line(n)
    integer, len :: n
    integer :: x(n) = 1
  end type
contains
  subroutine run(a, n)
    type(line(*)) :: a
    integer, intent(in) :: n
    type(line(n)) :: t, r(4), several(2)
    type(line(:)), allocatable :: w
    integer :: i
    do concurrent (i=1:4) local(t) shared(r)
      t%x = i
      t%x(2) = 10*t%n
      r(i) = t
    end do
    print *, r%x(1), r%x(2), r%n
    do concurrent (i=1:4) local_init(a) shared(r)
      a%x(1) = a%x(1) + i
      r(i) = a
    end do
    print *, r%x(1), r%x(2), a%x
    several(2)%x = 7
    do concurrent (i=1:4) local_init(several) shared(r)
      several(1)%x(several%n) = i
      r(i)%x = several(1)%x + several(2)%x
    end do
    print *, r%x(1), r%x(2), several(1)%x
    w = a
    print *, w%n
  end subroutine
end module
program p
  use m
  implicit none
  type(line(2)) :: a
  a%x = [5, 6]
  call run(a, 2)
end program
