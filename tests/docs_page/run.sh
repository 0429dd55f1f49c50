#!/usr/bin/env bash
# Opens the page of the API in a browser, and converts the description for Postman.
#
#   tests/docs_page/run.sh [daybook binary]
#
# Needs Chromium, from PATH or from Debian's package, which is installed if possible. DAYBOOK_BLESS=1 writes the
# screenshot again.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
binary=$(realpath "${1:-$here/../../target/release/daybook}")

for tool in node npm; do
    command -v "$tool" >/dev/null || { echo "run.sh: $tool is missing" >&2; exit 1; }
done
if ! command -v chromium >/dev/null && command -v apt-get >/dev/null; then
    as_root() { if ((EUID == 0)); then "$@"; else sudo "$@"; fi; }
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
# The folder is kept, and created again when the required versions change.
if ! cmp -s "$here/package-lock.json" "$here/node_modules/.asked"; then
    (cd "$here" && npm ci --silent --no-audit --no-fund)
    cp "$here/package-lock.json" "$here/node_modules/.asked"
fi
node "$here/main.mjs" "$binary"
