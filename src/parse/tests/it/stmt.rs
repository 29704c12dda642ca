//! Executable statements.

use crate::statements;
use expect_test::expect;

#[test]
fn loops_of_all_kinds_are_known() {
    expect![[r#"
        do i 1 10 2
          if
            when (> i 3)
              exit _
        do
          cycle _
        do while (< x 3)
          assign x (+ x 1)
        do i 1 3 _
        do outer: j n 1 (- 1)
          do inner:
            exit outer
            cycle inner
        do concurrent (i 1 n _) (j 1 m 2) mask=(> (apply a i) 0) local=(x y z) (reduce + s)
          assign (apply b i) 1
        do concurrent type=(integer 8) (k 1 3 _) mask=_ local=()
        do (% x i) 1 3 _
    "#]]
    .assert_eq(&statements(
        "do i = 1, 10, 2
  if (i > 3) exit
end do
do
  cycle
end do
do while (x < 3)
  x = x + 1
enddo
do, i = 1, 3
end do
outer: do j = n, 1, -1
  inner: do
    exit outer
    cycle inner
  end do inner
end do outer
do concurrent (i = 1:n, j = 1:m:2, a(i) > 0) local(x, y) local_init(z) shared(w) default(none) reduce(+:s)
  b(i) = 1
end do
do concurrent (integer(8) :: k = 1:3)
end do
do x%i = 1, 3
end do
",
    ));
}

#[test]
fn labelled_loops_share_their_last_statement() {
    expect![[r#"
        do i 1 3 _
          do j 1 3 _
            if
              when (== i j)
                goto 10
            assign (apply a i j) 0
            10: continue
        do k 1 2 _
          assign (apply b k) 1
          20: assign (apply c k) 2
        do i 1 2 _
          do j 1 2 _
            40: continue
          30: continue
        do while (> x 0)
          50: assign x (- x 1)
        100: assign end_of 1
    "#]]
    .assert_eq(&statements(
        "do 10 i = 1, 3
do 10 j = 1, 3
  if (i == j) goto 10
  a(i, j) = 0
10 continue
do 20, k = 1, 2
  b(k) = 1
20 c(k) = 2
do 30 i = 1, 2
  do 40 j = 1, 2
40 continue
30 end do
do 50 while (x > 0)
50 x = x - 1
100 end_of = 1
",
    ));
}

#[test]
fn branches_of_all_kinds_are_known() {
    expect![[r#"
        if
          when a
            assign b 1
        if
          when (.and. a b)
            call s (1)
        if
          when a
            assign if_x 3
        if check:
          when a
            assign b 1
          when c
            assign b 2
          when d
          else
            assign b 3
        arithmetic-if (- x 1) 10 20 30
        select n
          case 1
            assign a 1
          case 2 (: 4 6) (: _ 0) (: 9 _)
            assign a 2
          case (: 'a' 'z')
          default
            assign a 3
        select pick: (apply f n)
          case .true.
        10: goto 20
        20: goto (10 20 30) n
        30: goto (10 20) (+ n 1)
    "#]]
    .assert_eq(&statements(
        "if (a) b = 1
if (a .and. b) call s(1)
if (a) if_x = 3
check: if (a) then
  b = 1
else if (c) then check
  b = 2
elseif (d) then
else check
  b = 3
end if check
if (x - 1) 10, 20, 30
select case (n)
case (1)
  a = 1
case (2, 4:6, :0, 9:) 
  a = 2
case ('a':'z')
case default
  a = 3
end select
pick: select case (f(n))
  case (.true.) pick
end select pick
10 goto 20
20 go to (10, 20, 30), n
30 goto(10,20) n+1
",
    ));
}

#[test]
fn constructs_with_scopes_are_known() {
    expect![[r#"
        block
          use m
          declare integer
            entity i
          assign i 1
        block b:
          exit b
        associate a=>(apply (% x y) 1) b=>(+ c d)
          assign a b
        select-type p (% q r)
          type-is integer
            assign i p
          type-is (real 2)
            assign i 2
          type-is (type ray)
            assign i 3
          class-is (type base)
            assign i 4
          default
            assign i 5
        select-type _ q
          type-is (character *)
    "#]]
    .assert_eq(&statements(
        "block
  use m
  integer :: i
  i = 1
end block
b: block
  exit b
end block b
associate (a => x%y(1), b => c + d)
  a = b
end associate
select type (p => q%r)
type is (integer)
  i = p
type is (real(2))
  i = 2
type is (ray)
  i = 3
class is (base)
  i = 4
class default
  i = 5
end select
select type (q)
type is (character(len=*))
end select
",
    ));
}

#[test]
fn masked_assignments_are_statements_and_constructs() {
    expect![[r#"
        where
          when (> a 0)
            assign b 1
        where
          when (> a 0)
            assign b 1
            where
              when c
                assign d 2
          when (< a 0)
            assign b (- 1)
          else
            assign b 0
        where
          when m
            assign x 1
          else
            assign x 2
        forall (i 1 n _) mask=_
          assign (apply a i) i
        forall (i 1 n _) (j 1 n 2) mask=(/= i j)
          assign (apply a i j) 0
          forall (k 1 3 _) mask=_
            assign (apply b k) 1
    "#]]
    .assert_eq(&statements(
        "where (a > 0) b = 1
where (a > 0)
  b = 1
  where (c) d = 2
elsewhere (a < 0)
  b = -1
else where
  b = 0
end where
w: where (m)
  x = 1
elsewhere w
  x = 2
end where w
forall (i = 1:n) a(i) = i
forall (i = 1:n, j = 1:n:2, i /= j)
  a(i, j) = 0
  forall (k = 1:3) b(k) = 1
end forall
",
    ));
}

#[test]
fn memory_and_control_statements_are_known() {
    expect![[r#"
        allocate (apply a 10) (apply b (: 0 n _) (: (- 1) 1 _)) (apply (% c d) 3) stat=ierr errmsg=msg
        allocate x source=y
        allocate x mold=y
        allocate (apply p n) stat=i pinned=flag stream=s
        allocate type=(character (+ n 1)) text
        allocate type=(type ray) object
        allocate type=(real 8) (apply z 3)
        deallocate a b stat=ierr
        nullify p (% q next)
        point p (apply x (: 1 n _))
        point (% q next) (apply null)
        point (apply m (: 1 2 _) (: 1 3 _)) v
        call s ()
        call s ()
        call (% obj method) (a key=1)
        call s (a *10 *20)
        call (% (apply (% a b) i) c) ()
        return _
        return 1
        stop _
        stop 1
        stop 'done'
        error-stop _
        error-stop 2
        pause _
        continue
        10: continue
        20: continue
    "#]]
    .assert_eq(&statements(
        "allocate (a(10), b(0:n, -1:1), c%d(3), stat=ierr, errmsg=msg)
allocate (x, source=y)
allocate (x, mold=y)
allocate (p(n), stat=i, pinned=flag, stream=s)
allocate (character(len=n+1) :: text)
allocate (ray :: object)
allocate (real(8) :: z(3))
deallocate (a, b, stat=ierr)
nullify (p, q%next)
p => x(1:n)
q%next => null()
m(1:2, 1:3) => v
call s
call s()
call obj%method(a, key=1)
call s(a, *10, *20)
call a%b(i)%c
return
return 1
stop
stop 1
stop 'done'
error stop
error stop 2
pause
continue
10 continue
20 continue
",
    ));
}

#[test]
fn input_and_output_statements_are_known() {
    expect![[r#"
        print (fmt=*)
        print (fmt=*) a (apply b (: 1 3 _)) 'text' (do i 1 n _ (apply c i)) (do j 1 3 2 (do i 1 2 _ (apply d i j)))
        print (fmt='(a, i0)') x
        print (fmt=100) y
        print (fmt=fmt) (paren z) (complex 1.0 2.0)
        write (* *) a b
        write (* *) a
        write (6 100) x
        write (unit=10 fmt='(f10.3)' advance='no' iostat=ios err=900) y
        write (line *) z
        read (fmt=*) n
        read (* *) m
        read (5 '(i)' end=10) k
        read (fmt=200) k
        read (fmt=*)
        open (unit=7 file='x' status='old' access='direct' recl=(* 4 n))
        open (newunit=u file=(// (apply trim name) '.dat'))
        close (7)
        inquire (file='x' exist=there)
        inquire (iolength=l) a b
        rewind (7)
        rewind (7)
        backspace (unit=7)
        endfile (7)
        endfile (7)
        flush (6)
        flush (6)
        format 100 (1x,'it''s',3(i5,:,','),/,e12.4)
        format 10 (a)
        format 200 (i5)
        900: continue
        data (late) (1)
    "#]]
    .assert_eq(&statements(
        "print *
print *, a, b(1:3), 'text', (c(i), i = 1, n), ((d(i,j), i = 1, 2), j = 1, 3, 2)
print '(a, i0)', x
print 100, y
print fmt, (z), (1.0, 2.0)
write (*, *) a, b
write(*,*), a
write (6, 100) x
write (unit=10, fmt='(f10.3)', advance='no', iostat=ios, err=900) y
write (line, *) z
read *, n
read (*, *) m
read (5, '(i)', end=10) k
read 200, k
read *
open (unit=7, file='x', status=\"old\", access='direct', recl=4*n)
open (newunit=u, file=trim(name)//'.dat')
close (7)
inquire (file='x', exist=there)
inquire (iolength=l) a, b
rewind 7
rewind (7)
backspace (unit=7)
endfile 7
end file (7)
flush 6
flush (6)
100 format (1x, 'it''s', 3(i5, :, ','), /, e12.4)
10 format(a)
200 format(i5)
900 continue
data late / 1 /
",
    ));
}
