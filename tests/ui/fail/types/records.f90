! What is wrong with structures and records.

program records
  implicit none
  structure /s/
    integer a /1, 2/      !~ E0321
    union
      map
        integer a         !~ E0205
      end map
    end union
  end structure
  structure /r/
    integer l(3) /1, 2/   !~ E0321
  end structure
  type :: t
    integer :: i /1/      !~ E0321
  end type
  record /nothing/ n      !~ E0203
  record /s/ r
  integer :: k
  r.c = 1                 !~ E0204
  k = r                   !~ E0301
  k.a = 1                 !~ E0314
end program
