! run: -Mstandard
      program main
      external leave
      print *, 1
&, 2 !~ W0106
      call leave(&10) !~ W0106, W0901
   10 i = 4htext !~ W0333
      k = j + 'text' !~ E0322
      end
