#!/usr/bin/env bash
# Runs the existing clients, unmodified, against Daybook.
#
#   tests/clients/run.sh [daybook binary]        starts `daybook dev` in a temporary folder, and removes both afterwards
#   BASE_URL=http://host:port tests/clients/run.sh   uses a running server
#
# CLIENT_ID and CLIENT_SECRET default to those of `daybook dev`. The results must equal docs/reference/clients.md;
# DAYBOOK_BLESS=1 writes them there. The last lines of the output contain the counts of each client.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
ready_within_s=120

folder=$(mktemp -d)
# PostgreSQL refuses to run as root; the account that it uses instead must be able to enter this folder.
chmod 755 "$folder"
server=''
clean_up() {
    if [[ -n $server ]]; then
        kill -TERM "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$folder"
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

# Both folders are kept, and created again when the required versions change.
install_libraries() {
    if ! cmp -s "$here/package-lock.json" "$here/node_modules/.asked"; then
        (cd "$here" && npm ci --silent --no-audit --no-fund) || fail 'npm cannot install the libraries'
        cp "$here/package-lock.json" "$here/node_modules/.asked"
    fi
    if ! cmp -s "$here/requirements.txt" "$here/python_modules/.asked"; then
        rm -rf "$here/python_modules"
        python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore \
            --target "$here/python_modules" --requirement "$here/requirements.txt" ||
            fail 'pip cannot install the libraries'
        cp "$here/requirements.txt" "$here/python_modules/.asked"
    fi
}

# client NAME COMMAND...: runs a client and keeps the last line of its output for the end.
failed=()
client() {
    local name=$1
    shift
    echo "--- $name"
    FRAGMENT="$folder/$name.md" "$@" | tee "$folder/$name.log" || failed+=("$name")
    tail -n 1 "$folder/$name.log" >"$folder/$name.counts"
}

for tool in curl jq node npm python3; do
    command -v "$tool" >/dev/null || fail "$tool is missing"
done
install_libraries
if [[ -z ${BASE_URL:-} ]]; then
    binary=${1:-$(newest_binary)}
    start_server "$binary"
fi

export BASE_URL PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/python_modules:$here/harness
export CLIENT_ID=${CLIENT_ID:-client_id_dev} CLIENT_SECRET=${CLIENT_SECRET:-client_secret_dev}
# The old axios uses a proxy even for loopback addresses.
unset http_proxy HTTP_PROXY

echo '--- webhooks'
python3 "$here/webhooks/test.py" || failed+=(webhooks)
echo '--- quick starts'
python3 "$here/quick_starts/test.py" || failed+=('quick starts')
client synapsenode node "$here/synapsenode/main.mjs"
client synapsepay node "$here/synapsepay/main.mjs"
client synapsepy python3 "$here/synapsepy/main.py"
client rest_native python3 "$here/rest_native/main.py"

echo '--- counts'
for name in synapsenode synapsepay synapsepy rest_native; do
    echo "$name: $(<"$folder/$name.counts")"
done
if ((${#failed[@]})); then fail "found a difference: ${failed[*]}"; fi
node "$here/page.mjs" "$folder"
