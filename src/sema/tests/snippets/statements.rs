//! Control constructs, input and output, allocation.

use crate::support::{dump, errors};
use expect_test::expect;

#[test]
fn constructs_are_numbered_for_exit_and_cycle() {
    expect![[r#"
        host program p
          integer(4) i [static]
          integer(4) j [static]
          integer(4) n [static]
          integer(4) k [local]
          real(4) r(integer(8)<n>) [local]
          integer(4) i [local]
          integer(4) j [local]
          integer(4) n [local]
          do #0 i = 1, 10, 2
            do #1 while (j < 3)
              if (i == 4)
                cycle #0
              if (j == 2)
                exit #1
            block #2 ()
              if (n > 3)
                if (j > 1)
                  exit #2
                n = 1
              else if (n == 2)
                n = 2
              else
                n = 3
            block #3 (k, r)
              k = i
              exit #3
          do #4
            exit #4
          do #5 concurrent i = 1, 3; j = 1, n; (i /= j)
            block #6 (n)
              n = (i + j)
          select #7 n
          case :-1, 5
            n = 0
          case 1:3
            n = 1
          case default
            stop "no"
          if logical(4)<mod(n, 2)>
            n = 4
          10: continue
          goto 10
          goto [10, 20], integer(8)<n>
          if (n - 3) [10, 20, 20]
          20: error stop 3
    "#]]
    .assert_eq(&dump(
        "program p
  implicit none
  integer :: i, j, n
  outer: do i = 1, 10, 2
    inner: do while (j < 3)
      if (i == 4) cycle outer
      if (j == 2) exit
    end do inner
    test: if (n > 3) then
      if (j > 1) exit test
      n = 1
    else if (n == 2) then
      n = 2
    else
      n = 3
    end if test
    blk: block
      integer :: k
      real :: r(n)
      k = i
      exit blk
    end block blk
  end do outer
  do
    exit
  end do
  do concurrent (i = 1:3, j = 1:n, i /= j) local(n)
    n = i + j
  end do
  select case (n)
  case (:-1, 5)
    n = 0
  case (1:3)
    n = 1
  case default
    stop 'no'
  end select
  if (mod(n, 2)) n = 4
10 continue
  goto 10
  goto (10, 20), n
  if (n - 3) 10, 20, 20
20 error stop 3
end program
",
    ));
}

#[test]
fn cases_that_meet_are_found_in_any_order() {
    expect![[r#"
        6:9 E0320 this case overlaps another one
        8:9 E0320 this case overlaps another one
        9:14 E0320 this case overlaps another one
        15:9 E0320 this case overlaps another one
    "#]]
    .assert_eq(&errors(
        "program p
  integer :: n
  n = 1
  select case (n)
  case (30:40, 10:20, 22)
  case (35)
  case (9:1, 21, 41:, 23:29, :0)
  case (-7)
  case (1:9, 15:25)
  end select
  select case ('ab')
  case ('b':'d')
  case ('a')
  case ('e':, 'ab')
  case ('c ')
  case ('ad')
  end select
end program
",
    ));
}

#[test]
fn control_mistakes_are_reported() {
    expect![[r#"
        7:7 E0308 a logical value is needed, not `real(4)`
        8:7 E0305 a condition must be a scalar, not `logical(4)` of rank 1
            use `any(…)` or `all(…)`
        9:17 E0607 a loop's step cannot be zero
        11:10 W0303 the loop from 10 to 1 never runs
        13:6 E0319 a loop variable must be an integer scalar, not `logical(4)`
        15:13 E0307 a loop bound must be an integer scalar, not `character(len=1)`
        17:3 E0216 `exit` outside of a loop
        18:3 E0216 `cycle` outside of a loop
        20:10 E0215 no enclosing construct is named `two`
        23:5 E0215 `two` is not a loop, so it cannot be cycled
        25:16 E0320 `select case` needs an integer, logical or character scalar, not `real(4)`
        31:9 E0320 this case overlaps another one
        32:9 E0320 a case is `character(len=1)`, and the selector is `integer(4)`
        34:3 E0320 there is a second `case default`
        38:9 E0320 this case overlaps another one
        40:3 E0113 no statement of this procedure has the label 99
        42:17 E0115 `exit` of a loop whose iterations run in parallel
        44:8 E0301 a stop code must be an integer or character value, not `real(4)`
        46:1 E0114 label 7 is given to two statements
    "#]]
    .assert_eq(&errors(
        "program p
  implicit none
  integer :: i, n
  real :: x, a(3)
  logical :: l
  character(4) :: c
  if (x) n = 1
  if (a > 0) n = 1
  do i = 1, 10, 0
  end do
  do i = 10, 1
  end do
  do l = 1, 3
  end do
  do i = 1, 'x'
  end do
  exit
  cycle
  one: do i = 1, 3
    exit two
  end do one
  two: if (l) then
    cycle two
  end if two
  select case (x)
  case (1.0)
  end select
  select case (n)
  case (1)
  case (3:5)
  case (4)
  case ('a')
  case default
  case default
  end select
  select case (c)
  case ('a')
  case ('a ')
  end select
  goto 99
  do concurrent (i = 1:3)
    if (i == 2) exit
  end do
  stop 1.5
7 n = 1
7 n = 2
end program
",
    ));
}

#[test]
fn masked_and_indexed_assignments_are_typed() {
    expect![[r#"
        host program p
          real(4) a(10) [static]
          real(4) b(10,10) [static]
          integer(4) i [static]
          integer(4) i [local]
          where (a > 0.0_4)
            a = sqrt(a)
          elsewhere (a < -1.0_4)
            a = 0.0_4
          elsewhere
            a = 1.0_4
          where (b /= 0.0_4)
            b = (1.0_4 / b)
          forall i = 1, 10; (a(integer(8)<i>) > 0.0_4)
            b(integer(8)<i>, integer(8)<i>) = a(integer(8)<i>)
    "#]]
    .assert_eq(&dump(
        "program p
  real :: a(10), b(10, 10)
  integer :: i
  where (a > 0)
    a = sqrt(a)
  elsewhere (a < -1)
    a = 0
  elsewhere
    a = 1
  end where
  where (b /= 0) b = 1/b
  forall (i = 1:10, a(i) > 0) b(i, i) = a(i)
end program
",
    ));
    expect![[r#"
        3:10 E0330 a mask must be a logical array, not `real(4)` of rank 1
        7:5 E0330 the mask has rank 1, and the assigned variable has rank 2
        8:5 E0330 the mask has rank 1, and the assigned variable has rank 0
        9:5 E0330 only assignments and `where` may stand here
        11:10 E0330 a mask must be a logical array, not `logical(4)`
        13:5 E0330 only assignments, `where` and `forall` may stand here
    "#]]
    .assert_eq(&errors(
        "program p
  real :: a(10), b(10, 10), x
  where (a)
    a = 0
  end where
  where (a > 0)
    b = 0
    x = 1
    print *, a
  end where
  where (x > 0) a = 1
  forall (i = 1:10)
    print *, i
  end forall
end program
",
    ));
}

#[test]
fn input_and_output_are_typed() {
    expect![[r#"
        host program p
          integer(4) n [static]
          integer(4) ios [static]
          integer(4) u [static]
          real(4) a(3) [static]
          real(4) x [static]
          character(20) line [static]
          character(20) lines(2) [static]
          logical(4) there [static]
          integer(4) i [static]
          print(*, *) "x", n, a
          print(*, "(a,i0)") line, n
          write(*, "(1x,'n\t',i4,/,3f8.3)") n, (a(integer(8)<i>), i = 1, 3)
          write(6, *) x
          write(internal line, "(i4)") n
          read(internal lines, *, iostat=ios, end=200) x
          open(-, -, newunit=u, file="f.txt", status="old", iostat=ios)
          read(integer(8)<u>, -, rec=integer(8)<n>) a
          write(integer(8)<u>, "(a)", advance="no") line
          inquire(-, -, file="f.txt", exist=there)
          rewind(integer(8)<u>, -)
          close(integer(8)<u>, -, status="delete")
          flush(6, -)
          200: continue
    "#]]
    .assert_eq(&dump(
        "program p
  integer :: n, ios, u
  real :: a(3), x
  character(20) :: line, lines(2)
  logical :: there
  print *, 'x', n, a
  print '(a,i0)', line, n
  write(*, 100) n, (a(i), i = 1, 3)
100 format(1x,'n\\t',i4,/,3f8.3)
  write(6, *) x
  write(line, '(i4)') n
  read(lines, *, iostat=ios, end=200) x
  open(newunit=u, file='f.txt', status='old', iostat=ios)
  read(u, rec=n) a
  write(unit=u, fmt='(a)', advance='no') line
  inquire(file='f.txt', exist=there)
  rewind u
  close(u, status='delete')
  flush(6)
200 continue
end program
",
    ));
    expect![[r#"
        8:12 E0113 no `format` statement has the label 100
        9:20 E0327 there is no specifier `iostatt=` here
            did you mean `iostat`?
        10:9 E0327 a unit must be an integer, not `real(4)`
        11:22 E0301 an integer variable is needed, not `real(4)`
        12:14 E0311 a variable is needed here, and this is an expression
        13:18 E0113 no statement of this procedure has the label 300
        14:12 E0326 `type(t)` has the allocatable or pointer component `a`
            write its components one by one
        15:12 E0327 a format must be a label or a character value, not `real(4)`
        16:3 E0327 the unit is missing
        17:12 E0327 a format is an integer, to which the procedure assigns no label of a `format`
        17:15 E0327 this specifier needs a keyword
    "#]]
    .assert_eq(&errors(
        "program p
  type t
    real, allocatable :: a(:)
  end type
  type(t) :: o
  integer :: n
  real :: x
  write(*, 100) n
  write(*, '(i4)', iostatt=n) n
  write(x, *) n
  write(*, *, iostat=x) n
  read(*, *) n + 1
  read(*, *, err=300) n
  print *, o
  write(*, x) n
  close(status='keep')
  write(n, n, n) n
end program
",
    ));
}

#[test]
fn allocation_is_typed_and_checked() {
    expect![[r#"
        type t bytes=48 align=8
          real(4) :: v(:) @0 allocatable device
        host program p
          type(t) list(:) [static] allocatable
          real(4) a(:) [static] allocatable
          real(4) moved(:) [static] allocatable
          real(4) b(:,:) [static] allocatable
          real(4) s [static] allocatable
          character(:) text [static] allocatable
          real(4) q(:) [static] pointer
          real(4) tgt(10) [static] target
          integer(4) n [static]
          integer(4) ierr [static]
          character(80) msg [static]
          allocate a(integer(8)<n>), b(0:integer(8)<n>, -1:1), s, stat=ierr, errmsg=msg
          allocate list(3)
          allocate list(2)%v(integer(8)<(n + 1)>)
          allocate a, source=tgt
          allocate b, mold=b
          allocate character(integer(8)<n>) :: text
          deallocate a, list(2)%v, stat=ierr
          q => tgt(2:5)
          q(0:) => tgt
          q(1:3) => tgt
          nullify q
          q => null()
          if (allocated(a) .and. .not.associated(q, tgt))
            n = size(a)
          call move_alloc(a, moved)
          text = "abc"
    "#]]
    .assert_eq(&dump(
        "program p
  type t
    real, device, allocatable :: v(:)
  end type
  type(t), allocatable :: list(:)
  real, allocatable :: a(:), moved(:), b(:, :), s
  character(:), allocatable :: text
  real, pointer :: q(:)
  real, target :: tgt(10)
  integer :: n, ierr
  character(80) :: msg
  allocate(a(n), b(0:n, -1:1), s, stat=ierr, errmsg=msg)
  allocate(list(3))
  allocate(list(2)%v(n + 1))
  allocate(a, source=tgt)
  allocate(b, mold=b)
  allocate(character(n) :: text)
  deallocate(a, list(2)%v, stat=ierr)
  q => tgt(2:5)
  q(0:) => tgt
  q(1:3) => tgt
  nullify(q)
  q => null()
  if (allocated(a) .and. .not. associated(q, tgt)) n = size(a)
  call move_alloc(a, moved)
  text = 'abc'
end program
",
    ));
    expect![[r#"
        8:12 E0312 only allocatable variables and pointers can be allocated
            declare it with `allocatable`
        9:12 E0324 the array is allocated without bounds
            write its extents in parentheses
        10:12 E0309 2 bounds for an array of rank 1
        11:14 E0324 an allocated dimension needs an upper bound
        12:14 E0307 an extent must be an integer, not `real(4)`
        13:23 E0301 allocated as `integer(4)`, and the object is `real(4)`
        14:25 E0301 `source=` is `real(4)` of rank 2, and the object is `real(4)` of rank 1
        15:23 E0301 an integer variable is needed, not `real(4)`
        16:14 E0312 only allocatable variables and pointers can be deallocated
        17:14 W0312 an array is deallocated as a whole: the subscripts have no effect
        18:11 E0312 only pointers can be nullified
        19:8 E0313 the right side of `=>` is neither a target nor a pointer
            declare the variable with `target`
        20:3 E0313 pointer is `real(4)`, and its target is `integer(4)`
        21:3 E0313 pointer has rank 1, and its target has rank 2
        22:3 E0313 the left side of `=>` is not a pointer
            declare it with `pointer`, or assign with `=`
        23:3 E0313 2 bounds for a pointer of rank 1
        24:7 E0301 `null()` is assigned with `=`
            pointers are assigned with `=>`
    "#]]
    .assert_eq(&errors(
        "program p
  real, allocatable :: a(:)
  real :: f(3), x
  integer :: n
  real, pointer :: q(:)
  real, target :: t(3), t2(3, 3)
  integer, target :: it(3)
  allocate(f(3))
  allocate(a)
  allocate(a(3, 3))
  allocate(a(n:))
  allocate(a(1.5))
  allocate(integer :: a(3))
  allocate(a(3), source=t2)
  allocate(a(3), stat=x)
  deallocate(f)
  deallocate(a(1))
  nullify(a)
  q => f
  q => it
  q => t2
  f => t
  q(1:2, 1:2) => t
  q = null()
end program
",
    ));
}

#[test]
fn assignments_are_checked() {
    expect![[r#"
        5:7 W0333 a character constant gives the bytes of `integer(4)`
        6:3 E0301 `integer(4)` cannot be assigned to `character(len=3)`
        7:3 E0303 an array of rank 1 cannot be assigned to a scalar
        8:3 E0303 an array of rank 2 cannot be assigned to one of rank 1
        9:3 E0304 shapes differ: dimension 1 has extent 3 on the left and 4 on the right
        13:7 W0302 the constant loses its fraction in `integer(4)`
            write `int(…)` or `nint(…)` if that is meant
        15:5 W0301 subscript 5 is outside 1:3 of dimension 1
        16:3 E0309 2 subscripts on an array of rank 1
        17:3 E0310 subscripts on `integer(4)`, which is not an array
        18:3 E0309 1 subscript on an array of rank 2
        19:5 W0307 a subscript is `real(4)`, and its whole part is taken
            write `int(…)`
        20:3 E0323 substring 2:9 of a value of length 3
        21:5 E0332 a vector subscript has rank 1, not 2
    "#]]
    .assert_eq(&errors(
        "program p
  integer :: i, a(3), b(4), c(2, 2)
  character(3) :: s
  logical :: l
  i = 'x'
  s = 3
  i = a
  a = c
  a = b
  a(1:2) = b(1:2)
  l = 1
  i = l
  i = 3.7
  i = 3.0
  a(5) = 1
  a(1, 1) = 1
  i(1) = 3
  c(1) = 2
  a(1.5) = 3
  s(2:9) = 'x'
  a(c) = 1
  a([1, 2]) = 3
end program
",
    ));
}
