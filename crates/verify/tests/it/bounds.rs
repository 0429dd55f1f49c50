//! Exports with more data than is read, and with impossible claims.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::log::{Log, bundle, bundle_with};
use crate::{Said, run};

fn check(folder: &TempDir) -> Said {
    run(folder.path(), &format!("export {}", folder.path().display()))
}

#[test]
fn bytes_behind_a_frame_are_a_finding() {
    let log = Log::new();
    let segments = [(1..=2, log.lines(1..=2)), (3..=4, log.lines(3..=4))];
    check(&bundle_with(&segments, b"")).is(0, &["7 events"]);
    let frame = zstd::encode_all(log.event_line(1).as_bytes(), 3).expect("packs");
    for tail in [&b"tail"[..], &frame] {
        let said = check(&bundle_with(&segments, tail));
        said.is(1, &[&format!("its last {} bytes are behind its frame", tail.len()), "were not looked at"]);
    }
}

#[test]
fn empty_lines_and_bombs_make_one_finding() {
    let log = Log::new();
    let said = check(&bundle(&[(1..=4, log.lines(1..=4) + &"\n".repeat(1 << 20))]));
    said.is(1, &["says that there is none"]);
    assert_eq!(said.text.matches("says that there is none").count(), 1);
    check(&bundle(&[(1..=4, "\n".repeat(64 << 20))])).is(1, &["is unpacked to 67108864"]);
}

#[test]
fn pipe_is_refused_immediately() {
    let log = Log::new();
    for name in ["manifest.json", "segment-000001.ndjson.zst"] {
        let bundle = log.bundle(4);
        let path = bundle.path().join(name);
        fs::remove_file(&path).expect("is removed");
        assert!(Command::new("mkfifo").arg(&path).status().expect("runs").success());
        let (began, said) = (Instant::now(), check(&bundle));
        assert!(said.code != 0 && said.text.contains("it is a pipe, a file is expected"), "{}", said.text);
        let receipt = run(bundle.path(), &format!("receipt {name}"));
        receipt.is(2, &["it is a pipe to which nobody writes"]);
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
}
