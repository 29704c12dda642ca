! run: -Mbackslash
! `-Mbackslash`: a backslash is a letter like others, and `\'` ends a literal.

program plain_backslash
  implicit none
  character(*), parameter :: path = 'C:\new\'
  print '(a, i3)', path, len('a\nb\\')
  print 10
10 format ('no\tab')
end program
