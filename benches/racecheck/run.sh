#!/usr/bin/env bash
# Compares `cufemu --race` on all cores of this machine with NVIDIA's racecheck on its GPU, kernel by kernel, in one run, on the
# kernels of benches/gpu: milliseconds of one launch alone on the GPU, under racecheck, here on one core and on all of them, and
# here with --race. Each is the median of RUNS launches (default 3; under racecheck 1) behind one that is not timed.
# Then what both found: hazards and data races. racecheck looks at shared memory only, cufemu at global memory too.
#
#     benches/racecheck/run.sh path/to/cufemu
#
# Needs an NVIDIA GPU and CUDA's nvcc and compute-sanitizer; the kept result is benches/racecheck/result.txt.
set -uo pipefail
cufemu=$(realpath "${1:?the cufemu binary}")
cd "$(dirname "$0")/../gpu"
runs=${RUNS:-3}
export PATH=$PATH:/usr/local/cuda/bin
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || { echo "no GPU here"; exit 2; }
lscpu | awk -F: '/Model name|^CPU\(s\)/ { gsub(/^ +/, "", $2); print $1 ": " $2 }'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sm=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
nvcc -O3 -arch="$sm" -std=c++17 kernels.cu -o "$work/peers" || exit 1
"$work/peers" 41 >"$work/gpu"
compute-sanitizer --tool racecheck "$work/peers" 1 >"$work/theirs" 2>&1
"$cufemu" --check none --jobs 1 kernels.cuf -- "$runs" >"$work/one" || exit 1
"$cufemu" --check none kernels.cuf -- "$runs" >"$work/all" || exit 1
"$cufemu" --race kernels.cuf -- "$runs" >"$work/race" 2>"$work/ours"
ended=$?
of() { awk -v name="$2" '$1 == name { print $2 }' "$work/$1"; }
printf '%-13s %10s %11s %12s %12s %14s %8s\n' 'ms a launch' GPU racecheck '1 core' 'all cores' 'cufemu --race' times
awk '{ print $1 }' "$work/gpu" | while read -r name; do
  echo "$name $(of gpu "$name") $(of theirs "$name") $(of one "$name") $(of all "$name") $(of race "$name")"
done | awk '{ printf "%-13s %10.3f %11.1f %12.2f %12.2f %14.2f %7.1fx\n", $1, $2, $3, $4, $5, $6, $3 / $6 }'
grep 'RACECHECK SUMMARY' "$work/theirs"
echo "cufemu --race: exit code $ended, $(grep -c '^error' "$work/ours") errors"
