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
