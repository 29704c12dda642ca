! Declarations alone, as an include file has them.
integer, parameter :: n = 10  !~ E0102
real :: a(n)
common /data/ a
