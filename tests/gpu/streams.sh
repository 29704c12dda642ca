#!/usr/bin/env bash
# What overlaps on the GPU of this machine: a timeline of two streams, work in one stream and in four; on a machine with two GPUs, both of
# them with the memory, streams and events of each other.
#
#     tests/gpu/streams.sh path/to/cufemu
#
# Needs an NVIDIA GPU with its driver. Exit code 1 if something does not overlap that should, or a result is wrong. The kept result is
# tests/gpu/streams.txt.
set -u
cd "$(dirname "$0")"
cufemu=${1:?the cufemu binary}
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || { echo "no GPU here"; exit 2; }
failed=0
run() { echo "== $*"; "$cufemu" --device gpu "$@" || { echo "FAILED  exit code $?"; failed=1; }; }
run timeline.cuf
run streams.cuf
if [ "$(nvidia-smi --query-gpu=name --format=csv,noheader | wc -l)" -gt 1 ]; then run --devices 2 several.cuf; else echo "== one GPU only: several.cuf is not run"; fi
exit $failed
