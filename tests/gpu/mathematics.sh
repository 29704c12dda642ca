#!/usr/bin/env bash
# Evaluates the mathematical functions on the emulator and on the GPU of this machine and compares every bit: COUNT arguments
# (default 10000000) from each range of each function and kind, by the programs of benches/mathematics.
#
#     tests/gpu/mathematics.sh path/to/cufemu [COUNT]
#
# Needs an NVIDIA GPU with its driver, and 100 COUNT bytes of temporary files for each processor. The table comes last; exit
# code 1 if a bit differs. The kept result is tests/gpu/mathematics.txt; each function and kind has three ranges or more, so 3400000 for each
# are more than 10^7.
set -u
cufemu=$(realpath "${1:?the cufemu binary}")
cd "$(dirname "$0")/../../benches/mathematics"
count=${2:-10000000}
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || { echo "no GPU here"; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
one() {
  local program=$1 name=$2 kind=$3 values=$work/$1.$2.$3 sums=() of=real
  [ "$program" = values.cuf ] || of=complex
  for device in emu gpu; do
    "$cufemu" --jobs 1 --device "$device" -cpp "$program" -- "$name" "$kind" "$count" "$values" >"$values.out" 2>&1 ||
      { echo "$name $of($kind) FAILED $(tail -1 "$values.out" | cut -c1-80)"; rm -f "$values"; return; }
    sums+=("$(md5sum <"$values" | cut -c1-32) $(stat -c %s "$values")")
    rm -f "$values"
  done
  local same=DIFFERS
  [ "${sums[0]}" = "${sums[1]}" ] && same=same
  echo "$name $of($kind) $same ${sums[1]#* }"
}
export -f one
export cufemu count work
{
  for name in exp exp2 exp10 expm1 log log2 log10 log1p pow cbrt rsqrt hypot sin cos tan asin acos atan atan2 sinh cosh tanh asinh \
    acosh atanh erf erfc erfc_scaled gamma log_gamma bessel_j0 bessel_j1 bessel_jn bessel_y0 bessel_y1 bessel_yn; do
    for kind in 4 8; do echo "values.cuf $name $kind"; done
  done
  for name in abs exp log sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh pow div; do
    for kind in 4 8; do echo "complex_values.cuf $name $kind"; done
  done
} | xargs -P "$(nproc)" -L1 bash -c 'one "$@"' _ >"$work/table"
sort "$work/table" | awk '{ printf "%-14s %-11s %-8s %s bytes of arguments and values\n", $1, $2, $3, $4 }'
awk -v count="$count" '$3 != "same" { n++ } END { printf "%d functions and kinds, %d arguments a range: %d differ\n", NR, count, n; exit n > 0 }' "$work/table"
