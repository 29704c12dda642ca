#!/usr/bin/env bash
# cublasDgemm and cufftExecZ2Z on the emulator beside the crates faer and rustfft alone: seconds of each, and the emulator's as a
# multiple. ORDER is that of the matrices (default 1024), LENGTH that of the transform (default 2^20).
#
# `CUFEMU=path` takes a binary that is built already. The crates are built in `benches/libraries/crates/target`, or where
# CARGO_TARGET_DIR says. Nothing else should run on the machine.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../binary.sh"
sizes=("${ORDER:-1024}" "${LENGTH:-1048576}")
alone=$(RUSTFLAGS="${RUSTFLAGS:-}" cargo run --quiet --release --manifest-path "$here/crates/Cargo.toml" -- "${sizes[@]}")
emulated=$("$cufemu" "$@" "$here/libraries.cuf" -- "${sizes[@]}")
printf '%s\n' "$alone" "$emulated" | awk -F: '
  !($1 in alone) { alone[$1] = $2; next }
  { printf "%-6s %9.4f s alone, %9.4f s on the emulator: %.2f times\n", $1, alone[$1], $2, $2 / alone[$1] }'
