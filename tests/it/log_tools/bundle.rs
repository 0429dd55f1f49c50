//! Export and import of a log: the same bytes, the same rows, the same read models.

use std::fs;
use std::path::Path;

use daybook_cli::bundle::{Imported, Manifest, Plan, export, import};
use daybook_domain::Command;
use daybook_domain::attestation::Made;
use daybook_domain::attestation::attest::Attest;
use daybook_domain::testing::fixture::{self, PLATFORM};
use daybook_log::Log;
use daybook_log::postgres::PostgresLog;
use daybook_projector::Reads;
use daybook_tests::database::Database;

use super::{Ledger, trusted, verified};
use crate::read_models::story::{SHARD, dump, project};

/// Events per segment, few enough that a small log has several segments.
pub(super) const SEGMENT: u64 = 100;

pub(super) async fn exported(log: &PostgresLog, folder: &Path) -> Manifest {
    let plan = Plan { folder, force: false, segment: SEGMENT, boxes: 1 << 20 };
    export(log, SHARD, plan, |_| {}).await.expect("is exported")
}

async fn empty() -> (Database, PostgresLog) {
    let database = Database::create().await;
    let log = PostgresLog::new(database.pg());
    (database, log)
}

pub(super) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[tokio::test]
async fn imported_log_equals_the_exported_log() {
    let mut ledger = Ledger::new().await;
    // An attestation needs the database's trees for its check, and must not prevent the import.
    let made = Made { position: 1, accounts: 1, root: "a root".into() };
    ledger.story.tell(Command::Attest(Attest { platform: PLATFORM, made })).await;
    let (there, back) = (folder(), folder());
    let manifest = exported(&ledger.log, there.path()).await;
    assert!(manifest.segments.len() >= 4, "{}", manifest.segments.len());
    let (database, log) = empty().await;
    let done = import(&log, SHARD, there.path(), &trusted(), |_| {}).await.expect("is imported");
    let head = ledger.log.head(SHARD).await.expect("a head");
    assert_eq!(done, Imported { position: head.position, commit_no: head.commit_no, resumed_at: 0 });
    assert_eq!(log.head(SHARD).await.expect("a head"), head);
    assert_eq!(log.log_id(SHARD).await.expect("an id"), ledger.log.log_id(SHARD).await.expect("an id"));
    assert_eq!(verified(&log).await.findings, []);
    // An equal manifest means equal bytes.
    assert_eq!(exported(&log, back.path()).await, manifest);
    let mut tables = vec![];
    for (database, log) in [(&ledger.database, &ledger.log), (&database, &log)] {
        let reads = Reads::new(database.pg(), std::sync::Arc::new(PostgresLog::new(database.pg())));
        reads.versions().install(SHARD).await.expect("makes the tables");
        project(&reads).await;
        assert_eq!(
            reads.store().position(SHARD).await.expect("a cursor"),
            log.head(SHARD).await.expect("a head").position
        );
        tables.push(dump(database).await);
    }
    assert_eq!(tables[0], tables[1]);
}

#[tokio::test]
async fn interrupted_import_resumes() {
    let ledger = Ledger::new().await;
    let there = folder();
    let manifest = exported(&ledger.log, there.path()).await;
    let last = there.path().join(&manifest.segments.last().expect("a segment").file);
    let hidden = last.with_extension("hidden");
    let (_database, log) = empty().await;
    // Removed after the first segment is loaded.
    let hide = |_| drop(fs::rename(&last, &hidden));
    import(&log, SHARD, there.path(), &trusted(), hide).await.expect_err("a segment is missing");
    let reached = log.head(SHARD).await.expect("a head").position;
    assert!(reached > 0 && reached < manifest.head.position);
    fs::rename(&hidden, &last).expect("is moved back");
    let done = import(&log, SHARD, there.path(), &trusted(), |_| {}).await.expect("is imported");
    assert_eq!((done.resumed_at, done.position), (reached, manifest.head.position));
    // A further import loads nothing and verifies everything again.
    let again = import(&log, SHARD, there.path(), &trusted(), |_| {}).await.expect("is there");
    assert_eq!((again.resumed_at, again.position), (done.position, done.position));
}

