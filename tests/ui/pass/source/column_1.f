! `&` in column 1 continues the statement before: its text begins in column 2.
      program column
      print *, 'x'
&, 'y'
&,'begins in column 3',
c a comment, and a blank line

& 'column 3'
     +, 'column 6'
      i = 1
&+1   +
& 2
      print *, 'a
&b', i
      end
