#!/usr/bin/env bash
# Compares cufemu with PoCL, which compiles OpenCL kernels for the processor, on the same number of cores (JOBS, default 2): milliseconds
# of a launch of mm, saxpy and reduce at the sizes of benches/programs, the kernel alone. The twins are those of benches/peers. Each
# figure is the median of RUNS (default 5) runs, which alternate. PoCL times a second launch, for it compiles in the first; of
# cufemu it is the first launch too, as in the table of docs/performance.md, and the second.
#
# Needs the Debian packages pocl-opencl-icd, ocl-icd-opencl-dev, opencl-c-headers and gcc; without them it says so and does nothing.
# `CUFEMU=path` takes a binary that is built already.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
runs=${RUNS:-5}
jobs=${JOBS:-2}
if [ ! -e /etc/OpenCL/vendors/pocl.icd ] || [ ! -e /usr/include/CL/cl.h ] || ! command -v gcc >/dev/null; then
  echo "SKIPPED: there is no PoCL here (pocl-opencl-icd, ocl-icd-opencl-dev, opencl-c-headers, gcc)" >&2
  exit 0
fi
. "$here/../binary.sh"
programs="$root/benches/programs"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -Wno-deprecated-declarations "$here/../peers/twins.c" -o "$work/twins" -lOpenCL

median() { sort -g | awk '{ v[NR] = $1 } END { print (NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2) }'; }

# The same program with its launch made twice, each with its own time.
twice() {
  awk '/^ *call begin\(\)/ && !seen { print "  do twice = 1, 2"; seen = 1 }
    { print }
    /^ *call finish\(/ { print "  end do" }
    /^ *implicit none/ { n++; if (n == 2) print "  integer :: twice" }' "$1"
}

lscpu | awk -F: '/Model name|^CPU\(s\)/ { gsub(/^ +/, "", $2); print $1 ": " $2 }'
printf '%-8s %12s %14s %14s %8s\n' "$jobs jobs" 'PoCL' 'cufemu, first' 'cufemu, next' 'PoCL/next'
# Name, size, elements.
for row in "mm 1024 1073741824" "saxpy 16777216 16777216" "reduce 16777216 16777216"; do
  read -r name size elements <<<"$row"
  twice "$programs/$name.cuf" >"$work/$name.cuf"
  : >"$work/theirs"
  : >"$work/first"
  : >"$work/next"
  for _ in $(seq "$runs"); do
    OCL_ICD_VENDORS=pocl.icd POCL_MAX_PTHREAD_COUNT=$jobs "$work/twins" "$name" "$size" "$here/../peers/twins.cl" |
      awk -v n="$elements" '{ print $1 * n / 1e6 }' >>"$work/theirs"
    "$cufemu" --check none --jobs "$jobs" "$programs/timing.cuf" "$work/$name.cuf" 2>&1 >/dev/null |
      awk -v f="$work/first" -v n="$work/next" '/^kernel ms/ { print $3 >> (++k == 1 ? f : n) }'
  done
  awk -v k="$name" -v p="$(median <"$work/theirs")" -v f="$(median <"$work/first")" -v n="$(median <"$work/next")" \
    'BEGIN { printf "%-8s %9.2f ms %11.2f ms %11.2f ms %8.2f\n", k, p, f, n, p / n }'
done
