//! Damaged bundles: all damage is found and located before anything is loaded. The digest is computed here
//! independently of the product's code, from the documentation of the format alone.

use std::fs;
use std::path::Path;

use daybook_cli::bundle::{Plan, export, import};
use daybook_log::Log;
use daybook_log::postgres::PostgresLog;
use daybook_random::Random;
use daybook_tests::database::Database;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::bundle::folder;
use super::{Ledger, trusted};
use crate::read_models::story::SHARD;

const MANIFEST: &str = "manifest.json";

/// Changes a manifest and recomputes its digest.
pub(crate) fn edited(text: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut manifest: Value = serde_json::from_str(text).expect("JSON");
    change(&mut manifest);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let line = |of: &Value, names: &[&str]| {
        names.iter().map(|name| text(&of[*name])).collect::<Vec<_>>().join(" ") + "\n"
    };
    let head = &manifest["head"];
    let mut digested = line(&manifest, &["format", "version"]);
    digested += line(&manifest, &["shard", "log_id"]).trim_end();
    digested.extend([" ", &text(&head["position"]), " ", &text(&head["commit_no"]), "\n"]);
    for segment in manifest["segments"].as_array().expect("segments") {
        digested += &line(
            segment,
            &[
                "file",
                "first_position",
                "last_position",
                "first_commit",
                "last_commit",
                "bytes",
                "sha256",
                "plain_bytes",
                "plain_sha256",
            ],
        );
    }
    manifest["digest"] = json!(sha256(&digested));
    manifest.to_string()
}

pub(crate) fn sha256(of: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(of))
}

/// A valid bundle, and an empty log to import it into.
pub(super) struct Bundle {
    pub(super) good: TempDir,
    manifest: Value,
    _database: Database,
    pub(super) log: PostgresLog,
}

impl Bundle {
    pub(super) async fn new() -> Self {
        let good = folder();
        let plan = Plan { folder: good.path(), force: false, segment: 40, boxes: 1 << 20 };
        export(&Ledger::small().await.log, SHARD, plan, |_| {}).await.expect("is exported");
        let text = fs::read_to_string(good.path().join(MANIFEST)).expect("a manifest");
        let manifest = serde_json::from_str(&text).expect("JSON");
        let database = Database::create().await;
        let log = PostgresLog::new(database.pg());
        Self { good, manifest, _database: database, log }
    }

    pub(super) fn file(&self, at: usize) -> &str {
        self.manifest["segments"][at]["file"].as_str().expect("a file")
    }

    /// A damaged copy of the bundle.
    pub(super) fn damaged(&self, damage: impl FnOnce(&Path)) -> TempDir {
        let copy = folder();
        for entry in fs::read_dir(&self.good).expect("a folder") {
            let entry = entry.expect("an entry");
            fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("is copied");
        }
        damage(copy.path());
        copy
    }

    /// Error of the import of a damaged copy.
    pub(super) async fn refused(&self, damage: impl FnOnce(&Path)) -> String {
        let copy = self.damaged(damage);
        match import(&self.log, SHARD, copy.path(), &trusted(), |_| {}).await {
            Ok(done) => panic!("{done:?}"),
            Err(error) => error.to_string(),
        }
    }

    /// Changes the lines of a segment and makes all hashes match.
    pub(super) fn forged(&self, at: usize, change: impl Fn(&mut Vec<String>)) -> impl FnOnce(&Path) {
        let file = self.file(at).to_owned();
        move |folder: &Path| {
            let packed = fs::read(folder.join(&file)).expect("a segment");
            let text = zstd::decode_all(packed.as_slice()).expect("unpacks");
            let text = String::from_utf8(text).expect("text");
            let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
            change(&mut lines);
            let text = lines.join("\n") + "\n";
            let packed = zstd::encode_all(text.as_bytes(), 3).expect("packs");
            let manifest = fs::read_to_string(folder.join(MANIFEST)).expect("a manifest");
            let manifest = edited(&manifest, |manifest| {
                let segment = &mut manifest["segments"][at];
                segment["bytes"] = json!(packed.len());
                segment["sha256"] = json!(sha256(&packed));
                segment["plain_bytes"] = json!(text.len());
                segment["plain_sha256"] = json!(sha256(&text));
            });
            fs::write(folder.join(&file), packed).expect("is written");
            fs::write(folder.join(MANIFEST), manifest).expect("is written");
        }
    }
}

