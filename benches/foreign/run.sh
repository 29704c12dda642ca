#!/usr/bin/env bash
# What calls of C code cost (calls.f90, calls.c), medians of RUNS (default 5) runs: calls a second, seconds for memory and qsort. Options
# of cufemu as arguments, such as --race or --engine interpreter. CALLS is the number of calls (default 2000000), ELEMENTS that of the
# elements that qsort sorts (default 100000).
#
# `CUFEMU=path` takes a binary that is built already. Nothing else should run on the machine.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../binary.sh"
for _ in $(seq "${RUNS:-5}"); do
  "$cufemu" "$@" "$here/calls.f90" "$here/calls.c" -- "${CALLS:-2000000}" "${ELEMENTS:-100000}"
done | awk -F: '{ if (!($1 in n)) order[++k] = $1; v[$1, ++n[$1]] = $2 }
  END { for (i = 1; i <= k; i++) { name = order[i]; m = n[name]
    for (a = 1; a <= m; a++) for (b = a + 1; b <= m; b++) if (v[name, b] + 0 < v[name, a] + 0) { t = v[name, a]; v[name, a] = v[name, b]; v[name, b] = t }
    printf "%-36s %s\n", name, v[name, int((m + 1) / 2)] } }'
