#!/usr/bin/env bash
# What machine code gains for kernels on words of one and of two bytes (narrow.cuf); everything else is as in ../irregular/run.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- blur characters life axpy smooth translate words
KERNELS="$here/narrow.cuf" exec "$here/../irregular/run.sh" "$@"
