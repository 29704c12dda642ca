! A type-spec names a derived type without `type( )` (Fortran 2018, R702), and characters of deferred length are allocated with a length
! (C934).
program p
  type :: t
  end type
  class(*), allocatable :: a
  type(t), allocatable :: x(:)
  character(:), allocatable :: s
  allocate(t :: x(1))
  allocate(s)                   !~ E0317
  allocate(type(t) :: x(3))     !~ E0203
  select type (a)
  type is (type(t))             !~ E0203
  end select
end program
