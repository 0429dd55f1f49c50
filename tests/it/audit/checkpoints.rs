//! Checkpoints of a running service, the folders that keep them, and the key that signs them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use daybook_cli::anchor::Folder;
use daybook_log::postgres::MadeCheckpoint;
use daybook_proof::{Checkpoint, Note, Signer, TreeHead};
use daybook_tests::app::{PUBLIC_KEY, signer};
use daybook_tests::bodies;
use daybook_tests::client::{Client, until};
use daybook_tests::database::Database;
use daybook_tests::process::{Daybook, run};

use crate::restart::{dev_args, dev_client, folder_with_key};

/// The newest checkpoint in an anchor's folder, if there is one.
fn newest(anchor: &Path) -> Option<Checkpoint> {
    let note = fs::read(anchor.join("checkpoint")).ok()?;
    Some(Checkpoint::open(&note, &[signer().key().clone()]).expect("it is signed"))
}

/// Arguments of a service that stores checkpoints in this folder.
fn keeping(database: &Database, keys: &Path, anchor: &Path) -> Vec<String> {
    let more = ["--anchor", &anchor.display().to_string(), "--checkpoint-every", "200ms"];
    dev_args(database, keys).into_iter().chain(more.map(str::to_owned)).collect()
}

/// Creates a user and returns the log position of that write.
pub(super) async fn write(client: &Client, name: &str) -> u64 {
    let made = client.create_user(&bodies::person(name)).await;
    assert_eq!(made.status, 200, "{made:?}");
    made.headers["x-daybook-position"].to_str().expect("digits").parse().expect("a number")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn anchors_soon_cover_every_write() {
    let (database, keys) = (Database::create().await, folder_with_key());
    let anchors = [tempfile::tempdir(), tempfile::tempdir()].map(|folder| folder.expect("a folder"));
    // Two processes: the first stores in one folder, the second in both.
    let one = Daybook::start(keeping(&database, keys.path(), anchors[0].path()));
    let both = format!("{},{}", anchors[0].path().display(), anchors[1].path().display());
    let other = Daybook::start(keeping(&database, keys.path(), Path::new(&both)));
    let mut seen: Vec<Checkpoint> = vec![];
    for round in 0..4 {
        let client = dev_client(if round % 2 == 0 { one.address() } else { other.address() });
        let written = write(&client, &format!("Ada {round}")).await;
        for anchor in &anchors {
            let kept = until("it is covered", async || {
                newest(anchor.path()).filter(|newest| newest.head.size >= written)
            });
            seen.push(kept.await);
        }
        let served = client.audit("/checkpoint").send().await;
        let served = Checkpoint::open(&served.body, &[signer().key().clone()]).expect("is signed");
        assert!(served.head.size >= written);
        for older in &seen {
            let (from, to) = (older.head.size, served.head.size);
            let proof = client.audit(&format!("/consistency?from={from}&to={to}")).send().await.json();
            let proof: Vec<_> = proof["proof"].as_array().expect("a proof").iter().map(super::hash).collect();
            older.verify_grown(&served, &proof).expect("it grew");
        }
    }
    assert!(one.terminate().success() && other.terminate().success());
    let (url, folder) = (database.url(), anchors[1].path().display().to_string());
    let verified = run(["log", "verify", "--key", PUBLIC_KEY, "--database-url", &url, "--anchor", &folder]);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
    for anchor in &anchors {
        let files =
            fs::read_dir(anchor.path()).expect("a folder").map(|file| file.expect("a file").file_name());
        let mut files: Vec<_> = files.collect();
        files.sort();
        assert_eq!(files, ["checkpoint", "checkpoints"], "nothing is left behind");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conflicting_checkpoint_is_logged_and_not_overwritten() {
    let (database, keys) = (Database::create().await, folder_with_key());
    let anchor = tempfile::tempdir().expect("a folder");
    let first = Daybook::start(keeping(&database, keys.path(), anchor.path()));
    // The newest checkpoint in the database must be the one in the anchor. Waiting for the identity check avoids a
    // later event, which would lead to another checkpoint.
    dev_client(first.address()).verified("Ada").await;
    let client = database.pg().client().await.expect("connects");
    until("all of it is covered", async || {
        let all = client.query_one("select max(last_position) from commit", &[]).await.expect("an end");
        let all = u64::try_from(all.get::<_, i64>(0)).expect("a position");
        newest(anchor.path()).filter(|it| it.head.size == all)
    })
    .await;
    assert!(first.terminate().success());
    // The anchor gets another root for the same size. This is the state after a database was restored from a backup and
    // then recorded a different history.
    let size = newest(anchor.path()).expect("is there").head.size;
    let path = anchor.path().join("checkpoints").join(size.to_string());
    let other = note(&signer(), size, 1);
    fs::write(&path, &other).expect("writes");
    let log = keys.path().join("log");
    let second = Daybook::start_tracing(keeping(&database, keys.path(), anchor.path()), &log);
    until("the conflict is logged", async || {
        let told = fs::read_to_string(&log).unwrap_or_default();
        told.contains("holds another checkpoint of this size").then_some(())
    })
    .await;
    // The service continues to serve.
    write(&dev_client(second.address()), "Bob").await;
    assert_eq!(fs::read_to_string(&path).expect("is there"), other);
    drop(second);
}

/// A signed checkpoint of an arbitrary log of this size. Its root consists of 32 times the byte `root`.
pub(super) fn note(signer: &Signer, size: u64, root: u8) -> String {
    let head = TreeHead { size, root: [root; 32] };
    let origin = "daybook.example/1".to_owned();
    let text = Checkpoint { origin, head, extensions: vec![] }.text().expect("a text");
    let mut note = Note::new(&text).expect("a note");
    note.add(signer.key(), signer.sign(text.as_bytes())).expect("is signed");
    note.render()
}

/// The same size and root under a successor key is the same checkpoint. An older checkpoint never replaces the newest.
#[test]
fn anchor_folder_accepts_successor_and_never_regresses() {
    let folder = tempfile::tempdir().expect("a folder");
    let anchor = Folder::new(folder.path()).expect("an anchor");
    let successor = Signer::new("daybook.example/1", &[9; 32]).expect("a key");
    let made = |signer: &Signer, size, root| MadeCheckpoint { size, note: note(signer, size, root) };
    let first = made(&signer(), 5, 1);
    anchor.keep(&first).expect("keeps");
    anchor.keep(&first).expect("has it already");
    anchor.keep(&made(&successor, 5, 1)).expect("says the same");
    assert_eq!(fs::read_to_string(folder.path().join("checkpoints/5")).expect("is there"), first.note);
    let second = made(&signer(), 9, 2);
    anchor.keep(&second).expect("keeps");
    anchor.keep(&made(&signer(), 7, 3)).expect("keeps one that comes late");
    anchor.keep(&first).expect("has it already");
    assert_eq!(fs::read_to_string(folder.path().join("checkpoint")).expect("is there"), second.note);
    let error = anchor.keep(&made(&signer(), 5, 4)).expect_err("another root");
    assert!(error.to_string().contains("holds another checkpoint of this size"), "{error}");
    assert_eq!(fs::read_to_string(folder.path().join("checkpoints/5")).expect("is there"), first.note);
}

fn said(output: &Output) -> (bool, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn signing_key_file_is_private_never_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("signing.key");
    let path = file.display().to_string();
    let create = |origin: &str| said(&run(["key", "create", "--origin", origin, &path]));
    for origin in ["", "two words", "a+b", "a\nb"] {
        let (done, told, error) = create(origin);
        assert!(!done && told.is_empty() && !error.is_empty(), "{origin:?}: {told} {error}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "{origin:?}");
    }
    let (done, public, _) = create("ledger.example/1");
    assert!(done && public.starts_with("ledger.example/1+"), "{public}");
    assert_eq!(fs::metadata(&file).expect("is there").permissions().mode() & 0o777, 0o600);
    let secret = fs::read_to_string(&file).expect("is there");
    assert!(secret.starts_with("PRIVATE+KEY+ledger.example/1+") && !secret.contains(public.trim_end()));
    let (done, told, error) = create("ledger.example/1");
    assert!(!done && told.is_empty() && error.contains("is there already"), "{error}");
    assert_eq!(fs::read_to_string(&file).expect("is there"), secret);
    let show = || said(&run(["key", "show", &path]));
    assert_eq!((show().0, show().1), (true, public));
    fs::write(&file, &secret[..secret.len() - 6]).expect("writes");
    let (done, told, error) = show();
    assert!(!done && told.is_empty() && error.contains("is not a key"), "{error}");
    assert!(!error.contains("PRIVATE"), "no secret is told: {error}");
}
