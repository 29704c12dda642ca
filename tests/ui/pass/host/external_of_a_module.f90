! A module declares the lengths that external functions of assumed length give (Fortran 2018, 7.4.4.2): they hold where it is used.
module lengths
  character*8, external :: echo
  character(3) :: short
  external short
end module

module between
  use lengths, only: echo, brief => short
end module

program main
  use between, again => echo
  use lengths, only: short
  print *, len(again('x')), '[', again('abc'), ']'
  print *, len(brief('x')), '[', brief('abcdef'), '][', short('ghijk'), ']'
  call inside
contains
  subroutine inside
    print *, '[', again('xyz') // brief('pqrs'), ']'
  end subroutine
end program

character*(*) function echo(text)
  character(*) text
  echo = text
end function

character*(*) function short(text)
  character(*) text
  short = text
end function
