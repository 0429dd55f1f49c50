//! `daybook-verify`: an export is verified without the service that wrote it, and every change to an export is found.

use std::fs;
use std::path::Path;
use std::process::Command;

use daybook_cli::bundle::{Plan, export};
use daybook_engine::Audit;
use daybook_log::postgres::PostgresLog;
use daybook_log::{Shard, key_of};
use daybook_random::Random;
use daybook_tests::app::{SETTLE_AFTER, TestApp, signer};
use daybook_tests::bodies::transfer;
use daybook_tests::database::Database;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::SHARD;
use super::receipts::sender;
use crate::architecture::root;
use crate::log_tools::damage::{edited, sha256};

const MANIFEST: &str = "manifest.json";

/// Lets a service record some writes and stops it. The folder then contains its export, the answers to clients, and the
/// checkpoints that an auditor keeps.
async fn told() -> TempDir {
    told_of(SHARD).await
}

/// Does the same for a platform in `shard`.
async fn told_of(shard: Shard) -> TempDir {
    let database = Database::with_shards(shard).await;
    let pg = database.pg();
    let app = TestApp::start_on(database, pg, SETTLE_AFTER).await;
    let client = app.platform_on(shard, "Acme").await;
    let audit_path = if shard == SHARD { "/audit".to_owned() } else { format!("/audit/shards/{shard}") };
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("is written");
    write("key", &(key_of(shard, signer().key()).expect("an origin").text() + "\n"));
    let (us, from, to) = sender(&client).await;
    client.verified("Ada").await;
    let get = async |target: String| {
        let answer = client.call("GET", "").at(&target).send().await;
        assert_eq!(answer.status, 200, "{target}: {answer:?}");
        answer.text()
    };
    let size = |note: &str| note.lines().nth(1).expect("a size").to_owned();
    let early = get(format!("{audit_path}/checkpoint")).await;
    write("early", &early);
    let answer = us.transfer(&from, &transfer(&to, "0.01")).send().await;
    let receipt = answer.headers["x-daybook-receipt"].to_str().expect("text");
    write("promise", receipt);
    let receipt: Value = serde_json::from_str(receipt).expect("JSON");
    let position = &receipt["position"];
    for _ in 0..5 {
        us.transfer(&from, &transfer(&to, "0.02")).send().await;
    }
    let audit =
        Audit::new(PostgresLog::new(app.database.pg()), signer().into()).of(shard).expect("has an origin");
    audit.make_checkpoint().await.expect("is made");
    let late = get(format!("{audit_path}/checkpoint")).await;
    write("late", &late);
    for (name, from) in [("grown", size(&early)), ("kept", receipt["commit"]["size"].to_string())] {
        write(name, &get(format!("{audit_path}/consistency?from={from}&to={}", size(&late))).await);
    }
    write("proof", &get(format!("/audit/events/{position}/proof")).await);
    write("again", &get(format!("/audit/receipts/{position}")).await);
    // No event is recorded after this line.
    let TestApp { database, service, .. } = app;
    service.stop().await;
    let log = PostgresLog::new(database.pg());
    write("checkpoint", &audit.make_checkpoint().await.expect("is made").note);
    let plan = Plan { folder: &folder.path().join("export"), force: false, segment: 8, boxes: 1 << 20 };
    export(&log, shard, plan, |_| {}).await.expect("is exported");
    folder
}

/// Runs `daybook-verify`. Words that name a file in the folder become its path. Returns exit code and JSON output.
fn verify(folder: &Path, arguments: &str) -> (u8, Value) {
    let path = |word: &str| {
        let path = folder.join(word);
        if path.is_file() || word == "export/" { path.display().to_string() } else { word.to_owned() }
    };
    let words = ["daybook-verify", "--json", "--key", "key"].into_iter().chain(arguments.split(' '));
    let (mut out, mut err) = (vec![], vec![]);
    let code = daybook_verify::run(words.map(path), &mut out, &mut err);
    let said = serde_json::from_slice(&out);
    (code, said.unwrap_or_else(|_| panic!("{arguments}: {}", String::from_utf8_lossy(&err))))
}

