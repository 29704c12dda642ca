! More of nvfortran's lib3f: times as text, C's generators, single characters, the environment, sorting.
program p
  implicit none
  character(24) :: ctime, text
  character(80) :: line
  real(8) :: drand, drandm, first
  real(4) :: random
  integer :: irandm, fputc, putc, putenv, status, i, now(8)
  integer :: numbers(9) = [5, 3, 9, 1, 7, 3, 8, 2, 6]
  real(8) :: reals(4) = [2.5d0, -1d0, 1d300, 0d0]
  type pair
    integer :: key, place
  end type
  type(pair) :: pairs(6)
  integer, external :: by_number, by_real, by_key
  external :: qsort
  call date_and_time(values=now)
  text = ctime(86400*365 - 60*now(4))
  print *, text
  first = drand(42)
  print *, first, drandm(0), drand(0)
  print *, random(42) == real(first), irandm(42), int(first*2d0**31)
  open (10, file='fputc.txt')
  status = fputc(10, 'a') + fputc(10, 'b') + fputc(10, achar(10)) + fputc(10, 'c')
  rewind 10
  read (10, '(a)') line
  print *, status, trim(line)
  close (10, status='delete')
  status = putc('x') + putc(achar(10))
  print *, putenv('CUFEMU_OF_TEST=some value'), putenv('nothing')
  call get_environment_variable('CUFEMU_OF_TEST', line)
  print *, trim(line)
  call qsort(numbers, 9, 4, by_number)
  print *, numbers
  call qsort(reals, 4, 8, by_real)
  print *, reals
  do i = 1, 6
    pairs(i) = pair(mod(i, 3), i)
  end do
  call qsort(pairs, 6, 8, by_key)
  print *, pairs
end program
integer function by_number(a, b)
  integer :: a, b
  by_number = a - b
end function
integer function by_real(a, b)
  real(8) :: a, b
  by_real = merge(-1, merge(1, 0, a > b), a < b)
end function
integer function by_key(a, b)
  type pair
    sequence
    integer :: key, place
  end type
  type(pair) :: a, b
  by_key = a%key - b%key
end function
