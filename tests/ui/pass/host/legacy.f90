! What FORTRAN 77 programs rely on: statement functions whose names nothing declares, with and without a declared length, alternate
! returns, BACKSPACE after ENDFILE, reals without a digit; and LOCAL_INIT.
program legacy
  character(8) :: greeting
  character(5) :: p
  logical :: even
  real :: r(4)
  integer, target :: nothing(0)
  integer, pointer :: q(:)
  character(20) :: card = '    .    + E+02    -'
  twice(x) = 2*x
  none() = 7
  even(n) = mod(n, 2) == 0
  greeting(p) = p // '!!!!!!'
  print *, twice(1.5), none(), even(3), '|' // greeting('hello') // '|', len(greeting('you all'))
  do i = 0, 3
    call leave(i, *10, *20)
    print *, i, 'goes on'
    cycle
10  print *, i, 'first'
    cycle
20  print *, i, 'second'
  end do
  open (9, form='unformatted', status='scratch')
  do i = 1, 3
    write (9) i
  end do
  endfile 9
  backspace 9
  write (9) 4
  endfile 9
  rewind 9
  n = 0
  do
    read (9, end=30) i
    n = n + i
  end do
30 print *, n
  read (unit=card, fmt='(4f5.1)') r
  print *, r
  k = 5
  do concurrent (i = 1:2) local_init(k)
    k = k + i
    r(i) = k
  end do
  print *, r(:2), k
  q => nothing
  print *, associated(q), associated(q, nothing)
contains
  subroutine leave(n, *, *)
    if (n == 1) return 1
    if (n == 2) return n
    if (n == 3) return 3
  end subroutine
end program
