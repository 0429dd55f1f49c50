# Short names for cargo commands. They contain no logic.

# Lists the recipes.
default:
    @just --list

# Serves a sandbox on an embedded PostgreSQL.
dev *args:
    cargo run --release -- dev {{args}}

# Formats, lints and tests, as CI does.
check:
    bash .ci/run

# Runs all tests.
test:
    cargo test --workspace

# Counts doc comments without a subject and test names that are too long, for each crate.
prose:
    cargo test -p daybook-tests --test it -- prose --nocapture

# Adds the next chapter to the golden history; see tests/golden/history/README.md.
chapter:
    cargo test -p daybook-tests --test it -- --ignored golden::history::next_chapter_is_written

# Compares random histories with a second model of the ledger: [--faults], --seeds N, --seed FIRST, --steps K.
sim *args:
    cargo run --release -p daybook-sim -- {{args}}

# Injects faults into real processes for half an hour and checks the guarantees; docs/RELIABILITY.md. Its own build.
torture *args:
    cargo build --profile gate --target-dir target/torture -p daybook-cli -p daybook-torture --features daybook-cli/failpoints
    target/torture/gate/daybook-torture run --binary target/torture/gate/daybook --api 2 --duration-s 1800 --nemesis api-kill,api-kill-aimed,before-append,before-commit,in-commit,after-commit,after-answer,before-cursor,pg-kill,pg-immediate,backend-kill,pause,sigterm,rebuild {{args}}

# Runs every check in the table of docs/RELIABILITY.md, as root, in more than an hour: [--only PATTERN].
guarantees *args:
    cargo build --profile gate --target-dir target/torture -p daybook-cli -p daybook-torture --features daybook-cli/failpoints
    bash tests/torture/guarantees.sh {{args}} target/torture/gate

# Checks that the torture detects each defect in tests/torture/mutants: [--any | PATTERN].
negative-controls *args:
    cargo build --package daybook-torture
    bash tests/torture/mutants.sh {{args}} target/debug/daybook-torture

# Checks that the simulation detects each defect in tests/sim/mutants.tsv: [--write] [PATTERN].
mutants *args:
    bash tests/sim/mutants.sh {{args}}

# Runs published client libraries, unmodified, against a release build.
clients:
    cargo build --release
    bash tests/clients/run.sh target/release/daybook

# Sends generated calls to a release build: no response is a 5xx or differs from the description.
schemathesis:
    cargo build --release
    bash tests/schemathesis/run.sh target/release/daybook

# Opens the page of the API in a browser, and converts the description for Postman.
docs-page:
    cargo build --release
    bash tests/docs_page/run.sh target/release/daybook

# Tests webhooks while the process is killed and receivers are unavailable; figures are in docs/PERFORMANCE.md.
webhooks:
    cargo build --release
    bash tests/webhooks/run.sh target/release/daybook

# Measures an honest caller during attacks by strangers and by another platform; figures are in docs/SECURITY.md.
attacks:
    cargo build --release
    python3 tests/attacks/attacks.py target/release/daybook

# Checks proofs with a verifier in Python that was written from docs/reference/proof.md alone.
verify-proof:
    python3 tests/clients/verify_proof/test.py

# Checks that the crate of proofs builds without a standard library, as in a browser.
no-std:
    rustup target add wasm32v1-none
    cargo check --package daybook-proof --target wasm32v1-none

# Runs every command of docs/how-to/backup.md on its own PostgreSQL: backup, restore, restore to a time, failover.
runbook:
    cargo build --release --package daybook-cli --package daybook-verify
    bash tests/runbook/run.sh target/release

# Runs three PostgreSQL servers under Patroni and two services behind HAProxy, and fails machines under load; as root: --times N, --only lost,parted.
failover *args:
    cargo build --package daybook-cli --package daybook-torture
    bash tests/failover/run.sh {{args}} target/debug

