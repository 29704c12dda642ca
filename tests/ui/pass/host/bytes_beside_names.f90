! The bytes of a number beside its name, as DEC had them.
program p
  real x*8, y(2)*8, w*4
  integer*2 i2*4(3), j
  logical l*1
  complex c*16
  print *, kind(x), kind(y), size(y), kind(w), kind(i2), size(i2), kind(j), kind(l), kind(c)
end program
