#!/usr/bin/env bash
# cublasDgemm and cufftExecZ2Z on the emulator beside the crates faer and rustfft alone: processor seconds of each, on all cores together,
# and the emulator's as a multiple. What begins and ends a program does not count: it is done TIMES (default 20) times and half as often,
# and the difference counts. ORDER is that of the matrices (default 1024), LENGTH that of the transform (default 2^20).
#
# `CUFEMU=path` takes a binary that is built already. The crates are built in `benches/libraries/crates/target`, or where
# CARGO_TARGET_DIR says. Options of cufemu as arguments.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../binary.sh"
order=${ORDER:-1024} length=${LENGTH:-1048576} times=${TIMES:-20}
cargo build --quiet --release --manifest-path "$here/crates/Cargo.toml"
alone() { "${CARGO_TARGET_DIR:-$here/crates/target}/release/crates-alone" "$@"; }
emulator=("$@")
emulated() { "$cufemu" "${emulator[@]}" "$here/libraries.cuf" -- "$@"; }

# Processor seconds of a program.
seconds() {
  local TIMEFORMAT=%U
  { time "$@" >/dev/null 2>&1; } 2>&1
}

row() {
  local name=$1 parts=()
  shift
  for program in alone emulated; do
    parts+=("$(seconds "$program" "$@" $((times / 2)))" "$(seconds "$program" "$@" "$times")")
  done
  awk -v name="$name" -v count=$((times - times / 2)) -v few="${parts[0]}" -v all="${parts[1]}" -v our_few="${parts[2]}" -v ours="${parts[3]}" '
    BEGIN { a = (all - few) / count; b = (ours - our_few) / count
      printf "%-20s %8.4f s alone, %8.4f s on the emulator: %.2f times\n", name, a, b, b / a }'
}
row "product of $order" "$order" 16
row "transform of $length" 16 "$length"
