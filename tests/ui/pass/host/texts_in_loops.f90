! Texts that are made in loops, with what goes wrong on the way. The output is gfortran's.
program texts_in_loops
  implicit none
  character(len=24) :: line, parts(3)
  character(len=6) :: short
  character(len=40) :: reason
  character(len=:), allocatable :: joined
  integer(8) :: hash
  integer :: i, status, failed(3), at
  hash = 0
  do i = 1, 2000
    write(line, '(i0,a,f9.3)') i, '=', i*0.5
    call add(line)
    write(parts, '(l1,1x,z6.6,1x,b8.8)') mod(i, 3) == 0, i*i, mod(i, 256), i > 5, i, mod(i, 7)
    call add(parts(1))
    call add(parts(2))
    write(line, '(es12.4,2(1x,f5.1))') 1.0d0/(3*i), cmplx(i, -0.5)
    call add(line)
  end do
  print '(i0)', hash
  failed = 0
  do i = 1, 600
    ! Too long from 100 on, in the record or in the number of records.
    write(short, '(i0,a)', iostat=status) i, 'abcd'
    if (status /= 0) failed(1) = failed(1) + 1
    write(short, '(i3)', iostat=status, iomsg=reason) (i, at = 1, 1 + i/300)
    if (status /= 0) failed(2) = failed(2) + 1
    if (mod(i, 2) == 0) then
      write(short, '(i3)', iostat=status) 1.5
    else
      write(short, '(f4.1)', iostat=status) 1.5
    end if
    if (status > 0) failed(3) = failed(3) + 1
  end do
  print '(3(i0,1x),a)', failed, short
  joined = ''
  at = 0
  do i = 1, 40
    joined = trim(joined)//achar(96 + mod(i*7, 26) + 1)
    at = at + index(joined, 'ov') + 3*scan(joined, 'xyz', back=.true.) + verify(joined, 'hov') + len_trim(joined)
    if (joined < 'hoz') at = at + 1
    if (joined == 'hov   ') at = at + 1000
  end do
  print '(a,1x,i0)', joined, at
contains
  subroutine add(text)
    character(len=*), intent(in) :: text
    integer :: k
    do k = 1, len(text)
      hash = ieor(ishftc(hash, 7), int(ichar(text(k:k)), 8))
    end do
  end subroutine
end program
