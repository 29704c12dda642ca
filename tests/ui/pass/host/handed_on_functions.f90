! An internal procedure hands on a dummy function of its host, whatever the type of its result.
program main
  character(4), external :: text
  complex, external :: number
  call outer(text, number)
end program

subroutine outer(f, c)
  character(4), external :: f
  complex, external :: c
  call inner
  call third(f, c)
contains
  subroutine inner
    call third(f, c)
  end subroutine

  subroutine third(g, d)
    character(4), external :: g
    complex, external :: d
    print *, g(3), d(2)
  end subroutine
end subroutine

character(4) function text(i)
  integer i
  text = repeat('e', i)
end function

complex function number(i)
  integer i
  number = cmplx(i, -i)
end function