#[tokio::test]
async fn import_requires_an_empty_log() {
    let ledger = Ledger::new().await;
    let there = folder();
    exported(&ledger.log, there.path()).await;
    let other = Ledger::new().await;
    // All test databases are copies of one template and share its log id. This log gets another id.
    let client = other.database.pg().client().await.expect("connects");
    client.execute("update shard set log_id = gen_random_uuid()", &[]).await.expect("is changed");
    let before = other.log.head(SHARD).await.expect("a head");
    let refused = import(&other.log, SHARD, there.path(), &trusted(), |_| {})
        .await
        .expect_err("is another log")
        .to_string();
    assert!(refused.contains("only into an empty log"), "{refused}");
    assert_eq!(other.log.head(SHARD).await.expect("a head"), before);
}

#[tokio::test]
async fn longer_log_is_not_an_interrupted_import() {
    let mut ledger = Ledger::new().await;
    let there = folder();
    exported(&ledger.log, there.path()).await;
    ledger.story.tell(fixture::pay(9_000, 1)).await;
    import(&ledger.log, SHARD, there.path(), &trusted(), |_| {})
        .await
        .expect_err("it is longer than the bundle");
}

#[tokio::test]
async fn import_refuses_a_diverged_log() {
    let (mut one, mut other) = (Ledger::new().await, Ledger::new().await);
    // From here on the two logs diverge, under the same log id.
    one.story.tell(fixture::pay(9_000, 1)).await;
    one.story.tell(fixture::pay(9_001, 1)).await;
    other.story.tell(fixture::subnet(9_000, fixture::ANNS)).await;
    let there = folder();
    exported(&one.log, there.path()).await;
    let before = other.log.head(SHARD).await.expect("a head");
    import(&other.log, SHARD, there.path(), &trusted(), |_| {}).await.expect_err("it is another history");
    assert_eq!(other.log.head(SHARD).await.expect("a head"), before);
}

#[tokio::test]
async fn interrupted_export_resumes() {
    let ledger = Ledger::new().await;
    let (whole, part) = (folder(), folder());
    let manifest = exported(&ledger.log, whole.path()).await;
    // State left by an export that was killed in its third segment.
    let third = &manifest.segments[2].file;
    for segment in &manifest.segments[..2] {
        fs::copy(whole.path().join(&segment.file), part.path().join(&segment.file)).expect("is copied");
    }
    fs::write(part.path().join(format!("{third}.part")), "half a segm").expect("is written");
    let text = fs::read_to_string(whole.path().join("manifest.json")).expect("a manifest");
    let shorter = super::damage::edited(&text, |manifest| {
        manifest["segments"].as_array_mut().expect("segments").truncate(2);
    });
    fs::write(part.path().join("manifest.partial.json"), shorter).expect("is written");
    let first = part.path().join(&manifest.segments[0].file);
    let written = fs::metadata(&first).and_then(|it| it.modified()).expect("a time");
    assert_eq!(exported(&ledger.log, part.path()).await, manifest);
    assert_eq!(fs::metadata(&first).and_then(|it| it.modified()).expect("a time"), written);
    assert!(!part.path().join("manifest.partial.json").exists());
    assert!(!part.path().join(format!("{third}.part")).exists());
}

#[tokio::test]
async fn segment_size_is_bounded_by_its_boxes() {
    let ledger = Ledger::new().await;
    let (there, whole) = (folder(), folder());
    let plan = |folder, boxes| Plan { folder, force: false, segment: 50_000, boxes };
    let one = export(&ledger.log, SHARD, plan(whole.path(), 1 << 20), |_| {}).await.expect("is exported");
    assert_eq!(one.segments.len(), 1);
    let many = export(&ledger.log, SHARD, plan(there.path(), 100), |_| {}).await.expect("is exported");
    let (rows, commits) = ledger.rows().await;
    assert!(many.segments.len() > 3, "{}", many.segments.len());
    for segment in &many.segments {
        let last = commits.iter().find(|commit| commit.commit_no == segment.last_commit).expect("is one");
        assert_eq!(last.last_position, segment.last_position);
        let before = commits.iter().find(|commit| commit.commit_no + 1 == segment.last_commit);
        let after = before.map_or(0, |commit| commit.last_position);
        let but_last = rows.iter().filter(|row| (segment.first_position..=after).contains(&row.position));
        let boxes: usize = but_last.filter_map(|row| row.sealed.as_ref()).map(Vec::len).sum();
        assert!(boxes < 100, "{boxes}");
    }
    let (_database, log) = empty().await;
    import(&log, SHARD, there.path(), &trusted(), |_| {}).await.expect("is imported");
    assert_eq!(verified(&log).await.findings, []);
}

