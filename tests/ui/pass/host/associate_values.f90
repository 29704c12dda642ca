! An ASSOCIATE name of an expression keeps its value when the variables in it change, also of one in parentheses, of TRIM, MERGE and SPREAD;
! and so does a dummy argument.
module texts
  implicit none
  type :: t
    integer :: k = 0
    character(:), allocatable :: name
  end type
  character(3) :: g = 'ggg', h = 'hhh'
  type(t) :: o
contains
  subroutine change(word, words, object, objects)
    character(*), intent(in) :: word, words(:)
    type(t), intent(in) :: object, objects(:)
    g = 'new'
    o = t(99, 'changed')
    print '(*(a,1x))', word, words
    print '(2(i3,1x,a))', object%k, object%name, objects(2)%k, objects(2)%name
  end subroutine
end module
program p
  use texts
  implicit none
  o = t(1, 'first')
  associate (y => (g), z => trim(g), w => merge(g, h, .true.), v => (o), s => spread((g), 1, 2), q => spread(o, 1, 2))
    g = 'new'
    o%k = 99
    o%name = 'changed'
    print '(*(a,1x))', y, z, w, v%name, s(2), q(2)%name
    print *, v%k, q(1)%k
  end associate
  g = 'ggg'
  o = t(1, 'first')
  call change((g), spread((g), 1, 2), (o), spread((o), 1, 2))
  g = 'ggg'
  o = t(1, 'first')
  call change(trim(g), spread(trim(g), 1, 2), merge(o, t(3, 'third'), .true.), spread(o, 1, 2))
end program
