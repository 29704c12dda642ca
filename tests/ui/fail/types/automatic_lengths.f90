! What has a computed length lives as long as its procedure runs.
module lengths
  implicit none
  integer :: n = 3
  character(n) :: text                        !~ E0318
contains
  subroutine kept(k)
    integer, intent(in) :: k
    character(k), save :: saved               !~ E0219
    character(k) :: given = 'abc', word       !~ E0321
    character(2*k) :: data_given              !~ E0321
    data data_given /'a'/
    saved = given // word // data_given
  end subroutine
end module

program automatic_lengths
  use lengths
  call kept(2)
end program
