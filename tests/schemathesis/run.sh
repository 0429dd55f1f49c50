#!/usr/bin/env bash
# Schemathesis against /openapi.json: whatever it sends, no answer is a 5xx, and none has a status, a type or a shape that is
# not described.
#
#   tests/schemathesis/run.sh [daybook binary]      SEED=N does the same once more, EXAMPLES=N says how many of each (100)
#
# The first run has ids that exist, so that calls come to what they do. The second follows links from what it made itself.
# Both have the credentials of the platform, of a user and of an operator at once: each call takes those that it wants.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
binary=$(realpath "${1:-$root/target/release/daybook}")
seed=${SEED:-$RANDOM}
examples=${EXAMPLES:-100}
checks=not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance

modules=$here/python_modules
if ! cmp -s "$here/requirements.txt" "$modules/.asked"; then
    rm -rf "$modules"
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore \
        --target "$modules" --requirement "$here/requirements.txt"
    cp "$here/requirements.txt" "$modules/.asked"
fi

folder=$(mktemp -d)
# PostgreSQL refuses to run as root, and the account that it runs under instead must get through here.
chmod 755 "$folder"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$binary" dev --settle-after 3s --data-dir "$folder/data" --listen "127.0.0.1:$port" >"$folder/daybook.log" 2>&1 &
server=$!
trap 'kill -TERM $server 2>/dev/null; wait $server 2>/dev/null || true; rm -rf "$folder"' EXIT
base=http://127.0.0.1:$port
deadline=$((SECONDS + 120))
until curl --silent --fail --noproxy '*' --max-time 2 --output /dev/null "$base/health/ready"; do
    kill -0 $server 2>/dev/null && ((SECONDS < deadline)) || { tail -n 30 "$folder/daybook.log" >&2; exit 1; }
    sleep 0.2
done

# schemathesis SETTINGS PHASES. Who waits for events may wait for half a minute. One worker: with two, CPython now and then loses
# count of how deep it is in its own syntax trees.
schemathesis() {
    (cd "$folder" && PYTHONPATH=$modules no_proxy='*' python3 -m schemathesis.cli --config-file "$1" run "$base/openapi.json" \
        --request-timeout 45 --phases "$2" --max-examples "$examples" --seed "$seed" --checks $checks --workers 1 --continue-on-failure \
        --warnings off --no-color)
}

echo "seed $seed"
python3 "$here/world.py" "$base" >"$folder/world.toml"
schemathesis "$folder/world.toml" examples,coverage,fuzzing
sed '/^\[parameters\]/,$d' "$folder/world.toml" >"$folder/links.toml"
schemathesis "$folder/links.toml" stateful
if grep -E '"level":"ERROR"|panicked' "$folder/daybook.log"; then
    echo 'run.sh: the service logged an error' >&2
    exit 1
fi
