! Fixed form: a point behind an exponent begins an operator, whatever letter stands behind that.
      program p
      implicit none
      real :: x, n
      logical :: t
      x = 4.
      n = 2.
      t = .true.
      if (x.lt.1.e5.and.x.gt.3.) print *, 'yes'
      if (1.d0.lt.x.and.n.lt.2.5e0.and.t) print *, 'yes'
      if (x.gt.1.e1.or.n.eq.2.e0.and.x.eq.4.) print *, 'yes'
      if (.not.t.or.x.eq.4) print *, 'yes'
      end program
