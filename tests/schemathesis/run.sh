#!/usr/bin/env bash
# Runs Schemathesis against /openapi.json: no response to its calls is a 5xx, and none has a status, a content type or a
# schema that is not described.
#
#   tests/schemathesis/run.sh [daybook binary]      SEED=N repeats a run, EXAMPLES=N is the number of examples (100)
#
# The first run uses ids that exist, so that calls pass the lookup. The second run follows links from records that it
# created. Both send the credentials of the platform, of a user and of an operator; each call uses those that it needs.
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
# PostgreSQL refuses to run as root; the account that it uses instead must be able to enter this folder.
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

# schemathesis SETTINGS PHASES: a request may take 45 s, because a call that waits for events may take 30 s. One worker:
# with two, CPython sometimes miscounts the recursion depth of its syntax trees.
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
