#!/usr/bin/env bash
# Runs the programs of a checkout of NVIDIA/CUDA-Fortran-2ed on the GPU of this machine and on the emulator: exit codes, seconds,
# and whether the lines are the same without those of times and bandwidths. A program of which they differ is run once more with
# --race, which says whether a data race is why.
#
#     tests/gpu/public.sh path/to/cufemu path/to/CUDA-Fortran-2ed/code [PATTERN...]
#
# Needs an NVIDIA GPU with its driver. A program has LIMIT seconds (default 40) on the GPU and EMULATOR_LIMIT (default LIMIT) on the
# emulator; JOBS programs run at a time (default 1; times are good for one only). The kept result is tests/gpu/public.txt; what was learned
# from it is in docs/programs.md.
set -u
cufemu=$(realpath "${1:?the cufemu binary}")
code=$(realpath "${2:?the directory code of the checkout}")
shift 2
limit=${LIMIT:-40}
emulator_limit=${EMULATOR_LIMIT:-$limit}
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || { echo "no GPU here"; exit 2; }
# What the makefiles build: a directory, sources, options.
list() {
  for file in "$code"/ch0[1-7]/*.cuf "$code"/ch06/*.[fF]90; do
    dir=$(basename "$(dirname "$file")")
    case $dir/$(basename "$file") in
      ch01/precision* | ch06/union_m* | ch06/test_union* | ch06/compact* | ch06/testCompact*) continue ;;
      # Only compiled there, or parts of the programs below.
      ch05/assumedShapeSize* | ch05/fma* | ch05/loads* | ch05/spill*) continue ;;
      ch07/cudaforEx* | ch07/cusparseEx* | ch07/cusparseMV_Ex* | ch07/potr* | ch07/thrust* | ch07/testSort*) continue ;;
      ch07/callingC*) echo "$dir|c.cu callingC.cuf|" ;;
      ch01/explicitInterface*) echo "$dir|$(basename "$file")|" ;;
      ch01/managedImplicit*) echo "$dir|$(basename "$file")|-gpu=managed" ;;
      ch01/multidimCUF* | ch01/managedCUF*) echo "$dir|$(basename "$file")|" ;;
      ch06/*_CUDA.F90 | ch06/*Sent.* | ch06/laplace*) echo "$dir|$(basename "$file")|-cuda" ;;
      *) echo "$dir|$(basename "$file")|" ;;
    esac
  done
  echo "ch01|increment.f90|-cuda"
  echo "ch06|union_m.cuf test_union.cuf|"
  echo "ch06|compact_m.cuf testCompact.cuf|"
  echo "ch06|compactOpt_m.cuf testCompact.cuf|"
  echo "ch07|cudaforEx.cuf cusparseEx.cuf cusparseMV_Ex.cuf|"
  echo "ch07|cudaforEx.cuf potr.cuf|"
  echo "ch07|thrust.cuf testSort.cuf thrust.cu|"
  for double in "" -DDOUBLE; do
    echo "ch09|precision_m.F90 generate_randomnumbers.cuf|$double"
    echo "ch09|precision_m.F90 compute_pi.cuf|$double"
    echo "ch09|precision_m.F90 montecarlo_european_option.cuf|$double"
    echo "ch11|precision_m.F90 fft_test_c2c.cuf|$double"
    echo "ch11|precision_m.F90 fft_derivative.cuf|$double"
  done
  echo "ch09|ieee_accuracy.f90|"
  echo "ch09|accuracy_sum.f90|"
  echo "ch09|shflExample.cuf|"
  echo "ch09|precision_m.F90 pi_gridGroup.cuf testPiGridGroup.cuf|"
  echo "ch09|precision_m.F90 pi_shared.cuf pi_shfl.cuf pi_lock.cuf pi_gridGroup.cuf compute_pi_performance.CUF|-DLOOP"
  echo "ch10|precision_m.cuf derivative_m.cuf finiteDifference.cuf|"
  echo "ch10|precision_m.cuf derivativeStr_m.cuf finiteDifferenceStr.cuf|"
  echo "ch10|precision_m.cuf limitingFactor.cuf|"
  echo "ch10|laplace2D.cuf|"
  echo "ch11|precision_m.F90 poisson.cuf|"
  echo "ch11|precision_m.F90 exampleOverlapFFT_nvtx.cuf|-Mpreprocess"
  echo "ch12|ppmExample.f90|-cuda"
  for name in ray sphere normal twoSpheres antialias diffuse metal dielectric camera defocusBlur cover triangle lights texture; do
    echo "ch12|rgb_m.F90 $name.F90|-cuda"
  done
}
# Lines without numbers of time and rate, and without properties of the device.
plain() { grep -viE 'time|second|bandwidth|GB/s|Gflop|throughput| ms|clock|elapsed|device( name)?:|emulated device|NVIDIA|pci bus|memory bus|global memory|capabilit|multiprocessors' "$1"; }
seconds() { local begun=$EPOCHREALTIME; "${@:2}"; code_of_run=$?; printf -v "$1" %.1f "$(awk "BEGIN { print $EPOCHREALTIME - $begun }")"; }
one() {
  IFS='|' read -r dir sources options <<<"$1"
  name=$dir/${sources##* }
  work=$(mktemp -d)
  cp -r "$code/$dir" "$work/gpu"
  cp -r "$code/$dir" "$work/emu"
  run() { (cd "$work/$1" && timeout "$([ "$1" = gpu ] && echo "$limit" || echo "$emulator_limit")" "$cufemu" "${@:2}" $options $sources >"$work/$1.out" 2>"$work/$1.err" </dev/null); }
  seconds on_gpu run gpu --device gpu; gpu=$code_of_run
  seconds on_emulator run emu; emu=$code_of_run
  same=differs
  if [ $emu = 124 ] || [ $gpu = 124 ]; then same="-"; elif cmp -s <(plain "$work/gpu.out") <(plain "$work/emu.out"); then same=same; fi
  why=""
  if [ "$same" = differs ]; then
    why=$(diff <(plain "$work/gpu.out") <(plain "$work/emu.out") | grep '^[<>]' | head -2 | tr '\n' ' ' | cut -c1-100)
    run emu --race
    why="$(grep -oE '(error|warning)\[R01[0-9]+\]' "$work/emu.err" | sort -u | tr '\n' ' ')$why"
  fi
  [ "$gpu" != 0 ] && why+=" GPU: $(grep -m1 -E '^(error|warning|cufemu)' "$work/gpu.err" | cut -c1-90)"
  printf '%-34s %-9s %4s %6s %4s %7s %-8s %s\n' "$name" "$options" "$gpu" "$on_gpu" "$emu" "$on_emulator" "$same" "$why"
  rm -rf "$work"
}
export -f one plain seconds
export code cufemu limit emulator_limit
printf '%-34s %-9s %4s %6s %4s %7s %-8s %s\n' program options gpu s emu s lines why
list | if [ $# -gt 0 ]; then grep -E "$(printf '%s\n' "$@" | paste -sd'|')"; else cat; fi |
  xargs -P "${JOBS:-1}" -d '\n' -I{} bash -c 'one "$1"' _ {}
