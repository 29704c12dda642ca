#!/bin/sh
# Measures the errors of all mathematical functions: measure.sh CUFEMU COUNT4 COUNT8 [NAME ...]
# Needs gfortran with libquadmath.
set -e
here=$(dirname "$0")
cufemu=$1 count4=$2 count8=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gfortran -O2 "$here/errors.f90" -o "$work/errors"
names=${*:-exp exp2 exp10 expm1 log log2 log10 log1p pow cbrt rsqrt hypot sin cos tan asin acos atan atan2 sinh cosh tanh asinh
  acosh atanh erf erfc erfc_scaled gamma log_gamma bessel_j0 bessel_j1 bessel_jn bessel_y0 bessel_y1 bessel_yn}
for name in $names; do
  for kind in 4 8; do
    eval "count=\$count$kind"
    "$cufemu" "$here/values.cuf" -- "$name" "$kind" "$count" "$work/values"
    "$work/errors" "$name" "$kind" "$work/values"
  done
done
