! TRANSFER to a logical and back gives the bits again; objects of derived type in constants.
program transferred_bits
  implicit none
  type :: mixed
    integer(2) :: n
    real :: x(2)
    character(3) :: c
  end type
  type(mixed), parameter :: object = mixed(7, [1., -2.], 'abc')
  integer, parameter :: words(4) = transfer(object, [1])
  type(mixed), parameter :: again = transfer(words, object)
  integer(1), parameter :: bytes(16) = transfer(object, [1_1])
  real(8), parameter :: root(1) = transfer(transfer(sqrt(2d0), [.true.]), [0d0], 1)
  integer :: i = 42, four(4) = 42
  print '(i4,2f5.1,a4)', again%n, again%x, again%c
  print '(2i4,3a)', bytes(1:2), achar(bytes(13:15))
  print '(l2,i4)', root(1) == sqrt(2d0), transfer(transfer(i, .true.), 0)
  print '(4i4)', transfer(transfer(four, .false., 4), four)
  print '(2l2)', transfer(transfer(.true., 1.5), .true.), transfer(transfer(.false., 1.5), .true.)
end program
