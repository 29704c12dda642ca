! Enumerators are integers, whatever implicit typing says of their names.
program enumerators
  enum, bind(c)
    enumerator :: xone = 1, xtwo, red = 7
    enumerator green
  end enum
  print '(4i4)', xone, xtwo, red, green
  print '(2i4)', kind(xone), (xone + xtwo)/2
  call show(xtwo)
contains
  subroutine show(i)
    integer, intent(in) :: i
    print '(i4)', i
  end subroutine
end program
