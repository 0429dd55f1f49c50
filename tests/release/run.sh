#!/usr/bin/env bash
# Builds the service for how it is used: with counters, trained by the bench, and again by what was counted.
# Usage: run.sh [PROFILE], which skips the first two. Leaves target/optimized/daybook and the profile beside it.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Creating one by one and by hundreds, whole lives, reading, and a log with a history.
training=(bench --only 1,2,6,8,9 --runs 1 --duration 4s)
counts=$PWD/target/counts profile=$PWD/target/optimized/daybook.profdata
host=$(rustc -vV | sed -n 's/^host: //p')

build() { # FOLDER FLAG: beside the flags of .cargo/config.toml; with a target named, macros and build scripts go without
    cargo build --release --locked --package daybook-cli --target "$host" --target-dir "target/$1" \
        --config "build.rustflags=['$2']"
}

mkdir -p target/optimized
if [[ $# == 0 ]]; then
    rustup component add llvm-tools
    rm -rf "$counts"
    build counting "-Cprofile-generate=$counts"
    "target/counting/$host/release/daybook" "${training[@]}"
    "$(rustc --print target-libdir)/../bin/llvm-profdata" merge -sparse -o "$profile" "$counts"
else
    [[ $1 -ef $profile ]] || cp "$1" "$profile"
fi
build optimized "-Cprofile-use=$profile"
cp "target/optimized/$host/release/daybook" target/optimized/daybook
sha256sum "$profile" target/optimized/daybook
