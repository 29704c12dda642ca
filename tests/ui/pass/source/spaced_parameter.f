! PARAMETER without parentheses in fixed form: the blank behind the word tells it from an assignment.
      program p
      parameter pi = 3.25, n = 2
      parameter k = n + 1
      integer, parameter :: m = k*n
      real parameterx
      parameterx = 1.5
      print *, pi, n, k, m, parameterx
      end
