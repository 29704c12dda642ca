! Functions of bits that nvfortran has besides those of the standard.
program functions_of_bits
  implicit none
  integer(1) :: b = -1
  integer(2) :: s = -2
  integer :: i = 12, n(4) = [0, 1, -8, 1023]
  logical(1) :: l = .true.
  print *, zext(b), zext(s), zext(i), zext(l), kind(zext(b))
  print *, izext(b), kind(izext(b)), jzext(s), kind(jzext(s))
  print *, eqv(12, 10), neqv(12, 10), compl(0), eqv(b, b)
  print *, shift(i, 2), shift(i, -2), shift(-1, -31), shift(b, 0), kind(shift(b, 0))
  print *, ilen(n), ilen(4294967296_8), ilen(b)
  print *, klen('abc'), kind(klen('abc')), kindex('abc', 'c'), kind(kindex('abc', 'c'))
end program