#[tokio::test]
async fn altered_byte_is_found_in_its_segment() {
    let bundle = Bundle::new().await;
    let mut random = Random::of_test("altered byte");
    let segments = bundle.manifest["segments"].as_array().expect("segments").len();
    for _ in 0..200 {
        let at = random.below(segments);
        let file = bundle.file(at).to_owned();
        let by = u8::try_from(random.up_to(255)).expect("fits");
        let said = bundle
            .refused(|folder| {
                let mut bytes = fs::read(folder.join(&file)).expect("a segment");
                let place = random.below(bytes.len());
                bytes[place] ^= by;
                fs::write(folder.join(&file), bytes).expect("is written");
            })
            .await;
        assert!(said.contains(&file) && said.contains("positions "), "{said}");
    }
    // The refused imports do not prevent the import of the valid bundle.
    let done = import(&bundle.log, SHARD, bundle.good.path(), &trusted(), |_| {}).await.expect("is imported");
    assert_eq!(json!(done.position), bundle.manifest["head"]["position"]);
}

#[tokio::test]
async fn missing_truncated_or_swapped_segment_is_found() {
    let bundle = Bundle::new().await;
    let [one, other] = [1, 2].map(|at| bundle.file(at).to_owned());
    let missing = bundle.refused(|folder| fs::remove_file(folder.join(&one)).expect("is removed")).await;
    assert!(missing.contains(&one) && missing.contains("missing"), "{missing}");
    let mut random = Random::of_test("truncated segment");
    for _ in 0..20 {
        let short = bundle
            .refused(|folder| {
                let bytes = fs::read(folder.join(&one)).expect("a segment");
                fs::write(folder.join(&one), &bytes[..random.below(bytes.len())]).expect("is written");
            })
            .await;
        assert!(short.contains(&one) && short.contains("bytes instead of"), "{short}");
    }
    let swapped = bundle
        .refused(|folder| {
            let path = |name: &str| folder.join(name);
            fs::rename(path(&one), path("aside")).expect("is moved");
            fs::rename(path(&other), path(&one)).expect("is moved");
            fs::rename(path("aside"), path(&other)).expect("is moved");
        })
        .await;
    assert!(swapped.contains(&one), "{swapped}");
}

#[tokio::test]
async fn altered_manifest_is_found() {
    let bundle = Bundle::new().await;
    let write =
        |text: String| move |folder: &Path| fs::write(folder.join(MANIFEST), text).expect("is written");
    let mut random = Random::of_test("altered manifest");
    let good = fs::read_to_string(bundle.good.path().join(MANIFEST)).expect("a manifest");
    for _ in 0..200 {
        // Changes a random digit of any number or hash.
        let digits: Vec<_> =
            good.match_indices(|letter: char| letter.is_ascii_digit()).map(|(at, _)| at).collect();
        let at = digits[random.below(digits.len())];
        let digit = (good.as_bytes()[at] - b'0' + u8::try_from(random.up_to(9)).expect("fits")) % 10;
        let altered = format!("{}{digit}{}", &good[..at], &good[at + 1..]);
        let said = bundle.refused(write(altered)).await;
        assert!(said.starts_with("manifest.json: "), "{said}");
    }
    let said = bundle.refused(|folder| fs::remove_file(folder.join(MANIFEST)).expect("is removed")).await;
    assert!(said.starts_with("manifest.json: it does not exist"), "{said}");
    let foreign = edited(&good, |manifest| manifest["version"] = json!(2));
    let said = bundle.refused(write(foreign)).await;
    assert!(said.contains("version 2"), "{said}");
    let shorter = edited(&good, |manifest| {
        manifest["segments"].as_array_mut().expect("segments").pop();
    });
    let said = bundle.refused(write(shorter)).await;
    assert!(said.contains("do not end at its head"), "{said}");
    assert_eq!(bundle.log.head(SHARD).await.expect("a head").position, 0, "nothing was loaded");
}

#[tokio::test]
async fn inconsistent_event_with_valid_hashes_is_found() {
    let bundle = Bundle::new().await;
    let file = bundle.file(1).to_owned();
    let first = bundle.manifest["segments"][1]["first_position"].as_u64().expect("a position");
    let replaced = |of: &'static str, by: &'static str| {
        bundle.forged(1, move |lines| lines[0] = lines[0].replace(of, by))
    };
    let at = format!("segment {file}, position {first}");
    for (of, by, what) in [
        ("\"type\":", "\"type\":99", "unknown event type"),
        ("\"version\":", "\"version\":9", "follows version"),
        ("\"recorded_at_us\":", "\"recorded_at_us\":1", "at another time"),
    ] {
        let said = bundle.refused(replaced(of, by)).await;
        assert!(said.contains(&at) && said.contains(what), "{said}");
    }
    let unreadable = bundle.refused(replaced("\"platform\":", "\"platfrom\":")).await;
    assert!(unreadable.contains(&format!("at position {first}")), "{unreadable}");
    let removed = bundle.refused(bundle.forged(1, |lines| drop(lines.remove(3)))).await;
    assert!(removed.contains(&file), "{removed}");
}
