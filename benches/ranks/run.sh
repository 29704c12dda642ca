#!/usr/bin/env bash
# What ranks in one process cost, medians of RUNS (default 5) runs: messages (messages.f90), four ranks on one core beside four times
# one rank, four ranks on all cores (host.f90, and halo.cuf with kernels), and 64 ranks that exchange their edges (halo.cuf).
#
# `CUFEMU=path` takes a binary that is built already. Nothing else should run on the machine.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../binary.sh"

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# Seconds of a run.
seconds() {
  for _ in $(seq "${RUNS:-5}"); do
    local began=$(date +%s%N)
    "$cufemu" "$@" > /dev/null
    awk -v t=$(($(date +%s%N) - began)) 'BEGIN { printf "%.4f\n", t / 1e9 }'
  done | median
}
value() {
  for _ in $(seq "${RUNS:-5}"); do "$cufemu" --ranks 2 "$here/messages.f90" -- 50000 | sed -n "s/^$1: *//p"; done | median
}
printf '%-44s %s\n' 'message of 8 bytes, us' "$(value 'message of 8 bytes, us')"
printf '%-44s %s\n' 'messages of 32 MiB, GB/s' "$(value 'messages of 32 MiB, GB\/s')"
for case in "host $here/host.f90 -- 100000" "kernels $here/halo.cuf -- 512 100"; do
  set -- $case
  name=$1; shift
  one=$(seconds --jobs 1 "$@")
  four=$(seconds --jobs 1 --ranks 4 "$@")
  all=$(seconds --ranks 4 "$@")
  awk -v n="$name" -v one="$one" -v four="$four" -v all="$all" 'BEGIN {
    printf "%-44s %.2f s; four ranks %.2f s, %.2f of four times one\n", n ", one rank, one core", one, four, four / (4 * one)
    printf "%-44s %.2f s, %.2f times faster\n", n ", four ranks, all cores", all, four / all }'
done
printf '%-44s %s s\n' '64 ranks of 64 x 64, 200 exchanges' "$(seconds --ranks 64 "$here/halo.cuf" -- 64 100)"
