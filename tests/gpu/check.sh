#!/usr/bin/env bash
# Runs the examples and the bench programs on the emulator and on the GPU of this machine and compares what they print (but
# times) and every bit of memory; of the annotated programs what they print. A program that says `! gpu: differs` in a comment
# shows what the order of threads or a clock decides: its memory may differ, its checks of itself hold all the same; of an
# annotated program the output may differ. A program that says `! gpu: refused` is not run there (`cudaDeviceSynchronize` in device code).
#
#     tests/gpu/check.sh path/to/cufemu [path/to/on_gpu-test-binary [path/to/machine-test-binary]]
#
# The test binaries, of the crates `gpu` and `machine`, compare every operation and random race-free kernels.
# Needs an NVIDIA GPU with its driver, no CUDA toolkit. The table comes last; exit code 1 if anything differs. The kept result
# is tests/gpu/result.txt.
set -u
cd "$(dirname "$0")/../.."
cufemu=${1:?the cufemu binary}
ops=${2:-}
kernels=${3:-}
nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader || { echo "no GPU here"; exit 2; }
failed=0
rows=()
for program in examples/*.cuf benches/programs/*.cuf; do
  case $program in *_racy.cuf | */timing.cuf) continue ;; esac
  name=$(basename "$program" .cuf)
  case $program in benches/*) name=bench/$name; set -- "$program" benches/programs/timing.cuf ;; *) set -- "$program" ;; esac
  "$cufemu" --clock model "$@" >/tmp/emu.out 2>/tmp/emu.err; emu=$?
  "$cufemu" --device gpu "$@" >/tmp/gpu.out 2>/tmp/gpu.err; gpu=$?
  "$cufemu" --verify "$@" >/tmp/verify.out 2>/tmp/verify.err; verify=$?
  same=differs; cmp -s <(grep -v ' ms' /tmp/emu.out) <(grep -v ' ms' /tmp/gpu.out) && same=same
  grep -q '^! gpu: differs' "$program" && { [ $verify = 1 ] && verify=order; }
  rows+=("$(printf '%-24s %6s %6s %8s %8s' "$name" "$emu" "$gpu" "$same" "$verify")")
  if [ $emu != 0 ] || [ $gpu != 0 ] || [ $same != same ] || { [ $verify != 0 ] && [ $verify != order ]; }; then
    failed=1
    echo "--- $name: emulator"; head -20 /tmp/emu.out /tmp/emu.err
    echo "--- $name: GPU"; head -20 /tmp/gpu.out /tmp/gpu.err
    echo "--- $name: verify"; head -20 /tmp/verify.err
  fi
done
# The annotated programs: their output, but for the order of what threads print.
annotated=0
others=0
for program in tests/ui/pass/*/*.cuf; do
  case $program in */api/* | */host/*) continue ;; esac
  grep -q '^! gpu: refused' "$program" && continue
  timeout 120 "$cufemu" "$program" >/tmp/emu.out 2>/dev/null </dev/null; emu=$?
  timeout 120 "$cufemu" --device gpu "$program" >/tmp/gpu.out 2>/tmp/gpu.err </dev/null; gpu=$?
  annotated=$((annotated + 1))
  same=differs; cmp -s <(sort /tmp/emu.out) <(sort /tmp/gpu.out) && same=same
  grep -q '^! gpu: differs' "$program" && same=same
  if [ $emu != $gpu ] || [ $same != same ]; then
    others=$((others + 1)); failed=1
    echo "--- $program: exit $emu and $gpu"; head -5 /tmp/gpu.err
  fi
done
for tests in "$ops --nocapture" "$kernels --nocapture on_a_gpu"; do
  case $tests in " "*) continue ;; esac
  if $tests >/tmp/tests.out 2>&1; then
    tail -60 /tmp/tests.out
  else
    failed=1
    # All of it: the message of a failed test stands where the test ran, far above the end.
    cat /tmp/tests.out
  fi
done
printf '%-24s %6s %6s %8s %8s\n' program emu gpu output verify
printf '%s\n' "${rows[@]}"
echo "annotated programs: $annotated, $others differ"
exit $failed
