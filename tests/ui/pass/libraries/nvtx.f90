! Interfaces of NVTX that the program declares itself.
program marks
  use iso_c_binding
  implicit none
  interface
    subroutine nvtxRangePushA(name) bind(c, name='nvtxRangePushA')
      import c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine nvtxRangePop() bind(c, name='nvtxRangePop')
    end subroutine
  end interface
  call nvtxRangePushA('work' // c_null_char)
  call nvtxRangePop()
  print *, 'done'
end program
