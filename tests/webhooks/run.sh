#!/usr/bin/env bash
# Tortures webhooks of a release build.
#
#   tests/webhooks/run.sh [daybook binary]
#
# kills.py kills the process again and again and looks whether everything is told; latency.py looks whether dead receivers
# slow the ledger. Nothing else should run meanwhile. SEED=N does the first once more with the same seed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
clients=$root/tests/clients
binary=$(realpath "${1:-$root/target/release/daybook}")

for tool in psql python3; do
    command -v "$tool" >/dev/null || { echo "run.sh: $tool is missing" >&2; exit 1; }
done
# The folder and the versions are those of tests/clients/run.sh.
if ! cmp -s "$clients/requirements.txt" "$clients/python_modules/.asked"; then
    rm -rf "$clients/python_modules"
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore \
        --target "$clients/python_modules" --requirement "$clients/requirements.txt"
    cp "$clients/requirements.txt" "$clients/python_modules/.asked"
fi
export PYTHONPATH=$clients/python_modules

python3 "$here/kills.py" "$binary" ${SEED:+--seed "$SEED"}
python3 "$here/latency.py" "$binary"
