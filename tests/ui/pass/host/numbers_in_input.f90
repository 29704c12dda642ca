! List-directed and namelist input convert numbers to the type of the variable, as nvfortran's library does.
program numbers
  implicit none
  integer :: n, ios
  integer(1) :: small
  integer(8) :: large
  real(8) :: x
  complex :: z, w
  logical :: l, m
  character(40) :: text
  character(60) :: file(2)
  character(200) :: why
  namelist /run/ n, x, l, m, z
  text = '1e6 10. -2.75 3d9 (7.5, 2)'
  read (text, *) n, small, x, large, z
  print *, n, small, x, large, z
  text = '(1.5,2) 3 -4e-1 (8,9)'
  read (text, *) x, z, w, n
  print *, x, z, w, n
  text = '1 0'
  read (text, *) l, m
  print *, l, m
  text = '2*0 (1,5)'
  read (text, *) l, z, m
  print *, l, z, m
  text = '1e2; -3,5; (2,5; 1)'
  read (text, *, decimal='comma') n, z, large
  print *, n, z, large
  file = [character(60) :: '&run n = 1e6, l = 1, m = 0', 'z = 3., x = (1, 2) /']
  read (file, run)
  print *, n, x, l, m, z
  text = '300.'
  read (text, *, iostat=ios, iomsg=why) small
  print *, ios > 0, trim(why)
  text = "'1'"
  read (text, *, iostat=ios, iomsg=why) n
  print *, ios > 0, trim(why)
  text = '(1,x)'
  read (text, *, iostat=ios, iomsg=why) n
  print *, ios > 0, trim(why)
  text = 't'
  read (text, *, iostat=ios, iomsg=why) n
  print *, ios > 0, trim(why)
  text = 'maybe'
  read (text, *, iostat=ios, iomsg=why) l
  print *, ios > 0, trim(why)
  text = '   T'
  read (text, '(l3,l2)') l, m
  print *, l, m
end program
