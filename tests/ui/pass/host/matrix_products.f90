! MATMUL of all shapes, types and layouts has the bits of the loop that defines it: small and large, sections, transposes, vectors,
! factors that are the result, results that are no numbers, bounds that are not 1.
program matrix_products
  implicit none
  integer, parameter :: shapes(3, 7) = reshape([1, 1, 1, 3, 4, 5, 40, 41, 42, 16, 300, 2, 1, 70, 90, 100, 1, 60, 33, 0, 9], [3, 7])
  integer :: i, m, n, k, wrong
  wrong = 0
  do i = 1, size(shapes, 2)
    m = shapes(1, i); n = shapes(3, i); k = shapes(2, i)
    call reals(m, n, k)
    call doubles(m, n, k)
    call others(m, n, k)
  end do
  call layouts
  call no_numbers
  print *, 'wrong', wrong
contains
  elemental real(8) function number(i, j)
    integer, intent(in) :: i, j
    number = (mod(i*7919 + j*104729, 2003) - 1001)/real(mod(i + 3*j, 17) + 1, 8)
  end function

  subroutine reals(m, n, k)
    integer, intent(in) :: m, n, k
    real :: a(m, k), b(0:k - 1, n), c(m, n), s
    integer :: i, j, l
    a = reshape([((real(number(i, j)), i = 1, m), j = 1, k)], [m, k])
    b = reshape([((real(number(j, i)), i = 1, k), j = 1, n)], [k, n])
    c = matmul(a, b)
    do j = 1, n
      do i = 1, m
        s = 0
        do l = 1, k
          s = s + a(i, l)*b(l - 1, j)
        end do
        if (transfer(s, 0) /= transfer(c(i, j), 0)) wrong = wrong + 1
      end do
    end do
  end subroutine

  subroutine doubles(m, n, k)
    integer, intent(in) :: m, n, k
    real(8) :: a(m, k), b(k, n), s, v(m), w(n)
    complex(8) :: y(m, k), z(k, n), x(m, n), t
    integer :: i, j, l
    a = reshape([((number(i, j), i = 1, m), j = 1, k)], [m, k])
    b = reshape([((number(j, i), i = 1, k), j = 1, n)], [k, n])
    if (n > 0) v = matmul(a, b(:, n))
    if (m > 0) w = matmul(a(m, :), b)
    y = cmplx(a, 3*a - 1, 8)
    z = cmplx(b, 2 - b, 8)
    x = matmul(y, z)
    do i = 1, m
      s = 0
      do l = 1, k
        s = s + a(i, l)*b(l, n)
      end do
      if (s /= v(i)) wrong = wrong + 1
    end do
    do j = 1, n
      s = 0
      do l = 1, k
        s = s + a(m, l)*b(l, j)
      end do
      if (s /= w(j)) wrong = wrong + 1
      do i = 1, m
        t = 0
        do l = 1, k
          t = t + y(i, l)*z(l, j)
        end do
        if (t /= x(i, j)) wrong = wrong + 1
      end do
    end do
  end subroutine

  subroutine others(m, n, k)
    integer, intent(in) :: m, n, k
    integer(1) :: a1(m, k), b1(k, n), c1(m, n), s1
    integer(8) :: a8(m, k), b8(k, n), c8(m, n), s8
    integer :: mixed(m, n)
    logical :: truth(m, n), s
    integer :: i, j, l
    a8 = reshape([((int(1000*number(i, j), 8)*123456789, i = 1, m), j = 1, k)], [m, k])
    b8 = reshape([((int(1000*number(j, i), 8)*987654321, i = 1, k), j = 1, n)], [k, n])
    a1 = int(mod(a8, 100_8), 1)
    b1 = int(mod(b8, 100_8), 1)
    c1 = matmul(a1, b1)
    c8 = matmul(a8, b8)
    mixed = matmul(int(a1), b1)
    truth = matmul(a1 > 50, b1 > 50)
    do j = 1, n
      do i = 1, m
        s1 = 0
        s8 = 0
        s = .false.
        do l = 1, k
          s1 = s1 + a1(i, l)*b1(l, j)
          s8 = s8 + a8(i, l)*b8(l, j)
          s = s .or. (a1(i, l) > 50 .and. b1(l, j) > 50)
        end do
        if (s1 /= c1(i, j) .or. s8 /= c8(i, j) .or. (s .neqv. truth(i, j))) wrong = wrong + 1
        if (mixed(i, j) /= sum(int(a1(i, :))*b1(:, j))) wrong = wrong + 1
      end do
    end do
  end subroutine

  subroutine layouts
    real(8) :: a(90, 80), b(80, 90), c(45, 90), d(40, 40), e(40, 40)
    integer :: i, j, l, rows(45)
    real(8) :: s
    a = reshape([((number(i, j), i = 1, 90), j = 1, 80)], [90, 80])
    b = reshape([((number(j, i), i = 1, 80), j = 1, 90)], [80, 90])
    c = matmul(a(90:1:-2, :), b(:, 90:1:-1))
    do j = 1, 90
      do i = 1, 45
        s = 0
        do l = 1, 80
          s = s + a(92 - 2*i, l)*b(l, 91 - j)
        end do
        if (s /= c(i, j)) wrong = wrong + 1
      end do
    end do
    rows = [(2*mod(i*7, 45) + 1, i = 1, 45)]
    c = matmul(a(rows, :), b)
    do j = 1, 90
      do i = 1, 45
        s = 0
        do l = 1, 80
          s = s + a(rows(i), l)*b(l, j)
        end do
        if (s /= c(i, j)) wrong = wrong + 1
      end do
    end do
    d = a(1:40, 1:40)
    e = d
    d = matmul(transpose(d), d)
    do j = 1, 40
      do i = 1, 40
        s = 0
        do l = 1, 40
          s = s + e(l, i)*e(l, j)
        end do
        if (s /= d(i, j)) wrong = wrong + 1
      end do
    end do
  end subroutine

  subroutine no_numbers
    real :: a(50, 50), b(50, 50), c(50, 50), big
    integer :: i, j
    a = 1
    b = 2
    big = huge(big)
    a(7, 3) = 2*big
    b(3, 11) = 0
    b(4, 12) = 2*big
    c = matmul(a, b)
    print *, c(7, 11) /= c(7, 11), c(7, 12) > big, c(7, 1) > big, c(1, 11), c(1, 1), c(1, 12) > big
    do j = 1, 50
      do i = 1, 50
        if (c(i, j) /= c(i, j) .and. .not. (i == 7 .and. j == 11)) wrong = wrong + 1
      end do
    end do
  end subroutine
end program
