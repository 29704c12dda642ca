! Records what a Fortran compiler's formatted output makes of a product of formats and values, one line a case:
!
!     type|format|value in hexadecimal|output, records joined by `^`|
!
! Made with gfortran 12.2:  gfortran -O0 -ffree-line-length-none -fno-range-check record_formatted.f90 -o record && ./record > formatted.txt
! What the tests compare with; see formatted.rs for the cases in which nvfortran is known to differ.
program record_formatted
  implicit none
  character(24), parameter :: fixed(*) = [character(24) :: '(f8.3)', '(f8.0)', '(f12.5)', '(f1.0)', '(f2.0)', '(f3.1)', &
    '(f5.2)', '(f20.10)', '(f40.30)', '(sp,f9.2)', '(2p,f10.3)', '(-2p,f10.3)', '(5p,f14.1)', '(dc,f9.3)', '(f6.5)', &
    '(f7.7)', '(ru,f8.2)', '(rd,f8.2)', '(rz,f8.2)', '(rn,f8.2)', '(rc,f8.2)', '(ru,f8.0)', '(rd,f8.0)', '(rc,f8.0)', &
    '(f30.0)', '(f60.25)']
  character(24), parameter :: expo(*) = [character(24) :: '(e12.4)', '(e13.7)', '(e8.1)', '(e9.3)', '(e10.3e1)', &
    '(e12.3e3)', '(e14.5e4)', '(d12.4)', '(d10.3)', '(1p,e12.4)', '(2p,e14.5)', '(-1p,e12.4)', '(-2p,e14.6)', '(es12.4)', &
    '(es9.2)', '(es14.3e3)', '(es23.16)', '(en12.3)', '(en10.1)', '(en16.4e3)', '(sp,e12.4)', '(sp,es12.4)', '(dc,e12.4)', &
    '(e30.20)', '(es40.30)', '(ru,e10.3)', '(rd,e10.3)', '(rz,e10.3)', '(rc,e10.3)', '(ru,es10.2)', '(rd,en12.2)', '(e6.0)', &
    '(es6.0)', '(3p,e15.4)', '(5p,e15.4)', '(e60.50)']
  character(24), parameter :: general(*) = [character(24) :: '(g12.4)', '(g10.3)', '(g20.10)', '(g15.7)', '(g25.16)', &
    '(g12.4e3)', '(g14.5e4)', '(1p,g12.4)', '(2p,g14.5)', '(sp,g12.4)', '(g9.1)', '(g11.2)', '(dc,g12.4)', '(ru,g12.4)', &
    '(rd,g12.4)', '(1p,g15.7e2)', '(g6.3)', '(g8.3)']
  real(8) :: r8(64)
  real(4) :: r4(36)
  integer(8) :: i8(22)
  integer(4) :: i4(16)
  integer(2) :: i2(6)
  integer(1) :: i1(6)
  character(24), parameter :: whole(*) = [character(24) :: '(i5)', '(i0)', '(i12)', '(i8.3)', '(i8.0)', '(i0.4)', '(i2)', &
    '(i1)', '(sp,i6)', '(sp,i0)', '(i20)', '(i24.20)', '(z8)', '(z0)', '(z16)', '(z20.16)', '(z4.2)', '(o12)', '(o0)', &
    '(o24)', '(o12.4)', '(b32)', '(b0)', '(b64)', '(b70.66)', '(b8.3)', '(z3)', '(b4)', '(g8.0)', '(g12.3)', '(ss,i6)', &
    '(z8.0)', '(i4.4)']
  character(24), parameter :: chars(*) = [character(24) :: '(a)', '(a1)', '(a3)', '(a10)', '(g0)', '(g6.2)', '(5x,a)', &
    '(a,5x)', '(t5,a)', '(a,t3,"*")', '(a,tl2,"#")', '(a,tr3,"+")', '("it''s",a)', '(a,/,a)', '(1x,a,:,",",a)', &
    '(3(a,";"))', '(2/,a)', '(a,tl50,"<")', '(t20,a,t1,a)', '(5htitle,a)']
  character(5), parameter :: words(4) = ['alpha', 'beta ', '     ', 'x y z']
  integer :: i, j

  r8 = [0d0, 1d0, 0.1d0, 0.5d0, 0.25d0, 0.125d0, 1.5d0, 2.5d0, 0.05d0, 0.005d0, 0.995d0, 9.995d0, 99.95d0, 0.09999d0, 0.099996d0, &
    3.14159265358979d0, 2.718281828459045d0, 1d1, 1d2, 999.5d0, 9999.5d0, 12345.6789d0, 99999.5d0, 123456789d0, 1d10, &
    1.23d15, 9007199254740993d0, 1d16, 1d20, 1.7976931348623157d308, 2.2250738585072014d-308, 4.9406564584124654d-324, 1d-5, &
    1d-10, 1.5d-99, 1.5d-100, 9.99d99, 9.9999d99, 1d100, 123d250, 6.02214076d23, 1d22, 1d23, 8.5d0, 0.375d0, 1234.5d0, &
    12.5d0, 0.0005d0, 0.00049999d0, 1000d0, 999.9996d0, 0.000123456d0, 4503599627370496.5d0, 1048576.25d0, 65536.0625d0, &
    0.3d0, 0.7d0, 2d0/3d0, 1d0/3d0, 7.0d-3, 33554432.5d0, 1.05d0, 1.15d0, 6.25d-2]
  r4 = [0.0, 1.0, 0.1, 0.5, 3.1415927, 2.7182817, 1e10, 1.5e-10, 3.4028235e38, 1.1754944e-38, 1.4e-45, 16777216.0, 0.3, 123.456, &
    9999999.0, 0.099999994, 99.99999, 1e-3, 2.5, 0.125, 1e6, 1e7, 1e8, 12345678.0, 0.33333334, 1e20, 7.0, 0.7, 100.5, &
    65504.0, 6.1e-5, 1e-20, 0.01, 0.015625, 5.5e5, 8388608.5]
  i8 = [0_8, 1_8, -1_8, 7_8, -7_8, 10_8, 99_8, 100_8, -100_8, 12345_8, -12345_8, 99999_8, 2147483647_8, -2147483648_8, &
    4294967296_8, 9223372036854775807_8, -9223372036854775807_8-1, 255_8, 256_8, 4096_8, -255_8, 1000000000000_8]
  i4 = [0, 1, -1, 9, 10, -10, 255, -256, 1000, 99999, 100000, 2147483647, -2147483647-1, 8, 64, 305419896]
  i2 = [0_2, 1_2, -1_2, 32767_2, -32767_2-1_2, 1000_2]
  i1 = [0_1, 1_1, -1_1, 127_1, -127_1-1_1, 64_1]

  open (10, status='scratch', form='formatted')
  do i = 1, size(fixed) + size(expo) + size(general)
    do j = 1, size(r8)
      call one8(format_of(i), r8(j))
      if (mod(i + j, 3) == 0) call one8(format_of(i), -r8(j))
    end do
    do j = 1, size(r4)
      if (mod(i + j, 2) == 0) call one4(format_of(i), merge(r4(j), -r4(j), mod(i, 3) /= 0))
    end do
  end do
  do i = 1, size(whole)
    do j = 1, size(i8)
      write (10, whole(i)) i8(j)
      call dump('i8', whole(i), i8(j))
    end do
    do j = 1, size(i4)
      write (10, whole(i)) i4(j)
      call dump('i4', whole(i), int(i4(j), 8))
    end do
    do j = 1, size(i2)
      write (10, whole(i)) i2(j)
      call dump('i2', whole(i), int(i2(j), 8))
    end do
    do j = 1, size(i1)
      write (10, whole(i)) i1(j)
      call dump('i1', whole(i), int(i1(j), 8))
    end do
  end do
  do i = 1, 4
    write (10, '(l'//achar(48 + i)//')') .true.
    call dump('l4', '(l'//achar(48 + i)//')', 1_8)
    write (10, '(l'//achar(48 + i)//')') .false.
    call dump('l4', '(l'//achar(48 + i)//')', 0_8)
    write (10, '(g'//achar(48 + i)//'.1)') .true.
    call dump('l4', '(g'//achar(48 + i)//'.1)', 1_8)
  end do
  do i = 1, size(chars)
    do j = 1, 4
      write (10, chars(i)) words(:j)
      call dump('c5', chars(i), int(j, 8))
    end do
  end do
  ! Lists of the integers 1, 2 ... n: reversion, repeats, colons, slashes.
  do i = 0, 8
    call list('(3i4)', i)
    call list('(i2,2(i3,","))', i)
    call list('(i2,(i3,":"),i4)', i)
    call list('("[",i2,2(i3,(i4)),"]")', i)
    call list('(*(i3,:,","))', i)
    call list('(i2,*(" ",i0))', i)
    call list('(2(i2,/,i3))', i)
    call list('("a",i2,:,"b",i3,"c")', i)
    call list('(i2,"x",2("y",i2,"z"))', i)
    call list('(2(2(i2,","),";"))', i)
    call list('(i3,t10,i3,t2,"#")', i)
    call list('(/,i3,/)', i)
    call list('(sp,2i4,s,i4)', i)
    call list('(i3,3x,i3,3x)', i)
    call list('(2x,3(i2.2,tl1),i1)', i)
    call list('(i2,1x,2hab,i2)', i)
  end do
contains
  function format_of(i) result(f)
    integer, intent(in) :: i
    character(24) :: f
    if (i <= size(fixed)) then
      f = fixed(i)
    else if (i <= size(fixed) + size(expo)) then
      f = expo(i - size(fixed))
    else
      f = general(i - size(fixed) - size(expo))
    end if
  end function
  subroutine one8(f, x)
    character(*), intent(in) :: f
    real(8), intent(in) :: x
    integer :: stat
    write (10, f, iostat=stat) x
    if (stat == 0) then
      call dump('r8', f, transfer(x, 0_8))
    else
      rewind 10
      endfile 10
      rewind 10
    end if
  end subroutine
  subroutine one4(f, x)
    character(*), intent(in) :: f
    real(4), intent(in) :: x
    integer :: stat
    write (10, f, iostat=stat) x
    if (stat == 0) then
      call dump('r4', f, iand(int(transfer(x, 0), 8), 4294967295_8))
    else
      rewind 10
      endfile 10
      rewind 10
    end if
  end subroutine
  subroutine list(f, n)
    character(*), intent(in) :: f
    integer, intent(in) :: n
    integer :: k
    write (10, f) [(k, k=1, n)]
    call dump('li', f, int(n, 8))
  end subroutine
  subroutine dump(type, f, bits)
    character(*), intent(in) :: type, f
    integer(8), intent(in) :: bits
    character(400) :: line
    character(1) :: before
    integer :: n, stat
    write (*, '(a,"|",a,"|",z0,"|")', advance='no') type, trim(f), bits
    rewind 10
    before = ''
    do
      line = ''
      read (10, '(a)', advance='no', size=n, iostat=stat) line
      if (is_iostat_end(stat)) exit
      write (*, '(a,a)', advance='no') trim(before), line(:n)
      before = '^'
    end do
    write (*, '("|")')
    rewind 10
    endfile 10
    rewind 10
  end subroutine
end program
