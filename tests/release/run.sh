#!/usr/bin/env bash
# Builds target/optimized/daybook and daybook-bench with profile-guided optimization, from the profile daybook.profdata
# in this folder. Usage: run.sh [--train]. With --train it measures a new profile first, which takes three times as
# long. Functions that have changed since the profile was measured are built without it.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ $# == 0 || $* == --train ]] || { echo "usage: run.sh [--train]" >&2; exit 2; }

# Single creations, batches of a hundred, whole lifecycles, reads, and a log with a history.
training=(--only 1,2,6,8,9 --runs 1 --duration 4s)
counts=$PWD/target/counts profile=$PWD/tests/release/daybook.profdata
host=$(rustc -vV | sed -n 's/^host: //p')

build() { # FOLDER FLAG: adds to the flags of .cargo/config.toml. Macros and build scripts get none: a target is named
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
