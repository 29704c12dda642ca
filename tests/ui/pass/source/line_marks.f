# 1 "line_marks.F"
# 1 "<built-in>"
C Marks that another preprocessor has left say nothing.
      program line_marks
# 12 "line_marks.F" 2
      print '(a)', 'marked'
      end
