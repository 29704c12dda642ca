! Structures whose statements stand in the wrong place.

program structures
  implicit none
  structure /s/
    integer a
    union
      integer lost        !~ E0115
      map
        real b
        a = 1             !~ E0115
      end map
    end union
  end structure
  type :: t
    union                 !~ E0115
    end union
    integer :: i
  end type
  structure /open/
    union
      map                 !~ E0102
        integer x
    end union
  end structure
  union                   !~ E0115
  end union
  map                     !~ E0115
  end map
end program
