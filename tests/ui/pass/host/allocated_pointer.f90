! `allocated` of a pointer asks whether it is associated.
program p
  real, pointer :: x(:)
  x => null()
  print *, allocated(x)     !~ W0412
  allocate (x(3))
  print *, allocated(x)     !~ W0412
  deallocate (x)
end program
