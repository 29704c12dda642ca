! Structures, records, unions and maps of VAX Fortran. A component is written with a point.

subroutine show(r)
  implicit none
  structure /point/
    integer x, y
  end structure
  record /point/ r
  print *, 'point', r.x, r.y
  r.x = -r.x
end subroutine

program structures
  implicit none
  structure /point/
    integer x /3/, y /4/
  end structure
  structure /cell/
    character(4) name /'none'/
    record /point/ at, list(2)
    structure /inner/ part(2), own
      real value
      logical flag
    end structure
    integer(2) %fill
    integer(2) k(3) /1, 2*7/
  end structure
  structure /word/
    integer(2) first
    union
      map
        integer(4) whole
      end map
      map
        integer(2) low, high
      end map
      map
        character(1) byte(4)
        union
          map
            real(8) r
          end map
          map
            integer(8) bits
          end map
        end union
      end map
    end union
    integer(1) last
  end structure
  record /point/ p, q
  record /cell/ c, cells(3)
  record /word/ w
  integer :: i
  logical :: eq

  p.x = 10
  q = p
  q.y = p.y + q.x*2
  print *, p.x, p.y, q.x, q.y, q.x.eq.p.x.and.q.y.ne.p.y
  c.own.value = 1.5
  print *, c.name, c.at.x, c.list(2).y, c.own.value, c.k
  c.part(1).value = .5
  c.part(2).flag = .not.c.part(1).value.lt.1.e0
  print *, c.part(1).value, c.part(2).flag, c%at%y
  do i = 1, 3
    cells(i).list(1).x = i
    cells(i).at = q
  end do
  print *, cells(2).list(1).x + cells(3).list(1).x, cells.at.y
  call show(p) !~ W0404
  call show(cells(3).at) !~ W0404
  print *, p.x, cells(3).at.x
  w.whole = 65536*5 + 7
  print *, w.low, w.high, ichar(w.byte(1))
  w.r = 1.0d0
  print '(z16.16)', w.bits
  w.last = 9
  w.first = 1
  print *, w.whole, w.r, w.last, loc(w.whole) - loc(w.first), loc(w.low) - loc(w.whole)
  eq = .true.
  if (.not.eq.or.w.first.eq.1) print *, 'end'
end program
