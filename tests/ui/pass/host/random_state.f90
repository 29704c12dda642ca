! random_seed(get=s) gives the state: random_seed(put=s) continues the sequence from there.
program random_state
  implicit none
  integer, allocatable :: seed(:), again(:)
  integer :: n
  real :: a(5), b(5), c
  double precision :: d, e
  call random_seed(size=n)
  allocate (seed(n), again(n))
  call random_number(a)
  call random_seed(get=seed)
  call random_number(a)
  call random_number(d)
  call random_seed(put=seed)
  call random_seed(get=again)
  print '(l2)', all(seed == again)
  call random_number(b)
  call random_number(e)
  print '(2l2)', all(a == b), d == e
  call random_number(c)
  call random_seed(put=seed)
  call random_number(b)
  print '(l2)', all(a == b)
end program
