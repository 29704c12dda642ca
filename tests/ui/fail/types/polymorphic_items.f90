! Polymorphic objects in input and output (Fortran 2018, 12.6.3).
program p
  implicit none
  type :: shape
    real :: area = 1
  end type
  type, extends(shape) :: circle
    real :: radius = 2
  end type
  class(shape), allocatable :: s
  class(*), allocatable :: u
  allocate (circle :: s)
  allocate (u, source=3)
  print *, s                            !~ E0326
  write (*, *) 'any', u                 !~ E0326
  read (*, *) s                         !~ E0326
  print *, s%area
  select type (s)
  type is (circle)
    print *, s
  class is (shape)
    print *, s                          !~ E0326
  end select
end program
