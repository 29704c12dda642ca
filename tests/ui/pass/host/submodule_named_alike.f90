! A submodule may have the name of a module, or of a submodule of another one (Fortran 2018, 14.2.3).
module first
  implicit none
  interface
    module subroutine p()
    end subroutine
    module subroutine q()
    end subroutine
  end interface
end module

submodule (first) helper
  implicit none
  integer :: i = -2
contains
  module procedure p
    call own()
  end procedure
  subroutine own()
    print '(a,i3)', 'helper of first', i
  end subroutine
end submodule

submodule (first:helper) deep
contains
  module procedure q
    i = i - 1
    call own()
  end procedure
end submodule

module second
  implicit none
  interface
    module subroutine r()
    end subroutine
  end interface
end module

submodule (second) helper
contains
  module procedure r
    print '(a)', 'helper of second'
  end procedure
end submodule

module helper
  use first
  use second
  implicit none
  integer :: i = 2
contains
  subroutine own()
    print '(a,i3)', 'module helper', i
  end subroutine
end module

program submodule_named_alike
  use helper
  implicit none
  call p()
  call q()
  call r()
  call own()
end program
