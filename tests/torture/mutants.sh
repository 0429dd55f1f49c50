#!/usr/bin/env bash
# Negative controls: makes each defect of tests/torture/mutants in a copy of the code, builds the service with it, and tortures
# that, which must be noticed. The service without a defect must be clean.
# Usage: mutants.sh [--any | PATTERN] DAYBOOK_TORTURE: one that chance picks, or those whose name has PATTERN. Ends with 1 if
# one is not noticed, cannot be made or does not compile.
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
# What is built before is older than every file of the copy: cargo goes by their times.
git ls-files -z | tar --null --files-from=- --create | tar --extract --touch --directory "$copy"
# What is built of others is shared with the workspace; the service is not put in the place of the workspace's.
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
