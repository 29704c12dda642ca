! An optional dummy that is absent may be passed on to an optional argument, of an intrinsic procedure too; the argument is
! absent then.
program absent_arguments
  implicit none
  integer :: a(2, 3) = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  integer, allocatable :: none
  integer, pointer :: null_pointer
  integer, allocatable :: no_array(:)
  nullify (null_pointer)
  call reductions()
  call reductions(mask=reshape([.true., .false., .true., .false., .false., .true.], [2, 3]))
  call reductions(one=.false.)
  call dims()
  call dims(2)
  call texts()
  call texts(.true.)
  call numbers()
  call numbers(1, 3, 4)
  call numbers(9)
  call plain(none)
  call plain(null_pointer)
  call plain()
  allocate (none, source=5)
  call plain(none)
  call array(no_array)
  call array()
  call array([1, 2])
  call allocatables()
  call elements(a(1, :))
  call elements(a(1, :), a(2, :))
  call seeds()
contains
  subroutine reductions(mask, one)
    logical, intent(in), optional :: mask(:, :), one
    print '(a,8i4)', 'reductions', sum(a, mask=mask), product(a, mask), maxval(a, mask=mask), minval(a, mask=mask), &
      maxloc(a, mask=mask), minloc(a, mask=mask)
    print '(a,3i4)', 'along', sum(a, 1, mask)
    print '(a,3i4)', 'one', sum(a, mask=one), maxloc(a, mask=one)
    print '(a,6i4)', 'pack', findloc(a, 4, mask=mask)
  end subroutine
  subroutine dims(d)
    integer, intent(in), optional :: d
    print '(a,i4)', 'size', size(a, d)
  end subroutine
  subroutine texts(back)
    logical, intent(in), optional :: back
    print '(a,5i3)', 'texts', index('abcabc', 'b', back), scan('abcabc', 'ab', back=back), verify('abcabc', 'a', back), &
      maxloc([3, 1, 3], 1, back=back), findloc([3, 1, 3], 3, 1, back=back)
  end subroutine
  subroutine numbers(i, j, k)
    integer, intent(in), optional :: i, j, k
    print '(a,3i4)', 'numbers', max(1, 2, i, j), min(7, 8, k), ishftc(3, 2, k)
    print '(a,2f6.1)', 'complex', cmplx(1.5, j)
  end subroutine
  subroutine plain(x)
    integer, intent(in), optional :: x
    print '(a,l2)', 'plain', present(x)
    if (present(x)) print '(i4)', x
    call further(x)
  end subroutine
  subroutine further(x)
    integer, intent(in), optional :: x
    print '(a,l2)', 'further', present(x)
  end subroutine
  subroutine array(x)
    integer, intent(in), optional :: x(:)
    print '(a,l2)', 'array', present(x)
    call array_further(x)
    call array_explicit(3, x)
  end subroutine
  subroutine array_further(x)
    integer, intent(in), optional :: x(:)
    print '(a,l2)', 'array_further', present(x)
  end subroutine
  subroutine array_explicit(n, x)
    integer, intent(in) :: n
    integer, intent(in), optional :: x(*)
    print '(a,l2)', 'array_explicit', present(x)
  end subroutine
  subroutine allocatables(x, y, z)
    integer, allocatable, optional :: x
    integer, allocatable, optional :: y(:)
    integer, pointer, optional :: z
    call plain(x)
    call array(y)
    call plain(z)
  end subroutine
  elemental integer function added(x, y)
    integer, intent(in) :: x
    integer, intent(in), optional :: y
    added = x
    if (present(y)) added = x + y
  end function
  subroutine elements(x, y)
    integer, intent(in) :: x(:)
    integer, intent(in), optional :: y(:)
    print '(a,3i4)', 'elements', added(x, y)
  end subroutine
  subroutine seeds(n, values)
    integer, optional :: n, values(:)
    call random_seed(size=n)
    call random_seed(get=values)
    print '(a)', 'seeds'
  end subroutine
end program
