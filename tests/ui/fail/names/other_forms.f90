! run: -Mstandard
! Forms of old programs that compilers take are warned of when `-Mstandard` asks for it.
program main
  implicit real (p)
  type t
    integer :: part
  end type
  type(t) :: object
  common /block/ i, j
  volatile /block/ !~ W0106
  volatile /nowhere/ !~ W0106, E0221
  real :: a(2,3), b(3)
  logical :: l
  equivalence (a(4), b(1)) !~ W0106
  parameter p = 5 !~ W0106
  object.part = p !~ W0106
  l = .t. !~ W0106
  l = l .a. .n. l .x. l .o. .f. !~ W0106, W0106, W0106, W0106, W0106
  accept *, i !~ W0106
  if (i) 10, 20 !~ W0106
10 open (9, name='a', type='old', readonly, shared, recordsize=4, dispose='keep') !~ W0106, W0106, W0106, W0106, W0106, W0106
20 close (9, disp='delete') !~ W0106
  open (9, file='a', name='b', readonly, action='read') !~ E0327, W0106, E0327
  if (i <> 17b) j = 'ab'h !~ W0106, W0106, W0106, W0333, W0334
  print *, 'ab'c !~ W0106
  i = 'text' !~ E0301
end program
