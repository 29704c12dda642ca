#!/bin/sh
# Fills fuzz/corpus with the programs, IR texts and debugger sessions of this repository.
set -eu
cd "$(dirname "$0")"
mkdir -p corpus/source corpus/ir_text corpus/commands corpus/ptx
seed() { # bytes before, file, target folder
    { printf '%b' "$1"; cat "$2"; } >"$3/$(echo "$2" | tr '/' '_' | sed 's/^[._]*//')"
}
find ../tests/ui ../examples ../tests/debug -name '*.cuf' -size -12k | while read -r file; do
    seed '0' "$file" corpus/source
done
for file in ../tests/ir/*.cir ../src/gpu/tests/golden/*.cir ../src/ir/tests/all/*.cir; do
    cp "$file" corpus/ir_text/
done
# The typed lines of a transcript stand behind the prompt; the first byte is the number of the program in the target.
number=0
for name in divergent expressions fault host saxpy shared; do
    for file in ../tests/debug/$name*.txt; do
        {
            printf '%b' "\\00$number"
            sed -n 's/^(cufemu) //p' "$file"
        } >"corpus/commands/$(basename "$file")"
    done
    number=$((number + 1))
done
# Choices are bytes: any will do.
for number in 1 2 3 4 5 6 7 8; do
    head -c 600 /dev/urandom >"corpus/ptx/$number"
done
for file in ../tests/ui/pass/source/*; do
    seed '1' "$file" corpus/source
    mv "corpus/source/$(echo "$file" | tr '/' '_' | sed 's/^[._]*//')" "corpus/source/fixed_$(basename "$file")"
    seed '2' "$file" corpus/source
done
