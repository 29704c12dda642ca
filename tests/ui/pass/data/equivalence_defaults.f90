! The initial values of types whose variables share storage: each type gives what it says, at each call.

program equivalence_defaults
  implicit none
  integer :: i
  do i = 1, 2
    call show
  end do
contains
  subroutine show
    type :: head
      sequence
      character(4) :: name
      integer :: k = 1
      integer :: rest
    end type
    type :: whole
      sequence
      character(4) :: name = 'wxyz'
      integer :: k = 1
      integer :: rest = 4
    end type
    type :: pair
      sequence
      type(head) :: parts(2)
    end type
    type(whole) :: a
    type(head) :: b
    type(pair) :: c
    integer :: words(6)
    equivalence (a, b)
    equivalence (words, c)
    print *, b%name, b%k, b%rest, words(2), words(5)
    a = whole('none', 2, 3)
    words = 0
  end subroutine
end program
