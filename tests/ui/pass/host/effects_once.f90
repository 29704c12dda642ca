! What calls functions that are not pure is evaluated once: bounds of implied DOs and arrays in array constructors, masks of WHERE and
! PACK, the source of several objects, values that say a length.
module counting
  implicit none
  integer :: calls = 0
contains
  integer function n(i)
    integer, intent(in) :: i
    calls = calls + 1
    n = i + calls - 1
  end function
  function row(i)
    integer, intent(in) :: i
    integer, allocatable :: row(:)
    calls = calls + 1
    allocate(row(i), source=calls)
  end function
  function text(i)
    integer, intent(in) :: i
    character(:), allocatable :: text
    calls = calls + 1
    text = repeat(achar(96 + calls), i*calls)
  end function
  function texts(i)
    integer, intent(in) :: i
    character(:), allocatable :: texts(:)
    calls = calls + 1
    allocate(character(i*calls) :: texts(2))
    texts = repeat(achar(96 + calls), i*calls)
  end function
  function mask(v)
    integer, intent(in) :: v(:)
    logical :: mask(size(v))
    calls = calls + 1
    mask = mod(v + calls, 2) == 0
  end function
  impure elemental logical function chosen(v)
    integer, intent(in) :: v
    calls = calls + 1
    chosen = mod(v + calls, 4) == 0
  end function
  subroutine show(what, v)
    character(*), intent(in) :: what
    integer, intent(in) :: v(:)
    print '(a,i3,a,*(i3))', what, calls, ';', v
    calls = 0
  end subroutine
end module
program p
  use counting
  implicit none
  type :: box
    integer, allocatable :: x(:)
  end type
  type(box), allocatable :: boxes(:)
  character(:), allocatable :: t, ts(:)
  integer, allocatable :: a(:), c2(:)
  integer :: i, j, v(4), b(4), c(4)
  a = [(i, i = 1, n(3))]
  call show('bound', a)
  a = [7, (i, i = n(1), n(3), n(-1)), 8]
  call show('bounds', a)
  a = [((i*j, i = 1, n(j)), j = 1, 3)]
  call show('nested', a)
  a = [row(2), (row(i), i = 1, 3)]
  call show('arrays', a)
  a = [(n(i), i = 1, n(0))]
  call show('none', a)
  a = [(i, row(i), i = 1, 40)]
  call show('long', [size(a), sum(a)])
  boxes = [(box([(j, j = 1, i)]), i = 1, n(3))]
  call show('boxes', [(sum(boxes(i)%x), i = 1, size(boxes))])
  ts = [(repeat('x', 2), i = 1, n(2))]
  call show(ts(1) // ts(2), [len(ts), size(ts)])
  allocate(t, source=text(2))
  call show(t, [len(t)])
  deallocate(ts)
  allocate(ts, source=texts(2))
  call show(ts(1) // ts(2), [len(ts), size(ts)])
  deallocate(a)
  allocate(a(2), c2(3), source=n(5))
  call show('two objects', [a, c2])
  deallocate(a, c2)
  allocate(a, c2, source=row(3))
  call show('two arrays', [a, c2])
  deallocate(a)
  a = pack([1, 2, 3, 4, 5], chosen([1, 2, 3, 4, 5]))
  call show('pack', a)
  ts = spread(text(2), 1, 2)
  call show(ts(1) // ts(2), [len(ts), size(ts)])
  t = maxval(texts(2))
  call show(t, [len(t)])
  v = [1, 2, 3, 4]
  b = 0
  c = 0
  where (mask(v))
    b = 1
    c = 2
    b = b + c
  elsewhere
    b = 5
    c = 6
  end where
  call show('where', [b, c])
  b = 0
  c = 0
  where (chosen(v))
    b = 1
    c = b + 1
  elsewhere
    b = 3
  end where
  call show('by elements', [b, c])
end program
