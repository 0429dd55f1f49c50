#!/usr/bin/env bash
# Exports a small real ledger and checks it with hledger and Beancount.
#
#   tests/export/run.sh [daybook binary]
#
# Starts `daybook dev` in a temporary folder, makes payments, returns and statements by the sandbox's clock, exports,
# runs `hledger check` and `bean-check`, and compares hledger's balances with `daybook ledger trial-balance`. Missing
# tools are installed. If that fails, the script fails; with DAYBOOK_EXPORT_SKIP=1 it passes with a warning.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
ready_within_s=120

folder='' server=''
clean_up() {
    if [[ -n $server ]]; then
        kill -TERM "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    if [[ -n $folder ]]; then rm -rf "$folder"; fi
}
trap clean_up EXIT

fail() {
    echo "run.sh: $1" >&2
    if [[ -f $folder/daybook.log ]]; then tail -n 30 "$folder/daybook.log" >&2; fi
    exit 1
}

as_root() { if ((EUID == 0)); then "$@"; else sudo "$@"; fi; }

has_tools() { command -v hledger >/dev/null && command -v bean-check >/dev/null; }

install_tools() {
    if ! command -v hledger >/dev/null && command -v apt-get >/dev/null; then
        as_root apt-get update -qq || true
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq hledger >/dev/null || true
    fi
    if ! command -v bean-check >/dev/null; then
        python3 -m venv "$folder/venv" && "$folder/venv/bin/pip" install -q beancount || true
        PATH="$folder/venv/bin:$PATH"
    fi
    has_tools
}

newest_binary() {
    for binary in "$root/target/release/daybook" "$root/target/debug/daybook"; do
        if [[ -x $binary ]]; then echo "$binary"; return; fi
    done
    fail 'no daybook is built: run cargo build, or name the binary'
}

folder=$(mktemp -d)
# As root, PostgreSQL runs under another account, which must be able to enter this folder.
chmod 711 "$folder"
if ! has_tools && ! install_tools; then
    if [[ ${DAYBOOK_EXPORT_SKIP:-} == 1 ]]; then
        echo '!!! SKIPPED: hledger or bean-check is missing, so the export was NOT checked !!!' >&2
        exit 0
    fi
    fail 'hledger or bean-check is missing and cannot be installed'
fi

daybook=${1:-$(newest_binary)}
"$daybook" dev --data-dir "$folder/data" --listen 127.0.0.1:0 --settle-after 15m >"$folder/daybook.out" 2>"$folder/daybook.log" &
server=$!
base=''
for ((second = 0; second < ready_within_s * 5; second++)); do
    base=$(sed -n 's/^Daybook is ready at //p' "$folder/daybook.out")
    if [[ -n $base ]]; then break; fi
    kill -0 "$server" 2>/dev/null || fail 'daybook dev ended'
    sleep 0.2
done
[[ -n $base ]] || fail 'daybook dev is not ready in time'

gateway='X-SP-GATEWAY: client_id_dev|client_secret_dev'
user_key=''

# call METHOD PATH [BODY]: prints the response; an error ends this script.
call() {
    local method=$1 path=$2 body=${3:-}
    local arguments=(-sS --noproxy '*' -X "$method" -H "$gateway" -H "X-SP-USER: $user_key|device-1" -H 'X-SP-USER-IP: 127.0.0.1')
    if [[ -n $body ]]; then arguments+=(-H 'Content-Type: application/json' -d "$body"); fi
    local answer
    answer=$(curl "${arguments[@]}" "$base/v3.1$path") || fail "$method $path: no answer"
    if [[ $(jq -r '.error_code // "?"' <<<"$answer") != 0 ]]; then fail "$method $path: $answer"; fi
    echo "$answer"
}

# node TYPE: prints the id of a new node of the user.
node() {
    local info='{"nickname": "Export"}'
    if [[ $1 == ACH-US ]]; then
        info='{"nickname": "Bank", "account_num": "1232225674134", "routing_num": "021000021", "type": "PERSONAL", "class": "CHECKING"}'
    fi
    call POST "/users/$user/nodes" "{\"type\": \"$1\", \"info\": $info}" | jq -r '.nodes[0]._id'
}

# pay FROM TO TYPE AMOUNT: prints the id of a new transaction.
pay() {
    local body="{\"to\": {\"type\": \"$3\", \"id\": \"$2\"}, \"amount\": {\"amount\": $4, \"currency\": \"USD\"}, \"extra\": {\"ip\": \"127.0.0.1\"}}"
    call POST "/users/$user/nodes/$1/trans" "$body" | jq -r ._id
}

advance() { call POST /sandbox/clock/advance "{\"seconds\": $1}" >/dev/null; }

