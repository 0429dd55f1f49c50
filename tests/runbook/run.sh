#!/usr/bin/env bash
# Runs every command of docs/how-to/backup.md in order, on its own PostgreSQL, and checks that no event is lost.
#
#   tests/runbook/run.sh [folder with daybook and daybook-verify]
#
# PostgreSQL refuses to run as root, so root becomes the account postgres. The programs are the newest that a
# distribution installed, or else those of `pg_config`.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
page=$root/docs/how-to/backup.md

newest_build() {
    for profile in release debug; do
        if [[ -x $root/target/$profile/daybook ]]; then echo "$root/target/$profile"; return; fi
    done
    echo 'run.sh: no daybook is built: run cargo build, or name its folder' >&2
    exit 1
}
binaries=${1:-$(newest_build)}

if ((EUID == 0)); then
    # The account postgres may not have access to this folder.
    stage=$(mktemp -d)
    mkdir -p "$stage/tests/runbook" "$stage/docs/how-to" "$stage/bin"
    cp "$here/run.sh" "$stage/tests/runbook/" && cp "$page" "$stage/docs/how-to/"
    cp "$binaries/daybook" "$binaries/daybook-verify" "$stage/bin/"
    chmod -R a+rX "$stage"
    code=0
    setpriv --reuid=postgres --regid=postgres --init-groups env HOME=/tmp bash "$stage/tests/runbook/run.sh" "$stage/bin" || code=$?
    rm -rf "$stage"
    exit "$code"
fi

programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 || true)
PATH=$binaries:${programs:-$(pg_config --bindir)}:$PATH
# The caller's environment may contain options for another service.
for name in $(compgen -v DAYBOOK_) $(compgen -v PG); do unset "$name"; done

folder=$(mktemp -d) service='' at=0
clean_up() {
    stop_service
    for data in "$PGDATA" "$PGDATA.old" "$STANDBY"; do
        if [[ -f $data/postmaster.pid ]]; then pg_ctl stop --silent --mode immediate --pgdata "$data" || true; fi
    done
    rm -rf "$folder"
}
stop_service() {
    if [[ -n $service ]]; then
        kill -TERM "$service" 2>/dev/null || true
        wait "$service" 2>/dev/null || true
        service=''
    fi
}
trap clean_up EXIT

fail() {
    echo "run.sh: $1" >&2
    tail -n 20 "$folder"/*.log >&2 || true
    exit 1
}

# Ports below the ephemeral range: a port of that range may be in use.
export PGDATA=$folder/cluster PGHOST=$folder PGPORT=24328 PGUSER=postgres PGDATABASE=postgres
export STANDBY=$folder/standby BACKUP=$folder/backup ARCHIVE=$folder/archive ANCHOR=$folder/anchor
export DAYBOOK_DATABASE_URL=postgres://postgres@127.0.0.1:$PGPORT/ledger
export DAYBOOK_MASTER_KEY=$folder/keys/master.key DAYBOOK_SIGNING_KEY=$folder/keys/signing.key PUBLIC_KEY=$folder/keys/public
mkdir -p "$BACKUP" "$folder/keys"
cd "$folder"

# --- Commands of the page -------------------------------------------------------------------------------------------

# commands HEADING NUMBER: prints one block of the page.
commands() {
    awk -v heading="## $1" -v number="$2" '
        /^## / { inside = ($0 == heading); block = 0 }
        inside && /^```sh$/ { block++; printing = (block == number); next }
        /^```$/ { printing = 0 }
        printing' "$page"
}

# run HEADING NUMBER: runs a block and counts it.
run() {
    local text
    text=$(commands "$1" "$2")
    [[ -n $text ]] || fail "$page has no block $2 under $1"
    echo "--- $1, $2"
    bash -euo pipefail -c "$text" || fail "block $2 under $1 ends with code $?"
    at=$((at + 1))
}

# --- A service with money -------------------------------------------------------------------------------------------

# start_service [URL]: starts a sandbox on the database, with an anchor.
start_service() {
    : >"$folder/service.out"
    daybook dev --database-url "${1:-$DAYBOOK_DATABASE_URL}" --data-dir "$folder/data" --listen 127.0.0.1:0 --anchor "$ANCHOR" \
        --checkpoint-every 200ms >>"$folder/service.out" 2>>"$folder/service.log" &
    service=$!
    base=''
    for ((try = 0; try < 600; try++)); do
        base=$(sed -n 's/^Daybook is ready at //p' "$folder/service.out")
        if [[ -n $base ]]; then break; fi
        kill -0 "$service" 2>/dev/null || fail 'the service ended'
        sleep 0.1
    done
    [[ -n $base ]] || fail 'the service is not ready'
    reserve=$(sed -n 's|.*/sandbox/nodes/\([0-9A-Z]*\)/credit.*|\1|p' "$folder/service.out")
}

