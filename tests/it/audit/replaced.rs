//! Replacement of the signing key, with processes of both keys running at once. Every earlier receipt stays valid.

use std::fs;
use std::path::{Path, PathBuf};

use daybook_cli::config;
use daybook_cli::keys::Keys;
use daybook_engine::Audit;
use daybook_log::postgres::PostgresLog;
use daybook_proof::{Checkpoint, Key, Note, Receipt, Signer, TreeHead};
use daybook_tests::app::signer;
use daybook_tests::bodies;
use daybook_tests::client::{Client, until};
use daybook_tests::database::Database;
use daybook_tests::process::{Daybook, run};
use daybook_tests::shard;
use serde_json::Value;
use tempfile::TempDir;

use super::receipt;
use crate::restart::{dev_args, dev_client, folder_with_key};

/// A database and two signing keys of its log.
struct Replaced {
    database: Database,
    folder: TempDir,
    old: Key,
    new: Key,
}

impl Replaced {
    async fn new() -> Self {
        let (database, folder) = (Database::create().await, folder_with_key());
        let old = signer().key().clone();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let made = run(["key", "create", "--origin", old.name(), &path("new.key")]);
        assert_eq!(made.status.code(), Some(0), "{made:?}");
        let new = Key::parse(String::from_utf8_lossy(&made.stdout).trim_end()).expect("a key");
        assert_ne!(old.id(), new.id());
        for (name, key) in [("old.pub", &old), ("new.pub", &new)] {
            fs::write(path(name), key.text() + "\n").expect("is written");
        }
        Self { database, folder, old, new }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Splits a command line into words and replaces `@` by the path of the folder.
    fn words(&self, line: &str) -> Vec<String> {
        let folder = format!("{}/", self.folder.path().display());
        line.split_whitespace().map(|word| word.replace('@', &folder)).collect()
    }

    /// Arguments of a service with these options.
    fn args(&self, options: &str) -> Vec<String> {
        let more = self.words(&format!("--anchor @anchor --checkpoint-every 100ms {options}"));
        dev_args(&self.database, self.folder.path()).into_iter().chain(more).collect()
    }

    /// Runs `daybook log verify` with these keys and the anchor. Returns exit code and standard output.
    fn verify(&self, keys: &str) -> (i32, String) {
        let url = ["--database-url".to_owned(), self.database.url()];
        let said = run(self.words(&format!("log verify --anchor @anchor {keys}")).into_iter().chain(url));
        (said.status.code().expect("it ends"), String::from_utf8_lossy(&said.stdout).into_owned())
    }

    /// Runs `daybook-verify`. Returns exit code and output.
    fn verify_outside(&self, arguments: &str) -> (i32, String) {
        let (mut out, mut err) = (vec![], vec![]);
        let code =
            daybook_verify::run(self.words(&format!("daybook-verify {arguments}")), &mut out, &mut err);
        (code.into(), String::from_utf8_lossy(&[out, err].concat()).into_owned())
    }

    /// Number of the first commit that this key signed.
    async fn first_of(&self, key: [u8; 4]) -> u64 {
        let commits = PostgresLog::new(self.database.pg()).raw_commits(shard(), 0).await.expect("reads");
        let is_of = |signature: &Vec<u8>| signature.starts_with(&key);
        let first = commits.iter().find(|commit| commit.signature.as_ref().is_some_and(is_of));
        first.expect("it signed one").commit_no
    }
}

/// Creates a user. Returns the receipt of the write, parsed and as JSON.
async fn write(client: &Client, name: &str) -> (Receipt, Value) {
    let made = client.create_user(&bodies::person(name)).await;
    assert_eq!(made.status, 200, "{made:?}");
    let json = serde_json::from_slice(made.headers["x-daybook-receipt"].as_bytes()).expect("JSON");
    (receipt(&json), json)
}

/// Waits until the anchor's newest checkpoint covers `position`. Returns it with the ids of the keys that signed it.
async fn covered(anchor: &Path, position: u64, keys: &[Key]) -> (Checkpoint, Vec<[u8; 4]>) {
    until("it is covered", async || {
        let note = fs::read(anchor.join("checkpoint")).ok()?;
        let checkpoint = Checkpoint::open(&note, keys).expect("is signed");
        let note = Note::parse(&note).expect("a note");
        let signed = note.verify(keys).expect("is signed").into_iter().map(Key::id).collect();
        (checkpoint.head.size >= position).then_some((checkpoint, signed))
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rolling_key_replacement_keeps_old_signatures_valid() {
    let it = Replaced::new().await;
    let (old, new) = (it.old.id(), it.new.id());
    let (both, anchor) = ([it.old.clone(), it.new.clone()], it.path("anchor"));
    // The first process still runs with the old key only.
    let one = Daybook::start(it.args(""));
    let (first, first_json) = write(&dev_client(one.address()), "Ada").await;
    first.verify(&both[..1]).expect("the old key's");
    let (_, signed) = covered(&anchor, first.position, &both).await;
    assert_eq!(signed, [old]);
    let two = Daybook::start(it.args("--signing-key @new.key --former-signing-key @signing.key"));
    let mut promised = vec![];
    for round in 0..3 {
        for (process, key) in [(&one, old), (&two, new)] {
            let (receipt, _) = write(&dev_client(process.address()), &format!("Bob {round}")).await;
            assert_eq!(receipt.signature.key_id, key);
            promised.push(receipt);
        }
    }
    assert!(one.terminate().success());
    let (last, _) = write(&dev_client(two.address()), "Cid").await;
    let (_, signed) = covered(&anchor, last.position, &both).await;
    assert_eq!(signed, [new, old], "either key verifies it");
    assert!(two.terminate().success());

    // The third process runs without the old key.
    let three = Daybook::start(it.args("--signing-key @new.key"));
    let client = dev_client(three.address());
    let (last, _) = write(&client, "Dot").await;
    let (late, signed) = covered(&anchor, last.position, &both[1..]).await;
    assert_eq!(signed, [new]);
    assert_eq!(client.audit("/key").send().await.text(), format!("{}\n{}\n", it.new.text(), it.old.text()));
    for promise in promised.iter().chain([&first, &last]) {
        let again = client.audit(&format!("/receipts/{}", promise.position)).send().await.json();
        assert_eq!(receipt(&again), *promise, "it is answered as it was then");
        let path = format!("/consistency?from={}&to={}", promise.root.head.size, late.head.size);
        let proof = client.audit(&path).send().await.json();
        let proof: Vec<_> = proof["proof"].as_array().expect("a proof").iter().map(super::hash).collect();
        promise.verify_kept(&proof, &late).expect("it was kept");
    }
    let path = format!("/consistency?from={}&to={}", first.root.head.size, late.head.size);
    fs::write(it.path("proof.json"), client.audit(&path).send().await.text()).expect("is written");
    fs::write(it.path("receipt.json"), first_json.to_string()).expect("is written");
    fs::copy(anchor.join("checkpoints").join(late.head.size.to_string()), it.path("late")).expect("is there");
    assert!(three.terminate().success());

    for (keys, arguments) in [
        ("--key @old.pub", "receipt @receipt.json"),
        (
            "--key @old.pub --key @new.pub",
            "receipt @receipt.json --checkpoint @late --consistency @proof.json",
        ),
    ] {
        let (code, text) = it.verify_outside(&format!("{keys} {arguments}"));
        assert_eq!(code, 0, "{arguments}: {text}");
    }
    let bundle = it.words("log export -o @bundle --database-url").into_iter().chain([it.database.url()]);
    assert_eq!(run(bundle).status.code(), Some(0));
    let unchecked = |commit_no, key| {
        format!("the first of them commit {commit_no}: the key {:08x} was not given", u32::from_be_bytes(key))
    };
    for (keys, code, says) in [
        ("--key @old.pub --key @new.pub", 0, "othing is wrong".to_owned()),
        ("--key @new.pub", 2, unchecked(it.first_of(old).await, old)),
        ("--key @old.pub", 2, unchecked(it.first_of(new).await, new)),
    ] {
        let (found, text) = it.verify(keys);
        assert!(
            found == code && text.contains(&says) && !text.contains("BAD PLACE"),
            "{keys}: {found} {text}"
        );
        let says = if code == 0 { "holds" } else { &says };
        let (found, text) = it.verify_outside(&format!("{keys} export @bundle"));
        assert!(found == code && text.contains(says) && !text.contains("Wrong"), "{keys}: {found} {text}");
    }
    // A signature of an unknown key is a finding. Only a former key that was not given remains unchecked.
    let (found, text) = it.forged().await;
    assert!(found == 1 && text.contains("its signature is not that of a key"), "{found} {text}");
}

impl Replaced {
    /// Signs the newest commit with an unknown key of the log's name. Returns exit code and text of the verification.
    async fn forged(&self) -> (i32, String) {
        let stranger = Signer::new(self.old.name(), &[66; 32]).expect("a key");
        let log = PostgresLog::new(self.database.pg());
        let commit = log.raw_commits(shard(), 0).await.expect("reads").pop().expect("one");
        let root = commit.root.as_deref().expect("a root").try_into().expect("32 bytes");
        let root = commit.root(self.old.name(), shard(), TreeHead { size: commit.last_position, root });
        let signature = root.sign(&stranger).expect("signs").to_bytes().to_vec();
        let client = self.database.pg().client().await.expect("connects");
        client.batch_execute("alter table commit disable trigger user").await.expect("as its owner");
        let sql = "update commit set signature = $1 where commit_no = $2";
        let number = i64::try_from(commit.commit_no).expect("fits");
        client.execute(sql, &[&signature, &number]).await.expect("as its owner");
        let given_away = Audit::new(log, signer().into())
            .of(shard())
            .expect("is the first")
            .receipt(commit.last_position)
            .await;
        assert!(given_away.is_err(), "a receipt without a known signer was issued: {given_away:?}");
        self.verify("--key @old.pub --key @new.pub")
    }
}

/// Exit code and standard error of a command that would write, with these signing keys.
fn refused(it: &Replaced, options: &str) -> (Option<i32>, String) {
    let url = ["--database-url".to_owned(), it.database.url()];
    let line = format!("client create Acme --master-key @master.key {options}");
    let said = run(it.words(&line).into_iter().chain(url));
    (said.status.code(), String::from_utf8_lossy(&said.stderr).into_owned())
}

/// A key of another origin, or a new key without its predecessor, is refused. The predecessor's public half is enough.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unrelated_signing_key_is_refused() {
    let it = Replaced::new().await;
    let one = Daybook::start(it.args(""));
    write(&dev_client(one.address()), "Ada").await;
    assert!(one.terminate().success());
    let other = it.path("other.key").display().to_string();
    assert!(run(["key", "create", "--origin", "ledger.example/2", &other]).status.success());
    let (code, text) = refused(&it, "--signing-key @other.key");
    assert!(code == Some(2) && text.contains("is not of the log daybook.example/1"), "{code:?} {text}");
    assert!(!text.contains("PRIVATE"), "{text}");

    // Simulates a log that is older than the table of signing keys.
    let client = it.database.pg().client().await.expect("connects");
    let forget =
        "set session_replication_role = replica; delete from signing_key; reset session_replication_role";
    client.batch_execute(forget).await.expect("as a superuser");
    let old = u32::from_be_bytes(it.old.id());
    let (code, text) = refused(&it, "--signing-key @new.key");
    let says = format!("commit 1 was signed with the key {old:08x}");
    assert!(code == Some(2) && text.contains(&says), "{code:?} {text}");
    // The public half of the old key is enough: it verifies old signatures and signs nothing.
    let two = Daybook::start(it.args("--signing-key @new.key --former-signing-key @old.pub"));
    let (receipt, _) = write(&dev_client(two.address()), "Bob").await;
    assert_eq!(receipt.signature.key_id, it.new.id());
    let (_, signed) = covered(&it.path("anchor"), receipt.position, &[it.old.clone(), it.new.clone()]).await;
    assert_eq!(signed, [it.new.id()]);
    let keys = dev_client(two.address()).audit("/key").send().await.text();
    assert_eq!(keys, format!("{}\n{}\n", it.new.text(), it.old.text()));
    assert!(two.terminate().success());
    let update = client.batch_execute("update signing_key set since = now()").await;
    assert!(update.is_err_and(|error| format!("{error:?}").contains("append-only")));
}

#[tokio::test]
async fn missing_key_file_is_created_only_once() {
    let (database, folder) = (Database::create().await, tempfile::tempdir().expect("a folder"));
    let (pg, file) = (database.pg(), folder.path().join("signing.key"));
    // The options of a service with an embedded PostgreSQL server.
    let options = config::Database { data_dir: folder.path().to_owned(), ..config::Database::default() };
    let keys = Keys::of(&options, &pg).await.expect("is made").signers.keys();
    let log = PostgresLog::new(pg.clone());
    log.register_keys(shard(), &keys, 0).await.expect("is its first");
    assert_eq!(Keys::of(&options, &pg).await.expect("is read").signers.keys(), keys);
    fs::remove_file(&file).expect("is gone");
    let lost = Keys::of(&options, &pg).await.err().expect("it is lost").to_string();
    assert!(lost.contains("signing.key") && !file.exists(), "{lost}");
}
