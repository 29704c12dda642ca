! Records what a Fortran compiler's formatted and list-directed input makes of texts, one line a case:
!
!     type|format|text|value in hexadecimal, or `error`|
!
! and for list-directed input (format `*`, records of the text joined by `^`) five values, of which those that the text
! leaves alone are -99, or one real, complex, logical or character value.
! Made with gfortran 12.2:  gfortran -O0 -ffree-line-length-none record_input.f90 -o record && ./record > input.txt
program record_input
  implicit none
  character(16), parameter :: whole(*) = [character(16) :: '(i5)', '(i3)', '(bz,i5)', '(i10)', '(z8)', '(o6)', '(b8)', '(1x,i4)', &
    '(t3,i3)', '(g6.0)', '(i4,tl4)']
  character(16), parameter :: reals(*) = [character(16) :: '(f8.3)', '(f10.0)', '(e10.2)', '(g12.4)', '(bz,f8.2)', '(2p,f8.3)', &
    '(-1p,f10.4)', '(d15.3)', '(dc,f8.3)', '(en12.1)', '(f4.1)', '(f20.6)']
  character(24), parameter :: texts(*) = [character(24) :: '12345', '  12', '-7', '+ 5', '1 2 3', '', '12,34', 'abc', '1.5', '-1.25e2', &
    '1e5', '1d-3', '3+4', '.5', '5.', '-', '.', '1.2.3', '99999999999', '2147483648', '-2147483648', 'ff', 'FFFFFFFF', '777', '10110', &
    'inf', '-Infinity', 'nan', 'NaN(4)', '1e400', '1,5', '  1.5  ', '123456789012345678901', '0.1', '3.4e38', '1e-45', '1 e 5', &
    '1.e+05', '12.5E-1', 't', '0x1', '1e', '1e+', '+.5d+1', '4 . 5']
  character(16), parameter :: logicals(*) = [character(16) :: 'T', 'F', '.true.', '.FALSE.', ' t', '  .f', 'x', '', 'true', 'T,F', '.']
  character(16), parameter :: widths(*) = [character(16) :: '(a)', '(a3)', '(a5)', '(a8)', '(g0)', '(g3.1)', '(2x,a)', '(t4,a2)']
  character(40), parameter :: lists(*) = [character(40) :: '1 2 3 4 5', '1,2,3,4,5', '1,,3,,5', ',,,,5', '2*7 3*8', '3*,4,5', '1 2/3 4', &
    '/', '1,2^3,4,5', '1^2^3^4^5', '1, 2 ,3 , 4,5', '2*3*4', '0*5 1 2 3 4', '1 , , 3 4 5', '1.5 2 3 4 5', '1 x 3 4 5', '5*-3', &
    '2*1, 3*2/', '1,^,3,4,5', '1^,2,3,4,5', '  7  8^^^  9 10 11', '1 2 3 4 5 6 7', '10*1', '1;2 3 4 5', '"1" 2 3 4 5', '99999999999 1 1 1 1', &
    '1,2,', '1,2,,/', '2*,2*4 5', '2* 4 5 6']
  character(40), parameter :: scalars(*) = [character(40) :: '1.5', '1', '-2e3', '1d2', '2*3.5', 'nan', 'inf', '(1,2)', '( 1.5 , -2e1 )', &
    '(1,^2)', '(1 2)', '(1,2,3)', 't', 'F', '.true.', 'Tx', 'f,t', 'abc', "'it''s so'", '"a b"', "'ab^cd'", 'a b', 'a,b', 'a/b', "''", &
    '3*x', ',', '/', 'abcdefghijkl', '"quoted string"', "'open^and closed'", '1.5/', '+.5', '1e400', '3+2']
  integer :: i, j

  open (10, status='scratch', form='formatted')
  do j = 1, size(texts)
    do i = 1, size(whole)
      call read_integer(trim(whole(i)), trim(texts(j)))
    end do
    do i = 1, size(reals)
      call read_real(trim(reals(i)), trim(texts(j)))
    end do
    do i = 1, size(widths)
      call read_character(trim(widths(i)), trim(texts(j)))
    end do
  end do
  do j = 1, size(logicals)
    call read_logical('(l7)', trim(logicals(j)))
    call read_logical('(l2)', trim(logicals(j)))
    call read_logical('(l4)', trim(logicals(j)))
  end do
  do j = 1, size(lists)
    call read_list(trim(lists(j)))
  end do
  do j = 1, size(scalars)
    call read_real('*', trim(scalars(j)))
    call read_complex(trim(scalars(j)))
    call read_logical('*', trim(scalars(j)))
    call read_character('*', trim(scalars(j)))
  end do
