//! Tests of receipts, events, pairs of checkpoints, and balances.

use std::path::Path;

use serde_json::{Value, json};

use crate::log::{ACCOUNT, Log, OTHER, write};
use crate::{run, run_with};

/// Creates a folder with these files.
pub(crate) fn folder<const N: usize>(files: [(&str, String); N]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        write(folder.path(), name, text);
    }
    folder
}

fn json(value: &Value) -> String {
    value.to_string()
}

#[test]
fn example_of_the_page_holds() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/verify_proof/example");
    for (arguments, says) in [
        ("event event.json", "is at position 1"),
        ("consistency consistency.json --old checkpoint-3.txt --new checkpoint-5.txt", "is the beginning of"),
        ("receipt receipt.json --checkpoint checkpoint-5.txt", "position 4 of shard 1, in commit 2"),
    ] {
        run_with(&example, &format!("--key log.pub {arguments}")).is(0, &[says, "Not checked:"]);
    }
    // Its entries are not those of a real account, so the check of their types fails.
    run_with(&example, "--key log.pub balance balance.json").is(1, &["position 2: event type 30"]);
}

#[test]
fn only_the_given_key_is_trusted() {
    let log = Log::new();
    let there = folder([
        ("mine", json(&log.receipt(3, 2))),
        ("other", "daybook.example/1+d0753ef8+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4\n".into()),
        ("none", "daybook.example/1+00000000+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4\n".into()),
    ]);
    run_with(there.path(), "receipt mine").is(2, &["no public key is given"]);
    run_with(there.path(), "--key other receipt mine").is(1, &["is not valid", "not signed by a key"]);
    run_with(there.path(), "--key none receipt mine").is(2, &["not a public key"]);
    run_with(there.path(), "--key nowhere receipt mine").is(2, &["nowhere"]);
    run(there.path(), "receipt").is(2, &["Usage"]);
    run(there.path(), "receipt nowhere").is(2, &["nowhere"]);
    run(there.path(), "receipt other").is(2, &["not a receipt"]);
    run(there.path(), "--help").is(0, &["Ends with 0"]);
}

#[test]
fn receipt_holds_only_for_its_event() {
    let log = Log::new();
    let there = folder([
        ("mine", json(&log.receipt(4, 3))),
        ("it", json(&log.event(4))),
        ("proof", json(&json!({"event": log.event(4), "path": [], "checkpoint": ""}))),
        ("other", json(&log.event(5))),
    ]);
    let said = run(there.path(), "receipt mine");
    said.is(0, &["which event it is", "whether the log still has what it promised"]);
    for event in ["it", "proof"] {
        run(there.path(), &format!("receipt mine --event {event}")).is(0, &["in every column"]);
    }
    run(there.path(), "receipt mine --event other").is(1, &["position 5", "not the event"]);
    run(there.path(), "receipt mine --event mine").is(2, &["not an event"]);
}

#[test]
fn receipt_without_path_proves_no_event() {
    let log = Log::new();
    let mut receipt = log.receipt(4, 3);
    receipt["path"] = Value::Null;
    let there = folder([("mine", json(&receipt))]);
    run(there.path(), "receipt mine").is(2, &["has no path", "not everything could be checked"]);
    let bundle = log.bundle(4);
    write(bundle.path(), "mine", json(&receipt));
    run(bundle.path(), &format!("receipt mine --export {}", bundle.path().display())).is(0, &["the receipt"]);
}

#[test]
fn receipt_is_checked_against_later_logs() {
    let (log, other) = (Log::new(), Log::forked(5));
    let there = folder([
        ("mine", json(&log.receipt(4, 3))),
        ("later", log.checkpoint(7)),
        ("same", log.checkpoint(5)),
        ("older", log.checkpoint(3)),
        ("fork", other.checkpoint(7)),
        ("proof", json(&log.consistency(5, 7))),
        ("wrong", json(&log.consistency(4, 7))),
        ("forked", json(&other.consistency(5, 7))),
    ]);
    let kept = |rest: &str| run(there.path(), &format!("receipt mine --checkpoint {rest}"));
    kept("later --consistency proof").is(0, &["the log of 5 events is the beginning of that of 7"]);
    kept("same").is(0, &["the same log of 5 events"]);
    kept("later").is(2, &["no proof of consistency"]);
    kept("older").is(2, &["the checkpoint is older"]);
    kept("later --consistency wrong").is(1, &["from 4 to 7"]);
    kept("fork --consistency forked").is(1, &["A FORK"]);
    let (good, bad) = (log.bundle(4), other.bundle(4));
    let held = |bundle: &Path| run(there.path(), &format!("receipt mine --export {}", bundle.display()));
    held(good.path()).is(0, &["the first 5 events are those of the receipt"]);
    held(bad.path()).is(1, &["A FORK", "position 5"]);
    held(Log::forked(4).bundle(4).path())
        .is(1, &["position 4: this is not the event that the receipt promises"]);
}