# Writes through one service and reads through another that answers from standbys, slowed in turn: --pairs N, --standbys N, --reads N.
replicas *args:
    cargo build --release --package daybook-cli --package daybook-torture
    target/release/daybook-torture replicas --binary target/release/daybook {{args}}

# Runs the integration tests on the oldest and the newest PostgreSQL; their programs come from npm: [filters].
majors *filters:
    bash tests/majors/run.sh {{filters}}

# Runs the blocks of the how-to pages in a shell and compares their output with the pages.
pages:
    cargo build --release --package daybook-cli
    python3 tests/pages/run.py target/release/daybook

# Runs every command of docs/how-to/upgrade-postgresql.md; OLD and NEW are folders with all programs of two versions.
upgrade old new:
    cargo build --release --package daybook-cli
    bash tests/pages/upgrade.sh target/release {{old}} {{new}}

# Checks the export with hledger and Beancount.
export-check:
    cargo build --release
    bash tests/export/run.sh target/release/daybook

# Service and peers are built at the same time. The service goes first: it ends with a minute or two of linking, which
# leaves a core idle.
# Measures every performance target with its baseline and its peers; docs/PERFORMANCE.md explains the report.
bench *args:
    bash tests/release/run.sh & nice cargo build --release --locked --manifest-path tests/peers/Cargo.toml && wait $!
    target/optimized/daybook-bench --peers tests/peers/target/release/peers --output target/bench.md --json target/bench.json {{args}}

# Kills one of three servers with shards under load, again and again: --kills N, --away-s N.
servers *args:
    cargo build --release --package daybook-cli --package daybook-torture
    target/release/daybook-torture servers --binary target/release/daybook {{args}}

# Checks that a test detects each defect in tests/shards/mutants: [PATTERN].
shard-mutants *args:
    bash tests/shards/mutants.sh {{args}}

# Runs the integration tests on databases with four shards, then on three servers: [--tenth].
shards *args:
    bash tests/shards/run.sh {{args}}

# Measures how cost grows with log, nodes, uncached users, open snapshot: --events 1e5,1e6,1e7, --only cold, --quick.
growth *args:
    cargo build --release --package daybook-cli --package daybook-bench
    python3 tests/growth/growth.py target/release/daybook {{args}}

# Measures the peers on a given server: --database-url URL [--duration 8s] [--only cala-ledger,postgres-es].
peers *args:
    cargo run --release --locked --manifest-path tests/peers/Cargo.toml -- {{args}}

# Counts instructions of parts of the ledger and compares them with tests/gate/instructions.tsv; --bless stores them.
gate *args:
    cargo run --profile gate --locked --package daybook-gate -- {{args}}

# Checks licences, bans, sources and advisories of all dependencies; reports checks that are impossible here.
deny:
    bash .ci/deny

# Leak detection is off: actix keeps data for each thread.
# Fuzzes each parser for SECONDS; needs cargo-fuzz and a nightly toolchain. Findings are in tests/fuzz/artifacts.
fuzz seconds="600" *targets="amount bai2 bank_csv body bundle camt event header mt940 path proof returns statement webhook_url":
    for target in {{targets}}; do ASAN_OPTIONS=detect_leaks=0 cargo +nightly fuzz run --fuzz-dir tests/fuzz $target -- -max_total_time={{seconds}} || exit 1; done

# Checks that refusals of credentials take the same time for every reason: 20,000 of each kind, Welch's t-test.
constant-time:
    cargo test --release -p daybook-tests --test it -- --ignored --nocapture --test-threads 1 security::timing

# Writes the bill of materials of the binary as CycloneDX.
sbom:
    mkdir -p target
    python3 tests/sbom/sbom.py daybook-cli > target/sbom.json

# Builds target/optimized/daybook with profile-guided optimization; --train measures a new profile with the bench.
release *args:
    bash tests/release/run.sh {{args}}

# Checks that builds in two folders have the same bytes: PACKAGE BINARY PROFILE, by default the release of the service.
reproducible *args:
    bash tests/reproducible/run.sh {{args}}
