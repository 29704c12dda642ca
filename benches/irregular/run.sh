#!/usr/bin/env bash
# What machine code gains for kernels whose threads do different work or access memory out of order (irregular.cuf): milliseconds
# by events with the interpreter and with machine code, on JOBS threads (default 1), medians of RUNS (default 5) runs that
# alternate. Both have to print the same. Names of kernels as arguments choose some of them; with OTHER=path a second binary
# runs beside the first. KERNELS=path takes another program of that kind.
#
# `CUFEMU=path` takes a binary that is built already. Nothing else should run on the machine.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../binary.sh"
names=("$@")
[ $# -gt 0 ] || names=(csr search histogram bitonic fft lattice mandelbrot tridiagonal)

python3 - "$here" "${RUNS:-5}" "${JOBS:-1}" "$cufemu" "${OTHER:-}" "${KERNELS:-$here/irregular.cuf}" "${names[@]}" <<'PY'
import statistics, subprocess, sys
here, runs, jobs, binary, other, kernels = sys.argv[1], int(sys.argv[2]), *sys.argv[3:7]
ways = [("interpreter", binary), ("native", binary)] + ([("native", other)] if other else [])
print(f"{'kernel':<12} {'interpreter':>12} {'native':>10} {'times':>7}" + (f" {'other':>10}" if other else ""))
for name in sys.argv[7:]:
    times, outputs = [[] for _ in ways], set()
    for _ in range(runs):
        for way, (engine, path) in enumerate(ways):
            command = [path, "--check", "none", "--engine", engine, "--jobs", jobs, f"{here}/../programs/timing.cuf",
                       kernels, "--", name]
            run = subprocess.run(command, capture_output=True, text=True, check=True)
            times[way].append(float(run.stderr.split("kernel ms")[1].split()[0]))
            outputs.add(run.stdout)
    if len(outputs) != 1:
        sys.exit(f"{name}: the engines print different results: {sorted(outputs)}")
    of = [statistics.median(t) for t in times]
    print(f"{name:<12} {of[0]:9.1f} ms {of[1]:7.1f} ms {of[0] / of[1]:6.1f}x" + (f" {of[2]:7.1f} ms" if other else ""),
          flush=True)
PY
