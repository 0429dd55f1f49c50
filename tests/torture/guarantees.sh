#!/usr/bin/env bash
# Runs every measurement behind docs/RELIABILITY.md, one after the other. Reports go to target/guarantees.
#
#   tests/torture/guarantees.sh [--only PATTERN] FOLDER    # FOLDER contains daybook and daybook-torture, built with failpoints
#
# All runs take more than an hour. Runs that need root, loop devices, strace or faketime report it and fail where these
# are missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

only=.
if [[ ${1:-} == --only ]]; then only=$2 && shift 2; fi
binaries=${1:?a folder with daybook and daybook-torture}
out=target/guarantees
mkdir -p "$out"

failed=0
# shows NAME ARGUMENTS…: makes one run, writes its report to a file of its own, and prints its figures. With
# refutes=CHECK the run is a negative control: it succeeds if exactly this check fails.
shows() {
    local name=$1 code=0 begin=$SECONDS
    shift
    grep -qE -- "$only" <<<"$name" || return 0
    local to=()
    [[ $1 != run ]] || to=(--out "$out/$name")
    "$binaries/daybook-torture" "$1" --binary "$binaries/daybook" "${to[@]}" "${@:2}" >"$out/$name.txt" 2>"$out/$name.log" || code=$?
    if [[ -n ${refutes:-} ]]; then
        code=0
        [[ $(sed -n 's/^\(C[0-9]*\) FAILED .*/\1/p' "$out/$name.txt") == "$refutes" ]] || code=1
    fi
    # The history is deleted after a successful run: it is only of use with a finding.
    ((code > 0)) || rm -rf "${out:?}/$name"
    ((code == 0)) || failed=1
    echo "$name: $( ((code == 0)) && echo ok || echo "FAILED ($code)"), $((SECONDS - begin)) s: $*"
    sed -n '/^[^C]/s/^/    /p' "$out/$name.txt"
}

# Faults of the service.
shows api-kill run --nemesis api-kill,api-kill-aimed --faults 200 --interval-ms 300 --rate 200 --seed 102
for point in before-append before-commit in-commit after-commit after-answer; do
    shows "$point" run --nemesis "$point" --faults 200 --interval-ms 40 --rate 200 --seed 11
done
shows before-cursor run --nemesis before-cursor --faults 500 --interval-ms 40 --rate 200 --seed 12
shows one-key run --workload one-key-100 --nemesis api-kill-aimed --operations 100000 --interval-ms 500 --rate 100000 --threads 64 --seed 15
# Faults of PostgreSQL.
shows pg-kill run --nemesis pg-kill --faults 50 --interval-ms 2500 --rate 200 --seed 14
shows pg-kill-again run --nemesis pg-kill --faults 50 --interval-ms 300 --rate 200 --seed 103
shows pg-immediate run --nemesis pg-immediate --faults 50 --interval-ms 1500 --rate 200 --seed 16
shows backend-kill run --nemesis backend-kill --faults 50 --interval-ms 1500 --rate 200 --seed 17
shows fsync-error run --nemesis fsync-error --workload bank,one-key --faults 20 --seed 1125
# Faults of the network between them.
shows commit-drop run --nemesis commit-drop --faults 110 --seed 1122
shows lost-tail run --api 2 --nemesis lost-tail --duration-s 30 --interval-ms 800 --seed 7
shows net run --nemesis net-cut,net-reset,net-black-hole,net-half-open,net-delay,net-throttle,net-truncate --faults 42 --seed 1123
# Runs with two services.
shows pause run --api 2 --nemesis pause --faults 50 --interval-ms 700 --rate 200 --seed 5
shows rebuild run --api 2 --nemesis rebuild --faults 50 --interval-ms 700 --rate 200 --seed 7
shows rolling run --api 2 --nemesis rolling --faults 200 --interval-ms 100 --rate 200 --seed 33
# Control: without the drain time of two seconds the balancer notices a stopping service too late, so calls fail.
refutes=C17 shows rolling-control run --api 2 --nemesis rolling --faults 15 --interval-ms 100 --rate 5000 --threads 64 --env DAYBOOK_DRAIN=0s --seed 33
shows clock run --nemesis clock --faults 50 --interval-ms 500 --rate 200 --seed 31
# Clients without credentials ask for proofs during the faults.
shows strangers run --api 2 --workload strangers,bank --nemesis api-kill,pause --duration-s 40 --interval-ms 4000 --seed 5
# Operators hand in the bank's files, match and restate at two services.
shows statements run --api 2 --workload statements --nemesis api-kill,api-kill-aimed,after-commit,before-cursor,pg-kill,pg-immediate,backend-kill,pause,sigterm,rebuild --duration-s 180 --seed 7
# Faults after which the checks of `run` cannot be made: these commands compare payments with the log.
shows power-cut power-cut --cuts 50 --seed 1122
shows power-cut-fsync power-cut --control fsync
shows power-cut-commit power-cut --control synchronous-commit
shows failover failover --times 50 --seed 1122
shows failover-asynchronous failover --asynchronous --times 10 --seed 1122
shows disk-full disk-full --fills 10 --seed 32
shows tamper tamper --times 200 --events 10000 --seed 1122
shows flip flip --times 100 --seed 1122
shows restore restore --times 50 --seed 1122
# DAYBOOK_BEFORE is a binary of the previous release, with an older schema.
if [[ -n ${DAYBOOK_BEFORE:-} ]]; then
    shows migrate migrate --from "$DAYBOOK_BEFORE" --times 3 --seed 34
fi
exit "$failed"
