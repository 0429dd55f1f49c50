#!/usr/bin/env bash
# Runs the integration tests on the oldest and the newest PostgreSQL that Daybook supports, whichever is installed.
#
#   tests/majors/run.sh [filters of tests…]
#
# DAYBOOK_MAJORS names other versions: "15 16 17".
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# As root, PostgreSQL runs under another account, which must be able to enter this folder.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
read -ra majors <<<"${DAYBOOK_MAJORS:-14 18}"
mapfile -t bins < <(bash "$here/fetch.sh" "$folder" "${majors[@]}")
((${#bins[@]} == ${#majors[@]})) || { echo 'run.sh: not all versions were fetched' >&2; exit 1; }
for bin in "${bins[@]}"; do
    echo "--- $("$bin/postgres" --version)"
    DAYBOOK_TEST_PG_BIN=$bin cargo test --locked -p daybook-tests --test it -- "$@"
done
