! The values of a CASE may be of any kind; those that the selector cannot hold are never met (Fortran 2018, 11.1.9.1).
program wide_cases
  implicit none
  integer(1) :: i
  integer(2) :: j
  integer :: k
  do k = -128, 127, 85
    i = int(k, 1)
    select case (i)
    case (200)
      print '(i5,a)', i, ' is 200'
    case (:-300)
      print '(i5,a)', i, ' is far below'
    case (-200:4)
      print '(i5,a)', i, ' is small'
    case (100:199, 201:100000)
      print '(i5,a)', i, ' is large'
    case default
      print '(i5,a)', i, ' is in between'
    end select
  end do
  j = 300
  select case (j)
  case (40000_8, 300_8)
    print '(a)', 'three hundred'
  end select
  k = 5
  select case (k)
  case (3000000000_8:)
    print '(a)', 'wrong'
  case (5)
    print '(a)', 'five'
  end select
end program
