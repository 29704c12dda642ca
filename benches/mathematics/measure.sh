#!/bin/sh
# Measures the errors of all mathematical functions and prints docs/mathematics.md:
#   sh benches/mathematics/measure.sh CUFEMU COUNT > docs/mathematics.md
# COUNT arguments are taken from each range. Needs gfortran with libquadmath.
set -e
here=$(dirname "$0")
cufemu=$1 count=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gfortran -O2 "$here/samples.f90" "$here/errors.f90" -J"$work" -o "$work/errors"
gfortran -O2 "$here/samples.f90" "$here/complex_errors.f90" -J"$work" -o "$work/complex_errors"
cat <<TEXT
# Errors of the mathematical functions

Made by \`sh benches/mathematics/measure.sh cufemu $count > docs/mathematics.md\`; do not edit.

The functions are CUDA Fortran source (\`src/compile/modules/math_*.cuf\`), the same for host code, the emulator and the GPU, so
that all of them compute the same bits. Each row gives the greatest error that was met against quadruple precision (libquadmath),
in units in the last place of the true value: 0.5 is the best that is possible. Arguments are pseudo-random, $count for each
range; a range of bit patterns takes all of them alike, subnormal numbers and both infinities among them. Where a function has
zeros that arithmetic cannot meet (the Bessel functions, \`log_gamma\` below 0), the relative error near them has no bound, and
above 1000 it is not shown; the column "mixed" is the error in units of the function's size nearby, sqrt(2/(pi x)) or 1, if that
is greater than the value. "Wrong" counts results that are finite, infinite or NaN where the true one is not. Orders of
\`bessel_jn\` and \`bessel_yn\` are 5.

| function | kind | arguments | greatest error | at | mixed | wrong | ranges |
|---|---|---|---|---|---|---|---|
TEXT
for name in exp exp2 exp10 expm1 log log2 log10 log1p pow cbrt rsqrt hypot sin cos tan asin acos atan atan2 sinh cosh tanh asinh \
  acosh atanh erf erfc erfc_scaled gamma log_gamma bessel_j0 bessel_j1 bessel_jn bessel_y0 bessel_y1 bessel_yn; do
  for kind in 4 8; do
    ranges=$("$cufemu" "$here/values.cuf" -- "$name" "$kind" "$count" "$work/values")
    row=$("$work/errors" "$name" "$kind" "$work/values")
    echo "$row${ranges%; } |"
  done
done
cat <<TEXT

\`sqrt\` of real arguments and division are correctly rounded. The intrinsics in degrees (\`sind\` and kin) are those in radians of a
converted argument.

## Complex

The error is the absolute value of the difference, in units in the last place of the absolute value of the true result. Real and
imaginary parts are uniform from -1 to 1 and from -8 to 8, $count pairs each; \`pow\` and \`div\` have two such arguments.

| function | kind | arguments | greatest error | at |
|---|---|---|---|---|
TEXT
for name in abs exp log sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh pow div; do
  for kind in 4 8; do
    "$cufemu" -cpp "$here/complex_values.cuf" -- "$name" "$kind" "$count" "$work/values"
    "$work/complex_errors" "$name" "$kind" "$work/values"
  done
done
