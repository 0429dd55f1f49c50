//! Change of the master key during operation: sealed data opens, hashed values are found, and the old key is no longer
//! needed afterwards.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use daybook_cli::service::Service;
use daybook_engine::Settings;
use daybook_tests::app::{MASTER_KEY, SETTLE_AFTER, TestApp, keys_with};
use daybook_tests::client::{Client, Session};
use daybook_tests::database::Database;
use daybook_tests::process::{binary, run};
use daybook_tests::shard;
use daybook_vault::{MasterKey, MasterKeys};
use futures::stream::{self, StreamExt};
use uuid::Uuid;

use crate::restart::folder_with_key;

/// Number of subjects, more than several batches of a rotation hold.
const SUBJECTS: u128 = 2_000;

const NEW_KEY: [u8; 32] = [9; 32];

fn ring(first: [u8; 32], others: &[[u8; 32]]) -> MasterKeys {
    MasterKeys::new(MasterKey::from_bytes(first), others.iter().copied().map(MasterKey::from_bytes).collect())
}

async fn start(database: &Database, masters: MasterKeys) -> TestApp {
    TestApp::start_with(database.clone(), database.pg(), masters, SETTLE_AFTER).await
}

/// Returns the number of data keys under each master key.
async fn wrapped(database: &Database) -> Vec<(Option<Vec<u8>>, i64)> {
    let client = database.pg().client().await.expect("a connection");
    let sql = "select master, count(*) from vault.subject_key group by master order by 2";
    let rows = client.query(sql, &[]).await.expect("rows");
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// Returns the same session, with its calls directed to another process.
fn at(session: &Session, app: &TestApp) -> Session {
    let client = Client { address: app.address, ..session.client.clone() };
    Session { client, ..session.clone() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn master_key_rotation_survives_kill() {
    let database = Database::create().await;
    let first = start(&database, ring(MASTER_KEY, &[])).await;
    let us = first.client.verified("Maria Ramirez").await;
    let token = first.client.user(&us.user_id).await["refresh_token"].clone();
    first.stop().await;

    let app = start(&database, ring(MASTER_KEY, &[NEW_KEY])).await;
    let vault = app.service.engine.vault();
    let make = async |number: u128| {
        let entropy = app.service.engine.entropy();
        let fill = move |bytes: &mut [u8]| entropy.fill(bytes);
        vault.create(shard(), Uuid::from_u128(number), 0, &fill).await.expect("keys");
    };
    stream::iter(1..=SUBJECTS).map(make).buffer_unordered(8).collect::<Vec<()>>().await;

    let folder = folder_with_key();
    let path = |name: &str| folder.path().join(name).display().to_string();
    daybook_tests::secret_file::write(path("new.key"), NEW_KEY);
    let (old, new, url) = (path("master.key"), path("new.key"), database.url());
    let args = ["vault", "rotate", "--new-master-key", &new, "--master-key", &old, "--database-url", &url];
    let mut rotating =
        Command::new(binary()).args(args).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("runs");
    let stderr = BufReader::new(rotating.stderr.take().expect("a pipe"));
    let told = stderr.lines().map_while(Result::ok).find(|line| line.contains("wrapped again"));
    rotating.kill().expect("kills");
    let _ = rotating.wait();
    assert!(told.is_some());
    assert_eq!(wrapped(&database).await.len(), 2, "killed in the middle");

    // This user is created in the middle of the rotation, under the old key.
    let jose = at(&us, &app).client.stranger("Jose").await;
    vault.forget_shard(shard());
    assert_eq!(app.client.user(&us.user_id).await["legal_names"][0], "Maria Ramirez");
    let done = run(args);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(wrapped(&database).await.len(), 1, "all are under one");
    let again = String::from_utf8(run(args).stdout).expect("text");
    assert!(again.contains("; 0 and 0 of them"), "{again}");
    app.stop().await;

    let settings = Settings::settling_after(SETTLE_AFTER);
    let refused = Service::start(database.pg(), keys_with(ring(MASTER_KEY, &[])), settings).await;
    assert!(refused.is_err_and(|error| error.to_string().contains("does not open under this master key")));
    let app = start(&database, ring(NEW_KEY, &[])).await;
    let user = app.client.user(&us.user_id).await;
    assert_eq!((&user["legal_names"][0], &user["refresh_token"]), (&"Maria Ramirez".into(), &token));
    assert_eq!(app.client.user(&jose.user_id).await["legal_names"][0], "Jose");
    let _ = at(&us, &app).call("GET", "/nodes").send().await.ok();
    let found = app.client.call("GET", "/users?query=rami").send().await.ok();
    assert_eq!(found["users_count"], 1);
    assert!(at(&us, &app).funded("1").await.len() > 20);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn older_vault_derives_keys_from_original_master() {
    let database = Database::create().await;
    let app = start(&database, ring(MASTER_KEY, &[])).await;
    let us = app.client.verified("Maria").await;
    app.stop().await;
    let client = database.pg().client().await.expect("a connection");
    client.batch_execute("delete from vault.derived_key").await.expect("as it was before");
    let app = start(&database, ring(NEW_KEY, &[MASTER_KEY])).await;
    assert_eq!(at(&us, &app).client.user(&us.user_id).await["legal_names"][0], "Maria");
    let _ = at(&us, &app).call("GET", "/nodes").send().await.ok();
    app.stop().await;
}
