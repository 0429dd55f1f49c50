#!/usr/bin/env bash
# Negative controls: applies each defect of tests/torture/mutants to a copy of the code, builds the service with it, and
# runs the torture on it. The torture must notice the defect. The service without a defect must be clean.
# Usage: mutants.sh [--any | PATTERN] DAYBOOK_TORTURE: --any picks one defect at random, PATTERN the defects whose name
# contains it. Exits with 1 if a defect is not noticed, does not apply or does not compile.
set -euo pipefail
torture=$(realpath "${@: -1}")
cd "$(dirname "$0")/../.."
case ${1-} in
--any) chosen=$(basename -s .patch "$(shuf -n1 -e tests/torture/mutants/*.patch)") ;;
"${@: -1}") chosen='' ;;
*) chosen=$1 ;;
esac

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
# Files of the copy get the current time, so that they are newer than earlier build results: cargo compares times.
git ls-files -z | tar --null --files-from=- --create | tar --extract --touch --directory "$copy"
# The copy shares the build results of dependencies with the workspace, but its service has a folder of its own and does
# not replace the workspace's.
CARGO_BUILD_BUILD_DIR=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")
export CARGO_BUILD_BUILD_DIR CARGO_TARGET_DIR=$PWD/target/mutants/torture
daybook=$CARGO_TARGET_DIR/debug/daybook
left=0

try() { # NAME
    if (cd "$copy" && cargo build --quiet --locked --package daybook-cli --features failpoints 2>"$copy/build.log"); then
        "$torture" mutant "$1" --binary "$daybook" || left=1
    else
        echo "mutant $1: DOES NOT COMPILE: $(grep -m1 '^error' "$copy/build.log")" && left=1
    fi
}

[[ -n $chosen ]] || try none
for patch in tests/torture/mutants/*"$chosen"*.patch; do
    name=$(basename -s .patch "$patch")
    if (cd "$copy" && git apply "$OLDPWD/$patch"); then
        try "$name"
        (cd "$copy" && git apply --reverse "$OLDPWD/$patch")
    else
        echo "mutant $name: CANNOT BE MADE" && left=1
    fi
done
exit "$left"
