#!/usr/bin/env bash
# Loses machines under load, again and again: three of PostgreSQL, Patroni and etcd, two of `daybook serve`, one of HAProxy.
#
#   tests/failover/run.sh [--times N] [--only EVENT,…] [--way hosts|haproxy] [--patroni VERSION|debian] [--rate N] [--out LOGS] [FOLDER]
#
# FOLDER has daybook and daybook-torture. A machine is a network, a process and a mount namespace of this one, on a bridge that
# reaches nothing else; what runs in them ends with this script. It needs root, Debian's packages of etcd and HAProxy, which it
# installs if they are missing, and Patroni of PyPI, which it installs into a folder that goes with the script. `--patroni debian`
# takes Debian's package: 3.0.2 of Debian 12 loses acknowledged payments in the event `parted`, and the run fails.
#
# Codes: 0 all held, 1 something did not, 2 it could not be set up, 77 NOT RUN: this machine lacks what it takes.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

not_run() {
    printf '\n*** NOT RUN: %s ***\nNothing was tested.\n' "$1" >&2
    exit 77
}

options=() patroni=4.1.5 binaries=$root/target/debug
while (($#)); do
    case $1 in
        --times | --only | --way | --rate | --seed | --out) options+=("$1" "$2") && shift 2 ;;
        --patroni) patroni=$2 && options+=("$1" "$2") && shift 2 ;;
        -*) echo "run.sh: there is no option $1" >&2 && exit 2 ;;
        *) binaries=$1 && shift ;;
    esac
done
for binary in daybook daybook-torture; do
    [[ -x $binaries/$binary ]] || { echo "run.sh: $binaries has no $binary: build it, or name its folder" >&2; exit 2; }
done

# has COMMAND…: true if all are installed, also where only root looks.
has() { PATH=$PATH:/usr/sbin:/sbin command -v "$@" >/dev/null; }

# install_missing: packages whose programs are not there. Their services are not started: what runs here is started below.
install_missing() {
    local packages=() policy=/usr/sbin/policy-rc.d made=''
    # Its folders are used also where its program is not: see the how-to.
    [[ -d /etc/patroni ]] && has patroni || packages+=(patroni)
    [[ $patroni == debian ]] || /usr/bin/python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)
    has etcd || packages+=(etcd-server)
    has haproxy || packages+=(haproxy)
    has ip || packages+=(iproute2)
    has openssl || packages+=(openssl)
    ls -d /usr/lib/postgresql/*/bin >/dev/null 2>&1 || packages+=(postgresql)
    ((${#packages[@]})) || return 0
    has apt-get || return 1
    if [[ ! -e $policy ]]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" && made=yes
    fi
    local code=0
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"; } >&2 || code=$?
    [[ -z $made ]] || rm -f "$policy"
    return "$code"
}

((EUID == 0)) || not_run 'machines are namespaces, which only root makes'
unshare --net --mount --pid --fork true 2>/dev/null || not_run 'this machine does not allow namespaces'
install_missing || not_run 'the packages of etcd, HAProxy, PostgreSQL or Patroni could not be installed'
has python3 || not_run 'there is no python3'

stage=$(mktemp -d /var/tmp/daybook-failover-XXXXXX)
trap 'rm -rf "$stage"' EXIT
# Nothing outlives the script: the kernel ends what is in the namespace of a process that is killed.
trap 'kill -9 $run; exit 2' INT TERM
chmod 755 "$stage"
mkdir "$stage/bin"
cp "$binaries/daybook" "$binaries/daybook-torture" "$stage/bin/"
if [[ $patroni != debian ]]; then
    { /usr/bin/python3 -m venv "$stage/patroni" && "$stage/patroni/bin/pip" install -q "patroni[etcd3,psycopg3]==$patroni"; } >&2 ||
        not_run "Patroni $patroni could not be installed"
    ln -s "$stage/patroni/bin/patroni" "$stage/patroni/bin/patronictl" "$stage/bin/"
fi
# The shell stays between: the first process of a process namespace has to reap.
run='' code=0
unshare --net --mount --pid --fork --mount-proc --kill-child \
    bash -c 'python3 "$@"; exit $?' bash "$here/failover.py" --stage "$stage" --root "$root" "${options[@]}" &
run=$!
wait "$run" || code=$?
exit "$code"
