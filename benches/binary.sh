# What the benches have in common, to be sourced: the binary that they run. Sets `root`, the folder of the repository, and `cufemu`:
# that of the variable CUFEMU, or a release build.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cufemu=${CUFEMU:-}
if [ -z "$cufemu" ]; then
  cargo build --release --quiet --manifest-path "$root/Cargo.toml"
  cufemu="${CARGO_TARGET_DIR:-$root/target}/release/cufemu"
fi
