#!/usr/bin/env bash
# Applies each defect of mutants.tsv to a copy of the code, and executes the history that is stored for it, which must
# fail. If the history does not fail, another one is searched.
# Usage: mutants.sh [--write] [PATTERN of invariants and names]; --write stores the histories found, here and in the
# reference. Exits with 1 if a defect survives, does not apply, or is noticed by another history than the stored one.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD list=tests/sim/mutants.tsv reference=docs/reference/mutants.md
writes=
[[ "${1:-}" != --write ]] || { writes=1 && shift; }

# Files of the copy get the current time, so that they are newer than earlier build results: cargo compares times.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z | tar --null --files-from=- --create | tar --extract --touch --directory "$copy"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/mutants"
mkdir -p "$CARGO_TARGET_DIR"
CARGO_TARGET_DIR=$(realpath "$CARGO_TARGET_DIR")
sim=$CARGO_TARGET_DIR/debug/sim

build() { (cd "$copy" && cargo build --quiet --locked -p daybook-sim 2>"$copy/build.log"); }
replay() { timeout 60 "$sim" --kept "$1" >"$copy/sim.log" 2>&1; }
search() {
    case $1 in
    faults*) timeout 600 "$sim" --faults --seeds 500 >"$copy/sim.log" 2>&1 ;;
    shards* | *' '*' '[2-9]) timeout 600 "$sim" --shards 3 --seeds 500 >"$copy/sim.log" 2>&1 ;;
    *) timeout 600 "$sim" --seeds 1000 >"$copy/sim.log" 2>&1 ;;
    esac
}
# The last line of a failure is the history, a colon, and the violation.
said() { tail -1 "$copy/sim.log" | cut -c1-500; }

build
left=0
while IFS=$'\t' read -r invariant name file old new noticed history; do
    if [[ ! "$invariant $name" =~ ${1:-} ]]; then
        printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$invariant" "$name" "$file" "$old" "$new" "$noticed" "$history" >&3
        continue
    fi
    cp "$copy/$file" "$copy/original"
    OLD=$old NEW=$new perl -0pi -e 's/\Q$ENV{OLD}\E/$ENV{NEW}/' "$copy/$file"
    if cmp --quiet "$copy/$file" "$copy/original"; then
        verdict="CANNOT BE MADE" left=1
    elif ! build; then
        verdict="DOES NOT COMPILE: $(grep -m1 '^error' "$copy/build.log")" left=1
    elif [[ "$history" == *' '* ]] && ! replay "$history"; then
        verdict="killed by $(said)"
    elif search "$history"; then
        verdict="SURVIVES" left=1
    elif [[ "$(said)" == *': '* ]]; then
        verdict="KILLED BY ANOTHER HISTORY: $(said)"
        history=$(said | sed 's/: .*//')
        [[ -n "$writes" ]] || left=1
    else
        verdict="NO VERDICT: $(said)" left=1
    fi
    printf '%s\t%s\t%s\n' "$invariant" "$name" "$verdict"
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$invariant" "$name" "$file" "$old" "$new" "$noticed" "$history" >&3
    cp "$copy/original" "$copy/$file"
    touch "$copy/$file"
done <"$root/$list" 3>"$copy/list"

if [[ -n "$writes" ]]; then
    cp "$copy/list" "$list"
    { sed '/^| Invariant/q' "$reference" && echo '|---|---|---|---|---|' && awk -F'\t' '{
        seed = $7; sub(/,.*/, "", seed); count = split(seed, words, " ")
        seed = words[1] == "faults" && count > 1 ? "faults " words[2] : words[1]
        printf "| %s | %s | `%s` | %s | %s |\n", $1, $2, $3, $6, seed
    }' "$list" && sed '1,/^| Invariant/d' "$reference" | sed '/^|/d'; } >"$copy/reference"
    cp "$copy/reference" "$reference"
fi
exit "$left"
