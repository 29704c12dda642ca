! run: -Mfixed -cuda
C     Fixed form: columns 1 to 72, comments in column 1, continuation in column 6, CUDA Fortran by option.
      module m
      contains
      attributes(global) subroutine k(a, n)
      integer, value :: n
      integer :: a(n)
      a(threadidx%x) = threadidx%x +
     &  10
      end subroutine
      end module
      program p
      use m
      integer, device :: a_d(4)
      integer a(4)
      call k<<<1, 4>>>(a_d, 4)
      a = a_d
      do 10 i = 1, 4
   10 print *, a(i)
      end program
