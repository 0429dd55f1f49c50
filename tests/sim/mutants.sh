#!/usr/bin/env bash
# Makes each defect of mutants.tsv in a copy of the code and looks whether the simulation notices it.
# Usage: mutants.sh [text that the name of a mutant contains]; ends with 1 if one survives or cannot be made.
set -euo pipefail
cd "$(dirname "$0")/../.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z | tar --null --files-from=- --create | tar --extract --directory "$copy"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/mutants"
mkdir -p "$CARGO_TARGET_DIR"
CARGO_TARGET_DIR=$(realpath "$CARGO_TARGET_DIR")

build() { (cd "$copy" && cargo build --quiet --locked -p daybook-sim 2>"$copy/build.log"); }
simulate() { "$CARGO_TARGET_DIR/debug/sim" --seeds 1000 >"$copy/sim.log" 2>&1; }

build
simulate || { echo "the code fails without a mutant" && exit 1; }
left=0
while IFS=$'\t' read -r invariant name file old new; do
    [[ "$name" == *"${1:-}"* ]] || continue
    cp "$copy/$file" "$copy/original"
    OLD=$old NEW=$new perl -0pi -e 's/\Q$ENV{OLD}\E/$ENV{NEW}/' "$copy/$file"
    if cmp --quiet "$copy/$file" "$copy/original"; then
        verdict="CANNOT BE MADE" left=1
    elif ! build; then
        verdict="DOES NOT COMPILE: $(grep -m1 '^error' "$copy/build.log")" left=1
    elif simulate; then
        verdict="SURVIVES" left=1
    else
        verdict="killed by $(grep -m1 '^seed.* steps' "$copy/sim.log" | cut -c1-200)"
    fi
    printf '%s\t%s\t%s\n' "$invariant" "$name" "$verdict"
    cp "$copy/original" "$copy/$file"
done <"$copy/tests/sim/mutants.tsv"
exit "$left"
