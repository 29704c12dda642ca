! What single intrinsic procedures ask of their arguments, and shapes of what they give (Fortran 2018, 16.9, 18.2.3).
program main
  use, intrinsic :: iso_c_binding
  implicit none
  type item
    integer :: n
  end type
  type empty
  end type
  type chain
    type(chain), allocatable :: next, branches(:)
  end type
  type(item) :: items(3)
  type(empty) :: nothing(2)
  type(chain) :: list, lists(2)
  type(c_ptr) :: address, pair(2)
  class(item), pointer :: object
  integer, pointer :: p
  integer, target :: t
  integer :: a(2, 3), rows(2), columns(3), seeds(8), n, two(2)
  character(len=:), allocatable :: word
  items = eoshift(items, 1) !~ E0401
  a = eoshift(a, 1, boundary=[1, 2]) !~ E0304
  a = eoshift(a, 1, boundary=[1, 2, 3])
  print *, associated(p, (t)) !~ E0412
  print *, c_associated(pair) !~ E0412
  address = c_loc(object) !~ E0412
  call c_f_pointer(address, object) !~ E0412
  call c_f_pointer(address, p, [1]) !~ E0401
  call move_alloc(list%next, list%next%next) !~ E0412
  call move_alloc(list%branches, list%branches(n)%branches) !~ E0412
  call move_alloc(lists(2)%next, lists(2)%next%next) !~ E0412
  call move_alloc(lists(1)%next, lists(2)%next%next)
  call move_alloc(list%next%next, list%next)
  call random_seed(n, seeds) !~ E0401
  print *, selected_int_kind(two) !~ E0412
  print *, pack([1, 2, 3], [.true., .true., .false.], [0]) !~ E0419
  print *, unpack([1], [.true., .true.], 0) !~ E0419
  print *, transfer(1, nothing) !~ E0412
  print *, maskl([4, 40]) !~ E0606
  call mvbits(rows, 0, 1, columns, 0) !~ E0414
  rows = sum(a, dim=1) !~ E0304
  rows = sum(a, dim=2)
  two = maxloc(a)
  columns = maxloc(a) !~ E0304
  rows = maxval(a, dim=1) !~ E0304
  columns = pack(a, a > 0, [1, 2]) !~ E0304
  n = 1
  print *, a(1, n:n+1) + columns !~ E0304
  write (*, *, asynchronous=word) n !~ E0327
contains
  subroutine no_intrinsic()
    intrinsic :: c_loc !~ E0202
  end subroutine
  subroutine sizes(x)
    integer :: x(2, *)
    print *, c_sizeof(x) !~ E0412
  end subroutine
end program
