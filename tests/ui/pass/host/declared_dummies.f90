! The bounds and the length of a function's result are computed with the dummies as they are declared, which may have less
! than the actual arguments.
program declared_dummies
  implicit none
  interface
    function joined(whole, part)
      character(*), intent(in) :: whole
      character(len(whole) - 4), intent(in) :: part
      character(len(whole) + len(part)/2) :: joined
    end function
    function repeated(n, part)
      integer, intent(in) :: n
      character(n), intent(in) :: part(2)
      character(len(part)*size(part)) :: repeated
    end function
  end interface
  character(10) :: long = '0123456789'
  character(6) :: words(3) = ['abcdef', 'ghijkl', 'mnopqr']
  real :: x(8) = [1, 2, 3, 4, 5, 6, 7, 8]
  print '(i4,3a)', len(joined(long, long)), '[', joined(long, long), ']'
  print '(i4,3a)', len(repeated(3, words)), '[', repeated(3, words), ']'
  print '(i4,3f4.0)', size(first(x, 3)), first(x, 3)
  print '(2i4)', lbound(shifted(x), 1), ubound(shifted(x), 1)
contains
  function first(a, n) result(r)
    integer, intent(in) :: n
    real, intent(in) :: a(n)
    real :: r(size(a))
    r = a
  end function
  function shifted(a) result(r)
    real, intent(in) :: a(0:)
    real :: r(lbound(a, 1):ubound(a, 1))
    r = a
  end function
end program

function joined(whole, part)
  character(*), intent(in) :: whole
  character(len(whole) - 4), intent(in) :: part
  character(len(whole) + len(part)/2) :: joined
  joined = whole // part
end function

function repeated(n, part)
  integer, intent(in) :: n
  character(n), intent(in) :: part(2)
  character(len(part)*size(part)) :: repeated
  repeated = part(1) // part(2)
end function
