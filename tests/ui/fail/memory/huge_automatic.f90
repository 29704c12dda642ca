! An automatic array of 2**64 bytes: its size is not taken for the 0 that 64 bits make of it.
program p
  implicit none
  integer(8) :: n
  n = 2_8**31
  print *, f(n)
contains
  integer function f(n)
    integer(8), intent(in) :: n
    real(8) :: x(n, 2_8**30) !~ R0804
    x(1, 1) = 1
    f = int(x(1, 1))
  end function
end program
