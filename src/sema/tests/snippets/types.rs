//! Derived types.

use crate::support::{dump, errors};
use expect_test::expect;

#[test]
fn components_are_laid_out_with_their_alignment() {
    expect![[r#"
        module m
          type(inner) variable [static]
          type(inner) constant [parameter] = {1, 2.0_8}
        type inner bytes=16 align=8
          integer(1) :: tag @0 = 7
          real(8) :: x @8 = 0.5_8
        type outer bytes=144 align=8
          character(3) :: name @0
          type(inner) :: list(2) @8
          real(4) :: data(:,:) @40 allocatable device
          type(outer) :: next @112 pointer = null
          logical(2) :: flag @136
        type child bytes=24 align=8
          integer(1) :: tag @0 = 7
          real(8) :: x @8 = 0.5_8
          integer(4) :: more(2) @16 = [1, 2]
        host subroutine m.s(o)
          type(outer) o [dummy 0]
          type(child) c [local]
          o%list(1)%x = (constant%x + c%x)
          o%list%tag = 1
          o%data(1, 2) = 3.0_4
          o%next%flag = true
          variable = inner(7, 4.0_8)
    "#]]
    .assert_eq(&dump(
        "module m
  type inner
    integer(1) :: tag = 7
    real(8) :: x = 0.5
  end type
  type outer
    character(len=3) :: name
    type(inner) :: list(2)
    real, device, allocatable :: data(:, :)
    type(outer), pointer :: next => null()
    logical(2) :: flag
  end type
  type, extends(inner) :: child
    integer :: more(2) = [1, 2]
  end type
  type(inner) :: variable
  type(inner), parameter :: constant = inner(1, 2.0)
contains
  subroutine s(o)
    type(outer) :: o
    type(child) :: c
    o%list(1)%x = constant%x + c%x
    o%list%tag = 1
    o%data(1, 2) = 3
    o%next%flag = .true.
    variable = inner(x=4.0)
  end subroutine
end module
",
    ));
}

#[test]
fn components_and_constructors_are_checked() {
    expect![[r#"
        5:16 E0220 component `own` makes its type contain itself
            make it a pointer or allocatable
        6:16 E0205 component `count` is declared twice
        7:21 E0306 this is not a constant expression
            the value must be known at compile time: use literals and named constants
        17:10 E0203 there is no derived type `t2` here
        18:11 E0204 `type(u)` has no component `cuont`
            did you mean `count`?
        19:9 E0314 `integer(4)` has no components
        20:9 E0315 component `values` of `type(u)` has no value
        21:19 E0315 `type(u)` has 2 components, and more values are given
        22:11 E0204 `type(u)` has no component `cont`
            did you mean `count`?
        23:20 E0315 component `count` is given twice
        24:11 E0301 component `count` is `integer(4)`, and `character(len=1)` is given
        25:23 E0315 a value by position stands after one by keyword
        26:14 E0304 component `values` has extent 3 in dimension 1, and 2 is given
        27:11 E0303 component `count` has rank 0, and a value of rank 1 is given
        28:5 E0303 component `values` is an array, and so is what it is taken of
            take it of one element
        29:5 E0301 `integer(4)` cannot be assigned to `type(u)`
    "#]]
    .assert_eq(&errors(
        "module m
  type t
    integer :: count
    real :: values(3)
    type(t) :: own
    integer :: count
    real :: dynamic(n)
  end type
  type u
    integer :: count
    real :: values(3)
  end type
  type(u) :: a, b(2)
contains
  subroutine s(i)
    integer :: i
    type(t2) :: z
    i = a%cuont
    i = i%x
    a = u(1)
    a = u(1, 2.0, 3, 4, 5)
    a = u(cont=1)
    a = u(count=1, count=2)
    a = u('x', 2.0)
    a = u(values=1.0, 3)
    a = u(1, [1.0, 2.0])
    a = u([1, 2], 3.0)
    b%values = 0
    a = 3
  end subroutine
end module
",
    ));
}

#[test]
fn dim3_exists_without_a_module_and_fills_missing_extents() {
    expect![[r#"
        host program p
          type(dim3) g [static]
          g = dim3(4, 2, 1)
          g%y = 3
    "#]]
    .assert_eq(&dump(
        "program p
  type(dim3) :: g
  g = dim3(4, 2)
  g%y = 3
end program
",
    ));
}

#[test]
fn bound_procedures_are_called_with_their_object() {
    expect![[r#"
        module m
        type t bytes=4 align=4
          real(4) :: x @0
        host program p
          type(t) o [static]
          real(4) r [static]
          o = m.make_t(1.0_4)
          call m.set_integer(o, 3)
          call m.set_real(o, 2.5_4)
          r = m.get(o)
          o = m.plus(1.0_4, o)
        host function m.get(this) result(get)
          type(t) this [dummy 0] intent(in)
          real(4) get [result]
          get = this%x
        host function m.make_t(x) result(make_t)
          real(4) x [dummy 0] intent(in)
          type(t) make_t [result]
          make_t%x = x
        host subroutine m.set_real(this, x)
          type(t) this [dummy 0] intent(inout)
          real(4) x [dummy 1] intent(in)
          this%x = x
        host subroutine m.set_integer(this, n)
          type(t) this [dummy 0] intent(inout)
          integer(4) n [dummy 1] intent(in)
          this%x = real(4)<n>
        host function m.plus(a, b) result(plus)
          real(4) a [dummy 0] intent(in)
          type(t) b [dummy 1] intent(in)
          type(t) plus [result]
          plus%x = (a + b%x)
    "#]]
    .assert_eq(&dump(
        "module m
  type t
    real :: x
  contains
    procedure :: get
    procedure, nopass :: make => make_t
    procedure :: set_real, set_integer
    generic :: set => set_real, set_integer
    procedure, pass(b) :: plus
    generic :: operator(+) => plus
  end type
contains
  real function get(this)
    class(t), intent(in) :: this
    get = this%x
  end function
  type(t) function make_t(x)
    real, intent(in) :: x
    make_t%x = x
  end function
  subroutine set_real(this, x)
    class(t), intent(inout) :: this
    real, intent(in) :: x
    this%x = x
  end subroutine
  subroutine set_integer(this, n)
    class(t), intent(inout) :: this
    integer, intent(in) :: n
    this%x = n
  end subroutine
  type(t) function plus(a, b)
    real, intent(in) :: a
    class(t), intent(in) :: b
    plus%x = a + b%x
  end function
end module
program p
  use m
  type(t) :: o
  real :: r
  o = o%make(1.0)
  call o%set(3)
  call o%set(2.5)
  r = o%get()
  o = 1.0 + o
end program
",
    ));
    expect![[r#"
        6:18 E0418 there is no procedure `gone` for the type-bound name `gone`
            define it behind `contains` of the module, or write `=>` and the name of another one
        20:3 W0901 a call through component `x` is not supported
        21:9 E0418 `gone` is bound to nothing that can be called
        22:13 E0401 `get_t` takes one argument, and 3 are given
    "#]]
    .assert_eq(&errors(
        "module m
  type t
    real :: x
  contains
    procedure :: get => get_t
    procedure :: gone
  end type
contains
  real function get_t(this)
    class(t), intent(in) :: this
    get_t = this%x
  end function
end module
program p
  use m
  type(t) :: o
  real :: r
  r = o%get
  call o%get()
  call o%x(1)
  r = o%gone()
  r = o%get(1, 2)
end program
",
    ));
}

#[test]
fn an_object_is_polymorphic_where_a_type_is_extended() {
    expect![[r#"
        module m
        type base bytes=4 align=4
          integer(4) :: n @0
        type child bytes=8 align=4
          integer(4) :: n @0
          integer(4) :: m @4
        host subroutine m.s(x)
          type(base) x [dummy 0]
          x%n = 1
        host subroutine m.u()
          type(child) c [local]
          call m.s(c)
    "#]]
    .assert_eq(&dump(
        "module m
  type base
    integer :: n
  end type
  type, extends(base) :: child
    integer :: m
  end type
contains
  subroutine s(x)
    class(base) :: x
    x%n = 1
  end subroutine
  subroutine u()
    type(child) :: c
    call s(c)
  end subroutine
end module
",
    ));
}
