! A procedure of the program is called by its binding label, through an interface body with another name or of another scope (Fortran 2018,
! 18.10.2): one of a module, and an external one.
module m
  use iso_c_binding
contains
  integer(c_int) function seven() bind(c)
    seven = 7
  end function
  integer(c_int) function eight() bind(c, name='acht')
    eight = 8
  end function
  subroutine from_module()
    interface
      integer(c_int) function other() bind(c, name='outside')
        use iso_c_binding
      end function
    end interface
    print *, other()
  end subroutine
end module
integer(c_int) function nine() bind(c, name='outside')
  use iso_c_binding
  nine = 9
end function
program p
  use m, only: from_module
  use iso_fortran_env
  implicit none
  character(len=*), parameter :: version = compiler_version()
  character(len=*), parameter :: options = compiler_options()
  interface
    integer(c_int) function seven() bind(c)
      use iso_c_binding
    end function
    integer(c_int) function an_eight() bind(c, name='acht')
      use iso_c_binding
    end function
    integer(c_int) function a_nine() bind(c, name='outside')
      use iso_c_binding
    end function
  end interface
  print *, seven(), an_eight(), a_nine()
  call from_module()
  print *, len(version) > 0, version == compiler_version(), options == compiler_options()
end program
