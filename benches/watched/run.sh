#!/usr/bin/env bash
# What `--race` costs where blocks share what they touch and nothing can be proven, and what more threads gain: for each program
# of this folder the seconds of the whole run, plain and watched, on one thread and on JOBS threads (default 2), and the greatest
# resident memory in MB, plain and watched on JOBS threads. Medians of RUNS (default 3).
# Names with sizes as arguments (`lock:16384`) choose some of them.
#
# `CUFEMU=path` takes a binary that is built already.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../binary.sh"
cases=("$@")
[ $# -gt 0 ] || cases=(search:400000 pull:400000 scatter:16000000 csr:1000000 bins:4000000 fft:4194304 boltzmann:512
  red_black:1024 bitonic:4096 saxpy_managed:4000000 saxpy_stream:4000000 product_stream:512
  last_block:16384 last_block:65536 look_back:16384 look_back:65536 lock:16384 lock:1000000 ticket:1024 ticket:4096
  byte_flags:1048576 same_flag:4096 same_flag:16384 counter:4096 counter:16384 all_racy:1048576 all_racy:4194304
  block_barrier:64)

python3 - "$cufemu" "${RUNS:-3}" "${JOBS:-2}" "$here" "${cases[@]}" <<'PY'
import os, statistics, sys, time
cufemu, runs, jobs, here = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]

def run(options, jobs, name, size):
    command = [cufemu, *options, "--jobs", jobs, f"{here}/{name}.cuf", "--", size]
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(cufemu, command)
    _, _, usage = os.wait4(child, 0)
    return time.monotonic() - start, usage.ru_maxrss / 1024

modes = [(options, n) for n in ("1", jobs) for options in (["--check", "none"], ["--race"])]
print(f"{'program':<15} {'size':>8}" + "".join(f" {what + ' ' + n:>8}" for n in ("1", jobs) for what in ("plain", "race"))
      + f" {'plain MB':>9} {'race MB':>8}")
for case in sys.argv[5:]:
    name, size = case.split(":")
    of = [[run(*mode, name, size) for _ in range(runs)] for mode in modes]
    seconds = [statistics.median(r[0] for r in all) for all in of]
    megabytes = [statistics.median(r[1] for r in all) for all in of[2:]]
    print(f"{name:<15} {size:>8}" + "".join(f" {s:8.2f}" for s in seconds) + f" {megabytes[0]:9.0f} {megabytes[1]:8.0f}",
          flush=True)
PY
