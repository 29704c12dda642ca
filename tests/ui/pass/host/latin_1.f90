! A source file in Latin-1 (äöü): bytes of literals that are not UTF-8 stay as they are, and those of UTF-8 stay, too.
program p
  implicit none
  character(*), parameter :: word = 'café'
  character(8) :: s
  print *, len(word), iachar(word(4:4)), len('Ã©'), ichar("ÿ")
  s = 'naïve' ! ï is one character
  print *, len_trim(s), s(3:3) == char(239), index(s, 'ï')
  select case (word(4:4))
  case ('è':'ê')
    print *, 'between'
  end select
  write (s, 10) 1
  print *, ichar(s(1:1)), s(2:2)
10 format('ü', i1)
end program
