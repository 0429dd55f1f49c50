#!/usr/bin/env bash
# Builds the service for how it is used: optimized by what was counted while the bench ran, which is daybook.profdata
# beside this file. Leaves target/optimized/daybook, and daybook-bench beside it. Usage: run.sh [--train], which counts anew first; it takes three times
# as long, and functions that have changed since the last time are built as if nobody had counted.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ $# == 0 || $* == --train ]] || { echo "usage: run.sh [--train]" >&2; exit 2; }

# Creating one by one and by hundreds, whole lives, reading, and a log with a history.
training=(--only 1,2,6,8,9 --runs 1 --duration 4s)
counts=$PWD/target/counts profile=$PWD/tests/release/daybook.profdata
host=$(rustc -vV | sed -n 's/^host: //p')

build() { # FOLDER FLAG: beside the flags of .cargo/config.toml; with a target named, macros and build scripts go without
    cargo build --profile dist --locked --package daybook-cli --package daybook-bench --target "$host" --target-dir "target/$1" \
        --config "build.rustflags=['$2']"
}

if [[ ${1-} == --train ]]; then
    rustup component add llvm-tools
    rm -rf "$counts"
    build counting "-Cprofile-generate=$counts"
    "target/counting/$host/dist/daybook-bench" "${training[@]}"
    "$(rustc --print target-libdir)/../bin/llvm-profdata" merge -sparse -o "$profile" "$counts"
fi
build optimized "-Cprofile-use=$profile"
cp "target/optimized/$host/dist/"{daybook,daybook-bench} target/optimized/
sha256sum "$profile" target/optimized/daybook
