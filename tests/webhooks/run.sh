#!/usr/bin/env bash
# Tests webhooks of a release build under faults.
#
#   tests/webhooks/run.sh [daybook binary]
#
# kills.py kills the process repeatedly and checks that every event is delivered; latency.py checks that unavailable
# receivers do not slow the ledger. No other program should run at the same time. SEED=N repeats kills.py with a seed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
clients=$root/tests/clients
binary=$(realpath "${1:-$root/target/release/daybook}")

for tool in psql python3; do
    command -v "$tool" >/dev/null || { echo "run.sh: $tool is missing" >&2; exit 1; }
done
# The same folder and versions as in tests/clients/run.sh.
if ! cmp -s "$clients/requirements.txt" "$clients/python_modules/.asked"; then
    rm -rf "$clients/python_modules"
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore \
        --target "$clients/python_modules" --requirement "$clients/requirements.txt"
    cp "$clients/requirements.txt" "$clients/python_modules/.asked"
fi
export PYTHONPATH=$clients/python_modules

python3 "$here/kills.py" "$binary" ${SEED:+--seed "$SEED"}
python3 "$here/latency.py" "$binary"