/// Returns true if the Python verifier, which was written from the documentation alone, accepts the export. None
/// without Python.
fn python(folder: &Path) -> Option<bool> {
    let lines: Vec<u8> = segments(folder).iter().flat_map(|file| unpacked(folder, file)).collect();
    fs::write(folder.join("lines"), lines).expect("is written");
    let mut command = Command::new("python3");
    command.arg(root().join("tests/clients/verify_proof/verify.py")).current_dir(folder);
    let words = ["key", "export", "export/manifest.json", "lines", "early", "checkpoint"];
    Some(command.args(words).output().ok()?.status.success())
}

fn segments(folder: &Path) -> Vec<String> {
    let manifest = fs::read(folder.join("export").join(MANIFEST)).expect("a manifest");
    let manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
    let segments = manifest["segments"].as_array().expect("segments").iter();
    segments.map(|segment| segment["file"].as_str().expect("a file").to_owned()).collect()
}

fn unpacked(folder: &Path, file: &str) -> Vec<u8> {
    let packed = fs::read(folder.join("export").join(file)).expect("a segment");
    zstd::decode_all(packed.as_slice()).expect("unpacks")
}

/// Replaces the lines of a segment and makes all hashes in the manifest match.
fn forge(folder: &Path, at: usize, lines: &[u8], change: impl FnOnce(&mut Value)) {
    let (file, folder) = (&segments(folder)[at], folder.join("export"));
    let packed = zstd::encode_all(lines, 3).expect("packs");
    let manifest = fs::read_to_string(folder.join(MANIFEST)).expect("a manifest");
    let manifest = edited(&manifest, |manifest| {
        let segment = &mut manifest["segments"][at];
        (segment["bytes"], segment["sha256"]) = (json!(packed.len()), json!(sha256(&packed)));
        (segment["plain_bytes"], segment["plain_sha256"]) = (json!(lines.len()), json!(sha256(lines)));
        change(manifest);
    });
    fs::write(folder.join(file), packed).expect("is written");
    fs::write(folder.join(MANIFEST), manifest).expect("is written");
}

fn copy(folder: &Path) -> TempDir {
    let other = tempfile::tempdir().expect("a folder");
    fs::create_dir(other.path().join("export")).expect("is made");
    for part in ["", "export"] {
        for entry in fs::read_dir(folder.join(part)).expect("a folder") {
            let entry = entry.expect("an entry");
            if entry.path().is_file() {
                fs::copy(entry.path(), other.path().join(part).join(entry.file_name())).expect("is copied");
            }
        }
    }
    other
}

#[tokio::test]
async fn export_verifies_offline_with_both_verifiers() {
    assert_verified(told().await.path());
}

#[tokio::test]
async fn export_of_second_shard_verifies_offline() {
    let folder = told_of(2).await;
    assert_verified(folder.path());
    // The key of shard 1 has signed nothing of shard 2.
    fs::write(folder.path().join("key"), signer().key().text() + "\n").expect("is written");
    for arguments in ["export export/", "receipt promise --event proof", "event proof"] {
        assert_ne!(verify(folder.path(), arguments).0, 0, "{arguments}");
    }
    assert_ne!(python(folder.path()), Some(true));
}

/// Fails unless both verifiers accept the export, the receipts and the checkpoints in `folder`.
fn assert_verified(folder: &Path) {
    for (arguments, says) in [
        ("export export/", "the root of every commit"),
        ("export export/ --checkpoint early checkpoint", "/checkpoint"),
        ("receipt promise --event proof", "in every column"),
        ("receipt promise --export export/ --checkpoint early", "those of the receipt"),
        ("receipt again --checkpoint late --consistency kept", "is the beginning of"),
        ("consistency grown --old early --new late", "is the beginning of"),
        ("event proof", "is at position"),
    ] {
        let (code, said) = verify(folder, arguments);
        assert_eq!(code, 0, "{arguments}: {said:#}");
        assert!(said["checked"].to_string().contains(says), "{said:#}");
    }
    assert!(segments(folder).len() > 2);
    assert_ne!(python(folder), Some(false));
}

/// Changes one or two lines at random. Returns a description of the change.
fn tamper(lines: &mut Vec<Vec<u8>>, random: &mut Random) -> String {
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(5) {
        0 => {
            lines.remove(one);
            format!("line {one} removed")
        }
        1 => {
            lines.insert(one, lines[other].clone());
            format!("line {other} once more before {one}")
        }
        2 if one != other => {
            lines.swap(one, other);
            format!("lines {one} and {other} swapped")
        }
        3 => {
            let digits: Vec<_> =
                (0..lines[one].len()).filter(|at| lines[one][*at].is_ascii_digit()).collect();
            let at = digits[random.below(digits.len())];
            let by = u8::try_from(random.up_to(9)).expect("fits");
            lines[one][at] = (lines[one][at] - b'0' + by) % 10 + b'0';
            format!("digit {at} of line {one}")
        }
        _ => {
            let at = random.below(lines[one].len());
            lines[one][at] ^= u8::try_from(random.up_to(255)).expect("fits");
            format!("byte {at} of line {one}")
        }
    }
}