#[tokio::test]
async fn oversized_segment_is_refused_before_loading() {
    let ledger = Ledger::small().await;
    let there = folder();
    exported(&ledger.log, there.path()).await;
    let manifest = there.path().join("manifest.json");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    // The manifest describes the segment correctly, but the unpacked size of 1,025 MiB is over the limit.
    let bomb = vec![0; 1 << 20];
    let file = there.path().join("segment-000001.ndjson.zst");
    let mut packed = zstd::Encoder::new(fs::File::create(&file).expect("a file"), 1).expect("an encoder");
    for _ in 0..1_025 {
        std::io::Write::write_all(&mut packed, &bomb).expect("is packed");
    }
    packed.finish().expect("is written");
    let bytes = fs::read(&file).expect("is there");
    let edited = super::damage::edited(&text, |manifest| {
        let segment = &mut manifest["segments"][0];
        segment["bytes"] = bytes.len().into();
        segment["sha256"] = super::damage::sha256(&bytes).into();
        segment["plain_bytes"] = (1_025_u64 << 20).into();
    });
    fs::write(&manifest, edited).expect("is written");
    let (_database, log) = empty().await;
    let refused =
        import(&log, SHARD, there.path(), &trusted(), |_| {}).await.expect_err("is a bomb").to_string();
    assert!(refused.contains("segment-000001.ndjson.zst") && refused.contains("are not read"), "{refused}");
    assert_eq!(log.head(SHARD).await.expect("a head").position, 0);
}

#[tokio::test]
async fn export_never_continues_a_diverged_history() {
    let (mut one, mut other) = (Ledger::small().await, Ledger::small().await);
    one.story.tell(fixture::pay(9_000, 1)).await;
    other.story.tell(fixture::subnet(9_000, fixture::ANNS)).await;
    for story in [&mut one.story, &mut other.story] {
        story.tell_all((9_001..9_011).map(|number| fixture::pay(number, 1))).await;
    }
    let there = folder();
    let plan = Plan { folder: there.path(), force: false, segment: 10, boxes: 1 << 20 };
    let manifest = export(&one.log, SHARD, plan, |_| {}).await.expect("is exported");
    // State left by an export that was killed before its last segment.
    let text = fs::read_to_string(there.path().join("manifest.json")).expect("a manifest");
    let shorter = super::damage::edited(&text, |manifest| {
        manifest["segments"].as_array_mut().expect("segments").pop();
    });
    fs::remove_file(there.path().join("manifest.json")).expect("is removed");
    fs::write(there.path().join("manifest.partial.json"), &shorter).expect("is written");
    let refused = export(&other.log, SHARD, plan, |_| {}).await.expect_err("is another").to_string();
    assert!(refused.contains("not the beginning of this log"), "{refused}");
    // A database restored from an older backup is shorter than the partial export.
    let (_database, log) = empty().await;
    log.adopt(SHARD, one.log.log_id(SHARD).await.expect("an id")).await.expect("is empty");
    export(&log, SHARD, plan, |_| {}).await.expect_err("is shorter");
    assert_eq!(export(&one.log, SHARD, plan, |_| {}).await.expect("goes on"), manifest);
}

#[tokio::test]
async fn export_overwrites_only_with_force() {
    let ledger = Ledger::new().await;
    let there = folder();
    let foreign = there.path().join("holiday.jpg");
    fs::write(&foreign, "sea").expect("is written");
    let plan = |force| Plan { folder: there.path(), force, segment: SEGMENT, boxes: 1 << 20 };
    export(&ledger.log, SHARD, plan(false), |_| {}).await.expect_err("is not empty");
    let first = export(&ledger.log, SHARD, plan(true), |_| {}).await.expect("is exported");
    export(&ledger.log, SHARD, plan(false), |_| {}).await.expect_err("a bundle is there");
    assert_eq!(export(&ledger.log, SHARD, plan(true), |_| {}).await.expect("is exported"), first);
    assert_eq!(fs::read(&foreign).expect("is still there"), b"sea");
}

#[tokio::test]
async fn empty_log_is_exported_and_imported() {
    let (_one, log) = empty().await;
    let there = folder();
    assert_eq!(exported(&log, there.path()).await.segments, []);
    let (_other, log) = empty().await;
    let done = import(&log, SHARD, there.path(), &trusted(), |_| {}).await.expect("is imported");
    assert_eq!(done, Imported { position: 0, commit_no: 0, resumed_at: 0 });
}
