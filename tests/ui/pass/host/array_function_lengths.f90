! The length of the characters of an array-valued function: computed from its arguments, of an object, or deferred. The
! function is called once where its value is wanted, and need not be called where only the length is.
module texts
  implicit none
  integer :: calls = 0
  type :: labels
    integer :: n = 3, width = 2
  contains
    procedure :: numbers
  end type
contains
  function numbers(this, extra) result(r)
    class(labels), intent(in) :: this
    integer, intent(in) :: extra
    character(this%width + extra) :: r(this%n)
    integer :: i
    do i = 1, this%n
      write (r(i), '(i0)') i
    end do
  end function
  function repeated(s, n) result(r)
    character(*), intent(in) :: s(:)
    integer, intent(in) :: n
    character(len(s)*n) :: r(size(s))
    integer :: i
    calls = calls + 1
    do i = 1, size(s)
      r(i) = repeat(s(i), n)
    end do
  end function
  recursive function halves(s, n) result(r)
    integer, intent(in) :: n
    character(n), intent(in) :: s(2)
    character(len(s)/2) :: r(size(s))
    if (n > 4) then
      r = halves(s, n/2)
      r(:)(1:1) = achar(48 + len(halves(s, n/2)))
    else
      r = s
    end if
  end function
  function deferred(n) result(r)
    integer, intent(in) :: n
    character(:), allocatable :: r(:)
    allocate (character(n) :: r(2))
    r = 'xyz'
  end function
end module

program array_function_lengths
  use texts
  implicit none
  character(2) :: w(2) = ['ab', 'cd']
  character(:), allocatable :: q(:), p
  type(labels) :: l
  integer :: k = 2
  print '(4i3)', len(repeated(w, k)), len(repeated(w, k)//'x'), len(repeated(w(:)(2:2), 5)), len(deferred(4))
  calls = 0
  q = [repeated(w, k), 'zzzz']
  print '(2i3,3(1x,a))', calls, len(q), q
  deallocate (q)
  allocate (q, source=repeated(w, 3))
  print '(2i3,2(1x,a))', calls, len(q), q
  p = minval(repeated(w, k))
  print '(2i3,1x,a)', calls, len(p), p
  print '(3i3,3a)', len(l%numbers(1)), size(l%numbers(1)), len([l%numbers(2), l%numbers(2)]), l%numbers(0)
  print '(i3,2(1x,a))', len(halves(['abcdefgh', 'ijklmnop'], 8)), halves(['abcdefgh', 'ijklmnop'], 8)
end program
