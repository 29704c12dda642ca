#!/usr/bin/env bash
# Runs routines of cuBLAS, cuFFT, cuRAND, cuSOLVER and cuSPARSE on the emulator, which has its own, and on the GPU of this machine by
# NVIDIA's libraries, and compares what they print: numbers within a bound, relative to the largest number of the result, or bits.
#
#     tests/gpu/libraries.sh path/to/cufemu [options of cufemu, such as -L DIR]
#
# Needs an NVIDIA GPU with its driver and CUDA's libraries, where the loader, CUDA_HOME or -L finds them; says so and ends with 2 if
# there is no GPU. The table comes last; exit code 1 if a result is not within its bound. The kept result is tests/gpu/libraries.txt.
#
# The programs are in tests/gpu/libraries. A name that ends with `.in` is a pattern for several types of numbers: `@` stands for the
# letter of a type, lines that begin with `!r ` and `!c ` are for real and for complex ones.
set -u
cd "$(dirname "$0")/../.."
cufemu=${1:?the cufemu binary}
shift
nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader || { echo "no GPU here: nothing was compared"; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The program of a pattern for a letter.
fill() {
  case $2 in
    s) set -- "$1" s 'real(4)' 4 s _ CUDA_R_32F cublas_compute_32f sy or r ;;
    d) set -- "$1" d 'real(8)' 8 d _ CUDA_R_64F cublas_compute_64f sy or r ;;
    c) set -- "$1" c 'complex(4)' 4 sc cs CUDA_C_32F cublas_compute_32f he un c ;;
    z) set -- "$1" z 'complex(8)' 8 dz zd CUDA_C_64F cublas_compute_64f he un c ;;
  esac
  local fft='s/\bC2C\b/cufft_c2c/;s/\bR2C\b/cufft_r2c/;s/\bC2R\b/cufft_c2r/'
  [ "$4" = 8 ] && fft='s/\bC2C\b/cufft_z2z/;s/ExecC2C/ExecZ2Z/;s/\bR2C\b/cufft_d2z/;s/ExecR2C/ExecD2Z/;s/\bC2R\b/cufft_z2d/;s/ExecC2R/ExecZ2D/'
  local real=CUDA_R_32F
  [ "$4" = 8 ] && real=CUDA_R_64F
  sed -e "s/CUDA_R\b/$real/g" -e "s/^!${11} //" -e "/^![rc] /d" -e "s/TYPE/$3/g" -e "s/KIND/$4/g" -e "s/~/$5/g" -e "s/\^/$6/g" -e "s/DATA/$7/g" \
    -e "s/COMPUTE/$8/g" -e "s/SY/$9/g" -e "s/OR\([mg]\)/${10}\1/g" -e "s/#/${2^^}/g" -e "s/@/$2/g" -e "$fft" "$1"
}

# Compares what the two printed, and prints rows of the table.
compare() {
  awk '
    function bad(x) { return x ~ /[Nn][Aa][Nn]|[Ii]nf|\*/ }
    FNR == 1 { file++ }
    /^= / {
      name = $2
      for (i = 3; i <= NF - 2; i++) name = name " " $i
      bound[name] = $(NF - 1); status[name, file] = $NF
      if (file == 1) order[++rows] = name
      count = 0
      next
    }
    { for (i = 1; i <= NF; i++) { value[name, file, ++count] = $i; size[name, file] = count } }
    END {
      for (r = 1; r <= rows; r++) {
        name = order[r]
        n = size[name, 1] + 0
        ours = status[name, 1]; theirs = status[name, 2]
        largest = scale = differ = broken = 0
        for (i = 1; i <= n; i++) {
          a = value[name, 1, i]; b = value[name, 2, i]
          if (a == b) { if (!bad(b) && bound[name] != "bits" && (b < 0 ? -b : b + 0) > scale) scale = (b < 0 ? -b : b + 0); continue }
          differ++
          if (bound[name] == "bits") continue
          if (bad(a) || bad(b)) { broken = 1; continue }
          d = a - b; if (d < 0) d = -d
          if (d > largest) largest = d
          m = b < 0 ? -b : b + 0
          if (m > scale) scale = m
        }
        if (scale > 0) largest /= scale
        if (theirs == "") verdict = "NOT REACHED on the GPU"
        else if (ours != 0 && theirs == 0) verdict = "on the GPU only"
        else if (ours != 0 && theirs != 0) verdict = "refused by both: " ours ", " theirs
        else if (theirs != 0) verdict = "STATUS " theirs " on the GPU"
        else if (size[name, 2] + 0 != n) verdict = "OTHER COUNT"
        else if (bound[name] == "bits") verdict = differ ? "DIFFERS: " differ " of " n : "same bits"
        else if (broken || largest > bound[name] + 0) verdict = "DIFFERS: " differ " of " n
        else verdict = differ ? "within" : "same"
        shown = bound[name] == "bits" || verdict !~ /^(within|same|DIFFERS)/ ? "-" : sprintf("%.1e", largest)
        printf "%-44s %8s %8s  %s\n", name, shown, bound[name], verdict
      }
    }' "$1" "$2"
}

failed=0
rows=()
for pattern in tests/gpu/libraries/*; do
  letters="s d c z"
  case $pattern in */cufft*) letters="c z" ;; *.cuf) letters="-" ;; esac
  for letter in $letters; do
    program=$work/$(basename "${pattern%.cuf*}")_$letter.cuf
    if [ "$letter" = - ]; then cp "$pattern" "$program"; else fill "$pattern" "$letter" >"$program"; fi
    timeout 300 "$cufemu" "$@" "$program" >"$work/emu.out" 2>"$work/emu.err"
    timeout 300 "$cufemu" --device gpu "$@" "$program" >"$work/gpu.out" 2>"$work/gpu.err"
    code=$?
    # What the emulator does not have it says, and the table says it too.
    if [ $code != 0 ] || [ -s "$work/gpu.err" ]; then
      echo "--- $(basename "$program"): exit code $code on the GPU"
      head -40 "$work/gpu.err" | sed "s#$work/##"
    fi
    [ -s "$work/emu.out" ] || { echo "--- $(basename "$program") on the emulator"; head -20 "$work/emu.err"; failed=1; }
    while IFS= read -r row; do rows+=("$row"); done < <(compare "$work/emu.out" "$work/gpu.out")
  done
done
printf '%-44s %8s %8s  %s\n' "library, routine, kind" largest bound ""
printf '%s\n' "${rows[@]}"
printf '%s\n' "${rows[@]}" | grep -qE 'DIFFERS|STATUS|OTHER|NOT REACHED' && failed=1
exit $failed
