! Localities of DO CONCURRENT (Fortran 2018, 11.1.7.5).
program main
  implicit none
  integer, parameter :: n = 3
  integer :: i, s, t, outside, a(n)
  s = 0
  t = 0
  outside = 1
  do concurrent (i = 1:n) local(t) shared(a, t) !~ E0340
    a(i) = i
  end do
  do concurrent (i = 1:n) local(i) !~ E0340
    a(i) = i
  end do
  do concurrent (i = 1:n) default(none) local(t) shared(a) reduce(+:s)
    block
      integer :: inner
      inner = i + n
      t = inner + outside !~ E0340
      a(i) = t
      s = s + t
    end block
  end do
  do concurrent (i = 1:n) default(none) shared(a)
    block
      integer :: own(outside) !~ E0340
      a(i) = size(own)
    end block
  end do
  do concurrent (i = 1:n) default(none) shared(a)
    block
      character(outside) :: own !~ E0340
      a(i) = len(own)
    end block
  end do
  do concurrent (i = 1:n) default(none) shared(a)
    associate (q => outside + 1) !~ E0340
      a(i) = q
    end associate
  end do
  do concurrent (i = 1:n) default(none) local(t) shared(a, outside)
    t = outside
    a(i) = t
  end do
  call dummies(a, a, a)
contains
  subroutine dummies(x, y, z)
    integer, intent(in) :: x(:)
    integer, optional :: y(:)
    integer :: z(*)
    integer, allocatable :: w(:)
    do concurrent (i = 1:n) local(x) !~ E0340
    end do
    do concurrent (i = 1:n) local(y) !~ E0340
    end do
    do concurrent (i = 1:n) local_init(z) !~ E0340
    end do
    do concurrent (i = 1:n) local_init(w) !~ E0340
    end do
  end subroutine
end program
