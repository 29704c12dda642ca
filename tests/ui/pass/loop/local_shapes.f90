! What is LOCAL in DO CONCURRENT has the type, the length and the bounds of the variable outside (Fortran 2018, 11.1.7.5).
program p
  implicit none
  integer :: x(8) = [1, 2, 3, 4, 5, 6, 7, 8], k = 4
  character(3) :: c = 'xyz'
  call shapes(x(2:), k)
  call lengths(c)
contains
  subroutine shapes(x, n)
    integer, intent(inout) :: x(0:)
    integer :: n, i, y(2), w(n)
    w = 1
    do concurrent (i = 1:2) local_init(x)
      if (lbound(x, 1) /= 0 .or. ubound(x, 1) /= 6) error stop 'bounds'
      x = x*i
      y(i) = sum(x)
    end do
    print '(2i4)', y
    ! The bounds are those of the variable, whatever has become of what they were made of.
    n = 1
    do concurrent (i = 1:2) local_init(w)
      w = w + i
      y(i) = sum(w)
    end do
    print '(2i4)', y
    block
      integer :: v(y(1))
      v = 2
      do concurrent (i = 1:2) local_init(v)
        y(i) = sum(v)
      end do
    end block
    print '(2i4)', y
    print '(7i2)', x
  end subroutine
  subroutine lengths(c)
    character(*), intent(inout) :: c
    integer :: i, n(2)
    do concurrent (i = 1:2) local_init(c)
      c(i:i) = '*'
      n(i) = index(c, '*') + 10*len(c)
    end do
    print '(2i4, 1x, a)', n, c
  end subroutine
end program
