#!/usr/bin/env bash
# Compares `cufemu --race` on all cores of this machine with NVIDIA's racecheck on its GPU, kernel by kernel, in one run:
# milliseconds of one launch alone on the GPU, under racecheck, and here; each is the best of RUNS (default 3).
# racecheck looks at shared memory only, cufemu at global memory too.
#
#     CUFEMU=path/to/cufemu benches/racecheck/run.sh
#
# Needs an NVIDIA GPU of compute capability ARCH (default 90) and CUDA's nvcc and compute-sanitizer.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=$here/../programs
runs=${RUNS:-3}
cufemu=${CUFEMU:?a cufemu that is built}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -arch="sm_${ARCH:-90}" "$here/twins.cu" -o "$work/twins"
"$work/twins" 20 >"$work/plain"
compute-sanitizer --tool racecheck "$work/twins" "$runs" | grep -v '^=' >"$work/racecheck"

ours() {
  for _ in $(seq "$runs"); do
    "$cufemu" "$@" "$programs/timing.cuf" "$programs/$name.cuf" 2>&1 >/dev/null | awk '/^kernel ms/ { print $3 }'
  done | sort -g | head -1
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
lscpu | awk -F: '/Model name|^CPU\(s\)/ { gsub(/^ +/, "", $2); print $1 ": " $2 }'
printf '%-13s %12s %12s %14s %14s %8s\n' 'ms a launch' 'GPU' 'racecheck' 'cufemu' 'cufemu --race' factor
while read -r name plain; do
  theirs=$(awk -v k="$name" '$1 == k { print $2 }' "$work/racecheck")
  watched=$(ours --race)
  printf '%-13s %12.3f %12.1f %14.1f %14.1f %7.1fx\n' "$name" "$plain" "$theirs" "$(ours --check none)" "$watched" \
    "$(awk -v a="$theirs" -v b="$watched" 'BEGIN { print a / b }')"
done <"$work/plain"
