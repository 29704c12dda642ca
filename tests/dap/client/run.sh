#!/usr/bin/env bash
# Drives `cufemu dap` by the client of the Debug Adapter Protocol that VS Code's adapters are tested with. Needs node and npm, and
# the registry of npm at the first time; the exit code is 3 if the client cannot be fetched. CUFEMU is the command to test.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$here/../../../target}
cufemu=$(realpath "${CUFEMU:-$target/debug/cufemu}")
work=$target/dap-client
mkdir -p "$work"
cp "$here/package.json" "$here/package-lock.json" "$here/drive.js" "$work"
cd "$work"
if [ ! -d node_modules ] && ! timeout 60 npm ci --silent --no-audit --no-fund; then
    rm -rf node_modules
    echo "!! SKIPPED: npm cannot fetch @vscode/debugadapter-testsupport"
    exit 3
fi
exec node drive.js "$cufemu" "$here/../../../examples"
