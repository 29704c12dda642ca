! The format of a READ or PRINT statement without a unit is an expression, which may begin with a parenthesis.
program format_in_parentheses
  implicit none
  character(4) :: text = 'abcd'
  if (command_argument_count() > 0) read ('(') // 'a4)', text
  print ('(') // '3a)', '<', text, '>'
end program
