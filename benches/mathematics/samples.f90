! What values.cuf and complex_values.cuf wrote, for the programs that judge it.
module samples
  use iso_fortran_env, only: real32, real64, real128
  implicit none
  ! The function and the kind of its arguments, as the command line says.
  character(32) :: name
  integer :: kind
  ! How many samples there were, and digits and exponents of their kind.
  integer(8) :: judged = 0
  integer :: digits, top, bottom
  abstract interface
    subroutine judgement(x, y, z)
      import real128
      ! Both arguments and the result; of real functions the imaginary parts are 0.
      complex(real128), intent(in) :: x, y, z
    end subroutine
  end interface
contains
  ! Reads the command line NAME KIND FILE and has each sample of the file judged; `parts` is 2 for complex functions.
  subroutine judge_all(parts, judge)
    integer, intent(in) :: parts
    procedure(judgement) :: judge
    character(32) :: word
    character(1024) :: file
    real(real32), allocatable :: four(:,:)
    real(real128), allocatable :: all(:,:)
    real(real64), allocatable :: eight(:,:)
    integer :: n, status, i
    call get_command_argument(1, name)
    call get_command_argument(2, word)
    read(word, *) kind
    digits = merge(53, 24, kind == 8)
    top = merge(1024, 128, kind == 8)
    bottom = merge(-1074, -149, kind == 8)
    call get_command_argument(3, file)
    open(10, file=file, access='stream', form='unformatted', status='old')
    do
      read(10, iostat=status) n
      if (status /= 0) exit
      if (.not. allocated(all)) allocate(all(parts*n, 3), four(parts*n, 3), eight(parts*n, 3))
      if (kind == 8) then
        read(10) eight
        all = eight
      else
        read(10) four
        all = four
      end if
      do i = 1, n
        call judge(sample(all(:, 1), i), sample(all(:, 2), i), sample(all(:, 3), i))
      end do
    end do
  contains
    complex(real128) function sample(values, i)
      real(real128), intent(in) :: values(:)
      integer, intent(in) :: i
      if (parts == 2) then
        sample = cmplx(values(2*i - 1), values(2*i), real128)
      else
        sample = cmplx(values(i), 0, real128)
      end if
    end function
  end subroutine
end module
