#!/usr/bin/env bash
# Runs the existing clients, unmodified, against a Daybook.
#
#   tests/clients/run.sh [daybook binary]        starts `daybook dev` in a folder of its own, and removes both after
#   BASE_URL=http://host:port tests/clients/run.sh   uses a server that runs already
#
# CLIENT_ID and CLIENT_SECRET are those that `daybook dev` makes, unless set.
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

newest_binary() {
    for binary in "$root/target/release/daybook" "$root/target/debug/daybook"; do
        if [[ -x $binary ]]; then echo "$binary"; return; fi
    done
    fail 'no daybook is built: run cargo build, or name the binary'
}

free_port() {
    node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}

start_server() {
    local port
    port=$(free_port)
    folder=$(mktemp -d)
    # PostgreSQL refuses to run as root, and the account that it runs under instead must get through here.
    chmod 755 "$folder"
    "$1" dev --settle-after 3s --data-dir "$folder/data" --listen "127.0.0.1:$port" >"$folder/daybook.log" 2>&1 &
    server=$!
    BASE_URL=http://127.0.0.1:$port
    local deadline=$((SECONDS + ready_within_s))
    until curl --silent --fail --noproxy '*' --max-time 2 --output /dev/null "$BASE_URL/health/ready"; do
        kill -0 "$server" 2>/dev/null || fail 'daybook ended before it was ready'
        ((SECONDS < deadline)) || fail "daybook was not ready within $ready_within_s s"
        sleep 0.2
    done
}

if [[ ! -d $here/node_modules ]]; then
    (cd "$here" && npm ci --silent --no-audit --no-fund)
fi
if [[ -z ${BASE_URL:-} ]]; then
    binary=${1:-$(newest_binary)}
    start_server "$binary"
fi

export BASE_URL
export CLIENT_ID=${CLIENT_ID:-client_id_dev} CLIENT_SECRET=${CLIENT_SECRET:-client_secret_dev}
# This old axios would send even what goes to the loopback through a proxy.
if ! env -u http_proxy -u HTTP_PROXY node "$here/synapsenode.mjs"; then
    fail 'synapsenode found a difference'
fi
