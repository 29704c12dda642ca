! FORALL: all combinations of one statement before the next statement, all values before the first is stored; masks and bounds of
! the construct and of those inside it before anything is assigned; WHERE and pointer assignment in it.
module forall_types
  implicit none
  type cell
    integer, pointer :: at => null()
  end type
  type row
    integer, pointer :: at(:) => null()
  end type
end module
program forall_order
  use forall_types
  implicit none
  integer :: a(6), b(6), m(4, 4), n, i, j, k(4)
  integer, target :: t(6), u(3, 2)
  type(cell) :: p(6)
  type(row) :: q(3)
  character(3) :: names(4)
  character(:), allocatable :: text
  a = [1, 2, 3, 4, 5, 6]
  b = a
  forall (i = 2:5) a(i) = a(i - 1) + a(i + 1)
  print '(a,*(1x,i0))', 'neighbours', a
  ! The mask was true for the elements that it was true for before anything was assigned.
  a = b
  forall (i = 1:6, a(i) > 2)
    a(7 - i) = 0
    b(i) = -b(i)
  end forall
  print '(a,*(1x,i0))', 'mask', a, b
  ! A bound that the body changes.
  n = 3
  a = 0
  forall (i = 1:n)
    k(i) = i
    a(i) = k(4 - i)
  end forall
  print '(a,*(1x,i0))', 'bound', a
  ! Sections of one array.
  m = reshape([(i, i = 1, 16)], [4, 4])
  forall (i = 1:4) m(i, :) = m(5 - i, :)
  print '(a,*(1x,i0))', 'rows', m
  forall (i = 1:4) m(:, i) = m(i, :)
  print '(a,*(1x,i0))', 'columns', m
  ! WHERE in FORALL: masks and values of all rows come before any is stored.
  m = reshape([(i, i = 1, 16)], [4, 4])
  forall (i = 1:4)
    where (mod(m(:, 5 - i), 2) == 0)
      m(:, i) = -m(:, 5 - i)
    elsewhere (m(:, i) > 10)
      m(:, i) = 0
    elsewhere
      m(:, i) = m(:, i) + 100
    end where
  end forall
  print '(a,*(1x,i0))', 'where', m
  ! Nested FORALL: its mask and bounds are of the time before its first assignment.
  m = reshape([(i, i = 1, 16)], [4, 4])
  forall (i = 1:4)
    forall (j = 1:i, m(i, j) < m(j, i))
      m(j, i) = m(i, j)
    end forall
  end forall
  print '(a,*(1x,i0))', 'nested', m
  m = reshape([(i, i = 1, 16)], [4, 4])
  forall (i = 1:4)
    forall (j = 1:4, m(j, i) > 8)
      m(i, j) = -m(j, i)
      m(j, i) = m(j, i) + m(i, j)
    end forall
    k(i) = sum(m(i, :))
  end forall
  print '(a,*(1x,i0))', 'two', m, k
  ! Targets found by what is assigned.
  k = [2, 3, 4, 1]
  forall (i = 1:4) k(k(i)) = i
  print '(a,*(1x,i0))', 'inverse', k
  ! Pointers.
  t = [10, 20, 30, 40, 50, 60]
  forall (i = 1:6) p(i)%at => t(i)
  forall (i = 1:6) p(i)%at => p(7 - i)%at
  print '(a,*(1x,i0))', 'pointers', (p(i)%at, i = 1, 6)
  u = reshape([1, 2, 3, 4, 5, 6], [3, 2])
  forall (i = 1:3) q(i)%at => u(i, :)
  forall (i = 1:3) q(i)%at(1:) => q(4 - i)%at
  print '(a,*(1x,i0))', 'sections', (q(i)%at, i = 1, 3)
  forall (i = 1:2) q(i)%at => null()
  print '(a,*(l2))', 'gone', (associated(q(i)%at), i = 1, 3)
  ! Characters, of constant length and not.
  names = ['abc', 'def', 'ghi', 'jkl']
  forall (i = 1:4) names(i) = names(5 - i)
  print '(a,*(1x,a))', 'names', names
  forall (i = 1:4, names(i) /= 'ghi') names(i)(i/2 + 1:3) = names(5 - i)
  print '(a,*(1x,a))', 'parts', names
  text = 'stressed'
  forall (i = 1:len(text)) text(i:i) = text(len(text) + 1 - i:len(text) + 1 - i)
  print '(a,1x,a)', 'text', text
end program
