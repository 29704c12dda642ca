#!/bin/sh
# Runs every example once for each of 64 seeds, and says which end otherwise than they should: with another result than
# seed 0, with findings, or with a bug. `reduce_racy` is there to have a race, and what `concurrent_prints` prints is the
# order itself. Usage: benches/soak.sh [CUFEMU] [A..B]
set -u
cd "$(dirname "$0")/.."
cufemu=${1:-target/release/cufemu}
seeds=${2:-0..64}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
bad=0
for program in examples/*.cuf; do
    wanted=0
    case $program in *_racy.cuf | */concurrent_prints.cuf) wanted=1 ;; esac
    # Measured times differ from run to run; counted ones do not.
    "$cufemu" --race --clock model --many-seeds "$seeds" "$program" >"$log" 2>&1 </dev/null
    code=$?
    if [ "$code" -eq "$wanted" ]; then
        echo "ok      $program"
    else
        bad=$((bad + 1))
        echo "exit $code  $program"
        tail -n 5 "$log" | sed 's/^/        /'
    fi
done
echo "$bad of $(ls examples/*.cuf | wc -l) examples do not hold with the seeds $seeds"
[ "$bad" -eq 0 ]