contains
  subroutine fill(text)
    character(*), intent(in) :: text
    integer :: from, to
    rewind 10
    from = 1
    do
      to = index(text(from:), '^')
      if (to == 0) exit
      write (10, '(a)') text(from:from + to - 2)
      from = from + to
    end do
    write (10, '(a)') text(from:)
    rewind 10
  end subroutine
  subroutine show(type, f, text, stat, bits)
    character(*), intent(in) :: type, f, text
    integer, intent(in) :: stat
    integer(8), intent(in) :: bits(:)
    if (stat /= 0) then
      write (*, '(6a)') type, '|', f, '|', text, '|error|'
    else
      write (*, '(6a,*(z0,:," "))', advance='no') type, '|', f, '|', text, '|', bits
      write (*, '("|")')
    end if
  end subroutine
  subroutine read_integer(f, text)
    character(*), intent(in) :: f, text
    integer :: n, stat
    call fill(text)
    n = -99
    read (10, f, iostat=stat) n
    call show('i4', f, text, stat, [iand(int(n, 8), 4294967295_8)])
  end subroutine
  subroutine read_real(f, text)
    character(*), intent(in) :: f, text
    real(8) :: d
    real(4) :: r
    integer :: stat
    call fill(text)
    d = -99
    if (f == '*') then
      read (10, *, iostat=stat) d
    else
      read (10, f, iostat=stat) d
    end if
    call show('r8', f, text, stat, [transfer(d, 0_8)])
    call fill(text)
    r = -99
    if (f == '*') then
      read (10, *, iostat=stat) r
    else
      read (10, f, iostat=stat) r
    end if
    call show('r4', f, text, stat, [iand(int(transfer(r, 0), 8), 4294967295_8)])
  end subroutine
  subroutine read_complex(text)
    character(*), intent(in) :: text
    complex(8) :: z
    integer :: stat
    call fill(text)
    z = -99
    read (10, *, iostat=stat) z
    call show('c8', '*', text, stat, [transfer(real(z), 0_8), transfer(aimag(z), 0_8)])
  end subroutine
  subroutine read_logical(f, text)
    character(*), intent(in) :: f, text
    logical :: l
    integer :: stat
    call fill(text)
    l = .false.
    if (f == '*') then
      read (10, *, iostat=stat) l
    else
      read (10, f, iostat=stat) l
    end if
    call show('l4', f, text, stat, [merge(1_8, 0_8, l)])
  end subroutine
  subroutine read_character(f, text)
    character(*), intent(in) :: f, text
    character(5) :: c
    integer :: stat, k
    call fill(text)
    c = '#####'
    if (f == '*') then
      read (10, *, iostat=stat) c
    else
      read (10, f, iostat=stat) c
    end if
    call show('ch', f, text, stat, [(int(iachar(c(k:k)), 8), k=1, 5)])
  end subroutine
  subroutine read_list(text)
    character(*), intent(in) :: text
    integer :: n(5), stat
    call fill(text)
    n = -99
    read (10, *, iostat=stat) n
    call show('li', '*', text, stat, iand(int(n, 8), 4294967295_8))
  end subroutine
end program
