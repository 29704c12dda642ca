! Structures in structures, declared again where they are passed: the inner ones have no names and are alike all the same.
subroutine set(u)
  structure /outer/
    structure inner
      integer i
    end structure
    union
      map
        integer j
      end map
      map
        real x
      end map
    end union
  end structure
  record /outer/ u        !~ (1) W0404
  u.inner.i = 7
  u.x = 1.5
end subroutine
subroutine pass_on()
  structure /outer/
    structure inner
      integer i
    end structure
    union
      map
        integer j
      end map
      map
        real x
      end map
    end union
  end structure
  record /outer/ u
  interface
    subroutine set(u)
      structure /outer/
        structure inner
          integer i
        end structure
        union
          map
            integer j
          end map
          map
            real x
          end map
        end union
      end structure
      record /outer/ u
    end subroutine
  end interface
  call set(u)            !~ W0404
  print *, u.inner.i, u.x
end subroutine
program p
  call pass_on()
end program
