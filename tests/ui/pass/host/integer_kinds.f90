! DEC's names of intrinsic functions for integers of one kind. A function of the program comes first.
program kinds
  implicit none
  integer(2) :: s = -3
  integer :: i = -7
  integer(8) :: l = -5000000000_8
  integer, external :: knot
  integer :: jmod
  print *, imax0(s, 2_2), jmax0(i, 2), kmax0(l, 2_8), imin0(s, 2_2), jmin0(i, 2), kmin0(l, 2_8)
  print *, kind(imax0(s, s)), kind(jmax0(i, i)), kind(kmin0(l, l))
  print *, imax1(1.5, 2.7), jmax1(1.5, 2.7), kmin1(1.5, 2.7), aimax0(s, 2_2), ajmin0(i, 2)
  print *, kind(imax1(1.0, 2.0)), kind(kmin1(1.0, 2.0)), kind(aimin0(s, s))
  print *, iidim(4_2, s), jidim(4, i), kidim(4_8, l), imod(s, 2_2), kmod(l, 7_8)
  print *, iisign(3_2, s), kisign(3_8, l), iiand(7_2, s), jior(1, 6), iieor(5_2, 1_2), inot(s), jnot(i)
  print *, kishft(1_8, 40), jishftc(1, 2, 8), jibits(255, 2, 3), kibset(0_8, 40), iibclr(7_2, 0), bktest(4_8, 2)
  print *, inint(2.5), jnint(-2.5), knint(3.0e9), kidnnt(4.5d9), kind(inint(1.0)), kind(knint(1.0))
  print *, iifix(2.9), jifix(-2.9), iidint(2.9d0), jidint(2.9d0), floati(s), dflotj(i)
  print *, iint(2.9), kind(iint(2.9)), compl(5), neqv(5, 3)
  print *, jmod(17, 5), knot(3)
end program

integer function jmod(a, b)
  integer, intent(in) :: a, b
  jmod = 1000*a + b
end function

integer function knot(a)
  integer, intent(in) :: a
  knot = a + 100
end function
