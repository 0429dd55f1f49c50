#!/usr/bin/env bash
# Runs the integration tests on databases with four shards.
#
#   tests/shards/run.sh             all of them, with their platforms in shard 1, then in shard 3, then on three servers
#   tests/shards/run.sh --tenth     every tenth of those of the last run
#
# Left out are tests about a ledger with one shard (one.txt), for shard 3 those that write to shard 1 themselves (first.txt),
# and for several servers those that look into the database of home (home.txt).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

# run SHARD SERVERS EVERY LIST…: runs every so many of the tests that are in none of the lists. The whole workspace is
# named, so that crates are built with the features that the README's test command has built already.
run() {
    local shard=$1 servers=$2 every=$3 names
    shift 3
    mapfile -t names < <(cargo test --quiet --locked --workspace --test it -- --list --format terse |
        sed -n 's/: test$//p' | grep -vxFf <(cd "$here" && cat "$@") | awk -v every="$every" 'NR % every == 0')
    ((${#names[@]})) || { echo 'run.sh: no test is left' >&2 && exit 1; }
    printf '%s tests, platforms in shard %s of 4, %s servers\n' "${#names[@]}" "$shard" "$servers"
    DAYBOOK_TEST_SHARDS=4 DAYBOOK_TEST_SHARD=$shard DAYBOOK_TEST_SERVERS=$servers \
        cargo test --quiet --locked --workspace --test it -- --exact "${names[@]}"
}

case ${1:-} in
    --tenth) run 3 3 10 one.txt first.txt home.txt ;;
    '')
        run 1 1 1 one.txt
        run 3 1 1 one.txt first.txt
        run 3 3 1 one.txt first.txt home.txt
        ;;
    *) echo 'usage: run.sh [--tenth]' >&2 && exit 2 ;;
esac
