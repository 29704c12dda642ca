#!/usr/bin/env bash
# What the passes of the optimiser that all engines share are worth to the interpreter: seconds of processor time of the eight bench
# programs without them (`-O0`) and with them, medians of RUNS runs (default 3) in turn, as the rows of a table. Other programs that run
# meanwhile change it little.
#
#     benches/interpreter/run.sh path/to/cufemu
#
# Each run uses one thread and no checks.
set -euo pipefail
cufemu=$(realpath "${1:?the cufemu binary}")
cd "$(dirname "$0")/../programs"
runs=${RUNS:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
TIMEFORMAT=%U
echo '| program | without passes | with them | times |'
echo '|---|---|---|---|'
for name in mm saxpy reduce stencil nbody blackscholes collatz transpose; do
  for _ in $(seq "$runs"); do
    for level in 0 2; do
      { time "$cufemu" "-O$level" --engine interpreter --check none --jobs 1 timing.cuf "$name.cuf" >/dev/null 2>&1; } 2>>"$work/$name.$level"
    done
  done
  echo "$name $(median "$work/$name.0") $(median "$work/$name.2")"
done | tee "$work/rows" | awk '{ printf "| %s | %.2f | %.2f | %.2f |\n", $1, $2, $3, $2 / $3 }'
awk '{ sum += log($2 / $3); n++ } END { printf "geometric mean %.2f\n", exp(sum / n) }' "$work/rows"
