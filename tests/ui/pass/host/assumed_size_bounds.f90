! The lower bound of the last dimension of an assumed-size array is the declared one.
program assumed_size_bounds
  implicit none
  integer :: x(6) = [1, 2, 3, 4, 5, 6]
  character(3) :: c(4) = ['one', 'two', 'thr', 'fou']
  call one(x)
  call two(x, -1)
  call three(x, 4)
  call text(c)
contains
  subroutine one(a)
    integer :: a(0:*)
    integer :: k
    print '(a,2i4)', 'one', lbound(a), lbound(a, 1)
    print '(6i4)', (a(k), k = lbound(a, 1), 5)
    associate (b => a(1:3))
      print '(a,2i4)', 'part', lbound(b), ubound(b)
    end associate
  end subroutine
  subroutine two(a, l)
    integer :: l
    integer :: a(2, l:*)
    integer :: d
    print '(a,2i4)', 'two', lbound(a)
    print '(2i4)', (lbound(a, d), d = 1, 2)
    print '(a,2i4)', 'first', ubound(a, 1), size(a, 1)
    print '(2i4)', a(:, lbound(a, 2))
  end subroutine
  subroutine three(a, n)
    integer :: n
    integer, dimension(n:n + 1, -2:-2, 7:*) :: a
    print '(a,3i4)', 'three', lbound(a)
    print '(2i4)', ubound(a, 1), ubound(a, 2)
    call one(a(4, -2, lbound(a, 3)))
  end subroutine
  subroutine text(a)
    character(*) :: a(-3:*)
    print '(a,2i4)', a(lbound(a, 1)), lbound(a), len(a)
  end subroutine
end program
