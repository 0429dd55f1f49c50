//! Whole exports: valid ones hold, and each error is reported with its place.

use std::fs;

use crate::log::{Log, bundle, write};
use crate::{Said, run};

fn check(folder: &tempfile::TempDir) -> Said {
    run(folder.path(), &format!("export {}", folder.path().display()))
}

#[test]
fn valid_export_matches_its_checkpoints() {
    let log = Log::new();
    let bundle = log.bundle(4);
    let said = check(&bundle);
    said.is(0, &["7 events in 4 commits", "4 signatures", "no checkpoint was given", "what the events say"]);
    for size in [0, 1, 4, 7] {
        write(bundle.path(), &format!("checkpoint-{size}"), log.checkpoint(size));
    }
    let all = "--checkpoint checkpoint-7 checkpoint-0 checkpoint-1 checkpoint-4";
    let said = run(bundle.path(), &format!("export {} {all}", bundle.path().display()));
    said.is(0, &["the first 0 events", "the first 1 events", "the first 4 events", "the first 7 events"]);
    assert!(!said.text.contains("no checkpoint was given"));
}

#[test]
fn only_a_checkpoint_reveals_a_cut_tail() {
    let log = Log::new();
    let bundle = log.bundle(3);
    check(&bundle).is(0, &["5 events", "whether events were cut from the end"]);
    write(bundle.path(), "checkpoint", log.checkpoint(7));
    let said = run(bundle.path(), &format!("export {} --checkpoint checkpoint", bundle.path().display()));
    said.is(1, &["commit 4, position 6: THE EXPORT IS CUT"]);
}

#[test]
fn earlier_checkpoint_reveals_another_history() {
    let (log, other) = (Log::new(), Log::forked(4));
    let bundle = other.bundle(4);
    check(&bundle).is(0, &["7 events"]);
    write(bundle.path(), "early", log.checkpoint(3));
    write(bundle.path(), "late", log.checkpoint(6));
    let at = bundle.path().display();
    run(bundle.path(), &format!("export {at} --checkpoint early")).is(0, &["the first 3 events"]);
    run(bundle.path(), &format!("export {at} --checkpoint early late"))
        .is(1, &["commit 4, position 6: A FORK"]);
    // No trusted key has signed this one.
    write(bundle.path(), "forged", log.checkpoint(3).replace("example", "exbmple"));
    run(bundle.path(), &format!("export {at} --checkpoint forged")).is(1, &["not signed by a key"]);
}

#[test]
fn checkpoint_of_another_log_is_a_finding() {
    let log = Log::new();
    let bundle = log.bundle(4);
    let other = daybook_proof::Signer::new("daybook.example/2", &[9; 32]).expect("a key");
    let checkpoint = log.checkpoint(3).replace("example/1", "example/2");
    let head =
        daybook_proof::Checkpoint::parse(&checkpoint[..checkpoint.find("\n\n").map_or(0, |at| at + 1)]);
    let note = head.expect("a checkpoint").sign(std::slice::from_ref(&other)).expect("is signed").render();
    write(bundle.path(), "checkpoint", note);
    let (at, key) = (bundle.path().display(), other.key().text());
    let said = run(bundle.path(), &format!("--key-text {key} export {at} --checkpoint checkpoint"));
    said.is(1, &["of several logs: daybook.example/1, daybook.example/2"]);
}

