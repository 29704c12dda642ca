! Bounds of a pointer: for all dimensions or none, and for no more elements than the target has (Fortran 2018, R1035, 10.2.2.3).
program p
  real, pointer :: q(:, :), r(:)
  real, target :: x(3), y(2, 2)
  q(1:2, 1:2) => x          !~ E0313
  q(1:, 1:2) => y           !~ E0313
  q(1:3, 1:1) => x
  q(0:, 0:) => y
  r(1:2) => x
  r(2:5) => x               !~ E0313
end program
