! Signals call procedures of the program between its statements, are ignored, and do what they would do without it.
module counters
  implicit none
  integer :: calls = 0, total = 0
  integer, volatile :: alarms = 0
contains
  subroutine on_signal
    calls = calls + 1
    print *, 'a signal'
  end subroutine
  subroutine on_number(number)
    integer, value :: number
    total = total + number
  end subroutine
  integer function on_alarm()
    alarms = alarms + 1
    on_alarm = 0
  end function
end module
program p
  use counters
  implicit none
  integer, external :: signal, kill, getpid, alarm, fork, wait
  integer :: done, status
  procedure(), pointer :: empty
  print *, signal(10, on_signal, -1)
  done = kill(getpid(), 10)
  print *, done, calls
  done = signal(12, on_number)
  done = kill(getpid(), 12)
  done = kill(getpid(), 12)
  print *, total
  done = signal(10, on_signal, 1)
  done = kill(getpid(), 10)
  print *, calls
  ! One that C code could have crashed with.
  done = signal(11, on_signal, -1)
  done = kill(getpid(), 11)
  print *, calls
  done = alarm(1, on_alarm)
  do while (alarms == 0)
    status = 0
  end do
  print *, alarms
  done = alarm(1, on_alarm)
  do while (alarms == 1)
  end do
  print *, alarms
  print *, signal(9, on_signal, -1), signal(99, on_signal, -1)
  ! A copy of the process ends by a signal that nobody catches any more; one that waits goes on waiting.
  done = signal(10, on_signal, 0)
  done = alarm(1, on_alarm)
  done = fork()
  if (done == 0) then
    call execute_command_line('sleep 2')
    done = kill(getpid(), 10)
    stop 7
  end if
  print *, wait(status) == done, iand(status, 127), alarms
end program