#[test]
fn errors_under_valid_hashes_name_their_place() {
    let log = Log::new();
    let good = log.lines(1..=2);
    let edited = |of: &str, by: &str| {
        let lines = good.replacen(of, by, 1);
        assert!(lines != good, "{of}");
        check(&bundle(&[(1..=2, lines), (3..=4, log.lines(3..=4))]))
    };
    let at_two = format!("{}{}", log.event_line(2), log.commit_line(1));
    for (of, by, says) in [
        (
            r#"posted\":10000"#,
            r#"posted\":10001"#,
            "commit 1, position 1: the root is not that of the events 1 to 2",
        ),
        (
            r#"posted\":500"#,
            r#"posted\":501"#,
            "commit 2, position 3: the root is not that of the events 3 to 3",
        ),
        ("\"sealed\":\"q6ur", "\"sealed\":\"r6ur", "commit 1, position 1: the box is not the one"),
        (
            &log.event_line(2),
            "",
            "commit 1, position 1: the commit ends at position 2, its events from 1 to 1",
        ),
        (&log.event_line(1), "", "commit 1, position 1: position 2 stands where 1 should"),
        (&at_two, "", "commit 1, position 2: position 3 stands where 2 should"),
        (&log.commit_line(1), "", "commit 1, position 1: commit 2 stands where 1 should"),
        (r#""position":2"#, r#""position": 2"#, "line 2: it is not written as an export writes it"),
        (r#""position":2"#, r#""positoin":2"#, "line 2: unknown field"),
        (r#""signature":""#, r#""signature":null,"#, "line 3: "),
        (r#""batch":"0193"#, r#""batch":"0194"#, "commit 1, position 1: the commit: the signature"),
        (r#""root":""#, r#""root":"A"#, "line 3: "),
        (r#""commit_no":1,"#, r#""commit_no":4,"#, "commit 1, position 1: commit 4 stands where 1 should"),
    ] {
        edited(of, by).is(1, &[says]);
    }
}

#[test]
fn impossible_times_are_findings() {
    let mut log = Log::new();
    log.rows[2].at -= 5;
    check(&log.bundle(4))
        .is(1, &["commit 2, position 3: the commit is of an earlier time than the one before it"]);
    let mut log = Log::new();
    log.rows[3].at += 1;
    let said = check(&log.bundle(4));
    said.is(1, &["commit 3, position 5: it is of another time than the event before it"]);
    said.is(1, &["commit 3, position 4: the events are of another time than their commit"]);
}

#[test]
fn wrong_segment_is_named() {
    let log = Log::new();
    let second = "segment-000002.ndjson.zst";
    let missing = log.bundle(4);
    fs::remove_file(missing.path().join(second)).expect("is removed");
    check(&missing).is(1, &["commit 3, position 4: segment segment-000002.ndjson.zst: it is missing"]);
    let longer = log.bundle(4);
    let mut bytes = fs::read(longer.path().join(second)).expect("is there");
    bytes.extend(bytes.clone());
    write(longer.path(), second, &bytes);
    check(&longer).is(1, &["commit 3, position 4: segment segment-000002.ndjson.zst: it has"]);
    // A segment that unpacks to far more than it states is not unpacked to its end.
    let bomb = log.bundle(4);
    write(bomb.path(), second, zstd::encode_all(vec![b' '; 64 << 20].as_slice(), 3).expect("packs"));
    check(&bomb).is(1, &["its lines are not those"]);
    let whole = bundle(&[(1..=2, log.lines(1..=1)), (3..=4, log.lines(3..=4))]);
    check(&whole)
        .is(1, &["commit 2, position 3: segment segment-000001.ndjson.zst ends at position 2, commit 1"]);
}

#[test]
fn invalid_manifest_is_a_finding() {
    let log = Log::new();
    let folder = log.bundle(4);
    let good = fs::read_to_string(folder.path().join("manifest.json")).expect("is there");
    let edited = |of: &str, by: &str| {
        write(folder.path(), "manifest.json", good.replacen(of, by, 1));
        check(&folder)
    };
    edited("a-log", "b-log").is(1, &["manifest.json: its digest is not that of what it says"]);
    edited("\"commit_no\":4", "\"commit_no\":5").is(1, &["and not at its head"]);
    edited("\"version\":1", "\"version\":2").is(2, &["version 2"]);
    edited("{", "[").is(1, &["it cannot be read"]);
    edited("segment-000001", "../egment-00001").is(1, &["it is not in the folder"]);
    let escape = edited("segment-000001", "\\u001b[2K\\nsegment-1");
    escape.is(1, &["is missing"]);
    assert!(!escape.text.contains('\u{1b}') && !escape.text.contains("\nsegment-1"), "{}", escape.text);
    fs::remove_file(folder.path().join("manifest.json")).expect("is removed");
    check(&folder).is(2, &["manifest.json"]);
}

#[test]
fn missing_box_changes_no_proof() {
    let log = Log::new();
    let lines = log.lines(1..=2);
    let start = lines.find("\"sealed\":\"").expect("a box") + 9;
    let end = start + lines[start..].find(",\"sealed_hash\"").expect("its hash");
    let lines = format!("{}null{}", &lines[..start], &lines[end..]);
    let erased = bundle(&[(1..=2, lines), (3..=4, log.lines(3..=4))]);
    check(&erased).is(0, &["1 boxes that are not in the export"]);
}
