! Work of the host alone: a sieve, a triple loop, text, array statements. Seconds of each go to standard error, so that the
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
end program
