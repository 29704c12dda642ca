#!/usr/bin/env bash
# Compares cufemu with Oclgrind and with PoCL, which compiles kernels for the processor, core for core: nanoseconds an element of
# saxpy, reduce and mm (an inner step), and with data races looked for, which PoCL does not do. Installs both and what their host
# program needs from Debian. Each figure is the median of RUNS (default 3) runs on one core. Oclgrind gets smaller sizes, so
# that it ends.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
runs=${RUNS:-3}
. "$here/../binary.sh"
if ! command -v oclgrind >/dev/null || [ ! -e /etc/OpenCL/vendors/pocl.icd ] || [ ! -e /usr/include/CL/cl.h ] || ! ls /usr/lib/*/libOpenCL.so >/dev/null 2>&1; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq oclgrind pocl-opencl-icd ocl-icd-opencl-dev opencl-c-headers gcc >/dev/null
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -Wno-deprecated-declarations "$here/twins.c" -o "$work/twins" -lOpenCL

median() { sort -g | awk '{ v[NR] = $1 } END { print (NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2) }'; }

# Nanoseconds an element of a twin: name, size, more options.
theirs() {
  local name=$1 size=$2
  shift 2
  for _ in $(seq "$runs"); do
    taskset -c 0 oclgrind --num-threads 1 "$@" "$work/twins" "$name" "$size" "$here/twins.cl" 2>"$work/err" || {
      cat "$work/err" >&2
      exit 1
    }
  done | median
}

# Nanoseconds an element of a twin under PoCL: name, size.
compiled() {
  for _ in $(seq "$runs"); do
    OCL_ICD_VENDORS=pocl.icd POCL_MAX_PTHREAD_COUNT=1 taskset -c 0 "$work/twins" "$1" "$2" "$here/twins.cl"
  done | median
}

# Nanoseconds an element of one of our programs: name, elements of a launch, more options.
ours() {
  local name=$1 elements=$2
  shift 2
  for _ in $(seq "$runs"); do
    taskset -c 0 "$cufemu" --jobs 1 "$@" "$root/benches/programs/timing.cuf" "$root/benches/programs/$name.cuf" \
      2>&1 >/dev/null | awk -v n="$elements" '/^kernel ms/ { print $3 * 1e6 / n }'
  done | median
}

printf '%-8s %12s %12s %8s %12s %8s %14s %14s %8s\n' \
  kernel Oclgrind cufemu factor PoCL factor Oclgrind-races cufemu-race factor
# Name, size for Oclgrind, size for PoCL, elements.
row() {
  local name=$1 size=$2 elements=$4 a b c d p
  p=$(compiled "$name" "$3")
  a=$(theirs "$name" "$size")
  b=$(ours "$name" "$elements" --check none)
  c=$(theirs "$name" "$size" --data-races)
  d=$(ours "$name" "$elements" --race)
  awk -v k="$name" -v a="$a" -v b="$b" -v c="$c" -v d="$d" -v p="$p" 'BEGIN {
    printf "%-8s %9.1f ns %9.3f ns %7.0fx %9.3f ns %7.2fx %11.1f ns %11.3f ns %7.0fx\n",
      k, a, b, a / b, p, p / b, c, d, c / d }'
}
row saxpy 16384 16777216 16777216
row reduce 16384 16777216 16777216
row mm 64 1024 1073741824
