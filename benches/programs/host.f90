! Work of the host alone: a sieve, a triple loop, text, array statements, calls. Seconds of each go to standard error, so that the
! same program compiled by another compiler compares with it.
program host
  implicit none
  integer(8) :: ticks, rate
  call system_clock(ticks, rate)
  call sieve(3000000)
  call clocked('sieve ')
  call products()
  call clocked('loops ')
  call texts()
  call clocked('text ')
  call arrays()
  call clocked('arrays ')
  call calls()
  call clocked('calls ')
contains
  subroutine clocked(name)
    character(len=*), intent(in) :: name
    integer(8) :: now
    call system_clock(now)
    write(0, '(2a,f0.5)') name, 's ', real(now - ticks, 8)/rate
    call system_clock(ticks)
  end subroutine

  subroutine sieve(last)
    integer, intent(in) :: last
    logical, allocatable :: prime(:)
    integer :: i, j
    allocate(prime(last))
    prime = .true.
    prime(1) = .false.
    do i = 2, int(sqrt(real(last)))
      if (.not. prime(i)) cycle
      do j = i*i, last, i
        prime(j) = .false.
      end do
    end do
    print '(a,i0)', 'primes ', count(prime)
  end subroutine

  subroutine products()
    integer, parameter :: m = 160
    real(8) :: a(m, m), b(m, m), c(m, m)
    integer :: i, j, k
    do j = 1, m
      do i = 1, m
        a(i, j) = i - j
        b(i, j) = i + 2*j
        c(i, j) = 0
      end do
    end do
    do j = 1, m
      do k = 1, m
        do i = 1, m
          c(i, j) = c(i, j) + a(i, k)*b(k, j)
        end do
      end do
    end do
    print '(a,f0.1)', 'product ', sum(c)
  end subroutine

  subroutine texts()
    character(len=24) :: line
    integer(8) :: hash
    integer :: i
    hash = 0
    do i = 1, 100000
      write(line, '(i0,a,f9.3)') i, '=', i*0.5
      hash = ieor(ishftc(hash, 7), int(len_trim(line)*ichar(line(1:1)), 8))
    end do
    print '(a,i0)', 'hash ', hash
  end subroutine

  subroutine arrays()
    real(8), save :: x(1000000), y(1000000)
    integer :: round
    x = 1.25d0
    do round = 1, 20
      y = 3*x + 1
      x = sqrt(y)*0.5d0 + merge(x, y, x > 2)
    end do
    print '(a,es20.12)', 'arrays ', sum(x)
  end subroutine

  subroutine calls()
    real(8) :: knots(12), values(4), total
    integer :: i
    knots = [(real(i, 8), i=1, 12)]
    total = 0
    do i = 1, 100000
      call basis(knots, 4, 4 + mod(i, 4), 4.5d0 + mod(i, 4), values)
      total = total + values(2)
    end do
    print '(a,i0,1x,f0.3)', 'calls ', fibonacci(25), total
  end subroutine

  recursive integer function fibonacci(n) result(f)
    integer, intent(in) :: n
    f = n
    if (n >= 2) f = fibonacci(n - 1) + fibonacci(n - 2)
  end function

  ! The values of the B-splines of order k between two knots.
  subroutine basis(t, k, left, x, b)
    real(8), intent(in) :: t(*), x
    integer, intent(in) :: k, left
    real(8), intent(out) :: b(*)
    real(8) :: saved, term
    integer :: j, r
    b(1) = 1
    do j = 1, k - 1
      saved = 0
      do r = 1, j
        term = b(r)/(t(left + r) - t(left + r - j))
        b(r) = saved + (t(left + r) - x)*term
        saved = (x - t(left + r - j))*term
      end do
      b(j + 1) = saved
    end do
  end subroutine
end program