# settled TRANSACTION NODE: waits until the transaction is settled.
settled() {
    for ((try = 0; try < 150; try++)); do
        if [[ $(call GET "/users/$user/nodes/$2/trans/$1" | jq -r .recent_status.status) == SETTLED ]]; then return; fi
        sleep 0.2
    done
    fail "$1 does not settle"
}

user=$(sed -n 's/^user_id  *\([0-9A-Z]*\).*/\1/p' "$folder/daybook.out")
refresh=$(call GET "/users/$user" | jq -r .refresh_token)
user_key=$(call POST "/oauth/$user" "{\"refresh_token\": \"$refresh\"}" | jq -r .oauth_key)

bank=$(node ACH-US)
call PATCH "/users/$user/nodes/$bank" '{"micro": [0.1, 0.1]}' >/dev/null
wallet=$(node DEPOSIT-US)
savings=$(node DEPOSIT-US)
call POST "/sandbox/nodes/$wallet/credit" '{"amount": {"amount": 500.25, "currency": "USD"}}' >/dev/null
inside=$(pay "$wallet" "$savings" DEPOSIT-US 40.10)
pull=$(pay "$bank" "$wallet" DEPOSIT-US 25.00)
push=$(pay "$wallet" "$bank" ACH-US 12.34)
for step in 1 2 3; do advance 300; sleep 1; done
for id in "$inside" "$pull" "$push"; do settled "$id" "$wallet"; done

# The bank sends a statement for each day. Then a pull is returned, and a transfer is still processing.
for day in 1 2; do advance 86400; sleep 2; done
call POST "/sandbox/trans/$pull/return" '{"code": "R10"}' >/dev/null
call POST "/sandbox/nodes/$wallet/debit" '{"amount": {"amount": 5.55, "currency": "USD"}}' >/dev/null
middle=$(pay "$wallet" "$savings" DEPOSIT-US 1.01)
call POST "/sandbox/trans/$middle/process" '{}' >/dev/null
for day in 1 2; do advance 86400; sleep 2; done

ledger() { "$daybook" ledger "$@" --data-dir "$folder/data"; }
operator=operator_id_00000000000000000000000001
files=$(DAYBOOK_OPERATOR_SECRET=operator_secret_dev_1 "$daybook" ops files --platform client_id_dev \
    --operator "$operator" --data-dir "$folder/data" | wc -l)
((files > 0)) || fail 'no file went to the bank'

# The ledger does not change while the following commands read it.
at=$(ledger trial-balance --json | jq .position)
ledger trial-balance --json --at "$at" >"$folder/sums.json"
ledger custody --at "$at"
ledger export --format hledger --at "$at" -o "$folder/ledger.journal"
ledger export --format beancount --at "$at" -o "$folder/ledger.beancount"

stated=$(jq -r '[.accounts[] | select(.account == "bank.fbo.sandbox")] | length' "$folder/sums.json")
((stated > 0)) || fail 'no statement was booked'

hledger -f "$folder/ledger.journal" check
hledger -f "$folder/ledger.journal" check accounts commodities
echo 'hledger: every transaction balances, every assertion holds'
bean-check "$folder/ledger.beancount"
echo 'Beancount: every transaction balances, every assertion holds'

# Negative control: both tools must report an amount that is wrong by one cent.
for name in ledger.journal ledger.beancount; do
    sed '0,/ 12\.34 USD/s// 12.35 USD/' "$folder/$name" >"$folder/wrong.${name##*.}"
    if ! cmp -s "$folder/$name" "$folder/wrong.${name##*.}"; then continue; fi
    fail "$name holds no 12.34 to spoil"
done
if hledger -f "$folder/wrong.journal" check >/dev/null 2>&1; then fail 'hledger does not see a wrong cent'; fi
if bean-check "$folder/wrong.beancount" >/dev/null 2>&1; then fail 'Beancount does not see a wrong cent'; fi

# Compares hledger's sums with Daybook's, account by account. In Daybook, all nodes together are one row.
theirs() {
    hledger -f "$folder/ledger.journal" balance --flat --empty --no-total --output-format csv |
        tail -n +2 | tr -d '"' | sed 's/ USD//'
}
ours() { jq -r '.accounts[] | [.account, .balance] | @tsv' "$folder/sums.json"; }
renamed() {
    awk -F, '{
        name = $1
        sub(/^liabilities:nodes:.*/, "nodes", name)
        sub(/^assets:bank:/, "bank.fbo.", name)
        sub(/^(assets|liabilities):/, "", name)
        sub(/^returns/, "ret", name)
        gsub(/:/, ".", name)
        sums[name] += $2 * 100
    } END { for (name in sums) printf "%s\t%.0f\n", name, sums[name] }' | sort
}
cents() { awk -F'\t' '{ printf "%s\t%.0f\n", $1, $2 * 100 }' | sort; }
if ! diff <(ours | cents) <(theirs | renamed); then fail "hledger's balances are not those of the trial balance"; fi
echo "hledger's balances are those of the trial balance, to the cent"
