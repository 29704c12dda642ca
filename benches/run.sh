#!/usr/bin/env bash
# Builds cufemu, runs the programs of benches/programs RUNS times (default 5) in each way and prints medians: kernel
# milliseconds without checks and with --race, on 1 and 2 jobs; the greatest resident memory; seconds of the host program's
# parts, beside gfortran -O2 where that is installed. Names of programs as arguments choose some of them.
#
# `CUFEMU=path` takes a binary that is built already. Nothing else should run on the machine.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs="$here/programs"
runs=${RUNS:-5}
. "$here/binary.sh"
names=("$@")
[ $# -gt 0 ] || names=(mm nbody saxpy stencil reduce transpose blackscholes collatz host)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

median() { sort -g | awk '{ v[NR] = $1 } END { print (NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2) }'; }

# Median of the kernel time in milliseconds: name, options.
kernel() {
  local name=$1
  shift
  for _ in $(seq "$runs"); do
    "$cufemu" "$@" "$programs/timing.cuf" "$programs/$name.cuf" 2>&1 >/dev/null | awk '/^kernel ms/ { print $3 }'
  done | median
}

# Greatest resident memory in MB: name, options.
memory() {
  local name=$1
  shift
  python3 - "$cufemu" "$@" "$programs/timing.cuf" "$programs/$name.cuf" <<'PY'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, 1))
PY
}

# Median seconds of each part of the host program, in order: command.
host_parts() {
  for _ in $(seq "$runs"); do "$@" 2>&1 >/dev/null | awk '/ s / { print $1, $3 }'; done |
    awk '{ if (!($1 in n)) order[++k] = $1; v[$1, ++n[$1]] = $2 }
      END { for (i = 1; i <= k; i++) { name = order[i]; m = n[name]
        for (a = 1; a <= m; a++) for (b = a + 1; b <= m; b++) if (v[name, b] < v[name, a]) { t = v[name, a]; v[name, a] = v[name, b]; v[name, b] = t }
        print name, v[name, int((m + 1) / 2)] } }'
}

lscpu | awk -F: '/Model name|^CPU\(s\)/ { gsub(/^ +/, "", $2); print $1 ": " $2 }'
echo
printf '%-13s %12s %12s %12s %12s %10s %10s\n' 'ms a launch' 'none, 1 job' 'none, 2 jobs' 'race, 1 job' 'race, 2 jobs' 'MB, none' 'MB, race'
for name in "${names[@]}"; do
  [ "$name" != host ] || continue
  printf '%-13s %12.1f %12.1f %12.1f %12.1f %10.1f %10.1f\n' "$name" \
    "$(kernel "$name" --check none --jobs 1)" "$(kernel "$name" --check none --jobs 2)" \
    "$(kernel "$name" --race --jobs 1)" "$(kernel "$name" --race --jobs 2)" \
    "$(memory "$name" --check none)" "$(memory "$name" --race)"
done
for name in "${names[@]}"; do
  [ "$name" = host ] || continue
  echo
  host_parts "$cufemu" "$programs/host.f90" >"$work/host"
  if command -v gfortran >/dev/null; then
    gfortran -O2 "$programs/host.f90" -o "$work/host.gfortran"
    host_parts "$work/host.gfortran" >"$work/host.peer"
    paste -d ' ' "$work/host" "$work/host.peer" |
      awk '{ printf "%-8s cufemu %8.4f s, gfortran -O2 %8.5f s, %5.1f times\n", $1, $2, $4, $2 / $4 }'
  else
    awk '{ printf "%-8s cufemu %8.4f s\n", $1, $2 }' "$work/host"
  fi
done
