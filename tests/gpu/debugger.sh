#!/usr/bin/env bash
# cuda-gdb stops in a kernel of `cufemu --device gpu -g` and prints its variables.
#
#     tests/gpu/debugger.sh path/to/cufemu
#
# Needs an NVIDIA GPU and cuda-gdb. Exit code 1 if anything is not as expected. The kept result is tests/gpu/debugger.txt.
set -u
cd "$(dirname "$0")"
cufemu=${1:?the cufemu binary}
export PATH=$PATH:/usr/local/cuda/bin
command -v cuda-gdb >/dev/null || { echo "!! SKIPPED: cuda-gdb is not here"; exit 3; }
line=$(grep -n '! stop' debugger.cuf | cut -d: -f1)
out=$(timeout 120 cuda-gdb -batch -ex 'set breakpoint pending on' -ex "break debugger.cuf:$line" -ex run \
  -ex 'cuda thread 5' -ex 'print i' -ex 'print n' -ex 'print s(6)' -ex 'print own' -ex 'print z' -ex 'print a(6)' \
  -ex 'print *fixed' -ex 'print fixed(2)' -ex 'print *b' -ex 'delete 1' -ex 'next' -ex 'print a(6)' -ex continue \
  --args "$cufemu" --device gpu -g debugger.cuf 2>&1)
failed=0
expect() {
  if grep -Eq -- "$1" <<<"$out"; then echo "ok      $2"; else echo "FAILED  $2: no line matches $1"; failed=1; fi
}
expect "debugger.cuf:$line" 'a breakpoint at a line of a kernel'
expect '^\$1 = 6$' 'a local variable of another thread'
expect '^\$2 = 8$' 'an argument by value'
expect '^\$3 = 60$' 'an element of a shared array'
expect '^\$4 = \(6, 2, 3\)$' 'a local array'
expect '^\$5 = .*\(1.5,2.5\)$' 'a complex dummy argument'
expect '^\$6 = 6$' 'an element of an array whose extent is an argument'
expect '^\$7 = \(1, 4, 9, 16\)$' 'a whole array'
expect '^\$8 = 4$' 'an element of it'
expect '^\$9 = 2$' 'the first element of an array whose first extent is an argument'
expect '^\$10 = 126$' 'the element after a step'
expect '^ *21.0  42.0' 'the program goes on to its end'
[ $failed = 0 ] || printf '%s\n' "$out"
exit $failed
