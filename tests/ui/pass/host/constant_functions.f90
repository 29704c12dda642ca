! Constant expressions with transformational functions.
program constant_functions
  implicit none
  integer, parameter :: m(2, 3) = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  logical, parameter :: odd(2, 3) = mod(m, 2) == 1
  integer, parameter :: bits = transfer(1.0, 1), pair(2) = transfer(1d0, [1])
  real, parameter :: one = transfer(bits, 1.0)
  double precision, parameter :: back = transfer(pair, 1d0)
  character(4), parameter :: text = transfer(1684234849, 'abcd')
  integer, parameter :: code = transfer('abcd', 1)
  real, parameter :: e = erf(.5), ec = erfc(.5), g = gamma(4.5), lg = log_gamma(3.), h = hypot(3., 4.)
  double precision, parameter :: ed = erf(.5d0), j0 = bessel_j0(1d0), j1 = bessel_j1(1d0), y0 = bessel_y0(1d0)
  real, parameter :: es = erfc_scaled(2.), jn = bessel_jn(2, 1.)
  integer, parameter :: rows(2) = sum(m, dim=2), columns(3) = sum(m, 1), some = sum(m, mask=odd), p(3) = product(m, 1)
  integer, parameter :: most(3) = maxval(m, 1), least(2) = minval(m, 2, odd), n(3) = count(odd, 1), nn = count(odd)
  integer, parameter :: where(2) = maxloc(m), when(3) = minloc(m, 1), found(2) = findloc(m, 4), f1(2) = findloc(m, 5, dim=2)
  integer, parameter :: spare(3) = unpack([7, 8], [.true., .false., .true.], 0), dot = dot_product([1, 2], [3, 4])
  integer, parameter :: packed(3) = pack(m, odd), shifted(3) = cshift([1, 2, 3], 1), ended(3) = eoshift([1, 2, 3], -1, 9)
  integer, parameter :: ordered(2, 2) = reshape([1, 2, 3, 4], [2, 2], order=[2, 1]), padded(4) = reshape([1, 2], [4], [7, 8])
  integer, parameter :: turned(3, 2) = transpose(m), copies(2, 2) = spread([1, 2], 2, 2), product2(2, 2) = matmul(m, turned)
  logical, parameter :: al(3) = all(odd, 1), an(2) = any(odd, 2), pa = parity([.true., .true., .true.])
  integer, parameter :: bo = iany([1, 2, 4]), ba = iall([7, 3]), bx = iparity([1, 3])
  real, parameter :: norm = norm2([3., 4.])
  complex, parameter :: z = (1., 1.)**2.0, z2 = exp((0., 0.)), z3 = sqrt((-1., 0.))
  print '(4i12)', bits, pair, code
  print '(f5.1,f5.1,a5)', one, back, text
  print '(6f9.5)', e, ec, g, lg, h, ed
  print '(5f9.5)', j0, j1, y0, es, jn
  print '(10i4)', rows, columns, some, p
  print '(10i4)', most, least, n, nn
  print '(10i4)', where, when, found, f1
  print '(10i4)', spare, dot, packed, shifted
  print '(11i4)', ended, ordered, padded
  print '(14i4)', turned, copies, product2
  print '(6l2)', al, an, pa
  print '(3i4,f5.1)', bo, ba, bx, norm
  print '(6f6.2)', z, z2, z3
end program
