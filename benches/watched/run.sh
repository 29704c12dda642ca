#!/usr/bin/env bash
# What `--race` costs where blocks share what they touch and nothing can be proven: for each program of this folder the
# processor seconds of the whole run and the greatest resident memory in MB, plain and watched, medians of RUNS (default 3).
# Names with sizes as arguments (`lock:16384`) choose some of them.
#
# `CUFEMU=path` takes a binary that is built already, `JOBS` the number of jobs (default 1).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cufemu=${CUFEMU:-}
if [ -z "$cufemu" ]; then
  cargo build --release --quiet --manifest-path "$root/Cargo.toml"
  cufemu="${CARGO_TARGET_DIR:-$root/target}/release/cufemu"
fi
cases=("$@")
[ $# -gt 0 ] || cases=(last_block:16384 last_block:65536 look_back:16384 look_back:65536 lock:16384 lock:1000000 ticket:1024
  ticket:4096 byte_flags:1048576 same_flag:4096 same_flag:16384 counter:4096 counter:16384 all_racy:1048576 all_racy:4194304
  block_barrier:64 search:100000)

python3 - "$cufemu" "${RUNS:-3}" "${JOBS:-1}" "$here" "${cases[@]}" <<'PY'
import os, statistics, sys
cufemu, runs, jobs, here = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]

def run(options, name, size):
    command = [cufemu, *options, "--jobs", jobs, f"{here}/{name}.cuf", "--", size]
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(cufemu, command)
    _, _, usage = os.wait4(child, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

print(f"{'program':<14} {'size':>8} {'plain s':>8} {'race s':>8} {'plain MB':>9} {'race MB':>8}")
for case in sys.argv[5:]:
    name, size = case.split(":")
    both = [[run(options, name, size) for _ in range(runs)] for options in (["--check", "none"], ["--race"])]
    seconds, megabytes = ([statistics.median(r[i] for r in of) for of in both] for i in (0, 1))
    print(f"{name:<14} {size:>8} {seconds[0]:8.2f} {seconds[1]:8.2f} {megabytes[0]:9.0f} {megabytes[1]:8.0f}", flush=True)
PY
