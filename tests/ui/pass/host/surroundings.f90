! run: -- 10 some_text
! The command line, clocks and random numbers.
program p
  implicit none
  character(20) :: word
  character(3) :: short
  character(200) :: line
  integer :: n, status, rate, first, second, values(8), seeds
  integer(8) :: count8, rate8, max8
  integer, allocatable :: seed(:)
  real :: x(1000), again(1000), t0, t1
  real(8) :: y(3, 3)
  print '(i2)', command_argument_count()
  call get_command_argument(1, word)
  read (word, *) n
  print '(i4)', n + 1
  call get_command_argument(2, word, n, status)
  print '(a, 2i3)', trim(word), n, status
  call get_command_argument(2, short, n, status)
  print '(a, i3, l2)', short, n, status < 0
  call get_command_argument(3, word, n, status)
  print '(a, i3, l2)', '[' // trim(word) // ']', n, status > 0
  call get_command(line)
  print '(l2)', index(line, ' 10 some_text') > 0
  call get_environment_variable('NO_SUCH_VARIABLE_ANYWHERE', word, n, status)
  print '(2i3)', n, status
  call system_clock(first, rate)
  call system_clock(second)
  call system_clock(count8, rate8, max8)
  print '(4l2)', rate > 0, second >= first, rate8 > 0, max8 >= count8
  call cpu_time(t0)
  call cpu_time(t1)
  call date_and_time(values=values)
  print '(3l2)', t1 >= t0, values(1) > 1900, values(2) >= 1 .and. values(2) <= 12
  call random_seed(size=seeds)
  allocate (seed(seeds))
  call random_seed(get=seed)
  call random_number(x)
  call random_seed(put=seed)
  call random_number(again)
  call random_number(y)
  print '(4l2)', all(x >= 0 .and. x < 1), abs(sum(x)/1000 - 0.5) < 0.05, all(x == again), all(y >= 0 .and. y < 1)
end program
