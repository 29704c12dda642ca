! TRANSFER and sizes of objects whose lengths are known at run time only: as where the lengths are constant.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    integer(2) :: id = 3
    real :: x(n) = 0
    character(n) :: name = 'abcdefgh'
  end type
  type :: both(n)
    integer, len :: n
    character(1) :: c = 'x'
    type(line(n)) :: parts(2)
    real(8) :: d = 2
  end type
  type, extends(line) :: longer(k)
    integer, len :: k
    integer(1) :: more(k) = 9
  end type
  type :: plain
    integer(2) :: id
    real :: x(3)
    character(3) :: name
  end type
contains
  subroutine show(r)
    type(line(*)), intent(in) :: r
    integer, allocatable :: bits(:)
    type(line(r%n)) :: copy
    bits = transfer(r, bits)
    print '(a, 3i4)', 'size', size(bits), storage_size(r), r%n
    print '(*(f5.1))', transfer(bits(2:r%n + 1), 1.0, r%n)
    copy = transfer(bits, copy)
    print '(i4, *(f5.1))', copy%id, copy%x
    print '(2a)', copy%name, '|'
  end subroutine
end module
program p
  use m
  implicit none
  type(line(3)) :: a, many(2)
  type(line(:)), allocatable :: b(:)
  type(both(2)) :: c, e
  type(longer(2, 3)) :: f, g
  type(plain) :: q
  integer(1), allocatable :: bytes(:)
  a%x = [1.0, 2.0, 3.0]
  a%id = 7
  call show(a)
  q = transfer(a, q)
  print '(i4, 3f5.1, 1x, a)', q%id, q%x, q%name
  q%x = -q%x
  a = transfer(q, a)
  print '(i4, 3f5.1, 1x, a)', a%id, a%x, a%name
  many(1) = a
  many(2)%name = 'zzz'
  b = transfer(many, many)
  print '(3i4)', size(b), b%n, storage_size(b)
  print '(2i4, 2(1x, a))', b%id, b%name
  c%parts(2)%x = [4.0, 5.0]
  c%parts(1)%name = 'hi'
  c%d = 6
  bytes = transfer(c, bytes)
  print '(2i4)', size(bytes), storage_size(c)
  e = transfer(bytes, e)
  print '(2a3, 2f5.1, f5.1)', e%parts%name, e%parts(2)%x, e%d
  f%more = [1_1, 2_1, 3_1]
  f%x = 8
  g = transfer(transfer(f, bytes), g)
  print '(3i3, 2f5.1, i5)', g%more, g%x, storage_size(g)
  print '(i4)', size(transfer(many, [1.0]))
  b = transfer([1_2, 0_2, 0_2, 16256_2, 0_2, 16384_2], [line(1)()])
  print '(3i3, 2f5.1)', size(b), b%n, b(1)%id, b(1)%x
end program
