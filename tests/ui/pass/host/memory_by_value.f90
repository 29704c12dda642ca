! Addresses as values. Without an interface, an address that `%val` passes is the memory that a dummy argument takes by reference.
program memory_by_value
  integer(8) :: address, malloc
  external :: malloc
  integer(8) :: place_of
  real :: x(5) = 2.0, y
  integer :: n = 5
  place_of(y) = %loc(y)
  address = malloc(n*4)
  call set(%val(address), n)
  call show(%val(address), n)
  call show(%val(loc(x)), 3)
  call show(%val(loc(x(2))), 1)
  call count_up(%val(loc(n)))
  print *, n, total(%val(address), 5)
  call free(address)
  print *, place_of(x(3)) == loc(x(3))
end program

subroutine set(a, n)
  real a(n)
  do i = 1, n
    a(i) = i
  end do
end subroutine

subroutine show(a, n)
  real a(*)
  print *, a(1:n)
end subroutine

subroutine count_up(i)
  i = i + 1
end subroutine

real function total(a, n)
  real a(n)
  total = sum(a)
end function