#[test]
fn event_needs_its_own_path() {
    let log = Log::new();
    let proof = |path: u64| {
        let mut proof = log.included(path);
        (proof["event"], proof["checkpoint"]) = (log.event(3), json!(log.checkpoint(7)));
        json(&proof)
    };
    let there = folder([("good", proof(3)), ("bad", proof(2))]);
    run(there.path(), "event good").is(0, &["is at position 3 of the 7 events"]);
    run(there.path(), "event bad").is(1, &["position 3: the event is not in the log"]);
}

#[test]
fn consistency_check_reveals_a_fork() {
    let (log, other) = (Log::new(), Log::forked(2));
    let there = folder([
        ("a3", log.checkpoint(3)),
        ("a7", log.checkpoint(7)),
        ("b3", other.checkpoint(3)),
        ("b7", other.checkpoint(7)),
        ("proof", json(&log.consistency(3, 7))),
        ("forked", json(&other.consistency(3, 7))),
        ("short", json(&log.consistency(2, 7))),
    ]);
    let check = |proof: &str, old: &str, new: &str| {
        run(there.path(), &format!("consistency {proof} --old {old} --new {new}"))
    };
    check("proof", "a3", "a7").is(0, &["the log of 3 events is the beginning of that of 7"]);
    for proof in ["proof", "forked"] {
        check(proof, "a3", "b7").is(1, &["A FORK", "does not begin with"]);
    }
    check("short", "a3", "a7").is(1, &["the proof is from 2 to 7"]);
    check("proof", "a7", "a3").is(1, &["the older checkpoint has 7 events"]);
    let same = |old: &str, new: &str| run(there.path(), &format!("consistency --old {old} --new {new}"));
    same("a3", "b3").is(1, &["A FORK: daybook.example/1 has signed two different logs of 3 events"]);
    same("a3", "a3").is(0, &["the same log"]);
    same("a3", "a7").is(2, &["no proof is given"]);
}

#[test]
fn balance_is_reported_in_decimals_with_currency() {
    let log = Log::new();
    let there = folder([
        ("between", json(&log.balance(ACCOUNT, 5, Some(4), 7))),
        ("below", json(&log.balance(OTHER, 4, Some(3), 5))),
        ("before", json(&log.balance(OTHER, 2, None, 3))),
        ("newest", json(&log.newest(OTHER, 5, 5, 6))),
        ("late", json(&log.balance(ACCOUNT, 7, Some(4), 7))),
    ]);
    let said = run(there.path(), "balance between");
    said.is(0, &["posted 100.00 USD, held 25.01 USD, available 74.99 USD", "two entries of one version"]);
    run(there.path(), "--json balance between").is(0, &[r#""available":"74.99","currency":"USD""#]);
    run(there.path(), "balance below").is(0, &["posted 5.00 USD"]);
    run(there.path(), "balance before").is(0, &["had no entry yet"]);
    run(there.path(), "balance late").is(1, &["not next to each other"]);
    // The type 999 is unknown, so it cannot be checked that it commits to last entries.
    run(there.path(), "balance newest").is(2, &["posted -7.00 USD", "type 999 is newer than this program"]);
}

#[test]
fn balance_accepts_only_real_entries() {
    let log = Log::new();
    let mut both = log.balance(ACCOUNT, 5, Some(4), 7);
    both["last"] = log.newest(ACCOUNT, 5, 4, 6)["last"].clone();
    let mut disguised = log.clone();
    disguised.rows[3].kind = 5;
    let there = folder([
        ("disguised", json(&disguised.balance(ACCOUNT, 5, Some(4), 7))),
        ("user", json(&log.balance(0x10, 1, None, 1))),
        ("both", json(&both)),
        ("uncommitted", json(&log.newest(ACCOUNT, 5, 4, 7))),
    ]);
    run(there.path(), "balance user").is(1, &["not next to each other"]);
    run(there.path(), "balance disguised").is(1, &["position 4: not an entry of an account"]);
    run(there.path(), "balance both").is(2, &["it needs either next or last"]);
    run(there.path(), "balance uncommitted").is(1, &["does not say what it commits to"]);
}
