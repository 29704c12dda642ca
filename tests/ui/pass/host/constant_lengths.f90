! Lengths of constants.
program constant_lengths
  implicit none
  type t
    character(5) :: c
  end type
  character(*), parameter :: w(*) = [character(7) ::], z(0) = [character(3) ::]
  character(*), parameter :: one = 'abc', two(2) = ['ab', 'cd']
  type(t), parameter :: par(2, 2) = reshape([t('a'), t('bc'), t('def'), t('g')], [2, 2])
  integer :: i
  i = 2
  print '(9i3)', len(w), len(z), len(one), len(two), len(par(2, 1)%c), len(par(i, i)%c), len(one(2:1)), len(par(1, 1)%c(2:3)), &
    size(w)
  print '(3i3)', len([character(4) :: 'a', 'bcdef']), len(two(2)(1:0)), len(two(1)(1:1))
  print '(3a)', '[', par(i, 1)%c, ']'
  print '(4i3)', len(max('', '  ')), len(min('abc', 'b')), len(merge('ab', 'cd', i > 1)), len(one // one)
  print '(3a)', '[', max('b', 'abc'), ']'
end program
