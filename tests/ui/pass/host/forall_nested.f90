! Each statement of a FORALL or WHERE within a FORALL runs for all combinations of all indices before the next one.
program p
  implicit none
  integer :: i, j, a(3, 3), w(3) = 1
  integer, target :: t(3)
  integer, pointer :: one(:), other(:)
  a = 0
  forall (i = 1:3)
    forall (j = 1:3)
      a(i, j) = 1
      a(4 - i, j) = 10*i
    end forall
  end forall
  print '(9i4)', a
  a = 0
  forall (i = 1:3)
    where (w > 0)
      a(:, i) = i
      a(:, 4 - i) = 10*i
    end where
  end forall
  print '(9i4)', a
  a = 0
  forall (i = 1:3)
    where (w > 1)
      a(:, i) = i
    elsewhere
      a(:, 4 - i) = 10*i
    end where
    forall (j = 1:i) a(j, i) = a(j, i) + 1
  end forall
  print '(9i4)', a
  one => t
  other => t(3:1:-1)
  t = 0
  forall (i = 1:1)
    forall (j = 1:3)
      one(j) = j
      other(j) = 10*j
    end forall
  end forall
  print '(9i4)', t
end program
