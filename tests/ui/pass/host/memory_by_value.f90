! Without an interface, an address that `%val` passes is the memory that a dummy argument takes by reference.
program memory_by_value
  integer(8) :: address, malloc
  external :: malloc
  real :: x(5) = 2.0
  integer :: n = 5
  address = malloc(n*4)
  call set(%val(address), n)
  call show(%val(address), n)
  call show(%val(loc(x)), 3)
  call show(%val(loc(x(2))), 1)
  call count_up(%val(loc(n)))
  print *, n, total(%val(address), 5)
  call free(address)
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