# credit AMOUNT: credits the reserve, and waits until a checkpoint in the anchor covers the event.
credit() {
    local answer position=''
    answer=$(curl -sS --noproxy '*' -X POST "$base/v3.1/sandbox/nodes/$reserve/credit" -H 'X-SP-GATEWAY: client_id_dev|client_secret_dev' \
        -H 'Content-Type: application/json' -d "{\"amount\": {\"amount\": $1, \"currency\": \"USD\"}}")
    [[ $answer == *'"error_code":"0"'* ]] || fail "credit: $answer"
    position=$(newest)
    for ((try = 0; try < 100; try++)); do
        if (($(sed -n 2p "$ANCHOR/checkpoint" 2>/dev/null || echo 0) >= position)); then return; fi
        sleep 0.1
    done
    fail 'no anchor has it'
}

newest() { psql -At "${1:-$DAYBOOK_DATABASE_URL}" -c 'select max(last_position) from commit'; }


expect() {
    [[ $2 == "$3" ]] || fail "$1: $2, not $3"
    echo "    $1: $2"
}

initdb --pgdata "$PGDATA" --auth trust --username postgres --data-checksums --no-sync >/dev/null
cat >>"$PGDATA/postgresql.conf" <<END
port = $PGPORT
unix_socket_directories = '$folder'
listen_addresses = '127.0.0.1'
END
pg_ctl start --wait --silent --log "$PGDATA.log"
createdb ledger
head -c 32 /dev/urandom >"$DAYBOOK_MASTER_KEY" && chmod 600 "$DAYBOOK_MASTER_KEY"
daybook key create --origin ledger.example/1 "$DAYBOOK_SIGNING_KEY" >"$PUBLIC_KEY"

run Archive 1
start_service
run Archive 2
credit 1.00
run 'Back up' 1
run 'Back up' 2
credit 2.00
sleep 1
RESTORE_TO=$(psql -Atc 'select now()')
export RESTORE_TO
before=$(newest)
sleep 1
credit 3.00
all=$(newest)

# Simulates a lost disk: only the backup, the archive and the write-ahead log of the last minute are left.
stop_service
pg_ctl stop --silent --mode immediate
run Restore 1
run Restore 2
expect 'events after restoring' "$(newest)" "$all"
start_service
credit 4.00
stop_service
all=$(newest)

run 'To a time' 1
run 'To a time' 2
expect 'events at the time' "$(newest)" "$before"
if daybook log verify --key "$PUBLIC_KEY" --anchor "$ANCHOR" >"$folder/verify.out"; then fail 'the anchor does not notice what is lost'; fi
run 'To a time' 3
expect 'events that are lost' "$(wc -l <lost.jsonl)" "$((all - before))"

# Another master key must not open the vault.
head -c 32 /dev/urandom >"$folder/keys/other.key"
chmod 600 "$folder/keys/other.key"
if daybook serve --master-key "$folder/keys/other.key" --listen 127.0.0.1:0 2>"$folder/other.log"; then fail 'a wrong master key starts'; fi
grep -q 'does not open under this master key' "$folder/other.log" || fail 'a wrong master key is not told'

mv "$ANCHOR" "$ANCHOR.old"
start_service
credit 5.00
run 'Read models' 1
run 'Read models' 2

run 'Fail over' 1
credit 6.00
all=$(newest)
stop_service
run 'Fail over' 2
run 'Fail over' 3
standby=${DAYBOOK_DATABASE_URL/:$PGPORT/:24330}
expect 'events after failing over' "$(newest "$standby")" "$all"
start_service "$standby"
reserve_has=$(curl -sS --noproxy '*' "$base/health/ready")
[[ $reserve_has == *'"status":"ready"'* ]] || fail "$reserve_has"
stop_service

blocks=$(grep -c '^```sh$' "$page")
expect 'blocks of the page that were run' "$at" "$blocks"
echo 'Every command of the page does what it says.'
