#!/usr/bin/env bash
# `--verify` finds a planted difference, and names the statement where emulator and GPU part and the way of its value. Routines of libraries
# and of NVIDIA's agree, but for those of an ill-conditioned matrix.
#
#     tests/gpu/verify.sh path/to/cufemu [options of cufemu, such as -L DIR, where NVIDIA's libraries are]
#
# Needs an NVIDIA GPU with its driver. Exit code 1 if anything is not as expected. The kept result is tests/gpu/verify.txt.
set -u
cd "$(dirname "$0")"
cufemu=${1:?the cufemu binary}
shift
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || { echo "no GPU here"; exit 2; }
began=$(date +%s.%N)
out=$("$cufemu" --verify verify.cuf 2>&1)
code=$?
echo "exit code $code after $(date +%s.%N | awk -v began="$began" '{ printf "%.1f", $1 - began }') s"
failed=0
expect() {
  if grep -A1 -F "$1" <<<"$out" | grep -Eq -- "$2"; then echo "ok      $3"; else echo "FAILED  $3"; failed=1; fi
}
[ $code = 1 ] || { echo "FAILED  the exit code"; failed=1; }
expect 'error[R1001]' 'x\(47\)` is 0x[0-9a-f]{8} on the emulator' 'the first word that differs'
expect '! part' 'thread \(41,1,1\) of block \(1,1,1\) gets .*, its first value that differs' 'the statement where the two part'
expect '! load' 'thread \(24,1,1\) of block \(1,1,1\) loads' 'where another thread loads it'
[ $failed = 0 ] || printf '%s\n' "$out"
out=$("$cufemu" --verify "$@" verify_libraries.cuf 2>&1)
found=$(grep -oE '^error\[R1001\]: `[A-Za-z]+`' <<<"$out" | tr '\n' ' ')
if [ "$found" = 'error[R1001]: `cusolverDnDgetrf` error[R1001]: `cusolverDnDgetrs` ' ] && ! grep -q R0714 <<<"$out"; then
  echo "ok      routines of libraries, and the two of an ill-conditioned matrix"
  grep -E "R1001|bound" <<<"$out"
else
  echo "FAILED  routines of libraries"
  printf '%s\n' "$out"
  failed=1
fi
exit $failed
