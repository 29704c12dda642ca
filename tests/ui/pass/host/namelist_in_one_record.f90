! A scalar internal file is one record, in which a namelist group stands as a whole. A stride that is not there is no subscript.
program namelist_in_one_record
  implicit none
  integer :: i = 42, j(3) = [-7, 8, 9], status
  real :: r = 2.5
  logical :: l = .true.
  character(200) :: record
  namelist /group/ i, j, r, l
  write (record, nml=group)
  i = 0
  j = 0
  r = 0
  l = .false.
  read (record, nml=group)
  print '(4i4,f5.1,l2)', i, j, r, l
  print '(i4)', f1()
  record = '&group j(1:3:2) = 5, 6 /'
  read (record, nml=group, iostat=status)
  print '(l2,3i4)', status == 0, j
  record = '&group j(1:3:) = 1, 2 /'
  read (record, nml=group, iostat=status)
  print '(l2,3i4)', status > 0, j
contains
  integer function f1()
    character(80) :: own
    namelist /one/ f1
    f1 = 5
    write (own, nml=one)
    f1 = 6
    read (own, nml=one)
  end function
end program
