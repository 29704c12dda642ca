//! What this version refuses becomes a trap where it stands.

use crate::{function, module};
use ir::{Term, Trap};

fn traps(f: &ir::Function) -> usize {
    f.blocks.iter().filter(|b| b.term == Term::Trap(Trap::Unsupported)).count()
}

#[test]
fn refused_statement_traps_and_the_rest_stays() {
    let module = module(
        "
program p
  integer :: i
  i = 1
  if (i > 1) then
    call tokenize('a b', ' ', i)
  end if
  print *, i
end program
",
    );
    let main = function(&module, "p");
    assert_eq!(traps(main), 1);
    assert!(main.blocks.iter().any(|b| matches!(b.term, Term::Return(_))));
}

#[test]
fn function_of_the_mathematics_module_traps_where_the_module_is_missing() {
    let module = module("program p\nreal :: x\nread *, x\nprint *, sin(x)\nend program\n");
    assert_eq!(traps(function(&module, "p")), 1);
}

#[test]
fn objects_that_own_something_trap_where_their_bytes_would_be_copied() {
    let statement = |text: &str| {
        format!(
            "
module m
  type :: owner(n)
    integer, len :: n
    integer, device, allocatable :: a(:)
  end type
contains
  attributes(device) elemental function like(x) result(r)
    type(owner(*)), intent(in) :: x
    type(owner(x%n)) :: r
  end function
  attributes(device) function some(x) result(r)
    type(owner(*)), intent(in) :: x
    type(owner(x%n)), allocatable :: r
  end function
  attributes(global) subroutine k(a, b, v, m)
    type(owner(*)) :: a(:), b(:)
    integer :: v(:), i
    logical :: m(:)
    {text}
  end subroutine
end module
"
        )
    };
    let count = |text: &str| traps(function(&module(&statement(text)), "m.k"));
    for text in ["a = b", "a(1) = like(b(1))", "a = [like(b(1)), b(2)]", "a = cshift(b, 1)", "a(v) = a(1:2)"] {
        assert_eq!(count(text), 0, "{text}");
    }
    let refused = [
        "where (m) a = b",
        "forall (i = 1:2) a(v(i)) = a(i)",
        "a = like(b)",
        "a = [(like(b(i)), i = 1, 2)]",
        "a(1) = some(b(1))",
    ];
    for text in refused {
        assert!(count(text) > 0, "{text}");
    }
}
