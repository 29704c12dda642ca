#!/usr/bin/env bash
# Times the kernels of kernels.cuf under `cufemu --device gpu` beside those of kernels.cu under nvcc -O3, RUNS times (default 5)
# in turn, and prints medians, their quotient, and registers and spills of both by `ptxas -v`. A second binary is timed beside.
#
#     benches/gpu/run.sh path/to/cufemu [path/to/cufemu-before]
#
# Needs an NVIDIA GPU, its driver and the CUDA toolkit (nvcc, ptxas); the kept result is benches/gpu/result.txt.
set -uo pipefail
cd "$(dirname "$0")"
cufemu=${1:?the cufemu binary}
before=${2:-}
runs=${RUNS:-5}
export PATH=$PATH:/usr/local/cuda/bin
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || { echo "no GPU here"; exit 2; }
sm=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -arch="$sm" -std=c++17 kernels.cu -o "$work/peers" || exit 1
for run in $(seq "$runs"); do
  "$work/peers" >"$work/nvcc.$run"
  "$cufemu" --device gpu kernels.cuf >"$work/now.$run" || exit 1
  if [ -n "$before" ]; then "$before" --device gpu kernels.cuf >"$work/before.$run" || exit 1; fi
done
median() { awk -v name="$2" '$1 == name { print $2 }' "$work/$1".* 2>/dev/null | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
printf '%-13s %9s %9s %9s %8s\n' kernel nvcc before now now/nvcc
for name in $(awk '{ print $1 }' "$work/nvcc.1"); do
  n=$(median nvcc "$name") b=$(median before "$name") c=$(median now "$name")
  echo "$name $n ${b:--} $c"
done | tee "$work/table" | awk '{ printf "%-13s %9s %9s %9s %8.3f\n", $1, $2, $3, $4, $4 / $2 }'
six=" histogram csr fft lattice bitonic laplace4 "
awk -v six="$six" '$1 != "empty" { other = index(six, " " $1 " ") > 0; log_sum[other] += log($4 / $2); n[other]++ }
  $1 != "empty" && $4 / $2 > most { most = $4 / $2; worst = $1 }
  END { printf "geometric mean of the %d of benches/programs %.3f, of the %d others %.3f; largest %.3f (%s)\n",
    n[0], exp(log_sum[0] / n[0]), n[1], exp(log_sum[1] / n[1]), most, worst }' "$work/table"
echo "== with fast mathematics: nvcc -use_fast_math, cufemu --fast-math"
nvcc -O3 -use_fast_math -arch="$sm" -std=c++17 kernels.cu -o "$work/fast-peers" || exit 1
for run in $(seq "$runs"); do
  "$work/fast-peers" >"$work/nvcc-fast.$run"
  "$cufemu" --device gpu --fast-math kernels.cuf >"$work/now-fast.$run" || exit 1
done
for name in nbody blackscholes; do
  n=$(median nvcc-fast "$name") c=$(median now-fast "$name") o=$(median nvcc "$name")
  echo "$name $n $c $o" | awk '{ printf "%-13s %9s %19s %8.3f (%.3f of nvcc without it)\n", $1, $2, $3, $3 / $2, $3 / $4 }'
done
echo "== registers, by ptxas -v"
nvcc -O3 -arch="$sm" -std=c++17 -cubin -Xptxas -v kernels.cu -o "$work/peers.cubin" 2>&1 |
  awk -F"'" '/Compiling/ { name = $2 } /spill/ { spill = $0 } /registers/ { match($0, /Used [0-9]+/); print "nvcc", name, substr($0, RSTART + 5, RLENGTH - 5) }'
"$cufemu" --emit ptx --sm "$sm" kernels.cuf >"$work/kernels.ptx" || "$cufemu" --emit ptx kernels.cuf >"$work/kernels.ptx"
ptxas -arch="$sm" -v "$work/kernels.ptx" -o "$work/kernels.cubin" 2>&1 |
  awk -F"'" '/Compiling/ { name = $2 } /spill/ { split($0, w, " "); spill = w[5] } /registers/ { match($0, /Used [0-9]+/); print "cufemu", name, substr($0, RSTART + 5, RLENGTH - 5), "spills", spill }'
