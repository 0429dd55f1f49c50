#!/usr/bin/env bash
# Applies each defect of tests/shards/mutants to a copy of the code, and runs the test that the patch names, which must
# fail. The test must pass without a defect.
# Usage: mutants.sh [PATTERN of names]. Exits with 1 if a defect is not noticed, does not apply or does not compile.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD chosen=${1-}

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
# Files of the copy get the current time, so that they are newer than earlier build results: cargo compares times.
git ls-files -z | tar --null --files-from=- --create | tar --extract --touch --directory "$copy"
CARGO_BUILD_BUILD_DIR=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")
export CARGO_BUILD_BUILD_DIR CARGO_TARGET_DIR=$root/target/mutants/shards
left=0

builds() { (cd "$copy" && cargo test --quiet --locked --workspace --test it --no-run 2>"$copy/build.log"); }
passes() { (cd "$copy" && cargo test --quiet --locked --workspace --test it -- --exact "$1" >"$copy/test.log" 2>&1); }

for patch in tests/shards/mutants/*"$chosen"*.patch; do
    name=$(basename -s .patch "$patch") test=$(sed -n 's/^Noticed by: //p' "$patch")
    if ! builds || ! passes "$test"; then
        verdict="$test FAILS WITHOUT IT" left=1
    elif ! (cd "$copy" && git apply "$root/$patch"); then
        verdict='CANNOT BE MADE' left=1
    else
        if ! builds; then
            verdict="DOES NOT COMPILE: $(grep -m1 '^error' "$copy/build.log")" left=1
        elif passes "$test"; then
            verdict='NOT NOTICED' left=1
        else
            verdict="noticed by $test"
        fi
        (cd "$copy" && git apply --reverse "$root/$patch")
    fi
    echo "mutant $name: $verdict"
done
exit "$left"
