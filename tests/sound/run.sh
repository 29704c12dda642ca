#!/usr/bin/env bash
# Checks the unsafe code of `mem` and `vm` by tools that see what the compiler cannot:
#
#   loom  runs the page protocol of `mem` (src/mem/backing.rs) through every interleaving of its threads;
#   miri  runs the unit tests of `mem` and `vm` in an interpreter that finds undefined behaviour: accesses out of bounds or after
#         free, data races, pointers made from plain numbers, leaks.
#
#     tests/sound/run.sh [loom] [miri]
#
# Without arguments it runs both. Loom needs nothing but Cargo; Miri needs a nightly toolchain with its component
# (`rustup toolchain install nightly --component miri`). A tool that is not there is SKIPPED, and then the exit code is 2; it is 1
# if anything was found. The kept result is tests/sound/result.txt, which is what this script prints.
set -uo pipefail
cd "$(dirname "$0")/../.."
tools=("$@")
[ $# -gt 0 ] || tools=(loom miri)
target=${CARGO_TARGET_DIR:-target}
status=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Runs a command; prints what it is called, and a line for each test.
check() {
  local name=$1
  shift
  echo "== $name"
  if "$@" >"$log" 2>&1; then
    sed -nE 's/^test (.*) \.\.\. (ok|ignored.*)$/\2 \1/p' "$log"
    grep -E '^test result' "$log" | sed -E 's/; finished.*//'
  else
    tail -60 "$log"
    echo "FAILED: $name"
    status=1
  fi
}

for tool in "${tools[@]}"; do
  case $tool in
  loom)
    export LOOM_MAX_PREEMPTIONS=${LOOM_MAX_PREEMPTIONS:-3}
    RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="$target/loom" \
      check "loom: page protocol of mem, $LOOM_MAX_PREEMPTIONS preemptions" cargo test --quiet -p cufemu-mem --lib -- --nocapture --format pretty
    ;;
  miri)
    if ! cargo +nightly miri --version >/dev/null 2>&1; then
      echo "== miri: SKIPPED, this machine has no nightly toolchain with the component miri"
      [ $status != 0 ] || status=2
      continue
    fi
    export MIRIFLAGS="-Zmiri-strict-provenance -Zmiri-symbolic-alignment-check"
    export CARGO_TARGET_DIR="$target/miri"
    check "miri: mem" cargo +nightly miri test --quiet -p cufemu-mem -- --format pretty
    check "miri: vm" cargo +nightly miri test --quiet -p cufemu-vm -- --format pretty
    ;;
  *)
    echo "unknown tool $tool"
    exit 1
    ;;
  esac
done
exit $status
