#!/usr/bin/env bash
# Runs every command of docs/how-to/upgrade-postgresql.md in order, and checks that the balances are unchanged.
#
#   tests/pages/upgrade.sh FOLDER_WITH_DAYBOOK OLD_BIN NEW_BIN
#
# PostgreSQL refuses to run as root, so root becomes the account postgres.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
page=${PAGE:-$here/../../docs/how-to/upgrade-postgresql.md}
binaries=$1 OLD_BIN=$2 NEW_BIN=$3
export OLD_BIN NEW_BIN

if ((EUID == 0)); then
    # The account postgres may not have access to the folder of the binaries.
    stage=$(mktemp -d)
    cp "$here/upgrade.sh" "$page" "$binaries/daybook" "$stage/"
    chmod -R a+rX "$stage"
    code=0
    setpriv --reuid=postgres --regid=postgres --init-groups env HOME=/tmp PAGE="$stage/upgrade-postgresql.md" \
        bash "$stage/upgrade.sh" "$stage" "$OLD_BIN" "$NEW_BIN" || code=$?
    rm -rf "$stage"
    exit "$code"
fi

PATH=$binaries:$PATH
for name in $(compgen -v DAYBOOK_) $(compgen -v PG); do unset "$name"; done
folder=$(mktemp -d)
export PGDATA=$folder/old NEW_PGDATA=$folder/new PGHOST=$folder PGPORT=24331 NEW_PORT=24332 PGUSER=postgres
export DAYBOOK_DATABASE_URL=postgres://postgres@127.0.0.1:$PGPORT/ledger
export DAYBOOK_MASTER_KEY=$folder/keys/master.key DAYBOOK_SIGNING_KEY=$folder/keys/signing.key PUBLIC_KEY=$folder/keys/public
mkdir "$folder/keys"
cd "$folder"
at=0

clean_up() {
    for data in "$PGDATA" "$NEW_PGDATA" "$folder/third"; do
        if [[ -f $data/postmaster.pid ]]; then "$NEW_BIN/pg_ctl" stop --silent --mode immediate --pgdata "$data" || true; fi
    done
    rm -rf "$folder"
}
trap clean_up EXIT

fail() {
    echo "upgrade.sh: $1" >&2
    tail -n 20 "$folder"/*.log >&2 || true
    exit 1
}

# commands HEADING NUMBER: prints one block of the page.
commands() {
    awk -v heading="## $1" -v number="$2" '
        /^## / { inside = ($0 == heading); block = 0 }
        inside && /^ *```sh$/ { block++; printing = (block == number); next }
        /^ *```$/ { printing = 0 }
        printing' "$page"
}

# run HEADING NUMBER: runs a block and counts it.
run() {
    local text
    text=$(commands "$1" "$2")
    [[ -n $text ]] || fail "$page has no block $2 under $1"
    echo "--- $1, $2"
    bash -euo pipefail -c "$text" >"$folder/block.log" 2>&1 || fail "block $2 under $1 ends with code $?: $(cat "$folder/block.log")"
    at=$((at + 1))
}

# cluster FOLDER BIN PORT OPTIONS…: creates a new cluster and starts it.
cluster() {
    local data=$1 bin=$2 port=$3
    shift 3
    "$bin/initdb" --pgdata "$data" --auth trust --username postgres --encoding UTF8 --locale C.UTF-8 --no-sync "$@" >/dev/null
    printf "port = %s\nunix_socket_directories = '%s'\nlisten_addresses = '127.0.0.1'\n" "$port" "$folder" >>"$data/postgresql.conf"
    "$bin/pg_ctl" start --wait --silent --log "$data.log" --pgdata "$data"
}

balance() { daybook ledger trial-balance --json --database-url "$1"; }

# Without checksums, which is the default of initdb before version 18.
cluster "$PGDATA" "$OLD_BIN" "$PGPORT"
"$NEW_BIN/createdb" ledger
head -c 32 /dev/urandom >"$DAYBOOK_MASTER_KEY" && chmod 600 "$DAYBOOK_MASTER_KEY"
daybook key create --origin ledger.example/1 "$DAYBOOK_SIGNING_KEY" >"$PUBLIC_KEY"
daybook client create Acme --sandbox --json >/dev/null
before=$(balance "$DAYBOOK_DATABASE_URL")
[[ $before == *1000000.00* ]] || fail "there is no money: $before"

for step in 1 2 3 4; do run 'Upgrade in place' "$step"; done
"$NEW_BIN/psql" -Atc 'show server_version' --dbname ledger
[[ $(balance "$DAYBOOK_DATABASE_URL") == "$before" ]] || fail 'the ledger is another one'

cluster "$folder/third" "$NEW_BIN" "$NEW_PORT"
run 'Dump and restore' 1
run 'Dump and restore' 2
[[ $(balance "${DAYBOOK_DATABASE_URL/:$PGPORT/:$NEW_PORT}") == "$before" ]] || fail 'the ledger is another one after the restore'

blocks=$(grep -c '^ *```sh$' "$page")
[[ $at == "$blocks" ]] || fail "$at of $blocks blocks were run"
echo 'Every command of the page does what it says.'
