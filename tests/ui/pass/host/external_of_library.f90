! Procedures of the compiler's library that the program declares EXTERNAL, as programs of FORTRAN 77 do.
program main
  implicit none
  integer, external :: iargc, lnblnk
  external :: getarg, getenv, flush, exit
  character(20) :: text
  text = 'none'
  if (iargc() > 0) call getarg(1, text)
  print *, iargc(), text
  call getenv('CUFEMU_THERE_IS_NO_SUCH_NAME', text)
  print *, lnblnk(text), lnblnk('ab ')
  call flush(6)
  call exit(0)
  print *, 'not reached'
end program
