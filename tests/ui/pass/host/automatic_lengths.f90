! A character of a computed length is an automatic object: SAVE for a whole procedure does not keep it.
program automatic_lengths
  implicit none
  integer :: i
  do i = 1, 3
    call row(2*i, i)
  end do
contains
  subroutine row(n, k)
    save
    integer, intent(in) :: n, k
    character(len=n) :: text
    character(len=n - 1) :: words(k)
    integer :: calls = 0
    calls = calls + 1
    text = repeat('ab', k)
    words = text(2:)
    print '(i2,2i3,6a)', calls, len(text), len(words), ' ', text, ' ', words
  end subroutine
end program