#[tokio::test]
async fn random_export_tampering_is_found_and_located() {
    let good = told().await;
    let mut random = Random::of_test("tampered export");
    let files = segments(good.path());
    for number in 0..200 {
        let at = random.below(files.len());
        let text = unpacked(good.path(), &files[at]);
        let mut lines: Vec<_> = text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        // Number of the commit to which each line belongs: the next commit line's.
        let commits: Vec<u64> = (0..lines.len()).map(|at| commit_of(&lines[at..])).collect();
        let before = lines.clone();
        let what = tamper(&mut lines, &mut random);
        let first = before.iter().zip(&lines).take_while(|(before, after)| before == after).count();
        let expected = commits.get(first).copied().unwrap_or(commits[commits.len() - 1] + 1);
        let folder = copy(good.path());
        forge(folder.path(), at, &lines.concat(), |_| {});
        let (code, said) = verify(folder.path(), "export export/");
        if code == 2 {
            // The change hit the key id of a signature: the signature is of an unknown key and cannot be checked.
            let open = format!("1 commits, the first of them commit {expected}:");
            assert!(said["could_not_be_checked"][0].to_string().contains(&open), "{what}: {said:#}");
            continue;
        }
        assert_eq!(code, 1, "{what} of {}: {said:#}", files[at]);
        let found = &said["findings"][0];
        assert_eq!(found["commit"], expected, "{what} of {}: {said:#}", files[at]);
        assert!(found["position"].is_u64(), "{found}");
        if number % 40 == 0 {
            assert_ne!(python(folder.path()), Some(true), "{what} of {}", files[at]);
        }
    }
}

/// Number of the first commit in these lines.
fn commit_of(lines: &[Vec<u8>]) -> u64 {
    let mut rows = lines.iter().map(|line| serde_json::from_slice::<Value>(line).expect("JSON"));
    let number = rows.find_map(|row| row["commit"]["commit_no"].as_u64());
    number.expect("a segment ends with a commit")
}

#[tokio::test]
async fn checkpoint_reveals_cut_tail_with_matching_manifest() {
    let folder = told().await;
    let files = segments(folder.path());
    // The last segment with a commit that can be cut off. The segments after it are cut off as well.
    let commits_of = |at: usize| {
        let text = unpacked(folder.path(), &files[at]);
        let lines: Vec<_> = text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let ends: Vec<_> = (0..lines.len()).filter(|at| lines[*at].starts_with(b"{\"commit\"")).collect();
        (ends.len() > 1).then(|| (at, lines, ends[0]))
    };
    let (last, lines, cut) = (0..files.len()).rev().find_map(commits_of).expect("a commit to be cut off");
    let row: Value = serde_json::from_slice(&lines[cut]).expect("JSON");
    let (position, commit_no) = (row["commit"]["last_position"].clone(), row["commit"]["commit_no"].clone());
    forge(folder.path(), last, &lines[..=cut].concat(), |manifest| {
        (manifest["head"]["position"], manifest["head"]["commit_no"]) = (position.clone(), commit_no.clone());
        manifest["segments"].as_array_mut().expect("segments").truncate(last + 1);
        let segment = &mut manifest["segments"][last];
        (segment["last_position"], segment["last_commit"]) = (position.clone(), commit_no.clone());
    });
    let (code, said) = verify(folder.path(), "export export/ --checkpoint early");
    assert_eq!(code, 0, "an older checkpoint cannot tell: {said:#}");
    let (code, said) = verify(folder.path(), "export export/ --checkpoint checkpoint");
    assert_eq!(code, 1, "{said:#}");
    assert!(said["findings"][0]["what"].as_str().expect("text").contains("THE EXPORT IS CUT"), "{said:#}");
    assert_eq!(said["findings"][0]["position"], position.as_u64().expect("a position") + 1);
    assert_ne!(python(folder.path()), Some(true));
}
